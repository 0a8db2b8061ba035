"""Word lists by language, from word_lists.toml. Function words identify a language, and searches ignore them."""

import tomllib
from pathlib import Path

WORD_LISTS = tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text(encoding="utf-8"))
FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in WORD_LISTS["function_words"].items()
}
EVERY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())
