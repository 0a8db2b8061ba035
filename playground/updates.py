"""The bot's pending updates: numbering, confirmation by offset, one poller at a time, and privacy mode."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from math import inf

from playground.feed import Pulse
from playground.refusals import OTHER_POLLER, Json, conflict

FIRST_UPDATE_ID = 500_000_000  # Telegram starts anywhere; not 1, so that nothing relies on it
LIFETIME = 24 * 60 * 60  # seconds that Telegram keeps what nobody fetches
FIRST_QUERY_ID = 4_000_000_000_000_000_001
QUERY_LIFETIME = 60  # seconds; the real server gives up on an unanswered button after about a minute
UNASKED = frozenset({"chat_member", "message_reaction", "message_reaction_count"})  # only if named explicitly


class Updates:
    """The queue behind getUpdates and webhooks."""

    def __init__(self, clock: Callable[[], float], *, first_id: int) -> None:
        self._clock = clock
        self._pending: list[tuple[float, Json]] = []
        self.next_id = first_id
        self.pulse = Pulse()
        self.poller = 0
        self._interruption = ""
        self._holder = 0  # the poller that is being held, 0 = none
        self._held = Pulse()
        self.allowed: list[str] = []  # empty = all but UNASKED

    def add(self, kind: str, payload: Json) -> None:
        """Queue an update if the bot asked for its kind."""
        if (kind not in self.allowed) if self.allowed else (kind in UNASKED):
            return
        self._pending.append((self._clock(), {"update_id": self.next_id, kind: payload}))
        self.next_id += 1
        self.pulse.beat()

    def pending(self) -> list[Json]:
        """Return the unconfirmed updates of the last day, oldest first."""
        oldest = self._clock() - LIFETIME
        self._pending = [(at, update) for at, update in self._pending if at > oldest]
        return [update for _, update in self._pending]

    def confirm(self, offset: int) -> None:
        """Forget updates below `offset`. A negative offset keeps the last -offset updates."""
        if offset < 0:
            self._pending = self._pending[offset:]
        else:
            self._pending = [(at, update) for at, update in self._pending if update["update_id"] >= offset]
        self.pulse.beat()

    def drop(self) -> None:
        self._pending = []

    def interrupt(self, reason: str) -> None:
        """End the current poll with 409."""
        self.poller += 1
        self._interruption = reason
        self.pulse.beat()

    async def poll(self, *, offset: int, limit: int, timeout: float) -> list[Json]:
        """Confirm up to `offset`, and wait up to `timeout` seconds for updates. The newest poller wins."""
        self.interrupt(OTHER_POLLER)
        mine = self.poller
        self.confirm(offset)
        try:
            async with asyncio.timeout(timeout):
                while not self.pending():
                    self._hold(mine)
                    await self.pulse.wait()
                    if self.poller != mine:
                        raise conflict(self._interruption)
        except TimeoutError:
            return []
        finally:
            if self._holder == mine:
                self._holder = 0
        return self.pending()[:limit]

    async def polled(self) -> None:
        """Wait until a poll is open, so the bot has fetched everything."""
        while not self._holder:
            await self._held.wait()

    async def emptied(self) -> None:
        """Wait until all updates are confirmed or delivered."""
        while self.pending():
            await self.pulse.wait()

    def _hold(self, poller: int) -> None:
        self._holder = poller
        self._held.beat()

    async def oldest(self, busy: Collection[int] = ()) -> Json:
        """Wait for the first pending update of a chat that is not in `busy`."""
        while (first := next((update for update in self.pending() if find_chat_id(update) not in busy), None)) is None:
            await self.pulse.wait()
        return first

    def take(self, update_id: int) -> None:
        """Forget one update after the webhook accepted it."""
        self._pending = [(at, update) for at, update in self._pending if update["update_id"] != update_id]
        self.pulse.beat()

    def allow(self, kinds: Sequence[str] | None) -> None:
        """Store the kinds of updates that the bot wants. None keeps the last choice."""
        if kinds is not None:
            self.allowed = list(kinds)


class Queries:
    """The callback queries by id."""

    def __init__(self) -> None:
        self._pressed: dict[str, tuple[float, int]] = {}

    def add(self, person_id: int, at: float) -> str:
        """Record a press and return the id of its query."""
        query_id = str(FIRST_QUERY_ID + len(self._pressed))
        self._pressed[query_id] = at, person_id
        return query_id

    def presser(self, query_id: str, now: float) -> int | None:
        """Return the person who pressed the button, or None if the query is unknown or too old."""
        at, person_id = self._pressed.get(query_id, (-inf, 0))
        return person_id if now - at <= QUERY_LIFETIME else None


def find_chat_id(update: Json) -> int:
    """Return the id of the update's chat, or 0 without a chat."""
    held: Json = next((value for name, value in update.items() if name != "update_id"), {})
    return int(held.get("chat", held.get("message", {}).get("chat", {})).get("id", 0))


def is_meant_for(bot: Json, message: Json) -> bool:
    """Return True if a bot in privacy mode receives this group message.

    Source: core.telegram.org/bots/features#privacy-mode. Mentions count too, as on the real server.
    """
    replied = message.get("reply_to_message", {})
    if replied.get("from", {}).get("id") == bot["id"]:
        return True
    name = bot["username"].lower()
    return any(_is_for_bot(word.lower(), name) for word in _list_mentions(message))


def _is_for_bot(word: str, bot_name: str) -> bool:
    """Return True if a mention or command names this bot. A command without a name is for all bots."""
    head, _, name = word.partition("@")
    return name == bot_name or (head.startswith("/") and not name)


def _list_mentions(message: Json) -> list[str]:
    """List the mentions and commands in a message."""
    text = (message.get("text") or message.get("caption") or "").encode("utf-16-le")
    entities = message.get("entities") or message.get("caption_entities") or []
    return [
        text[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
        for entity in entities
        if entity["type"] in ("mention", "bot_command")
    ]
