"""Tests of /forget in the running bot.

No file contains the forgotten text while the bot runs, after a stop, or after a kill during /forget.
"""

import asyncio
import json

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.end_to_end.memory import Memory
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORD, OTHER = "Heliotröpe", "marigold"


def find_traces(memory: Memory, word: str = WORD) -> list[str]:
    forms = {word, word.casefold(), word.casefold()[:7], json.dumps(word)[1:-1]}
    return sorted({name for form in forms for name in memory.find_files_containing(form)})


async def tells_all(servers: LocalServers, process: Process, ann: Member) -> None:
    """Put the word into a question, an answer, an earlier message version and a summary."""
    since = ann.last_event
    servers.model.script(ANSWERS, Behaviour(text=f"You said {WORD}."))
    message = ann.say(f"My secret is {WORD}.")
    await ann.wait_for_message(f"You said {WORD}.", since=since)
    since = ann.last_event
    servers.world.edit_message(ann.id, ann.chat_id, message["message_id"], f"My secret was {WORD}, mostly.")
    await ann.wait_for_message("Shall I answer it again?", since=since)
    servers.model.set_default_answer(SUMMARIES, f"They spoke of {WORD}.")
    logged = process.log.last
    await ann.ask(OTHER, "Noted.")
    await process.wait_for_log_line("summarized messages", since=logged)
    servers.model.set_default_answer(SUMMARIES, SUMMARY)
    assert "They spoke" in await ann.ask("/summary_show")


async def forgets(ann: Member, words: str, label: str) -> str:
    """Send a /forget command, confirm it, and return the receipt."""
    asked = await ann.ask_for_message(words, "Shall I forget")
    since = ann.last_event
    ann.press_button(asked, label)
    told = await ann.wait_for_message("Forgotten: ", since=since)
    assert told["message_id"] == asked["message_id"], "the receipt stands in place of the question"
    await ann.ask("/summary_status")
    return str(told["text"])


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_forgotten_text_remains_in_no_file(servers: LocalServers, storage: str) -> None:
    ann = servers.add_person()
    folder = f"forget-{storage}"
    memory = servers.get_memory(folder)
    async with servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory(storage, 2)
        await tells_all(servers, process, ann)
        assert find_traces(memory)
        told = await forgets(ann, "/forget #1", "Forget question and answer")
        assert "2 messages, 1 summary, 1 earlier version" in told
        assert find_traces(memory) == []
        assert find_traces(memory, OTHER)
        assert await ann.ask("What did I say?", "Noted.")
        assert WORD not in json.dumps(servers.list_chat_requests()[-1], ensure_ascii=False)
        assert find_traces(memory) == []
        await forgets(ann, "/forget everything", "Forget everything")
        assert find_traces(memory, OTHER) == []
        assert "Total messages: 0" in await ann.ask("/summary_status")
    # A fold that was due may have been forgotten before it asked for its text.
    servers.model.unscript(SUMMARIES)
    assert find_traces(memory) == find_traces(memory, OTHER) == []


async def test_edit_of_older_message_is_acknowledged_in_one_line(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="older-edit"):
        await ann.set_up_memory("SQLite")
        since = ann.last_event
        message = ann.say("My boat is called Quinquereme.")
        await ann.wait_for_message("Noted.", since=since)
        await ann.ask("Good morning.", "Noted.")
        since = ann.last_event
        ann.edit_message(message["message_id"], "My boat is called Trireme.")
        told = await ann.wait_for_message("new text of this message counts", since=since)
        assert "\n" not in str(told["text"])


async def test_edit_in_group_is_acknowledged_by_reaction(servers: LocalServers) -> None:
    ann = servers.add_person("Ann")
    group = servers.add_group(ann, admins=[ann])
    at_group = ann.with_chat(group)
    async with servers.run_bot(DATA_DIR="group-edit"):
        await at_group.set_up_memory("SQLite")
        since = at_group.last_event
        message = at_group.say("@keepsake_bot My boat is called Quinquereme.")
        await at_group.wait_for_message("Noted.", since=since)
        await at_group.ask("@keepsake_bot Good morning.", "Noted.")
        since = at_group.last_event
        at_group.edit_message(message["message_id"], "@keepsake_bot My boat is called Trireme.")
        await at_group.ask("@keepsake_bot And now?", "Noted.")
        assert [message["text"] for message in at_group.list_bot_messages(since=since)] == ["Noted."]
        reacted = [call for call in servers.world.calls.list_entries_since(0) if call["method"] == "setMessageReaction"]
        assert str(message["message_id"]) in str(reacted[-1])


async def test_forgetting_everything_during_import_cancels_import(servers: LocalServers) -> None:
    ann = servers.add_person()
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
    async with servers.run_bot(DATA_DIR="forget-import"):
        await ann.set_up_memory("SQLite")
        since = ann.last_event
        servers.world.send_file(
            ann.id, ann.chat_id, kind="document", name="conversations.json", data=json.dumps([talk]).encode(),
            caption="/import", reply_to=None,
        )  # fmt: skip
        offer = await ann.wait_for_message("It would add 60 messages", since=since)
        since = ann.last_event
        servers.faults.add(Fault(kind="hang", method="getFile"))
        ann.press_button(offer, "Import")
        ann.press_button(offer, "Import")  # a double tap
        await ann.wait_for_message("Importing", since=since)
        ann.press_button(
            offer, "Import"
        )  # by a client that still showed the button: it began again after all was forgotten
        asked = await ann.ask_for_message("/forget everything", "An import is running.")
        pressed = ann.last_event
        ann.press_button(asked, "Forget everything")
        told = await ann.wait_for_message(lambda message: message["message_id"] == asked["message_id"], since=pressed)
        assert told["text"].startswith("Nothing was imported.")
        servers.faults.clear_faults()
        ended = await ann.wait_for_message("The memory was moved or erased in the meantime.", since=since)
        assert "stays" not in ended["text"]
        since = ann.last_event
        ann.say("/export json")
        await ann.wait_for_message(lambda message: "document" in message, since=since)  # behind the other presses
        assert "Total messages: 0" in await ann.ask("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_earlier_text_of_edited_message_is_found_and_forgotten(servers: LocalServers, storage: str) -> None:
    ann = servers.add_person()
    folder = f"old-words-{storage}"
    async with servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory(storage)
        since = ann.last_event
        message = ann.say(f"My secret is {WORD}.")
        await ann.wait_for_message("Noted.", since=since)
        since = ann.last_event
        ann.edit_message(message["message_id"], "My secret is none.")
        await ann.wait_for_message("Shall I answer it again?", since=since)
        listed = await ann.ask_for_message(f"/forget {WORD}", f"My secret is {WORD}.")
        since = ann.last_event
        ann.press_button(listed, "#1")
        asked = await ann.wait_for_message("Shall I forget", since=since)
        since = ann.last_event
        ann.press_button(asked, "Forget question and answer")
        await ann.wait_for_message("1 earlier version", since=since)
        await ann.ask("/summary_status")
        assert find_traces(servers.get_memory(folder)) == []
        assert WORD not in process.get_log_text()


async def test_emoji_only_message_is_found_and_forgotten(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="emoji"):
        await ann.set_up_memory("SQLite")
        await ann.ask("🦔🫐", "Noted")
        assert "🦔🫐" in await ann.ask("/search 🫐")
        listed = await ann.ask_for_message("/forget 🫐", "#1")
        since = ann.last_event
        ann.press_button(listed, "#1")
        asked = await ann.wait_for_message("Shall I forget", since=since)
        since = ann.last_event
        ann.press_button(asked, "Forget question and answer")
        await ann.wait_for_message("Forgotten: 2 messages", since=since)
        await ann.ask("/search 🫐", "othing")


@pytest.mark.parametrize(("storage", "delay"), [("SQLite", 0.05), ("JSON", 0.15)])
async def test_forgetting_interrupted_by_kill_is_completed_after_restart(
    servers: LocalServers, storage: str, delay: float
) -> None:
    ann = servers.add_person()
    folder = f"killed-{storage}-{delay}"
    memory = servers.get_memory(folder)
    async with servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory(storage, 2)
        await tells_all(servers, process, ann)
        asked = await ann.ask_for_message("/forget everything", "Shall I forget")
        since = ann.last_event
        ann.press_button(asked, "Forget everything")
        # The point of death is to be anywhere from the press on, not at an event.
        await asyncio.sleep(delay)
        await process.kill()
    async with servers.run_bot(DATA_DIR=folder):
        told = await ann.wait_for_message(lambda message: message["message_id"] == asked["message_id"], since=since)
        assert "Shall I" not in told["text"]
        await ann.ask("/summary_status", "Total messages: 0")
        assert find_traces(memory) == []
    assert find_traces(memory) == []


async def test_edited_last_message_can_be_answered_again(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="corrected"):
        await ann.set_up_memory("SQLite", 20)
        since = ann.last_event
        message = ann.say("What is the capital of Austria?")
        await ann.wait_for_message("Noted.", since=since)
        since = ann.last_event
        servers.world.edit_message(ann.id, ann.chat_id, message["message_id"], "What is the capital of Australia?")
        offer = await ann.wait_for_message("Shall I answer it again?", since=since)
        since = ann.last_event
        servers.model.script(ANSWERS, Behaviour(text="Canberra."))
        ann.press_button(offer, "Answer again")
        await ann.wait_for_message("Canberra.", since=since)
        await ann.ask("/summary_status", "Total messages: 2")
        contents = [message["content"] for message in servers.get_memory("corrected").list_messages(ann.id)]
        assert contents == ["What is the capital of Australia?", "Canberra."]
        since = ann.last_event
        servers.world.edit_message(ann.id, ann.chat_id, message["message_id"], "Remember that I live in Australia.")
        offer = await ann.wait_for_message("Shall I answer it again?", since=since)
        remember = {"name": "remember", "arguments": {"text": "Ann lives in Australia."}}
        servers.model.script(ANSWERS, Behaviour(calls=(remember,)), "Shall I?")
        since = ann.last_event
        ann.press_button(offer, "Answer again")
        asked = await ann.wait_for_message("Shall I remember this?", since=since)
        since = ann.last_event
        ann.press_button(asked, "Remember it")
        await ann.wait_for_message("Remembered: Ann lives in Australia.", since=since)
        assert "Austria?" not in json.dumps(servers.list_chat_requests()[-1])


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_forgotten_text_quoted_by_later_answers_remains_in_no_file(servers: LocalServers, storage: str) -> None:
    ann = servers.add_person()
    folder = f"quoted-{storage}"
    memory = servers.get_memory(folder)
    async with servers.run_bot(DATA_DIR=folder):
        await ann.set_up_memory(storage, 20)
        await ann.ask(f"My code word is {WORD}.", "Noted.")
        for text in (f"Your code word was {WORD}.", f"I told you: {WORD}."):
            servers.model.script(ANSWERS, Behaviour(text=text))
            await ann.ask("What is my code word?", text)
        asked = await ann.ask_for_message("/forget #1", "quoted in: 2 later answers.")
        since = ann.last_event
        ann.press_button(asked, "Forget them too")
        told = str((await ann.wait_for_message("Forgotten: ", since=since))["text"])
        assert "4 messages" in told
        await ann.ask("/summary_status", "Total messages: 2")
        assert find_traces(memory) == []
    assert find_traces(memory) == []
