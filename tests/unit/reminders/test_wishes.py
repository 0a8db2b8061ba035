"""Reminders out of a model's object and out of the plain forms of /reminders add."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.catalog import speaking
from records.reminders import LONGEST_REMINDER, Wish
from reminders.wishes import plain, wish_of

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 14, 20, tzinfo=BERLIN)  # a Sunday


def told(found: Wish | str | None) -> tuple[str, str, str] | None:
    """When (in Berlin), how often, and of what."""
    assert not isinstance(found, str)
    return (f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.repeat, found.text) if found else None


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "tomorrow 9:00 call mum", ("23.11.26 09:00", "", "call mum")),
        ("en", "on Friday at 9 to call mum", ("27.11.26 09:00", "", "call mum")),
        ("en", "tomorrow at 7:30pm water the plants", ("23.11.26 19:30", "", "water the plants")),
        ("en", "in 20 minutes to stretch", ("22.11.26 14:40", "", "stretch")),
        ("en", "2026-12-01 8:15 vote", ("01.12.26 08:15", "", "vote")),
        ("en", "18:00 leave", ("22.11.26 18:00", "", "leave")),
        ("en", "9:00 leave", ("23.11.26 09:00", "", "leave")),
        ("en", "tomorrow buy milk", ("23.11.26 09:00", "", "buy milk")),
        ("en", "every Monday at 10 send the report", ("23.11.26 10:00", "weekly", "send the report")),
        ("en", "every day at 8 take my pills", ("23.11.26 08:00", "daily", "take my pills")),
        ("de", "jeden Montag um 10 den Bericht schicken", ("23.11.26 10:00", "weekly", "den Bericht schicken")),
        ("de", "morgen um 9 Uhr Oma anrufen", ("23.11.26 09:00", "", "Oma anrufen")),
        ("es", "cada lunes a las 10 enviar el informe", ("23.11.26 10:00", "weekly", "enviar el informe")),
        ("pt", "toda segunda às 10 enviar o relatório", ("23.11.26 10:00", "weekly", "enviar o relatório")),
        ("ru", "каждый понедельник в 10 отчёт", ("23.11.26 10:00", "weekly", "отчёт")),
        ("ru", "через 20 минут размяться", ("22.11.26 14:40", "", "размяться")),
        ("zh", "明天 9:00 开会", ("23.11.26 09:00", "", "开会")),
        ("ar", "غدا 9:00 اجتماع", ("23.11.26 09:00", "", "اجتماع")),
        ("de", "tomorrow 9:00 call mum", ("23.11.26 09:00", "", "call mum")),
    ],
)
def test_plain_forms_need_no_model(language: str, text: str, expected: tuple[str, str, str]) -> None:
    with speaking(language):
        assert told(plain(text, NOW)) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "whenever you like", "buy milk", "Monday mornings are hard", "on Friday at 9", "every 9:00 x"),
        *("31.12. at 9 celebrate", "at 25 leave"),
    ],
)
def test_anything_else_is_left_to_a_model(text: str) -> None:
    assert plain(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tomorrow at 25:61 leave", "none"),
        ("tomorrow at 25.61 leave", "none"),
        ("at 25:99 leave", "none"),
        ("2026-02-30 9:00 leave", "none"),
        ("9999-12-31 23:59 leave", "far"),
        ("in 99999 days leave", "far"),
        ("2020-01-01 9:00 leave", "passed"),
        ("today 9:00 leave", "passed"),
        ("in 0 minutes leave", "passed"),
    ],
)
def test_a_time_that_cannot_be_is_no_other_time(text: str, why: str) -> None:
    assert plain(text, NOW) == why


def test_a_time_of_the_clock_is_told_from_a_distance() -> None:
    """The one follows its owner to another zone, the other does not."""
    clock, distance = plain("17:00 go", NOW), plain("in 2 hours go", NOW)
    assert isinstance(clock, Wish)
    assert clock.local == datetime(2026, 11, 22, 17)  # noqa: DTZ001 - a wall clock has no zone
    assert clock.due_at == datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert isinstance(distance, Wish)
    assert distance.local is None


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"text": "call mum", "at": "2026-11-27T09:00"}, ("27.11.26 09:00", "", "call mum")),
        ({"text": "vote", "at": "2026-12-01"}, ("01.12.26 09:00", "", "vote")),
        ({"text": "stretch", "at": None, "in_minutes": 20, "repeat": "none"}, ("22.11.26 14:40", "", "stretch")),
        ({"text": "rent", "at": "2026-11-01T09:00", "repeat": "monthly"}, ("01.12.26 09:00", "monthly", "rent")),
        ({"text": "pills", "at": "2026-11-22T08:00", "repeat": "daily"}, ("23.11.26 08:00", "daily", "pills")),
        ({"text": "late", "at": "2026-11-22T08:00"}, None),
        ({"text": "", "at": "2026-11-27T09:00"}, None),
        ({"text": "x", "at": "next Friday"}, None),
        ({"text": "x", "at": "2026-11-27T09:00", "repeat": "hourly"}, None),
        ({"text": "x", "at": "9999-12-31T23:59", "repeat": "weekly"}, None),
        ({"text": "x", "in_minutes": True}, None),
        ({"text": ["x"], "in_minutes": 5}, None),
        ({"text": "call \ud83d mum", "in_minutes": 20}, ("22.11.26 14:40", "", "call \ufffd mum")),
    ],
)
def test_what_a_model_gives(given_: dict[str, object], expected: tuple[str, str, str] | None) -> None:
    assert told(wish_of(given_, NOW)) == expected


_PARTS = "on at in every next Friday 31 9 5:30 pm day week minutes tomorrow noon the 1st to call 2026-02-30 ２ 99:99"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12))
def test_words_of_times_in_any_order_are_read_within_the_bounds(parts: list[str]) -> None:
    found = plain(" ".join(parts), NOW)
    assert not isinstance(found, Wish) or (found.due_at > NOW and 0 < len(found.text) <= LONGEST_REMINDER)
