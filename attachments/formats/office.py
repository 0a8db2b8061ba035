"""Read docx from its XML, and xlsx with openpyxl, which converts dates and numbers. Macros and links are ignored."""

import io
import warnings
from collections.abc import Iterator
from datetime import date, datetime
from xml.etree.ElementTree import Element
from zipfile import ZipFile

import openpyxl

from attachments.formats import packed
from attachments.passages import DocumentLine
from locales.catalog import tr
from records.errors import DocumentUnreadable

MAX_COLUMNS = 200
MAX_ROWS = 100_000
MAX_HEADING_CHARS = 80
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n"}


def read_docx(archive: ZipFile) -> Iterator[DocumentLine]:
    """Yield the paragraphs and table rows of a Word document, grouped by heading."""
    body = packed.parse_xml(packed.read_zip_member(archive, "word/document.xml")).find(f"{_W}body")
    heading = ""
    for block in body if body is not None else ():
        if block.tag == f"{_W}tbl":
            for row in block.iter(f"{_W}tr"):
                cells = [" ".join(map(_read_paragraph, cell.iter(f"{_W}p"))) for cell in row.findall(f"{_W}tc")]
                yield DocumentLine(text=" | ".join(cells), group=heading)
            continue
        for paragraph in block.iter(f"{_W}p"):
            text = _read_paragraph(paragraph).strip()
            style = paragraph.find(f"{_W}pPr/{_W}pStyle")
            name = style.get(f"{_W}val", "") if style is not None else ""
            if text and name.lower().startswith(("heading", "title")):
                heading = f"“{' '.join(text.split())[:MAX_HEADING_CHARS]}”"
            if text:
                yield DocumentLine(text=text, group=heading)


def _read_paragraph(paragraph: Element) -> str:
    return "".join(
        (element.text or "") if element.tag == f"{_W}t" else _BREAKS.get(element.tag, "")
        for element in paragraph.iter()
    )


def read_xlsx(data: bytes, archive: ZipFile) -> Iterator[DocumentLine]:
    """Yield the non-empty rows of each sheet of a workbook."""
    for member in archive.infolist():  # whatever its name: the parts of a book are named by other parts
        packed.raise_if_xml_defines_entities(archive.read(member))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions that it does not keep
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        if not book.worksheets:
            raise DocumentUnreadable(tr("files-empty"))
        for sheet in book.worksheets:
            rows = sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS, max_row=MAX_ROWS)
            for number, row in enumerate(rows, 1):
                cells = [_format_cell(value) for value in row]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    yield DocumentLine(
                        text=" | ".join(cells), noun="row", number=number, group=f"sheet {sheet.title[:40]}"
                    )


def _format_cell(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")
        case date():
            return value.isoformat()
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return " ".join(str(value).split())
