"""The writing of memory.json: how a row looks, and what a stop does with a snapshot that is under way."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.json import snapshot
from storage.json.store import JsonStore
from tests.contract.conftest import ANNA, config, talk

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=6), st.sampled_from((2, 4, 6)))
def test_a_row_is_written_as_an_indented_json_text(row: dict[str, object], depth: int) -> None:
    expected = json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * depth)
    assert snapshot._indented(row, depth) == expected


async def test_a_snapshot_that_is_not_wanted_any_more_leaves_the_old_one(tmp_path: Path) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.put_owner(config(store, ANNA.owner))
        await store.flush()
        await talk(store, ANNA, 2)
        before = (tmp_path / "memory.json").read_bytes()
        with pytest.raises(snapshot.NotWanted):
            await asyncio.to_thread(store._write_snapshot, lambda: False)
        assert (tmp_path / "memory.json").read_bytes() == before
        assert not (tmp_path / "memory.json.tmp").exists()


async def test_a_stop_writes_one_whole_snapshot_and_waits_for_no_other(tmp_path: Path) -> None:
    async with JsonStore.open(tmp_path) as store:
        await store.put_owner(config(store, ANNA.owner))
        await store.flush()
        await talk(store, ANNA, 2, "garden")
        # One is begun, and before it has read a row the store is closed.
        store._background = asyncio.ensure_future(store._snapshot_in_background())
    assert store.reports == []
    assert "garden" in (tmp_path / "memory.json").read_text(encoding="utf-8")
    assert not (tmp_path / "memory.json.tmp").exists()
    assert not (tmp_path / "memory.json.journal").exists()
