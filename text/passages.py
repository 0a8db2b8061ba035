"""Passages of a message that are searched and shown: all of a short one, the passages of a long one. Pure.

A short message is never cut, since half a sentence often loses the fact. Long ones are divided at the ends of lines and
sentences; so are all that is embedded, indexed and shown of them.
"""

from collections.abc import Iterator, Set

from text.characters import count_visible, find_boundary, find_sentence_ends

WHOLE = 600  # A message of at most so many letters (`reading_length`), some 150 tokens, is one passage
PASSAGE = 400  # letters of a passage of a longer one: some 100 tokens


def passages(text: str) -> list[str]:
    """Split a text into passages, which join to the text."""
    if count_visible(text) <= WHOLE:
        return [text]
    made, room = [""], PASSAGE
    for piece in _split_pieces(text):
        size = count_visible(piece)
        if size > room and made[-1].strip():
            made.append("")
            room = PASSAGE
        made[-1] += piece
        room -= size
    return made


def shown(text: str, parts: Set[int]) -> str:
    """Return these passages of a text, with "…" for the gaps."""
    all_of_it = passages(text)
    if len(parts) >= len(all_of_it):
        return text
    said, last = "", -1
    for part in sorted(parts):
        if part >= len(all_of_it):
            continue
        gap = "… " if last < 0 < part else " … " if part > last + 1 else ""
        said = (said.rstrip() + gap + all_of_it[part].lstrip()) if gap else said + all_of_it[part]
        last = part
    return said.strip() + (" …" if last < len(all_of_it) - 1 else "")


def _split_pieces(text: str) -> Iterator[str]:
    """Yield the lines of a text; of one that is longer than a passage the sentences; of a longer one what is between
    spaces, or anything.
    """
    for line in text.splitlines(keepends=True):
        if count_visible(line) <= PASSAGE:
            yield line
            continue
        start = 0
        for end in [*find_sentence_ends(line), len(line)]:
            yield from _split_stretches(line[start:end])
            start = end


def _split_stretches(sentence: str) -> Iterator[str]:
    # A character of a script without spaces counts more than one letter.
    longest = max(1, PASSAGE * len(sentence) // max(1, count_visible(sentence)))
    start = 0
    while start < len(sentence):
        end = start + longest
        if end < len(sentence):
            space = sentence.rfind(" ", start + longest // 2, end)
            end = space + 1 if space > 0 else max(start + 1, find_boundary(sentence, end, start))
        yield sentence[start:end]
        start = end
