"""A file as it was sent → its Past, whatever it is called: packed or not, ours, Telegram's or ChatGPT's.

Goes by content, not by name. Bounded: an archive is unpacked up to a limit only. Does not know who sent the file.
"""

import codecs
import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import PurePosixPath
from typing import IO

from records.errors import ImportRefused
from runtime.cooperative import yielding_gil
from transfer.formats import chatgpt, keepsake, telegram_desktop
from transfer.formats.history import ImportedHistory
from transfer.formats.json_stream import JsonStream

PIECE = 1_000_000
"""Bytes that are decoded at once: nobody else has a turn meanwhile."""
MOST_UNPACKED = 200_000_000
"""Bytes of JSON that are read at most: beyond that the process would need gigabytes."""
KNOWN = "my own export, Telegram Desktop's result.json or ChatGPT's conversations.json"
_TOO_BIG = f"Unpacked, the file has more than {MOST_UNPACKED // 1_000_000} MB. Nothing was imported."
_UNKNOWN = f"I do not know this format. I can read {KNOWN}, also packed as .zip or .gz. Nothing was imported."


def read(data: bytes, *, person: int, zone: tzinfo = UTC, most: int = MOST_UNPACKED) -> ImportedHistory:
    """What the file says was said. `person`: the Telegram id of who imports; `zone`: of dates that name none.

    Raises ImportRefused. Takes as long as its size; to be called beside the event loop.
    """
    pasts = [_past(JsonStream(_text(one)), person, zone) for one in _unpacked(data, most)]
    first = pasts[0]
    if len({past.format for past in pasts}) > 1:
        raise ImportRefused("The archive holds exports of different kinds. Please send one at a time.")
    if len(pasts) == 1:
        return first
    if first.format == "keepsake":
        raise ImportRefused("The archive holds several exports of mine. Please send them one at a time.")
    messages = [message for past in pasts for message in past.messages]
    return replace(first, messages=messages, notes=tuple(note for past in pasts for note in past.notes))


def _past(walk: JsonStream, person: int, zone: tzinfo) -> ImportedHistory:
    match walk.peek():
        case "[":
            return chatgpt.read(walk)
        case "{":
            pass
        case "":
            raise ImportRefused("The file is empty. Nothing was imported.")
        case _:
            raise ImportRefused(_UNKNOWN)
    names = _first_names(walk)
    if "format" in names:
        return keepsake.read(walk)
    if "chats" in names or {"messages", "type"} <= names:
        return telegram_desktop.read(walk, person=person, zone=zone)
    raise ImportRefused(_UNKNOWN)


def _first_names(walk: JsonStream) -> frozenset[str]:
    """The names of an object, its large parts unread; the walk goes back to where it stood."""
    names: set[str] = set()
    at = walk.at
    for name in walk.members():
        names.add(name)
        if name in ("chats", "format") or {"messages", "type"} <= names:
            break
    walk.back_to(at)
    return frozenset(names)


def _text(data: bytes) -> str:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        ends = range(PIECE, len(data) + PIECE, PIECE)
        return "".join([decoder.decode(data[end - PIECE : end], end >= len(data)) for end in yielding_gil(ends)])
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportRefused(f"The file is not text in UTF-8: line {line}. Nothing was imported.") from None


def _unpacked(data: bytes, most: int) -> list[bytes]:
    try:
        if data.startswith(b"PK\x03\x04"):
            return _from_zip(data, most)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(data)) as packed:
                return [_bounded(packed, most)]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError):
        raise ImportRefused("The archive is damaged or locked. Nothing was imported.") from None
    if len(data) > most:
        raise ImportRefused(_TOO_BIG)
    return [data]


def _from_zip(data: bytes, most: int) -> list[bytes]:
    """The files in it that may be exports: conversations*.json, result.json, else the only .json there is."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [one for one in archive.infolist() if not one.is_dir() and _name(one.filename).endswith(".json")]
        wanted = [one for one in files if _is_wanted(_name(one.filename))] or files[: 1 if len(files) == 1 else 0]
        if not wanted:
            raise ImportRefused(f"The archive holds no export that I know. I can read {KNOWN}. Nothing was imported.")
        unpacked: list[bytes] = []
        for one in sorted(wanted, key=lambda info: info.filename):
            with archive.open(one) as packed:
                unpacked.append(_bounded(packed, most - sum(map(len, unpacked))))
        return unpacked


def _bounded(packed: "gzip.GzipFile | IO[bytes]", most: int) -> bytes:
    """All of a stream. An archive may lie about its size, so it is measured while it is read."""
    taken = bytearray()
    for block in _blocks(packed):
        taken += block
        if len(taken) > most:
            raise ImportRefused(_TOO_BIG)
    return bytes(taken)


def _blocks(packed: "gzip.GzipFile | IO[bytes]") -> Iterable[bytes]:
    while block := packed.read(1 << 20):
        yield block


def _name(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name.lower()


def _is_wanted(name: str) -> bool:
    return name.startswith(("conversations", "keepsake")) or name == "result.json"
