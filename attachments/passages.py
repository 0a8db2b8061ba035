"""Pure functions that group a document's lines into passages small enough to search and quote."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from records.attachments import Passage
from text.characters import find_grapheme_start, find_sentence_ends

MAX_PASSAGE_CHARS = 1_500  # characters: some 400 tokens, which is what an embedding of 512 tokens still reads whole
MAX_TEXT_CHARS = 200_000  # characters that are kept of one document: some 50,000 tokens, a book of a hundred pages
MAX_PASSAGES = 400  # of one document, however short its pages are
SHORT_PAGE = 300  # characters; shorter pages share a passage, a longer one has its own


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentLine:
    """The smallest part of a document that can be cited: a line, page, table row or paragraph.

    `noun` and `number` give its place, such as "page" and 3. `noun` is "" if the parts are not numbered. `group` is
    the sheet, chapter or heading, such as "sheet Prices". Lines of different groups never share a passage.
    """

    text: str
    noun: str = ""
    number: int = 0
    group: str = ""


class ReadLimitReached(Exception):  # noqa: N818 - reads as the state it is
    """Raised when a document is longer than its reader allows."""


class _PassageBuilder:
    def __init__(self, first: DocumentLine) -> None:
        self.first = self.last = first
        self.text = first.text

    def has_room_for(self, line: DocumentLine) -> bool:
        if (line.group, line.noun) != (self.first.group, self.first.noun):
            return False
        room = SHORT_PAGE if line.noun == "page" else MAX_PASSAGE_CHARS
        return len(self.text) + 1 + len(line.text) <= room

    def build(self, passage_number: int) -> Passage:
        return Passage(place=_format_location(self.first, self.last, passage_number), text=self.text.strip("\n"))


def group_into_passages_and_check_if_whole(lines: Iterable[DocumentLine]) -> tuple[tuple[Passage, ...], bool]:
    """Group lines into passages up to a size limit. Return the passages, and True if they contain all lines."""
    drafts: list[_PassageBuilder] = []
    characters = 0
    with suppress(ReadLimitReached):
        for piece in (replace(line, text=text) for line in lines for text in _split_long_text(line.text)):
            is_fitting = bool(drafts) and drafts[-1].has_room_for(piece)
            if characters + len(piece.text) > MAX_TEXT_CHARS or (len(drafts) == MAX_PASSAGES and not is_fitting):
                break
            characters += len(piece.text) + 1
            if is_fitting:
                drafts[-1].text += f"\n{piece.text}"
                drafts[-1].last = piece
            elif piece.text.strip():
                drafts.append(_PassageBuilder(piece))
        else:
            return tuple(draft.build(number) for number, draft in enumerate(drafts, 1)), True
    return tuple(draft.build(number) for number, draft in enumerate(drafts, 1)), False


def _split_long_text(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > MAX_PASSAGE_CHARS:
        head = text[start : start + MAX_PASSAGE_CHARS]
        least = MAX_PASSAGE_CHARS // 2
        ends = [end for end in find_sentence_ends(head) if end >= least]
        end = max(ends, default=0) or head.rfind("\n", least) + 1 or head.rfind(" ", least) + 1
        end = end or find_grapheme_start(head, MAX_PASSAGE_CHARS)
        yield text[start : start + max(1, end)]
        start += max(1, end)
    yield text[start:]


def _format_location(first_line: DocumentLine, last_line: DocumentLine, passage_number: int) -> str:
    if not first_line.noun:
        return first_line.group or f"part {passage_number}"
    if first_line.number == last_line.number:
        numbered = f"{first_line.noun} {first_line.number}"
    else:
        numbered = f"{first_line.noun}s {first_line.number}–{last_line.number}"
    return f"{first_line.group}, {numbered}" if first_line.group else numbered
