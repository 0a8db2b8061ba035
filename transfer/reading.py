"""A file from elsewhere is read in a process of its own, which has limits: whatever is in it, the bot lives on.

The child gives messages and rows back, so much at once that taking it in holds nobody up.
Does not know the formats.
"""

import asyncio
import base64
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import asdict
from datetime import datetime, tzinfo
from typing import Any
from weakref import WeakValueDictionary

from locales.catalog import current, speaking, tr
from records.errors import ImportRefused
from runtime import apart
from transfer.formats import detection
from transfer.formats.history import ImportedHistory, ImportedMessage

READ_HERE = 64_000
"""Bytes of an unpacked file that are read in a thread: so little holds nothing that could do harm."""
MEMORY_ANYWAY, MEMORY_EACH = 400_000_000, 10
"""Bytes of address space that a child has, and so many more for each that the file may have when it is unpacked."""
SECONDS = 300
"""Of a processor; reading 200 MB takes a quarter of them."""
LONGEST_WAIT = 900.0
"""Seconds after which a child is ended, however little it computed."""
AT_ONCE = 2
"""Children, one of each person at most."""
PIECE_ITEMS, PIECE_CHARACTERS = 500, 200_000
"""Messages or rows that are given back at once: decoding them holds the interpreter for a few milliseconds."""
_CHILD = apart.code_of("transfer.reading")


class FileReader:
    """Reads files of people, a few at once."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._of_each: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def read(self, data: bytes, *, person: int, zone: tzinfo) -> ImportedHistory:
        """What a file holds, as `detection.read` gives it. Raises ImportRefused."""
        is_packed = data.startswith((b"PK", b"\x1f\x8b"))
        if len(data) <= READ_HERE and not is_packed:
            return await asyncio.to_thread(lambda: detection.read(data, person=person, zone=zone))
        async with self._of_each.setdefault(person, asyncio.Lock()), self._slots:
            return await _read_apart(data, person, zone)


async def _read_apart(data: bytes, person: int, zone: tzinfo) -> ImportedHistory:
    """Ends with the child's last piece, or where the child ends."""
    given = base64.b64encode(pickle.dumps((person, zone))).decode()
    messages: list[ImportedMessage] = []
    rows: dict[str, list[Mapping[str, object]]] = {}
    arguments = (given, str(len(data)), current())
    try:
        async with aclosing(apart.pieces(_CHILD, arguments, data, longest_wait=LONGEST_WAIT)) as pieces:
            async for kind, value in pieces:
                if kind == "messages":
                    messages += map(_message, value)
                elif kind == "refused":
                    raise ImportRefused(value)
                elif kind == "history":
                    has_rows = value.pop("has_rows")
                    notes = tuple(value.pop("notes"))
                    return ImportedHistory(**value, notes=notes, messages=messages, rows=rows if has_rows else None)
                else:
                    rows.setdefault(kind.removeprefix("rows:"), []).extend(value)
    except apart.ChildDied:
        pass
    raise ImportRefused(tr("import-died"))


def _message(values: dict[str, Any]) -> ImportedMessage:
    return ImportedMessage(**{**values, "created_at": datetime.fromisoformat(values["created_at"])})


# the child ------------------------------------------------------------------------------------------------------


def child() -> None:
    """Read the file on standard input and write what it holds to standard output."""
    # This was written by our own parent process, not by whoever sent the file.
    person, zone = pickle.loads(base64.b64decode(sys.argv[2]))  # noqa: S301
    size = int(sys.argv[3])
    apart.limit(memory=MEMORY_ANYWAY + MEMORY_EACH * detection.most_unpacked(size), seconds=SECONDS)
    with speaking(sys.argv[4]):
        _write(size, person, zone)


def _write(size: int, person: int, zone: tzinfo) -> None:
    out = sys.stdout.buffer
    try:
        for kind, value in _pieces(detection.read(sys.stdin.buffer.read(size), person=person, zone=zone)):
            apart.write(out, kind, value)
    except ImportRefused as refused:
        apart.write(out, "refused", refused.sentence)
    except MemoryError:
        apart.write(out, "refused", tr("import-too-much"))


def _pieces(history: ImportedHistory) -> Iterator[tuple[str, object]]:
    messages = ({**asdict(one), "created_at": one.created_at.isoformat()} for one in history.messages)
    for piece in _in_pieces(messages, "content"):
        yield "messages", piece
    for table, rows in (history.rows or {}).items():
        for piece in _in_pieces(rows, "content"):
            yield f"rows:{table}", piece
    yield (
        "history",
        {
            "format": history.format,
            "notes": history.notes,
            "owner": history.owner,
            "export": history.export,
            "part": history.part,
            "is_last": history.is_last,
            "has_rows": history.rows is not None,
        },
    )


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
