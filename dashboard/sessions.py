"""Who looks at the page: Telegram's initData, one-time links of the bot, and the tokens that follow either.

Tokens and links are signed with a key made from one that the bot's state keeps, so they hold for all processes of a bot
and over restarts. Does not know what a session may see (visits.py).
"""

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from attrs import define, field
from itsdangerous import BadData, URLSafeSerializer

from external_memory import ExternalMemory
from records.scopes import MAX_TELEGRAM_ID, Clock
from settings import Secret

INIT_DATA_FOR = timedelta(hours=1)  # the oldest initData that opens a session; after that its token is renewed
AHEAD = timedelta(minutes=1)  # how far Telegram's clock may be ahead of ours
LINK_FOR = timedelta(minutes=10)
SESSION_FOR = timedelta(days=1)
MAX_SESSION = timedelta(days=30)  # from the proof of who somebody is, however often the token was renewed
MAX_PROOF_CHARS = 8_192  # characters of initData, a link or a token
MAX_NAME_CHARS = 64
MAX_FIELDS = 30  # of initData; Telegram sends eleven at most


class NoSession(Exception):  # noqa: N818 - reads as the state it is
    """Nothing proves who asks, or it is too old, or was used before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageSession:
    """`owner`: whose memory is shown first; `group`: its title, where that is a group. `language`: the tag of the
    person's app. `since`: of the first proof.
    """

    person: int
    owner: int
    name: str = ""
    group: str = ""
    language: str = ""
    since: datetime
    expires_at: datetime


@define(kw_only=True, eq=False)
class PageSessions:
    """Open and check sessions. Every method raises NoSession if the proof is missing."""

    _memory: ExternalMemory
    _clock: Clock
    _bot_token: Secret = field(default=Secret(""))

    async def link(self, person: int, owner: int, *, language: str = "", name: str = "", group: str = "") -> str:
        """Return the secret of a one-time link to an owner's memory for this person."""
        now = self._clock()
        made = PageSession(
            person=person,
            owner=owner,
            name=name[:MAX_NAME_CHARS],
            group=group[:MAX_NAME_CHARS],
            language=language,
            since=now,
            expires_at=now + LINK_FOR,
        )
        return await self._signed("link", made, nonce=secrets.token_urlsafe(12))

    async def by_link(self, link: str) -> PageSession:
        """Open the session of a one-time link."""
        now, form = self._clock(), await self._read("link", link)
        found = _parse_session(form, now)
        if not await self._memory.used_links.use_link(str(form["nonce"]), expires_at=found.expires_at, now=now):
            raise NoSession
        return self._begun(await self._valid(found))

    async def by_telegram(self, init_data: str) -> PageSession:
        """Open the session of a person who opened the page within Telegram."""
        form = verify_telegram_form(init_data, self._bot_token, now=self._clock())
        try:
            user = json.loads(form.get("user", ""))
            person, name, language = user["id"], user.get("first_name", ""), user.get("language_code", "")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise NoSession from None
        if type(person) is not int or not 0 < person < MAX_TELEGRAM_ID or {type(name), type(language)} != {str}:
            raise NoSession
        signed_at = datetime.fromtimestamp(int(form["auth_date"]), UTC)
        found = PageSession(
            person=person,
            owner=person,
            name=name[:MAX_NAME_CHARS],
            language=language[:35],
            since=signed_at,
            expires_at=signed_at,
        )
        return self._begun(await self._valid(found))

    async def of(self, token: str) -> PageSession:
        """Return the session of a token."""
        return await self._valid(_parse_session(await self._read("session", token), self._clock()))

    async def end(self, person: int) -> None:
        """End all sessions of a person, and what opens them by now, in every window and for every process."""
        await self._memory.used_links.revoke_sessions(person, until=self._clock() + MAX_SESSION)

    async def _valid(self, session: PageSession) -> PageSession:
        until = await self._memory.used_links.find_revocation(session.person)
        if until is not None and session.since <= until - MAX_SESSION:
            raise NoSession
        return session

    async def renewed(self, session: PageSession) -> PageSession:
        """Renew a session unless its first proof is too old."""
        return self._begun(session)

    async def token(self, session: PageSession) -> str:
        return await self._signed("session", session)

    def _begun(self, session: PageSession) -> PageSession:
        now = self._clock()
        return replace(session, expires_at=min(now + SESSION_FOR, session.since + MAX_SESSION))

    async def _signed(self, kind: str, session: PageSession, **more: str) -> str:
        form = {
            "person": session.person,
            "owner": session.owner,
            "name": session.name,
            "group": session.group,
            "language": session.language,
            "since": session.since.timestamp(),
            "expires": session.expires_at.timestamp(),
            **more,
        }
        return str((await self._signer(kind)).dumps(form))

    async def _read(self, kind: str, text: str) -> dict[str, Any]:
        if len(text) > MAX_PROOF_CHARS or not text.isascii():
            raise NoSession
        try:
            form: dict[str, Any] = (await self._signer(kind)).loads(text)
        except BadData:
            raise NoSession from None
        return form

    async def _signer(self, kind: str) -> URLSafeSerializer:
        # A salt of its own, so that a signature made here proves nothing about an export, nor the other way round.
        options = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        return URLSafeSerializer(
            await self._memory.export_key(),
            f"dashboard.{kind}",
            serializer_kwargs={"ensure_ascii": True},  # half a character in a name is in no UTF-8
            signer_kwargs=options,
        )


def verify_telegram_form(init_data: str, bot_token: Secret, *, now: datetime) -> dict[str, str]:
    """Return the fields of initData that Telegram signed for this bot (Bot API, Validating data received via the Mini
    App).

    Raises NoSession for what is forged, older than INIT_DATA_FOR, or meant for another bot.
    """
    if not bot_token or len(init_data) > MAX_PROOF_CHARS:
        raise NoSession
    try:
        pairs = parse_qsl(init_data, keep_blank_values=True, strict_parsing=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise NoSession from None
    form = dict(pairs)
    given = form.pop("hash", "")
    checked = "\n".join(f"{name}={form[name]}" for name in sorted(form))
    key = hmac.digest(b"WebAppData", bot_token.value.encode(), "sha256")
    expected = hmac.new(key, checked.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    if len(form) + 1 != len(pairs) or not hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()):
        raise NoSession
    try:
        signed_at = datetime.fromtimestamp(int(form.get("auth_date", "")), UTC)
    except (ValueError, OverflowError, OSError):
        raise NoSession from None
    if not now - INIT_DATA_FOR <= signed_at <= now + AHEAD:
        raise NoSession
    return form


def _parse_session(form: dict[str, Any], now: datetime) -> PageSession:
    """Return the content of our own signed token. Raise NoSession if it has expired."""
    found = PageSession(
        person=form["person"],
        owner=form["owner"],
        name=form["name"],
        group=form["group"],
        language=form["language"],
        since=datetime.fromtimestamp(form["since"], UTC),
        expires_at=datetime.fromtimestamp(form["expires"], UTC),
    )
    if found.expires_at <= now:
        raise NoSession
    return found
