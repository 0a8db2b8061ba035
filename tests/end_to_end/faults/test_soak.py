"""A short soak: `make soak` is the long one."""

from pathlib import Path

import pytest

from reliability.soak import MAX_GROWTH_PERCENT, compute_growth_percent, compute_medians_of_parts, run_soak_test

pytestmark = pytest.mark.files("it damages files")


async def test_a_few_turns_among_faults_violate_nothing(tmp_path: Path) -> None:
    result = await run_soak_test(tmp_path, turns=60, people=6, seed=3)
    assert result["violations"] == 0, result
    assert result["is_good"], result


def test_memory_that_fills_early_is_flat_and_memory_that_goes_on_growing_is_not() -> None:
    fills = [min(170 + number, 185) for number in range(80)]
    leaks = [170 + number for number in range(80)]
    assert compute_medians_of_parts(fills, 4) == [179.5, 185, 185, 185]
    assert compute_growth_percent(compute_medians_of_parts(fills, 8)) == 0
    assert compute_growth_percent(compute_medians_of_parts(leaks, 8)) > MAX_GROWTH_PERCENT
