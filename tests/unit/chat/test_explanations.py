"""Explanations of answers: available later, and never about another scope."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)


def files_with(folder: Path, word: bytes) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and word in file.read_bytes()]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        yield talk


async def test_explanation_matches_contents_of_prompt(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=3, storage=storage)
        talk.server.set_default_answer("summary-model", Behaviour(mode="extract:2"))
        await talk.run_turn("The walnuts are in the blue cellar box.")
        for number in range(12):
            await talk.run_turn(f"Something else, number {number}.")
        asked = talk.make_user_message("Where are the walnuts, in which cellar box?")
        reply = await talk.conversation.reply(asked)
        await talk.services.explanations.record_answer_message_ids(asked, [501, 502])
        await talk.say("Thanks.")
    assert reply.context is not None
    async with open_chat_harness(tmp_path) as talk:
        told = await talk.services.explanations.explain_answer(SCOPE, 502)
    assert told is not None
    context = reply.context
    assert told.is_stored
    assert told.record.tokens == context.token_count
    assert {part.name: part.tokens for part in told.record.parts} == {part.name: part.tokens for part in context.parts}
    assert [message.id for message in told.recent] == [message.id for message in context.recent]
    assert {summary.id for summary in told.summaries} == {summary.id for summary in context.summaries}
    assert next(message.content for message, _ in told.snippets if message).startswith("The walnuts")
    assert told.record.whole > 0


async def test_explains_newest_answer_unless_message_id_is_given(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    assert await talk.services.explanations.explain_answer(SCOPE) is None
    first = talk.make_user_message("One.")
    await talk.conversation.reply(first)
    await talk.services.explanations.record_answer_message_ids(first, [11])
    await talk.say("Two.")
    explain = talk.services.explanations.explain_answer
    newest, named = await explain(SCOPE), await explain(SCOPE, 11)
    assert newest is not None
    assert named is not None
    assert newest.record.at > named.record.at
    assert await explain(SCOPE, 12) is None
    assert await explain(Scope(owner=ANNA.id, thread=3)) is None
    assert await explain(Scope(owner=BORIS.id), 11) is None


async def test_explanation_is_kept_only_in_process_while_memory_is_off(talk: ChatHarness, tmp_path: Path) -> None:
    first = talk.make_user_message("The password is heliotrope.")
    await talk.conversation.reply(first)
    await talk.services.explanations.record_answer_message_ids(first, [11])
    explain = talk.services.explanations.explain_answer
    told = await explain(SCOPE, 11)
    assert told is not None
    assert not told.is_stored
    await talk.say("And?")
    told = await explain(SCOPE)
    assert told is not None
    assert (told.record.here, told.recent) == (2, ())
    await talk.turn_on_memory()
    await talk.say("On now.")
    assert await explain(SCOPE, 11) is None
    assert not files_with(tmp_path, b"heliotrope")


async def set_incognito(talk: ChatHarness, *, on: bool) -> None:

    await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, incognito=on))


async def test_incognito_turn_reads_memory_and_stores_nothing(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=1)
    await talk.say("My cat is called Murka.")
    await set_incognito(talk, on=True)
    async with talk.services.memory.open_store(ANNA.id) as store:
        before = await store.compute_digest(ANNA.id)
    reply = await talk.say("What is she called? The word is heliotrope.")
    assert (reply.is_incognito, reply.is_remembered, reply.is_durable) == (True, False, True)
    assert "Murka" in talk.list_prompts()[-1]
    await talk.say("And the word?")
    assert "heliotrope" in talk.list_prompts()[-1], "the process goes on knowing what was said"
    assert await talk.conversation.run_post_turn_tasks(SCOPE) == ()
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.compute_digest(ANNA.id) == before
    told = await talk.services.explanations.explain_answer(SCOPE)
    assert told is not None
    assert (told.is_stored, told.record.here, len(told.recent)) == (False, 2, 2)


async def test_incognito_messages_are_dropped_when_incognito_ends(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await talk.say("My cat is called Murka.")
    await set_incognito(talk, on=True)
    await talk.say("The word is heliotrope.")
    await set_incognito(talk, on=False)
    reply = await talk.say("What is the word?")
    assert not reply.is_incognito
    assert "heliotrope" not in talk.list_prompts()[-1]
    assert "Murka" in talk.list_prompts()[-1]
    told = await talk.services.explanations.explain_answer(SCOPE)
    assert told is not None
    assert told.is_stored


async def test_estimated_cost_of_whole_history_is_within_ten_percent(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, recent_budget=200, snippet_budget=200) as talk:
        await talk.turn_on_memory(every_n=3)
        talk.server.set_default_answer("summary-model", Behaviour(mode="extract:1"))
        talk.server.set_default_answer(
            "chat-model", "That is a long answer about the garden and its old walnut trees. " * 12
        )
        for number in range(30):
            await talk.run_turn(f"Question {number}: what shall I do in the garden today?")
        reply = await talk.say("And now?")
        async with talk.services.memory.open_store(ANNA.id) as store:
            messages = await store.timeline.read_page(SCOPE, limit=1000)
            saved = await store.explanations.count_saved_tokens(ANNA.id)
    assert reply.context is not None
    history = "\n".join(message.content for message in messages[:-2])

    count = Tokenizer.for_model("chat-model").count
    exact = count(history) + 4 * len(messages[:-2]) + 30
    assert abs(reply.context.whole - exact) < 0.1 * exact
    assert saved > reply.context.whole


async def test_answer_version_without_explanation_has_no_sources(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say("What is the capital of Austria?")
        turn = (await talk.say("And of Australia?")).turn
        assert turn is not None
        talk.server.script("chat-model", "Canberra.")
        talk.moment[0] += timedelta(seconds=1)
        assert await talk.conversation.answer_last_turn_again(SCOPE, turn, ANNA) is not None
        told = await talk.services.explanations.explain_answer(SCOPE)
        assert told is not None
        assert told.record.has_sources
    async with open_chat_harness(tmp_path) as talk:
        assert await talk.conversation.switch_answer_version(SCOPE, turn, 1, ANNA) is not None
        told = await talk.services.explanations.explain_answer(SCOPE)
        assert told is not None, "neither the explanation of the answer before it"
        assert not told.record.has_sources
