"""Message texts as Telegram's server treats them: UTF-16 lengths, entities, trimming and splitting.

All functions are pure. Markup is in markup.py.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, islice

from playground.refusals import Json, bad_request

TEXT_LIMIT = 4096  # UTF-16 units, after entities are parsed
CAPTION_LIMIT = 1024
MAX_MESSAGE_CHARS = 40_000  # characters of a text before its markup is read; ten times what is left of it at most
MAX_PASTE_CHARS = 120_000  # characters that a person sends at once, in pieces
ENTITY_LIMIT = 100  # the server keeps the first hundred and says nothing

FOUND_TYPES = frozenset({"mention", "hashtag", "bot_command", "url", "email"})
GIVEN_TYPES = FOUND_TYPES | {
    *("cashtag", "phone_number", "bold", "italic", "underline", "strikethrough", "spoiler", "blockquote"),
    *("expandable_blockquote", "code", "pre", "text_link", "text_mention", "custom_emoji", "date_time"),
}
OPAQUE_TYPES = FOUND_TYPES | {"code", "pre", "text_link", "text_mention"}  # nothing is found inside

# Control characters become spaces; "\r" goes; tab and newline stay.
CLEANED = {code: " " for code in range(32) if code not in (9, 10, 13)} | {13: None}
TRIMMED = " \t\n"

# Telegram knows every top-level domain; a few stand for them here.
URL_TAIL = r"[^\s<>\"]*[^\s<>\".,;:!?)\]}']"
BARE_URL = rf"(?<![\w@./-])(?:[\w-]+\.)+(?:com|org|net|io|dev|ru|de|eu|app|me)\b(?:/{URL_TAIL})?"
FOUND = (
    ("url", re.compile(rf"https?://{URL_TAIL}|{BARE_URL}", re.IGNORECASE)),
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("bot_command", re.compile(r"(?<![\w/@<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/@])")),
    ("mention", re.compile(r"(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{2,31}(?![\w@])")),
    ("hashtag", re.compile(r"(?<![\w#])#\w*[^\W\d]\w*")),
)


def count_utf16_units(text: str) -> int:
    """Return the length in UTF-16 units, in which Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def compute_offsets(text: str) -> list[int]:
    """Return the UTF-16 offset of each character and of the end."""
    return [0, *accumulate(2 if ord(character) > 0xFFFF else 1 for character in text)]


def format_text(text: str, given: Sequence[Json] = ()) -> tuple[str, list[Json]]:
    """Return the text as the server stores it, and its entities, given ones and detected ones.

    Raise Refusal for entities that do not fit the text.
    """
    at = compute_offsets(text) if given else []
    spans = [(*_span(entity, text, at), entity) for entity in given if _length(entity) > 0]
    removed = [0, *accumulate(character == "\r" for character in text)]
    clean = text.translate(CLEANED)
    spans = [(start - removed[start], end - removed[end], entity) for start, end, entity in spans]

    right = len(clean.rstrip(TRIMMED))
    left = min([len(clean) - len(clean.lstrip(TRIMMED)), *(start for start, _, _ in spans)])
    kept = clean[left:right]
    spans = [(start - left, min(end, right) - left, entity) for start, end, entity in spans if start < right]

    spans += _find_entities(kept, spans)
    at = compute_offsets(kept)
    entities = [
        {**entity, "offset": at[start], "length": at[end] - at[start]} for start, end, entity in spans if start < end
    ]
    entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return kept, entities[:ENTITY_LIMIT]


def split_text(text: str, limit: int = TEXT_LIMIT) -> list[str]:
    """Split a long text as Telegram's clients split a paste.

    They split at a newline or space in the last half of `limit` UTF-16 units, or else anywhere. Joined, the pieces are
    the text.
    """
    cut: list[str] = []
    begin = 0
    while count_utf16_units(rest := text[begin : begin + limit + 1]) > limit:
        end = bisect_left(compute_offsets(rest), limit + 1) - 1
        for gap in ("\n", " "):
            found = rest.rfind(gap, end // 2, end)
            if found >= 0:
                end = found + 1
                break
        cut.append(rest[:end])
        begin += end
    return [*cut, text[begin:]]


def _length(entity: Json) -> int:
    if str(entity.get("type")) not in GIVEN_TYPES:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    for field in ("offset", "length"):
        if not isinstance(entity.get(field), int):
            raise bad_request(f"can't parse MessageEntity: Can't find field \"{field}\"")
    if entity["offset"] < 0:
        raise bad_request(f"receive an entity with incorrect offset {entity['offset']}")
    if entity["length"] < 0:
        raise bad_request(f"receive an entity with incorrect length {entity['length']}")
    length: int = entity["length"]
    return length


def _span(entity: Json, text: str, at: Sequence[int]) -> tuple[int, int]:
    """Return an entity's characters. Raise Refusal if it leaves the text or cuts a character in two."""
    begin, end = entity["offset"], entity["offset"] + entity["length"]
    if begin > at[-1]:
        raise bad_request(f"entity begins after the end of the text at UTF-16 offset {begin}")
    if end > at[-1]:
        raise bad_request(
            f"entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}"
        )
    start, stop = bisect_left(at, begin), bisect_left(at, end)
    if at[start] != begin:
        byte = len(text[:start].encode())
        raise bad_request(f"entity begins in a middle of a UTF-16 symbol at byte offset {byte}")
    if at[stop] != end:
        byte = len(text[:stop].encode())
        raise bad_request(
            f"entity beginning at UTF-16 offset {begin} ends in a middle of a UTF-16 symbol at byte offset {byte}"
        )
    return start, stop


def _find_entities(text: str, spans: Sequence[tuple[int, int, Json]]) -> list[tuple[int, int, Json]]:
    taken = bytearray(len(text))
    for start, end, entity in spans:
        if entity["type"] in OPAQUE_TYPES:
            taken[start:end] = b"\1" * (end - start)
    found: list[tuple[int, int, Json]] = []
    for kind, pattern in FOUND:
        free = (match.span() for match in pattern.finditer(text) if taken.find(1, *match.span()) < 0)
        # The first hundred of all kinds are kept, so no more of one.
        for start, end in islice(free, ENTITY_LIMIT):
            taken[start:end] = b"\1" * (end - start)
            found.append((start, end, {"type": kind}))
    return found


def make_text_content(text: str) -> Json:
    """Return the message fields for a text, or none if the trimmed text is empty."""
    kept, entities = format_text(text)
    if not kept:
        return {}
    return {"text": kept, "entities": entities} if entities else {"text": kept}
