"""A turn: what is stored when, what a failing model or a restart changes, and that scopes do not touch."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from records.owners import StorageType
from records.scopes import Person, Scope
from storage.stores.memory_store import SqliteStore
from telegram_ui.updates.serial_queue import SerialQueues
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, Talk, talking

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        yield talk


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def stored(talk: Talk, scope: Scope = SCOPE) -> list[tuple[str, str]]:
    async with talk.services.memory.open_store(scope.owner) as store:
        return [(message.role, message.content) for message in await store.timeline.read_page(scope, limit=1000)]


async def test_a_turn_is_answered_and_stored(talk: Talk) -> None:
    await talk.remember()
    reply = await talk.say("My cat is called Murka.")
    assert (reply.text, reply.is_error, reply.is_durable) == ("Understood.", False, True)
    assert await stored(talk) == [("user", "My cat is called Murka."), ("assistant", "Understood.")]


async def test_the_question_is_stored_before_the_model_is_asked(talk: Talk) -> None:
    await talk.remember()
    talk.server.script("chat-model", Behaviour(hold="start"))
    answer_loop = asyncio.create_task(talk.say("Are you there?"))
    await talk.server.until_held()
    assert await stored(talk) == [("user", "Are you there?")]
    answer_loop.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answer_loop
    assert await stored(talk) == [("user", "Are you there?")], "a broken-off answer is not stored"


async def test_while_memory_is_off_nothing_is_stored_but_the_talk_goes_on(talk: Talk, tmp_path: Path) -> None:
    await talk.say("The password is heliotrope.")
    await talk.say("What is it?")
    assert "heliotrope" in talk.prompts()[-1]
    await talk.remember()
    await talk.say("And now?")
    assert "heliotrope" not in talk.prompts()[-1]
    for file in files(tmp_path):
        assert b"heliotrope" not in file.read_bytes()


async def test_what_is_held_while_memory_is_off_begins_with_a_question(talk: Talk) -> None:
    """Templates of Mistral's and Gemma's models refuse a first turn of the assistant."""
    for number in range(22):
        await talk.say(f"Word {number}.")
    prompt = talk.server.of("chat-model")[-1].messages
    roles = [message["role"] for message in prompt]
    assert roles == ["system", *["user", "assistant"] * 20, "user"]
    assert "Word 1." in str(prompt[1]["content"])


async def test_a_long_document_does_not_displace_the_talk_while_memory_is_off(talk: Talk) -> None:
    await talk.say("My cat is called Murka.")
    await talk.say(*(f"Page {number}." for number in range(45)))
    assert "Murka" in talk.prompts()[-1]
    assert "Page 44." in talk.prompts()[-1]


async def test_off_means_that_the_store_is_not_read_either(talk: Talk) -> None:
    await talk.remember()
    await talk.say("My cat is called Murka.")
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    await talk.say("What is my cat called? Murka?")
    assert "My cat is called" not in talk.prompts()[-1]
    await talk.services.memory.set_enabled(ANNA.id, enabled=True)
    await talk.say("What is my cat called?")
    assert "My cat is called Murka." in talk.prompts()[-1]


async def test_a_replayed_turn_is_not_asked_again(talk: Talk) -> None:
    await talk.remember()
    incoming = talk.incoming("Once only.", source="1:99")
    first = await talk.conversation.reply(incoming)
    again = await talk.conversation.reply(incoming)
    assert (again.text, again.is_repeated) == (first.text, True)
    assert len(talk.server.of("chat-model")) == 1
    assert len(await stored(talk)) == 2


async def test_a_replayed_question_without_answer_is_answered_in_its_place(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember()
        talk.server.script("chat-model", Behaviour(status=401, message="no"))
        lost = talk.incoming("First.", source="1:50")
        assert (await talk.conversation.reply(lost)).is_error
        await talk.say("Second.")
    async with talking(tmp_path) as talk:
        assert not (await talk.conversation.reply(lost)).is_repeated
        assert "Second." not in talk.prompts()[-1], "what came later is not earlier talk"
        async with talk.services.memory.open_store(ANNA.id) as store:
            first = [message for message in await store.timeline.read_page(SCOPE) if message.turn == 1]
        assert [message.content for message in first] == ["First.", "Understood."]


async def test_pieces_of_a_paste_are_one_turn_each_stored_as_it_came(talk: Talk) -> None:
    await talk.remember()
    await talk.say("a" * 4096, "b" * 100)
    async with talk.services.memory.open_store(ANNA.id) as store:
        messages = await store.timeline.read_page(SCOPE)
        assert (await store.count_messages_and_summaries(SCOPE)).active_turns == 1
    assert [len(message.content) for message in messages] == [4096, 100, len("Understood.")]
    assert {message.turn for message in messages} == {messages[0].turn}
    assert talk.prompts()[-1].endswith("a" * 4096 + "b" * 100)


async def test_turns_of_one_scope_are_served_in_order(talk: Talk) -> None:
    await talk.remember()
    talk.server.script("chat-model", Behaviour(hold="start", text="one"), "two", "three")
    queues, answers = SerialQueues("chats", max_running=3), list[str]()

    async def ask(number: int) -> None:
        answers.append((await talk.say(f"Question {number}")).text)

    for number in range(3):
        queues.submit(SCOPE, partial(ask, number))
    await talk.server.until_held()
    await talk.server.release()
    await queues.wait_until_idle()
    assert answers == ["one", "two", "three"]
    said = [content for role, content in await stored(talk) if role == "user"]  # by time: before the answers
    assert said == ["Question 0", "Question 1", "Question 2"]


async def test_another_scope_does_not_wait(talk: Talk) -> None:
    talk.server.script("chat-model", Behaviour(hold="start"))
    waiting = asyncio.create_task(talk.say("slow"))
    await talk.server.until_held()
    assert (await talk.say("quick", person=BORIS)).text == "Understood."
    await talk.server.release()
    await waiting


async def test_a_failing_model_is_a_sentence_and_loses_nothing(talk: Talk) -> None:
    await talk.remember()
    talk.server.script("chat-model", Behaviour(status=401, message="bad key"))
    reply = await talk.say("Remember the milk.")
    assert reply.is_error
    assert "kept" in reply.text
    assert await stored(talk) == [("user", "Remember the milk.")]
    await talk.say("And now?")
    assert "Remember the milk." in talk.prompts()[-1]


async def test_a_prompt_that_is_too_long_for_the_endpoint_is_cut_and_tried_once_more(talk: Talk) -> None:
    await talk.remember(every_n=500)
    for number in range(8):
        await talk.say(f"Note {number}: " + "word " * 300)
    talk.server.script("chat-model", Behaviour(status=400, code="context_length_exceeded"), "Fits.")
    reply = await talk.say("And?")
    assert reply.text == "Fits."
    assert len(talk.prompts()[-1]) < 0.7 * len(talk.prompts()[-2])


async def test_a_message_longer_than_the_prompt_is_cut_and_its_owner_told(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember()
        text = "START " + "word " * 6000 + "END"
        reply = await talk.say(text)
        assert any("only the beginning and the end" in notice for notice in reply.notices)
        assert (await stored(talk))[0] == ("user", text)
        assert talk.prompts()[-1].endswith("END")


async def test_nothing_of_one_scope_reaches_anothers_prompt(talk: Talk, storage: StorageType) -> None:
    secrets: dict[tuple[Person, int], str] = {}
    for person in (ANNA, BORIS):
        await talk.remember(owner=person.id, every_n=2, storage=storage)
    talk.server.default("summary-model", Behaviour(mode="extract:3"))
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


async def room(talk: Talk, pages: int) -> None:
    """How large memory.db may become: one page means that it is full as it is, like a disk."""
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert isinstance(store, SqliteStore)
        async with store.database.open_transaction(None) as tx:
            await tx.execute(f"PRAGMA max_page_count={pages}")


async def test_a_store_that_fails_is_told_once_and_caught_up_with(talk: Talk) -> None:
    await talk.remember()
    await talk.say("Before.")
    await room(talk, 1)
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
    assert "While it fails." in talk.prompts()[-1], "the talk goes on from memory"
    assert len(await stored(talk)) == 2
    await room(talk, 2**30)
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert done == ["first", "second", "and more"]
    assert not talk.conversation.try_to_defer_until_stored(Scope(owner=ANNA.id), partial(note, "nothing waits"))
    assert [content.removesuffix(long) for _, content in await stored(talk)] == [
        *("Before.", "Understood.", "While it fails.", "Understood.", "Still failing.", "Understood.")
    ]


async def test_what_is_unwritten_waits_for_no_turn_and_holds_none_up(talk: Talk) -> None:
    await talk.remember()
    await room(talk, 1)
    await talk.say("While it fails." + " and so on" * 1000)
    await room(talk, 2**30)
    talk.server.script("chat-model", Behaviour(hold="start"))
    answering = asyncio.create_task(talk.say("In a topic.", thread=5))
    await talk.server.until_held()
    assert await talk.conversation.flush_turns_and_count_unwritten() == 1
    assert (await talk.say("In another topic.", thread=6)).text == "Understood."
    await talk.server.release()
    await answering
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert len(await stored(talk)) == 2


async def test_what_an_unwritten_answer_was_made_from_is_held_until_it_is_written(talk: Talk) -> None:
    await talk.remember()
    await room(talk, 1)
    asked = talk.incoming("While it fails." + " and so on" * 1000)
    await talk.conversation.reply(asked)
    await talk.services.explanations.record_answer_message_ids(asked, [501, 502])
    explain = talk.services.explanations.explain_answer
    held = await explain(SCOPE, 502)
    assert held is not None
    assert not held.is_stored
    await room(talk, 2**30)
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    stored = await explain(SCOPE, 502)
    assert stored is not None
    assert stored.is_stored
    assert stored.record.shown == (501, 502)


def count_thread_calls(database: Any) -> int:
    return sum(connection.call_count for connection in database.connections)


async def test_a_turn_crosses_to_the_database_a_handful_of_times(talk: Talk) -> None:
    await talk.remember()
    await talk.say("My cat is called Murka.")
    database = await talk.database()
    before = count_thread_calls(database)
    await talk.say("What does she eat?")
    # The question with what the context is made of, which is all in the prompt, and the answer.
    assert count_thread_calls(database) - before == 2
    await talk.say("Always answer in metric units.")
    before = count_thread_calls(database)
    await talk.say("How heavy is she?")
    # As before: nothing is searched for while everything is in the prompt.
    assert count_thread_calls(database) - before == 2


async def test_memory_is_offered_once_where_something_would_be_lost(talk: Talk) -> None:
    assert not (await talk.say("Hello.")).offers_memory
    assert not (await talk.say("Where do people in Seattle live?")).offers_memory
    assert (await talk.say("I live in Seattle, by the way.")).offers_memory
    assert not (await talk.say("My name is Anna.")).offers_memory
    await talk.remember(owner=BORIS.id)
    assert not (await talk.say("I live in Portland, by the way.", person=BORIS)).offers_memory
