"""Fill stores with invented messages, using the code that imports a history."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from benchmarks.invented import Clock, MessageGenerator
from external_memory import ExternalMemory
from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from text.tokenizer import Tokenizer
from transfer.archiver import CHUNK, Archiver, HistoryArchive

EVERY_N = 20  # turns until the bot folds
SUMMARY_TOKENS = 150
LAST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
MAX_FILL_TIME = timedelta(hours=6)  # for which a scope's lease is held


async def fill_storage(
    folder: Path, storage: StorageType, scopes: Sequence[Scope], count: int, *, database_url: str = ""
) -> None:
    """Store `count` invented messages in each scope, archived under a pyramid of summaries, and turn memory on.

    The messages go to the data directory `folder`, or to the tables at `database_url`. There, VACUUM ANALYZE updates
    the statistics, as autovacuum would do a few minutes after many inserts.
    """
    clock = Clock(now=LAST_DAY)
    async with ExternalMemory.open(folder, clock=clock, database_url=database_url) as memory:
        archiver = Archiver(
            home=memory.open_store, tokenizer=Tokenizer.for_model("invented"), text_budget=SUMMARY_TOKENS, clock=clock
        )
        for scope in scopes:
            await memory.configure(scope.owner, storage=storage, every_n=EVERY_N)
            async with memory.open_store(scope.owner) as store:
                first_id = await store.history.find_first_id_of_free_range(scope.owner, count)
                lease = await store.acquire_summary_lease(scope, "import", now=LAST_DAY, duration=MAX_FILL_TIME)
            if lease is None:
                raise RuntimeError(f"another process is folding {scope}")
            archive, messages = HistoryArchive(archiver, lease, scope), make_messages(scope, count, first_id)
            while chunk := list(islice(messages, CHUNK)):
                await archive.add_chunk(chunk)
            await archive.finish_by_merging_summaries()
            async with memory.open_store(scope.owner) as store:
                await store.release_summary_lease(lease)
    if database_url:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def create_empty_schema(url: str, name: str) -> str:
    """Create an empty schema, dropping an older one with the same name, and return its URL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    parts = urlsplit(url)
    query = {**dict(parse_qsl(parts.query)), "options": f"-csearch_path={name}", "application_name": name}
    return urlunsplit(parts._replace(query=urlencode(query, quote_via=quote)))


def make_messages(scope: Scope, count: int, first_id: int) -> Iterator[Message]:
    """Yield `count` messages of a scope, ten minutes apart, up to LAST_DAY."""
    for number, text in enumerate(make_texts(count)):
        is_answer = number % 2
        yield Message(
            id=first_id + number,
            scope=scope,
            turn=first_id + number - is_answer,
            role="assistant" if is_answer else "user",
            content=text,
            created_at=LAST_DAY - timedelta(minutes=10 * (count - 1 - number)),
            speaker="" if is_answer else "Nadia",
            source=f"filled:{number // 2}",
        )


def make_texts(count: int) -> Iterator[str]:
    """Yield the texts of `count` messages, alternating between user and assistant. They are the same at each call."""
    generator = MessageGenerator(seed=3)
    for number in range(count):
        yield generator.make_answer() if number % 2 else generator.make_question()
