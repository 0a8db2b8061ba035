"""Any request from a local program is answered soon, and other clients are served meanwhile."""

import asyncio
import json

import httpx
import pytest

from playground import server
from playground.parameters import MAX_FIELDS
from playground.text import ENTITY_LIMIT, MAX_PASTE_CHARS, clean_and_detect_entities
from tests.support.processor_time import count_units

from .conftest import ANN, Telegram

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MANY = 300_000


def said(**given: object) -> bytes:
    return json.dumps({"person_id": ANN, "chat_id": ANN, "text": "hi", **given}).encode()


@pytest.mark.parametrize(
    ("act", "body", "kind"),
    [
        ("say", b'{"a": [' + b"[]," * MANY + b"1]}", JSON),
        ("say", b"[" * MANY, JSON),
        ("say", b"a&" * MANY, FORM),
        ("say", b"a=" + b"%41" * MANY, FORM),
        ("file", b"--" * MANY, "multipart/form-data; boundary="),
        ("file", b"--x\r\n\r\n" * (MAX_FIELDS + 3), "multipart/form-data; boundary=x"),
        ("say", said(text="#a " * MAX_PASTE_CHARS), JSON),
        ("say", said(person_id=1e400), JSON),
        ("say", said(reply_to=10**300), JSON),
        ("say", said()[:-1] + b', "name": "\xed\xa0\x80"}', JSON),
        ("person", said(name="a " * MANY), JSON),
    ],
    ids=lambda given: str(given)[:20],
)
async def test_expensive_request_is_refused_quickly(telegram: Telegram, act: str, body: bytes, kind: str) -> None:
    """Each of these requests once took half a second or longer, never ended, or was answered as a server error."""
    with count_units() as stopwatch:
        answer = await telegram.http.post(f"{telegram.url}/control/{act}", content=body, headers={"content-type": kind})
    assert answer.status_code in (400, 404)
    assert stopwatch.units < 500
    assert (await telegram.http.post(f"{telegram.url}/control/say", content=said())).status_code == 400


async def test_events_timeout_is_limited_to_valid_range(telegram: Telegram) -> None:
    events = f"{telegram.url}/control/events"
    assert (await telegram.http.get(events, params={"since": 0, "timeout": -(10**9)})).json() == []
    assert (await telegram.http.get(events, params={"timeout": "9" * 30})).status_code == 400


async def test_malformed_webhook_url_is_refused(telegram: Telegram) -> None:
    assert (await telegram.call("setWebhook", url="http://["))["error_code"] == 400


async def test_oldest_connection_is_closed_when_connection_limit_is_reached(
    telegram: Telegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.ServerProtocol, "max_connections", 20)
    address = httpx.URL(telegram.url)
    held = [await asyncio.open_connection(address.host, address.port) for _ in range(40)]
    assert (await telegram.call("getMe"))["ok"]
    async with asyncio.timeout(20):
        assert await held[0][0].read() == b"", "the oldest one is closed"
    for _, writer in held:
        writer.close()


def test_entity_detection_cost_is_bounded_for_hashtag_text() -> None:
    with count_units() as stopwatch:
        kept, entities = clean_and_detect_entities(
            "#a " * 20_000, [{"type": "code", "offset": 0, "length": 2}] * ENTITY_LIMIT
        )
    assert stopwatch.units < 2_000  # 20,000 before, and the square of that for longer ones
    assert (len(kept), len(entities)) == (59_999, ENTITY_LIMIT)
