"""What becomes of a request that fails."""

import json

import pytest

from dashboard.asked import BadRequest, TooLarge
from dashboard.sessions import NoSession
from dashboard.visits import Answer, Refused, answered
from records.errors import ImportRefused, ServedElsewhere, StorageError


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Refused(409, "Not now."), 409),
        (BadRequest("id is a whole number."), 400),
        (TooLarge(), 413),
        (NoSession(), 401),
        (ImportRefused("Line 3 is no message."), 400),
        (StorageError("disk I/O error"), 503),
        (ZeroDivisionError("walrus"), 500),
    ],
)
async def test_every_failure_is_a_sentence(error: Exception, status: int) -> None:
    async def work() -> Answer:
        raise error

    answer = await answered(work)
    assert answer.status_code == status
    sentence = json.loads(bytes(answer.body))["error"]
    assert sentence
    assert "walrus" not in sentence
    assert "I/O" not in sentence


async def test_a_page_at_the_wrong_process_asks_again() -> None:
    async def work() -> Answer:
        raise ServedElsewhere

    answer = await answered(work)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "again" in json.loads(bytes(answer.body))["error"]
