"""Files as the original design wrote them: what their rows mean in ours, and what is repaired on the way.

There, chunk ids may be text, dates have no zone, and summaries above L1 list chunks or summaries. Used by the first
migration and by the JSON store. The rules are pure functions; only the last two touch a database.
"""

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from records.errors import StorageCorrupt, StorageTooLarge
from storage.files.driver import sqlite3
from storage.files.tables import MESSAGES, SUMMARIES, USERS, Portable, Table
from text.characters import well_formed

LARGEST = 2**62
"""Beyond it no number of an original file is an id or a count, and SQLite could not hold the next one."""
LARGEST_FILE = 4_000_000_000
"""Bytes of an original memory.db whose rows are taken over: an owner's are in memory at once."""
LONGEST_NUMBER = 19
"""Digits of a number in a text that may be within that."""
EPOCH = "1970-01-01T00:00:00+00:00"
DEFAULT_EVERY_N = 20
TABLES = ("users", "messages", "summaries")


@dataclass(kw_only=True, slots=True)
class OldSummary:
    """A summary as found; `sources` are chunk ids (or, above L1, perhaps summary ids) in their old form."""

    id: int
    level: int
    sources: tuple[Hashable, ...]
    is_active: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class OldMessage:
    """A message as found; `chunk` in its old form."""

    id: int
    role: str
    created_at: str
    chunk: Hashable | None


@dataclass(kw_only=True, slots=True)
class Cover:
    """What a summary turned out to cover, in our terms."""

    chunks: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    first_id: int = 0
    last_id: int = 0
    first_at: str = ""
    last_at: str = ""
    count: int = 0


@dataclass(kw_only=True, slots=True)
class Repaired:
    """For an owner: each message's chunk (None = active) and turn, each summary's cover."""

    chunk_of: dict[int, int | None] = field(default_factory=dict)
    turn_of: dict[int, int] = field(default_factory=dict)
    covers: dict[int, Cover] = field(default_factory=dict)


def repair(messages: Sequence[OldMessage], summaries: Sequence[OldSummary]) -> Repaired:
    """A message is archived exactly when its chunk is among some summary's sources; all else follows from that.

    The chunk of a message becomes the id of the lowest summary that lists it, as a chunk of ours is named after its L1.
    """
    ordered = sorted(summaries, key=lambda one: (one.level, one.id))
    by_id = {one.id: one for one in ordered}
    known = {message.chunk for message in messages if message.chunk is not None}
    lists: dict[int, tuple[Hashable, ...]] = {}
    for one in ordered:
        lists[one.id] = _chunks_listed(one, by_id, lists, known)
    home: dict[Hashable, int] = {}
    for one in ordered:
        for chunk in lists[one.id]:
            home.setdefault(chunk, one.id)

    result = Repaired()
    members: dict[int, list[OldMessage]] = {}
    turn = 0
    for message in sorted(messages, key=lambda one: one.id):
        chunk = home.get(message.chunk) if message.chunk is not None else None
        result.chunk_of[message.id] = chunk
        if chunk is not None:
            members.setdefault(chunk, []).append(message)
        if message.role == "user" or not turn:
            turn = message.id
        result.turn_of[message.id] = turn
    for one in ordered:
        chunks = tuple(dict.fromkeys(home[chunk] for chunk in lists[one.id]))
        covered = sorted((m for chunk in chunks for m in members.get(chunk, ())), key=lambda m: m.id)
        below = [two for two in ordered if two.level == one.level - 1 and result.covers[two.id].chunks]
        result.covers[one.id] = Cover(
            chunks=chunks,
            sources=tuple(two.id for two in below if set(result.covers[two.id].chunks) <= set(chunks)),
            first_id=covered[0].id if covered else 0,
            last_id=covered[-1].id if covered else 0,
            first_at=covered[0].created_at if covered else "",
            last_at=covered[-1].created_at if covered else "",
            count=len(covered),
        )
    return result


def _chunks_listed(
    one: OldSummary,
    by_id: Mapping[int, OldSummary],
    lists: Mapping[int, tuple[Hashable, ...]],
    known: set[Hashable],
) -> tuple[Hashable, ...]:
    """The chunks that a summary covers. Above L1 its list is read as chunks or as summaries, whichever fits better:
    all resolve, and what is covered below has been deactivated; in doubt as chunks, since that is the list's name."""
    if one.level <= 1:
        return tuple(dict.fromkeys(one.sources))
    lower = [two for two in by_id.values() if two.level < one.level]
    listed_below = {chunk for two in lower for chunk in lists[two.id]}
    numbers = {number: lists[number] for number in (two.id for two in lower)}
    as_numbers = [whole_number(source) for source in one.sources]

    def active_below(chunks: Iterable[Hashable]) -> int:
        covered = set(chunks)
        return sum(two.is_active for two in lower if lists[two.id] and set(lists[two.id]) <= covered)

    by_chunks = tuple(dict.fromkeys(s for s in one.sources if s in listed_below or s in known))
    by_numbers = tuple(dict.fromkeys(c for number in as_numbers if number in numbers for c in numbers[number or 0]))
    missed_chunks = sum(s not in listed_below and s not in known for s in one.sources)
    missed_numbers = sum(number not in numbers for number in as_numbers)
    if (missed_numbers, active_below(by_numbers)) < (missed_chunks, active_below(by_chunks)):
        return by_numbers
    return by_chunks


def whole_number(value: object) -> int | None:
    """The whole number that a value is or spells, if any, and if it is none of all too many digits."""
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, str):
        text = value.strip()
        digits = text.removeprefix("-")
        if digits.isdecimal() and digits.isascii() and len(digits) <= LONGEST_NUMBER:
            number = int(text)
    return number if number is not None and abs(number) <= LARGEST else None


def chunk_key(value: object) -> Hashable | None:
    """One form for a chunk id, since a list may say "7" where the column says 7."""
    if value is None or value == "":
        return None
    number = whole_number(value)
    return number if number is not None else str(value)


_OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?!000000)\d{6})?\+00:00", re.ASCII)
"""A date as we write it, which nearly all are."""
_CERTAIN = re.compile(
    r"(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(?!000000)\d{6})?\+00:00",
    re.ASCII,
)
"""The same of a day that every month has: there is such a date."""


def utc(value: object) -> str:
    """A date as ISO 8601 in UTC. One without a zone is UTC; a number is seconds since 1970; nonsense is 1970."""
    try:
        if isinstance(value, bool) or value is None:
            return EPOCH
        if isinstance(value, (int, float)):
            return datetime.fromtimestamp(value, UTC).isoformat()
        moment = datetime.fromisoformat(str(value).strip())
        if moment.tzinfo is UTC and isinstance(value, str) and _OURS.fullmatch(value):
            return value
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment.isoformat()
    except (ValueError, OverflowError, OSError):
        return EPOCH


def utc_of_each(values: Iterable[object]) -> list[str | None]:
    """As `utc` of each that is there: 100,000 dates as we write them in a tenth of the time."""
    is_certain = _CERTAIN.fullmatch
    return [one if one is None or (type(one) is str and is_certain(one)) else utc(one) for one in values]


def source_list(value: object) -> tuple[Hashable, ...]:
    """`source_chunk_ids`, from JSON text or a list."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = str(value).split(",")
    items = value if isinstance(value, (list, tuple)) else [value]
    return tuple(key for item in items if (key := chunk_key(item)) is not None)


def truth(value: object) -> bool:
    """A boolean out of what files hold for one."""
    if isinstance(value, str):
        return value.strip().lower() not in ("", "0", "false", "no", "off")
    return bool(value)


def put_aside(connection: sqlite3.Connection) -> bool:
    """Rename the original design's tables, if the file has any; their indexes go, so that names are free.

    Raises StorageTooLarge, and StorageCorrupt for a table with generated columns.
    """
    found = [
        str(row[0])
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if row[0] in TABLES
    ]
    [size] = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    if found and size > LARGEST_FILE:
        raise StorageTooLarge(
            f"memory.db is a file of the original design and has {size / 1e6:,.0f} MB; at most "
            f"{LARGEST_FILE / 1e6:,.0f} are taken over. It was left as it is."
        )
    for table in found:
        # A text of 30 characters makes a gigabyte of each row.
        if connection.execute("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden > 1", (table,)).fetchone():
            raise StorageCorrupt(f"memory.db: the table '{table}' makes up some of its values. It was left as it is.")
        attached = connection.execute(
            "SELECT type, name FROM sqlite_master WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql <> ''",
            (table,),
        ).fetchall()
        for kind, name in attached:
            connection.execute(f'DROP {kind} "{str(name).replace(chr(34), chr(34) * 2)}"')
        connection.execute(f"ALTER TABLE {table} RENAME TO original_{table}")
    for table in set(TABLES) - set(found) if found else ():
        connection.execute(f"CREATE TABLE original_{table} (id, user_id)")
    return bool(found)


def take_over(connection: sqlite3.Connection) -> None:
    """Move the rows of the original tables into ours, owner by owner, and drop the original tables.

    Their words are indexed by a later migration (word_index.complete).
    """
    _demand_ids(connection)
    users = {int(row["user_id"]): dict(row) for row in connection.execute("SELECT * FROM original_users")}
    owners = set(users)
    for name in ("messages", "summaries"):
        found = connection.execute(f"SELECT DISTINCT user_id FROM original_{name}")  # noqa: S608
        owners |= {int(row[0]) for row in found}
    for owner in sorted(owners):
        found = connection.execute("SELECT * FROM original_messages WHERE user_id = ? ORDER BY id", (owner,))
        messages = [old_message(row) for row in map(dict, found)]
        found = connection.execute("SELECT * FROM original_summaries WHERE user_id = ? ORDER BY id", (owner,))
        summaries = [dict(row) for row in found]
        contents = connection.execute("SELECT * FROM original_messages WHERE user_id = ? ORDER BY id", (owner,))
        user = users.get(owner, {})
        for whole_table, row in adopted(owner, user, messages, map(dict, contents), summaries):
            table = whole_table.only(row)  # columns that later migrations add are not there yet
            if whole_table is USERS:
                connection.execute(table.upsert_with("storage_type"), (*table.stored(row), _storage(user)))
            else:
                connection.execute(table.upsert, table.stored(row))
    for name in TABLES:
        connection.execute(f"DROP TABLE original_{name}")


def _demand_ids(connection: sqlite3.Connection) -> None:
    """Make each row's owner a whole number as SQLite compares it. Raises StorageCorrupt for a row without an owner, and
    for two rows with one id: taken over, a word of it could be lost without anybody's knowing.
    """
    for name in TABLES:
        columns = "user_id" if name == "users" else "user_id, id"
        seen = set[tuple[int, ...]]()
        spelled = dict[object, int]()
        found = connection.execute(f"SELECT {columns} FROM original_{name} ORDER BY rowid")  # noqa: S608
        for number, row in enumerate(found, start=1):
            owner = whole_number(row[0])
            if owner is None:
                raise StorageCorrupt(_wrong(f"row {number} of '{name}' has a 'user_id' that is no whole number"))
            if type(row[0]) is not int:
                spelled[row[0]] = owner
            key = (owner,) if name == "users" else (owner, _number(row[1], 0))
            if key in seen:
                raise StorageCorrupt(_wrong(f"row {number} of '{name}' has the id of an earlier one, or none at all"))
            seen.add(key)
        for given, owner in spelled.items():
            # A column without a type does not find the text "42" by the number 42.
            connection.execute(f"UPDATE original_{name} SET user_id = ? WHERE user_id = ?", (owner, given))  # noqa: S608


def _wrong(what: str) -> str:
    return f"memory.db: {what}. Nothing was changed; correct that row with sqlite3, and start again."


def _storage(user: Mapping[str, object]) -> str:
    return "json" if str(user.get("storage_type") or "").strip().lower() == "json" else "sqlite"


def old_message(row: Mapping[str, object]) -> OldMessage:
    return OldMessage(
        id=_number(row["id"], 0),
        role=str(row["role"]),
        created_at=utc(row["created_at"]),
        chunk=chunk_key(row.get("chunk_id")),
    )


def adopted(
    owner: int,
    user: Mapping[str, object],
    messages: Sequence[OldMessage],
    contents: Iterable[Mapping[str, object]],
    summaries: Sequence[Mapping[str, object]],
) -> Iterator[tuple[Table, Portable]]:
    """An owner's rows of the original design as portable rows of ours, repaired.

    `contents` gives the rows of `messages` once more, so that their texts need not be held. An owner without a row in
    `users` gets one with memory off: nothing is lost, and nothing is used that nobody turned on.
    """
    old = [
        OldSummary(
            id=_number(row["id"], 0),
            level=max(1, _number(row.get("level"), 1)),
            sources=source_list(row.get("source_chunk_ids")),
            is_active=truth(row.get("is_active", True)),
        )
        for row in summaries
    ]
    repaired = repair(messages, old)
    created = utc(user.get("created_at"))
    yield (
        USERS,
        {
            "user_id": owner,
            "summary_every_n": _number(user.get("summary_every_n"), DEFAULT_EVERY_N),
            "memory_enabled": truth(user.get("memory_enabled", False)),
            "created_at": created,
            "updated_at": utc(user.get("updated_at") or created),
            "next_message_id": 1 + max((message.id for message in messages), default=0),
            "next_summary_id": 1 + max((one.id for one in old), default=0),
        },
    )
    for row in contents:
        number = _number(row["id"], 0)
        chunk = repaired.chunk_of[number]
        role = str(row["role"])
        yield (
            MESSAGES,
            {
                "id": number,
                "user_id": owner,
                "thread_id": 0,
                "role": role if role in ("user", "assistant", "system") else "system",
                "content": well_formed(str(row["content"] if row["content"] is not None else "")),
                "created_at": utc(row["created_at"]),
                "is_active": chunk is None,
                "chunk_id": chunk,
                "turn_id": repaired.turn_of[number],
            },
        )
    for row, one in zip(summaries, old, strict=True):
        cover = repaired.covers[one.id]
        made = utc(row.get("created_at"))
        yield (
            SUMMARIES,
            {
                "id": one.id,
                "user_id": owner,
                "thread_id": 0,
                "summary_text": well_formed(str(row.get("summary_text") or "")),
                "created_at": made,
                "level": one.level,
                "source_chunk_ids": list(cover.chunks),
                "is_active": one.is_active,
                "source_ids": list(cover.sources),
                "first_id": cover.first_id,
                "last_id": cover.last_id,
                "first_at": cover.first_at or made,
                "last_at": cover.last_at or made,
                "message_count": cover.count,
            },
        )


def _number(value: object, default: int) -> int:
    number = whole_number(value)
    return default if number is None else number
