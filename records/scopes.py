"""Whose talk it is: owners, threads and people. All times are aware UTC datetimes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

Clock = Callable[[], datetime]
"""Gives the present as an aware UTC datetime."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Scope:
    """Owner + thread: the border that no memory crosses. Thread 0 = none."""

    owner: int
    thread: int = 0

    def __str__(self) -> str:
        return f"{self.owner}/{self.thread}" if self.thread else str(self.owner)


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Who wrote: a Telegram user."""

    id: int
    name: str
    username: str | None = None
