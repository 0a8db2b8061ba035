"""Tests of reading a reminder from the JSON object that a model returned."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from records.reminders import NewReminder
from reminders.arguments import parse_reminder

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 14, 20, tzinfo=BERLIN)  # a Sunday


def format_reminder(found: NewReminder | str | None) -> tuple[str, str, str] | None:
    """Return the due time in Berlin, the repetition and the text of a reminder."""
    assert not isinstance(found, str)
    return (f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.repeat, found.text) if found else None


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"text": "call mum", "at": "2026-11-27T09:00"}, ("27.11.26 09:00", "", "call mum")),
        ({"text": "vote", "at": "2026-12-01"}, ("01.12.26 09:00", "", "vote")),
        ({"text": "stretch", "at": None, "in_minutes": 20, "repeat": "none"}, ("22.11.26 14:40", "", "stretch")),
        ({"text": "rent", "at": "2026-11-01T09:00", "repeat": "monthly"}, ("01.12.26 09:00", "monthly", "rent")),
        ({"text": "pills", "at": "2026-11-22T08:00", "repeat": "daily"}, ("23.11.26 08:00", "daily", "pills")),
        ({"text": "late", "at": "2026-11-22T08:00"}, None),
        ({"text": "call", "at": "2026-11-27T09:00:30"}, ("27.11.26 09:00", "", "call")),
        ({"text": "call", "at": "2026-11-27T09:00:00Z"}, ("27.11.26 09:00", "", "call")),
        ({"text": "call", "at": "2026-11-27T09:00+03:00"}, ("27.11.26 07:00", "", "call")),
        ({"text": "call", "at": "2026-11-27T09:00-05:00", "repeat": "daily"}, ("27.11.26 15:00", "daily", "call")),
        ({"text": "call", "at": "2026-02-30T09:00"}, None),
        ({"text": "call", "at": "2026-11-27T25:00"}, None),
        ({"text": "call", "at": "0001-01-01T00:00+14:00"}, None),
        ({"text": "", "at": "2026-11-27T09:00"}, None),
        ({"text": "x", "at": "next Friday"}, None),
        ({"text": "x", "at": "2026-11-27T09:00", "repeat": "hourly"}, None),
        ({"text": "x", "at": "9999-12-31T23:59", "repeat": "weekly"}, None),
        ({"text": "x", "in_minutes": True}, None),
        ({"text": "x", "at": 1796284800}, None),
        ({"text": "x", "at": "2025-12-03T09:00"}, None),
        ({"text": "x", "at": "tomorrow 9am"}, None),
        ({"text": "call", "at": "2026-12-03 09:00"}, ("03.12.26 09:00", "", "call")),
        ({"text": "call", "at": "2026-12-03T09:00:00.000Z"}, ("03.12.26 09:00", "", "call")),
        ({"text": "stretch", "in_minutes": "20"}, ("22.11.26 14:40", "", "stretch")),
        ({"text": "stretch", "in_minutes": 20.5}, None),
        ({"text": "stretch", "in_minutes": 20.0}, ("22.11.26 14:40", "", "stretch")),
        ({"text": "stretch", "in_minutes": "20.0"}, ("22.11.26 14:40", "", "stretch")),
        ({"text": "call", "at": "2026-12-03T9:05"}, ("03.12.26 09:05", "", "call")),
        ({"text": "stretch", "in_minutes": "20 minutes"}, None),
        ({"text": "call", "at": "2026-12-01T09:00 Europe/London"}, None),
        ({"text": ["x"], "in_minutes": 5}, None),
        ({"text": "call \ud83d mum", "in_minutes": 20}, ("22.11.26 14:40", "", "call \ufffd mum")),
    ],
)
def test_parses_reminder_arguments(given_: dict[str, object], expected: tuple[str, str, str] | None) -> None:
    assert format_reminder(parse_reminder(given_, NOW)) == expected


@pytest.mark.parametrize(
    ("rule", "weekdays", "due"),
    [
        ({"repeat": "weekly", "weekdays": ["Monday", "Thursday"]}, (0, 3), "26.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": "thursday, monday"}, (0, 3), "26.11.26 09:00"),
        ({"repeat": "daily", "weekdays": ["MO", "TU", "WE", "TH", "FR"]}, (0, 1, 2, 3, 4), "25.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": ["Friday"]}, (), "27.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": []}, (), "25.11.26 09:00"),
        ({"repeat": None, "weekdays": ["Monday"]}, (), "25.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": ["Monday", "holidays"]}, None, None),
        ({"repeat": "weekly", "weekdays": "weekdays"}, None, None),
        ({"repeat": "none", "weekdays": "none"}, (), "25.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": "Monday and Thursday"}, (0, 3), "26.11.26 09:00"),
        ({"repeat": "every week", "weekdays": "Mon"}, (), "30.11.26 09:00"),
        ({"repeat": "FREQ=WEEKLY;BYDAY=MO,TH"}, (0, 3), "26.11.26 09:00"),
        ({"repeat": "RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO"}, (), "30.11.26 09:00"),
        ({"repeat": "every day"}, (), "25.11.26 09:00"),
        ({"repeat": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"}, None, None),
        ({"repeat": "every other week"}, None, None),
        ({"repeat": "once"}, (), "25.11.26 09:00"),
        ({"repeat": "never", "weekdays": "null"}, (), "25.11.26 09:00"),
        ({"repeat": "every morning"}, None, None),
        ({"repeat": "weekly", "weekdays": "third"}, None, None),
        ({"repeat": "every Monday"}, (), "30.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": "Mondays, weds"}, (0, 2), "25.11.26 09:00"),
        ({"repeat": "weekly", "weekdays": "Mon-Fri"}, None, None),
        ({"repeat": "weekly", "weekdays": "Mon – Fri"}, None, None),
        ({"repeat": "every"}, None, None),
        ({"repeat": "every week day"}, None, None),
        ({"repeat": "monthly on day 1"}, None, None),
        ({"repeat": "every month on Monday"}, None, None),
        ({"repeat": "monthly", "weekdays": "Tue"}, None, None),
    ],
)
def test_parses_weekdays_and_repeat_rules(
    rule: dict[str, object], weekdays: tuple[int, ...] | None, due: str | None
) -> None:
    found = parse_reminder({"text": "gym", "at": "2026-11-25T09:00", **rule}, NOW)  # a Wednesday
    assert (found and found.weekdays, found and f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}") == (weekdays, due)


def test_in_minutes_is_exact_across_dst_change() -> None:
    found = parse_reminder({"text": "x", "in_minutes": 120}, datetime(2027, 3, 28, 1, 30, tzinfo=BERLIN))
    assert found is not None
    assert found.due_at == datetime(2027, 3, 28, 2, 30, tzinfo=UTC)
