"""A used-up daily token budget is answered with a sentence and without a model call, also after a restart."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("setting", ["DAILY_TOKEN_BUDGET_PER_USER", "DAILY_TOKEN_BUDGET"])
async def test_model_is_not_called_after_token_budget_is_used_up(servers: LocalServers, setting: str) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    settings = {"DATA_DIR": setting.lower(), setting: "30"}
    async with servers.run_bot(**settings):
        await ann.set_up_memory()
        assert await ann.ask("I keep quokkas, and they like the garden.") == "Noted."
        asked = len(servers.model.requests)
        refused = await ann.ask("And now?")
        assert "The next one begins in" in refused
        assert "Your message is kept." in refused
        assert len(servers.model.requests) == asked
        is_for_all = setting == "DAILY_TOKEN_BUDGET"
        assert ("The next one begins in" in await bob.ask("Hello, I am somebody else.")) == is_for_all
    asked = len(servers.model.requests)
    async with servers.run_bot(**settings):
        assert "The next one begins in" in await ann.ask("Still not?")
        assert "The next one begins in" in await ann.ask("/summary_now")
        assert "Total messages: 4" in await ann.ask("/summary_status")
    assert len(servers.model.requests) == asked
