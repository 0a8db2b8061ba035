"""Refusals of Telegram's server with its exact wording.

The wording follows tdlib/telegram-bot-api, because bots match on these sentences.
"""

from typing import Any

Json = dict[str, Any]


class Refusal(Exception):  # noqa: N818 (the Bot API's word for it is an answer, not an error)
    """An answer with "ok": false. `code` is also the HTTP status."""

    def __init__(self, code: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> Json:
        """Return the JSON object of the answer."""
        answer: Json = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(reason: str) -> Refusal:
    """400 with the real server's prefix. `reason` starts in lower case."""
    return Refusal(400, f"Bad Request: {reason}")


def forbidden(reason: str) -> Refusal:
    """403: the bot cannot use this chat."""
    return Refusal(403, f"Forbidden: {reason}")


def conflict(reason: str) -> Refusal:
    """409: another program fetches this bot's updates."""
    return Refusal(409, f"Conflict: {reason}")


def upgraded(chat_id: int) -> Refusal:
    """400: the group is now a supergroup with another id."""
    reason = "group chat was upgraded to a supergroup chat"
    return Refusal(400, f"Bad Request: {reason}", {"migrate_to_chat_id": chat_id})


def too_many_requests(retry_after: int) -> Refusal:
    """429 with the seconds to wait, in the sentence and the parameters."""
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after})


NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)
OTHER_POLLER = "terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
