"""Tests of dates and time spans in words, and of translating the English notes that memory stores."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from locales.catalog import LANGUAGES, use_language
from records.messages import Message, Origin
from records.scopes import Scope
from telegram_ui.commands.wording import (
    SENT_KINDS,
    format_time_span,
    localize_message_notes,
    set_current_time_for_formatting,
    translate_attachment_notes,
)
from telegram_ui.updates.attached import format_attachment_kind


def make_message(text: str, origin: Origin = "") -> Message:
    now = datetime(2026, 11, 23, tzinfo=UTC)
    return Message(id=1, scope=Scope(owner=1), turn=1, role="user", content=text, created_at=now, origin=origin)


NOTES = (
    "[Sent a photo]",
    "[Sent the file lease.pdf]",
    "[Sent a sticker 🙂]",
    "Look!\n[Sent with an audio file]",
    "Look!\n[Sent with a poll, which was not read]",
    "[Forwarded from Ann]\nHello",
)


@pytest.mark.parametrize("text", NOTES)
def test_attachment_notes_are_unchanged_in_english(text: str) -> None:
    assert localize_message_notes(make_message(text), text) == text


@pytest.mark.parametrize("text", NOTES)
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_attachment_notes_are_translated_in_other_languages(text: str, language: str) -> None:
    with use_language(language):
        told = localize_message_notes(make_message(text), text)
    assert "Sent" not in told
    assert "Forwarded" not in told
    for kept in ("lease.pdf", "🙂", "Look!", "Ann", "Hello"):
        assert (kept in told) == (kept in text)


def test_picture_description_is_not_translated() -> None:
    with use_language("de"):
        assert localize_message_notes(make_message("", "picture"), "[Photo: A Photo: red]") == "[Foto: A Photo: red]"
        assert localize_message_notes(make_message("", "picture"), "[Picture p.png: A bike]") == "[Bild p.png: A bike]"


@pytest.mark.parametrize("text", ["[Sent a letter]", "[Sent]", "Sent a photo", "[x]", "no note"])
def test_text_written_by_person_is_not_translated(text: str) -> None:
    with use_language("de"):
        assert translate_attachment_notes(text) == text


def test_every_attachment_kind_has_english_name() -> None:
    assert [format_attachment_kind(kind) for kind in SENT_KINDS] == [
        *("a photo", "a voice message", "an audio file", "a video", "a video message", "an animation", "a sticker"),
        *("a file", "a contact", "a location", "a place", "a poll", "a dice", "a story", "something new to me"),
    ]


async def test_time_span_within_one_day_names_day_once() -> None:
    set_current_time_for_formatting(datetime(2026, 11, 23, 20, tzinfo=UTC))
    begun, zone = datetime(2026, 11, 23, 5, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    assert format_time_span(begun, begun + timedelta(minutes=7), zone) == "today 6:30–6:37"
    assert format_time_span(begun, begun, UTC) == "today 5:30 UTC"
    assert format_time_span(begun - timedelta(days=3), begun, zone) == "20 November 6:30 – today 6:30"
