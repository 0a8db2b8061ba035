"""The parts of the bot that the page needs. The caller that starts the page provides them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from chat.operation import Operator
from records.owners import AccessStatus
from records.setting_values import LOOPBACK
from settings import Settings

STATIC = Path(__file__).parent / "static"  # the folder with the page's HTML, CSS and modules


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """The functions and settings of the bot that the page uses."""

    operation: Operator
    configures: Callable[[int, int], Awaitable[bool]]  # (owner, person): may the person configure the group's memory?
    store_access: Callable[[int, AccessStatus, int], Awaitable[object]]  # of an admin: (person, standing, admin)
    health: Callable[[], Awaitable[Mapping[str, bool]]]
    # (person, name, file): send a file to a private chat. Return False if the bot may not write there.
    send_file: Callable[[int, str, IO[bytes]], Awaitable[bool]] | None = None

    @property
    def settings(self) -> Settings:
        return self.operation.settings

    @property
    def hostnames(self) -> frozenset[str]:
        """The host names accepted in Host headers."""
        settings = self.settings
        return frozenset((urlsplit(settings.dashboard_url).hostname or "", settings.dashboard_listen[0], *LOOPBACK))

    @property
    def bot_id(self) -> int:
        """The bot's Telegram id, which is part of its token, or 0 without a token."""
        number = self.settings.telegram_bot_token.value.partition(":")[0]
        return int(number) if number.isdecimal() else 0
