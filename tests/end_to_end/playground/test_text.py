"""Tests of text handling as on Telegram's server: lengths, entities, trimming, HTML and splitting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.markup import parse_markup
from playground.refusals import Refusal
from playground.text import clean_and_detect_entities, compute_utf16_offsets, count_utf16_units, split_text


def test_lengths_are_counted_in_utf16_units() -> None:
    assert count_utf16_units("a😀é") == 4
    assert compute_utf16_offsets("a😀é") == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("/start now", "bot_command", "/start"),
        ("😀 /start@keepsake_bot", "bot_command", "/start@keepsake_bot"),
        ("hello @keepsake_bot!", "mention", "@keepsake_bot"),
        ("see https://example.com/a?b=1.", "url", "https://example.com/a?b=1"),
        ("see example.com, then", "url", "example.com"),
        ("write to ann@example.com", "email", "ann@example.com"),
        ("a #garden", "hashtag", "#garden"),
    ],
)
def test_detects_same_entities_as_telegram(text: str, kind: str, found: str) -> None:
    kept, [entity] = clean_and_detect_entities(text)
    utf_16 = kept.encode("utf-16-le")
    begin = 2 * entity["offset"]
    assert entity["type"] == kind
    assert utf_16[begin : begin + 2 * entity["length"]].decode("utf-16-le") == found


@pytest.mark.parametrize("text", ["and/or", "1/2", "a//b", "ann@", "#1"])
def test_plain_text_has_no_entities(text: str) -> None:
    assert clean_and_detect_entities(text) == (text, [])


def test_no_entities_are_detected_inside_code() -> None:
    _, entities = clean_and_detect_entities("/start", [{"type": "code", "offset": 0, "length": 6}])
    assert entities == [{"type": "code", "offset": 0, "length": 6}]


def test_trimming_text_shifts_entities() -> None:
    text, entities = clean_and_detect_entities("  a\r\nbold \n", [{"type": "bold", "offset": 5, "length": 5}])
    assert text == "a\nbold"
    assert entities == [{"type": "bold", "offset": 2, "length": 4}]


@pytest.mark.parametrize(
    ("offset", "length", "reason"),
    [
        (-1, 1, "receive an entity with incorrect offset -1"),
        (0, -1, "receive an entity with incorrect length -1"),
        (9, 1, "entity begins after the end of the text at UTF-16 offset 9"),
        (0, 9, "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 9"),
        (1, 1, "entity begins in a middle of a UTF-16 symbol at byte offset 0"),
        (0, 1, "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4"),
    ],
)
def test_invalid_entity_offsets_are_refused(offset: int, length: int, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        clean_and_detect_entities("😀ab", [{"type": "bold", "offset": offset, "length": length}])
    assert refused.value.description.startswith(f"Bad Request: {reason}"[:60])


def test_html_is_converted_to_entities() -> None:
    text, entities = parse_markup('😀 <b>a &lt; <i>b</i></b> <a href="https://x.org/?a=1&amp;b=2">c</a>', "HTML")
    assert text == "😀 a < b c"
    assert entities == [
        {"type": "italic", "offset": 7, "length": 1},
        {"type": "bold", "offset": 3, "length": 5},
        {"type": "text_link", "offset": 9, "length": 1, "url": "https://x.org/?a=1&b=2"},
    ]


@pytest.mark.parametrize("text", ["<b>open", "closed</b>", "<b><i>x</b></i>", "<script>x</script>", "a < b"])
def test_broken_html_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="can't parse entities"):
        parse_markup(text, "HTML")


@given(st.text(alphabet="ab \n😀", max_size=200), st.integers(min_value=2, max_value=20))
def test_split_pieces_fit_limit_and_join_to_whole_text(text: str, limit: int) -> None:
    cut = split_text(text, limit)
    assert "".join(cut) == text
    assert all(count_utf16_units(piece) <= limit for piece in cut)


@given(st.text(max_size=60), st.data())
def test_valid_entity_is_never_refused(text: str, data: st.DataObject) -> None:
    at = compute_utf16_offsets(text)
    begin, end = sorted((data.draw(st.sampled_from(at)), data.draw(st.sampled_from(at))))
    kept, entities = clean_and_detect_entities(text, [{"type": "bold", "offset": begin, "length": end - begin}])
    assert all(
        0 <= entity["offset"] < entity["offset"] + entity["length"] <= count_utf16_units(kept) for entity in entities
    )
