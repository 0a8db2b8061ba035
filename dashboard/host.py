"""What the page is told of the bot around it, by whoever starts it. Does not know Telegram's objects."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from locales.catalog import ENGLISH
from settings import Secret

Configures = Callable[[int, int], Awaitable[bool]]
"""configures(owner, person): whether a person may configure this group's memory, as its admins may."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """`url`: where people reach the page, without a slash at its end. `hosts`: the names by which requests may call it.
    `bot_token` empty: nobody comes from Telegram.
    """

    url: str
    hosts: tuple[str, ...]
    configures: Configures
    bot_token: Secret = field(default=Secret(""))
    admin_ids: frozenset[int] = frozenset()
    default_language: str = ENGLISH

    @property
    def origin(self) -> str:
        """What a browser calls the page's origin, without the scheme."""
        return urlsplit(self.url).netloc
