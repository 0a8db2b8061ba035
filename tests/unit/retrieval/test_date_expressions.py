"""Tests of times that a question names, in the bot's seven languages, as seen from a Saturday in November."""

from datetime import UTC, date, datetime

import pytest

from retrieval.date_expressions import find_time_ranges
from text.analyzer import fold_accents, normalize_text

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def list_date_ranges(question: str) -> list[tuple[date, date]]:
    return [
        (period.start.date(), period.end.date())
        for period in find_time_ranges(fold_accents(normalize_text(question)), NOW)
    ]


def list_start_dates(question: str) -> set[date]:
    return {start for start, _ in list_date_ranges(question)}


@pytest.mark.parametrize(
    "question",
    [
        "What did I buy last Tuesday?",
        "Was habe ich letzten Dienstag gekauft?",
        "¿Qué compré el martes pasado?",
        "O que comprei na terça passada?",
        "Что я купил в прошлый вторник?",
        "ماذا اشتريت يوم الثلاثاء الماضي؟",
        "我上周二买了什么？",
    ],
)
def test_recognizes_last_weekday_in_every_language(question: str) -> None:
    assert (date(2026, 11, 17), date(2026, 11, 18)) in list_date_ranges(question)


def test_last_weekday_may_also_mean_previous_week() -> None:
    assert list_start_dates("last Tuesday") == {date(2026, 11, 17), date(2026, 11, 10)}
    assert list_start_dates("on Tuesday") == {date(2026, 11, 17)}
    assert list_start_dates("on Saturday") == {date(2026, 11, 14)}


@pytest.mark.parametrize(
    "question", ["What do I do on Tuesdays?", "next Tuesday", "nächsten Dienstag", "下周二", "каждый вторник"]
)
def test_recurring_and_future_days_yield_no_range(question: str) -> None:
    assert not list_date_ranges(question)


def test_explicit_date_takes_precedence_over_weekday() -> None:
    assert list_start_dates("What was on Tuesday, 3 March 2026?") == {date(2026, 3, 3)}


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("two years ago", date(2024, 1, 1)),
        ("两年前", date(2024, 1, 1)),
        ("二年前", date(2024, 1, 1)),
        ("hace dos años", date(2024, 1, 1)),
        ("два года назад", date(2024, 1, 1)),
        ("قبل سنتين", date(2024, 1, 1)),
        ("three weeks ago", date(2026, 10, 26)),
        ("三个星期前", date(2026, 10, 26)),
        ("vor drei Wochen", date(2026, 10, 26)),
        ("十二天前", date(2026, 11, 9)),
        ("неделю назад", date(2026, 11, 9)),
        ("منذ شهر", date(2026, 10, 1)),
        ("前天", date(2026, 11, 19)),
        ("vorgestern", date(2026, 11, 19)),
        ("за май", date(2026, 5, 1)),
        ("в мае", date(2026, 5, 1)),
    ],
)
def test_recognizes_past_period_in_question(question: str, start: date) -> None:
    assert start in list_start_dates(question)
