"""Reminders for one time or at regular intervals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Repeat = Literal["", "daily", "weekly", "monthly"]
REPEATS: tuple[Repeat, ...] = get_args(Repeat)[1:]
"""A further one also needs its next time (text/time_zones.py), a letter in the button that offers it
(telegram_ui/commands/outreach/reminders.py), the text reminders-each-NAME and, if it is to be asked for without a
model, a form in reminders/phrases.py.
"""
MAX_REMINDERS = 100  # reminders of one owner
MAX_REMINDER_CHARS = 500  # characters
FARTHEST_DAYS = 3_660  # days ahead


@dataclass(frozen=True, kw_only=True, slots=True)
class ReminderWish:
    """A reminder that is asked for. `due_at`: aware. `local`: the wall clock's time then, without a zone, which is what
    counts where the owner's zone changes; None for a distance from now ("in two hours"). `month_day`: the day on which
    a monthly one comes, also after a month without such a day; 0 for the others.
    """

    text: str
    due_at: datetime
    local: datetime | None
    repeat: Repeat = ""
    month_day: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reminder:
    """A stored reminder. Ids are per owner, and ascend. `person`: who asked; `language`: in which it was asked for;
    `source`: the stored message that asked for it. `sends`: how often this time's was begun to be sent, without being
    known to have ended.
    """

    id: int
    owner: int
    thread: int
    person: int
    text: str
    due_at: datetime
    local: datetime | None
    repeat: Repeat
    month_day: int
    language: str
    created_at: datetime
    source: int | None = None
    sends: int = 0
