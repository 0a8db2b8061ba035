"""A file from elsewhere is read in a process of its own, which has limits: whatever is in it, the bot lives on.

The child gets the file and gives messages and rows back as JSON, so much at once that taking it in holds nobody up.
Does not know the formats.
"""

import asyncio
import base64
import json
import os
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, tzinfo
from pathlib import Path
from typing import IO, Any
from weakref import WeakValueDictionary

from records.errors import ImportRefused
from transfer.formats import detection
from transfer.formats.history import ImportedHistory, ImportedMessage
from transfer.formats.json_stream import TOO_MUCH

if sys.platform != "win32":  # which has none: there the bounds of the formats alone hold
    import resource

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
DIED = "This file takes more memory or time than I may spend on it. Please send a shorter range of it."
_LENGTH = struct.Struct(">Q")
_ROOT = str(Path(__file__).resolve().parents[1])
_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from transfer.reading import child; child()"


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
    given = base64.b64encode(pickle.dumps((person, zone))).decode()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "utf8", "-c", _CHILD, _ROOT, given, str(len(data))),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        # No secret of the settings is in a process that reads what strangers wrote.
        env={} if os.name == "posix" else None,
    )
    if process.stdin is None or process.stdout is None:  # both were asked for; this is for the type checker
        raise RuntimeError("The child has no pipes.")
    sending = asyncio.create_task(_sent(process.stdin, data))
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            return await _received(process.stdout)
    except (asyncio.IncompleteReadError, TimeoutError):
        raise ImportRefused(f"{DIED} Nothing was imported.") from None
    finally:
        sending.cancel()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _sent(stdin: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(data)
        await stdin.drain()
        stdin.close()


async def _received(stdout: asyncio.StreamReader) -> ImportedHistory:
    """Ends with the child's last piece, or where the child ends."""
    messages: list[ImportedMessage] = []
    rows: dict[str, list[Mapping[str, object]]] = {}
    while True:
        [length] = _LENGTH.unpack(await stdout.readexactly(_LENGTH.size))
        piece = await stdout.readexactly(length)
        kind, value = await asyncio.to_thread(json.loads, piece)
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


def _message(values: dict[str, Any]) -> ImportedMessage:
    return ImportedMessage(**{**values, "created_at": datetime.fromisoformat(values["created_at"])})


# the child ------------------------------------------------------------------------------------------------------


def child() -> None:
    """Read the file on standard input and write what it holds to standard output."""
    # This was written by our own parent process, not by whoever sent the file.
    person, zone = pickle.loads(base64.b64decode(sys.argv[2]))  # noqa: S301
    size = int(sys.argv[3])
    _limit(MEMORY_ANYWAY + MEMORY_EACH * detection.most_unpacked(size))
    out = sys.stdout.buffer
    try:
        for kind, value in _pieces(detection.read(sys.stdin.buffer.read(size), person=person, zone=zone)):
            _write(out, kind, value)
    except ImportRefused as refused:
        _write(out, "refused", refused.sentence)
    except MemoryError:
        _write(out, "refused", TOO_MUCH)


def _limit(memory: int) -> None:
    if sys.platform == "win32":
        return
    os.nice(10)  # the bot goes first
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # the machine's own limit may be lower
            resource.setrlimit(what, (most, most))


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
            "is_whole": history.is_whole,
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


def _write(out: IO[bytes], kind: str, value: object) -> None:
    content = json.dumps([kind, value]).encode()
    out.write(_LENGTH.pack(len(content)) + content)
    out.flush()
