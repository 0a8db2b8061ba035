"""Pure functions that score summaries from 0 to 1 with common reference-free metrics."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from summaries.quality_gate import find_invented_numbers, find_numbers, parse_source_line
from text.analyzer import fold_accents, list_search_terms
from text.characters import split_sentences_with_spaces

WEIGHTS = {"retention": 0.35, "novelty": 0.25, "coverage": 0.2, "compression": 0.1, "repetition": 0.1}

MIN_SHARED_TERMS = 0.25  # share of the shorter one's terms by which a summary's sentence covers a turn
SHORT_SOURCE_TOKENS = 60  # below which a summary need not be shorter than its source
MAX_SOURCE_CHARS = 60_000  # that are measured, to bound the time
MIN_SHARE_CHARS = 200  # of one source, if they are cut
MIN_TERMS = 5  # of a turn without details, from which on a summary should keep something of it
MIN_MISSING = 3  # details; a summary that lacks fewer is not asked for again
MAX_MISSING = 12  # details that a second request names, the latest ones

_URL = re.compile(r"https?://[^\s<>\"')\]]+|(?<![\w.+-])[\w.+-]++@[\w-]+\.\w[\w.]*")
# A capital inside a sentence; what opens one is as often an ordinary word.
_NAME = re.compile(r"(?<=[^\W_] )(?<![.!?] )[^\W\d_a-zа-яё]\w*[a-zа-яёà-ÿ]\w*|(?<=[,;:(\"“„«] )[A-ZА-ЯЁ]\w+")
_TOKEN = re.compile(r"\w+")
# A summary should hardly ever leave out names inside sentences, whole dates and numbers of three digits or more.
_WEIGHTY = re.compile(rf"{_NAME.pattern}|\b\d{{4}}-\d\d-\d\d\b|\b\d[\d.,]{{0,40}}\d{{2}}\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A message or lower-level summary that a summary is made from."""

    text: str
    is_user: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryScore:
    """A total score and its parts, from 0 (bad) to 1 (good).

    "retention" is the share of source details kept; the user's details count double. "novelty" is the share of summary
    details found in the sources. "coverage" is the share of turns that the summary mentions. "compression" is the share
    of tokens saved. "repetition" is 1 if nothing is repeated.
    """

    total: float
    parts: Mapping[str, float]


def score_summary(text: str, sources: Sequence[Source], *, tokens: int, source_tokens: int) -> SummaryScore | None:
    """Score a summary against its sources. Return None if the sources contain nothing worth keeping."""
    sources = _truncate_sources(
        [Source(text=parse_source_line(source.text).words, is_user=source.is_user) for source in sources]
    )
    texts = [source.text for source in sources]
    if not any(find_names_and_numbers(text) or len(set(list_search_terms(text))) >= MIN_TERMS for text in texts):
        return None
    whole = "\n".join(texts)
    sentences = [set(list_search_terms(sentence)) for sentence in split_sentences_with_spaces(text)]
    words = [word.casefold() for word in _TOKEN.findall(text)]
    runs = list(zip(words, words[1:], words[2:], strict=False))
    parts = {
        "retention": _measure_retention(text, sources),
        "novelty": _measure_novelty(text, whole),
        "coverage": _measure_coverage(sources, sentences),
        "compression": 1.0 if source_tokens <= SHORT_SOURCE_TOKENS else max(0.0, 1 - tokens / source_tokens),
        "repetition": len(set(runs)) / len(runs) if runs else 1.0,
    }
    rounded = {name: round(value, 3) for name, value in parts.items()}
    return SummaryScore(total=round(sum(WEIGHTS[name] * value for name, value in parts.items()), 3), parts=rounded)


def find_names_and_numbers(text: str) -> set[str]:
    """Return the numbers, names, URLs and email addresses in a text, case-folded."""
    addresses = {fold_accents(match.lower().rstrip(".,")) for match in _URL.findall(text)}
    return addresses | find_numbers(text) | _find_names(_URL.sub(" ", text))


def list_source_details_missing_from_text(text: str, sources: Sequence[Source]) -> list[str]:
    """Return the user's names, dates and numbers that a summary lacks, or [] if it keeps half or lacks only a few."""
    kept = {fold_accents(word.casefold()) for word in _TOKEN.findall(text)}
    wanted: dict[str, str] = {}
    for source in _truncate_sources(sources):
        for match in _WEIGHTY.finditer(parse_source_line(source.text).words) if source.is_user else ():
            wanted.setdefault(fold_accents(match.group().casefold()), match.group())
    lacking = [written for plain, written in wanted.items() if not kept.issuperset(_TOKEN.findall(plain))]
    if len(lacking) < MIN_MISSING or 2 * len(lacking) <= len(wanted):
        return []
    return lacking[-MAX_MISSING:]


def shorten_summary(text: str, max_tokens: int, *, count_tokens: Callable[[str], int]) -> str:
    """Shorten a summary to `max_tokens` tokens, keeping the sentences with the most details per token.

    Cutting off the end would lose the most recent events. Remove sentences with few details per token, until removing
    one more is enough. Then remove the sentence with the fewest details, so that a long one with many details stays.
    """
    if count_tokens(text) <= max_tokens:
        return text
    parts = [part.strip() for part in split_sentences_with_spaces(text)]
    sizes = [count_tokens(part) + 1 for part in parts]
    details = [2 + len(find_names_and_numbers(f"- {part}")) for part in parts]
    kept, size = set(range(len(parts))), sum(sizes)
    for number in sorted(kept, key=lambda number: (details[number] / sizes[number], number)):
        if size <= max_tokens:
            break
        enough = [other for other in kept if sizes[other] >= size - max_tokens]
        gone = min(enough, key=lambda other: (details[other], other)) if enough else number
        kept.discard(gone)
        size -= sizes[gone]
    return " ".join(parts[number] for number in sorted(kept)) or text


def _find_names(text: str) -> set[str]:
    return {fold_accents(match.casefold()) for match in _NAME.findall(text)}


def _measure_retention(text: str, sources: Sequence[Source]) -> float:
    capitalised = re.findall(r"\b[A-ZА-ЯЁÀ-Þ]\w{2,}", text)
    kept = find_names_and_numbers(text) | {fold_accents(word.casefold()) for word in capitalised}
    wanted = found = 0.0
    seen = set[str]()
    for source in sorted(sources, key=lambda source: not source.is_user):
        weight = 2.0 if source.is_user else 1.0
        fresh = find_names_and_numbers(source.text) - seen
        seen |= fresh
        wanted += weight * len(fresh)
        found += weight * len(fresh & kept)
    return found / wanted if wanted else 1.0


def _measure_novelty(text: str, source_text: str) -> float:
    own = find_names_and_numbers(text)
    if not own:
        return 1.0
    words = {fold_accents(word.casefold()) for word in _TOKEN.findall(source_text)}
    foreign = _find_names(_URL.sub(" ", text)) - words
    addresses = map(str.lower, _URL.findall(text))
    foreign |= {address for address in addresses if address.rstrip(".,") not in source_text.lower()}
    foreign |= find_invented_numbers(text, source_text)
    return max(0.0, 1 - len(foreign) / len(own))


def _measure_coverage(sources: Sequence[Source], sentences: Sequence[Set[str]]) -> float:
    def is_covered(terms: Set[str]) -> bool:
        shares = ((len(terms & sentence), min(len(terms), len(sentence))) for sentence in sentences if sentence)
        return any(common and common >= MIN_SHARED_TERMS * shorter for common, shorter in shares)

    turns = [terms for terms in (set(list_search_terms(source.text)) for source in sources) if len(terms) >= 2]
    return sum(map(is_covered, turns)) / len(turns) if turns else 1.0


def _truncate_sources(sources: Sequence[Source]) -> list[Source]:
    if sum(len(source.text) for source in sources) <= MAX_SOURCE_CHARS:
        return list(sources)
    share = max(MIN_SHARE_CHARS, MAX_SOURCE_CHARS // len(sources))
    return [
        Source(text=source.text[:share], is_user=source.is_user)
        for source in sources[: MAX_SOURCE_CHARS // MIN_SHARE_CHARS]
    ]
