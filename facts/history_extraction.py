"""Imported history that facts are learned from because its owner wants it: begun, stopped, and gone on with.

Owns when the next stretch is read: in the background, of each memory one after the other, also after a restart. Does
not know how facts are found (facts.py), nor how it was offered.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from external_memory import ExternalMemory
from facts.learning import Facts
from records.errors import StorageError
from records.scopes import Scope
from runtime.tasks import ended

log = logging.getLogger(__name__)

LOOK_AGAIN = 60.0
"""Seconds until it is looked again for what had failed, had no tokens left, or was turned off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ahead:
    """What learning from a stretch would take, roughly: messages of the owner, requests, tokens."""

    messages: int
    requests: int
    tokens: int


class HistoryExtraction:
    """Learns from imported history, in a task of its own while the `async with` is open. `is_on` False: never.

    `pause`: waits so many seconds, at most until it is woken.
    """

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        facts: Facts,
        is_on: bool = True,
        pause: Callable[[asyncio.Event, float], Awaitable[None]] | None = None,
    ) -> None:
        self._memory = memory
        self._facts = facts
        self._is_on = is_on
        self._pause = pause or _woken
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._is_on:
            self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            await ended(self._task)

    async def ahead(self, owner: int, first: int, last: int) -> Ahead | None:
        """What learning from the imported messages first..last would take; None where nothing would be learned."""
        if not await self._is_learning(owner):
            return None
        async with self._memory.home(owner) as store:
            study = await store.studies.ahead(owner, first, last)
        if not study.messages:
            return None
        requests, tokens = self._facts.cost(study)
        return Ahead(messages=study.messages, requests=requests, tokens=tokens)

    async def begin(self, owner: int, first: int, last: int) -> Literal["begun", "busy", "nothing", "off"]:
        """Learn from them from now on; what was stopped goes on where it was. "off": memory is, or incognito on."""
        if not await self._is_learning(owner):
            return "off"
        if await self.ahead(owner, first, last) is None:
            return "nothing"
        async with self._memory.home(owner) as store:
            if not await store.studies.begin(owner, first, last):
                return "busy"
        self._idle.clear()
        self._wanted.set()
        return "begun"

    async def stop(self, owner: int) -> None:
        """What is learned stays; a stretch that is being read now is not learned from any more."""
        async with self._memory.home(owner) as store:
            await store.studies.stop(owner)

    async def _is_learning(self, owner: int) -> bool:
        config = await self._memory.config(owner)
        return self._is_on and config is not None and config.enabled and not config.incognito

    async def caught_up(self) -> None:
        """Wait until nothing more can be learned for now."""
        await self._idle.wait()

    async def _run(self) -> None:
        while True:
            self._wanted.clear()
            try:
                while await self._round():
                    pass
            except Exception as error:  # the door of this task: it is looked again in a while
                log.warning("imported history cannot be learned from right now: %s", type(error).__name__)
            if not self._wanted.is_set():
                self._idle.set()
                await self._pause(self._wanted, LOOK_AGAIN)

    async def _round(self) -> bool:
        """A stretch of each that waits; whether any of them went on."""
        scopes: list[Scope] = []
        for store in self._memory.stores:
            try:
                scopes += await store.studies.waiting()
            except StorageError as error:
                log.warning("what is to be learned from cannot be read: %s", type(error).__name__)
        return any([await self._facts.learn_past(scope) for scope in scopes])


async def _woken(wanted: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(wanted.wait(), seconds)
