"""A short soak test; `make soak` runs the long one."""

from pathlib import Path

import pytest

from reliability.soak import MAX_GROWTH_PERCENT, compute_growth_percent, compute_medians_of_parts, run_soak_test

pytestmark = pytest.mark.files("it damages files")


async def test_short_soak_with_faults_violates_no_invariants(tmp_path: Path) -> None:
    result = await run_soak_test(tmp_path, turns=60, people=6, seed=3)
    assert result["violations"] == 0, result
    assert result["is_good"], result


def test_growth_is_zero_after_early_plateau_and_high_for_steady_increase() -> None:
    fills = [min(170 + number, 185) for number in range(80)]
    leaks = [170 + number for number in range(80)]
    assert compute_medians_of_parts(fills, 4) == [179.5, 185, 185, 185]
    assert compute_growth_percent(compute_medians_of_parts(fills, 8)) == 0
    assert compute_growth_percent(compute_medians_of_parts(leaks, 8)) > MAX_GROWTH_PERCENT
