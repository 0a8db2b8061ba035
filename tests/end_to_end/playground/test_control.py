"""Tests of the control API for simulated people over HTTP, and of the server's lifetime."""

import asyncio
import base64
import socket
from typing import Any

import httpx
import pytest
from telegram.ext import ExtBot

from playground.bot_api import make_bot_api
from playground.server import serve
from playground.world import World
from tests.support.http import NO_CERTIFICATES

from .conftest import ANN, BOB, GROUP, TOKEN, Clock, Telegram, peopled

Bot = ExtBot[None]


async def post_action(telegram: Telegram, act: str, **given: Any) -> tuple[int, Any]:
    response = await telegram.http.post(f"{telegram.url}/control/{act}", json=given)
    return response.status_code, response.json()


async def get_json(telegram: Telegram, what: str, **given: Any) -> Any:
    response = await telegram.http.get(f"{telegram.url}/control/{what}", params=given)
    assert response.status_code == 200, response.text
    return response.json()


async def test_user_actions_over_http_produce_updates(telegram: Telegram, bot: Bot) -> None:
    status, message = await post_action(telegram, "say", person_id=ANN, chat_id=ANN, text="hi")
    assert (status, message["text"]) == (200, "hi")
    edited = await post_action(
        telegram, "edit", person_id=ANN, chat_id=ANN, message_id=message["message_id"], text="ho"
    )
    assert edited[1]["text"] == "ho"
    sent = await bot.send_message(ANN, "Which?")
    pressed = await post_action(telegram, "press", person_id=ANN, chat_id=ANN, message_id=sent.message_id, data="a")
    data = base64.b64encode(b"bytes").decode()
    filed = await post_action(telegram, "file", person_id=ANN, chat_id=ANN, kind="document", name="a.txt", data=data)
    updates = await bot.get_updates()
    assert [update.effective_message is not None for update in updates] == [True] * 4
    assert updates[2].callback_query is not None
    assert updates[2].callback_query.id == pressed[1]["query_id"]
    file_id = filed[1]["document"]["file_id"]
    response = await telegram.http.get(f"{telegram.url}/control/files/{file_id}")
    assert response.content == b"bytes"


async def test_file_upload_accepts_multipart_form(telegram: Telegram) -> None:
    response = await telegram.http.post(
        f"{telegram.url}/control/file",
        data={"person_id": ANN, "chat_id": ANN, "kind": "photo", "caption": "look"},
        files={"file": ("кот.png", b"\x89PNG\r\n\x1a\n", "image/png")},
    )
    message = response.json()
    assert (message["caption"], message["photo"][0]["file_size"]) == ("look", 8)


@pytest.mark.parametrize(
    ("act", "given", "sentence"),
    [
        ("say", {"chat_id": ANN, "text": "x"}, "person_id is missing."),
        ("say", {"person_id": "ann", "chat_id": ANN, "text": "x"}, 'Bad Request: field "person_id" must be a number'),
        ("say", {"person_id": ANN, "chat_id": ANN, "text": " "}, "A message needs some text."),
        ("say", {"person_id": ANN, "chat_id": 99, "text": "x"}, "There is no chat 99."),
        ("say", {"person_id": 99, "chat_id": ANN, "text": "x"}, "There is no person 99."),
        ("say", {"person_id": BOB, "chat_id": ANN, "text": "x"}, "Person 12 is not in chat 11."),
        ("say", {"person_id": ANN, "chat_id": ANN, "text": "x", "reply_to": 5}, "There is no message 5 in chat 11."),
        ("say", {"person_id": ANN, "chat_id": GROUP, "text": "x", "thread_id": 5}, "There is no topic 5 in chat -500."),
        ("file", {"person_id": ANN, "chat_id": ANN, "data": "***"}, "data is not base64."),
        ("file", {"person_id": ANN, "chat_id": ANN, "data": "eA==", "kind": "x"}, "There is no such kind of file: x."),
        ("press", {"person_id": ANN, "chat_id": ANN, "message_id": 1}, "There is no message 1 in chat 11."),
        ("faults", {"kind": "flood"}, "kind is one of retry_after"),
    ],
)
async def test_invalid_action_is_refused_with_error_message(
    telegram: Telegram, act: str, given: dict[str, Any], sentence: str
) -> None:
    status, answer = await post_action(telegram, act, **given)
    assert status == 400
    assert answer["error"].startswith(sentence)


async def test_events_endpoint_waits_for_events_and_resets_unknown_version(telegram: Telegram) -> None:
    version = (await get_json(telegram, "snapshot"))["version"]
    waiting = asyncio.create_task(get_json(telegram, "events", since=version))
    telegram.world.say(ANN, ANN, "hi")
    [event] = await waiting
    assert (event["n"], event["kind"], event["message"]["text"]) == (version + 1, "message", "hi")
    assert await get_json(telegram, "events", since=version + 1, timeout=0) == []
    [reset] = await get_json(telegram, "events", since=version + 100)
    assert reset["kind"] == "reset"


async def test_faults_and_call_journal_are_accessible_over_http(telegram: Telegram) -> None:
    telegram.world.say(ANN, ANN, "hi")
    status, rules = await post_action(
        telegram, "faults", rules=[{"kind": "server_error"}, {"kind": "hang", "after": 2}]
    )
    assert (status, len(rules)) == (200, 2)
    assert (await telegram.call("sendMessage", chat_id=ANN, text="x"))["error_code"] == 502
    [call] = await get_json(telegram, "calls", since=0)
    assert (call["method"], call["fault"]) == ("sendMessage", "server_error")
    await telegram.http.delete(f"{telegram.url}/control/faults")
    assert await get_json(telegram, "faults") == []


async def test_menu_lists_commands_and_block_blocks_bot(telegram: Telegram) -> None:
    await telegram.call("setMyCommands", commands=[{"command": "help", "description": "Help"}])
    assert await get_json(telegram, "menu", person_id=ANN, chat_id=GROUP) == [
        {"command": "help", "description": "Help"}
    ]
    status, _ = await post_action(telegram, "block", person_id=ANN, blocked=True)
    assert status == 200
    assert telegram.world.has_blocked_bot(ANN)


async def test_held_poll_is_answered_when_server_stops() -> None:
    world = peopled(Clock())
    async with httpx.AsyncClient(trust_env=False, timeout=60, verify=NO_CERTIFICATES) as http:
        async with serve(make_bot_api(world)) as url:
            poll = asyncio.create_task(http.get(f"{url}/bot{TOKEN}/getUpdates?timeout=50"))
            await world.updates.wait_until_polled()
        assert (await poll).json() == {"ok": True, "result": []}


async def test_world_keeps_updates_across_server_restarts() -> None:
    world: World = peopled(Clock())
    world.say(ANN, ANN, "hi")
    for _ in range(2):
        async with (
            serve(make_bot_api(world)) as url,
            httpx.AsyncClient(trust_env=False, verify=NO_CERTIFICATES, timeout=60) as http,
        ):
            assert len((await http.get(f"{url}/bot{TOKEN}/getUpdates")).json()["result"]) == 1


async def test_serving_on_port_in_use_raises_os_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        async with serve(make_bot_api(peopled(Clock())), taken.getsockname()[1]):
            pass
