"""Recognises words that may name a day although they are not read as one: misspelt, or of another language."""

import re

from reminders.lexicon import PLAIN, READ_LANGUAGES, SPOKEN, TOKEN, Lexicon, fold_letters, load_lexicon

MIN_NAME_CHARS = 5  # A shorter name, such as "May", resembles too many words.
MIN_CHARS_FOR_TWO_EDITS = 8  # of a name: "wensday" and "tommorow" differ from a day by two letters
_HAN_DAY = re.compile(SPOKEN["zh"]["day_left_over"])
_UNREAD_SCRIPT = re.compile(SPOKEN["unread-script"])
_FOREIGN_LETTER = re.compile(SPOKEN["foreign-letter"])
# As patterns of Lexicon.match(); the first is "el 15" at the end of a text or a part of it.
_LED_NUMBER = r"(?<!\w){on}\s\d{1,2}e?(?=\s?(?:[^\w\s.:/,$€%-]|$))"
_NEAR_TIME = rf"(?<!\w)(?:{{on}}|{{at}})\s({TOKEN.pattern})|^({TOKEN.pattern})|({TOKEN.pattern})$"


def find_possible_day(text: str, lexicon: Lexicon, *, in_any_language: bool) -> str:
    """Return words of a reminder's text that may name its day, or "" if there are none.

    A misspelt day counts at the edges and behind a preposition; with `in_any_language`, any day or word not read does.
    """
    plain = text.translate(PLAIN)  # of the same length
    lexicons = [load_lexicon(language) for language in READ_LANGUAGES] if in_any_language else [lexicon]
    patterns = [_HAN_DAY, _UNREAD_SCRIPT, *(words.compile(_LED_NUMBER) for words in lexicons)]
    patterns += [lexicon.compile(SPOKEN["foreign-date"])] if in_any_language else []
    for found in filter(None, (pattern.search(plain) for pattern in patterns)):
        return text[slice(*found.span())]
    for words in lexicons:
        for found in words.compile(_NEAR_TIME).finditer(plain):
            if _is_misspelt_name(found[found.lastindex or 0], words):
                return text[slice(*found.span())]
    tokens = [] if not in_any_language else [token for token in TOKEN.findall(text) if not token[0].isupper()]
    return next(filter(_FOREIGN_LETTER.search, tokens), "")


def _is_misspelt_name(token: str, lexicon: Lexicon) -> bool:
    """Return True if a token may be a name of a day or month with a mistake or two, or the beginning of one."""
    word = fold_letters(token).strip("'.:")
    names = (name for kind in ("days", "weekday", "short", "month") for name in lexicon.words[kind] if " " not in name)
    return word not in SPOKEN["no-days"] and any(
        _is_within_edits(1 + (length >= MIN_CHARS_FOR_TWO_EDITS), word, name)
        or (len(word) >= MIN_NAME_CHARS and name.startswith(word))
        for name in names
        if (length := len(name.removeprefix("ال"))) >= MIN_NAME_CHARS
    )


def _is_within_edits(edits: int, word: str, name: str) -> bool:
    """Return True if so many letters left out, added, replaced or swapped with the next one make `name` of `word`."""
    if edits < 0 or abs(len(word) - len(name)) > edits:
        return False
    if word[:1] == name[:1]:
        return word == name or _is_within_edits(edits, word[1:], name[1:])
    swapped = [(word[2:], name[2:])] if word[:2] == name[1::-1] else []
    remainders = [(word[1:], name), (word, name[1:]), (word[1:], name[1:]), *swapped]
    return any(_is_within_edits(edits - 1, *remainder) for remainder in remainders)
