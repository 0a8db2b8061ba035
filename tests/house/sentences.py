"""List every sentence that people can read, with its key: `python -m tests.house.sentences [LANGUAGE]`."""

import re
import sys
from collections.abc import Iterator

from fluent.syntax import ast as fluent

from locales.catalog import ENGLISH, list_text_file_names
from tests.house.text_sources import read_texts

_END = re.compile(r"(?<=[.!?:;…])\s+|\n+")


def shown(pattern: fluent.Pattern) -> str:
    """Render a text with its last plural form and with argument names in place of values."""
    return "".join(
        element.value if isinstance(element, fluent.TextElement) else _put_in(element.expression)
        for element in pattern.elements
    )


def _put_in(found: object) -> str:
    match found:
        case fluent.SelectExpression():
            return shown(found.variants[-1].value)
        case fluent.VariableReference() | fluent.MessageReference():
            return f"<{found.id.name}>"
        case fluent.StringLiteral():
            return found.value
        case _:
            return ""


def iterate_sentences(language: str = ENGLISH) -> Iterator[tuple[str, str]]:
    """Yield the key and the text of each sentence, in the order of the files."""
    for family in list_text_file_names(language):
        for key, message in read_texts(language, family).items():
            if message.value is not None:
                yield from ((key, sentence) for sentence in _END.split(shown(message.value)) if sentence)


if __name__ == "__main__":
    for key, sentence in iterate_sentences(*sys.argv[1:2]):
        sys.stdout.write(f"{key}\t{sentence}\n")
