"""Functions that all benchmarks share, for percentiles, memory and CPU readings, and printing results."""

import json
import math
import os
import platform
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from settings import read_environment

LatencySummary = dict[str, float]


def compute_percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of the values, or 0.0 if there are none. For the 95th, `share` is 0.95."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def summarize_times(seconds: Sequence[float]) -> LatencySummary:
    """Return the median and the 95th percentile in milliseconds."""
    return {
        "p50": round(compute_percentile(seconds, 0.5) * 1000, 2),
        "p95": round(compute_percentile(seconds, 0.95) * 1000, 2),
    }


def compute_milliseconds_since(start: float) -> float:
    """Return the milliseconds since `start`, a reading of time.perf_counter()."""
    return round((time.perf_counter() - start) * 1000, 1)


def print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_report(result: Mapping[str, object]) -> None:
    """Print the result as one JSON object."""
    print(json.dumps(result, ensure_ascii=False, indent=2))


def read_resident_megabytes(pid: int | None = None) -> float:
    """Return the resident memory of a process, by default this one. Outside Linux, return this process's peak."""
    status = Path(f"/proc/{pid or 'self'}/status")
    if status.exists():
        kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return round(int(kilobytes) / 1024, 1)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024  # getrusage returns bytes on macOS, else kilobytes
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def read_machine_cpu_seconds() -> tuple[float, float]:
    """Return the busy and the total CPU seconds of the machine since it booted, or zeros outside Linux."""
    account = Path("/proc/stat")
    if not account.exists():
        return 0.0, 0.0
    spent = [int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in account.read_text().split("\n")[0].split()[1:9]]
    return sum(spent) - spent[3] - spent[4], sum(spent)  # fields 3 and 4: idle, and waiting for a disk


def count_folder_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def describe_machine() -> dict[str, object]:
    """Describe the machine for a report. A load above the number of processors means that other programs interfere."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def make_environment_without_embedding() -> dict[str, str]:
    """Return the environment, with EMBEDDING_MODEL `none` unless it is set.

    The bot embeds messages in the background, which is not part of the cost of a turn.
    """
    return {"EMBEDDING_MODEL": "none", **read_environment()}
