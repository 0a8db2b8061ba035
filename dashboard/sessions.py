"""Sign people in to the page: first with Telegram's initData or a one-time link, then with a session token.

Links and tokens are signed with a key from the bot's state, so all processes accept them, even after a restart.
"""

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from attrs import define, field
from itsdangerous import BadData, URLSafeSerializer

from external_memory import ExternalMemory
from records.scopes import MAX_TELEGRAM_ID, Clock
from settings import Secret

MAX_INIT_DATA_AGE = timedelta(hours=1)  # of initData that opens a session
MAX_CLOCK_SKEW = timedelta(minutes=1)  # how far Telegram's clock may be ahead of ours
LINK_LIFETIME = timedelta(minutes=10)
SESSION_LIFETIME = timedelta(days=1)
MAX_SESSION_LIFETIME = timedelta(days=30)  # from the first proof, including renewals
MAX_PROOF_CHARS = 8_192  # of initData, a link or a token
MAX_NAME_CHARS = 64
MAX_FIELDS = 30  # of initData; Telegram sends at most eleven


class NoSession(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a proof of identity is missing, invalid, expired or already used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageSession:
    """A person's session on the page. The page first shows the memory of `owner`."""

    person: int
    owner: int
    name: str = ""
    group: str = ""  # the title, if the owner is a group
    language: str = ""  # the language tag of the person's app
    since: datetime  # the time of the first proof of identity
    expires_at: datetime


@define(kw_only=True, eq=False)
class PageSessions:
    """Opens and checks sessions. Methods raise NoSession if a link, token or initData is not valid."""

    _memory: ExternalMemory
    _clock: Clock
    _bot_token: Secret = field(default=Secret(""))

    async def make_link(
        self, person_id: int, owner_id: int, *, language: str = "", name: str = "", group: str = ""
    ) -> str:
        """Return the secret of a one-time link. It lets a person open the memory page of an owner."""
        now = self._clock()
        session = PageSession(
            person=person_id,
            owner=owner_id,
            name=name[:MAX_NAME_CHARS],
            group=group[:MAX_NAME_CHARS],
            language=language,
            since=now,
            expires_at=now + LINK_LIFETIME,
        )
        return await self.sign_session("link", session, nonce=secrets.token_urlsafe(12))

    async def open_session_with_link(self, link: str) -> PageSession:
        """Open a session with a one-time link, and invalidate the link."""
        session, nonce = await self._read_signed_session_and_nonce("link", link)
        if not await self._memory.used_links.try_to_use_link(nonce, expires_at=session.expires_at, now=self._clock()):
            raise NoSession
        return self.renew_session(await self._require_unrevoked(session))

    async def open_session_with_init_data(self, init_data: str) -> PageSession:
        """Open a session from the initData of a Telegram Mini App."""
        form = verify_and_parse_init_data(init_data, self._bot_token, now=self._clock())
        try:
            user = json.loads(form.get("user", ""))
            person, name, language = user["id"], user.get("first_name", ""), user.get("language_code", "")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise NoSession from None
        if type(person) is not int or not 0 < person < MAX_TELEGRAM_ID or {type(name), type(language)} != {str}:
            raise NoSession
        since = datetime.fromtimestamp(int(form["auth_date"]), UTC)
        name, language = name[:MAX_NAME_CHARS], language[:35]
        session = PageSession(person=person, owner=person, name=name, language=language, since=since, expires_at=since)
        return self.renew_session(await self._require_unrevoked(session))

    async def find_session(self, token: str) -> PageSession:
        session, _ = await self._read_signed_session_and_nonce("session", token)
        return await self._require_unrevoked(session)

    async def end_sessions(self, person_id: int) -> None:
        """End all sessions of a person, and invalidate all links and initData issued so far."""
        await self._memory.used_links.revoke_sessions(person_id, max_expiry=self._clock() + MAX_SESSION_LIFETIME)

    async def _require_unrevoked(self, session: PageSession) -> PageSession:
        until = await self._memory.used_links.find_latest_expiry_of_revoked_sessions(session.person)
        if until is not None and session.since <= until - MAX_SESSION_LIFETIME:
            raise NoSession
        return session

    def renew_session(self, session: PageSession) -> PageSession:
        """Return the session, extended to SESSION_LIFETIME from now, but at most MAX_SESSION_LIFETIME after sign-in."""
        return replace(session, expires_at=min(self._clock() + SESSION_LIFETIME, session.since + MAX_SESSION_LIFETIME))

    async def sign_session(self, token_kind: str, session: PageSession, **extra_fields: str) -> str:
        form = asdict(session) | extra_fields
        for name in ("since", "expires_at"):
            form[name] = form[name].timestamp()
        return str((await self._make_serializer(token_kind)).dumps(form))

    async def _read_signed_session_and_nonce(self, token_kind: str, text: str) -> tuple[PageSession, str]:
        if len(text) > MAX_PROOF_CHARS or not text.isascii():
            raise NoSession
        try:
            form: dict[str, Any] = (await self._make_serializer(token_kind)).loads(text)
            moments = {name: datetime.fromtimestamp(form[name], UTC) for name in ("since", "expires_at")}
            session = PageSession(**{**{field.name: form[field.name] for field in fields(PageSession)}, **moments})
        except (BadData, KeyError):  # KeyError: signed by another version
            raise NoSession from None
        if session.expires_at <= self._clock():
            raise NoSession
        return session, str(form.get("nonce", ""))

    async def _make_serializer(self, token_kind: str) -> URLSafeSerializer:
        # The salt separates signatures of pages from those of exports, which use the same key.
        return URLSafeSerializer(
            await self._memory.export_key(),
            f"dashboard.{token_kind}",
            serializer_kwargs={"ensure_ascii": True},  # a lone surrogate in a name is not valid UTF-8
            signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
        )


def verify_and_parse_init_data(init_data: str, bot_token: Secret, *, now: datetime) -> dict[str, str]:
    """Return the fields of initData. Raise NoSession if it is older than MAX_INIT_DATA_AGE or wrongly signed."""
    if not bot_token or len(init_data) > MAX_PROOF_CHARS:
        raise NoSession
    try:
        pairs = parse_qsl(init_data, keep_blank_values=True, strict_parsing=True, max_num_fields=MAX_FIELDS)
        form = dict(pairs)
        signed_at = datetime.fromtimestamp(int(form.get("auth_date", "")), UTC)
    except (ValueError, OverflowError, OSError):
        raise NoSession from None
    given = form.pop("hash", "")
    # As in "Validating data received via the Mini App" of the Bot API.
    checked = "\n".join(f"{name}={form[name]}" for name in sorted(form))
    key = hmac.digest(b"WebAppData", bot_token.value.encode(), "sha256")
    expected = hmac.new(key, checked.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    if len(form) + 1 != len(pairs) or not hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()):
        raise NoSession
    if not now - MAX_INIT_DATA_AGE <= signed_at <= now + MAX_CLOCK_SKEW:
        raise NoSession
    return form
