"""A parser for simple reminders such as "in 2 weeks …" or "on 3 December at 9:00 …", used without a model."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from itertools import product
from zoneinfo import ZoneInfo

from locales.catalog import ENGLISH, LANGUAGES, current_language
from records.reminders import NewReminder, Repeat
from reminders import lexicon
from reminders.arguments import MAX_TEXT_CHARS, MORNING, Impossible, check_due_time, make_local_reminder, make_reminder
from reminders.zones import TOKEN, find_possible_zone_or_day, find_zone_end, parse_zone
from text.characters import format_visible_line
from text.date_words import AMBIGUOUS_MONTHS
from text.stopwords import EVERY_FUNCTION_WORD
from text.time_zones import add_months, to_utc

AFTER_TOMORROW = 2  # days
MAX_END_TOKENS = 8  # words of a time at the end of a text
MAX_SHOWN_CHARS = 60  # of words that were not understood
YEARS_TO_LEAP_DAY = 8  # at most, from one 29 February to the next
NEAR_TOKENS = 4  # words after a preposition in which a number still tells a time: "at half past eight"
_ORDINAL = r"(?:st|nd|rd|th|º|ª|°|-?го|-?е|(?=\.))\.?(?!\w)"
_NUMERIC_DATE = re.compile(
    r"(?:(?P<iso>\d{4}-\d\d-\d\d)(?:T(?=\d\d:))?|(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})"
    r"(?:(?P=sep)(?P<year>\d{4}|\d\d)|(?P<dot>\.))?)(?:(?<=T)|(?![\d:/-]|\.\d))"
)
_DAY_AFTER_MONTH = re.compile(rf"[\s.]*(?:the\s+)?(\d{{1,2}})(?:{_ORDINAL}|[日号]|(?![\d:.h]))", re.IGNORECASE)
_DAY = re.compile(rf"(\d{{1,2}})((?:\s*{_ORDINAL}(?!\d))?\s*числа(?!\w)|\s*{_ORDINAL}(?!\d)|[号號])?", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,5}(?![\d.,])")
_YEAR = re.compile(r"((?:19|20)\d\d)(?![\d:.-])")
_CLOCK_SIGN = re.compile(r"[:.h]\d|\s*(?:am|pm|uhr)", re.IGNORECASE)
_CLOCK_TIME = re.compile(r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?::00|h(?!\w))?(?![\d/]|[:-]\d)")
_HOUR = re.compile(r"(?P<hour>\d{1,2})(?:h(?!\w))?(?![\d/]|[:.,-]\d|(?:st|nd|rd|th)\b)", re.IGNORECASE)
_ENDS = " ,.;:-–—"
_GAP = re.compile(r"[\s,;]*")
_INSIDE_WORD = re.compile(rf"(?<=\w)(?<!{lexicon.HAN.pattern})['’/-]?(?!{lexicon.HAN.pattern})\w")


@dataclass(frozen=True, kw_only=True, slots=True)
class NotUnderstood:
    """A reminder that could not be parsed with certainty. `words` holds any time expressions not understood."""

    words: str
    reminder: NewReminder | None = field(default=None, compare=False)  # the likely one, to be offered but not set


@dataclass(kw_only=True, slots=True)
class _Reading:
    """The state of a parser for one language. `end` is the position after the last word it understood."""

    text: str
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

    def match(self, name: str, start: int) -> int:
        """Return the position after a match of the pattern `name` and the separator that follows it, or -1."""
        found = self.words.word[name].match(self.text, start)
        return _skip_gap(self.text, found.end()) if found else -1

    @property
    def has_unread_zone(self) -> bool:
        return self.zone_words is not None and (self.zone is None or self.is_every)

    @property
    def is_dated(self) -> bool:
        return self.day is not None or self.weekday is not None or self.month_day > 0

    def read_time_parts(self, start: int) -> None:
        start, lead = _skip_gap(self.text, start), ""
        while start < len(self.text):
            is_clock_known = self.clock is not None
            if (after := self._read_time_part(start, lead)) > start:
                if self.clock is not None and not is_clock_known:
                    self.clock_lead = (self.text[self.end : start].split() or [""])[-1]
                self.end, lead = after, ""
                start = _skip_gap(self.text, after)
            elif (found := self.match_preposition(start)) is not None:
                lead, start = found
            else:
                return

    def match_preposition(self, start: int) -> tuple[str, int] | None:
        return next(((name, after) for name in ("on", "at") if (after := self.match(name, start)) > start), None)

    def skip(self, start: int, *names: str) -> int:
        """Return the position after any words of these kinds at `start`."""
        while (after := max(self.match(name, start) for name in names)) > start:
            start = after
        return start

    def _read_time_part(self, start: int, preposition: str) -> int:
        readers = (
            self._read_delay,
            self._read_relative_day,
            self._read_repetition,
            partial(self._read_named_date, has_preposition=preposition == "at"),
            self._read_numeric_date,
            self._read_part_of_day,
            partial(self._read_time_of_day, has_preposition=preposition == "at"),
            partial(self._read_weekday, has_preposition=bool(preposition)),
            self._read_zone,
        )
        return next((end for reader in readers if (end := reader(start)) >= 0), -1)

    def _read_delay(self, start: int) -> int:
        if self.end or (after := self.match("in", start)) < 0:
            return -1
        count = 1
        if digits := _COUNT.match(self.text, after):
            count, after = int(digits[0]), _skip_gap(self.text, digits.end())
        elif (word := TOKEN.match(self.text, after)) and (number := lexicon.parse_number(word[0])) is not None:
            count, after = number, _skip_gap(self.text, word.end())
        for unit, name in self.words.units.items():
            if found := name.match(self.text, after):
                try:
                    months = count * {"month": 1, "year": 12}.get(unit, 0)
                    later = add_months(self.wall, months=months)
                    later += timedelta() if unit in ("month", "year") else timedelta(**{f"{unit}s": count})
                except (ValueError, OverflowError):
                    later = self.wall.replace(year=9999)
                self.distance, self.clock, self.day = later, (later.hour, later.minute), later.date()
                return found.end()
        return -1

    def _read_relative_day(self, start: int) -> int:
        if self.is_dated or self.repeat:
            return -1
        for days, name in ((AFTER_TOMORROW, "after-tomorrow"), (1, "tomorrow"), (0, "today"), (0, "tonight")):
            if found := self.words.word[name].match(self.text, start):
                self.day = self.wall.date() + timedelta(days=days)
                if name == "tonight":
                    self.part = name
                    self.impossible |= self.clock is not None and not self._choose_day_half(name)
                return found.end()
        return -1

    def _read_repetition(self, start: int) -> int:
        if self.repeat or self.is_every or self.is_dated or (after := self.match("every", start)) < 0:
            return -1
        self.is_every, self.end = True, after
        while after >= 0:
            for unit, name in self.words.units.items():
                if (found := name.match(self.text, after)) and lexicon.UNITS[unit]:
                    self.repeat = lexicon.UNITS[unit]
                    return found.end()
            article, after = after, (self.match_preposition(after) or ("", -1))[1]  # "todos los días"
        end = self._read_weekday(article, has_preposition=True)
        self.repeat = "weekly" if end >= 0 else ""
        return end

    def _read_weekday(self, start: int, *, has_preposition: bool) -> int:
        if self.weekday is not None or self.month_day or self.repeat == "daily" or self.distance is not None:
            return -1
        after = self.match("next", start)
        is_whole = (found := self.words.match_name(self.words.weekdays, self.text, max(start, after))) is not None
        found = found or self.words.match_name(self.words.short_weekdays, self.text, max(start, after))
        if found is None or self.text[max(start, after) : found[1]] in EVERY_FUNCTION_WORD:  # "morgen so um 9"
            return -1
        number, end = found
        behind = _skip_gap(self.text, end)
        is_timed = self.skip(behind, "on", "at") > behind or self.text[behind : behind + 1].isdigit()
        is_timed |= self.words.match_name(self.words.months, self.text, behind) is not None
        is_timed |= any(period.match(self.text, behind) for _, period in self.words.periods)
        if not (has_preposition or after >= 0 or is_timed or self.end):
            return -1
        if self.clock is not None and not (is_whole or has_preposition or after >= 0 or is_timed):
            self.unsure.append(self.text[start:end])  # "at 5 sun cream", "às 9 segunda via"
        self.weekday = number
        return max(end, self.match("next", behind))  # "el lunes que viene"

    def _read_named_date(self, start: int, *, has_preposition: bool) -> int:
        """Read "3 December 2027", "December 3rd", "3 de diciembre", "12月3日", or the day of a month: "the 1st"."""
        if self.day is not None or self.month_day:
            return -1
        if found := self.words.match_name(self.words.months, self.text, start):
            month, end = found
            number = _DAY_AFTER_MONTH.match(self.text, end)
            return self._set_month_day(month, int(number[1]), number.end()) if number and not self.repeat else -1
        if (number := _DAY.match(self.text, start)) is None:
            return -1
        after = self.skip(_skip_gap(self.text, number.end()), "of")
        if (found := self.words.match_name(self.words.months, self.text, after)) and not self.repeat:
            if has_preposition and self.text[after : found[1]] in AMBIGUOUS_MONTHS.split():
                self.unsure.append(self.text[start : found[1]])  # "at 5 march with Ann"
            return self._set_month_day(found[0], int(number[1]), found[1])
        is_bare = self.repeat == "monthly" and not (has_preposition or _CLOCK_SIGN.match(self.text, number.end()))
        if (number[2] or is_bare) and self.weekday is None and self.repeat in ("", "monthly"):
            self.month_day = int(number[1])
            self.impossible |= not 1 <= self.month_day <= 31
            return number.end()
        return -1

    def _set_month_day(self, month: int, day: int, end: int) -> int:
        if year := _YEAR.match(self.text, self.skip(_skip_gap(self.text, end), "of")):
            end = self.skip(_skip_gap(self.text, year.end()), "of")
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

    def _read_numeric_date(self, start: int) -> int:
        """Read an ISO date, or a numeric date in the language's usual order. Reject ambiguous dates."""
        if self.day is not None or self.repeat or not (found := _NUMERIC_DATE.match(self.text, start)):
            return -1
        if found["iso"]:
            year, month, day = map(int, found["iso"].split("-"))
            self._set_day(year, month, day)
            return found.end()
        a, b, year = int(found["a"]), int(found["b"]), int(found["year"] or 0)
        if found["sep"] == "." and not found["year"] and not found["dot"]:
            behind = self.skip(_skip_gap(self.text, found.end()), "at")
            if self.match("half", behind) >= 0 or not 0 < b <= 12 or self.is_dated or self.clock:
                return -1
            if not (_CLOCK_TIME.match(self.text, behind) or _HOUR.match(self.text, behind)) and a < 24:
                self.unsure.append(found[0])
        if found["sep"] == "/":
            if self.words.language == ENGLISH and a <= 12 and b <= 12 and a != b:
                self.unsure.append(found[0])
            if b > 12 or (a <= 12 and not self.words.day_first):
                a, b = b, a
        self._set_day(year + 2000 if 0 < year < 100 else year, b, a)
        return found.end()

    def _read_part_of_day(self, start: int) -> int:
        for name, text in self.words.periods:
            if not (found := text.match(self.text, start)):
                continue
            if name in ("noon", "midnight") and self.clock is None:
                self.clock, self.is_midnight = (12 if name == "noon" else 0, 0), name == "midnight"
                return found.end()
            after = _skip_gap(self.text, found.end())
            after = self.skip(after, "on", "at") if self.is_dated else after
            if self.clock is None and self.text[after : after + 1].isdigit():
                self.part = name  # "上午9点", "tomorrow evening at 8"
                return found.end()
            if self.clock is not None and self.distance is None and self._choose_day_half(name):
                return found.end()
        return -1

    def _choose_day_half(self, name: str) -> bool:
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

    def _read_time_of_day(self, start: int, *, has_preposition: bool) -> int:
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
        unit = self.words.word["half"].match(self.text, _skip_gap(self.text, end))
        end = unit.end() if unit else end
        is_hour = has_preposition or self.is_dated or self.words.word["half"].match("h") is not None
        if found and not is_hour and "h" in found[0].casefold() and ":" not in found[0] and self.clock[0] <= 12:
            self.unsure.append(found[0])  # "1h call": the time, or an hour from now
        if self.part:
            self.impossible |= not self._choose_day_half(self.part)
            if self.is_dated and self.clock[0] < 6 and self.words.ranges.get(self.part, (0, 0))[0] >= 18 * 60:
                self.unsure.append(self.text[start:end])  # "Friday night at 1" is on Saturday
                self.is_midnight = True
        half = self._read_part_of_day(_skip_gap(self.text, end))
        end = max(end, half)
        if is_bare and not (has_preposition or unit or half >= 0):
            behind = self.skip(_skip_gap(self.text, end), "on", "at")
            is_next = self.is_dated and start == _skip_gap(self.text, self.end)
            if is_next and self.clock[0] <= 24 and not self.text[behind : behind + 1].isdigit():
                self.unsure.append(self.text[start:end])  # "tomorrow 9 call Ann", but also "tomorrow 9 eggs"
            elif find_zone_end(self.text, end, self.words) is None:  # "9 UTC"
                self.clock = None
                return -1
        self.is_exact = not is_bare or unit is not None or half >= 0
        if self.clock[0] > 24 or self.clock[1] > 59 or (self.clock[0] == 24 and self.clock[1]):
            self.impossible = True
        return end

    def _read_zone(self, start: int) -> int:
        is_possible = self.clock is not None and self.distance is None and self.zone_words is None
        if not is_possible or (end := find_zone_end(self.text, start, self.words)) is None:
            return -1
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip("(（"))
        self.zone_words, self.zone = slice(start, end), parse_zone(self.text[start:end], self.words)
        return end


def _skip_gap(text: str, start: int) -> int:
    found = _GAP.match(text, start)
    return found.end() if found else start


def parse_reminder_phrase(phrase: str, now: datetime) -> NewReminder | Impossible | NotUnderstood:
    """Parse a reminder whose text begins with its time. `now` is aware, in the person's zone."""
    text = format_visible_line(phrase)[:MAX_TEXT_CHARS]
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    bare = text.translate(lexicon.PLAIN)  # keeps its length
    languages = dict.fromkeys([current_language(), ENGLISH, *LANGUAGES])
    readings = [_Reading(text=bare, words=lexicon.load_lexicon(language), wall=wall) for language in languages]
    for reading in readings:
        reading.read_time_parts(reading.skip(0, "joining"))
    best = max(readings, key=lambda reading: (reading.end, reading.is_every))
    start, end = best.end, len(text)
    if words := _find_unread_time_words(best, text):
        if best.zone_words or (found := _find_time_at_end(readings, text)) is None:
            return NotUnderstood(words=words)
        best, start, end = found
    if best.impossible:
        return "none"
    rest = text[start:end].strip(_ENDS).lstrip(")）").rstrip("(（ ")
    joined = best.words.word["joining"].match(rest.translate(lexicon.PLAIN))
    what = rest[joined.end() :] if joined else rest
    if best.zone is not None and best.zone_words is not None:
        here, now = now, now.astimezone(best.zone)
        best.wall = now.replace(tzinfo=None, second=0, microsecond=0)
        is_near = best.day is not None and (best.day - here.date()).days <= AFTER_TOMORROW
        best.unsure += [best.text[best.zone_words]] if is_near and here.date() != now.date() else []  # whose tomorrow?
    reminder = _plan_reminder(best, what, now) if what.strip(f"{_ENDS}!?") else NotUnderstood(words="")
    words = next(iter(best.unsure), "")
    if not isinstance(reminder, NewReminder):
        return NotUnderstood(words=words) if words else reminder
    if best.zone is not None:
        reminder = replace(reminder, local=None)
    elif best.clock and not best.distance:
        is_dated = best.is_dated or bool(best.repeat)
        is_exact = best.is_exact and end == len(text)
        words = words or find_possible_zone_or_day(rest, best.words, is_exact=is_exact, is_dated=is_dated)
    at = max(0, text.find(words), bare.find(words))
    return NotUnderstood(words=text[at : at + len(words)], reminder=reminder) if words or end < len(text) else reminder


def _find_time_at_end(readings: Sequence[_Reading], text: str) -> tuple[_Reading, int, int] | None:
    """Find a time at the end of a text, as in "call mum tomorrow at 9", and return it with the text before it."""
    tokens = [*TOKEN.finditer(text.rstrip(_ENDS))]
    for index, early in product(range(max(1, len(tokens) - MAX_END_TOKENS), len(tokens)), readings):
        start, late = tokens[index].start(), replace(early, unsure=[*early.unsure])
        late.read_time_parts(start)
        if start > early.end and late.end >= tokens[-1].end() and (late.clock or not late.part):
            before = [token for token in tokens[:index] if token.start() >= early.end]
            leads = [False, *(late.match_preposition(token.start()) is not None for token in before)]
            is_open = any(lexicon.is_time_word(before, at, is_timed=not leads[at]) for at in range(len(before)))
            is_open |= late.has_unread_zone or any(late.match("every", token.start()) > 0 for token in before)
            is_open |= any(late.match(name, before[-1].start()) > 0 for name in ("and", "next", "until") if before)
            return None if is_open else (late, early.end, start)
    return None


def _plan_reminder(reading: _Reading, text: str, now: datetime) -> NewReminder | Impossible | NotUnderstood:
    wall = reading.wall
    if reading.distance is not None:
        due_at = now + (reading.distance - wall)
        return check_due_time(due_at, now) or make_reminder(text, due_at, None, "", now) or NotUnderstood(words="")
    hour, minute = reading.clock or (MORNING, 0)
    local = datetime.combine(reading.day or wall.date(), wall.time()).replace(hour=hour % 24, minute=minute)
    if hour == 24 or (reading.is_midnight and reading.day == wall.date()):
        local += timedelta(days=1)
    if reading.month_day:
        local = add_months(local, months=0, day=reading.month_day)
        if local <= wall or local.day != reading.month_day:
            later = (add_months(local, months=months, day=reading.month_day) for months in range(1, 13))
            local = next((day for day in later if day.day == reading.month_day), local)
    elif reading.weekday is not None and reading.day is None:
        local += timedelta(days=(reading.weekday - local.weekday()) % 7)
    if reading.weekday is not None and reading.weekday != local.weekday():
        return "none"  # "Friday, 3 December" of a year in which that is a Thursday
    if local <= wall and reading.day is None:
        local += timedelta(days=7 if reading.weekday is not None else 1)
    if not reading.repeat:
        if why := check_due_time(local, now.replace(tzinfo=None)):
            return why
        if to_utc(local, now.tzinfo).astimezone(now.tzinfo).replace(tzinfo=None) != local:
            return "none"  # the clock skips it when daylight saving begins
    return make_local_reminder(text, local, reading.repeat, now, reading.month_day) or NotUnderstood(words="")


def _find_unread_time_words(reading: _Reading, text: str) -> str:
    if reading.zone_words is not None and reading.has_unread_zone:
        return text[reading.zone_words]
    is_timed = reading.clock is not None or reading.distance is not None
    is_read = is_timed or (not reading.part and (reading.is_dated or reading.repeat == "daily"))
    if reading.is_every and reading.repeat != "daily":
        is_read = (reading.repeat == "weekly" and reading.weekday is not None) or reading.month_day > 0
    start = _skip_gap(text, reading.end) if is_read else 0
    for token in TOKEN.finditer(text):
        if token.start() < reading.end < token.end() and _INSIDE_WORD.match(text, reading.end):
            return token[0]  # "9ish"
    tokens = [token for token in TOKEN.finditer(text, start) if any(map(str.isalnum, token[0]))]
    after = reading.skip(start, "on", "at")
    second = reading.skip(reading.skip(start, "until", "of"), "on", "at")  # "at 9 to 10", "at 9 or at 10"
    alike = {at + 1 for at, token in enumerate(tokens[:-1]) if token[0].casefold() == reading.clock_lead.casefold()}
    near = {0, *alike, *(at for at, token in enumerate(tokens) if token.start() in (after, second))}
    marks = [
        index
        for index in range(len(tokens))
        if lexicon.is_time_word(tokens, index, is_timed=is_timed and index not in near)
    ]
    begins = not is_read or reading.match("and", start) >= 0
    if after > start:
        begins |= not is_timed or (bool(marks) and marks[0] <= NEAR_TOKENS)
    if begins:
        last = max([index for index in marks if index <= 2 * NEAR_TOKENS], default=min(1, len(tokens) - 1))
        while last + 1 < len(tokens) and tokens[last].end() <= reading.end:
            last += 1  # up to the word after "every"
        return text[start : tokens[last].end() if tokens else None][:MAX_SHOWN_CHARS]
    if not marks:
        return ""
    last = next(index for index in range(marks[0], len(tokens) + 1) if index not in marks) - 1
    return text[tokens[marks[0]].start() : tokens[last].end()][:MAX_SHOWN_CHARS]
