"""Pure functions that turn a text into search terms, according to its script and language."""

import re
import threading
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain, islice

import Stemmer

from text.characters import normalize_unicode
from text.word_lists import FUNCTION_WORDS, WORD_LISTS

CACHED_WORDS = 10_000
CACHED_STEMS = 1_000  # words whose stems in all languages are cached: 4 kB a word
MIN_FOREIGN_STEM = 4, 0.6  # letters, and their share of the word's: a shorter stem matches other words too
MIN_STEM_ALONE = 3, 0.5  # the same two limits if the question has no other known word
MAX_WORDS_STEMMED = 1_000  # words of each question that are stemmed by other languages: a pasted page has thousands

# Scripts that name their language (the first letters of Unicode character names).
_SCRIPT_LANGUAGE: dict[str, str] = WORD_LISTS["scripts"]
_LATIN = tuple(language for language in FUNCTION_WORDS if language not in {*_SCRIPT_LANGUAGE.values(), "persian"})
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
_LANGUAGES_OF_LETTER: dict[str, list[str]] = {}
for _language in _LATIN:
    for _word in FUNCTION_WORDS[_language]:
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)
    for _letter in WORD_LISTS["letters"].get(_language, ""):
        _LANGUAGES_OF_LETTER.setdefault(_letter, []).append(_language)
# Scripts that are written without spaces, or attach particles to words: cut into overlapping pairs.
_PAIRS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff々〆]+"
)
# Marks that are optional and make no other word: vowel points of Hebrew and Arabic, and stress marks and accents for
# which no combined letter exists.
_ACCENTS = range(0x300, 0x370)
_POINTS = {code for code in (*_ACCENTS, *range(0x591, 0x6EE)) if unicodedata.category(chr(code)) == "Mn"}
_WORD = re.compile(
    r"[^\W_]+(?:['’][^\W_]+)?[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0900-\u0903\u093a-\u094f]*"
    r"(?:[^\W_]|[\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])*"
)
# Codes, times, amounts, model numbers, addresses: joined by one sign, at least one digit or a dot between letters.
# Each alternative begins only where a run begins: tried at every character, a long run would cost its square.
_CODE = re.compile(
    r"(?<![\w@])(?=\S{0,64}\d)[^\W_]+(?:[-./:@_][^\W_]+)+|https?://[^\s<>\"]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.]+"
)
_WITHOUT_ACCENTS: dict[int, None] = dict.fromkeys(_ACCENTS)
_WITHOUT_POINTS: dict[int, None] = dict.fromkeys(_POINTS)
_PERSIAN = frozenset("پچژگ")
_KNOWN_STEMMERS = frozenset(Stemmer.algorithms())
_FOLDED = str.maketrans(
    dict.fromkeys([*map(chr, _POINTS), *"\u0640\u06dd\u06de\u06e5\u06e6\u06e9"], "")
    | dict(zip("أإآٱىةؤئکیۀ", "اااايهوءكيه", strict=True))
    | {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ё": "е"}
)
_DIGITS = {ord(c): str(unicodedata.digit(c)) for b in (0x660, 0x6F0, 0x966, 0xE50) for c in map(chr, range(b, b + 10))}
_DIGITS_AND_POINTS = _WITHOUT_POINTS | _DIGITS


def normalize_text(text: str) -> str:
    """Normalise a text to NFKC, lower case, straight apostrophes and ASCII digits. Remove optional diacritics."""
    if text.isascii():
        return text.lower()
    composed = normalize_unicode("NFKC", text)
    # casefold() would turn "ß" into "ss", which the German stemmer does not expect.
    lowered = composed.lower() if "ß" in text else composed.replace("İ", "i").casefold()
    return lowered.replace("’", "'").translate(_DIGITS_AND_POINTS)


def remove_optional_diacritics(text: str) -> str:
    """Remove marks that people may leave out, such as Arabic vowel points. Keep diacritics that are part of letters."""
    return text if text.isascii() else normalize_unicode("NFC", text).translate(_WITHOUT_POINTS)


def fold_accents(term: str) -> str:
    """Remove diacritics and vowel points, and unify variants of Arabic letters."""
    if term.isascii():
        return term
    return normalize_unicode("NFC", normalize_unicode("NFD", term.translate(_FOLDED)).translate(_WITHOUT_ACCENTS))


class _Stemmers(threading.local):
    """The stemmers of the current thread, by language, since a stemmer is not thread-safe."""

    def __init__(self) -> None:
        self.get = cache(Stemmer.Stemmer)


_STEMMERS = _Stemmers()


def stem_word(word: str, language: str) -> str:
    """Return the Snowball stem of a word, without diacritics. Words with digits are not stemmed."""
    head = word.split("'")[0]
    word = head if language == "english" or len(head) > 2 else word.split("'")[-1]
    if language in ("arabic", "persian"):
        word = fold_accents(word)
    if language in _KNOWN_STEMMERS and not any(map(str.isdigit, word)):
        word = str(_STEMMERS.get(language).stemWord(word))
    return fold_accents(word)


@lru_cache(maxsize=CACHED_WORDS)
def _find_script_and_language_scores(word: str) -> tuple[str, Mapping[str, float]]:
    """Return the script of a word ("PAIRS" if written without spaces), and a score for each language it suggests."""
    if _PAIRS.search(word):
        return "PAIRS", {}
    script = unicodedata.name(word[0], "?").split(" ", 1)[0]
    if script != "LATIN":
        return script, {}
    known = {word, word.split("'")[0] + "'"} & _LANGUAGES_OF_WORD.keys()  # Italian has "un" and "un'": one vote
    spoken = {language for form in known for language in _LANGUAGES_OF_WORD[form]}
    spelt = {language for letter in _LANGUAGES_OF_LETTER.keys() & word for language in _LANGUAGES_OF_LETTER[letter]}
    return script, {language: (language in spoken) + 0.5 * (language in spelt) for language in spoken | spelt}


def detect_language_of_latin_words(words: Iterable[str], default: str = "english") -> str:
    """Return the most likely language of words in Latin script, or `default` if the evidence is weak."""
    scores = dict.fromkeys(_LATIN, 0.0) | {default: 0.25}
    for word in words:
        for language, vote in _find_script_and_language_scores(word)[1].items():
            scores[language] += vote
    best = max(scores, key=scores.__getitem__)
    # One foreign letter is not enough: "café" is an English word too.
    return best if scores[best] > 0.5 else default


def list_search_terms(text: str) -> list[str]:
    """Return the search terms of a text, in order and with repetitions.

    These are stems of content words, character pairs for scripts without spaces, and whole codes and addresses.
    """
    plain = normalize_text(text)
    words = _WORD.findall(plain)
    languages = _SCRIPT_LANGUAGE | {"LATIN": detect_language_of_latin_words(words)}
    if not _PERSIAN.isdisjoint(plain):
        languages["ARABIC"] = "persian"
    terms: list[str] = []
    function_words: list[str] = []
    for word in words:
        script = _find_script_and_language_scores(word)[0]
        if script == "PAIRS":
            terms += _split_into_character_pairs(word)
            continue
        term, is_function_word = _stem_and_check_if_function_word(word, languages.get(script, ""))
        if term:
            (function_words if is_function_word else terms).append(term)
    terms += [fold_accents(code.group().rstrip(".,;:!?)")) for code in _CODE.finditer(plain)]
    return terms or function_words


@lru_cache(maxsize=CACHED_WORDS)
def _stem_and_check_if_function_word(word: str, language: str) -> tuple[str, bool]:
    term = stem_word(word.split("'")[-1] if language in ("french", "italian") else word, language)
    known = FUNCTION_WORDS.get(language, frozenset())
    plain = fold_accents(word) if language == "arabic" else word
    return term, plain in known or (language == "english" and word.split("'")[0] in known)


def split_words(text: str) -> list[str]:
    """Return the unstemmed words of a text, or character pairs for scripts without spaces."""
    words = _WORD.findall(normalize_text(text))
    return [part for word in words for part in (_split_into_character_pairs(word) if _PAIRS.search(word) else [word])]


def is_character_pair(word: str) -> bool:
    """Return True if a word is a character pair of a script without spaces."""
    return _PAIRS.match(word) is not None


def collect_possible_stems(word: str) -> set[str]:
    """Return the search terms that a word has in any of the languages that it may belong to."""
    return {*list_search_terms(word), *_find_possible_stems(word)}


def list_distinct_search_terms(question: str) -> list[str]:
    return list(dict.fromkeys(list_search_terms(question)))


def list_query_terms(query: str) -> list[str]:
    """Return a query's terms, plus the stems that its words have in other languages they may belong to."""
    terms = list_distinct_search_terms(query)
    return list(
        dict.fromkeys(
            [*terms, *chain.from_iterable(map_terms_to_foreign_stems(terms, query, accepts_short_stems=True).values())]
        )
    )


def map_terms_to_foreign_stems(
    terms: Collection[str], *questions: str, accepts_short_stems: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Map search terms to the other stems of the same words in `questions`: in another language, or by their article.

    Messages are stemmed in their own language, but a short question is assumed to be English. `accepts_short_stems`
    also allows shorter stems, for a question that contains no other known word.
    """
    shortest, share = MIN_STEM_ALONE if accepts_short_stems else MIN_FOREIGN_STEM
    scripts = "LATIN", "ARABIC"
    wanted = {term for term in terms if term.isalpha() and _find_script_and_language_scores(term)[0] in scripts}
    beginnings = {term[:2] for term in wanted}
    found: dict[str, tuple[str, ...]] = {}
    words = (islice(_WORD.findall(normalize_text(question)), MAX_WORDS_STEMMED) for question in questions if wanted)
    for word in dict.fromkeys(chain.from_iterable(words)):
        plain = fold_accents(word)
        if not any(beginning in plain for beginning in beginnings):  # spares most words the stemming
            continue
        stems = _find_possible_stems(word)
        letters = max(shortest, share * len(word))
        for term in stems:
            if term in wanted:
                found.setdefault(term, tuple(stem for stem in stems if stem != term and len(stem) >= letters))
    return {term: stems for term, stems in found.items() if stems}


@lru_cache(maxsize=CACHED_STEMS)
def _find_possible_stems(word: str) -> tuple[str, ...]:
    script = _find_script_and_language_scores(word)[0]
    if script == "ARABIC":  # whose stemmer keeps the feminine ending behind an article
        bare = word.removeprefix("ال")
        return tuple(dict.fromkeys(stem_word(form, "arabic") for form in (word, bare, f"ال{bare}")))
    if any(map(str.isdigit, word)) or script != "LATIN":
        return ()
    return tuple(dict.fromkeys(_stem_and_check_if_function_word(word, language)[0] for language in _LATIN))


def _split_into_character_pairs(word: str) -> list[str]:
    """Split the parts of a word in scripts without spaces into overlapping pairs, and append its other parts."""
    terms: list[str] = []
    for run in _PAIRS.findall(word):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        # Two letters of Hiragana are grammar, not words; a pair of them finds everything and nothing.
        terms += [pair for pair in pairs if not all("\u3040" <= one <= "\u309f" for one in pair)] or pairs
    return terms + [fold_accents(rest) for rest in _PAIRS.split(word) if rest]
