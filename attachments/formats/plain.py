"""Read plain text in common encodings line by line: prose, Markdown, tables, JSON and source code."""

import re
from collections.abc import Iterator

from attachments.passages import DocumentLine
from locales.catalog import tr
from records.errors import DocumentUnreadable

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode_text(data: bytes) -> str:
    """Return the text of a file. Raise DocumentUnreadable if it is not text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    beginning = data[:65_536]  # enough to tell whether it is text, and in which encoding
    # A text has next to no control characters.
    if b"\0" in beginning or len(_CONTROLS.findall(beginning.decode("latin-1"))) > 0.01 * len(beginning):
        raise DocumentUnreadable(tr("files-no-text-kind"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_detect_legacy_encoding(beginning), "replace")


def lines(data: bytes) -> Iterator[DocumentLine]:
    for number, text in enumerate(_split_lines(decode_text(data)), 1):
        yield DocumentLine(text=text.rstrip(), noun="line", number=number)


def _split_lines(text: str) -> Iterator[str]:
    """Yield the lines one by one, unlike str.splitlines.

    A list of all short lines of a 20 MB file takes a gigabyte and blocks other threads for seconds.
    """
    start = 0
    for end in _LINE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _detect_legacy_encoding(beginning: bytes) -> str:
    """Return the Cyrillic code page if most letters would be Cyrillic in it, else the Western European one."""
    letters = [character for character in beginning.decode("cp1251", "replace") if character.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    return "cp1251" if cyrillic * 2 > len(letters) else "cp1252"
