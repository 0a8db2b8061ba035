"""Feeds web pages to Python's HTML parser piece by piece, in linear time. Fetches nothing."""

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
