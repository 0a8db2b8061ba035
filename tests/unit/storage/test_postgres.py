"""Tests of what only PostgreSQL has: SQL translation, row security, migrations, partitions, connection errors."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from external_memory import ExternalMemory
from records.errors import SettingsError, StorageError, StorageTooNew, StorageTooOld
from records.forgetting import ForgetRequest
from records.scopes import Scope
from storage.engine.postgres import make_connection_error
from storage.engine.postgres_driver import (
    MAX_ROWS_PER_INSERT,
    build_multirow_insert,
    encode_statement,
    register_type_adapters,
)
from storage.schema import postgres_migrations as migrations
from storage.schema.postgres_migrations import MIGRATIONS
from storage.schema.rows import MESSAGE_ROWS
from storage.search.postgres_full_text import HOLDING, MATCHES
from storage.stores.postgres import PostgresStore, open_postgres_database
from storage.tables.history import insert_messages
from storage.tables.messages import read_last_turns
from tests.contract.conftest import ANNA, BORIS, NOW, append_turns, fold_messages, make_config, make_message
from tests.support.postgres_server import STRANGER, create_database, let_in, make_schema_address


@asynccontextmanager
async def open_postgres_store(url: str) -> AsyncIterator[PostgresStore]:
    async with open_postgres_database(url) as database:
        store = PostgresStore(database)
        for owner in (ANNA.owner, BORIS.owner):
            await store.upsert_owner(make_config(store, owner))
        yield store


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT a FROM t WHERE b = ? AND c = ?", "SELECT a FROM t WHERE b = $1 AND c = $2"),
        ("SELECT ?2, ?1, '?' -- why?", "SELECT $2, $1, '?' -- why?"),
    ],
)
def test_question_marks_become_numbered_parameters(ours: str, theirs: str) -> None:
    assert encode_statement(ours) == theirs.encode()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("INSERT INTO t (a) VALUES (?, f(?, ' '))", "INSERT INTO t (a) VALUES (?, f(?, ' ')), (?, f(?, ' '))"),
        ("INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = MAX(a, excluded.a)", None),
        ("INSERT INTO t (a) VALUES (?) RETURNING (a)", None),
        ("INSERT INTO t (a, b) VALUES (?2, ?1)", None),
        ("UPDATE t SET a = ? WHERE b = (?)", None),
    ],
)
def test_builds_multirow_insert_only_for_plain_inserts(ours: str, theirs: str | None) -> None:
    assert build_multirow_insert(ours, 2) == theirs


async def test_inserting_many_messages_updates_counters_once_per_statement(tmp_path: Path, postgres_url: str) -> None:
    """Updating a scope's counters per message made one row version per message, which took quadratic time."""
    count = 2 * MAX_ROWS_PER_INSERT + 3
    async with open_postgres_database(make_schema_address(postgres_url, tmp_path)) as database:
        store = PostgresStore(database)
        await store.upsert_owner(make_config(store, ANNA.owner))
        row = MESSAGE_ROWS.to_row((await append_turns(store, ANNA, 1))[0])
        async with database.open_transaction(ANNA.owner) as tx:
            before = await tx.fetch_rows(_VERSIONS)
            await insert_messages(tx, [{**row, "id": number} for number in range(10, 10 + count)])
            after = await tx.fetch_rows(_VERSIONS)
        assert [later[0] - earlier[0] for earlier, later in zip(before, after, strict=True)] == [3, 3]
        assert (await store.count_messages_and_summaries(ANNA)).total == 2 + count


_MANY = """
INSERT INTO words
SELECT 1, seq, array_to_tsvector(ARRAY(SELECT 'u1t0x' || (seq * term) % 1201 FROM generate_series(1, 40) AS term))
FROM generate_series(1, 4000) AS seq;
INSERT INTO places (user_id, thread_id, seq, message_id, said_at, is_person, is_assistant, length, size, marks)
SELECT 1, 0, seq, seq, seq, 0, 1, 40, 200, decode(repeat('00', 160), 'hex') FROM generate_series(1, 4000) AS seq;
ANALYZE words; ANALYZE places
"""


@pytest.mark.parametrize("statement", [MATCHES, HOLDING])
async def test_word_search_uses_index_when_all_rows_belong_to_one_owner(
    tmp_path: Path, postgres_url: str, statement: str
) -> None:
    """With the server's default settings, all 10,000 messages of the owner were compared, which took 90 ms."""
    question = " | ".join(f"u1t0x{number}" for number in range(100, 105))
    values = (1, question, 20)[: statement.count("?") if "?1" not in statement else 2]
    async with open_postgres_database(make_schema_address(postgres_url, tmp_path)) as database:
        async with database.open_transaction(1) as tx:
            await tx.run(lambda connection: connection.run(_MANY))
        async with database.open_reader(1) as reader:
            plan = "\n".join(row[0] for row in await reader.fetch_rows(f"EXPLAIN {statement}", *values))
    assert "Bitmap Index Scan on word_terms" in plan, plan
    assert "Seq Scan" not in plan, plan


async def test_reading_last_turns_scans_index_once_without_statistics(tmp_path: Path, postgres_url: str) -> None:
    """The table is not analysed yet after a large import. The last turns were searched for each message of a scope."""
    scans = "SELECT idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'messages' AND schemaname = current_schema()"
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
        await store.append_messages(ANNA, [make_message(f"turn {number}") for number in range(100)])
        async with store.database.open_transaction(ANNA.owner) as tx:
            [before] = await tx.fetch_rows(scans)
            last = await tx.run(read_last_turns, ANNA, 2)
            [after] = await tx.fetch_rows(scans)
    assert [message.content for message in last] == ["turn 98", "turn 99"]
    assert after[0] - before[0] == 2, "the last turns, and their messages"


_VERSIONS = """
SELECT n_tup_ins + n_tup_upd FROM pg_stat_xact_user_tables
WHERE relname IN ('scopes', 'scope_words') AND schemaname = current_schema() ORDER BY relname
"""


def test_text_round_trips_exactly(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        register_type_adapters(raw)

        @given(st.text(st.sampled_from("\0\ufdd0" + "0a😀")) | st.text())
        def kept(text: str) -> None:
            text = text.encode(errors="replace").decode()  # half surrogates are replaced by every store
            found = raw.execute("SELECT %b", (text,), binary=True).fetchone()
            assert found == (text,)

        kept()


async def test_row_security_hides_rows_of_other_owners_from_non_table_owner(tmp_path: Path, postgres_url: str) -> None:
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
        for scope in (ANNA, BORIS):
            await fold_messages(store, scope, await append_turns(store, scope, 2))
    let_in(postgres_url, tmp_path)
    with psycopg.connect(make_schema_address(postgres_url, tmp_path, user=STRANGER), autocommit=True) as raw:
        tables = [row[0] for row in raw.execute("SELECT tablename FROM pg_tables WHERE rowsecurity").fetchall()]
        assert {"users", "messages", "summaries", "words", "places"} <= set(tables)

        def owners() -> set[Any]:
            found = (raw.execute(f"SELECT user_id FROM {table}".encode()).fetchall() for table in tables)  # noqa: S608
            return {row[0] for rows in found for row in rows}

        assert owners() == set()
        for owner in (ANNA.owner, BORIS.owner):
            raw.execute("SELECT set_config('app.owner', %s, false)", (str(owner),))
            assert owners() == {owner}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("INSERT INTO restores VALUES (%s, 0, 'x', '', '{}')", (ANNA.owner,))
        assert raw.execute("DELETE FROM messages WHERE user_id = %s", (ANNA.owner,)).rowcount == 0
        raw.execute("SELECT set_config('app.owner', '*', false)")
        assert owners() == {ANNA.owner, BORIS.owner}


async def test_store_works_under_row_security(tmp_path: Path, postgres_url: str) -> None:
    """Every query names the owner whose rows it needs."""
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)):
        pass
    let_in(postgres_url, tmp_path)
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path, user=STRANGER)) as store:
        stored = await append_turns(store, ANNA, 3)
        await append_turns(store, BORIS, 1)
        await fold_messages(store, ANNA, stored[:4])
        assert [hit.id for hit in await store.search_messages(ANNA, ["repli"], limit=9)] == [6, 4, 2]
        assert len(await store.vectors.list_unembedded_messages_with_seqs("m", 99)) == 8
        taken = await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(stored[0].id,)), now=NOW)
        assert (taken.messages, taken.summaries) == (1, 1)
        assert len(await store.timeline.read_page(ANNA)) == 5
        assert await store.list_owners() == [BORIS.owner, ANNA.owner]


async def test_concurrent_starts_run_each_migration_once(tmp_path: Path, postgres_url: str) -> None:
    url = make_schema_address(postgres_url, tmp_path)

    async def start() -> None:
        async with open_postgres_database(url):
            pass

    await asyncio.gather(*(start() for _ in range(6)))
    with psycopg.connect(url) as raw:
        assert raw.execute("SELECT version FROM keepsake_schema").fetchall() == [(len(MIGRATIONS),)]


async def test_refuses_schema_of_newer_version(tmp_path: Path, postgres_url: str) -> None:
    url = make_schema_address(postgres_url, tmp_path)
    async with open_postgres_database(url):
        pass
    with psycopg.connect(url) as raw:
        raw.execute("UPDATE keepsake_schema SET version = version + 1")
    with pytest.raises(StorageTooNew, match="newer version of Keepsake"):
        async with open_postgres_database(url):
            pass


async def test_refuses_schema_from_before_first_version(tmp_path: Path, postgres_url: str) -> None:
    url = make_schema_address(postgres_url, tmp_path)
    with psycopg.connect(url) as raw:
        raw.execute("CREATE TABLE keepsake AS SELECT 14 AS version")
    with pytest.raises(StorageTooOld, match="start that version again and send /export json"):
        async with open_postgres_database(url):
            pass


async def test_later_migration_keeps_existing_rows(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
        await append_turns(store, ANNA, 2)
    step = "ALTER TABLE messages ADD COLUMN mood TEXT NOT NULL DEFAULT 'glad'"
    monkeypatch.setattr(migrations, "MIGRATIONS", [*MIGRATIONS, step])
    for _ in range(2):
        async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
            assert len(await store.timeline.read_page(ANNA)) == 4
    with psycopg.connect(make_schema_address(postgres_url, tmp_path)) as raw:
        assert raw.execute("SELECT DISTINCT mood FROM messages").fetchall() == [("glad",)]
        assert raw.execute("SELECT version FROM keepsake_schema").fetchall() == [(len(MIGRATIONS) + 1,)]


async def test_refuses_and_leaves_tables_of_another_program(postgres_url: str) -> None:
    url = create_database(postgres_url, f"anothers_{os.getpid()}")  # a schema of earlier tests has our tables
    with psycopg.connect(url) as raw:
        raw.execute("CREATE TABLE users (name TEXT)")
    with pytest.raises(StorageError, match="tables of another program"):
        async with open_postgres_database(url):
            pass
    with psycopg.connect(url) as raw:
        assert raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall() == [
            ("users",)
        ]


async def test_lists_database_of_earlier_version_without_migrating_it(tmp_path: Path, postgres_url: str) -> None:
    url = make_schema_address(postgres_url, tmp_path)
    assert ExternalMemory.list_outdated_databases(tmp_path, url) == []
    async with open_postgres_store(url):
        assert ExternalMemory.list_outdated_databases(tmp_path, url) == []
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("UPDATE keepsake_schema SET version = version - 1")
        assert ExternalMemory.list_outdated_databases(tmp_path, url) == ["the PostgreSQL database"]
        assert raw.execute("SELECT version FROM keepsake_schema").fetchall() == [(len(MIGRATIONS) - 1,)]


async def test_schema_that_user_may_not_read_is_a_sentence(tmp_path: Path, postgres_url: str) -> None:
    url = create_database(postgres_url, f"private_{os.getpid()}")
    async with open_postgres_store(url):
        pass
    with pytest.raises(StorageError, match="does not allow that to this user"):
        ExternalMemory.list_outdated_databases(tmp_path, make_conninfo(url, user=STRANGER))


async def test_store_works_on_tables_partitioned_by_owner(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are hash-partitioned before the first start, and the statements are the same."""
    monkeypatch.setattr(migrations, "MIGRATIONS", [divided(), *MIGRATIONS[1:]])
    new = Scope(owner=-1_000_000_001_007)
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
        for scope in (ANNA, BORIS):
            await fold_messages(store, scope, (await append_turns(store, scope, 3))[:4])
        await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(1,)), now=NOW)
        before = await store.count_messages_and_summaries(BORIS)
        await store.rename_owner(BORIS.owner, new.owner)
        assert await store.count_messages_and_summaries(new) == before
        assert len(await store.search_messages(new, ["repli"], limit=9)) == 3
        assert (await store.count_messages_and_summaries(ANNA)).total == 5
        await store.erase_owner(new.owner)
        assert len(await store.vectors.list_unembedded_messages_with_seqs("m", 99)) == 5
    with psycopg.connect(make_schema_address(postgres_url, tmp_path)) as raw:
        found = raw.execute("SELECT COUNT(*) FROM pg_inherits WHERE inhparent = 'messages'::regclass").fetchone()
    assert found == (4,)


def divided() -> str:
    """Return the schema with each table that has a `user_id` split into four hash partitions."""
    schema, shared, rest = MIGRATIONS[0].partition("-- The processes;")

    def partitioned(made: re.Match[str]) -> str:
        name, columns = made.group(1), made.group(2)
        if "user_id" not in columns:
            return made.group()
        parts = "".join(
            f"CREATE TABLE {name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS 4, REMAINDER {part});\n"
            for part in range(4)
        )
        return f"CREATE TABLE {name} ({columns}\n) PARTITION BY HASH (user_id);\n{parts}"

    return (
        re.sub(r"CREATE TABLE (\w+) \((.*?)\n\)(?: WITH \([^)]*\))?;", partitioned, schema, flags=re.DOTALL)
        + shared
        + rest
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"host": "nobody.invalid"}, "name of the PostgreSQL server's machine is not known"),
        ({"user": "nobody"}, "does not accept this user or password"),
        ({"dbname": "nothing"}, "has no such database"),
    ],
)
async def test_rejected_connection_raises_settings_error_without_password(
    postgres_url: str, change: dict[str, str], sentence: str
) -> None:
    url = make_conninfo(**{**conninfo_to_dict(postgres_url), "password": "hush-hush", **change})  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=sentence) as refused:
        async with open_postgres_database(url):
            pass
    assert refused.value.variable == "DATABASE_URL"
    assert "hush" not in refused.value.sentence


async def test_unreachable_server_raises_storage_error(postgres_url: str) -> None:
    url = make_conninfo(**{**conninfo_to_dict(postgres_url), "host": "/nowhere/role"})  # type: ignore[arg-type]
    with pytest.raises(StorageError, match="no PostgreSQL server answers"):
        async with open_postgres_database(url):
            pass


@pytest.mark.parametrize(
    "words",
    [
        "FATAL:  the database system is starting up",
        "FATAL:  the database system is shutting down",
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "keepsake"',
        "connection refused",
    ],
)
def test_temporary_connection_failure_is_storage_error(words: str) -> None:
    assert isinstance(make_connection_error(f"connection failed: {words}"), StorageError)


def test_permission_denied_on_socket_is_explained() -> None:
    """Some servers put their socket into the data folder, which only the server's user may open."""
    words = 'connection to server on socket "/var/lib/password/.s.PGSQL.5432" failed: Permission denied'
    assert "may not open the socket" in make_connection_error(f"{words}\n\tIs the server running locally?").plain


async def test_dead_connection_is_replaced_and_open_transaction_rolled_back(tmp_path: Path, postgres_url: str) -> None:
    async with open_postgres_store(make_schema_address(postgres_url, tmp_path)) as store:
        await store.append_messages(ANNA, [make_message("before")])
        cut_off(postgres_url, tmp_path)
        await store.append_messages(ANNA, [make_message("after a restart of the server")])

        async def half() -> None:
            async with store.database.open_transaction(ANNA.owner) as tx:
                await tx.execute("UPDATE messages SET content = 'half'")
                cut_off(postgres_url, tmp_path)
                await tx.execute("UPDATE messages SET speaker = 'done'")

        with pytest.raises(StorageError, match="cannot be reached"):
            await half()
        assert [message.content for message in await store.timeline.read_page(ANNA)] == [
            "before",
            "after a restart of the server",
        ]


def cut_off(url: str, folder: Path) -> None:
    """End the server's side of every connection to a folder's schema, as a restart does."""
    name = conninfo_to_dict(make_schema_address(url, folder))["application_name"]
    ending = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
    with psycopg.connect(url, autocommit=True) as raw:
        assert raw.execute(ending, (name,)).fetchall()
