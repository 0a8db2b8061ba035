"""Tests of converting wall-clock times to UTC, and of the next time of a repetition."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.reminders import REPEATS, Repeat
from text.time_zones import find_next_repetition, to_utc

# ruff: noqa: DTZ001 - wall clocks have no zone
BERLIN = ZoneInfo("Europe/Berlin")


def test_skipped_or_repeated_wall_time_maps_to_one_moment() -> None:
    assert to_utc(datetime(2026, 3, 29, 2, 30), BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert to_utc(datetime(2026, 10, 25, 2, 30), BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert to_utc(datetime(2026, 10, 25, 2, 30), None) == datetime(2026, 10, 25, 2, 30, tzinfo=UTC)


def test_monthly_repetition_on_31st_uses_last_day_of_short_months() -> None:
    local, seen = datetime(2026, 1, 31, 9), []
    for _ in range(4):
        following = find_next_repetition(local, "monthly", 31, after=local)
        assert following is not None
        local = following
        seen.append((local.month, local.day))
    assert seen == [(2, 28), (3, 31), (4, 30), (5, 31)]


@pytest.mark.parametrize("repeat", REPEATS)
@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1))
)
def test_next_repetition_is_after_now_and_skips_no_period(repeat: Repeat, local: datetime, now: datetime) -> None:
    found = find_next_repetition(local, repeat, local.day if repeat == "monthly" else 0, after=now)
    assert found is not None
    assert found > max(local, now)
    assert found.time() == local.time()
    longest = {"daily": 1, "weekly": 7, "monthly": 31}[repeat]
    assert found - max(local, now) <= timedelta(days=longest)


def test_single_event_has_no_next_repetition() -> None:
    assert find_next_repetition(datetime(2026, 1, 1), "", 0, after=datetime(2026, 1, 1)) is None
