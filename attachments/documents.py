"""Read a document in a child process with limits, so that a hostile document cannot crash the bot."""

import asyncio
from contextlib import aclosing, suppress
from unicodedata import category

from attachments import documents_child
from attachments.formats import detection
from llm.quoting import escape_tags
from locales.catalog import get_current_language, tr
from records.attachments import DocumentText, Passage
from records.errors import DocumentUnreadable
from runtime import subprocess_worker
from text.characters import collapse_to_single_line

MAX_WAIT_SECONDS = 180.0  # seconds after which a child is ended, however little it computed
MAX_NAME_CHARS = 80
CHILD = subprocess_worker.make_child_script("attachments.documents_child")


async def read_document(data: bytes, name: str, child_slots: asyncio.Semaphore) -> DocumentText:
    """Return the text of a document. Raise DocumentUnreadable if it cannot be read."""
    name = sanitize_file_name(name)
    if detection.is_plain_text(data, name):
        return await asyncio.to_thread(documents_child.read_document, data, name)
    async with child_slots:
        return await _read_document_in_child(data, name)


def sanitize_file_name(file_name: str) -> str:
    """Return a file name on one line, without brackets, so that it can be quoted in a prompt."""
    drawn = escape_tags(collapse_to_single_line(file_name))
    # Not the round ones of "report (1).pdf".
    marks = {character for character in drawn if category(character) in ("Ps", "Pe", "Cc", "Zl", "Zp")} - {*"()"}
    plain = " ".join("".join(" " if character in {*"<>"} | marks else character for character in drawn).split())
    if len(plain) > MAX_NAME_CHARS:
        plain = f"{plain[: MAX_NAME_CHARS - 11]}…{plain[-10:]}"
    return plain or "file"


async def _read_document_in_child(data: bytes, name: str) -> DocumentText:
    with suppress(subprocess_worker.ChildDied):
        arguments = (name, str(len(data)), get_current_language())
        child = subprocess_worker.iterate_child_answers(CHILD, arguments, data, timeout=MAX_WAIT_SECONDS)
        async with aclosing(child) as pieces:
            async for kind, value in pieces:
                if kind == "refused":
                    raise DocumentUnreadable(value)
                passages = tuple(Passage(place=place, text=text) for place, text in value["passages"])
                return DocumentText(name=name, passages=passages, is_whole=value["is_whole"])
    raise DocumentUnreadable(tr("files-died"))
