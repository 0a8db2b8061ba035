"""A parser for simple reminders such as "in 2 weeks …" or "on 3 December at 9:00 …", used without a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise, product

from locales.catalog import ENGLISH, get_current_language
from records.reminders import MAX_DAYS_AHEAD, NewReminder
from reminders.arguments import MAX_TEXT_CHARS, MORNING, Impossible, make_reminder_if_possible
from reminders.lexicon import (
    HAN,
    PLAIN,
    READ_LANGUAGES,
    SPOKEN,
    TOKEN,
    is_time_word,
    load_lexicon,
    write_times_in_digits_with_spans,
)
from reminders.possible_days import find_possible_day
from reminders.time_parts import LEADS, MAX_DAYS_TO_31ST, TimePhraseParser
from reminders.zones import find_holidays, find_possible_zone_or_day, find_span_of_time_zone
from text.characters import collapse_to_single_line
from text.stopwords import EVERY_FUNCTION_WORD
from text.time_zones import to_utc

MAX_END_TOKENS = 10  # words of a time at the end of a text
MAX_SHOWN_CHARS = 60  # characters of the words that were not understood
NEAR_TOKENS = 4  # words after a preposition within which a time may follow, as in "at half past eight"
_ENDS = " ,.;:-–—"
_WORD = re.compile(r"[^\W\d]{2}")
_INSIDE_WORD = re.compile(rf"(?<=\w)(?<!{HAN.pattern})['’/-]?(?!{HAN.pattern})\w")


@dataclass(frozen=True, kw_only=True, slots=True)
class UncertainReminder:
    """A reminder that could not be parsed with certainty. `words` are the words in doubt, if any."""

    words: str
    reminder: NewReminder | None = field(default=None, compare=False)  # the likely one, to be offered but not set


def parse_reminder_phrase(phrase: str, now: datetime) -> NewReminder | Impossible | UncertainReminder:
    """Parse a reminder that begins or ends with its time. `now` is an aware time in the person's zone."""
    request, parsers = collapse_to_single_line(phrase)[:MAX_TEXT_CHARS], list[TimePhraseParser]()
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    for language in dict.fromkeys([get_current_language(), *READ_LANGUAGES]):
        text, spans = write_times_in_digits_with_spans(request.translate(PLAIN), language)  # PLAIN keeps its length
        parser = TimePhraseParser(request=request, text=text, spans=spans, words=load_lexicon(language), wall=wall)
        parser.parse_time_parts(parser.skip_pattern("(?:{joining} )*", 0))
        parsers.append(parser)
    read = [(len(parser.quote(0, parser.end)), parser.is_every) for parser in parsers]
    equal = [parser for parser, length in zip(parsers, read, strict=True) if length == max(read)]  # "à 9h" has two
    best = equal[0]
    equal = [best] if best is parsers[0] else equal
    unread = next(filter(None, map(_find_unparsed_time_words, equal)), "")
    other_day = next(filter(None, map(_find_words_of_other_day, equal)), "")
    at_end = _find_time_at_end_and_text_before(equal if best.end else parsers) if unread or other_day else None
    if unread and not at_end:
        return UncertainReminder(words=unread)
    best, rest = at_end or (best, best.quote(best.end))
    if best.impossible:
        return "none"
    rest = rest.strip(_ENDS).lstrip(")）").rstrip("(（ ")
    joined = best.words.match("(?:{joining} )*" if at_end else "{joining}", rest.translate(PLAIN))
    text = rest[joined.end() :] if joined else rest
    doubt = best.doubt or ("" if at_end else other_day)
    if best.distance is None and (best.month_day or not (best.day or best.repeat)):
        first_or_all = text.split()[0] if best.has_date and text else text
        is_wordless = _WORD.search(best.quote(0, best.end).replace(rest, "")) is None  # "9:30" or "в 9:30"
        doubt = doubt or find_possible_day(first_or_all, best.words, in_any_language=is_wordless)
    reminder = _build_reminder(best, text, now)
    if not isinstance(reminder, NewReminder):
        return UncertainReminder(words=doubt) if doubt else reminder
    if best.clock and not best.distance:
        is_exact, has_date = best.is_exact and not at_end, best.has_date or bool(best.repeat)
        doubt = doubt or find_possible_zone_or_day(rest, best.words, has_exact_time=is_exact, has_date=has_date)
    return UncertainReminder(words=doubt, reminder=reminder) if doubt or at_end else reminder


def _find_words_of_other_day(early: TimePhraseParser) -> str:
    """Return words after a time that may name its day, as in "at 9 call mum on 3.12.", or "" if there are none."""
    tokens = [] if early.distance else [*TOKEN.finditer(early.text, early.end)]
    is_dated = early.has_date or early.repeat != ""
    for before, token in pairwise([*tokens[:1], *tokens]):
        late = replace(early, day=None, weekdays=[], month_day=0, repeat="", is_every=False)
        late.parse_time_parts(token.start())
        is_led = early.skip_pattern(LEADS, token.start()) > token.start() and token[0] not in SPOKEN["articles"]
        is_small = late.month_day or token[0].lower() in EVERY_FUNCTION_WORD  # "the 3rd chapter", "appeler mon mari"
        is_outer = token is tokens[0] or late.end >= tokens[-1].end() or not is_small
        found = early.quote(token.start(), late.end)
        if found.split(" ")[-1] in SPOKEN["like-days"]:  # "lie in the sun", but "on Sat"
            is_led &= early.words.language == ENGLISH
            is_last = token is tokens[-1] and token[0].islower()  # "call mum sat", but "appeler Sam"
            is_outer = is_last and before[0].lower() not in EVERY_FUNCTION_WORD
        is_meant = (is_led and not (late.month_day and early.day)) or (is_outer and not is_dated)
        if late.has_date and not late.impossible and is_meant:
            return found
    return ""


def _find_time_at_end_and_text_before(parsers: Sequence[TimePhraseParser]) -> tuple[TimePhraseParser, str] | None:
    """Find a time at the end of a text, as in "call mum at 9". Return its parser and the text before it."""
    for back, early in product(range(MAX_END_TOKENS, 0, -1), parsers):
        tokens = [*TOKEN.finditer(early.text.rstrip(_ENDS))]
        if len(tokens) <= back or (start := tokens[-back].start()) <= early.end:
            continue
        late = replace(early, weekdays=[*early.weekdays])
        late.parse_time_parts(start)
        if late.end < tokens[-1].end():
            continue
        is_joined = late.words.compile(r"(?<!\w)(?:{every}|(?:{and}|{until}) $)").search(late.text[early.end : start])
        is_open = is_joined or _find_unparsed_time_words(late, early.end, start)
        return None if is_open else (late, late.quote(early.end, start))
    return None


def _build_reminder(parser: TimePhraseParser, text: str, now: datetime) -> NewReminder | Impossible | UncertainReminder:
    if parser.distance is not None:
        due_at = (now + (parser.distance - parser.wall)).astimezone(UTC) + parser.elapsed
        return make_reminder_if_possible(text, due_at, now) or UncertainReminder(words="")
    if parser.day is not None and parser.day - parser.wall.date() > timedelta(days=MAX_DAYS_AHEAD):
        return "far"
    hour, minute = parser.clock or (MORNING, 0)
    first = datetime.combine(parser.day or parser.wall.date(), time(hour % 24, minute))
    if hour == 24 or (parser.is_midnight and parser.day == parser.wall.date() and first <= parser.wall):
        first += timedelta(days=1)
    weekday = parser.weekdays[0] if parser.weekdays and not parser.repeat else None
    for local in (first + timedelta(days=days) for days in range(1 if parser.day else MAX_DAYS_TO_31ST)):
        is_open = parser.day or (local > parser.wall and not (parser.is_next and local.date() == parser.wall.date()))
        if is_open and local.day == (parser.month_day or local.day) and weekday in (None, local.weekday()):
            break
    else:
        return "none" if parser.day else "passed"  # "Friday, 3 December" on a Thursday, "Sunday the 22nd at 9" at ten
    if not parser.repeat and to_utc(local, now.tzinfo).astimezone(now.tzinfo).replace(tzinfo=None) != local:
        return "none"  # the clock skips it when daylight saving begins
    made = make_reminder_if_possible(text, local, now, parser.repeat, parser.month_day, parser.weekdays)
    return made or UncertainReminder(words="")


def _find_unparsed_time_words(parser: TimePhraseParser, start: int | None = None, stop: int | None = None) -> str:
    """Return the words from `start` to `stop` that may belong to a time but were not parsed, or "" if there are none.

    By default, `start` is the end of the parsed time. If the time is incomplete, look from the beginning of the text.
    """
    text, start = parser.text[:stop], parser.end if start is None else start
    for token in TOKEN.finditer(text):
        if token.start() < start < token.end() and _INSIDE_WORD.match(text, start):
            return parser.quote(*token.span())  # "9ish"
    # "In 3 days at 9" has an hour, "in 3 hours" needs none.
    is_timed = (parser.clock is not None and parser.distance is None) or "hour" not in parser.units
    is_read = is_timed or (not parser.part and (parser.has_date or parser.repeat == "daily"))
    if parser.is_every and parser.repeat != "daily":
        is_read = parser.repeat != "" and bool(parser.weekdays or parser.month_day)
    start = parser.skip_pattern(" ", start) if is_read else 0
    holidays = [found.span() for _, found in find_holidays(text) if " " in found[0]]  # "Mother's Day"
    tokens = [token for token in TOKEN.finditer(text, start) if any(map(str.isalnum, token[0]))]
    tokens = [token for token in tokens if not any(first <= token.start() < end for first, end in holidays)]
    after = parser.skip_pattern("(?:(?:{on}|{at}) )*", start)
    # Where a number is a time: "at 9 to 10", "at 9 or at 10", "at 9 to call mum at 10".
    near = {tokens[0].start() if tokens else 0, parser.skip_pattern("(?:(?:{until}|{of}) )*(?:(?:{on}|{at}) )*", start)}
    near |= {token.start() for lead, token in pairwise(tokens) if lead[0].casefold() == parser.clock_lead.casefold()}
    behind_number = parser.words.compile(r"\d (?:h|{hours})? $")
    for token in [*tokens[:1], *reversed(tokens[1:])] if not is_read or (parser.clock and not parser.distance) else []:
        is_behind_time = token.start() in near or behind_number.search(text, 0, token.start()) is not None
        is_word = parser.words.get_meaning("zone", token[0]) and not is_behind_time  # "прогулка по Москве"
        if not is_word and (zone := find_span_of_time_zone(text, token.start(), parser.words)):
            return parser.quote(*zone)
    marks = [
        index
        for index, token in enumerate(tokens)
        if is_time_word(tokens, index, parser.words.language, ignores_numbers=is_timed and token.start() not in near)
    ]
    # In Chinese, "and" is also "with".
    begins = not is_read or (parser.skip_pattern("{and}", start) > start and bool(marks or not HAN.match(text, start)))
    begins |= after > start and (not is_timed or (bool(marks) and marks[0] <= NEAR_TOKENS))
    if not (begins or marks):
        return ""
    last = max(marks, default=min(1, len(tokens) - 1))
    end = max(tokens[last].end(), parser.end) if tokens else len(text)
    return parser.quote(start if begins else tokens[marks[0]].start(), end)[:MAX_SHOWN_CHARS]
