"""A document is read in a process of its own, with limits: whatever is in it, the bot lives on.

Does not know formats.
"""

import asyncio
import re
import sys
from contextlib import aclosing
from weakref import WeakValueDictionary

from attachments.formats import detection
from attachments.passages import passages_of
from locales.catalog import current, speaking, tr
from records.attachments import DocumentText, Passage
from records.errors import DocumentUnreadable
from runtime import apart

MEMORY_ANYWAY, MEMORY_EACH, MEMORY = 200_000_000, 30, 700_000_000
"""Bytes of address space that a child has, so many more for each byte of the document, and the most. With the libraries
it has 60 million before it reads anything.
"""
SECONDS = 60
"""Of a processor."""
LONGEST_WAIT = 180.0
"""Seconds after which a child is ended, however little it computed."""
AT_ONCE = 2
"""Children, one of each person at most."""
LONGEST_NAME = 80
_CHILD = apart.code_of("attachments.documents")


class DocumentReader:
    """Reads documents of people, a few at once."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._of_each: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def read(self, data: bytes, name: str, *, person: int) -> DocumentText:
        """The text of a document. Raises DocumentUnreadable, with a sentence for its sender."""
        name = shown_name(name)
        if detection.is_plain(data, name):
            return await asyncio.to_thread(_read, data, name)
        async with self._of_each.setdefault(person, asyncio.Lock()), self._slots:
            return await _read_apart(data, name)


def shown_name(name: str) -> str:
    """A file's name on one line, without what would end its brackets: its sender chose it."""
    plain = " ".join(re.sub(r"[\[\]<>\x00-\x1f\x7f\u2028\u2029]", " ", name).split())
    if len(plain) > LONGEST_NAME:
        plain = f"{plain[: LONGEST_NAME - 11]}…{plain[-10:]}"
    return plain or "file"


def _read(data: bytes, name: str) -> DocumentText:
    passages, is_whole = passages_of(detection.lines(data, name))
    if not passages:
        raise DocumentUnreadable(tr("files-empty"))
    return DocumentText(name=name, passages=passages, is_whole=is_whole)


async def _read_apart(data: bytes, name: str) -> DocumentText:
    try:
        async with aclosing(
            apart.pieces(_CHILD, (name, str(len(data)), current()), data, longest_wait=LONGEST_WAIT)
        ) as pieces:
            async for kind, value in pieces:
                if kind == "refused":
                    raise DocumentUnreadable(value)
                passages = tuple(Passage(place=place, text=text) for place, text in value["passages"])
                return DocumentText(name=name, passages=passages, is_whole=value["is_whole"])
    except apart.ChildDied:
        pass
    raise DocumentUnreadable(tr("files-died"))


def child() -> None:
    """Read the document on standard input and write its passages to standard output."""
    name, size = sys.argv[2], int(sys.argv[3])
    apart.limit(memory=min(MEMORY, MEMORY_ANYWAY + MEMORY_EACH * size), seconds=SECONDS)
    sys.modules["numpy"] = None  # type: ignore[assignment]  # openpyxl would load it: 110 MB of address space for nothing
    with speaking(sys.argv[4]):
        _write(name, size)


def _write(name: str, size: int) -> None:
    out = sys.stdout.buffer
    try:
        read = _read(sys.stdin.buffer.read(size), name)
    except DocumentUnreadable as refused:
        apart.write(out, "refused", refused.sentence)
    except MemoryError:
        apart.write(out, "refused", tr("files-died"))
    except Exception:  # broad: libraries raise whatever a damaged file makes them stumble over
        apart.write(out, "refused", tr("files-damaged"))
    else:
        found = [(one.place, one.text) for one in read.passages]
        apart.write(out, "document", {"passages": found, "is_whole": read.is_whole})
