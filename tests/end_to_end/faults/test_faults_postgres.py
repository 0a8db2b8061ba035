"""A PostgreSQL server that goes away while the bot runs, and comes back; one that is not there at the start."""

import os

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.end_to_end.harness import House
from tests.support.postgres_server import close_database, new_database, open_database

pytestmark = pytest.mark.asyncio(loop_scope="module")


def as_uri(conninfo: str) -> str:
    parts = conninfo_to_dict(conninfo)
    return f"postgresql://{parts['user']}:hush-hush@/{parts['dbname']}?host={parts['host']}"


async def test_while_the_server_is_gone_answers_go_on_and_are_written_when_it_is_back(
    house: House, postgres_url: str
) -> None:
    ann, name = house.person(), f"gone_{os.getpid()}"
    address = new_database(postgres_url, name)
    async with house.bot(DATABASE_URL=as_uri(address)) as process:
        await ann.sets_up("PostgreSQL")
        await ann.asks("Before")
        close_database(postgres_url, name)
        since = ann.now
        assert await ann.asks("In need") == "Noted."
        await ann.hears("cannot write to my memory", since=since)
        assert "Before" in str(house.chat_requests()[-1]), "it goes on from memory"
        open_database(postgres_url, name)
        await process.logged("that a store had not taken is written")
        await ann.asks("After", "Noted.")
        assert "PostgreSQL" in await ann.asks("/summary_status")
        assert "hush-hush" not in process.text()
    with psycopg.connect(address) as connection:
        said = connection.execute("SELECT content FROM messages WHERE role = 'user' ORDER BY id").fetchall()
    assert said == [("Before",), ("In need",), ("After",)]


@pytest.mark.parametrize("arguments", [(), ("--check",)])
async def test_a_server_that_is_not_there_at_the_start_is_one_sentence(
    house: House, arguments: tuple[str, ...]
) -> None:
    url = "postgresql://me:hush-hush@127.0.0.1:9/memory"
    run = await house.run(*arguments, environ=house.environ(DATABASE_URL=url))
    said = f"{run.out}\n{run.err}"
    assert run.status == 2
    [line] = [line for line in said.splitlines() if "DATABASE_URL" in line]
    assert "no PostgreSQL server answers" in line
    assert "hush-hush" not in said
    assert "Traceback" not in said
