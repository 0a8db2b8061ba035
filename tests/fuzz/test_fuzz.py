"""A short, seeded run of the fuzzing; `make fuzz` runs the long one."""

import sys

import pytest

from tests.fuzz.__main__ import fuzz_entry_points
from tests.fuzz.costs import MAX_HELD_UNITS, MAX_MEMORY_BYTES, measure_cost
from tests.fuzz.embedder import fuzz_embedder
from tests.support.processor_time import spend_one_unit


async def test_no_generated_input_raises_or_costs_too_much() -> None:
    failures: list[str] = []
    counts = await fuzz_entry_points(120, 8, failures, {})
    assert failures == []
    assert all(counts.values())


async def test_no_text_kills_embedder_process() -> None:
    failures: list[str] = []
    assert await fuzz_embedder(150, 3, failures, lines=3) == {"texts": 150, "deaths": 0}
    assert failures == []


async def test_detects_blocked_event_loop() -> None:
    async def compute() -> None:
        for _ in range(2 * MAX_HELD_UNITS):
            spend_one_unit()

    [complaint] = (await measure_cost(compute)).complaints()
    assert complaint.startswith("held the event loop up for ")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux alone")
async def test_detects_high_memory_use_that_was_freed_again() -> None:
    async def take() -> None:
        assert len(b"x" * (MAX_MEMORY_BYTES + 10_000_000))

    for _ in range(2):
        assert [complaint for complaint in (await measure_cost(take)).complaints() if complaint.startswith("took 2")]
