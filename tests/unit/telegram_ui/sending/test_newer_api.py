"""A newer method of the Bot API is tried once; a server that refuses it is not asked again for a day."""

import pytest
from telegram.error import BadRequest, InvalidToken, RetryAfter, TelegramError

from telegram_ui.sending.newer_api import REFUSED_SECONDS, NewerApi


class Server:
    """A server that counts requests. It raises `error` for each request, or returns True."""

    def __init__(self, error: TelegramError | None = None) -> None:
        self.error = error
        self.requests = 0

    async def request(self) -> bool:
        self.requests += 1
        if self.error:
            raise self.error
        return True


async def test_unknown_method_is_not_retried_in_any_chat_for_a_day() -> None:
    now = [0.0]
    newer, server = NewerApi(lambda: now[0]), Server(InvalidToken("Not Found"))
    assert await newer.try_feature("setThing", server.request, chat_id=5) is None
    assert await newer.try_feature("setThing", server.request, chat_id=6) is None
    assert server.requests == 1
    assert newer.can_use("setOther")
    now[0], server.error = REFUSED_SECONDS + 1.0, None
    assert await newer.try_feature("setThing", server.request, chat_id=5)


async def test_request_refused_in_one_chat_is_tried_in_others() -> None:
    newer, server = NewerApi(lambda: 0.0), Server(BadRequest("RICH_MESSAGE_INVALID"))
    for chat in (5, 5, 6):
        assert await newer.try_feature("setThing", server.request, chat_id=chat) is None
    assert server.requests == 2


async def test_retry_after_is_not_treated_as_refusal() -> None:
    newer, server = NewerApi(lambda: 0.0), Server(RetryAfter(3))
    with pytest.raises(RetryAfter):
        await newer.try_feature("setThing", server.request)
    assert newer.can_use("setThing")
