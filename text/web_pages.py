"""Parse web pages piece by piece, in linear time, and find their elements with a given class. Fetches nothing."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

PIECE_CHARS = 64_000
HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "head"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "footer",
        "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tbody", "thead", "tr", "ul",
    }
)  # fmt: skip
"""Elements that begin a line, besides headings."""
MAX_DEPTH = 100  # the deepest nesting of elements in a block
_GAP = re.compile(r"\n{3,}")
_CODE_SPACES = {" ": "\ue000", "\n": "\ue001", "\t": "\ue002"}  # private characters that stand for the spaces of code
_TO_CODE, _FROM_CODE = str.maketrans(_CODE_SPACES), str.maketrans({sign: space for space, sign in _CODE_SPACES.items()})
_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)

# Scripts, comments, declarations, end tags, and very long start tags (mostly pictures), closed or not. They are removed
# first, since the parser searches for the end of each unclosed one again: a minute for 1 MB.
_MARKS = re.compile(
    r"<(?P<tag>script|style)\b.*?(?:</(?P=tag)\s*>|\Z)|<!--.*?(?:-->|\Z)|<[!?/][^>]*(?:>|\Z)|<[a-z][^>]{1000,}(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_END = re.compile(r"</[a-z][^>]*>", re.IGNORECASE)


def feed_page_in_pieces(parser: HTMLParser, page: str) -> Iterator[None]:
    """Feed a page to the parser piece by piece. Yield after each piece, so that the caller can stop early."""
    # An end tag stays. Anything else becomes a space.
    shown = _MARKS.sub(lambda mark: mark[0] if _END.fullmatch(mark[0]) else " ", page)
    for start in range(0, len(shown), PIECE_CHARS):
        parser.feed(shown[start : start + PIECE_CHARS])
        yield
    parser.close()
    yield


def collapse_gaps(text: str, spaces: str | None = None) -> str:
    """Return a text without `spaces` (default: any) around its lines, and without two blank lines in a row."""
    lines = "\n".join(line.strip(spaces) for line in text.splitlines())
    return _GAP.sub("\n\n", lines).strip(spaces and f"{spaces}\n")


class Block:
    """An HTML element with its attributes and children."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.classes = frozenset(attributes.get("class", "").split())
        self.parts: list[Block | str] = []

    def find(self, css_class: str) -> "Block | None":
        return next(self.find_all(css_class), None)

    def find_all(self, css_class: str) -> "Iterator[Block]":
        for part in self.parts:
            if isinstance(part, Block):
                if css_class in part.classes:
                    yield part
                else:
                    yield from part.find_all(css_class)

    def get_text(self, skip_class: str = "") -> str:
        """Return the text outside the class `skip_class`. Link targets follow in brackets if the text lacks them."""
        return collapse_gaps("".join(self._iterate_text(skip_class))).translate(_FROM_CODE)

    def find_text(self, css_class: str) -> str:
        return found.get_text() if (found := self.find(css_class)) else ""

    def _iterate_text(self, skip_class: str) -> Iterator[str]:
        if self.tag in HIDDEN or skip_class in self.classes:
            return
        is_line = self.tag in BLOCKS or self.tag in HEADINGS
        if is_line:
            yield "\n"
        parts = (part if isinstance(part, str) else "".join(part._iterate_text(skip_class)) for part in self.parts)
        text = "".join(parts)
        code = text.strip("\n") if self.tag == "pre" else ""
        yield text.replace(code, code.translate(_TO_CODE), 1)
        if self.tag in ("td", "th"):
            yield "\t"
        target = self.attributes.get("href", "") if self.tag == "a" else ""
        if target.startswith(("http:", "https:", "mailto:")) and target not in "".join(map(str, self.parts)):
            yield f" ({target})"
        if is_line and self.tag != "br":
            yield "\n"


class _Parser(HTMLParser):
    def __init__(self, css_class: str) -> None:
        super().__init__(convert_charrefs=True)
        self._css_class = css_class
        self._open: list[Block] = []
        self.found: list[Block] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        block = Block(tag, {key: value or "" for key, value in attrs})
        if not self._open and self._css_class not in block.classes:
            return
        if self._open:
            self._open[-1].parts.append(block)
        if tag not in _EMPTY and len(self._open) < MAX_DEPTH:
            self._open.append(block)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].tag == tag:
                if at == 0:
                    self.found.append(self._open[0])
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].parts.append(data)


def iterate_blocks(text: str, css_class: str) -> Iterator[Block]:
    """Yield the outermost elements with the class `css_class`, in document order."""
    parser = _Parser(css_class)
    for _ in feed_page_in_pieces(parser, text):
        yield from parser.found
        parser.found.clear()


def extract_text(html_fragment: str) -> str:
    if "<" not in html_fragment and "&" not in html_fragment:
        return html_fragment.strip()
    return next((block.get_text() for block in iterate_blocks(f'<div class="all">{html_fragment}</div>', "all")), "")
