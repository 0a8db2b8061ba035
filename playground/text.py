"""Process message texts as Telegram's server does: count UTF-16 units, find entities, trim and split.

All functions are pure. HTML is parsed in markup.py.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, islice

from playground.refusals import Json, make_bad_request_error

TEXT_LIMIT = 4096  # UTF-16 units, after entities are parsed
CAPTION_LIMIT = 1024
MAX_MESSAGE_CHARS = 40_000  # of a text with its markup, about ten times TEXT_LIMIT
MAX_PASTE_CHARS = 120_000  # that a person may send at once; clients split them into messages
ENTITY_LIMIT = 100  # the server silently drops the others

DETECTED_TYPES = frozenset({"mention", "hashtag", "bot_command", "url", "email"})
KNOWN_TYPES = DETECTED_TYPES | {
    *("cashtag", "phone_number", "bold", "italic", "underline", "strikethrough", "spoiler", "blockquote"),
    *("expandable_blockquote", "code", "pre", "text_link", "text_mention", "custom_emoji", "date_time"),
}
OPAQUE_TYPES = DETECTED_TYPES | {"code", "pre", "text_link", "text_mention"}  # no entities are detected inside

# Control characters become spaces, "\r" is removed, and tab and newline are kept.
CLEANED_CHARACTERS = {code: " " for code in range(32) if code not in (9, 10, 13)} | {13: None}
TRIMMED_CHARACTERS = " \t\n"

# Telegram knows every top-level domain. A few are enough here.
URL_TAIL = r"[^\s<>\"]*[^\s<>\".,;:!?)\]}']"
BARE_URL = rf"(?<![\w@./-])(?:[\w-]+\.)+(?:com|org|net|io|dev|ru|de|eu|app|me)\b(?:/{URL_TAIL})?"
DETECTION_PATTERNS = (
    ("url", re.compile(rf"https?://{URL_TAIL}|{BARE_URL}", re.IGNORECASE)),
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("bot_command", re.compile(r"(?<![\w/@<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/@])")),
    ("mention", re.compile(r"(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{2,31}(?![\w@])")),
    ("hashtag", re.compile(r"(?<![\w#])#\w*[^\W\d]\w*")),
)


def count_utf16_units(text: str) -> int:
    """Return the length of a text in UTF-16 code units, the unit that Telegram uses for lengths and offsets."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def compute_utf16_offsets(text: str) -> list[int]:
    """Return the UTF-16 offset of each character and of the end of the text."""
    return [0, *accumulate(2 if ord(character) > 0xFFFF else 1 for character in text)]


def clean_and_detect_entities(text: str, given_entities: Sequence[Json] = ()) -> tuple[str, list[Json]]:
    """Clean and trim a text, detect its entities, and return both as the server stores them.

    `given_entities` are kept too, with their offsets adjusted. Raise Refusal if one does not fit the text.
    """
    offsets = compute_utf16_offsets(text) if given_entities else []
    spans = [(*_find_span(entity, text, offsets), entity) for entity in given_entities if _parse_length(entity) > 0]
    removed = [0, *accumulate(character == "\r" for character in text)]
    clean = text.translate(CLEANED_CHARACTERS)
    spans = [(start - removed[start], end - removed[end], entity) for start, end, entity in spans]

    right = len(clean.rstrip(TRIMMED_CHARACTERS))
    left = min([len(clean) - len(clean.lstrip(TRIMMED_CHARACTERS)), *(start for start, _, _ in spans)])
    trimmed = clean[left:right]
    spans = [(start - left, min(end, right) - left, entity) for start, end, entity in spans if start < right]

    spans += _detect_entities(trimmed, spans)
    offsets = compute_utf16_offsets(trimmed)
    entities = [
        {**entity, "offset": offsets[start], "length": offsets[end] - offsets[start]}
        for start, end, entity in spans
        if start < end
    ]
    entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return trimmed, entities[:ENTITY_LIMIT]


def split_text(text: str, limit: int = TEXT_LIMIT) -> list[str]:
    """Split a long text into messages as Telegram's clients do when it is pasted.

    Each piece has at most `limit` UTF-16 units. It ends at the last newline in its second half, or else at the last
    space there, or else at the limit. Joining the pieces restores the text.
    """
    cut: list[str] = []
    begin = 0
    while count_utf16_units(rest := text[begin : begin + limit + 1]) > limit:
        end = bisect_left(compute_utf16_offsets(rest), limit + 1) - 1
        for gap in ("\n", " "):
            found = rest.rfind(gap, end // 2, end)
            if found >= 0:
                end = found + 1
                break
        cut.append(rest[:end])
        begin += end
    return [*cut, text[begin:]]


def _parse_length(entity: Json) -> int:
    """Return the length of an entity in UTF-16 units. Raise Refusal if its type or position is invalid."""
    if str(entity.get("type")) not in KNOWN_TYPES:
        raise make_bad_request_error("can't parse MessageEntity: Unsupported type specified")
    for field in ("offset", "length"):
        if not isinstance(entity.get(field), int):
            raise make_bad_request_error(f"can't parse MessageEntity: Can't find field \"{field}\"")
    if entity["offset"] < 0:
        raise make_bad_request_error(f"receive an entity with incorrect offset {entity['offset']}")
    if entity["length"] < 0:
        raise make_bad_request_error(f"receive an entity with incorrect length {entity['length']}")
    length: int = entity["length"]
    return length


def _find_span(entity: Json, text: str, offsets: Sequence[int]) -> tuple[int, int]:
    """Return the start and end of an entity in characters. `offsets` has the UTF-16 offset of each character.

    Raise Refusal if the entity goes beyond the text or begins or ends within a character.
    """
    begin, end = entity["offset"], entity["offset"] + entity["length"]
    if begin > offsets[-1]:
        raise make_bad_request_error(f"entity begins after the end of the text at UTF-16 offset {begin}")
    if end > offsets[-1]:
        raise make_bad_request_error(
            f"entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}"
        )
    start, stop = bisect_left(offsets, begin), bisect_left(offsets, end)
    if offsets[start] != begin:
        byte = len(text[:start].encode())
        raise make_bad_request_error(f"entity begins in a middle of a UTF-16 symbol at byte offset {byte}")
    if offsets[stop] != end:
        byte = len(text[:stop].encode())
        raise make_bad_request_error(
            f"entity beginning at UTF-16 offset {begin} ends in a middle of a UTF-16 symbol at byte offset {byte}"
        )
    return start, stop


def _detect_entities(text: str, existing_spans: Sequence[tuple[int, int, Json]]) -> list[tuple[int, int, Json]]:
    taken = bytearray(len(text))
    for start, end, entity in existing_spans:
        if entity["type"] in OPAQUE_TYPES:
            taken[start:end] = b"\1" * (end - start)
    found: list[tuple[int, int, Json]] = []
    for kind, pattern in DETECTION_PATTERNS:
        free = (match.span() for match in pattern.finditer(text) if taken.find(1, *match.span()) < 0)
        # Only the first hundred of all kinds are kept, so no more are needed of one kind.
        for start, end in islice(free, ENTITY_LIMIT):
            taken[start:end] = b"\1" * (end - start)
            found.append((start, end, {"type": kind}))
    return found


def make_text_content(text: str) -> Json:
    """Return the message fields for a text, or an empty dict if the text is blank."""
    stored, entities = clean_and_detect_entities(text)
    if not stored:
        return {}
    return {"text": stored, "entities": entities} if entities else {"text": stored}
