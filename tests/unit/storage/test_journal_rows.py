"""Rows that SQLite formats for the journal equal the portable rows, for any text."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from records.messages import NewMessage
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from storage.schema.portable_tables import MESSAGES, USERS
from storage.stores.json import JsonStore
from storage.stores.json_files import iterate_journal_entries, scan_journal

SCOPE = Scope(owner=7, thread=-3)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(ANY_TEXT, min_size=1, max_size=8), account=st.dictionaries(ANY_TEXT, FLOATS))
async def test_journal_rows_equal_stored_rows(texts: list[str], account: dict[str, float]) -> None:
    config = OwnerConfig(
        owner=SCOPE.owner,
        storage=StorageType.JSON,
        every_n=5,
        enabled=True,
        created_at=NOW,
        updated_at=NOW,
        persona_text=texts[0],
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        await demand_rows_as_stored(folder, config, texts, account)


async def demand_rows_as_stored(folder: Path, config: OwnerConfig, texts: list[str], account: dict[str, float]) -> None:
    async with JsonStore.open(folder, clock=lambda: NOW) as store:
        await store.flush_files()
        await store.upsert_owner(config)
        drafts = [
            NewMessage(role="user", content=text, speaker=text, created_at=NOW + timedelta(seconds=at))
            for at, text in enumerate([*texts, 'quotes " \\ \0 \u2028 \U0001f600'])
        ]
        stored = await store.append_messages(SCOPE, drafts)
        answer = NewMessage(
            role="assistant", content="yes", created_at=NOW, turn=stored[0].turn, explanation=json.dumps(account)
        )
        await store.append_messages(SCOPE, [answer])
        path = folder / "memory.json.journal"
        written = list(iterate_journal_entries(path, end=scan_journal(path).end, after=0))
        [said] = [entry.put[MESSAGES.name] for entry in written if len(entry.put.get(MESSAGES.name, ())) == len(drafts)]
        assert [row["content"] for row in said] == [message.content for message in stored]
        assert written[-1].put["accounts"][0]["account"] == account
        async with store.database.open_reader(None) as reader:
            for table in (USERS, MESSAGES):
                rows = [table.to_portable_row(row) for row in await reader.fetch_rows(f"SELECT * FROM {table.name}")]  # noqa: S608
                put = [row for entry in written for row in entry.put.get(table.name, ())]
                last = {tuple(row[name] for name in table.key): row for row in put}
                assert [last[tuple(row[name] for name in table.key)] for row in rows] == rows
