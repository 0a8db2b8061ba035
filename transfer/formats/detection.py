"""A file as it was sent, packed or not → its format and its messages.

Owns the list of formats. Goes by the content, not by the name, and unpacks an archive only up to a limit. Does not
know who sent the file.
"""

import codecs
import gzip
import io
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import PurePosixPath
from typing import IO

from locales.catalog import tr
from locales.lists import any_of
from records.errors import ImportRefused
from runtime.cooperative import consumed, yielding_gil
from transfer.formats import chatgpt, keepsake, telegram_desktop
from transfer.formats.history import ImportedHistory, ImportFormat, split, well_formed_history
from transfer.formats.json_stream import JsonStream

PIECE = 1_000_000
"""Bytes that are decoded at once: no other thread runs meanwhile."""
MOST_UNPACKED = 200_000_000
"""The most bytes of JSON that are read: beyond that the process would need gigabytes."""
MOST_ENTRIES = 20_000
"""Files in an archive, pictures and all: reading the list of more takes longer than reading an export."""
_ENTRY = b"PK\x01\x02"
"""What each entry in the list of an archive begins with."""
FORMATS: Mapping[str, ImportFormat] = {
    one.name: one for one in (keepsake.FORMAT, telegram_desktop.FORMAT, chatgpt.FORMAT)
}
"""The formats that can be imported, by name; a new one is added here. Where several fit a file, the first counts."""
UNPACKED_ANYWAY, UNPACKED_EACH = 16_000_000, 32
"""An archive may unpack to so many bytes, and so many more for each of its own: exports shrink to a tenth or less, but
an archive that grows a thousand times was made to fill the memory."""
VALUES_ANYWAY, VALUES_EACH = 1_300_000, 1
"""Values that are read of a file, and so many more for each byte that was sent: reading them takes below 200 MB."""
MESSAGES_ANYWAY, BYTES_A_MESSAGE = 200_000, 20
"""Messages that are taken from a file, and one more for so many bytes that were sent."""
MOST_FACTS = 10_000
LONGEST_FACT = 4_096
"""Characters."""
MOST_FILES = 200
"""Of an archive that are read together."""


def read(data: bytes, *, person: int, zone: tzinfo = UTC, most: int = MOST_UNPACKED) -> ImportedHistory:
    """What a file holds. `person`: the Telegram id of who imports it; `zone`: of dates that name none.

    Raises ImportRefused. Takes as long as the file is large; to be called in a thread.
    """
    unpacked = deque(_unpacked(data, min(most, most_unpacked(len(data)))))
    values = (VALUES_ANYWAY + VALUES_EACH * len(data)) // len(unpacked)
    walks = [JsonStream(_text(one), most=values) for one in consumed(unpacked)]
    formats = [_format_of(walk) for walk in walks]
    first = formats[0]
    histories = [
        _split(well_formed_history(form.read(walk, person, zone)), form.longest_message)
        for form, walk in zip(formats, walks, strict=True)
    ]
    if any(one is not first for one in formats):
        raise ImportRefused(tr("import-kinds-differ"))
    _demand_bounds(histories, len(data))
    if len(histories) == 1:
        return histories[0]
    if first.is_alone:
        raise ImportRefused(tr("import-several-own"))
    messages = [message for history in histories for message in history.messages]
    notes = tuple(note for history in histories for note in history.notes)
    return replace(histories[0], messages=messages, notes=notes)


def _split(history: ImportedHistory, longest: int) -> ImportedHistory:
    return replace(history, messages=split(history.messages, longest))


def most_unpacked(size: int) -> int:
    """Bytes that a file of this size may have when it is unpacked."""
    return min(MOST_UNPACKED, UNPACKED_ANYWAY + UNPACKED_EACH * size)


def _demand_bounds(histories: Sequence[ImportedHistory], size: int) -> None:
    """What a file of `size` bytes may hold, for whoever keeps it."""
    most = MESSAGES_ANYWAY + size // BYTES_A_MESSAGE
    if sum(len(one.messages) for one in histories) > most:
        raise ImportRefused(tr("import-too-many-messages", most=most))
    for rows in (one.rows for one in histories if one.rows):
        facts = rows.get("facts", ())
        if len(facts) > MOST_FACTS:
            raise ImportRefused(tr("import-too-many-facts", most=MOST_FACTS))
        for number, fact in enumerate(yielding_gil(facts)):
            if len(str(fact.get("text", ""))) > LONGEST_FACT:
                raise ImportRefused(tr("import-fact-too-long", number=str(number), most=LONGEST_FACT))


def _format_of(walk: JsonStream) -> ImportFormat:
    """The large parts of the file stay unread; the walk goes back to where it was."""
    opening = walk.peek()
    if not opening:
        raise ImportRefused(tr("import-empty"))
    candidates = [one for one in FORMATS.values() if one.opening == opening]
    at, names = walk.at, set[str]()
    for name in walk.members() if opening == "{" and candidates else ("",):
        names.add(name)
        if fitting := next((one for one in candidates if one.fits(names)), None):
            walk.back_to(at)
            return fitting
    raise ImportRefused(tr("import-unknown-format", known=_known()))


def _known() -> str:
    return any_of([tr(f"import-file-{name}") for name in FORMATS])


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
        raise ImportRefused(tr("import-not-utf8", line=str(line))) from None


def _unpacked(data: bytes, most: int) -> list[bytes]:
    try:
        if data.startswith(b"PK\x03\x04"):
            return _from_zip(data, most)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(data)) as packed:
                return [_bounded(packed, most, whole=most)]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError):
        raise ImportRefused(tr("import-damaged-archive")) from None
    if len(data) > most:
        raise ImportRefused(tr("import-unpacked", megabytes=most // 1_000_000))
    return [data]


def _from_zip(data: bytes, most: int) -> list[bytes]:
    """The files in it that are called like an export, or else the only .json there is."""
    if data.count(_ENTRY) > MOST_ENTRIES:  # before the list is read
        raise ImportRefused(tr("import-many-in-archive", most=MOST_ENTRIES))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [one for one in archive.infolist() if not one.is_dir() and _name(one.filename).endswith(".json")]
        wanted = [one for one in files if _is_wanted(_name(one.filename))] or files[: 1 if len(files) == 1 else 0]
        if not wanted:
            raise ImportRefused(tr("import-no-export", known=_known()))
        if len(wanted) > MOST_FILES:
            raise ImportRefused(tr("import-too-many-files", most=MOST_FILES))
        unpacked: list[bytes] = []
        for one in sorted(wanted, key=lambda info: info.filename):
            with archive.open(one) as packed:
                unpacked.append(_bounded(packed, most - sum(map(len, unpacked)), whole=most))
        return unpacked


def _bounded(packed: "gzip.GzipFile | IO[bytes]", most: int, *, whole: int) -> bytes:
    """All of a stream. An archive may lie about its size, so it is measured while it is read."""
    taken = bytearray()
    for block in _blocks(packed):
        taken += block
        if len(taken) > most:
            raise ImportRefused(tr("import-unpacked", megabytes=whole // 1_000_000))
    return bytes(taken)


def _blocks(packed: "gzip.GzipFile | IO[bytes]") -> Iterable[bytes]:
    while block := packed.read(1 << 20):
        yield block


def _name(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name.lower()


def _is_wanted(name: str) -> bool:
    return name.startswith(tuple(beginning for one in FORMATS.values() for beginning in one.files))
