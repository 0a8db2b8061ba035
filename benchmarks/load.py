"""Many people at once. `python -m benchmarks.load [--people 200 --turns 5 --rate 0 --tokens 0 --lone 0]`

Runs bot.py as a process against the local Bot API server and a model that answers at once (`--tokens`: so many tokens,
at a realistic pace, the first of them after `--first-token` milliseconds); every person writes, waits for the answer,
and writes again (`--rate`: arrivals a second that wait for nothing; `--lone`: one person more, so many turns alone and
then next to all others; `--remembered`: so many earlier messages of each person, so that every turn searches the
memory; `--storage postgres`: on the server of DATABASE_URL, in schemas `load_…` made for it, with what its processes
spend of this machine's processor; `--bots keepsake`: that one alone). In the same run also our bot with memory off and
two bare bots: an echo, and the same libraries asking the same model without memory. Times are those a person sees, from
sending to the answer.
"""

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.arguments import number, settings_of
from benchmarks.capacity.on_server import Server, emptied, stored_bytes, tidied
from benchmarks.crowd import PATIENCE, Crowd, Seen
from benchmarks.filling import fill
from benchmarks.instant_model import InstantModel
from benchmarks.measure import (
    folder_bytes,
    machine,
    percentile,
    progress,
    report,
    resident_megabytes,
    spread,
    without_embedding,
)
from external_memory import ExternalMemory
from playground.bot_api import bot_api
from playground.server import serve
from playground.world import World
from records.owners import StorageType
from records.scopes import Scope
from settings import environment
from storage.files.driver import sqlite3

ROOT = Path(__file__).parent.parent
LATE, STEEP = 0.15, 1.2
"""The first words should be there after at most STEEP times what the model needs for its first token, and LATE seconds
more (`late_ms`: how much later half of them are)."""
INDEX = {StorageType.SQLITE: "memory.db", StorageType.JSON: "index.db"}
"""Where vectors are kept."""
BOTS = ("keepsake", "keepsake_off", "bare_model", "bare_echo")
LOOK_EVERY = 0.2
"""Seconds between two looks at how far indexing has come."""
MISSING = """
SELECT COUNT(*) FROM messages WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.seq = messages.seq)
"""


@dataclass(frozen=True, kw_only=True)
class Load:
    """How much is asked of the bots. `rate`: arrivals a second, 0 = everybody waits for the answer. `lone_turns`: so
    many turns of one person more, first alone, then next to the others for as long as they write. `remembered`: so many
    earlier messages each person has, nearly all of them folded.
    """

    people: int
    turns: int
    rate: float
    storage: StorageType
    lone_turns: int = 0
    remembered: int = 0


class Running:
    """A bot's process that tells what it has cost so far."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def id(self) -> int:
        return self._process.pid

    async def cost(self) -> dict[str, Any]:
        """What counted_bot.py prints."""
        assert self._process.stdout
        self._process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(PATIENCE):
            cost: dict[str, Any] = json.loads(await self._process.stdout.readline())
        return cost


@asynccontextmanager
async def running(command: Sequence[str], world: World, env: Mapping[str, str]) -> AsyncIterator[Running]:
    """A bot as a process, once it listens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.counted_bot", *command, cwd=ROOT, env=dict(env), stdout=PIPE
    )
    ended = asyncio.create_task(process.wait())
    listens = asyncio.create_task(world.updates.polled())
    try:
        await asyncio.wait({ended, listens}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not listens.done() or ended.done():
            raise RuntimeError(f"{command[0]} did not start")
        yield Running(process)
    finally:
        listens.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await ended


async def measure(load: Load, model: InstantModel, bots: Sequence[str] = BOTS) -> dict[str, Any]:
    """The figures for our bot and for the two bare ones, one after the other."""
    results: dict[str, Any] = {}
    async with serve(model.app()) as model_url:
        with tempfile.TemporaryDirectory(prefix="keepsake-load-") as folder:
            for number, name in enumerate(bots, start=1):
                progress(f"{name}: {load.people} people, {load.turns} turns each")
                world = World(token=f"{number}:benchmark")
                crowd = Crowd(world, load.people)
                data = Path(folder) / name
                async with serve(bot_api(world)) as api:
                    command, env = await _bot(name, crowd, api, f"{model_url}/v1", data, load)
                    url = env.get("DATABASE_URL", "")
                    async with running(command, world, env) as bot:
                        alone = await crowd.talk_alone(load.lone_turns)
                        with closing(Server(url)) if url else nullcontext() as server:
                            results[name] = await _figures(crowd, load, model, bot, alone, server)
                        if name == "keepsake" and env["EMBEDDING_MODEL"] != "none" and not url:
                            results["indexing_lag_s"] = await _indexing_lag(data / INDEX[load.storage])
                    if load.remembered:
                        stored = stored_bytes(url) if url else folder_bytes(data)
                        results[name]["bytes_per_message"] = round(stored / (load.remembered * (load.people + 1)))
    return results


async def _bot(
    name: str, crowd: Crowd, api: str, model_url: str, folder: Path, load: Load
) -> tuple[list[str], dict[str, str]]:
    """The command line of a bot, and its environment."""
    token = crowd.world.token
    if name.startswith("keepsake"):
        people = (*crowd.people, crowd.lone) if name == "keepsake" else ()
        url = without_embedding().get("DATABASE_URL", "") if load.storage is StorageType.POSTGRES else ""
        url = url and emptied(url, f"load_{name}")
        if load.remembered:
            await asyncio.to_thread(folder.mkdir)
            scopes = [Scope(owner=person) for person in people]
            await fill(folder, load.storage, scopes, load.remembered, database_url=url)
            if url:
                tidied(url)
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
        return ["bot"], {**without_embedding(), **own}
    kind = name.removeprefix("bare_")
    return ["benchmarks.bare_bots", kind, "--api", api, "--token", token, "--model-url", model_url], environment()


async def _figures(
    crowd: Crowd, load: Load, model: InstantModel, bot: Running, alone: Seen, server: Server | None
) -> dict[str, Any]:
    """`alone`: what one person saw while nobody else wrote."""
    asked, called, before = model.asked, crowd.world.calls.last, await bot.cost()
    spent, counts = (server.seconds(), server.counts()) if server else ({}, {})
    start = time.perf_counter()
    writing = crowd.arrive(load.turns, load.rate) if load.rate else crowd.talk(load.turns)
    seen, beside = await crowd.talk_beside(writing) if load.lone_turns else (await writing, Seen())
    seconds = time.perf_counter() - start
    after = await bot.cost()
    turns = len(seen.whole) + len(beside.whole)
    by_thread = {
        name: round((ms - before["processor_ms"].get(name, 0.0)) / turns, 2)
        for name, ms in after["processor_ms"].items()
    }
    return {
        "turns": turns,
        "turns_per_second": round(turns / seconds, 1),
        "ms": spread(seen.whole),
        "ms_to_first_words": spread(seen.first),
        "late_ms": round((percentile(seen.first, 0.5) - STEEP * model.wait - LATE) * 1000, 1),
        **_lone(alone, beside),
        "processor_ms_a_turn": round(sum(by_thread.values()), 2),
        **({"server_processor_ms_a_turn": round(server.spent(spent) * 1000 / turns, 2)} if server else {}),
        **(_asked_of(server, counts, turns) if server else {}),
        "by_thread": {name: ms for name, ms in by_thread.items() if ms >= 0.01},
        "hops_a_turn": round((after["hops"] - before["hops"]) / turns, 1),
        "commits_a_turn": round((after["commits"] - before["commits"]) / turns, 2),
        "telegram_calls": crowd.world.calls.last - called,
        "telegram_calls_a_turn": round((crowd.world.calls.last - called) / turns, 2),
        "model_requests": model.asked - asked,
        "rss_mb": resident_megabytes(bot.id),
    }


def _lone(alone: Seen, beside: Seen) -> dict[str, object]:
    """What one person waits alone and next to the others, and how many times that is at the 95th percentile."""
    if not alone.whole or not beside.whole:
        return {}
    times = percentile(beside.whole, 0.95) / percentile(alone.whole, 0.95)
    return {
        "ms_alone": spread(alone.whole),
        "ms_beside": spread(beside.whole),
        "times_alone_p95": round(times, 2),
    }


def _asked_of(server: Server, before: Mapping[str, int], turns: int) -> dict[str, float]:
    now = server.counts()
    return {
        "connections": now["connections"],
        "server_commits_a_turn": round((now["commits"] - before["commits"]) / turns, 2),
        "server_rows_a_turn": round((now["rows"] - before["rows"]) / turns, 1),
    }


async def _indexing_lag(file: Path) -> float:
    """Seconds from the last answer until every message has its vectors."""
    start = time.perf_counter()
    while time.perf_counter() - start < PATIENCE:
        connection = sqlite3.connect(file)
        try:
            [left] = connection.execute(MISSING).fetchone()
        finally:
            connection.close()
        if not left:
            break
        await asyncio.sleep(LOOK_EVERY)
    return round(time.perf_counter() - start, 1)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--people", "--users", type=number(1), default=200)
    parser.add_argument("--turns", type=number(1), default=5)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--tokens", type=number(0), default=0)
    parser.add_argument("--first-token", type=number(0), default=0)
    parser.add_argument("--lone", type=number(0), default=0)
    parser.add_argument("--remembered", type=number(0), default=0)
    parser.add_argument("--storage", type=StorageType, default=StorageType.SQLITE, choices=list(StorageType))
    parser.add_argument("--bots", nargs="+", choices=BOTS, default=BOTS)
    options = parser.parse_args(arguments)
    settings = settings_of(parser, without_embedding)
    if options.storage is StorageType.POSTGRES and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    load = Load(
        people=options.people,
        turns=options.turns,
        rate=options.rate,
        storage=options.storage,
        lone_turns=options.lone,
        remembered=options.remembered,
    )
    results = asyncio.run(
        measure(load, InstantModel(tokens=options.tokens, wait=options.first_token / 1000), options.bots)
    )
    asked = {
        "users": load.people,
        "turns_each": load.turns,
        "storage": load.storage,
        "rate": load.rate,
        "tokens": options.tokens,
        "first_token_ms": options.first_token,
        "remembered": load.remembered,
    }
    report({"benchmark": "load", "machine": machine(), **asked, **results})


if __name__ == "__main__":
    main()
