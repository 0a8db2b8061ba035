"""Tests of /forget targets: parsing of arguments, and button payloads that expire after ten minutes."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.catalog import use_language
from telegram_ui.commands.buttons import MAX_PAYLOAD_CHARS
from telegram_ui.commands.forget_targets import BUTTON_LIFETIME, ForgetTarget, parse_forget_argument

NOW = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)
JANUARY = ForgetTarget(kind="days", first=date(2026, 1, 1), last=date(2026, 1, 31))


def make_day_target(day: int, *, month: int = 11) -> ForgetTarget:
    return ForgetTarget(kind="days", first=date(2026, month, day), last=date(2026, month, day))


targets = st.one_of(
    st.builds(ForgetTarget, kind=st.sampled_from(["message", "turn", "fact"]), number=st.integers(-(10**15), 10**15)),
    st.builds(ForgetTarget, kind=st.just("turn"), number=st.integers(1, 10**7), request=st.integers(1, 10**7)),
    st.tuples(st.dates(date(1970, 1, 1)), st.dates(date(1970, 1, 1))).map(
        lambda pair: ForgetTarget(kind="days", first=min(pair), last=max(pair))
    ),
    st.builds(
        ForgetTarget,
        kind=st.sampled_from(["found", "found turns"]),
        key=st.from_regex(r"[A-Za-z0-9_-]{8}", fullmatch=True),
    ),
    st.just(ForgetTarget(kind="everything")),
)


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("#12", ForgetTarget(kind="turn", number=12)),
        ("#-7", ForgetTarget(kind="turn", number=-7)),
        ("fact 12", ForgetTarget(kind="fact", number=12)),
        ("Fact #3", ForgetTarget(kind="fact", number=3)),
        ("everything", ForgetTarget(kind="everything")),
        (" ALL ", ForgetTarget(kind="everything")),
        ("2026-01-01 2026-01-31", JANUARY),
        ("2026-01-31 to 2026-1-1", JANUARY),
        ("2026-01-01..2026-01-31", JANUARY),
        ("2026-01-05", make_day_target(5, month=1)),
        ("5.1.2026", make_day_target(5, month=1)),
        ("1.1.2026 bis 31.1.2026", JANUARY),
        ("1 January – 31 January", JANUARY),
        ("1. Januar - 31. Januar 2026", JANUARY),
        ("1月1日—1月31日", JANUARY),
        ("1-31 January", JANUARY),
        ("January 1–31, 2026", JANUARY),
        ("1.-31. Januar", JANUARY),
        ("1 al 31 de enero", JANUARY),
        ("1 по 31 января 2026", JANUARY),
        ("1 January 2026 - 31 January 2026", JANUARY),
        ("walnuts – 3 June", None),
        ("3 June", make_day_target(3, month=6)),
        ("3. Juni 2026", make_day_target(3, month=6)),
        ("3 de junho de 2026", make_day_target(3, month=6)),
        ("3 июня", make_day_target(3, month=6)),
        ("6月3日", make_day_target(3, month=6)),
        ("3 يونيو", make_day_target(3, month=6)),
        ("Today", make_day_target(21)),
        ("gestern", make_day_target(20)),
        ("сегодня", make_day_target(21)),
        ("昨天", make_day_target(20)),
        ("أمس", make_day_target(20)),
        ("hace 3 días", make_day_target(18)),
        ("last week", ForgetTarget(kind="days", first=date(2026, 11, 9), last=date(2026, 11, 15))),
        ("esta semana", ForgetTarget(kind="days", first=date(2026, 11, 16), last=date(2026, 11, 21))),
        ("Fakt 12", ForgetTarget(kind="fact", number=12)),
        ("معلومة 12", ForgetTarget(kind="fact", number=12)),
        ("Alles", ForgetTarget(kind="everything")),
    ],
)
def test_parses_forget_argument_as_target(words: str, target: ForgetTarget) -> None:
    with use_language("de"):
        assert parse_forget_argument(words, NOW) == target


@pytest.mark.parametrize(
    "words",
    [
        *("my cat", "12", "everything about my cat", "fact", "2026-01", "#", "# 1 2", "todo"),
        *("yesterday's walk", "the code word of today", "2026", "May", "summer", "tomorrow", "Friday"),
        *("31-1 January", "1st January 31st", "3-4 eggs", "room 12-14", "1 y 5 de mayo", "1 и 5 мая"),
        *("the 3 June walk", "walk 2026-01-01", "2026-01-01 and somebody 2026-01-02"),
    ],
)
def test_parse_forget_argument_returns_none_for_search_text(words: str) -> None:
    with use_language("de"):
        assert parse_forget_argument(words, NOW) is None


@pytest.mark.parametrize(
    "words", ["2026-02-30", "31.2.2026", "30 February", "0000-01-01", "9999-12-31", "2026-01-01 2026-13-01"]
)
def test_rejects_nonexistent_date(words: str) -> None:
    with pytest.raises(ValueError, match=r"\d|February|day|month|year"):
        parse_forget_argument(words, NOW)


@given(target=targets, now=st.datetimes(datetime(2026, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_button_payload_round_trips_until_expiry(target: ForgetTarget, now: datetime) -> None:
    text = target.make_button_payload(now)
    assert len(text) <= MAX_PAYLOAD_CHARS
    assert ":" not in text
    assert (
        ForgetTarget.parse_button_payload(text, now)
        == ForgetTarget.parse_button_payload(text, now + BUTTON_LIFETIME - timedelta(seconds=1))
        == target
    )
    assert ForgetTarget.parse_button_payload(text, now + BUTTON_LIFETIME + timedelta(minutes=1)) is None


def test_button_payload_omits_request_that_does_not_fit() -> None:
    target = ForgetTarget(kind="turn", number=10**14, request=10**14, with_quotes=True)
    assert ForgetTarget.parse_button_payload(target.make_button_payload(NOW), NOW) == ForgetTarget(
        kind="turn", number=10**14, with_quotes=True
    )


def test_forget_days_request_uses_local_midnight() -> None:
    found = JANUARY.make_request_to_forget_days(ZoneInfo("America/New_York"))
    assert (found.since, found.until) == (datetime(2026, 1, 1, 5, tzinfo=UTC), datetime(2026, 2, 1, 5, tzinfo=UTC))


def test_rejects_button_payload_of_earlier_version() -> None:
    assert ForgetTarget.parse_button_payload("12", datetime.now(UTC)) is None
