"""Reminders for one time or at regular intervals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Repeat = Literal["", "daily", "weekly", "monthly"]
REPEATS: tuple[Repeat, ...] = get_args(Repeat)[1:]
"""A new repetition also needs its next time (text/time_zones.py), a letter in the button that offers it
(telegram_ui/commands/reminders.py), the text reminders-each-NAME and its unit in reminders/lexicon.py.
"""
MAX_REMINDERS = 100  # reminders of one owner
MAX_REMINDER_CHARS = 500
MAX_DAYS_AHEAD = 3_660


@dataclass(frozen=True, kw_only=True, slots=True)
class ReminderWish:
    """A reminder that was asked for.

    `local` is the local time without a zone. It stays the same if the owner's time zone changes. It is None for a delay
    from now ("in two hours"). `month_day` is the day of a monthly reminder, which is kept after a shorter month, or 0.
    """

    text: str
    due_at: datetime
    local: datetime | None
    repeat: Repeat = ""
    month_day: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reminder:
    """A stored reminder. Ids are per owner and ascend.

    `person` asked for it in `language`, and `source` is the stored message with that request. `sends` counts the
    attempts to send it whose outcome is unknown.
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
