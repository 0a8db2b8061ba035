"""Small documents of each format, made as common programs make them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date

import openpyxl

_DOCX = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def make_zip(members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def make_pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with one line of Latin text on each page, and no text on a page for "" in `pages`."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    written, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def make_docx(paragraphs: Sequence[tuple[str, str]], *, rows: Sequence[Sequence[str]] = ()) -> bytes:
    """Return a DOCX of paragraphs, given as (style, text), followed by a table of `rows`."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    cells = ("".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in row) for row in rows)
    table = "".join(f"<w:tr>{row}</w:tr>" for row in cells)
    table = f"<w:tbl>{table}</w:tbl>" if table else ""
    return make_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{_DOCX}"><w:body>{body}{table}</w:body>'
            "</w:document>",
        }
    )


def make_xlsx(sheets: Mapping[str, Sequence[Sequence[str | float | date | None]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def make_epub(chapters: Sequence[str]) -> bytes:
    """Return an EPUB of XHTML chapters. Its files are listed in another order than the book's."""
    items = "".join(f'<item id="c{number}" href="c%20{number}.xhtml"/>' for number in reversed(range(len(chapters))))
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
            "OEBPS/content.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
            f"<spine>{spine}</spine></package>",
            **{
                f"OEBPS/c {number}.xhtml": f"<?xml version='1.0'?><!DOCTYPE html><html><head><title>x</title></head>"
                f"<body>{text}</body></html>"
                for number, text in enumerate(chapters)
            },
        }
    )
