"""Many people who talk to a bot at once, each in a private chat, and the times that they measure."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from benchmarks.invented import Talk
from benchmarks.stand_ins import TAG
from playground.world import World

FIRST_PERSON = 1001
PATIENCE = 120.0  # seconds that one answer, or a bot's start, may take before the measurement is given up


@dataclass
class Crowd:
    """The people of one world."""

    world: World
    users: int
    _waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _talk: Talk = field(default_factory=lambda: Talk(seed=8))

    def __post_init__(self) -> None:
        for person in self.people:
            self.world.add_person(person, f"Person {person}")

    @property
    def people(self) -> range:
        return range(FIRST_PERSON, FIRST_PERSON + self.users)

    async def talk(self, turns: int) -> list[float]:
        """Let everybody hold this many turns at the same time, each after the previous answer.

        Return the seconds from each question to its answer.
        """
        listening = asyncio.create_task(self._listen(self.world.feed.last))
        try:
            waits = await asyncio.gather(*(self._hold(person, turns) for person in self.people))
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
        return [wait for held in waits for wait in held]

    async def _hold(self, person: int, turns: int) -> list[float]:
        waits = []
        for turn in range(turns):
            tag, asked_at = f"#{person}-{turn}", time.perf_counter()
            answered = self._waiting[tag] = asyncio.get_running_loop().create_future()
            self.world.say(person, person, f"{self._talk.question()} {tag}")
            async with asyncio.timeout(PATIENCE):
                await answered
            waits.append(time.perf_counter() - asked_at)
        return waits

    async def _listen(self, since: int) -> None:
        """Wake the waiting person when the bot's message with their tag arrives."""
        while True:
            for event in await self.world.feed.after(since):
                since = event["n"]
                if event["kind"] in ("message", "edit") and event["message"]["from"]["id"] == self.world.bot["id"]:
                    for tag in TAG.findall(event["message"].get("text", "")):
                        if answered := self._waiting.pop(tag, None):
                            answered.set_result(None)
