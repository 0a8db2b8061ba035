"""The day's token budgets, seen from a chat: a sentence instead of a model call, also after a restart."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("setting", ["DAILY_TOKEN_BUDGET_PER_USER", "DAILY_TOKEN_BUDGET"])
async def test_over_the_budget_the_model_is_not_asked(house: LocalServers, setting: str) -> None:
    ann, bob = house.person(), house.person("Bob")
    settings = {"DATA_DIR": setting.lower(), setting: "30"}
    async with house.bot(**settings):
        await ann.sets_up()
        assert await ann.asks("I keep quokkas, and they like the garden.") == "Noted."
        asked = len(house.model.requests)
        refused = await ann.asks("And now?")
        assert "The next one begins in" in refused
        assert "Your message is kept." in refused
        assert len(house.model.requests) == asked
        is_for_all = setting == "DAILY_TOKEN_BUDGET"
        assert ("The next one begins in" in await bob.asks("Hello, I am somebody else.")) == is_for_all
    asked = len(house.model.requests)
    async with house.bot(**settings):
        assert "The next one begins in" in await ann.asks("Still not?")
        assert "The next one begins in" in await ann.asks("/summary_now")
        assert "Total messages: 4" in await ann.asks("/summary_status")
    assert len(house.model.requests) == asked
