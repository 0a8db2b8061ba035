"""Pure functions that tell a person's own words about themselves from code, quotations and words about other people."""

import re
from itertools import pairwise

from text.analyzer import normalize_text
from text.fingerprint import describes_change
from text.word_lists import EVERY_FUNCTION_WORD, WORD_LISTS

_CODE_AND_BLOCK_QUOTES = re.compile(
    r"(?ms)^[ \t]*(```+).*?(?:\1|\Z)|```.*?```|^[ \t]*~~~\w*\n.*?(?:^[ \t]*~~~|\Z)|^[ \t]*>(?:[ \t][^\n]*)?$"
)
_QUOTATION = re.compile(
    r'(?:[«“„「『]|(?<!\d)"(?!\s))(?:[^«»“”„「」『』"]*(?:[»”“」』]|(?<!\s)")|[^«»“”„「」『』"\n.!?。]*)'
    r"|(?<!\w)[‘‚'](?=\w)(?:[^\n'‘’‚]|\b['’]\b)*['’‘](?!\w)"
)
_CLAUSE_BREAK = re.compile(r"[^\w\s'’](?:\s|(?=[^\0-\u2e7f]))|[–—，、]")
_WORDS = {name: frozenset(normalize_text(words).split()) for name, words in WORD_LISTS["own_words"].items()}
_UNSPACED = re.compile(WORD_LISTS["own_words"]["unspaced"])


def remove_code_and_block_quotes(content: str) -> str:
    return _CODE_AND_BLOCK_QUOTES.sub("\n", content)


def find_quotation(content: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the quotation that contains content[start:end], or (start, end) if there is none."""
    quotations = (match.span() for match in _QUOTATION.finditer(content))
    return next((span for span in quotations if span[0] < start and end <= span[1]), (start, end))


def get_words_about_author(quotation: str, after: str) -> str:
    """Return the words after a quotation if they name somebody who says it of themselves, or else ""."""
    words = re.findall(r"\w+", normalize_text(quotation))
    is_about_listener = _WORDS["first_person"].isdisjoint(words) and not _WORDS["second_person"].isdisjoint(words)
    is_next_sentence = quotation[-2:-1] in {*".!?…"} and after[:2].strip().isupper()  # “I live in Rome.” My wife is …
    return after if not (is_about_listener or is_next_sentence) and _names_somebody_else(after) else ""


def names_speaker_instead_of_subject(text: str, sentence: str, speaker: str) -> bool:
    """Return True if a fact copies words about somebody else, and puts the speaker's name in front of them.

    What a person says of themselves takes another form ("I live", "Anna lives") or follows "I" ("I had", "Anna had").
    """
    copied = normalize_text(text.removeprefix(speaker)).strip(" .!。")
    before, found, _ = normalize_text(sentence).partition(copied or "\0")
    is_copied = bool(speaker and text.startswith(speaker) and found) and not describes_change(copied)
    return is_copied and _names_somebody_else(_CLAUSE_BREAK.split(before)[-1])


def _names_somebody_else(words_of_clause: str) -> bool:
    """Return True if words beside a statement name somebody else: "my aunt", "she", but not "last week", "in Rome"."""
    words = ["", *re.findall(r"\w+", normalize_text(words_of_clause))]
    naming, prepositions = _WORDS["naming"] | _WORDS["pronouns"], _WORDS["prepositions"]
    named = [word for last, word in pairwise(words) if word in naming and last not in prepositions]
    if words[-1] in _WORDS["pronouns"]:
        return words[-1] in named  # "I know that she", but not "“…”, eu disse a ele"
    is_noun = words[-1] not in EVERY_FUNCTION_WORD  # unlike the end of "my wife and me"
    is_own = not (_WORDS["first_person"] | _WORDS["times"]).isdisjoint(words)
    return not is_own and (bool(named and is_noun) or _UNSPACED.search(words[-1]) is not None)
