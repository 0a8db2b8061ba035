"""Behaviour when the PostgreSQL server fails. Each fault is produced on a real server."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from external_memory import ExternalMemory
from records.errors import StorageError
from records.owners import StorageType
from records.summaries import SummaryPlan
from storage.engine.postgres import MAX_CONNECTIONS
from storage.engine.replica import Replica
from storage.stores.postgres import PostgresStore, open_postgres_database
from tests.contract.conftest import ANNA, NOW, acquire_lease, append_turns, fold_messages, make_message, make_summary
from tests.support.postgres_server import USER, create_database, make_schema_address
from tests.support.postgres_wire import Wire, lay_wire
from tests.unit.storage.test_postgres import open_postgres_store

STOPS_WITHIN = 10
"""Maximum seconds until a stop completes. Without a bound, it once waited for ever."""


@contextlib.asynccontextmanager
async def wired(url: str, folder: Path) -> AsyncIterator[tuple[PostgresStore, Wire]]:
    """Open a store whose connections pass through a proxy that can cut or silence them."""
    async with lay_wire(make_schema_address(url, folder)) as (behind, wire), open_postgres_store(behind) as store:
        yield store, wire


@pytest.mark.parametrize("arrives", [True, False])
async def test_message_with_interrupted_commit_is_stored_once(tmp_path: Path, postgres_url: str, arrives: bool) -> None:
    """The client cannot know if the commit succeeded, so it stores the message again under the same update id."""
    async with wired(postgres_url, tmp_path) as (store, wire):
        await store.append_messages(ANNA, [make_message("before", source="1:1")])
        wire.cuts, wire.arrives = True, arrives
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.append_messages(ANNA, [make_message("cut", source="1:2")])
        assert wire.cut == 1
        async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as other:
            assert [message.content for message in await other.timeline.read_page(ANNA)] == [
                "before",
                *(["cut"] if arrives else []),
            ]
        await store.append_messages(ANNA, [make_message("cut", source="1:2")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", "cut"]
        assert [hit.content for hit in await store.search_messages(ANNA, ["cut"], limit=9)] == ["cut"]


@pytest.mark.parametrize("arrives", [True, False])
async def test_fold_with_interrupted_commit_is_complete_or_absent(
    tmp_path: Path, postgres_url: str, arrives: bool
) -> None:
    async with wired(postgres_url, tmp_path) as (store, wire):
        stored = await append_turns(store, ANNA, 2)
        held = await acquire_lease(store, ANNA)
        plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in stored), reason="now")
        wire.cuts, wire.arrives = True, arrives
        with pytest.raises(StorageError):
            await store.commit_summary(held, plan, make_summary(), now=NOW)
        await store.record_summary_failure(held, "cut", now=NOW)
        active = {message.is_active for message in await store.timeline.read_page(ANNA)}
        assert (active, len(await store.list_summaries(ANNA))) == (({False}, 1) if arrives else ({True}, 0))
        assert (await store.find_summary_failure(ANNA) is None) is arrives
        if not arrives:
            await fold_messages(store, ANNA, stored)


async def test_server_connection_limit_loses_no_acknowledged_message(postgres_url: str) -> None:
    """Existing connections keep working. A new one fails after three seconds and is retried."""
    name = f"crowded_{os.getpid()}"
    url = create_database(postgres_url, name)
    async with open_postgres_store(url) as store:
        await store.append_messages(ANNA, [make_message("before")])
        limit(postgres_url, name, 0)
        await store.append_messages(ANNA, [make_message("connected already")])
        with pytest.raises(StorageError, match="no room for another connection"):
            async with open_postgres_database(url):
                pass
        end_connections(postgres_url, name)
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.append_messages(ANNA, [make_message("lost connection")])
        limit(postgres_url, name, -1)
        for _ in range(50):  # for two seconds it does not try again
            with contextlib.suppress(StorageError):
                await store.append_messages(ANNA, [make_message("there is room again")])
                break
            await asyncio.sleep(0.1)
        assert [message.content for message in await store.timeline.read_page(ANNA)] == [
            "before",
            "connected already",
            "there is room again",
        ]


async def test_request_waits_for_free_pool_connection(tmp_path: Path, postgres_url: str) -> None:
    async with (
        open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store,
        contextlib.AsyncExitStack() as stack,
    ):
        for _ in range(MAX_CONNECTIONS):
            await stack.enter_async_context(store.database.open_reader(ANNA.owner))
        waiting = asyncio.create_task(store.append_messages(ANNA, [make_message("later")]))
        await asyncio.sleep(0)
        assert not waiting.done()
        await stack.aclose()
        assert [message.content for message in await waiting] == ["later"]


async def test_stop_does_not_wait_for_silent_server(tmp_path: Path, postgres_url: str) -> None:
    """Without a reply, a socket waits for the system's own timeouts, which are too long for a shutdown."""
    async with (
        lay_wire(make_schema_address(postgres_url, tmp_path)) as (url, wire),
        contextlib.AsyncExitStack() as stack,
    ):
        memory = await stack.enter_async_context(
            ExternalMemory.open(tmp_path / "data", clock=lambda: NOW, database_url=url)
        )
        await memory.configure(ANNA.owner, storage=StorageType.POSTGRES, every_n=3)
        wire.is_silent = True
        waiting = asyncio.create_task(memory.set_enabled(ANNA.owner, enabled=False))
        await wire.swallowed.wait()
        async with asyncio.timeout(STOPS_WITHIN):
            memory.set_shutdown_deadline(time.monotonic())
            with pytest.raises(StorageError, match="cannot be reached"):
                await waiting
            await stack.aclose()


def limit(url: str, name: str, connections: int) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute(f"ALTER DATABASE {name} CONNECTION LIMIT {connections}".encode())


def end_connections(url: str, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,))


async def test_read_only_server_serves_reads_until_writable_again(postgres_url: str) -> None:
    """After a failover, the host name may point to a read-only standby for a while."""
    name = f"standby_{os.getpid()}"
    url = create_database(postgres_url, name)
    async with open_postgres_store(url) as store:
        await store.append_messages(ANNA, [make_message("before")])
        read_only(postgres_url, name, is_on=True)
        end_connections(postgres_url, name)
        with pytest.raises(StorageError, match="read-only"):
            await store.append_messages(ANNA, [make_message("refused")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before"]
        with pytest.raises(StorageError, match="read-only"):
            await store.append_messages(ANNA, [make_message("refused")])
        with pytest.raises(StorageError, match="read-only"):
            async with open_postgres_database(url, replica=Replica("here")):
                pass
        read_only(postgres_url, name, is_on=False)  # for connections that are made from now on
        with contextlib.suppress(StorageError):  # the pool may have replaced the last one already
            await store.append_messages(ANNA, [make_message("after", source="1:1")])
        await store.append_messages(ANNA, [make_message("after", source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", "after"]


async def test_read_only_server_keeps_no_connections_of_refused_writes(postgres_url: str, tmp_path: Path) -> None:
    """A write checks its lease with a lock on the row, which a read-only server refuses before the write begins."""
    name = f"refusing_{os.getpid()}"
    url = create_database(postgres_url, name)
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW, database_url=url) as memory:
        await memory.configure(ANNA.owner, storage=StorageType.POSTGRES, every_n=3)
        read_only(postgres_url, name, is_on=True)
        end_connections(postgres_url, name)
        for _ in range(MAX_CONNECTIONS + 1):
            with pytest.raises(StorageError, match="read-only"):
                await memory.set_enabled(ANNA.owner, enabled=False)


def read_only(url: str, name: str, *, is_on: bool) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {'on' if is_on else 'off'}".encode())


@pytest.fixture
def small_disk(postgres_url: str) -> Iterator[tuple[str, Path]]:
    """Create a database in a tablespace on a disk of 24 MB, and yield its URL and the disk's path."""
    with psycopg.connect(postgres_url) as raw:
        [data] = raw.execute("SHOW data_directory").fetchone() or ("",)
    here = Path(tempfile.mkdtemp(prefix="keepsake-disk-"))
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", here], check=False).returncode
    ):
        here.rmdir()
        pytest.skip("this machine does not let us mount a small disk")
    name = f"small_{os.getpid()}"
    try:
        space = here / "space"
        space.mkdir()
        here.chmod(0o755)
        shutil.chown(space, Path(data).owner(), Path(data).group())
        with psycopg.connect(postgres_url, autocommit=True) as raw:
            raw.execute(f"CREATE TABLESPACE {name} OWNER {USER} LOCATION '{space}'".encode())
            raw.execute(f"CREATE DATABASE {name} OWNER {USER} TABLESPACE {name}".encode())
        yield make_conninfo(postgres_url, user=USER, dbname=name), here
        with psycopg.connect(postgres_url, autocommit=True) as raw:
            raw.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            raw.execute(f"DROP TABLESPACE {name}".encode())
    finally:
        subprocess.run(["umount", "--lazy", here], check=True)
        here.rmdir()


async def test_full_server_disk_rejects_whole_message(small_disk: tuple[str, Path]) -> None:
    url, disk = small_disk
    async with open_postgres_store(url) as store:
        await store.append_messages(ANNA, [make_message("before")])
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"\0" * 8192):
                pass
        long = os.urandom(40_000).hex()  # more than the free space of any page
        with pytest.raises(StorageError, match="PostgreSQL server has no space left on its disk"):
            await store.append_messages(ANNA, [make_message(long, source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before"]
        filler.unlink()
        await store.append_messages(ANNA, [make_message(long, source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", long]
