"""The document about an owner: the schema it is asked for with, and an answer read defensively. Pure.

Does not know when a profile is due, or what it is made from.
"""

import json
from collections.abc import Mapping

from tokens import well_formed

SECTIONS = {
    "profile": "Who they are",
    "preferences": "Preferences",
    "ongoing_topics": "Ongoing",
    "key_history": "History",
}
"""The parts of the answer, and the words that head them."""

PROFILE_SCHEMA: Mapping[str, object] = {
    "name": "profile",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": list(SECTIONS),
        "properties": {name: {"type": "string"} for name in SECTIONS},
    },
}
"""The answer's shape, as `response_format` of type json_schema takes it."""


def parse(answer: str, *, most_words: int) -> str:
    """The document of an answer, at most so many words; "" where there is none in it."""
    start = answer.find("{")
    if start < 0:
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(answer, start)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    parts = []
    left = most_words
    for name, heading in SECTIONS.items():
        words = _text(value.get(name)).split()[: max(0, left)]
        if words:
            parts.append(f"{heading}: {' '.join(words)}")
            left -= len(words) + len(heading.split())
    return "\n".join(parts)


def _text(value: object) -> str:
    """A section's words; lists of sentences are taken as well."""
    if isinstance(value, list):
        value = " ".join(one for one in value if isinstance(one, str))
    return well_formed(value).replace("\0", " ") if isinstance(value, str) else ""
