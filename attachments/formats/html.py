"""Web pages: what a reader sees, under its headings. Scripts are neither run nor shown, nothing is fetched."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from attachments.formats import plain
from attachments.passages import Line, MoreThanRead

LONGEST_PAGE = 5_000_000
"""Characters of markup that are read: of a page, or of all chapters of a book."""
PIECE = 64_000
"""Characters that are read at once: of a page that says more than is kept, the rest is not read."""
LONGEST_HEADING = 80
_HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "footer",
        "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tbody", "thead", "tr", "ul",
    }
)  # fmt: skip


_MARKS = re.compile(
    r"<(?P<tag>script|style)\b.*?(?:</(?P=tag)\s*>|\Z)|<!--.*?(?:-->|\Z)|<[!?/][^>]*(?:>|\Z)|<[a-z][^>]{1000,}(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""Scripts, comments, declarations, ends, and very long beginnings (mostly pictures), closed or not. One always fits,
and is read once: the parser looks for the end of what is not closed at each of its beginnings again, and takes a minute
for 1 MB.
"""
_END = re.compile(r"</[a-z][^>]*>", re.IGNORECASE)


class _Reader(HTMLParser):
    """Collects lines, each with the heading that it stands under."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[str, str]] = []
        self._line: list[str] = []
        self._hidden = 0
        self._heading = ""
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _HEADINGS:
            self.end_line()
            self._in_heading = True
        elif tag in _BLOCKS:
            self.end_line()
        elif tag in ("td", "th") and self._line:
            self._line.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in _HEADINGS:
            self._heading = " ".join("".join(self._line).split())[:LONGEST_HEADING] or self._heading
            self.end_line()
            self._in_heading = False
        elif tag in _BLOCKS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._line.append(data)

    def end_line(self) -> None:
        text = " ".join("".join(self._line).split())
        self._line = []
        if text:
            self.lines.append((self._heading, text))


def lines(data: bytes, *, group: str = "", most: int | None = None) -> Iterator[Line]:
    """`group`: what the page belongs to, such as a chapter; `most`: characters that are read, LONGEST_PAGE if not
    given. Raises MoreThanRead behind the last line that is read.
    """
    page, most = plain.decoded(data), LONGEST_PAGE if most is None else most
    seen = page if len(page) <= most else page[:most].rpartition("<")[0]
    for heading, text in _read(_MARKS.sub(_kept, seen)):
        yield Line(text=text, group=group or (f"“{heading}”" if heading else ""))
    if len(page) > most:
        raise MoreThanRead


def _kept(mark: re.Match[str]) -> str:
    """Keep the end of an element, and drop any other mark."""
    return mark[0] if _END.fullmatch(mark[0]) else " "


def _read(page: str) -> Iterator[tuple[str, str]]:
    reader = _Reader()
    for start in range(0, len(page), PIECE):
        reader.feed(page[start : start + PIECE])
        yield from reader.lines
        reader.lines.clear()
    reader.close()
    reader.end_line()
    yield from reader.lines
