"""Tests of time zones in the spellings that people use."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.prompts import format_current_time
from text.time_zones import (
    PARTS_OF_HOURS,
    find_similar_zone_names,
    find_zone_name,
    find_zone_of_offset,
    format_time_at_offset,
    format_zone_name,
    list_utc_offsets,
)

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "name"),
    [("Europe/Berlin", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"), ("Tokyo", "Asia/Tokyo"), ("UTC", "")],
)
def test_finds_zone_by_name_or_city(words: str, name: str) -> None:
    assert find_zone_name(words) == name
    assert find_zone_name(f"{words}x") is None


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Los_Angeles", "America/Los_Angeles"),
        ("lisbon, Portugal", "Europe/Lisbon"),
        ("São Paulo", "America/Sao_Paulo"),
        ("İstanbul", None),  # in Asia and in Europe
        ("Europe/İstanbul", "Europe/Istanbul"),
        ("nowhere at all", None),
        ("", None),
    ],
)
def test_finds_zone_by_city_in_any_spelling(words: str, name: str | None) -> None:
    assert find_zone_name(words) == name


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("GMT-5", -5),
        ("gmt - 5", -5),
        ("UTC+3", 3),
        ("+3", 3),
        ("+03:00", 3),
        ("UTC−8", -8),
        ("+0530", 5.5),
        ("UTC+5:45", 5.75),
        ("GMT+14", 14),
        ("Etc/GMT-5", 5),
    ],
)
def test_parses_utc_offset_with_everyday_sign(words: str, hours: float) -> None:
    name = find_zone_name(words)
    assert name
    assert NOON.astimezone(ZoneInfo(name)).utcoffset() == timedelta(hours=hours)


def test_zero_offset_is_utc_and_impossible_offset_is_none() -> None:
    assert [find_zone_name(words) for words in ("GMT+0", "utc-00:00", "GMT")] == ["", "", ""]
    assert [find_zone_name(words) for words in ("UTC+15", "UTC-13", "UTC+1:20", "+99", "UTC+1:75", "5")] == [None] * 6


def test_formats_utc_offset_with_everyday_sign() -> None:
    assert [format_zone_name(name) for name in ("Etc/GMT+5", "Etc/GMT-3", "Etc/GMT-0", "", "Europe/Berlin")] == [
        *("UTC-5", "UTC+3", "UTC", "UTC", "Europe/Berlin")
    ]
    assert "07:00 UTC-5. Today is Saturday." in format_current_time(NOON.astimezone(ZoneInfo("Etc/GMT+5")))


def test_offset_tables_name_existing_zones() -> None:
    assert {find_zone_of_offset(offset) or "UTC" for offset in list_utc_offsets()} <= available_timezones()
    for minutes, name in PARTS_OF_HOURS.items():
        for month in range(1, 13):
            assert NOON.replace(month=month).astimezone(ZoneInfo(name)).utcoffset() == timedelta(minutes=minutes)


def test_times_at_offsets_are_distinct_and_ordered_west_to_east() -> None:
    shown = [format_time_at_offset(NOON, offset) for offset in list_utc_offsets()]
    assert len(set(shown)) == len(shown) == 32
    assert (shown[0], shown[-1]) == ("02:00", "01:00")
    assert "17:30" in shown


def test_finds_similar_zone_names() -> None:
    assert find_similar_zone_names("berl") == ["Europe/Berlin"]
    assert "America/Los_Angeles" in find_similar_zone_names("los angels")
    assert find_similar_zone_names("x" * 10_000) == []


@given(st.text(max_size=80))
def test_find_zone_name_returns_existing_zone_or_none(words: str) -> None:
    name = find_zone_name(words)
    assert name is None or name == "" or name in available_timezones()
