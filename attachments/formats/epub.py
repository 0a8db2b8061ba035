"""Read e-books: find the chapters through the container file and yield them in reading order."""

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from zipfile import ZipFile

from attachments.formats import html, packed
from attachments.passages import DocumentLine
from locales.catalog import tr
from records.errors import DocumentUnreadable

MAX_PATH_CHARS = 1_000  # of a chapter's address; chapters with longer ones are skipped
_OPF = "{http://www.idpf.org/2007/opf}"


def read_lines(archive: ZipFile) -> Iterator[DocumentLine]:
    """Yield the lines of each chapter in reading order. Chapters are numbered from 1."""
    container = packed.parse_xml(packed.read_zip_member(archive, "META-INF/container.xml"))
    rootfile = container.find(".//{urn:oasis:names:tc:opendocument:xmlns:container}rootfile")
    path = rootfile.get("full-path", "") if rootfile is not None else ""
    package = packed.parse_xml(packed.read_zip_member(archive, path))
    hrefs = {item.get("id"): item.get("href", "") for item in package.iter(f"{_OPF}item")}
    files = {name: href for name, href in hrefs.items() if len(href) <= MAX_PATH_CHARS}
    chapters = [files.get(item.get("idref"), "") for item in package.iter(f"{_OPF}itemref")]
    if not chapters:
        raise DocumentUnreadable(tr("files-empty"))
    left = html.MAX_PAGE_CHARS
    for number, href in enumerate(chapters, 1):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href)))
        page = packed.read_zip_member(archive, name)
        yield from html.read_lines(page, chapter_name=f"chapter {number}", max_chars=left)
        left = max(0, left - len(page))
