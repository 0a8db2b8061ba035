"""The document about an owner: the schema it is asked for with, and an answer read defensively. Pure.

Does not know when a profile is due, or what it is made from.
"""

import json
from collections.abc import Mapping

from text.characters import well_formed

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


def parse(answer: str) -> dict[str, str]:
    """The sections of an answer that have words, by name; empty where the answer is no such object."""
    start = answer.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(answer, start)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    found = {name: " ".join(_text(value.get(name)).split()) for name in SECTIONS}
    return {name: text for name, text in found.items() if text}


def document(sections: Mapping[str, str], *, most_words: int) -> str:
    """The sections under their headings, at most this many words."""
    parts = []
    left = most_words
    for name, text in sections.items():
        words = text.split()[: max(0, left)]
        if words:
            parts.append(f"{SECTIONS[name]}: {' '.join(words)}")
            left -= len(words) + len(SECTIONS[name].split())
    return "\n".join(parts)


def _text(value: object) -> str:
    """A section's words; lists of sentences are taken as well."""
    if isinstance(value, list):
        value = " ".join(one for one in value if isinstance(one, str))
    return well_formed(value).replace("\0", " ") if isinstance(value, str) else ""
