"""Tests of chats: formatted, split and streamed answers, independent users, groups, strangers, and the log."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, HANGS, SUMMARIES, Json, LocalServers, Process, open_local_servers
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

MARKDOWN = "Some **bold words**, `code` and [a link](https://example.org/).\n\n```python\nprint(1)\n```"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(servers: LocalServers) -> AsyncIterator[Process]:
    async with servers.run_bot() as process:
        yield process


async def test_start_and_help_show_memory_state_and_commands(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    hello = await ann.ask_for_message("/start")
    assert "Memory is off" in hello["text"]
    listed = await ann.ask_for_message("/help")
    since = ann.last_event
    ann.press_button(listed, "More")
    shown = (await ann.wait_for_message("/summary_off", since=since))["text"]
    for name in ("start", "help", "summary", "cancel", "summary_status", "summary_show", "summary_on"):
        assert f"/{name} " in shown
    for name in ("summary_off", "summary_now", "stop"):
        assert f"/{name} " in shown
    since = ann.last_event
    ann.press_button(hello, "Turn on memory")
    assert "Memory is on" in (await ann.wait_for_message(since=since))["text"]
    assert {entry["command"] for entry in servers.world.list_menu_commands(ann.id, ann.id)} >= {
        "summary",
        "help",
        "stop",
    }


async def test_markdown_arrives_as_entities(servers: LocalServers, bot: Process) -> None:
    servers.model.script(ANSWERS, MARKDOWN)
    message = await servers.add_person().ask_for_message("Show me")
    assert "**" not in message["text"]
    assert "```" not in message["text"]
    assert {entity["type"] for entity in message["entities"]} >= {"bold", "code", "text_link", "pre"}


async def test_text_arrives_without_entities_when_entities_are_refused(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    servers.faults.add(Fault(kind="refuse_entities", method="sendMessage", chat_id=ann.id, times=None))
    try:
        servers.model.script(ANSWERS, MARKDOWN)
        message = await ann.ask_for_message("Show me")
    finally:
        servers.faults.clear_faults()
    assert "bold words" in message["text"]
    assert "print(1)" in message["text"]
    assert "https://example.org" in message["text"]
    assert not message.get("entities") or {entity["type"] for entity in message["entities"]} <= {"url"}


async def test_long_answer_is_split_without_losing_text(servers: LocalServers, bot: Process) -> None:
    answer = " ".join(f"word{number}" for number in range(2500))[:20_000].rstrip()
    servers.model.script(ANSWERS, answer)
    ann = servers.add_person()
    since = ann.last_event
    ann.say("Tell me everything")
    await ann.wait_for_message(answer[-15:], since=since)
    said = [message["text"] for message in ann.list_bot_messages(since=since)]
    assert len(said) == 5
    assert "".join("".join(said).split()) == "".join(answer.split())


@pytest.mark.parametrize(
    ("kind", "sentence"), [("video", "can't read"), ("document", "can't read"), ("voice", "Set TRANSCRIPTION_MODEL")]
)
async def test_unreadable_attachment_is_declined_and_not_stored(
    servers: LocalServers, bot: Process, kind: str, sentence: str
) -> None:
    ann = servers.add_person()
    await ann.set_up_memory()
    since, asked = ann.last_event, len(servers.list_chat_requests())
    servers.world.send_file(ann.id, ann.id, kind=kind, name="thing", data=b"\0data")
    assert sentence in (await ann.wait_for_message(since=since))["text"]
    assert len(servers.list_chat_requests()) == asked
    assert servers.memory.list_messages(ann.id) == []


async def test_hanging_answer_blocks_neither_other_users_nor_commands(servers: LocalServers, bot: Process) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    await ann.set_up_memory()
    held = servers.model.hold_count
    servers.model.script(ANSWERS, HANGS)
    ann.say("First question")
    await servers.model.wait_until_held(held + 1)
    ann.say("Second question")
    assert await bob.ask("Are you there?") == "Noted."
    assert "Memory: enabled" in await ann.ask("/summary_status")
    assert "20 of your messages" in await ann.ask("/summary_on")
    since = ann.last_event
    await servers.model.release()
    await ann.wait_for_message("Noted.", since=since)
    assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["Late but here.", "Noted."]
    stored = [message["content"] for message in servers.memory.list_messages(ann.id)]
    assert stored == ["First question", "Late but here.", "Second question", "Noted."]


async def test_stop_cancels_pending_answer(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory()
    held = servers.model.hold_count
    servers.model.script(ANSWERS, HANGS)
    ann.say("A question that I regret")
    await servers.model.wait_until_held(held + 1)
    assert "Stopped" in await ann.ask("/stop")
    assert await ann.ask("Another") == "Noted."
    assert [message["role"] for message in servers.memory.list_messages(ann.id)] == ["user", "user", "assistant"]


async def test_failed_model_call_is_reported_and_message_is_kept(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory()
    servers.model.script(ANSWERS, Behaviour(status=401))
    told = await ann.ask("Do you hear me?")
    assert "could not answer" in told
    assert "Traceback" not in told
    assert [message["content"] for message in servers.memory.list_messages(ann.id)] == ["Do you hear me?"]
    await ann.ask("And now?")
    assert "Do you hear me?" in json.dumps(servers.list_chat_requests()[-1])


# groups ---------------------------------------------------------------------------------------------------


async def test_only_addressed_messages_in_group_are_answered_and_stored(servers: LocalServers, bot: Process) -> None:
    ann, bob = servers.add_person("Ann"), servers.add_person("Bob")
    group = servers.add_group(ann, bob, admins=[ann])
    at_group, bobs = ann.with_chat(group), bob.with_chat(group)
    await at_group.set_up_memory()
    asked = len(servers.list_chat_requests())
    bobs.say("The hidden axolotl")
    answer = await bobs.ask_for_message("@keepsake_bot what is new?")
    assert answer["reply_to_message"]["text"] == "@keepsake_bot what is new?"
    since = bobs.last_event
    bobs.say("And in the garden?", reply_to=answer["message_id"])
    await bobs.wait_for_message(since=since)
    assert len(servers.list_chat_requests()) == asked + 2
    stored = servers.memory.list_messages(group)
    assert [message["content"] for message in stored if message["role"] == "user"] == [
        "what is new?",
        "And in the garden?",
    ]
    assert servers.memory.find_files_containing("axolotl") == []
    assert "axolotl" not in json.dumps(servers.list_chat_requests()[asked:])
    assert "Bob: And in the garden?" in servers.list_chat_requests()[-1][-1]["content"]


async def test_only_admins_configure_group_memory(servers: LocalServers, bot: Process) -> None:
    ann, bob = servers.add_person("Ann"), servers.add_person("Bob")
    group = servers.add_group(ann, bob, admins=[ann])
    bobs = bob.with_chat(group)
    for command in ("/summary", "/summary_on", "/summary_off", "/summary_now"):
        assert "dmins of this group" in await bobs.ask(command)
    assert "disabled" in await bobs.ask("/summary_status")
    asked = await ann.with_chat(group).ask_for_message("/summary", "1 of 2")
    assert await bobs.wait_for_toast(bobs.press_button(asked, "SQLite"))
    assert servers.memory.fetch_rows("SELECT * FROM users WHERE user_id = ? AND memory_enabled = 1", group) == []


async def test_private_group_and_topic_memories_are_separate(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person("Ann")
    forum = servers.add_group(ann, admins=[ann], topics={3: "Bread", 4: "Stone"})
    await ann.set_up_memory()
    bread, stone = ann.with_chat(forum, 3), ann.with_chat(forum, 4)
    await bread.set_up_memory("SQLite", 7)
    await ann.ask("My secret numbat")
    await bread.ask("@keepsake_bot the bread quoll", "Noted.")
    await stone.ask("@keepsake_bot the stone bilby", "Noted.")
    for member, own in ((ann, "numbat"), (bread, "quoll"), (stone, "bilby")):
        await member.ask("@keepsake_bot numbat, quoll or bilby?", "Noted.")
        prompt = json.dumps(servers.list_chat_requests()[-1]).replace("numbat, quoll or bilby?", "")
        assert [word for word in ("numbat", "quoll", "bilby") if word in prompt] == [own]
    rows = servers.memory.fetch_rows("SELECT DISTINCT thread_id FROM messages WHERE user_id = ? ORDER BY 1", forum)
    assert [row["thread_id"] for row in rows] == [3, 4]


async def test_paste_in_group_is_one_turn(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person("Ann")
    group = ann.with_chat(servers.add_group(ann, admins=[ann]))
    await group.set_up_memory()
    asked = len(servers.list_chat_requests())
    await group.ask("@keepsake_bot " + "many words " * 800 + "and an end", "Noted.")
    [request] = servers.list_chat_requests()[asked:]
    assert request[-1]["content"].endswith("and an end")


# the log --------------------------------------------------------------------------------------------------


async def test_debug_log_contains_no_message_text_or_names(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person("Wilhelmina")
    await ann.set_up_memory("JSON", 1)
    servers.model.script(ANSWERS, "The numbers are 4711 quaggas.", Behaviour(status=500, message="echoing zorilla"))
    servers.model.script(SUMMARIES, "They spoke of a secret okapi.")
    since = bot.log.last
    await ann.ask("My word is zorilla")
    await ann.wait_for_summary(bot, since=since)
    await ann.ask("zorilla, again")
    await ann.ask("/summary_show")
    await ann.ask("/nonsense zorilla")
    log = bot.get_log_text()
    for word in ("zorilla", "quagga", "okapi", "Wilhelmina", "nonsense"):
        assert word not in log


# other settings -------------------------------------------------------------------------------------------


async def test_strangers_get_their_id_in_private_and_no_reply_in_groups(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with open_local_servers(tmp_path_factory.mktemp("strangers")) as servers:
        ann, eve, root = servers.add_person(), servers.add_person("Eve"), servers.add_person("Root")
        group = servers.add_group(ann, eve, admins=[eve])
        async with servers.run_bot(ALLOWED_USER_IDS=str(ann.id), ADMIN_USER_IDS=str(root.id)):
            assert str(eve.id) in await eve.ask("Let me in")
            eve.with_chat(group).say("@keepsake_bot hello from a caracal")
            eve.with_chat(group).say("/summary_status")
            assert await ann.with_chat(group).ask("@keepsake_bot hello") == "Noted."
            # The question whether to let Eve in reaches the admin before or after the answer.
            assert await root.ask("hello", "Noted.") == "Noted."
            assert len(eve.with_chat(group).list_bot_messages()) == 1
            assert len(servers.list_chat_requests()) == 2
        assert servers.memory.find_files_containing("caracal") == []


async def test_nobody_is_served_when_allowlist_is_empty(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with open_local_servers(tmp_path_factory.mktemp("nobody")) as servers, servers.run_bot(ALLOWED_USER_IDS=""):
        ann = servers.add_person()
        assert str(ann.id) in await ann.ask("Let me in")
        assert servers.model.requests == []


@pytest.mark.parametrize(("mode", "is_private"), [("auto", True), ("auto", False), ("edit", True)])
async def test_answers_are_streamed(tmp_path_factory: pytest.TempPathFactory, mode: str, is_private: bool) -> None:
    async with open_local_servers(tmp_path_factory.mktemp("stream")) as servers, servers.run_bot(REPLY_STREAMING=mode):
        ann = servers.add_person()
        if not is_private:
            ann = ann.with_chat(servers.add_group(ann, admins=[ann]))
        servers.model.script(ANSWERS, Behaviour(text="One two three four. " * 300 + "The end.", hold="middle"))
        held, since = servers.model.hold_count, ann.last_event
        ann.say("@keepsake_bot count")
        await servers.model.wait_until_held(held + 1)

        def is_preview(event: Json) -> bool:
            if mode == "auto" and is_private:
                return event["kind"] == "draft" and "three" in str(event["draft"]["text"])
            return event["kind"] == "message" and bool(event["message"]["from"]["is_bot"])

        await servers.world.feed.wait_for_first_match(is_preview, since=since)
        await servers.model.release()
        await ann.wait_for_message("The end.", since=since)
        final = [message for message in servers.world.messages[ann.chat_id].values() if message["from"]["is_bot"]]
        text = "".join("".join(message["text"] for message in final).split())
        assert text == "Onetwothreefour." * 300 + "Theend."
