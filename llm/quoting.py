"""Quotes text in prompts, so that it can neither end nor imitate a block. Every function takes linear time."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Literal, get_args
from unicodedata import normalize

from records.messages import OTHERS, Message, Origin
from text.characters import collapse_to_single_line

MAX_NAME_CHARS = 64  # characters of a name that a prompt carries (Telegram's first and last name: 64 each)

BlockName = Literal[
    "remembered", "replied", "summaries", "conversation", "dropped", "superseded", "missing", "profile", "facts",
    "known", "instructions", "document", "picture", "forwarded", "overheard",
]  # fmt: skip
_NAMES: tuple[str, ...] = get_args(BlockName)
MAX_TAG_CHARS = 500  # visible characters within which the letters of a tag are looked for
_OWN_TAG = re.compile(rf"<(?=\s{{0,9}}/?\s{{0,9}}(?:{'|'.join(_NAMES)})\b)", re.IGNORECASE)
_COPIED_TAG = re.compile(rf"{_OWN_TAG.pattern}[^<>\n]{{0,200}}>\s?", re.IGNORECASE)
_BRACKETS = "<﹤＜≮˂ᐸ‹«❮❬❰〈〈⟨⟪《"  # whatever looks like the beginning of a tag
_STRETCH = re.compile(f"[{_BRACKETS}]([^{_BRACKETS}]*)")
# Letters that look like Latin ones, and two that are invisible.
_LOOKALIKES = str.maketrans("абеѕсԁоорруімтхνοιαρτκı", "abescdoopryimtxvoiaptki", "\u115f\u1160")


def quote_user_text(text: str) -> str:
    """Quote text written by the user, escaping only this program's tags."""
    return _OWN_TAG.sub("‹", text) if "<" in text else text


def remove_prompt_tags(text: str, quoted_texts: Iterable[str]) -> str:
    """Remove this program's tags, which small models copy from their prompt, unless the quoted texts have tags."""
    return text if any("‹" in source for source in quoted_texts) else _COPIED_TAG.sub("", text)


def escape_tags(text: str) -> str:
    """Replace the opening brackets of prompt tags and of similar text, so that no model reads them as tags."""
    return _STRETCH.sub(_escape_tag, text)


def quote_text(text: str) -> str:
    """Quote text as data: escape its tags, and indent all lines but the first."""
    plain = escape_tags(text)
    # Hundreds of texts are quoted for one prompt; what can be printed has no line break.
    return plain if plain.isprintable() else "  ".join(plain.splitlines(keepends=True))


def quote_name(name: str) -> str:
    """Quote a name on one line, so that it cannot close the block that contains it in the prompt."""
    return escape_tags(collapse_to_single_line(name[: 4 * MAX_NAME_CHARS]))[:MAX_NAME_CHARS]


def format_block(block: BlockName, lines: Iterable[str]) -> str:
    return "\n".join([f"<{block}>", *lines, f"</{block}>"])


def quote_message(message: Message, text: str) -> str:
    """Quote a message. If somebody other than the owner wrote it, add tags that mark its origin."""
    return quote_with_origin_tag(message.origin, text) if message.origin in OTHERS else quote_text(text)


def quote_with_origin_tag(origin: Origin, text: str) -> str:
    tag = "remembered" if origin == "imported" else origin
    return f"<{tag}>{quote_text(text)}</{tag}>"


def _escape_tag(match: "re.Match[str]") -> str:
    seen = "".join(islice(filter(str.isprintable, match[1]), MAX_TAG_CHARS))
    plain = normalize("NFKD", seen).casefold().translate(_LOOKALIKES)
    is_tag = "".join(filter(str.isalpha, plain)).startswith(_NAMES)
    return f"‹{match[1]}" if is_tag else match[0]
