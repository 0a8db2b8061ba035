"""What the other tests rely on: one bot at a time in a house, and no bot that outlives the tests that started it."""

import asyncio
import os
import select

import pytest

from tests.end_to_end.harness import LocalServers
from tests.support.forking import Forked

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_second_bot_in_a_house_is_refused(house: LocalServers) -> None:
    """It would take some of the first one's updates, and answer others a second time."""
    async with house.bot():
        with pytest.raises(AssertionError, match="serves this house already"):
            async with house.bot(DATA_DIR="second"):
                pass
        assert await house.person().asks("Hello") == "Noted."
    async with house.bot(DATA_DIR="second"):
        pass


async def test_what_was_not_heard_says_whether_the_bot_is_over(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot() as process:
        with pytest.raises(AssertionError, match=r"(?s)the bot runs; its log ends with:.*ready"):
            await ann.hears("anything", since=ann.now, timeout=0)
        await process.kill()
        with pytest.raises(AssertionError, match="the bot is over"):
            await ann.hears("anything", since=ann.now, timeout=0)


async def test_a_forked_run_ends_with_who_started_it(house: LocalServers) -> None:
    """Otherwise it would poll its Telegram's address for ever: that of another test, some day, with the same token."""
    run = await house.spawn(environ=house.environ())
    if not isinstance(run, Forked):
        pytest.skip("runs are forked on Linux only")
    is_over = os.pidfd_open(run.pid)
    run.abandon()
    assert (await asyncio.to_thread(select.select, [is_over], [], [], 60))[0]
    os.close(is_over)
