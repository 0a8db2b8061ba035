"""Kill random processes of several that serve one bot, and look for lost, doubled or reordered messages.

`python -m reliability.replicas [--kills 500] [--pauses 10] [--lost 0] [--webhook 0] [--replicas 3] [--seed 1]
[--within SECONDS] [--data FOLDER]` starts its own PostgreSQL server and prints one JSON object. The exit status is 1 if
an invariant was violated. After each kill and pause, the tables are read while the other processes continue. With
`--within`, the test ends early. With `--lost N`, the reply to one COMMIT in N is lost. With `--webhook 1`, updates
arrive by webhook at a random process.
"""

import asyncio
import itertools
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from reliability import command, killing
from reliability.invariants import Files, find_violations, read_server
from reliability.town import WORD, Bot, open_bot, open_town
from tests.end_to_end.harness import House
from tests.peers.ports import kept_port
from tests.support.postgres_server import as_uri, new_database, postgres_server
from tests.support.postgres_wire import laid

MAX_PAUSE_SECONDS = 1.5  # the longest time between two kills
SHARE_STAYING_DEAD = 0.03  # kills after which the process stays dead until the next kill, so the others take over
MIN_HANG_SECONDS = 5.0
MAX_HANG_SECONDS = 60.0  # leases last 20 s, so some pauses lose them
KILLS_PER_PROGRESS_LINE = 20


def find_reordered(files: Files) -> list[str]:
    """Find messages that were stored before earlier ones, by the numbers in their words."""
    found = []
    for owner in files.homes:
        asked = sorted((row["id"], row["content"]) for row in files.home(owner).messages if row["role"] == "user")
        numbers = [int(word[1:-1]) for _, text in asked for word in WORD.findall(text)]
        found += [
            f"{owner}: {first} before {second}" for first, second in itertools.pairwise(numbers) if first > second
        ]
    return found


@dataclass(kw_only=True)
class Outcome(killing.Outcome):
    """The result of one test."""

    hung: int = 0
    stayed_dead: int = 0
    disordered: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return super().is_good and not self.disordered


class ReplicaTest(killing.KillTest):
    """A kill test of several processes."""

    storages = ("PostgreSQL",)
    outcome: Outcome

    def __init__(
        self, house: House, bots: Sequence[Bot], address: str, chance: random.Random, *, pauses: float
    ) -> None:
        """Pause a process before a kill with the probability `pauses`."""
        super().__init__(house, bots, chance, moves=0.0, step_patience=120.0)
        self.address = address
        self._pauses = pauses
        self._dead: set[int] = set()
        self.begun = time.monotonic()
        self.outcome = Outcome()

    async def kill(self) -> None:
        await asyncio.sleep(self.chance.random() ** 2 * MAX_PAUSE_SECONDS)
        living = [number for number in range(len(self.bots)) if number not in self._dead]
        number = self.chance.choice(living)
        bot = self.bots[number]
        if self.chance.random() < self._pauses:
            await self.pause(self.chance.choice(living))
        await bot.end(signal.SIGKILL)
        self.outcome.kills += 1
        self.check(settled=False)
        await self.revive()
        if self.chance.random() < SHARE_STAYING_DEAD and len(living) > 1:
            self._dead.add(number)
            self.outcome.stayed_dead += 1
        else:
            await bot.serve()
        if self.outcome.kills % KILLS_PER_PROGRESS_LINE == 0:
            print(f"{self.outcome.kills} kills, {self.outcome.found.counts()}", file=sys.stderr, flush=True)

    async def pause(self, number: int) -> None:
        bot = self.bots[number]
        os.kill(bot.pid, signal.SIGSTOP)
        await asyncio.sleep(self.chance.uniform(MIN_HANG_SECONDS, MAX_HANG_SECONDS))
        os.kill(bot.pid, signal.SIGCONT)
        await asyncio.sleep(self.chance.random())
        self.outcome.hung += 1
        self.check(settled=False)

    async def revive(self) -> None:
        for number in sorted(self._dead):
            await self.bots[number].serve()
        self._dead.clear()

    def check(self, *, settled: bool) -> None:
        # The Bot API server and the model run in this process, so nobody sends anything while the tables are read.
        pending = str(self.house.world.updates.pending())
        files = read_server(self.address)
        self.outcome.found.add(find_violations(files))
        self.outcome.found.add(self.ledger.find_missing(files, pending, settled=settled))
        self.outcome.with_inbox += bool(files.inbox)
        self.outcome.disordered += find_reordered(files)


def make_report(test: ReplicaTest, **options: int) -> dict[str, object]:
    """Return the report of a test together with its options."""
    done = test.outcome
    return {
        "kills": done.kills,
        **options,
        "hung_and_woke": done.hung,
        "stayed_dead": done.stayed_dead,
        "kills_with_work_in_the_inbox": done.with_inbox,
        "messages": len(test.ledger.said),
        **done.found.counts(),
        "out_of_order": len(done.disordered),
        "unanswered": len(done.unanswered),
        "answered_again": sum(times > 1 for times in test.ledger.answered.values()),
        "apologies": test.ledger.apologies,
        "seconds": round(time.monotonic() - test.begun),
        "is_good": done.is_good,
        **({"first": f"{done.found} {done.disordered[:5]}"[:2000]} if not done.is_good else {}),
    }


@asynccontextmanager
async def run_load_balancer(ports: Sequence[int], chance: random.Random) -> AsyncIterator[str]:
    """Yield a webhook URL whose connections go to a random port on which a process listens."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def handle_connection(from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        for port in chance.sample(ports, len(ports)):
            with suppress(OSError):
                from_bot, to_bot = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(pass_on(from_client, to_bot), pass_on(from_bot, to_client))
                return
        to_client.close()

    async with await asyncio.start_server(handle_connection, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"


async def replica_test(
    folder: Path, *, kills: int, pauses: int, lost: int, webhook: int, replicas: int, seed: int, within: int = 0
) -> dict[str, object]:
    """Run the test in `folder` and return its report."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    async with AsyncExitStack() as stack:
        server = stack.enter_context(postgres_server())
        address = new_database(server, f"replicas_{os.getpid()}")
        house = await stack.enter_async_context(open_town(folder, chance))
        behind, wire = await stack.enter_async_context(laid(address))
        wire.cuts_some = lambda: bool(lost) and chance.random() * lost < 1
        settings = {"LOG_LEVEL": "INFO", "DATABASE_URL": as_uri(behind)}
        ports = [stack.enter_context(kept_port()) for _ in range(replicas)]
        if webhook:
            settings["WEBHOOK_URL"] = await stack.enter_async_context(run_load_balancer(ports, chance))
        bots = []
        for number, port in enumerate(ports):
            environ = house.environ(**settings, WEBHOOK_LISTEN=f"127.0.0.1:{port}")
            opening = open_bot(environ, folder=folder / f"data-{number}", snapshot_after=20_000)
            bots.append(await stack.enter_async_context(opening))
        test = ReplicaTest(house, bots, address, chance, pauses=pauses / kills)
        await test.run(kills, within=within)
        if not test.outcome.is_good:
            for number, bot in enumerate(bots):
                (folder / f"log-{number}").write_text(bot.read_log(), encoding="utf-8")
    return make_report(test, lost_commits=wire.cut, webhook=webhook, replicas=replicas, seed=seed)


if __name__ == "__main__":
    numbers = {"kills": 500, "pauses": 10, "lost": 0, "webhook": 0, "replicas": 3, "seed": 1, "within": 0}
    sys.exit(command.run(__doc__, numbers, replica_test))
