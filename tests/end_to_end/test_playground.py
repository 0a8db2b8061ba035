"""Tests of `python bot.py --playground` without token, key or network: recall after folds, and a restart."""

import asyncio
import json
from dataclasses import replace

import httpx
import pytest

from tests.end_to_end.harness import ANSWERS, HANGS, PATIENCE, Json, LocalServers, Process
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES

pytestmark = pytest.mark.asyncio(loop_scope="module")

ANNA = 101


async def test_message_is_recalled_after_forty_turns(servers: LocalServers) -> None:
    with reserve_port() as port:
        await the_playground(servers, port)


async def the_playground(servers: LocalServers, port: int) -> None:
    process = Process(
        await replace(servers, is_forked=False).spawn(
            "--playground", "--port", str(port), environ={"EMBEDDING_MODEL": "none"}
        )
    )
    try:
        await process.wait_for_log_line("ready")
        line = await process.wait_for_output_line("playground")
        assert f"http://127.0.0.1:{port}" in line
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES
        ) as page:
            assert (await page.get("/")).status_code == 200
            await the_talk(page)
        assert await process.terminate() == 0
    finally:
        await process.kill()
    assert (servers.data_dir / "playground" / "memory.db").exists()
    assert "Traceback" not in process.get_log_text()


async def the_talk(page: httpx.AsyncClient) -> None:
    await set_up_memory(page)
    await say(page, "My allergy is against hazelnuts, please remember.")
    for number in range(40):
        await say(page, f"Let us talk about the weather, part {number}.")
    await say(page, "What is my allergy?", "hazelnuts")
    link = (await page.post("/api/dashboard", json={"person": ANNA, "owner": ANNA, "thread": 0})).json()["url"]
    begun = await page.post("/memory/api/session", json={"link": link.partition("#link=")[2]})
    assert begun.json()["person"] == ANNA
    assert begun.json()["is_admin"]
    await say(page, "/admin", "Models: offline\n")  # not the default of OPENAI_MODEL
    async with asyncio.timeout(PATIENCE):  # folds go on in the background
        while "Summary of earlier summaries" not in (await say(page, "/summary_show", "Summary of"))["text"]:
            pass
    await say(page, "/summary_status", "Total messages: 84")


async def set_up_memory(page: httpx.AsyncClient) -> None:
    """Set up SQLite memory with a summary every five turns."""
    asked = await say(page, "/summary", "1 of 2")
    buttons = [button for row in asked["reply_markup"]["inline_keyboard"] for button in row]
    sqlite = next(button for button in buttons if "SQLite" in button["text"])
    since = await get_version(page)
    press = {"person_id": ANNA, "chat_id": ANNA, "message_id": asked["message_id"], "data": sqlite["callback_data"]}
    (await page.post("/api/press", json=press)).raise_for_status()
    await wait_for_message(page, "2 of 2", since)
    await say(page, "5", "External memory configured")


async def say(page: httpx.AsyncClient, text: str, words: str = "") -> Json:
    """Say something as Anna, and return the bot's answer that contains these words."""
    since = await get_version(page)
    said = {"person_id": ANNA, "chat_id": ANNA, "text": text}
    (await page.post("/api/say", json=said)).raise_for_status()
    return await wait_for_message(page, words, since)


async def get_version(page: httpx.AsyncClient) -> int:
    return int((await page.get("/api/snapshot")).json()["version"])


async def wait_for_message(page: httpx.AsyncClient, words: str, since: int) -> Json:
    async with asyncio.timeout(PATIENCE):
        while True:
            events = (await page.get("/api/events", params={"since": since})).json()
            for event in events:
                since = event["n"]
                message: Json = event.get("message", {})
                if event["kind"] == "message" and message["from"]["is_bot"] and words in message["text"]:
                    return message


@pytest.mark.parametrize("memory", ["off", "on"])
async def test_unanswered_message_is_answered_after_restart(servers: LocalServers, memory: str) -> None:
    folder = {"DATA_DIR": f"left-open-{memory}"}
    words = f"Is anybody there, with memory {memory}?"
    with reserve_port() as port:
        arguments = ("--playground", "--no-browser", "--port", str(port))
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES
        ) as page:
            process = Process(await servers.spawn(*arguments, environ=servers.make_environ(**folder)))
            try:
                await process.wait_for_log_line("ready")
                if memory == "on":
                    await set_up_memory(page)
                servers.model.script(ANSWERS, HANGS)
                asked, held = len(servers.list_chat_requests()), servers.model.hold_count
                said = {"person_id": ANNA, "chat_id": ANNA, "text": words}
                (await page.post("/api/say", json=said)).raise_for_status()
                await servers.model.wait_until_held(held + 1)
                assert len(servers.list_chat_requests()) > asked
            finally:
                await process.kill()
            servers.model.script(ANSWERS, "Here I am.")
            process = Process(await servers.spawn(*arguments, environ=servers.make_environ(**folder)))
            try:
                await process.wait_for_log_line("ready")
                await wait_for_message(page, "Here I am.", 0)
                shown = (await page.get("/api/snapshot")).json()
                assert json.dumps(shown).count(words) == 1
                assert await process.terminate() == 0
            finally:
                await process.kill()
