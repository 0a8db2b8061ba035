"""A PostgreSQL server that goes away while the bot runs, and comes back; one that is not there at the start."""

import asyncio
import math
import os
import random

import psycopg
import pytest

from reliability.town import MessageLedger, SimulatedUsers
from tests.end_to_end.harness import LocalServers, Process
from tests.support.postgres_server import as_uri, new_database, own_server

NOTED = ("assistant", "Noted.")
UNTIL_IT_WAITS = """
SET statement_timeout = '60s';
DO $$ BEGIN
  WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'usage'::regclass AND NOT granted) LOOP
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$
"""
"""The server itself waits until somebody waits for that table."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_while_the_server_is_gone_answers_go_on_and_are_written_when_it_is_back(house: LocalServers) -> None:
    """Killed, and started again: what it had committed is there, and what came meanwhile, once."""
    ann = house.person()
    with own_server("killed") as server:
        async with house.bot(DATABASE_URL=as_uri(server.url, password="hush-hush")) as process:
            await ann.sets_up("PostgreSQL")
            await ann.asks("Before")
            server.kill()
            since = ann.now
            assert await ann.asks("In need") == "Noted."
            await ann.hears("cannot write to my memory", since=since)
            assert "Before" in str(house.chat_requests()[-1]), "it goes on from memory"
            server.start()
            await process.logged("that a store had not taken is written")
            await ann.asks("After", "Noted.")
            assert "PostgreSQL" in await ann.asks("/summary_status")
            assert "hush-hush" not in process.text()
        with psycopg.connect(server.url) as connection:
            said = connection.execute("SELECT role, content FROM messages ORDER BY id").fetchall()
    assert said == [(role, text) for text in ("Before", "In need", "After") for role, text in (("user", text), NOTED)]


async def test_a_restore_that_is_killed_leaves_nothing_and_can_be_repeated(
    house: LocalServers, postgres_url: str
) -> None:
    """In the middle of its transaction, with all memories written and not yet committed."""
    ann, url = house.person(), new_database(postgres_url, f"restored_{os.getpid()}")
    async with house.bot(DATA_DIR="saved"):
        await ann.sets_up()
        await ann.asks("The kohlrabi is ripe")
    assert (await house.run("--backup", "saved.zip", environ=house.environ(DATA_DIR="saved"))).status == 0
    there = house.environ(DATA_DIR="restored", DATABASE_URL=as_uri(url))
    assert (await house.run("--check", environ=there)).status == 0, "now it has its tables"
    with psycopg.connect(url) as hand, psycopg.connect(url, autocommit=True) as eye:
        hand.execute("LOCK TABLE usage")
        process = Process(await house.spawn("--restore", "saved.zip", environ=there))
        await asyncio.to_thread(eye.execute, UNTIL_IT_WAITS)
        await process.kill()
    run = await house.run("--restore", "saved.zip", environ=there)
    assert (run.status, "restored: 2 messages" in run.out) == (0, True), run
    with psycopg.connect(url) as connection:
        said = connection.execute("SELECT role, content FROM messages ORDER BY id").fetchall()
    assert said == [("user", "The kohlrabi is ripe"), NOTED]


@pytest.mark.parametrize("arguments", [(), ("--check",)])
async def test_a_server_that_is_not_there_at_the_start_is_one_sentence(
    house: LocalServers, arguments: tuple[str, ...]
) -> None:
    url = "postgresql://me:hush-hush@127.0.0.1:9/memory"
    run = await house.run(*arguments, environ=house.environ(DATABASE_URL=url))
    said = f"{run.out}\n{run.err}"
    assert run.status == 1, "systemd tries again"
    [line] = [line for line in said.splitlines() if "DATABASE_URL" in line]
    assert "no PostgreSQL server answers" in line
    assert "hush-hush" not in said
    assert "Traceback" not in said


async def test_a_simulated_person_who_is_told_of_an_error_begins_the_setup_again(
    house: LocalServers, postgres_url: str
) -> None:
    """As the replica test's people do when the reply to a COMMIT is lost. They waited for two minutes, and gave up."""
    ann, url = house.person(), new_database(postgres_url, f"begun_again_{os.getpid()}")
    async with house.bot(DATABASE_URL=as_uri(url)):
        rng = random.Random(1)  # noqa: S311 - not a secret
        people = SimulatedUsers(MessageLedger(house.world), [ann], rng, move_share=0, step_timeout=math.inf)
        with psycopg.connect(url, autocommit=True) as hand:
            hand.execute("ALTER TABLE wizards RENAME TO hidden")
            since = ann.now
            setup = asyncio.create_task(people.set_up_with_storage("PostgreSQL"))
            await ann.hears("cannot be read or written", since=since)
            hand.execute("ALTER TABLE hidden RENAME TO wizards")
        await setup
        assert people.failed_setups > 0
        assert "PostgreSQL" in await ann.asks("/summary_status")
