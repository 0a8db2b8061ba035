"""What an import costs, and what it costs others. `python -m benchmarks.import_history [--messages 100000]`

One person imports a chat of Telegram with that many messages, by the code behind /import, while another talks: their
turns (by Conversation, with a model that answers at once) are measured before, during the dry run, and during the
import. Then the same file again, in which nothing is new, and the export. This is done for each storage.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from assembly import open_services
from benchmarks.arguments import duration, number, settings_of
from benchmarks.invented import BEGINNING, Clock, InventedModel, Talk, turns
from benchmarks.measure import (
    LoopWatch,
    machine,
    progress,
    report,
    resident_megabytes,
    since,
    spread,
    without_embedding,
)
from chat.conversation import Conversation
from llm.offline import ExtractiveSummarizer
from records.owners import IN_FILES, StorageType
from records.scopes import Scope
from records.turns import Incoming
from settings import Settings

IMPORTER, OTHER = Scope(owner=1), Scope(owner=2)
PAUSE = 0.25
"""Seconds between an answer and the next message."""


def chat(messages: int) -> bytes:
    """A chat between two people as Telegram Desktop exports it."""
    talk = Talk(seed=9)
    rows = [
        {
            "id": number,
            "type": "message",
            "date_unixtime": str(int(BEGINNING.timestamp()) + 600 * number),
            "from": "Anna" if number % 2 else "Maria",
            "from_id": "user1" if number % 2 else "user3",
            "text": talk.question(),
        }
        for number in range(1, messages + 1)
    ]
    return json.dumps({"name": "Maria", "type": "personal_chat", "id": 3, "messages": rows}, indent=1).encode()


@asynccontextmanager
async def talking(conversation: Conversation, asked: Iterator[Incoming]) -> AsyncIterator[dict[str, object]]:
    """The other person talks while the block runs; afterwards the figures are in the yielded value."""
    taken: list[float] = []
    figures: dict[str, object] = {}
    over = asyncio.Event()

    async def talk() -> None:
        while not over.is_set():
            start = time.perf_counter()
            await conversation.reply(next(asked))
            taken.append(time.perf_counter() - start)
            await asyncio.sleep(PAUSE)

    async with LoopWatch().watching() as watch:
        speaking = asyncio.create_task(talk())
        yield figures
        over.set()
        await speaking
    most = round(max(taken, default=0.0) * 1000, 2)
    figures |= {"turns": len(taken), "turn_ms": {**spread(taken), "most": most}}
    figures["event_loop_blocked_ms"] = watch.figures()


async def measure(
    settings: Settings, storage: StorageType, data: bytes, folder: Path, *, quiet: float
) -> dict[str, object]:
    """The figures for one storage. `quiet`: seconds of talk before anything is imported."""
    clock = Clock()
    models = (InventedModel(Talk(seed=5)), ExtractiveSummarizer())
    settings = replace(settings, data_dir=folder)
    result: dict[str, object] = {"storage": storage}

    async def told(done: int, total: int) -> None:
        if done % 10_000 == 0:
            progress(f"{storage}: {done:,} of {total:,}")

    async with open_services(settings, clock=clock, models=models) as services:
        for scope in (IMPORTER, OTHER):
            await services.memory.configure(scope.owner, storage=storage, every_n=20)
        asked = turns(Talk(seed=6), OTHER, clock)
        importer = services.importer
        async with talking(services.conversation, asked) as figures:
            await asyncio.sleep(quiet)
        result["before"] = figures
        async with talking(services.conversation, asked) as figures:
            start = time.perf_counter()
            await importer.plan(IMPORTER, IMPORTER.owner, data)
            result["dry_run_ms"] = since(start)
        result["beside_dry_run"] = figures
        async with talking(services.conversation, asked) as figures:
            start = time.perf_counter()
            done = await importer.run(IMPORTER, IMPORTER.owner, data, progress=told)
            result["import_ms"] = since(start)
        result["beside_import"] = figures
        start = time.perf_counter()
        again = await importer.run(IMPORTER, IMPORTER.owner, data, progress=told)
        result |= {"imported": done.messages, "again": again.messages, "again_ms": since(start)}
        start = time.perf_counter()
        async with services.exporter.files(IMPORTER.owner) as files:
            result |= {"export_ms": since(start), "export_bytes": [file.size for file in files]}
        result["rss_mb"] = resident_megabytes()
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.import_history", description=__doc__)
    parser.add_argument("--messages", type=number(1), default=100_000)
    parser.add_argument("--quiet", type=duration, default=10.0, help="seconds of talk before anything is imported")
    options = parser.parse_args(arguments)
    settings = settings_of(parser, without_embedding)
    data = chat(options.messages)
    cases = []
    for storage in IN_FILES:
        with tempfile.TemporaryDirectory(prefix="keepsake-import-") as name:
            cases.append(asyncio.run(measure(settings, storage, data, Path(name), quiet=options.quiet)))
    report(
        {
            "benchmark": "import_history",
            "machine": machine(),
            "messages": options.messages,
            "bytes": len(data),
            "cases": cases,
        }
    )


if __name__ == "__main__":
    main()
