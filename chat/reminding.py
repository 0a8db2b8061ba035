"""A message that asks for a reminder: read when its turn begins, offered with its answer.

Does not know how it is read (reminders/wishes.py), nor how it is offered.
"""

from dataclasses import replace
from datetime import UTC, datetime

from chat.turn import Turn
from records.owners import OwnerConfig
from records.turns import Incoming, Proposal
from reminders.wishes import wish


def with_wish(incoming: Incoming, config: OwnerConfig | None) -> Incoming:
    """The message with the reminder that it asks for, if it does, in its owner's time zone."""
    said_at = incoming.pieces[-1].sent_at.astimezone(config.zone if config else UTC)
    return replace(incoming, wish=wish(incoming.words, said_at))


def proposed(turn: Turn, now: datetime) -> tuple[Proposal, ...]:
    """What its reader is asked: whether to be reminded. Nothing where the time has passed meanwhile."""
    asked = turn.incoming.wish
    if asked is None or asked.due_at <= now:
        return ()
    return (Proposal(kind="remind", text=asked.text, wish=asked, source=turn.stored),)
