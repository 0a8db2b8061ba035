"""Time expressions of a question, resolved by rule against its clock into ranges of time. Pure.

Owns the month names and relative words of the languages it knows; what it does not know it leaves alone, since a range
only boosts and never filters. Does not know what is ranked.
"""

# ruff: noqa: E501, ISC004 - words of many languages, in patterns

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

# Month names as prefixes of folded words, January first, by language; a case ending of up to four letters may follow.
_MONTHS = (
    "january february march april may june july august september october november december",
    "januar februar maerz|marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "ocak|ocag subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik|aralig",
    "stycz lut maj~ kwie maj czerw lip sierp wrzes|wrzesn pazdz listopad grud",
    "январ феврал март апрел ма июн июл август сентябр октябр ноябр декабр",
    "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
)
# "May", "mars", "lip", "mei" and the like are words too: these count only beside a number or "last, this, next".
_AMBIGUOUS = frozenset(
    {
        "may",
        "march",
        "mars",
        "marco",
        "lut",
        "maj",
        "maj~",
        "lip",
        "ma",
        "mai",
        "mei",
        "mart",
        "listopad",
        "ekim",
        "ocak",
        "stycz",
    }
)
_RUSSIAN_MAY = frozenset({"май", "мая", "мае", "маю", "маем"})

# Relative expressions over folded text: pattern, unit, how many units back the range starts, length in units.
_RELATIVE: tuple[tuple[str, str, int, int], ...] = tuple(
    (pattern, unit, back, 1)
    for unit, back, pattern in (
        (
            "day",
            0,
            r"\btoday\b|\bheute\b|\baujourd'hui\b|\bhoy\b|\bhoje\b|\boggi\b|\bvandaag\b|\bbugun\b|\bсегодня\b|\bاليوم\b|今天|今日|오늘",
        ),
        (
            "day",
            1,
            r"\byesterday\b|\bgestern\b|\bhier\b|\bayer\b|\bontem\b|\bieri\b|\bgisteren\b|\bdun\b|\bвчера\b|\b(?:ال)?امس\b|昨天|昨日|きのう|어제",
        ),
        (
            "week",
            1,
            r"\blast week\b|\bletzte[nr]? woche\b|\bsemaine derniere\b|\bsemana pasada\b|\bsemana passada\b|\bsettimana scorsa\b"
            r"|\bvorige week\b|\bgecen hafta\b|\bна прошлой неделе\b|\bالاسبوع الماضي\b|上周|上个?星期|先週|지난주",
        ),
        (
            "month",
            1,
            r"\blast month\b|\bletzten monat\b|\bmois dernier\b|\bmes pasado\b|\bmes passado\b|\bmese scorso\b|\bvorige maand\b"
            r"|\bgecen ay\b|\bв прошлом месяце\b|\bالشهر الماضي\b|上个?月|先月|지난달",
        ),
        (
            "year",
            1,
            r"\blast year\b|\bletztes jahr\b|\bl'annee derniere\b|\bano pasado\b|\bano passado\b|\banno scorso\b|\bvorig jaar\b"
            r"|\bgecen yil\b|\bв прошлом году\b|\bالعام الماضي\b|\bالسنه الماضيه\b|去年|昨年|작년",
        ),
        (
            "week",
            0,
            r"\bthis week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b|\bquesta settimana\b|\bbu hafta\b|\bна этой неделе\b|这周|本周|今週",
        ),
        (
            "month",
            0,
            r"\bthis month\b|\bdiesen monat\b|\bce mois\b|\beste mes\b|\beste mes\b|\bquesto mese\b|\bbu ay\b|\bв этом месяце\b|这个月|本月|今月",
        ),
        (
            "year",
            0,
            r"\bthis year\b|\bdieses jahr\b|\bcette annee\b|\beste ano\b|\bquest'anno\b|\bbu yil\b|\bв этом году\b|\bهذا العام\b|今年",
        ),
    )
)
_AGO = re.compile(
    r"(\d+|an?|one|two|three|four|five|six|ein(?:e[mnr]?)?|zwei|drei|dos|tres|deux|trois|un[ae]?|iki|uc|две?|три|два)\s*"
    r"(day|tag|jour|dia|giorn|gun|дн|ден|week|woche|semaine|seman|settiman|hafta|недел|month|monat|mois|mes|mese|ay|месяц|year|jahr|an|ano|ann|yil|год|лет)\w*\s*"
    r"(?:ago|once|назад|atras|fa|before now)|(?:vor|il y a|hace)\s+(\d+|\w+)\s+(tag|jour|dia|woche|semaine|seman|monat|mois|mes|jahr|an|ano)\w*|(\d+)\s*(天|日|周|週間|个?月|か月|ヶ月|年)前"
)
_COUNT = {
    w: n
    for n, ws in enumerate(
        (
            "",
            "a an one ein eine einem einen einer un una une",
            "two zwei dos deux iki два две",
            "three drei tres trois uc три",
            "four",
            "five",
            "six",
        )
    )
    for w in ws.split()
}
_UNIT = {
    "day": "day tag jour dia giorn gun дн ден 天 日",
    "week": "week woche semaine seman settiman hafta недел 周 週間",
    "month": "month monat mois mes mese ay месяц 月 个月 か月 ヶ月",
    "year": "year jahr an ano ann yil год лет 年",
}
_UNIT_OF = {word: unit for unit, words in _UNIT.items() for word in words.split()}


@dataclass(frozen=True, kw_only=True)
class Range:
    """A stretch of time that a question names: [start, end), and the words that named it."""

    start: datetime
    end: datetime
    words: str


def _month(word: str) -> tuple[int, bool]:
    """Number of the month a folded word names (0 = none), and whether it may be another word."""
    if word in _RUSSIAN_MAY:
        return 5, word == "мае"
    for names in _MONTHS:
        for number, name in enumerate(names.split(), 1):
            for form in name.split("|"):
                if word == form or (len(form) > 3 and word.startswith(form) and len(word) - len(form) <= 4):
                    return number, form in _AMBIGUOUS
    return 0, False


def _span(year: int, month: int = 0, day: int = 0, *, like: datetime) -> tuple[datetime, datetime] | None:
    try:
        start = like.replace(year=year, month=month or 1, day=day or 1, hour=0, minute=0, second=0, microsecond=0)
        if day:
            return start, start + timedelta(days=1)
        return start, start.replace(year=year + (month in (0, 12)), month=month % 12 + 1 if month else 1)
    except ValueError:
        return None


def _back(clock: datetime, unit: str, back: int) -> tuple[datetime, datetime] | None:
    day = clock.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return day - timedelta(days=back), day - timedelta(days=back - 1)
    if unit == "week":
        start = day - timedelta(days=day.weekday() + 7 * back)
        return start, start + timedelta(days=7)
    if unit == "month":
        months = day.year * 12 + day.month - 1 - back
        return _span(months // 12, months % 12 + 1, like=day)
    return _span(day.year - back, like=day)


def _found(text: str, clock: datetime) -> Iterator[tuple[tuple[datetime, datetime] | None, str]]:
    for m in re.finditer(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b", text):
        yield _span(int(m[1]), int(m[2]), int(m[3]), like=clock), m[0]
    for m in re.finditer(r"\b(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)\b", text):
        yield _span(int(m[3]), int(m[2]), int(m[1]), like=clock), m[0]
    for m in re.finditer(r"(?:((?:19|20)\d\d)\s*[年년]\s*)?(1[0-2]|[1-9])\s*[月월](?:\s*(\d\d?)\s*[日号號일])?", text):
        month = int(m[2])
        year = int(m[1]) if m[1] else clock.year - (month > clock.month)
        yield _span(year, month, int(m[3] or 0), like=clock), m[0]
    words = list(re.finditer(r"\w+", text))
    dated = False
    for k, w in enumerate(words):
        month, unsure = _month(w[0])
        if not month:
            continue
        near = [words[j][0] if 0 <= j < len(words) else "" for j in (k - 2, k - 1, k + 1, k + 2, k + 3)]
        days = [int(n.rstrip("stndrh")) for n in near[:3] if re.fullmatch(r"\d\d?(?:st|nd|rd|th)?", n)]
        day = days[0] if days else 0
        year = next((int(n) for n in near[2:] + near[:2] if re.fullmatch(r"(?:19|20)\d\d", n)), 0)
        if unsure and not (
            day or year or near[1] in ("in", "last", "this", "next", "of", "since", "en", "im", "в", "w", "em", "de")
        ):
            continue
        dated = dated or bool(year)
        yield _span(year or clock.year - (month > clock.month), month, day if 0 < day < 32 else 0, like=clock), w[0]
    if not dated:
        for m in re.finditer(r"(?<![\d.-])((?:19|20)\d\d)(?![\d.-]|\s*[月월])\s*[年년]?(?!\s*\d+\s*[月월])", text):
            yield _span(int(m[1]), like=clock), m[0]
    for pattern, unit, back, _ in _RELATIVE:
        for m in re.finditer(pattern, text):
            yield _back(clock, unit, back), m[0]
            break
    for m in _AGO.finditer(text):
        count, unit = next(((c, u) for c, u in ((m[1], m[2]), (m[3], m[4]), (m[5], m[6])) if c), ("", ""))
        number = int(count) if count.isdigit() else _COUNT.get(count, 0)
        if number and number < 1000 and unit in _UNIT_OF:
            yield _back(clock, _UNIT_OF[unit], number), m[0]


def ranges(question: str, clock: datetime) -> tuple[Range, ...]:
    """The ranges of time that a question (folded, lower case) names, relative to `clock`."""
    found = []
    for span, words in _found(question, clock):
        if span and span[0] <= clock:
            found.append(Range(start=span[0], end=span[1], words=words))
    return tuple(found)
