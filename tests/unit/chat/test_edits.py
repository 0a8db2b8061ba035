"""Edited messages: memory is updated, derived summaries are removed, and the last turn is answered again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from chat.session import Sessions
from records.messages import Correction, Message
from records.owners import StorageType
from records.scopes import Scope
from records.turns import IncomingPiece, UserMessage
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness
from tests.unit.chat.test_conversation import limit_database_pages

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        yield talk


async def say_with_telegram_id(talk: ChatHarness, text: str, telegram_id: int) -> None:
    incoming = talk.make_user_message(text)
    piece = IncomingPiece(text=text, source=incoming.source, sent_at=talk.moment[0], telegram_id=telegram_id)
    await talk.conversation.reply(UserMessage(scope=SCOPE, person=ANNA, pieces=(piece,)))
    await talk.conversation.run_post_turn_tasks(SCOPE)


async def list_stored_texts(talk: ChatHarness) -> list[str]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return [message.content for message in await store.timeline.read_page(SCOPE)]


async def answers(talk: ChatHarness) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return [message for message in await store.timeline.read_page(SCOPE) if message.role == "assistant"]


async def list_versions(talk: ChatHarness) -> list[tuple[str, str]]:
    async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_reader(None) as reader:
        return [tuple(row) for row in await reader.fetch_rows("SELECT content, why FROM versions ORDER BY id")]


async def test_edit_with_telegram_id_of_answer_changes_nothing(talk: ChatHarness) -> None:
    """A supergroup numbers its messages from the beginning, so the id of an answer may name another message there."""
    await say_with_telegram_id(talk, "Hello.", 5)
    [answer] = await answers(talk)
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert answer.source is not None
        await store.explanations.record_shown_messages(SCOPE, answer.source, [6, 8])
    for number in (6, 8):
        assert await talk.services.corrections.correct_message(SCOPE, number, "Forged.") == Correction()
    assert await list_stored_texts(talk) == ["Hello.", "Understood."]


async def test_edited_message_replaces_text_in_memory_and_summaries(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "I live in Portland.", 5)
    await say_with_telegram_id(talk, "Hello.", 7)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "I live in Seattle.") == Correction(
        turn=1, is_last=False
    )
    assert await list_stored_texts(talk) == ["I live in Seattle.", "Understood.", "Hello.", "Understood."]
    assert await list_versions(talk) == [("I live in Portland.", "edited")]
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.list_summaries(SCOPE, active_only=False) == []
    await talk.conversation.run_post_turn_tasks(SCOPE)
    assert "Portland" not in talk.list_prompts("summary-model")[-1]
    assert "Seattle" in talk.list_prompts("summary-model")[-1]
    await say_with_telegram_id(talk, "Where do I live?", 9)
    assert "Portland" not in talk.list_prompts()[-1]


async def test_edited_last_turn_is_answered_again_and_old_answer_is_a_version(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "Hello.", 5)
    await say_with_telegram_id(talk, "What is the capital of Austria?", 7)
    found = await talk.services.corrections.correct_message(SCOPE, 7, "What is the capital of Australia?")
    assert found == Correction(turn=3, is_last=True)
    talk.server.script("chat-model", Behaviour(text="Canberra."))
    answered = await talk.conversation.answer_last_turn_again(SCOPE, 3, ANNA)
    assert answered is not None
    incoming, reply = answered
    assert incoming.text == "What is the capital of Australia?"
    assert (reply.text, reply.is_error) == ("Canberra.", False)
    prompt = talk.list_prompts()[-1]
    assert "Australia" in prompt
    assert "Austria?" not in prompt
    assert prompt.count("Understood.") == 1, "the earlier answer is not shown"
    assert await list_stored_texts(talk) == ["Hello.", "Understood.", "What is the capital of Australia?", "Canberra."]
    assert await list_versions(talk) == [("What is the capital of Austria?", "edited"), ("Understood.", "superseded")]


async def test_unanswered_turn_is_answered_after_edit(talk: ChatHarness) -> None:
    talk.server.script("chat-model", Behaviour(status=401))
    await say_with_telegram_id(talk, "Hello?", 5)
    assert await list_stored_texts(talk) == ["Hello?"]
    await talk.services.corrections.correct_message(SCOPE, 5, "Hello!")
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is not None
    assert await list_stored_texts(talk) == ["Hello!", "Understood."]
    [answer] = await answers(talk)
    assert answer.source == "1:1", "a replay of the update finds it"


@pytest.mark.parametrize("choice", ["on", "off", "incognito"])
async def test_conversation_continues_from_shown_answer_version(talk: ChatHarness, choice: str) -> None:
    await talk.services.memory.change_config(
        ANNA.id, lambda config: replace(config, enabled=choice != "off", incognito=choice == "incognito")
    )
    talk.server.script("chat-model", "First.", "Second.", "Third.")
    turn = (await talk.say("What is it?")).turn
    assert turn is not None
    shown = []
    for number in (0, 0, 1, 2, 3, 1):
        talk.moment[0] += timedelta(seconds=1)
        answered = await (
            talk.conversation.switch_answer_version(SCOPE, turn, number, ANNA)
            if number
            else talk.conversation.answer_last_turn_again(SCOPE, turn, ANNA)
        )
        assert answered is not None
        shown.append((answered[1].text, answered[1].version, answered[1].versions))
    first, second, third = ("First.", 1, 3), ("Second.", 2, 3), ("Third.", 3, 3)
    assert shown == [("Second.", 2, 2), third, first, second, third, first]
    assert await talk.conversation.switch_answer_version(SCOPE, turn, 4, ANNA) is None
    await talk.say("And now?")
    assert "First." in talk.list_prompts()[-1]
    assert "Second." not in talk.list_prompts()[-1]
    assert "Third." not in talk.list_prompts()[-1]


async def test_shown_part_of_stopped_answer_is_stored(talk: ChatHarness) -> None:
    """The conversation continues from the part that was shown. An answer that nobody has read is not stored."""
    said = UserMessage(
        scope=SCOPE, person=ANNA, pieces=(IncomingPiece(text="A story?", source="1:9", sent_at=talk.moment[0]),)
    )
    for kept, expected in (("", ["A story?"]), ("Once upon", ["A story?", "Once upon"])):
        talk.server.script("chat-model", Behaviour(text="Once upon a time.", hold="start"))
        held = talk.server.hold_count
        replying = asyncio.ensure_future(talk.conversation.reply(said, on_stop=partial(str, kept)))
        await talk.server.wait_until_held(held + 1)
        replying.cancel()
        if kept:
            assert ((await replying).is_stopped, (await replying).is_truncated) == (True, True)
        else:
            with pytest.raises(asyncio.CancelledError):
                await replying
        await talk.server.release()
        assert await list_stored_texts(talk) == expected


async def test_failed_regeneration_keeps_earlier_answer(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "Hello.", 5)
    talk.server.script("chat-model", Behaviour(status=401))
    answered = await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA)
    assert answered is not None
    assert (answered[1].text, answered[1].is_error) == ("Understood.", False)
    assert "could not answer" in answered[1].notices[0]
    assert await list_stored_texts(talk) == ["Hello.", "Understood."]


async def test_only_last_turn_can_be_answered_again(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "Hello.", 5)
    await say_with_telegram_id(talk, "Good bye.", 7)
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is None
    assert await talk.conversation.answer_last_turn_again(Scope(owner=BORIS.id), 1, BORIS) is None
    assert len(talk.server.list_requests("chat-model")) == 2


async def test_edit_without_matching_stored_message_changes_nothing(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "Hello.", 5)
    for scope, number, text in ((SCOPE, 6, "x"), (SCOPE, 5, "Hello."), (Scope(owner=BORIS.id), 5, "x")):
        assert await talk.services.corrections.correct_message(scope, number, text) == Correction()
    replayed = await talk.services.corrections.correct_message(SCOPE, 5, "Hello.", is_replayed=True)
    assert replayed.is_last, "nobody was told before the process died"
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    assert await talk.services.corrections.correct_message(SCOPE, 5, "x") == Correction(), (
        "incognito nothing is written"
    )
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "x") == Correction()
    assert await list_stored_texts(talk) == ["Hello.", "Understood."]


@pytest.mark.parametrize("mode", ["off", "incognito"])
async def test_edit_is_applied_to_session_without_stored_messages(talk: ChatHarness, mode: str) -> None:
    if mode == "off":
        await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    else:
        await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    await say_with_telegram_id(talk, "My cat is Tom.", 5)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Tom.") == Correction(), "the same words"
    changed = await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Tim.")
    assert changed.is_last
    assert changed.turn is not None
    answered = await talk.conversation.answer_last_turn_again(SCOPE, changed.turn, ANNA)
    assert answered is not None
    assert answered[0].text_without_attachments == "My cat is Tim."
    await say_with_telegram_id(talk, "And now?", 7)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Kim.") == Correction(turn=changed.turn)
    await say_with_telegram_id(talk, "What is my cat called?", 9)
    prompt = str(talk.server.list_requests("chat-model")[-1].messages)
    assert "Kim" in prompt
    assert "Tom" not in prompt
    assert "Tim" not in prompt
    assert await list_stored_texts(talk) == []


async def test_json_store_keeps_edits_after_restart(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(storage=StorageType.JSON)
        await say_with_telegram_id(talk, "walrus", 5)
        await talk.services.corrections.correct_message(SCOPE, 5, "zebra")
    (tmp_path / "index.db").unlink()
    async with open_chat_harness(tmp_path) as talk:
        assert await list_stored_texts(talk) == ["zebra", "Understood."]
        async with talk.services.memory.open_store(ANNA.id) as store:
            assert len(await store.search_messages(SCOPE, ["zebra"], limit=9)) == 1
            assert await store.search_messages(SCOPE, ["walrus"], limit=9) == []
        assert await list_versions(talk) == [("walrus", "edited")]


@pytest.mark.parametrize("choice", ["off", "incognito"])
async def test_unstored_turn_is_answered_again_in_place(talk: ChatHarness, choice: str) -> None:
    await talk.services.memory.change_config(
        ANNA.id, lambda config: replace(config, enabled=choice != "off", incognito=choice == "incognito")
    )
    await talk.say("Hello.")
    talk.server.script("chat-model", Behaviour(text="Vienna."))
    first = await talk.say("What is the capital of Australia?")
    assert first.turn is not None
    talk.server.script("chat-model", Behaviour(status=401), Behaviour(text="Canberra."))
    for text, count in (("Vienna.", 1), ("Canberra.", 2)):
        answered = await talk.conversation.answer_last_turn_again(SCOPE, first.turn, ANNA)
        assert answered is not None
        assert (answered[1].text, answered[1].turn, answered[1].versions) == (text, first.turn, count)
    assert "Vienna" not in talk.list_prompts()[-1]
    await talk.say("And of Austria?")
    assert "Canberra" in talk.list_prompts()[-1]
    assert "Vienna" not in talk.list_prompts()[-1]
    assert await talk.conversation.answer_last_turn_again(SCOPE, first.turn, ANNA) is None, (
        "the conversation has gone on"
    )
    assert await talk.conversation.switch_answer_version(SCOPE, first.turn, 1, ANNA) is None
    assert await list_stored_texts(talk) == []


async def test_regenerated_answer_is_not_stored_after_memory_is_turned_off(talk: ChatHarness) -> None:
    await say_with_telegram_id(talk, "Hello.", 5)
    talk.server.script("chat-model", Behaviour(text="Good morning.", hold="start"))
    answering = asyncio.create_task(talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA))
    await talk.server.wait_until_held()
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    await talk.server.release()
    answered = await answering
    assert answered is not None
    assert answered[1].text == "Good morning."
    assert await list_stored_texts(talk) == ["Hello.", "Understood."]
    assert await list_versions(talk) == []


async def test_unwritten_answer_is_replaced_by_regenerated_answer(talk: ChatHarness) -> None:
    talk.server.script("chat-model", Behaviour(text="A long answer. " * 2_000, hold="start"))
    asking = asyncio.create_task(talk.say("Hello."))
    await talk.server.wait_until_held()
    await limit_database_pages(talk, 1)
    await talk.server.release()
    first = await asking
    assert first.turn is not None
    assert (first.is_durable, await list_stored_texts(talk)) == (False, ["Hello."])
    await limit_database_pages(talk, 2**30)
    talk.server.script("chat-model", Behaviour(text="A short one."))
    assert await talk.conversation.answer_last_turn_again(SCOPE, first.turn, ANNA) is not None
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert await list_stored_texts(talk) == ["Hello.", "A short one."]


def test_local_turn_ids_differ_between_processes() -> None:
    assert Sessions().make_local_id() != Sessions().make_local_id()


async def test_regeneration_prompt_has_no_summary_of_rejected_answer(talk: ChatHarness) -> None:
    """The rejected answer may have been summarized before the new one was requested."""
    await talk.turn_on_memory(every_n=1)
    talk.server.script("chat-model", Behaviour(text="It is Vienna."))
    talk.server.script("summary-model", Behaviour(text="The user asked for a capital; the answer was Vienna."))
    await say_with_telegram_id(talk, "What is the capital of Australia?", 5)
    await talk.conversation.run_post_turn_tasks(SCOPE)
    async with talk.services.memory.open_store(SCOPE.owner) as store:
        assert len(await store.list_summaries(SCOPE)) == 1
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is not None
    assert "Vienna" not in talk.list_prompts()[-1]
    assert await list_stored_texts(talk) == ["What is the capital of Australia?", "Understood."]
