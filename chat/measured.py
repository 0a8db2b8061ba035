"""How many turns came to which end, and how long each took. Does not know what a turn does."""

from collections.abc import Awaitable, Callable
from functools import wraps
from time import monotonic
from typing import ParamSpec

from records.turns import Reply
from runtime.metrics import counter, histogram
from runtime.tracing import span

TURNS = counter("keepsake_turns", "Turns, by their end: answered, repeated, failed or stopped.", ["outcome"])
SECONDS = histogram("keepsake_turn_seconds", "From a message to its whole answer, the model's time included.")

P = ParamSpec("P")


def measured(reply: Callable[P, Awaitable[Reply]]) -> Callable[P, Awaitable[Reply]]:
    """The same, counted; and a span."""

    @wraps(reply)
    async def counted(*arguments: P.args, **options: P.kwargs) -> Reply:
        began, outcome = monotonic(), "stopped"
        try:
            with span("turn"):
                done = await reply(*arguments, **options)
            outcome = "failed" if done.is_error else "repeated" if done.repeated else "answered"
            return done
        finally:
            TURNS.labels(outcome).inc()
            if outcome == "answered":
                SECONDS.observe(monotonic() - began)

    return counted
