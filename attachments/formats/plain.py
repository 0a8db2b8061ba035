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
    """Decode the content of a text file. Raise DocumentUnreadable if it is not text."""
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
        # Cyrillic, if most letters would be Cyrillic in it, else Western European.
        letters = [character for character in beginning.decode("cp1251", "replace") if character.isalpha()]
        cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
        return data.decode("cp1251" if cyrillic * 2 > len(letters) else "cp1252", "replace")


def read_lines(data: bytes) -> Iterator[DocumentLine]:
    """Yield the lines of a text file one at a time, to save memory with large files."""
    text = decode_text(data)
    start = number = 0
    for number, end in enumerate(_LINE_END.finditer(text), 1):
        yield DocumentLine(text=text[start : end.start()].rstrip(), noun="line", number=number)
        start = end.end()
    if start < len(text):
        yield DocumentLine(text=text[start:].rstrip(), noun="line", number=number + 1)
