"""A bot is set up without ids: the start prints a link, and whoever opens it is the admin, also after kill -9."""

import re

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_start import files

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_bot_is_claimed_by_its_link_and_stays_so(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    settings = {"DATA_DIR": "claimed", "ALLOWED_USER_IDS": "", "ADMIN_USER_IDS": "", "LOG_LEVEL": "INFO"}
    async with house.bot(**settings) as process:
        line = await process.printed("https://t.me/")
        [token] = re.findall(rf"https://t\.me/{house.world.bot['username']}\?start=(\S+)", line)
        assert token in await process.logged("https://t.me/")
        assert "only people whom its admin has let in" in await bob.asks(f"/start {token}x")
        await ann.asks(f"/start {token}", "its admin from now on")
        await ann.hears("a chat bot that remembers", since=0)
        assert "asked the admin for you" in await bob.asks(f"/start {token}")
        await ann.hears("would like to use", since=0)
        await process.kill()
    async with house.bot(**settings) as process:
        assert "Noted." in await ann.asks("Hello")
        await ann.asks("/admin", "Memories:")
        assert "https://t.me/" not in process.text()
        assert all(token.encode() not in path.read_bytes() for path in files(house.folder / "claimed"))
