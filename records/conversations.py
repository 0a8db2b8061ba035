"""Conversations: the parts of the talk at one place, each a scope of its own.

A place is where Telegram shows messages: a private chat, a group, a topic. Its first conversation has the place's own
thread; each further one has a number that no topic has.
"""

from dataclasses import dataclass
from datetime import datetime

from records.scopes import Scope

FIRST_NUMBER = 2**40
"""Threads of further conversations are at least so far from 0. Telegram's own numbers have 32 bits (Bot API, Message:
message_thread_id is a message's number)."""
MAX_TITLE_CHARS = 60  # characters of a title: what a button shows of it on a phone


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredConversation:
    """A conversation as the store knows it. `place`: the thread in Telegram. `title`: "" while there is none.

    `is_named`: its owner gave the title; else a model made it from messages, and it goes when one of them does. Of the
    conversations of a place the one with the latest `opened_at` is where the talk goes on.
    """

    scope: Scope
    place: int
    title: str
    is_named: bool
    created_at: datetime
    opened_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedConversation:
    """A conversation as it is listed. `label`: its title, or the beginning of what was said first, or "".

    `is_open`: the talk goes on here. `is_titled`: the label is a title.
    """

    scope: Scope
    label: str
    is_titled: bool
    messages: int
    last_at: datetime
    is_open: bool
