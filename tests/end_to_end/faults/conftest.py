"""Peers and a bot for each test: a fault that one test sets up reaches no other."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.end_to_end.harness import LocalServers, check_requests, open_house


@pytest.fixture(autouse=True)
def _peers_are_left_as_they_were() -> None:
    """They are this test's own."""


@pytest_asyncio.fixture(loop_scope="module")
async def house(tmp_path: Path) -> AsyncIterator[LocalServers]:
    """Peers without a bot; in the end every request that was made is looked at again."""
    async with open_house(tmp_path) as house:
        yield house
        check_requests(house)
