"""Several processes serve one bot on one PostgreSQL database: killed one after another, stopped across processes."""

import asyncio
import os
import re
import signal
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx
import psycopg
import pytest

from tests.end_to_end.harness import ANSWERS, HANGS, PATIENCE, LocalServers, Member, Process
from tests.end_to_end.visitors import Page
from tests.peers.openai_server import Behaviour
from tests.peers.ports import kept_port
from tests.support.http import NO_CERTIFICATES
from tests.support.postgres_server import as_uri, new_database
from tests.support.postgres_wire import laid

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORD = re.compile(r"\bw[0-9]+w\b")


def newest_word(messages: Sequence[Mapping[str, str]]) -> str:
    return f"I heard {WORD.findall(messages[-1]['content'])[-1]}."


async def started(house: LocalServers, url: str, name: str, **settings: str) -> Process:
    """One of several processes; `house.bot` allows only one."""
    environ = house.environ(DATABASE_URL=url, DATA_DIR=f"replica-{name}", **settings)
    process = Process(await house.spawn(environ=environ))
    await process.logged("ready")
    return process


async def talk(member: Member, words: list[str], stopping: asyncio.Event) -> None:
    """Messages in ones and twos; each is waited for."""
    while not stopping.is_set():
        new = [f"w{member.id}00{len(words) + place}w" for place in range(1 + len(words) % 2)]
        since = member.now
        for word in new:
            words.append(word)
            member.says(f"Please note {word}")
        for word in new:
            await member.hears(f"heard {word}", since=since)


async def test_three_processes_are_killed_one_after_another_and_nothing_is_lost(
    own_house: LocalServers, postgres_url: str
) -> None:
    own_house.model.default(ANSWERS, newest_word)
    url = as_uri(address := new_database(postgres_url, f"replicas_{os.getpid()}"))
    running = {name: await started(own_house, url, name) for name in "abc"}
    people = [own_house.person() for _ in range(4)]
    said: dict[int, list[str]] = {person.id: [] for person in people}
    stopping = asyncio.Event()
    try:
        await asyncio.gather(*(person.sets_up("PostgreSQL", every_n=5) for person in people))
        talking = [asyncio.create_task(talk(person, said[person.id], stopping)) for person in people]
        # The first, which fetches the updates, stays dead: the others have to find out.
        await running["a"].kill()
        told = [asyncio.create_task(running[name].logged("fetches the updates of all")) for name in "bc"]
        done, others = await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        assert done
        for other in others:
            other.cancel()
        # The others are started again at once, as a supervisor does it.
        for name in "bc":
            since = own_house.world.feed.last
            await running[name].kill()
            running[name] = await started(own_house, url, name)
            await asyncio.gather(*(person.hears("I heard", since=since) for person in people))
        stopping.set()
        await asyncio.gather(*talking)
        for name in "bc":
            assert await running[name].terminate() == 0
    finally:
        for process in running.values():
            await process.kill()
    with psycopg.connect(address) as connection:
        for person in people:
            rows = connection.execute(
                "SELECT role, content FROM messages WHERE user_id = %s ORDER BY id", (person.id,)
            ).fetchall()
            for role in ("user", "assistant"):
                stored = [word for who, text in rows if who == role for word in WORD.findall(text)]
                assert stored == said[person.id], (person.id, role)
        assert connection.execute("SELECT COUNT(*) FROM updates WHERE done_at IS NULL").fetchone() == (0,)
        assert connection.execute("SELECT COUNT(*) FROM leases WHERE replica_id IS NOT NULL").fetchone() == (0,)
    for process in running.values():
        assert "Traceback" not in process.text(), process.text()


async def test_stop_reaches_the_process_that_answers(own_house: LocalServers, postgres_url: str) -> None:
    """The question comes in by one process's webhook, /stop by another's."""
    url, ann = as_uri(new_database(postgres_url, f"stopped_{os.getpid()}")), own_house.person()
    with kept_port() as first, kept_port() as second:
        hooks = [
            {"WEBHOOK_URL": f"http://127.0.0.1:{port}/hook", "WEBHOOK_LISTEN": f"127.0.0.1:{port}"}
            for port in (first, second)
        ]
        held = own_house.model.held
        answers = await started(own_house, url, "answers", **hooks[0])
        receives: Process | None = None
        try:
            own_house.model.default(ANSWERS, newest_word)
            own_house.model.script(ANSWERS, HANGS)
            ann.says("A question that takes long: w1w")
            await own_house.model.until_held(held + 1)
            receives = await started(own_house, url, "receives", **hooks[1])
            await ann.asks("/stop", "Stopped")
            assert await ann.asks("And now w2w") == "I heard w2w."
        finally:
            for process in (answers, receives):
                assert process is None or await process.terminate() == 0


async def test_a_message_whose_claim_was_committed_without_a_reply_is_answered(
    own_house: LocalServers, postgres_url: str
) -> None:
    """Nobody writes again, and no other process takes over."""
    own_house.model.default(ANSWERS, newest_word)
    ann = own_house.person()
    async with (
        laid(address := new_database(postgres_url, f"claimed_{os.getpid()}")) as (behind, wire),
        own_house.bot(DATABASE_URL=as_uri(behind)) as bot,
    ):
        await ann.sets_up("PostgreSQL")
        wire.cuts_given = b"w1w"  # the claim is what hands a message out
        assert await ann.asks("Please note w1w") == "I heard w1w."
        assert wire.cut == 1
        await bot.logged("Updates cannot be claimed")
    with psycopg.connect(address) as connection:
        stored = connection.execute("SELECT content FROM messages WHERE content LIKE '%%w1w%%' ORDER BY id").fetchall()
        assert stored == [("Please note w1w",), ("I heard w1w.",)]


async def test_a_process_that_was_paused_while_it_streamed_is_silent_when_it_wakes(
    own_house: LocalServers, postgres_url: str
) -> None:
    url, ann = as_uri(new_database(postgres_url, f"paused_{os.getpid()}")), own_house.person()
    there = ann.within(own_house.group(ann, admins=[ann]))
    half, whole = "This is only the first half of an answer", "This is the whole answer, and nothing follows."
    paused = await started(own_house, url, "paused", REPLY_STREAMING="auto")
    other: Process | None = None
    try:
        await there.sets_up("PostgreSQL")
        own_house.model.script(ANSWERS, Behaviour(text=f"{half} that never ends.", hold="middle"))
        since = there.now
        there.says("@keepsake_bot, tell me something long")
        await there.hears(half[:12], since=since)
        os.kill(paused.pid, signal.SIGSTOP)
        other = await started(own_house, url, "other", REPLY_STREAMING="auto")
        own_house.model.script(ANSWERS, whole)
        # With its buttons: a preview of it may come first.
        await there.hears(lambda message: whole in message["text"] and "Regenerate" in str(message), since=since)
        before = dict(own_house.world.messages[there.chat_id])
        await own_house.model.release()
        os.kill(paused.pid, signal.SIGCONT)
        await paused.logged("another process serves it now")
        assert await there.asks("@keepsake_bot, and now?") == "Noted."
        after = own_house.world.messages[there.chat_id]
        assert {number: after[number] for number in before} == before
        assert not [message for message in after.values() if "broken off" in str(message.get("text"))]
    finally:
        for process in (paused, other):
            assert process is None or await process.terminate() == 0


async def test_the_page_of_any_process_shows_and_changes_a_memory_that_another_serves(
    own_house: LocalServers, postgres_url: str
) -> None:
    url, ann = as_uri(new_database(postgres_url, f"pages_{os.getpid()}")), own_house.person()
    async with AsyncExitStack() as stack:
        pages: list[Page] = []
        for name in "ab":
            address = f"127.0.0.1:{stack.enter_context(kept_port())}"
            process = await started(own_house, url, name, DASHBOARD_URL=f"http://{address}", DASHBOARD_LISTEN=address)
            stack.push_async_callback(process.terminate)
            client = httpx.AsyncClient(
                base_url=f"http://{address}", trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES
            )
            pages.append(Page(client=await stack.enter_async_context(client)))
        await ann.sets_up("PostgreSQL")
        first = await pages[0].asked(ann)
        visitors = [replace(first, page=page) for page in pages]
        for number, visitor in enumerate(visitors * 2):
            await visitor.posts("facts/add", text=f"Ann has {number + 2} boats.")
            assert len((await visitor.gets("facts"))["facts"]) == number + 1
            assert "Noted." in await ann.asks(f"Message {number}")
            assert (await visitor.gets("home"))["counts"]["total"] == 2 * (number + 1)
        # While one of them answers, the page of the other says so.
        held = own_house.model.held
        own_house.model.script(ANSWERS, HANGS)
        ann.says("A question that takes long")
        await own_house.model.until_held(held + 1)
        answers = [
            await visitor.request("POST", "facts/add", json={"owner": ann.id, "text": "Late."}) for visitor in visitors
        ]
        assert sorted(answer.status_code for answer in answers) == [200, 503]
        assert all("busy" in answer.json()["error"] for answer in answers if answer.status_code == 503)
        await own_house.model.release()
