"""Finds words left over beside a parsed time that may belong to it, so that no reminder is set for a wrong time.

Words that tell times, days or time zones count anywhere, also misspelt. A number counts only where a time may stand:
beside the parsed time, behind a preposition, or while the clock time is missing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from locales.catalog import LANGUAGES
from reminders.lexicon import HAN, READ_LANGUAGES, SPOKEN, TOKEN, Lexicon, fold_letters, load_lexicon, parse_number
from reminders.time_parts import TimePhraseParser, WordSpan
from reminders.zones import find_end_of_city, find_end_of_time_zone
from text.word_lists import AMBIGUOUS_MONTHS, EVERY_FUNCTION_WORD

MIN_NAME_CHARS = 5  # A shorter name, such as "May", resembles too many words.
MIN_LIKENESS = 0.8  # of a misspelt name, as in "wensday" or "tuesd"
MIN_MINUTES = 10  # "at 9 30 eggs" may be 9:30, but "at 9 3 eggs" is not 9:03
_TIME_SHAPES = re.compile(f"{SPOKEN['time-shapes']}|{SPOKEN['zh']['left_over']}", re.IGNORECASE)
_SIGNS = ".:'@~+-–—"  # around a time
_UNREAD_WORD = re.compile(SPOKEN["unread-word"])
_INSIDE_WORD = re.compile(rf"(?<=\w)(?<!{HAN.pattern})['’/-]?(?!{HAN.pattern})\w")
_JOINERS = " (?:(?:{until}|{of}|{and}|{on}|{at}|[-–—]) )*"  # a pattern of Lexicon.match()
_ENDING = r"{through} (?:[^\s,;]++ ){,3}(?:{telling}|{holiday})"  # "until March": no reminder ends
_BEFORE_OWN_DAY = r" (?:{before-day}|{on}) (?:[^\s,;]++ ){,3}"  # "on my" before "birthday"
_HOLIDAY = rf"(?:(?<!\w)|(?<={HAN.pattern}))(?:{{holiday}}|(?P<own>{{own-day}}))"


def find_doubtful_span(parser: TimePhraseParser, start: int, stop: int | None) -> WordSpan | None:
    """Return the span of the words from `start` to `stop` that may belong to the parsed time, or None."""
    text = parser.text[:stop]
    cut = next((token for token in TOKEN.finditer(text) if token.start() < start < token.end()), None)
    if cut and _INSIDE_WORD.match(text, start):
        return cut.span()  # "9ish"
    start = start if parser.is_complete else 0
    tokens = [token for token in TOKEN.finditer(text, start) if any(map(str.isalnum, token[0]))]
    words = _Leftovers(parser=parser, text=text, start=start, tokens=tokens)
    spans = sorted(words.find_spans())
    if not parser.is_complete:
        ends = [end for _, end in spans] or [token.end() for token in tokens[:3]] or [len(text)]
        return 0, max([*ends, parser.end])
    return (spans[0][0], max(end for _, end in spans)) if spans else None


@dataclass(kw_only=True, slots=True)
class _Leftovers:
    """The words of `text` from `start`, which `parser` has not read."""

    parser: TimePhraseParser
    text: str
    start: int
    tokens: Sequence[re.Match[str]]

    def find_spans(self) -> Iterator[WordSpan]:
        """Yield the spans of words that may belong to the time."""
        parser, lexicons = self.parser, [load_lexicon(language) for language in READ_LANGUAGES]
        holidays = [day for words in lexicons for day in words.compile(_HOLIDAY).finditer(self.text, self.start)]
        named = {at for day in holidays if " " in day[0] for at in range(*day.span())}  # "Mother's Day"
        begin = parser.skip_pattern(" ", self.start)
        lead = "(?:{and}|{at}|(?!{joining}){until}) " if parser.needs_clock else "{and} "
        if self.tokens and not HAN.match(self.text, begin) and parser.skip_pattern(lead, begin) > begin:
            yield begin, self.tokens[:2][-1].end()  # "tomorrow at lunchtime", "en dos horas y media"
        for at, token in enumerate(self.tokens):
            start, end = token.span()
            if parser.repeat and (ending := parser.words.match(_ENDING, self.text, start)):
                yield start, ending.end()
            if (self._tells_time(at) and start not in named) or self._may_be_number_of_time(at):
                yield start, end
            if parser.end and (day_end := self._find_end_of_day(at)):
                yield start, day_end
            if zone_end := self._find_end_of_zone(at):
                yield start, zone_end
        for day in holidays if parser.end and not parser.has_date and not parser.repeat else ():
            led = parser.words.compile(_BEFORE_OWN_DAY).fullmatch(self.text, self.start, day.start())
            if led or not day["own"]:  # "on my birthday", but also "birthday cake"
                yield day.span()

    def _tells_time(self, at: int) -> bool:
        """Return True if a token tells a time in its language or one of the bot's languages."""
        token = self.tokens[at][0].strip(_SIGNS)
        word = fold_letters(token)
        stem = word.removeprefix("l'")  # "dans l'après-midi"
        is_han = HAN.search(word) is not None  # written without spaces
        if self.parser.end > self.tokens[at].end() and self.parser.words.get_meaning("every", token):
            return True  # "trash every other" before "Tuesday at 9"
        lexicons = map(load_lexicon, {*LANGUAGES, self.parser.words.language})
        telling = (lexicon.compile("{telling}|{part-root}|{weekday-root}") for lexicon in lexicons)
        if _TIME_SHAPES.search(token) or any(name.search(word) if is_han else name.fullmatch(stem) for name in telling):
            return word not in AMBIGUOUS_MONTHS or self._is_near_number(at)
        return False

    def _may_be_number_of_time(self, at: int) -> bool:
        """Return True for a number that may be an hour, minutes or a day: "at 9 or 10", "tomorrow buy 3 eggs"."""
        word, (start, end), parser = self.tokens[at][0].strip(_SIGNS), self.tokens[at].span(), self.parser
        number = parse_number(fold_letters(word)) or 0
        is_named = parser.words.get_meaning("number", word) != ""
        if number <= 1 and not is_named and not word[:1].isdigit():
            return False
        if start == parser.skip_pattern(" ", self.start):
            return parser.needs_clock or number >= MIN_MINUTES or is_named
        before = self.tokens[at - 1][0] if at else ""
        is_led = any(parser.words.get_meaning(kind, before) for kind in ("on", "at"))
        is_led |= start == parser.skip_pattern(_JOINERS, self.start)
        is_led |= parser.end > start and EVERY_FUNCTION_WORD.issuperset(self.text[end:].split())  # "between 9 and" 10
        return is_led or (parser.needs_clock and not is_named)

    def _find_end_of_day(self, at: int) -> int:
        """Return where a day that begins with a token ends, or 0 if there is none."""
        parser, token, (start, end) = self.parser, self.tokens[at], self.tokens[at].span()
        late = replace(parser, day=None, weekdays=[], month_day=0, repeat="", is_every=False, doubt=None, weak=None)
        late.parse_time_parts(start)
        if late.has_date and not late.impossible:
            return late.end
        if parser.month_day == 0 and (parser.has_date or parser.repeat):
            return 0
        if any(self._is_misspelt_name(at, load_lexicon(language)) for language in READ_LANGUAGES):
            return end
        if foreign := parser.words.match(SPOKEN["foreign-date"], self.text, start):
            return foreign.end()
        return end if not token[0][0].isupper() and _UNREAD_WORD.search(parser.quote(start, end)) else 0

    def _find_end_of_zone(self, at: int) -> int:
        """Return where a time zone that begins with a token ends, such as "PST" or "London time", or 0."""
        parser, start = self.parser, self.tokens[at].start()
        if parser.distance or (parser.end and parser.clock is None):
            return 0
        if end := find_end_of_time_zone(self.text, start, parser.words):
            return end
        place = parser.skip_pattern("{before-day} ", start)
        may_be_city = parser.clock is not None and at == 0 and (parser.is_exact or place > start)
        return find_end_of_city(self.text, place) if may_be_city else 0  # "9am London call Ann"

    def _is_misspelt_name(self, at: int, lexicon: Lexicon) -> bool:
        """Return True if a token may be the name of a day or month with a mistake or two, or its beginning."""
        word, words = fold_letters(self.tokens[at][0]).strip("'.:").removeprefix("ال"), lexicon.words
        is_dated = self.parser.month_day > 0 or self._is_near_number(at)
        named = [name for kind in ("days", "weekday", "short", "month") for name in words[kind]]
        is_part = any(word[:1] == name[:1] and sorted(word) == sorted(name[: len(word)]) for name in named)  # "Arpil"
        # A short month resembles many words, so it is one beside a number only.
        names = [name for name in named if len(name) + (is_dated or name not in words["month"]) > MIN_NAME_CHARS]
        # From their ends, as "maana" and "mañana" are most alike there. A short word resembles names of its length.
        turned = [name[::-1] for name in names if abs(len(name) - len(word)) < len(word) - 2]
        is_like = get_close_matches(word[::-1], turned, 1, MIN_LIKENESS) != []
        return word not in words["no-day"] and (is_like or (is_part and len(word) >= MIN_NAME_CHARS))

    def _is_near_number(self, at: int) -> bool:
        near = self.tokens[max(at - 2, 0) : at + 2]  # "3 de enerro"
        return any(any(map(str.isdigit, token[0])) for token in near)
