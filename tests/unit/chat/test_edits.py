"""An edited message: memory follows it, what was built on it goes, and the last turn may be answered again."""

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
from tests.support.talk import ANNA, BORIS, Talk, talking
from tests.unit.chat.test_conversation import room

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=2)
        yield talk


async def say(talk: Talk, text: str, telegram_id: int) -> None:
    incoming = talk.incoming(text)
    piece = IncomingPiece(text=text, source=incoming.source, sent_at=talk.moment[0], telegram_id=telegram_id)
    await talk.conversation.reply(UserMessage(scope=SCOPE, person=ANNA, pieces=(piece,)))
    await talk.conversation.run_post_turn_tasks(SCOPE)


async def stored(talk: Talk) -> list[str]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return [message.content for message in await store.timeline.read_page(SCOPE)]


async def answers(talk: Talk) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return [message for message in await store.timeline.read_page(SCOPE) if message.role == "assistant"]


async def versions(talk: Talk) -> list[tuple[str, str]]:
    async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_reader(None) as reader:
        return [tuple(row) for row in await reader.fetch_rows("SELECT content, why FROM versions ORDER BY id")]


async def test_an_edit_changes_no_answer(talk: Talk) -> None:
    """A supergroup starts its message ids again, so that an earlier id of an answer may name another message there."""
    await say(talk, "Hello.", 5)
    [answer] = await answers(talk)
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert answer.source is not None
        await store.explanations.record_shown_messages(SCOPE, answer.source, [6, 8])
    for number in (6, 8):
        assert await talk.services.corrections.correct_message(SCOPE, number, "Forged.") == Correction()
    assert await stored(talk) == ["Hello.", "Understood."]


async def test_memory_says_what_the_message_says_now(talk: Talk) -> None:
    await say(talk, "I live in Portland.", 5)
    await say(talk, "Hello.", 7)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "I live in Seattle.") == Correction(
        turn=1, is_last=False
    )
    assert await stored(talk) == ["I live in Seattle.", "Understood.", "Hello.", "Understood."]
    assert await versions(talk) == [("I live in Portland.", "edited")]
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.list_summaries(SCOPE, active_only=False) == []
    await talk.conversation.run_post_turn_tasks(SCOPE)
    assert "Portland" not in talk.prompts("summary-model")[-1]
    assert "Seattle" in talk.prompts("summary-model")[-1]
    await say(talk, "Where do I live?", 9)
    assert "Portland" not in talk.prompts()[-1]


async def test_the_last_turn_is_answered_again_and_the_earlier_answer_is_a_version(talk: Talk) -> None:
    await say(talk, "Hello.", 5)
    await say(talk, "What is the capital of Austria?", 7)
    found = await talk.services.corrections.correct_message(SCOPE, 7, "What is the capital of Australia?")
    assert found == Correction(turn=3, is_last=True)
    talk.server.script("chat-model", Behaviour(text="Canberra."))
    answered = await talk.conversation.answer_last_turn_again(SCOPE, 3, ANNA)
    assert answered is not None
    incoming, reply = answered
    assert incoming.text == "What is the capital of Australia?"
    assert (reply.text, reply.is_error) == ("Canberra.", False)
    prompt = talk.prompts()[-1]
    assert "Australia" in prompt
    assert "Austria?" not in prompt
    assert prompt.count("Understood.") == 1, "the earlier answer is not shown"
    assert await stored(talk) == ["Hello.", "Understood.", "What is the capital of Australia?", "Canberra."]
    assert await versions(talk) == [("What is the capital of Austria?", "edited"), ("Understood.", "superseded")]


async def test_a_turn_that_got_no_answer_gets_one(talk: Talk) -> None:
    talk.server.script("chat-model", Behaviour(status=401))
    await say(talk, "Hello?", 5)
    assert await stored(talk) == ["Hello?"]
    await talk.services.corrections.correct_message(SCOPE, 5, "Hello!")
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is not None
    assert await stored(talk) == ["Hello!", "Understood."]
    [answer] = await answers(talk)
    assert answer.source == "1:1", "a replay of the update finds it"


@pytest.mark.parametrize("choice", ["on", "off", "incognito"])
async def test_the_version_that_is_shown_is_what_the_talk_goes_on_from(talk: Talk, choice: str) -> None:
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
    assert "First." in talk.prompts()[-1]
    assert "Second." not in talk.prompts()[-1]
    assert "Third." not in talk.prompts()[-1]


async def test_what_was_read_of_a_stopped_answer_is_the_answer(talk: Talk) -> None:
    """Without it nothing could go on from there; of one that nobody has read, nothing is stored."""
    said = UserMessage(
        scope=SCOPE, person=ANNA, pieces=(IncomingPiece(text="A story?", source="1:9", sent_at=talk.moment[0]),)
    )
    for kept, expected in (("", ["A story?"]), ("Once upon", ["A story?", "Once upon"])):
        talk.server.script("chat-model", Behaviour(text="Once upon a time.", hold="start"))
        held = talk.server.held
        replying = asyncio.ensure_future(talk.conversation.reply(said, on_stop=partial(str, kept)))
        await talk.server.until_held(held + 1)
        replying.cancel()
        if kept:
            assert ((await replying).is_stopped, (await replying).is_truncated) == (True, True)
        else:
            with pytest.raises(asyncio.CancelledError):
                await replying
        await talk.server.release()
        assert await stored(talk) == expected


async def test_a_failing_model_leaves_the_earlier_answer(talk: Talk) -> None:
    await say(talk, "Hello.", 5)
    talk.server.script("chat-model", Behaviour(status=401))
    answered = await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA)
    assert answered is not None
    assert (answered[1].text, answered[1].is_error) == ("Understood.", False)
    assert "could not answer" in answered[1].notices[0]
    assert await stored(talk) == ["Hello.", "Understood."]


async def test_what_is_not_the_last_turn_is_not_answered_again(talk: Talk) -> None:
    await say(talk, "Hello.", 5)
    await say(talk, "Good bye.", 7)
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is None
    assert await talk.conversation.answer_last_turn_again(Scope(owner=BORIS.id), 1, BORIS) is None
    assert len(talk.server.of("chat-model")) == 2


async def test_an_edit_of_what_is_not_stored_changes_nothing(talk: Talk) -> None:
    await say(talk, "Hello.", 5)
    for scope, number, text in ((SCOPE, 6, "x"), (SCOPE, 5, "Hello."), (Scope(owner=BORIS.id), 5, "x")):
        assert await talk.services.corrections.correct_message(scope, number, text) == Correction()
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    assert await talk.services.corrections.correct_message(SCOPE, 5, "x") == Correction(), (
        "incognito nothing is written"
    )
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "x") == Correction()
    assert await stored(talk) == ["Hello.", "Understood."]


@pytest.mark.parametrize("mode", ["off", "incognito"])
async def test_an_edit_of_what_only_the_process_holds_is_taken_in_there(talk: Talk, mode: str) -> None:
    if mode == "off":
        await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    else:
        await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    await say(talk, "My cat is Tom.", 5)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Tom.") == Correction(), "the same words"
    changed = await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Tim.")
    assert changed.is_last
    assert changed.turn is not None
    answered = await talk.conversation.answer_last_turn_again(SCOPE, changed.turn, ANNA)
    assert answered is not None
    assert answered[0].text_without_attachments == "My cat is Tim."
    await say(talk, "And now?", 7)
    assert await talk.services.corrections.correct_message(SCOPE, 5, "My cat is Kim.") == Correction(turn=changed.turn)
    await say(talk, "What is my cat called?", 9)
    prompt = str(talk.server.of("chat-model")[-1].messages)
    assert "Kim" in prompt
    assert "Tom" not in prompt
    assert "Tim" not in prompt
    assert await stored(talk) == []


async def test_the_json_store_keeps_corrections_over_a_restart(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(storage=StorageType.JSON)
        await say(talk, "walrus", 5)
        await talk.services.corrections.correct_message(SCOPE, 5, "zebra")
    (tmp_path / "index.db").unlink()
    async with talking(tmp_path) as talk:
        assert await stored(talk) == ["zebra", "Understood."]
        async with talk.services.memory.open_store(ANNA.id) as store:
            assert len(await store.search_messages(SCOPE, ["zebra"], limit=9)) == 1
            assert await store.search_messages(SCOPE, ["walrus"], limit=9) == []
        assert await versions(talk) == [("walrus", "edited")]


@pytest.mark.parametrize("choice", ["off", "incognito"])
async def test_what_only_the_process_holds_is_answered_again_in_its_place(talk: Talk, choice: str) -> None:
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
    assert "Vienna" not in talk.prompts()[-1]
    await talk.say("And of Austria?")
    assert "Canberra" in talk.prompts()[-1]
    assert "Vienna" not in talk.prompts()[-1]
    assert await talk.conversation.answer_last_turn_again(SCOPE, first.turn, ANNA) is None, (
        "the conversation has gone on"
    )
    assert await talk.conversation.switch_answer_version(SCOPE, first.turn, 1, ANNA) is None
    assert await stored(talk) == []


async def test_nothing_is_written_once_memory_is_off(talk: Talk) -> None:
    await say(talk, "Hello.", 5)
    talk.server.script("chat-model", Behaviour(text="Good morning.", hold="start"))
    answering = asyncio.create_task(talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA))
    await talk.server.until_held()
    await talk.services.memory.set_enabled(ANNA.id, enabled=False)
    await talk.server.release()
    answered = await answering
    assert answered is not None
    assert answered[1].text == "Good morning."
    assert await stored(talk) == ["Hello.", "Understood."]
    assert await versions(talk) == []


async def test_an_answer_that_a_failing_store_did_not_take_is_no_second_one(talk: Talk) -> None:
    talk.server.script("chat-model", Behaviour(text="A long answer. " * 2_000, hold="start"))
    asking = asyncio.create_task(talk.say("Hello."))
    await talk.server.until_held()
    await room(talk, 1)
    await talk.server.release()
    first = await asking
    assert first.turn is not None
    assert (first.is_durable, await stored(talk)) == (False, ["Hello."])
    await room(talk, 2**30)
    talk.server.script("chat-model", Behaviour(text="A short one."))
    assert await talk.conversation.answer_last_turn_again(SCOPE, first.turn, ANNA) is not None
    assert await talk.conversation.flush_turns_and_count_unwritten() == 0
    assert await stored(talk) == ["Hello.", "A short one."]


def test_a_button_of_an_earlier_process_names_no_turn_of_this_one() -> None:
    assert Sessions().make_local_id() != Sessions().make_local_id()


async def test_a_rejected_answer_is_in_no_summary_of_the_prompt_either(talk: Talk) -> None:
    """A fold may have taken it in before another answer was asked for."""
    await talk.remember(every_n=1)
    talk.server.script("chat-model", Behaviour(text="It is Vienna."))
    talk.server.script("summary-model", Behaviour(text="The user asked for a capital; the answer was Vienna."))
    await say(talk, "What is the capital of Australia?", 5)
    await talk.conversation.run_post_turn_tasks(SCOPE)
    async with talk.services.memory.open_store(SCOPE.owner) as store:
        assert len(await store.list_summaries(SCOPE)) == 1
    assert await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA) is not None
    assert "Vienna" not in talk.prompts()[-1]
    assert await stored(talk) == ["What is the capital of Australia?", "Understood."]
