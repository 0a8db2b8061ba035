"""Local servers for each test, so that faults set up by one test cannot affect another."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.end_to_end.harness import LocalServers, check_requests, open_local_servers


@pytest.fixture(autouse=True)
def _peers_are_left_as_they_were() -> None:
    """Do nothing: the servers belong to this test alone."""


@pytest_asyncio.fixture(loop_scope="module")
async def servers(tmp_path: Path) -> AsyncIterator[LocalServers]:
    """Run local servers without a bot. Check all recorded requests at the end."""
    async with open_local_servers(tmp_path) as servers:
        yield servers
        check_requests(servers)
