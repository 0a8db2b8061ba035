"""What becomes of a memory when its PostgreSQL server fails: each fault is produced on a real server."""

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
from tests.contract.conftest import ANNA, NOW, fold, lease, made, said, talk
from tests.support.postgres_server import USER, address, new_database
from tests.support.postgres_wire import Wire, laid
from tests.unit.storage.test_postgres import opened

STOPS_WITHIN = 10
"""Seconds, by the contract; for ever, before there was a bound."""


@contextlib.asynccontextmanager
async def wired(url: str, folder: Path) -> AsyncIterator[tuple[PostgresStore, Wire]]:
    """A store behind a wire."""
    async with laid(address(url, folder)) as (behind, wire), opened(behind) as store:
        yield store, wire


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_message_whose_commit_was_cut_is_stored_once(tmp_path: Path, postgres_url: str, arrives: bool) -> None:
    """Nobody knows whether it was stored; it is stored again under the same update."""
    async with wired(postgres_url, tmp_path) as (store, wire):
        await store.append_messages(ANNA, [said("before", source="1:1")])
        wire.cuts, wire.arrives = True, arrives
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.append_messages(ANNA, [said("cut", source="1:2")])
        assert wire.cut == 1
        async with opened(address(postgres_url, tmp_path)) as other:
            assert [message.content for message in await other.timeline.read_page(ANNA)] == [
                "before",
                *(["cut"] if arrives else []),
            ]
        await store.append_messages(ANNA, [said("cut", source="1:2")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", "cut"]
        assert [hit.content for hit in await store.search_messages(ANNA, ["cut"], limit=9)] == ["cut"]


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_fold_whose_commit_was_cut_is_whole_or_not_at_all(
    tmp_path: Path, postgres_url: str, arrives: bool
) -> None:
    async with wired(postgres_url, tmp_path) as (store, wire):
        stored = await talk(store, ANNA, 2)
        held = await lease(store, ANNA)
        plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in stored), reason="now")
        wire.cuts, wire.arrives = True, arrives
        with pytest.raises(StorageError):
            await store.commit_summary(held, plan, made(), now=NOW)
        await store.record_summary_failure(held, "cut", now=NOW)
        active = {message.is_active for message in await store.timeline.read_page(ANNA)}
        assert (active, len(await store.list_summaries(ANNA))) == (({False}, 1) if arrives else ({True}, 0))
        assert (await store.find_summary_failure(ANNA) is None) is arrives
        if not arrives:
            await fold(store, ANNA, stored)


async def test_without_room_for_connections_nothing_is_lost(postgres_url: str) -> None:
    """One that is connected goes on; one that has to connect is told, after three seconds, and tries again."""
    name = f"crowded_{os.getpid()}"
    url = new_database(postgres_url, name)
    async with opened(url) as store:
        await store.append_messages(ANNA, [said("before")])
        limit(postgres_url, name, 0)
        await store.append_messages(ANNA, [said("connected already")])
        with pytest.raises(StorageError, match="no room for another connection"):
            async with open_postgres_database(url):
                pass
        end_connections(postgres_url, name)
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.append_messages(ANNA, [said("lost connection")])
        limit(postgres_url, name, -1)
        for _ in range(50):  # for two seconds it does not try again
            with contextlib.suppress(StorageError):
                await store.append_messages(ANNA, [said("there is room again")])
                break
            await asyncio.sleep(0.1)
        assert [message.content for message in await store.timeline.read_page(ANNA)] == [
            "before",
            "connected already",
            "there is room again",
        ]


async def test_who_finds_all_connections_taken_waits_for_one(tmp_path: Path, postgres_url: str) -> None:
    async with opened(address(postgres_url, tmp_path)) as store, contextlib.AsyncExitStack() as stack:
        for _ in range(MAX_CONNECTIONS):
            await stack.enter_async_context(store.database.open_reader(ANNA.owner))
        waiting = asyncio.create_task(store.append_messages(ANNA, [said("later")]))
        await asyncio.sleep(0)
        assert not waiting.done()
        await stack.aclose()
        assert [message.content for message in await waiting] == ["later"]


async def test_a_stop_waits_for_no_server_whose_machine_is_gone(tmp_path: Path, postgres_url: str) -> None:
    """What hears nothing waits for as long as the system's own limits are, which a stop has no time for."""
    async with laid(address(postgres_url, tmp_path)) as (url, wire), contextlib.AsyncExitStack() as stack:
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


async def test_on_a_read_only_server_reading_goes_on_and_the_next_connection_may_find_another(
    postgres_url: str,
) -> None:
    """After a failover a name may lead to a standby for a while."""
    name = f"standby_{os.getpid()}"
    url = new_database(postgres_url, name)
    async with opened(url) as store:
        await store.append_messages(ANNA, [said("before")])
        read_only(postgres_url, name, is_on=True)
        end_connections(postgres_url, name)
        with pytest.raises(StorageError, match="read-only"):
            await store.append_messages(ANNA, [said("refused")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before"]
        with pytest.raises(StorageError, match="read-only"):
            await store.append_messages(ANNA, [said("refused")])
        with pytest.raises(StorageError, match="read-only"):
            async with open_postgres_database(url, replica=Replica("here")):
                pass
        read_only(postgres_url, name, is_on=False)  # for connections that are made from now on
        with contextlib.suppress(StorageError):  # the pool may have replaced the last one already
            await store.append_messages(ANNA, [said("after", source="1:1")])
        await store.append_messages(ANNA, [said("after", source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", "after"]


def read_only(url: str, name: str, *, is_on: bool) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {'on' if is_on else 'off'}".encode())


@pytest.fixture
def small_disk(postgres_url: str) -> Iterator[tuple[str, Path]]:
    """A database in a tablespace on a disk of its own: its name and where the disk is."""
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


async def test_a_full_disk_of_the_server_refuses_whole_messages(small_disk: tuple[str, Path]) -> None:
    url, disk = small_disk
    async with opened(url) as store:
        await store.append_messages(ANNA, [said("before")])
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"\0" * 8192):
                pass
        long = os.urandom(40_000).hex()  # more than the free space of any page
        with pytest.raises(StorageError, match="PostgreSQL server has no space left on its disk"):
            await store.append_messages(ANNA, [said(long, source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before"]
        filler.unlink()
        await store.append_messages(ANNA, [said(long, source="1:1")])
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["before", long]
