"""Reads the parts of a time, such as days, clock times and repetitions, one after another in one language."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from locales.catalog import ENGLISH
from records.reminders import Repeat
from reminders import lexicon
from reminders.zones import TOKEN, find_time_zone_end, parse_zone
from text.date_words import AMBIGUOUS_MONTHS
from text.stopwords import EVERY_FUNCTION_WORD
from text.time_zones import add_months

AFTER_TOMORROW = 2  # days
YEARS_TO_LEAP_DAY = 8  # at most, from one 29 February to the next
_ORDINAL = r"(?:st|nd|rd|th|º|ª|°|-?го|-?е|(?=\.))\.?(?!\w)"
_NUMERIC_DATE = re.compile(
    r"(?:(?P<iso>\d{4}-\d\d-\d\d)(?:T(?=\d\d:))?|(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})"
    r"(?:(?P=sep)(?P<year>\d{4}|\d\d)|(?P<dot>\.))?)(?:(?<=T)|(?![\d:/-]|\.\d))"
)
_DAY_AFTER_MONTH = re.compile(rf"[\s.]*(?:the\s+)?(\d{{1,2}})(?:{_ORDINAL}|[日号]|(?![\d:.h]))", re.IGNORECASE)
_DAY = re.compile(rf"(\d{{1,2}})((?:\s*{_ORDINAL}(?!\d))?\s*числа(?!\w)|\s*{_ORDINAL}(?!\d)|[号號])?", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,5}(?:[.,]5)?(?![\d.,])")
_YEAR = re.compile(r"((?:19|20)\d\d)(?![\d:.-])")
_CLOCK_SIGN = re.compile(r"[:.h]\d|\s*(?:am|pm|uhr)", re.IGNORECASE)
_CLOCK_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.h]|[点點](?=\d\d分))(?P<minute>\d\d)(?:分|:00|h(?!\w))?(?![\d/]|[:-]\d)"
)
_HOUR = re.compile(r"(?P<hour>\d{1,2})(?:h(?!\w))?(?![\d/]|[:.,-]\d|(?:st|nd|rd|th)\b)", re.IGNORECASE)
_GAP = re.compile(r"[\s,;]*")
Position = int  # an index after the text that was parsed, or -1 if it does not match


@dataclass(kw_only=True, slots=True)
class TimePhraseParser:
    """The state of a parser for one language. `end` is the position after the last word it understood.

    `text` is `request` with its times in digits. `places` maps each character of `text` to its span in `request`.
    """

    request: str
    text: str
    places: Sequence[tuple[int, int]]
    words: lexicon.Lexicon
    wall: datetime
    end: int = 0
    day: date | None = None
    weekday: int | None = None
    month_day: int = 0
    clock: tuple[int, int] | None = None
    clock_lead: str = ""
    is_midnight: bool = False
    part: str = ""
    repeat: Repeat = ""
    is_every: bool = False
    distance: datetime | None = None
    impossible: bool = False
    zone_words: slice | None = None  # the words that name a zone for the clock time
    zone: ZoneInfo | None = None
    is_exact: bool = False  # the clock time has minutes, "am" or the like
    unsure: list[str] = field(default_factory=list)  # words that may mean another time, or none

    def match_word(self, name: str, start: int) -> Position:
        """Return the position after a match of the pattern `name` and the separator that follows it, or -1."""
        found = self.words.word[name].match(self.text, start)
        return skip_gap(self.text, found.end()) if found else -1

    def map_to_request_position(self, end: int) -> int:
        """Return the position in `request` that corresponds to the position `end` in `text`."""
        return self.places[end - 1][1] if end else 0

    def quote(self, start: int, end: int) -> str:
        """Return the part of `request` that corresponds to `text[start:end]`."""
        return self.request[self.places[start][0] : self.map_to_request_position(end)] if start < end else ""

    @property
    def has_unparsed_zone(self) -> bool:
        return self.zone_words is not None and (self.zone is None or self.is_every)

    @property
    def is_dated(self) -> bool:
        return self.day is not None or self.weekday is not None or self.month_day > 0

    def parse_time_parts(self, start: int) -> None:
        start, lead = skip_gap(self.text, start), ""
        while start < len(self.text):
            is_clock_known = self.clock is not None
            if (after := self._parse_time_part(start, lead)) > start:
                if self.clock is not None and not is_clock_known:
                    self.clock_lead = (self.text[self.end : start].split() or [""])[-1]
                self.end, lead = after, ""
                start = skip_gap(self.text, after)
            elif (found := self.match_preposition(start)) is not None:
                lead, start = found
            else:
                return

    def match_preposition(self, start: int) -> tuple[str, int] | None:
        return next(((name, after) for name in ("on", "at") if (after := self.match_word(name, start)) > start), None)

    def skip_words(self, start: int, *names: str) -> Position:
        """Return the position after any words of these kinds at `start`."""
        while (after := max(self.match_word(name, start) for name in names)) > start:
            start = after
        return start

    def _parse_time_part(self, start: int, preposition: str) -> Position:
        parsers = (
            self._parse_delay,
            self._parse_relative_day,
            self._parse_repetition,
            partial(self._parse_named_date, has_preposition=preposition == "at"),
            self._parse_numeric_date,
            self._parse_part_of_day,
            partial(self._parse_time_of_day, has_preposition=preposition == "at"),
            partial(self._parse_weekday, has_preposition=bool(preposition)),
            self._parse_zone,
        )
        return next((end for parse in parsers if (end := parse(start)) >= 0), -1)

    def _parse_delay(self, start: int) -> Position:
        """Read "in 2 weeks", "in 1.5 hours" or "in 1h 30min"."""
        if self.end or (after := self.match_word("in", start)) < 0:
            return -1
        later, end, largest = self.wall, -1, len(self.words.units)
        while (found := self._parse_count(after)) is not None:
            count, unit, found_end = found
            size = list(self.words.units).index(unit)
            months = count * {"month": 1, "year": 12}.get(unit, 0)
            if size >= largest or months % 1 or (end >= 0 and not self.text[after : after + 1].isdigit()):
                break
            try:
                later = add_months(later, months=int(months))
                later += timedelta() if months else timedelta(**{f"{unit}s": count})
            except (ValueError, OverflowError):
                later = self.wall.replace(year=9999)
            end, largest = found_end, size
            after = self.skip_words(skip_gap(self.text, end), "and")
        if end >= 0:
            self.distance, self.clock, self.day = later, (later.hour, later.minute), later.date()
        return end

    def _parse_count(self, start: int) -> tuple[float, str, int] | None:
        """Return the number and unit that begin at `start`, as in "2 weeks", and their end, or None."""
        count = 1.0
        if digits := _COUNT.match(self.text, start):
            count, start = float(digits[0].replace(",", ".")), skip_gap(self.text, digits.end())
        elif (word := TOKEN.match(self.text, start)) and (number := lexicon.parse_number(word[0])) is not None:
            count, start = number, skip_gap(self.text, word.end())
        units = ((unit, name.match(self.text, start)) for unit, name in self.words.units.items())
        return next(((count, unit, found.end()) for unit, found in units if found), None)

    def _parse_relative_day(self, start: int) -> Position:
        if self.is_dated or self.repeat:
            return -1
        for days, name in ((AFTER_TOMORROW, "after-tomorrow"), (1, "tomorrow"), (0, "today"), (0, "tonight")):
            if found := self.words.word[name].match(self.text, start):
                self.day = self.wall.date() + timedelta(days=days)
                if name == "tonight":
                    self.part = name
                    self.impossible |= self.clock is not None and not self._shift_to_part_of_day(name)
                return found.end()
        return -1

    def _parse_repetition(self, start: int) -> Position:
        if self.repeat or self.is_every or self.is_dated or (after := self.match_word("every", start)) < 0:
            return -1
        self.is_every, self.end = True, after
        while after >= 0:
            for unit, name in self.words.units.items():
                if (found := name.match(self.text, after)) and lexicon.UNITS[unit]:
                    self.repeat = lexicon.UNITS[unit]
                    return found.end()
            article, after = after, (self.match_preposition(after) or ("", -1))[1]  # "todos los días"
        end = self._parse_weekday(article, has_preposition=True)
        self.repeat = "weekly" if end >= 0 else ""
        return end

    def _parse_weekday(self, start: int, *, has_preposition: bool) -> Position:
        if self.weekday is not None or self.month_day or self.repeat == "daily" or self.distance is not None:
            return -1
        after = self.match_word("next", start)
        is_whole = (found := self.words.match_name(self.words.weekdays, self.text, max(start, after))) is not None
        found = found or self.words.match_name(self.words.short_weekdays, self.text, max(start, after))
        if found is None or self.text[max(start, after) : found[1]] in EVERY_FUNCTION_WORD:  # "morgen so um 9"
            return -1
        number, end = found
        behind = skip_gap(self.text, end)
        is_timed = self.skip_words(behind, "on", "at") > behind or self.text[behind : behind + 1].isdigit()
        is_timed |= (
            self.match_word("next", behind) >= 0
            or self.words.match_name(self.words.months, self.text, behind) is not None
        )
        is_timed |= any(period.match(self.text, behind) for _, period in self.words.periods)
        if not (has_preposition or after >= 0 or is_timed or self.end):
            return -1
        if self.clock is not None and not (is_whole or has_preposition or after >= 0 or is_timed):
            self.unsure.append(self.quote(start, end))  # "at 5 sun cream", "às 9 segunda via"
        self.weekday = number
        if after >= 0 and self.day is None and lexicon.HAN.match(self.text, start):  # 下周五: of the week after this
            self.day = self.wall.date() + timedelta(days=7 - self.wall.weekday() + number)
        return max(end, self.match_word("next", behind))  # "el lunes que viene"

    def _parse_named_date(self, start: int, *, has_preposition: bool) -> Position:
        """Read a date such as "3 December 2027", "December 3rd" or "12月3日", or a day of the month ("the 1st")."""
        if self.day is not None or self.month_day:
            return -1
        if found := self.words.match_name(self.words.months, self.text, start):
            month, end = found
            number = _DAY_AFTER_MONTH.match(self.text, end)
            return self._parse_year_of(month, int(number[1]), number.end()) if number and not self.repeat else -1
        if (number := _DAY.match(self.text, start)) is None:
            return -1
        after = self.skip_words(skip_gap(self.text, number.end()), "of")
        if (found := self.words.match_name(self.words.months, self.text, after)) and not self.repeat:
            if has_preposition and self.text[after : found[1]] in AMBIGUOUS_MONTHS.split():
                self.unsure.append(self.quote(start, found[1]))  # "at 5 march with Ann"
            return self._parse_year_of(found[0], int(number[1]), found[1])
        is_bare = self.repeat == "monthly" and not (has_preposition or _CLOCK_SIGN.match(self.text, number.end()))
        if (number[2] or is_bare) and self.weekday is None and self.repeat in ("", "monthly"):
            self.month_day = int(number[1])
            self.impossible |= not 1 <= self.month_day <= 31
            return number.end()
        return -1

    def _parse_year_of(self, month: int, day: int, end: int) -> Position:
        if year := _YEAR.match(self.text, self.skip_words(skip_gap(self.text, end), "of")):
            end = self.skip_words(skip_gap(self.text, year.end()), "of")
        self._set_day(int(year[1]) if year else 0, month, day)
        return end

    def _set_day(self, year: int, month: int, day: int) -> None:
        this_year = self.wall.year
        for possible_year in [year] if year else range(this_year, this_year + YEARS_TO_LEAP_DAY + 1):
            with suppress(ValueError):
                self.day = date(possible_year, month, day)
                if year or self.day >= self.wall.date():
                    return
        self.impossible, self.day = True, self.wall.date()

    def _parse_numeric_date(self, start: int) -> Position:
        """Read an ISO date, or a numeric date in the language's usual order. Reject ambiguous dates."""
        if self.day is not None or self.repeat or not (found := _NUMERIC_DATE.match(self.text, start)):
            return -1
        if found["iso"]:
            year, month, day = map(int, found["iso"].split("-"))
            self._set_day(year, month, day)
            return found.end()
        a, b, year = int(found["a"]), int(found["b"]), int(found["year"] or 0)
        if found["sep"] == "." and not found["year"] and not found["dot"]:
            behind = self.skip_words(skip_gap(self.text, found.end()), "at")
            if self.match_word("half", behind) >= 0 or not 0 < b <= 12 or self.is_dated or self.clock:
                return -1
            if not (_CLOCK_TIME.match(self.text, behind) or _HOUR.match(self.text, behind)) and a < 24:
                self.unsure.append(self.quote(*found.span()))
        if found["sep"] == "/":
            if self.words.language == ENGLISH and a <= 12 and b <= 12 and a != b:
                self.unsure.append(self.quote(*found.span()))
            if b > 12 or (a <= 12 and not self.words.day_first):
                a, b = b, a
        self._set_day(year + 2000 if 0 < year < 100 else year, b, a)
        return found.end()

    def _parse_part_of_day(self, start: int) -> Position:
        for name, text in self.words.periods:
            if not (found := text.match(self.text, start)):
                continue
            if name in ("noon", "midnight") and self.clock is None:
                self.clock, self.is_midnight = (12 if name == "noon" else 0, 0), name == "midnight"
                return found.end()
            after = skip_gap(self.text, found.end())
            after = self.skip_words(after, "on", "at") if self.is_dated or self.repeat else after
            if self.clock is None and self.text[after : after + 1].isdigit():
                self.part = name  # "上午9点", "tomorrow evening at 8"
                return found.end()
            if self.clock is not None and self.distance is None and self._shift_to_part_of_day(name):
                return found.end()
        return -1

    def _shift_to_part_of_day(self, name: str) -> bool:
        """Shift the hour to the named part of the day. Return False if the two contradict each other."""
        hour, minute = self.clock or (0, 0)
        start, end = self.words.ranges.get(name, (720, 1440))
        length = (end - start) % 1440 or 1440

        def count_minutes_apart(chosen: int) -> int:
            into = (chosen * 60 + minute - start) % 1440
            return 0 if into < length else min(into - length + 1, 1440 - into)

        chosen = min(hour % 12, hour % 12 + 12, key=count_minutes_apart)
        if hour > 12 and chosen != hour:
            return False
        self.clock = chosen, minute
        return True

    def _parse_time_of_day(self, start: int, *, has_preposition: bool) -> Position:
        if self.clock is not None:
            return -1
        if found := _CLOCK_TIME.match(self.text, start) or _HOUR.match(self.text, start):
            minute = found.groupdict().get("minute")
            is_bare = minute is None and not found[0].endswith(("h", "H"))
            self.clock, end = (int(found["hour"]), int(minute or 0)), found.end()
        else:
            token = TOKEN.match(self.text, start) if has_preposition else None
            number = (lexicon.parse_number(token[0]) or 0) if token else 0
            if not token or number < 2 or (self.words.language, token[0]) == (ENGLISH, "once"):
                return -1
            is_bare, self.clock, end = False, (number, 0), token.end()
        unit = self.words.word["half"].match(self.text, skip_gap(self.text, end))
        end = unit.end() if unit else end
        is_hour = has_preposition or self.is_dated or self.words.word["half"].match("h") is not None
        if found and not is_hour and "h" in found[0].casefold() and ":" not in found[0] and self.clock[0] <= 12:
            self.unsure.append(self.quote(*found.span()))  # "1h call": the time, or an hour from now
        if self.part:
            self.impossible |= not self._shift_to_part_of_day(self.part)
            if self.is_dated and self.clock[0] < 6 and self.words.ranges.get(self.part, (0, 0))[0] >= 18 * 60:
                self.unsure.append(self.quote(start, end))  # "Friday night at 1" is on Saturday
                self.is_midnight = True
        half = self._parse_part_of_day(skip_gap(self.text, end))
        end = max(end, half)
        if is_bare and not (has_preposition or unit or half >= 0):
            behind = self.skip_words(skip_gap(self.text, end), "on", "at")
            is_next = self.is_dated and start == skip_gap(self.text, self.end)
            if is_next and self.clock[0] <= 24 and not self.text[behind : behind + 1].isdigit():
                self.unsure.append(self.quote(start, end))  # "tomorrow 9 call Ann", but also "tomorrow 9 eggs"
            elif find_time_zone_end(self.text, end, self.words) is None:  # "9 UTC"
                self.clock = None
                return -1
        self.is_exact = not is_bare or unit is not None or half >= 0
        if self.clock[0] > 24 or self.clock[1] > 59 or (self.clock[0] == 24 and self.clock[1]):
            self.impossible = True
        return end

    def _parse_zone(self, start: int) -> Position:
        is_possible = self.clock is not None and self.distance is None and self.zone_words is None
        if not is_possible or (end := find_time_zone_end(self.text, start, self.words)) is None:
            return -1
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip("(（"))
        self.zone_words, self.zone = slice(start, end), parse_zone(self.text[start:end], self.words)
        return end


def skip_gap(text: str, start: int) -> Position:
    found = _GAP.match(text, start)
    return found.end() if found else start
