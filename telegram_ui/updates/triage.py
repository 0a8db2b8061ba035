"""Which updates need not be read: of strangers who were told, and of people who have too many unfinished.

Looks at an update as Telegram sent it, before it is parsed: for the others, parsing a hundred of them is longer to wait
than all that is done with them. Where a look does not tell, an update is read as any other. Does not know how updates
are fetched.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from telegram_ui.updates.access import Access
from telegram_ui.updates.durable_queue import DurableQueue

_UPGRADES = ("migrate_to_chat_id", "migrate_from_chat_id")


@dataclass(frozen=True, kw_only=True, slots=True)
class Glimpse:
    """What an update shows of itself at a look.

    `is_told`: a stranger who sends it is answered; elsewhere, and for an edit, nothing is ever said to them.
    `is_urgent`: a command or a press.
    """

    update_id: int
    person: int
    is_told: bool
    is_urgent: bool


def glimpse(raw: Mapping[str, Any]) -> Glimpse | None:
    """An update of getUpdates at a look; None where only parsing tells: fields of another type than they should have,
    service messages that everybody may cause, senders that are a chat.
    """
    match raw:
        case {"update_id": int(number), "callback_query": {"from": {"id": int(person)}}}:
            return Glimpse(update_id=number, person=person, is_told=True, is_urgent=True)
        case {"update_id": int(number), "edited_message": {"from": {"id": int(person)}} as message}:
            is_told, is_urgent = False, False
        case {
            "update_id": int(number),
            "message": {"from": {"id": int(person)}, "chat": {"type": str(kind)}} as message,
        }:
            is_told, is_urgent = kind == "private", str(message.get("text") or "").startswith("/")
        case _:
            return None
    if "sender_chat" in message or any(name in message for name in _UPGRADES):
        return None
    return Glimpse(update_id=number, person=person, is_told=is_told, is_urgent=is_urgent)


class Triage:
    """Says for one poll at a time which of its updates have to be read."""

    def __init__(self, access: Access, queue: DurableQueue) -> None:
        self._access = access
        self._queue = queue

    def to_read(self, fetched: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The updates of one poll, in order, without those of which nothing would come. The last one always stands for
        all before it, for whoever polls goes on behind it: where it need not be read, only its id is left of it.
        """
        read: list[dict[str, Any]] = []
        strangers = Counter[int]()
        last: dict[str, Any] | None = None
        for raw in fetched:
            last = raw
            seen = glimpse(raw)
            if seen is None or self._has_to_be_read(seen, strangers):
                read.append(raw)
                last = None
        return read if last is None else [*read, {"update_id": last["update_id"]}]

    def _has_to_be_read(self, seen: Glimpse, strangers: Counter[int]) -> bool:
        if self._access.serves(seen.person):
            return not self._queue.drops_unread(seen.update_id, seen.person, is_urgent=seen.is_urgent)
        if not seen.is_told:
            return False
        strangers[seen.person] += 1
        return strangers[seen.person] <= self._access.tellings_left(seen.person)
