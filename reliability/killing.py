"""A test in which people talk while the bot's processes are killed.

crash_test.py (one process) and replicas.py (several) decide which process is killed when, and read the memory.
"""

import asyncio
import random
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from reliability.invariants import Violations
from reliability.town import Bot, Ledger, Talker
from tests.end_to_end.harness import House

PEOPLE = 6
MAX_SETTLE_SECONDS = 300.0  # for the last answers, after the last kill


@dataclass(kw_only=True)
class Outcome:
    """The result of one test. `with_inbox` counts the kills after which updates were waiting."""

    kills: int = 0
    with_inbox: int = 0
    found: Violations = field(default_factory=Violations)
    unanswered: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.found and not self.unanswered


class KillTest(ABC):
    """The processes of one bot, six people in private chats, and a group of two."""

    storages: Sequence[str]
    """The storages that the people choose in the setup, one after another."""
    outcome: Outcome

    def __init__(
        self, house: House, bots: Sequence[Bot], chance: random.Random, *, moves: float, step_patience: float
    ) -> None:
        """Pass `moves` and `step_patience` to each Talker."""
        self.house = house
        self.bots = bots
        self.chance = chance
        self.ledger = Ledger(house.world)
        people = [house.person(f"Person {number}") for number in range(PEOPLE + 2)]
        group = house.group(*people[PEOPLE:], admins=people[PEOPLE : PEOPLE + 1])
        chats = [[person] for person in people[:PEOPLE]] + [[person.within(group) for person in people[PEOPLE:]]]
        self.talkers = [
            Talker(self.ledger, members, chance, moves=moves, step_patience=step_patience) for members in chats
        ]

    async def run(self, rounds: int, *, within: float = 0.0) -> None:
        """Let everybody set up and talk during `rounds` rounds of kills, then check what is stored.

        Begin no further round after `within` seconds, unless it is 0.
        """
        begun = time.monotonic()
        async with AsyncExitStack() as stack:
            watching = asyncio.create_task(self.ledger.watch())
            stack.callback(watching.cancel)
            for bot in self.bots:
                await bot.serve()
            for number, talker in enumerate(self.talkers):
                await talker.configure_as(self.storages[number % len(self.storages)])
            talking = [asyncio.create_task(talker.talk()) for talker in self.talkers]
            for task in talking:
                stack.callback(task.cancel)
            for _ in range(rounds):
                await self.kill()
                for task in talking:
                    if task.done():  # a talker stops early only because of an error, which this raises
                        task.result()
                if within and time.monotonic() - begun > within:
                    break
            await self.revive()
            await self._settle(talking)

    @abstractmethod
    async def kill(self) -> None:
        """Kill a process, check what is stored, and restart it."""

    async def revive(self) -> None:
        """Start the processes that are still dead."""
        return

    async def wait_until_fetched(self) -> None:
        """Wait until Telegram holds no more updates."""
        await self.house.world.updates.emptied()

    @abstractmethod
    def check(self, *, settled: bool) -> None:
        """Check what is stored, and add the violations to the outcome."""

    async def _settle(self, talking: "Sequence[asyncio.Task[None]]") -> None:
        for talker in self.talkers:
            talker.stopping.set()
        await asyncio.wait(talking, timeout=MAX_SETTLE_SECONDS)
        self.outcome.unanswered = self.ledger.list_unanswered()
        await self.wait_until_fetched()
        torn = self.outcome.found.torn
        for bot in self.bots:
            if await bot.end(signal.SIGTERM) != 0:
                torn.append("a last run did not stop cleanly")
        self.check(settled=True)
        if any(bot.count_tracebacks() for bot in self.bots):
            torn.append("there are tracebacks in the log")
