"""The child process that reads a file and returns its messages and rows in chunks. Few imports keep startup fast."""

import base64
import gc
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from locales.catalog import tr, use_language
from records.errors import ImportRefused
from runtime.subprocess_child import limit_resources, write_child_answer
from transfer.formats import detection
from transfer.formats.history import ImportedHistory, ReadContext

MEMORY_ANYWAY = 400_000_000  # bytes of address space
MEMORY_EACH = 10  # more bytes for each byte that the file may unpack to
SECONDS = 300  # seconds of processor time. Reading 200 MB takes a quarter of that.
PIECE_ITEMS = 100  # messages or rows in one piece, which the parent decodes in milliseconds


def answer_requests_from_parent_process() -> None:
    """Read a file from standard input, and write its content to standard output in pieces."""
    # Our own parent process wrote this, not the sender of the file.
    reading: ReadContext = pickle.loads(base64.b64decode(sys.argv[2]))  # noqa: S301
    size = int(sys.argv[3])
    gc.disable()  # a fifth of the time, for messages that hold no cycles: the process ends with its file
    limit_resources(
        memory_bytes=MEMORY_ANYWAY + MEMORY_EACH * detection.compute_max_unpacked_bytes(size), cpu_seconds=SECONDS
    )
    out = sys.stdout.buffer
    with use_language(sys.argv[4]):
        try:
            for kind, value in _encode_in_batches(detection.parse_file(sys.stdin.buffer.read(size), reading)):
                write_child_answer(out, kind, value)
        except ImportRefused as refused:
            write_child_answer(out, "refused", refused.sentence)
        except MemoryError:
            write_child_answer(out, "refused", tr("import-too-much"))


def _encode_in_batches(history: ImportedHistory) -> Iterator[tuple[str, object]]:
    for batch in _split_into_batches(map(_encode_dataclass, history.messages)):
        yield "messages", batch
    for table, rows in (history.rows or {}).items():
        for batch in _split_into_batches(rows):
            yield f"rows:{table}", batch
    told = {name: getattr(history, name) for name in history.__slots__ if name not in ("messages", "rows")}
    told |= {name: list(map(_encode_dataclass, getattr(history, name))) for name in ("questions", "facts")}
    yield "history", told | {"has_rows": history.rows is not None}


def _encode_dataclass(value: Any) -> dict[str, object]:
    held = ((name, getattr(value, name)) for name in value.__slots__)
    return {name: member.isoformat() if isinstance(member, datetime) else member for name, member in held}


def _split_into_batches(items: Iterable[Mapping[str, object]]) -> Iterator[list[Mapping[str, object]]]:
    left = iter(items)
    return iter(lambda: list(islice(left, PIECE_ITEMS)), [])
