"""The parts of the bot that the page needs. The caller that starts the page provides them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from chat.operation import Operation
from locales.catalog import ENGLISH
from records.owners import Standing
from settings import Secret

STATIC = Path(__file__).parent / "static"  # the folder with the page's HTML, CSS and modules

Configures = Callable[[int, int], Awaitable[bool]]
"""configures(owner, person): return True if the person may configure this group's memory."""
Decide = Callable[[int, Standing, int], Awaitable[object]]
"""decide(person, standing, admin): store an admin's decision, and notify a person who is let in."""
SendFile = Callable[[int, str, IO[bytes]], Awaitable[bool]]
"""send_file(person, name, file): send a file to a private chat. Return False if the bot may not write there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """The bot around the page.

    `url` is the page's address without a trailing slash. `hosts` are the accepted Host headers. Nobody can sign in from
    Telegram without a `bot_token`.
    """

    url: str
    hosts: tuple[str, ...]
    configures: Configures
    decide: Decide
    health: Callable[[], Awaitable[Mapping[str, bool]]]
    send_file: SendFile | None = None
    bot_token: Secret = field(default=Secret(""))
    operation: Operation = field(default_factory=Operation)
    default_language: str = ENGLISH

    @property
    def origin(self) -> str:
        """Return the page's origin without the scheme."""
        return urlsplit(self.url).netloc

    @property
    def bot_id(self) -> int:
        """Return the bot's Telegram id from its token, or 0."""
        number = self.bot_token.value.partition(":")[0]
        return int(number) if number.isdecimal() else 0
