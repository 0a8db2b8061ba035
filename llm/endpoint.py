"""What every call to an OpenAI-compatible endpoint shares: the client, failures as ModelErrors, bounded retries.

Does not know what is asked for. No sentence of here holds a key, a prompt or the endpoint's own words.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, Required, Self, TypedDict, TypeVar, Unpack

import aiohttp

from llm.partial_answer import BrokenOff
from llm.transport import NoConnection, StatusError, Transport
from llm.window import read_refusal
from locales.catalog import tr
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

OPENAI_URL = "https://api.openai.com/v1"
RETRIES = 2
LOADING_PAUSE = 2.0
"""Seconds between two attempts while a server loads the model, for as long as a person would wait."""
MOST_LOADING = 100
"""Such attempts, at most."""
LONGEST_WORDS = 4_000
"""Characters of an error's words that are searched: some of what is looked for takes the square of their number."""
LONGEST_WAIT = 20.0
"""Seconds that a `retry-after` may ask for and still be waited for; beyond it the person is told at once."""
LONGEST_TOLD = 366 * 86_400.0
"""Seconds that a person is told to wait; what formats numbers takes no 10^30."""

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


def open_transport(*, api_key: str, base_url: str) -> Transport:
    """The way to an endpoint, without retries and time limits of its own: ours have the person's patience in view."""
    return Transport(api_key=api_key or "none needed", base_url=base_url or OPENAI_URL)


FAILURES: tuple[type[Exception], ...] = (
    aiohttp.ClientError,
    NoConnection,
    StatusError,
    ModelError,
)
"""What a call whose body is read by us may raise."""


class Endpoint:
    """The names that its failures are told with: what the model is called, and the settings to look at."""

    def __init__(self, *, model: str, timeout: float, model_setting: str, key_setting: str, url_setting: str) -> None:
        self.model = model
        self.timeout = timeout
        self._model_setting = model_setting
        self._key_setting = key_setting
        self._url_setting = url_setting

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[asyncio.Timeout]:
        """The time that the model has. Raises ModelUnreachable once it is over."""
        patience = asyncio.timeout(self.timeout)
        try:
            async with patience:
                yield patience
        except TimeoutError:
            if not patience.expired():
                raise
            raise ModelUnreachable(tr("errors-silent", seconds=f"{self.timeout:g}")) from None

    def failure(self, error: Exception) -> ModelError:
        """The transport's exception as ours."""
        if isinstance(error, ModelError):
            return error
        if isinstance(error, StatusError):
            return self.refusal(error.status_code, error.body, error.headers)
        if isinstance(error, NoConnection):
            return ModelUnreachable(tr("errors-no-connection", setting=self._url_setting))
        if isinstance(error, aiohttp.ClientError):
            # What fails before the headers is wrapped; this is the connection lost within the body.
            return BrokenOff()
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
            return ModelBusy(tr("errors-own-fault", status=str(status)), retry_after=retry_after(headers or {}))
        if status == 401:
            return ModelRefused(tr("errors-key", setting=self._key_setting))
        if status == 403:
            return ModelRefused(tr("errors-forbidden", key=self._key_setting, model=self._model_setting))
        if status == 404:
            return ModelRefused(
                tr("errors-unknown-model", name=self.model, model=self._model_setting, url=self._url_setting)
            )
        return ModelRefused(tr("errors-refused-request", status=str(status)))


class Retries:
    """Up to two more attempts after a failure that may pass, each after a jittered pause; while a model is loaded, one
    every two seconds.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep, jitter: Callable[[], float] = random.random) -> None:
        self._sleep = sleep
        self._jitter = jitter

    async def pause(self, failure: ModelError, attempt: int, patience: asyncio.Timeout) -> bool:
        """Whether to try again after failed attempt number `attempt` (0 = the first); if so, the pause is over."""
        time_left = (patience.when() or 0.0) - asyncio.get_running_loop().time()
        if isinstance(failure, ModelLoading):
            if attempt >= MOST_LOADING or time_left <= LOADING_PAUSE:
                return False
            await self._sleep(LOADING_PAUSE)
            return True
        if attempt >= RETRIES or not isinstance(failure, ModelBusy | ModelUnreachable | BrokenOff):
            return False
        wait = 0.5 * 2**attempt * (0.5 + self._jitter() / 2)
        if isinstance(failure, ModelBusy) and failure.retry_after is not None:
            wait = max(failure.retry_after, 0.0) + wait / 10
        if wait > LONGEST_WAIT or wait >= time_left:
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
        self._transport = open_transport(api_key=connection["api_key"].value, base_url=connection.get("base_url", ""))
        self._endpoint = Endpoint(
            model=self._model,
            timeout=connection.get("timeout", 60.0) * self.silence,
            model_setting=self.model_setting,
            key_setting=self.key_setting,
            url_setting=self.url_setting,
        )
        self._retries = Retries(connection.get("sleep", asyncio.sleep), connection.get("jitter", random.random))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    async def _answered(self, ask: Callable[[], Awaitable[T]]) -> T:
        """What a request is answered with, after as many attempts as may be made in time. Raises a ModelError."""
        async with self._endpoint.patience() as patience:
            for attempt in count():  # Retries.pause ends it
                try:
                    return await ask()
                except FAILURES as error:
                    failure = self._endpoint.failure(error)
                if not await self._retries.pause(failure, attempt, patience):
                    # The exception may quote the endpoint, which may quote the key or the prompt: it is not chained.
                    raise failure from None
        raise AssertionError("unreachable")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait; a date is read against the endpoint's own clock."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return min(seconds, LONGEST_TOLD)
    try:
        pause = parsedate_to_datetime(headers.get("retry-after", "")) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return min(max(0.0, pause.total_seconds()), LONGEST_TOLD)


def error_body(body: object) -> Mapping[str, Any]:
    """The error object of a body, whether or not it is wrapped in {"error": …}, or in a list (Gemini)."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            return inner
        return {"message": inner} if isinstance(inner, str) else body
    return {}


def error_code(body: object) -> str:
    """The error's code, or its type where it has none."""
    error = error_body(body)
    return str(error.get("code") or error.get("type") or "")


def error_message(body: object) -> str:
    """The beginning of the endpoint's own words: to be searched, never to be shown or logged, since they may quote key
    or prompt.
    """
    return _words(body)[:LONGEST_WORDS]


def _words(body: object) -> str:
    if isinstance(body, str):
        return body
    error = error_body(body)
    words = str(error.get("message") or _detail(error.get("detail")))
    metadata = error.get("metadata")
    # OpenRouter says little itself, and repeats what the provider said.
    return f"{words} {metadata['raw']}" if isinstance(metadata, Mapping) and metadata.get("raw") else words


def _detail(detail: object) -> str:
    """What endpoints made with FastAPI say: words, or what is wrong where, point by point."""
    if not isinstance(detail, list):
        return str(detail or "")
    points = [point for point in detail if isinstance(point, Mapping)]
    return "; ".join(f"{_place(point.get('loc'))}: {point.get('msg')}" for point in points)


def _place(loc: object) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else str(loc or "")
