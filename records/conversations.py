"""Conversations. A place (a private chat, group or topic) may have several, each with its own scope."""

from dataclasses import dataclass
from datetime import datetime

from records.scopes import Scope

# A place's first conversation uses its thread number, others use numbers from here on. Telegram's have 32 bits.
FIRST_NUMBER = 2**40
MAX_TITLE_CHARS = 60  # as many as a button shows on a phone


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedConversation:
    """A conversation in an owner's list, with its label and its number of messages."""

    scope: Scope
    label: str  # its title, or else the beginning of its first message, or ""
    is_titled: bool
    messages: int
    last_at: datetime
    is_open: bool
