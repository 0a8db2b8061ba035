"""Words by language, from word_lists.toml. Function words identify a language, and searches ignore them.

Words for dates are those of the bot's seven languages, for folded text: lower case, without diacritics.
"""

import tomllib
from pathlib import Path

WORD_LISTS = tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text(encoding="utf-8"))
FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in WORD_LISTS["function_words"].items()
}
EVERY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())
DATE_WORDS = WORD_LISTS["dates"]
ENGLISH_MONTHS = tuple(DATE_WORDS["months"][0].split())  # strftime's names would follow the machine's locale
AMBIGUOUS_MONTHS = frozenset(DATE_WORDS["ambiguous_months"].split())
NUMBERS = {word: number for number, words in enumerate(DATE_WORDS["numbers"], 1) for word in words.split()}
