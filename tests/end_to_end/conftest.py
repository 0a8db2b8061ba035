"""Fixtures: local servers for all tests of a module, or for one test alone."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUITE, LocalServers, check_requests, open_local_servers


@pytest.fixture(scope="session", autouse=True)
def _on_postgres(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--on-postgres"):
        SUITE.postgres = request.getfixturevalue("postgres_url")


@pytest.fixture(autouse=True)
def _peers_are_left_as_they_were(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that the test left no scripted answers, changed defaults or faults on shared servers."""
    servers: LocalServers | None = request.getfixturevalue("servers") if "servers" in request.fixturenames else None
    before = servers.model.defaults if servers else {}
    yield
    if servers:
        assert not servers.model.unasked, "answers are scripted that nobody asked for"
        assert servers.model.defaults == before, "a model goes on answering what this test wanted"
        assert not servers.faults.list_faults(), "faults are still in force"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServers]:
    """Run local servers without a bot. Check all recorded requests at the end."""
    async with open_local_servers(tmp_path_factory.mktemp("servers")) as servers:
        yield servers
        check_requests(servers)


@pytest_asyncio.fixture(loop_scope="module")
async def own_servers(tmp_path: Path) -> AsyncIterator[LocalServers]:
    """Run local servers for one test alone, without a bot. Check all recorded requests at the end.

    For tests that start or kill bots of their own while other tests share one, or that change what the bot knows of
    its servers.
    """
    async with open_local_servers(tmp_path) as servers:
        yield servers
        check_requests(servers)
