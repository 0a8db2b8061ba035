"""Words that broke the search model's process: the bot answers, indexes the message, and starts again."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIGATURES = "\ufdfa" * 8


async def test_characters_that_grow_stop_nothing(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(EMBEDDING_MODEL="local") as bot:
        await ann.sets_up()
        for text in (LIGATURES, LIGATURES * 100, "after it"):
            assert await ann.asks(text)
        while (since := bot.log.last) and "Search index" in await ann.asks("/summary_status"):
            await bot.logged("every message is embedded", since=since)
    async with house.bot(EMBEDDING_MODEL="local") as bot:
        assert await ann.asks("Are you still here?")
        status = await ann.asks("/summary_status")
        assert "words only" not in status
