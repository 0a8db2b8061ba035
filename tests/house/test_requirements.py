"""What the program imports is named in requirements.txt, and requirements.lock holds the same versions with hashes."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.paths import ROOT

REQUIREMENT = re.compile(r"^([a-z0-9-]+)(?:\[[a-z]+\])?==([\w.]+)", re.MULTILINE)
OUTSIDE = ("benchmarks", "reliability", "tests")
"""Folders that need more than the program."""
TYPES = {"_typeshed"}
OPTIONAL = {"opentelemetry", "pysqlite3"}
"""Packages that are not installed everywhere: requirements-otel.txt, and one for Linux alone."""


def named(*files: str) -> dict[str, str]:
    return {
        name: version
        for file in files
        for name, version in REQUIREMENT.findall((ROOT / file).read_text(encoding="utf-8"))
    }


def imported(path: Path) -> Iterator[str]:
    """The packages that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def modules() -> Iterator[Path]:
    yield from ROOT.glob("*.py")
    for folder in ROOT.iterdir():
        if (folder / "__init__.py").exists():
            yield from folder.rglob("*.py")


@pytest.mark.parametrize("is_program", [True, False])
def test_what_is_imported_is_named(is_program: bool) -> None:
    others = () if is_program else ("requirements-dev.txt", "requirements-deploy.txt", "requirements-real.txt")
    known = named("requirements.txt", *others)
    ours = {path.stem for path in ROOT.glob("*.py")} | {path.name for path in ROOT.iterdir() if path.is_dir()}
    distributions = packages_distributions()
    missing: dict[str, set[str]] = {}
    for path in modules():
        if is_program and path.relative_to(ROOT).parts[0] in OUTSIDE:
            continue
        for package in set(imported(path)) - ours - sys.stdlib_module_names - TYPES - OPTIONAL:
            names = {re.sub(r"[-_.]+", "-", one).lower() for one in distributions.get(package, [package])}
            if not names & known.keys():
                missing.setdefault(package, set()).add(str(path.relative_to(ROOT)))
    assert missing == {}


def test_the_lock_holds_what_is_required_with_hashes() -> None:
    """`make lock` writes it again."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert named("requirements.txt").items() <= named("requirements.lock").items()
    entries = re.split(r"\n(?=[a-z0-9])", lock)
    assert [one.partition("\n")[0] for one in entries if "--hash=sha256:" not in one] == []
    assert "://" not in lock
    assert "--index" not in lock
    assert "--find-links" not in lock
