"""The error responses of Telegram's server, with its exact error messages, because bots match on them.

Source: tdlib/telegram-bot-api.
"""

from typing import Any

Json = dict[str, Any]


class Refusal(Exception):  # noqa: N818 (the Bot API's word for it is an answer, not an error)
    """Raised to refuse a call, which is then answered with "ok": false. `code` is also the HTTP status."""

    def __init__(self, code: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def to_json(self) -> Json:
        """Return the refusal as the JSON body of the Bot API's response."""
        answer: Json = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def make_bad_request_error(reason: str) -> Refusal:
    """Make a 400 error. `reason` starts in lower case because it follows the real server's prefix."""
    return Refusal(400, f"Bad Request: {reason}")


def make_forbidden_error(reason: str) -> Refusal:
    """Make the 403 error for a bot that may not use a chat."""
    return Refusal(403, f"Forbidden: {reason}")


def make_conflict_error(reason: str) -> Refusal:
    """Make a 409 error for a bot whose updates are already being fetched in another way."""
    return Refusal(409, f"Conflict: {reason}")


def make_group_upgraded_error(chat_id: int) -> Refusal:
    """Make the 400 error for a group that is now the supergroup `chat_id`."""
    reason = "group chat was upgraded to a supergroup chat"
    return Refusal(400, f"Bad Request: {reason}", {"migrate_to_chat_id": chat_id})


def make_too_many_requests_error(retry_after: int) -> Refusal:
    """Make a 429 error that asks the bot to wait `retry_after` seconds."""
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after})


NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)
OTHER_POLLER = "terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
