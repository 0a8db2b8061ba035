"""Text in the encodings that people use, line by line: text, Markdown, tables, JSON, program code."""

import re
from collections.abc import Iterator

from attachments.passages import DocumentLine
from locales.catalog import tr
from records.errors import DocumentUnreadable

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode_text(data: bytes) -> str:
    """Return the text of a file. Raise DocumentUnreadable for what is no text."""
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
    """As str.splitlines, one after the other: 20 MB of short lines all at once take a gigabyte, and let nobody run for
    a second or two.
    """
    start = 0
    for end in _LINE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _detect_legacy_encoding(beginning: bytes) -> str:
    """Return the old encoding: of Cyrillic, where most of the letters would be Cyrillic, else of western Europe."""
    letters = [character for character in beginning.decode("cp1251", "replace") if character.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    return "cp1251" if cyrillic * 2 > len(letters) else "cp1252"
