"""Tests of the page's sessions: Telegram's init data, one-time links, and tokens that expire."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sessions import (
    LINK_LIFETIME,
    MAX_INIT_DATA_AGE,
    MAX_SESSION_LIFETIME,
    SESSION_LIFETIME,
    NoSession,
    PageSessions,
    verify_and_parse_init_data,
)
from external_memory import ExternalMemory
from settings import Secret

TOKEN = Secret("4242:AAtest")
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
USER = json.dumps({"id": 7, "first_name": "Ann", "language_code": "de"})


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def make_init_data(token: str = TOKEN.value, *, at: datetime = NOW, **fields: str) -> str:
    """Make init data signed as Telegram does (Bot API, Validating data received via the Mini App)."""
    form = {"query_id": "AAH", "user": USER, "auth_date": str(int(at.timestamp())), "signature": "x", **fields}
    lines = "\n".join(f"{name}={form[name]}" for name in sorted(form))
    key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    return urlencode({**form, "hash": hmac.new(key, lines.encode(), hashlib.sha256).hexdigest()})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def memory(tmp_path: Path, clock: Clock) -> AsyncIterator[ExternalMemory]:
    async with ExternalMemory.open(tmp_path, clock=clock) as opened:
        yield opened


@pytest.fixture
def sessions(memory: ExternalMemory, clock: Clock) -> PageSessions:
    return PageSessions(memory=memory, clock=clock, bot_token=TOKEN)


async def test_init_data_opens_session_for_own_memory(sessions: PageSessions) -> None:
    found = await sessions.open_session_with_init_data(make_init_data())
    assert (found.person, found.owner, found.name, found.language) == (7, 7, "Ann", "de")
    assert found.expires_at == NOW + SESSION_LIFETIME


@pytest.mark.parametrize(
    "init_data",
    [
        "",
        "hash=",
        "user=%7B%22id%22%3A7%7D",
        make_init_data("4343:AAanother-bot"),
        make_init_data(at=NOW - MAX_INIT_DATA_AGE - timedelta(seconds=1)),
        make_init_data(at=NOW + timedelta(minutes=2)),
        make_init_data().replace("%3A+7", "%3A+8"),
        make_init_data() + "&user=%7B%22id%22%3A8%7D",
        make_init_data() + "&hash=" + "0" * 64,
        make_init_data(user="[]"),
        make_init_data(user='{"id": "7"}'),
        make_init_data(user='{"id": -7}'),
        make_init_data(user='{"id": true}'),
        make_init_data(user=f'{{"id": {"9" * 4_000}}}'),
        make_init_data(auth_date="soon"),
        make_init_data(auth_date="9" * 30),
        make_init_data(long="x" * 9_000),
        "&".join(f"f{number}=1" for number in range(100)),
        "hash=é",
    ],
    ids=range(19),
)
async def test_rejects_invalid_init_data(sessions: PageSessions, init_data: str) -> None:
    with pytest.raises(NoSession):
        await sessions.open_session_with_init_data(init_data)


@given(st.text(max_size=300))
def test_rejects_arbitrary_text_as_init_data(text: str) -> None:
    with pytest.raises(NoSession):
        verify_and_parse_init_data(text, TOKEN, now=NOW)


def test_rejects_init_data_when_bot_token_is_empty() -> None:
    with pytest.raises(NoSession):
        verify_and_parse_init_data(make_init_data(""), Secret(""), now=NOW)


async def test_link_opens_one_session_before_expiry(sessions: PageSessions, clock: Clock) -> None:
    link = await sessions.make_link(7, -100, language="ru", name="Ann", group="Book club")
    found = await sessions.open_session_with_link(link)
    assert (found.person, found.owner, found.language) == (7, -100, "ru")
    assert (found.name, found.group) == ("Ann", "Book club")
    with pytest.raises(NoSession):
        await sessions.open_session_with_link(link)
    late = await sessions.make_link(7, 7)
    clock.now += LINK_LIFETIME
    with pytest.raises(NoSession):
        await sessions.open_session_with_link(late)


async def test_link_used_in_another_process_is_rejected(
    sessions: PageSessions, memory: ExternalMemory, clock: Clock
) -> None:
    link = await sessions.make_link(7, 7)
    another_process = PageSessions(memory=memory, clock=clock, bot_token=TOKEN)
    await another_process.open_session_with_link(link)
    with pytest.raises(NoSession):
        await sessions.open_session_with_link(link)
    expires_at = clock.now + LINK_LIFETIME
    uses = [await memory.used_links.try_to_use_link("nonce", expires_at=expires_at, now=clock.now) for _ in range(2)]
    assert uses == [True, False]
    clock.now += LINK_LIFETIME + timedelta(seconds=1)
    assert await memory.used_links.try_to_use_link("nonce", expires_at=clock.now, now=clock.now), "still recorded"


async def test_session_token_survives_restart_until_expiry(tmp_path: Path, clock: Clock) -> None:
    async with ExternalMemory.open(tmp_path, clock=clock) as memory:
        before = PageSessions(memory=memory, clock=clock, bot_token=TOKEN)
        token = await before.sign_session("session", await before.open_session_with_init_data(make_init_data()))
    async with ExternalMemory.open(tmp_path, clock=clock) as memory:
        after = PageSessions(memory=memory, clock=clock)
        assert (await after.find_session(token)).person == 7
        clock.now += SESSION_LIFETIME
        with pytest.raises(NoSession):
            await after.find_session(token)


async def test_session_is_renewed_up_to_max_session(sessions: PageSessions, clock: Clock) -> None:
    session = await sessions.open_session_with_init_data(make_init_data())
    while session.expires_at > clock.now:
        clock.now += SESSION_LIFETIME / 2
        if clock.now < session.expires_at:
            session = sessions.renew_session(session)
        assert clock.now - NOW <= MAX_SESSION_LIFETIME
    assert session.expires_at == NOW + MAX_SESSION_LIFETIME


async def test_rejects_link_as_session_token_and_tampered_token(sessions: PageSessions) -> None:
    token = await sessions.sign_session("session", await sessions.open_session_with_init_data(make_init_data()))
    with pytest.raises(NoSession):
        await sessions.find_session(await sessions.make_link(7, 7))
    with pytest.raises(NoSession):
        await sessions.open_session_with_link(token)
    for wrong in ("", ".", token[:-1], "e" + token, token.replace(".", "", 1), f"{token}é", token * 90):
        with pytest.raises(NoSession):
            await sessions.find_session(wrong)


async def test_rejects_session_token_and_link_in_legacy_format(sessions: PageSessions, memory: ExternalMemory) -> None:
    """Legacy tokens were a body and the bot's own signature, separated by a dot."""
    form = {"person": 7, "owner": 7, "name": "", "language": "", "since": 0, "expires": 2**40, "nonce": "a"}
    body = base64.urlsafe_b64encode(json.dumps(form).encode()).rstrip(b"=")
    key = hmac.digest(await memory.export_key(), b"dashboard", "sha256")
    for kind, opened in (("session", sessions.find_session), ("link", sessions.open_session_with_link)):
        digest = hmac.digest(key, f"{kind}.{body.decode()}".encode(), "sha256")
        with pytest.raises(NoSession):
            await opened(f"{body.decode()}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}")


async def test_end_sessions_revokes_tokens_links_and_init_data_in_every_process(
    sessions: PageSessions, memory: ExternalMemory, clock: Clock
) -> None:
    token, others = (
        await sessions.sign_session("session", await sessions.open_session_with_init_data(make_init_data())),
        await sessions.make_link(8, 8),
    )
    link = await sessions.make_link(7, 7)
    clock.now += timedelta(minutes=1)
    await PageSessions(memory=memory, clock=clock, bot_token=TOKEN).end_sessions(7)
    with pytest.raises(NoSession):
        await sessions.find_session(token)
    with pytest.raises(NoSession):
        await sessions.open_session_with_link(link)
    with pytest.raises(NoSession):  # what Telegram signed before is good for an hour otherwise
        await sessions.open_session_with_init_data(make_init_data())
    assert (await sessions.open_session_with_link(others)).person == 8
    clock.now += timedelta(seconds=1)
    assert (await sessions.open_session_with_init_data(make_init_data(at=clock.now))).person == 7
    clock.now += MAX_SESSION_LIFETIME
    await memory.used_links.try_to_use_link("cleans", expires_at=clock.now, now=clock.now)
    assert await memory.used_links.find_latest_expiry_of_revoked_sessions(7) is None
