"""Access rules: who is served, who may configure, and how a new bot gets its admin."""

import hmac
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import telegram
from attrs import define, field
from cachetools import LRUCache, TTLCache
from telegram.error import TelegramError

from records.owners import KnownPerson
from records.scopes import Person
from settings import Settings
from storage.bot_state.people import People
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat

STRANGER_PERIOD = timedelta(hours=1)  # the period of MAX_NOTICES_TO_STRANGER and MAX_REQUESTS
MAX_NOTICES_TO_STRANGER = 5  # notices to one stranger within STRANGER_PERIOD
MAX_NOTICES_TO_ALL_STRANGERS = 60  # notices within ALL_STRANGERS_PERIOD. Answers need the rest of Telegram's limit.
ALL_STRANGERS_PERIOD = timedelta(minutes=1)
MAX_REQUESTS = 20  # strangers about whom admins are asked within STRANGER_PERIOD
MAX_REMEMBERED_PEOPLE = 10_000  # strangers, and members of groups, in the caches
CLAIM_LIFETIME = timedelta(hours=24)  # an unused link expires, because it is in the log


def make_access_check(settings: Settings, people: People) -> Callable[[int], bool]:
    """Return a function that takes an owner's id, and returns True for groups and for people who have access."""
    named = settings.allowed_user_ids | settings.admin_user_ids

    def serves_owner(owner: int) -> bool:
        if owner < 0 or owner in settings.admin_user_ids:
            return True
        standing = people.get_access_status(owner)
        if standing in ("allowed", "removed", "admin"):
            return standing != "removed"
        return settings.everyone_allowed or owner in named

    return serves_owner


@define(eq=False, slots=False)
class AccessPolicy:
    """Decides who may use and configure the bot, based on the settings, the admins' decisions and groups' admins."""

    _settings: Settings
    _bot: telegram.Bot
    _people: People
    _now: Callable[[], datetime] = field(kw_only=True)

    def __attrs_post_init__(self) -> None:
        self.serves = make_access_check(self._settings, self._people)
        self._requests = self._told_in_all = (self._now(), 0)
        self._told = LRUCache[int, tuple[datetime, int]](MAX_REMEMBERED_PEOPLE)
        self._admins = TTLCache[tuple[int, int], bool](MAX_REMEMBERED_PEOPLE, 5.0, lambda: self._now().timestamp())

    def may_use_bot(self, person: Person) -> bool:
        return person.id > 0 and self.serves(person.id)

    def has_requested_access(self, person_id: int) -> bool:
        """Return True if a stranger is waiting for an admin's decision."""
        return self._people.get_access_status(person_id) == "asked"

    async def reload_access_decisions(self, person_ids: Iterable[int]) -> None:
        """Reload the admins' decisions from the store if any of these people is a stranger."""
        if not all(map(self.serves, person_ids)):
            await self._people.load_people()

    def try_to_reserve_stranger_notice(self, person: Person) -> bool:
        """Reserve a notice that tells a stranger they have no access. Return False if the limit is reached."""
        told = self._increment_counter(self._told.get(person.id), STRANGER_PERIOD)
        if told[1] > MAX_NOTICES_TO_STRANGER:
            return False
        self._told_in_all = self._increment_counter(self._told_in_all, ALL_STRANGERS_PERIOD)
        if self._told_in_all[1] > MAX_NOTICES_TO_ALL_STRANGERS:
            return False
        self._told[person.id] = told
        return True

    def try_to_reserve_admission_request(self, person: Person) -> bool:
        """Reserve a request to the admins to admit a stranger. Return False if they cannot or must not be asked."""
        if self._people.get_access_status(person.id) is not None:
            return False
        if not self._settings.admin_user_ids and not self._people.admin_ids_from_bot_claims:
            return False
        self._requests = self._increment_counter(self._requests, STRANGER_PERIOD)
        return self._requests[1] <= MAX_REQUESTS

    def _increment_counter(self, counter: tuple[datetime, int] | None, period: timedelta) -> tuple[datetime, int]:
        now = self._now()
        return (counter[0], counter[1] + 1) if counter and now - counter[0] < period else (now, 1)

    async def may_configure(self, chat: Chat, person: Person) -> bool:
        """Return True if a person may configure, forget and export in a chat. In a group, only its admins may.

        Ask Telegram every five seconds at most, since a former admin must erase nothing. False if it does not answer.
        """
        if chat.is_private or person.id == ANONYMOUS_ADMIN:
            return True
        key = chat.id, person.id
        if (known := self._admins.get(key)) is not None:
            return known
        try:
            member = await self._bot.get_chat_member(chat.id, person.id)
        except TelegramError:
            return False
        self._admins[key] = is_admin = member.status in (member.ADMINISTRATOR, member.OWNER)
        return is_admin


class AdminClaim:
    """A link that makes its first user the bot's admin. The token is derived from the bot's token and the expiry."""

    def __init__(self, settings: Settings, people: People, *, now: Callable[[], datetime]) -> None:
        named = settings.everyone_allowed or settings.allowed_user_ids or settings.admin_user_ids
        self._people = None if named else people
        self._key = settings.telegram_bot_token.value.encode()
        self._now = now
        self._until: datetime | None = None

    async def make_claim_link_text(self, bot_username: str) -> str:
        """Return a text with the link and its expiry, or "" if somebody has access. Raise StorageError on failure."""
        people, now = self._people, self._now()
        if people is None or people.admin_ids_from_bot_claims or people.list_people("allowed"):
            return ""
        self._until = await people.get_or_renew_admin_link_expiry(new_expiry=now + CLAIM_LIFETIME, now=now)
        link = f"https://t.me/{bot_username}?start={self._make_token(self._until)}"
        return f"{link} (once, until {self._until:%Y-%m-%d %H:%M} UTC)"

    def matches_token(self, token: str) -> bool:
        """Return True if the token belongs to the link and has not expired. The link may have been used already."""
        if self._until is None or self._now() >= self._until:
            return False
        return hmac.compare_digest(token.encode(errors="replace"), self._make_token(self._until).encode())

    async def make_admin_if_first(self, person: Person) -> bool:
        """Make a person the admin. Return False if somebody else was first. Raise StorageError on failure."""
        if self._people is None or self._until is None:
            return False
        admin = KnownPerson(id=person.id, standing="admin", name=person.name, language=person.language)
        return await self._people.claim_bot_if_link_is_valid(admin, expiry=self._until, now=self._now())

    def _make_token(self, expiry: datetime) -> str:
        return hmac.digest(self._key, f"claim until {expiry.isoformat()}".encode(), "sha256").hex()[:32]
