"""A few end-to-end tests with DATABASE_URL set, in every run of the suite; `make test-postgres` runs all of them."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from tests.end_to_end import test_chat, test_folding, test_memory
from tests.end_to_end.harness import LocalServers, Process, check_requests, open_local_servers

pytestmark = pytest.mark.asyncio(loop_scope="module")

Together = Callable[[LocalServers, Process], Awaitable[None]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(
    tmp_path_factory: pytest.TempPathFactory, postgres_url: str
) -> AsyncIterator[tuple[LocalServers, Process]]:
    async with open_local_servers(tmp_path_factory.mktemp("served")) as servers:
        servers.postgres = postgres_url
        async with servers.run_bot() as bot:
            yield servers, bot
        check_requests(servers)


@pytest.mark.parametrize(
    "same",
    [
        test_memory.test_switching_storage_keeps_ids_and_erases_source,
        test_folding.test_reaching_threshold_folds_in_background,
        test_chat.test_private_group_and_topic_memories_are_separate,
    ],
)
async def test_same_behaviour_on_postgres(served: tuple[LocalServers, Process], same: Together) -> None:
    servers, bot = served
    assert servers.sql == "PostgreSQL"
    await same(servers, bot)
