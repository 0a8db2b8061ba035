"""/forget in the running bot: no file holds the words, while it runs, after a stop, or after a kill in the middle."""

import asyncio
import json

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.end_to_end.memory import Memory
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORD, OTHER = "Heliotröpe", "marigold"


def traces(memory: Memory, word: str = WORD) -> list[str]:
    forms = {word, word.casefold(), word.casefold()[:7], json.dumps(word)[1:-1]}
    return sorted({name for form in forms for name in memory.files_with(form)})


async def tells_all(house: LocalServers, process: Process, ann: Member) -> None:
    """The word gets into a question, an answer, an earlier text and a summary."""
    since = ann.now
    house.model.script(ANSWERS, Behaviour(text=f"You said {WORD}."))
    message = ann.says(f"My secret is {WORD}.")
    await ann.hears(f"You said {WORD}.", since=since)
    since = ann.now
    house.world.edit_message(ann.id, ann.chat_id, message["message_id"], f"My secret was {WORD}, mostly.")
    await ann.hears("Shall I answer it again?", since=since)
    house.model.default(SUMMARIES, f"They spoke of {WORD}.")
    logged = process.log.last
    await ann.asks(OTHER, "Noted.")
    await process.logged("summarized messages", since=logged)
    house.model.default(SUMMARIES, SUMMARY)
    assert "They spoke" in await ann.asks("/summary_show")


async def forgets(ann: Member, words: str, label: str) -> str:
    """Send /forget and confirm it; the receipt, once it arrives."""
    asked = await ann.tells(words, "Shall I forget")
    since = ann.now
    ann.press(asked, label)
    told = await ann.hears("Forgotten: ", since=since)
    assert told["message_id"] == asked["message_id"], "the receipt stands in place of the question"
    await ann.asks("/summary_status")
    return str(told["text"])


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_no_file_holds_what_was_forgotten(house: LocalServers, storage: str) -> None:
    ann = house.person()
    folder = f"forget-{storage}"
    memory = house.memory_in(folder)
    async with house.bot(DATA_DIR=folder) as process:
        await ann.sets_up(storage, 2)
        await tells_all(house, process, ann)
        assert traces(memory)
        told = await forgets(ann, "/forget #1", "Forget question and answer")
        assert "2 messages, 1 summary, 1 earlier version" in told
        assert traces(memory) == []
        assert traces(memory, OTHER)
        assert await ann.asks("What did I say?", "Noted.")
        assert WORD not in json.dumps(house.chat_requests()[-1], ensure_ascii=False)
        assert traces(memory) == []
        await forgets(ann, "/forget everything", "Forget everything")
        assert traces(memory, OTHER) == []
        assert "Total messages: 0" in await ann.asks("/summary_status")
    # A fold that was due may have been forgotten before it asked for its text.
    house.model.unscript(SUMMARIES)
    assert traces(memory) == traces(memory, OTHER) == []


async def test_an_older_message_that_is_edited_is_acknowledged_in_one_line(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="older-edit"):
        await ann.sets_up("SQLite")
        since = ann.now
        message = ann.says("My boat is called Quinquereme.")
        await ann.hears("Noted.", since=since)
        await ann.asks("Good morning.", "Noted.")
        since = ann.now
        ann.edits(message["message_id"], "My boat is called Trireme.")
        told = await ann.hears("new words of this message count", since=since)
        assert "\n" not in str(told["text"])


async def test_in_a_group_an_edit_is_acknowledged_without_a_message(house: LocalServers) -> None:
    ann = house.person("Ann")
    group = house.group(ann, admins=[ann])
    at_group = ann.within(group)
    async with house.bot(DATA_DIR="group-edit"):
        await at_group.sets_up("SQLite")
        since = at_group.now
        message = at_group.says("@keepsake_bot My boat is called Quinquereme.")
        await at_group.hears("Noted.", since=since)
        await at_group.asks("@keepsake_bot Good morning.", "Noted.")
        since = at_group.now
        at_group.edits(message["message_id"], "@keepsake_bot My boat is called Trireme.")
        await at_group.asks("@keepsake_bot And now?", "Noted.")
        assert [message["text"] for message in at_group.heard(since=since)] == ["Noted."]
        reacted = [call for call in house.world.calls.list_entries_since(0) if call["method"] == "setMessageReaction"]
        assert str(message["message_id"]) in str(reacted[-1])


async def test_who_forgets_everything_during_an_import_is_not_told_that_something_stays(house: LocalServers) -> None:
    ann = house.person()
    messages = [
        {
            "uuid": f"m{number}",
            "sender": ("human", "assistant")[number % 2],
            "content": [{"type": "text", "text": f"Parcel {number} went to locker {number * 7}."}],
            "created_at": f"2024-01-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z",
        }
        for number in range(60)
    ]
    talk = {"uuid": "c1", "name": "Parcels", "created_at": "2024-01-01T00:00:00Z", "chat_messages": messages}
    async with house.bot(DATA_DIR="forget-import"):
        await ann.sets_up("SQLite")
        since = ann.now
        house.world.send_file(
            ann.id, ann.chat_id, kind="document", name="conversations.json", data=json.dumps([talk]).encode(),
            caption="/import", reply_to=None,
        )  # fmt: skip
        offer = await ann.hears("It would add 60 messages", since=since)
        since = ann.now
        house.faults.add(Fault(kind="hang", method="getFile"))
        ann.press(offer, "Import")
        ann.press(offer, "Import")  # a double tap
        await ann.hears("Importing", since=since)
        ann.press(offer, "Import")  # by a client that still showed the button: it began again after all was forgotten
        asked = await ann.tells("/forget everything", "An import is running.")
        pressed = ann.now
        ann.press(asked, "Forget everything")
        told = await ann.hears(lambda message: message["message_id"] == asked["message_id"], since=pressed)
        assert told["text"].startswith("Nothing was imported.")
        house.faults.clear_faults()
        ended = await ann.hears("The memory was moved or erased in the meantime.", since=since)
        assert "stays" not in ended["text"]
        since = ann.now
        ann.says("/export json")
        await ann.hears(lambda message: "document" in message, since=since)  # behind the other presses
        assert "Total messages: 0" in await ann.asks("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_old_words_of_an_edited_message_are_found_and_forgotten(house: LocalServers, storage: str) -> None:
    ann = house.person()
    folder = f"old-words-{storage}"
    async with house.bot(DATA_DIR=folder) as process:
        await ann.sets_up(storage)
        since = ann.now
        message = ann.says(f"My secret is {WORD}.")
        await ann.hears("Noted.", since=since)
        since = ann.now
        ann.edits(message["message_id"], "My secret is none.")
        await ann.hears("Shall I answer it again?", since=since)
        listed = await ann.tells(f"/forget {WORD}", f"My secret is {WORD}.")
        since = ann.now
        ann.press(listed, "#1")
        asked = await ann.hears("Shall I forget", since=since)
        since = ann.now
        ann.press(asked, "Forget question and answer")
        await ann.hears("1 earlier version", since=since)
        await ann.asks("/summary_status")
        assert traces(house.memory_in(folder)) == []
        assert WORD not in process.text()


async def test_emoji_alone_are_found_and_forgotten(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="emoji"):
        await ann.sets_up("SQLite")
        await ann.asks("🦔🫐", "Noted")
        assert "🦔🫐" in await ann.asks("/search 🫐")
        listed = await ann.tells("/forget 🫐", "#1")
        since = ann.now
        ann.press(listed, "#1")
        asked = await ann.hears("Shall I forget", since=since)
        since = ann.now
        ann.press(asked, "Forget question and answer")
        await ann.hears("Forgotten: 2 messages", since=since)
        await ann.asks("/search 🫐", "othing")


@pytest.mark.parametrize(("storage", "delay"), [("SQLite", 0.05), ("JSON", 0.15)])
async def test_a_bot_that_is_killed_while_it_forgets_finishes_it(
    house: LocalServers, storage: str, delay: float
) -> None:
    ann = house.person()
    folder = f"killed-{storage}-{delay}"
    memory = house.memory_in(folder)
    async with house.bot(DATA_DIR=folder) as process:
        await ann.sets_up(storage, 2)
        await tells_all(house, process, ann)
        asked = await ann.tells("/forget everything", "Shall I forget")
        since = ann.now
        ann.press(asked, "Forget everything")
        # The point of death is to be anywhere from the press on, not at an event.
        await asyncio.sleep(delay)
        await process.kill()
    async with house.bot(DATA_DIR=folder):
        told = await ann.hears(lambda message: message["message_id"] == asked["message_id"], since=since)
        assert "Shall I" not in told["text"]
        await ann.asks("/summary_status", "Total messages: 0")
        assert traces(memory) == []
    assert traces(memory) == []


async def test_the_last_message_is_corrected_and_answered_again(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="corrected"):
        await ann.sets_up("SQLite", 20)
        since = ann.now
        message = ann.says("What is the capital of Austria?")
        await ann.hears("Noted.", since=since)
        since = ann.now
        house.world.edit_message(ann.id, ann.chat_id, message["message_id"], "What is the capital of Australia?")
        offer = await ann.hears("Shall I answer it again?", since=since)
        since = ann.now
        house.model.script(ANSWERS, Behaviour(text="Canberra."))
        ann.press(offer, "Answer again")
        await ann.hears("Canberra.", since=since)
        await ann.asks("/summary_status", "Total messages: 2")
        contents = [message["content"] for message in house.memory_in("corrected").messages(ann.id)]
        assert contents == ["What is the capital of Australia?", "Canberra."]
        since = ann.now
        house.world.edit_message(ann.id, ann.chat_id, message["message_id"], "Remember that I live in Australia.")
        offer = await ann.hears("Shall I answer it again?", since=since)
        remember = {"name": "remember", "arguments": {"text": "Ann lives in Australia."}}
        house.model.script(ANSWERS, Behaviour(calls=(remember,)), "Shall I?")
        since = ann.now
        ann.press(offer, "Answer again")
        asked = await ann.hears("Shall I remember this?", since=since)
        since = ann.now
        ann.press(asked, "Remember it")
        await ann.hears("Remembered: Ann lives in Australia.", since=since)
        assert "Austria?" not in json.dumps(house.chat_requests()[-1])


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_no_file_holds_what_later_answers_quoted(house: LocalServers, storage: str) -> None:
    ann = house.person()
    folder = f"quoted-{storage}"
    memory = house.memory_in(folder)
    async with house.bot(DATA_DIR=folder):
        await ann.sets_up(storage, 20)
        await ann.asks(f"My code word is {WORD}.", "Noted.")
        for text in (f"Your code word was {WORD}.", f"I told you: {WORD}."):
            house.model.script(ANSWERS, Behaviour(text=text))
            await ann.asks("What is my code word?", text)
        asked = await ann.tells("/forget #1", "quoted in: 2 later answers.")
        since = ann.now
        ann.press(asked, "Forget them too")
        told = str((await ann.hears("Forgotten: ", since=since))["text"])
        assert "4 messages" in told
        await ann.asks("/summary_status", "Total messages: 2")
        assert traces(memory) == []
    assert traces(memory) == []
