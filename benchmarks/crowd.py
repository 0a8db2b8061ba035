"""Simulates people who talk to a bot at the same time, each in a private chat, and measures its response times."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from benchmarks.invented import MessageGenerator
from benchmarks.stand_ins import TAG
from playground.world import World

FIRST_PERSON = 1001
MAX_WAIT_SECONDS = 120.0  # for one answer or for a bot's start; after that, the measurement fails


@dataclass
class Crowd:
    """Simulated people who talk to a bot in one world."""

    world: World
    people_count: int
    _waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _generator: MessageGenerator = field(default_factory=lambda: MessageGenerator(seed=8))

    def __post_init__(self) -> None:
        for person in self.person_numbers:
            self.world.add_person(person, f"Person {person}")

    @property
    def person_numbers(self) -> range:
        return range(FIRST_PERSON, FIRST_PERSON + self.people_count)

    async def measure_response_times(self, turns: int) -> list[float]:
        """Let everybody send `turns` messages, and return the seconds from each message to its answer.

        All people send at the same time. Each of them waits for an answer before sending the next message.
        """
        watching = asyncio.create_task(self._watch_for_answers(self.world.feed.last))
        try:
            times = await asyncio.gather(
                *(self._measure_response_times_of(person, turns) for person in self.person_numbers)
            )
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        return [seconds for person_times in times for seconds in person_times]

    async def _measure_response_times_of(self, person: int, turns: int) -> list[float]:
        times = []
        for turn in range(turns):
            tag, asked_at = f"#{person}-{turn}", time.perf_counter()
            answered = self._waiting[tag] = asyncio.get_running_loop().create_future()
            self.world.say(person, person, f"{self._generator.make_question()} {tag}")
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await answered
            times.append(time.perf_counter() - asked_at)
        return times

    async def _watch_for_answers(self, since: int) -> None:
        """Wake each waiting person when a message from the bot contains their tag, until cancelled."""
        while True:
            for event in await self.world.feed.wait_for_entries(since):
                since = event["n"]
                if event["kind"] in ("message", "edit") and event["message"]["from"]["id"] == self.world.bot["id"]:
                    for tag in TAG.findall(event["message"].get("text", "")):
                        if answered := self._waiting.pop(tag, None):
                            answered.set_result(None)
