"""Files as the original design wrote them open, whole and repaired, in both stores."""

import contextlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import StorageCorrupt, StorageTooLarge
from records.scopes import Scope
from storage.sqlite.original_files import OldMessage, OldSummary, repair, source_list, utc, utc_of_each
from tests.contract.conftest import OPENERS, said

Row = Mapping[str, object]

ME, SHE = Scope(owner=1), Scope(owner=2)
USERS: Sequence[Row] = [
    {"user_id": 1, "summary_every_n": 4, "memory_enabled": 1, "created_at": "2024-05-01 10:00:00", "updated_at": None}
]


def message(number: int, chunk: object = None, active: object = None, owner: int = 1) -> Row:
    return {
        "id": number,
        "user_id": owner,
        "role": "user" if number % 2 else "assistant",
        "content": f"line {number} – машина",
        "created_at": f"2024-05-{number:02d} 10:00:00",
        "is_active": (chunk is None) if active is None else active,
        "chunk_id": chunk,
    }


def summary(number: int, level: int, sources: Sequence[object], active: object = 1, owner: int = 1) -> Row:
    return {
        "id": number,
        "user_id": owner,
        "summary_text": f"summary {number}",
        "created_at": "2024-06-01T00:00:00",
        "level": level,
        "source_chunk_ids": list(sources),
        "is_active": active,
    }


MESSAGES: Sequence[Row] = [
    *(message(n, "chunk-a") for n in (1, 2)),
    *(message(n, "chunk-b") for n in (3, 4)),
    message(5, "chunk-c", active=1),  # claims to be active though a summary covers its chunk
    message(6, "chunk-c"),
    message(7, "chunk-lost"),  # no summary covers it
    message(8, None, active=0),  # archived without a chunk
    message(9),
    message(10, owner=2),
]


def write_sqlite(folder: Path, messages: Sequence[Row], summaries: Sequence[Row]) -> None:
    with contextlib.closing(sqlite3.connect(folder / "memory.db")) as plain:
        plain.executescript("""
            CREATE TABLE users (user_id INTEGER PRIMARY KEY, storage_type TEXT, summary_every_n INTEGER,
              memory_enabled INTEGER, created_at TEXT, updated_at TEXT);
            CREATE TABLE messages (id INTEGER PRIMARY KEY, user_id INTEGER, role TEXT, content TEXT, created_at TEXT,
              is_active INTEGER DEFAULT 1, chunk_id TEXT);
            CREATE INDEX message_scope ON messages (user_id);
            CREATE TABLE summaries (id INTEGER PRIMARY KEY, user_id INTEGER, summary_text TEXT, created_at TEXT,
              level INTEGER, source_chunk_ids TEXT, is_active INTEGER);
        """)
        for row in USERS:
            values = {**row, "storage_type": "sqlite"}
            plain.execute(
                "INSERT INTO users VALUES (:user_id, :storage_type, :summary_every_n, :memory_enabled, :created_at, "
                ":updated_at)",
                values,
            )
        for row in messages:
            plain.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", tuple(row.values()))
        for row in summaries:
            values = {**row, "source_chunk_ids": json.dumps(row["source_chunk_ids"])}
            plain.execute("INSERT INTO summaries VALUES (?, ?, ?, ?, ?, ?, ?)", tuple(values.values()))
        plain.commit()


def write_json(folder: Path, messages: Sequence[Row], summaries: Sequence[Row]) -> None:
    def by_owner(rows: Sequence[Row]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in rows:
            found.setdefault(str(row["user_id"]), []).append(row)
        return found

    content = {
        "users": {str(row["user_id"]): {**row, "storage_type": "json"} for row in USERS},
        "messages": by_owner(messages),
        "summaries": by_owner(summaries),
    }
    (folder / "memory.json").write_text(json.dumps(content))


WRITERS = {"sqlite": write_sqlite, "json": write_json}


@pytest.mark.parametrize(
    ("kind", "bound"),
    [
        ("sqlite", "storage.sqlite.original_files.LARGEST_FILE"),
        ("json", "storage.json.snapshot.LARGEST"),
    ],
)
async def test_an_original_file_that_is_too_large_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, bound: str
) -> None:
    WRITERS[kind](tmp_path, MESSAGES, [])
    with monkeypatch.context() as patched:
        patched.setattr(bound, 100)
        with pytest.raises(StorageTooLarge, match=r"memory[.].* MB"):
            async with OPENERS[kind](tmp_path):
                pass
    async with OPENERS[kind](tmp_path) as store:
        assert len(await store.page(ME)) == 9


@pytest.mark.parametrize("kind", WRITERS)
async def test_an_original_file_opens_repaired(tmp_path: Path, kind: str) -> None:
    below = [summary(n, 1, [chunk], 0) for n, chunk in ((1, "chunk-a"), (2, "chunk-b"))]
    summaries = [*below, summary(3, 1, ["chunk-c"]), summary(9, 2, ["chunk-a", "chunk-b"])]
    WRITERS[kind](tmp_path, MESSAGES, summaries)
    async with OPENERS[kind](tmp_path) as store:
        config = await store.owner(1)
        assert config is not None
        assert (config.every_n, config.enabled) == (4, True)
        assert config.created_at == config.updated_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
        found = await store.page(ME)
        assert [one.content for one in found] == [f"line {n} – машина" for n in range(1, 10)]
        assert [one.chunk_id for one in found] == [1, 1, 2, 2, 3, 3, None, None, None]
        assert [one.turn for one in found] == [1, 1, 3, 3, 5, 5, 7, 7, 9]
        assert found[0].created_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
        first, second, third, upper = await store.summaries(ME, active_only=False)
        assert [one.is_active for one in (first, second, third, upper)] == [False, False, True, True]
        assert (upper.source_chunk_ids, upper.source_ids) == ((1, 2), (1, 2))
        assert (upper.first_id, upper.last_id, upper.message_count) == (1, 4, 4)
        assert upper.last_at == datetime(2024, 5, 4, 10, tzinfo=UTC)
        assert len(await store.search(ME, ["машин"], limit=20)) == 9
        stranger = await store.owner(2)
        assert stranger is not None
        assert not stranger.enabled
        [fresh] = await store.append(ME, [said("next")])
        assert fresh.id == 10
        digest = await store.digest(1)
    async with OPENERS[kind](tmp_path) as store:
        assert await store.digest(1) == digest
    assert copies_in(tmp_path)


@pytest.mark.parametrize("value", ["'abc'", "NULL", "1.5", "9223372036854775807", "x'00ff'"])
@pytest.mark.parametrize("table", ["users", "messages", "summaries"])
async def test_a_row_without_an_owner_is_one_sentence(tmp_path: Path, table: str, value: str) -> None:
    write_untyped(tmp_path, f"INSERT INTO {table} (user_id, id) VALUES ({value}, 7)")  # noqa: S608
    before = dumped(tmp_path)
    for _ in range(2):
        with pytest.raises(StorageCorrupt, match=rf"row 2 of '{table}' has a 'user_id' that is no whole number"):
            async with OPENERS["sqlite"](tmp_path):
                pass
    assert dumped(tmp_path) == before


async def test_a_table_that_makes_up_its_values_is_one_sentence(tmp_path: Path) -> None:
    """Each row took a gigabyte, out of a file of 20 kB."""
    write_untyped(tmp_path, "ALTER TABLE messages ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(4)))")
    before = dumped(tmp_path)
    with pytest.raises(StorageCorrupt, match="the table 'messages' makes up some of its values"):
        async with OPENERS["sqlite"](tmp_path):
            pass
    assert dumped(tmp_path) == before


def test_a_list_that_is_nested_without_end_is_one_chunk() -> None:
    """A start ended with a traceback."""
    assert source_list("[" * 100_000) == ("[" * 100_000,)


async def test_two_rows_with_one_id_are_one_sentence(tmp_path: Path) -> None:
    write_untyped(tmp_path, "INSERT INTO messages (user_id, id) VALUES (1, 'x'), (1, 'y')")
    with pytest.raises(StorageCorrupt, match="row 3 of 'messages'"):
        async with OPENERS["sqlite"](tmp_path):
            pass


async def test_numbers_written_as_text_lose_nothing(tmp_path: Path) -> None:
    write_untyped(
        tmp_path,
        "INSERT INTO messages (user_id, id, role, content, chunk_id) VALUES ('1', '2', 'user', 'two', 8),"
        " (1.0, 3, 'user', 'three', '999999999999999999999999999999')",
        "UPDATE users SET summary_every_n = '999999999999999999999999999999'",
        "INSERT INTO summaries (user_id, id, level, source_chunk_ids) VALUES"
        " ('1', 8, '999999999999999999999999999999', '[999999999999999999999999999999]')",
    )
    async with OPENERS["sqlite"](tmp_path) as store:
        assert [(one.id, one.content) for one in await store.page(ME)] == [(1, "one"), (2, "two"), (3, "three")]
        config = await store.owner(1)
        assert config is not None
        assert config.every_n == 20


def dumped(folder: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(folder / "memory.db")) as plain:
        return list(plain.iterdump())


def write_untyped(folder: Path, *statements: str) -> None:
    """An original file whose columns have no types, so that they hold anything."""
    with contextlib.closing(sqlite3.connect(folder / "memory.db")) as plain:
        plain.executescript("""
            CREATE TABLE users (user_id, id, storage_type, summary_every_n, memory_enabled, created_at, updated_at);
            CREATE TABLE messages (id, user_id, role, content, created_at, is_active, chunk_id);
            CREATE TABLE summaries (id, user_id, summary_text, created_at, level, source_chunk_ids, is_active);
            INSERT INTO users (user_id, memory_enabled) VALUES (1, 1);
            INSERT INTO messages (id, user_id, role, content) VALUES (1, 1, 'user', 'one');
            INSERT INTO summaries (id, user_id, level) VALUES (1, 1, 1);
        """)
        for statement in statements:
            plain.execute(statement)
        plain.commit()


def copies_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if ".before-format-" in file.name]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("listed", [[1, 2], ["1", "2"], [11, 12]])
async def test_higher_summaries_may_list_chunks_or_summaries(tmp_path: Path, kind: str, listed: list[object]) -> None:
    messages = [message(1, 11), message(2, 11), message(3, 12), message(4, 12)]
    below = [summary(1, 1, [11], 0), summary(2, 1, ["12"], 0)]
    WRITERS[kind](tmp_path, messages, [*below, summary(3, 2, listed)])
    async with OPENERS[kind](tmp_path) as store:
        [upper] = await store.summaries(ME)
        assert (upper.source_chunk_ids, upper.source_ids, upper.message_count) == ((1, 2), (1, 2), 4)
        assert [one.chunk_id for one in await store.page(ME)] == [1, 1, 2, 2]


async def test_a_list_that_fits_both_readings_follows_what_was_deactivated(tmp_path: Path) -> None:
    """Chunks 2 and 3 belong to summaries 1 and 2; the L2 lists [1, 2], and summaries 1 and 2 are inactive."""
    messages = [message(1, 2), message(2, 3), message(3, 1)]
    below = [summary(1, 1, [2], 0), summary(2, 1, [3], 0), summary(3, 1, [1], 1)]
    write_sqlite(tmp_path, messages, [*below, summary(4, 2, [1, 2])])
    async with OPENERS["sqlite"](tmp_path) as store:
        assert [one.source_chunk_ids for one in await store.summaries(ME)] == [(3,), (1, 2)]


@pytest.mark.parametrize("kind", WRITERS)
async def test_an_empty_original_file_opens(tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path, [], [])
    async with OPENERS[kind](tmp_path) as store:
        assert [one.owner for one in await store.owners()] == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01 10:00:00", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00.25+02:00", "2024-05-01T08:00:00.250000+00:00"),
        (1714557600, "2024-05-01T10:00:00+00:00"),
        ("yesterday", "1970-01-01T00:00:00+00:00"),
        (None, "1970-01-01T00:00:00+00:00"),
        (1e99, "1970-01-01T00:00:00+00:00"),
    ],
)
def test_dates(text: object, expected: str) -> None:
    assert utc(text) == expected


@given(st.from_regex(r"[0-2]\d\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d(\.\d{6})?\+00:00", fullmatch=True))
def test_dates_as_we_write_them_are_read_alike_one_by_one_and_together(text: str) -> None:
    assert utc_of_each([text, None]) == [utc(text), None]


CHUNKS = st.one_of(st.integers(1, 6), st.sampled_from(["a", "b"]))


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), st.none() | CHUNKS), max_size=12),
    st.lists(st.tuples(st.integers(1, 3), st.lists(CHUNKS, max_size=4), st.booleans()), max_size=6),
)
def test_whatever_a_file_claims_the_invariants_hold(
    messages: list[tuple[str, int | str | None]], summaries: list[tuple[int, list[int | str], bool]]
) -> None:
    """A chunk has its summary, a summary's chunks are its messages', sources are lower summaries that exist."""
    old = [OldMessage(id=n, role=role, created_at=f"{n}", chunk=c) for n, (role, c) in enumerate(messages, start=1)]
    sums = [
        OldSummary(id=n, level=level, sources=tuple(sources), is_active=active)
        for n, (level, sources, active) in enumerate(summaries, start=1)
    ]
    found = repair(old, sums)
    levels = {one.id: one.level for one in sums}
    listed = {source for one in sums if one.level == 1 for source in one.sources}
    for one in old:
        chunk = found.chunk_of[one.id]
        assert chunk is None or chunk in found.covers[chunk].chunks
        assert one.chunk not in listed or chunk is not None
        assert found.turn_of[one.id] <= one.id
    for number, cover in found.covers.items():
        covered = [one.id for one in old if found.chunk_of[one.id] in cover.chunks]
        assert cover.count == len(covered)
        assert not covered or (cover.first_id, cover.last_id) == (covered[0], covered[-1])
        assert all(chunk in levels for chunk in cover.chunks)
        assert all(levels[source] < levels[number] for source in cover.sources)
