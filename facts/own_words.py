"""Pure functions that tell a person's own words about themselves from code, quotations and words about other people."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime

from retrieval.date_expressions import find_time_ranges
from text.analyzer import fold_accents, normalize_text, split_words
from text.characters import QUESTION_MARKS
from text.fingerprint import describes_change, list_essential_words
from text.word_lists import EVERY_FUNCTION_WORD, WORD_LISTS

MAX_NAME_WORDS = 2  # in quotation marks; more words may be a statement

_CODE_AND_BLOCK_QUOTES = re.compile(
    r"(?ms)^[ \t]*(```+).*?(?:\1|\Z)|```.*?```|^[ \t]*~~~\w*\n.*?(?:^[ \t]*~~~|\Z)|^[ \t]*>(?:[ \t][^\n]*)?$"
)
_QUOTATION = re.compile(
    r'(?:[«“„「『]|(?<!\d)"(?!\s))(?:[^«»“”„「」『』"]*(?:[»”“」』]|(?<!\s)")|[^«»“”„「」『』"\n.!?。]*)|`[^`\n]+`'
    r"|(?<!\w)[‘‚'](?=\w)(?:[^\n'‘’‚]|\b['’]\b)*['’‘](?!\w)"
)
_COLON = re.compile(r"[^\s\d]{3}\s?(?::\s|：\s?)")  # "PS: ", "Yes: " and "Me: " introduce the person's own words
_LABELLED_LINE = re.compile(r"(?m)^[^\n:：]{1,40}(?::\s|：)")
_CLOCK_TIME = re.compile(r"\d:\d\d")
_SENTENCE = re.compile(r"(?:[^.!?…。！？؟\n]|\.(?=\w))+")
_CLAUSE = re.compile(r"[^.,;:!?…。，；：！？؟،\n]+")
_PAST_GENDER = re.compile(r"(?<=л)(?:[аои]|ся|[аои]сь)\b")  # a model gives the speaker's to "Мой брат купил лодку"
_WORD_START = re.compile(r"(?<!\S)(?=\w)")
_CLAUSE_BREAK = re.compile(r"[^\w\s'’](?:\s|(?=[^\0-\u2e7f]))|[–—，、]")
_WORDS = {name: frozenset(normalize_text(words).split()) for name, words in WORD_LISTS["own_words"].items()}


def remove_code_and_block_quotes(content: str) -> str:
    return _CODE_AND_BLOCK_QUOTES.sub("\n", content)


def find_quote_range(quote: str, content: str) -> tuple[int, int]:
    """Return the range of a quote in a text, ignoring all but letters and digits, or (0, 0) if it has none."""
    plain, places = _casefold_letters_with_positions(content)
    wanted, _ = _casefold_letters_with_positions(quote)
    at = plain.find(wanted)
    return (places[at], places[at + len(wanted) - 1] + 1) if wanted and at >= 0 else (0, 0)


def _casefold_letters_with_positions(text: str) -> tuple[str, list[int]]:
    """Return the case-folded letters and digits of a text, and the position of each in the text."""
    letters = [
        (letter, place)
        for place, character in enumerate(text)
        for letter in unicodedata.normalize("NFKC", character).casefold()
        if letter.isalnum()
    ]
    return "".join(letter for letter, _ in letters), [place for _, place in letters]


def find_quotation(content: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the quotation that contains content[start:end], or (start, end) if there is none.

    A colon before these words introduces a quotation, too, from the same line or from the end of an earlier line.
    """
    quotations = (match.span() for match in _QUOTATION.finditer(content))
    line = content.rfind("\n", 0, start) + 1
    colons = [match.end() for match in _COLON.finditer(content, line, start)]
    colons = colons or [match.end() for match in _COLON.finditer(content, 0, line) if match[0].endswith("\n")]
    introduced = (colons[-1] - 1 if colons else start, end)
    return next((span for span in quotations if span[0] < start and end <= span[1]), introduced)


def narrow_to_statement(content: str, start: int, end: int, is_about_fact: Callable[[str], bool]) -> tuple[int, int]:
    """Return the range of the only part of content[start:end] that is about a fact, or (start, end) if there is none.

    Models quote whole lines. Parts are quotations, the words after a colon and, beside a question, clauses.
    """
    quotations = [match.span() for match in _QUOTATION.finditer(content, max(start - 1, 0), end + 1)]
    quotations += ((match.end(), end) for match in _COLON.finditer(content, start, end))
    parts = [span for span in quotations if len(split_words(content[slice(*span)])) > MAX_NAME_WORDS]
    if any(mark in content[start : end + 1] for mark in QUESTION_MARKS):
        parts += (match.span() for part in (_SENTENCE, _CLAUSE) for match in part.finditer(content, start, end))
    for opening, closing in parts:
        rest = f"{content[start:opening]} {content[closing:end]}"
        if rest.strip() and is_about_fact(content[opening:closing]) and not is_about_fact(rest):
            words = [match.span() for match in re.finditer(r"\w+", content[opening:closing])]
            return opening + words[0][0], opening + words[-1][1]
    return start, end


def lacks_condition(text: str, sentence: str) -> bool:
    """Return True if a clause of a sentence begins with a word like "if", which a text from this sentence lacks."""
    clauses = [re.findall(r"\w+", clause) for clause in _CLAUSE_BREAK.split(normalize_text(sentence))]
    conditions = {words[0] for words in clauses if len(words) > 1} & _WORDS["conditions"]  # "Si, vivo en Lima" has none
    return bool(conditions) and _WORDS["conditions"].isdisjoint(re.findall(r"\w+", normalize_text(text)))


def is_copied_from_chat(introduction: str, content: str) -> bool:
    """Return True for the beginning of a line in a copied chat, with a time, or in a message with more such lines."""
    return _CLOCK_TIME.search(introduction) is not None or len(_LABELLED_LINE.findall(content)) > 1


def replaces_other_subject(text: str, sentence: str, speaker: str, said_at: datetime) -> bool:
    """Return True if a fact copies words about somebody else, and puts the speaker or "the user" in front of them.

    What a person says of themselves takes another form ("I live", "Anna lives"), follows "I" ("I had", "Anna had"), or
    follows a time ("Yesterday bought a boat"). One word before a change may be none, too: "Recently moved to Rome".
    """
    told, said = (_PAST_GENDER.sub("", normalize_text(words)) for words in (text.strip(" .!。"), sentence))
    name = normalize_text(speaker)
    is_speaker = bool(name) and told.startswith(name)
    starts = [len(name)] if is_speaker else [match.start() for match in _WORD_START.finditer(told, 1)]
    start = next((at for at in starts if told[at:].strip() and told[at:].strip() in said), 0)
    before, copied, _ = said.partition(told[start:].strip())
    claimed = re.findall(r"\w+", told[:start])
    subject = [word for word in _CLAUSE_BREAK.split(f"{before} ")[-1].split() if word not in name.split()]
    is_own = any(not _WORDS["first_person"].isdisjoint({word, word.partition("'")[0]}) for word in subject)  # "I've"
    if not claimed or not subject or is_own or _is_time(subject, said_at):
        return False
    if not is_speaker:
        # "She lives" instead of "Still live" is another form, and "the dog" instead of "my dog" the same thing.
        is_form = not {word[:3] for word in claimed}.isdisjoint(word[:3] for word in subject)
        if is_form or subject[-1] in EVERY_FUNCTION_WORD or len(claimed) > 1 + (claimed[0] in EVERY_FUNCTION_WORD):
            return False
    return len(subject) > 1 or not describes_change(f"{before} {copied}")


def _is_time(words: Sequence[str], now: datetime) -> bool:
    """Return True if words only name a time, such as "just", "two weeks ago" or "в мае", but not "my aunt in May"."""
    text = " ".join(words)
    told = [word for word in list_essential_words(text) if len(word) > 2 or not word.isdigit()]
    # A time needs each of its words, except perhaps the number of a day.
    without_one = (told[:at] + told[at + 1 :] for at, word in enumerate(told) if word not in EVERY_FUNCTION_WORD)
    names_more = any(find_time_ranges(" ".join(rest), now) for rest in without_one)
    return not told or (bool(find_time_ranges(fold_accents(text), now)) and not names_more)
