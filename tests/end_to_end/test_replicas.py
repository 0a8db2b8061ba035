"""Tests of several processes that serve one bot on one PostgreSQL database: kills, /stop and lost replies."""

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
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES
from tests.support.postgres_server import create_database, format_uri
from tests.support.postgres_wire import lay_wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORD = re.compile(r"\bw[0-9]+w\b")


def newest_word(messages: Sequence[Mapping[str, str]]) -> str:
    return f"I heard {WORD.findall(messages[-1]['content'])[-1]}."


async def start_replica(servers: LocalServers, url: str, name: str, **settings: str) -> Process:
    """Start one of several processes of the same bot, which `servers.run_bot` does not allow."""
    environ = servers.make_environ(DATABASE_URL=url, DATA_DIR=f"replica-{name}", **settings)
    process = Process(await servers.spawn(environ=environ))
    await process.wait_for_log_line("ready")
    return process


async def talk(member: Member, words: list[str], stopping: asyncio.Event) -> None:
    """Send one or two messages at a time and wait for each answer, until `stopping` is set."""
    while not stopping.is_set():
        new = [f"w{member.id}00{len(words) + place}w" for place in range(1 + len(words) % 2)]
        since = member.last_event
        for word in new:
            words.append(word)
            member.say(f"Please note {word}")
        for word in new:
            await member.wait_for_message(f"heard {word}", since=since)


async def test_killing_replicas_one_after_another_loses_no_messages(
    own_servers: LocalServers, postgres_url: str
) -> None:
    own_servers.model.set_default_answer(ANSWERS, newest_word)
    url = format_uri(address := create_database(postgres_url, f"replicas_{os.getpid()}"))
    running = {name: await start_replica(own_servers, url, name) for name in "abc"}
    people = [own_servers.add_person() for _ in range(4)]
    said: dict[int, list[str]] = {person.id: [] for person in people}
    stopping = asyncio.Event()
    try:
        await asyncio.gather(*(person.set_up_memory("PostgreSQL", every_n=5) for person in people))
        talking = [asyncio.create_task(talk(person, said[person.id], stopping)) for person in people]
        # The first, which fetches the updates, stays dead: the others have to find out.
        await running["a"].kill()
        told = [asyncio.create_task(running[name].wait_for_log_line("fetches the updates of all")) for name in "bc"]
        done, others = await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        assert done
        for other in others:
            other.cancel()
        # The others are started again at once, as a supervisor does it.
        for name in "bc":
            since = own_servers.world.feed.last
            await running[name].kill()
            running[name] = await start_replica(own_servers, url, name)
            await asyncio.gather(*(person.wait_for_message("I heard", since=since) for person in people))
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
        assert "Traceback" not in process.get_log_text(), process.get_log_text()


async def test_stop_reaches_replica_that_is_answering(own_servers: LocalServers, postgres_url: str) -> None:
    """The question arrives at one replica's webhook, and /stop at another's."""
    url, ann = format_uri(create_database(postgres_url, f"stopped_{os.getpid()}")), own_servers.add_person()
    with reserve_port() as first, reserve_port() as second:
        hooks = [
            {"WEBHOOK_URL": f"http://127.0.0.1:{port}/hook", "WEBHOOK_LISTEN": f"127.0.0.1:{port}"}
            for port in (first, second)
        ]
        held = own_servers.model.hold_count
        answers = await start_replica(own_servers, url, "answers", **hooks[0])
        receives: Process | None = None
        try:
            own_servers.model.set_default_answer(ANSWERS, newest_word)
            own_servers.model.script(ANSWERS, HANGS)
            ann.say("A question that takes long: w1w")
            await own_servers.model.wait_until_held(held + 1)
            receives = await start_replica(own_servers, url, "receives", **hooks[1])
            await ann.ask("/stop", "Stopped")
            assert await ann.ask("And now w2w") == "I heard w2w."
        finally:
            for process in (answers, receives):
                assert process is None or await process.terminate() == 0


async def test_message_is_answered_when_reply_to_claim_commit_is_lost(
    own_servers: LocalServers, postgres_url: str
) -> None:
    """The bot must claim it again by itself: no other message arrives, and no other replica takes over."""
    own_servers.model.set_default_answer(ANSWERS, newest_word)
    ann = own_servers.add_person()
    async with (
        lay_wire(address := create_database(postgres_url, f"claimed_{os.getpid()}")) as (behind, wire),
        own_servers.run_bot(DATABASE_URL=format_uri(behind)) as bot,
    ):
        await ann.set_up_memory("PostgreSQL")
        wire.cuts_given = b"w1w"  # the claim is what hands a message out
        assert await ann.ask("Please note w1w") == "I heard w1w."
        assert wire.cut == 1
        await bot.wait_for_log_line("Updates cannot be claimed")
    with psycopg.connect(address) as connection:
        stored = connection.execute("SELECT content FROM messages WHERE content LIKE '%%w1w%%' ORDER BY id").fetchall()
        assert stored == [("Please note w1w",), ("I heard w1w.",)]


async def test_replica_paused_while_streaming_stays_silent_after_resuming(
    own_servers: LocalServers, postgres_url: str
) -> None:
    url, ann = format_uri(create_database(postgres_url, f"paused_{os.getpid()}")), own_servers.add_person()
    there = ann.with_chat(own_servers.add_group(ann, admins=[ann]))
    half, whole = "This is only the first half of an answer", "This is the whole answer, and nothing follows."
    paused = await start_replica(own_servers, url, "paused", REPLY_STREAMING="auto")
    other: Process | None = None
    try:
        await there.set_up_memory("PostgreSQL")
        own_servers.model.script(ANSWERS, Behaviour(text=f"{half} that never ends.", hold="middle"))
        since = there.last_event
        there.say("@keepsake_bot, tell me something long")
        await there.wait_for_message(half[:12], since=since)
        os.kill(paused.pid, signal.SIGSTOP)
        other = await start_replica(own_servers, url, "other", REPLY_STREAMING="auto")
        own_servers.model.script(ANSWERS, whole)
        # With its buttons: a preview of it may come first.
        await there.wait_for_message(
            lambda message: whole in message["text"] and "Regenerate" in str(message), since=since
        )
        before = dict(own_servers.world.messages[there.chat_id])
        await own_servers.model.release()
        os.kill(paused.pid, signal.SIGCONT)
        await paused.wait_for_log_line("left to another process or run")
        assert await there.ask("@keepsake_bot, and now?") == "Noted."
        after = own_servers.world.messages[there.chat_id]
        assert {number: after[number] for number in before} == before
        assert not [message for message in after.values() if "broken off" in str(message.get("text"))]
    finally:
        for process in (paused, other):
            assert process is None or await process.terminate() == 0


async def test_dashboard_of_every_replica_reads_and_changes_memory(
    own_servers: LocalServers, postgres_url: str
) -> None:
    url, ann = format_uri(create_database(postgres_url, f"pages_{os.getpid()}")), own_servers.add_person()
    async with AsyncExitStack() as stack:
        pages: list[Page] = []
        for name in "ab":
            address = f"127.0.0.1:{stack.enter_context(reserve_port())}"
            process = await start_replica(
                own_servers, url, name, DASHBOARD_URL=f"http://{address}", DASHBOARD_LISTEN=address
            )
            stack.push_async_callback(process.terminate)
            client = httpx.AsyncClient(
                base_url=f"http://{address}", trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES
            )
            pages.append(Page(client=await stack.enter_async_context(client)))
        await ann.set_up_memory("PostgreSQL")
        first = await pages[0].open_session_by_link(ann)
        visitors = [replace(first, page=page) for page in pages]
        for number, visitor in enumerate(visitors * 2):
            await visitor.post("facts/add", text=f"Ann has {number + 2} boats.")
            assert len((await visitor.get("facts"))["facts"]) == number + 1
            assert "Noted." in await ann.ask(f"Message {number}")
            assert (await visitor.get("home"))["counts"]["total"] == 2 * (number + 1)
        # While one of them answers, the page of the other says so.
        held = own_servers.model.hold_count
        own_servers.model.script(ANSWERS, HANGS)
        ann.say("A question that takes long")
        await own_servers.model.wait_until_held(held + 1)
        answers = [
            await visitor.request("POST", "facts/add", json={"owner": ann.id, "text": "Late."}) for visitor in visitors
        ]
        assert sorted(answer.status_code for answer in answers) == [200, 503]
        assert all("busy" in answer.json()["error"] for answer in answers if answer.status_code == 503)
        await own_servers.model.release()
