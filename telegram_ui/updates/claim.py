"""The link that makes the first person who opens it the admin. It is printed if nobody may use the bot yet."""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from records.owners import KnownPerson
from records.scopes import Person
from settings import Settings
from storage.bot_state.people import People

LIFETIME = timedelta(hours=24)  # an unused link expires, because it is in the log


class Claim:
    """The open claim of a bot, if any. Its token is never stored, but derived from the bot's token and the expiry."""

    def __init__(self, settings: Settings, people: People | None, *, now: Callable[[], datetime]) -> None:
        named = settings.everyone_allowed or settings.allowed_user_ids or settings.admin_user_ids
        self._people = None if named else people
        self._key = settings.telegram_bot_token.value.encode()
        self._now = now
        self._until: datetime | None = None

    async def invite(self, username: str) -> str:
        """Open the claim, and return its link and expiry, or "" if somebody may use the bot. Raise StorageError."""
        people, now = self._people, self._now()
        if people is None or people.claimed_by or people.list_by_standing("allowed"):
            return ""
        self._until = await people.offer_claim(until=now + LIFETIME, now=now)
        link = f"https://t.me/{username}?start={self._make_token(self._until)}"
        return f"{link} (once, until {self._until:%Y-%m-%d %H:%M} UTC)"

    def is_opened_by(self, token: str) -> bool:
        """Return True if this is the token of the claim, even if it was used already."""
        if self._until is None or self._now() >= self._until:
            return False
        return hmac.compare_digest(token.encode(errors="replace"), self._make_token(self._until).encode())

    async def give(self, person: Person) -> bool:
        """Make a person the admin. Return False if somebody was faster. Raise StorageError."""
        if self._people is None or self._until is None:
            return False
        admin = KnownPerson(id=person.id, standing="admin", name=person.name, language=person.language)
        return await self._people.claim(admin, until=self._until, now=self._now())

    def _make_token(self, until: datetime) -> str:
        return hmac.digest(self._key, f"claim until {until.isoformat()}".encode(), "sha256").hex()[:32]
