"""Kill random processes out of several that serve one bot, and look for lost, duplicated or reordered messages.

`python -m reliability.replicas [--kills 500] [--pauses 10] [--lost-reply-every 0] [--webhook 0] [--replicas 3]
[--seed 1] [--max-seconds SECONDS] [--data FOLDER]` starts its own PostgreSQL server and prints one JSON object. The
exit status is 1 if an invariant was violated.

After each kill and pause, the tables are checked while the other processes continue. With `--max-seconds`, the test
ends after that time. With `--lost-reply-every N`, the reply to one COMMIT in N is lost. With `--webhook 1`, each update
is sent to the webhook of a random process.
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
from reliability.invariants import MemoryState, find_violations, read_postgres
from reliability.town import WORD, BotProcess, open_bot, run_local_servers
from tests.end_to_end.harness import LocalServers
from tests.peers.ports import reserve_port
from tests.support.postgres_server import create_database, format_uri, run_postgres_server
from tests.support.postgres_wire import lay_wire

MAX_PAUSE_SECONDS = 1.5  # between two kills
SHARE_STAYING_DEAD = 0.03  # of the kills after which the process stays dead until the next kill, and others take over
MIN_HANG_SECONDS = 5.0
MAX_HANG_SECONDS = 60.0  # leases last 20 s, so a process loses them in a long pause
KILLS_PER_PROGRESS_LINE = 20


def find_reordered_messages(state: MemoryState) -> list[str]:
    """Return a line for each message that was stored before an earlier one, judged by the numbers in their texts."""
    found = []
    for owner in state.homes:
        asked = sorted(
            (row["id"], row["content"]) for row in state.get_owner_rows(owner).messages if row["role"] == "user"
        )
        numbers = [int(word[1:-1]) for _, text in asked for word in WORD.findall(text)]
        found += [
            f"{owner}: {first} before {second}" for first, second in itertools.pairwise(numbers) if first > second
        ]
    return found


@dataclass(kw_only=True)
class ReplicaOutcome(killing.KillOutcome):
    """The result of a replica test.

    `hung` is the number of pauses, and `stayed_dead` the number of processes that were not restarted immediately.
    `disordered` lists messages that were stored in the wrong order.
    """

    hung: int = 0
    stayed_dead: int = 0
    disordered: list[str] = field(default_factory=list)

    @property
    def has_passed(self) -> bool:
        return super().has_passed and not self.disordered


class ReplicaTest(killing.KillTest):
    """Kills and pauses single processes of a bot while the others serve its users."""

    storages = ("PostgreSQL",)
    outcome: ReplicaOutcome

    def __init__(
        self, servers: LocalServers, bots: Sequence[BotProcess], address: str, rng: random.Random, *, pauses: float
    ) -> None:
        """Test `bots`, whose database is at `address`. `pauses` is the probability of a pause before each kill."""
        super().__init__(servers, bots, rng, move_share=0.0, step_timeout=120.0)
        self.address = address
        self._pauses = pauses
        self._dead: set[int] = set()
        self.begun = time.monotonic()
        self.outcome = ReplicaOutcome()

    async def kill_process(self) -> None:
        await asyncio.sleep(self.rng.random() ** 2 * MAX_PAUSE_SECONDS)
        living = [number for number in range(len(self.bots)) if number not in self._dead]
        number = self.rng.choice(living)
        bot = self.bots[number]
        if self.rng.random() < self._pauses:
            await self.pause_process(self.rng.choice(living))
        await bot.stop_with_signal(signal.SIGKILL)
        self.outcome.kills += 1
        self.check_invariants(expects_all_messages=False)
        await self.restart_dead_processes()
        if self.rng.random() < SHARE_STAYING_DEAD and len(living) > 1:
            self._dead.add(number)
            self.outcome.stayed_dead += 1
        else:
            await bot.start_and_wait()
        if self.outcome.kills % KILLS_PER_PROGRESS_LINE == 0:
            print(f"{self.outcome.kills} kills, {self.outcome.found.count_by_kind()}", file=sys.stderr, flush=True)

    async def pause_process(self, number: int) -> None:
        bot = self.bots[number]
        os.kill(bot.pid, signal.SIGSTOP)
        await asyncio.sleep(self.rng.uniform(MIN_HANG_SECONDS, MAX_HANG_SECONDS))
        os.kill(bot.pid, signal.SIGCONT)
        await asyncio.sleep(self.rng.random())
        self.outcome.hung += 1
        self.check_invariants(expects_all_messages=False)

    async def restart_dead_processes(self) -> None:
        for number in sorted(self._dead):
            await self.bots[number].start_and_wait()
        self._dead.clear()

    def check_invariants(self, *, expects_all_messages: bool) -> None:
        # The Bot API server and the model run in this process, so no message can arrive while the tables are read.
        pending = str(self.servers.world.updates.list_pending())
        state = read_postgres(self.address)
        self.outcome.found.add(find_violations(state))
        self.outcome.found.add(self.ledger.find_missing_messages(state, pending, is_settled=expects_all_messages))
        self.outcome.with_inbox += bool(state.inbox)
        self.outcome.disordered += find_reordered_messages(state)


def make_report(replica_test: ReplicaTest, **options: int) -> dict[str, object]:
    """Return the report of a replica test, with the options that were used."""
    outcome = replica_test.outcome
    return {
        "kills": outcome.kills,
        **options,
        "hung_and_woke": outcome.hung,
        "stayed_dead": outcome.stayed_dead,
        "kills_with_work_in_the_inbox": outcome.with_inbox,
        "messages": len(replica_test.ledger.said),
        **outcome.found.count_by_kind(),
        "out_of_order": len(outcome.disordered),
        "unanswered": len(outcome.unanswered),
        "answered_again": sum(times > 1 for times in replica_test.ledger.answered.values()),
        "apologies": replica_test.ledger.apologies,
        "seconds": round(time.monotonic() - replica_test.begun),
        "is_good": outcome.has_passed,
        **({"first": f"{outcome.found} {outcome.disordered[:5]}"[:2000]} if not outcome.has_passed else {}),
    }


@asynccontextmanager
async def run_load_balancer(ports: Sequence[int], rng: random.Random) -> AsyncIterator[str]:
    """Yield a webhook URL. Forward each of its connections to a random one of `ports` that accepts it."""

    async def forward_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def handle_connection(from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        for port in rng.sample(ports, len(ports)):
            with suppress(OSError):
                from_bot, to_bot = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(forward_stream(from_client, to_bot), forward_stream(from_bot, to_client))
                return
        to_client.close()

    async with await asyncio.start_server(handle_connection, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"


async def run_replica_test(
    folder: Path,
    *,
    kills: int,
    pauses: int,
    lost_reply_every: int,
    webhook: int,
    replicas: int,
    seed: int,
    max_seconds: int = 0,
) -> dict[str, object]:
    """Run the replica test in `folder` and return its report. See the module for the options."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    async with AsyncExitStack() as stack:
        server = stack.enter_context(run_postgres_server())
        address = create_database(server, f"replicas_{os.getpid()}")
        servers = await stack.enter_async_context(run_local_servers(folder, lambda: rng.random() * 0.05))
        behind, wire = await stack.enter_async_context(lay_wire(address))
        wire.cuts_some = lambda: bool(lost_reply_every) and rng.random() * lost_reply_every < 1
        settings = {"LOG_LEVEL": "INFO", "DATABASE_URL": format_uri(behind)}
        ports = [stack.enter_context(reserve_port()) for _ in range(replicas)]
        if webhook:
            settings["WEBHOOK_URL"] = await stack.enter_async_context(run_load_balancer(ports, rng))
        bots = []
        for number, port in enumerate(ports):
            environ = servers.make_environ(**settings, WEBHOOK_LISTEN=f"127.0.0.1:{port}")
            opening = open_bot(environ, folder=folder / f"data-{number}", snapshot_after=20_000)
            bots.append(await stack.enter_async_context(opening))
        test = ReplicaTest(servers, bots, address, rng, pauses=pauses / kills)
        has_passed = False
        try:
            await test.run(kills, max_seconds=max_seconds)
            has_passed = test.outcome.has_passed
        finally:
            if not has_passed:
                for number, bot in enumerate(bots):
                    (folder / f"log-{number}").write_text(bot.read_log(), encoding="utf-8")
    return make_report(test, lost_commits=wire.cut, webhook=webhook, replicas=replicas, seed=seed)


if __name__ == "__main__":
    numbers = {
        "kills": 500,
        "pauses": 10,
        "lost_reply_every": 0,
        "webhook": 0,
        "replicas": 3,
        "seed": 1,
        "max_seconds": 0,
    }
    sys.exit(command.run_test_from_command_line(__doc__, numbers, run_replica_test))
