"""A backup contains the memories of all stores and can be restored into any store, all or nothing."""

import asyncio
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from external_memory import ExternalMemory
from records.errors import SettingsError, StorageBusy, StorageCorrupt
from records.model_calls import Usage
from records.owners import KnownPerson, StorageType
from records.scopes import Scope
from storage.backup import BackupResult, RestoreResult, back_up, restore_backup_file
from storage.bot_state.inbox import ReceivedUpdate
from storage.engine.data_dir import LOCK_NAME
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.memory_store import MemoryStore
from storage.stores.postgres import PostgresStore, open_postgres_database
from tests.contract.conftest import NOW, append_turns, fold_messages, make_message
from tests.paths import ROOT
from tests.support.postgres_server import STRANGER, let_in, make_schema_address

OWNERS = {1: StorageType.SQLITE, 2: StorageType.JSON, -1003: StorageType.POSTGRES, 4: StorageType.POSTGRES}
WORDS = "naïve \0 ﷐ kohlrabi\u2028"
WAITING = '{"update_id": 7, "message": {"chat": {"id": -1003}, "from": {"id": 77}, "text": "unanswered"}}'


@asynccontextmanager
async def open_memory(folder: Path, url: str = "") -> AsyncIterator[ExternalMemory]:
    async with ExternalMemory.open(folder, clock=lambda: NOW, database_url=url) as memory:
        yield memory


async def say(memory: ExternalMemory, owner: int, text: str) -> None:
    async with memory.open_store_if_enabled(owner) as store:
        assert store is not None
        await store.append_messages(Scope(owner=owner), [make_message(text, source=text)])


async def compute_digests(memory: ExternalMemory) -> dict[int, str]:
    """Return the digest of each owner's memory and, under 0, the key that signs exports."""
    found = {0: (await memory.export_key()).decode()}
    for owner in OWNERS:
        async with memory.open_store(owner) as store:
            found[owner] = await store.compute_digest(owner)
            hits = await store.search_messages(Scope(owner=owner), ["kohlrabi"], limit=5)
            assert len(hits) == 1 + 2 * (not owner & 1)
    return found


@dataclass(frozen=True)
class StoppedBot:
    """A stopped bot's folder and database, with a digest of each memory and a backup. Tests must not change it."""

    data: Path
    url: str
    digests: Mapping[int, str]
    backup: Path
    messages: int


@pytest.fixture(scope="module")
def stopped_bot(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> StoppedBot:
    folder = tmp_path_factory.mktemp("made")
    url = make_schema_address(postgres_url, folder)
    before = asyncio.run(fill_memories(folder / "data", url))
    made = back_up(folder / "data", folder / "backup.gz", database_url=url)
    return StoppedBot(folder / "data", url, before, folder / "backup.gz", made.messages)


async def fill_memories(folder: Path, url: str) -> dict[int, str]:
    """Fill a memory with summaries in each store, add a pending update, and return the digest of each memory."""
    async with open_memory(folder, url) as memory:
        for owner, storage in OWNERS.items():
            await memory.configure(owner, storage=storage, every_n=5)
            async with memory.open_store_if_enabled(owner) as store:
                assert store is not None
                messages = await append_turns(store, Scope(owner=owner, thread=owner & 1), 2, WORDS)
                await fold_messages(store, Scope(owner=owner, thread=owner & 1), messages[:2])
                await store.append_messages(Scope(owner=owner), [make_message(WORDS)])
        used = {(77, "m"): Usage(prompt=5, completion=4, written=3), (77, "n"): Usage(completion=2)}
        await memory.usage.add_usage(NOW.date(), used)
        for number in (7, 6):
            await memory.inbox.store_and_get_new_ids(
                900, [ReceivedUpdate(number, WAITING, owner=-1003, person=77)], NOW
            )
        assert memory.shared_inbox
        await memory.shared_inbox.claim_updates(900, limit=9, now=NOW)
        await memory.inbox.mark_updates_done(900, [6], NOW)
        return await compute_digests(memory)


@pytest.fixture
def new_database_url(postgres_url: str, tmp_path: Path) -> str:
    """Return the URL of a schema that has no tables yet."""
    return make_schema_address(postgres_url, tmp_path / "other")


async def back_up_in_thread(folder: Path, file: Path, url: str) -> int:
    return (await asyncio.to_thread(back_up, folder, file, database_url=url)).messages


async def restore_in_thread(file: Path, folder: Path, url: str = "") -> RestoreResult:
    return await asyncio.to_thread(restore_backup_file, file, folder, database_url=url)


def read_files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


async def is_empty(url: str) -> bool:
    def asked() -> bool:
        with psycopg.connect(url) as connection:
            counts = [
                connection.execute(f"SELECT COUNT(*) FROM {table}".encode()).fetchone()  # noqa: S608
                for table in ("users", "messages", "updates", "usage", "leases")
            ]
        return counts == [(0,)] * 5

    return await asyncio.to_thread(asked)


async def test_backup_moves_all_memories_into_server_and_back_into_files(
    stopped_bot: StoppedBot, tmp_path: Path, new_database_url: str
) -> None:
    done = await restore_in_thread(stopped_bot.backup, tmp_path / "there", new_database_url)
    assert (stopped_bot.messages, done.messages, done.aside) == (20, 20, None)
    async with open_memory(tmp_path / "there", new_database_url) as memory:
        assert await compute_digests(memory) == stopped_bot.digests
        assert {(await memory.get_config(owner)).storage for owner in OWNERS} == {StorageType.POSTGRES}  # type: ignore[union-attr]
        assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {
            77: Usage(prompt=5, completion=6, written=3)
        }
        work = memory.shared_inbox
        assert work is not None
        assert [update.payload for update in await work.former.list_pending_updates(900)] == [WAITING], (
            "where a start takes it from"
        )
    assert await back_up_in_thread(tmp_path / "there", tmp_path / "second.gz", new_database_url) == stopped_bot.messages
    assert (await restore_in_thread(tmp_path / "second.gz", tmp_path / "back")).messages == stopped_bot.messages
    async with open_memory(tmp_path / "back") as memory:
        assert await compute_digests(memory) == stopped_bot.digests
        assert [update.payload for update in await memory.inbox.list_pending_updates(900)] == [WAITING]
        assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {
            77: Usage(prompt=5, completion=6, written=3)
        }


async def test_backup_and_restore_work_under_row_level_security(
    stopped_bot: StoppedBot, tmp_path: Path, postgres_url: str, new_database_url: str
) -> None:
    """Row-level security applies, because this database user does not own the tables."""
    async with open_postgres_database(new_database_url):
        pass
    let_in(postgres_url, tmp_path / "other")
    outside = make_schema_address(postgres_url, tmp_path / "other", user=STRANGER)
    assert (await restore_in_thread(stopped_bot.backup, tmp_path / "there", outside)).messages == stopped_bot.messages
    assert await back_up_in_thread(tmp_path / "there", tmp_path / "second.gz", outside) == stopped_bot.messages
    assert (await restore_in_thread(tmp_path / "second.gz", tmp_path / "back")).messages == stopped_bot.messages
    for folder, url in (("there", outside), ("back", "")):
        async with open_memory(tmp_path / folder, url) as memory:
            assert await compute_digests(memory) == stopped_bot.digests


async def test_restore_without_server_moves_server_memories_into_files(stopped_bot: StoppedBot, tmp_path: Path) -> None:
    await restore_in_thread(stopped_bot.backup, tmp_path / "there")
    async with open_memory(tmp_path / "there") as memory:
        assert await compute_digests(memory) == stopped_bot.digests
        homes = {owner: (await memory.get_config(owner)).storage for owner in OWNERS}  # type: ignore[union-attr]
    files = {owner: kind if kind is not StorageType.POSTGRES else StorageType.SQLITE for owner, kind in OWNERS.items()}
    assert homes == files
    assert await back_up_in_thread(tmp_path / "there", tmp_path / "files.gz", "") == stopped_bot.messages


async def test_backup_of_running_bot_contains_acknowledged_messages(tmp_path: Path, new_database_url: str) -> None:
    async with open_memory(tmp_path / "data", new_database_url) as memory:
        await memory.configure(4, storage=StorageType.POSTGRES, every_n=5)
        acknowledged = await append_messages_while(
            memory, back_up_in_thread(tmp_path / "data", tmp_path / "first.gz", new_database_url), 0
        )
        await append_messages_while(
            memory, back_up_in_thread(tmp_path / "data", tmp_path / "second.gz", new_database_url), acknowledged
        )
    await restore_in_thread(tmp_path / "second.gz", tmp_path / "there")
    async with open_memory(tmp_path / "there") as there, there.open_store(4) as store:
        found = [message.content for message in await store.timeline.read_page(Scope(owner=4), limit=10_000)]
    assert len(found) >= acknowledged > 0
    assert found == [f"said {number}" for number in range(len(found))]


async def append_messages_while(memory: ExternalMemory, work: Awaitable[object], number: int) -> int:
    """Append numbered messages until `work` is done. Return the number that follows the last one."""
    doing = asyncio.ensure_future(work)
    while not doing.done():
        await say(memory, 4, f"said {number}")
        number += 1
    await doing
    return number


async def test_backup_contains_memory_once_when_move_was_interrupted(stopped_bot: StoppedBot, tmp_path: Path) -> None:
    """The process died after the memory was copied to the server but before it was erased from the files."""
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, stopped_bot.data, data)
    async with (
        open_postgres_database(stopped_bot.url) as server,
        Database.open(data / "memory.db", migrations=MIGRATIONS) as database,
    ):
        await MemoryStore(database, StorageType.SQLITE).load_owner(4, PostgresStore(server).dump_owner(4))
        async with database.open_transaction() as tx:
            await tx.execute("UPDATE messages SET speaker = 'an earlier name' WHERE user_id = 4")
            await tx.execute("INSERT INTO moves VALUES (4, 'sqlite', 'postgres', 'erasing', '')")
    await back_up_in_thread(data, tmp_path / "backup.gz", stopped_bot.url)
    await restore_in_thread(tmp_path / "backup.gz", tmp_path / "there")
    async with open_memory(tmp_path / "there") as memory:
        assert await compute_digests(memory) == stopped_bot.digests


async def test_restore_never_overwrites_memories(
    stopped_bot: StoppedBot, tmp_path: Path, new_database_url: str
) -> None:
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, stopped_bot.data, data)
    before = read_files(data)
    with pytest.raises(SettingsError, match="DATABASE_URL: names a database that holds 2 memories"):
        await restore_in_thread(stopped_bot.backup, data, stopped_bot.url)
    assert read_files(data) == before
    async with open_memory(tmp_path / "running", new_database_url):
        with pytest.raises(StorageBusy):
            await restore_in_thread(stopped_bot.backup, data, new_database_url)
    assert read_files(data) == before
    done = await restore_in_thread(stopped_bot.backup, data, new_database_url)
    assert done.aside is not None
    assert (done.aside / "memory.db").read_bytes() == before["memory.db"]


KILLED_BEFORE_THE_EXCHANGE = """
import os, signal, sys
from pathlib import Path
from storage import backup
from storage.engine import data_dir
data_dir.replace_folder_and_get_old = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
backup.restore_backup_file(Path(sys.argv[1]), Path(sys.argv[2]), database_url=sys.argv[3])
"""


async def test_restore_killed_midway_blocks_start_until_repeated(
    stopped_bot: StoppedBot, tmp_path: Path, postgres_url: str, new_database_url: str
) -> None:
    """The server had all memories, but the folder still had old files, which /forget would not have changed."""
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, stopped_bot.data, data)
    before = read_files(data)
    command = [sys.executable, "-c", KILLED_BEFORE_THE_EXCHANGE, str(stopped_bot.backup), str(data), new_database_url]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    assert await process.wait() == -signal.SIGKILL
    assert not await is_empty(new_database_url)
    for url in (new_database_url, ""):
        with pytest.raises(SettingsError, match=r"was interrupted\. Run it again, into a new database"):
            async with open_memory(data, url):
                pass
    new = make_schema_address(postgres_url, tmp_path / "new")
    done = await restore_in_thread(stopped_bot.backup, data, new)
    assert done.aside is not None
    assert (done.aside / "memory.db").read_bytes() == before["memory.db"]
    async with open_memory(data, new) as memory:
        assert await compute_digests(memory) == stopped_bot.digests
        assert memory.shared_inbox
        assert [one.payload for one in await memory.shared_inbox.former.list_pending_updates(900)] == [WAITING]


async def test_access_and_usage_survive_switch_to_server(tmp_path: Path, new_database_url: str) -> None:
    """The bot once forgot its admin and made the next person the admin."""
    ann = KnownPerson(id=77, standing="admin", name="Ann", language="en")
    async with open_memory(tmp_path / "data") as memory:
        await memory.people.try_to_set_status(ann, admin_id=77, now=NOW)
        await memory.usage.add_usage(NOW.date(), {(77, "m"): Usage(prompt=5)})
        key = await memory.export_key()
    for url in (new_database_url, new_database_url, ""):  # without a server, too: it may have been a trial
        async with open_memory(tmp_path / "data", url) as memory:
            assert memory.people.get_access_status(77) == "admin"
            assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {77: Usage(prompt=5)}
            assert await memory.export_key() == key


async def test_earlier_start_with_server_does_not_block_restore(
    stopped_bot: StoppedBot, tmp_path: Path, new_database_url: str
) -> None:
    """A start with --check once registered the file memories on the server, which then counted as not empty."""
    await restore_in_thread(stopped_bot.backup, tmp_path / "data")
    async with open_memory(tmp_path / "data", new_database_url):
        pass
    assert (
        await restore_in_thread(stopped_bot.backup, tmp_path / "data", new_database_url)
    ).messages == stopped_bot.messages
    async with open_memory(tmp_path / "data", new_database_url) as memory:
        assert await compute_digests(memory) == stopped_bot.digests


async def test_damaged_backup_leaves_server_empty(
    stopped_bot: StoppedBot, tmp_path: Path, new_database_url: str
) -> None:
    """The damage is at the end of the file, so it is found after everything has been written."""
    (tmp_path / "bad.gz").write_bytes(stopped_bot.backup.read_bytes()[:-4])
    with pytest.raises(StorageCorrupt):
        await restore_in_thread(tmp_path / "bad.gz", tmp_path / "there", new_database_url)
    assert await is_empty(new_database_url)
    assert list(read_files(tmp_path / "there")) == [LOCK_NAME]
    assert (
        await restore_in_thread(stopped_bot.backup, tmp_path / "there", new_database_url)
    ).messages == stopped_bot.messages


async def test_backs_up_server_alone_without_data_folder(stopped_bot: StoppedBot, tmp_path: Path) -> None:
    """The backup runs on a machine without the bot's files, and counts the memories that it cannot reach."""
    assert await asyncio.to_thread(
        back_up, tmp_path / "nowhere", tmp_path / "backup.gz", database_url=stopped_bot.url
    ) == BackupResult(messages=10, elsewhere=2)
    await restore_in_thread(tmp_path / "backup.gz", tmp_path / "there")
    async with open_memory(tmp_path / "there") as memory, memory.open_store(4) as store:
        assert (await store.count_messages_and_summaries(Scope(owner=4))).total == 5
    assert not (tmp_path / "nowhere").exists()


def test_backup_and_restore_commands_report_count_and_location(
    stopped_bot: StoppedBot,
    tmp_path: Path,
    new_database_url: str,
    capsys: pytest.CaptureFixture[str],
    run_here: Callable[..., int],
) -> None:
    def status(*arguments: str, url: str = "", folder: Path = stopped_bot.data) -> int:
        given = conninfo_to_dict(url)
        query = urlencode({name: given[name] for name in ("host", "options")}, quote_via=quote) if url else ""
        uri = f"postgresql://{given['user']}@/{given['dbname']}?{query}" if url else ""
        return run_here(arguments, {"DATA_DIR": str(folder), "DATABASE_URL": uri})

    assert status("--backup", str(tmp_path / "all.gz"), url=stopped_bot.url) == 0
    assert capsys.readouterr().out.startswith(f"backup: 20 messages are in {tmp_path}/all.gz;")
    assert status("--backup", str(tmp_path / "files.gz")) == 0
    assert "not in it: 2 memories kept in PostgreSQL; set DATABASE_URL" in capsys.readouterr().out
    assert status("--restore", str(tmp_path / "all.gz"), url=stopped_bot.url, folder=tmp_path / "there") == 2
    assert "Restore into a new one" in capsys.readouterr().err
    assert status("--restore", str(tmp_path / "all.gz"), url=new_database_url, folder=tmp_path / "there") == 0
    assert capsys.readouterr().out.endswith(" are in the database that DATABASE_URL names\n")


OLDER = Path(__file__).parent.parent / "support" / "backups"
"""Backups made by earlier schema versions: an owner in SQLite and one in JSON, each with a pinned fact and a fold."""


@pytest.mark.parametrize("store", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])
@pytest.mark.parametrize("name", ["schema-2.gz", "schema-3.gz"])
async def test_restores_and_migrates_backup_of_older_schema(
    name: str, store: StorageType, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("new_database_url") if store is StorageType.POSTGRES else ""
    owner = 2 if store is StorageType.JSON else 1
    assert (await restore_in_thread(OLDER / name, tmp_path / "there", url)).messages == 8
    async with open_memory(tmp_path / "there", url) as memory, memory.open_store(owner) as home:
        assert home.kind == store
        assert len(await home.search_messages(Scope(owner=owner), ["kohlrabi"], limit=5)) == 2
        [fact] = await home.facts.list_valid_facts(owner)
        assert fact.is_pinned
        assert fact.decided_at is not None, "a step of the database set it"
    again = await back_up_in_thread(tmp_path / "there", tmp_path / "again.gz", url)
    assert again == 8
