"""Functions that all benchmarks share, for latencies, CPU and memory readings, and printing results."""

import json
import os
import platform
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from settings import read_environment


def summarize_times(seconds: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile in milliseconds. `seconds` must not be empty."""
    median, percentile_95 = np.percentile(seconds, (50, 95), method="inverted_cdf") * 1000
    return {"p50": round(float(median), 2), "p95": round(float(percentile_95), 2)}


def print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_report(result: Mapping[str, object]) -> None:
    """Print the result as one JSON object."""
    print(json.dumps(result, ensure_ascii=False, indent=2))


def read_resident_megabytes(pid: int | None = None) -> float:
    """Return the resident memory of a process in megabytes, by default of this one. Outside Linux, it is the peak."""
    status = Path(f"/proc/{pid or 'self'}/status")
    if status.exists():
        kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return round(int(kilobytes) / 1024, 1)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024  # getrusage returns bytes on macOS, else kilobytes
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def read_cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used so far, or 0.0 outside Linux."""
    account = Path(f"/proc/{pid}/stat")
    if not account.exists():
        return 0.0
    fields = account.read_text().rpartition(")")[2].split()  # the name in parentheses may contain spaces
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
