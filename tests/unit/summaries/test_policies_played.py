"""Tests of fold policies in the whole program: when they fold, what prompts contain, and that nothing is lost."""

import logging
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from records.context import Context
from records.forgetting import ForgetRequest
from records.messages import Message, NewMessage
from records.owners import Policy, StorageType
from records.scopes import Scope
from records.summaries import Summary, SummaryReason
from summaries.policies import POLICIES
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
TIGHT = {
    "max_context_tokens": 3000,
    "system_prompt": "You are a friendly assistant.",
    "system_budget": 100,
    "summary_budget": 300,
    "recent_budget": 2600,
    "snippet_budget": 0,
}
GIST = "They talked about animals."


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        talk.server.set_default_answer("summary-model", GIST)
        await talk.turn_on_memory(every_n=3, storage=storage)
        yield talk


async def set_policy(talk: ChatHarness, policy: Policy, **changes: object) -> None:
    await talk.services.memory.change_config(
        ANNA.id,
        lambda known: replace(known, policy=policy, **changes),  # type: ignore[arg-type]
    )


async def list_messages(talk: ChatHarness) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


async def list_summary_versions(talk: ChatHarness) -> list[Summary]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.list_summaries(SCOPE, active_only=False)


async def get_active_summary(talk: ChatHarness) -> Summary:
    (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
    return summary


def assert_no_hole(context: Context, messages: Sequence[Message]) -> None:
    """Assert that each earlier message is in the prompt, covered by a summary there, or listed as cut."""
    verbatim = {message.id for message in context.recent}
    verbatim |= {snippet.message.id for snippet in context.snippets}
    for message in messages:
        told = any(summary.first_id <= message.id <= summary.last_id for summary in context.summaries)
        assert message.id in verbatim or told or any(cut.first_id <= message.id <= cut.last_id for cut in context.cut)


async def test_rolling_keeps_one_summary_based_on_its_predecessor(talk: ChatHarness) -> None:
    await set_policy(talk, "rolling")
    for number in range(4):
        await talk.run_turn(f"Animal {number}.")
    assert await list_summary_versions(talk) == []
    for number in range(4, 13):
        await talk.run_turn(f"Animal {number}.")
    made = await list_summary_versions(talk)
    assert [(summary.base_id, summary.source_ids, summary.message_count) for summary in made] == [
        (None, (), 2),
        (1, (1,), 10),
        (2, (2,), 18),
    ]
    assert [summary.is_active for summary in made] == [False, False, True]
    assert {summary.policy for summary in made} == {"rolling"}
    assert all(summary.milliseconds >= 0 and summary.tokens_in and summary.tokens_out for summary in made)
    assert [message.is_active for message in await list_messages(talk)] == [False] * 18 + [True] * 8
    reply = await talk.say("What now?")
    assert reply.context is not None
    assert [summary.id for summary in reply.context.summaries] == [1], "an earlier version stays for a while"
    assert len(reply.context.recent) == 24, "with all that was said since, word for word"
    assert_no_hole(reply.context, (await list_messages(talk))[:26])
    second = talk.list_prompts("summary-model")[1]
    assert GIST in second
    assert "Animal 1." in second
    assert "Animal 0." not in second, "what its predecessor tells is not read again"
    status = await talk.services.summaries.read_status(SCOPE)
    compressed = [summary.compression_count for summary in await talk.services.summaries.list_active_summaries(SCOPE)]
    assert (compressed, max(status.counts.active_by_level, default=0)) == ([3], 1)


async def test_rolling_summary_is_cut_to_configured_tokens(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, rolling_summary_tokens=30) as talk:
        await talk.turn_on_memory()
        await set_policy(talk, "rolling")
        words = " ".join(f"w{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(300))
        talk.server.set_default_answer("summary-model", words)
        for number in range(5):
            await talk.run_turn(f"Animal {number}.")
        assert len((await get_active_summary(talk)).text) < 200


async def test_sliding_summary_covers_only_window(talk: ChatHarness, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await set_policy(talk, "sliding")
    animals = ("quokka", "walrus", "heron", "otter", "lynx", "ibis", "stoat", "newt", "gecko")
    talk.server.set_default_answer("summary-model", Behaviour(mode="extract:1"))
    for number, animal in enumerate(animals):
        await talk.run_turn(f"I saw one {animal}.")
        assert len(await list_summary_versions(talk)) == max(0, number - 1)
    summary = await get_active_summary(talk)
    assert (summary.first_id, summary.last_id, summary.message_count, summary.base_id) == (5, 18, 14, 6)
    assert "quokka" not in summary.text
    assert "walrus" not in summary.text
    assert "messages 3-4 left the sliding window of 7" in caplog.text
    messages = await list_messages(talk)
    assert not any(message.is_active for message in messages)
    reply = await talk.say("Where did I see the quokka?")
    assert reply.context is not None
    assert reply.context.cut == (), "the first version stays in prompts for a while, and covers what left the window"
    assert_no_hole(reply.context, messages)


async def test_sliding_summary_repeating_dropped_turns_is_remade_from_window(talk: ChatHarness) -> None:
    await set_policy(talk, "sliding")
    for number in range(7):
        await talk.run_turn("I saw one quokka." if number == 0 else f"I saw animal {number}.")
    talk.server.requests.clear()
    talk.server.script("summary-model", "Anna saw a quokka.", "Anna saw animals.")
    await talk.run_turn("I saw animal 8.")
    first, second = talk.list_prompts("summary-model")
    assert "<dropped>" in first
    assert "quokka" in first
    assert "quokka" not in second
    assert "tells of what was to be dropped" in second
    assert (await get_active_summary(talk)).text == "Anna saw animals."


@pytest.mark.parametrize("policy", ["rolling", "sliding"])
async def test_summary_version_stays_in_prompt_for_several_turns(talk: ChatHarness, policy: Policy) -> None:
    """The prompt prefix is stable in seven of eight turns, and no later message is missing."""
    await set_policy(talk, policy)
    told: list[int] = []
    for number in range(50):
        before = await list_messages(talk)
        reply = await talk.say(f"Animal {number} of many.")
        assert reply.context is not None
        assert_no_hole(reply.context, before)
        if reply.context.summaries:
            (shown,) = reply.context.summaries
            recent = [stored_message.id for stored_message in reply.context.recent]
            assert recent == list(range(recent[0], before[-1].id + 1))
            assert recent[0] <= shown.last_id + 1
            assert not any(cut.what == "turns" for cut in reply.context.cut)
            assert len(recent) < 32
            told.append(shown.id)
        await talk.conversation.run_post_turn_tasks(SCOPE)
    assert len(await list_summary_versions(talk)) > (10 if policy == "rolling" else 45)
    assert len(set(told[-32:])) <= 5
    prompts = [request.messages for request in talk.server.list_requests("chat-model")][-32:]
    same = [old[: len(old) - 1] == new[: len(old) - 1] for old, new in pairwise(prompts)]
    assert sum(same) >= 27


async def test_small_recent_budget_cuts_no_turns_under_sliding_policy(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, recent_budget=600, embedding_model="none") as talk:
        talk.server.set_default_answer("summary-model", GIST)
        await talk.turn_on_memory()
        await set_policy(talk, "sliding")
        for number in range(30):
            before = await list_messages(talk)
            reply = await talk.say(f"Animal {number}: " + "otters and newts " * 30)
            assert reply.context is not None
            assert_no_hole(reply.context, before)
            assert not any(cut.what == "turns" for cut in reply.context.cut)
            await talk.conversation.run_post_turn_tasks(SCOPE)


@pytest.mark.parametrize("policy", ["rolling", "sliding"])
async def test_forgotten_message_is_in_no_earlier_summary_version_shown(talk: ChatHarness, policy: Policy) -> None:
    await set_policy(talk, policy)
    talk.server.set_default_answer("summary-model", Behaviour(mode="extract:5"))
    for number in range(28):
        await talk.run_turn("I saw one quokka." if number == 22 else f"Animal {number} of many.")
    [said] = [message for message in await list_messages(talk) if "quokka" in message.content]
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(said.turn,)))
    for number in range(28, 34):
        reply = await talk.say(f"Animal {number} of many.")
        assert reply.context is not None
        assert_no_hole(reply.context, (await list_messages(talk))[:-2])
        assert "quokka" not in talk.list_prompts()[-1]
        await talk.conversation.run_post_turn_tasks(SCOPE)


@pytest.mark.parametrize("seed", range(3))
async def test_random_policy_switches_lose_no_messages(talk: ChatHarness, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    said: list[str] = []
    for number in range(30):
        if chance.random() < 0.3:
            await set_policy(talk, chance.choice(list(POLICIES)))
        if chance.random() < 0.1:
            await talk.services.summaries.fold(SCOPE, "now")
        said.append(f"Fact {number} of {chance.choice(['otters', 'newts'])}.")
        before = await list_messages(talk)
        reply = await talk.say(said[-1])
        assert reply.context is not None
        assert_no_hole(reply.context, before)
        await talk.conversation.run_post_turn_tasks(SCOPE)
    messages, made = await list_messages(talk), {version.id: version for version in await list_summary_versions(talk)}
    assert [message.content for message in messages if message.role == "user"] == said
    for message in messages:
        assert message.is_active is (message.chunk_id is None)
        assert message.is_active or message.chunk_id in made
    for summary in made.values():
        assert set(summary.source_ids) <= made.keys()
        assert all(not made[source].is_active for source in summary.source_ids)


@pytest.mark.parametrize("choice", [{"auto_fold": False}, {"incognito": True}])
async def test_only_explicit_fold_works_when_automatic_folding_is_off(
    talk: ChatHarness, choice: dict[str, bool]
) -> None:
    await set_policy(talk, "pyramid", auto_fold=False)
    for number in range(6):
        await talk.run_turn(f"Animal {number}.")
    await set_policy(talk, "pyramid", **{"auto_fold": True, **choice})
    for reason in ("threshold", "idle", "pressure", "cut"):
        assert (await talk.services.summaries.fold(SCOPE, reason)).state == "nothing"
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"


async def test_owner_wishes_are_sent_to_summary_model(talk: ChatHarness) -> None:
    await set_policy(talk, "pyramid", fold_instructions="Always name the animals.")
    for number in range(3):
        await talk.run_turn(f"Animal {number}.")
    (request,) = talk.server.list_requests("summary-model")
    assert "Always name the animals." in request.messages[0]["content"]
    assert [message["role"] for message in request.messages] == ["system", "user"]


async def test_tool_output_is_not_summarized(talk: ChatHarness) -> None:
    await talk.run_turn("Animal 0.")
    async with talk.services.memory.open_store(ANNA.id) as store:
        draft = NewMessage(role="assistant", content="tool output", created_at=talk.moment[0], origin="tool")
        await store.append_messages(SCOPE, [draft])
    await talk.services.summaries.fold(SCOPE, "now")
    (prompt,) = talk.list_prompts("summary-model")
    assert "Animal 0." in prompt
    assert "tool output" not in prompt
    assert (await get_active_summary(talk)).message_count == 3


async def test_rejected_summary_is_retried_once_with_reasons(talk: ChatHarness) -> None:
    talk.server.script("summary-model", "The user owes 98765 euros.", GIST)
    for number in range(3):
        assert await talk.run_turn(f"Animal {number}.") == ()
    first, second = talk.server.list_requests("summary-model")
    assert "refused" not in first.messages[0]["content"]
    assert "1 number or dates that its source lacks" in second.messages[0]["content"]
    summary = await get_active_summary(talk)
    assert summary.text == GIST
    assert summary.score is not None
    assert 0 < summary.score < 1
    assert {"retention", "novelty", "coverage", "compression", "repetition"} < summary.details.keys()


async def test_messages_stay_unfolded_after_two_rejected_summaries(talk: ChatHarness) -> None:
    talk.server.script("summary-model", "The user owes 98765 euros.", "The user owes 98764 euros.", GIST)
    told = [await talk.run_turn(f"Animal {number}.") for number in range(3)]
    assert len(told[2]) == 1
    assert len(talk.server.list_requests("summary-model")) == 2
    assert all(message.is_active for message in await list_messages(talk))


async def test_failed_sliding_folds_are_retried_with_backoff(talk: ChatHarness) -> None:
    await set_policy(talk, "sliding")
    talk.server.set_default_answer("summary-model", "The user owes 98765 euros.")
    asked = []
    for number in range(20):
        await talk.run_turn(f"Animal {number}.")
        asked.append(len(talk.server.list_requests("summary-model")))
        talk.server.requests.clear()
    assert [turn for turn, requests in enumerate(asked) if requests] == [2, 3, 5, 9, 17]
    talk.server.set_default_answer("summary-model", GIST)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded", "whoever asks for it is not put off"
    for number in range(3):
        await talk.run_turn(f"Plant {number}.")
    assert (await get_active_summary(talk)).last_id == 46, "after one that succeeded again at every turn"


# idle and pressure -------------------------------------------------------------------------------------------------


async def test_idle_conversation_with_enough_text_is_folded(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, recent_budget=200) as talk:
        await talk.turn_on_memory(every_n=500)
        await talk.run_turn("A few words.")
        await talk.services.summaries.fold_idle_conversations()
        talk.moment[0] += timedelta(hours=2)
        await talk.services.summaries.fold_idle_conversations()
        assert await list_summary_versions(talk) == [], "too little to be worth it"
        await talk.run_turn("Many words about otters and newts. " * 20)
        await talk.services.summaries.fold_idle_conversations()
        assert await list_summary_versions(talk) == [], "not quiet yet"
        talk.moment[0] += timedelta(minutes=9)
        await talk.services.summaries.fold_idle_conversations()
        assert await list_summary_versions(talk) == []
    async with open_chat_harness(tmp_path, recent_budget=200) as talk:
        talk.moment[0] += timedelta(hours=2, minutes=12)
        await talk.services.summaries.fold_idle_conversations()
        assert (await get_active_summary(talk)).reason == "idle", "after a restart too: stored times count"


async def test_failed_idle_fold_backs_off_and_notifies_owner_once(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, recent_budget=200) as talk:
        await talk.turn_on_memory(every_n=500)
        await talk.run_turn("Many words about otters and newts. " * 20)
        talk.server.set_default_answer("summary-model", Behaviour(status=401))
        for minutes in (11, 5, 6, 11):
            talk.moment[0] += timedelta(minutes=minutes)
            await talk.services.summaries.fold_idle_conversations()
        assert len(talk.server.list_requests("summary-model")) == 2, "then 20 minutes have to pass"
        assert len(await talk.run_turn("More.")) == 1
        assert await talk.run_turn("And more.") == ()


async def test_fold_under_pressure_runs_before_answer(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, **TIGHT) as talk:
        await talk.turn_on_memory(every_n=500)
        for number in range(20):
            await talk.run_turn(f"Fact {number}: " + "otters and newts " * 20)
        assert await list_summary_versions(talk) == []
        talk.server.requests.clear()
        reply = await talk.say("And now? " + "otters and newts " * 250)
        assert [request.model for request in talk.server.requests] == ["summary-model", "chat-model"]
        summary = await get_active_summary(talk)
        assert summary.reason == "pressure"
        unsummarized = [message for message in await list_messages(talk) if message.is_active]
        assert len(unsummarized) >= 20
        assert reply.context is not None
        assert reply.context.summaries == (summary,)


async def under_pressure(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=500)
    for number in range(20):
        await talk.run_turn(f"Fact {number}: " + "otters and newts " * 20)


async def test_failed_fold_under_pressure_cuts_prompt_and_answers(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, **TIGHT) as talk:
        await under_pressure(talk)
        talk.server.set_default_answer("summary-model", Behaviour(status=400))
        long = "And now? " + "otters and newts " * 250
        assert not (await talk.say(long)).is_error
        asked = len(talk.server.list_requests("summary-model"))
        reply = await talk.say(long)
        assert not reply.is_error
        assert reply.context is not None
        assert reply.context.cut
        assert len(talk.server.list_requests("summary-model")) == asked, "having failed, it is not waited for again"
        talk.server.set_default_answer("summary-model", GIST)
        await talk.conversation.run_post_turn_tasks(SCOPE)
        assert (await get_active_summary(talk)).text == GIST, "but tried again after the answer"


async def test_answer_does_not_wait_for_running_fold(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, **TIGHT) as talk:
        await under_pressure(talk)
        async with talk.services.memory.open_store(ANNA.id) as store:
            reason: SummaryReason = "now"
            assert await store.acquire_summary_lease(SCOPE, reason, now=talk.moment[0], duration=timedelta(hours=1))
        reply = await talk.say("And now? " + "otters and newts " * 250)
        assert not reply.is_error
        assert not talk.server.list_requests("summary-model")
