"""The base class for calls to an OpenAI-compatible endpoint, with timeouts, bounded retries and metrics."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Required, Self, TypedDict, TypeVar, Unpack

from llm.failures import NoConnection, SettingNames, StatusError, to_model_error
from locales.catalog import tr
from records.errors import (
    BrokenOff,
    ModelBroken,
    ModelBusy,
    ModelError,
    ModelLoading,
    ModelUnreachable,
    list_error_names,
)
from records.model_calls import Completion
from runtime.metrics import create_series, make_counter, make_duration_histogram
from runtime.tracing import Span, record_span
from settings import Secret, Settings

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

log = logging.getLogger(__name__)

RETRIES = 2  # retries after a temporary failure
MAX_LOADING = 100  # retries while a server loads the model
MAX_WAIT_SECONDS = 20.0  # the longest `retry-after` that is waited for
MAX_CALL_SECONDS = 3_600.0  # seconds for one call (2,000 tokens at almost two seconds each)
STRETCH = 10  # multiples of MODEL_TIMEOUT within which an answer must make progress
MIN_GROWTH_CHARS = 100  # characters that count as progress

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")

FAILURES: tuple[type[Exception], ...] = (NoConnection, StatusError, ModelError)  # the errors of a call


def open_client(*, api_key: str, base_url: str) -> "OpenAIClient":
    """Return a client for an endpoint. Call this in a thread, since importing the SDK takes a second."""
    from llm.openai_client import OpenAIClient

    return OpenAIClient(api_key=api_key, base_url=base_url)


class CallTimer:
    """The time limits of one call, in seconds. `may_retry` becomes False once part of the answer has been shown.

    Time out after `seconds` without data, STRETCH * `seconds` without progress, or `max_seconds` after the first byte.
    """

    def __init__(self, timeout: asyncio.Timeout, seconds: float, max_seconds: float) -> None:
        self._timeout = timeout
        self._seconds = seconds
        self._most = max_seconds
        self._now = asyncio.get_running_loop().time
        self._until: float | None = None
        self.grows_until = float("inf")
        self._grown = 0
        self.may_retry = True

    @property
    def seconds_left(self) -> float:
        return (self._timeout.when() or 0.0) - self._now()

    def restart_timeout(self) -> None:
        """Restart the timeout when bytes arrive. Raise ModelBroken if the answer takes too long."""
        now = self._now()
        if self._until is None:
            self._until, self.grows_until = now + self._most, now + STRETCH * self._seconds
        if now > self._until:
            raise ModelBroken(remedy="(endless)")
        self._timeout.reschedule(min(now + self._seconds, self.grows_until))

    def set_deadline(self, deadline: float) -> None:
        """Time out no later than `deadline`, measured by the event loop's clock."""
        self._timeout.reschedule(min(self._timeout.when() or deadline, deadline))

    def extend_timeout_on_progress(self, char_count: int) -> None:
        """Count new characters in the answer, and restart the timeout when enough have arrived."""
        self._grown += char_count
        if self._grown >= MIN_GROWTH_CHARS:
            self._grown, self.grows_until = 0, self._now() + STRETCH * self._seconds
            self._timeout.reschedule(self._now() + self._seconds)

    @contextmanager
    def suspend_timeout(self) -> Iterator[None]:
        """Suspend the timeout within the block, and restart it afterwards."""
        self._timeout.reschedule(None)
        yield
        self._timeout.reschedule(self._now() + self._seconds)


def open_model_span(operation: str, model: str) -> AbstractContextManager[Span]:
    """Open a span for a model call, named according to OpenTelemetry's GenAI conventions."""
    told = {"gen_ai.operation.name": operation, "gen_ai.provider.name": "openai", "gen_ai.request.model": model}
    return record_span(f"{operation} {model}", told, is_outgoing=True)


SECONDS = make_duration_histogram(
    "keepsake_model_seconds", "From a request to the model's whole answer, by model.", {"model": ()}
)
TOKENS = make_counter(
    "keepsake_model_tokens",
    "Tokens, by model and kind: prompt (the others included), cached, written to the cache, completion.",
    {"model": (), "kind": ()},
)
REFUSALS = make_counter(
    "keepsake_model_failures", "Calls without an answer, by model and error.", {"model": (), "error": ()}
)


def initialize_metrics(model: str) -> None:
    SECONDS.labels(model)
    create_series(TOKENS, {"model": [model], "kind": ("prompt", "cached", "written", "completion")})
    create_series(REFUSALS, {"model": [model], "error": list_error_names(ModelError)})


async def call_and_record_metrics(model: str, ask: Callable[[], Awaitable[Completion]]) -> Completion:
    """Call `ask` and return its result. Record its duration, token usage and failure."""
    started = monotonic()
    try:
        with open_model_span("chat", model) as told:
            completion = await ask()
            usage = completion.usage
            told.add_attributes(
                {
                    "gen_ai.usage.input_tokens": usage.prompt,
                    "gen_ai.usage.output_tokens": usage.completion,
                    "gen_ai.usage.cache_read.input_tokens": usage.cached,
                    "gen_ai.usage.cache_creation.input_tokens": usage.written,
                }
            )
    except ModelError as error:
        REFUSALS.labels(model, type(error).__name__).inc()
        raise
    seconds = monotonic() - started
    SECONDS.labels(model).observe(seconds)
    kinds = {"prompt": usage.prompt, "cached": usage.cached, "written": usage.written, "completion": usage.completion}
    for kind, tokens in kinds.items():
        TOKENS.labels(model, kind).inc(tokens)
    log.info(
        "model %s: %d prompt tokens (%d cached), %d completion tokens, %d ms",
        *(model, usage.prompt, usage.cached, usage.completion, seconds * 1000),
        extra={"model": model, **kinds},
    )
    return completion


class ModelAddress(TypedDict, total=False):
    """The endpoint of a model, with a timeout in seconds. Without a `base_url`, OpenAI's API is used."""

    model: Required[str]
    api_key: Required[Secret]
    base_url: str
    timeout: float
    sleep: Sleep
    jitter: Callable[[], float]


def make_model_address(settings: Settings, model: str) -> ModelAddress:
    return {
        "model": model,
        "api_key": settings.openai_api_key,
        "base_url": settings.openai_base_url,
        "timeout": settings.model_timeout,
    }


class EndpointClient:
    """A client for one model at an endpoint, used as an async context manager."""

    settings = SettingNames(model="OPENAI_MODEL", key="OPENAI_API_KEY", url="OPENAI_BASE_URL")
    timeout_factor = 1  # multiplies `timeout`

    def __init__(self, **connection: Unpack[ModelAddress]) -> None:
        self.name = connection["model"]
        self._address = {"api_key": connection["api_key"].value, "base_url": connection.get("base_url", "")}
        self._timeout = connection.get("timeout", 60.0) * self.timeout_factor
        self._sleep = connection.get("sleep", asyncio.sleep)
        self._jitter = connection.get("jitter", random.random)

    async def __aenter__(self) -> Self:
        # At once, so that the first answer does not wait for it.
        self._opening = asyncio.create_task(asyncio.to_thread(open_client, **self._address))
        return self

    async def __aexit__(self, *_: object) -> None:
        await (await self._opening).aclose()

    async def _retry_until_answered(
        self, ask: Callable[["OpenAIClient", CallTimer], Awaitable[T]], *, max_seconds: float | None = None
    ) -> T:
        """Call `ask` and return its result. Retry temporary failures. `max_seconds` limits each attempt."""
        timeout, attempt = asyncio.timeout(self._timeout), 0
        timer = CallTimer(timeout, self._timeout, MAX_CALL_SECONDS if max_seconds is None else max_seconds)
        try:
            async with timeout:
                client = await asyncio.shield(self._opening)  # if this call is cancelled, others still get it
                while True:  # _wait_for_retry_if_allowed ends it
                    try:
                        return await ask(client, timer)
                    except FAILURES as error:
                        failure = self._to_model_error(error)
                    if not await self._wait_for_retry_if_allowed(failure, attempt, timer):
                        # What was raised may quote the endpoint, and so the key or the prompt: it is not chained.
                        raise failure from None
                    attempt += 1
                    log.info("model %s: %s, trying again", self.name, type(failure).__name__)
        except TimeoutError:
            if not timeout.expired():
                raise
            seconds = self._timeout * (STRETCH if timeout.when() == timer.grows_until else 1)
            raise ModelUnreachable(tr("errors-model-slow"), remedy=f"({seconds:g} s)") from None

    async def _wait_for_retry_if_allowed(self, failure: ModelError, attempt: int, timer: CallTimer) -> bool:
        """Wait before the next attempt and return True. Return False at once if the call should not be retried."""
        most, wait = RETRIES, 0.5 * 2**attempt * (0.5 + self._jitter() / 2)
        if isinstance(failure, ModelLoading):
            most, wait = MAX_LOADING, 2.0
        elif isinstance(failure, ModelBusy) and failure.retry_after is not None:
            wait = failure.retry_after + wait / 10
        elif not isinstance(failure, ModelBusy | ModelUnreachable | BrokenOff):
            return False
        if not timer.may_retry or attempt >= most or wait > min(MAX_WAIT_SECONDS, timer.seconds_left):
            return False
        await self._sleep(wait)
        return True

    def _to_model_error(self, error: Exception) -> ModelError:
        if isinstance(error, ModelError):
            return error
        if isinstance(error, StatusError):
            failure = to_model_error(error, self.name, self.settings)
            failure.words = error.message.replace(self._address["api_key"] or "\0", "…")
            return failure
        return ModelUnreachable(tr("errors-model-unreachable"), remedy=tr("errors-check", settings=self.settings.url))
