"""Parse message text with Telegram's HTML tags. Other parse modes are refused, because the bot never uses them."""

import html
import re

from playground.refusals import Json, make_bad_request_error
from playground.text import count_utf16_units

TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "a": "text_link",
}
TOKEN = re.compile(r"<(?P<close>/?)(?P<tag>[A-Za-z][\w-]*)?(?P<attributes>[^<>]*)>?|[^<]+")
HREF = re.compile(r"""href\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""", re.IGNORECASE)


def parse_markup(text: str, parse_mode: str | None) -> tuple[str, list[Json]]:
    """Return the text without its markup, and its entities in UTF-16 units. Raise Refusal for invalid markup."""
    if not parse_mode:
        return text, []
    if parse_mode.lower() != "html":
        raise make_bad_request_error("unsupported parse_mode")
    return _parse_html(text)


def _parse_html(text: str) -> tuple[str, list[Json]]:
    plain = ""
    entities: list[Json] = []
    open_tags: list[tuple[str, Json]] = []
    for token in TOKEN.finditer(text):
        if not token[0].startswith("<"):
            plain += html.unescape(token[0])
            continue
        byte = len(text[: token.start()].encode())
        tag = (token["tag"] or "").lower()
        if token["close"]:
            if not open_tags:
                raise make_bad_request_error(f"can't parse entities: Unexpected end tag at byte offset {byte}")
            expected, entity = open_tags.pop()
            if tag not in ("", expected):
                raise make_bad_request_error(
                    f"can't parse entities: Unmatched end tag at byte offset {byte}, "
                    f'expected "</{expected}>", found "</{tag}>"'
                )
            entity["length"] = count_utf16_units(plain) - entity["offset"]
            entities.append(entity)
            continue
        if tag not in TAGS:
            raise make_bad_request_error(f'can\'t parse entities: Unsupported start tag "{tag}" at byte offset {byte}')
        entity = {"type": TAGS[tag], "offset": count_utf16_units(plain), "length": 0}
        if tag == "a" and (href := HREF.search(token["attributes"])):
            entity["url"] = html.unescape(next(filter(None, href.groups()), ""))
        open_tags.append((tag, entity))
    if open_tags:
        raise make_bad_request_error(
            f"can't parse entities: Can't find end tag corresponding to start tag \"{open_tags[-1][0]}\""
        )
    # Telegram treats a link without an address as plain text.
    return plain, [entity for entity in entities if entity["type"] != "text_link" or entity.get("url")]
