"""Bounds in front of a page: a few requests at once of each visitor, at a pace that leaves the loop to everybody else;
and few files at once, each of which is in a temporary file and not in memory.

A visitor is a person once a session is known, before that an address. Does not know what is asked for.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import IO
from weakref import WeakValueDictionary

from attrs import define, field
from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_AT_ONCE = 8  # requests of one visitor that are worked on; a browser opens six connections
MAX_WAIT = 10.0  # seconds that a request waits for its turn before it is refused
KNOWN_VISITORS = 2_000
"""Visitors, and tokens of sessions, that are remembered; who comes again after that begins with a whole burst."""
MAX_FILES = 4  # files that are sent or fetched at the same time, of all people together; one of each person
FILE_PATIENCE = 5.0  # seconds that somebody's second file waits for the first one
MAX_FILE_SECONDS = 900.0  # seconds that one file may take


class TooLarge(Exception):  # noqa: N818 - reads as the state it is
    """A body has more bytes than it may have."""


class TooBusy(Exception):  # noqa: N818 - reads as the state it is
    """Another file of the same person, or too many files of others, are on their way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """`burst` requests at once, then so many a second."""

    burst: int
    per_second: float


PERSON = Pace(burst=60, per_second=15)
STRANGER = Pace(burst=90, per_second=20)
"""By address. Opening the page takes some thirty requests, before it is known who does."""
STRANGERS = Pace(burst=300, per_second=80)
"""Of all addresses together: a request takes a thousandth of a second of the loop."""


@define(eq=False)
class VisitorTurns:
    """The turns of one visitor: when the next request may begin, and how many are being worked on."""

    pace: Pace
    free_at: float = float("-inf")
    at_once: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))

    def take(self, now: float) -> float:
        """Return the seconds until the turn of one more request; infinite, without a turn, where that is too long."""
        step = 1 / self.pace.per_second
        begins = max(self.free_at, now - self.pace.burst * step) + step
        if begins - now > MAX_WAIT:
            return float("inf")
        self.free_at = begins
        return max(0.0, begins - now)


class Visitors:
    """Who is known, and the turns of each."""

    def __init__(self) -> None:
        self._persons = LRUCache[bytes, int](KNOWN_VISITORS)
        self._turns = LRUCache[int | str, VisitorTurns](KNOWN_VISITORS)
        self.strangers = VisitorTurns(STRANGERS)

    def remember(self, token: str, person: int) -> None:
        """Note whose session a token opened."""
        self._persons[_hash_token(token)] = person

    def turns_of(self, scope: Scope) -> tuple[VisitorTurns, bool]:
        """Return the turns of whoever asks, and whether it is a person whose session is known."""
        token = Headers(scope=scope).get("authorization", "").rpartition(" ")[2]
        person = self._persons.get(_hash_token(token)) if token else None
        address = scope["client"][0] if scope.get("client") else ""
        key: int | str = address if person is None else person
        if key not in self._turns:
            self._turns[key] = VisitorTurns(STRANGER if person is None else PERSON)
        return self._turns[key], person is not None


def _hash_token(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


@define(eq=False)
class Paced:
    """Has each request wait for its turn. Whoever asks faster than that waits longer, and nobody else does."""

    app: ASGIApp
    visitors: Visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        turns, is_known = self.visitors.turns_of(scope)
        now = asyncio.get_running_loop().time()
        wait = turns.take(now)
        if not is_known and wait <= MAX_WAIT:
            wait = max(wait, self.visitors.strangers.take(now))
        if wait:
            await asyncio.sleep(min(wait, MAX_WAIT))
        if wait > MAX_WAIT:
            headers = {"Retry-After": "10", "Connection": "close"}
            await PlainTextResponse("Too many requests.", 429, headers)(scope, receive, send)
            return
        async with turns.at_once:
            await self.app(scope, receive, send)


class Files:
    """The files of one kind that people send or fetch."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(MAX_FILES)
        self._persons = WeakValueDictionary[int, asyncio.Lock]()

    @asynccontextmanager
    async def turn(self, person: int) -> AsyncIterator[None]:
        """Hold one of the few places while the block runs. Raises TooBusy where none gets free in time."""
        own = self._persons.setdefault(person, asyncio.Lock())
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(FILE_PATIENCE):
                    await stack.enter_async_context(own)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise TooBusy from None
            yield


async def receive_file(request: Request, most: int) -> IO[bytes]:
    """Return the body of a request as an open temporary file. Raise TooLarge as soon as more has arrived."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asks closes it
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise TooLarge  # noqa: TRY301 - the file is closed first
            await asyncio.to_thread(file.write, piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
