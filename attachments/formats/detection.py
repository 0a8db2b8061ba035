"""Detect the format of a document by its content, or by its name if the content is ambiguous."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from attachments.formats import html, packed, plain
from attachments.passages import DocumentLine
from locales.catalog import tr
from records.errors import DocumentUnreadable


def is_plain_text(data: bytes, file_name: str) -> bool:
    """Return True if a file is plain text and can be read without a child process."""
    return not data.startswith((b"PK", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x1f\x8b")) and not (
        _is_pdf(data) or _is_web_page(data, file_name)
    )


def read_lines(data: bytes, name: str) -> Iterator[DocumentLine]:
    """Yield the lines of a document. Raise DocumentUnreadable on failure."""
    if data.startswith(b"PK"):
        return _read_archive_lines(data)
    if _is_pdf(data):
        from attachments.formats import pdf  # here: only the child that reads one needs the library

        return pdf.read_lines(data)
    if data.startswith((b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf")):
        raise DocumentUnreadable(tr("files-no-text-kind"))
    return html.read_lines(data) if _is_web_page(data, name) else plain.read_lines(data)


def _read_archive_lines(data: bytes) -> Iterator[DocumentLine]:
    from attachments.formats import epub, office

    archive = packed.open_archive(data)
    names = set(archive.namelist())
    if "word/document.xml" in names:
        return office.read_docx(archive)
    if "xl/workbook.xml" in names:
        return office.read_xlsx(data, archive)
    if "META-INF/container.xml" in names:
        return epub.read_lines(archive)
    raise DocumentUnreadable(tr("files-no-text-kind"))


def _is_pdf(data: bytes) -> bool:
    return b"%PDF-" in data[:1024]


def _is_web_page(data: bytes, name: str) -> bool:
    beginning = data[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    is_named_page = PurePosixPath(name).suffix.lower() in (".html", ".htm", ".xhtml")
    return is_named_page or beginning.startswith((b"<!doctype html", b"<html"))
