"""Every text that people read is in the files of `locales/`, and none is in the code."""

import ast
import re
from collections.abc import Iterator

import records.errors as records_errors
from records.errors import KeepsakeError, SettingsError
from tests.house.text_sources import PAGES
from tests.paths import ROOT
from tests.support.python_source import parse_python

SENTENCE = re.compile(r"^\W*[A-Z][a-z]+[,:]? (?:[A-Za-z]|\Z)|(?:[A-Za-z]+,? ){3}[A-Za-z]+")
"""A pattern for sentences: a capitalized word before another, or four words. Keys and names in code have neither."""
LOGGED = frozenset({"debug", "info", "warning", "error", "exception"})
OPERATORS = frozenset(
    {
        "make_counter",
        "make_gauge",
        "make_duration_histogram",
        "SettingsError",
        "RuntimeError",
        "ValueError",
        "TelegramError",
        "BadRequest",
        "TypeError",
        "contains_any_phrase",
    }
)
"""Calls with English texts for operators or developers, and calls that match the words of Telegram's errors."""
IN_ENGLISH = {
    "telegram_ui/updates/parsing.py": "what the model reads of a message: “[Forwarded from …]”",
    "telegram_ui/updates/files.py": "what memory holds of a picture: “Picture bike.png”",
    "transfer/archiver.py": "what memory holds of messages without words",
    "transfer/formats/conversations.py": "what the model reads of a message, as parsing.py",
    "telegram_ui/updates/durable_queue.py": "an error that nobody is told: Telegram sends the update again",
    "telegram_ui/check.py": "what an operator reads; it stood in bot.py",
    "telegram_ui/updates/service.py": "what an operator reads",
}
"""Files that may contain texts, and the reason. Entries may be removed, but not added."""

PLACES = sorted(
    [
        *(ROOT / "telegram_ui").rglob("*.py"),
        *(ROOT / "attachments").rglob("*.py"),
        *(ROOT / "transfer").rglob("*.py"),
        *(ROOT / "chat" / name for name in ("attachments.py", "conversation.py")),
    ]
)
"""Modules that write texts for people."""
PAGE_FILES = sorted(path for page in PAGES for path in (*page.glob("*.js"), page / "index.html"))
BELOW = sorted(
    path
    for folder in ("chat", "llm", "facts", "retrieval", "summaries", "background", ".")
    for path in (ROOT / folder).glob("*.py")
)
"""Modules whose errors people read, next to words for the model, the log and the operator."""


def error_names() -> frozenset[str]:
    """Return the names of errors whose text people read. Errors of stores and the quality gate are for operators."""
    silent = (records_errors.StorageError, records_errors.SummaryRejected, SettingsError)
    found, waiting = set(), [KeepsakeError]
    while waiting:
        kind = waiting.pop()
        if not issubclass(kind, silent):
            found.add(kind.__name__)
            waiting += kind.__subclasses__()
    return frozenset(found)


def iterate_texts(tree: ast.AST) -> Iterator[str]:
    """Yield string literals that are sentences, except docstrings, log messages and texts for operators."""
    passed: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                passed.add(id(docstring))
            case ast.Call(func=ast.Attribute(attr=name)) if name in LOGGED:
                passed |= {id(inner) for inner in ast.walk(node)}
            case ast.Call(func=ast.Name(id=name)) if name in OPERATORS:
                passed |= {id(inner) for inner in ast.walk(node)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                passed |= {id(inner) for inner in ast.walk(node)}
        match node:
            case ast.Constant(value=str(text)) if id(node) not in passed and SENTENCE.search(text):
                yield text


def errors_in(tree: ast.AST) -> Iterator[str]:
    """Yield the sentences in the code that are passed to errors whose text people read."""
    names = error_names()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[given, *_]) if name in names:
                yield from iterate_texts(given)


def test_user_texts_are_in_locale_files() -> None:
    found = {
        str(path.relative_to(ROOT)): list(iterate_texts(parse_python(path.read_text(encoding="utf-8"))))
        for path in PLACES
    }
    assert all(found[name] for name in IN_ENGLISH & found.keys()), "one is clean by now: take it off the list"
    outside = {name: texts for name, texts in found.items() if texts and name not in IN_ENGLISH}
    assert outside == {}, "use tr() and a file of locales/"


def test_error_texts_are_in_locale_files() -> None:
    found = {
        str(path.relative_to(ROOT)): texts
        for path in BELOW
        if (texts := list(errors_in(parse_python(path.read_text(encoding="utf-8")))))
    }
    assert found == {}, "use tr() and a file of locales/"


PAGE_SENTENCE = re.compile(r"[A-Z][a-z]+ ?[a-z]*|(?:[A-Za-z]+,? ){2}[A-Za-z]+")
"""A pattern for sentences of a page: a capitalized word, or three words. CSS and keys have neither."""
_QUOTED = re.compile(r"""(["`])((?:(?!\1)[^\\]|\\.)*)\1""")
_BETWEEN = re.compile(r">([^<>{}]*[A-Za-z][^<>{}]*)<|(?:aria-label|title|placeholder|alt)=\"([^\"]+)\"")
NAMES = frozenset({"Keepsake", "The playground needs JavaScript.", "This page needs JavaScript."})
"""Allowed texts: the bot's name is the same in all languages, and without JavaScript no language can be chosen."""
EVENTS = re.compile(
    r"(?:Arrow(?:Up|Down|Left|Right)|Enter|Escape|Tab|Content-Type|Accept-Language|POST|Bearer|Content-Disposition|"
    r"AbortError|tgWebApp\w+)\b"
)
"""A pattern for names that the browser defines: keys, headers, methods and errors."""


def list_page_texts(source: str) -> list[str]:
    """Return the quoted sentences of a page's module, except errors that only a developer sees."""
    lines = [line for line in source.splitlines() if not re.match(r"\s*(?://|\*|/\*|import )", line)]
    found = []
    for line in lines:
        code = re.sub(r"(?<=[;{,)]) // .*|throw new Error\(.*\);|`M[\d.]+", "", line)
        for _, text in _QUOTED.findall(code):
            spoken = re.sub(r"\$\{.*\}", "", text)
            if PAGE_SENTENCE.search(spoken) and not EVENTS.search(spoken) and not CSS.search(spoken):
                found.append(text)
    return found


CSS = re.compile(
    r"[.#\[:]\w|^[\w .-]+,? ?\.?[\w-]*, |^(?:message|bubble|dialog|key|part|fact|brick|toast|chunk|block)\b"
)


def test_page_texts_are_in_locale_files() -> None:
    found: dict[str, list[str]] = {}
    for path in PAGE_FILES:
        source = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            between = [text for pair in _BETWEEN.findall(source) for text in pair]
            found[str(path.relative_to(ROOT))] = [text for text in between if text.strip() and text not in NAMES]
        else:
            found[str(path.relative_to(ROOT))] = list_page_texts(source)
    assert {name: texts for name, texts in found.items() if texts} == {}, "use tr() and a file of locales/"


def test_text_in_page_source_is_found() -> None:
    assert list_page_texts('h("p", {}, "Nothing here yet.")') == ["Nothing here yet."]
    assert list_page_texts("const label = `Version ${id}`;") == ["Version ${id}"]
    assert list_page_texts('h("p", { class: "folding failed" }, tr("page-on")) // Says it') == []


def test_text_in_code_is_found() -> None:
    assert list(iterate_texts(parse_python('async def f(say): await say(f"You have {n} of them")'))) == ["You have "]
    assert list(iterate_texts(parse_python('def f():\n    """Say it."""\n    log.warning("It is so")'))) == []
    assert list(errors_in(parse_python('raise ModelBusy(f"It asks to wait {n} s", retry_after=1)')))
    assert not list(errors_in(parse_python('raise StorageBusy("It is in use by another process.")')))
