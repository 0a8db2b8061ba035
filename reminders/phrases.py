"""A parser for simple reminders such as "in 2 weeks …" or "on 3 December at 9:00 …", used without a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import product

from locales.catalog import get_current_language
from records.reminders import MAX_DAYS_AHEAD, NewReminder
from reminders.arguments import MAX_TEXT_CHARS, MORNING, Impossible, make_reminder_if_possible
from reminders.leftovers import find_doubtful_span
from reminders.lexicon import PLAIN, READ_LANGUAGES, TOKEN, load_lexicon, write_times_in_digits_with_spans
from reminders.time_parts import MAX_DAYS_TO_31ST, TimePhraseParser
from text.characters import collapse_to_single_line

MAX_END_TOKENS = 10  # words of a time at the end of a text
MAX_SHOWN_CHARS = 60  # characters of the words that were not understood
_ENDS = " ,.;:-–—"


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
    read = max(parsers, key=lambda parser: (len(parser.quote(0, parser.end)), parser.is_every))  # "à 9h", "в 9:30"
    at_end = _parse_time_at_end([read] if read.end else parsers)
    best, start, stop = at_end or (read, read.end, None)
    if best.impossible:
        return "none"
    unclear = best.doubt, best.weak, find_doubtful_span(best, start, stop)
    doubts = [best.locate(*span) for span in unclear if span] or [(0, 0)]
    doubt = min(begin for begin, _ in doubts), max(end for _, end in doubts)
    words, rest = request[slice(*doubt)].strip()[:MAX_SHOWN_CHARS], best.locate(start, stop)
    # Words in doubt may belong to the text: "Friday prayers", "at 9 CAT scan".
    begin, end = (min(rest[0], doubt[0]), max(rest[1], doubt[1])) if words else rest
    begin -= begin > 0 and request[begin - 1] in "(（"  # "at 9 (PST) call Ann"
    text = request[begin:end].strip(_ENDS).lstrip(")）").rstrip("(（ ")
    if joined := best.words.match("{joining} ", text.translate(PLAIN)):
        text = text[joined.end() :]
    reminder = _build_reminder(best, text, now) if best.is_complete else None
    if not isinstance(reminder, NewReminder):
        return UncertainReminder(words=words) if words or reminder is None else reminder
    return UncertainReminder(words=words, reminder=reminder) if words or at_end or best.is_guess else reminder


def _parse_time_at_end(parsers: Sequence[TimePhraseParser]) -> tuple[TimePhraseParser, int, int] | None:
    """Parse a time at the end of a text, as in "call mum at 9". Return its parser and the span of the text before."""
    for back, early in product(range(MAX_END_TOKENS, 0, -1), parsers):
        tokens = [*TOKEN.finditer(early.text.rstrip(_ENDS))]
        if len(tokens) <= back or (start := tokens[-back].start()) <= early.end:
            continue
        late = replace(early, weekdays=[*early.weekdays])
        late.parse_time_parts(start)
        if late.end >= tokens[-1].end() and not late.impossible and late.clock == (early.clock or late.clock):
            return late, early.skip_pattern(" (?:{joining} )*", early.end), start
    return None


def _build_reminder(parser: TimePhraseParser, text: str, now: datetime) -> NewReminder | Impossible | None:
    if parser.distance is not None:
        due_at = (now + (parser.distance - parser.wall)).astimezone(UTC) + parser.elapsed
        return make_reminder_if_possible(text, due_at, now)
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
        # "Sunday the 22nd at 9" at ten, and "Friday, 3 December" on a Thursday
        return "passed" if parser.month_day == parser.wall.day else "none"
    return make_reminder_if_possible(text, local, now, parser.repeat, parser.month_day, parser.weekdays)
