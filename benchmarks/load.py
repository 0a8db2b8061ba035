"""Measure the bot while many people use it at once. `python -m benchmarks.load [--people 200 --turns 5]`

Run bot.py against the local Bot API server and a model that answers at once. Each person sends a message, waits for the
answer, and sends the next. The same run also measures our bot with memory off and two bare bots; `--bots keepsake`
measures only our bot. Times run from sending a message to its answer. `--remembered` gives each person earlier messages
to search. `--storage postgres` creates schemas `load_…` on the server of DATABASE_URL; with `--processes 3`, three
processes serve one bot there.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.arguments import make_number_parser, read_settings_or_exit
from benchmarks.crowd import MAX_WAIT_SECONDS, Crowd
from benchmarks.filling import create_empty_schema, fill_storage
from benchmarks.measure import (
    describe_machine,
    make_environment_without_embedding,
    print_progress,
    print_report,
    read_cpu_seconds,
    read_resident_megabytes,
    summarize_times,
)
from benchmarks.stand_ins import InstantEndpoint, serve_bot_api
from playground.world import World
from records.owners import StorageType
from records.scopes import Scope
from settings import read_environment

ROOT = Path(__file__).parent.parent
BOTS = ("keepsake", "keepsake_off", "bare_model", "bare_echo")
POLL_SECONDS = 0.5  # between two checks of processes that start


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """The size of the load, and the bots to measure.

    `remembered` is the number of earlier messages of each person, all of them archived under summaries. `processes` is
    the number of processes that run our bot; more than one needs PostgreSQL.
    """

    people: int
    turns: int
    storage: StorageType
    remembered: int
    processes: int
    bots: Sequence[str]


async def measure_bots(load: LoadOptions) -> dict[str, dict[str, object]]:
    """Measure the bots one after another, and return the figures by bot."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="keepsake-load-") as folder:
        async with InstantEndpoint().serve() as model:
            for number, name in enumerate(load.bots, start=1):
                print_progress(f"{name}: {load.people} people, {load.turns} turns each")
                crowd = Crowd(World(token=f"{number}:benchmark"), load.people)
                async with serve_bot_api(crowd.world) as api:
                    command, env = await _prepare_bot(name, crowd, api, model.url, Path(folder) / name, load)
                    processes = load.processes if name == "keepsake" else 1
                    async with run_bot(command, env, crowd.world, processes=processes) as running:
                        results[name] = await _measure_turns(crowd, load.turns, model, running)
    return results


async def _prepare_bot(
    name: str, crowd: Crowd, api: str, model_url: str, folder: Path, load: LoadOptions
) -> tuple[list[str], dict[str, str]]:
    """Prepare the memory of a bot, and return its arguments for Python and its environment."""
    token = crowd.world.token
    if name.startswith("bare_"):
        kind = name.removeprefix("bare_")
        arguments = ["-m", "benchmarks.bare_bots", kind, "--api", api, "--token", token, "--model-url", model_url]
        return arguments, read_environment()
    environ, url = make_environment_without_embedding(), ""
    if load.storage is StorageType.POSTGRES:
        url = create_empty_schema(environ["DATABASE_URL"], f"load_{name}")
    scopes = [Scope(owner=person) for person in crowd.person_numbers] if name == "keepsake" else []
    await fill_storage(folder, load.storage, scopes, load.remembered, database_url=url)
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
    return ["bot.py"], {**environ, **own}


@asynccontextmanager
async def run_bot(
    command: Sequence[str], env: Mapping[str, str], world: World, *, processes: int
) -> AsyncIterator[list[Process]]:
    """Start a bot in several processes, wait until they are idle, and stop them at the end of the block."""
    async with AsyncExitStack() as stack:
        running = []
        for number in range(processes):
            own = {**env, "DATA_DIR": f"{env['DATA_DIR']}-{number}"} if number else env
            process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, env=own, stdout=DEVNULL)
            stack.push_async_callback(_terminate, process)
            running.append(process)
            if not number:
                async with asyncio.timeout(MAX_WAIT_SECONDS):
                    await world.updates.wait_until_polled()
        await _wait_until_idle(running)
        yield running


async def _terminate(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
    await process.wait()


async def _wait_until_idle(processes: Sequence[Process]) -> None:
    """Wait until all processes are idle, so that startup work does not count as part of a turn."""
    before = -1.0
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while (now := sum_cpu_seconds(processes)) > before:
            before = now
            await asyncio.sleep(POLL_SECONDS)


def sum_cpu_seconds(processes: Sequence[Process]) -> float:
    return sum(read_cpu_seconds(process.pid) for process in processes)


async def _measure_turns(
    crowd: Crowd, turns: int, model: InstantEndpoint, processes: Sequence[Process]
) -> dict[str, object]:
    """Let the crowd talk to the bot, and return response times and the average costs of a turn."""
    asked, called, spent = model.request_count, crowd.world.calls.last, sum_cpu_seconds(processes)
    start = time.perf_counter()
    response_times = await crowd.measure_response_times(turns)
    count, seconds = len(response_times), time.perf_counter() - start
    return {
        "turns": count,
        "turns_per_second": round(count / seconds, 1),
        "ms": summarize_times(response_times),
        "processor_ms_a_turn": round((sum_cpu_seconds(processes) - spent) * 1000 / count, 2),
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / count, 2),
        "model_requests": model.request_count - asked,
        "rss_mb": round(sum(read_resident_megabytes(process.pid) for process in processes), 1),
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
    load = LoadOptions(**vars(parser.parse_args(arguments)))
    settings = read_settings_or_exit(parser, make_environment_without_embedding)
    if load.storage is StorageType.POSTGRES and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    if load.processes > 1 and load.storage is not StorageType.POSTGRES:
        parser.error("several processes need --storage postgres")
    results = asyncio.run(measure_bots(load))
    print_report({"benchmark": "load", "machine": describe_machine(), **asdict(load), **results})


if __name__ == "__main__":
    main()
