"""Kill the bot with SIGKILL at random moments while people talk to it and move their memory between stores.

`python -m reliability.crash_test [--kills 500] [--seed 1] [--max-seconds SECONDS] [--data FOLDER]` prints one JSON
object. The exit status is 1 if an invariant was violated. After each kill, the files are checked before the bot
recovers them. With `--max-seconds`, the test ends after that time and reports the kills so far.
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
from reliability.town import STORAGES, BotProcess, open_bot, run_local_servers
from tests.end_to_end.harness import LocalServers

MAX_RUN_SECONDS = 1.5  # from when the bot is ready to the kill
SHARE_AT_START = 0.3  # of the rounds in which the next run is also killed, while it starts
SHARE_AT_MOVE = 0.4  # of the other rounds, in which the kill follows a request to move between stores
SHARE_WITHOUT_INDEX = 0.2  # of the kills after which index.db is deleted, as it may be lost in a power failure


@dataclass(kw_only=True)
class CrashOutcome(killing.KillOutcome):
    """The result of a crash test.

    `at_start` is the number of kills before the bot was ready, and `while_moving` the number during a move between
    stores. `without_index` is the number of kills after which index.db was deleted.
    """

    at_start: int = 0
    while_moving: int = 0
    without_index: int = 0


class CrashTest(killing.KillTest):
    """Kills the only process of a bot, and sometimes also the next one while it starts."""

    storages = STORAGES
    outcome: CrashOutcome

    def __init__(self, servers: LocalServers, bot: BotProcess, rng: random.Random, *, data: Path) -> None:
        super().__init__(servers, [bot], rng, move_share=0.25, step_timeout=5.0)
        self._data = data
        self.outcome = CrashOutcome()

    async def kill_process(self) -> None:
        """Kill the current run, check the files, and start the next one. Sometimes also kill a run while it starts."""
        if self.rng.random() < SHARE_AT_START:
            await self.bots[0].stop_with_signal(signal.SIGKILL)
            await self.bots[0].start()
            # The kill has to come at a random moment, so this waits for a time and not for an event.
            with suppress(TimeoutError):
                await asyncio.wait_for(self.bots[0].wait_until_ready(), self.rng.random() * 0.3)
            self.outcome.at_start += 1
            self.outcome.kills += 1
        elif self.rng.random() < SHARE_AT_MOVE:
            moves = [asyncio.create_task(users.moving.wait_for_notification()) for users in self.user_groups]
            await asyncio.wait(moves, timeout=MAX_RUN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for move in moves:
                move.cancel()
            await asyncio.sleep(self.rng.random() * 0.1)
        else:
            await asyncio.sleep(self.rng.random() ** 2 * MAX_RUN_SECONDS)
        await self.bots[0].stop_with_signal(signal.SIGKILL)
        self.outcome.kills += 1
        self.check_invariants(expects_all_messages=False)
        index = list(self._data.glob("index.db*"))
        if index and self.rng.random() < SHARE_WITHOUT_INDEX:
            for file in index:
                file.unlink()
            self.outcome.without_index += 1
        await self.bots[0].start()
        await self.bots[0].wait_until_ready()

    def check_invariants(self, *, expects_all_messages: bool) -> None:
        found, state = self.ledger.read_and_check_folder(self._data, expects_all_messages=expects_all_messages)
        self.outcome.found.add(found)
        self.outcome.while_moving += bool(state.moving)
        self.outcome.with_inbox += bool(state.inbox)


async def run_crash_test(folder: Path, *, kills: int, seed: int, max_seconds: int = 0) -> dict[str, object]:
    """Run the crash test in `folder` and return its report."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        servers = await stack.enter_async_context(run_local_servers(folder, lambda: rng.random() * 0.05))
        environ = servers.make_environ(LOG_LEVEL="INFO")
        bot = await stack.enter_async_context(open_bot(environ, folder=servers.data_dir, snapshot_after=20_000))
        test = CrashTest(servers, bot, rng, data=servers.data_dir)
        await test.run(kills, max_seconds=max_seconds)
        if test.outcome.found:
            (folder / "log").write_text(bot.read_log(), encoding="utf-8")
    outcome = test.outcome
    return {
        "kills": outcome.kills,
        "seed": seed,
        "kills_at_start": outcome.at_start,
        "kills_while_moving": outcome.while_moving,
        "kills_with_work_in_the_inbox": outcome.with_inbox,
        "working_copies_rebuilt": outcome.without_index,
        "messages": len(test.ledger.said),
        **outcome.found.count_by_kind(),
        "unanswered": len(outcome.unanswered),
        "answered_again": sum(times > 1 for times in test.ledger.answered.values()),
        "wizards_begun_again": sum(users.failed_setups for users in test.user_groups),
        "seconds": round(time.monotonic() - started),
        "is_good": outcome.has_passed,
        **(
            {"first": str(outcome.found)[:2000], "unanswered_words": outcome.unanswered[:20]}
            if not outcome.has_passed
            else {}
        ),
    }


if __name__ == "__main__":
    sys.exit(command.run_test_from_command_line(__doc__, {"kills": 500, "seed": 1, "max_seconds": 0}, run_crash_test))
