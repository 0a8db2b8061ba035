"""Pure functions that tell a person's own words about themselves from code, quotations and words about other people."""

import re

from text.analyzer import fold_accents, normalize_text
from text.fingerprint import describes_change
from text.stopwords import EVERY_FUNCTION_WORD, WORD_LISTS

_CODE_AND_BLOCK_QUOTES = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*~~~\w*\n.*?(?:^[ \t]*~~~|\Z)|^[ \t]*>\s[^\n]*", re.DOTALL | re.MULTILINE
)
_QUOTATION = re.compile(
    r'(?:[«“„「『]|(?<!\d)")(?:[^«»“”„「」『』"]*[»”“」』"]|[^«»“”„「」『』"\n]*$)'
    r"|(?<!\w)[‘‚'](?=\w)(?:[^\n'‘’‚]|\b['’]\b)*['’‘](?!\w)",
    re.MULTILINE,
)
_CLAUSE_BREAK = re.compile(r"[^\w\s'’]\s|[–—，、]")
_FUNCTION_WORDS = frozenset(map(fold_accents, EVERY_FUNCTION_WORD))
# Of languages where a verb has the same form after "I" and after a name, at least in the past.
_FIRST_PERSON = frozenset({"i", "we", "ich", "wir", "я", "мы"})
_OTHERS = frozenset(WORD_LISTS["fingerprints"]["no_names"].split()) - {*_FIRST_PERSON, "on"}  # "she eats"; "on habite"


def remove_code_and_block_quotes(content: str) -> str:
    return _CODE_AND_BLOCK_QUOTES.sub("\n", content)


def find_quotation(content: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the quotation that contains content[start:end], or (start, end) if there is none."""
    quotations = (match.span() for match in _QUOTATION.finditer(content))
    return next((span for span in quotations if span[0] < start and end <= span[1]), (start, end))


def names_speaker_instead_of_subject(text: str, sentence: str, speaker: str) -> bool:
    """Return True if a fact copies words about somebody else, and puts the speaker's name in front of them.

    What a person says of themselves takes another form ("I live", "Anna lives") or follows "I" ("I had", "Anna had").
    """
    copied = normalize_text(text.removeprefix(speaker)).strip(" .!。")
    before, found, _ = normalize_text(sentence).partition(copied or "\0")
    words = re.findall(r"\w+", _CLAUSE_BREAK.split(before)[-1])
    if not (speaker and text.startswith(speaker) and found and words) or describes_change(copied):
        return False  # of "Recently moved to Oslo", nobody knows
    if len(words[-1]) == 1 or words[-1] > "\u2e80":  # "I", "J'habite"; without spaces, an adverb looks like a noun
        return len(words[-1]) > 1 and not describes_change(sentence)
    if EVERY_FUNCTION_WORD.isdisjoint(re.findall(r"\w+", normalize_text(sentence))):
        return False  # in a language whose pronouns are unknown
    own = {*_FUNCTION_WORDS, *normalize_text(speaker).split()}
    return words[-1] in _OTHERS or (fold_accents(words[-1]) not in own and _FIRST_PERSON.isdisjoint(words))
