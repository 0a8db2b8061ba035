"""Regular expressions for foreign text stay fast on long inputs that are built from their own alphabet."""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from subprocess import DEVNULL, PIPE

from tests.paths import ROOT

CHILDREN = 2
MIN_EXPRESSIONS = 100
"""Minimum number of expressions to be found. Fewer mean that the search for them is broken."""


async def test_regexes_finish_long_inputs_within_one_cpu_second() -> None:
    children = [await _child(part) for part in range(CHILDREN)]
    try:
        found = [json.loads(out) for out, _ in await asyncio.gather(*(child.communicate() for child in children))]
    finally:
        for child in children:
            if child.returncode is None:
                child.kill()
    assert sum(report["count"] for report in found) > MIN_EXPRESSIONS
    assert [slow for report in found for slow in report["slow"]] == []
    # The names of our commands, to be found in our own texts; words of locale data, to be found in short ones.
    assert {place.partition(":")[0] for place in found[0]["built"]} == {"locales/page_texts.py", "reminders/lexicon.py"}


async def _child(part: int) -> Process:
    arguments = ("-m", "tests.support.pumping", str(part), str(CHILDREN))
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, stdout=PIPE, stderr=DEVNULL)
