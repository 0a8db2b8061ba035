"""Tests of owners, messages, folds, leases, moves and erasure in every memory store."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from records.errors import StaleSummary, StorageError
from records.messages import Origin
from records.scopes import Scope
from records.status import Counts
from records.summaries import SummaryPlan
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import (
    ANNA,
    BORIS,
    MINUTE,
    NOW,
    STORES,
    TOPIC,
    Opener,
    acquire_lease,
    append_turns,
    fold_messages,
    fold_summaries,
    make_config,
    make_message,
    make_summary,
    open_json,
    open_sqlite,
)
from text import analyzer


async def test_finds_owner_config_as_stored(store: MemoryStore) -> None:
    changed = make_config(store, ANNA.owner, every_n=9, enabled=False)
    await store.upsert_owner(changed)
    assert await store.find_owner_config(ANNA.owner) == changed
    assert await store.list_owners() == [BORIS.owner, ANNA.owner]
    assert await store.find_owner_config(1) is None


async def test_rejects_writes_for_unknown_owner(store: MemoryStore) -> None:
    with pytest.raises(StorageError):
        await store.append_messages(Scope(owner=1), [make_message("hello")])
    with pytest.raises(StorageError):
        await store.acquire_summary_lease(Scope(owner=1), "now", now=NOW, duration=MINUTE)


async def test_questions_of_same_second_keep_insertion_order(store: MemoryStore) -> None:
    """Telegram dates questions in whole seconds, but answers are dated by this machine's clock."""
    second = NOW.replace(microsecond=0)
    asked = [replace(make_message(text), created_at=second) for text in ("one", "two", "three")]
    for question, milliseconds in zip(asked, (700, 2_500, 2_900), strict=True):
        [stored] = await store.append_messages(ANNA, [question])
        answered = second + timedelta(milliseconds=milliseconds)
        await store.append_messages(
            ANNA, [replace(make_message("so"), role="assistant", created_at=answered, turn=stored.turn)]
        )
    page = await store.timeline.read_page(ANNA)
    assert [message.content for message in page if message.role == "user"] == ["one", "two", "three"]
    for before, after in itertools.pairwise(page):
        assert (before.created_at, before.id) < (after.created_at, after.id)


async def test_message_round_trips_unchanged(store: MemoryStore) -> None:
    text = '  Grüße \u2028 \x85\x00 "quoted" \\ 日本語 🎈\n\tend '
    draft = replace(make_message(text, source="1:2"), telegram_id=77)
    [stored] = await store.append_messages(ANNA, [draft])
    assert (stored.content, stored.turn, stored.is_active) == (text, stored.id, True)
    assert await store.read_messages(ANNA, [stored.id]) == [stored]
    assert await store.append_messages(ANNA, [draft]) == [stored]


async def test_replaces_lone_surrogates(store: MemoryStore, opener: Opener, tmp_path: Path) -> None:
    [stored] = await store.append_messages(ANNA, [make_message("a \ud83d b \ud83d\ude00 c")])
    assert stored.content == "a \ufffd b 😀 c"


async def test_rejects_naive_datetime(store: MemoryStore) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(ValueError, match="zone"):
        await store.append_messages(ANNA, [replace(make_message("x"), created_at=naive)])
    assert (await store.count_messages_and_summaries(ANNA)).total == 0


async def test_message_with_same_source_is_stored_once(store: MemoryStore) -> None:
    [first] = await store.append_messages(ANNA, [make_message("one", source="1:1")])
    again = await store.append_messages(
        ANNA, [make_message("other words", source="1:1"), make_message("two", source="1:2")]
    )
    twice = await store.append_messages(
        ANNA, [make_message("three", source="1:3"), make_message("three", source="1:3")]
    )
    answer = await store.append_messages(ANNA, [make_message("reply", role="assistant", source="1:1")])
    assert again[0] == first
    assert twice[0] == twice[1]
    assert answer[0].role == "assistant"
    assert [message.content for message in await store.timeline.read_page(ANNA)] == ["one", "two", "three", "reply"]


async def test_sources_are_unique_per_owner(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message("hers", source="1:1")])
    await store.append_messages(BORIS, [make_message("his", source="1:1")])
    assert [message.content for message in await store.timeline.read_page(BORIS)] == ["his"]
    [found] = await store.append_messages(BORIS, [make_message("his again", source="1:1")])
    assert found.content == "his"


async def test_concurrent_appends_get_ascending_ids_without_gaps(store: MemoryStore) -> None:
    await asyncio.gather(
        *(
            store.append_messages(scope, [make_message(f"{n}", source=f"1:{n % 20}")])
            for n in range(40)
            for scope in (ANNA, BORIS)
        )
    )
    for scope in (ANNA, BORIS):
        assert [message.id for message in await store.timeline.read_page(scope)] == list(range(1, 21))


async def test_pages_backwards_with_messages_in_ascending_order(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message(f"{n}") for n in range(7)])
    newest = await store.timeline.read_page(ANNA, limit=3)
    older = await store.timeline.read_page(ANNA, before_id=newest[0].id, limit=3)
    assert [message.content for message in older + newest] == ["1", "2", "3", "4", "5", "6"]


async def test_reads_complete_last_turns_including_folded_messages(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    await fold_messages(store, ANNA, stored[:6])
    assert [turn.id for turn in await store.read_last_turns(ANNA, 2)] == [message.id for message in stored[4:]]
    assert [turn.id for turn in await store.read_last_turns(ANNA, 2, before_turn=stored[4].turn)] == [
        message.id for message in stored[:4]
    ]
    assert await store.read_last_turns(ANNA, 0) == []


async def test_scopes_of_one_owner_are_isolated(store: MemoryStore) -> None:
    [secret] = await store.append_messages(TOPIC, [make_message("the password is walrus")])
    [other] = await store.append_messages(BORIS, [make_message("the weather is walrus")])
    assert await store.list_scopes(BORIS.owner) == [BORIS, TOPIC]
    assert await store.read_messages(BORIS, [secret.id, other.id]) == [other]
    assert (
        await store.timeline.read_page(BORIS)
        == await store.list_unsummarized_messages(BORIS)
        == await store.read_last_turns(BORIS, 9)
        == [other]
    )
    assert await store.search_messages(TOPIC, ["walrus"], limit=9) == [secret]
    assert (await store.count_messages_and_summaries(BORIS)).total == 1
    with pytest.raises(StaleSummary):
        await fold_messages(store, BORIS, [secret])
    await fold_messages(store, TOPIC, [secret])
    assert await store.list_summaries(BORIS, active_only=False) == []


async def test_counts_messages_turns_and_summaries(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    first = await fold_messages(store, ANNA, stored[:2])
    second = await fold_messages(store, ANNA, stored[2:4])
    await fold_summaries(store, ANNA, [first, second])
    await fold_messages(store, ANNA, stored[4:6])
    counts = await store.count_messages_and_summaries(ANNA)
    characters = sum(len(message.content) for message in stored)
    assert counts == Counts(total=8, archived=6, active_turns=1, active_by_level={1: 1, 2: 1}, characters=characters)
    assert await store.count_messages_and_summaries(BORIS) == Counts(total=0, archived=0, active_turns=0)


async def test_counts_active_messages_before_newest_summary_as_gap(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 4)
    await fold_messages(store, ANNA, stored[:2])
    assert (await store.count_messages_and_summaries(ANNA)).gap == 0
    await fold_messages(store, ANNA, stored[4:6])
    assert (await store.count_messages_and_summaries(ANNA)).gap == 2


# words -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I sold two machines", "which machine?"),
        ("Купил новую машину вчера", "что с машиной?"),
        ("我喜欢喝茶", "喝茶"),
        ("Café Zürich", "cafe zurich"),
        ("order DR-2041 is late", "where is DR-2041"),
        ("हिन्दी भाषा", "भाषा"),
        ("what's up in C++?", "C++ well-known what's \" OR NEAR( *"),
    ],
)
async def test_search_finds_words_in_many_languages(store: MemoryStore, text: str, question: str) -> None:
    await store.append_messages(ANNA, [make_message("something else entirely"), make_message(text)])
    hits = await store.search_messages(ANNA, analyzer.list_distinct_search_terms(question), limit=5)
    assert [hit.content for hit in hits] == [text]


async def test_search_accepts_any_terms(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message('say "hello" AND goodbye')])
    assert await store.search_messages(ANNA, [], limit=5) == []
    assert await store.search_messages(ANNA, ["hello"], limit=0) == []
    for term in ('"', "AND", "a b", "*", "", "^x", "col:x", "(", "\x00", "й́", "x" * 10_000):
        await store.search_messages(ANNA, [term], limit=5)
    assert len(await store.search_messages(ANNA, [str(n) for n in range(500)], limit=5)) <= 1


async def test_folded_messages_stay_searchable(store: MemoryStore) -> None:
    stored = await store.append_messages(ANNA, [make_message("my cat is Möhre")])
    await fold_messages(store, ANNA, stored)
    [hit] = await store.search_messages(ANNA, ["mohr", "mohre"], limit=5)
    assert hit.content == "my cat is Möhre"
    assert await store.search_messages(ANNA, analyzer.list_search_terms("They talked."), limit=5) == []


# folds -------------------------------------------------------------------------------------------------------
async def test_fold_archives_exactly_its_messages(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    summary = await fold_messages(store, ANNA, stored[:4])
    assert (summary.level, summary.source_chunk_ids, summary.source_ids) == (1, (summary.id,), ())
    assert (summary.first_id, summary.last_id, summary.message_count) == (stored[0].id, stored[3].id, 4)
    assert (summary.first_at, summary.tokens_in, summary.model) == (NOW, 7, "m")
    after = await store.timeline.read_page(ANNA)
    assert [message.chunk_id for message in after] == [summary.id] * 4 + [None] * 2
    assert [replace(message, chunk_id=None) for message in after] == stored
    assert await store.list_unsummarized_messages(ANNA) == stored[4:]


async def test_higher_fold_replaces_its_sources(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    below = [await fold_messages(store, ANNA, stored[n : n + 2]) for n in (0, 2)]
    upper = await fold_summaries(store, ANNA, below)
    assert (upper.level, upper.source_chunk_ids) == (2, (below[0].id, below[1].id))
    assert upper.source_ids == (below[0].id, below[1].id)
    assert (upper.first_id, upper.last_id, upper.message_count) == (stored[0].id, stored[3].id, 4)
    assert await store.list_summaries(ANNA) == [upper]
    assert [summary.is_active for summary in await store.list_summaries(ANNA, active_only=False)] == [
        False,
        False,
        True,
    ]
    with pytest.raises(StaleSummary):
        await fold_summaries(store, ANNA, below)


async def test_scope_has_at_most_one_live_lease(store: MemoryStore) -> None:
    first = await acquire_lease(store, ANNA)
    assert await store.acquire_summary_lease(ANNA, "now", now=NOW + MINUTE / 2, duration=MINUTE) is None
    assert await store.acquire_summary_lease(TOPIC, "now", now=NOW, duration=MINUTE) is not None
    second = await store.acquire_summary_lease(ANNA, "now", now=NOW + MINUTE, duration=MINUTE)
    assert second is not None
    assert second.fence > first.fence


async def test_lost_lease_changes_nothing(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    plan = SummaryPlan(level=1, message_ids=(stored[0].id,), reason="now")
    lost = await acquire_lease(store, ANNA)
    taker = await store.acquire_summary_lease(ANNA, "now", now=NOW + 2 * MINUTE, duration=MINUTE)
    assert taker is not None
    with pytest.raises(StaleSummary):
        await store.commit_summary(lost, plan, make_summary(), now=NOW)
    await store.record_summary_failure(lost, "too late", now=NOW)
    await store.release_summary_lease(lost)
    assert await store.find_summary_failure(ANNA) is None
    assert await store.list_summaries(ANNA) == []
    await store.commit_summary(taker, plan, make_summary(), now=NOW)
    with pytest.raises(StaleSummary):
        await store.commit_summary(taker, plan, make_summary(), now=NOW)


async def test_rejects_fold_whose_sources_changed(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    await fold_messages(store, ANNA, stored[:2])
    held = await acquire_lease(store, ANNA)
    for ids in ((stored[0].id, stored[2].id), (stored[2].id, 999), ()):
        with pytest.raises(StaleSummary):
            await store.commit_summary(
                held, SummaryPlan(level=1, message_ids=ids, reason="now"), make_summary(), now=NOW
            )
    assert (await store.count_messages_and_summaries(ANNA)).archived == 2
    await store.commit_summary(
        held, SummaryPlan(level=1, message_ids=(stored[2].id,), reason="now"), make_summary(), now=NOW
    )


async def test_fold_failure_is_kept_until_fold_succeeds(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 1)
    first = await store.record_summary_failure(await acquire_lease(store, ANNA), "no answer", now=NOW)
    assert (first.attempts, first.told, first.error) == (1, False, "no answer")
    await store.mark_summary_failure_reported(ANNA)
    second = await store.record_summary_failure(await acquire_lease(store, ANNA), "refused", now=NOW)
    assert (second.attempts, second.told, second.error) == (2, True, "refused")
    assert await store.find_summary_failure(ANNA) == second
    assert await store.list_unsummarized_messages(ANNA) == stored
    await fold_messages(store, ANNA, stored)
    assert await store.find_summary_failure(ANNA) is None


async def test_fold_failure_can_be_recorded_as_already_reported(store: MemoryStore) -> None:
    """A turn that ends between the failure and its report must not report it a second time."""
    await store.record_summary_failure(await acquire_lease(store, ANNA), "no answer", now=NOW)
    second = await store.record_summary_failure(await acquire_lease(store, ANNA), "refused", now=NOW, is_reported=True)
    assert (second.attempts, second.told) == (2, True)


async def test_released_lease_can_be_acquired_at_once(store: MemoryStore) -> None:
    await store.release_summary_lease(await acquire_lease(store, ANNA))
    assert await acquire_lease(store, ANNA)
    assert await store.find_summary_failure(ANNA) is None


async def test_void_leases_frees_leases_of_previous_process(store: MemoryStore) -> None:
    held = await acquire_lease(store, ANNA)
    await store.void_leases()
    assert (await acquire_lease(store, ANNA)).fence > held.fence


# owner-wide --------------------------------------------------------------------------------------------------
async def test_memory_survives_reopening(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        stored = await append_turns(store, ANNA, 3)
        await fold_messages(store, ANNA, stored[:2])
        await store.record_summary_failure(await acquire_lease(store, ANNA), "x", now=NOW)
        before = (
            await store.compute_digest(ANNA.owner),
            await store.timeline.read_page(ANNA),
            await store.find_summary_failure(ANNA),
        )
    async with opener(tmp_path) as store:
        after = (
            await store.compute_digest(ANNA.owner),
            await store.timeline.read_page(ANNA),
            await store.find_summary_failure(ANNA),
        )
        assert after == before
        assert len(await store.search_messages(ANNA, ["turn"], limit=9)) == 3
        [fresh] = await store.append_messages(ANNA, [make_message("next")])
        assert fresh.id == stored[-1].id + 1


@pytest.mark.parametrize("source", STORES)
@pytest.mark.parametrize("target", STORES)
async def test_moving_owner_between_stores_keeps_everything(
    tmp_path: Path, opener_of: Callable[[str], Opener], source: str, target: str
) -> None:
    """Ids, counters and the search index move along, and the old store keeps nothing of the owner."""
    for name in "ab":
        (tmp_path / name).mkdir()
    async with opener_of(source)(tmp_path / "a") as old, opener_of(target)(tmp_path / "b") as new:
        for scope in (ANNA, BORIS):
            await old.upsert_owner(make_config(old, scope.owner))
        stored = await append_turns(old, ANNA, 3)
        await fold_messages(old, ANNA, stored[:4])
        await old.append_messages(BORIS, [make_message("stays")])
        await old.append_messages(ANNA, [make_message(f"line {n}") for n in range(600)])
        before = (
            await old.compute_digest(ANNA.owner),
            await old.count_messages_and_summaries(ANNA),
            await old.list_summaries(ANNA),
        )
        await new.load_owner(ANNA.owner, old.dump_owner(ANNA.owner))
        assert (
            await new.compute_digest(ANNA.owner),
            await new.count_messages_and_summaries(ANNA),
            await new.list_summaries(ANNA),
        ) == before
        with pytest.raises(StorageError):
            await new.load_owner(ANNA.owner, old.dump_owner(ANNA.owner))
        await old.erase_owner(ANNA.owner)
        assert await old.find_owner_config(ANNA.owner) is None
        assert (await old.count_messages_and_summaries(ANNA)).total == 0
        assert (await old.count_messages_and_summaries(BORIS)).total == 1
        assert len(await new.search_messages(ANNA, ["repli"], limit=9)) == 3
        [fresh] = await new.append_messages(ANNA, [make_message("next")])
        assert fresh.id == 6 + 600 + 1
        assert (await fold_messages(new, ANNA, stored[4:])).id == 2


async def test_lease_does_not_survive_move(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    async with open_sqlite(tmp_path / "a") as old, open_json(tmp_path / "b") as new:
        await old.upsert_owner(make_config(old, ANNA.owner))
        stored = await append_turns(old, ANNA, 1)
        held = await acquire_lease(old, ANNA)
        await new.load_owner(ANNA.owner, old.dump_owner(ANNA.owner))
        successor = await acquire_lease(new, ANNA)
        assert successor.fence > held.fence
        with pytest.raises(StaleSummary):
            await new.commit_summary(
                held, SummaryPlan(level=1, message_ids=(stored[0].id,), reason="now"), make_summary(), now=NOW
            )


async def test_load_is_all_or_nothing(store: MemoryStore) -> None:
    rows = [batch async for batch in store.dump_owner(ANNA.owner)]
    stranger = dict(rows[0][0], user_id=7)

    async def broken() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        yield [stranger]
        raise StorageError

    with pytest.raises(StorageError):
        await store.load_owner(7, broken())
    assert await store.find_owner_config(7) is None
    with pytest.raises(StorageError, match="not this owner"):
        await store.load_owner(8, store.dump_owner(ANNA.owner))


async def test_erased_owner_leaves_no_trace_on_disk(opener: Opener, tmp_path: Path) -> None:
    """Nothing is left in tables, index, free pages, WAL, journal or snapshot. The other owner's data stays."""
    async with opener(tmp_path) as store:
        for scope in (ANNA, BORIS):
            await store.upsert_owner(make_config(store, scope.owner))
        stored = await store.append_messages(ANNA, [make_message(f"xylophone{n} is her secret") for n in range(50)])
        await fold_messages(store, ANNA, stored[:9])
        await store.append_messages(BORIS, [make_message("walrus stays")])
        await store.flush_files()
        await store.append_messages(ANNA, [make_message("xylophone again")])
        assert has_traces(opener, tmp_path, b"xylophon")
        await store.erase_owner(ANNA.owner)
        await store.erase_owner(ANNA.owner)
        assert not has_traces(opener, tmp_path, b"xylophon")
        assert await store.search_messages(ANNA, ["xylophon"], limit=5) == []
        assert await store.list_scopes(ANNA.owner) == []
        assert len(await store.search_messages(BORIS, ["walrus"], limit=5)) == 1
    assert not has_traces(opener, tmp_path, b"xylophon")


def has_traces(opener: Opener, folder: Path, needle: bytes) -> bool:
    return any(needle in content for content in opener.contents(folder))


async def test_digest_changes_with_content_and_owner(store: MemoryStore) -> None:
    before = await store.compute_digest(ANNA.owner)
    await store.append_messages(ANNA, [make_message("x")])
    after = await store.compute_digest(ANNA.owner)
    assert before != after
    assert after != await store.compute_digest(BORIS.owner)


@pytest.mark.parametrize("steps", range(0, 40, 3))
async def test_cancelled_append_is_all_or_nothing(store: MemoryStore, steps: int) -> None:
    """After a cancellation at any step, no half turn and no lock remain, and the next write works."""
    task = asyncio.ensure_future(
        store.append_messages(ANNA, [make_message("one", source="1:1"), make_message("two", source="1:2")])
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    if task.cancel():  # not where it was done already: it takes one hop to the database's thread
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await store.count_messages_and_summaries(ANNA)).total in (0, 2)
    await store.append_messages(ANNA, [make_message("one", source="1:1"), make_message("two", source="1:2")])
    assert [message.content for message in await store.timeline.read_page(ANNA)] == ["one", "two"]


async def test_abandoned_dump_does_not_block_store(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message(f"{n}") for n in range(600)])
    for _ in range(10):
        dump = store.dump_owner(ANNA.owner)
        async for _batch in dump:
            break
        await dump.aclose()  # type: ignore[attr-defined]
    assert (await store.count_messages_and_summaries(ANNA)).total == 600


async def test_lease_expires_by_callers_clock(store: MemoryStore) -> None:
    second = timedelta(seconds=1)
    assert await store.acquire_summary_lease(ANNA, "idle", now=NOW, duration=second) is not None
    assert await store.acquire_summary_lease(ANNA, "idle", now=NOW + 0.9 * second, duration=second) is None
    assert await store.acquire_summary_lease(ANNA, "idle", now=NOW + second, duration=second) is not None


async def test_message_origin_survives_reopening(opener: Opener, tmp_path: Path) -> None:
    """Learning depends on the origin: file passages and picture descriptions are not the person's own words."""
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        stored = await store.append_messages(
            ANNA, [replace(make_message(f"from {origin}"), origin=origin) for origin in get_args(Origin)]
        )
    async with opener(tmp_path) as store:
        assert await store.timeline.read_page(ANNA) == stored
        assert {message.content: message.origin for message in stored} == {
            f"from {origin}": origin for origin in get_args(Origin)
        }
