"""Peers for all tests of a module, and a bot that most of them share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import House, check_requests, open_house


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """Peers without a bot; in the end every request that was made is looked at again."""
    async with open_house(tmp_path_factory.mktemp("house")) as house:
        yield house
        check_requests(house)
