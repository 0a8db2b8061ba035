"""Kill the bot with SIGKILL at random moments while people talk, fold and move between stores.

`python -m reliability.crash_test [--kills 500] [--seed 1] [--within SECONDS] [--data FOLDER]` prints one JSON object.
The exit status is 1 if an invariant was violated. After each kill, the files are read before anything recovers them.
With `--within`, the test ends early and reports the kills so far.
"""

import asyncio
import random
import signal
import sys
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from reliability import command, killing
from reliability.town import STORAGES, Bot, open_bot, open_town
from tests.end_to_end.harness import House

MAX_RUN_SECONDS = 1.5  # the longest time from fetching updates to the kill
SHARE_AT_START = 0.3  # kills before the bot is ready
SHARE_AT_MOVE = 0.4  # of the other kills: just after somebody asked for a move between stores
SHARE_WITHOUT_INDEX = 0.2  # kills after which index.db is deleted, as a power failure may do


@dataclass(kw_only=True)
class Outcome(killing.Outcome):
    """The result of one crash test."""

    at_start: int = 0
    while_moving: int = 0
    without_index: int = 0


class CrashTest(killing.KillTest):
    """A kill test of one process."""

    storages = STORAGES
    outcome: Outcome

    def __init__(self, house: House, bot: Bot, chance: random.Random, *, data: Path) -> None:
        super().__init__(house, [bot], chance, moves=0.25, step_patience=5.0)
        self._data = data
        self.outcome = Outcome()

    async def kill(self) -> None:
        """Kill the current run, or kill it and the next one while that starts."""
        if self.chance.random() < SHARE_AT_START:
            await self.bots[0].end(signal.SIGKILL)
            await self.bots[0].begin()
            # The kill comes at a random moment, so this sleep waits for no event.
            with suppress(TimeoutError):
                await asyncio.wait_for(self.bots[0].ready(), self.chance.random() * 0.3)
            self.outcome.at_start += 1
            self.outcome.kills += 1
        elif self.chance.random() < SHARE_AT_MOVE:
            moves = [asyncio.create_task(talker.moving.wait()) for talker in self.talkers]
            await asyncio.wait(moves, timeout=MAX_RUN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for move in moves:
                move.cancel()
            await asyncio.sleep(self.chance.random() * 0.1)
        else:
            await asyncio.sleep(self.chance.random() ** 2 * MAX_RUN_SECONDS)
        await self.bots[0].end(signal.SIGKILL)
        self.outcome.kills += 1
        self.check(settled=False)
        index = list(self._data.glob("index.db*"))
        if index and self.chance.random() < SHARE_WITHOUT_INDEX:
            for file in index:
                file.unlink()
            self.outcome.without_index += 1
        await self.bots[0].begin()
        await self.bots[0].ready()

    def check(self, *, settled: bool) -> None:
        found, files = self.ledger.check(self._data, settled=settled)
        self.outcome.found.add(found)
        self.outcome.while_moving += bool(files.moving)
        self.outcome.with_inbox += bool(files.inbox)


async def crash_test(folder: Path, *, kills: int, seed: int, within: int = 0) -> dict[str, object]:
    """Run the test in `folder` and return its report."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(open_town(folder, chance))
        environ = house.environ(LOG_LEVEL="INFO")
        bot = await stack.enter_async_context(open_bot(environ, folder=house.data, snapshot_after=20_000))
        test = CrashTest(house, bot, chance, data=house.data)
        await test.run(kills, within=within)
        if test.outcome.found:
            (folder / "log").write_text(bot.read_log(), encoding="utf-8")
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


if __name__ == "__main__":
    sys.exit(command.run(__doc__, {"kills": 500, "seed": 1, "within": 0}, crash_test))
