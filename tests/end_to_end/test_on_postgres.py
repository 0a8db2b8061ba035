"""A few end-to-end tests with DATABASE_URL set, in every run of the suite; `make test-postgres` runs all of them."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from tests.end_to_end import test_chat, test_folding, test_memory
from tests.end_to_end.harness import LocalServers, Process, check_requests, open_house

pytestmark = pytest.mark.asyncio(loop_scope="module")

Together = Callable[[LocalServers, Process], Awaitable[None]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(
    tmp_path_factory: pytest.TempPathFactory, postgres_url: str
) -> AsyncIterator[tuple[LocalServers, Process]]:
    async with open_house(tmp_path_factory.mktemp("served")) as house:
        house.postgres = postgres_url
        async with house.bot() as bot:
            yield house, bot
        check_requests(house)


@pytest.mark.parametrize(
    "same",
    [
        test_memory.test_switching_storage_moves_everything_with_its_ids,
        test_folding.test_the_threshold_folds_in_the_background,
        test_chat.test_private_memory_groups_and_topics_are_separate,
    ],
)
async def test_it_holds_on_postgres_too(served: tuple[LocalServers, Process], same: Together) -> None:
    house, bot = served
    assert house.sql == "PostgreSQL"
    await same(house, bot)
