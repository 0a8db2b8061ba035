"""Owners, threads, conversations and people. All times are aware UTC datetimes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

Clock = Callable[[], datetime]  # returns the current time as an aware UTC datetime
MAX_TELEGRAM_ID = 2**52  # its ids have at most 52 significant bits (Bot API, User and Chat)
# A place's first conversation uses its thread number, others use numbers from here on. Telegram's have 32 bits.
FIRST_NUMBER = 2**40
MAX_TITLE_CHARS = 60  # as many as a button shows on a phone


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Scope:
    """An owner and a thread. Scopes never share messages or summaries; scopes of the same owner may share facts."""

    owner: int
    thread: int = 0  # 0 for none; a negative one is a person's direct messages with a channel, which is the owner

    @property
    def is_channel_direct_chat(self) -> bool:
        """True for a person's direct messages with a channel, where facts and profiles must not be used."""
        return self.thread < 0

    def __iter__(self) -> Iterator[int]:
        return iter((self.owner, self.thread))  # parameters for SQL

    def __str__(self) -> str:
        return f"{self.owner}/{self.thread}" if self.thread else str(self.owner)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedConversation:
    """A conversation in an owner's list, with its label and its number of messages."""

    scope: Scope
    label: str  # its title, or else the beginning of its first message, or ""
    is_titled: bool
    messages: int
    last_at: datetime
    is_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A Telegram user who wrote a message."""

    id: int
    name: str
    username: str | None = None
    language: str = field(default="", compare=False)  # the IETF tag of their app's language, or ""
