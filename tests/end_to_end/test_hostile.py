"""A small run of the attack measurement. The figures are in docs/reliability.md."""

from pathlib import Path

import pytest

from reliability.hostile import CASES, measure_attack_cases


@pytest.mark.parametrize("name", ["entities", "slow connections"])
async def test_attack_measurement_compares_response_times_of_second_user(tmp_path: Path, name: str) -> None:
    [chosen] = [case.name for case in CASES if name in case.name]
    result = await measure_attack_cases(tmp_path, case=[name], rounds=1, turns=2, answer_after=0)
    cases = result["cases"]
    assert isinstance(cases, dict)
    measured = cases[chosen]
    assert measured["turns"] >= 2
    assert measured["loads"] >= 1
    assert measured["ratio"] == pytest.approx(measured["beside_ms"]["p50"] / measured["alone_ms"]["p50"], abs=0.1)
