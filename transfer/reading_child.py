"""What runs in the process that reads a file from elsewhere: messages and rows, given back in pieces.

Imports little (runtime/subprocess_child.py). Does not know the formats.
"""

import base64
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from locales.catalog import speaking, tr
from records.errors import ImportRefused
from runtime.subprocess_child import limit, write
from transfer.formats import detection
from transfer.formats.history import ImportedHistory

MEMORY_ANYWAY, MEMORY_EACH = 400_000_000, 10
"""Bytes of address space that a child has, and so many more for each that the file may have when it is unpacked."""
SECONDS = 300
"""Of a processor; reading 200 MB takes a quarter of them."""
PIECE_ITEMS, PIECE_CHARACTERS = 500, 200_000
"""Messages or rows that are given back at once: decoding them holds the interpreter for a few milliseconds."""


def child() -> None:
    """Read the file on standard input and write what it holds to standard output."""
    # This was written by our own parent process, not by whoever sent the file.
    given = pickle.loads(base64.b64decode(sys.argv[2]))  # noqa: S301
    size = int(sys.argv[3])
    limit(memory=MEMORY_ANYWAY + MEMORY_EACH * detection.most_unpacked(size), seconds=SECONDS)
    with speaking(sys.argv[4]):
        _write(size, given)


def _write(size: int, given: Mapping[str, Any]) -> None:
    out = sys.stdout.buffer
    try:
        for kind, value in _pieces(detection.read(sys.stdin.buffer.read(size), **given)):
            write(out, kind, value)
    except ImportRefused as refused:
        write(out, "refused", refused.sentence)
    except MemoryError:
        write(out, "refused", tr("import-too-much"))


def _pieces(history: ImportedHistory) -> Iterator[tuple[str, object]]:
    messages = ({**asdict(one), "created_at": one.created_at.isoformat()} for one in history.messages)
    for piece in _in_pieces(messages, "content"):
        yield "messages", piece
    for table, rows in (history.rows or {}).items():
        for piece in _in_pieces(rows, "content"):
            yield f"rows:{table}", piece
    told = {one.name: getattr(history, one.name) for one in fields(history) if one.name not in ("messages", "rows")}
    told["questions"] = [asdict(one) for one in history.questions]
    told["facts"] = [
        {**asdict(one), "observed_at": one.observed_at and one.observed_at.isoformat()} for one in history.facts
    ]
    yield "history", told | {"has_rows": history.rows is not None}


def _in_pieces(items: Iterable[Mapping[str, object]], long: str) -> Iterator[list[Mapping[str, object]]]:
    """Some of the items at a time; `long`: the member that makes one large."""
    piece: list[Mapping[str, object]] = []
    characters = 0
    for item in items:
        piece.append(item)
        characters += len(str(item.get(long, "")))
        if len(piece) >= PIECE_ITEMS or characters >= PIECE_CHARACTERS:
            yield piece
            piece, characters = [], 0
    if piece:
        yield piece
