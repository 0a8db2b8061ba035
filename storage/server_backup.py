"""What a PostgreSQL database holds, as one file of a backup: written as of one moment, put back whole or not at all.

Owns that file: a row a line in the portable form, first what belongs to no memory, then owner by owner. It goes back
into PostgreSQL, together with the memories that the backup holds in files, or into the files. Does not know the rest
of a backup (backup.py).
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from records.errors import SettingsError, StorageBusy, StorageCorrupt, StorageError
from records.owners import IN_FILES, StorageType
from storage.directory import Directory, Stores
from storage.files.database import Database
from storage.files.driver import create_private
from storage.files.inbox_protocol import NOBODY
from storage.files.sql import Reader, Transaction, Value
from storage.files.tables import BY_NAME, MESSAGES
from storage.json.store import JsonStore
from storage.postgres.database import PostgresDatabase
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.sql_store import Batches, dumped, loaded
from storage.sqlite.store import SqliteStore

LONGEST_LINE = 256_000_000
"""Bytes of one row; a message is as long as what a person may import."""
BATCH = 500
"""Rows that are put back at once."""

SHARED: Mapping[str, str] = {
    "updates": "bot_id, update_id, payload, received_at, attempts, readings, sends, mode",
    "usage": "day, user_id, model, prompt_tokens, completion_tokens, cached_tokens, answers",
    "forgettings": "user_id, what, begun_at, is_erased",
    "renamings": "old_id, new_id, at, is_done",
}
"""What belongs to no memory, in memory.db and in PostgreSQL alike. Setups are over after ten minutes anyway."""
_WANTED = {"updates": "WHERE done_at IS NULL AND payload IS NOT NULL ORDER BY position"}

_HERE = "SELECT user_id, epoch FROM users WHERE storage_type <> 'postgres' AND place = ? ORDER BY user_id"
_ELSEWHERE = "SELECT COUNT(*) FROM users WHERE storage_type <> 'postgres' AND place <> ?"
_THERE = "SELECT user_id FROM users WHERE storage_type = 'postgres' ORDER BY user_id"
_KNOWN_LEASE = "INSERT INTO leases (user_id) VALUES (?) ON CONFLICT DO NOTHING"


Row = dict[str, Any]


class Moved(Exception):  # noqa: N818 - no error: it is tried again
    """A memory went from the files to the server or back while both were read."""


# making ------------------------------------------------------------------------------------------------------
async def collect(url: str, target: Path, place: str, files: Callable[[], None]) -> int:
    """Write what the server holds as of one moment to `target`. `files`: called meanwhile, collects the files.

    `place`: the name of the folder whose files those are. Returns how many memories are in files of other folders.
    Raises Moved where the two moments differ in who is where; SettingsError, StorageError.
    """
    async with PostgresDatabase.open(url) as server, server.read(None, frozen=True) as reader:
        here = [tuple(row) for row in await reader.rows(_HERE, place)]
        await asyncio.to_thread(files)
        async with server.read(None) as now:
            if [tuple(row) for row in await now.rows(_HERE, place)] != here:
                raise Moved
        create_private(target)
        with target.open("w", encoding="utf-8", newline="\n") as file:
            await _write(reader, file)
        elsewhere = await reader.row(_ELSEWHERE, place)
        return int(elsewhere[0]) if elsewhere else 0


async def _write(reader: Reader, file: IO[str]) -> None:
    for table in SHARED:
        rows = await _shared(reader, table)
        _add(file, [{"shared": table, **row} for row in rows])
    for row in await reader.rows(_THERE):
        async for batch in dumped(reader, row[0]):
            await asyncio.to_thread(_add, file, batch)


def _add(file: IO[str], rows: Sequence[Mapping[str, object]]) -> None:
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


async def _shared(reader: Reader, table: str) -> list[Row]:
    names = SHARED[table].split(", ")
    rows = await reader.rows(f"SELECT {SHARED[table]} FROM {table} {_WANTED.get(table, '')}")  # noqa: S608
    return [dict(zip(names, row, strict=True)) for row in rows]


# checking ----------------------------------------------------------------------------------------------------
def messages_of(file: Path) -> Counter[int]:
    """The messages in such a file, by owner. Raises StorageCorrupt unless every row could be put back."""
    found = Counter[int]()
    seen: set[int] = set()
    for owner, rows in _grouped(file):
        if owner in seen:
            raise StorageCorrupt("What is in the backup is damaged; nothing was changed.")
        seen.add(owner)
        found[owner] += sum(row["table"] == MESSAGES.name for row in rows)
    return found


def _lines(file: Path) -> Iterator[Row]:
    try:
        with file.open("rb") as source:
            while line := source.readline(LONGEST_LINE):
                row = json.loads(line)
                if "shared" in row:
                    [row[name] for name in SHARED[row["shared"]].split(", ")]
                else:
                    BY_NAME[row["table"]].stored(row)
                    row["user_id"] = int(row["user_id"])
                yield row
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageCorrupt("What is in the backup is damaged; nothing was changed.") from error


def _grouped(file: Path) -> Iterator[tuple[int, Iterator[Row]]]:
    """Owner and rows of each memory, one after the other."""
    rows = (row for row in (_lines(file) if file.exists() else ()) if "shared" not in row)
    return groupby(rows, key=lambda row: int(row["user_id"]))


def _shared_rows(file: Path, table: str) -> list[Row]:
    """They are the first lines."""
    found = []
    for row in _lines(file) if file.exists() else ():
        if "shared" not in row:
            break
        if row.pop("shared") == table:
            found.append(row)
    return found


async def _batches(rows: Iterator[Row]) -> Batches:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


# restoring ---------------------------------------------------------------------------------------------------
async def into_files(work: Path, file: Path) -> None:
    """Put what was in PostgreSQL into memory.db, and say nothing of PostgreSQL in the files any more.

    `work` holds the files of a backup that was checked, `file` what it has of the server. Raises StorageError.
    """
    async with Database.open(work / "memory.db", migrations=MIGRATIONS) as database, JsonStore.open(work) as json_store:
        sqlite = SqliteStore(database)
        stores: Stores = {StorageType.SQLITE: sqlite, StorageType.JSON: json_store}
        await _settle(database, stores, messages_of(file).keys())
        for owner, rows in _grouped(file):
            await sqlite.load(owner, _batches(rows))
        async with database.write() as tx:
            for table in SHARED:
                await _put(tx, table, _shared_rows(file, table))


async def into_server(url: str, work: Path, file: Path, set_aside: Callable[[], None]) -> None:
    """Put all memories of a backup, wherever they were, into a PostgreSQL database that holds none: one transaction.

    `work`, `file`: as for `into_files`; there may be no such file. `set_aside`: called (in a thread) when nothing is
    left but to commit. Raises SettingsError where the database holds memories, StorageBusy while a process uses it,
    StorageError.
    """
    async with (
        Database.open(work / "memory.db", migrations=MIGRATIONS) as database,
        JsonStore.open(work) as json_store,
        PostgresDatabase.open(url) as server,
    ):
        stores: Stores = {StorageType.SQLITE: SqliteStore(database), StorageType.JSON: json_store}
        expected = messages_of(file)
        await _settle(database, stores, expected.keys())
        async with server.write(None) as tx:
            await _demand_empty(tx)
            for owner, rows in _grouped(file):
                await loaded(tx, owner, _batches(rows), StorageType.POSTGRES)
            for store in stores.values():
                for owner in [config.owner for config in await store.owners()]:
                    await loaded(tx, owner, store.dump(owner), StorageType.POSTGRES)
                    expected[owner] = sum([(await store.counts(scope)).total for scope in await store.scopes(owner)])
            stored = await tx.row("SELECT COUNT(*) FROM messages")
            if stored is None or stored[0] != expected.total():
                raise StorageError("The copy is not identical; nothing was changed.")
            async with database.read() as reader:
                for table in SHARED:
                    of_both = [*_shared_rows(file, table), *await _shared(reader, table)]
                    await _put(tx, table, of_both, is_shared=True)
            await asyncio.to_thread(set_aside)


async def _demand_empty(tx: Transaction) -> None:
    """Also: nobody begins to use the database until the transaction ends."""
    await tx.rows("LOCK TABLE users, replicas IN EXCLUSIVE MODE")
    held = await tx.row("SELECT COUNT(*) FROM users")
    if held is not None and held[0]:
        raise SettingsError(
            "DATABASE_URL",
            f"names a database that holds {held[0]} memories; nothing was changed. Restore into a new one.",
        )
    if await tx.row("SELECT 1 FROM replicas WHERE expires_at > clock_timestamp()"):
        raise StorageBusy("A process of Keepsake uses this database; stop it first. Nothing was changed.")


async def _settle(database: Database, stores: Stores, there: Collection[int]) -> None:
    """Of a memory that was on its way between files and server the server's part is whole: the files' goes. Other moves
    are finished, as by a start.
    """
    directory = Directory(database)
    for move in await directory.moves():
        for kind in {move.source, move.target} & stores.keys() if move.owner in there else ():
            await stores[kind].erase(move.owner)
    for store in stores.values():
        for config in await store.owners():
            if config.owner in there:
                await store.erase(config.owner)
    async with database.write() as tx:
        await tx.rows("DELETE FROM users WHERE storage_type NOT IN (?, ?)", *IN_FILES)
        await tx.rows("DELETE FROM moves WHERE source NOT IN (?1, ?2) OR target NOT IN (?1, ?2)", *IN_FILES)
    await directory.finish_moves(stores)


async def _put(tx: Transaction, table: str, rows: Sequence[Row], *, is_shared: bool = False) -> None:
    """Rows of what belongs to no memory. `is_shared`: into PostgreSQL, where an update names whose it is."""
    names = SHARED[table].split(", ")
    values: list[tuple[Value, ...]] = [tuple(row[name] for name in names) for row in rows]
    if table == "updates" and is_shared:
        names += ["user_id", "person_id"]
        whose = [_whose(row["payload"]) for row in rows]
        values = [(*given, *ids) for given, ids in zip(values, whose, strict=True)]
        await tx.many(_KNOWN_LEASE, [(owner,) for owner, _ in whose])
    marks = ", ".join("?" * len(names))
    await tx.many(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}) ON CONFLICT DO NOTHING", values)  # noqa: S608


def _whose(payload: str) -> tuple[int, int]:
    """The chat and the sender of a raw update; NOBODY where it names none."""
    try:
        update = json.loads(payload)
        [said] = [one for name, one in update.items() if name != "update_id" and isinstance(one, dict)][:1]
        chat = said.get("chat") or (said.get("message") or {}).get("chat") or {}
        ids = (chat.get("id"), (said.get("from") or {}).get("id"))
    except (ValueError, AttributeError):
        return NOBODY, NOBODY
    return tuple(one if isinstance(one, int) else NOBODY for one in ids)  # type: ignore[return-value]
