"""Tests use only public names, so that private ones can change without a change of tests."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.support.python_source import parse_python

TESTS = ROOT / "tests"
PUBLIC = {"_asdict", "_fields", "_replace", "_exit", "_getframe"}
"""Documented names of named tuples and the standard library that begin with an underscore."""
WITHOUT_A_PUBLIC_WAY = {
    "house/test_operations.py": {"_collector_to_names", "_name", "_labelnames"},  # prometheus_client tells no labels
    "support/postgres_server.py": {"_instances"},  # the wheel goes on giving a server that did not start
    "support/pumping.py": {"_compiler", "_constants", "_parser"},  # re's own reading of an expression
    "support/zygote.py": {"_shutdown", "_run_exitfuncs"},  # what an interpreter calls at its end
    "unit/telegram_ui/sending/test_http.py": {"_requestparameter"},  # what PTB hands to every request
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_" and name not in PUBLIC


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield private names that are read, set, imported or passed to getattr, except those of self and cls."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if is_private(name):
                yield name
            case ast.ImportFrom(module=module, names=names):
                yield from filter(is_private, [*(module or "").split("."), *(name.name for name in names)])
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[_, ast.Constant(value=str(name)), *_]
            ):
                if called in ("getattr", "setattr", "delattr") and is_private(name):
                    yield name


def names_in(file: Path) -> set[str]:
    return set(private_names(parse_python(file.read_text(encoding="utf-8"))))


def test_tests_use_no_private_names() -> None:
    touched = {str(file.relative_to(TESTS)): found for file in TESTS.rglob("*.py") if (found := names_in(file))}
    assert touched == WITHOUT_A_PUBLIC_WAY


@pytest.mark.parametrize(
    "code",
    [
        "store._rows",
        "self.store._rows",
        "store._rows = 1",
        "from a.b import _rows",
        "from a._rows import b",
        "monkeypatch.setattr(store, '_rows', 1)",
        "getattr(store, '_rows')",
    ],
)
def test_access_to_private_name_is_found(code: str) -> None:
    assert list(private_names(parse_python(code))) == ["_rows"]


@pytest.mark.parametrize("code", ["self._rows", "row._replace(a=1)", "store.__class__", "os._exit(0)", "f('_rows')"])
def test_own_and_public_underscore_names_are_allowed(code: str) -> None:
    assert list(private_names(parse_python(code))) == []
