"""Tests of the harness: one bot per set of servers, and no bot that outlives its tests."""

import asyncio
import os
import select

import pytest

from tests.end_to_end.harness import LocalServers
from tests.support.forking import ForkedProcess

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_second_bot_on_same_servers_is_refused(servers: LocalServers) -> None:
    """A second bot would take some of the first bot's updates and answer others a second time."""
    async with servers.run_bot():
        with pytest.raises(AssertionError, match="runs on these servers already"):
            async with servers.run_bot(DATA_DIR="second"):
                pass
        assert await servers.add_person().ask("Hello") == "Noted."
    async with servers.run_bot(DATA_DIR="second"):
        pass


async def test_failed_wait_reports_whether_bot_is_running(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot() as process:
        with pytest.raises(AssertionError, match=r"(?s)the bot runs; its log ends with:.*ready"):
            await ann.wait_for_message("anything", since=ann.last_event, timeout=0)
        await process.kill()
        with pytest.raises(AssertionError, match="the bot is over"):
            await ann.wait_for_message("anything", since=ann.last_event, timeout=0)


async def test_abandoned_forked_bot_is_terminated(servers: LocalServers) -> None:
    """An abandoned bot would keep polling its address, which another test's server may get later."""
    run = await servers.spawn(environ=servers.make_environ())
    if not isinstance(run, ForkedProcess):
        pytest.skip("runs are forked on Linux only")
    is_over = os.pidfd_open(run.pid)
    run.abandon()
    assert (await asyncio.to_thread(select.select, [is_over], [], [], 60))[0]
    os.close(is_over)
