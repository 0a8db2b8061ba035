"""memory.json: written from index.db row by row, read back as portable rows.

Owns the file's look (contract: one indented object that people read) and its header. Everything here blocks: call it
from a thread. Does not know the journal's records, only the number of the last one that a snapshot holds.
"""

import json
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from records.errors import StorageTooLarge, StorageTooNew, StorageTooOld
from runtime.cooperative import yielding_gil
from storage.engine.protocol import Value
from storage.engine.sqlite_driver import create_private, fsync_folder, sqlite3
from storage.schema.portable_tables import COUNTERS, MESSAGES, TABLES, UPSERT_USER, USERS, Portable, Table
from storage.schema.rows import moment_of, text_of
from storage.tables.bulk_load import many_messages

FORMAT = 2
"""Written by version 1.0 and just before it; an earlier one is not read."""
DEFAULT_EVERY_N = 20
"""The threshold of an owner whose row somebody has cut out."""
LARGEST = 2_000_000_000
"""Bytes of memory.json that are read: dozens of times what 100,000 messages take."""
Identity = str
_HALF_A_PAIR = re.compile(r"\\u[dD]")

BATCH = 5_000
"""Rows that are read at once."""
ASKED_EVERY = 100
"""Rows between two questions whether a snapshot is still wanted."""


class NotWanted(Exception):  # noqa: N818 - reads as the state it is
    """A newer snapshot is about to be written instead, or there is no time left for one."""


class SnapshotError(Exception):
    """The file is no memory.json."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A parsed memory.json. `may_be_broken`: some text may hold half a surrogate pair, which JSON can spell out and no
    file can hold.
    """

    journal_seq: int
    content: Mapping[str, object]
    may_be_broken: bool = True


def identity_of(path: Path) -> Identity | None:
    """What tells this very file from an edited or exchanged one; None when there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return f"{found.st_size}-{found.st_mtime_ns}"


# writing -----------------------------------------------------------------------------------------------------
def write(
    source: sqlite3.Connection, target: Path, *, is_wanted: Callable[[], bool] = lambda: True, pauses: bool = True
) -> int:
    """Write the snapshot of one moment of `source`, whole or not at all; the number of the last record it holds.

    Nothing is written where there never was an owner. Memory used does not grow with what is stored. `is_wanted` is
    asked now and then; raises NotWanted as soon as it says no. `pauses`: others are served meanwhile.
    """
    source.execute("BEGIN")
    try:
        seq = int(source.execute("SELECT seq FROM journal_state").fetchone()[0])
        if not target.exists() and source.execute("SELECT 1 FROM users LIMIT 1").fetchone() is None:
            return seq
        partial = target.with_name(target.name + ".tmp")
        partial.unlink(missing_ok=True)
        create_private(partial)
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            _write_all(source, file, seq, is_wanted, pauses)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        fsync_folder(target.parent)
    except NotWanted:
        partial.unlink()
        raise
    else:
        return seq
    finally:
        source.rollback()


def _write_all(
    source: sqlite3.Connection, file: IO[str], seq: int, is_wanted: Callable[[], bool], pauses: bool
) -> None:
    header = {"format": FORMAT, "journal_seq": seq}
    file.write('{\n  "keepsake": ' + _indented(header, 2))
    for table in TABLES:
        file.write(f',\n  "{table.name}": {{')
        if table is USERS:
            _write_users(source, file)
        else:
            _write_rows(source, file, table, is_wanted, pauses)
    file.write("\n}\n")


def _write_users(source: sqlite3.Connection, file: IO[str]) -> None:
    between = "\n"
    for row in source.execute("SELECT * FROM users ORDER BY user_id"):
        shown = {"user_id": row["user_id"], "storage_type": row["storage_type"], **USERS.portable(row)}
        file.write(f'{between}    "{row["user_id"]}": {_indented(shown, 4)}')
        between = ",\n"
    file.write("\n  }" if between != "\n" else "}")


def _write_rows(
    source: sqlite3.Connection, file: IO[str], table: Table, is_wanted: Callable[[], bool], pauses: bool
) -> None:
    owner = None
    found = source.execute(f"SELECT * FROM {table.name} ORDER BY {', '.join(table.key)}")  # noqa: S608
    for number, row in enumerate(yielding_gil(found) if pauses else found):
        if number % ASKED_EVERY == 0 and not is_wanted():
            raise NotWanted
        if row["user_id"] != owner:
            file.write(("\n" if owner is None else "\n    ],\n") + f'    "{row["user_id"]}": [\n')
            owner = row["user_id"]
        else:
            file.write(",\n")
        file.write("      " + _indented(table.portable(row), 6))
    file.write("\n    ]\n  }" if owner is not None else "}")


@cache
def _flat(depth: int) -> Callable[[object], str]:
    """Writes an object without objects or lists in it, each member on a line of its own.

    json.dumps with an indent is written in Python, which a stop with 100,000 messages has no time for; the encoder in C
    takes a separator of any length.
    """
    return json.JSONEncoder(ensure_ascii=False, separators=(",\n" + " " * (depth + 2), ": ")).encode


def _indented(row: Mapping[str, object], depth: int) -> str:
    """A row as json.dumps with indent=2 writes it, `depth` spaces further to the right."""
    if not row or any(one and isinstance(one, list | tuple | dict) for one in row.values()):
        return _nested(row, depth)
    space = "\n" + " " * depth
    return f"{{{space}  {_flat(depth)(row)[1:-1]}{space}}}"


def _nested(value: object, depth: int) -> str:
    # Only "\n" ends a line here: str.splitlines would also cut at U+2028, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * depth)


# reading -----------------------------------------------------------------------------------------------------
def read(path: Path) -> Snapshot:
    """Parse memory.json. Raises SnapshotError, StorageTooNew, StorageTooOld or StorageTooLarge."""
    demand_size(path.name, path.stat().st_size)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SnapshotError from error
    if not isinstance(content, dict):
        raise SnapshotError
    header = content.get("keepsake")
    if header is None:
        if any(name in content for name in ("users", "messages", "summaries")):
            raise StorageTooOld.of(path.name)
        raise SnapshotError
    try:
        number, seq = int(header["format"]), int(header["journal_seq"])
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise SnapshotError from error
    if number > FORMAT:
        raise StorageTooNew.of(path.name, number, FORMAT)
    if number < FORMAT:
        raise StorageTooOld.of(path.name)
    may_be_broken = _HALF_A_PAIR.search(text) is not None
    return Snapshot(journal_seq=seq, content=content, may_be_broken=may_be_broken)


def demand_size(name: str, size: int) -> None:
    """Raises StorageTooLarge for a memory.json of more bytes than are read."""
    if size > LARGEST:
        raise StorageTooLarge(
            f"{name} has {size / 1e6:,.0f} MB, and at most {LARGEST / 1e6:,.0f} are read, for the whole file is in "
            "memory at once; nothing was changed."
        )


def batches(snapshot: Snapshot) -> Iterator[tuple[Table, Sequence[tuple[Value, ...]]]]:
    """Every row of a snapshot as values for its table's `upsert`, owner by owner, repaired where people edited it.

    Raises SnapshotError when something is not of the right shape.
    """
    try:
        sections = {table.name: _section(snapshot, table.name) for table in TABLES}
        owners = sorted({int(owner) for section in sections.values() for owner in section})
        for owner in owners:
            found = {name: section.get(str(owner)) for name, section in sections.items()}
            user = found.pop("users") or {}
            if not isinstance(user, dict):
                raise SnapshotError
            listed = {name: _list(value) for name, value in found.items()}
            yield USERS, [USERS.stored(_user(owner, user, listed))]
            yield from _ours(owner, listed, snapshot.may_be_broken)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SnapshotError from error


def _section(snapshot: Snapshot, name: str) -> dict[str, object]:
    section = snapshot.content.get(name, {})
    if not isinstance(section, dict):
        raise SnapshotError
    return section


def _list(value: object) -> list[dict[str, object]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise SnapshotError
    return value


def _user(owner: int, user: Mapping[str, object], listed: Mapping[str, list[dict[str, object]]]) -> Portable:
    highest = {name: max((int(str(row["id"])) for row in listed[name]), default=0) for name in COUNTERS.values()}
    created = _date(user.get("created_at"))
    return {
        **USERS.defaults,
        **{column.name: user[column.name] for column in USERS.columns if column.name in user},
        "user_id": owner,
        "summary_every_n": user.get("summary_every_n", DEFAULT_EVERY_N),
        "memory_enabled": bool(user.get("memory_enabled", False)),
        "created_at": created,
        "updated_at": _date(user.get("updated_at") or created),
        **{counter: max(int(str(user.get(counter, 1))), highest[name] + 1) for counter, name in COUNTERS.items()},
    }


def _ours(
    owner: int, listed: Mapping[str, list[dict[str, object]]], may_be_broken: bool
) -> Iterator[tuple[Table, Sequence[tuple[Value, ...]]]]:
    """An owner's rows, column by column: row by row, 100,000 messages took three times as long."""
    chunks = {row["id"] for row in listed["summaries"]}
    _demand_one_text_each(listed["messages"])
    for table in TABLES[1:]:
        dates = [column.name for column in table.columns if column.kind == "date"]
        for first in range(0, len(listed[table.name]), BATCH):
            some = listed[table.name][first : first + BATCH]
            columns = table.columns_of(some, user_id=[owner] * len(some), **_repaired(table, some, chunks))
            columns |= {name: [one if one is None else _date(one) for one in columns[name]] for name in dates}
            yield table, table.stored_columns(columns, may_be_broken=may_be_broken)


def _date(value: object) -> str:
    """A date as it is stored; what is none, after somebody's edit, is 1970."""
    try:
        return text_of(moment_of(value))
    except (ValueError, OverflowError):
        return "1970-01-01T00:00:00+00:00"


def _demand_one_text_each(messages: Sequence[Mapping[str, object]]) -> None:
    """Of two texts under one id neither is to be lost; a message that is there twice is one."""
    if len({str(row["id"]) for row in messages}) == len(messages):
        return
    seen = dict[str, object]()
    if any(seen.setdefault(str(row["id"]), row["content"]) != row["content"] for row in messages):
        raise SnapshotError


def _repaired(table: Table, some: Sequence[Mapping[str, object]], chunks: Container[object]) -> dict[str, list[object]]:
    """The columns of these rows in which somebody's edits are repaired."""
    if table is not MESSAGES:
        return {}
    # A message of a summary that somebody cut out by hand is active again, not lost behind nothing.
    found = [chunk if (chunk := row.get("chunk_id")) in chunks else None for row in some]
    turns = [row["turn_id"] if "turn_id" in row else row["id"] for row in some]
    return {"chunk_id": found, "is_active": [chunk is None for chunk in found], "turn_id": turns}


def insert(connection: sqlite3.Connection, snapshot: Snapshot, storage: str) -> None:
    """Put every row of a snapshot into an empty file of our schema, inside the caller's transaction."""
    with many_messages(connection):
        for table, batch in batches(snapshot):
            if table is USERS:
                connection.executemany(UPSERT_USER, [(*values, storage) for values in batch])
            else:
                connection.executemany(table.upsert, batch)
