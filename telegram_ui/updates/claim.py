"""The link with which a new bot gets its first admin: the first person to open it.

It is printed at the start if nobody may use the bot yet.
"""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from records.owners import KnownPerson
from records.scopes import Person
from settings import Settings
from storage.bot_state.people import People

LIFETIME = timedelta(hours=24)  # an unused link expires, because it is in the log


class Claim:
    """The offer to become the bot's first admin.

    The link's token is never stored. It is derived from the bot's token and the expiry.
    """

    def __init__(self, settings: Settings, people: People | None, *, now: Callable[[], datetime]) -> None:
        named = settings.everyone_allowed or settings.allowed_user_ids or settings.admin_user_ids
        self._people = None if named else people
        self._key = settings.telegram_bot_token.value.encode()
        self._now = now
        self._until: datetime | None = None

    async def open_link(self, username: str) -> str:
        """Open the claim, and return its link with the expiry. Return "" if somebody may already use the bot.

        Raise StorageError if the store fails.
        """
        people, now = self._people, self._now()
        if people is None or people.claimants or people.list_by_standing("allowed"):
            return ""
        self._until = await people.offer_claim(until=now + LIFETIME, now=now)
        link = f"https://t.me/{username}?start={self._make_token(self._until)}"
        return f"{link} (once, until {self._until:%Y-%m-%d %H:%M} UTC)"

    def matches_token(self, token: str) -> bool:
        """Return True if this is the link's token and it has not expired, even if the link was used already."""
        if self._until is None or self._now() >= self._until:
            return False
        return hmac.compare_digest(token.encode(errors="replace"), self._make_token(self._until).encode())

    async def make_admin(self, person: Person) -> bool:
        """Make a person the admin. Return False if somebody was faster. Raise StorageError if the store fails."""
        if self._people is None or self._until is None:
            return False
        admin = KnownPerson(id=person.id, standing="admin", name=person.name, language=person.language)
        return await self._people.claim(admin, until=self._until, now=self._now())

    def _make_token(self, until: datetime) -> str:
        return hmac.digest(self._key, f"claim until {until.isoformat()}".encode(), "sha256").hex()[:32]
