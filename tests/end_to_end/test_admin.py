"""A stranger is let in by an admin's button, and stays so after kill -9."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_stranger_is_let_in_by_a_button_and_stays_so(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    settings = {"DATA_DIR": "admitted", "ALLOWED_USER_IDS": "", "ADMIN_USER_IDS": str(ann.id)}
    async with house.bot(**settings) as process:
        await ann.asks("Hello")  # a bot writes to nobody who has not written to it
        since = ann.now
        for words in ("May I?", "Please!"):
            assert f"asked the admin for you (Telegram id {bob.id})" in await bob.asks(words)
        request = await ann.hears("would like to use me", since=since)
        assert "“May I?”" in request["text"]
        since = bob.now
        ann.press(request, "Allow")
        await bob.hears("You have been let in", since=since)
        await process.kill()
    async with house.bot(**settings):
        assert "Noted." in await bob.asks("Hello")
