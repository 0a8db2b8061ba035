"""The command line that the tests of this folder share."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Concatenate


def run(
    description: str | None,
    numbers: Mapping[str, int],
    test: Callable[Concatenate[Path, ...], Coroutine[Any, Any, Mapping[str, object]]],
) -> int:
    """Run `test` in a folder with the given options, print its report as JSON, and return the exit status.

    `numbers` has the name and default of each option. The status is 1 unless the report's `is_good` is true.
    """
    parser = argparse.ArgumentParser(description=description)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--data", type=Path, help="an empty folder to work in, kept afterwards")
    options = vars(parser.parse_args())
    kept: Path | None = options.pop("data")
    with tempfile.TemporaryDirectory() as away:
        folder = kept or Path(away)
        folder.mkdir(parents=True, exist_ok=True)
        result = asyncio.run(test(folder, **options))
    print(json.dumps(result, indent=2))
    return 0 if result["is_good"] else 1
