"""Which updates need not be read: of strangers who were told, and of people who have too many unfinished.

Looks at an update as Telegram sent it, before it is parsed: for the others, parsing a hundred of them is longer to wait
than all that is done with them. Where a look does not tell, an update is read as any other. Does not know how updates
are fetched.
"""

from collections.abc import Iterable
from typing import Any

import telegram

from telegram_ui.updates.access import Access
from telegram_ui.updates.durable_queue import DurableQueue, Sent
from telegram_ui.updates.unread import Glimpse, Unread, glimpse, read_or_emptied

Raw = dict[str, Any]


class Triage:
    """Says for one poll at a time which of its updates have to be read, and which at once."""

    def __init__(self, access: Access, queue: DurableQueue) -> None:
        self._access = access
        self._queue = queue

    def to_read(self, fetched: Iterable[Raw]) -> list[tuple[Raw, Glimpse | None]]:
        """The updates of one poll, in order, without those of which nothing would come; each with what a look shows.
        The last one always stands for all before it, for whoever polls goes on behind it: where it need not be read,
        only its id is left of it.
        """
        read: list[tuple[Raw, Glimpse | None]] = []
        left: dict[int, int] = {}
        last: Raw | None = None
        for raw in fetched:
            last = raw
            seen = glimpse(raw)
            if seen is None or self._has_to_be_read(seen, left):
                read.append((raw, seen))
                last = None
        return read if last is None else [*read, ({"update_id": last["update_id"]}, None)]

    def is_dropped(self, seen: Glimpse | None) -> bool:
        """Whether nothing would come of an update that Telegram delivers by itself."""
        return seen is not None and not self._has_to_be_read(seen, {})

    def opened(self, raw: Raw, seen: Glimpse | None, bot: telegram.Bot) -> Sent:
        """The update, parsed; where a look has told all that is asked before it is on disk, not yet."""
        if seen is not None and seen.is_plain and self._access.serves(seen.person):
            return Unread(raw, seen, bot)
        return read_or_emptied(raw, bot)

    def _has_to_be_read(self, seen: Glimpse, left: dict[int, int]) -> bool:
        """`left`: how often each stranger of this poll may still be told."""
        if self._access.serves(seen.person):
            return not self._queue.drops_unread(seen.update_id, seen.person, is_urgent=seen.is_urgent)
        if not seen.is_told:
            return False
        if seen.person not in left:
            left[seen.person] = self._access.tellings_left(seen.person)
        left[seen.person] -= 1
        return left[seen.person] >= 0
