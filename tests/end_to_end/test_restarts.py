"""Tests of stops, kills and restarts: the state of the files, and how conversations continue."""

import json

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, HANGS, SUMMARIES, SUMMARY, Json, LocalServers
from tests.peers.openai_server import Behaviour
from tests.peers.ports import reserve_port

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_memory_json_is_complete_after_clean_stop(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    async with servers.run_bot(DATA_DIR="as-json") as process:
        memory = servers.get_memory("as-json")
        await ann.set_up_memory("JSON", 2)
        since = process.log.last
        for words in ("Я люблю «кольраби»", "and 大根"):
            await ann.ask(words)
        await process.wait_for_log_line(
            "summarized messages", since=since
        )  # before the third, which it could take along
        await ann.ask("the third")
        await bob.set_up_memory("JSON", 7)
        assert await process.terminate() == 0
    assert not (memory.folder / "memory.json.journal").exists()
    text = (memory.folder / "memory.json").read_text(encoding="utf-8")
    assert "«кольраби»" in text
    assert "\n  " in text
    content: Json = memory.read_memory_json()
    user = content["users"][str(ann.id)]
    assert (user["user_id"], user["storage_type"], user["summary_every_n"]) == (ann.id, "json", 2)
    assert user["memory_enabled"] is True
    assert content["users"][str(bob.id)]["summary_every_n"] == 7
    messages = content["messages"][str(ann.id)]
    assert messages[0]["content"] == "Я люблю «кольраби»"
    assert [message["is_active"] for message in messages] == [False] * 4 + [True] * 2
    assert all(message["is_active"] is (message["chunk_id"] is None) for message in messages)
    [summary] = content["summaries"][str(ann.id)]
    assert summary["source_chunk_ids"] == [messages[0]["chunk_id"]]
    assert (summary["level"], summary["is_active"]) == (1, True)
    assert {"id", "user_id", "summary_text", "created_at"} <= summary.keys()
    async with servers.run_bot(DATA_DIR="as-json"):
        await ann.ask("What do I love?")
        assert "кольраби" in json.dumps(servers.list_chat_requests()[-1], ensure_ascii=False)


async def test_setup_wizard_survives_restart_and_expires(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    settings = {"DATA_DIR": "wizards"}
    async with servers.run_bot(**settings):
        asked = await ann.ask_for_message("/summary", "1 of 2")
        other = await bob.ask_for_message("/summary", "1 of 2")
        since = bob.last_event
        bob.press_button(other, "JSON")
        await bob.wait_for_message("2 of 2", since=since)
    async with servers.run_bot(**settings):
        since = ann.last_event
        ann.press_button(asked, "SQLite")
        await ann.wait_for_message("2 of 2", since=since)
        assert "External memory configured" in await bob.ask("7")
    late = "2020-01-01T00:00:00+00:00"
    servers.get_memory("wizards").write("UPDATE wizards SET expires_at = ?", late)
    async with servers.run_bot(**settings):
        assert "expired" in await ann.ask("12")
        assert "disabled" in await ann.ask("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_message_is_stored_before_kill_and_answered_once_afterwards(servers: LocalServers, storage: str) -> None:
    ann = servers.add_person()
    settings = {"DATA_DIR": f"killed-{storage}"}
    memory = servers.get_memory(settings["DATA_DIR"])
    held = servers.model.hold_count
    async with servers.run_bot(**settings) as process:
        await ann.set_up_memory(storage)
        servers.model.script(ANSWERS, HANGS)
        since = ann.last_event
        ann.say("Do not forget the kohlrabi")
        await servers.model.wait_until_held(held + 1)
        if storage == "SQLite":
            assert [message["content"] for message in memory.list_messages(ann.id)] == ["Do not forget the kohlrabi"]
        else:
            assert "Do not forget the kohlrabi" in (memory.folder / "memory.json.journal").read_text()
        await process.kill()
    servers.model.script(ANSWERS, "I will not forget.")
    async with servers.run_bot(**settings):
        await ann.wait_for_message("I will not forget.", since=since)
        assert "kohlrabi" in servers.list_chat_requests()[-1][-1]["content"]
        await ann.ask("Thank you")
        assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["I will not forget.", "Noted."]
    stored = memory.list_messages(ann.id) if storage == "SQLite" else memory.read_memory_json()["messages"][str(ann.id)]
    assert [message["content"] for message in stored] == [
        "Do not forget the kohlrabi",
        "I will not forget.",
        "Thank you",
        "Noted.",
    ]


async def test_answer_interrupted_by_sigterm_is_repeated_after_restart(servers: LocalServers) -> None:
    ann = servers.add_person()
    memory = servers.get_memory("stopped")
    async with servers.run_bot(DATA_DIR="stopped", REPLY_STREAMING="edit") as process:
        await ann.set_up_memory()
        servers.model.script(ANSWERS, long_answer_that_hangs())
        since = ann.last_event
        ann.say("Tell me a story")
        shown = await ann.wait_for_message("Once", since=since)
        assert await process.terminate() == 0
    assert "broken off" in servers.world.messages[ann.id][shown["message_id"]]["text"]
    assert [message["role"] for message in memory.list_messages(ann.id)] == ["user"]
    assert memory.find_files_containing("Once upon") == []
    servers.model.script(ANSWERS, "A whole story.")
    # Not streamed: what is seen of an answer that is still being written is not stored yet.
    async with servers.run_bot(DATA_DIR="stopped"):
        await ann.wait_for_message("A whole story.", since=since)
        await ann.ask("Thanks")
    stored = [(message["role"], message["content"]) for message in memory.list_messages(ann.id)]
    assert stored == [
        ("user", "Tell me a story"),
        ("assistant", "A whole story."),
        ("user", "Thanks"),
        ("assistant", "Noted."),
    ]


def long_answer_that_hangs() -> Behaviour:
    return Behaviour(text="Once upon a time there was a story without an end.", hold="middle")


async def test_extractive_fallback_summarizes_when_model_fails(servers: LocalServers) -> None:
    ann = servers.add_person()
    servers.model.set_default_answer(SUMMARIES, Behaviour(status=500))
    try:
        async with servers.run_bot(DATA_DIR="fallback", SUMMARY_FALLBACK="extractive") as process:
            await ann.set_up_memory("SQLite", 2)
            since = process.log.last
            await ann.ask("My sister Beatrix lives in Utrecht.")
            await ann.ask("She grows kohlrabi there.")
            await process.wait_for_log_line("summarized messages", since=since)
            assert "Beatrix" in await ann.ask("/summary_show")
            assert "could not" not in json.dumps(ann.list_bot_messages())
    finally:
        servers.model.set_default_answer(SUMMARIES, SUMMARY)


async def test_interrupt_while_answers_and_fold_hang_loses_no_messages(servers: LocalServers) -> None:
    ann, bob, off = servers.add_person(), servers.add_person("Bob"), servers.add_person("Off")
    settings = {"DATA_DIR": "hanging"}
    held = servers.model.hold_count
    async with servers.run_bot(**settings) as process:
        await ann.set_up_memory("JSON", 1)
        servers.model.script(SUMMARIES, Behaviour(text="Never told.", hold="start"))
        await ann.ask("Fold this")
        await servers.model.wait_until_held(held + 1)
        servers.model.script(ANSWERS, HANGS, HANGS)
        since = bob.last_event
        bob.say("First of Bob")
        await servers.model.wait_until_held(held + 2)
        off.say("First of Off")
        await servers.model.wait_until_held(held + 3)
        bob.say("Second of Bob")
        off.say("Second of Off")
        assert "disabled" in await bob.ask("/summary_status")
        await process.interrupt()
        assert await process.wait_for_exit() == 0
    # By what is asked: bob's third may be asked before off's second.
    servers.model.set_default_answer(ANSWERS, lambda sent: "Noted." if "Third" in sent[-1]["content"] else "In order.")
    async with servers.run_bot(**settings) as process:
        for person in (bob, off):
            await person.ask("Third", "Noted.")
            said = [message["text"] for message in person.list_bot_messages(since=since)]
            assert [text for text in said if "Memory" not in text] == ["In order.", "In order.", "Noted."]
        log = process.log.last
        await ann.ask("And this")
        await process.wait_for_log_line("summarized messages", since=log)
        assert "4 messages" in await ann.ask("/summary_show")
    servers.model.set_default_answer(ANSWERS, "Noted.")


async def test_killed_fold_is_repeated_after_restart(servers: LocalServers) -> None:
    ann = servers.add_person()
    memory = servers.get_memory("killed-fold")
    held = servers.model.hold_count
    async with servers.run_bot(DATA_DIR="killed-fold") as process:
        await ann.set_up_memory("SQLite", 1)
        servers.model.script(SUMMARIES, Behaviour(text="Never told.", hold="start"))
        await ann.ask("Fold this")
        await servers.model.wait_until_held(held + 1)
        await process.kill()
    assert [message["is_active"] for message in memory.list_messages(ann.id)] == [1, 1]
    async with servers.run_bot(DATA_DIR="killed-fold") as process:
        await ann.ask("And this")
        await process.wait_for_log_line("summarized messages 1-4")
    assert [message["is_active"] for message in memory.list_messages(ann.id)] == [0] * 4


async def test_updates_arrive_by_webhook_or_by_polling(servers: LocalServers) -> None:
    ann = servers.add_person()
    with reserve_port() as port:
        address = f"127.0.0.1:{port}"
        settings = {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "DATA_DIR": "webhook"}
        async with servers.run_bot(**settings):
            assert await ann.ask("By webhook") == "Noted."
    async with servers.run_bot(DATA_DIR="webhook"):
        assert await ann.ask("By polling") == "Noted."


async def test_stopped_answer_is_not_repeated_after_kill(servers: LocalServers) -> None:
    ann = servers.add_person()
    held = servers.model.hold_count
    async with servers.run_bot(DATA_DIR="regretted") as process:
        servers.model.script(ANSWERS, HANGS)
        ann.say("A question that I regret")
        await servers.model.wait_until_held(held + 1)
        await ann.ask("/stop", "Stopped")
        await ann.ask("/stop", "Nothing is being written")
        await ann.ask("Another", "Noted.")
        await process.kill()
    since, asked = ann.last_event, len(servers.list_chat_requests())
    async with servers.run_bot(DATA_DIR="regretted"):
        # Its own words: what the kill came right behind may be answered once more.
        servers.model.set_default_answer(
            ANSWERS, lambda sent: "Noted, too." if "one more" in sent[-1]["content"] else "Noted."
        )
        await ann.ask("And one more", "Noted, too.")
    servers.model.set_default_answer(ANSWERS, "Noted.")
    questions = [request[-1]["content"] for request in servers.list_chat_requests()[asked:]]
    assert not [question for question in questions if "regret" in question]
    assert {message["text"] for message in ann.list_bot_messages(since=since)} <= {"Noted.", "Noted, too."}


async def test_edit_is_acknowledged_after_kill(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="killed-edit") as process:
        await ann.set_up_memory("SQLite")
        said = ann.say("My boat is called Trireme.")
        await ann.wait_for_message("Noted.", since=0)
        await ann.ask("And it is green.")
        # The new text is stored, and the bot does not know that the person was told.
        servers.faults.add(Fault(kind="hang", method="sendMessage", chat_id=ann.id))
        since = ann.last_event
        ann.edit_message(said["message_id"], "My boat is called Quinquereme.")
        await ann.wait_for_message("the new text", since=since)
        await process.kill()
    servers.faults.clear_faults()
    since = ann.last_event
    async with servers.run_bot(DATA_DIR="killed-edit"):
        told = await ann.wait_for_message("the new text", since=since)
    assert told["reply_to_message"]["message_id"] == said["message_id"]
    stored = servers.get_memory("killed-edit").list_messages(ann.id)
    assert stored[0]["content"] == "My boat is called Quinquereme."
