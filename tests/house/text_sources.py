"""Read the texts in locales/, and find the places in the program that request them."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fluent.syntax import FluentParser
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Visitor

from locales.catalog import FOLDER, SHARED, list_text_file_names
from tests.paths import ROOT
from tests.support.python_source import parse_python

ASKING = frozenset({"tr", "list_words", "collect_all_translations"})
"""Functions that take the key of a text."""


@dataclass
class Found(Visitor):
    """The references of a text: its arguments, the arguments that choose a plural form, and other texts."""

    arguments: set[str] = field(default_factory=set)
    plurals: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:  # noqa: N802 - the visitor's way
        self.arguments.add(node.id.name)

    def visit_MessageReference(self, node: fluent.MessageReference) -> None:  # noqa: N802
        self.texts.add(node.id.name)

    def visit_SelectExpression(self, node: fluent.SelectExpression) -> None:  # noqa: N802
        if isinstance(node.selector, fluent.VariableReference):
            names = {variant.key.name for variant in node.variants if isinstance(variant.key, fluent.Identifier)}
            if names <= {"zero", "one", "two", "few", "many", "other"}:
                self.plurals.add(node.selector.id.name)
        self.generic_visit(node)


@cache
def read_texts(language: str, family: str) -> Mapping[str, fluent.Message]:
    """Return the texts of a file by key. Assert that the whole file is valid and that no key occurs twice."""
    source = (FOLDER / language / f"{family}.ftl").read_text(encoding="utf-8")
    entries = FluentParser(with_spans=False).parse(source).body
    assert not [entry for entry in entries if isinstance(entry, fluent.Junk)], f"{language}/{family}.ftl"
    messages = [entry for entry in entries if isinstance(entry, fluent.Message)]
    keys = [message.id.name for message in messages]
    assert len(keys) == len(set(keys)), f"{language}/{family}.ftl: {[key for key in keys if keys.count(key) > 1]}"
    assert all(key.startswith(f"{family}-") for key in keys), f"{language}/{family}.ftl"
    return dict(zip(keys, messages, strict=True))


def read_all_texts(language: str) -> dict[str, fluent.Message]:
    return {
        key: text for family in list_text_file_names(language) for key, text in read_texts(language, family).items()
    }


@cache
def find_needs(language: str, key: str) -> Found:
    """Return the references of a text, including those of the texts that it refers to."""
    known = {**read_texts(language, key.partition("-")[0]), **read_texts(language, SHARED)}
    found, waiting = Found(), [key]
    while waiting:
        direct = Found()
        direct.visit(known[waiting.pop()])
        waiting += direct.texts - found.texts
        found.arguments |= direct.arguments
        found.plurals |= direct.plurals
        found.texts |= direct.texts
    return found


@dataclass(frozen=True)
class Call:
    """A request for a text.

    `keys` has the possible keys, with "*" for inserted parts. `arguments` is None if some are passed as a dictionary.
    """

    place: str
    keys: tuple[str, ...]
    arguments: frozenset[str] | None


@cache
def _program() -> Mapping[str, ast.Module]:
    """Return the modules that use locales.catalog, by path."""
    paths = (path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in {"tests", ".venv", "data"})
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(paths)}
    return {place: parse_python(source) for place, source in sources.items() if "locales.catalog" in source}


PAGES = (ROOT / "playground/static", ROOT / "dashboard/static")
"""Folders of the pages, which request texts by the same keys."""
_ASKED = re.compile(r"""(?<!\.)\b(tr|has)\(""")
_MARKED = re.compile(r'data-(?:text|label)="([\w-]+)"')


@cache
def list_page_calls(page: Path) -> Sequence[Call]:
    """Return every tr() call in a page's modules, and every HTML element that names the key of its text."""
    document = (page / "index.html").read_text(encoding="utf-8")
    found = [Call("index.html", (key,), frozenset()) for key in _MARKED.findall(document)]
    for path in sorted(page.glob("*.js")):
        source = path.read_text(encoding="utf-8")
        for asked in _ASKED.finditer(source):
            if source[: asked.start()].endswith("function "):
                continue
            key, *given = _given(source, asked.end())
            keys = tuple(re.sub(r"\$\{[^}]*\}", "*", argument) for argument in re.findall(r"""["`]([^"`]+)["`]""", key))
            names = frozenset(_members(given[0])) if given else frozenset()
            place = f"{path.name}:{source.count(chr(10), 0, asked.start()) + 1}"
            # A text of any name may be asked for by an element of the page: those are in the HTML.
            if keys:
                found.append(Call(place, keys, names if asked[1] == "tr" else None))
    return found


def _given(source: str, start: int) -> list[str]:
    """Split the arguments of a JavaScript call at its commas."""
    depth, begin, parts, quote = 0, start, [], ""
    for at in range(start, len(source)):
        sign = source[at]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign == ")" or (sign == "," and depth == 0):
            parts.append(source[begin:at].strip())
            begin = at + 1
            if sign == ")":
                return parts
    raise AssertionError("a call of tr() does not end")


def _members(given: str) -> Iterator[str]:
    """Yield the names in a JavaScript object literal such as { shown, total: owner.total }."""
    assert given.startswith("{"), given
    for argument in _given(given[1:-1] + ")", 0):
        yield argument.partition(":")[0].strip()


@cache
def list_calls() -> Sequence[Call]:
    """Return every call in the program and its pages that requests a text by key."""
    found = [call for page in PAGES for call in list_page_calls(page)]
    for place, tree in _program().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
                named = [keyword.arg for keyword in node.keywords]
                arguments = None if None in named else frozenset(name for name in named if name is not None)
                found.append(Call(f"{place}:{node.lineno}", tuple(_keys(node.args[0])), arguments))
    return found


def _keys(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(value)):
            yield value
        case ast.IfExp():
            yield from _keys(node.body)
            yield from _keys(node.orelse)
        case ast.JoinedStr(values=values):
            yield "".join(str(value.value) if isinstance(value, ast.Constant) else "*" for value in values)


@cache
def list_literals() -> frozenset[str]:
    """Return every string in the code of these modules that could be a key."""
    return frozenset(
        node.value
        for tree in _program().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "-" in node.value
    )
