"""Times that a question names, in the seven languages of the bot, as seen from a Saturday in November."""

from datetime import UTC, date, datetime

import pytest

from retrieval.date_expressions import find_time_ranges
from text.analyzer import fold_accents, normalize_text

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def spans(question: str) -> list[tuple[date, date]]:
    return [
        (period.start.date(), period.end.date())
        for period in find_time_ranges(fold_accents(normalize_text(question)), NOW)
    ]


def begins(question: str) -> set[date]:
    return {start for start, _ in spans(question)}


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
def test_a_weekday_is_the_latest_one(question: str) -> None:
    assert (date(2026, 11, 17), date(2026, 11, 18)) in spans(question)


def test_last_may_also_mean_last_week() -> None:
    assert begins("last Tuesday") == {date(2026, 11, 17), date(2026, 11, 10)}
    assert begins("on Tuesday") == {date(2026, 11, 17)}
    assert begins("on Saturday") == {date(2026, 11, 14)}


@pytest.mark.parametrize(
    "question", ["What do I do on Tuesdays?", "next Tuesday", "nächsten Dienstag", "下周二", "каждый вторник"]
)
def test_habits_and_days_to_come_name_no_earlier_day(question: str) -> None:
    assert not spans(question)


def test_a_date_is_not_overruled_by_its_weekday() -> None:
    assert begins("What was on Tuesday, 3 March 2026?") == {date(2026, 3, 3)}


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
def test_so_long_ago(question: str, start: date) -> None:
    assert start in begins(question)
