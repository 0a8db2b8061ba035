"""A short crash test; `make crash-test` runs the long one."""

from pathlib import Path

import pytest

from reliability.crash_test import run_crash_test

pytestmark = pytest.mark.files("python -m reliability.replicas is the crash test there")


async def test_repeated_kills_lose_or_duplicate_no_messages(tmp_path: Path) -> None:
    result = await run_crash_test(tmp_path, kills=7, seed=4)
    assert result["is_good"], result
    assert isinstance(result["kills"], int)
    assert result["kills"] >= 7
