"""Read the text of each page of a PDF. Text in images is not read."""

import io
import logging
from collections.abc import Iterator

import pypdf

from attachments.passages import DocumentLine, ReadLimitReached
from locales.catalog import tr
from records.errors import DocumentUnreadable

MAX_PAGES = 2_000


def read_lines(data: bytes) -> Iterator[DocumentLine]:
    """Yield the text of each page. Raise DocumentUnreadable if there is none, or ReadLimitReached after MAX_PAGES."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentUnreadable(tr("files-password"))
    is_empty = True
    for number, page in enumerate(reader.pages, 1):
        if number > MAX_PAGES:
            if is_empty:
                break
            raise ReadLimitReached
        text = page.extract_text().strip()
        is_empty = is_empty and not text
        yield DocumentLine(text=text, noun="page", number=number)
    if is_empty:
        raise DocumentUnreadable(tr("files-no-text-in-pdf"))
