"""Find every regular expression of the program, and run it on long repetitive texts of its own alphabet.

`python -m tests.support.pumping PART PARTS` checks one of so many parts of the expressions (`0 1`: all) for
test_expressions.py. It prints one JSON object: how many there are, which took too long for a text, and which are built
from arguments and cannot be checked. It may be killed at any moment.
"""

import ast
import importlib
import json
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any, NamedTuple, TypeGuard

from tests.paths import ROOT
from tests.support.processor_time import measure_unit
from tests.support.python_source import parse_python

LENGTH = 10_000
LIMIT_UNITS = 250
"""The limit for one text, in units of processor time (see processor_time.py).

It is about a quarter of a second on a fast machine: what takes longer is quadratic or worse, and takes more than a
second for a text of twice this length.
"""
OUTSIDE = {"tests", "benchmarks", "reliability", "playground", "docs"}
CATEGORIES = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_SPACE: " \n",
    sre.CATEGORY_WORD: "a1",
    sre.CATEGORY_NOT_DIGIT: "a ",
    sre.CATEGORY_NOT_SPACE: "a.",
    sre.CATEGORY_NOT_WORD: " .",
}
FUNCTIONS = {"compile", "match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}


class Found(NamedTuple):
    place: str
    pattern: str
    flags: int
    is_anchored: bool
    """True if it is tried only at the beginning of a text."""


def sources() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if not parts[0].startswith(".") and parts[0] not in OUTSIDE:
            yield path


def expressions() -> tuple[list[Found], list[str]]:
    """Return all expressions, and the places of those that are built from arguments and cannot be checked.

    Patterns in calls of `re` are read without an import. If one cannot be read, its module is imported, and all that
    are compiled meanwhile count.
    """
    written = {path: path.read_text(encoding="utf-8") for path in sources()}
    trees = {path: parse_python(text) for path, text in written.items() if "import re\n" in text}
    found: dict[tuple[str, int], str] = {}
    unread = dict[Path, list[str]]()
    for path, tree in trees.items():
        names = _constants(tree)
        for node in ast.walk(tree):
            if not _is_expression(node):
                continue
            pattern, *flags = (_value(flag, names) for flag in (*node.args[:1], *_flags(node)))
            if isinstance(pattern, str):
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                found.setdefault((pattern, sum(int(flag) for flag in flags if isinstance(flag, re.RegexFlag))), place)
            elif not isinstance(pattern, bytes):
                unread.setdefault(path, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    compiled = _compiled(unread)
    for key, place in compiled.items():
        found.setdefault(key, place)
    anchored = _anchored(written.values(), trees)
    built = [place for places in unread.values() for place in places if place not in compiled.values()]
    ours = sorted(Found(place, pattern, flags, place in anchored) for (pattern, flags), place in found.items())
    return ours, built


def _is_expression(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    match node.func:
        case ast.Attribute(value=ast.Name(id="re"), attr=attr):
            return attr in FUNCTIONS
    return False


def _flags(call: ast.Call) -> list[ast.expr]:
    return [*call.args[1:], *(word.value for word in call.keywords)]


def _constants(tree: ast.Module) -> dict[str, object]:
    """Return the names of a module whose values can be read without importing it, with these values."""
    names: dict[str, object] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = _value(node.value, names)
    return names


def _value(node: ast.expr, names: Mapping[str, object]) -> object:
    with suppress(Exception):
        return eval(ast.unparse(node), {"re": re}, dict(names))  # noqa: S307 - our own source
    return None


def _compiled(paths: Iterable[Path]) -> dict[tuple[str, int], str]:
    """Import these modules, and return the expressions that are compiled meanwhile, with their places."""
    compiled: dict[tuple[str, int], str] = {}
    compile_one = compiler.compile

    def noted(pattern: Any, flags: int = 0) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and "/re/" in frame.f_code.co_filename:
            frame = frame.f_back
        file = frame.f_code.co_filename if frame else ""
        if isinstance(pattern, str) and file.startswith(f"{ROOT}/") and "/.venv/" not in file:
            place = f"{Path(file).relative_to(ROOT)}:{frame.f_lineno if frame else 0}"
            compiled.setdefault((pattern, int(flags)), place)
        return compile_one(pattern, flags)

    re.purge()  # what was compiled while constants were read
    compiler.compile = noted
    for path in paths:
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    compiler.compile = compile_one
    return compiled


def _anchored(written: Iterable[str], trees: Mapping[Path, ast.Module]) -> set[str]:
    """Return the places of expressions that the program uses only with `match` and `fullmatch`."""
    calls: dict[str, set[str]] = {}
    for text in written:
        for name, called in re.findall(r"\b(\w+)\.(\w+)\(", text):
            calls.setdefault(name, set()).add(called)
    found: set[str] = set()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.match", "re.fullmatch"):
                found.add(f"{path.relative_to(ROOT)}:{node.lineno}")
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            uses = calls.get(node.targets[0].id, set())
            if uses and uses <= {"match", "fullmatch"}:
                found.update(
                    f"{path.relative_to(ROOT)}:{line}" for line in range(node.lineno, (node.end_lineno or 0) + 1)
                )
    return found


def alphabet(parsed: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Yield characters that parts of an expression match, and texts that its repeated parts match."""
    for what, value in parsed:
        if what is sre.BRANCH:
            for branch in value[1]:
                yield from alphabet(branch)
        elif what is sre.SUBPATTERN:
            yield from alphabet(value[3])
        elif what in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield sample(value[2])
            yield from alphabet(value[2])
        elif what in (sre.ASSERT, sre.ASSERT_NOT):
            yield from alphabet(value[1])
        elif what is sre.ATOMIC_GROUP:
            yield from alphabet(value)
        else:
            yield from _characters(what, value)


def _characters(what: Any, value: Any) -> str:
    match what:
        case sre.LITERAL:
            return chr(value)
        case sre.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        case sre.ANY:
            return "a"
        case sre.CATEGORY:
            return CATEGORIES.get(value, "a")
        case sre.RANGE:
            return chr(value[0]) + chr(value[1])
        case sre.IN:
            inside = "".join(_characters(*part) for part in value if part[0] is not sre.NEGATE)
            if value[0][0] is sre.NEGATE:
                return next(character for character in "a .1\n!*" if character not in inside)
            return inside[:6]
    return ""


def sample(parsed: Iterable[tuple[Any, Any]]) -> str:
    """Return a text that an expression is likely to match."""
    made = ""
    for what, value in parsed:
        if what is sre.BRANCH:
            made += max((sample(branch) for branch in value[1]), key=len)
        elif what is sre.SUBPATTERN:
            made += sample(value[3])
        elif what is sre.ATOMIC_GROUP:
            made += sample(value)
        elif what in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            made += sample(value[2]) * max(1, min(value[0], 3))
        else:
            made += _characters(what, value)[:1]
    return made


def texts(found: Found) -> Iterator[str]:
    parsed = parser.parse(found.pattern, found.flags)
    whole = sample(parsed)
    units = list(dict.fromkeys(filter(None, [whole, *alphabet(parsed)])))
    letters = [unit for unit in units if len(unit) == 1][:10]
    longer = [unit for unit in units if len(unit) > 1][:6]
    for unit in (*letters, *longer, *(f"{piece} " for piece in longer)):
        pumped = (unit * (LENGTH // len(unit) + 1))[:LENGTH]
        yield f"{pumped}\0"
        if whole and unit != whole:
            # Its beginning, so that the pumped part is reached.
            yield f"{whole[: len(whole) // 2]}{pumped}\0"


class TooSlow(Exception):  # noqa: N818 - it never leaves this module
    pass


def _late(*_: object) -> None:
    raise TooSlow


def slowest(found: Found) -> str:
    """Return a short description of a text that takes too long, or "" if there is none."""
    compiled = re.compile(found.pattern, found.flags)
    look = compiled.match if found.is_anchored else partial(_all, compiled)
    limit = LIMIT_UNITS * measure_unit()
    for text in texts(found):
        signal.setitimer(signal.ITIMER_PROF, limit)  # the search looks for signals
        try:
            look(text)
        except TooSlow:
            return f"{found.place}: {found.pattern[:80]!r} on {text[:40]!a}…"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def _all(compiled: re.Pattern[str], text: str) -> None:
    for _ in compiled.finditer(text):
        pass


def main(part: int, parts: int) -> None:
    signal.signal(signal.SIGPROF, _late)
    all_of_them, built = expressions()
    mine = all_of_them[part::parts]
    slow = [found for found in map(slowest, mine) if found]
    sys.stdout.write(json.dumps({"count": len(mine), "slow": slow, "built": built}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
