"""Records the duration, tokens and failures of model calls as metrics, spans and log lines."""

import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from llm.endpoint import open_model_span
from records.errors import ModelError, list_error_names
from records.model_calls import Usage
from runtime.metrics import make_counter, make_histogram, start_at_zero

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")

SECONDS = make_histogram(
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


def initialise_metrics(model: str) -> None:
    """Initialise every metric of a model at 0."""
    SECONDS.labels(model)
    start_at_zero(TOKENS, {"model": [model], "kind": ("prompt", "cached", "written", "completion")})
    start_at_zero(REFUSALS, {"model": [model], "error": list_error_names(ModelError)})


async def measure_call(model: str, ask: Callable[[], Awaitable[tuple[Answer, Usage]]]) -> tuple[Answer, Usage]:
    """Await `ask` and record its duration, tokens and failure."""
    started = monotonic()
    try:
        with open_model_span("chat", model) as told:
            answer, usage = await ask()
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
    return answer, usage
