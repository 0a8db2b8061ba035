"""The base of the tests that kill the bot's processes while people talk to it.

Its subclasses in crash_test.py (one process) and replicas.py (several) choose the process and the moment, and check
what is stored.
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
from reliability.town import BotProcess, MessageLedger, SimulatedUsers
from tests.end_to_end.harness import LocalServers

PEOPLE = 6
MAX_SETTLE_SECONDS = 300.0  # for the last answers, after the last kill


@dataclass(kw_only=True)
class KillOutcome:
    """The result of a kill test. `with_inbox` counts the kills that left unhandled updates in the inbox."""

    kills: int = 0
    with_inbox: int = 0
    found: Violations = field(default_factory=Violations)
    unanswered: list[str] = field(default_factory=list)

    @property
    def has_passed(self) -> bool:
        return not self.found and not self.unanswered


class KillTest(ABC):
    """Lets six people in private chats, and a group of two, talk to a bot while its processes are killed."""

    storages: Sequence[str]
    """The storages that the people choose in the setup, one after another."""
    outcome: KillOutcome

    def __init__(
        self,
        servers: LocalServers,
        bots: Sequence[BotProcess],
        rng: random.Random,
        *,
        move_share: float,
        step_timeout: float,
    ) -> None:
        """Create the people who talk to the bot. See SimulatedUsers for `move_share` and `step_timeout`."""
        self.servers = servers
        self.bots = bots
        self.rng = rng
        self.ledger = MessageLedger(servers.world)
        people = [servers.add_person(f"Person {number}") for number in range(PEOPLE + 2)]
        group = servers.add_group(*people[PEOPLE:], admins=people[PEOPLE : PEOPLE + 1])
        chats = [[person] for person in people[:PEOPLE]] + [[person.with_chat(group) for person in people[PEOPLE:]]]
        self.user_groups = [
            SimulatedUsers(self.ledger, members, rng, move_share=move_share, step_timeout=step_timeout)
            for members in chats
        ]

    async def run(self, rounds: int, *, max_seconds: float = 0.0) -> None:
        """Let everybody set up and talk during `rounds` rounds of kills, then check what is stored.

        If `max_seconds` is not 0, begin no further round after that many seconds.
        """
        begun = time.monotonic()
        async with AsyncExitStack() as stack:
            watching = asyncio.create_task(self.ledger.record_answers_until_cancelled())
            stack.callback(watching.cancel)
            for bot in self.bots:
                await bot.start_and_wait()
            for number, users in enumerate(self.user_groups):
                await users.set_up_with_storage(self.storages[number % len(self.storages)])
            talking = [asyncio.create_task(users.talk()) for users in self.user_groups]
            for task in talking:
                stack.callback(task.cancel)
            for _ in range(rounds):
                await self.kill_process()
                for task in talking:
                    if task.done():  # only an error stops a task early, and result() raises it
                        task.result()
                if max_seconds and time.monotonic() - begun > max_seconds:
                    break
            await self.restart_dead_processes()
            await self._stop_bots_and_check(talking)

    @abstractmethod
    async def kill_process(self) -> None:
        """Kill a process, check what is stored, and restart the process."""

    async def restart_dead_processes(self) -> None:
        """Start the processes that a kill left dead. Do nothing by default, because kills restart processes at once."""
        return

    async def wait_until_updates_fetched(self) -> None:
        """Wait until the bot has fetched all updates from Telegram."""
        await self.servers.world.updates.wait_until_empty()

    @abstractmethod
    def check_invariants(self, *, expects_all_messages: bool) -> None:
        """Check what is stored, and record violations. Unless `expects_all_messages`, updates may be pending."""

    async def _stop_bots_and_check(self, user_tasks: "Sequence[asyncio.Task[None]]") -> None:
        """Wait for the last answers, stop the bot, and check what is stored and logged."""
        for users in self.user_groups:
            users.stopping.set()
        await asyncio.wait(user_tasks, timeout=MAX_SETTLE_SECONDS)
        self.outcome.unanswered = self.ledger.list_unanswered_messages()
        await self.wait_until_updates_fetched()
        torn = self.outcome.found.torn
        for bot in self.bots:
            if await bot.stop_with_signal(signal.SIGTERM) != 0:
                torn.append("a last run did not stop cleanly")
        self.check_invariants(expects_all_messages=True)
        if any(bot.count_tracebacks() for bot in self.bots):
            torn.append("there are tracebacks in the log")
