"""Tests of the setup without user ids.

The bot prints a link, and the first person who opens it becomes the admin for good.
"""

import re

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_start import files

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_bot_claimed_by_setup_link_stays_claimed_after_kill(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    settings = {"DATA_DIR": "claimed", "ALLOWED_USER_IDS": "", "ADMIN_USER_IDS": "", "LOG_LEVEL": "INFO"}
    async with servers.run_bot(**settings) as process:
        line = await process.wait_for_output_line("https://t.me/")
        [token] = re.findall(rf"https://t\.me/{servers.world.bot['username']}\?start=(\S+)", line)
        assert token in await process.wait_for_log_line("https://t.me/")
        assert "only people whom its admin has let in" in await bob.ask(f"/start {token}x")
        await ann.ask(f"/start {token}", "its admin from now on")
        await ann.wait_for_message("a chat bot that remembers", since=0)
        assert "asked the admin for you" in await bob.ask(f"/start {token}")
        await ann.wait_for_message("would like to use", since=0)
        await process.kill()
    async with servers.run_bot(**settings) as process:
        assert "Noted." in await ann.ask("Hello")
        await ann.ask("/admin", "Memories:")
        assert "https://t.me/" not in process.get_log_text()
        assert all(token.encode() not in path.read_bytes() for path in files(servers.folder / "claimed"))
