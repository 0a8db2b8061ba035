"""The bot's pending updates: their ids, confirmation by offset, polls, callback queries and privacy mode."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from math import inf

from playground.feed import Notifier
from playground.refusals import OTHER_POLLER, Json, make_conflict_error

FIRST_UPDATE_ID = 500_000_000  # real ids begin anywhere, so no code may rely on 1
UPDATE_LIFETIME = 24 * 60 * 60  # seconds for which Telegram keeps an update that the bot does not fetch
FIRST_QUERY_ID = 4_000_000_000_000_000_001
QUERY_LIFETIME = 60  # seconds; the real server stops waiting for the bot's answer after about a minute
OPT_IN_KINDS = frozenset(
    {"chat_member", "message_reaction", "message_reaction_count"}
)  # sent only if the bot names them


class Updates:
    """The bot's pending updates, which getUpdates returns or a webhook receives."""

    def __init__(self, clock: Callable[[], float], *, first_id: int) -> None:
        self._clock = clock
        self._pending: list[tuple[float, Json]] = []
        self.next_id = first_id
        self.notifier = Notifier()
        self.poller = 0
        self._interruption = ""
        self._open_poller = 0  # the poller that is waiting for updates; 0 = none
        self._poll_opened = Notifier()
        self.allowed: list[str] = []  # empty = all except OPT_IN_KINDS

    def add(self, kind: str, payload: Json) -> None:
        """Queue an update if the bot wants updates of this kind."""
        if (kind not in self.allowed) if self.allowed else (kind in OPT_IN_KINDS):
            return
        self._pending.append((self._clock(), {"update_id": self.next_id, kind: payload}))
        self.next_id += 1
        self.notifier.notify_all()

    def list_pending(self) -> list[Json]:
        """Drop the updates that are over a day old, and return the other unconfirmed ones, oldest first."""
        oldest = self._clock() - UPDATE_LIFETIME
        self._pending = [(at, update) for at, update in self._pending if at > oldest]
        return [update for _, update in self._pending]

    def confirm(self, offset: int) -> None:
        """Remove the updates with ids below `offset`. A negative offset removes all but the last -offset updates."""
        if offset < 0:
            self._pending = self._pending[offset:]
        else:
            self._pending = [(at, update) for at, update in self._pending if update["update_id"] >= offset]
        self.notifier.notify_all()

    def drop_all(self) -> None:
        self._pending = []

    def interrupt_poll(self, reason: str) -> None:
        """End the current poll with a 409 error that states the reason."""
        self.poller += 1
        self._interruption = reason
        self.notifier.notify_all()

    async def poll(self, *, offset: int, limit: int, timeout: float) -> list[Json]:
        """End any older poll, confirm updates below `offset`, and wait up to `timeout` seconds for further ones."""
        self.interrupt_poll(OTHER_POLLER)
        mine = self.poller
        self.confirm(offset)
        try:
            async with asyncio.timeout(timeout):
                while not self.list_pending():
                    self._announce_open_poll(mine)
                    await self.notifier.wait_for_notification()
                    if self.poller != mine:
                        raise make_conflict_error(self._interruption)
        except TimeoutError:
            return []
        finally:
            if self._open_poller == mine:
                self._open_poller = 0
        return self.list_pending()[:limit]

    async def wait_until_polled(self) -> None:
        """Wait until the bot is polling for new updates, which means that it has fetched all earlier ones."""
        while not self._open_poller:
            await self._poll_opened.wait_for_notification()

    async def wait_until_empty(self) -> None:
        """Wait until all updates are confirmed or delivered."""
        while self.list_pending():
            await self.notifier.wait_for_notification()

    def _announce_open_poll(self, poller_number: int) -> None:
        self._open_poller = poller_number
        self._poll_opened.notify_all()

    async def wait_for_oldest_update(self, busy_chat_ids: Collection[int] = ()) -> Json:
        """Wait until there is an update of a chat that is not in `busy_chat_ids`, and return the oldest one."""
        while (
            first := next((update for update in self.list_pending() if find_chat_id(update) not in busy_chat_ids), None)
        ) is None:
            await self.notifier.wait_for_notification()
        return first

    def remove(self, update_id: int) -> None:
        """Remove an update that the webhook has accepted."""
        self._pending = [(at, update) for at, update in self._pending if update["update_id"] != update_id]
        self.notifier.notify_all()

    def set_allowed_kinds(self, kinds: Sequence[str] | None) -> None:
        """Set the kinds of updates that the bot wants. None keeps the previous choice."""
        if kinds is not None:
            self.allowed = list(kinds)


class CallbackQueries:
    """The callback queries that people sent by pressing buttons."""

    def __init__(self) -> None:
        self._presses: dict[str, tuple[float, int]] = {}

    def add(self, person_id: int, pressed_at: float) -> str:
        """Record that a person pressed a button at the time `pressed_at`, and return the id of the query."""
        query_id = str(FIRST_QUERY_ID + len(self._presses))
        self._presses[query_id] = pressed_at, person_id
        return query_id

    def find_button_presser(self, query_id: str, now: float) -> int | None:
        """Return the id of the person who pressed the button, or None if the query is unknown or too old."""
        at, person_id = self._presses.get(query_id, (-inf, 0))
        return person_id if now - at <= QUERY_LIFETIME else None


def find_chat_id(update: Json) -> int:
    """Return the id of the update's chat, or 0 if it has none."""
    payload: Json = next((value for name, value in update.items() if name != "update_id"), {})
    return int(payload.get("chat", payload.get("message", {}).get("chat", {})).get("id", 0))


def is_visible_in_privacy_mode(bot: Json, message: Json) -> bool:
    """Return True if a bot in privacy mode receives this group message: a reply, a command, or a mention of the bot.

    Source: core.telegram.org/bots/features#privacy-mode, and the real server for mentions.
    """
    replied = message.get("reply_to_message", {})
    if replied.get("from", {}).get("id") == bot["id"]:
        return True
    name = bot["username"].lower()
    return any(_addresses_bot(word.lower(), name) for word in _list_mentions(message))


def _addresses_bot(word: str, bot_name: str) -> bool:
    """Return True if a mention or command addresses this bot. A command without a bot's name addresses all bots."""
    head, _, name = word.partition("@")
    return name == bot_name or (head.startswith("/") and not name)


def _list_mentions(message: Json) -> list[str]:
    """Return the mentions and commands in a message."""
    text = (message.get("text") or message.get("caption") or "").encode("utf-16-le")
    entities = message.get("entities") or message.get("caption_entities") or []
    return [
        text[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
        for entity in entities
        if entity["type"] in ("mention", "bot_command")
    ]
