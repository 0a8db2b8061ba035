"""Pure functions that check that a fact's numbers, dates and names agree with its sources."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from records.facts import NewFact
from records.messages import Message
from retrieval import date_expressions
from summaries.quality_gate import find_invented_numbers
from text.analyzer import detect_language_of_latin_words, fold_accents, list_search_terms, normalize_text
from text.fingerprint import make_fingerprint
from text.word_lists import WORD_LISTS

NEAR_DAYS = timedelta(days=15)  # that "tomorrow", "next Friday" or "in ten days" may mean, in any language
YEAR_AROUND = timedelta(days=400)  # of a date without its year

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LATIN = str.maketrans(WORD_LISTS["latin"])


def find_fact_faults(fact: NewFact, source: Message, *, allowed_texts: Sequence[str], zone: tzinfo) -> list[str]:
    """Return the reasons not to learn a fact from a message, or [] if the message supports it.

    The fact may contain names and numbers from `allowed_texts`.
    """
    said = "\n".join([source.content, *allowed_texts])
    faults = []
    text = _remove_supported_dates(fact.text, source, said, zone)
    years = [source.created_at.astimezone(zone).year + step for step in (-1, 0, 1)]
    known = "\n".join([said, *map(str, years), *make_fingerprint(said).numbers])
    if find_invented_numbers(text, known):
        faults.append("a number or date that the messages lack")
    if _find_invented_names(fact.text, said):
        faults.append("a name that the messages lack")
    return faults


def find_start_date(text: str, source: Message, zone: tzinfo) -> datetime | None:
    """Return the UTC start date in a text, as in "since 2024-05", or None if there is none that its source implies."""
    if not (match := _SINCE.search(text.casefold())):
        return None
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        begins = datetime(year, month, day, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    is_past = begins <= source.created_at
    return begins if is_past and _is_date_implied(begins.astimezone(zone), source, zone) else None


_SINCE = re.compile(rf"(?:{WORD_LISTS['dates']['since']})\s*(\d{{4}})(?:-(\d\d))?(?:-(\d\d))?\b")


def _remove_supported_dates(text: str, source: Message, source_text: str, zone: tzinfo) -> str:
    """Remove the dates that are in `source_text` or implied by `source` from a text."""
    for match in re.finditer(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b", text):
        year, month, day = (int(part) if part else 1 for part in match.groups())
        try:
            moment = datetime(year, month, day, tzinfo=zone)
        except ValueError:
            continue
        if match.group() in source_text or _is_date_implied(moment, source, zone):
            text = text.replace(match.group(), " ")
    return text


def _is_date_implied(moment: datetime, message: Message, zone: tzinfo) -> bool:
    said_at = message.created_at.astimezone(zone)
    if abs(moment - said_at) <= NEAR_DAYS:
        return True
    numbers = set(re.findall(r"\d+", normalize_text(message.content)))
    if str(moment.year) in numbers and not find_invented_numbers(f"{moment.year}", message.content):
        return True
    if str(moment.day) in numbers or f"{moment.day:02d}" in numbers:
        # "On the 3rd of May": the year is the message's, or one next to it.
        return abs(moment - said_at) <= YEAR_AROUND
    ranges = date_expressions.find_time_ranges(fold_accents(normalize_text(message.content)), said_at)
    day = timedelta(days=1)
    return any(found.start - day <= moment < found.end + day for found in ranges) or (
        # "In March", "last spring": a month without a day.
        moment.day == 1 and abs(moment - said_at) <= YEAR_AROUND
    )


def _find_invented_names(text: str, source_text: str) -> list[str]:
    words = [word.casefold() for word in _WORD.findall(text)]
    if detect_language_of_latin_words(words) == "german":  # where every noun is capitalised
        return []
    known = {fold_accents(normalize_text(word)) for word in _WORD.findall(source_text)}
    # A name may be written in another alphabet than the message.
    known |= {word.translate(_LATIN) for word in known}
    stems = {stem[:5] for stem in (*known, *list_search_terms(source_text))}

    def is_in_source_text(name: str) -> bool:  # ignoring its case ending
        begins_alike = len(name) > 1 and any(word.startswith(name[:4]) for word in known)
        return begins_alike or name in known or name[:5] in stems

    first = make_fingerprint(text.split(" ")[0]).names
    new = [name for name in make_fingerprint(text).names if name not in first]
    return [name for name in new if not is_in_source_text(name) and not is_in_source_text(name.translate(_LATIN))]
