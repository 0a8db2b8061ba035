"""Let a hundred people talk to the bot for thousands of turns while random faults happen, and watch its memory use.

`python -m reliability.soak [--turns 10000] [--people 100] [--seed 1] [--max-seconds SECONDS] [--data FOLDER]` prints
one JSON object. The exit status is 1 if an invariant was violated, or if the process kept growing in the second half of
a long run. With `--max-seconds`, the test ends after that time. Telegram fails (429, 502, connections cut before or
after the effect), the model fails (429, 500, connections cut, empty answers), and the disk refuses all writes for a
moment. This needs Linux.
"""

import asyncio
import itertools
import random
import resource
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from benchmarks.measure import read_resident_megabytes
from playground.faults import Fault
from reliability import command
from reliability.invariants import Violations
from reliability.town import (
    STORAGES,
    BotProcess,
    MessageLedger,
    SimulatedUsers,
    make_answer,
    open_bot,
    run_local_servers,
)
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, LocalServers
from tests.peers.openai_server import Answer, Behaviour

TELEGRAM = [
    Fault(kind="retry_after", method="sendMessage", retry_after=1),
    Fault(kind="server_error", method="sendMessage"),
    Fault(kind="drop_before", method="sendMessage"),
    Fault(kind="drop_after", method="sendMessage"),
    Fault(kind="server_error", method="getUpdates"),
    Fault(kind="drop_before", method="getUpdates"),
    Fault(kind="drop_after", method="getUpdates"),
    Fault(kind="retry_after", method="sendChatAction", times=3),
]
MODEL = [
    Behaviour(status=429, retry_after="0"),
    Behaviour(status=500),
    Behaviour(drop="start"),
    Behaviour(text="Half of an", drop="middle"),
    Behaviour(text=""),
]
MODEL_FAILURE_SHARE = 0.03
MEAN_SECONDS_BETWEEN_TELEGRAM_FAULTS = 0.5
MIN_SECONDS_BETWEEN_POLL_FAULTS = 10.0  # the bot pauses for longer after each failed poll in a row
MEAN_SECONDS_BETWEEN_DISK_FAULTS = 20.0
MEAN_DISK_FAULT_SECONDS = 2.0
MIN_TURNS_TO_JUDGE_GROWTH = 8_000  # before that, the process fills its caches
MAX_GROWTH_PERCENT = 5.0  # of resident memory in the later half
THRESHOLDS = (5, 10, 20)
ANSWER_TIMEOUT = 120.0  # seconds after which a person continues without an answer


class SoakTest:
    """A long run of the bot with simulated people and random faults."""

    def __init__(self, servers: LocalServers, bot: BotProcess, rng: random.Random, *, people: int) -> None:
        self._servers = servers
        self._bot = bot
        self._rng = rng
        self.ledger = MessageLedger(servers.world)
        self.injected: Counter[str] = Counter()
        self.rss: list[float] = []
        self.is_listening = True
        self.user_groups = [
            SimulatedUsers(
                self.ledger,
                [servers.add_person(f"Person {number}")],
                rng,
                move_share=0.01,
                thresholds=THRESHOLDS,
                answer_timeout=ANSWER_TIMEOUT,
                step_timeout=ANSWER_TIMEOUT / 4,
            )
            for number in range(people)
        ]

    async def run(self, turns: int, *, max_seconds: float) -> int:
        """Let people talk for `turns` turns, wait for the answers, stop the bot, and return its exit status.

        If `max_seconds` is not 0, begin no further turn after that many seconds.
        """
        async with AsyncExitStack() as stack:

            def cancel_task_on_exit(task: "asyncio.Task[None]") -> None:
                stack.callback(task.cancel)

            cancel_task_on_exit(asyncio.create_task(self.ledger.record_answers_until_cancelled()))
            await self._bot.start()
            await self._bot.wait_until_ready()
            await asyncio.gather(
                *(users.set_up_with_storage(STORAGES[n % 10 == 9]) for n, users in enumerate(self.user_groups))
            )
            self._servers.model.set_default_answer(ANSWERS, self._make_answer)
            self._servers.model.set_default_answer(SUMMARIES, self._make_summary)
            faults = [asyncio.create_task(self._break_telegram()), asyncio.create_task(self._inject_disk_faults())]
            for task in (*faults, asyncio.create_task(self._measure_memory())):
                cancel_task_on_exit(task)
            talking = [asyncio.create_task(users.talk()) for users in self.user_groups]
            for task in talking:
                cancel_task_on_exit(task)
            until = time.monotonic() + max_seconds if max_seconds else float("inf")
            while sum(users.turns for users in self.user_groups) < turns and time.monotonic() < until:
                self._servers.model.requests.clear()
                await asyncio.sleep(0.2)
            for users in self.user_groups:
                users.stopping.set()
            for task in faults:
                task.cancel()
            await asyncio.gather(*faults, return_exceptions=True)
            self._servers.faults.clear_faults()
            await asyncio.wait(talking, timeout=ANSWER_TIMEOUT)
            self.is_listening = await self._wait_until_updates_fetched()
            return await self._bot.stop_with_signal(signal.SIGTERM)

    async def _wait_until_updates_fetched(self) -> bool:
        """Return True once the bot has fetched all updates, or False if it makes no progress."""
        updates = self._servers.world.updates
        while True:
            waiting = len(updates.list_pending())
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_TIMEOUT):
                    await updates.wait_until_polled()
                return True
            if len(updates.list_pending()) >= waiting:
                return False

    def _choose_failure(self) -> Behaviour | None:
        if self._rng.random() >= MODEL_FAILURE_SHARE:
            return None
        self.injected["model"] += 1
        return self._rng.choice(MODEL)

    def _make_answer(self, messages: Sequence[Mapping[str, str]]) -> Answer:
        return self._choose_failure() or make_answer(messages)

    def _make_summary(self, _: Sequence[Mapping[str, str]]) -> Answer:
        return self._choose_failure() or SUMMARY

    async def _break_telegram(self) -> None:
        polls_fail_from = 0.0
        while True:
            await asyncio.sleep(self._rng.expovariate(1 / MEAN_SECONDS_BETWEEN_TELEGRAM_FAULTS))
            fault = self._rng.choice(TELEGRAM)
            if fault.method == "getUpdates":
                # After several failures in a row, the bot waits up to 30 s before it polls again.
                if time.monotonic() < polls_fail_from:
                    continue
                polls_fail_from = time.monotonic() + MIN_SECONDS_BETWEEN_POLL_FAULTS
            self._servers.faults.add(fault)
            self.injected["telegram"] += 1

    async def _inject_disk_faults(self) -> None:
        while True:
            await asyncio.sleep(self._rng.expovariate(1 / MEAN_SECONDS_BETWEEN_DISK_FAULTS))
            self.injected["disk"] += 1
            try:
                resource.prlimit(self._bot.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
                await asyncio.sleep(self._rng.random() * 2 * MEAN_DISK_FAULT_SECONDS)
            finally:
                resource.prlimit(self._bot.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    async def _measure_memory(self) -> None:
        while True:
            self.rss.append(read_resident_megabytes(self._bot.pid))
            await asyncio.sleep(0.5)


def compute_medians_of_parts(values: Sequence[float], part_count: int) -> list[float]:
    """Split the values into `part_count` parts of the same length, and return the median of each."""
    cuts = [len(values) * number // part_count for number in range(part_count + 1)]
    return [statistics.median(values[begin:end] or values) for begin, end in itertools.pairwise(cuts)]


def compute_growth_percent(medians: Sequence[float]) -> float:
    """Return the growth from the fifth to the last median, in percent. `medians` has one value per eighth of a run."""
    return round(100 * (medians[-1] / medians[len(medians) // 2] - 1), 1)


async def run_soak_test(folder: Path, *, turns: int, people: int, seed: int, max_seconds: int = 0) -> dict[str, object]:
    """Run the soak test in `folder` and return its report."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        servers = await stack.enter_async_context(run_local_servers(folder, lambda: rng.random() * 0.02))
        environ = servers.make_environ(LOG_LEVEL="WARNING")
        bot = await stack.enter_async_context(open_bot(environ, folder=servers.data_dir, snapshot_after=1_000_000))
        work = SoakTest(servers, bot, rng, people=people)
        status = await work.run(turns, max_seconds=max_seconds)
        found = Violations()
        found.add(work.ledger.read_and_check_folder(servers.data_dir, expects_all_messages=True)[0])
        if status or bot.count_tracebacks():
            found.torn.append(f"status {status}, {bot.count_tracebacks()} tracebacks")
        if not work.is_listening:
            found.torn.append(
                f"polls no more; Telegram still holds {len(servers.world.updates.list_pending())} updates"
            )
        (folder / "log").write_text(bot.read_log(), encoding="utf-8")
    unanswered = work.ledger.list_unanswered_messages()
    said = sum(users.turns for users in work.user_groups)
    eighths = compute_medians_of_parts(work.rss, 8)
    is_flat = said < MIN_TURNS_TO_JUDGE_GROWTH or compute_growth_percent(eighths) <= MAX_GROWTH_PERCENT
    return {
        "turns": said,
        "people": people,
        "seed": seed,
        "faults": dict(work.injected),
        **found.count_by_kind(),
        "violations": sum(found.count_by_kind().values()),
        "unanswered": len(unanswered),
        "answered_with_an_apology": work.ledger.apologies,
        "rss_mb_by_quarter": compute_medians_of_parts(work.rss, 4),
        "rss_mb_by_eighth": eighths,
        "rss_growth_in_the_later_half_percent": compute_growth_percent(eighths),
        "seconds": round(time.monotonic() - started),
        "is_good": not found and is_flat,
        "unanswered_words": unanswered[:20],
        **({"first": str(found)[:2000]} if found else {}),
    }


if __name__ == "__main__":
    sys.exit(
        command.run_test_from_command_line(
            __doc__, {"turns": 10_000, "people": 100, "seed": 1, "max_seconds": 0}, run_soak_test
        )
    )
