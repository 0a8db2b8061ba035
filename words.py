"""Text → the terms that search goes by. Pure.

Owns normalisation, word borders, stems and the stop list. Does not know how terms are stored or scored.
"""

import re
import threading
import unicodedata
from functools import lru_cache

import snowballstemmer

# Runs that are written without spaces: Chinese, Japanese kana, Thai, Lao, Khmer, Burmese.
_UNSPACED = "぀-ヿ㐀-䶿一-鿿豈-﫿๐ก-๛ກ-໿ក-៿က-႟𠀀-𯨟"
# Vowel signs are no letters to `re`, yet Hindi words are torn apart without them.
_MARKS = "\u0300-\u036f\u0900-\u0dff"
_TOKENS = re.compile(rf"(?P<run>[{_UNSPACED}]+)|(?P<word>(?:(?![{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))+)")
_CYRILLIC = re.compile("[а-яёіїєґў]")
_LATIN = re.compile("[a-z]")
_APOSTROPHE = re.compile(r"(?<=\w)['’ʼ](?=\w)")

STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could d did didn do does doesn don for from had has have he her
    his how i if im in is isn it its ll m me my of on or our re s she so t tell that the their them then there they
    this to us ve was we were what whats when where which who whom whose why will with would you your

    а бы был была быть в вас во вот вы где да до его ее ему если за и из или их как какой когда кто ли мне мной мои мой
    моя мы на не него но о он от по под почему с себя со так там то того ты тебя у уж что чтоб это этот я все она так
    """.split()  # noqa: SIM905 - a list of words reads better than a list of strings
)


def analyse(text: str) -> list[str]:
    """The terms of a text, in order and repeated: case, accents and endings folded, numbers and codes kept.

    Scripts without spaces give overlapping pairs of characters.
    """
    terms: list[str] = []
    for match in _TOKENS.finditer(_normalised(text)):
        run = match["run"]
        if run:
            terms.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            terms.append(_stem(match["word"]))
    return terms


def content_terms(question: str) -> list[str]:
    """The distinct terms of a question that say what it is about; all where only stop words are left."""
    words = " ".join(match[0] for match in _TOKENS.finditer(_normalised(question)) if match[0] not in STOP_WORDS)
    return list(dict.fromkeys(analyse(words) or analyse(question)))


def _normalised(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", text)).casefold()
    folded = "".join(
        character
        for before, character in zip(" " + decomposed, decomposed, strict=False)
        # Accents go; the marks of scripts that spell vowels with them (and й) stay.
        if not (0x300 <= ord(character) < 0x370 and not (character == "\u0306" and before in "иИ"))
    )
    return unicodedata.normalize("NFKC", folded)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if any(character.isdigit() for character in word):
        return word
    if _CYRILLIC.search(word):
        return str(_stemmer("russian").stemWord(word))
    if _LATIN.search(word):
        return str(_stemmer("english").stemWord(word))
    return word


class _Stemmers(threading.local):
    """A stemmer keeps state while it works, so each thread has its own."""

    def __init__(self) -> None:
        self.by_language: dict[str, snowballstemmer.stemmer] = {}


_STEMMERS = _Stemmers()


def _stemmer(language: str) -> "snowballstemmer.stemmer":
    made = _STEMMERS.by_language.get(language)
    if made is None:
        made = _STEMMERS.by_language[language] = snowballstemmer.stemmer(language)
    return made
