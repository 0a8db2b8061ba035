"""People who talk to a bot, each in a private chat: all at once, or arriving at a rate whether or not it keeps up.

Does not know which bot it is, nor what is measured apart from times as a person sees them.
"""

import asyncio
import random
import time
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from benchmarks.invented import Talk
from benchmarks.stand_ins import TAG
from playground.world import World

FIRST_PERSON = 1001
FURTHER = 1_000
"""The number of the lone person's first turn next to the others."""
PATIENCE = 120.0
"""Seconds that one answer, or a bot's start, may take before the measurement is given up."""


@dataclass
class Seen:
    """What a person waits for, in seconds from the moment of sending: the first words of an answer, and all of it."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)


@dataclass
class _Question:
    seen: Seen
    asked_at: float
    answered: asyncio.Future[None]
    is_shown: bool = False


@dataclass
class Crowd:
    """People of a world."""

    world: World
    users: int
    _waiting: dict[str, _Question] = field(default_factory=dict)
    _talk: Talk = field(default_factory=lambda: Talk(seed=8))

    def __post_init__(self) -> None:
        for person in (*self.people, self.lone):
            self.world.add_person(person, f"Person {person}")

    @property
    def people(self) -> range:
        return range(FIRST_PERSON, FIRST_PERSON + self.users)

    @property
    def lone(self) -> int:
        """One person more, who writes when told to."""
        return FIRST_PERSON + self.users

    async def talk(self, turns: int) -> Seen:
        """Everybody holds so many turns, all at the same time, each after the answer to the one before."""
        seen = Seen()
        await self._listening([self._hold(person, range(turns), seen) for person in self.people])
        return seen

    async def talk_alone(self, turns: int) -> Seen:
        """The lone person holds so many turns while nobody else writes."""
        seen = Seen()
        await self._listening([self._hold(self.lone, range(turns), seen)])
        return seen

    async def talk_beside(self, others: Coroutine[Any, Any, Seen]) -> tuple[Seen, Seen]:
        """What the others see, and what the lone person sees, who holds one turn after the other meanwhile."""
        seen, further = Seen(), count(FURTHER)
        lone = asyncio.create_task(self._listening([self._hold(self.lone, further, seen)]))
        try:
            return await others, seen
        finally:
            lone.cancel()
            with suppress(asyncio.CancelledError):
                await lone

    async def _hold(self, person: int, turns: Iterable[int], seen: Seen) -> None:
        for turn in turns:
            await self._ask(person, f"#{person}-{turn}", seen)

    async def arrive(self, turns: int, rate: float) -> Seen:
        """As many turns in all, `rate` a second at random moments: nobody waits for an answer before asking again."""
        seen, chance = Seen(), random.Random(9)  # noqa: S311 - not a secret
        moment = 0.0
        asking = []
        for turn in range(turns):
            for person in self.people:
                moment += chance.expovariate(rate)
                asking.append(self._ask(person, f"#{person}-{turn}", seen, after=moment))
        await self._listening(asking)
        return seen

    async def _listening(self, asking: list[Coroutine[Any, Any, None]]) -> None:
        listening = asyncio.create_task(self._listen(self.world.feed.last))
        try:
            await asyncio.gather(*asking)
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening

    async def _ask(self, person: int, tag: str, seen: Seen, *, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        question = _Question(seen, time.perf_counter(), asyncio.get_running_loop().create_future())
        self._waiting[tag] = question
        self.world.say(person, person, f"{self._talk.question()} {tag}")
        async with asyncio.timeout(PATIENCE):
            await question.answered
        seen.whole.append(time.perf_counter() - question.asked_at)

    async def _listen(self, since: int) -> None:
        """Tell who waits when their tag is shown, and when the bot's message with it is there."""
        while True:
            for event in await self.world.feed.after(since):
                since = event["n"]
                message = event.get("message") or event.get("draft") or {}
                is_draft = event["kind"] == "draft"
                if not is_draft and (
                    event["kind"] not in ("message", "edit") or message["from"]["id"] != self.world.bot["id"]
                ):
                    continue
                for tag in TAG.findall(message.get("text", "")):
                    if (question := self._waiting.get(tag)) is None:
                        continue
                    if not question.is_shown:
                        question.is_shown = True
                        question.seen.first.append(time.perf_counter() - question.asked_at)
                    if not is_draft and not question.answered.done():
                        del self._waiting[tag]
                        question.answered.set_result(None)
