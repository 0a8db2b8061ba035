"""What is counted of the calls to a model. Does not know what is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from records.errors import ModelError
from records.model_calls import Usage
from runtime.metrics import counter, histogram
from runtime.tracing import span

SECONDS = histogram("keepsake_model_seconds", "From a request to the model's whole answer, by model.", ["model"])
TOKENS = counter(
    "keepsake_model_tokens",
    "Tokens, by model and kind: prompt (cached included), cached, completion.",
    ["model", "kind"],
)
FAILURES = counter("keepsake_model_failures", "Calls without an answer, by model and error.", ["model", "error"])
REQUESTS = counter(
    "keepsake_model_requests", "HTTP requests to the model's endpoint, by path and status.", ["path", "status"]
)


@contextmanager
def measured(model: str) -> Iterator[None]:
    """Around one call, retries included. `model`: one of those that the settings name."""
    began = monotonic()
    try:
        with span("model", model=model):
            yield
    except ModelError as error:
        FAILURES.labels(model, type(error).__name__).inc()
        raise
    SECONDS.labels(model).observe(monotonic() - began)


def count_tokens(model: str, usage: Usage) -> None:
    for kind, tokens in (("prompt", usage.prompt), ("cached", usage.cached), ("completion", usage.completion)):
        TOKENS.labels(model, kind).inc(tokens)
