"""kill -9 at random moments while people talk, fold, move between stores: is anything lost, doubled or torn?

`python -m reliability.crash_test [--kills 500] [--seed 1] [--data FOLDER]` prints one JSON object; its exit status is
1 when anything was violated. After each kill the files are read as they are, before anything recovers them.
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from reliability.invariants import Violations
from reliability.town import STORAGES, Bot, Ledger, Talker, open_bot, open_town
from tests.end_to_end.harness import House

PEOPLE = 6
LONGEST_RUN = 1.5
"""Seconds that a run lives at most once it fetches updates."""
AT_START = 0.3
"""The share of kills that come before a run is ready."""
AT_MOVE = 0.4
"""The share of the other kills that come just after a move between stores was asked for."""
WITHOUT_INDEX = 0.2
"""The share of kills after which the JSON store rebuilds its working copy, as it does after a power failure."""
SETTLED_WITHIN = 300.0


@dataclass(kw_only=True)
class Outcome:
    """The result of one crash test."""

    kills: int = 0
    at_start: int = 0
    while_moving: int = 0
    with_inbox: int = 0
    without_index: int = 0
    found: Violations = field(default_factory=Violations)
    unanswered: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.found and not self.unanswered


class CrashTest:
    """One bot, its people, and the kills."""

    def __init__(self, house: House, bot: Bot, chance: random.Random, *, data: Path) -> None:
        self._bot = bot
        self._chance = chance
        self._data = data
        self._house = house
        self.ledger = Ledger(house.world)
        people = [house.person(f"Person {number}") for number in range(PEOPLE + 2)]
        group = house.group(*people[PEOPLE:], admins=people[PEOPLE : PEOPLE + 1])
        chats = [[person] for person in people[:PEOPLE]] + [[person.within(group) for person in people[PEOPLE:]]]
        self.talkers = [Talker(self.ledger, members, chance, moves=0.25) for members in chats]
        self.outcome = Outcome()

    async def run(self, kills: int) -> None:
        """Everybody sets up and talks through all the kills; in the end every answer is waited for."""
        async with AsyncExitStack() as stack:
            watching = asyncio.create_task(self.ledger.watch())
            stack.callback(watching.cancel)
            await self._bot.begin()
            await self._bot.ready()
            for number, talker in enumerate(self.talkers):
                await talker.configure_as(STORAGES[number % 2])
            talking = [asyncio.create_task(talker.talk()) for talker in self.talkers]
            for task in talking:
                stack.callback(task.cancel)
            for _ in range(kills):
                await self._kill()
            await self._settle(talking)

    async def _kill(self) -> None:
        """One kill: of the current run, or of the next one while it starts."""
        if self._chance.random() < AT_START:
            await self._bot.end(signal.SIGKILL)
            await self._bot.begin()
            # The moment of the kill is drawn at random; it waits for nothing.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._bot.ready(), self._chance.random() * 0.3)
            self.outcome.at_start += 1
            self.outcome.kills += 1
        elif self._chance.random() < AT_MOVE:
            moves = [asyncio.create_task(talker.moving.wait()) for talker in self.talkers]
            await asyncio.wait(moves, timeout=LONGEST_RUN, return_when=asyncio.FIRST_COMPLETED)
            for move in moves:
                move.cancel()
            await asyncio.sleep(self._chance.random() * 0.1)
        else:
            await asyncio.sleep(self._chance.random() ** 2 * LONGEST_RUN)
        await self._bot.end(signal.SIGKILL)
        self.outcome.kills += 1
        found, files = self.ledger.check(self._data)
        self.outcome.found.add(found)
        self.outcome.while_moving += bool(files.moving)
        self.outcome.with_inbox += bool(files.inbox)
        index = list(self._data.glob("index.db*"))
        if index and self._chance.random() < WITHOUT_INDEX:
            for file in index:
                file.unlink()
            self.outcome.without_index += 1
        await self._bot.begin()
        await self._bot.ready()

    async def _settle(self, talking: list[asyncio.Task[None]]) -> None:
        for talker in self.talkers:
            talker.stopping.set()
        await asyncio.wait(talking, timeout=SETTLED_WITHIN)
        self.outcome.unanswered = self.ledger.unanswered()
        await self._house.world.updates.polled()
        if await self._bot.end(signal.SIGTERM) != 0:
            self.outcome.found.torn.append("the last run did not stop cleanly")
        self.outcome.found.add(self.ledger.check(self._data, settled=True)[0])
        if self._bot.tracebacks():
            self.outcome.found.torn.append("there are tracebacks in the log")


async def crash_test(folder: Path, *, kills: int, seed: int) -> dict[str, object]:
    """Run it in `folder`; the object that is printed."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(open_town(folder, chance))
        environ = house.environ(LOG_LEVEL="INFO")
        bot = await stack.enter_async_context(open_bot(environ, folder=house.data, snapshot_after=20_000))
        test = CrashTest(house, bot, chance, data=house.data)
        await test.run(kills)
        if test.outcome.found:
            (folder / "log").write_text(bot.text(), encoding="utf-8")
    done = test.outcome
    return {
        "kills": done.kills,
        "seed": seed,
        "kills_at_start": done.at_start,
        "kills_while_moving": done.while_moving,
        "kills_with_work_in_the_inbox": done.with_inbox,
        "working_copies_rebuilt": done.without_index,
        "messages": len(test.ledger.said),
        **done.found.counts(),
        "unanswered": len(done.unanswered),
        "answered_again": sum(times > 1 for times in test.ledger.answered.values()),
        "wizards_begun_again": sum(talker.stuck for talker in test.talkers),
        "seconds": round(time.monotonic() - started),
        "is_good": done.is_good,
        **({"first": str(done.found)[:2000], "unanswered_words": done.unanswered[:20]} if not done.is_good else {}),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="an empty folder to work in, kept afterwards")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as away:
        result = asyncio.run(crash_test(options.data or Path(away), kills=options.kills, seed=options.seed))
    print(json.dumps(result, indent=2))
    return 0 if result["is_good"] else 1


if __name__ == "__main__":
    sys.exit(main())
