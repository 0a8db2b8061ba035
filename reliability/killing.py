"""People who talk while the bot's processes are killed; in the end every answer is waited for.

What is killed when, and where the memory is read, is in crash_test.py (one process) and replicas.py (several).
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
SETTLED_WITHIN = 300.0


@dataclass(kw_only=True)
class Outcome:
    """The result of one test. `with_inbox`: after how many kills updates waited."""

    kills: int = 0
    with_inbox: int = 0
    found: Violations = field(default_factory=Violations)
    unanswered: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.found and not self.unanswered


class KillTest(ABC):
    """The processes of one bot and its people: some alone, and a group of two."""

    storages: Sequence[str]
    """What the people choose, in turns."""
    outcome: Outcome

    def __init__(
        self, house: House, bots: Sequence[Bot], chance: random.Random, *, moves: float, step_patience: float
    ) -> None:
        """`moves` and `step_patience`: see Talker."""
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
        """Everybody sets up and talks through so many rounds of kills. `within`: seconds after which no further round
        begins; 0: however long it takes.
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
                    if task.done():  # nobody may stop talking; what failed is raised
                        task.result()
                if within and time.monotonic() - begun > within:
                    break
            await self.revive()
            await self._settle(talking)

    @abstractmethod
    async def kill(self) -> None:
        """One round: kill, check what is stored, go on."""

    async def revive(self) -> None:
        """Start what is still dead after the last round."""
        return

    async def fetched(self) -> None:
        """Wait until Telegram holds nothing that was said."""
        await self.house.world.updates.emptied()

    @abstractmethod
    def check(self, *, settled: bool) -> None:
        """Add what is wrong in what is stored to the outcome."""

    async def _settle(self, talking: "Sequence[asyncio.Task[None]]") -> None:
        for talker in self.talkers:
            talker.stopping.set()
        await asyncio.wait(talking, timeout=SETTLED_WITHIN)
        self.outcome.unanswered = self.ledger.unanswered()
        await self.fetched()
        torn = self.outcome.found.torn
        for bot in self.bots:
            if await bot.end(signal.SIGTERM) != 0:
                torn.append("a last run did not stop cleanly")
        self.check(settled=True)
        if any(bot.tracebacks() for bot in self.bots):
            torn.append("there are tracebacks in the log")
