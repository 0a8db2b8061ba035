"""Measure the bot while many people use it at once. `python -m benchmarks.load [--people 200 --turns 5]`

Run bot.py against the local Bot API server and a model that answers at once. Each person sends a message, waits for the
answer, and sends the next. The same run also measures our bot with memory off and two bare bots; `--bots keepsake`
measures only our bot. Times run from sending a message to its answer. `afterwards` is the work after the last answer,
such as learning facts. `--remembered` gives each person earlier messages to search. `--storage postgres` creates
schemas `load_…` on the server of DATABASE_URL and includes its CPU time; with `--processes 3`, three processes serve
one bot there.
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
from benchmarks.crowd import MAX_WAIT_SECONDS, Crowd
from benchmarks.filling import fill_storage
from benchmarks.measure import (
    count_folder_bytes,
    describe_machine,
    make_environment_without_embedding,
    print_progress,
    print_report,
    read_machine_cpu_seconds,
    read_resident_megabytes,
    summarize_times,
)
from benchmarks.on_server import PostgresServer, analyze_tables, create_empty_schema, measure_stored_bytes
from benchmarks.stand_ins import InstantEndpoint, serve_with_aiohttp
from external_memory import ExternalMemory
from playground.bot_api import make_bot_api
from playground.world import World
from records.owners import StorageType
from records.scopes import Scope
from settings import read_environment

ROOT = Path(__file__).parent.parent
BOTS = ("keepsake", "keepsake_off", "bare_model", "bare_echo")
POLL_SECONDS = 0.2  # between two checks of a process that starts or finishes its work
MAX_IDLE_CPU_MS = 10.0  # between two checks; a process that uses less is idle


@dataclass(frozen=True, kw_only=True)
class Load:
    """The size of the load.

    `remembered` is the number of earlier messages of each person, nearly all of them archived under summaries.
    `processes` is the number of processes that run our bot; more than one needs PostgreSQL.
    """

    people: int
    turns: int
    storage: StorageType
    remembered: int = 0
    processes: int = 1


class RunningBot:
    """The processes of a running bot, and what they have cost so far."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._processes = processes

    @property
    def resident_megabytes(self) -> float:
        """Return the resident memory of all processes together."""
        return round(sum(read_resident_megabytes(process.pid) for process in self._processes), 1)

    async def read_costs(self) -> list[dict[str, Any]]:
        """Return the costs that each process reports. See counted_bot.py for their fields."""
        return list(await asyncio.gather(*(self._read_resource_usage(process) for process in self._processes)))

    async def wait_until_idle(self) -> None:
        """Wait until all processes are idle, so that startup work does not count as part of a turn."""
        before = await self._read_cpu_ms()
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while True:
                await asyncio.sleep(POLL_SECONDS)
                now = await self._read_cpu_ms()
                if now - before < MAX_IDLE_CPU_MS:
                    return
                before = now

    async def _read_cpu_ms(self) -> float:
        return float(sum(sum(cost["processor_ms"].values()) for cost in await self.read_costs()))

    async def _read_resource_usage(self, process: Process) -> dict[str, Any]:
        assert process.stdout
        process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            cost: dict[str, Any] = json.loads(await process.stdout.readline())
        return cost


@asynccontextmanager
async def run_processes(
    command: Sequence[str], world: World, env: Mapping[str, str], *, processes: int = 1
) -> AsyncIterator[RunningBot]:
    """Start a bot in several processes, wait until they listen, and stop them at the end of the block."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(_run_process(command, env, world.updates.wait_until_polled()))
        others = []
        for number in range(1, processes):
            # Only one process polls, so each of the others is asked at an address of its own whether it is ready.
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                address = f"127.0.0.1:{free.getsockname()[1]}"
            own = {**env, "HEALTH_LISTEN": address, "DATA_DIR": f"{env['DATA_DIR']}-{number}"}
            others.append(await stack.enter_async_context(_run_process(command, own, _wait_until_ready(address))))
        yield RunningBot([first, *others])


@asynccontextmanager
async def _run_process(
    command: Sequence[str], env: Mapping[str, str], wait_until_listening: Coroutine[None, None, object]
) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.counted_bot", *command, cwd=ROOT, env=dict(env), stdout=PIPE
    )
    ended, listens = asyncio.create_task(process.wait()), asyncio.create_task(wait_until_listening)
    try:
        await asyncio.wait({ended, listens}, timeout=MAX_WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not listens.done() or ended.done():
            raise RuntimeError(f"{command[0]} did not start")
        yield process
    finally:
        listens.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await ended


async def _wait_until_ready(address: str) -> None:
    """Wait until /readyz succeeds at `address`."""
    async with httpx.AsyncClient(base_url=f"http://{address}", trust_env=False) as probe:
        while True:
            with suppress(httpx.TransportError):
                if (await probe.get("/readyz")).is_success:
                    return
            await asyncio.sleep(POLL_SECONDS)


async def measure_bots(load: Load, model: InstantEndpoint, bots: Sequence[str] = BOTS) -> dict[str, Any]:
    """Measure the named bots one after another, and return the figures by bot."""
    results: dict[str, Any] = {}
    async with serve_with_aiohttp(model.app()) as model_url:
        with tempfile.TemporaryDirectory(prefix="keepsake-load-") as folder:
            for number, name in enumerate(bots, start=1):
                print_progress(f"{name}: {load.people} people, {load.turns} turns each")
                world = World(token=f"{number}:benchmark")
                crowd = Crowd(world, load.people)
                data = Path(folder) / name
                async with serve_with_aiohttp(make_bot_api(world)) as api:
                    command, env = await _prepare_command_and_environment(
                        name, crowd, api, f"{model_url}/v1", data, load
                    )
                    url = env.get("DATABASE_URL", "")
                    many = load.processes if name == "keepsake" else 1
                    async with run_processes(command, world, env, processes=many) as bot:
                        await bot.wait_until_idle()
                        with closing(PostgresServer(url)) if url else nullcontext() as server:
                            results[name] = await _measure_turns(crowd, load, model, bot, server)
                        results[name]["afterwards"] = await _measure_follow_up_work(
                            crowd, model, bot, results[name]["turns"]
                        )
                    if load.remembered:
                        stored = measure_stored_bytes(url) if url else count_folder_bytes(data)
                        results[name]["bytes_per_message"] = round(stored / (load.remembered * load.people))
    return results


async def _prepare_command_and_environment(
    bot_name: str, crowd: Crowd, api: str, model_url: str, folder: Path, load: Load
) -> tuple[list[str], dict[str, str]]:
    """Prepare the memory of a bot, and return its command line and its environment."""
    token = crowd.world.token
    if bot_name.startswith("keepsake"):
        people = crowd.people if bot_name == "keepsake" else ()
        url = (
            make_environment_without_embedding().get("DATABASE_URL", "") if load.storage is StorageType.POSTGRES else ""
        )
        url = url and create_empty_schema(url, f"load_{bot_name}")
        if load.remembered:
            await asyncio.to_thread(folder.mkdir)
            scopes = [Scope(owner=person) for person in people]
            await fill_storage(folder, load.storage, scopes, load.remembered, database_url=url)
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
    kind = bot_name.removeprefix("bare_")
    return ["benchmarks.bare_bots", kind, "--api", api, "--token", token, "--model-url", model_url], read_environment()


async def _measure_turns(
    crowd: Crowd, load: Load, model: InstantEndpoint, bot: RunningBot, server: PostgresServer | None
) -> dict[str, Any]:
    """Let the crowd talk to the bot, and return response times and the average costs of a turn."""
    asked, called, before = model.request_count, crowd.world.calls.last, await bot.read_costs()
    spent, counts = (server.read_cpu_seconds(), server.read_activity_counts()) if server else ({}, {})
    start, (busy, possible) = time.perf_counter(), read_machine_cpu_seconds()
    response_times = await crowd.measure_response_times(load.turns)
    seconds = time.perf_counter() - start
    busy_seconds, available = (
        now - then for now, then in zip(read_machine_cpu_seconds(), (busy, possible), strict=True)
    )
    costs = list(zip(before, await bot.read_costs(), strict=True))
    turns = len(response_times)
    by_thread = {
        name: round(sum(_compute_thread_cpu_ms(*cost, name) for cost in costs) / turns, 2)
        for name in sorted({name for _, after in costs for name in after["processor_ms"]})
    }
    calls_by_method = Counter(call["method"] for call in crowd.world.calls.list_since(called))
    return {
        "turns": turns,
        "turns_per_second": round(turns / seconds, 1),
        "ms": summarize_times(response_times),
        "processors_busy_percent": round(100 * busy_seconds / available, 1) if available else None,
        "processor_ms_a_turn": round(sum(by_thread.values()), 2),
        **(
            {"server_processor_ms_a_turn": round(server.measure_cpu_seconds_since(spent) * 1000 / turns, 2)}
            if server
            else {}
        ),
        **(_measure_database_use(server, counts, turns) if server else {}),
        "by_thread": {name: ms for name, ms in by_thread.items() if ms >= 0.01},
        # One figure for each process shows if they share the work.
        **({"by_process": [_compute_cpu_seconds(*cost) for cost in costs]} if len(costs) > 1 else {}),
        "hops_a_turn": round(sum(after["hops"] - before["hops"] for before, after in costs) / turns, 1),
        "commits_a_turn": round(sum(after["commits"] - before["commits"] for before, after in costs) / turns, 2),
        "telegram_calls": crowd.world.calls.last - called,
        "telegram_calls_by_method": dict(calls_by_method.most_common()),  # of the newest 10,000
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / turns, 2),
        "model_requests": model.request_count - asked,
        "rss_mb": bot.resident_megabytes,
    }


async def _measure_follow_up_work(
    crowd: Crowd, model: InstantEndpoint, bot: RunningBot, turns: int
) -> dict[str, float]:
    """Measure the work that the bot does after its last answer. CPU time and calls are averages over `turns` turns."""
    asked, called, before = model.request_count, crowd.world.calls.last, await bot.read_costs()
    with suppress(TimeoutError):
        await bot.wait_until_idle()
    seconds = sum(_compute_cpu_seconds(*cost) for cost in zip(before, await bot.read_costs(), strict=True))
    return {
        "processor_ms_a_turn": round(seconds * 1000 / turns, 2),
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / turns, 2),
        "model_requests": model.request_count - asked,
    }


def _compute_thread_cpu_ms(before: Mapping[str, Any], after: Mapping[str, Any], thread: str) -> float:
    """Return the CPU milliseconds that threads named `thread` used between two reports of a process's costs."""
    return float(after["processor_ms"].get(thread, 0.0) - before["processor_ms"].get(thread, 0.0))


def _compute_cpu_seconds(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    """Return the CPU seconds that a process used between two reports of its costs."""
    return round(sum(_compute_thread_cpu_ms(before, after, name) for name in after["processor_ms"]) / 1000, 2)


def _measure_database_use(server: PostgresServer, before: Mapping[str, int], turns: int) -> dict[str, float]:
    """Return the server's open connections, and its commits and written rows per turn since the counts in `before`."""
    now = server.read_activity_counts()
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
        "--processes", type=make_number_parser(1, 16), default=1, help="processes of our bot, with --storage postgres"
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
    results = asyncio.run(measure_bots(load, InstantEndpoint(), options.bots))
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
