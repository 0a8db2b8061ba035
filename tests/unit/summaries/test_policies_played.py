"""The policies through the whole memory: what is summarised when, what the prompt carries, and that nothing is lost."""

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
from tests.support.talk import ANNA, Talk, talking

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
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        talk.server.default("summary-model", GIST)
        await talk.remember(every_n=3, storage=storage)
        yield talk


async def choose(talk: Talk, policy: Policy, **changes: object) -> None:
    await talk.services.memory.change_config(
        ANNA.id,
        lambda known: replace(known, policy=policy, **changes),  # type: ignore[arg-type]
    )


async def everything(talk: Talk) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


async def versions(talk: Talk) -> list[Summary]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.list_summaries(SCOPE, active_only=False)


async def live(talk: Talk) -> Summary:
    (summary,) = await talk.services.summaries.list_active_summaries(SCOPE)
    return summary


def demand_no_hole(context: Context, messages: Sequence[Message]) -> None:
    """Each earlier message is verbatim, told by a summary in the prompt, or in the account."""
    verbatim = {message.id for message in context.recent}
    verbatim |= {snippet.message.id for snippet in context.snippets}
    for message in messages:
        told = any(summary.first_id <= message.id <= summary.last_id for summary in context.summaries)
        assert message.id in verbatim or told or any(cut.first_id <= message.id <= cut.last_id for cut in context.cut)


async def test_rolling_keeps_one_summary_based_on_its_predecessor(talk: Talk) -> None:
    await choose(talk, "rolling")
    for number in range(4):
        await talk.turn(f"Animal {number}.")
    assert await versions(talk) == []
    for number in range(4, 13):
        await talk.turn(f"Animal {number}.")
    made = await versions(talk)
    assert [(summary.base_id, summary.source_ids, summary.message_count) for summary in made] == [
        (None, (), 2),
        (1, (1,), 10),
        (2, (2,), 18),
    ]
    assert [summary.is_active for summary in made] == [False, False, True]
    assert {summary.policy for summary in made} == {"rolling"}
    assert all(summary.milliseconds >= 0 and summary.tokens_in and summary.tokens_out for summary in made)
    assert [message.is_active for message in await everything(talk)] == [False] * 18 + [True] * 8
    reply = await talk.say("What now?")
    assert reply.context is not None
    assert [summary.id for summary in reply.context.summaries] == [1], "an earlier version stays for a while"
    assert len(reply.context.recent) == 24, "with all that was said since, word for word"
    demand_no_hole(reply.context, (await everything(talk))[:26])
    second = talk.prompts("summary-model")[1]
    assert GIST in second
    assert "Animal 1." in second
    assert "Animal 0." not in second, "what its predecessor tells is not read again"
    status = await talk.services.summaries.read_status(SCOPE)
    compressed = [summary.compression_count for summary in await talk.services.summaries.list_active_summaries(SCOPE)]
    assert (compressed, max(status.counts.active_by_level, default=0)) == ([3], 1)


async def test_a_rolling_summary_has_at_most_its_tokens(tmp_path: Path) -> None:
    async with talking(tmp_path, rolling_summary_tokens=30) as talk:
        await talk.remember()
        await choose(talk, "rolling")
        words = " ".join(f"w{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(300))
        talk.server.default("summary-model", words)
        for number in range(5):
            await talk.turn(f"Animal {number}.")
        assert len((await live(talk)).text) < 200


async def test_sliding_tells_of_the_window_only(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await choose(talk, "sliding")
    animals = ("quokka", "walrus", "heron", "otter", "lynx", "ibis", "stoat", "newt", "gecko")
    talk.server.default("summary-model", Behaviour(mode="extract:1"))
    for number, animal in enumerate(animals):
        await talk.turn(f"I saw one {animal}.")
        assert len(await versions(talk)) == max(0, number - 1)
    summary = await live(talk)
    assert (summary.first_id, summary.last_id, summary.message_count, summary.base_id) == (5, 18, 14, 6)
    assert "quokka" not in summary.text
    assert "walrus" not in summary.text
    assert "messages 3-4 left the sliding window of 7" in caplog.text
    messages = await everything(talk)
    assert not any(message.is_active for message in messages)
    reply = await talk.say("Where did I see the quokka?")
    assert reply.context is not None
    assert reply.context.cut == (), "the first version stays in prompts for a while, and covers what left the window"
    demand_no_hole(reply.context, messages)


async def test_a_sliding_summary_that_repeats_what_left_is_made_from_the_window_alone(talk: Talk) -> None:
    await choose(talk, "sliding")
    for number in range(7):
        await talk.turn("I saw one quokka." if number == 0 else f"I saw animal {number}.")
    talk.server.requests.clear()
    talk.server.script("summary-model", "Anna saw a quokka.", "Anna saw animals.")
    await talk.turn("I saw animal 8.")
    first, second = talk.prompts("summary-model")
    assert "<dropped>" in first
    assert "quokka" in first
    assert "quokka" not in second
    assert "tells of what was to be dropped" in second
    assert (await live(talk)).text == "Anna saw animals."


@pytest.mark.parametrize("policy", ["rolling", "sliding"])
async def test_a_live_summary_stays_in_the_prompt_for_a_while(talk: Talk, policy: Policy) -> None:
    """The prompt's beginning is the same in seven turns of eight, and nothing that was said since is missing."""
    await choose(talk, policy)
    told: list[int] = []
    for number in range(50):
        before = await everything(talk)
        reply = await talk.say(f"Animal {number} of many.")
        assert reply.context is not None
        demand_no_hole(reply.context, before)
        if reply.context.summaries:
            (shown,) = reply.context.summaries
            recent = [stored_message.id for stored_message in reply.context.recent]
            assert recent == list(range(recent[0], before[-1].id + 1))
            assert recent[0] <= shown.last_id + 1
            assert not any(cut.what == "turns" for cut in reply.context.cut)
            assert len(recent) < 32
            told.append(shown.id)
        await talk.conversation.run_post_turn_tasks(SCOPE)
    assert len(await versions(talk)) > (10 if policy == "rolling" else 45)
    assert len(set(told[-32:])) <= 5
    prompts = [request.messages for request in talk.server.of("chat-model")][-32:]
    same = [old[: len(old) - 1] == new[: len(old) - 1] for old, new in pairwise(prompts)]
    assert sum(same) >= 27


async def test_where_what_was_said_since_has_no_room_a_newer_version_is_shown(tmp_path: Path) -> None:
    async with talking(tmp_path, recent_budget=600, embedding_model="none") as talk:
        talk.server.default("summary-model", GIST)
        await talk.remember()
        await choose(talk, "sliding")
        for number in range(30):
            before = await everything(talk)
            reply = await talk.say(f"Animal {number}: " + "otters and newts " * 30)
            assert reply.context is not None
            demand_no_hole(reply.context, before)
            assert not any(cut.what == "turns" for cut in reply.context.cut)
            await talk.conversation.run_post_turn_tasks(SCOPE)


@pytest.mark.parametrize("policy", ["rolling", "sliding"])
async def test_what_was_forgotten_is_in_no_earlier_version(talk: Talk, policy: Policy) -> None:
    await choose(talk, policy)
    talk.server.default("summary-model", Behaviour(mode="extract:5"))
    for number in range(28):
        await talk.turn("I saw one quokka." if number == 22 else f"Animal {number} of many.")
    [said] = [message for message in await everything(talk) if "quokka" in message.content]
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(said.turn,)))
    for number in range(28, 34):
        reply = await talk.say(f"Animal {number} of many.")
        assert reply.context is not None
        demand_no_hole(reply.context, (await everything(talk))[:-2])
        assert "quokka" not in talk.prompts()[-1]
        await talk.conversation.run_post_turn_tasks(SCOPE)


@pytest.mark.parametrize("seed", range(3))
async def test_policies_switched_at_random_lose_nothing(talk: Talk, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    said: list[str] = []
    for number in range(30):
        if chance.random() < 0.3:
            await choose(talk, chance.choice(list(POLICIES)))
        if chance.random() < 0.1:
            await talk.services.summaries.fold(SCOPE, "now")
        said.append(f"Fact {number} of {chance.choice(['otters', 'newts'])}.")
        before = await everything(talk)
        reply = await talk.say(said[-1])
        assert reply.context is not None
        demand_no_hole(reply.context, before)
        await talk.conversation.run_post_turn_tasks(SCOPE)
    messages, made = await everything(talk), {version.id: version for version in await versions(talk)}
    assert [message.content for message in messages if message.role == "user"] == said
    for message in messages:
        assert message.is_active is (message.chunk_id is None)
        assert message.is_active or message.chunk_id in made
    for summary in made.values():
        assert set(summary.source_ids) <= made.keys()
        assert all(not made[source].is_active for source in summary.source_ids)


@pytest.mark.parametrize("choice", [{"auto_fold": False}, {"incognito": True}])
async def test_with_automatic_summaries_off_only_now_makes_one(talk: Talk, choice: dict[str, bool]) -> None:
    await choose(talk, "pyramid", auto_fold=False)
    for number in range(6):
        await talk.turn(f"Animal {number}.")
    await choose(talk, "pyramid", **{"auto_fold": True, **choice})
    for reason in ("threshold", "idle", "pressure", "cut"):
        assert (await talk.services.summaries.fold(SCOPE, reason)).state == "nothing"
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"


async def test_an_owners_wishes_are_told_to_the_model(talk: Talk) -> None:
    await choose(talk, "pyramid", fold_instructions="Always name the animals.")
    for number in range(3):
        await talk.turn(f"Animal {number}.")
    (request,) = talk.server.of("summary-model")
    assert "Always name the animals." in request.messages[0]["content"]
    assert [message["role"] for message in request.messages] == ["system", "user"]


async def test_what_tools_gave_out_is_not_summarized(talk: Talk) -> None:
    await talk.turn("Animal 0.")
    async with talk.services.memory.open_store(ANNA.id) as store:
        draft = NewMessage(role="assistant", content="tool output", created_at=talk.moment[0], origin="tool")
        await store.append_messages(SCOPE, [draft])
    await talk.services.summaries.fold(SCOPE, "now")
    (prompt,) = talk.prompts("summary-model")
    assert "Animal 0." in prompt
    assert "tool output" not in prompt
    assert (await live(talk)).message_count == 3


async def test_a_refused_summary_is_asked_for_once_more_with_the_reasons(talk: Talk) -> None:
    talk.server.script("summary-model", "The user owes 98765 euros.", GIST)
    for number in range(3):
        assert await talk.turn(f"Animal {number}.") == ()
    first, second = talk.server.of("summary-model")
    assert "refused" not in first.messages[0]["content"]
    assert "1 number or dates that its source lacks" in second.messages[0]["content"]
    summary = await live(talk)
    assert summary.text == GIST
    assert summary.score is not None
    assert 0 < summary.score < 1
    assert {"retention", "novelty", "coverage", "compression", "repetition"} < summary.details.keys()


async def test_after_two_refusals_it_stays_unfolded(talk: Talk) -> None:
    talk.server.script("summary-model", "The user owes 98765 euros.", "The user owes 98764 euros.", GIST)
    told = [await talk.turn(f"Animal {number}.") for number in range(3)]
    assert len(told[2]) == 1
    assert len(talk.server.of("summary-model")) == 2
    assert all(message.is_active for message in await everything(talk))


async def test_under_the_sliding_policy_it_is_tried_again_less_and_less_often(talk: Talk) -> None:
    await choose(talk, "sliding")
    talk.server.default("summary-model", "The user owes 98765 euros.")
    asked = []
    for number in range(20):
        await talk.turn(f"Animal {number}.")
        asked.append(len(talk.server.of("summary-model")))
        talk.server.requests.clear()
    assert [turn for turn, requests in enumerate(asked) if requests] == [2, 3, 5, 9, 17]
    talk.server.default("summary-model", GIST)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded", "whoever asks for it is not put off"
    for number in range(3):
        await talk.turn(f"Plant {number}.")
    assert (await live(talk)).last_id == 46, "after one that succeeded again at every turn"


# idle and pressure -------------------------------------------------------------------------------------------------


async def test_a_quiet_chat_that_holds_much_is_folded(tmp_path: Path) -> None:
    async with talking(tmp_path, recent_budget=200) as talk:
        await talk.remember(every_n=500)
        await talk.turn("A few words.")
        await talk.services.summaries.fold_idle_conversations()
        talk.moment[0] += timedelta(hours=2)
        await talk.services.summaries.fold_idle_conversations()
        assert await versions(talk) == [], "too little to be worth it"
        await talk.turn("Many words about otters and newts. " * 20)
        await talk.services.summaries.fold_idle_conversations()
        assert await versions(talk) == [], "not quiet yet"
        talk.moment[0] += timedelta(minutes=9)
        await talk.services.summaries.fold_idle_conversations()
        assert await versions(talk) == []
    async with talking(tmp_path, recent_budget=200) as talk:
        talk.moment[0] += timedelta(hours=2, minutes=12)
        await talk.services.summaries.fold_idle_conversations()
        assert (await live(talk)).reason == "idle", "after a restart too: stored times count"


async def test_a_quiet_chat_is_left_alone_after_a_failure_and_its_owner_is_told_once(tmp_path: Path) -> None:
    async with talking(tmp_path, recent_budget=200) as talk:
        await talk.remember(every_n=500)
        await talk.turn("Many words about otters and newts. " * 20)
        talk.server.default("summary-model", Behaviour(status=401))
        for minutes in (11, 5, 6, 11):
            talk.moment[0] += timedelta(minutes=minutes)
            await talk.services.summaries.fold_idle_conversations()
        assert len(talk.server.of("summary-model")) == 2, "then 20 minutes have to pass"
        assert len(await talk.turn("More.")) == 1
        assert await talk.turn("And more.") == ()


async def test_under_pressure_it_is_folded_before_it_is_answered(tmp_path: Path) -> None:
    async with talking(tmp_path, **TIGHT) as talk:
        await talk.remember(every_n=500)
        for number in range(20):
            await talk.turn(f"Fact {number}: " + "otters and newts " * 20)
        assert await versions(talk) == []
        talk.server.requests.clear()
        reply = await talk.say("And now? " + "otters and newts " * 250)
        assert [request.model for request in talk.server.requests] == ["summary-model", "chat-model"]
        summary = await live(talk)
        assert summary.reason == "pressure"
        unsummarized = [message for message in await everything(talk) if message.is_active]
        assert len(unsummarized) >= 20
        assert reply.context is not None
        assert reply.context.summaries == (summary,)


async def under_pressure(talk: Talk) -> None:
    await talk.remember(every_n=500)
    for number in range(20):
        await talk.turn(f"Fact {number}: " + "otters and newts " * 20)


async def test_where_a_fold_under_pressure_fails_it_is_cut_and_answered(tmp_path: Path) -> None:
    async with talking(tmp_path, **TIGHT) as talk:
        await under_pressure(talk)
        talk.server.default("summary-model", Behaviour(status=400))
        long = "And now? " + "otters and newts " * 250
        assert not (await talk.say(long)).is_error
        asked = len(talk.server.of("summary-model"))
        reply = await talk.say(long)
        assert not reply.is_error
        assert reply.context is not None
        assert reply.context.cut
        assert len(talk.server.of("summary-model")) == asked, "having failed, it is not waited for again"
        talk.server.default("summary-model", GIST)
        await talk.conversation.run_post_turn_tasks(SCOPE)
        assert (await live(talk)).text == GIST, "but tried again after the answer"


async def test_a_running_fold_is_never_waited_for(tmp_path: Path) -> None:
    async with talking(tmp_path, **TIGHT) as talk:
        await under_pressure(talk)
        async with talk.services.memory.open_store(ANNA.id) as store:
            reason: SummaryReason = "now"
            assert await store.acquire_summary_lease(SCOPE, reason, now=talk.moment[0], duration=timedelta(hours=1))
        reply = await talk.say("And now? " + "otters and newts " * 250)
        assert not reply.is_error
        assert not talk.server.of("summary-model")
