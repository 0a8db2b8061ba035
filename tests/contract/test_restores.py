"""Tests of restores from several files in every store."""

from datetime import timedelta

from records.summaries import SummaryLease
from storage.schema.portable_tables import RESTORES, SUMMARIES
from storage.schema.rows import MESSAGE_ROWS, format_moment
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, MINUTE, NOW, acquire_lease, append_turns, fold_messages


def make_restore_row(number: int, held: dict[str, object]) -> dict[str, object]:
    known = {"user_id": ANNA.owner, "id": number, "export": "x", "begun_at": format_moment(NOW), "held": held}
    return {"table": RESTORES.name, **known}


async def acquire_import_lease(store: MemoryStore) -> SummaryLease:
    taken = await store.acquire_summary_lease(ANNA, "import", now=NOW, duration=MINUTE)
    assert taken is not None
    return taken


async def test_running_restore_is_recorded_and_blocks_folding(store: MemoryStore) -> None:
    at_work = await acquire_import_lease(store)
    await store.history.begin_restore(at_work, [make_restore_row(0, {"parts": [], "last": None})])
    await store.history.restore_rows(
        at_work,
        [make_restore_row(0, {"parts": [2], "last": 2}), make_restore_row(7, {"table": "facts", "tags": ["a"]})],
    )
    await store.release_summary_lease(at_work)
    assert await store.history.is_empty(ANNA.owner)
    under_way = await store.history.find_restore_row(ANNA.owner)
    assert under_way is not None
    assert (under_way["export"], under_way["held"]) == ("x", {"parts": [2], "last": 2})
    assert [row["held"] for row in await store.history.list_deferred_rows(ANNA.owner)] == [
        {"table": "facts", "tags": ["a"]}
    ]
    assert await store.acquire_summary_lease(ANNA, "threshold", now=NOW, duration=MINUTE) is None
    later = await store.acquire_summary_lease(ANNA, "threshold", now=NOW + timedelta(days=2), duration=MINUTE)
    assert later is not None
    await store.history.end_restore(later, set())
    assert await store.history.find_restore_row(ANNA.owner) is None
    assert not await store.history.list_deferred_rows(ANNA.owner)


async def test_restored_summary_recounts_stored_messages_of_its_chunk(store: MemoryStore) -> None:
    await fold_messages(store, ANNA, await append_turns(store, ANNA, 2))
    [summary] = await store.list_summaries(ANNA)
    messages = await store.timeline.read_page(ANNA)
    [covering] = await store.history.read_summary_rows(ANNA.owner, [summary.id, 99])
    assert covering["summary_text"] == summary.text
    more = {**MESSAGE_ROWS.to_row(messages[-1]), "id": 50, "source": "9:9", "content": "One more."}
    at_work = await acquire_import_lease(store)
    await store.history.restore_rows_and_recount(
        at_work, [{"table": SUMMARIES.name, **covering, "message_count": 1}, {"table": "messages", **more}]
    )
    await store.release_summary_lease(at_work)
    [covering] = await store.history.read_summary_rows(ANNA.owner, [summary.id])
    assert (covering["message_count"], covering["first_id"], covering["last_id"]) == (5, 1, 50)
    assert (await acquire_lease(store, ANNA)).fence > at_work.fence
