"""Function words by language. They identify the language of a message, and searches ignore them."""

from pathlib import Path

_LINES = Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").splitlines()

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, _, words in (line.partition(":") for line in _LINES)
}
EVERY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())
