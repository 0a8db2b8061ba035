"""A short seeded run of the fuzzing; `make fuzz` is the long one."""

from tests.fuzz.__main__ import fuzz_doors


async def test_no_generated_input_raises() -> None:
    failures: list[str] = []
    counts = await fuzz_doors(4000, 7, failures)
    assert failures == []
    assert all(counts.values())
