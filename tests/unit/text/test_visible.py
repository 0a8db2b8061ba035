"""Invisible characters are removed from texts. All visible characters are kept."""

import pytest

from text.characters import remove_invisible_characters

_HIDDEN_ORDER = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Friendly.{_HIDDEN_ORDER}", "Friendly."),
        (f"\U0001f3f4{_HIDDEN_ORDER}\U000e007f", "\U0001f3f4"),
        ("pay \u202eevil\u202c now\u2066\u2069\u200f", "pay evil now"),
        ("a\u2800b\u3164c\u115fd\uffa0e\u00adf\u200bg\ufeffh\u034fi\x00j", "abcdefghij"),
        ("a\u200db, c\ufe0fd, 👍" + "\ufe0f" * 40, "ab, cd, 👍"),
        ("👍\U000e0100\U000e0101", "👍"),
        ("one\u2028two", "one two"),
    ],
)
def test_invisible_characters_are_removed(text: str, shown: str) -> None:
    assert remove_invisible_characters(text) == shown
    assert remove_invisible_characters(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧 ❤️‍🔥 👍🏽 🏳️‍🌈 👨🏽‍⚕️ 1️⃣ #️⃣ ☎️ ✔︎ 🇩🇪",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "مرحبا بالعالم، كيف حالك؟",
        "שלום עולם",
        "می\u200cخواهم",
        "क्\u200dष",
        "naïve e\u0301, 한국어, 中文\n\ttab",
    ],
)
def test_visible_characters_are_kept(text: str) -> None:
    assert remove_invisible_characters(text) == text
