"""Times that a question names, in many languages, as seen from a Saturday in November."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from retrieval.date_expressions import days_named, from_events, open_from_events, ranges
from text.analyzer import folded, normal

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def spans(question: str) -> list[tuple[date, date]]:
    return [(one.start.date(), one.end.date()) for one in ranges(folded(normal(question)), NOW)]


def begins(question: str) -> set[date]:
    return {start for start, _ in spans(question)}


@pytest.mark.parametrize(
    "question",
    [
        "What did I buy last Tuesday?",
        "Was habe ich letzten Dienstag gekauft?",
        "Qu'ai-je acheté mardi dernier ?",
        "¿Qué compré el martes pasado?",
        "O que comprei na terça passada?",
        "Cosa ho comprato martedì scorso?",
        "Wat kocht ik vorige dinsdag?",
        "Geçen salı ne aldım?",
        "Co kupiłem w zeszły wtorek?",
        "Что я купил в прошлый вторник?",
        "ماذا اشتريت يوم الثلاثاء الماضي؟",
        "我上周二买了什么？",
        "先週の火曜日に何を買った？",
        "지난주 화요일에 뭘 샀지?",
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
    ("question", "start", "end"),
    [
        ("last summer", date(2026, 6, 1), date(2026, 9, 1)),
        ("letzten Sommer", date(2026, 6, 1), date(2026, 9, 1)),
        ("прошлым летом", date(2026, 6, 1), date(2026, 9, 1)),
        ("el verano pasado", date(2026, 6, 1), date(2026, 9, 1)),
        ("去年夏天", date(2025, 6, 1), date(2025, 9, 1)),
        ("去年の夏に", date(2025, 6, 1), date(2025, 9, 1)),
        ("summer of 2023", date(2023, 6, 1), date(2023, 9, 1)),
        ("this autumn", date(2026, 9, 1), date(2026, 12, 1)),
        ("last fall", date(2025, 9, 1), date(2025, 12, 1)),
        ("that winter", date(2025, 12, 1), date(2026, 3, 1)),
    ],
)
def test_a_season_is_the_latest_that_fits(question: str, start: date, end: date) -> None:
    assert (start, end) in spans(question)


@pytest.mark.parametrize(
    "question", ["A broken spring of a mattress", "Did I fall down?", "ob wir das sommerlich fanden"]
)
def test_words_that_are_no_seasons(question: str) -> None:
    assert not spans(question)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("two years ago", date(2024, 1, 1)),
        ("两年前", date(2024, 1, 1)),
        ("二年前", date(2024, 1, 1)),
        ("이 년 전", date(2024, 1, 1)),
        ("hace dos años", date(2024, 1, 1)),
        ("два года назад", date(2024, 1, 1)),
        ("قبل سنتين", date(2024, 1, 1)),
        ("three weeks ago", date(2026, 10, 26)),
        ("三週間前", date(2026, 10, 26)),
        ("三个星期前", date(2026, 10, 26)),
        ("vor drei Wochen", date(2026, 10, 26)),
        ("üç hafta önce", date(2026, 10, 26)),
        ("trzy tygodnie temu", date(2026, 10, 26)),
        ("drie weken geleden", date(2026, 10, 26)),
        ("十二天前", date(2026, 11, 9)),
        ("неделю назад", date(2026, 11, 9)),
        ("rok temu", date(2025, 1, 1)),
        ("منذ شهر", date(2026, 10, 1)),
        ("前天", date(2026, 11, 19)),
        ("vorgestern", date(2026, 11, 19)),
        ("за май", date(2026, 5, 1)),
        ("в мае", date(2026, 5, 1)),
    ],
)
def test_so_long_ago(question: str, start: date) -> None:
    assert start in begins(question)


@pytest.mark.parametrize(
    ("question", "event", "days"),
    [
        ("What did I buy two weeks before the wedding?", "wedding", -14),
        ("The day after the interview, whom did I meet?", "interview", 1),
        ("Was kaufte ich zwei Wochen vor der Hochzeit?", "hochzeit", -14),
        ("Qu'ai-je acheté deux semaines avant le mariage ?", "mariage", -14),
        ("¿Qué compré dos semanas antes de la boda?", "boda", -14),
        ("Cosa ho comprato due settimane prima del matrimonio?", "matrimonio", -14),
        ("Что я купил за две недели до свадьбы?", "свадьбы", -14),
        ("Что было через месяц после переезда?", "переезда", 30),
        ("Düğünden iki hafta önce ne aldım?", "düğün", -14),
        ("Co kupiłem dwa tygodnie przed ślubem?", "ślubem", -14),
        ("ماذا اشتريت قبل أسبوعين من الزفاف؟", "الزفاف", -14),
        ("婚礼前两周我买了什么？", "婚礼", -14),
        ("結婚式の二週間前に何を買った？", "結婚式", -14),
        ("결혼식 2주 전에 뭘 샀지?", "결혼식", -14),
    ],
)
def test_a_time_told_from_an_event(question: str, event: str, days: int) -> None:
    (relative,) = from_events(normal(question))
    assert event in relative.event
    assert relative.days == days
    assert not spans(question), "it is not so long ago from now"
    day = datetime(2026, 6, 20, tzinfo=UTC)
    around = relative.range(day)
    assert around.start < day + timedelta(days=days) < around.end


@pytest.mark.parametrize(
    ("question", "event", "is_before"),
    [
        ("What did I eat before the wedding?", "the wedding", True),
        ("What have I bought since I moved to Lyon?", "i moved to lyon", False),
        ("Was habe ich gemacht, seitdem ich umgezogen bin?", "ich umgezogen bin", False),
        ("Qu'ai-je acheté avant le mariage ?", "le mariage", True),
        ("¿Qué he comprado desde que me mudé?", "me mudé", False),
        ("O que comprei depois do casamento?", "casamento", False),
        ("Cosa ho comprato dopo il matrimonio?", "il matrimonio", False),
        ("Wat kocht ik voordat ik verhuisde?", "ik verhuisde", True),
        ("Düğünden önce ne aldım?", "düğün", True),
        ("Co kupiłem przed ślubem?", "ślubem", True),
        ("Что я купил после свадьбы?", "свадьбы", False),
        ("ماذا اشتريت قبل الزفاف؟", "الزفاف", True),
        ("婚礼之前我买了什么？", "婚礼", True),
        ("結婚式の前に何を買った？", "結婚式", True),
        ("결혼식 전에 뭘 샀어?", "결혼식", True),
    ],
)
def test_a_time_before_or_since_an_event(question: str, event: str, is_before: bool) -> None:
    (relative,) = open_from_events(normal(question))
    assert relative.event == event
    day = datetime(2026, 6, 20, 15, tzinfo=UTC)
    around = relative.range(day)
    assert around.is_open
    assert (around.end if is_before else around.start) == day.replace(hour=0)


@pytest.mark.parametrize(
    "question",
    [
        "What did I do after that?",
        "What did I eat before lunch?",
        "What did I buy two weeks before the wedding?",
        "What happened after 3 May?",
        "Who came before me?",
        "What came before the day after the night since I moved?",
    ],
)
def test_what_is_before_or_after_no_event_of_its_own(question: str) -> None:
    assert not open_from_events(normal(question))


@pytest.mark.parametrize(
    ("zone", "summer"),
    [
        ("Europe/Berlin", (date(2026, 6, 1), date(2026, 9, 1))),
        ("Australia/Sydney", (date(2025, 12, 1), date(2026, 3, 1))),
        ("America/Sao_Paulo", (date(2025, 12, 1), date(2026, 3, 1))),
    ],
)
def test_seasons_are_those_of_the_half_of_the_earth(zone: str, summer: tuple[date, date]) -> None:
    [found] = ranges("last summer", NOW.astimezone(ZoneInfo(zone)))
    assert (found.start.date(), found.end.date()) == summer


@pytest.mark.parametrize("question", ["What happened two weeks ago?", "两年前我在哪里？", "Who came before me?"])
def test_what_is_told_from_no_event(question: str) -> None:
    assert not from_events(normal(question))


def test_a_message_tells_of_days_to_come() -> None:
    said = datetime(2026, 5, 4, 9, tzinfo=UTC)
    assert [one.start.date() for one in days_named("the wedding is on 20 june", said)] == [date(2026, 6, 20)]
    assert [one.start.date() for one in days_named("the interview is on friday", said)] == [date(2026, 5, 8)]
    assert not days_named("we married last year", said)
