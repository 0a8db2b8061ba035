"""The bot's pending updates: numbering, confirming by offset, one poller at a time, and privacy mode.

Does not know what an update says, nor how it travels.
"""

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
        """Queue an update, unless the bot did not ask for its kind."""
        if (kind not in self.allowed) if self.allowed else (kind in UNASKED):
            return
        self._pending.append((self._clock(), {"update_id": self.next_id, kind: payload}))
        self.next_id += 1
        self.pulse.beat()

    def pending(self) -> list[Json]:
        """What is not confirmed yet, oldest first; what is older than a day is gone."""
        oldest = self._clock() - LIFETIME
        self._pending = [(at, update) for at, update in self._pending if at > oldest]
        return [update for _, update in self._pending]

    def confirm(self, offset: int) -> None:
        """Forget updates below `offset`; a negative one keeps the last -offset updates."""
        if offset < 0:
            self._pending = self._pending[offset:]
        else:
            self._pending = [(at, update) for at, update in self._pending if update["update_id"] >= offset]
        self.pulse.beat()

    def drop(self) -> None:
        self._pending = []

    def interrupt(self, reason: str) -> None:
        """End the poll that is being held, if any, with 409."""
        self.poller += 1
        self._interruption = reason
        self.pulse.beat()

    async def poll(self, *, offset: int, limit: int, timeout: float) -> list[Json]:
        """Confirm, then the unconfirmed updates, held up to `timeout` seconds; the newest poller wins."""
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
        """Wait until a poll is being held: the bot has fetched everything and listens."""
        while not self._holder:
            await self._held.wait()

    async def emptied(self) -> None:
        """Wait until nothing is pending: everything was fetched and confirmed, or taken by the webhook."""
        while self.pending():
            await self.pulse.wait()

    def _hold(self, poller: int) -> None:
        self._holder = poller
        self._held.beat()

    async def oldest(self, busy: Collection[int] = ()) -> Json:
        """The first unconfirmed update of a chat that is not busy, waited for."""
        while (first := next((one for one in self.pending() if chat_of(one) not in busy), None)) is None:
            await self.pulse.wait()
        return first

    def take(self, update_id: int) -> None:
        """Forget one update: the webhook has it."""
        self._pending = [(at, update) for at, update in self._pending if update["update_id"] != update_id]
        self.pulse.beat()

    def allow(self, kinds: Sequence[str] | None) -> None:
        """Remember which kinds the bot asks for; None keeps the last choice."""
        if kinds is not None:
            self.allowed = list(kinds)


class Queries:
    """The callback queries of one world, by id."""

    def __init__(self) -> None:
        self._pressed: dict[str, tuple[float, int]] = {}

    def add(self, person_id: int, at: float) -> str:
        """Note a press; the id of its query."""
        query_id = str(FIRST_QUERY_ID + len(self._pressed))
        self._pressed[query_id] = at, person_id
        return query_id

    def presser(self, query_id: str, now: float) -> int | None:
        """Who pressed the button of a query; None where it is unknown or too old."""
        at, person_id = self._pressed.get(query_id, (-inf, 0))
        return person_id if now - at <= QUERY_LIFETIME else None


def chat_of(update: Json) -> int:
    """The chat that an update is from; 0 for what is from none."""
    held: Json = next((value for name, value in update.items() if name != "update_id"), {})
    return int(held.get("chat", held.get("message", {}).get("chat", {})).get("id", 0))


def is_meant_for(bot: Json, message: Json) -> bool:
    """Whether a bot in privacy mode gets this group message: replies to it, commands, mentions.

    Follows core.telegram.org/bots/features#privacy-mode; a mention counts, as it does on the real server.
    """
    replied = message.get("reply_to_message", {})
    if replied.get("from", {}).get("id") == bot["id"]:
        return True
    name = bot["username"].lower()
    return any(_addresses(word.lower(), name) for word in _named(message))


def _addresses(word: str, bot_name: str) -> bool:
    """A mention or command that names this bot; a command without a name is for every bot."""
    head, _, name = word.partition("@")
    return name == bot_name or (head.startswith("/") and not name)


def _named(message: Json) -> list[str]:
    """The mentions and commands in a message."""
    text = (message.get("text") or message.get("caption") or "").encode("utf-16-le")
    entities = message.get("entities") or message.get("caption_entities") or []
    return [
        text[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
        for entity in entities
        if entity["type"] in ("mention", "bot_command")
    ]
