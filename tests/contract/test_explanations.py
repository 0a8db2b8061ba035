"""Tests of explanations, shown answers and counts in every store."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

from records.messages import NewMessage
from records.scopes import Scope
from storage.engine.sqlite import migrate_file
from storage.engine.sqlite_driver import connect
from storage.schema.migrations import MIGRATIONS
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, TOPIC, Opener, fold_messages, make_config, make_message, open_sqlite


def make_answer(number: int, turn: int, *, saved: int = 0) -> NewMessage:
    draft = make_message(f"reply {number}", role="assistant", source=f"1:{number}", turn=turn)
    return replace(draft, explanation=json.dumps({"form": 1, "number": number}), saved=saved)


async def append_turn(
    store: MemoryStore, scope: Scope, number: int, *, asked_as: int | None = None, saved: int = 0
) -> int:
    [question] = await store.append_messages(scope, [replace(make_message(f"question {number}"), telegram_id=asked_as)])
    [reply] = await store.append_messages(scope, [make_answer(number, question.turn, saved=saved)])
    return reply.id


async def find_explanation_number(store: MemoryStore, scope: Scope, telegram_id: int) -> int | None:
    text = await store.explanations.find_explanation(scope, telegram_id)
    return json.loads(text)["number"] if text else None


async def list_latest_explanation_numbers(store: MemoryStore, scope: Scope, limit: int = 1) -> list[int]:
    latest = await store.explanations.list_latest_explanations(scope, limit=limit)
    return [json.loads(text)["number"] for _, text in latest]


def forget_derived(folder: Path) -> None:
    """Delete the working copy of the JSON store, which can be rebuilt."""
    for file in folder.glob("index.db*"):
        file.unlink()


async def test_finds_newest_explanation_of_scope(store: MemoryStore) -> None:
    assert await list_latest_explanation_numbers(store, ANNA) == []
    for number in range(3):
        await append_turn(store, ANNA, number)
    await append_turn(store, TOPIC, 7)
    assert await list_latest_explanation_numbers(store, ANNA) == [2]
    assert await list_latest_explanation_numbers(store, ANNA, limit=2) == [2, 1]
    assert await list_latest_explanation_numbers(store, TOPIC) == [7]
    assert await list_latest_explanation_numbers(store, BORIS) == []


async def test_finds_explanation_by_answer_messages_or_question(
    store: MemoryStore, opener: Opener, tmp_path: Path
) -> None:
    await append_turn(store, ANNA, 1, asked_as=50)
    await append_turn(store, ANNA, 2, asked_as=60)
    await store.explanations.record_shown_messages(ANNA, "1:1", [51, 52])
    await store.explanations.record_shown_messages(ANNA, "1:9", [99])
    for telegram_id in (50, 51, 52):
        assert await find_explanation_number(store, ANNA, telegram_id) == 1
    assert await find_explanation_number(store, ANNA, 60) == 2
    assert await find_explanation_number(store, ANNA, 99) is None
    assert await find_explanation_number(store, BORIS, 51) is None
    page = await store.timeline.read_page(ANNA)
    assert [reply.telegram_id for reply in page if (reply.role, reply.source) == ("assistant", "1:1")] == [51]


async def test_keeps_newest_hundred_explanations_of_owner(store: MemoryStore) -> None:
    for number in range(60):
        await append_turn(store, BORIS, number, asked_as=1000 + number)
        await append_turn(store, TOPIC, 100 + number, asked_as=2000 + number)
        await append_turn(store, ANNA, number, asked_as=1000 + number)
    assert await find_explanation_number(store, BORIS, 1009) is None
    assert await find_explanation_number(store, BORIS, 1010) == 10
    assert await find_explanation_number(store, TOPIC, 2010) == 110
    assert await find_explanation_number(store, ANNA, 1000) == 0


async def test_saved_tokens_are_counted_once_per_answer(store: MemoryStore) -> None:
    await append_turn(store, ANNA, 1, saved=100)
    await append_turn(store, ANNA, 2, saved=50)
    await store.append_messages(ANNA, [make_answer(2, 3, saved=50)])
    assert await store.explanations.count_saved_tokens(ANNA.owner) == 150
    await store.upsert_owner(make_config(store, ANNA.owner, every_n=9))
    assert await store.explanations.count_saved_tokens(ANNA.owner) == 150
    assert await store.explanations.count_saved_tokens(BORIS.owner) == 0


async def test_explanations_and_counts_survive_reopening(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turn(store, ANNA, 1, saved=5)
        await store.explanations.record_shown_messages(ANNA, "1:1", [51])
        counts = await store.count_messages_and_summaries(ANNA)
    forget_derived(tmp_path)
    async with opener(tmp_path) as store:
        assert await find_explanation_number(store, ANNA, 51) == 1
        assert await store.explanations.count_saved_tokens(ANNA.owner) == 5
        assert await store.count_messages_and_summaries(ANNA) == counts


async def test_erasing_owner_deletes_explanations(store: MemoryStore) -> None:
    await append_turn(store, ANNA, 1, asked_as=50)
    await store.erase_owner(ANNA.owner)
    assert await list_latest_explanation_numbers(store, ANNA) == []
    assert (await store.read_context_sources(ANNA, max_turns=0, before_turn=None)).characters == 0


async def test_counts_characters_of_active_and_folded_messages(store: MemoryStore) -> None:
    texts = ["Grüße 🎈", "", "x" * 5000]
    stored = await store.append_messages(ANNA, [make_message(text) for text in texts])
    await fold_messages(store, ANNA, stored[:2])
    assert (await store.read_context_sources(ANNA, max_turns=0, before_turn=None)).characters == sum(
        len(text) for text in texts
    )


async def test_counts_characters_when_opening_older_file(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    migrate_file(file, MIGRATIONS[:3])
    with contextlib.closing(connect(file)) as connection:
        connection.execute(
            "INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at) "
            "VALUES (?, 'sqlite', 7, 1, '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00')",
            (ANNA.owner,),
        )
        connection.execute(
            "INSERT INTO messages (id, user_id, role, content, created_at, is_active, turn_id) "
            "VALUES (1, ?, 'user', 'Greenland', '2026-01-01T00:00:00+00:00', 1, 1)",
            (ANNA.owner,),
        )
    async with open_sqlite(tmp_path) as store:
        assert (await store.read_context_sources(ANNA, max_turns=0, before_turn=None)).characters == len("Greenland")
