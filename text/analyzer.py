"""Text → the terms by which it is searched, according to script and language, one message at a time. Pure.

Owns normalisation, the detection of languages, stems, and which words carry no meaning. The same function analyses
messages and questions; terms are compared for equality only.
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import Stemmer

from text.characters import normalise_unicode
from text.stopwords import FUNCTION_WORDS

CACHED = 10_000
"""Words whose analysis is cached: those that are used again and again. A word with a digit (a code, a time, an amount)
is seldom repeated and not cached, since it would push out others.
"""
STEMS_CACHED = 1_000  # words whose stems in all languages are cached: they take 4 kB a word
MIN_STEM_LETTERS = 4  # letters that a stem of another language needs: shorter ones match other words too
MIN_STEM_SHARE = 0.6  # share of the word's letters that such a stem needs
MIN_LETTERS_ALONE = 3
MIN_SHARE_ALONE = 0.5  # the same where the question has no other known word
STRETCH = 16_000
"""Characters that are analysed at once, with a language of their own: each step over a text keeps all other threads
waiting, and that over a megabyte for a tenth of a second."""
READ_AGAIN = 1_000
"""So many words of a question are stemmed by other languages: of a pasted page, any word may have been looked up."""

# Scripts that name their language (the first letters of Unicode character names).
_SCRIPT_LANGUAGE = {
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "TAMIL": "tamil",
    "ARMENIAN": "armenian",
    "HEBREW": "yiddish",
}
_LATIN = tuple(language for language in FUNCTION_WORDS if language not in {*_SCRIPT_LANGUAGE.values(), "persian"})
# Letters that few languages in Latin script share: a word with one counts as half a function word of theirs.
_TELLING = {
    "german": "äöüß",
    "french": "çœèêàùîôë",
    "spanish": "ñ¿¡áíóú",
    "portuguese": "ãõçêá",
    "turkish": "ğışİçöü",
    "polish": "ąćęłńśźż",
    "swedish": "åäö",
    "danish": "æøå",
    "norwegian": "æøå",
    "finnish": "äö",
    "hungarian": "őűáé",
    "romanian": "ăâîșț",
    "czech": "ěščřžůý",
    "italian": "àèìòù",
}
_TELLERS = frozenset("".join(_TELLING.values()))
_VOTING = frozenset(word for language in _LATIN for word in FUNCTION_WORDS[language])
# Scripts that are written without spaces, or attach particles to words: cut into overlapping pairs.
_PAIRS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff々〆]+"
)
# Marks that are optional and make no other word: vowel points of Hebrew and Arabic, and stress marks and accents for
# which no combined letter exists.
_ACCENTS = range(0x300, 0x370)
_POINTS = {code for code in (*_ACCENTS, *range(0x591, 0x6EE)) if unicodedata.category(chr(code)) == "Mn"}
_IN_WORDS = "".join(map(chr, sorted(_POINTS)))
_WORD = re.compile(
    rf"[^\W_]+(?:['’][^\W_]+)?[{_IN_WORDS}\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0900-\u0903\u093a-\u094f]*"
    rf"(?:[^\W_]|[{_IN_WORDS}\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])*"
)
# What _WORD finds in normalised ASCII, in a quarter of the time.
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?")
# Codes, times, amounts, model numbers, addresses: joined by one sign, at least one digit or a dot between letters.
# Each alternative begins only where a run begins: tried at every character, a long run would cost its square.
_CODE = re.compile(
    r"(?<![\w@])(?=\S{0,64}\d)[^\W_]+(?:[-./:@_][^\W_]+)+|https?://[^\s<>\"]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.]+"
)
# What each alternative needs: most texts have none, and need not be tried at every character.
_MAY_HOLD_CODES = re.compile(r"[\d@]|://")
_WITHOUT_ACCENTS: dict[int, None] = dict.fromkeys(_ACCENTS)
_WITHOUT_POINTS: dict[int, None] = dict.fromkeys(_POINTS)
_PERSIAN = frozenset("پچژگ")
_FOLDED = str.maketrans(
    dict.fromkeys([*map(chr, _POINTS), *"\u0640\u06dd\u06de\u06e5\u06e6\u06e9"], "")
    | dict(zip("أإآٱىةؤئکیۀ", "اااايهوءكيه", strict=True))
    | {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ё": "е"}
)
_DIGITS = {ord(c): str(unicodedata.digit(c)) for b in (0x660, 0x6F0, 0x966, 0xE50) for c in map(chr, range(b, b + 10))}


def normalise(text: str) -> str:
    """Normalize to NFKC, lower case, one apostrophe and ASCII digits. Keep diacritics for the stemmers."""
    if text.isascii():  # all that the steps below would change of it, in a tenth of the time
        return text.lower()
    text = (
        normalise_unicode("NFKC", text).replace("İ", "i").casefold()
        if "ß" not in text
        else normalise_unicode("NFKC", text).lower()
    )
    return text.replace("’", "'").translate(_DIGITS)


def fold_term(term: str) -> str:
    """Remove diacritics, variants of Arabic letters, and Arabic and Hebrew vowel points."""
    if term.isascii():
        return term
    return normalise_unicode("NFC", normalise_unicode("NFD", term.translate(_FOLDED)).translate(_WITHOUT_ACCENTS))


@lru_cache(maxsize=4096)
def _script_of(char: str) -> str:
    return unicodedata.name(char, "?").split(" ", 1)[0]


class _Stemmers(threading.local):
    """The stemmers of one thread. A stemmer is not thread-safe."""

    def __init__(self) -> None:
        self.by_language: dict[str, Stemmer.Stemmer] = {}


_STEMMERS = _Stemmers()
_KNOWN_STEMMERS = frozenset(Stemmer.algorithms())


def _make_stemmer(language: str) -> "Stemmer.Stemmer | None":
    if language not in _KNOWN_STEMMERS:
        return None
    made = _STEMMERS.by_language.get(language)
    if made is None:
        made = _STEMMERS.by_language[language] = Stemmer.Stemmer(language)
    return made


def stem_word(word: str, language: str) -> str:
    """Return the folded Snowball stem of a word. Words with digits stay whole."""
    if word.isascii() and word.isalpha():  # as most words: nothing to cut off
        stemmer = _make_stemmer(language)
        return word if stemmer is None else fold_term(str(stemmer.stemWord(word)))
    word = word.split("'")[0] if language == "english" or len(word.split("'")[0]) > 2 else word.split("'")[-1]
    stemmer = _make_stemmer(language)
    if language in ("arabic", "persian"):
        word = fold_term(word)
    if stemmer is None or _has_digit(word):
        return fold_term(word)
    return fold_term(str(stemmer.stemWord(word)))


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(map(str.isdigit, word))


_Known = tuple[str, tuple[tuple[str, float], ...]]


def _look_up_word(word: str) -> _Known:
    return _inspect_word(word) if _has_digit(word) else _known_word(word)


def _term(word: str, language: str) -> tuple[str, bool]:
    return _make_term(word, language) if _has_digit(word) else _known_term(word, language)


def _inspect_word(word: str) -> _Known:
    """Return a word's script (PAIRS where part of it is written without spaces), and how much it speaks for each
    language.
    """
    is_ascii = word.isascii()
    if is_ascii and word.isalpha():
        return ("LATIN", ()) if word not in _VOTING and word + "'" not in _VOTING else _count_votes(word)
    if not is_ascii and _PAIRS.search(word):
        return "PAIRS", ()
    script = _script_of(word[0])
    if script != "LATIN":
        return script, ()
    bare = word.split("'")[0] + "'"
    if word not in _VOTING and bare not in _VOTING and (is_ascii or _TELLERS.isdisjoint(word)):
        return script, ()
    return _count_votes(word)


def _count_votes(word: str) -> _Known:
    """Return the votes of a Latin word for each language."""
    bare = word.split("'")[0] + "'"
    votes = []
    for language in _LATIN:
        known, telling = FUNCTION_WORDS[language], _TELLING.get(language, "")
        vote = float(word in known or bare in known) + 0.5 * any(c in telling for c in word)
        if vote:
            votes.append((language, vote))
    return "LATIN", tuple(votes)


def detect_latin_language(words: Iterable[str], default: str = "english") -> str:
    """Return the language of a message's Latin words, by function words and telling letters; `default` where none
    decides.
    """
    counts = Counter(words)
    return _choose_by_votes(counts, {word: _look_up_word(word) for word in counts}, default)


def _choose_by_votes(counts: Mapping[str, int], known: Mapping[str, _Known], default: str = "english") -> str:
    scores = dict.fromkeys(_LATIN, 0.0) | {default: 0.25}
    for word, (_, votes) in known.items():
        for language, vote in votes:
            scores[language] += counts[word] * vote
    best = max(scores, key=scores.__getitem__)
    # One foreign letter is not enough: "café" is an English word too.
    return best if scores[best] > 0.5 else default


def analyse_text(text: str) -> list[str]:
    """Return the terms of a text, in order and repeated.

    Words are stemmed by the language of their script, Latin ones by the language of the message; function words are
    dropped unless there is nothing else. Scripts without spaces give overlapping pairs of characters. Codes, times and
    addresses are terms as a whole, in addition to their parts.
    """
    terms: list[str] = []
    function_words: list[str] = []
    for start, end in _find_stretches(text):
        _add_terms(text[start:end], terms, function_words)
    return terms or function_words


def _add_terms(text: str, terms: list[str], function_words: list[str]) -> None:
    """Add the terms of one stretch of a text."""
    plain = normalise(text)
    words = _make_word_pattern(plain).findall(plain)
    languages, known = _detect_languages(plain, words)
    made = {
        word: (_known_term if word.isalpha() else _term)(word, languages.get(script, ""))
        for word, (script, _) in known.items()
        if script != "PAIRS"
    }
    for word in words:
        if word not in made:
            terms += _letter_pairs(word)
            continue
        term, is_function_word = made[word]
        if term:
            (function_words if is_function_word else terms).append(term)
    terms += [_code_of(found.group()) for found in _find_codes(plain)]


def _make_word_pattern(plain: str) -> re.Pattern[str]:
    return _ASCII_WORD if plain.isascii() else _WORD


def _find_codes(plain: str) -> Iterable[re.Match[str]]:
    return _CODE.finditer(plain) if _MAY_HOLD_CODES.search(plain) else ()


def _find_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Split a text into stretches, cut at a gap if one is near."""
    start = 0
    while len(text) - start > STRETCH:
        gap = max(text.rfind(mark, start + STRETCH // 2, start + STRETCH) for mark in (" ", "\n"))
        end = gap + 1 if gap > start else start + STRETCH
        yield start, end
        start = end
    yield start, len(text)


def _detect_languages(plain: str, words: Sequence[str]) -> tuple[dict[str, str], dict[str, _Known]]:
    """By script, the language in which the words of a text are taken to be; and what is known of each distinct word."""
    counts = Counter(words)  # a word is looked at once: questions are answered by analysing a hundred long messages
    known = {word: _known_word(word) if word.isalpha() else _look_up_word(word) for word in counts}
    is_latin = any(script == "LATIN" for script, _ in known.values())
    languages = _SCRIPT_LANGUAGE | {"LATIN": _choose_by_votes(counts, known) if is_latin else "english"}
    if not plain.isascii() and not _PERSIAN.isdisjoint(plain):
        languages["ARABIC"] = "persian"
    return languages, known


def _make_term(word: str, language: str) -> tuple[str, bool]:
    """Return the term of a word, and True if it is a function word."""
    # Combined letters were composed before, so these marks are the optional ones.
    word = word if word.isascii() else word.translate(_WITHOUT_POINTS)
    term = stem_word(word.split("'")[-1] if language in ("french", "italian") else word, language)
    return term, _is_function_word(word, language)


_known_word = lru_cache(maxsize=CACHED)(_inspect_word)
_known_term = lru_cache(maxsize=CACHED)(_make_term)


def split_words(text: str) -> list[str]:
    """Return the unstemmed words of a text. Scripts without spaces give character pairs."""
    plain = normalise(text)
    found = _make_word_pattern(plain).findall(plain)
    if plain.isascii():
        return found
    return [part for word in found for part in (_letter_pairs(word) if _PAIRS.search(word) else [word])]


def is_pair(word: str) -> bool:
    """True if a word is a pair of characters of a script without spaces."""
    return _PAIRS.match(word) is not None


def list_stems(word: str) -> set[str]:
    """Return all terms that a word may stand for."""
    return {*analyse_text(word), *_stems_of(word)}


def list_content_terms(question: str) -> list[str]:
    """Return the distinct terms of a query, in order."""
    return list(dict.fromkeys(analyse_text(question)))


def find_other_stems(terms: Collection[str], *questions: str, alone: bool = False) -> Mapping[str, tuple[str, ...]]:
    """By term, the stems of its word in these questions by the other languages in Latin script. `alone`: no other word
    of the questions is known.

    A message is stemmed by its own language, while a question of a few words counts as English: a name in a message is
    often another term than the same name alone. Codes, numbers and words of other scripts have no other stems.
    """
    left = {term for term in terms if term.isalpha() and _script_of(term[0]) == "LATIN"}
    found: dict[str, tuple[str, ...]] = {}
    shortest, least = (MIN_LETTERS_ALONE, MIN_SHARE_ALONE) if alone else (MIN_STEM_LETTERS, MIN_STEM_SHARE)
    seen = set[str]()
    for question in dict.fromkeys(questions):
        plain_question = normalise(question)
        for word in islice(_make_word_pattern(plain_question).finditer(plain_question) if left else (), READ_AGAIN):
            if word.group() in seen:  # its stems were taken then
                continue
            seen.add(word.group())
            plain = fold_term(word.group())
            if not any(term[:2] in plain for term in left):  # which spares most words the stemming
                continue
            stems = _stems_of(word.group())
            for term in [stem for stem in stems if stem in left]:  # in one order, so that equal scores rank alike
                letters = max(shortest, least * len(word.group()))
                found[term] = tuple(stem for stem in stems if stem != term and len(stem) >= letters)
            left -= found.keys()
            if not left:
                break
    return {term: stems for term, stems in found.items() if stems}


@lru_cache(maxsize=STEMS_CACHED)
def _stems_of(word: str) -> tuple[str, ...]:
    """Return the distinct stems of a word in the Latin-script languages."""
    if _has_digit(word) or _look_up_word(word)[0] != "LATIN":
        return ()
    if "'" in word:
        return tuple(dict.fromkeys(_make_term(word, language)[0] for language in _LATIN))
    bare = word.translate(_WITHOUT_POINTS)
    made = dict.fromkeys(stemmer.stemWord(bare) for stemmer in map(_make_stemmer, _LATIN) if stemmer is not None)
    return tuple(dict.fromkeys(map(fold_term, made)))


def _code_of(code: str) -> str:
    return fold_term(code.rstrip(".,;:!?)"))


def _letter_pairs(word: str) -> list[str]:
    """Return the overlapping pairs of a word's unspaced runs, and the parts between."""
    terms: list[str] = []
    for run in _PAIRS.findall(word):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        # Two letters of Hiragana are grammar, not words; a pair of them finds everything and nothing.
        terms += [pair for pair in pairs if not all("\u3040" <= one <= "\u309f" for one in pair)] or pairs
    return terms + [fold_term(rest) for rest in _PAIRS.split(word) if rest]


def _is_function_word(word: str, language: str) -> bool:
    plain = fold_term(word) if language == "arabic" else word
    known = FUNCTION_WORDS.get(language, frozenset())
    return plain in known or (language == "english" and word.split("'")[0] in known)
