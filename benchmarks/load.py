"""Many people at once. `python -m benchmarks.load [--users 200 --turns 5]`

Runs bot.py as a process against the local Bot API server and a model that answers at once; every person writes, waits
for the answer, and writes again. In the same run also two bare bots: an echo, and the same libraries asking the same
model without memory. Times are those a person sees, from sending to the answer.
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.arguments import number, settings_of
from benchmarks.instant_model import TAG, InstantModel
from benchmarks.invented import Talk
from benchmarks.measure import machine, progress, report, resident_megabytes, spread, without_embedding
from external_memory import ExternalMemory
from playground.bot_api import bot_api
from playground.server import serve
from playground.world import World
from records.owners import StorageType
from settings import environment

ROOT = Path(__file__).parent.parent
FIRST_PERSON = 1001
PATIENCE = 120.0
"""Seconds that one answer, or a bot's start, may take before the measurement is given up."""


@dataclass
class Crowd:
    """People of a world, each in a private chat with the bot."""

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
        """Everybody holds this many turns, all at the same time; the seconds of each turn."""
        listening = asyncio.create_task(self._listen(self.world.feed.last))
        try:
            times = await asyncio.gather(*(self._hold(person, turns) for person in self.people))
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
        return [seconds for of_one in times for seconds in of_one]

    async def _hold(self, person: int, turns: int) -> list[float]:
        times = []
        for turn in range(turns):
            tag = f"#{person}-{turn}"
            answered = self._waiting[tag] = asyncio.get_running_loop().create_future()
            start = time.perf_counter()
            self.world.say(person, person, f"{self._talk.question()} {tag}")
            async with asyncio.timeout(PATIENCE):
                await answered
            times.append(time.perf_counter() - start)
        return times

    async def _listen(self, since: int) -> None:
        """Wake the waiting person when the bot's message with their tag arrives."""
        while True:
            for event in await self.world.feed.after(since):
                since = event["n"]
                message = event.get("message", {})
                if event["kind"] in ("message", "edit") and message["from"]["id"] == self.world.bot["id"]:
                    for tag in TAG.findall(message.get("text", "")):
                        if (waiting := self._waiting.pop(tag, None)) and not waiting.done():
                            waiting.set_result(None)


@asynccontextmanager
async def running(command: Sequence[str], world: World, env: Mapping[str, str]) -> AsyncIterator[int]:
    """A bot as a process, once it listens; its process id."""
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, env=dict(env))
    ended = asyncio.create_task(process.wait())
    listens = asyncio.create_task(world.updates.polled())
    try:
        await asyncio.wait({ended, listens}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not listens.done() or ended.done():
            raise RuntimeError(f"{command[0]} did not start")
        yield process.pid
    finally:
        listens.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await ended


async def measure(users: int, turns: int, storage: StorageType) -> dict[str, object]:
    """The figures for our bot and for the two bare ones, one after the other."""
    model = InstantModel()
    results: dict[str, object] = {}
    async with serve(model.app()) as model_url:
        with tempfile.TemporaryDirectory(prefix="keepsake-load-") as folder:
            for number, name in enumerate(("keepsake", "bare_model", "bare_echo"), start=1):
                progress(f"{name}: {users} people, {turns} turns each")
                world = World(token=f"{number}:benchmark")
                crowd = Crowd(world, users)
                async with serve(bot_api(world)) as api:
                    command, env = await _bot(name, crowd, api, f"{model_url}/v1", Path(folder), storage)
                    async with running(command, world, env) as process:
                        results[name] = await _figures(crowd, turns, model, process)
    return results


async def _bot(
    name: str, crowd: Crowd, api: str, model_url: str, folder: Path, storage: StorageType
) -> tuple[list[str], dict[str, str]]:
    """The command line of a bot, and its environment."""
    token = crowd.world.token
    if name == "keepsake":
        async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC)) as memory:
            for person in crowd.people:
                await memory.configure(person, storage=storage, every_n=20)
        own = {
            "TELEGRAM_BOT_TOKEN": token,
            "TELEGRAM_API_URL": api,
            "OPENAI_BASE_URL": model_url,
            "OPENAI_API_KEY": "none",
            "ALLOWED_USER_IDS": "*",
            "DATA_DIR": str(folder),
            "LOG_LEVEL": "WARNING",
            "WEBHOOK_URL": "",
        }
        return ["bot.py"], {**without_embedding(), **own}
    kind = name.removeprefix("bare_")
    return ["-m", "benchmarks.bare_bots", kind, "--api", api, "--token", token, "--model-url", model_url], environment()


async def _figures(crowd: Crowd, turns: int, model: InstantModel, process: int) -> dict[str, object]:
    asked = model.asked
    start = time.perf_counter()
    times = await crowd.talk(turns)
    seconds = time.perf_counter() - start
    return {
        "turns": len(times),
        "turns_per_second": round(len(times) / seconds, 1),
        "ms": spread(times),
        "model_requests": model.asked - asked,
        "telegram_calls": crowd.world.calls.last,
        "rss_mb": resident_megabytes(process),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--users", type=number(1), default=200)
    parser.add_argument("--turns", type=number(1), default=5)
    parser.add_argument("--storage", type=StorageType, default=StorageType.SQLITE, choices=list(StorageType))
    options = parser.parse_args(arguments)
    settings_of(parser, without_embedding)
    results = asyncio.run(measure(options.users, options.turns, options.storage))
    settings = {"users": options.users, "turns_each": options.turns, "storage": options.storage}
    report({"benchmark": "load", "machine": machine(), **settings, **results})


if __name__ == "__main__":
    main()
