"""A short soak: `make soak` is the long one."""

from pathlib import Path

from reliability.soak import soak


async def test_a_few_turns_among_faults_violate_nothing(tmp_path: Path) -> None:
    result = await soak(tmp_path, turns=60, people=6, seed=3)
    assert result["violations"] == 0, result
    assert result["is_good"], result
