"""kill -9 at random among several processes that serve one bot: is anything lost, doubled or out of order?

`python -m reliability.replicas [--kills 500] [--replicas 3] [--seed 1]` starts a server of its own and prints one JSON
object; its exit status is 1 when anything was violated. After each kill the tables are read while the others go on.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from reliability.invariants import Files, Violations, read_server, violations
from reliability.town import WORD, Bot, Ledger, Talker, open_bot, open_town
from tests.end_to_end.harness import House
from tests.support.postgres_server import as_uri, new_database, postgres_server

PEOPLE = 6
LONGEST_PAUSE = 1.5
"""Seconds between two kills at most."""
STAYS_DEAD = 0.03
"""The share of kills after which the process is not started again before the next kill: the others take over."""
HANGS = 0.02
"""The share of kills before which the process hangs for HANGING seconds and wakes: longer than its leases last."""
HANGING = 24.0
SETTLED_WITHIN = 300.0


def out_of_order(files: Files) -> list[str]:
    """People's words that were stored before earlier ones; words are numbered as they are said."""
    found = []
    for owner in files.homes:
        asked = sorted((row["id"], row["content"]) for row in files.home(owner).messages if row["role"] == "user")
        numbers = [int(word[1:-1]) for _, text in asked for word in WORD.findall(text)]
        found += [f"{owner}: {one} before {other}" for one, other in itertools.pairwise(numbers) if one > other]
    return found


@dataclass(kw_only=True)
class Outcome:
    """The result of one test."""

    kills: int = 0
    hung: int = 0
    stayed_dead: int = 0
    with_inbox: int = 0
    found: Violations = field(default_factory=Violations)
    disordered: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.found and not self.unanswered and not self.disordered


class ReplicaTest:
    """The processes of one bot, its people, and the kills."""

    def __init__(self, house: House, bots: list[Bot], address: str, chance: random.Random) -> None:
        self._house = house
        self._bots = bots
        self._address = address
        self._chance = chance
        self._dead: set[int] = set()
        self.ledger = Ledger(house.world)
        people = [house.person(f"Person {number}") for number in range(PEOPLE + 2)]
        group = house.group(*people[PEOPLE:], admins=people[PEOPLE : PEOPLE + 1])
        chats = [[person] for person in people[:PEOPLE]] + [[person.within(group) for person in people[PEOPLE:]]]
        self.talkers = [Talker(self.ledger, members, chance, moves=0.0, step_patience=60.0) for members in chats]
        self.outcome = Outcome()

    async def run(self, kills: int) -> None:
        """Everybody sets up and talks through all the kills; in the end every answer is waited for."""
        async with AsyncExitStack() as stack:
            watching = asyncio.create_task(self.ledger.watch())
            stack.callback(watching.cancel)
            for bot in self._bots:
                await bot.begin()
                await bot.ready()
            for talker in self.talkers:
                await talker.configure_as("PostgreSQL")
            talking = [asyncio.create_task(talker.talk()) for talker in self.talkers]
            for task in talking:
                stack.callback(task.cancel)
            for _ in range(kills):
                await self._kill()
            await self._revive()
            for talker in self.talkers:
                talker.stopping.set()
            await asyncio.wait(talking, timeout=SETTLED_WITHIN)
            self.outcome.unanswered = self.ledger.unanswered()
            for bot in self._bots:
                if await bot.end(signal.SIGTERM) != 0:
                    self.outcome.found.torn.append("a last run did not stop cleanly")
            self._check(settled=True)
            if any(bot.tracebacks() for bot in self._bots):
                self.outcome.found.torn.append("there are tracebacks in the log")

    async def _kill(self) -> None:
        await asyncio.sleep(self._chance.random() ** 2 * LONGEST_PAUSE)
        living = [number for number in range(len(self._bots)) if number not in self._dead]
        number = self._chance.choice(living)
        bot = self._bots[number]
        if self._chance.random() < HANGS:
            os.kill(bot.pid, signal.SIGSTOP)
            await asyncio.sleep(HANGING)
            os.kill(bot.pid, signal.SIGCONT)
            await asyncio.sleep(self._chance.random())
            self.outcome.hung += 1
        await bot.end(signal.SIGKILL)
        self.outcome.kills += 1
        self._check()
        await self._revive()
        if self._chance.random() < STAYS_DEAD and len(living) > 1:
            self._dead.add(number)
            self.outcome.stayed_dead += 1
        else:
            await bot.begin()
            await bot.ready()

    async def _revive(self) -> None:
        for number in sorted(self._dead):
            await self._bots[number].begin()
            await self._bots[number].ready()
        self._dead.clear()

    def _check(self, *, settled: bool = False) -> None:
        # The servers of Telegram and of the model are in this process: while the tables are read nobody says anything.
        pending = str(self._house.world.updates.pending())
        files = read_server(self._address)
        self.outcome.found.add(violations(files))
        self.outcome.found.add(self.ledger.missing(files, pending, settled=settled))
        self.outcome.with_inbox += bool(files.inbox)
        self.outcome.disordered += out_of_order(files)


async def replica_test(folder: Path, *, kills: int, replicas: int, seed: int) -> dict[str, object]:
    """Run it in `folder`; the object that is printed."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        server = stack.enter_context(postgres_server())
        address = new_database(server, f"replicas_{os.getpid()}")
        house = await stack.enter_async_context(open_town(folder, chance))
        environ = house.environ(LOG_LEVEL="INFO", DATABASE_URL=as_uri(address))
        bots = [
            await stack.enter_async_context(open_bot(environ, folder=folder / f"data-{number}", snapshot_after=20_000))
            for number in range(replicas)
        ]
        test = ReplicaTest(house, bots, address, chance)
        await test.run(kills)
        if not test.outcome.is_good:
            for number, bot in enumerate(bots):
                (folder / f"log-{number}").write_text(bot.text(), encoding="utf-8")
    done = test.outcome
    return {
        "kills": done.kills,
        "replicas": replicas,
        "seed": seed,
        "hung_and_woke": done.hung,
        "stayed_dead": done.stayed_dead,
        "kills_with_work_in_the_inbox": done.with_inbox,
        "messages": len(test.ledger.said),
        **done.found.counts(),
        "out_of_order": len(done.disordered),
        "unanswered": len(done.unanswered),
        "answered_again": sum(times > 1 for times in test.ledger.answered.values()),
        "apologies": test.ledger.apologies,
        "seconds": round(time.monotonic() - started),
        "is_good": done.is_good,
        **({"first": f"{done.found} {done.disordered[:5]}"[:2000]} if not done.is_good else {}),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="an empty folder to work in, kept afterwards")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as away:
        folder = options.data or Path(away)
        folder.mkdir(parents=True, exist_ok=True)
        test = replica_test(folder, kills=options.kills, replicas=options.replicas, seed=options.seed)
        result = asyncio.run(test)
    print(json.dumps(result, indent=2))
    return 0 if result["is_good"] else 1


if __name__ == "__main__":
    sys.exit(main())
