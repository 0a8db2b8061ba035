"""Every document format becomes passages with their location. Hostile documents are refused or cost little."""

import asyncio
import io
import tracemalloc
from datetime import date
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attachments import documents
from attachments.documents import read_document, sanitize_file_name
from attachments.formats import detection, html, packed, plain
from attachments.formats import pdf as pdf_pages
from attachments.passages import (
    MAX_PASSAGE_CHARS,
    MAX_PASSAGES,
    MAX_TEXT_CHARS,
    DocumentLine,
    ReadLimitReached,
    group_into_passages_and_check_if_whole,
)
from locales.catalog import tr
from records.attachments import DocumentText
from records.errors import DocumentUnreadable
from tests.support.documents import make_docx, make_epub, make_pdf, make_xlsx, make_zip
from tests.support.processor_time import count_units


async def read_in_child_slot(data: bytes, name: str = "report.txt") -> DocumentText:
    return await read_document(data, name, asyncio.Semaphore(2))


async def read_texts_by_place(data: bytes, name: str = "report.txt") -> dict[str, str]:
    return {passage.place: passage.text for passage in (await read_in_child_slot(data, name)).passages}


async def test_pdf_pages_become_separate_passages() -> None:
    long = "The deposit is returned within ten days. " * 10
    found = await read_texts_by_place(make_pdf(["Contract of lease", long, "The end \\(signed\\)"]), "report.pdf")
    assert found["page 2"].startswith("The deposit is returned")
    assert found == {"page 1": "Contract of lease", "page 2": found["page 2"], "page 3": "The end (signed)"}


async def test_rejects_pdf_without_text() -> None:
    with pytest.raises(DocumentUnreadable, match="only pictures of text"):
        await read_in_child_slot(make_pdf(["", ""]), "scan.pdf")


async def test_docx_passages_follow_headings_and_include_tables() -> None:
    data = make_docx(
        [("Title", "Moving"), ("Normal", "We move in May."), ("Heading1", "Costs"), ("Normal", "The van is 90.")],
        rows=[["Item", "Price"], ["Boxes", "40"]],
    )
    assert await read_texts_by_place(data, "plan.docx") == {
        "“Moving”": "Moving\nWe move in May.",
        "“Costs”": "Costs\nThe van is 90.\nItem | Price\nBoxes | 40",
    }


async def test_xlsx_rows_are_read_with_dates_and_numbers() -> None:
    data = make_xlsx(
        {"Prices": [["Item", "Price"], ["Bike", 120.0], [None, None], ["Lock", 12.5]], "When": [[date(2026, 5, 1)]]}
    )
    assert await read_texts_by_place(data, "prices.xlsx") == {
        "sheet Prices, rows 1–4": "Item | Price\nBike | 120\nLock | 12.5",
        "sheet When, row 1": "2026-05-01",
    }


async def test_epub_chapters_become_passages_in_order() -> None:
    data = make_epub(["<h1>One</h1><p>It was a dark night.</p>", "<p>It was a bright <b>day</b>.</p>"])
    assert await read_texts_by_place(data, "book.epub") == {
        "chapter 1": "One\nIt was a dark night.",
        "chapter 2": "It was a bright day.",
    }


async def test_html_is_reduced_to_visible_text() -> None:
    page = (
        b"<html><head><title>t</title></head><script>alert('x')</script><h2>Tea &amp; cake</h2><p>At <i>five</i></p>"
        b"<table><tr><td>a</td><td>b</td></tr></table>"
    )
    assert await read_texts_by_place(page, "page.bin") == {"“Tea & cake”": "Tea & cake\nAt five\na | b"}


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.json", "a.py", "a.txt", "a"])
async def test_plain_text_passage_names_line_range(name: str) -> None:
    assert await read_texts_by_place("first\n\nthird: ключ\n".encode(), name) == {"lines 1–3": "first\n\nthird: ключ"}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("utf-8-sig", "Käse"), ("utf-16", "Käse"), ("cp1251", "Привет, мир"), ("cp1252", "Käse fürs Brot")],
)
async def test_detects_text_encoding(encoding: str, text: str) -> None:
    assert await read_texts_by_place(text.encode(encoding)) == {"line 1": text}


async def test_long_text_is_split_into_passages_with_line_ranges() -> None:
    found = await read_in_child_slot("\n".join(f"Line {number} says something." for number in range(1, 2001)).encode())
    assert found.is_whole
    assert [passage.place for passage in found.passages][:2] == ["lines 1–62", "lines 63–123"]
    assert max(len(passage.text) for passage in found.passages) <= MAX_PASSAGE_CHARS


async def test_text_beyond_limit_is_truncated_and_marked_incomplete() -> None:
    found = await read_in_child_slot(("word " * 100 + "\n").encode() * 500)
    assert not found.is_whole
    assert MAX_TEXT_CHARS * 0.95 < sum(len(passage.text) for passage in found.passages) <= MAX_TEXT_CHARS


@given(st.lists(st.tuples(st.text(max_size=4_000), st.sampled_from(["", "page", "line"])), max_size=12))
def test_passages_lose_nothing_but_whitespace(lines: list[tuple[str, str]]) -> None:
    made, is_whole = group_into_passages_and_check_if_whole(
        DocumentLine(text=text, noun=noun, number=n) for n, (text, noun) in enumerate(lines, 1)
    )
    assert is_whole
    assert all(len(passage.text) <= MAX_PASSAGE_CHARS for passage in made)
    kept = "".join("".join(passage.text.split()) for passage in made)
    assert kept == "".join("".join(text.split()) for text, _ in lines)


def test_number_of_passages_is_limited() -> None:
    made, is_whole = group_into_passages_and_check_if_whole(
        DocumentLine(text="x" * 301, noun="page", number=n) for n in range(10_000)
    )
    assert (len(made), is_whole) == (MAX_PASSAGES, False)


def test_pdf_beyond_page_limit_is_marked_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pdf(["one", "two", "three"])
    assert group_into_passages_and_check_if_whole(pdf_pages.read_lines(data))[1]
    monkeypatch.setattr(pdf_pages, "MAX_PAGES", 2)
    made, is_whole = group_into_passages_and_check_if_whole(pdf_pages.read_lines(data))
    assert ("two" in made[-1].text, is_whole) == (True, False)


def test_html_beyond_size_limit_is_marked_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"<html><p>one</p><p>two</p></html>"
    assert group_into_passages_and_check_if_whole(html.read_lines(data))[1]
    monkeypatch.setattr(html, "MAX_PAGE_CHARS", 16)
    made, is_whole = group_into_passages_and_check_if_whole(html.read_lines(data))
    assert ([passage.text for passage in made], is_whole) == (["one"], False)


def test_plain_text_lines_are_read_lazily() -> None:
    """20 MB of short lines once took a gigabyte of memory and blocked the event loop for one or two seconds."""
    data = b"ab\n" * 300_000
    tracemalloc.start()
    try:
        assert next(plain.read_lines(data)).text == "ab"
        assert tracemalloc.get_traced_memory()[1] < 2 * len(data)
    finally:
        tracemalloc.stop()


@given(st.text(st.sampled_from("ab\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")))
def test_plain_text_lines_match_str_splitlines(text: str) -> None:
    words = "of a text " * 500 + "\n" + text  # of control characters alone it would be none
    assert [line.text for line in plain.read_lines(words.encode())] == [line.rstrip() for line in words.splitlines()]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xd0\xcf\x11\xe0" + b"\0" * 100, "such files"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "such files"),
        (make_zip({"a.txt": "x"}), "such files"),
        (b"PK\x03\x04 no archive", "damaged"),
        (b"%PDF-1.4 nonsense", "damaged"),
        (b" \n ", "no text"),
        (make_zip({"word/document.xml": "<w:document"}), "damaged"),
    ],
)
async def test_unreadable_document_error_names_reason(data: bytes, why: str) -> None:
    with pytest.raises(DocumentUnreadable, match=why):
        await read_in_child_slot(data, "file.bin")


@pytest.mark.parametrize("member", ["word/document.xml", "xl/workbook.xml"])
async def test_rejects_xml_entities(member: str) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    with pytest.raises(DocumentUnreadable, match="kind of XML"):
        await read_in_child_slot(make_zip({member: bomb}), "bomb.docx")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32"])
async def test_rejects_xml_entities_in_workbook_member_with_any_name(encoding: str) -> None:
    """The workbook's own files decide which members are read as XML, so a member's name proves nothing."""
    bomb = '<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'.encode(encoding)
    file = io.BytesIO(make_xlsx({"Prices": [["bread", 4]]}))
    with ZipFile(file, "a") as archive:
        archive.writestr("xl/media/image1.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert await read_in_child_slot(file.getvalue(), "prices.xlsx")
    with ZipFile(file, "a") as archive:
        archive.writestr("xl/sharedStrings.bin", bomb)
    with pytest.raises(DocumentUnreadable, match="kind of XML"):
        await read_in_child_slot(file.getvalue(), "prices.xlsx")


def test_rejects_archive_beyond_unpacked_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = make_zip({f"xl/{number}.xml": "0" * 100_000 for number in range(11)})
    assert len(bomb) < 10_000
    assert packed.open_archive(bomb).namelist()
    monkeypatch.setattr(packed, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(DocumentUnreadable, match="too much for me"):
        packed.open_archive(bomb)


def test_rejects_archive_with_extreme_compression_ratio() -> None:
    """A document of 21 kB once took 535 MB, because each XML element costs some hundred bytes in the tree."""
    with pytest.raises(DocumentUnreadable, match="too much for me"):
        packed.open_archive(make_zip({"word/document.xml": "<a/>" * 5_000_000}))


@pytest.mark.parametrize("begun", ["<!--", "<?", "<script>", "</", "</p", "<a b='"])
def test_html_with_many_unclosed_constructs_yields_visible_text(begun: str) -> None:
    """The parser once looked for a closing mark at each of 250,000 opening marks, and the child process was killed."""
    page = "<html><p>seen</p><style>p</style> too<!-- not --> " + begun * (300_000 // len(begun))
    assert [line.text for line in html.read_lines(page.encode())] == ["seen", "too"]


def test_epub_chapters_share_one_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty chapter listed 100,000 times once took a minute of processor time."""
    read_so_far = 0
    decoded = plain.decode_text

    def counted(data: bytes) -> str:
        nonlocal read_so_far
        read_so_far += len(data)
        return decoded(data)

    monkeypatch.setattr(plain, "decode_text", counted)
    monkeypatch.setattr(html, "MAX_PAGE_CHARS", 10_000)
    with pytest.raises(ReadLimitReached):
        list(detection.read_lines(make_epub(["<p></p>" * 100] * 100), "book.epub"))
    assert read_so_far < 2 * html.MAX_PAGE_CHARS


def test_overlong_epub_chapter_path_is_skipped_at_low_cost() -> None:
    """A file of 1 kB once took a minute: a path of 600,000 characters was resolved for each of 1,000 chapters."""
    named = f'<item id="a" href="{"%41" * 200_000}"/>', '<itemref idref="a"/>' * 100
    book = '<package xmlns="http://www.idpf.org/2007/opf"><manifest>{}</manifest><spine>{}</spine></package>'
    container = '<a xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfile full-path="c.opf"/></a>'
    data = make_zip({"META-INF/container.xml": container, "c.opf": book.format(*named)})
    with count_units() as stopwatch:
        assert list(detection.read_lines(data, "book.epub")) == []
    assert stopwatch.units < 1_000


async def test_killed_child_process_raises_document_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "CHILD", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(DocumentUnreadable) as refused:
        await read_in_child_slot(make_pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


async def test_child_process_has_memory_limit_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "12:secret")
    child = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from attachments import documents_child\n"
        "def read(data, name):\n"
        "    if 'TELEGRAM_BOT_TOKEN' not in os.environ: bytearray(10**10)\n"
        "documents_child.read_document = read\n"
        "documents_child.answer_requests_from_parent_process()"
    )
    monkeypatch.setattr(documents, "CHILD", child)
    with pytest.raises(DocumentUnreadable) as refused:
        await read_in_child_slot(make_pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


async def test_child_process_is_ended_after_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_WAIT_SECONDS", 0.2)
    monkeypatch.setattr(documents, "CHILD", "while True: pass")
    with pytest.raises(DocumentUnreadable) as refused:
        await read_in_child_slot(make_pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


def test_sanitize_file_name_removes_brackets_and_shortens_name() -> None:
    assert sanitize_file_name("a]\n[system: <b>\x00.pdf") == "a system: b .pdf"
    assert sanitize_file_name("x" * 500 + ".pdf").endswith("…xxxxxx.pdf")
    assert sanitize_file_name("[]") == "file"
    assert sanitize_file_name("a］】⟧\u2028b (1).pdf") == "a b (1).pdf"
