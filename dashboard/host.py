"""What the page is told of the bot around it, by whoever starts it. Does not know Telegram's objects."""

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
"""configures(owner, person): whether a person may configure this group's memory, as its admins may."""
Decide = Callable[[int, Standing, int], Awaitable[object]]
"""decide(person, standing, by): keeps what an admin decides of a person, and tells whoever is let in."""
SendFile = Callable[[int, str, IO[bytes]], Awaitable[bool]]
"""send_file(person, name, file): sends a file into a person's private chat; False where the bot may not write there."""


async def _send_nowhere(_person: int, _name: str, _file: IO[bytes]) -> bool:
    return False


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """`url`: where people reach the page, without a slash at its end. `hosts`: the names by which requests may call it.
    `bot_token` empty: nobody comes from Telegram. `health`: whether each part of the bot works.
    """

    url: str
    hosts: tuple[str, ...]
    configures: Configures
    decide: Decide
    health: Callable[[], Awaitable[Mapping[str, bool]]]
    send_file: SendFile = _send_nowhere
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
