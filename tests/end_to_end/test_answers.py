"""Tests of the buttons under an answer (regenerate, continue, try again, stop, why) and of thumbs down."""

import json
from dataclasses import replace

import pytest

from playground.contents import stop_draft
from tests.end_to_end.harness import ANSWERS, Json, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


def list_button_labels(message: Json) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


def get_current_message(member: Member, message: Json) -> Json:
    """Return the current version of a message."""
    return member.servers.world.messages[member.chat_id][message["message_id"]]


async def without_buttons(member: Member, message: Json) -> None:
    """Wait until the buttons of a message are removed."""
    feed = member.servers.world.feed
    if list_button_labels(get_current_message(member, message)):
        await feed.wait_for_first_match(
            lambda event: (
                event["kind"] in ("edit", "markup")
                and event["message"]["message_id"] == message["message_id"]
                and not list_button_labels(event["message"])
            )
        )


async def press_and_wait(member: Member, message: Json, label: str, words: str) -> Json:
    """Press a button, and return the new or edited message."""
    since = member.last_event
    member.press_button(message, label)
    return await member.wait_for_message(words, since=since)


async def wait_until_explained(member: Member, message: Json) -> None:
    """Press [Why?] until the bot knows the answer in this message.

    The bot records which message shows an answer a moment after Telegram has it. People press later than that.
    """
    while "was made from" not in (await press_and_wait(member, message, "Why?", ""))["text"]:
        """It says that it knows nothing of this message yet."""


def made_at(servers: LocalServers, member: Member) -> list[str]:
    """Return the creation times of the answers that have stored explanations."""
    rows = servers.memory.fetch_rows("SELECT account FROM accounts WHERE user_id = ? ORDER BY id", member.id)
    return [json.loads(row["account"])["at"] for row in rows]


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_regenerated_answer_replaces_last_answer_and_versions_can_be_switched(
    servers: LocalServers, memory: str
) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        if memory == "on":
            await ann.set_up_memory()
        first = await ann.ask_for_message("Good morning.", "Noted.")
        servers.model.script(ANSWERS, "A poor answer.", Behaviour(text="A better ans", finish="length"), "wer.")
        poor = await ann.ask_for_message("What is it?", "A poor answer.")
        of_poor = made_at(servers, ann)[-1:]
        assert list_button_labels(poor) == ["Regenerate", "Why?"]
        await without_buttons(ann, first)
        better = await press_and_wait(ann, poor, "Regenerate", "A better ans")
        assert better["message_id"] == poor["message_id"]
        assert list_button_labels(better) == ["Regenerate", "Continue", "Why?", "◀", "2/2"]
        assert "poor" not in str(servers.list_chat_requests()[-1])
        assert str(servers.list_chat_requests()[-1]).count("What is it?") == 1
        again = await press_and_wait(ann, better, "◀", "A poor answer.")
        assert list_button_labels(again) == ["Regenerate", "Why?", "1/2", "▶"]
        better = await press_and_wait(ann, again, "▶", "A better ans")
        assert "Continue" in list_button_labels(better), "it can go on, also when it was left and came back"
        await wait_until_explained(ann, better)
        of_better = made_at(servers, ann)
        again = await press_and_wait(ann, better, "◀", "A poor answer.")
        await wait_until_explained(ann, again)
        assert [*of_better[:-1], *of_poor] == made_at(servers, ann), "/why explains the version that is shown"
        await ann.ask_for_message("Go on.", "wer.")
        assert "A better ans" not in str(servers.list_chat_requests()[-1])
        assert "A poor answer." in str(servers.list_chat_requests()[-1]), "the one that is shown is the answer"
        if memory == "on":
            rejected = servers.memory.fetch_rows("SELECT content FROM versions WHERE user_id = ?", ann.id)
            assert [message["content"] for message in rejected] == ["A better ans"]
            assert len(servers.memory.list_messages(ann.id)) == 6


async def test_answer_versions_survive_restart(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        await ann.set_up_memory()
        servers.model.script(ANSWERS, "A poor answer.", "A better one.")
        poor = await ann.ask_for_message("What is it?", "A poor answer.")
        better = await press_and_wait(ann, poor, "Regenerate", "A better one.")
    async with servers.run_bot():
        again = await press_and_wait(ann, better, "◀", "A poor answer.")
        assert list_button_labels(again) == ["Regenerate", "Why?", "1/2", "▶"]


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_failed_answer_can_be_retried_in_place(servers: LocalServers, memory: str) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        if memory == "on":
            await ann.set_up_memory()
        servers.model.script(ANSWERS, Behaviour(status=401), Behaviour(status=401), "Here I am.")
        failed = await ann.ask_for_message("Are you there?", "I could not answer")
        for words in ("I could not answer", "Here I am."):
            assert list_button_labels(get_current_message(ann, failed)) == ["Try again"]
            since = ann.last_event
            ann.press_button(failed, "Try again")
            shown = await ann.wait_for_message(words, since=since)
            assert shown["message_id"] == failed["message_id"]
            failed = shown
        assert list_button_labels(failed) == ["Regenerate", "Why?"]
        assert str(servers.list_chat_requests()[-1]).count("Are you there?") == 1


async def test_stopped_draft_is_kept_and_can_be_continued(servers: LocalServers) -> None:
    async with servers.run_bot(REPLY_STREAMING="auto"):
        ann = servers.add_person()
        await ann.set_up_memory()
        servers.model.script(ANSWERS, Behaviour(text="Once upon a time " * 20, hold="middle"), "they lived.")
        since = ann.last_event
        ann.say("Tell me a story")
        await servers.world.feed.wait_for_first_match(lambda event: event["kind"] == "draft", since=since)
        stop_draft(servers.world, ann.id)
        marked = await ann.wait_for_message("Stopped", since=since)
        assert marked["text"].startswith("Once upon a time")
        assert list_button_labels(marked) == ["Regenerate", "Continue", "Why?"]
        await press_and_wait(ann, marked, "Continue", "they lived.")


async def test_rich_formatting_can_be_chosen_in_settings(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        await ann.set_up_memory()
        table = "| a | b |\n|---|---|\n| 1 | 2 |"
        servers.model.script(ANSWERS, table, table, "Plain words.")
        await ann.ask("A table, please", "1 | 2")
        ann.press_button(await ann.ask_for_message("/settings", "Settings"), "rich")
        since = ann.last_event
        ann.say("Again, please")
        answer = await ann.wait_for_message(lambda message: "rich_message" in message, since=since)
        assert answer["rich_message"]["blocks"][0]["text"] == table
        assert list_button_labels(answer) == ["Regenerate", "Why?"]
        await ann.ask("And now words", "Plain words.")


@pytest.mark.parametrize("way", ["button", "command"])
async def test_stopped_answer_can_be_continued(servers: LocalServers, way: str) -> None:
    async with servers.run_bot(REPLY_STREAMING="auto"):
        ann = servers.add_person()
        await ann.set_up_memory()
        servers.model.script(
            ANSWERS, Behaviour(text="Once upon a time " * 20, hold="middle"), "they lived.", "The end."
        )
        since = ann.last_event
        ann.say("Tell me a story")
        shown = await ann.wait_for_message("Once", since=since)
        assert list_button_labels(shown) == ["Stop"], "in private too, where it takes longer"
        since = ann.last_event
        if way == "button":
            ann.press_button(shown, "Stop")
        else:
            ann.say("/stop")
        marked = await ann.wait_for_message("Stopped", since=since)
        assert marked["message_id"] == shown["message_id"]
        assert list_button_labels(marked) == ["Regenerate", "Continue", "Why?"]
        rest = await press_and_wait(ann, marked, "Continue", "they lived.")
        assert rest["message_id"] != marked["message_id"]
        assert "Once upon a time" in str(servers.list_chat_requests()[-1])
        assert "Stopped" not in str(servers.list_chat_requests()[-1])
        assert await ann.ask("Next") == "The end.", "nothing else was said in between"


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_thumbs_down_asks_what_was_wrong(servers: LocalServers, memory: str) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        if memory == "on":
            await ann.set_up_memory()
            await ann.ask("/memory add Ann plays the cello.", "Noted")
        answer = await ann.ask_for_message("What do I play?", "Noted.")
        asked, since = len(servers.list_chat_requests()), ann.last_event
        ann.reacts(answer, "❤")
        ann.reacts(answer, "❤", "👎")
        question = await ann.wait_for_message("What was wrong?", since=since)
        assert question["reply_to_message"]["message_id"] == answer["message_id"]
        assert list_button_labels(question) == ["The facts", "Answer again", "Nothing"]
        explained_ = await press_and_wait(ann, question, "The facts", "was made from")
        if memory == "on":
            card = await press_and_wait(ann, explained_, "Ann plays the cello.", "Ann plays the cello.")
            assert "Delete" in list_button_labels(card)
        assert len(servers.list_chat_requests()) == asked, "no reaction asks the model by itself"
        servers.model.script(ANSWERS, "The cello, I think.")
        again = await press_and_wait(ann, question, "Answer again", "The cello, I think.")
        assert "◀" in "".join(list_button_labels(again))
        since = ann.last_event
        ann.reacts(again, "👎")
        question = await ann.wait_for_message("What was wrong?", since=since)
        ann.press_button(question, "Nothing")
        await servers.world.feed.wait_for_first_match(
            lambda event: event["kind"] == "delete" and event["message_id"] == question["message_id"]
        )


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_thumbs_down_in_topic_is_followed_up_in_same_topic(servers: LocalServers, memory: str) -> None:
    ann = servers.add_person()
    forum = servers.add_group(ann, admins=[ann], topics={3: "Bread", 4: "Stone"})
    chats, bot_id = servers.world.chats, servers.world.bot["id"]
    chats[forum] = replace(chats[forum], admins=(ann.id, bot_id))  # or Telegram would tell the bot of no reaction
    stone = ann.with_chat(forum, 4)
    async with servers.run_bot():
        if memory == "on":
            await stone.set_up_memory()
        answer = await stone.ask_for_message(f"@{servers.world.bot['username']} Hello", "Noted.")
        await dislikes(stone, answer)
        await stone.ask("/new", "")
        answer = await stone.ask_for_message(f"@{servers.world.bot['username']} Hello again", "Noted.")
    if memory == "on":
        async with servers.run_bot():
            await dislikes(stone, answer)


async def dislikes(member: Member, answer: Json) -> None:
    since = member.last_event
    member.reacts(answer, "👎")
    question = await member.wait_for_message("What was wrong?", since=since)
    assert question["message_thread_id"] == answer["message_thread_id"]
    assert question["reply_to_message"]["message_id"] == answer["message_id"]


async def test_reactions_other_than_thumbs_down_on_answers_are_ignored(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        help_ = await ann.ask_for_message("/help", "/memory")
        answer = await ann.ask_for_message("Good morning", "Noted.")
        since = ann.last_event
        question = next(
            message for message in servers.world.messages[ann.id].values() if message.get("text") == "Good morning"
        )
        for message, emoji in ((help_, "👎"), (question, "👎"), (answer, "👍")):
            ann.reacts(message, emoji)
        ann.reacts(answer)
        await ann.ask("And now?", "Noted.")
        assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["Noted."]
