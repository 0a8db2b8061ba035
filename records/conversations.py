"""Conversations: a place (a private chat, group or topic) may have several, each with a scope of its own.

The first conversation of a place has its thread. Others have numbers that no topic has.
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

    Without `is_named`, a model made the title from messages, and it is removed with any of them. The conversation of a
    place with the latest `opened_at` is open.
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
