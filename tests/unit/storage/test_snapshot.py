"""Writing memory.json: the format of rows, snapshots during shutdown, and repair of hand-edited files."""

import contextlib
import json
import sqlite3
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.stores import json_files as snapshot
from storage.stores.json import JsonStore
from tests.contract.conftest import ANNA, BORIS, TOPIC, append_turns, fold_messages, make_config, make_message

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=6), st.sampled_from((2, 4, 6)))
def test_row_is_formatted_as_indented_json(row: dict[str, object], depth: int) -> None:
    expected = json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * depth)
    assert snapshot.format_indented_row(row, depth) == expected


async def test_start_writes_snapshot_skipped_by_short_stop(tmp_path: Path) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        await append_turns(store, ANNA, 2, "garden")
        before = (tmp_path / "memory.json").read_bytes()
        store.set_shutdown_deadline(time.monotonic())
    assert (tmp_path / "memory.json").read_bytes() == before
    assert not (tmp_path / "memory.json.tmp").exists()
    assert (tmp_path / "memory.json.journal").exists()
    async with JsonStore.open(tmp_path) as store:
        assert store.background is not None
        await store.background
        assert "garden" in (tmp_path / "memory.json").read_text(encoding="utf-8")
        assert not (tmp_path / "memory.json.journal").exists()
        assert store.reports == []


async def test_stop_during_snapshot_leaves_complete_memory_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        await append_turns(store, ANNA, 2, "garden")
        monkeypatch.setattr(snapshot, "MIN_JOURNAL_BYTES", 1)
        # One is begun, and before it has read a row the store is closed.
        await store.append_messages(ANNA, [make_message("later")])
        assert store.background is not None
        assert not store.background.done()
    assert store.reports == []
    assert "garden" in (tmp_path / "memory.json").read_text(encoding="utf-8")
    assert not (tmp_path / "memory.json.tmp").exists()
    assert not (tmp_path / "memory.json.journal").exists()


_EVERYTHING = (
    "SELECT type, name, sql FROM sqlite_master ORDER BY name",
    "SELECT * FROM scopes ORDER BY user_id, thread_id",
    "SELECT id, messages.user_id, unindexed.user_id FROM unindexed JOIN messages USING (seq) ORDER BY 2, 1",
    "SELECT * FROM messages ORDER BY user_id, id",
    "SELECT * FROM users",
    "SELECT * FROM summaries",
)


def held(folder: Path) -> list[list[tuple[object, ...]]]:
    """Return the rows of a closed store's working copy, without their row numbers (`seq`)."""
    with contextlib.closing(sqlite3.connect(folder / "index.db")) as file:
        found = []
        for sql in _EVERYTHING:
            rows = file.execute(sql)
            names = [column[0] for column in rows.description]
            found.append(
                [tuple(value for name, value in zip(names, row, strict=True) if name != "seq") for row in rows]
            )
        return found


async def test_rebuilt_working_copy_equals_incrementally_written_one(tmp_path: Path) -> None:
    async with JsonStore.open(tmp_path) as store:
        for scope in (ANNA, BORIS):
            await store.upsert_owner(make_config(store, scope.owner))
        whole = await append_turns(store, ANNA, 3, "один ✓")
        await append_turns(store, BORIS, 1)
        await append_turns(store, TOPIC, 1)
        await fold_messages(store, ANNA, whole[:2])
    before = held(tmp_path)
    assert len(before[1]) == 3
    (tmp_path / "index.db").unlink()
    async with JsonStore.open(tmp_path) as store:
        assert store.reports == []
    assert held(tmp_path) == before


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"content": "\ud83d half"}, {"content": "\ufffd half"}, id="half a character"),
        pytest.param({"created_at": "2024-05-01 10:00"}, {"created_at": "2024-05-01T10:00:00+00:00"}, id="no zone"),
        pytest.param({"created_at": "soon"}, {"created_at": "1970-01-01T00:00:00+00:00"}, id="no date"),
        pytest.param({"chunk_id": 77}, {"chunk_id": None, "is_active": 1}, id="a summary cut out"),
        pytest.param({"id": 2, "content": "turn 1"}, {"id": 2, "content": "turn 1"}, id="one message twice"),
        pytest.param({"id": 2}, None, id="two texts under one id"),
        pytest.param({"content": ["a", "list"]}, None, id="no text"),
        pytest.param({"content": None}, None, id="nothing"),
        pytest.param({"source": "s"}, None, id="one source twice"),
        pytest.param({"id": 2**70}, None, id="no number of a database"),
        pytest.param({"turn_id": 2.5}, None, id="half a number"),
        pytest.param({"telegram_id": "x"}, None, id="a word instead of a number"),
    ],
)
async def test_hand_edited_message_is_repaired_or_reported(
    tmp_path: Path, change: dict[str, object], expected: dict[str, object] | None
) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        [first] = await store.append_messages(ANNA, [make_message("turn 0")])
        await store.append_messages(ANNA, [make_message("turn 1", source="s", turn=first.turn)])
    file = tmp_path / "memory.json"
    whole = json.loads(file.read_text(encoding="utf-8"))
    messages = whole["messages"]["42"]
    whole["messages"]["42"] = [*messages[1:], messages[0] | change]
    file.write_text(json.dumps(whole), encoding="utf-8")
    (tmp_path / "index.db").unlink()
    async with JsonStore.open(tmp_path) as store:
        assert bool(store.reports) == (expected is None)
    with contextlib.closing(sqlite3.connect(tmp_path / "index.db")) as index:
        index.row_factory = sqlite3.Row
        rows = [dict(row) for row in index.execute("SELECT * FROM messages")]
    assert (expected is None) == (not rows)
    assert expected is None or any(expected.items() <= row.items() for row in rows)


@pytest.mark.parametrize("rows", [0, False, "", {}, {"1": {}}, 5, "text"])
async def test_messages_of_owner_that_are_not_a_list_are_reported(tmp_path: Path, rows: object) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message("turn 0")])
    file = tmp_path / "memory.json"
    whole = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(whole | {"messages": {"42": rows}}), encoding="utf-8")
    (tmp_path / "index.db").unlink()
    async with JsonStore.open(tmp_path) as store:
        assert store.reports
