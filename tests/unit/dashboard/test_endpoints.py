"""Failed requests get a status and a sentence. Large answers do not block the event loop."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.endpoints import JsonBody, RequestRefused, make_json_or_error_response
from dashboard.parameters import BadRequest
from dashboard.sessions import NoSession
from dashboard.views import MAX_FACTS_SENT, ViewHandlers
from records.errors import ImportRefused, ServedElsewhere, StorageError
from records.facts import Fact
from runtime.pacing import RequestTooLarge
from settings import Settings
from tests.support.loop_watch import watch_loop


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RequestRefused(409, "Not now."), 409),
        (BadRequest("id is a whole number."), 400),
        (RequestTooLarge(), 413),
        (NoSession(), 401),
        (ImportRefused("Line 3 is no message."), 400),
        (StorageError("disk I/O error"), 503),
        (ZeroDivisionError("walrus"), 500),
    ],
)
async def test_error_response_has_status_and_message_without_internals(error: Exception, status: int) -> None:
    async def work() -> JsonBody:
        raise error

    answer = await make_json_or_error_response(work)
    assert answer.status_code == status
    sentence = json.loads(bytes(answer.body))["error"]
    assert sentence
    assert "walrus" not in sentence
    assert "I/O" not in sentence


async def test_serializing_max_facts_does_not_block_event_loop() -> None:
    now = datetime(2026, 11, 27, tzinfo=UTC)
    fact = Fact(
        id=1, owner=7, text="Anna has a boat. " * 5, kind="personal", subject="boat", source_ids=(1, 2), origin="owner",
        observed_at=now, valid_from=now, created_at=now, valid_to=None, superseded_by=None, importance=0.5,
    )  # fmt: skip

    async def list_all(owner: int) -> list[Fact]:
        return [replace(fact, owner=owner)] * MAX_FACTS_SENT

    views = ViewHandlers(
        services=cast("Any", SimpleNamespace(facts=SimpleNamespace(list_all=list_all))), settings=Settings()
    )
    async with watch_loop() as held:
        answer = await make_json_or_error_response(lambda: views.list_facts(cast("Any", SimpleNamespace(owner=7))))
    assert len(json.loads(bytes(answer.body))["facts"]) == MAX_FACTS_SENT
    assert held.units < 40


async def test_request_served_elsewhere_returns_503_with_retry_after() -> None:
    async def work() -> JsonBody:
        raise ServedElsewhere

    answer = await make_json_or_error_response(work)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "again" in json.loads(bytes(answer.body))["error"]
