"""What ten thousand, a million and a hundred million people need. `python -m benchmarks.capacity [--figures FILE]`

A small run of benchmarks.load measures what a turn costs (with DATABASE_URL, on that server); from that follow cores,
disk, connections and money, and which limit comes first. A simulation of arrivals, hot chats and failovers with the
same figures says what people wait, and is held against the run. `--figures`: takes what an earlier run has printed.
"""

import argparse
import asyncio
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.arguments import number, settings_of
from benchmarks.capacity.simulation import Shape, Waited, simulate
from benchmarks.load import Load
from benchmarks.load import measure as measure_load
from benchmarks.measure import machine, percentile, progress, report, without_embedding
from benchmarks.stand_ins import InstantModel
from records.owners import StorageType

PEOPLE = (10_000, 1_000_000, 100_000_000)
SECONDS_A_DAY = 86_400
SLICE = 8
"""Processes that are simulated at most: chats share nothing, so more of them behave alike."""
SIMULATED_TURNS = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumed:
    """What no measurement tells: how people behave, what things cost, what one of them can do.

    Tokens are the medians of docs/benchmarks.md (a pyramid's prompt, its background) and an answer of usual length.
    Prices are round figures to be replaced by one's own. Telegram's limit is that of its FAQ for bots.
    """

    turns_a_day: float = 10.0
    peak: float = 4.0
    """Times the mean of a day."""
    used: float = 0.6
    """The share of a processor that is planned for."""
    model_seconds: float = 5.0
    hot: float = 0.05
    """The share of all messages that the busiest hundredth of the people write."""
    prompt_tokens: float = 2_456.0
    answer_tokens: float = 150.0
    background_tokens: float = 407.0
    vector_bytes: float = 700.0
    """Of a message, with the local embedder: docs/benchmarks.md, with and without vectors."""
    core_month: float = 20.0
    gigabyte_month: float = 0.12
    million_tokens_in: float = 0.25
    million_tokens_out: float = 2.0
    cores_of_a_server: float = 64.0
    terabytes_of_a_server: float = 16.0
    connections_of_a_server: float = 500.0
    telegram_a_second: float = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What a turn costs, by a run. `alone_ms`: of one person, nobody else writing; `stretch`: how many times longer
    this machine took for work than the work takes of a processor.
    """

    people: int
    turns: int
    bot_ms: float
    server_ms: float
    commits: float
    rows: float
    bytes_a_message: float
    connections: int
    rss_mb: float
    telegram_calls: float
    model_requests: float
    alone_ms: float
    seen_ms: float
    turns_a_second: float
    stretch: float


def stretch() -> float:
    """How many times longer work takes here than it takes of a processor: 1 on a machine with nothing else to do."""
    start, worked = time.perf_counter(), time.process_time()
    while (spent := time.process_time() - worked) < 0.3:
        sum(range(1_000))
    return (time.perf_counter() - start) / spent


def measured(storage: StorageType, people: int, turns: int, remembered: int) -> Measured:
    """A small run of benchmarks.load with our bot alone."""
    load = Load(people=people, turns=turns, rate=0.0, storage=storage, lone_turns=10, remembered=remembered)
    before = stretch()
    figures: Mapping[str, Any] = asyncio.run(measure_load(load, InstantModel(), ["keepsake"]))["keepsake"]
    held = figures["turns"]
    return Measured(
        people=people,
        turns=held,
        bot_ms=figures["processor_ms_a_turn"],
        server_ms=figures.get("server_processor_ms_a_turn", 0.0),
        commits=figures.get("server_commits_a_turn", figures["commits_a_turn"]),
        rows=figures.get("server_rows_a_turn", 0.0),
        bytes_a_message=figures["bytes_per_message"],
        connections=figures.get("connections", 0),
        rss_mb=figures["rss_mb"],
        telegram_calls=figures["telegram_calls_a_turn"],
        model_requests=figures["model_requests"] / held,
        alone_ms=figures["ms_alone"]["p50"],
        seen_ms=figures["ms"]["p50"],
        turns_a_second=figures["turns_per_second"],
        stretch=round((before + stretch()) / 2, 2),
    )


def needs(people: int, of: Measured, by: Assumed) -> dict[str, float]:
    """What so many people need: at the busiest time of a day, and of disk after a year."""
    a_day = people * by.turns_a_day
    peak = a_day / SECONDS_A_DAY * by.peak
    bot_cores = peak * of.bot_ms / 1000 / by.used
    server_cores = peak * of.server_ms / 1000 / by.used
    processes = math.ceil(bot_cores)
    gigabytes = a_day * 365 * 2 * (of.bytes_a_message + by.vector_bytes) / 1e9
    tokens_in = a_day * 30 * (by.prompt_tokens + by.background_tokens) / 1e6
    tokens_out = a_day * 30 * by.answer_tokens / 1e6
    servers = max(
        server_cores / by.cores_of_a_server,
        gigabytes / 1000 / by.terabytes_of_a_server,
        processes * of.connections / by.connections_of_a_server,
    )
    return {
        "people": people,
        "turns_a_second": round(peak, 1),
        "processes": processes,
        "bot_memory_gb": round(processes * of.rss_mb / 1024, 1),
        "server_cores": round(server_cores, 1),
        "servers": math.ceil(servers) if of.connections else 0,
        "connections": processes * of.connections,
        "commits_a_second": round(peak * of.commits),
        "rows_a_second": round(peak * of.rows),
        "terabytes_after_a_year": round(gigabytes / 1000, 2),
        "model_requests_a_second": round(peak * of.model_requests, 1),
        "telegram_calls_a_second": round(peak * of.telegram_calls, 1),
        "bots": math.ceil(peak / by.telegram_a_second),
        "dollars_a_month_machines": round(
            (bot_cores + server_cores) * by.core_month + gigabytes / 2 * by.gigabyte_month
        ),
        "dollars_a_month_model": round(tokens_in * by.million_tokens_in + tokens_out * by.million_tokens_out),
    }


def bottlenecks(of: Measured, by: Assumed) -> list[dict[str, object]]:
    """How many people each single thing is enough for, what ends first at the top."""
    one = needs(1_000_000, of, by)
    a_person = {name: value / 1e6 for name, value in one.items()}
    peak = a_person["turns_a_second"]
    limits = {
        "one process (a processor, less what is kept free)": by.used / (peak * of.bot_ms / 1000),
        "answers that Telegram takes of one bot in a second": by.telegram_a_second / peak,
    }
    if of.connections:
        limits |= {
            "connections to one server": by.connections_of_a_server / a_person["connections"],
            "processors of one server": by.cores_of_a_server / a_person["server_cores"],
        }
    limits["the disk of one server, after a year"] = by.terabytes_of_a_server / a_person["terabytes_after_a_year"]
    return [
        {"what": what, "people": int(people)} for what, people in sorted(limits.items(), key=lambda limit: limit[1])
    ]


def crowded(people: int, of: Measured, by: Assumed) -> dict[str, object]:
    """What people wait beyond the model when it is busiest, simulated; then with one process more, and one dying."""
    need = needs(people, of, by)
    processes = min(int(need["processes"]) + 1, SLICE)
    share = min(1.0, processes / (need["processes"] + 1))
    shape = Shape(
        processes=processes,
        people=max(100, round(people * share)),
        turns=SIMULATED_TURNS,
        work=of.bot_ms / 1000,
        model=by.model_seconds,
        rate=need["turns_a_second"] * share,
        hot=by.hot,
    )
    calm = simulate(shape)
    half = SIMULATED_TURNS / shape.rate / 2
    dying = replace(shape, processes=processes + 1, failovers=(half,))
    return {
        "processes": processes,
        "ms": _beyond(calm, by),
        "one_more_and_one_dies_ms": _beyond(simulate(dying), by),
    }


def _beyond(waited: Waited, by: Assumed) -> dict[str, float]:
    return {
        f"p{round(share * 1000) / 10:g}": round((percentile(waited.waits, share) - by.model_seconds) * 1000, 1)
        for share in (0.5, 0.95, 0.99, 0.999)
    }


def checked(of: Measured) -> dict[str, object]:
    """The run, simulated with its own figures: everybody writes, waits for the answer, and writes again."""
    work = of.bot_ms / 1000 * of.stretch
    fixed = max(0.0, of.alone_ms / 1000 - work)  # what one turn waits for next to its work: commits, HTTP, the server
    waited = simulate(Shape(processes=1, people=of.people, turns=of.turns, work=work, model=fixed))
    found = {
        "turns_a_second": round(of.turns / waited.seconds, 1),
        "ms": round(percentile(waited.waits, 0.5) * 1000, 1),
    }
    return {
        "run": {"turns_a_second": of.turns_a_second, "ms": of.seen_ms},
        "simulated": found,
        "simulated_to_run": round(found["turns_a_second"] / of.turns_a_second, 2),
    }


def capacity(of: Measured, by: Assumed) -> dict[str, object]:
    """Everything that is printed, from what a turn costs."""
    return {
        "measured": asdict(of),
        "assumed": asdict(by),
        "needs": [needs(people, of, by) for people in PEOPLE],
        "bottlenecks": bottlenecks(of, by),
        "waits": {str(people): crowded(people, of, by) for people in PEOPLE},
        "checked": checked(of),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=__doc__)
    parser.add_argument("--figures", type=Path, help="what an earlier run has printed; nothing is measured")
    parser.add_argument("--people", type=number(1), default=20, help="people of the small run")
    parser.add_argument("--turns", type=number(1), default=5, help="turns of each of them")
    parser.add_argument("--remembered", type=number(1), default=200, help="earlier messages of each")
    options = parser.parse_args(arguments)
    settings = settings_of(parser, without_embedding)
    if options.figures:
        of = Measured(**json.loads(options.figures.read_text(encoding="utf-8"))["measured"])
    else:
        storage = StorageType.POSTGRES if settings.database_url.value else StorageType.SQLITE
        progress(f"a small run on {storage}")
        of = measured(storage, options.people, options.turns, options.remembered)
    report({"benchmark": "capacity", "machine": machine(), **capacity(of, Assumed())})
