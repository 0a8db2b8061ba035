"""Split compound facts, such as "Anna lives in Lisbon and works as a nurse". In Chinese, no fact is split."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cache

from facts.schemas import CLAUSE_BREAK, OPEN, OVER, ExtractedFact
from text.fingerprint import find_topics, make_fingerprint
from text.word_lists import EVERY_FUNCTION_WORD

MIN_STEM = 2  # letters that two forms of a verb share, as in "have" and "has"
MIN_TOPICS = 2  # of the words after an "and": "works as a nurse", but not "coffee"
MAX_SUBJECT_WORDS = 3  # in front of the first verb, such as "the user"
MAX_WORDS = 100  # of a quote that are compared
_PAUSES = " ,;،"
_JOINED = "وו"  # "and" in Arabic and Hebrew, which write it together with the next word
_LANGUAGES = ("en", "de", "es", "pt", "fr", "it", "nl", "ru", "uk", "pl", "tr", "sv", "ar", "he", "fa")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[,;،]")
Word = tuple[int, str]  # the position of a word or comma in a text, and the word in lower case


def split_compound_fact(fact: ExtractedFact, joined_speaker_names: str) -> list[ExtractedFact]:
    """Split a compound fact into its parts, or return it alone. `joined_speaker_names` contains the speakers' names.

    Only the first part can replace known facts. It keeps the attribute, which is split if it names two things.
    """
    told, said = list(_iterate_words(fact.text)), list(_iterate_words(fact.quote))[:MAX_WORDS]
    is_plain = fact.kind == "personal" and not (fact.type in (OPEN, OVER) or make_fingerprint(fact.quote).hedges)
    separators = _get_list_separators()
    subject = fact.text[: _find_first_verb_position(told, said, joined_speaker_names)] if is_plain else ""
    for at, (end, sign) in enumerate(told if subject else ()):
        for other, (quote_end, same) in enumerate(said):
            verb = _find_verb_position(told[at + 1 :], said[other + 1 :], said) if sign == same in separators else 0
            if verb and end > len(subject) and len(find_topics(fact.text[verb:])) >= MIN_TOPICS:
                named = [word for word in _iterate_words(fact.attribute) if word[1] in separators]
                first, second = _split_at_separator(fact.attribute, *(named or [(len(fact.attribute), "")])[0])
                start, quote = _split_at_separator(fact.text, end)[0], _split_at_separator(fact.quote, quote_end, sign)
                rest = replace(fact, text=subject + fact.text[verb:], quote=quote[1], attribute=second, replaces=())
                rest = replace(rest, is_single=fact.is_single and bool(second))
                return [
                    replace(fact, text=f"{start}.", quote=quote[0], attribute=first),
                    *split_compound_fact(rest, joined_speaker_names),
                ]
    return [fact]


def is_clause_before_wish(quote: str, line: str) -> bool:
    """Return True if a quote is a clause of its own, at the start of its line or after "but", before a break."""
    before, after = ([word for _, word in _iterate_words(part)] for part in line.partition(quote)[::2])
    begins = not before or (before[-1].isalpha() and CLAUSE_BREAK.fullmatch(before[-1]))
    ends = not after or after[0] in _get_list_separators() or CLAUSE_BREAK.fullmatch(after[0])
    return quote in line and bool(begins and ends) and len(find_topics(quote)) >= MIN_TOPICS


def _split_at_separator(text: str, start: int, separator: str = "") -> tuple[str, str]:
    """Return the trimmed texts before and after a separator that begins at `start`."""
    return text[:start].rstrip(_PAUSES), text[start + len(separator) :].strip()


def _find_first_verb_position(fact: Sequence[Word], quote: Sequence[Word], speaker_names: str) -> int:
    """Return the position of a fact's verb, which follows a name or "the user", or 0 if no verb is found."""
    after = next((at for at, word in fact if word not in speaker_names.casefold().split()), 0)
    leading = fact[1 : MAX_SUBJECT_WORDS + 1]
    return after or next(
        (at for at, word in leading if any(_is_form_of_same_word(word, other) for _, other in quote)), 0
    )


def _find_verb_position(fact: Sequence[Word], quote: Sequence[Word], whole_quote: Sequence[Word]) -> int:
    """Return the position of the verb that begins a part of a fact, or 0 if no verb is found.

    A verb has another form in the quote (the person says "work", the fact "works"), or follows a repeated pronoun, as
    in "Je vis à Lyon et je lis". A function word may precede it.
    """
    ours, them = (part[: 1 + (bool(part) and part[0][1] in EVERY_FUNCTION_WORD)] for part in (fact, quote))
    found = next((at for at, word in ours for _, other in them if _is_form_of_same_word(word, other)), 0)
    is_pronoun = len(them) > 1 and whole_quote[0][1].replace("’", "'").startswith((them[0][1], f"{them[0][1][0]}'"))
    return found or (fact[0][0] if is_pronoun and fact and fact[0][1] == them[1][1] else 0)


def _iterate_words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        start, word = match.start(), match[0].casefold()
        if start and len(word) > 1 and word[0] in _JOINED:
            yield start, word[0]
            start, word = start + 1, word[1:]
        yield start, word


@cache
def _get_list_separators() -> Set[str]:
    """Return the commas of many languages and their words for "and"."""
    from babel import Locale  # imported late: starting the bot needs no names of languages

    patterns = (Locale(language).list_patterns["standard"]["2"] for language in _LANGUAGES)
    return {*_PAUSES.strip(), *(pattern.replace("{0}", "").replace("{1}", "").strip() for pattern in patterns)}


def _is_form_of_same_word(word: str, other: str) -> bool:
    """Return True if two different words share a long enough beginning, or differ only in their first letter."""
    shared = max(length for length in range(len(word) + 1) if other.startswith(word[:length]))
    is_prefixed = word[1:] == other[1:] and len(word) > MIN_STEM and word not in EVERY_FUNCTION_WORD
    return word != other and (is_prefixed or (shared >= MIN_STEM and 2 * shared >= max(len(word), len(other))))
