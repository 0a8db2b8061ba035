"""Read the visible text of web pages under its headings. Scripts are skipped and nothing is fetched."""

from collections.abc import Iterator
from html.parser import HTMLParser

from attachments.formats import plain
from attachments.passages import DocumentLine, ReadLimitReached
from text.web_pages import BLOCKS, HEADINGS, HIDDEN, feed_page_in_pieces

MAX_PAGE_CHARS = 5_000_000  # characters of markup that are read: of a page, or of all chapters of a book
MAX_HEADING_CHARS = 80


class _PageReader(HTMLParser):
    """An HTML parser that collects the lines of a page, each with the heading above it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[str, str]] = []
        self._line: list[str] = []
        self._hidden = 0
        self._heading = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in HIDDEN:
            self._hidden += 1
        elif tag in HEADINGS or tag in BLOCKS:
            self.append_current_line()
        elif tag in ("td", "th") and self._line:
            self._line.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in HEADINGS:
            self._heading = " ".join("".join(self._line).split())[:MAX_HEADING_CHARS] or self._heading
            self.append_current_line()
        elif tag in BLOCKS:
            self.append_current_line()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._line.append(data)

    def close(self) -> None:
        super().close()
        self.append_current_line()

    def append_current_line(self) -> None:
        text = " ".join("".join(self._line).split())
        self._line = []
        if text:
            self.lines.append((self._heading, text))


def read_lines(data: bytes, *, chapter_name: str = "", max_chars: int | None = None) -> Iterator[DocumentLine]:
    """Yield lines grouped by heading, or under `chapter_name` if it is set. Raise ReadLimitReached at `max_chars`."""
    page, max_chars = plain.decode_text(data), MAX_PAGE_CHARS if max_chars is None else max_chars
    seen = page if len(page) <= max_chars else page[:max_chars].rpartition("<")[0]
    reader = _PageReader()
    for _ in feed_page_in_pieces(reader, seen):
        for heading, text in reader.lines:
            yield DocumentLine(text=text, group=chapter_name or (f"“{heading}”" if heading else ""))
        reader.lines.clear()
    if len(page) > max_chars:
        raise ReadLimitReached
