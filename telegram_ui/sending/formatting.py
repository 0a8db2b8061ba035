"""Convert Markdown to pieces of text with Telegram's entities, each within the limits of one message.

Splitting loses no characters, and no input raises an error. Offsets and lengths are in UTF-16 units.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

from telegram import MessageEntity
from telegramify_markdown import MessageEntity as ConvertedEntity
from telegramify_markdown import convert

from telegram_ui.sending.markdown import (
    BREAK_TAG,
    MAX_NESTED,
    has_tables_or_formulas,
    is_too_complex_to_convert,
    make_render_config,
    prepare_markdown_for_plain_messages,
    prepare_markdown_for_rich_message,
)
from text.characters import find_grapheme_start, repair_surrogates

MAX_UNITS = 4096  # UTF-16 units of one message, counted after parsing (Bot API, sendMessage)
MAX_RICH_CHARS = 32_768  # characters of one rich message (Bot API, InputRichMessage)
MAX_ENTITIES = 100  # entities of one message. Telegram silently drops more (Bot API, "Formatting options").
MAX_MESSAGES = 6  # messages of an answer. A longer one is sent as a file.
MAX_MARKDOWN_CHARS = MAX_MESSAGES * MAX_UNITS  # characters to convert. A longer answer is sent as a file.
NUMBER_UNITS = 4  # UTF-16 units of a heading's number or bullet: "12. "
_LINK_DEFINITION = re.compile(r"""\s*\[[^\]]+\]:\s*<?([^\s>]+)>?(?:\s+["'(].*)?""")
MAX_GROWTH = 4  # how many times longer the converted text may be. Nested lists are indented without end.


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """The text of one message. `plain` is sent instead if the server refuses the entities."""

    text: str
    entities: tuple[MessageEntity, ...] = ()

    @property
    def is_blank(self) -> bool:
        """Return True if the text has nothing visible. Telegram refuses such messages."""
        return is_blank(self.text)

    @property
    def plain(self) -> str:
        """The text, with each hidden link address written out, unless that would make it longer than two messages."""
        texts = [self.text, *(entity.url or "" for entity in self.entities)]
        if sum(map(count_utf16_units, texts)) > 2 * MAX_UNITS:
            return self.text
        encoded, result, done = self.text.encode("utf-16-le"), "", 0
        for entity in sorted(self.entities, key=lambda entity: entity.offset + entity.length):
            end = 2 * (entity.offset + entity.length)
            if entity.url and end >= done and not encoded[:end].endswith(entity.url.encode("utf-16-le")):
                result += encoded[done:end].decode("utf-16-le") + f" ({entity.url})"
                done = end
        return result + encoded[done:].decode("utf-16-le")


def count_utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def is_blank(text: str) -> bool:
    """Return True if a text has only spaces, control characters and invisible characters."""
    return all(character.isspace() or unicodedata.category(character) in ("Cc", "Cf") for character in text)


def convert_markdown_to_text_and_entities(markdown: str) -> tuple[str, tuple[MessageEntity, ...]]:
    """Convert Markdown to text and entities. Return it unchanged if the conversion fails or would lose words."""
    source = repair_surrogates(markdown)
    if is_too_complex_to_convert(source):
        return source, ()
    try:
        written = prepare_markdown_for_plain_messages(source)
        text, found = convert(written, config=make_render_config())
    except Exception:
        return source, ()
    urls = [entity.url or "" for entity in found]
    # Preparing may repeat an address or drop "mailto:". Words are only lost if they are missing from both.
    is_lossy = all(_has_lost_letters(given, text, urls) for given in (written, BREAK_TAG.sub("", source)))
    if len(text) > MAX_GROWTH * len(source) or is_lossy:
        return source, ()
    length, lines = count_utf16_units(text), _find_offsets_of_missing_newlines(text, found)
    links = {(entity.offset, entity.length) for entity in found if entity.type == MessageEntity.TEXT_LINK}
    entities = _drop_deeply_nested_entities(
        _convert_entity(entity, lines)
        for entity in found
        if entity.offset >= 0
        and entity.length > 0
        and entity.offset + entity.length <= length
        # Telegram drops the address of a link that is code.
        and not (entity.type == MessageEntity.CODE and (entity.offset, entity.length) in links)
    )
    units = text.encode("utf-16-le")
    edges = [0, *lines, length]
    return "\n".join(units[2 * begin : 2 * end].decode("utf-16-le") for begin, end in pairwise(edges)), tuple(entities)


def _convert_entity(entity: ConvertedEntity, line_ends: Sequence[int]) -> MessageEntity:
    end = entity.offset + entity.length
    offset = entity.offset + bisect_right(line_ends, entity.offset)
    return MessageEntity(
        type=entity.type,
        offset=offset,
        length=end + bisect_left(line_ends, end) - offset,
        url=entity.url,
        language=entity.language or None,
        custom_emoji_id=entity.custom_emoji_id,
    )


def _find_offsets_of_missing_newlines(text: str, entities: Sequence[ConvertedEntity]) -> list[int]:
    """Return the offsets at the edges of code blocks and quotes where the converter omitted a newline."""
    units = text.encode("utf-16-le")
    blocks = [entity for entity in entities if entity.type in (MessageEntity.PRE, MessageEntity.BLOCKQUOTE)]
    edges = {entity.offset for entity in blocks} | {entity.offset + entity.length for entity in blocks}
    return [
        at
        for at in sorted(edges)
        if 0 < 2 * at < len(units) and "\n" not in units[2 * at - 2 : 2 * at + 2].decode("utf-16-le", "replace")
    ]


def convert_markdown_if_short(markdown: str) -> list[Piece]:
    """Return an answer as at most MAX_MESSAGES messages, or [] if it needs more or is blank."""
    if len(markdown) > MAX_MARKDOWN_CHARS:
        return []
    text, entities = convert_markdown_to_text_and_entities(markdown)
    for keeps_all_entities in (True, False):  # dropping entities may save messages
        parts = list(islice(split_text(text, entities, keeps_all_entities=keeps_all_entities), MAX_MESSAGES + 1))
        if len(parts) <= MAX_MESSAGES:
            return [part for part in parts if not part.is_blank]
    return []


def truncate_answer(markdown: str, *, max_messages: int = MAX_MESSAGES, ending: str = "") -> list[Piece]:
    """Return the beginning of an answer in at most `max_messages` messages.

    The last message ends with `ending`, or with an ellipsis if there is no `ending` and the answer continues.
    """
    source = markdown[: (max_messages + 1) * MAX_UNITS]
    cut = list(islice(split_text(*convert_markdown_to_text_and_entities(source)), max_messages + 1))
    parts = [part for part in cut if not part.is_blank]
    if not ending and len(cut) <= max_messages and len(source) == len(markdown):
        return parts
    *before, last = parts[:max_messages] or [Piece(text="")]
    room = MAX_UNITS - (count_utf16_units(ending) or 96)
    shortened = next(split_text(last.text, last.entities, max_units=room), Piece(text=""))
    return [*before, Piece(text=shortened.text + (ending or "…"), entities=shortened.entities)]


def convert_to_rich_markdown_if_needed(markdown: str) -> str:
    """Return an answer as Markdown for a rich message, or "" if a plain message is enough or the text is too long."""
    source = prepare_markdown_for_rich_message(repair_surrogates(markdown))
    if not 0 < len(source) <= MAX_RICH_CHARS or is_blank(source):
        return ""
    return source if count_utf16_units(source) > MAX_UNITS or has_tables_or_formulas(source) else ""


def split_text(
    text: str, entities: Sequence[MessageEntity] = (), *, max_units: int = MAX_UNITS, keeps_all_entities: bool = True
) -> Iterator[Piece]:
    """Yield a text in pieces of at most `max_units` UTF-16 units, cut at blank lines, line ends or spaces if possible.

    A piece ends before it exceeds MAX_ENTITIES entities, or drops the surplus if `keeps_all_entities` is False.
    """
    offsets: Sequence[int] = range(len(text) + 1)
    if count_utf16_units(text) > len(text):
        offsets = [0, *accumulate(2 if character > "\uffff" else 1 for character in text)]
    ordered = _drop_deeply_nested_entities(entities)
    start = 0
    while start < len(text):
        end = _find_end_index_of_piece(text, offsets, ordered, start, max_units, keeps_all_entities=keeps_all_entities)
        yield Piece(text=text[start:end], entities=_clip_entities(ordered, offsets[start], offsets[end]))
        start = end


def _find_end_index_of_piece(
    text: str,
    offsets: Sequence[int],
    entities: Sequence[MessageEntity],
    start: int,
    max_units: int,
    *,
    keeps_all_entities: bool,
) -> int:
    """Return the index at which the piece that begins at `start` ends. The piece is never empty."""
    end = max(bisect_right(offsets, offsets[start] + max_units) - 1, start + 1)
    inside = [entity for entity in entities if entity.offset + entity.length > offsets[start]]
    if keeps_all_entities and len(inside) > MAX_ENTITIES:
        # End where the first surplus entity begins.
        end = min(end, max(bisect_right(offsets, inside[MAX_ENTITIES].offset) - 1, start + 1))
    if end == len(text):
        return end
    # Best cut in the last half: after a blank line, then a line, then a word.
    for seam in ("\n\n", "\n", " "):
        found = text.rfind(seam, start + (end - start) // 2, end)
        if found >= 0 and found + len(seam) <= end and not is_blank(text[start : found + len(seam)]):
            end = found + len(seam)
            break
    else:
        end = find_grapheme_start(text, end, start)
    return _move_end_before_headings(text, offsets, inside, start, end)


def _move_end_before_headings(
    text: str, offsets: Sequence[int], entities: Sequence[MessageEntity], start: int, end: int
) -> int:
    # Headings are bold lines, possibly after a number.
    bold = {entity.offset + entity.length: entity.offset for entity in entities if entity.type == MessageEntity.BOLD}
    while text[:end].endswith("\n"):
        last = start + len(text[start:end].rstrip())
        line = text.rfind("\n", start, last) + 1
        is_heading = offsets[last] in bold and bold[offsets[last]] <= offsets[line] + NUMBER_UNITS
        if line <= start or not is_heading or is_blank(text[start:line]):
            break
        end = line
    return end


def _clip_entities(entities: Sequence[MessageEntity], start: int, stop: int) -> tuple[MessageEntity, ...]:
    parts = []
    for entity in entities:
        begin, end = max(entity.offset, start), min(entity.offset + entity.length, stop)
        if begin < end:
            parts.append(MessageEntity(**{**entity.to_dict(), "offset": begin - start, "length": end - begin}))
    return tuple(parts[:MAX_ENTITIES])


def _drop_deeply_nested_entities(entities: Iterable[MessageEntity]) -> list[MessageEntity]:
    kept: list[MessageEntity] = []
    around: list[int] = []
    for entity in sorted(entities, key=lambda entity: (entity.offset, -entity.length)):
        around = [end for end in around if end > entity.offset]
        if len(around) < MAX_NESTED:
            kept.append(entity)
            around.append(entity.offset + entity.length)
    return kept


def _has_lost_letters(source: str, text: str, urls: Sequence[str]) -> bool:
    """Return True if `text` lacks letters of its Markdown `source`. Ignore formulas, code languages and used links."""
    if is_blank(text):
        return not is_blank(source)
    if text == source or "\\" in source or "$" in source:
        return False
    lines = (
        line
        for line in html.unescape(source.replace("[x]", "").replace("[X]", "")).splitlines()
        if not line.lstrip(" >*-").startswith(("```", "~~~"))
        and not ((found := _LINK_DEFINITION.fullmatch(line)) and found[1] in urls)
    )
    kept, wanted = (Counter(filter(str.isalpha, words)) for words in (text + "".join(urls), "".join(lines)))
    return any(kept[letter] < number for letter, number in wanted.items())


def join_texts(*parts: str | Piece) -> Piece:
    """Join texts, with their entities at the new places."""
    pieces = [part if isinstance(part, Piece) else Piece(text=repair_surrogates(part)) for part in parts]
    text, entities = MessageEntity.concatenate(*((piece.text, piece.entities) for piece in pieces))
    return Piece(text=text, entities=tuple(entities))


def format_whole_text(text: str | Piece, entity_type: str) -> Piece:
    """Return a text that is bold or a quote as a whole. The caller must put a quote on lines of its own."""
    inner = join_texts(text)
    whole = MessageEntity(entity_type, 0, count_utf16_units(inner.text))
    return Piece(text=inner.text, entities=(whole, *inner.entities)) if inner.text else inner
