"""Peers for all tests of a module, and a bot that most of them share."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUITE, LocalServers, check_requests, open_house


@pytest.fixture(scope="session", autouse=True)
def _on_postgres(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--on-postgres"):
        SUITE.postgres = request.getfixturevalue("postgres_url")


@pytest.fixture(autouse=True)
def _peers_are_left_as_they_were(request: pytest.FixtureRequest) -> Iterator[None]:
    """What one test told the peers to do meets no other that shares them, in whichever order they run."""
    house: LocalServers | None = request.getfixturevalue("house") if "house" in request.fixturenames else None
    before = house.model.defaults if house else {}
    yield
    if house:
        assert not house.model.unasked, "answers are scripted that nobody asked for"
        assert house.model.defaults == before, "a model goes on answering what this test wanted"
        assert not house.faults.list_faults(), "faults are still in force"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServers]:
    """Peers without a bot; in the end every request that was made is looked at again."""
    async with open_house(tmp_path_factory.mktemp("house")) as house:
        yield house
        check_requests(house)


@pytest_asyncio.fixture(loop_scope="module")
async def own_house(tmp_path: Path) -> AsyncIterator[LocalServers]:
    """Peers for one test alone: one that starts bots of its own or ends them, next to tests that share theirs; or that
    changes what the bot knows of its peers. Tests may run in any order.
    """
    async with open_house(tmp_path) as house:
        yield house
        check_requests(house)
