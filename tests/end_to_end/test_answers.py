"""The buttons under an answer, as a person uses them: another one, the rest, try again, stop, why."""

import json
from dataclasses import replace

import pytest

from playground.contents import stop_draft
from tests.end_to_end.harness import ANSWERS, Json, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


def labels(message: Json) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


def now(member: Member, message: Json) -> Json:
    """A message as it stands now."""
    return member.house.world.messages[member.chat_id][message["message_id"]]


async def without_buttons(member: Member, message: Json) -> None:
    """Wait until the buttons of a message are taken away."""
    feed = member.house.world.feed
    if labels(now(member, message)):
        await feed.wait_for_first_match(
            lambda event: (
                event["kind"] in ("edit", "markup")
                and event["message"]["message_id"] == message["message_id"]
                and not labels(event["message"])
            )
        )


async def presses(member: Member, message: Json, label: str, words: str) -> Json:
    """The message that a press brings about: new, or changed."""
    since = member.now
    member.press(message, label)
    return await member.hears(words, since=since)


async def explained(member: Member, message: Json) -> None:
    """Which message shows an answer is noted a moment after Telegram has it; people press later."""
    while "was made from" not in (await presses(member, message, "Why?", ""))["text"]:
        """It says that it knows nothing of this message yet."""


def made_at(house: LocalServers, member: Member) -> list[str]:
    """When the answers were made whose explanations are stored."""
    rows = house.memory.rows("SELECT account FROM accounts WHERE user_id = ? ORDER BY id", member.id)
    return [json.loads(row["account"])["at"] for row in rows]


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_another_answer_takes_the_place_of_the_last_one(house: LocalServers, memory: str) -> None:
    async with house.bot():
        ann = house.person()
        if memory == "on":
            await ann.sets_up()
        first = await ann.tells("Good morning.", "Noted.")
        house.model.script(ANSWERS, "A poor answer.", Behaviour(text="A better ans", finish="length"), "wer.")
        poor = await ann.tells("What is it?", "A poor answer.")
        of_poor = made_at(house, ann)[-1:]
        assert labels(poor) == ["Regenerate", "Why?"]
        await without_buttons(ann, first)
        better = await presses(ann, poor, "Regenerate", "A better ans")
        assert better["message_id"] == poor["message_id"]
        assert labels(better) == ["Regenerate", "Continue", "Why?", "◀", "2/2"]
        assert "poor" not in str(house.chat_requests()[-1])
        assert str(house.chat_requests()[-1]).count("What is it?") == 1
        again = await presses(ann, better, "◀", "A poor answer.")
        assert labels(again) == ["Regenerate", "Why?", "1/2", "▶"]
        better = await presses(ann, again, "▶", "A better ans")
        assert "Continue" in labels(better), "it can go on, also when it was left and came back"
        await explained(ann, better)
        of_better = made_at(house, ann)
        again = await presses(ann, better, "◀", "A poor answer.")
        await explained(ann, again)
        assert [*of_better[:-1], *of_poor] == made_at(house, ann), "/why explains the version that is shown"
        await ann.tells("Go on.", "wer.")
        assert "A better ans" not in str(house.chat_requests()[-1])
        assert "A poor answer." in str(house.chat_requests()[-1]), "the one that is shown is the answer"
        if memory == "on":
            rejected = house.memory.rows("SELECT content FROM versions WHERE user_id = ?", ann.id)
            assert [message["content"] for message in rejected] == ["A better ans"]
            assert len(house.memory.messages(ann.id)) == 6


async def test_versions_are_there_after_a_restart(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        await ann.sets_up()
        house.model.script(ANSWERS, "A poor answer.", "A better one.")
        poor = await ann.tells("What is it?", "A poor answer.")
        better = await presses(ann, poor, "Regenerate", "A better one.")
    async with house.bot():
        again = await presses(ann, better, "◀", "A poor answer.")
        assert labels(again) == ["Regenerate", "Why?", "1/2", "▶"]


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_what_failed_can_be_tried_again_in_its_place(house: LocalServers, memory: str) -> None:
    async with house.bot():
        ann = house.person()
        if memory == "on":
            await ann.sets_up()
        house.model.script(ANSWERS, Behaviour(status=401), Behaviour(status=401), "Here I am.")
        failed = await ann.tells("Are you there?", "I could not answer")
        for words in ("I could not answer", "Here I am."):
            assert labels(now(ann, failed)) == ["Try again"]
            since = ann.now
            ann.press(failed, "Try again")
            shown = await ann.hears(words, since=since)
            assert shown["message_id"] == failed["message_id"]
            failed = shown
        assert labels(failed) == ["Regenerate", "Why?"]
        assert str(house.chat_requests()[-1]).count("Are you there?") == 1


async def test_a_draft_is_stopped_by_its_own_button(house: LocalServers) -> None:
    async with house.bot(REPLY_STREAMING="auto"):
        ann = house.person()
        await ann.sets_up()
        house.model.script(ANSWERS, Behaviour(text="Once upon a time " * 20, hold="middle"), "they lived.")
        since = ann.now
        ann.says("Tell me a story")
        await house.world.feed.wait_for_first_match(lambda event: event["kind"] == "draft", since=since)
        stop_draft(house.world, ann.id)
        marked = await ann.hears("Stopped", since=since)
        assert marked["text"].startswith("Once upon a time")
        assert labels(marked) == ["Regenerate", "Continue", "Why?"]
        await presses(ann, marked, "Continue", "they lived.")


async def test_rich_answers_are_chosen_in_the_settings(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        await ann.sets_up()
        table = "| a | b |\n|---|---|\n| 1 | 2 |"
        house.model.script(ANSWERS, table, table, "Plain words.")
        await ann.asks("A table, please", "1 | 2")
        ann.press(await ann.tells("/settings", "Settings"), "rich")
        since = ann.now
        ann.says("Again, please")
        answer = await ann.hears(lambda message: "rich_message" in message, since=since)
        assert answer["rich_message"]["blocks"][0]["text"] == table
        assert labels(answer) == ["Regenerate", "Why?"]
        await ann.asks("And now words", "Plain words.")


@pytest.mark.parametrize("way", ["button", "command"])
async def test_a_stopped_answer_can_go_on(house: LocalServers, way: str) -> None:
    async with house.bot(REPLY_STREAMING="auto"):
        ann = house.person()
        await ann.sets_up()
        house.model.script(ANSWERS, Behaviour(text="Once upon a time " * 20, hold="middle"), "they lived.", "The end.")
        since = ann.now
        ann.says("Tell me a story")
        shown = await ann.hears("Once", since=since)
        assert labels(shown) == ["Stop"], "in private too, where it takes longer"
        since = ann.now
        if way == "button":
            ann.press(shown, "Stop")
        else:
            ann.says("/stop")
        marked = await ann.hears("Stopped", since=since)
        assert marked["message_id"] == shown["message_id"]
        assert labels(marked) == ["Regenerate", "Continue", "Why?"]
        rest = await presses(ann, marked, "Continue", "they lived.")
        assert rest["message_id"] != marked["message_id"]
        assert "Once upon a time" in str(house.chat_requests()[-1])
        assert "Stopped" not in str(house.chat_requests()[-1])
        assert await ann.asks("Next") == "The end.", "nothing else was said in between"


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_a_thumb_down_asks_what_was_wrong(house: LocalServers, memory: str) -> None:
    async with house.bot():
        ann = house.person()
        if memory == "on":
            await ann.sets_up()
            await ann.asks("/memory add Ann plays the cello.", "Noted")
        answer = await ann.tells("What do I play?", "Noted.")
        asked, since = len(house.chat_requests()), ann.now
        ann.reacts(answer, "❤")
        ann.reacts(answer, "❤", "👎")
        question = await ann.hears("What was wrong?", since=since)
        assert question["reply_to_message"]["message_id"] == answer["message_id"]
        assert labels(question) == ["The facts", "Answer again", "Nothing"]
        explained_ = await presses(ann, question, "The facts", "was made from")
        if memory == "on":
            card = await presses(ann, explained_, "Ann plays the cello.", "Ann plays the cello.")
            assert "Delete" in labels(card)
        assert len(house.chat_requests()) == asked, "no reaction asks the model by itself"
        house.model.script(ANSWERS, "The cello, I think.")
        again = await presses(ann, question, "Answer again", "The cello, I think.")
        assert "◀" in "".join(labels(again))
        since = ann.now
        ann.reacts(again, "👎")
        question = await ann.hears("What was wrong?", since=since)
        ann.press(question, "Nothing")
        await house.world.feed.wait_for_first_match(
            lambda event: event["kind"] == "delete" and event["message_id"] == question["message_id"]
        )


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_a_thumb_down_in_a_topic_is_asked_about_in_that_topic(house: LocalServers, memory: str) -> None:
    ann = house.person()
    forum = house.group(ann, admins=[ann], topics={3: "Bread", 4: "Stone"})
    chats, bot_id = house.world.chats, house.world.bot["id"]
    chats[forum] = replace(chats[forum], admins=(ann.id, bot_id))  # or Telegram would tell the bot of no reaction
    stone = ann.within(forum, 4)
    async with house.bot():
        if memory == "on":
            await stone.sets_up()
        answer = await stone.tells(f"@{house.world.bot['username']} Hello", "Noted.")
        await dislikes(stone, answer)
        await stone.asks("/new", "")
        answer = await stone.tells(f"@{house.world.bot['username']} Hello again", "Noted.")
    if memory == "on":
        async with house.bot():
            await dislikes(stone, answer)


async def dislikes(member: Member, answer: Json) -> None:
    since = member.now
    member.reacts(answer, "👎")
    question = await member.hears("What was wrong?", since=since)
    assert question["message_thread_id"] == answer["message_thread_id"]
    assert question["reply_to_message"]["message_id"] == answer["message_id"]


async def test_other_reactions_and_those_to_other_messages_change_nothing(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        help_ = await ann.tells("/help", "/memory")
        answer = await ann.tells("Good morning", "Noted.")
        since = ann.now
        question = next(
            message for message in house.world.messages[ann.id].values() if message.get("text") == "Good morning"
        )
        for message, emoji in ((help_, "👎"), (question, "👎"), (answer, "👍")):
            ann.reacts(message, emoji)
        ann.reacts(answer)
        await ann.asks("And now?", "Noted.")
        assert [message["text"] for message in ann.heard(since=since)] == ["Noted."]
