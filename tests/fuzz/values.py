"""Generators of fuzzing input: texts and values that parsers react to, and files with one defect.

They use a seeded random generator alone, and do not know the entry points.
"""

import random
from typing import Any

Chance = random.Random

ATOMS = (
    *(
        "*",
        "_",
        "`",
        "```",
        "{",
        '{"name":',
        "<tool_call>",
        "~~~",
        "[",
        "](",
        ")",
        "||",
        "<b>",
        "</b>",
        "<tg-spoiler>",
        "&amp;",
        "# ",
        "> ",
        "- ",
        "1. ",
    ),
    *("| a | b |\n|---|---|\n", "\\", "$$", "\n", "\n\n", "\r\n", "\t", " ", "\u2028", "\u200d", "\ufe0f", "\u202e"),
    *('"', "'", "AND", "OR", "NOT", "NEAR(", "terms:", "^", "+", "%", ";--", "C++", "what's up?", "well-known"),
    *("0", "7", "500", "501", "-1", "٣", "５", "²", "1e9", "9" * 30, "sqlite", "json", "/cancel", ":", "w:1:"),
    *("Zürich", "машина", "喝茶", "한국어", "हिन्दी", "ไทย", "👨‍👩‍👧", "🏳️‍🌈", "é", "\ud83d", "\udc00", "\x00"),
    *(
        "https://example.org/?a=b",
        "{",
        "}",
        "null",
        "true",
        "true",
        "<remembered>",
        "</summaries>",
        "a" * 300,
        "*,",
        "é",
    ),
)


def make_text(chance: Chance, most: int = 40) -> str:
    """Return a text of atoms that some parser reacts to and of characters from anywhere in Unicode."""
    parts = [
        chance.choice(ATOMS) if chance.random() < 0.8 else chr(chance.randrange(0x110000))
        for _ in range(int(chance.random() ** 3 * most))
    ]
    return "".join(parts)


VALUES: tuple[object, ...] = (
    *(None, True, 0, -1, 2**63, 10**400, 1.5, float("inf"), float("nan")),
    *("", "x", "1", [], {}, [[]], {"a": 1}),
)


def make_value(chance: Chance) -> object:
    return make_text(chance) if chance.random() < 0.3 else chance.choice(VALUES)


def mutate(value: Any, chance: Chance) -> Any:
    """Return a JSON value with one element replaced, duplicated, renamed or removed."""
    if isinstance(value, dict) and value and chance.random() < 0.93:
        key = chance.choice(list(value))
        match chance.randrange(12):
            case 0:
                return {name: item for name, item in value.items() if name != key}
            case 1:
                return {**value, make_text(chance, 5): value[key]}
            case _:
                return {**value, key: mutate(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.93:
        index = chance.randrange(len(value))
        if chance.random() < 0.1:
            return [*value, value[index]]
        return [*value[:index], mutate(value[index], chance), *value[index + 1 :]]
    return make_value(chance)


def garble(content: bytes, chance: Chance) -> bytes:
    """Return the content with one defect, as a failing disk or an editor may leave it."""
    at = chance.randrange(len(content) + 1)
    match chance.randrange(4):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + chance.randbytes(4) + content[at + 4 :]
        case 2:
            return content[:at] + content[at // 2 :]
    return content[:at] + make_text(chance).encode("utf-8", "surrogatepass") + content[at:]
