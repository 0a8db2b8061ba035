"""No text that people read stands in the code of the Telegram side: it is in the files of `locales/`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

SENTENCE = re.compile(r"^\W*[A-Z][a-z]+[,:]? (?:[A-Za-z]|\Z)|(?:[A-Za-z]+,? ){3}[A-Za-z]+")
"""Words after a capital letter, or four in a row: keys, states and names of ours are neither."""
LOGGED = frozenset({"debug", "info", "warning", "error", "exception"})
OPERATORS = frozenset(
    {"SettingsError", "RuntimeError", "ValueError", "TelegramError", "BadRequest", "TypeError", "says"}
)
"""Around what an operator or a developer reads, in English, and the words of Telegram's errors."""
IN_ENGLISH = {
    "telegram_ui/sending/delivery.py": "errors of Telegram's server, told where no other sentence is",
    "telegram_ui/sending/documents.py": "errors of Telegram's server about files",
    "telegram_ui/updates/parsing.py": "what the model reads of a message: “[Forwarded from …]”",
    "telegram_ui/updates/attached.py": "what is sent along with a message: still growing",
    "telegram_ui/updates/reading.py": "what is said of files, pictures and voices: still growing",
    "telegram_ui/updates/dispatch.py": "what cannot be read of a message: to be replaced with what reads it",
    "telegram_ui/updates/durable_queue.py": "an error that nobody is told: Telegram sends the update again",
    "telegram_ui/updates/service.py": "what an operator reads",
}
"""Files in which texts may stand, and why. It shrinks; nothing is added to it."""

PLACES = sorted([*(ROOT / "telegram_ui").rglob("*.py"), ROOT / "chat" / "notices.py"])


def texts_in(tree: ast.AST) -> Iterator[str]:
    """The literals of a module that are sentences, apart from docstrings, the log's and what operators read."""
    passed: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                passed.add(id(docstring))
            case ast.Call(func=ast.Attribute(attr=name)) if name in LOGGED:
                passed |= {id(one) for one in ast.walk(node)}
            case ast.Call(func=ast.Name(id=name)) if name in OPERATORS:
                passed |= {id(one) for one in ast.walk(node)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                passed |= {id(one) for one in ast.walk(node)}
        match node:
            case ast.Constant(value=str(text)) if id(node) not in passed and SENTENCE.search(text):
                yield text


@pytest.mark.parametrize("path", PLACES, ids=[str(path.relative_to(ROOT)) for path in PLACES])
def test_texts_are_in_their_files(path: Path) -> None:
    found = list(texts_in(ast.parse(path.read_text(encoding="utf-8"))))
    if str(path.relative_to(ROOT)) in IN_ENGLISH:
        assert found, "it is clean by now: take it off the list"
    else:
        assert found == [], "use tr() and a file of locales/"


def test_a_text_in_the_code_is_found() -> None:
    assert list(texts_in(ast.parse('async def f(say): await say(f"You have {n} of them")'))) == ["You have "]
    assert list(texts_in(ast.parse('def f():\n    """Say it."""\n    log.warning("It is so")'))) == []
