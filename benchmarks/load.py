"""Measure many people at once. `python -m benchmarks.load [--people 200 --turns 5]`

Run bot.py against the local Bot API server and a model that answers at once. Each person writes, waits for the answer,
and writes again. The same run measures our bot with memory off and two bare bots. Times are from sending to the answer.
`afterwards` is the work after the last answer, such as learning facts. `--remembered` gives each person earlier
messages, so that each turn searches. `--storage postgres` uses the server of DATABASE_URL in new schemas `load_…`, and
includes its CPU time. `--processes 3` lets three of our processes serve one bot there. `--bots keepsake` measures only
our bot.
"""

import argparse
import asyncio
import json
import signal
import socket
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from benchmarks.arguments import make_number_parser, read_settings_or_exit
from benchmarks.crowd import PATIENCE, Crowd
from benchmarks.filling import fill
from benchmarks.measure import (
    count_folder_bytes,
    describe_machine,
    make_environment_without_embedding,
    print_progress,
    print_report,
    read_processor_seconds,
    read_resident_megabytes,
    summarize_times,
)
from benchmarks.on_server import Server, analyze_tables, create_empty_schema, read_stored_bytes
from benchmarks.stand_ins import InstantModel, serve_lightly
from external_memory import ExternalMemory
from playground.bot_api import make_bot_api
from playground.world import World
from records.owners import StorageType
from records.scopes import Scope
from settings import read_environment

ROOT = Path(__file__).parent.parent
BOTS = ("keepsake", "keepsake_off", "bare_model", "bare_echo")
LOOK_EVERY = 0.2  # seconds between two looks at how far a start has come
IDLE = 10.0  # milliseconds of a processor between two looks that are no work


@dataclass(frozen=True, kw_only=True)
class Load:
    """The size of the load.

    `remembered` is the number of earlier messages of each person, nearly all folded. `processes` is the number of our
    processes on PostgreSQL.
    """

    people: int
    turns: int
    storage: StorageType
    remembered: int = 0
    processes: int = 1


class Running:
    """A bot's processes and their costs so far."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._processes = processes

    @property
    def megabytes(self) -> float:
        """Return their resident memory together."""
        return round(sum(read_resident_megabytes(process.pid) for process in self._processes), 1)

    async def costs(self) -> list[dict[str, Any]]:
        """Return what counted_bot.py prints, for each process."""
        return list(await asyncio.gather(*(self._cost(process) for process in self._processes)))

    async def settled(self) -> None:
        """Wait until they are idle, so that the work of the start is not counted as that of a turn."""
        before = await self._spent()
        async with asyncio.timeout(PATIENCE):
            while True:
                await asyncio.sleep(LOOK_EVERY)
                now = await self._spent()
                if now - before < IDLE:
                    return
                before = now

    async def _spent(self) -> float:
        return float(sum(sum(cost["processor_ms"].values()) for cost in await self.costs()))

    async def _cost(self, process: Process) -> dict[str, Any]:
        assert process.stdout
        process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(PATIENCE):
            cost: dict[str, Any] = json.loads(await process.stdout.readline())
        return cost


@asynccontextmanager
async def run_processes(
    command: Sequence[str], world: World, env: Mapping[str, str], *, processes: int = 1
) -> AsyncIterator[Running]:
    """Start a bot in several processes, and wait until they listen."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(_process(command, env, world.updates.polled()))
        others = []
        for number in range(1, processes):
            # Only one of them polls; that the others are there is told at an address of their own.
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                address = f"127.0.0.1:{free.getsockname()[1]}"
            own = {**env, "HEALTH_LISTEN": address, "DATA_DIR": f"{env['DATA_DIR']}-{number}"}
            others.append(await stack.enter_async_context(_process(command, own, _is_ready(address))))
        yield Running([first, *others])


@asynccontextmanager
async def _process(
    command: Sequence[str], env: Mapping[str, str], listening: Coroutine[None, None, object]
) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.counted_bot", *command, cwd=ROOT, env=dict(env), stdout=PIPE
    )
    ended, listens = asyncio.create_task(process.wait()), asyncio.create_task(listening)
    try:
        await asyncio.wait({ended, listens}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not listens.done() or ended.done():
            raise RuntimeError(f"{command[0]} did not start")
        yield process
    finally:
        listens.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await ended


async def _is_ready(address: str) -> None:
    """Wait until /readyz succeeds."""
    async with httpx.AsyncClient(base_url=f"http://{address}", trust_env=False) as probe:
        while True:
            with suppress(httpx.TransportError):
                if (await probe.get("/readyz")).is_success:
                    return
            await asyncio.sleep(LOOK_EVERY)


async def measure(load: Load, model: InstantModel, bots: Sequence[str] = BOTS) -> dict[str, Any]:
    """Measure our bot and the two bare ones, one after the other."""
    results: dict[str, Any] = {}
    async with serve_lightly(model.app()) as model_url:
        with tempfile.TemporaryDirectory(prefix="keepsake-load-") as folder:
            for number, name in enumerate(bots, start=1):
                print_progress(f"{name}: {load.people} people, {load.turns} turns each")
                world = World(token=f"{number}:benchmark")
                crowd = Crowd(world, load.people)
                data = Path(folder) / name
                async with serve_lightly(make_bot_api(world)) as api:
                    command, env = await _bot(name, crowd, api, f"{model_url}/v1", data, load)
                    url = env.get("DATABASE_URL", "")
                    many = load.processes if name == "keepsake" else 1
                    async with run_processes(command, world, env, processes=many) as bot:
                        await bot.settled()
                        with closing(Server(url)) if url else nullcontext() as server:
                            results[name] = await _figures(crowd, load, model, bot, server)
                        results[name]["afterwards"] = await _measure_afterwards(
                            crowd, model, bot, results[name]["turns"]
                        )
                    if load.remembered:
                        stored = read_stored_bytes(url) if url else count_folder_bytes(data)
                        results[name]["bytes_per_message"] = round(stored / (load.remembered * load.people))
    return results


async def _bot(
    name: str, crowd: Crowd, api: str, model_url: str, folder: Path, load: Load
) -> tuple[list[str], dict[str, str]]:
    """Return the command line of a bot, and its environment."""
    token = crowd.world.token
    if name.startswith("keepsake"):
        people = crowd.people if name == "keepsake" else ()
        url = (
            make_environment_without_embedding().get("DATABASE_URL", "") if load.storage is StorageType.POSTGRES else ""
        )
        url = url and create_empty_schema(url, f"load_{name}")
        if load.remembered:
            await asyncio.to_thread(folder.mkdir)
            scopes = [Scope(owner=person) for person in people]
            await fill(folder, load.storage, scopes, load.remembered, database_url=url)
            if url:
                analyze_tables(url)
        async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC), database_url=url) as memory:
            for person in people:
                await memory.configure(person, storage=load.storage, every_n=20)
        own = {
            "TELEGRAM_BOT_TOKEN": token,
            "TELEGRAM_API_URL": api,
            "OPENAI_BASE_URL": model_url,
            "OPENAI_API_KEY": "none",
            "ALLOWED_USER_IDS": "*",
            "DATA_DIR": str(folder),
            "LOG_LEVEL": "WARNING",
            "WEBHOOK_URL": "",
            "DATABASE_URL": url,
        }
        return ["bot"], {**make_environment_without_embedding(), **own}
    kind = name.removeprefix("bare_")
    return ["benchmarks.bare_bots", kind, "--api", api, "--token", token, "--model-url", model_url], read_environment()


async def _figures(
    crowd: Crowd, load: Load, model: InstantModel, bot: Running, server: Server | None
) -> dict[str, Any]:
    asked, called, before = model.asked, crowd.world.calls.last, await bot.costs()
    spent, counts = (server.seconds(), server.counts()) if server else ({}, {})
    start, (busy, possible) = time.perf_counter(), read_processor_seconds()
    waits = await crowd.talk(load.turns)
    seconds = time.perf_counter() - start
    computed, could = (now - then for now, then in zip(read_processor_seconds(), (busy, possible), strict=True))
    costs = list(zip(before, await bot.costs(), strict=True))
    turns = len(waits)
    by_thread = {
        name: round(sum(_since(*cost, name) for cost in costs) / turns, 2)
        for name in sorted({name for _, after in costs for name in after["processor_ms"]})
    }
    counted = Counter(call["method"] for call in crowd.world.calls.since(called))
    return {
        "turns": turns,
        "turns_per_second": round(turns / seconds, 1),
        "ms": summarize_times(waits),
        "processors_busy_percent": round(100 * computed / could, 1) if could else None,
        "processor_ms_a_turn": round(sum(by_thread.values()), 2),
        **({"server_processor_ms_a_turn": round(server.spent(spent) * 1000 / turns, 2)} if server else {}),
        **(_asked_of(server, counts, turns) if server else {}),
        "by_thread": {name: ms for name, ms in by_thread.items() if ms >= 0.01},
        # Each of several processes apart: whether they share the work.
        **({"by_process": [_all_since(*cost) for cost in costs]} if len(costs) > 1 else {}),
        "hops_a_turn": round(sum(after["hops"] - before["hops"] for before, after in costs) / turns, 1),
        "commits_a_turn": round(sum(after["commits"] - before["commits"] for before, after in costs) / turns, 2),
        "telegram_calls": crowd.world.calls.last - called,
        "telegram_calls_by_method": dict(counted.most_common()),  # of the newest 10,000
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / turns, 2),
        "model_requests": model.asked - asked,
        "rss_mb": bot.megabytes,
    }


async def _measure_afterwards(crowd: Crowd, model: InstantModel, bot: Running, turns: int) -> dict[str, float]:
    """Return the CPU time that is spent after the answers."""
    asked, called, before = model.asked, crowd.world.calls.last, await bot.costs()
    with suppress(TimeoutError):
        await bot.settled()
    seconds = sum(_all_since(*cost) for cost in zip(before, await bot.costs(), strict=True))
    return {
        "processor_ms_a_turn": round(seconds * 1000 / turns, 2),
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / turns, 2),
        "model_requests": model.asked - asked,
    }


def _since(before: Mapping[str, Any], after: Mapping[str, Any], thread: str) -> float:
    """Return the processor milliseconds of a process's threads with this name."""
    return float(after["processor_ms"].get(thread, 0.0) - before["processor_ms"].get(thread, 0.0))


def _all_since(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    """Return the processor seconds of a process."""
    return round(sum(_since(before, after, name) for name in after["processor_ms"]) / 1000, 2)


def _asked_of(server: Server, before: Mapping[str, int], turns: int) -> dict[str, float]:
    now = server.counts()
    return {
        "connections": now["connections"],
        "server_commits_a_turn": round((now["commits"] - before["commits"]) / turns, 2),
        "server_rows_a_turn": round((now["rows"] - before["rows"]) / turns, 1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--people", "--users", type=make_number_parser(1), default=200)
    parser.add_argument("--turns", type=make_number_parser(1), default=5)
    parser.add_argument("--remembered", type=make_number_parser(0), default=0)
    parser.add_argument("--storage", type=StorageType, default=StorageType.SQLITE, choices=list(StorageType))
    parser.add_argument(
        "--processes", type=make_number_parser(1, 16), default=1, help="of our bot, with --storage postgres"
    )
    parser.add_argument("--bots", nargs="+", choices=BOTS, default=BOTS)
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser, make_environment_without_embedding)
    if options.storage is StorageType.POSTGRES and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    if options.processes > 1 and options.storage is not StorageType.POSTGRES:
        parser.error("several processes need --storage postgres")
    load = Load(
        people=options.people,
        turns=options.turns,
        storage=options.storage,
        remembered=options.remembered,
        processes=options.processes,
    )
    results = asyncio.run(measure(load, InstantModel(), options.bots))
    asked = {
        "users": load.people,
        "turns_each": load.turns,
        "storage": load.storage,
        "remembered": load.remembered,
        "processes": load.processes,
    }
    print_report({"benchmark": "load", "machine": describe_machine(), **asked, **results})


if __name__ == "__main__":
    main()
