"""Tests of folding with a whole memory: when and what it folds, and that a failed fold changes nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=3, storage=storage)
        yield talk


async def list_all_messages(talk: ChatHarness) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


async def test_reaching_threshold_folds_all_answered_turns(talk: ChatHarness) -> None:
    for number in range(2):
        await talk.run_turn(f"Point {number}.")
    assert not await talk.services.summaries.list_active_summaries(SCOPE)
    await talk.run_turn("Point 2.")
    (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
    assert (summary.level, summary.message_count, summary.first_id, summary.last_id) == (1, 6, 1, 6)
    assert summary.source_chunk_ids == (summary.id,)
    assert {message.chunk_id for message in await list_all_messages(talk)} == {summary.id}
    status = await talk.services.summaries.read_status(SCOPE)
    assert (status.counts.total, status.counts.archived, status.counts.active_turns) == (6, 6, 0)
    await talk.say("Next.")
    assert summary.text in talk.list_prompts()[-1]


async def test_turn_without_due_fold_takes_no_lease(talk: ChatHarness) -> None:
    async def fences() -> int:
        async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_reader(ANNA.id) as reader:
            row = await reader.fetch_row("SELECT last_fence FROM users WHERE user_id = ?", ANNA.id)
            return int(row[0]) if row else 0

    taken = []
    for number in range(4):
        await talk.run_turn(f"Point {number}.")
        taken.append(await fences())
    assert taken == [0, 0, 1, 1]


async def test_pyramid_has_all_levels_after_many_turns(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=1, storage=(await talk.services.memory.get_config(ANNA.id)).storage)  # type: ignore[union-attr]
    for number in range(31):
        await talk.run_turn(f"Point {number}.")
    counts = (await talk.services.summaries.read_status(SCOPE)).counts
    assert counts.active_by_level == {1: 1, 2: 1, 3: 1}
    assert max(counts.active_by_level, default=0) == 3
    top = (await talk.services.summaries.list_active_summaries(SCOPE))[0]
    assert (top.first_id, top.last_id, len(top.source_chunk_ids)) == (1, 50, 25)
    assert [message.content for message in await list_all_messages(talk)][::2] == [
        f"Point {number}." for number in range(31)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        Behaviour(status=400),
        Behaviour(text=""),
        Behaviour(text="I'm sorry, I can't help with that."),
        Behaviour(text="The user owes 98765 euros."),
        Behaviour(raw="{nonsense"),
    ],
    ids=["400", "empty", "refusal", "invented", "malformed"],
)
async def test_failed_fold_changes_nothing_and_is_reported_once_and_retried(
    talk: ChatHarness, answer: Behaviour
) -> None:
    talk.server.set_default_answer("summary-model", answer)
    notices = [await talk.run_turn(f"Point {number}.") for number in range(5)]
    assert [len(told) for told in notices] == [0, 0, 1, 0, 0]
    assert "Nothing is lost" in notices[2][0]
    assert all(message.is_active for message in await list_all_messages(talk))
    status = await talk.services.summaries.read_status(SCOPE)
    assert status.failure is not None
    assert status.counts.active_turns == 5
    talk.server.set_default_answer("summary-model", "They made points.")
    await talk.run_turn("Point 5.")
    status = await talk.services.summaries.read_status(SCOPE)
    assert (status.failure, status.counts.active_turns) == (None, 0)


async def test_extractive_fallback_summarises_after_model_failures(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, summary_fallback="extractive") as talk:
        await talk.turn_on_memory(every_n=2)
        talk.server.set_default_answer("summary-model", Behaviour(status=400))
        for text in ("My sister Olga lives in Kazan.", "She has two dogs."):
            assert await talk.run_turn(text) == ()
        (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
        assert "Olga" in summary.text


async def test_fold_now_folds_open_turns_and_reports_when_there_are_none(talk: ChatHarness) -> None:
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "nothing"
    await talk.run_turn("One point.")
    outcome = await talk.services.summaries.fold(SCOPE, "now")
    assert (outcome.state, [summary.message_count for summary in outcome.summaries]) == ("folded", [2])
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "nothing"


async def test_concurrent_folds_of_scope_run_one_at_a_time(talk: ChatHarness) -> None:
    await talk.run_turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start", text="A point was made."))
    first = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.wait_until_held()
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "busy"
    await talk.run_turn("A message while it runs.")
    await talk.server.release()
    assert (await first).state == "folded"
    assert [message.is_active for message in await list_all_messages(talk)] == [False, False, True, True]


async def test_cancelled_fold_releases_lease_of_scope(talk: ChatHarness) -> None:
    await talk.run_turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start"))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.wait_until_held()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"


async def test_moving_storage_during_fold_loses_nothing(talk: ChatHarness) -> None:
    await talk.run_turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start", text="A point was made."))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.wait_until_held()
    config = await talk.services.memory.get_config(ANNA.id)
    assert config is not None
    other = StorageType.JSON if config.storage is StorageType.SQLITE else StorageType.SQLITE
    await talk.turn_on_memory(storage=other)
    await talk.server.release()
    await folding
    assert [message.content for message in await list_all_messages(talk)] == ["One point.", "Understood."]
    await talk.services.summaries.fold(SCOPE, "now")
    assert not any(message.is_active for message in await list_all_messages(talk))


async def test_fold_larger_than_context_window_is_summarised_in_parts(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=1000) as talk:
        await talk.turn_on_memory(every_n=2)
        talk.server.set_default_answer("summary-model", Behaviour(mode="extract:1"))
        await talk.run_turn("Olga moved to Kazan. " + "She likes it there very much. " * 700)
        await talk.run_turn("And she has a dog.")
        (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
        assert summary.message_count == 4
        requests = talk.server.list_requests("summary-model")
        assert len(requests) > 3
        tokens = Tokenizer.for_model("summary-model")
        for request in requests:
            sizes = (
                3 + tokens.count(message["role"]) + tokens.count(message["content"]) for message in request.messages
            )
            assert 3 + sum(sizes) <= 1000
