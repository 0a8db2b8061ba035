"""Back up all memories and the bot's state into one private file, and restore it into any store.

A backup is a gzip file of JSON lines: a header, portable rows, and their number and hash. All functions here block.
"""

import asyncio
import contextlib
import gzip
import hashlib
import json
import os
import shutil
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from records.errors import (
    KeepsakeError,
    SettingsError,
    StorageBusy,
    StorageCorrupt,
    StorageError,
    StorageHeld,
    StorageTooNew,
)
from records.owners import StorageType
from runtime.subprocess_child import write_child_answer
from storage.bot_state.directory import SHARED_STATE, insert_rows
from storage.engine import data_dir as dirs
from storage.engine.protocol import Reader, Transaction
from storage.engine.sqlite import Database, read_schema_version
from storage.engine.sqlite_driver import create_private_file, fsync_folder, sqlite3, translate_storage_errors
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import BY_NAME, MESSAGES, translate_value_errors
from storage.stores import json_files
from storage.stores.json import JsonStore
from storage.stores.json_files import INDEX_NAME, JOURNAL_NAME, SNAPSHOT_NAME, scan_journal
from storage.stores.memory_store import MemoryStore
from storage.tables.dump import Batches, dump_owner, find_schema_version, insert_owner_rows, migrate_rows

FORMAT = 2  # 1: without the version of the schema
DATABASE = "memory.db"
MAX_LINE_BYTES = 256_000_000  # bytes of one row. Imported messages may be this long.
BATCH = 500

STATE: Mapping[str, str] = {
    "updates": "bot_id, update_id, payload, received_at, attempts, readings, sends, mode, shown, done_at",
    **SHARED_STATE,
    "forgettings": "user_id, what, begun_at, is_erased",
    "renamings": "old_id, new_id, at, is_done",
}  # The tables of the bot's own state in a backup, with their columns. Setups and announcements are not backed up.
ADDED = {"written_tokens": 0}  # columns of these tables that older backups lack
_HOMES = "SELECT user_id, storage_type, epoch FROM users"
_SHARED_HOMES = f"{_HOMES} WHERE storage_type = 'postgres' OR instance_id = ?"
_ELSEWHERE = "SELECT COUNT(*) FROM users WHERE storage_type <> 'postgres' AND instance_id <> ?"

_FORMAT_ERRORS = (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)

BackupRow = dict[str, Any]
Result = TypeVar("Result")
OwnerStores = Mapping[int, StorageType]  # the store of each owner
Readers = Mapping[StorageType, Reader]  # a reader of one snapshot for each store


class _BotNotReady(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a backup must wait, because the bot is still starting or is moving a memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BackupResult:
    """The result of a backup. `elsewhere` counts the memories left out, which are in PostgreSQL or another DATA_DIR."""

    messages: int
    elsewhere: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreResult:
    """The result of a restore. `aside` is the folder that now has the previous files of DATA_DIR, or None."""

    messages: int
    made_at: str
    aside: Path | None


def back_up(data_dir: Path, file: Path, *, database_url: str = "") -> BackupResult:
    """Back up the data directory, and the database at `database_url` if given, to a new file. The bot may be running.

    Raise SettingsError if `file` cannot be created or nothing can be backed up, and StorageError if the backup fails.
    """
    parent = file.absolute().parent
    if file.exists():
        raise SettingsError("--backup", f"{file} exists already; it was not touched. Give another name.")
    if not parent.is_dir():
        raise SettingsError("--backup", f"{parent} is no folder; nothing was backed up.")
    dirs.require_regular_files(data_dir)
    if not database_url and not (data_dir / DATABASE).exists():
        raise SettingsError("DATA_DIR", f"{data_dir} holds no memory; there is nothing to back up.")
    # `parent` may be any folder, so touch nothing else there.
    dirs.remove_temp_files(parent, [f"{dirs.BACKING_UP}*"])
    with translate_storage_errors(file), dirs.make_work_folder(parent, dirs.BACKING_UP) as work:
        packed = work / "packed"
        create_private_file(packed)
        with packed.open("wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb") as out:
                elsewhere = asyncio.run(_write_backup_and_count_missing(data_dir, work, database_url, out))
            raw.flush()
            os.fsync(raw.fileno())
        # Read the whole backup once: a backup that cannot be restored is useless.
        messages = sum(row.get("table") == MESSAGES.name for row in _read_checked_rows(packed))
        try:
            os.link(packed, file)
        except FileExistsError:
            raise SettingsError("--backup", f"{file} exists already; it was not touched.") from None
        except OSError:  # a file system without links
            packed.replace(file)
        fsync_folder(parent)
    return BackupResult(messages=messages, elsewhere=elsewhere)


async def _write_backup_and_count_missing(data_dir: Path, work_folder: Path, url: str, out: gzip.GzipFile) -> int:
    deadline = time.monotonic() + 60.0  # a start that indexes 100,000 messages takes half a minute
    while True:
        async with AsyncExitStack() as stack:
            try:
                stores, readers, elsewhere = await _open_sources_and_count_missing(stack, data_dir, work_folder, url)
            except _BotNotReady:
                if time.monotonic() > deadline:
                    raise StorageBusy(
                        "The bot is starting, or moving a memory, and did not finish in time; "
                        "nothing was backed up. Please try again."
                    ) from None
            else:
                await _write_backup_lines(stores, readers, out)
                return elsewhere
        await asyncio.sleep(0.1)


async def _open_sources_and_count_missing(
    stack: AsyncExitStack, data_dir: Path, work_folder: Path, url: str
) -> tuple[OwnerStores, Readers, int]:
    """Return each owner's store, the readers, and the number of omitted memories. Raise _BotNotReady during a move."""
    readers: dict[StorageType, Reader] = {}
    elsewhere, query, open_reader = 0, [_HOMES], partial(_open_snapshot_reader, data_dir / DATABASE)
    if url:
        # Imported here because only users of PostgreSQL need its driver.
        from storage.stores.postgres import open_postgres_database

        server = await stack.enter_async_context(open_postgres_database(url))
        query, open_reader = [_SHARED_HOMES, dirs.read_instance_id(data_dir)], partial(server.open_reader, None)
        async with open_reader() as reader:
            [[elsewhere]] = await reader.fetch_rows(_ELSEWHERE, dirs.read_instance_id(data_dir))
    async with open_reader() as reader:
        before = {row[0]: (row[1], row[2]) for row in await reader.fetch_rows(*query)}
    if (data_dir / DATABASE).exists():
        readers[StorageType.SQLITE] = await stack.enter_async_context(_open_snapshot_reader(data_dir / DATABASE))
        readers[StorageType.JSON] = await _open_json_reader(stack, data_dir, work_folder)
    if url:
        readers[StorageType.POSTGRES] = await stack.enter_async_context(server.open_reader(None, in_snapshot=True))
    async with open_reader() as reader:
        after = {row[0]: (row[1], row[2]) for row in await reader.fetch_rows(*query)}
    if any(after.get(owner) != home for owner, home in before.items()):
        raise _BotNotReady
    with translate_value_errors("users"):
        kinds = {owner: StorageType(home) for owner, (home, _) in before.items()}
    owner_stores = {owner: kind for owner, kind in kinds.items() if kind in readers}
    elsewhere += len(before) - len(owner_stores)
    for kind, reader in readers.items():
        # Add memories in a memory.json that was put there since the last start.
        for row in await reader.fetch_rows("SELECT user_id FROM users WHERE storage_type = ?", kind):
            if row[0] not in after:
                owner_stores[row[0]] = kind
    return owner_stores, readers, elsewhere


@asynccontextmanager
async def _open_snapshot_reader(path: Path) -> AsyncIterator[Reader]:
    """Open a reader on a snapshot of a SQLite file. Other connections may keep writing to the file."""

    async def run_on_snapshot(work: Callable[[Any], Result]) -> Result:
        with translate_storage_errors(path):
            return work(connection)

    with translate_storage_errors(path):
        # In read-only mode, SQLite could not open the log of a bot that was killed.
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None)
    with contextlib.closing(connection):
        connection.row_factory = sqlite3.Row
        reader = Reader(run_on_snapshot)
        await reader.execute("PRAGMA query_only=ON")
        await reader.execute("BEGIN")
        with translate_storage_errors(path):
            if read_schema_version(connection, path.name, len(MIGRATIONS)) < len(MIGRATIONS):
                raise StorageError(f"{path.name} is an older version's; start the bot once, then make the backup.")
        yield reader


async def _open_json_reader(stack: AsyncExitStack, data_dir: Path, work_folder: Path) -> Reader:
    try:
        stack.enter_context(dirs.lock_data_dir(data_dir))
    except StorageHeld:
        # The backup must hold every record that the journal has by now: it may have been acknowledged.
        acknowledged = scan_journal(data_dir / JOURNAL_NAME).last_seq
        try:
            reader = await stack.enter_async_context(_open_snapshot_reader(data_dir / INDEX_NAME))
            [state] = await reader.fetch_rows("SELECT * FROM journal_state")
        except StorageError:  # not created yet, or being replaced
            raise _BotNotReady from None
        fingerprint = json_files.compute_file_fingerprint(data_dir / SNAPSHOT_NAME)
        if state["snapshot"] != fingerprint or state["seq"] < acknowledged:
            raise _BotNotReady from None
        return reader
    copies = work_folder / "copies"
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(mode=0o700)
    for name in (SNAPSHOT_NAME, JOURNAL_NAME):
        if (data_dir / name).exists():
            create_private_file(copies / name)
            shutil.copyfile(data_dir / name, copies / name)
    async with JsonStore.open(copies) as store:
        if store.reports:
            raise StorageCorrupt(
                f"{SNAPSHOT_NAME} or its journal is damaged; nothing was backed up. Start the bot once: it sets aside "
                "what cannot be read and says so."
            )
    return await stack.enter_async_context(_open_snapshot_reader(copies / INDEX_NAME))


async def _write_backup_lines(owner_stores: OwnerStores, readers: Readers, out: gzip.GzipFile) -> None:
    digest, count = hashlib.sha256(), 0
    async for rows in _iterate_backup_rows(owner_stores, readers):
        for row in rows:
            line = (json.dumps(row, ensure_ascii=False) + "\n").encode()
            digest.update(line)
            out.write(line)
        count += len(rows)
    out.write(json.dumps({"end": digest.hexdigest(), "lines": count}).encode() + b"\n")


async def _iterate_backup_rows(owner_stores: OwnerStores, readers: Readers) -> Batches:
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    yield [{"keepsake": "backup", "format": FORMAT, "schema": len(MIGRATIONS), "made_at": made_at}]
    # The server's state goes first: if both have a row, that of memory.db is older.
    for kind in (StorageType.POSTGRES, StorageType.SQLITE):
        for table, names in STATE.items() if kind in readers else ():
            order = "position" if table == "updates" else names
            rows = await readers[kind].fetch_rows(f"SELECT {names} FROM {table} ORDER BY {order}")  # noqa: S608
            yield [{"state": table, "row": dict(zip(names.split(", "), row, strict=True))} for row in rows]
    for owner, kind in sorted(owner_stores.items()):
        yield [{"user_id": owner, "storage": kind}]
        async for batch in dump_owner(readers[kind], owner):
            yield batch


def answer_requests_from_parent_process() -> None:
    """Make a backup at low priority, as a child process that reads the request from stdin and answers on stdout."""
    os.nice(10)
    asked = json.load(sys.stdin)
    try:
        made = back_up(Path(asked["folder"]), Path(asked["file"]), database_url=asked["url"])
        write_child_answer(sys.stdout.buffer, "made", (made.messages, made.elsewhere))
    except KeepsakeError as error:
        write_child_answer(sys.stdout.buffer, "failed", error.sentence)


def restore_backup_file(file: Path, data_folder: Path, *, database_url: str = "") -> RestoreResult:
    """Restore a backup into the data directory, and move the existing files to a separate folder.

    If `database_url` is given, restore the memories into that database, which must not hold any. On failure,
    change nothing and raise SettingsError, StorageTooNew, StorageCorrupt, or StorageHeld if the bot is running.
    """
    if not file.is_file():
        raise SettingsError("--restore", f"{file} is not a file.")
    with (
        dirs.lock_data_dir(data_folder, for_restore=True) as data_dir,
        translate_storage_errors(file),
        dirs.make_work_folder(data_dir, dirs.RESTORING) as work,
    ):
        fresh = work / "fresh"
        fresh.mkdir(mode=0o700)
        made_at, messages = asyncio.run(_restore_and_count_messages(file, data_dir, fresh, database_url))
        return RestoreResult(messages=messages, made_at=made_at, aside=dirs.replace_folder_and_get_old(data_dir, fresh))


async def _restore_and_count_messages(file: Path, data_dir: Path, new_folder: Path, url: str) -> tuple[str, int]:
    """Write all rows to new files and to the database. Return the backup's date and message count."""
    lines = _read_checked_rows(file)
    head, messages = next(lines), 0
    schema = head["schema"] if head["format"] > 1 else find_schema_version(_read_checked_rows(file))
    if schema < len(MIGRATIONS):
        lines = migrate_rows(lines, new_folder.with_name("older.db"), schema)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(new_folder / DATABASE, migrations=MIGRATIONS))
        sqlite = MemoryStore(database, StorageType.SQLITE)
        json_store = await stack.enter_async_context(JsonStore.open(new_folder))
        stores: dict[StorageType, MemoryStore] = {StorageType.SQLITE: sqlite, StorageType.JSON: json_store}
        server: Transaction | None = None
        if url:
            from storage.stores.postgres import open_postgres_database

            opened = await stack.enter_async_context(open_postgres_database(url))
            server = await stack.enter_async_context(opened.open_transaction(None))
            await _delete_leftovers_and_require_empty(server, dirs.read_instance_id(data_dir))

        async def iterate_batches(rows: Iterator[BackupRow]) -> AsyncIterator[list[BackupRow]]:
            nonlocal messages
            while batch := list(islice(rows, BATCH)):
                messages += sum(row["table"] == MESSAGES.name for row in batch)
                yield [BY_NAME[row["table"]].fill_missing_columns(row) for row in batch]

        for (table, owner), rows in groupby(lines, key=lambda row: (row.get("state"), row.get("user_id"))):
            if table is None and server is not None:
                await insert_owner_rows(server, owner, iterate_batches(islice(rows, 1, None)), StorageType.POSTGRES)
            elif table is None:
                store = stores.get(next(rows)["storage"], sqlite)
                await store.load_owner(owner, iterate_batches(rows))  # noqa: B031 - the rows after the first
            elif server is not None and table in SHARED_STATE:
                await _insert_state_rows(server, table, rows)
            else:
                async with database.open_transaction() as tx:
                    await _insert_state_rows(tx, table, rows)
        if server is not None:
            await server.execute("SET CONSTRAINTS ALL IMMEDIATE")
            # The server has the memories from the commit on, the folder a moment later: no start is to see that.
            (data_dir / dirs.UNFINISHED).touch(mode=0o600)
            fsync_folder(data_dir)
    return str(head["made_at"]), messages


async def _insert_state_rows(tx: Transaction, table: str, rows: Iterator[BackupRow]) -> None:
    """Insert rows of the bot's own state into a local table. A bot that uses PostgreSQL moves them at startup."""
    while batch := [tuple(row["row"].values()) for row in islice(rows, BATCH)]:
        await insert_rows(tx, table, STATE[table], batch)


async def _delete_leftovers_and_require_empty(tx: Transaction, instance_id: str) -> None:
    """Lock the database for the transaction. Raise SettingsError if it holds a memory, or StorageHeld if it is in use.

    Before the check, delete any entries for memories that are stored in the files of the instance `instance_id`.
    """
    await tx.execute("LOCK TABLE users, replicas IN EXCLUSIVE MODE")
    if await tx.fetch_row("SELECT 1 FROM replicas WHERE expires_at > clock_timestamp()"):
        raise StorageHeld("A process of Keepsake uses this database; stop it first. Nothing was changed.")
    await tx.execute("DELETE FROM users WHERE storage_type <> 'postgres' AND instance_id = ?", instance_id)
    [[held]] = await tx.fetch_rows("SELECT COUNT(*) FROM users")
    if held:
        raise SettingsError(
            "DATABASE_URL", f"names a database that holds {held} memories; nothing was changed. Restore into a new one."
        )


def _read_checked_rows(file: Path) -> Iterator[BackupRow]:
    """Yield all rows of a backup but not its last line. Raise StorageTooNew, or StorageCorrupt if it is damaged."""
    digest, count, owner = hashlib.sha256(), 0, 0
    try:
        with gzip.open(file) as source:
            while line := source.readline(MAX_LINE_BYTES):
                row = json.loads(line, parse_int=_parse_int64)
                if "end" in row:
                    _require_intact((row["end"], row["lines"]) == (digest.hexdigest(), count) and not source.read(1))
                    return
                if not count:
                    _require_intact(row["keepsake"] == "backup")
                    _require_supported_version(row["format"], FORMAT, file)
                    _require_supported_version(row["schema"] if row["format"] > 1 else 1, len(MIGRATIONS), file)
                elif "state" in row:
                    given = {**ADDED, **row["row"]}
                    row["row"] = {name: given[name] for name in STATE[row["state"]].split(", ")}
                elif "storage" in row:
                    owner, row["storage"] = int(row["user_id"]), StorageType(row["storage"])
                else:
                    BY_NAME[row["table"]].to_params(row)
                    _require_intact(owner == row["user_id"])
                digest.update(line)
                count += 1
                yield row
            _require_intact(False)
    except (OSError, EOFError, zlib.error, *_FORMAT_ERRORS) as error:
        raise StorageCorrupt(f"{file} is no backup of Keepsake, or is damaged; nothing was changed.") from error


def _parse_int64(digits: str) -> int:
    number = int(digits)
    _require_intact(-(2**63) <= number < 2**63)
    return number


def _require_intact(is_intact: bool) -> None:
    if not is_intact:
        raise ValueError


def _require_supported_version(version: int, newest_version: int, file: Path) -> None:
    _require_intact(version > 0)
    if version > newest_version:
        raise StorageTooNew(f"{file} was made by a newer version of Keepsake; please update the program.")
