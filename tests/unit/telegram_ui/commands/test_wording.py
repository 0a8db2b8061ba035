"""What memory notes in English is told in the reader's language."""

from datetime import UTC, datetime

import pytest

from locales.catalog import LANGUAGES, speaking, tr
from records.messages import Message, Origin
from records.scopes import Scope
from telegram_ui.commands.wording import SENT, noted, said
from telegram_ui.updates.attached import NAMES


def message(text: str, origin: Origin = "") -> Message:
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
def test_an_english_reader_sees_a_note_as_it_is_kept(text: str) -> None:
    assert said(message(text), text) == text


@pytest.mark.parametrize("text", NOTES)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_nobody_else_reads_english_in_a_note(text: str, language: str) -> None:
    with speaking(language):
        told = said(message(text), text)
    assert "Sent" not in told
    assert "Forwarded" not in told
    for kept in ("lease.pdf", "🙂", "Look!", "Ann", "Hello"):
        assert (kept in told) == (kept in text)


def test_what_a_picture_shows_stays_word_for_word() -> None:
    with speaking("de"):
        assert said(message("", "picture"), "[Photo: A Photo: red]") == "[Foto: A Photo: red]"
        assert said(message("", "picture"), "[Picture p.png: A bike]") == "[Bild p.png: A bike]"


@pytest.mark.parametrize("text", ["[Sent a letter]", "[Sent]", "Sent a photo", "[x]", "no note"])
def test_a_persons_own_words_stay(text: str) -> None:
    with speaking("de"):
        assert noted(text) == text


def test_every_kind_is_known() -> None:
    assert [tr(f"files-kind-{kind}") for kind in SENT] == list(NAMES.values())
