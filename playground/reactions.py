"""The reactions under messages: who put which, and what the bot is told of it. The page shows them with the message."""

from collections.abc import Sequence

from playground.refusals import Json


class Reactions:
    """The reactions of one world, by chat, message and author."""

    def __init__(self) -> None:
        self._put: dict[tuple[int, int, int], tuple[str, ...]] = {}

    def of(self, message: Json, author_id: int) -> tuple[str, ...]:
        return self._put.get((message["chat"]["id"], message["message_id"], author_id), ())

    def put(self, message: Json, author_id: int, emoji: Sequence[str]) -> Json:
        """Put these in the place of an author's own; the message as the page shows it from now on."""
        chat_id, message_id = message["chat"]["id"], message["message_id"]
        self._put[chat_id, message_id, author_id] = tuple(emoji)
        shown = [one for key, these in self._put.items() if key[:2] == (chat_id, message_id) for one in these]
        return {**without_reactions(message), **({"reactions": shown} if shown else {})}


def reaction_update(message: Json, user: Json, before: Sequence[str], after: Sequence[str], at: int) -> Json:
    """The Bot API's MessageReactionUpdated."""
    return {
        "chat": message["chat"],
        "message_id": message["message_id"],
        "user": user,
        "date": at,
        "old_reaction": [{"type": "emoji", "emoji": one} for one in before],
        "new_reaction": [{"type": "emoji", "emoji": one} for one in after],
    }


def without_reactions(message: Json) -> Json:
    """A message as the Bot API gives it: it says nothing of reactions."""
    return {name: value for name, value in message.items() if name != "reactions"}


def as_sent(message: Json) -> Json:
    """A message as the Bot API gives it: without reactions; an ephemeral one has the id 0 beside its own."""
    number = {"message_id": 0} if "ephemeral_message_id" in message else {}
    return {**without_reactions(message), **number}
