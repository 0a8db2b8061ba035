"""State of the test process that tests may change by accident."""

import gc
import locale
import logging
import os
import signal
import sys
from contextvars import copy_context
from pathlib import Path

from runtime.logs import OURS

OF_OTHERS = frozenset({"PYTEST_CURRENT_TEST", "OMP_NUM_THREADS", "decimal_context"})
"""Environment and context variables that pytest, the local embedder and the standard library set."""


def shared_state() -> dict[str, object]:
    """Return, by name, the state of the process that a test may change and a later test would notice."""
    root = logging.getLogger()
    return {
        **{f"${name}": value for name, value in os.environ.items() if name not in OF_OTHERS},
        "folder": str(Path.cwd()),
        "import path": tuple(sys.path),
        "context": {
            variable.name: value for variable, value in copy_context().items() if variable.name not in OF_OTHERS
        },
        "locale": locale.setlocale(locale.LC_ALL),
        "log levels": (root.level, root.manager.disable, *(logging.getLogger(name).level for name in sorted(OURS))),
        "log handlers": [handler for handler in root.handlers if not type(handler).__module__.startswith("_pytest.")],
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()),
        "switch interval": sys.getswitchinterval(),
        "profiler": sys.getprofile(),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)],
    }


def differences(before: dict[str, object], after: dict[str, object]) -> str:
    """Return one line for each part that has changed, or "" if none has."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return "\n".join(f"{name}: {before.get(name)} became {after.get(name)}" for name in names)
