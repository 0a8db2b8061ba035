"""A grammar of times: patterns for days, clock times, repetitions and so on, each with a function that reads it."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from locales.catalog import ENGLISH, LANGUAGES
from records.reminders import Repeat
from reminders.lexicon import HAN, UNITS, Lexicon, parse_number
from reminders.zones import find_end_of_time_zone
from text.time_zones import add_months
from text.word_lists import EVERY_FUNCTION_WORD

MAX_PARTS = 12  # of a time, with prepositions: "on Friday, the 4th of December at 9 in the evening" has seven
MAX_DAYS_TO_31ST = 63  # from today to a 31st whose time is yet to come, at most
YEARS_TO_LEAP_DAY = 8  # the most years from one 29 February to the next
_MONTHS = {"month": 1, "year": 12}
_TONIGHT = ("tonight", "this-night")  # parts of today
# The patterns below are those of Lexicon.match(): a space is any gap, and {month} any word for a month.
_AMOUNT = r"(?:(?P<count>\d{1,5}(?:[.,]5)?(?![\d.,])|[^\s,;\d]+(?=\s)) )?(?P<unit>{unit})"
_ORDINAL = r"\s*(?:st|nd|rd|th|er|º|ª|°|-?го|-?е|(?=\.))\.?(?!\w)"
_YEAR = r"(?: (?:{of} )*(?P<year>(?:19|20)\d\d)(?![\d:.-])(?: {of})?)?"
_MINUTE = (  # "3.12." is a date
    r"(?:[:h]|\.(?!\d\d\.(?!\d))|(?P<han>[点點])(?=\d\d)| (?P<uhr>uhr) (?!\d\d {unit}))"
    r"(?P<minute>\d\d)(?:分|:00|h(?!\w))?(?![\d/]|[:-]\d)"
)
_HOUR = r"(?P<hour>\d{1,2})(?:" + _MINUTE + r"|(?P<h>h(?!\w))?(?![\d/%]|[:.,-]\d|\s[%€$£](?!\d)|(?:st|nd|rd|th)\b))"
LEADS = "(?:(?:{on}|{at}) ){,3}"
_NAME = r"(?P<name>(?!(?<=\bat\s)once\b)[^\s,;\d]+)"  # of an hour, such as "once" in Spanish, but not "at once"
_BEFORE_HOUR = f"(?= {LEADS}" + r"(?:(?P<hour>\d)|{at} " + _NAME + "))?"  # "at 8" or "at eight"
_TO = r"(?:\s*[-–—]\s*| {through} )" + LEADS
_DAYS = "|".join(f"(?P<{kind}>{{{kind}}})(?:{_TO}(?P<{kind}_end>{{{kind}}}))?" for kind in ("each", "weekday", "short"))
_FURTHER_DAYS = r"(?:\s*[,/&+、]\s*(?:{plus} )?|\s*{plus} )(?:{every} )?" + f"{LEADS}(?:{_DAYS})"  # "and every Friday"
WordSpan = tuple[int, int]  # the beginning and end of words in a text
EndPosition = int  # the position after the text that was read, or 0 if it was not read
ReadPart = Callable[["TimePhraseParser", re.Match[str], str], EndPosition]
GRAMMAR = list[tuple[str, ReadPart]]()


def grammar_rule(pattern: str) -> Callable[[ReadPart], ReadPart]:
    """Add the decorated method to the grammar, to be called where `pattern` matches. Later rules are tried first."""

    def add_to_grammar(method: ReadPart) -> ReadPart:
        GRAMMAR.append((pattern, method))
        return method

    return add_to_grammar


@dataclass(kw_only=True, slots=True)
class TimePhraseParser:
    """Parses the times in a text in one language, and holds the results.

    `end` is the position after the last parsed time. `text` and `spans` are the results of
    write_times_in_digits_with_spans() for `request`.
    """

    request: str
    text: str
    spans: Sequence[WordSpan]
    words: Lexicon
    wall: datetime
    end: int = 0
    day: date | None = None
    weekdays: list[int] = field(default_factory=list)  # on which it repeats, or the only one
    is_next: bool = False  # "next Monday", which is not today
    month_day: int = 0
    clock: tuple[int, int] | None = None
    is_midnight: bool = False
    part: str = ""
    repeat: Repeat = ""
    is_every: bool = False
    distance: datetime | None = None  # "in 2 weeks", by the clock on the wall
    elapsed: timedelta = timedelta()  # "in 2 hours", and after `distance`
    units: Sequence[str] = (*UNITS,)  # that may follow in a distance
    impossible: bool = False
    is_guess: bool = False  # all words are understood, but another meaning is as likely
    is_exact: bool = False  # the clock time has minutes, "am" or the like
    doubt: WordSpan | None = None  # of words that may mean another time, or none
    weak: WordSpan | None = None  # of the last part of the time, if it may be text, as in "Friday prayers"

    def locate(self, start: int, end: int | None = None) -> WordSpan:
        """Return the span of `request` that corresponds to `text[start:end]`."""
        found = self.spans[start:end]
        return (found[0][0], found[-1][1]) if found else (len(self.request), len(self.request))

    def quote(self, start: int, end: int | None = None) -> str:
        """Return the part of `request` that corresponds to `text[start:end]`."""
        return self.request[slice(*self.locate(start, end))]

    def skip_pattern(self, pattern: str, start: int) -> int:
        found = self.words.match(pattern, self.text, start)
        return found.end() if found else start

    @property
    def has_date(self) -> bool:
        return bool(self.day or self.weekdays or self.month_day)

    @property
    def needs_clock(self) -> bool:
        return "hour" in self.units and (self.clock is None or self.distance is not None)  # "in 3 hours" needs none

    @property
    def is_complete(self) -> bool:
        if self.is_every and self.repeat != "daily":
            return self.repeat != "" and bool(self.weekdays or self.month_day)
        return not self.needs_clock or (not self.part and (self.has_date or self.repeat == "daily"))

    def parse_time_parts(self, start: int) -> None:
        """Parse consecutive parts of a time, beginning at `start`."""
        start, lead = self.skip_pattern(" ", start), ""
        for _ in range(MAX_PARTS):
            parts = ((read, self.words.match(pattern, self.text, start)) for pattern, read in GRAMMAR)
            if end := next((end for read, found in parts if found and (end := read(self, found, lead))), 0):
                is_amid_time = self.weak is not None and self.weak[0] < start  # "Friday at 9"
                self.end, lead, self.weak = end, "", None if is_amid_time else self.weak
                start = self.skip_pattern(" ", end)
            elif found := self.words.match("(?P<on>{on} )|{at} ", self.text, start):
                lead, start = "on" if found["on"] else "at", found.end()
            else:
                return

    @grammar_rule(r"[(（]?(?=[^\s\d])")
    def _read_time_zone(self, match: re.Match[str], preposition: str) -> EndPosition:
        """Read a time zone behind a clock time, as in "9am PST tomorrow", and mark it as doubtful."""
        is_near = preposition != "" or match.start() == self.skip_pattern(" ", self.end)
        is_timed = is_near and self.clock is not None and self.distance is None
        if end := find_end_of_time_zone(self.text, match.end(), self.words) if is_timed else 0:
            self.doubt = self.doubt or (match.end(), end)
        return end

    @grammar_rule(r"(?:{and} )?(?=\d)" + _AMOUNT)
    @grammar_rule(r"(?P<in>{in} )" + _AMOUNT)
    def _read_delay(self, match: re.Match[str], preposition: str) -> EndPosition:
        """Read "in 2 weeks" or "in 1.5 hours", or a further amount, as in "in 1h 30min"."""
        count, unit = parse_number(match["count"] or "1"), self.words.get_meaning("unit", match["unit"])
        is_open = not self.end if "in" in match.groupdict() else self.distance is not None and not preposition
        if count is None or not is_open or unit not in self.units or (count % 1 and unit in _MONTHS):
            return 0
        later, self.units = self.distance or self.wall, self.units[: self.units.index(unit)]
        try:
            if unit in _MONTHS:
                later = add_months(later, months=int(count * _MONTHS[unit]))
            elif "hour" in self.units:
                later += timedelta(**{f"{unit}s": count})
            else:
                self.elapsed += timedelta(**{f"{unit}s": count})
        except (ValueError, OverflowError):
            later = self.wall.replace(year=9999, day=1)
        self.distance, self.day = later, later.date()
        self.clock = None if "hour" in self.units else (later.hour, later.minute)  # "in 3 days at 10"
        return match.end()

    @grammar_rule("(?!{this-night}){days}")
    def _read_relative_day(self, match: re.Match[str], _preposition: str) -> EndPosition:
        if self.has_date or self.repeat:
            return 0
        self.day = self.wall.date() + timedelta(days=int(self.words.get_meaning("days", match[0])))
        return match.end()

    @grammar_rule("(?P<every>{every} )?(?:{from} )?" + f"{LEADS}?(?:{_DAYS})(?! \\d\\d? {{month}})")
    def _read_weekdays(self, match: re.Match[str], _preposition: str) -> EndPosition:
        """Read "every Monday" or "Monday to Friday", but not "le jeudi 3 mai". Return where it ends, or 0."""
        is_range, is_list = "_end" in (match.lastgroup or ""), self._begins_list_of_days(match.end())
        is_open = is_range or is_list or match["every"] or match["each"]
        if self.is_every:
            is_open = not match["every"] and (self.repeat == "weekly" or (is_range and self.repeat == "daily"))
        if self.has_date or not is_open:
            return 0
        is_named = self.is_every or match["every"] or match["each"]
        self.is_guess = is_list and not is_range and not is_named  # "Mon, Wed, Fri at 7": each week, or once each
        if is_range and not (is_named or self.clock):
            self.weak = match.span()  # "Monday to Friday vacation" may be once
        self.is_every, self.repeat = True, "weekly"
        further: re.Match[str] | None = match
        while further:
            kind, _, until = (further.lastgroup or "").partition("_")
            days, end = [*map(int, self.words.get_meaning(kind, further[kind]))], further.end()
            if until:
                last = int(self.words.get_meaning(kind, further[f"{kind}_end"])[-1])
                days += [(days[-1] + after) % 7 for after in range(1, (last - days[-1] - 1) % 7 + 2)]
            self.weekdays += days
            further = self.words.match(_FURTHER_DAYS, self.text, end)
        return end

    def _begins_list_of_days(self, end: int) -> bool:
        return self.words.match(_FURTHER_DAYS, self.text, end) is not None

    @grammar_rule("{every} (?:" + LEADS + "?(?P<unit>{unit}))?")
    def _read_recurrence(self, match: re.Match[str], _preposition: str) -> EndPosition:
        if self.is_every or self.has_date:
            return 0
        self.is_every, self.end = True, match.end()
        self.repeat = UNITS.get(self.words.get_meaning("unit", match["unit"]), "")
        return match.end() if self.repeat else 0

    @grammar_rule(
        r"(?P<day>\d{1,2})(?P<sign>[./]|-(?=\d\d?-\d{4}))(?P<month>\d{1,2})(?:(?P=sign)(?P<year>\d{4}|\d\d)|(?P<dot>\.))?"
        r"(?![\d:/-]|\.\d| (?:{at} )*{hours})"
    )
    @grammar_rule(
        r"(?P<year>\d{4})[-/.年](?P<month>\d\d?)[-/.月](?P<day>\d\d?)(?:[日号號]|T(?=\d\d:)|(?![\d:/-]|\.\d))"
    )
    @grammar_rule(
        r"(?P<day>\d{1,2}(?!\d))(?:" + _ORDINAL + r"|\.(?=[^\W\d])|[号號])? (?:{of} )*(?P<month>{month})" + _YEAR
    )
    @grammar_rule(r"(?P<month>{month})[\s.]*(?:the )?(?P<day>\d{1,2})(?:" + _ORDINAL + r"|[日号]|(?![\d:.h]))" + _YEAR)
    def _read_date(self, match: re.Match[str], preposition: str) -> EndPosition:
        """Read a date such as "3 December 2027" or "3.12." Mark it as doubtful if it may be another date or a time."""
        if self.day is not None or self.month_day or self.repeat:
            return 0
        year, sign = match["year"], match.groupdict().get("sign", "")
        day, month = int(match["day"]), int(self.words.get_meaning("month", match["month"]) or match["month"])
        if preposition == "at" and match[0].split()[0] == match["day"]:
            self.weak = match.span()  # "um 9 August anrufen"
        if sign == "." and not (match["dot"] or year):
            is_amid = self.clock is not None and match.end() < len(self.text.rstrip())  # "at 9 2.5 kg of potatoes"
            if not 0 < month <= 12 or self.has_date or is_amid:
                return 0
            self.weak = match.span() if day < 24 else None
        elif sign in ("/", "-"):
            if self.words.language == ENGLISH and day <= 12 and month <= 12 and day != month:
                self.doubt = self.doubt or match.span()
            if month > 12 or (day <= 12 and not self.words.day_first):
                day, month = month, day
        told = [int(year if len(year) > 2 else f"20{year}")] if year else []
        for possible_year in told or range(self.wall.year, self.wall.year + YEARS_TO_LEAP_DAY + 1):
            with suppress(ValueError):
                self.day = date(possible_year, month, day)
                if told or self.day >= self.wall.date():
                    return match.end()
        self.impossible, self.day = True, self.wall.date()
        return match.end()

    @grammar_rule(
        r"(?P<day>\d{1,2})(?P<ordinal>(?:" + _ORDINAL + r")?\s*числа(?!\w)|" + _ORDINAL + r"|[号號日])?"
        r"(?P<cycle>(?P<of> (?:{of} )*){every} (?P<unit>{unit}))?(?P<clock>(?=[:.h]\d|\s*(?:am|pm|uhr)))?"
    )
    def _read_day_of_month(self, match: re.Match[str], preposition: str) -> EndPosition:
        """Read "the 1st" or "1st of every month". After "every month", read a bare number too, as in "on the 1"."""
        is_cycle = not self.is_every and self.words.get_meaning("unit", match["unit"]) == "month"
        is_monthly = (self.repeat == "monthly" and match["clock"] is None) or (is_cycle and match["of"].strip() != "")
        is_bare = (match["ordinal"] or "日") in ("号號日" if self.clock else "日")  # "9点2号楼开会" is in building 2
        is_led = preposition == "on" and match["clock"] is None
        if self.day is not None or self.month_day or self.repeat not in ("", "monthly"):
            return 0
        if (is_bare and not is_led and (not is_monthly or preposition == "at")) or (self.weekdays and not is_led):
            return 0  # "Friday 2nd draft"
        if not is_monthly and (is_bare or not (is_led or re.search("[号號日]|числа", match["ordinal"]))):
            self.weak = match.span()  # "on the 3 dentists", "2nd draft"
        self.month_day = int(match["day"])
        self.impossible |= not 1 <= self.month_day <= 31
        if is_cycle:
            self.is_every, self.repeat = True, "monthly"
        return match.end("cycle" if is_cycle else "ordinal" if match["ordinal"] else "day")

    @grammar_rule(r"(?P<this>{this} )?(?P<part>{part})(?P<named>(?=\sde\s))?" + _BEFORE_HOUR)
    def _read_part_of_day(self, match: re.Match[str], preposition: str) -> EndPosition:
        name = self.words.get_meaning("part", match["part"])
        if self.clock is not None:
            is_text = match["named"] is not None and " " not in match["part"]  # "viernes 9:15 noche de cine"
            if is_text or self.distance is not None or not self._shift_if_in_day_part(name, match):
                return 0
        elif name in ("noon", "midnight"):
            self.clock, self.distance = (12 if name == "noon" else 0, 0), None
            self.is_midnight = name == "midnight"
            if not (preposition or self.has_date or self.repeat):
                self.weak = match.span()  # "midnight snack"
        elif match["hour"] or (parse_number(match["name"] or "") or 0) > 1 or match["this"] or name in _TONIGHT:
            self.part = name  # "上午9点", "tomorrow evening at eight"
        else:
            return 0
        if (match["this"] or name in _TONIGHT) and not self.has_date:
            self.day = self.wall.date()
        return match.end()

    def _shift_if_in_day_part(self, day_part: str, match: re.Match[str]) -> bool:
        """Shift the hour into `day_part`, and mark an hour after midnight as doubtful. Return False on a conflict."""
        hour, minute = self.clock or (0, 0)
        start, end = self.words.ranges.get(day_part, (720, 1440))
        middle = start + (end - start) % 1440 / 2
        chosen = min(hour % 12, hour % 12 + 12, key=lambda at: abs((at * 60 + minute + 1 - middle + 720) % 1440 - 720))
        if day_part.startswith("morning") and 0 < hour < 12:
            chosen = hour  # "a las 2 de la mañana"
        if chosen != hour and (hour > 12 or (hour == 0 and day_part != "pm")):
            return False
        self.clock, night = (chosen, minute), self.part if self.has_date else ""
        is_night = day_part in _TONIGHT or self.words.ranges.get(night, (0, 0))[0] >= 17 * 60
        if chosen < 6 and is_night and not self.is_midnight:
            self.doubt = self.doubt or match.span()  # "Friday night at 1" is on Saturday
            self.is_midnight = True
        return True

    @grammar_rule(r"(?:" + _HOUR + "|" + _NAME + r")(?: (?P<hours>{hours}))?(?= (?P<part>{part})?)")
    def _read_time(self, match: re.Match[str], preposition: str) -> EndPosition:
        is_led = preposition == "at"
        hour = int(parse_number(match["hour"] or match["name"]) or 0)
        if self.clock is not None or (match["name"] and not (is_led and hour > 1)):
            return 0
        self.is_exact = any(match[mark] is not None for mark in ("minute", "h", "name", "hours", "part"))
        is_next = self.has_date and match.start() == self.skip_pattern(" ", self.end)
        if not (is_led or self.is_exact or (is_next and hour <= 24)):
            return 0
        minute = int(match["minute"] or 0)
        self.clock, self.distance = (hour, minute), None
        after = self.text[match.end() :]
        is_hour = is_led or self.has_date or hour > 12
        is_unit = self.words.get_meaning("unit", match["hours"]) == "hour"
        has_h = re.match(r"\d+h", match[0], re.IGNORECASE) and not self.words.get_meaning("hours", "h")
        doubts = (
            not (is_led or self.is_exact),  # "tomorrow 9 eggs"
            match["uhr"] and after[:1] == " ",  # "9 Uhr 30 Eier"
            match["han"] and not match[0].endswith("分") and HAN.match(after),  # "9点30开会", but also "9点30个鸡蛋"
            # "1h call", "3 h nap": the time, or for how long. Some languages write the time as "9h", but not "9 h".
            not is_hour and (is_unit or has_h),
        )
        if any(doubts):
            self.weak = match.span()
        if match["part"] and not is_led and 1 < hour < 5 and self.words.language == "ru":
            self.doubt = self.doubt or (match.start(), match.end("part"))  # "2 дня", "3 ночи": when, or for how long
        if self.part:
            own = match["part"] if self.part in _TONIGHT else None  # "tonight at 5am"
            self.impossible |= not self._shift_if_in_day_part(self.words.get_meaning("part", own) or self.part, match)
        self.impossible |= hour > 24 or minute > 59 or (hour == 24 and minute > 0)
        return match.end()

    @grammar_rule(
        r"(?!(?<=\b[ael][la]\s)m[ae]r\b(?! \d))(?P<next>{next} )?"  # not "el mar"
        r"(?:(?P<weekday>{weekday})|(?<!\bthe\s)(?P<short>{short}))"  # nor "the sun"
        r"(?P<later> {next})?"
    )
    def _read_weekday(self, match: re.Match[str], preposition: str) -> EndPosition:
        if self.weekdays or self.month_day or self.is_every or self.distance is not None:
            return 0
        is_han = self.clock is None and HAN.match(match[0]) is not None  # "周五 看牙"
        is_meant = bool(preposition or match["next"] or match["later"] or is_han)
        kind = "weekday" if match["weekday"] else "short"
        weekday = int(self.words.get_meaning(kind, match[kind]))
        is_other_day = self.day is not None and self.day.weekday() != weekday  # "tomorrow at 9 sunday roast"
        is_function_word = len(match[kind]) < 3 and match[kind] in EVERY_FUNCTION_WORD  # "morgen so um 9"
        if is_other_day or is_function_word or self._begins_list_of_days(match.end()):
            return 0
        if kind == "short" and self.words.language not in LANGUAGES:
            self.doubt = self.doubt or match.span(kind)  # "Sam 9:00 call back"
        if not is_meant and (kind == "short" or not self.end):
            self.weak = match.span(kind)  # "Friday dentist", but also "Friday prayers"; "at 5 sun cream"
        self.weekdays = [weekday]
        self.is_next = bool(match["next"] or match["later"])
        if match["next"] and self.day is None and HAN.match(match[0]):  # 下周五: of the week after this
            self.day = self.wall.date() + timedelta(days=7 - self.wall.weekday() + weekday)
        return match.end()
