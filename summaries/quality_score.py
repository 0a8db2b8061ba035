"""How good a summary is, from 0 to 1, measured without a judge. It informs and refuses nothing (quality_gate.py does).

Pure. A summary should keep the details: numbers, dates, names, addresses, and sentences that deny or promise. The parts
are the usual reference-free measures, the weights are ours. Does not know who wrote the text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from summaries.quality_gate import invented_numbers, numbers
from text.analyzer import analyse, folded
from text.date_words import MONTHS
from text.patterns import Pattern

WEIGHTS: Mapping[str, float] = {
    "retention": 0.35,
    "novelty": 0.25,
    "coverage": 0.2,
    "compression": 0.1,
    "repetition": 0.1,
}
USERS_WEIGHT = 2.0
"""How much more the user's words count than the answers."""
SUPPORT = 0.25
"""A summary sentence covers a turn when they share this much of the shorter one's terms."""
SHORT_SOURCE = 60
"""Source tokens below which a summary need not be shorter than its source."""
MOST = 60_000
"""Characters of the sources that are measured: more would hold up everybody else."""
LEAST_SHARE = 200
PLEASANTRIES = frozenset(
    analyse(
        "hi hello hey thanks thank you ok okay fine great bye good morning evening night welcome please sorry lol haha "
        "hallo danke bitte tschüss hola gracias vale adiós bonjour salut merci ciao grazie olá obrigado obrigada tchau "
        "привет здравствуйте спасибо пожалуйста ок пока 你好 谢谢 再见 好的 こんにちは ありがとう 안녕하세요 감사합니다"
    )
)
"""Terms of which a turn may consist and still say nothing that a summary should keep."""

LEAST_MISSING, MOST_MISSING = 3, 12
"""A summary that lacks fewer details is not asked for again; of more, the latest are named."""

_URL = re.compile(r"https?://[^\s<>\"')\]]+|[\w.+-]+@[\w-]+\.\w[\w.]*")
# A capital inside a sentence; what opens one is as often an ordinary word.
_NAME = re.compile(r"(?<=[^\W_] )(?<![.!?] )[^\W\d_a-zа-яё]\w*[a-zа-яёà-ÿ]\w*|(?<=[,;:(\"“„«] )[A-ZА-ЯЁ]\w+")
MONTH_NAMES = sorted(
    {
        form
        for words in MONTHS
        for name in words.split()
        for one in name.strip("~").split("|")
        for form in (one, one.title())
    }
)
_TOKEN = re.compile(r"\w+")
# What a summary should hardly ever leave out: names inside sentences, whole dates, numbers of three digits on.
_WEIGHTY = Pattern(
    rf"{_NAME.pattern}|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de )?(?:{'|'.join(MONTH_NAMES)})\w*"
    rf"|\b(?:{'|'.join(MONTH_NAMES)})\w* \d{{1,2}}\b|\b\d[\d.,]*\d{{2}}\b"
)
_CAPITAL = re.compile(r"\b[A-ZА-ЯЁÀ-Þ]\w{2,}")
_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*")
_STAMP = re.compile(r"^\[[^\]]*\] [^:\n]{1,80}: ")
_TELLING = Pattern(
    r"\b(?:not|never|no longer|cannot|without|nobody|must|need to|will|going to|have to|promised?|todo|deadline|due"
    r"|нет|не|никогда|без|нужно|должн\w+|буд(?:у|ет|ем)|обещал\w*|срок"
    r"|nunca|jamás|sin|debo|tengo que|voy a|plazo|nicht|nie|kein\w*|muss|werde|ne|pas|jamais|dois|vais)\b"
    r"|n['’]t\b|不|没|要|会|必须|ない|ません|안|않",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A message, or a summary of a lower level, that the summary was made of."""

    text: str
    is_user: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """The whole and its parts, each from 0 (bad) to 1 (good).

    retention: the share of the sources' details that it keeps, the user's weighing more · novelty: the share of its own
    details that the sources have · coverage: the share of the turns that a sentence of it supports · compression ·
    repetition (1 = says nothing twice).
    """

    total: float
    parts: Mapping[str, float]


def score(text: str, sources: Sequence[Source], *, tokens: int, source_tokens: int) -> Score | None:
    """The score of a summary of these sources; None where they hold nothing to keep, for which no summary is better
    than another.
    """
    sources = _cut([Source(text=_STAMP.sub("", one.text), is_user=one.is_user) for one in sources])
    if not any(_has_something(one) for one in sources):
        return None
    whole = "\n".join(one.text for one in sources)
    sentences = [_terms(sentence) for sentence in _SENTENCE.findall(text)]
    parts = {
        "retention": _retention(text, sources, sentences),
        "novelty": _novelty(text, whole),
        "coverage": _coverage(sources, sentences),
        "compression": 1.0 if source_tokens <= SHORT_SOURCE else max(0.0, 1 - tokens / source_tokens),
        "repetition": _repetition(text),
    }
    rounded = {name: round(value, 3) for name, value in parts.items()}
    return Score(total=round(sum(WEIGHTS[name] * value for name, value in parts.items()), 3), parts=rounded)


def details(text: str) -> set[str]:
    """Numbers, names and addresses of a text, case-folded for comparison."""
    addresses = {folded(match.lower().rstrip(".,")) for match in _URL.findall(text)}
    return addresses | numbers(text) | _names(_URL.sub(" ", text))


def missing(text: str, sources: Sequence[Source]) -> list[str]:
    """The person's names, dates and larger numbers that a summary lacks, as they were written, the latest last; none
    where it has half of them, or lacks only a few.
    """
    kept = {folded(word.casefold()) for word in _TOKEN.findall(text)}
    wanted: dict[str, str] = {}
    for source in _cut(sources):
        for match in _WEIGHTY.finditer(_STAMP.sub("", source.text)) if source.is_user else ():
            wanted.setdefault(folded(match.group().casefold()), match.group())
    lacking = [written for plain, written in wanted.items() if not kept.issuperset(_TOKEN.findall(plain))]
    if len(lacking) < LEAST_MISSING or 2 * len(lacking) <= len(wanted):
        return []
    return lacking[-MOST_MISSING:]


def _has_something(source: Source) -> bool:
    """Whether a source has anything that a summary should keep."""
    return bool(
        details(source.text) or _is_telling(_terms(source.text)) or (source.is_user and _TELLING.search(source.text))
    )


def _is_telling(terms: Set[str]) -> bool:
    return len(terms - PLEASANTRIES) >= 2


def _names(text: str) -> set[str]:
    names = {folded(match.casefold()) for match in _NAME.findall(text)}
    return {name for name in names if not (terms := _terms(name)) or not terms <= PLEASANTRIES}


def _retention(text: str, sources: Sequence[Source], sentences: Sequence[Set[str]]) -> float:
    kept = details(text) | {folded(match.casefold()) for match in _CAPITAL.findall(text)}
    wanted = found = 0.0
    seen = set[str]()
    for source in sorted(sources, key=lambda one: not one.is_user):
        weight = USERS_WEIGHT if source.is_user else 1.0
        fresh = details(source.text) - seen
        seen |= fresh
        wanted += weight * len(fresh)
        found += weight * len(fresh & kept)
        for sentence in _SENTENCE.findall(source.text):
            if source.is_user and _TELLING.search(sentence):
                wanted += weight
                found += weight * _is_supported(_terms(sentence), sentences)
    return found / wanted if wanted else 1.0


def _novelty(text: str, whole: str) -> float:
    own = details(text)
    if not own:
        return 1.0
    words = {folded(word.casefold()) for word in re.findall(r"\w+", whole)}
    foreign = _names(_URL.sub(" ", text)) - words
    foreign |= {address for address in map(str.lower, _URL.findall(text)) if address.rstrip(".,") not in whole.lower()}
    foreign |= invented_numbers(text, whole)
    return max(0.0, 1 - len(foreign) / len(own))


def _coverage(sources: Sequence[Source], sentences: Sequence[Set[str]]) -> float:
    telling = [terms for terms in (_terms(source.text) for source in sources) if _is_telling(terms)]
    if not telling:
        return 1.0
    return sum(_is_supported(terms, sentences) for terms in telling) / len(telling)


def _is_supported(terms: Set[str], sentences: Sequence[Set[str]]) -> bool:
    if not terms:
        return True
    return any(
        sentence and (common := len(terms & sentence)) and common >= SUPPORT * min(len(terms), len(sentence))
        for sentence in sentences
    )


def _repetition(text: str) -> float:
    words = [word.casefold() for word in re.findall(r"\w+", text)]
    runs = Counter(zip(words, words[1:], words[2:], strict=False))
    total = sum(runs.values())
    return 1.0 if not total else len(runs) / total


def _terms(text: str) -> frozenset[str]:
    return frozenset(analyse(text))


def _cut(sources: Sequence[Source]) -> list[Source]:
    """The sources, each cut to an equal share where together they are too long to be measured whole."""
    if sum(len(one.text) for one in sources) <= MOST:
        return list(sources)
    share = max(LEAST_SHARE, MOST // len(sources))
    return [Source(text=one.text[:share], is_user=one.is_user) for one in sources[: MOST // LEAST_SHARE]]
