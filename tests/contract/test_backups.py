"""A backup holds all memories, in whichever store, and goes back into any: whole or not at all."""

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
from storage.stores.memory_store import SqliteStore
from storage.stores.postgres import PostgresStore, open_postgres_database
from tests.contract.conftest import NOW, fold, said, talk
from tests.paths import ROOT
from tests.support.postgres_server import STRANGER, address, let_in

OWNERS = {1: StorageType.SQLITE, 2: StorageType.JSON, -1003: StorageType.POSTGRES, 4: StorageType.POSTGRES}
WORDS = "naïve \0 ﷐ kohlrabi\u2028"
WAITING = '{"update_id": 7, "message": {"chat": {"id": -1003}, "from": {"id": 77}, "text": "unanswered"}}'


@asynccontextmanager
async def remembering(folder: Path, url: str = "") -> AsyncIterator[ExternalMemory]:
    async with ExternalMemory.open(folder, clock=lambda: NOW, database_url=url) as memory:
        yield memory


async def say(memory: ExternalMemory, owner: int, text: str) -> None:
    async with memory.open_store_if_enabled(owner) as store:
        assert store is not None
        await store.append_messages(Scope(owner=owner), [said(text, source=text)])


async def digests(memory: ExternalMemory) -> dict[int, str]:
    """Of each memory all that moves with it; under 0, the key that signs exports."""
    found = {0: (await memory.export_key()).decode()}
    for owner in OWNERS:
        async with memory.open_store(owner) as store:
            found[owner] = await store.compute_digest(owner)
            hits = await store.search_messages(Scope(owner=owner), ["kohlrabi"], limit=5)
            assert len(hits) == 1 + 2 * (not owner & 1)
    return found


@dataclass(frozen=True)
class Made:
    """The folder and the tables of a stopped bot, what each memory holds, and a backup of all. Nobody changes it."""

    data: Path
    url: str
    digests: Mapping[int, str]
    backup: Path
    messages: int


@pytest.fixture(scope="module")
def made(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    url = address(postgres_url, folder)
    before = asyncio.run(filled(folder / "data", url))
    made = back_up(folder / "data", folder / "backup.gz", database_url=url)
    return Made(folder / "data", url, before, folder / "backup.gz", made.messages)


async def filled(folder: Path, url: str) -> dict[int, str]:
    """A memory in each store, with summaries, and an update that waits; what each memory holds."""
    async with remembering(folder, url) as memory:
        for owner, storage in OWNERS.items():
            await memory.configure(owner, storage=storage, every_n=5)
            async with memory.open_store_if_enabled(owner) as store:
                assert store is not None
                messages = await talk(store, Scope(owner=owner, thread=owner & 1), 2, WORDS)
                await fold(store, Scope(owner=owner, thread=owner & 1), messages[:2])
                await store.append_messages(Scope(owner=owner), [said(WORDS)])
        used = {(77, "m"): Usage(prompt=5, completion=4, written=3), (77, "n"): Usage(completion=2)}
        await memory.usage.add_usage(NOW.date(), used)
        for number in (7, 6):
            await memory.inbox.store_and_get_new_ids(
                900, [ReceivedUpdate(number, WAITING, owner=-1003, person=77)], NOW
            )
        assert memory.shared_work
        await memory.shared_work.claim_updates(900, limit=9, now=NOW)
        await memory.inbox.mark_updates_done(900, [6], NOW)
        return await digests(memory)


@pytest.fixture
def other(postgres_url: str, tmp_path: Path) -> str:
    """The address of tables that are not made yet."""
    return address(postgres_url, tmp_path / "other")


async def backed_up(folder: Path, file: Path, url: str) -> int:
    return (await asyncio.to_thread(back_up, folder, file, database_url=url)).messages


async def restored(file: Path, folder: Path, url: str = "") -> RestoreResult:
    return await asyncio.to_thread(restore_backup_file, file, folder, database_url=url)


def contents(folder: Path) -> dict[str, bytes]:
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


async def test_all_memories_go_into_the_server_and_from_there_into_files(
    made: Made, tmp_path: Path, other: str
) -> None:
    done = await restored(made.backup, tmp_path / "there", other)
    assert (made.messages, done.messages, done.aside) == (20, 20, None)
    async with remembering(tmp_path / "there", other) as memory:
        assert await digests(memory) == made.digests
        assert {(await memory.get_config(owner)).storage for owner in OWNERS} == {StorageType.POSTGRES}  # type: ignore[union-attr]
        assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {
            77: Usage(prompt=5, completion=6, written=3)
        }
        work = memory.shared_work
        assert work is not None
        assert [update.payload for update in await work.former.list_pending_updates(900)] == [WAITING], (
            "where a start takes it from"
        )
    assert await backed_up(tmp_path / "there", tmp_path / "second.gz", other) == made.messages
    assert (await restored(tmp_path / "second.gz", tmp_path / "back")).messages == made.messages
    async with remembering(tmp_path / "back") as memory:
        assert await digests(memory) == made.digests
        assert [update.payload for update in await memory.inbox.list_pending_updates(900)] == [WAITING]
        assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {
            77: Usage(prompt=5, completion=6, written=3)
        }


async def test_behind_the_wall_between_owners_all_is_saved_and_put_back(
    made: Made, tmp_path: Path, postgres_url: str, other: str
) -> None:
    """By a user that does not own the tables, which hide from it what it does not ask for."""
    async with open_postgres_database(other):
        pass
    let_in(postgres_url, tmp_path / "other")
    outside = address(postgres_url, tmp_path / "other", user=STRANGER)
    assert (await restored(made.backup, tmp_path / "there", outside)).messages == made.messages
    assert await backed_up(tmp_path / "there", tmp_path / "second.gz", outside) == made.messages
    assert (await restored(tmp_path / "second.gz", tmp_path / "back")).messages == made.messages
    for folder, url in (("there", outside), ("back", "")):
        async with remembering(tmp_path / folder, url) as memory:
            assert await digests(memory) == made.digests


async def test_memories_in_files_stay_where_they_were_and_the_servers_join_them(made: Made, tmp_path: Path) -> None:
    await restored(made.backup, tmp_path / "there")
    async with remembering(tmp_path / "there") as memory:
        assert await digests(memory) == made.digests
        homes = {owner: (await memory.get_config(owner)).storage for owner in OWNERS}  # type: ignore[union-attr]
    files = {owner: kind if kind is not StorageType.POSTGRES else StorageType.SQLITE for owner, kind in OWNERS.items()}
    assert homes == files
    assert await backed_up(tmp_path / "there", tmp_path / "files.gz", "") == made.messages


async def test_what_was_acknowledged_is_in_the_backup_of_a_running_bot(tmp_path: Path, other: str) -> None:
    async with remembering(tmp_path / "data", other) as memory:
        await memory.configure(4, storage=StorageType.POSTGRES, every_n=5)
        acknowledged = await said_while(memory, backed_up(tmp_path / "data", tmp_path / "first.gz", other), 0)
        await said_while(memory, backed_up(tmp_path / "data", tmp_path / "second.gz", other), acknowledged)
    await restored(tmp_path / "second.gz", tmp_path / "there")
    async with remembering(tmp_path / "there") as there, there.open_store(4) as store:
        found = [message.content for message in await store.timeline.read_page(Scope(owner=4), limit=10_000)]
    assert len(found) >= acknowledged > 0
    assert found == [f"said {number}" for number in range(len(found))]


async def said_while(memory: ExternalMemory, work: Awaitable[object], number: int) -> int:
    """Say one thing after the other, from a number on, while something is done; the number after the last."""
    doing = asyncio.ensure_future(work)
    while not doing.done():
        await say(memory, 4, f"said {number}")
        number += 1
    await doing
    return number


async def test_a_memory_on_its_way_to_the_server_is_there_once(made: Made, tmp_path: Path) -> None:
    """The process died when it had arrived and was still in the files."""
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, made.data, data)
    async with (
        open_postgres_database(made.url) as server,
        Database.open(data / "memory.db", migrations=MIGRATIONS) as database,
    ):
        await SqliteStore(database).load_owner(4, PostgresStore(server).dump_owner(4))
        async with database.open_transaction() as tx:
            await tx.execute("UPDATE messages SET speaker = 'an earlier name' WHERE user_id = 4")
            await tx.execute("INSERT INTO moves VALUES (4, 'sqlite', 'postgres', 'erasing', '')")
    await backed_up(data, tmp_path / "backup.gz", made.url)
    await restored(tmp_path / "backup.gz", tmp_path / "there")
    async with remembering(tmp_path / "there") as memory:
        assert await digests(memory) == made.digests


async def test_no_memory_is_ever_overwritten(made: Made, tmp_path: Path, other: str) -> None:
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, made.data, data)
    before = contents(data)
    with pytest.raises(SettingsError, match="DATABASE_URL: names a database that holds 2 memories"):
        await restored(made.backup, data, made.url)
    assert contents(data) == before
    async with remembering(tmp_path / "running", other):
        with pytest.raises(StorageBusy):
            await restored(made.backup, data, other)
    assert contents(data) == before
    done = await restored(made.backup, data, other)
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


async def test_a_restore_that_is_killed_between_the_server_and_the_folder_is_never_served_half(
    made: Made, tmp_path: Path, postgres_url: str, other: str
) -> None:
    """The server had all memories, and the folder still the old files, which no /forget would have reached."""
    data = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, made.data, data)
    before = contents(data)
    command = [sys.executable, "-c", KILLED_BEFORE_THE_EXCHANGE, str(made.backup), str(data), other]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    assert await process.wait() == -signal.SIGKILL
    assert not await is_empty(other)
    for url in (other, ""):
        with pytest.raises(SettingsError, match=r"was interrupted\. Run it again, into a new database"):
            async with remembering(data, url):
                pass
    new = address(postgres_url, tmp_path / "new")
    done = await restored(made.backup, data, new)
    assert done.aside is not None
    assert (done.aside / "memory.db").read_bytes() == before["memory.db"]
    async with remembering(data, new) as memory:
        assert await digests(memory) == made.digests
        assert memory.shared_work
        assert [one.payload for one in await memory.shared_work.former.list_pending_updates(900)] == [WAITING]


async def test_who_was_let_in_is_known_after_the_first_start_with_a_server(tmp_path: Path, other: str) -> None:
    """The bot had no admin any more, and offered itself to whoever came first."""
    ann = KnownPerson(id=77, standing="admin", name="Ann", language="en")
    async with remembering(tmp_path / "data") as memory:
        await memory.people.try_to_set_status(ann, admin_id=77, now=NOW)
        await memory.usage.add_usage(NOW.date(), {(77, "m"): Usage(prompt=5)})
        key = await memory.export_key()
    for url in (other, other, ""):  # without a server, too: it may have been a trial
        async with remembering(tmp_path / "data", url) as memory:
            assert memory.people.get_access_status(77) == "admin"
            assert await memory.usage.read_usage_of_day_by_spender(NOW.date()) == {77: Usage(prompt=5)}
            assert await memory.export_key() == key


async def test_a_start_with_the_server_before_everybody_moves_there_is_no_obstacle(
    made: Made, tmp_path: Path, other: str
) -> None:
    """--check, which tests the connection, listed the memories in files, and they counted as the server's."""
    await restored(made.backup, tmp_path / "data")
    async with remembering(tmp_path / "data", other):
        pass
    assert (await restored(made.backup, tmp_path / "data", other)).messages == made.messages
    async with remembering(tmp_path / "data", other) as memory:
        assert await digests(memory) == made.digests


async def test_a_damaged_backup_leaves_the_server_empty(made: Made, tmp_path: Path, other: str) -> None:
    """As late as can be: everything is written when the damage is found."""
    (tmp_path / "bad.gz").write_bytes(made.backup.read_bytes()[:-4])
    with pytest.raises(StorageCorrupt):
        await restored(tmp_path / "bad.gz", tmp_path / "there", other)
    assert await is_empty(other)
    assert list(contents(tmp_path / "there")) == [LOCK_NAME]
    assert (await restored(made.backup, tmp_path / "there", other)).messages == made.messages


async def test_without_a_folder_the_server_alone_is_backed_up(made: Made, tmp_path: Path) -> None:
    """From another machine than the bot's; it says what it cannot reach."""
    assert await asyncio.to_thread(
        back_up, tmp_path / "nowhere", tmp_path / "backup.gz", database_url=made.url
    ) == BackupResult(messages=10, elsewhere=2)
    await restored(tmp_path / "backup.gz", tmp_path / "there")
    async with remembering(tmp_path / "there") as memory, memory.open_store(4) as store:
        assert (await store.count_messages_and_summaries(Scope(owner=4))).total == 5
    assert not (tmp_path / "nowhere").exists()


def test_the_commands_say_what_was_saved_and_where_it_went(
    made: Made, tmp_path: Path, other: str, capsys: pytest.CaptureFixture[str], run_here: Callable[..., int]
) -> None:
    def status(*arguments: str, url: str = "", folder: Path = made.data) -> int:
        given = conninfo_to_dict(url)
        query = urlencode({name: given[name] for name in ("host", "options")}, quote_via=quote) if url else ""
        uri = f"postgresql://{given['user']}@/{given['dbname']}?{query}" if url else ""
        return run_here(arguments, {"DATA_DIR": str(folder), "DATABASE_URL": uri})

    assert status("--backup", str(tmp_path / "all.gz"), url=made.url) == 0
    assert capsys.readouterr().out.startswith(f"backup: 20 messages are in {tmp_path}/all.gz;")
    assert status("--backup", str(tmp_path / "files.gz")) == 0
    assert "not in it: 2 memories kept in PostgreSQL; set DATABASE_URL" in capsys.readouterr().out
    assert status("--restore", str(tmp_path / "all.gz"), url=made.url, folder=tmp_path / "there") == 2
    assert "Restore into a new one" in capsys.readouterr().err
    assert status("--restore", str(tmp_path / "all.gz"), url=other, folder=tmp_path / "there") == 0
    assert capsys.readouterr().out.endswith(" are in the database that DATABASE_URL names\n")


OLDER = Path(__file__).parent.parent / "support" / "backups"
"""Made by each version of the schema: an owner in SQLite and one in JSON, each with a pinned fact and a fold."""


@pytest.mark.parametrize("store", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])
@pytest.mark.parametrize("name", ["schema-2.gz", "schema-3.gz"])
async def test_a_backup_of_an_older_version_is_brought_up_to_date_as_its_database_would_be(
    name: str, store: StorageType, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("other") if store is StorageType.POSTGRES else ""
    owner = 2 if store is StorageType.JSON else 1
    assert (await restored(OLDER / name, tmp_path / "there", url)).messages == 8
    async with remembering(tmp_path / "there", url) as memory, memory.open_store(owner) as home:
        assert home.kind == store
        assert len(await home.search_messages(Scope(owner=owner), ["kohlrabi"], limit=5)) == 2
        [fact] = await home.facts.list_valid_facts(owner)
        assert fact.is_pinned
        assert fact.decided_at is not None, "a step of the database set it"
    again = await backed_up(tmp_path / "there", tmp_path / "again.gz", url)
    assert again == 8
