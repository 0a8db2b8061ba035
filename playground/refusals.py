"""How Telegram's server refuses: the error and its wording.

Knows no HTTP and no state. Wording follows tdlib/telegram-bot-api: bots match on these sentences.
"""

from typing import Any

Json = dict[str, Any]


class Refusal(Exception):  # noqa: N818 (the Bot API's word for it is an answer, not an error)
    """An answer with "ok": false; `code` is the HTTP status, too."""

    def __init__(self, code: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> Json:
        """The JSON object that the server answers with."""
        answer: Json = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(reason: str) -> Refusal:
    """400; the real server puts its sentences after this prefix, starting in lower case."""
    return Refusal(400, f"Bad Request: {reason}")


def forbidden(reason: str) -> Refusal:
    """403: the chat exists, but not for this bot."""
    return Refusal(403, f"Forbidden: {reason}")


def conflict(reason: str) -> Refusal:
    """409: somebody else fetches this bot's updates."""
    return Refusal(409, f"Conflict: {reason}")


def upgraded(chat_id: int) -> Refusal:
    """400: the group is a supergroup now, with an id of its own."""
    reason = "group chat was upgraded to a supergroup chat"
    return Refusal(400, f"Bad Request: {reason}", {"migrate_to_chat_id": chat_id})


def too_many_requests(retry_after: int) -> Refusal:
    """429, with the wait in seconds in the sentence and in the parameters."""
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after})


NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)
OTHER_POLLER = "terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
