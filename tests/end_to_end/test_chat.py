"""What people see: answers whole and formatted, streamed or not, independence, groups, strangers; and the log."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, HANGS, SUMMARIES, Json, LocalServers, Process, open_house
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

MARKDOWN = "Some **bold words**, `code` and [a link](https://example.org/).\n\n```python\nprint(1)\n```"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(house: LocalServers) -> AsyncIterator[Process]:
    async with house.bot() as process:
        yield process


async def test_start_and_help_say_what_is_stored_and_every_command(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    hello = await ann.tells("/start")
    assert "Memory is off" in hello["text"]
    listed = await ann.tells("/help")
    since = ann.now
    ann.press(listed, "More")
    shown = (await ann.hears("/summary_off", since=since))["text"]
    for name in ("start", "help", "summary", "cancel", "summary_status", "summary_show", "summary_on"):
        assert f"/{name} " in shown
    for name in ("summary_off", "summary_now", "stop"):
        assert f"/{name} " in shown
    since = ann.now
    ann.press(hello, "Turn on memory")
    assert "Memory is on" in (await ann.hears(since=since))["text"]
    assert {entry["command"] for entry in house.world.list_menu_commands(ann.id, ann.id)} >= {"summary", "help", "stop"}


async def test_markdown_arrives_as_entities(house: LocalServers, bot: Process) -> None:
    house.model.script(ANSWERS, MARKDOWN)
    message = await house.person().tells("Show me")
    assert "**" not in message["text"]
    assert "```" not in message["text"]
    assert {entity["type"] for entity in message["entities"]} >= {"bold", "code", "text_link", "pre"}


async def test_where_entities_are_refused_the_text_arrives_plain(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    house.faults.add(Fault(kind="refuse_entities", method="sendMessage", chat_id=ann.id, times=None))
    try:
        house.model.script(ANSWERS, MARKDOWN)
        message = await ann.tells("Show me")
    finally:
        house.faults.clear_faults()
    assert "bold words" in message["text"]
    assert "print(1)" in message["text"]
    assert "https://example.org" in message["text"]
    assert not message.get("entities") or {entity["type"] for entity in message["entities"]} <= {"url"}


async def test_a_long_answer_arrives_whole(house: LocalServers, bot: Process) -> None:
    answer = " ".join(f"word{number}" for number in range(2500))[:20_000].rstrip()
    house.model.script(ANSWERS, answer)
    ann = house.person()
    since = ann.now
    ann.says("Tell me everything")
    await ann.hears(answer[-15:], since=since)
    said = [message["text"] for message in ann.heard(since=since)]
    assert len(said) == 5
    assert "".join("".join(said).split()) == "".join(answer.split())


@pytest.mark.parametrize(
    ("kind", "sentence"), [("video", "can't read"), ("document", "can't read"), ("voice", "Set TRANSCRIPTION_MODEL")]
)
async def test_what_cannot_be_read_is_said_politely(
    house: LocalServers, bot: Process, kind: str, sentence: str
) -> None:
    ann = house.person()
    await ann.sets_up()
    since, asked = ann.now, len(house.chat_requests())
    house.world.send_file(ann.id, ann.id, kind=kind, name="thing", data=b"\0data")
    assert sentence in (await ann.hears(since=since))["text"]
    assert len(house.chat_requests()) == asked
    assert house.memory.messages(ann.id) == []


async def test_one_persons_hanging_model_holds_up_neither_others_nor_commands(
    house: LocalServers, bot: Process
) -> None:
    ann, bob = house.person(), house.person("Bob")
    await ann.sets_up()
    held = house.model.held
    house.model.script(ANSWERS, HANGS)
    ann.says("First question")
    await house.model.until_held(held + 1)
    ann.says("Second question")
    assert await bob.asks("Are you there?") == "Noted."
    assert "Memory: enabled" in await ann.asks("/summary_status")
    assert "20 of your messages" in await ann.asks("/summary_on")
    since = ann.now
    await house.model.release()
    await ann.hears("Noted.", since=since)
    assert [message["text"] for message in ann.heard(since=since)] == ["Late but here.", "Noted."]
    stored = [message["content"] for message in house.memory.messages(ann.id)]
    assert stored == ["First question", "Late but here.", "Second question", "Noted."]


async def test_stop_ends_the_answer_and_the_request_behind_it(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up()
    held = house.model.held
    house.model.script(ANSWERS, HANGS)
    ann.says("A question that I regret")
    await house.model.until_held(held + 1)
    assert "Stopped" in await ann.asks("/stop")
    assert await ann.asks("Another") == "Noted."
    assert [message["role"] for message in house.memory.messages(ann.id)] == ["user", "user", "assistant"]


async def test_a_failing_model_is_a_sentence_and_the_message_is_kept(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up()
    house.model.script(ANSWERS, Behaviour(status=401))
    told = await ann.asks("Do you hear me?")
    assert "could not answer" in told
    assert "Traceback" not in told
    assert [message["content"] for message in house.memory.messages(ann.id)] == ["Do you hear me?"]
    await ann.asks("And now?")
    assert "Do you hear me?" in json.dumps(house.chat_requests()[-1])


# groups ---------------------------------------------------------------------------------------------------


async def test_a_group_answers_when_addressed_and_stores_nothing_else(house: LocalServers, bot: Process) -> None:
    ann, bob = house.person("Ann"), house.person("Bob")
    group = house.group(ann, bob, admins=[ann])
    at_group, bobs = ann.within(group), bob.within(group)
    await at_group.sets_up()
    asked = len(house.chat_requests())
    bobs.says("The hidden axolotl")
    answer = await bobs.tells("@keepsake_bot what is new?")
    assert answer["reply_to_message"]["text"] == "@keepsake_bot what is new?"
    since = bobs.now
    bobs.says("And in the garden?", reply_to=answer["message_id"])
    await bobs.hears(since=since)
    assert len(house.chat_requests()) == asked + 2
    stored = house.memory.messages(group)
    assert [message["content"] for message in stored if message["role"] == "user"] == [
        "what is new?",
        "And in the garden?",
    ]
    assert house.memory.files_with("axolotl") == []
    assert "axolotl" not in json.dumps(house.chat_requests()[asked:])
    assert "Bob: And in the garden?" in house.chat_requests()[-1][-1]["content"]


async def test_only_admins_configure_a_group(house: LocalServers, bot: Process) -> None:
    ann, bob = house.person("Ann"), house.person("Bob")
    group = house.group(ann, bob, admins=[ann])
    bobs = bob.within(group)
    for command in ("/summary", "/summary_on", "/summary_off", "/summary_now"):
        assert "dmins of this group" in await bobs.asks(command)
    assert "disabled" in await bobs.asks("/summary_status")
    asked = await ann.within(group).tells("/summary", "1 of 2")
    assert await bobs.toast(bobs.press(asked, "SQLite"))
    assert house.memory.rows("SELECT * FROM users WHERE user_id = ? AND memory_enabled = 1", group) == []


async def test_private_memory_groups_and_topics_are_separate(house: LocalServers, bot: Process) -> None:
    ann = house.person("Ann")
    forum = house.group(ann, admins=[ann], topics={3: "Bread", 4: "Stone"})
    await ann.sets_up()
    bread, stone = ann.within(forum, 3), ann.within(forum, 4)
    await bread.sets_up("SQLite", 7)
    await ann.asks("My secret numbat")
    await bread.asks("@keepsake_bot the bread quoll", "Noted.")
    await stone.asks("@keepsake_bot the stone bilby", "Noted.")
    for member, own in ((ann, "numbat"), (bread, "quoll"), (stone, "bilby")):
        await member.asks("@keepsake_bot numbat, quoll or bilby?", "Noted.")
        prompt = json.dumps(house.chat_requests()[-1]).replace("numbat, quoll or bilby?", "")
        assert [word for word in ("numbat", "quoll", "bilby") if word in prompt] == [own]
    rows = house.memory.rows("SELECT DISTINCT thread_id FROM messages WHERE user_id = ? ORDER BY 1", forum)
    assert [row["thread_id"] for row in rows] == [3, 4]


async def test_a_paste_in_a_group_is_one_turn(house: LocalServers, bot: Process) -> None:
    ann = house.person("Ann")
    group = ann.within(house.group(ann, admins=[ann]))
    await group.sets_up()
    asked = len(house.chat_requests())
    await group.asks("@keepsake_bot " + "many words " * 800 + "and an end", "Noted.")
    [request] = house.chat_requests()[asked:]
    assert request[-1]["content"].endswith("and an end")


# the log --------------------------------------------------------------------------------------------------


async def test_the_log_at_debug_holds_no_words_of_anybody(house: LocalServers, bot: Process) -> None:
    ann = house.person("Wilhelmina")
    await ann.sets_up("JSON", 1)
    house.model.script(ANSWERS, "The numbers are 4711 quaggas.", Behaviour(status=500, message="echoing zorilla"))
    house.model.script(SUMMARIES, "They spoke of a secret okapi.")
    since = bot.log.last
    await ann.asks("My word is zorilla")
    await ann.folded(bot, since=since)
    await ann.asks("zorilla, again")
    await ann.asks("/summary_show")
    await ann.asks("/nonsense zorilla")
    log = bot.text()
    for word in ("zorilla", "quagga", "okapi", "Wilhelmina", "nonsense"):
        assert word not in log


# other settings -------------------------------------------------------------------------------------------


async def test_strangers_are_told_their_id_in_private_and_nothing_in_groups(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with open_house(tmp_path_factory.mktemp("strangers")) as house:
        ann, eve, root = house.person(), house.person("Eve"), house.person("Root")
        group = house.group(ann, eve, admins=[eve])
        async with house.bot(ALLOWED_USER_IDS=str(ann.id), ADMIN_USER_IDS=str(root.id)):
            assert str(eve.id) in await eve.asks("Let me in")
            eve.within(group).says("@keepsake_bot hello from a caracal")
            eve.within(group).says("/summary_status")
            assert await ann.within(group).asks("@keepsake_bot hello") == "Noted."
            # The question whether to let Eve in reaches the admin before or after the answer.
            assert await root.asks("hello", "Noted.") == "Noted."
            assert len(eve.within(group).heard()) == 1
            assert len(house.chat_requests()) == 2
        assert house.memory.files_with("caracal") == []


async def test_nobody_is_served_where_nobody_is_allowed(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with open_house(tmp_path_factory.mktemp("nobody")) as house, house.bot(ALLOWED_USER_IDS=""):
        ann = house.person()
        assert str(ann.id) in await ann.asks("Let me in")
        assert house.model.requests == []


@pytest.mark.parametrize(("mode", "is_private"), [("auto", True), ("auto", False), ("edit", True)])
async def test_answers_are_streamed(tmp_path_factory: pytest.TempPathFactory, mode: str, is_private: bool) -> None:
    async with open_house(tmp_path_factory.mktemp("stream")) as house, house.bot(REPLY_STREAMING=mode):
        ann = house.person()
        if not is_private:
            ann = ann.within(house.group(ann, admins=[ann]))
        house.model.script(ANSWERS, Behaviour(text="One two three four. " * 300 + "The end.", hold="middle"))
        held, since = house.model.held, ann.now
        ann.says("@keepsake_bot count")
        await house.model.until_held(held + 1)

        def is_preview(event: Json) -> bool:
            if mode == "auto" and is_private:
                return event["kind"] == "draft" and "three" in str(event["draft"]["text"])
            return event["kind"] == "message" and bool(event["message"]["from"]["is_bot"])

        await house.world.feed.wait_for_first_match(is_preview, since=since)
        await house.model.release()
        await ann.hears("The end.", since=since)
        final = [message for message in house.world.messages[ann.chat_id].values() if message["from"]["is_bot"]]
        text = "".join("".join(message["text"] for message in final).split())
        assert text == "Onetwothreefour." * 300 + "Theend."
