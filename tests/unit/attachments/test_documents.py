"""Documents of every format become passages that say where they stand; hostile ones cost little."""

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
from tests.support.documents import docx, epub, pdf, xlsx, zipped
from tests.support.processor_time import count_units


async def read(data: bytes, name: str = "report.txt") -> DocumentText:
    return await read_document(data, name, asyncio.Semaphore(2))


async def places(data: bytes, name: str = "report.txt") -> dict[str, str]:
    return {passage.place: passage.text for passage in (await read(data, name)).passages}


async def test_each_page_of_a_pdf_is_a_passage_of_its_own() -> None:
    long = "The deposit is returned within ten days. " * 10
    found = await places(pdf(["Contract of lease", long, "The end \\(signed\\)"]), "report.pdf")
    assert found["page 2"].startswith("The deposit is returned")
    assert found == {"page 1": "Contract of lease", "page 2": found["page 2"], "page 3": "The end (signed)"}


async def test_a_pdf_without_text_says_so() -> None:
    with pytest.raises(DocumentUnreadable, match="only pictures of text"):
        await read(pdf(["", ""]), "scan.pdf")


async def test_a_docx_is_read_under_its_headings_with_its_tables() -> None:
    data = docx(
        [("Title", "Moving"), ("Normal", "We move in May."), ("Heading1", "Costs"), ("Normal", "The van is 90.")],
        rows=[["Item", "Price"], ["Boxes", "40"]],
    )
    assert await places(data, "plan.docx") == {
        "“Moving”": "Moving\nWe move in May.",
        "“Costs”": "Costs\nThe van is 90.\nItem | Price\nBoxes | 40",
    }


async def test_an_xlsx_is_read_row_by_row_with_dates_and_numbers() -> None:
    data = xlsx(
        {"Prices": [["Item", "Price"], ["Bike", 120.0], [None, None], ["Lock", 12.5]], "When": [[date(2026, 5, 1)]]}
    )
    assert await places(data, "prices.xlsx") == {
        "sheet Prices, rows 1–4": "Item | Price\nBike | 120\nLock | 12.5",
        "sheet When, row 1": "2026-05-01",
    }


async def test_an_epub_is_read_in_the_order_of_its_chapters() -> None:
    data = epub(["<h1>One</h1><p>It was a dark night.</p>", "<p>It was a bright <b>day</b>.</p>"])
    assert await places(data, "book.epub") == {
        "chapter 1": "One\nIt was a dark night.",
        "chapter 2": "It was a bright day.",
    }


async def test_of_html_what_a_reader_sees_is_read() -> None:
    page = (
        b"<html><head><title>t</title></head><script>alert('x')</script><h2>Tea &amp; cake</h2><p>At <i>five</i></p>"
        b"<table><tr><td>a</td><td>b</td></tr></table>"
    )
    assert await places(page, "page.bin") == {"“Tea & cake”": "Tea & cake\nAt five\na | b"}


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.json", "a.py", "a.txt", "a"])
async def test_plain_text_is_read_with_its_lines(name: str) -> None:
    assert await places("first\n\nthird: ключ\n".encode(), name) == {"lines 1–3": "first\n\nthird: ключ"}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("utf-8-sig", "Käse"), ("utf-16", "Käse"), ("cp1251", "Привет, мир"), ("cp1252", "Käse fürs Brot")],
)
async def test_old_encodings_are_recognised(encoding: str, text: str) -> None:
    assert await places(text.encode(encoding)) == {"line 1": text}


async def test_a_long_text_is_cut_into_passages_that_know_their_lines() -> None:
    found = await read("\n".join(f"Line {number} says something." for number in range(1, 2001)).encode())
    assert found.is_whole
    assert [passage.place for passage in found.passages][:2] == ["lines 1–62", "lines 63–123"]
    assert max(len(passage.text) for passage in found.passages) <= MAX_PASSAGE_CHARS


async def test_more_text_than_is_kept_is_said() -> None:
    found = await read(("word " * 100 + "\n").encode() * 500)
    assert not found.is_whole
    assert MAX_TEXT_CHARS * 0.95 < sum(len(passage.text) for passage in found.passages) <= MAX_TEXT_CHARS


@given(st.lists(st.tuples(st.text(max_size=4_000), st.sampled_from(["", "page", "line"])), max_size=12))
def test_no_character_but_breaks_is_lost_between_passages(lines: list[tuple[str, str]]) -> None:
    made, is_whole = group_into_passages_and_check_if_whole(
        DocumentLine(text=text, noun=noun, number=n) for n, (text, noun) in enumerate(lines, 1)
    )
    assert is_whole
    assert all(len(passage.text) <= MAX_PASSAGE_CHARS for passage in made)
    kept = "".join("".join(passage.text.split()) for passage in made)
    assert kept == "".join("".join(text.split()) for text, _ in lines)


def test_pages_without_end_are_bounded() -> None:
    made, is_whole = group_into_passages_and_check_if_whole(
        DocumentLine(text="x" * 301, noun="page", number=n) for n in range(10_000)
    )
    assert (len(made), is_whole) == (MAX_PASSAGES, False)


def test_a_document_of_more_pages_than_are_read_is_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf(["one", "two", "three"])
    assert group_into_passages_and_check_if_whole(pdf_pages.read_lines(data))[1]
    monkeypatch.setattr(pdf_pages, "MAX_PAGES", 2)
    made, is_whole = group_into_passages_and_check_if_whole(pdf_pages.read_lines(data))
    assert ("two" in made[-1].text, is_whole) == (True, False)


def test_a_page_longer_than_is_read_is_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"<html><p>one</p><p>two</p></html>"
    assert group_into_passages_and_check_if_whole(html.read_lines(data))[1]
    monkeypatch.setattr(html, "MAX_PAGE_CHARS", 16)
    made, is_whole = group_into_passages_and_check_if_whole(html.read_lines(data))
    assert ([passage.text for passage in made], is_whole) == (["one"], False)


def test_of_very_many_short_lines_no_more_are_made_than_are_read() -> None:
    """20 MB of them took a gigabyte, and a second or two in which nobody else was served."""
    data = b"ab\n" * 300_000
    tracemalloc.start()
    try:
        assert next(plain.read_lines(data)).text == "ab"
        assert tracemalloc.get_traced_memory()[1] < 2 * len(data)
    finally:
        tracemalloc.stop()


@given(st.text(st.sampled_from("ab\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")))
def test_lines_end_where_python_ends_them(text: str) -> None:
    words = "of a text " * 500 + "\n" + text  # of control characters alone it would be none
    assert [line.text for line in plain.read_lines(words.encode())] == [line.rstrip() for line in words.splitlines()]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xd0\xcf\x11\xe0" + b"\0" * 100, "such files"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "such files"),
        (zipped({"a.txt": "x"}), "such files"),
        (b"PK\x03\x04 no archive", "damaged"),
        (b"%PDF-1.4 nonsense", "damaged"),
        (b" \n ", "no text"),
        (zipped({"word/document.xml": "<w:document"}), "damaged"),
    ],
)
async def test_what_cannot_be_read_says_why(data: bytes, why: str) -> None:
    with pytest.raises(DocumentUnreadable, match=why):
        await read(data, "file.bin")


@pytest.mark.parametrize("member", ["word/document.xml", "xl/workbook.xml"])
async def test_entities_are_refused(member: str) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    with pytest.raises(DocumentUnreadable, match="kind of XML"):
        await read(zipped({member: bomb}), "bomb.docx")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32"])
async def test_entities_are_refused_in_every_member_of_a_workbook_whatever_its_name(encoding: str) -> None:
    """Which of its files are read as XML is said by others of them, not by their names."""
    bomb = '<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'.encode(encoding)
    file = io.BytesIO(xlsx({"Prices": [["bread", 4]]}))
    with ZipFile(file, "a") as archive:
        archive.writestr("xl/media/image1.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert await read(file.getvalue(), "prices.xlsx")
    with ZipFile(file, "a") as archive:
        archive.writestr("xl/sharedStrings.bin", bomb)
    with pytest.raises(DocumentUnreadable, match="kind of XML"):
        await read(file.getvalue(), "prices.xlsx")


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped({f"xl/{number}.xml": "0" * 100_000 for number in range(11)})
    assert len(bomb) < 10_000
    assert packed.open_archive(bomb).namelist()
    monkeypatch.setattr(packed, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(DocumentUnreadable, match="too much for me"):
        packed.open_archive(bomb)


def test_an_archive_that_grows_a_thousand_times_is_not_unpacked() -> None:
    """A document of 21 kB took 535 MB: its XML is a tree of some hundred bytes for each of its elements."""
    with pytest.raises(DocumentUnreadable, match="too much for me"):
        packed.open_archive(zipped({"word/document.xml": "<a/>" * 5_000_000}))


@pytest.mark.parametrize("begun", ["<!--", "<?", "<script>", "</", "</p", "<a b='"])
def test_what_is_begun_very_often_and_never_ends_is_read_once(begun: str) -> None:
    """The parser looked for an end at each of 250,000 beginnings, and its child died after a minute of a processor."""
    page = "<html><p>seen</p><style>p</style> too<!-- not --> " + begun * (300_000 // len(begun))
    assert [line.text for line in html.read_lines(page.encode())] == ["seen", "too"]


def test_all_chapters_of_a_book_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One chapter that is named 100,000 times, without a word in it, took a minute of a processor."""
    read_so_far = 0
    decoded = plain.decode_text

    def counted(data: bytes) -> str:
        nonlocal read_so_far
        read_so_far += len(data)
        return decoded(data)

    monkeypatch.setattr(plain, "decode_text", counted)
    monkeypatch.setattr(html, "MAX_PAGE_CHARS", 10_000)
    with pytest.raises(ReadLimitReached):
        list(detection.read_lines(epub(["<p></p>" * 100] * 100), "book.epub"))
    assert read_so_far < 2 * html.MAX_PAGE_CHARS


def test_a_long_address_of_a_chapter_is_none() -> None:
    """1 kB took a minute of a processor: one of 600,000 characters, made out for each of 1,000 chapters."""
    named = f'<item id="a" href="{"%41" * 200_000}"/>', '<itemref idref="a"/>' * 100
    book = '<package xmlns="http://www.idpf.org/2007/opf"><manifest>{}</manifest><spine>{}</spine></package>'
    container = '<a xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfile full-path="c.opf"/></a>'
    data = zipped({"META-INF/container.xml": container, "c.opf": book.format(*named)})
    with count_units() as stopwatch:
        assert list(detection.read_lines(data, "book.epub")) == []
    assert stopwatch.units < 1_000


async def test_a_child_that_dies_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "CHILD", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(DocumentUnreadable) as refused:
        await read(pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


async def test_a_child_has_limits_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
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
        await read(pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


async def test_a_child_that_computes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_WAIT_SECONDS", 0.2)
    monkeypatch.setattr(documents, "CHILD", "while True: pass")
    with pytest.raises(DocumentUnreadable) as refused:
        await read(pdf(["x"]))
    assert refused.value.sentence == tr("files-died")


def test_a_name_cannot_end_its_brackets() -> None:
    assert sanitize_file_name("a]\n[system: <b>\x00.pdf") == "a system: b .pdf"
    assert sanitize_file_name("x" * 500 + ".pdf").endswith("…xxxxxx.pdf")
    assert sanitize_file_name("[]") == "file"
    assert sanitize_file_name("a］】⟧\u2028b (1).pdf") == "a b (1).pdf"
