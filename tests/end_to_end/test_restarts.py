"""Stops, deaths and starts: what is in the files then, and how it goes on."""

import json

import pytest

from tests.end_to_end.harness import ANSWERS, HANGS, SUMMARIES, SUMMARY, Json, LocalServers
from tests.peers.openai_server import Behaviour
from tests.peers.ports import kept_port

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_memory_json_is_complete_after_a_clean_stop(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    async with house.bot(DATA_DIR="as-json") as process:
        memory = house.memory_in("as-json")
        await ann.sets_up("JSON", 2)
        since = process.log.last
        for words in ("Я люблю «кольраби»", "and 大根"):
            await ann.asks(words)
        await process.logged("summarized messages", since=since)  # before the third, which it could take along
        await ann.asks("the third")
        await bob.sets_up("JSON", 7)
        assert await process.terminate() == 0
    assert not (memory.folder / "memory.json.journal").exists()
    text = (memory.folder / "memory.json").read_text(encoding="utf-8")
    assert "«кольраби»" in text
    assert "\n  " in text
    content: Json = memory.json()
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
    async with house.bot(DATA_DIR="as-json"):
        await ann.asks("What do I love?")
        assert "кольраби" in json.dumps(house.chat_requests()[-1], ensure_ascii=False)


async def test_the_wizard_survives_a_restart_and_expires(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    settings = {"DATA_DIR": "wizards"}
    async with house.bot(**settings):
        asked = await ann.tells("/summary", "1 of 2")
        other = await bob.tells("/summary", "1 of 2")
        since = bob.now
        bob.press(other, "JSON")
        await bob.hears("2 of 2", since=since)
    async with house.bot(**settings):
        since = ann.now
        ann.press(asked, "SQLite")
        await ann.hears("2 of 2", since=since)
        assert "External memory configured" in await bob.asks("7")
    late = "2020-01-01T00:00:00+00:00"
    house.memory_in("wizards").write("UPDATE wizards SET expires_at = ?", late)
    async with house.bot(**settings):
        assert "expired" in await ann.asks("12")
        assert "disabled" in await ann.asks("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_a_killed_bot_has_the_message_and_answers_it_once(house: LocalServers, storage: str) -> None:
    ann = house.person()
    settings = {"DATA_DIR": f"killed-{storage}"}
    memory = house.memory_in(settings["DATA_DIR"])
    held = house.model.held
    async with house.bot(**settings) as process:
        await ann.sets_up(storage)
        house.model.script(ANSWERS, HANGS)
        since = ann.now
        ann.says("Do not forget the kohlrabi")
        await house.model.until_held(held + 1)
        if storage == "SQLite":
            assert [message["content"] for message in memory.messages(ann.id)] == ["Do not forget the kohlrabi"]
        else:
            assert "Do not forget the kohlrabi" in (memory.folder / "memory.json.journal").read_text()
        await process.kill()
    house.model.script(ANSWERS, "I will not forget.")
    async with house.bot(**settings):
        await ann.hears("I will not forget.", since=since)
        assert "kohlrabi" in house.chat_requests()[-1][-1]["content"]
        await ann.asks("Thank you")
        assert [message["text"] for message in ann.heard(since=since)] == ["I will not forget.", "Noted."]
    stored = memory.messages(ann.id) if storage == "SQLite" else memory.json()["messages"][str(ann.id)]
    assert [message["content"] for message in stored] == [
        "Do not forget the kohlrabi",
        "I will not forget.",
        "Thank you",
        "Noted.",
    ]


async def test_sigterm_during_a_streamed_answer(house: LocalServers) -> None:
    ann = house.person()
    memory = house.memory_in("stopped")
    async with house.bot(DATA_DIR="stopped", REPLY_STREAMING="edit") as process:
        await ann.sets_up()
        house.model.script(ANSWERS, long_answer_that_hangs())
        since = ann.now
        ann.says("Tell me a story")
        shown = await ann.hears("Once", since=since)
        assert await process.terminate() == 0
    assert "broken off" in house.world.messages[ann.id][shown["message_id"]]["text"]
    assert [message["role"] for message in memory.messages(ann.id)] == ["user"]
    assert memory.files_with("Once upon") == []
    house.model.script(ANSWERS, "A whole story.")
    # Not streamed: what is seen of an answer that is still being written is not stored yet.
    async with house.bot(DATA_DIR="stopped"):
        await ann.hears("A whole story.", since=since)
        await ann.asks("Thanks")
    stored = [(message["role"], message["content"]) for message in memory.messages(ann.id)]
    assert stored == [
        ("user", "Tell me a story"),
        ("assistant", "A whole story."),
        ("user", "Thanks"),
        ("assistant", "Noted."),
    ]


def long_answer_that_hangs() -> Behaviour:
    return Behaviour(text="Once upon a time there was a story without an end.", hold="middle")


async def test_the_extractive_fallback_makes_what_the_model_does_not(house: LocalServers) -> None:
    ann = house.person()
    house.model.default(SUMMARIES, Behaviour(status=500))
    try:
        async with house.bot(DATA_DIR="fallback", SUMMARY_FALLBACK="extractive") as process:
            await ann.sets_up("SQLite", 2)
            since = process.log.last
            await ann.asks("My sister Beatrix lives in Utrecht.")
            await ann.asks("She grows kohlrabi there.")
            await process.logged("summarized messages", since=since)
            assert "Beatrix" in await ann.asks("/summary_show")
            assert "could not" not in json.dumps(ann.heard())
    finally:
        house.model.default(SUMMARIES, SUMMARY)


async def test_a_stop_while_model_and_fold_hang_is_quick_and_nothing_is_lost(house: LocalServers) -> None:
    ann, bob, off = house.person(), house.person("Bob"), house.person("Off")
    settings = {"DATA_DIR": "hanging"}
    held = house.model.held
    async with house.bot(**settings) as process:
        await ann.sets_up("JSON", 1)
        house.model.script(SUMMARIES, Behaviour(text="Never told.", hold="start"))
        await ann.asks("Fold this")
        await house.model.until_held(held + 1)
        house.model.script(ANSWERS, HANGS, HANGS)
        since = bob.now
        bob.says("First of Bob")
        await house.model.until_held(held + 2)
        off.says("First of Off")
        await house.model.until_held(held + 3)
        bob.says("Second of Bob")
        off.says("Second of Off")
        assert "disabled" in await bob.asks("/summary_status")
        await process.interrupt()
        assert await process.ended() == 0
    # By what is asked: bob's third may be asked before off's second.
    house.model.default(ANSWERS, lambda sent: "Noted." if "Third" in sent[-1]["content"] else "In order.")
    async with house.bot(**settings) as process:
        for person in (bob, off):
            await person.asks("Third", "Noted.")
            said = [message["text"] for message in person.heard(since=since)]
            assert [text for text in said if "Memory" not in text] == ["In order.", "In order.", "Noted."]
        log = process.log.last
        await ann.asks("And this")
        await process.logged("summarized messages", since=log)
        assert "4 messages" in await ann.asks("/summary_show")
    house.model.default(ANSWERS, "Noted.")


async def test_a_fold_that_was_killed_is_made_by_the_next_run(house: LocalServers) -> None:
    ann = house.person()
    memory = house.memory_in("killed-fold")
    held = house.model.held
    async with house.bot(DATA_DIR="killed-fold") as process:
        await ann.sets_up("SQLite", 1)
        house.model.script(SUMMARIES, Behaviour(text="Never told.", hold="start"))
        await ann.asks("Fold this")
        await house.model.until_held(held + 1)
        await process.kill()
    assert [message["is_active"] for message in memory.messages(ann.id)] == [1, 1]
    async with house.bot(DATA_DIR="killed-fold") as process:
        await ann.asks("And this")
        await process.logged("summarized messages 1-4")
    assert [message["is_active"] for message in memory.messages(ann.id)] == [0] * 4


async def test_updates_come_by_webhook_where_it_is_set(house: LocalServers) -> None:
    ann = house.person()
    with kept_port() as port:
        address = f"127.0.0.1:{port}"
        settings = {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "DATA_DIR": "webhook"}
        async with house.bot(**settings):
            assert await ann.asks("By webhook") == "Noted."
    async with house.bot(DATA_DIR="webhook"):
        assert await ann.asks("By polling") == "Noted."


async def test_what_was_stopped_is_not_answered_by_the_next_run(house: LocalServers) -> None:
    ann = house.person()
    held = house.model.held
    async with house.bot(DATA_DIR="regretted") as process:
        house.model.script(ANSWERS, HANGS)
        ann.says("A question that I regret")
        await house.model.until_held(held + 1)
        await ann.asks("/stop", "Stopped")
        await ann.asks("/stop", "Nothing is being written")
        await ann.asks("Another", "Noted.")
        await process.kill()
    since, asked = ann.now, len(house.chat_requests())
    async with house.bot(DATA_DIR="regretted"):
        # Its own words: what the kill came right behind may be answered once more.
        house.model.default(ANSWERS, lambda sent: "Noted, too." if "one more" in sent[-1]["content"] else "Noted.")
        await ann.asks("And one more", "Noted, too.")
    house.model.default(ANSWERS, "Noted.")
    questions = [request[-1]["content"] for request in house.chat_requests()[asked:]]
    assert not [question for question in questions if "regret" in question]
    assert {message["text"] for message in ann.heard(since=since)} <= {"Noted.", "Noted, too."}
