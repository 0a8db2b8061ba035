"""How the tests of this folder are called: whole numbers, a folder to work in, one JSON object, and its exit status."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Concatenate


def run(
    what: str | None,
    numbers: Mapping[str, int],
    test: Callable[Concatenate[Path, ...], Coroutine[Any, Any, Mapping[str, object]]],
) -> int:
    """Run `test` in a folder, with an option for each of `numbers` (name and default), and print what it returns.

    0, or 1 unless its `is_good`. `what`: the help's first words.
    """
    parser = argparse.ArgumentParser(description=what)
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
