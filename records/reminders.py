"""Reminders for one time or at regular intervals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Repeat = Literal["", "daily", "weekly", "monthly"]
REPEATS: tuple[Repeat, ...] = get_args(Repeat)[1:]
"""A new repetition also needs its next time (text/time_zones.py), a letter in the button that offers it
(telegram_ui/commands/outreach/reminders.py), the text reminders-each-NAME and a form in reminders/phrases.py.
"""
MAX_REMINDERS = 100  # reminders of one owner
MAX_REMINDER_CHARS = 500
MAX_DAYS_AHEAD = 3_660


@dataclass(frozen=True, kw_only=True, slots=True)
class ReminderWish:
    """A reminder that was asked for.

    `local` is the local time without a zone, which counts if the owner's zone changes, or None for a distance from now
    ("in two hours"). `month_day` is the day of a monthly reminder, also after a month without such a day, or 0.
    """

    text: str
    due_at: datetime
    local: datetime | None
    repeat: Repeat = ""
    month_day: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reminder:
    """A stored reminder. Ids are per owner and ascend.

    `person` and `language` are those of the request, and `source` is its stored message. `sends` counts the attempts to
    send it that are not known to have ended.
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
