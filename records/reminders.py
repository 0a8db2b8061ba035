"""One-time and recurring reminders."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Repeat = Literal["", "daily", "weekly", "monthly"]
REPEATS: tuple[Repeat, ...] = get_args(Repeat)[1:]
"""A new repetition also needs its next time (text/time_zones.py), a letter in the button that offers it
(telegram_ui/commands/reminders.py), the text reminders-each-NAME, its name in llm/prompts.toml, and its unit in
reminders/lexicon.py."""
MAX_REMINDERS = 100  # reminders of one owner
MAX_REMINDER_CHARS = 500
MAX_DAYS_AHEAD = 3_660


@dataclass(frozen=True, kw_only=True, slots=True)
class NewReminder:
    """A reminder that a person asked for."""

    text: str
    due_at: datetime
    local: datetime | None  # the local time, which stays if the owner's zone changes; None for "in two hours"
    repeat: Repeat = ""
    month_day: int = 0  # of a monthly reminder, to which it returns after a shorter month, or 0
    weekdays: tuple[int, ...] = ()  # of a weekly reminder, ascending from 0 for Monday; () for the one of `due_at`


@dataclass(frozen=True, kw_only=True, slots=True)
class Reminder(NewReminder):
    """A stored reminder. Ids are unique per owner, and ascend."""

    id: int
    owner: int
    thread: int
    person: int  # who asked for it
    language: str  # of the person
    created_at: datetime
    source: int | None = None  # the stored message that asks for it
    sends: int = 0  # attempts to send it whose outcome is unknown
