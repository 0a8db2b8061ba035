"""Tests of PostgreSQL failures: the server dies and comes back, or cannot be reached at the start."""

import asyncio
import math
import os
import random

import psycopg
import pytest

from reliability.town import MessageLedger, SimulatedUsers
from tests.end_to_end.harness import LocalServers, Process
from tests.support.postgres_server import create_database, format_uri, own_server

NOTED = ("assistant", "Noted.")
UNTIL_IT_WAITS = """
SET statement_timeout = '60s';
DO $$ BEGIN
  WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'usage'::regclass AND NOT granted) LOOP
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$
"""
"""PL/pgSQL that returns once another session waits for a lock on the table."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_answers_continue_during_postgres_outage_and_are_stored_afterwards(servers: LocalServers) -> None:
    """The server is killed and restarted. Committed messages survive, and those sent meanwhile are stored once."""
    ann = servers.add_person()
    with own_server("killed") as server:
        async with servers.run_bot(DATABASE_URL=format_uri(server.url, password="hush-hush")) as process:
            await ann.set_up_memory("PostgreSQL")
            await ann.ask("Before")
            server.kill()
            since = ann.last_event
            assert await ann.ask("In need") == "Noted."
            await ann.wait_for_message("cannot write to my memory", since=since)
            assert "Before" in str(servers.list_chat_requests()[-1]), "it goes on from memory"
            server.start()
            await process.wait_for_log_line("that a store had not taken is written")
            await ann.ask("After", "Noted.")
            assert "PostgreSQL" in await ann.ask("/summary_status")
            assert "hush-hush" not in process.get_log_text()
        with psycopg.connect(server.url) as connection:
            said = connection.execute("SELECT role, content FROM messages ORDER BY id").fetchall()
    assert said == [(role, text) for text in ("Before", "In need", "After") for role, text in (("user", text), NOTED)]


async def test_killed_restore_leaves_nothing_in_postgres_and_can_be_repeated(
    servers: LocalServers, postgres_url: str
) -> None:
    """The process is killed inside the transaction, after it has written rows and before it commits."""
    ann, url = servers.add_person(), create_database(postgres_url, f"restored_{os.getpid()}")
    async with servers.run_bot(DATA_DIR="saved"):
        await ann.set_up_memory()
        await ann.ask("The kohlrabi is ripe")
    assert (await servers.run("--backup", "saved.zip", environ=servers.make_environ(DATA_DIR="saved"))).status == 0
    there = servers.make_environ(DATA_DIR="restored", DATABASE_URL=format_uri(url))
    assert (await servers.run("--check", environ=there)).status == 0, "now it has its tables"
    with psycopg.connect(url) as hand, psycopg.connect(url, autocommit=True) as eye:
        hand.execute("LOCK TABLE usage")
        process = Process(await servers.spawn("--restore", "saved.zip", environ=there))
        try:
            await asyncio.to_thread(eye.execute, UNTIL_IT_WAITS)
        except psycopg.errors.QueryCanceled:
            printed = "\n".join(entry["line"] for entry in process.out)
            pytest.fail(f"the restore never waited; over: {process.is_over}\n{printed}\n{process.get_log_text()}")
        finally:
            await process.kill()
    run = await servers.run("--restore", "saved.zip", environ=there)
    assert (run.status, "restored: 2 messages" in run.out) == (0, True), run
    with psycopg.connect(url) as connection:
        said = connection.execute("SELECT role, content FROM messages ORDER BY id").fetchall()
    assert said == [("user", "The kohlrabi is ripe"), NOTED]


@pytest.mark.parametrize("arguments", [(), ("--check",)])
async def test_unreachable_postgres_at_start_is_reported_in_one_line(
    servers: LocalServers, arguments: tuple[str, ...]
) -> None:
    url = "postgresql://me:hush-hush@127.0.0.1:9/memory"
    run = await servers.run(*arguments, environ=servers.make_environ(DATABASE_URL=url))
    said = f"{run.out}\n{run.err}"
    assert run.status == 1, "systemd tries again"
    [line] = [line for line in said.splitlines() if "DATABASE_URL" in line]
    assert "no PostgreSQL server answers" in line
    assert "hush-hush" not in said
    assert "Traceback" not in said


async def test_simulated_user_restarts_setup_after_storage_error(servers: LocalServers, postgres_url: str) -> None:
    """Seen in the replica test when the reply to a COMMIT was lost.

    The simulated users waited for two minutes and gave up.
    """
    ann, url = servers.add_person(), create_database(postgres_url, f"begun_again_{os.getpid()}")
    async with servers.run_bot(DATABASE_URL=format_uri(url)):
        rng = random.Random(1)  # noqa: S311 - not a secret
        people = SimulatedUsers(MessageLedger(servers.world), [ann], rng, move_share=0, step_timeout=math.inf)
        with psycopg.connect(url, autocommit=True) as hand:
            hand.execute("ALTER TABLE wizards RENAME TO hidden")
            since = ann.last_event
            setup = asyncio.create_task(people.set_up_with_storage("PostgreSQL"))
            await ann.wait_for_message("cannot be read or written", since=since)
            hand.execute("ALTER TABLE hidden RENAME TO wizards")
        await setup
        assert people.failed_setups > 0
        assert "PostgreSQL" in await ann.ask("/summary_status")
