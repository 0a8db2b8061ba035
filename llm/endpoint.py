"""What every call to an OpenAI-compatible endpoint shares: one client, failures as ModelErrors, bounded retries.

No sentence of here holds a key, a prompt or the endpoint's own words.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Required, Self, TypedDict, TypeVar, Unpack

from llm.failures import BrokenOff, NoConnection, StatusError, error_body, error_code, error_message, retry_after
from llm.window import read_refusal
from locales.catalog import tr
from locales.lists import all_of
from records.errors import (
    ContextTooLong,
    ModelBroken,
    ModelBusy,
    ModelError,
    ModelLoading,
    ModelRefused,
    ModelUnreachable,
)
from settings import Secret

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

RETRIES = 2
LOADING_PAUSE = 2.0
"""Seconds between two attempts while a server loads the model, for as long as a person would wait."""
MOST_LOADING = 100
"""Such attempts, at most."""
LONGEST_WAIT = 20.0
"""Seconds that a `retry-after` may ask for and still be waited for; beyond it the person is told at once."""
LONGEST_TAKEN = 3_600.0
"""Seconds that one answer may go on, however often something of it arrives: 2,000 tokens, almost two seconds each."""

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum (context|prompt|input)|(prompt|input|request) (is )?too (long|large)"
    r"|too many (input )?tokens|exceeds? .{0,40}(token|context)|too large for model with \d+",
    re.IGNORECASE,
)
_LOADING = re.compile(r"\bloading\b|\bstarting up\b", re.IGNORECASE)
"""llama.cpp ("Loading model"), Hugging Face ("Model x is currently loading"), and what stands in front of them."""
_TOO_LONG_CODES = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}


FAILURES: tuple[type[Exception], ...] = (NoConnection, StatusError, ModelError)
"""What a call may raise."""


def open_client(*, api_key: str, base_url: str) -> "OpenAIClient":
    """The way to an endpoint. Importing the SDK takes a second: call this in a thread."""
    from llm.openai_client import OpenAIClient

    return OpenAIClient(api_key=api_key, base_url=base_url)


class Patience:
    """The time that a model has: so many seconds without a byte, retries included."""

    def __init__(self, timeout: asyncio.Timeout, seconds: float) -> None:
        self._timeout = timeout
        self._seconds = seconds
        self._now = asyncio.get_running_loop().time
        self._until = self._now() + LONGEST_TAKEN

    @property
    def left(self) -> float:
        """Seconds."""
        return (self._timeout.when() or 0.0) - self._now()

    def renew(self) -> None:
        """Something has arrived. Raises ModelBroken where an answer goes on for ever."""
        if self._now() > self._until:
            raise ModelBroken(tr("errors-endless"))
        self._timeout.reschedule(self._now() + self._seconds)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the time is not the model's."""
        self._timeout.reschedule(None)
        yield
        self._timeout.reschedule(self._now() + self._seconds)


class Endpoint:
    """The names that its failures are told with: what the model is called, and the settings to look at."""

    def __init__(self, *, model: str, timeout: float, model_setting: str, key_setting: str, url_setting: str) -> None:
        self.model = model
        self.timeout = timeout
        self._model_setting = model_setting
        self._key_setting = key_setting
        self._url_setting = url_setting

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[Patience]:
        """The time that the model has. Raises ModelUnreachable once it is over."""
        timeout = asyncio.timeout(self.timeout)
        try:
            async with timeout:
                yield Patience(timeout, self.timeout)
        except TimeoutError:
            if not timeout.expired():
                raise
            raise ModelUnreachable(tr("errors-silent", seconds=f"{self.timeout:g}")) from None

    def failure(self, error: Exception) -> ModelError:
        """What a call raised, as a ModelError."""
        if isinstance(error, ModelError):
            return error
        if isinstance(error, StatusError):
            return self.refusal(error.status_code, error.body, error.headers)
        if isinstance(error, NoConnection):
            return ModelUnreachable(tr("errors-no-connection"), remedy=tr("errors-check", settings=self._url_setting))
        return ModelBroken(tr("errors-not-an-answer"))

    def refusal(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> ModelError:
        """An error status, or an error inside a stream (then with the status that its body names), as ours."""
        code, message = error_code(body), error_message(body)
        is_named = not _TOO_LONG_CODES.isdisjoint((code, str(error_body(body).get("type"))))
        if is_named or (status in (400, 413, 422, 500) and _TOO_LONG.search(message)):
            refusal = read_refusal(error_body(body), message)
            return ContextTooLong(limit=refusal.limit, size=refusal.size)
        if code in ("insufficient_quota", "billing_hard_limit_reached") or status == 402:
            return ModelRefused(tr("errors-no-credit"))
        if status == 429:
            wait = retry_after(headers or {})
            why = tr("errors-no-more-requests")
            if wait and wait >= 1:
                why = tr("errors-no-more-requests-wait", seconds=round(wait))
            return ModelBusy(why, retry_after=wait)
        if status == 503 and _LOADING.search(message):
            return ModelLoading()
        if status in (408, 409) or status >= 500:
            return ModelBusy(
                tr("errors-own-fault"), retry_after=retry_after(headers or {}), remedy=f"(status {status})"
            )
        if status == 401:
            return ModelRefused(tr("errors-key"), remedy=tr("errors-check", settings=self._key_setting))
        if status == 403:
            return ModelRefused(
                tr("errors-forbidden"),
                remedy=tr("errors-check", settings=all_of([self._key_setting, self._model_setting])),
            )
        if status == 404:
            return ModelRefused(
                tr("errors-unknown-model", name=self.model),
                remedy=tr("errors-check", settings=all_of([self._model_setting, self._url_setting])),
            )
        return ModelRefused(tr("errors-refused-request"), remedy=f"(status {status})")


class Retries:
    """Up to two more attempts after a failure that may pass, each after a jittered pause; while a model is loaded, one
    every two seconds.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep, jitter: Callable[[], float] = random.random) -> None:
        self._sleep = sleep
        self._jitter = jitter

    async def pause(self, failure: ModelError, attempt: int, patience: Patience) -> bool:
        """Whether to try again after failed attempt number `attempt` (0 = the first); if so, the pause is over."""
        if isinstance(failure, ModelLoading):
            if attempt >= MOST_LOADING or patience.left <= LOADING_PAUSE:
                return False
            await self._sleep(LOADING_PAUSE)
            return True
        if attempt >= RETRIES or not isinstance(failure, ModelBusy | ModelUnreachable | BrokenOff):
            return False
        wait = 0.5 * 2**attempt * (0.5 + self._jitter() / 2)
        if isinstance(failure, ModelBusy) and failure.retry_after is not None:
            wait = max(failure.retry_after, 0.0) + wait / 10
        if wait > LONGEST_WAIT or wait >= patience.left:
            return False
        await self._sleep(wait)
        return True


class Connection(TypedDict, total=False):
    """Where a model is, and how long it is waited for. `base_url`: OpenAI's where it is missing or empty."""

    model: Required[str]
    api_key: Required[Secret]
    base_url: str
    timeout: float
    sleep: Sleep
    jitter: Callable[[], float]


class EndpointClient:
    """What asks one model at an endpoint. Use as `async with`, which closes its connections."""

    model_setting = "OPENAI_MODEL"
    key_setting = "OPENAI_API_KEY"
    url_setting = "OPENAI_BASE_URL"
    silence = 1
    """How many times `timeout` the endpoint may be silent."""

    def __init__(self, **connection: Unpack[Connection]) -> None:
        self._model = connection["model"]
        self._address = {"api_key": connection["api_key"].value, "base_url": connection.get("base_url", "")}
        self._endpoint = Endpoint(
            model=self._model,
            timeout=connection.get("timeout", 60.0) * self.silence,
            model_setting=self.model_setting,
            key_setting=self.key_setting,
            url_setting=self.url_setting,
        )
        self._retries = Retries(connection.get("sleep", asyncio.sleep), connection.get("jitter", random.random))

    async def __aenter__(self) -> Self:
        # At once, so that the first answer does not wait for it.
        self._opening = asyncio.create_task(asyncio.to_thread(open_client, **self._address))
        return self

    async def __aexit__(self, *_: object) -> None:
        await (await self._opening).aclose()

    async def _client(self) -> "OpenAIClient":
        return await asyncio.shield(self._opening)  # who gives up waiting does not end it for others

    async def _answered(self, ask: Callable[["OpenAIClient", Patience], Awaitable[T]]) -> T:
        """What a request is answered with, after as many attempts as may be made in time. Raises a ModelError."""
        async with self._endpoint.patience() as patience:
            client = await self._client()
            for attempt in count():  # Retries.pause ends it
                try:
                    return await ask(client, patience)
                except FAILURES as error:
                    failure = self._endpoint.failure(error)
                if not await self._retries.pause(failure, attempt, patience):
                    # The exception may quote the endpoint, which may quote the key or the prompt: it is not chained.
                    raise failure from None
        raise AssertionError("unreachable")
