"""Answers go first: background requests wait while people are answered at the same endpoint, and give way to them.

Owns who waits, who is interrupted, and for how long. Does not know what is asked, or how.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from llm.chat_model import ChatModel, OnText
from records.model_calls import Completion, PromptMessage

LONGEST_WAIT = 180.0
"""Seconds that a background request waits for a moment without answers."""
MOST_PASSED = 20
"""Answers that a background request lets pass; where so many end without a pause, the endpoint serves many at once."""
MOST_INTERRUPTIONS = 3
"""Times that a background request gives way; after that it is finished, or a busy chat would never be summarised."""

Result = TypeVar("Result")

_answering: ContextVar[bool] = ContextVar("answering", default=False)
"""Whether a person waits for what this task does."""


class Precedence:
    """The order at one endpoint. `patience`: seconds that a background request waits for a quiet moment at most."""

    def __init__(self, patience: float = LONGEST_WAIT) -> None:
        self._patience = patience
        self._answers = 0
        self._ended = 0
        self._next_end = asyncio.Event()
        self._interruptible: set[asyncio.Task[Any]] = set()
        self._interrupted: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        """While a person is answered. What this task asks, such as a fold before the answer, does not wait."""
        self._answers += 1
        if self._answers == 1:
            self._interrupt()
        was = _answering.set(True)
        try:
            yield
        finally:
            _answering.reset(was)
            self._answers -= 1
            self._ended += 1
            self._next_end.set()
            self._next_end = asyncio.Event()

    async def after_answers(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of `work`, begun in a moment without answers. Where one begins meanwhile, it is cancelled, and
        begun again later.
        """
        for _ in range(0 if _answering.get() else MOST_INTERRUPTIONS):
            if not await self._quiet():
                break
            task = asyncio.create_task(work())
            self._interruptible.add(task)
            try:
                return await task
            except asyncio.CancelledError:
                mine = asyncio.current_task()
                if task not in self._interrupted or (mine is not None and mine.cancelling()):
                    raise
            finally:
                self._interruptible.discard(task)
                self._interrupted.discard(task)
        return await work()

    def _interrupt(self) -> None:
        for task in self._interruptible:
            if not task.done():
                self._interrupted.add(task)
                task.cancel()

    async def _quiet(self) -> bool:
        """Wait until nobody is answered; False where that does not happen in time."""
        last = self._ended + MOST_PASSED
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while self._answers and self._ended < last:
                    await self._next_end.wait()
        return not self._answers


class BackgroundModel(ChatModel):
    """A model as folds, facts and profiles ask it: after the answers, and for short texts."""

    def __init__(self, model: ChatModel, precedence: Precedence) -> None:
        self.name = model.name
        self._model = model.limited()
        self._precedence = precedence

    @property
    def prompt_limit(self) -> int | None:
        return self._model.prompt_limit

    @property
    def takes_pictures(self) -> bool:
        return self._model.takes_pictures

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        return await self._precedence.after_answers(
            lambda: self._model.complete(messages, on_text=on_text, schema=schema)
        )
