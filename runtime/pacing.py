"""Rate limits for the requests and file transfers of a page's visitors."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import IO
from weakref import WeakValueDictionary

from attrs import define, field
from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_AT_ONCE = 8  # concurrent requests of one visitor; a browser opens six connections
MAX_WAIT = 10.0  # seconds that a request waits for its turn before it is refused
MAX_VISITORS = 2_000  # remembered visitors and session tokens
MAX_FILES = 4  # concurrent files of all people; each person may have one
FILE_PATIENCE = 5.0  # seconds that a person's second file waits for the first
MAX_FILE_SECONDS = 900.0


class RequestTooLarge(Exception):  # noqa: N818 - reads as the state it is
    """Raised if the body of a request exceeds its limit."""


class TransfersBusy(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a person is already transferring a file, or if too many files are being transferred."""


@define(eq=False)
class RateLimiter:
    """Allows a visitor a burst of `burst` requests, and then `per_second` requests a second."""

    burst: int
    per_second: float
    free_at: float = float("-inf")
    at_once: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))

    def reserve_slot_and_get_delay(self, now: float) -> float:
        """Reserve a slot and return the seconds until it. Beyond MAX_WAIT, reserve nothing and return infinity."""
        step = 1 / self.per_second
        begins = max(self.free_at, now - self.burst * step) + step
        if begins - now > MAX_WAIT:
            return float("inf")
        self.free_at = begins
        return max(0.0, begins - now)


class Visitors:
    """The rate limiters of all visitors, and the owners of session tokens."""

    def __init__(self) -> None:
        self._persons = LRUCache[bytes, int](MAX_VISITORS)
        self._limiters = LRUCache[int | str, RateLimiter](MAX_VISITORS)
        self.strangers = RateLimiter(burst=300, per_second=80)  # a request takes 1 ms of the event loop

    def remember_person_of_token(self, token: str, person_id: int) -> None:
        self._persons[_hash_token(token)] = person_id

    def find_limiter_and_check_session(self, scope: Scope) -> tuple[RateLimiter, bool]:
        """Return the rate limiter for a request, and True if the request belongs to a known session."""
        token = Headers(scope=scope).get("authorization", "").rpartition(" ")[2]
        person = self._persons.get(_hash_token(token)) if token else None
        address = scope["client"][0] if scope.get("client") else ""
        key: int | str = address if person is None else person
        if key not in self._limiters:
            # Opening the page takes about ten requests. Several people may share an address.
            burst, per_second = (90, 20) if person is None else (60, 15)
            self._limiters[key] = RateLimiter(burst, per_second)
        return self._limiters[key], person is not None


def _hash_token(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


@define(eq=False)
class RateLimitMiddleware:
    """Middleware that delays or refuses the requests of a visitor who exceeds the rate limit."""

    app: ASGIApp
    visitors: Visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limiter, is_known = self.visitors.find_limiter_and_check_session(scope)
        now = asyncio.get_running_loop().time()
        wait = limiter.reserve_slot_and_get_delay(now)
        if not is_known and wait <= MAX_WAIT:
            wait = max(wait, self.visitors.strangers.reserve_slot_and_get_delay(now))
        if wait:
            await asyncio.sleep(min(wait, MAX_WAIT))
        if wait > MAX_WAIT:
            headers = {"Retry-After": "10", "Connection": "close"}
            await PlainTextResponse("Too many requests.", 429, headers)(scope, receive, send)
            return
        async with limiter.at_once:
            await self.app(scope, receive, send)


class FileTransfers:
    """Limits concurrent uploads or downloads to one per person, and to MAX_FILES in total."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(MAX_FILES)
        self._persons = WeakValueDictionary[int, asyncio.Lock]()

    @asynccontextmanager
    async def reserve_transfer_slot(self, person_id: int) -> AsyncIterator[None]:
        """Reserve a slot for a file transfer while the block runs. Raise TransfersBusy if none becomes free."""
        own = self._persons.setdefault(person_id, asyncio.Lock())
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(FILE_PATIENCE):
                    await stack.enter_async_context(own)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise TransfersBusy from None
            yield


async def receive_file(request: Request, max_bytes: int) -> IO[bytes]:
    """Return the body of a request as an open temporary file. Raise RequestTooLarge if it exceeds `max_bytes`."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > max_bytes:
                raise RequestTooLarge  # noqa: TRY301 - the file is closed first
            await asyncio.to_thread(file.write, piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
