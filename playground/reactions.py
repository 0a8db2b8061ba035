"""Reactions to messages, and the updates that notify the bot of them."""

from collections.abc import Sequence

from playground.refusals import Json


class Reactions:
    """The reactions of all authors, by chat and message."""

    def __init__(self) -> None:
        self._emoji: dict[tuple[int, int, int], tuple[str, ...]] = {}

    def get_emoji(self, message: Json, author_id: int) -> tuple[str, ...]:
        return self._emoji.get((message["chat"]["id"], message["message_id"], author_id), ())

    def replace_emoji(self, message: Json, author_id: int, emoji: Sequence[str]) -> Json:
        """Replace an author's reactions, and return the message with its new reactions."""
        chat_id, message_id = message["chat"]["id"], message["message_id"]
        self._emoji[chat_id, message_id, author_id] = tuple(emoji)
        shown = [emoji for key, these in self._emoji.items() if key[:2] == (chat_id, message_id) for emoji in these]
        return {**remove_reactions(message), **({"reactions": shown} if shown else {})}


def make_reaction_update(
    message: Json, user: Json, old_emoji: Sequence[str], new_emoji: Sequence[str], unix_time: int
) -> Json:
    """Build the MessageReactionUpdated object for a change in a person's reactions to a message."""
    return {
        "chat": message["chat"],
        "message_id": message["message_id"],
        "user": user,
        "date": unix_time,
        "old_reaction": [{"type": "emoji", "emoji": emoji} for emoji in old_emoji],
        "new_reaction": [{"type": "emoji", "emoji": emoji} for emoji in new_emoji],
    }


def remove_reactions(message: Json) -> Json:
    """Return the message without its reactions, which the Bot API does not send."""
    return {name: value for name, value in message.items() if name != "reactions"}


def format_message_for_api(message: Json) -> Json:
    """Return the message as the Bot API sends it: without reactions, and with id 0 if it is ephemeral."""
    number = {"message_id": 0} if "ephemeral_message_id" in message else {}
    return {**remove_reactions(message), **number}
