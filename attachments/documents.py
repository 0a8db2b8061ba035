"""A document is read in a process of its own, with limits: whatever is in it, the bot lives on.

Does not know formats.
"""

import asyncio
import re
from contextlib import aclosing
from weakref import WeakValueDictionary

from attachments.documents_child import read
from attachments.formats import detection
from locales.catalog import current, tr
from records.attachments import DocumentText, Passage
from records.errors import DocumentUnreadable
from runtime import apart

LONGEST_WAIT = 180.0
"""Seconds after which a child is ended, however little it computed."""
AT_ONCE = 2
"""Children, one of each person at most."""
LONGEST_NAME = 80
_CHILD = apart.code_of("attachments.documents_child")


class DocumentReader:
    """Reads documents of people, a few at once."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._of_each: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def read(self, data: bytes, name: str, *, person: int) -> DocumentText:
        """The text of a document. Raises DocumentUnreadable, with a sentence for its sender."""
        name = shown_name(name)
        if detection.is_plain(data, name):
            return await asyncio.to_thread(read, data, name)
        async with self._of_each.setdefault(person, asyncio.Lock()), self._slots:
            return await _read_apart(data, name)


def shown_name(name: str) -> str:
    """A file's name on one line, without what would end its brackets: its sender chose it."""
    plain = " ".join(re.sub(r"[\[\]<>\x00-\x1f\x7f\u2028\u2029]", " ", name).split())
    if len(plain) > LONGEST_NAME:
        plain = f"{plain[: LONGEST_NAME - 11]}…{plain[-10:]}"
    return plain or "file"


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
