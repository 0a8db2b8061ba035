"""Folding through the whole memory: when, what, and that a failed fold changes nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=3, storage=storage)
        yield talk


async def everything(talk: Talk) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


async def test_the_threshold_folds_all_answered_turns(talk: Talk) -> None:
    for number in range(2):
        await talk.turn(f"Point {number}.")
    assert not await talk.services.summaries.list_active_summaries(SCOPE)
    await talk.turn("Point 2.")
    (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
    assert (summary.level, summary.message_count, summary.first_id, summary.last_id) == (1, 6, 1, 6)
    assert summary.source_chunk_ids == (summary.id,)
    assert {message.chunk_id for message in await everything(talk)} == {summary.id}
    status = await talk.services.summaries.read_status(SCOPE)
    assert (status.counts.total, status.counts.archived, status.counts.active_turns) == (6, 6, 0)
    await talk.say("Next.")
    assert summary.text in talk.prompts()[-1]


async def test_a_turn_after_which_nothing_is_due_takes_no_lease(talk: Talk) -> None:
    async def fences() -> int:
        async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_reader(ANNA.id) as reader:
            row = await reader.fetch_row("SELECT last_fence FROM users WHERE user_id = ?", ANNA.id)
            return int(row[0]) if row else 0

    taken = []
    for number in range(4):
        await talk.turn(f"Point {number}.")
        taken.append(await fences())
    assert taken == [0, 0, 1, 1]


async def test_pyramid_after_many_turns(talk: Talk) -> None:
    await talk.remember(every_n=1, storage=(await talk.services.memory.get_config(ANNA.id)).storage)  # type: ignore[union-attr]
    for number in range(31):
        await talk.turn(f"Point {number}.")
    counts = (await talk.services.summaries.read_status(SCOPE)).counts
    assert counts.active_by_level == {1: 1, 2: 1, 3: 1}
    assert max(counts.active_by_level, default=0) == 3
    top = (await talk.services.summaries.list_active_summaries(SCOPE))[0]
    assert (top.first_id, top.last_id, len(top.source_chunk_ids)) == (1, 50, 25)
    assert [message.content for message in await everything(talk)][::2] == [f"Point {number}." for number in range(31)]


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
async def test_a_failed_fold_changes_nothing_is_told_once_and_tried_again(talk: Talk, answer: Behaviour) -> None:
    talk.server.default("summary-model", answer)
    notices = [await talk.turn(f"Point {number}.") for number in range(5)]
    assert [len(told) for told in notices] == [0, 0, 1, 0, 0]
    assert "Nothing is lost" in notices[2][0]
    assert all(message.is_active for message in await everything(talk))
    status = await talk.services.summaries.read_status(SCOPE)
    assert status.failure is not None
    assert status.counts.active_turns == 5
    talk.server.default("summary-model", "They made points.")
    await talk.turn("Point 5.")
    status = await talk.services.summaries.read_status(SCOPE)
    assert (status.failure, status.counts.active_turns) == (None, 0)


async def test_the_extractive_fallback_steps_in(tmp_path: Path) -> None:
    async with talking(tmp_path, summary_fallback="extractive") as talk:
        await talk.remember(every_n=2)
        talk.server.default("summary-model", Behaviour(status=400))
        for text in ("My sister Olga lives in Kazan.", "She has two dogs."):
            assert await talk.turn(text) == ()
        (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
        assert "Olga" in summary.text


async def test_a_summary_by_the_fallback_says_what_the_models_attempts_cost_as_well(tmp_path: Path) -> None:
    async with talking(tmp_path, summary_fallback="extractive") as talk:
        await talk.remember(every_n=2)
        busy = Behaviour(status=503, retry_after="0.2")
        invented = Behaviour(text="The user owes 98765 euros.", prompt_tokens=5_000)
        talk.server.script("summary-model", invented, busy, busy, busy)
        for text in ("My sister Olga lives in Kazan.", "She has two dogs."):
            assert await talk.turn(text) == ()
        (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
        assert summary.model == "extractive"
        assert summary.milliseconds >= 400  # two pauses, as long as the endpoint asked for
        assert summary.tokens_in > 5_000


async def test_now_folds_what_there_is_and_says_when_there_is_nothing(talk: Talk) -> None:
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "nothing"
    await talk.turn("One point.")
    outcome = await talk.services.summaries.fold(SCOPE, "now")
    assert (outcome.state, [summary.message_count for summary in outcome.summaries]) == ("folded", [2])
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "nothing"


async def test_one_fold_at_a_time(talk: Talk) -> None:
    await talk.turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start", text="A point was made."))
    first = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.until_held()
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "busy"
    await talk.turn("A message while it runs.")
    await talk.server.release()
    assert (await first).state == "folded"
    assert [message.is_active for message in await everything(talk)] == [False, False, True, True]


async def test_a_cancelled_fold_frees_its_scope(talk: Talk) -> None:
    await talk.turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start"))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.until_held()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"


async def test_moving_while_a_fold_runs_keeps_everything(talk: Talk) -> None:
    await talk.turn("One point.")
    talk.server.script("summary-model", Behaviour(hold="start", text="A point was made."))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.until_held()
    config = await talk.services.memory.get_config(ANNA.id)
    assert config is not None
    other = StorageType.JSON if config.storage is StorageType.SQLITE else StorageType.SQLITE
    await talk.remember(storage=other)
    await talk.server.release()
    await folding
    assert [message.content for message in await everything(talk)] == ["One point.", "Understood."]
    await talk.services.summaries.fold(SCOPE, "now")
    assert not any(message.is_active for message in await everything(talk))


async def test_a_summary_larger_than_the_window_is_made_in_parts_within_it(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember(every_n=2)
        talk.server.default("summary-model", Behaviour(mode="extract:1"))
        await talk.turn("Olga moved to Kazan. " + "She likes it there very much. " * 700)
        await talk.turn("And she has a dog.")
        (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
        assert summary.message_count == 4
        requests = talk.server.of("summary-model")
        assert len(requests) > 3
        tokens = Tokenizer.for_model("summary-model")
        for request in requests:
            sizes = (
                3 + tokens.count(message["role"]) + tokens.count(message["content"]) for message in request.messages
            )
            assert 3 + sum(sizes) <= 1000
