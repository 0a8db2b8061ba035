"""A stranger whom an admin lets in by button stays admitted after kill -9."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_stranger_admitted_by_admin_stays_admitted_after_kill(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    settings = {"DATA_DIR": "admitted", "ALLOWED_USER_IDS": "", "ADMIN_USER_IDS": str(ann.id)}
    async with servers.run_bot(**settings) as process:
        await ann.ask("Hello")  # a bot writes to nobody who has not written to it
        since = ann.last_event
        for words in ("May I?", "Please!"):
            assert f"asked the admin for you (Telegram id {bob.id})" in await bob.ask(words)
        request = await ann.wait_for_message("would like to use me", since=since)
        assert "“May I?”" in request["text"]
        since = bob.last_event
        ann.press_button(request, "Allow")
        await bob.wait_for_message("You have been let in", since=since)
        await process.kill()
    async with servers.run_bot(**settings):
        assert "Noted." in await bob.ask("Hello")
