"""Characters that once crashed the embedder: the bot answers, indexes the message, and restarts."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIGATURES = "\ufdfa" * 8


async def test_characters_expanded_by_normalization_do_not_stop_embedder(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(EMBEDDING_MODEL="local") as bot:
        await ann.set_up_memory()
        for text in (LIGATURES, LIGATURES * 100, "after it"):
            assert await ann.ask(text)
        while (since := bot.log.last) and "Search index" in await ann.ask("/summary_status"):
            await bot.wait_for_log_line("every message is embedded", since=since)
    async with servers.run_bot(EMBEDDING_MODEL="local") as bot:
        assert await ann.ask("Are you still here?")
        status = await ann.ask("/summary_status")
        assert "words only" not in status
