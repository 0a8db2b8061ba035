"""The buttons under an answer, as a person uses them: another one, the rest, try again, stop, why."""

import pytest

from tests.end_to_end.harness import ANSWERS, House, Json, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


def labels(message: Json) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


def now(member: Member, message: Json) -> Json:
    """A message as it stands now."""
    return member.house.world.messages[member.chat_id][message["message_id"]]


async def pressed(member: Member, message: Json, button: str) -> str:
    """What the bot says to a press."""
    since = member.now
    member.press(message, button)
    return str((await member.hears(since=since))["text"])


async def without_buttons(member: Member, message: Json) -> None:
    """Wait until the buttons of a message are taken away."""
    feed = member.house.world.feed
    if labels(now(member, message)):
        await feed.first(
            lambda event: (
                event["kind"] in ("edit", "markup")
                and event["message"]["message_id"] == message["message_id"]
                and not labels(event["message"])
            )
        )


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_another_answer_takes_the_place_of_the_last_one(house: House, memory: str) -> None:
    async with house.bot():
        ann = house.person()
        if memory == "on":
            await ann.sets_up()
        first = await ann.tells("Good morning.", "Noted.")
        house.model.script(ANSWERS, "A poor answer.", Behaviour(text="A better ans", finish="length"), "wer.")
        poor = await ann.tells("What is it?", "A poor answer.")
        assert labels(poor) == ["Regenerate", "Why?"]
        await without_buttons(ann, first)
        since = ann.now
        ann.press(poor, "Regenerate")
        better = await ann.hears("A better ans", since=since)
        assert labels(now(ann, poor)) == []
        assert labels(better) == ["Regenerate", "Continue", "Why?"]
        assert "poor" not in str(house.chat_requests()[-1])
        assert str(house.chat_requests()[-1]).count("What is it?") == 1
        since = ann.now
        ann.press(better, "Continue")
        rest = await ann.hears("wer.", since=since)
        assert "A better ans" in str(house.chat_requests()[-1])
        assert "poor" not in str(house.chat_requests()[-1])
        while "can explain only" in (said := await pressed(ann, rest, "Why?")):
            """Which message shows an answer is noted a moment after Telegram has it; people press later."""
        assert "was made from" in said
        if memory == "on":
            rejected = house.memory.rows("SELECT content FROM versions WHERE user_id = ?", ann.id)
            assert [one["content"] for one in rejected] == ["A poor answer."]
            assert len(house.memory.messages(ann.id)) == 6


@pytest.mark.parametrize("memory", ["on", "off"])
async def test_what_failed_can_be_tried_again_in_its_place(house: House, memory: str) -> None:
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


async def test_stopping_leaves_one_mark(house: House) -> None:
    async with house.bot(REPLY_STREAMING="edit"):
        ann = house.person()
        for way in ("button", "command"):
            house.model.script(ANSWERS, Behaviour(text="Once upon a time " * 20, hold="middle"))
            since = ann.now
            ann.says("Tell me a story")
            shown = await ann.hears("Once", since=since)
            assert labels(shown) == ["Stop"]
            since = ann.now
            if way == "button":
                ann.press(shown, "Stop")
            else:
                ann.says("/stop")
            marked = await ann.hears("Stopped", since=since)
            assert marked["message_id"] == shown["message_id"]
            assert labels(marked) == []
            assert await ann.asks("Next") == "Noted.", "nothing else was said in between"
