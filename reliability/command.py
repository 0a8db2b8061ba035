"""The command line that the tests in this folder share."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Concatenate


def run_test_from_command_line(
    description: str | None,
    defaults: Mapping[str, object],
    run_test: Callable[Concatenate[Path, ...], Coroutine[Any, Any, Mapping[str, object]]],
) -> int:
    """Run a test with the command-line options, print its report as JSON, and return the exit status.

    `defaults` maps the names of the options to their defaults: a number, False for a flag, or () for an option that may
    be repeated. `run_test` gets a folder, and the options as keyword arguments. The status is 0 if the report's
    `is_good` is true, and otherwise 1.
    """
    parser = argparse.ArgumentParser(description=description)
    for name, default in defaults.items():
        flag = "--" + name.replace("_", "-")
        if default is False:
            parser.add_argument(flag, action="store_true")
        elif default == ():
            parser.add_argument(flag, action="extend", nargs=1, default=[])
        else:
            parser.add_argument(flag, type=type(default), default=default)
    parser.add_argument("--data", type=Path, help="an empty folder to work in, kept afterwards")
    options = vars(parser.parse_args())
    data_folder: Path | None = options.pop("data")
    with tempfile.TemporaryDirectory() as away:
        folder = data_folder or Path(away)
        folder.mkdir(parents=True, exist_ok=True)
        result = asyncio.run(run_test(folder, **options))
    print(json.dumps(result, indent=2))
    return 0 if result["is_good"] else 1
