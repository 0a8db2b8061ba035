"""Tests of a turn: order of storage, failing models and stores, replays, and isolation of scopes."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from records.owners import StorageType
from records.scopes import Person, Scope
from telegram_ui.updates.serial_queue import SerialQueues
from tests.peers.openai_server import Behaviour
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        yield talk


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def list_stored_messages(talk: ChatHarness, scope: Scope = SCOPE) -> list[tuple[str, str]]:
    async with talk.services.memory.open_store(scope.owner) as store:
        return [(message.role, message.content) for message in await store.timeline.read_page(scope, limit=1000)]


async def test_turn_is_answered_and_stored(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    reply = await talk.say("My cat is called Murka.")
    assert (reply.text, reply.is_error, reply.is_durable) == ("Understood.", False, True)
    assert await list_stored_messages(talk) == [("user", "My cat is called Murka."), ("assistant", "Understood.")]


async def test_question_is_stored_before_model_is_asked(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    talk.server.script("chat-model", Behaviour(hold="start"))
    answer_loop = asyncio.create_task(talk.say("Are you there?"))
    await talk.server.wait_until_held()
    assert await list_stored_messages(talk) == [("user", "Are you there?")]
    answer_loop.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answer_loop
    assert await list_stored_messages(talk) == [("user", "Are you there?")], "a broken-off answer is not stored"


async def test_conversation_continues_unstored_while_memory_is_off(talk: ChatHarness, tmp_path: Path) -> None:
    await talk.say("The password is heliotrope.")
    await talk.say("What is it?")
    assert "heliotrope" in talk.list_prompts()[-1]
    await talk.turn_on_memory()
    await talk.say("And now?")
    assert "heliotrope" not in talk.list_prompts()[-1]
    for file in files(tmp_path):
        assert b"heliotrope" not in file.read_bytes()


async def test_session_history_starts_with_question_while_memory_is_off(talk: ChatHarness) -> None:
    """The chat templates of Mistral and Gemma models refuse a history that begins with the assistant."""
    for number in range(22):
        await talk.say(f"Word {number}.")
    prompt = talk.server.list_requests("chat-model")[-1].messages
    roles = [message["role"] for message in prompt]
    assert roles == ["system", *["user", "assistant"] * 20, "user"]
    assert "Word 1." in str(prompt[1]["content"])


async def test_long_document_keeps_earlier_turns_while_memory_is_off(talk: ChatHarness) -> None:
    await talk.say("My cat is called Murka.")
    await talk.say(*(f"Page {number}." for number in range(45)))
    assert "Murka" in talk.list_prompts()[-1]
    assert "Page 44." in talk.list_prompts()[-1]


async def test_store_is_not_read_while_memory_is_off(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await talk.say("My cat is called Murka.")
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    await talk.say("What is my cat called? Murka?")
    assert "My cat is called" not in talk.list_prompts()[-1]
    await talk.services.memory.set_enabled(ANNA.id, enabled=True)
    await talk.say("What is my cat called?")
    assert "My cat is called Murka." in talk.list_prompts()[-1]


async def test_replayed_turn_does_not_ask_model_again(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    incoming = talk.make_user_message("Once only.", source="1:99")
    first = await talk.conversation.reply(incoming)
    again = await talk.conversation.reply(incoming)
    assert (again.text, again.is_repeated) == (first.text, True)
    assert len(talk.server.list_requests("chat-model")) == 1
    assert len(await list_stored_messages(talk)) == 2


async def test_replayed_unanswered_question_is_answered_in_original_turn(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        talk.server.script("chat-model", Behaviour(status=401, message="no"))
        lost = talk.make_user_message("First.", source="1:50")
        assert (await talk.conversation.reply(lost)).is_error
        await talk.say("Second.")
    async with open_chat_harness(tmp_path) as talk:
        assert not (await talk.conversation.reply(lost)).is_repeated
        assert "Second." not in talk.list_prompts()[-1], "what came later is not earlier talk"
        async with talk.services.memory.open_store(ANNA.id) as store:
            first = [message for message in await store.timeline.read_page(SCOPE) if message.turn == 1]
        assert [message.content for message in first] == ["First.", "Understood."]


async def test_pieces_of_paste_form_one_turn_and_are_stored_separately(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await talk.say("a" * 4096, "b" * 100)
    async with talk.services.memory.open_store(ANNA.id) as store:
        messages = await store.timeline.read_page(SCOPE)
        assert (await store.count_messages_and_summaries(SCOPE)).active_turns == 1
    assert [len(message.content) for message in messages] == [4096, 100, len("Understood.")]
    assert {message.turn for message in messages} == {messages[0].turn}
    assert talk.list_prompts()[-1].endswith("a" * 4096 + "b" * 100)


async def test_turns_of_one_scope_are_served_in_order(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    talk.server.script("chat-model", Behaviour(hold="start", text="one"), "two", "three")
    queues, answers = SerialQueues("chats", max_running=3), list[str]()

    async def ask(number: int) -> None:
        answers.append((await talk.say(f"Question {number}")).text)

    for number in range(3):
        queues.submit(SCOPE, partial(ask, number))
    await talk.server.wait_until_held()
    await talk.server.release()
    await wait_for_queued_jobs()
    assert answers == ["one", "two", "three"]
    said = [
        content for role, content in await list_stored_messages(talk) if role == "user"
    ]  # by time: before the answers
    assert said == ["Question 0", "Question 1", "Question 2"]


async def test_turn_does_not_wait_for_other_scope(talk: ChatHarness) -> None:
    talk.server.script("chat-model", Behaviour(hold="start"))
    waiting = asyncio.create_task(talk.say("slow"))
    await talk.server.wait_until_held()
    assert (await talk.say("quick", person=BORIS)).text == "Understood."
    await talk.server.release()
    await waiting


async def test_failing_model_is_reported_and_question_is_kept(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    talk.server.script("chat-model", Behaviour(status=401, message="bad key"))
    reply = await talk.say("Remember the milk.")
    assert reply.is_error
    assert "kept" in reply.text
    assert await list_stored_messages(talk) == [("user", "Remember the milk.")]
    await talk.say("And now?")
    assert "Remember the milk." in talk.list_prompts()[-1]


async def test_too_long_prompt_is_cut_and_retried_once(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=500)
    for number in range(8):
        await talk.say(f"Note {number}: " + "word " * 300)
    talk.server.script("chat-model", Behaviour(status=400, code="context_length_exceeded"), "Fits.")
    reply = await talk.say("And?")
    assert reply.text == "Fits."
    assert len(talk.list_prompts()[-1]) < 0.7 * len(talk.list_prompts()[-2])


async def test_too_long_message_is_cut_in_prompt_with_notice(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=1000) as talk:
        await talk.turn_on_memory()
        text = "START " + "word " * 6000 + "END"
        reply = await talk.say(text)
        assert any("only the beginning and the end" in notice for notice in reply.notices)
        assert (await list_stored_messages(talk))[0] == ("user", text)
        assert talk.list_prompts()[-1].endswith("END")


async def test_requests_contain_nothing_from_other_scopes(talk: ChatHarness, storage: StorageType) -> None:
    secrets: dict[tuple[Person, int], str] = {}
    for person in (ANNA, BORIS):
        await talk.turn_on_memory(owner=person.id, every_n=2, storage=storage)
    talk.server.set_default_answer("summary-model", Behaviour(mode="extract:3"))
    for number in range(5):
        for person in (ANNA, BORIS):
            for thread in (0, 5):
                secret = secrets.setdefault((person, thread), f"secret{person.name}{thread}")
                before = len(talk.server.requests)
                await talk.say(f"My {secret} number {number}, do you recall?", person=person, thread=thread)
                await talk.conversation.run_post_turn_tasks(Scope(owner=person.id, thread=thread))
                sent = "\n".join(str(request.messages) for request in talk.server.requests[before:])
                assert secret in sent
                for other, foreign in secrets.items():
                    assert other == (person, thread) or foreign not in sent


async def limit_database_pages(talk: ChatHarness, pages: int) -> None:
    """Limit the size of memory.db. With one page it is full at once, like a full disk."""
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert store.kind is StorageType.SQLITE
        async with store.database.open_transaction(None) as tx:
            await tx.execute(f"PRAGMA max_page_count={pages}")


async def test_failing_store_is_reported_once_and_turns_are_written_later(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await talk.say("Before.")
    await limit_database_pages(talk, 1)
    long = " and so on" * 1000
    first = await talk.say("While it fails." + long)
    done: list[str] = []

    async def note(name: str) -> None:
        done.append(name)

    assert talk.conversation.try_to_defer_until_stored(Scope(owner=ANNA.id), partial(note, "first"))
    second = await talk.say("Still failing." + long)
    for name in ("second", "and more"):
        assert talk.conversation.try_to_defer_until_stored(Scope(owner=ANNA.id), partial(note, name))
    assert done == []
    assert [first.is_durable, second.is_durable] == [False, False]
    assert any("cannot write" in notice for notice in first.notices)
    assert not any("cannot write" in notice for notice in second.notices)
    assert "While it fails." in talk.list_prompts()[-1], "the talk goes on from memory"
    assert len(await list_stored_messages(talk)) == 2
    await limit_database_pages(talk, 2**30)
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert done == ["first", "second", "and more"]
    assert not talk.conversation.try_to_defer_until_stored(Scope(owner=ANNA.id), partial(note, "nothing waits"))
    assert [content.removesuffix(long) for _, content in await list_stored_messages(talk)] == [
        *("Before.", "Understood.", "While it fails.", "Understood.", "Still failing.", "Understood.")
    ]


async def test_flushing_unwritten_turns_neither_waits_for_turns_nor_blocks(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await limit_database_pages(talk, 1)
    await talk.say("While it fails." + " and so on" * 1000)
    await limit_database_pages(talk, 2**30)
    talk.server.script("chat-model", Behaviour(hold="start"))
    answering = asyncio.create_task(talk.say("In a topic.", thread=5))
    await talk.server.wait_until_held()
    assert await talk.conversation.flush_turns_and_count_unwritten() == 1
    assert (await talk.say("In another topic.", thread=6)).text == "Understood."
    await talk.server.release()
    await answering
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert len(await list_stored_messages(talk)) == 2


async def test_explanation_of_unwritten_answer_is_kept_until_stored(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await limit_database_pages(talk, 1)
    asked = talk.make_user_message("While it fails." + " and so on" * 1000)
    await talk.conversation.reply(asked)
    await talk.services.explanations.record_answer_message_ids(asked, [501, 502])
    explain = talk.services.explanations.explain_answer
    held = await explain(SCOPE, 502)
    assert held is not None
    assert not held.is_stored
    await limit_database_pages(talk, 2**30)
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    stored = await explain(SCOPE, 502)
    assert stored is not None
    assert stored.is_stored
    assert stored.record.shown == (501, 502)


def count_thread_calls(database: Any) -> int:
    return sum(connection.call_count for connection in database.connections)


async def test_turn_makes_three_database_thread_calls(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    await talk.say("My cat is called Murka.")
    database = await talk.get_database()
    before = count_thread_calls(database)
    await talk.say("What does she eat?")
    # The question, what the context is made of, and the answer.
    assert count_thread_calls(database) - before == 3
    await talk.say("Always answer in metric units.")
    before = count_thread_calls(database)
    await talk.say("How heavy is she?")
    # As before: nothing is searched for while everything is in the prompt.
    assert count_thread_calls(database) - before == 3


async def test_memory_is_offered_once_after_personal_statement(talk: ChatHarness) -> None:
    assert not (await talk.say("Hello.")).offers_memory
    assert not (await talk.say("Where do people in Seattle live?")).offers_memory
    assert (await talk.say("I live in Seattle, by the way.")).offers_memory
    assert not (await talk.say("My name is Anna.")).offers_memory
    await talk.turn_on_memory(owner=BORIS.id)
    assert not (await talk.say("I live in Portland, by the way.", person=BORIS)).offers_memory
