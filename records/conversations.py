"""Conversations. A place (a private chat, group or topic) may have several, each with its own scope.

The first conversation of a place uses its thread number. Others use numbers that no topic can have.
"""

from dataclasses import dataclass
from datetime import datetime

from records.scopes import Scope

FIRST_NUMBER = 2**40
"""The first thread number of other conversations. Telegram's own numbers have 32 bits (Bot API, Message)."""
MAX_TITLE_CHARS = 60  # as many as a button shows on a phone


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredConversation:
    """A stored conversation. `place` is its thread in Telegram.

    If `is_named` is False, a model made the title from messages. It is removed if one of them is forgotten. The
    conversation of a place with the latest `opened_at` is open.
    """

    scope: Scope
    place: int
    title: str
    is_named: bool
    created_at: datetime
    opened_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedConversation:
    """A conversation in a list. Without a title, `label` is the beginning of its first message, or ""."""

    scope: Scope
    label: str
    is_titled: bool
    messages: int
    last_at: datetime
    is_open: bool
