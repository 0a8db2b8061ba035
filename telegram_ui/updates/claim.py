"""The link that gives a new bot its first admin: printed where nobody may use the bot, for the first who opens it."""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from records.owners import KnownPerson
from records.scopes import Person
from settings import Settings
from storage.bot_state.people import People

LIFETIME = timedelta(hours=24)  # of a link that nobody opens: it stands in a terminal's and a container's log


class Claim:
    """The open claim of a bot, if there is one. Its token is written nowhere: every start makes it from the bot's own
    token and the stored end of the claim.
    """

    def __init__(self, settings: Settings, people: People | None, *, now: Callable[[], datetime]) -> None:
        named = settings.everyone_allowed or settings.allowed_user_ids or settings.admin_user_ids
        self._people = None if named else people
        self._key = settings.telegram_bot_token.value.encode()
        self._now = now
        self._until: datetime | None = None

    async def invite(self, username: str) -> str:
        """Open the claim, and return its link and when it ends; "" where somebody may use the bot already.

        Raises StorageError.
        """
        people, now = self._people, self._now()
        if people is None or people.claimed_by or people.listed("allowed"):
            return ""
        self._until = await people.offer_claim(until=now + LIFETIME, now=now)
        link = f"https://t.me/{username}?start={self._make_token(self._until)}"
        return f"{link} (once, until {self._until:%Y-%m-%d %H:%M} UTC)"

    def is_opened_by(self, token: str) -> bool:
        """True if this is the token of the open claim. Return True if it was used already is for `give` to say."""
        if self._until is None or self._now() >= self._until:
            return False
        return hmac.compare_digest(token.encode(errors="replace"), self._make_token(self._until).encode())

    async def give(self, person: Person) -> bool:
        """Make a person the admin; False where somebody was faster. Raise StorageError."""
        if self._people is None or self._until is None:
            return False
        admin = KnownPerson(id=person.id, standing="admin", name=person.name, language=person.language)
        return await self._people.claim(admin, until=self._until, now=self._now())

    def _make_token(self, until: datetime) -> str:
        return hmac.digest(self._key, f"claim until {until.isoformat()}".encode(), "sha256").hex()[:32]
