"""The base of every call to an OpenAI-compatible endpoint: one client, failures as ModelErrors, bounded retries.

No sentence of here holds a key, a prompt or the endpoint's own words.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Required, Self, TypedDict, TypeVar, Unpack

from llm.failures import NoConnection, SettingNames, StatusError, find_error_message, to_model_error
from locales.catalog import tr
from records.errors import BrokenOff, ModelBroken, ModelBusy, ModelError, ModelLoading, ModelUnreachable
from runtime.tracing import Span, span
from settings import Secret, Settings

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

log = logging.getLogger(__name__)

RETRIES, MAX_LOADING = 2, 100  # further attempts after a failure that may pass, and while a server loads the model
MAX_WAIT_SECONDS = 20.0
"""Seconds that a `retry-after` may ask for and still be waited for; beyond it the person is told at once."""
MAX_CALL_SECONDS = 3_600.0
"""Seconds that a call may go on, whatever arrives (2,000 tokens, almost two seconds each); a turn may make several."""
STRETCH, MIN_GROWTH_CHARS = 10, 100
"""An answer that grows by fewer characters in so many times MODEL_TIMEOUT stands still, whatever else arrives."""

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")

FAILURES: tuple[type[Exception], ...] = (NoConnection, StatusError, ModelError)  # the errors of a call


def open_client(*, api_key: str, base_url: str) -> "OpenAIClient":
    """Return the way to an endpoint. Importing the SDK takes a second: call this in a thread."""
    from llm.openai_client import OpenAIClient

    return OpenAIClient(api_key=api_key, base_url=base_url)


class Patience:
    """The time that a model has: `seconds` without a byte, retries included, STRETCH of these without an answer that
    grows, and `most` from the first byte on.

    `may_retry`: nothing that it answered was shown.
    """

    def __init__(self, timeout: asyncio.Timeout, seconds: float, most: float) -> None:
        self._timeout = timeout
        self._seconds = seconds
        self._most = most
        self._now = asyncio.get_running_loop().time
        self._until: float | None = None
        self._grows_until = float("inf")
        self._grown = 0
        self.may_retry = True

    @property
    def left(self) -> float:
        """Seconds."""
        return (self._timeout.when() or 0.0) - self._now()

    @property
    def silence(self) -> float:
        """Seconds for which there was no answer, once they are over."""
        return self._seconds * (STRETCH if self._now() >= self._grows_until else 1)

    def renew(self) -> None:
        """Something has arrived. Raise ModelBroken where an answer goes on for ever."""
        now = self._now()
        if self._until is None:
            self._until, self._grows_until = now + self._most, now + STRETCH * self._seconds
        if now > self._until:
            raise ModelBroken(remedy="(endless)")
        self._timeout.reschedule(min(now + self._seconds, self._grows_until))

    def end_by(self, deadline: float) -> None:
        """Give what is asked next until `deadline`, on the loop's clock, to begin its answer."""
        self._timeout.reschedule(min(self._timeout.when() or deadline, deadline))

    def grow(self, characters: int) -> None:
        """So much of the answer has arrived."""
        self._grown += characters
        if self._grown >= MIN_GROWTH_CHARS:
            self._grown, self._grows_until = 0, self._now() + STRETCH * self._seconds
            self._timeout.reschedule(self._now() + self._seconds)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the time is not the model's."""
        self._timeout.reschedule(None)
        yield
        self._timeout.reschedule(self._now() + self._seconds)


def model_span(operation: str, model: str) -> AbstractContextManager[Span]:
    """Return a span by OpenTelemetry's GenAI conventions, which call every endpoint of this kind "openai"."""
    told = {"gen_ai.operation.name": operation, "gen_ai.provider.name": "openai", "gen_ai.request.model": model}
    return span(f"{operation} {model}", told, is_request=True)


class ModelAddress(TypedDict, total=False):
    """The address of a model, and how long it is waited for. `base_url`: OpenAI's where it is missing or empty."""

    model: Required[str]
    api_key: Required[Secret]
    base_url: str
    timeout: float
    sleep: Sleep
    jitter: Callable[[], float]


def connection(settings: Settings, model: str) -> ModelAddress:
    """Return the connection to a model at the answering endpoint."""
    return {
        "model": model,
        "api_key": settings.openai_api_key,
        "base_url": settings.openai_base_url,
        "timeout": settings.model_timeout,
    }


class EndpointClient:
    """The client of one model at an endpoint. Use as `async with`, which closes its connections."""

    settings = SettingNames(model="OPENAI_MODEL", key="OPENAI_API_KEY", url="OPENAI_BASE_URL")
    silence = 1
    """The multiple of `timeout` for which the endpoint may be silent."""

    def __init__(self, **connection: Unpack[ModelAddress]) -> None:
        self.name = self._model = connection["model"]
        self._address = {"api_key": connection["api_key"].value, "base_url": connection.get("base_url", "")}
        self._timeout = connection.get("timeout", 60.0) * self.silence
        self._sleep = connection.get("sleep", asyncio.sleep)
        self._jitter = connection.get("jitter", random.random)

    async def __aenter__(self) -> Self:
        # At once, so that the first answer does not wait for it.
        self._opening = asyncio.create_task(asyncio.to_thread(open_client, **self._address))
        return self

    async def __aexit__(self, *_: object) -> None:
        await (await self._opening).aclose()

    async def _make_client(self) -> "OpenAIClient":
        return await asyncio.shield(self._opening)  # who gives up waiting does not end it for others

    async def _retry_until_answered(
        self, ask: Callable[["OpenAIClient", Patience], Awaitable[T]], *, most: float | None = None
    ) -> T:
        """Return the answer to a request, after as many attempts as fit in time. Raises a ModelError.

        `most`: seconds of an answer.
        """
        timeout, attempt = asyncio.timeout(self._timeout), 0
        patience = Patience(timeout, self._timeout, MAX_CALL_SECONDS if most is None else most)
        try:
            async with timeout:
                client = await self._make_client()
                while True:  # _may_retry ends it
                    try:
                        return await ask(client, patience)
                    except FAILURES as error:
                        failure = self._to_model_error(error)
                    if not await self._may_retry(failure, attempt, patience):
                        # What was raised may quote the endpoint, and so the key or the prompt: it is not chained.
                        raise failure from None
                    attempt += 1
                    log.info("model %s: %s, trying again", self._model, type(failure).__name__)
        except TimeoutError:
            if not timeout.expired():
                raise
            raise ModelUnreachable(tr("errors-model-slow"), remedy=f"({patience.silence:g} s)") from None

    async def _may_retry(self, failure: ModelError, attempt: int, patience: Patience) -> bool:
        """Return True if to try again after failed attempt number `attempt` (0 = the first); if so,
        the pause is over.
        """
        most, wait = RETRIES, 0.5 * 2**attempt * (0.5 + self._jitter() / 2)
        if isinstance(failure, ModelLoading):
            most, wait = MAX_LOADING, 2.0
        elif isinstance(failure, ModelBusy) and failure.retry_after is not None:
            wait = failure.retry_after + wait / 10
        elif not isinstance(failure, ModelBusy | ModelUnreachable | BrokenOff):
            return False
        if not patience.may_retry or attempt >= most or wait > min(MAX_WAIT_SECONDS, patience.left):
            return False
        await self._sleep(wait)
        return True

    def _to_model_error(self, error: Exception) -> ModelError:
        """Turn any error of a call into a ModelError."""
        if isinstance(error, ModelError):
            return error
        if isinstance(error, StatusError):
            failure = to_model_error(error, self._model, self.settings)
            key = self._address["api_key"]
            failure.words = find_error_message(error.body).replace(key, "…") if key else find_error_message(error.body)
            return failure
        return ModelUnreachable(tr("errors-model-unreachable"), remedy=tr("errors-check", settings=self.settings.url))
