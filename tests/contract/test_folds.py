"""Folds of all policies: rolling versions, sliding windows, idle scopes and rebuilds."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from records.errors import StaleSummary
from records.messages import Message, NewMessage
from records.scopes import Scope
from records.summaries import NewSummary, RebuiltSummary, Summary, SummaryPlan
from storage.stores.memory_store import MemoryStore
from storage.tables.folds import make_summary_fields
from tests.contract.conftest import (
    ANNA,
    BORIS,
    MINUTE,
    NOW,
    TOPIC,
    Opener,
    acquire_lease,
    append_turns,
    fold_messages,
    make_config,
    make_summary,
)


def get_ids(messages: list[Message]) -> tuple[int, ...]:
    return tuple(message.id for message in messages)


async def fold_version(
    store: MemoryStore, messages: list[Message], base: Summary | None, window: list[Message]
) -> Summary:
    plan = SummaryPlan(
        level=1,
        message_ids=get_ids(messages),
        summary_ids=(base.id,) if base else (),
        base_id=base.id if base else None,
        window_ids=get_ids(window),
        reason="threshold",
        policy="sliding" if window else "rolling",
    )
    text = replace(make_summary(), score=0.5, details={"retention": 0.25})
    return await store.commit_summary(await acquire_lease(store, ANNA), plan, text, now=NOW)


async def test_rolling_summary_replaces_its_base(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    first = await fold_version(store, stored[:2], None, [])
    second = await fold_version(store, stored[2:], first, [])
    assert (second.base_id, second.source_ids, second.level) == (first.id, (first.id,), 1)
    assert [summary.id for summary in await store.list_superseded_summaries(ANNA, limit=9)] == [first.id]
    assert second.source_chunk_ids == (first.id, second.id)
    assert (second.first_id, second.last_id, second.message_count) == (stored[0].id, stored[5].id, 6)
    assert (second.policy, second.reason, second.score, second.details) == (
        "rolling",
        "threshold",
        0.5,
        {"retention": 0.25},
    )
    assert await store.list_summaries(ANNA) == [second]


async def test_sliding_summary_covers_only_its_window(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    first = await fold_version(store, stored[:6], None, stored[:6])
    second = await fold_version(store, stored[6:], first, stored[2:])
    assert (second.first_id, second.last_id, second.message_count) == (stored[2].id, stored[7].id, 6)
    assert second.source_chunk_ids == (first.id, second.id)
    assert [message.chunk_id for message in await store.timeline.read_page(ANNA)] == [first.id] * 6 + [second.id] * 2
    with pytest.raises(StaleSummary):
        await fold_version(store, [], second, [*stored[2:], replace(stored[7], id=99)])


async def test_finds_first_and_last_message_id_of_scope(store: MemoryStore) -> None:
    assert await store.find_first_and_last_message_id(ANNA) == (1, 1)
    stored = await append_turns(store, ANNA, 2)
    assert await store.find_first_and_last_message_id(ANNA) == (stored[0].id, stored[-1].id)


async def test_lists_idle_scopes_with_unfolded_messages(store: MemoryStore) -> None:
    mine, topic = await append_turns(store, ANNA, 2), await append_turns(store, TOPIC, 1)
    await fold_messages(store, ANNA, mine[:2])
    later = NewMessage(role="user", content="later", created_at=NOW + 5 * MINUTE)
    assert await store.list_idle_scopes_with_last_ids(NOW - MINUTE) == []
    assert sorted(await store.list_idle_scopes_with_last_ids(NOW)) == [(TOPIC, topic[-1].id), (ANNA, mine[-1].id)]
    [newest] = await store.append_messages(ANNA, [later])
    assert await store.list_idle_scopes_with_last_ids(NOW + MINUTE) == [(TOPIC, topic[-1].id)]
    assert (ANNA, newest.id) in await store.list_idle_scopes_with_last_ids(NOW + 5 * MINUTE)
    usual = make_config(store, BORIS.owner)
    for choice in (replace(usual, enabled=False), replace(usual, auto_fold=False), replace(usual, incognito=True)):
        await store.upsert_owner(choice)
        assert await store.list_idle_scopes_with_last_ids(NOW) == []
    await store.upsert_owner(usual)
    await fold_messages(store, TOPIC, topic)
    assert await store.list_idle_scopes_with_last_ids(NOW) == [], "everything is folded"


def make_rebuilt_summary(
    place: int, messages: list[Message], sources: tuple[int, ...] = (), *, is_active: bool = False
) -> RebuiltSummary:
    summary = Summary(
        id=place,
        scope=messages[0].scope,
        level=2 if sources else 1,
        created_at=messages[-1].created_at,
        source_chunk_ids=(),
        source_ids=sources,
        is_active=is_active,
        first_id=messages[0].id,
        last_id=messages[-1].id,
        first_at=messages[0].created_at,
        last_at=messages[-1].created_at,
        message_count=len(messages),
        reason="rebuild",
        **make_summary_fields(make_summary("Made anew.")),
    )
    return RebuiltSummary(summary=summary, message_ids=() if sources else get_ids(messages))


async def append_and_fold_turns(store: MemoryStore, scope: Scope = ANNA) -> list[Message]:
    """Append four turns, fold the first three, and return all messages."""
    stored = await append_turns(store, scope, 4)
    await fold_messages(store, scope, stored[:6])
    return stored


async def test_rebuild_replaces_all_summaries_of_scope(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        for owner in (ANNA.owner, BORIS.owner):
            await store.upsert_owner(make_config(store, owner))
        stored, others = await append_and_fold_turns(store), await append_and_fold_turns(store, TOPIC)
        theirs = await store.list_summaries(TOPIC)
        held = await acquire_lease(store, ANNA)
        outline = await store.rebuilds.read_outlines(ANNA)
        assert [(message.id, message.turn, message.is_user) for message in outline] == [
            (message.id, message.turn, message.role == "user") for message in stored[:6]
        ]
        row = [
            make_rebuilt_summary(0, stored[:4]),
            make_rebuilt_summary(1, stored[4:6]),
            make_rebuilt_summary(2, stored[:6], (0, 1), is_active=True),
        ]
        await store.rebuilds.commit_rebuild(held, row, outline, since=NOW, now=NOW)
        digest = await store.compute_digest(ANNA.owner)
    async with opener(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest, "it is on disk"
        low, high, top = await store.list_summaries(ANNA, active_only=False)
        assert [summary.id for summary in (low, high, top)] == [2, 3, 4], "ids are not used again"
        assert (top.source_ids, top.source_chunk_ids, top.is_active) == ((2, 3), (2, 3), True)
        assert (low.is_active, low.reason, low.text) == (False, "rebuild", "Made anew.")
        assert [message.chunk_id for message in await store.timeline.read_page(ANNA)] == [2] * 4 + [3] * 2 + [None] * 2
        assert await store.list_summaries(TOPIC) == theirs
        assert [message.chunk_id for message in await store.timeline.read_page(TOPIC)][:6] == [1] * 6
        assert len(others) == 8
        assert await store.acquire_summary_lease(ANNA, "now", now=NOW, duration=MINUTE), "the lease is free"


async def test_rejects_rebuild_with_lost_lease_or_changed_sources(store: MemoryStore) -> None:
    stored = await append_and_fold_turns(store)
    outline = await store.rebuilds.read_outlines(ANNA)
    held = await acquire_lease(store, ANNA)
    lost = replace(held, fence=held.fence - 1)
    for lease_of, seen in ((lost, outline), (held, outline[1:])):
        with pytest.raises(StaleSummary):
            await store.rebuilds.commit_rebuild(
                lease_of, [make_rebuilt_summary(0, stored[:6])], seen, since=NOW, now=NOW
            )
    with pytest.raises(StaleSummary):
        await store.rebuilds.extend_lease(lost, NOW + MINUTE)
    await store.rebuilds.extend_lease(held, NOW + 9 * MINUTE)
    assert await store.acquire_summary_lease(ANNA, "now", now=NOW + 8 * MINUTE, duration=MINUTE) is None, (
        "it holds longer now"
    )
    await store.release_summary_lease(held)
    assert (await store.list_summaries(ANNA))[0].text == "They talked."


async def test_summary_correction_survives_reopening(opener: Opener, tmp_path: Path) -> None:
    made = NewSummary(text="Again.", model="small", prompt_version="1", details={"compressed": 2.0})
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_and_fold_turns(store)
        held = await acquire_lease(store, ANNA)
        assert await store.rebuilds.correct_summary_if_exists(held, 1, "They talked about Basel.")
        assert not await store.rebuilds.correct_summary_if_exists(held, 99, "Nothing.")
        lost = replace(held, fence=held.fence - 1)
        for change in (
            store.rebuilds.correct_summary_if_exists(lost, 1, "Late."),
            store.rebuilds.replace_summary_text(lost, 1, made),
        ):
            with pytest.raises(StaleSummary):
                await change
    async with opener(tmp_path) as store:
        [kept] = await store.list_summaries(ANNA)
        assert (kept.text, kept.correction) == ("They talked about Basel.", "They talked about Basel.")
        await store.rebuilds.replace_summary_text(held, 1, made)
        [kept] = await store.list_summaries(ANNA)
        assert (kept.text, kept.model, kept.details) == ("Again.", "small", {"compressed": 2.0})


async def test_interrupted_rebuild_is_listed_after_at_most_two_restarts(opener: Opener, tmp_path: Path) -> None:
    for start in range(5):
        async with opener(tmp_path) as store:
            if start == 0:
                await store.upsert_owner(make_config(store, ANNA.owner))
                await append_and_fold_turns(store)
            await store.void_leases()
            assert await store.rebuilds.list_interrupted_rebuilds() == ([ANNA] if 0 < start < 3 else [])
            assert await store.acquire_summary_lease(ANNA, "rebuild", now=NOW + timedelta(hours=start), duration=MINUTE)
    async with opener(tmp_path) as store:
        await store.void_leases()
        held = await acquire_lease(store, ANNA)
        await store.release_summary_lease(held)
        taken = await store.acquire_summary_lease(ANNA, "now", now=NOW, duration=MINUTE)
        assert taken is not None
        await store.record_summary_failure(taken, "no", now=NOW)
        assert await store.rebuilds.list_interrupted_rebuilds() == []


async def test_lists_newest_superseded_summaries(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    base: Summary | None = None
    for end in (2, 4, 6, 8):
        base = await fold_version(store, stored[end - 2 : end], base, [])
    assert base is not None
    older = [summary.id for summary in await store.list_summaries(ANNA, active_only=False) if not summary.is_active]
    assert len(older) == 3
    assert [summary.id for summary in await store.list_superseded_summaries(ANNA, limit=2)] == older[-2:]
    assert await store.list_superseded_summaries(TOPIC, limit=2) == []


async def test_chunk_id_is_id_of_first_summary(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    made = [await fold_messages(store, ANNA, stored[:4]), await fold_messages(store, ANNA, stored[4:])]
    [early, late] = await store.read_messages(ANNA, [stored[0].id, stored[-1].id])
    assert [early.chunk_id, late.chunk_id] == [summary.id for summary in made]
    ids = [made[1].id, 99]
    assert [summary.id for summary in await store.list_summaries(ANNA, ids=ids)] == [made[1].id]
    assert not await store.list_summaries(ANNA, ids=[])
    assert not await store.list_summaries(BORIS, ids=ids)
