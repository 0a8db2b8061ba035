"""Parts get everything from their constructor, and no other code sets their attributes later."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.support.python_source import parse_python

ELSEWHERE = {"tests", "playground", "benchmarks", "reliability"}
STATE = {
    "chat/session.py": {"Session", "UnwrittenMessages"},
    "chat/turn.py": {"Turn"},
    "llm/endpoint.py": {"CallTimer"},
    "llm/ladder.py": {"Fallbacks"},
    "records/errors.py": {"ModelError"},
    "storage/engine/postgres_driver.py": {"PostgresConnection"},
    "telegram_ui/sending/delivery.py": {"_ChatState"},
    "transfer/formats/conversations.py": {"HistoryBuilder"},
    "transfer/formats/history.py": {"SourceFile"},
}
"""Classes of values that are passed from step to step and change on the way. They are not wired parts."""
FOREIGN = {
    "row_factory": "sqlite3 has no other way to choose the type of rows",
    "name": "of a thread, known only once it runs",
    "_mergeable_ranks": "tiktoken keeps a second copy of its vocabulary",
    **dict.fromkeys(("msg", "args", "exc_info", "exc_text", "stack_info"), "a log record is changed by its formatter"),
    **dict.fromkeys(
        ("task_completed", "task_uncompleted", "unordered_list_item", *(f"heading_level_{n}" for n in range(1, 5))),
        "telegramify_markdown is configured by its global object",
    ),
    "excepthook": "the standard way to choose what an uncaught exception prints",
}
"""Attributes that code may set on other objects, with the reason. These objects belong to libraries."""


def iterate_product_files() -> Iterator[Path]:
    for file in sorted(ROOT.rglob("*.py")):
        path = file.relative_to(ROOT)
        if path.parts[0] not in ELSEWHERE and not path.parts[0].startswith("."):
            yield file


def set_attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Yield every `x.y` that is assigned to, except those of `self` and `cls`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(ctx=ast.Store()):
                yield node


def declared(class_: ast.AST) -> set[str]:
    """Return the names of the attributes that a class declares or sets on itself."""
    names = set[str]()
    for node in ast.walk(class_):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=names_)):
                names |= {
                    literal.value
                    for literal in names_
                    if isinstance(literal, ast.Constant) and isinstance(literal.value, str)
                }
    return names


def classes_in(file: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.walk(parse_file(file)) if isinstance(node, ast.ClassDef)}


def parse_file(file: Path) -> ast.Module:
    return parse_python(file.read_text(encoding="utf-8"))


def state() -> set[str]:
    return {
        name for file, classes in STATE.items() for kind in classes for name in declared(classes_in(ROOT / file)[kind])
    }


def set_from_outside(tree: ast.Module, allowed: set[str]) -> list[str]:
    """Return the assignments to attributes of objects whose classes are in other files."""
    own = {name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for name in declared(node)}
    return [f"{node.lineno}: {ast.unparse(node)}" for node in set_attributes(tree) if node.attr not in own | allowed]


def test_no_attributes_of_parts_are_set_after_construction() -> None:
    allowed = state() | FOREIGN.keys()
    found = {
        str(file.relative_to(ROOT)): set_from_outside(parse_file(file), allowed) for file in iterate_product_files()
    }
    assert {file: places for file, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "code",
    [
        "memory.serves = access.serves",
        "memory.on_gain += [corrections.taken_over]",
        "services.retrieval.powers = powers(told)",
        "self._delivery.on_upgrade = self._upgrades.submit_memory_move",
        "self._closing = self._delivery.is_closing = True",
        "a.b, self.c = 1, 2",
    ],
)
def test_attribute_assignment_from_outside_is_found(code: str) -> None:
    assert len(set_from_outside(parse_python(code), set())) == 1


@pytest.mark.parametrize(
    "code", ["self.a = 1", "cls.a = 1", "class A:\n    b: int\n\ndef f(a: A):\n    a.b = 1", "a[0] = 1"]
)
def test_assignments_to_own_objects_are_allowed(code: str) -> None:
    assert set_from_outside(parse_python(code), set()) == []
