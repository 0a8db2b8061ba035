"""Measure how much evidence a question brings back: `python -m benchmarks.recall --data FILE [--out FILE.jsonl]`

Store every conversation of a file in LoCoMo's format in a new store, as archived messages with dates and speakers. Then
ask the bot's retriever each question. SNIPPET_BUDGET and EMBEDDING_MODEL come from the environment. The figures of each
file, worst first, stand next to those of two plain searches. `--storage postgres` erases owner 1 again and again, so
give it its own DATABASE_URL.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.judging import FIRST, compute_session_figures, find_shown_ids
from benchmarks.locomo import Line, Question, Sample, parse_data_file, parse_place, read
from benchmarks.measure import print_progress, print_report, summarize_times
from benchmarks.plain_search import plain_searches
from benchmarks.vector_file import KeptVectors
from chat.memory_reading import MemoryReading, ReadingWish, Seen
from chat.services import Services
from chat.tools import RESULT_TOKENS
from llm import prompts, quoting
from llm.embeddings import Embedder, make_embedder
from records.context import Snippet
from records.forgetting import Forgetting
from records.messages import Message, NewMessage
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import FoldPlan, NewSummary
from settings import Settings
from storage.stores.memory_store import MemoryStore
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=1)
ASKED_AFTER = timedelta(weeks=3)  # questions are asked so long after the last message, unless they stand for one
BEST = 50
PATIENT = 3600.0  # seconds that a question waits for its vector: a busy machine changes no figure


@dataclass
class Clock:
    """A clock that shows the time of the message being stored, and later that of the question."""

    now: datetime = datetime(2020, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(kw_only=True, slots=True)
class Remembered:
    """A store with the part of a conversation that was stored so far.

    `ids` maps message ids to LoCoMo's. `talk` lists the messages of the current session, which a prompt carries anyway.
    """

    services: Services
    store: MemoryStore
    sample: Sample
    clock: Clock
    snippet_budget: int
    ids: dict[int, str] = field(default_factory=dict)
    talk: Sequence[int] = ()

    async def until(self, at: str) -> None:
        """Store the messages before `at`, and set the clock to it. "" stores all, and sets the clock to weeks later."""
        count = self.sample.before(at)
        start = 0
        for session in self.sample.sessions:
            lines = session[max(0, len(self.ids) - start) : max(0, count - start)]
            start += len(session)
            if lines:
                self.clock.now = lines[-1].said_at
                self.ids |= await remember(lines, self.store)
        asked = self.sample.moment(at) if at else self.sample.ended_at + ASKED_AFTER
        self.clock.now = max(self.clock.now, asked or self.clock.now)
        self.talk = [id_ for id_, dia_id in self.ids.items() if at and parse_place(dia_id)[0] == parse_place(at)[0]]
        if self.services.indexing is not None:
            self.services.indexing.wake()
            await self.services.indexing.wait_until_done()


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A part of the snippets in a prompt, and LoCoMo's ids of its messages."""

    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question and its results, as LoCoMo's ids.

    `shown` is each message's text in the prompt. `found` has the messages that are shown well enough. `plain` has the
    results of the plain searches by name.
    """

    file: str
    sample: Sample
    question: Question
    ranked: tuple[str, ...]
    blocks: tuple[Block, ...]
    shown: Mapping[str, str]
    found: frozenset[str]
    seconds: float
    plain: Mapping[str, frozenset[str]]

    @property
    def coverage(self) -> float:
        return self.share(self.found)

    def share(self, ids: frozenset[str]) -> float:
        """Return the share of the evidence among these messages."""
        return len(ids.intersection(self.question.evidence)) / len(self.question.evidence)

    @property
    def all_at_10(self) -> bool:
        return set(self.question.evidence) <= set(self.ranked[:FIRST])

    def line(self, tokens: Tokenizer) -> str:
        """Return the line of this question in the --out file."""
        return json.dumps(
            {
                "sample_id": self.sample.sample_id,
                "question": self.question.text,
                "ranked": self.ranked[:BEST],
                "snippets": [{"ids": block.ids, "text": block.text} for block in self.blocks],
                "shown": self.shown,
                "tokens": tokens.count("\n".join(block.text for block in self.blocks)),
            },
            ensure_ascii=False,
        )


async def measure(
    data: Sequence[Path],
    settings: Settings,
    *,
    storage: StorageType = StorageType.SQLITE,
    vectors: Path | None = None,
    pages: int = 1,
    order: str = "time",
) -> list[Asked]:
    """Ask every question of the files.

    `vectors` is a file that caches vectors for the next run. `pages` counts the prompt as 1, and then each result of
    the search tool.
    """
    asked: list[Asked] = []
    tokens = Tokenizer.for_model(settings.openai_model)
    async with open_embedder(settings, vectors) as embedder:
        for file, sample in [(path.stem, sample) for path in data for sample in read(path)]:
            print_progress(
                f"{sample.sample_id}: {sum(map(len, sample.sessions))} messages, {len(sample.questions)} questions"
            )
            async with open_remembered(sample, settings, storage=storage, embedder=embedder) as memory:
                for question in sorted(sample.questions, key=lambda question: sample.before(question.at)):
                    await memory.until(question.at)
                    one = await _ask(file, question, memory)
                    one = await _read_on(one, memory, tokens, pages=pages, order=order)
                    plain = await plain_searches(
                        question.text,
                        memory.store,
                        SCOPE,
                        embedder=embedder,
                        budget=settings.snippet_budget,
                        tokens=tokens,
                        talk=memory.talk,
                    )
                    of_plain = {name: frozenset(memory.ids[id_] for id_ in ids) for name, ids in plain.items()}
                    asked.append(replace(one, plain=of_plain))
    return asked


@asynccontextmanager
async def open_embedder(settings: Settings, kept: Path | None) -> AsyncIterator[Embedder | None]:
    """Open the embedder of the settings. `kept` is a file that caches vectors."""
    embedder = make_embedder(replace(settings, embedding_timeout=PATIENT))
    if embedder is None:
        yield None
        return
    async with KeptVectors(embedder, kept) if kept else embedder as opened:
        yield opened


@asynccontextmanager
async def open_remembered(
    sample: Sample, settings: Settings, *, storage: StorageType = StorageType.SQLITE, embedder: Embedder | None = None
) -> AsyncIterator[Remembered]:
    """Open a fresh store for a conversation."""
    clock = Clock()
    if embedder is None:
        settings = replace(settings, embedding_model="none")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="keepsake-recall-")))
        services = await stack.enter_async_context(
            open_services(replace(settings, data_dir=folder), clock=clock, offline=True, embedder=embedder)
        )
        await services.memory.configure(SCOPE.owner, storage=storage, every_n=20)
        store = await stack.enter_async_context(services.memory.open_store(SCOPE.owner))
        if storage is StorageType.POSTGRES:
            # The conversation before this one: the server is not new each time, as the folder is.
            await store.forgetting.forget(SCOPE.owner, Forgetting(what="everything"), now=clock())
        yield Remembered(
            services=services, store=store, sample=sample, clock=clock, snippet_budget=settings.snippet_budget
        )


async def remember(session: Sequence[Line], store: MemoryStore) -> dict[int, str]:
    """Store a session and archive it as one chunk. Return LoCoMo's id for each message id."""
    ids: dict[int, str] = {}
    turn: int | None = None
    for line in session:
        draft = NewMessage(
            role=line.role,
            content=line.text,
            created_at=line.said_at,
            speaker=line.speaker,
            turn=turn if line.role == "assistant" else None,
        )
        (message,) = await store.append(SCOPE, [draft])
        ids[message.id] = line.dia_id
        turn = message.turn
    now = session[-1].said_at
    lease = await store.begin_fold(SCOPE, "now", now=now, lease=timedelta(minutes=1))
    if lease is None:
        raise RuntimeError("Somebody else folds this fresh store.")
    made = NewSummary(text=f"They talked on {prompts.format_date(now)}.", model="none", prompt_version="none")
    await store.commit_fold(lease, FoldPlan(level=1, message_ids=tuple(ids), reason="now"), made, now=now)
    return ids


async def _ask(file: str, question: Question, memory: Remembered) -> Asked:
    start = time.perf_counter()
    newest = await memory.store.read_messages(SCOPE, memory.talk)
    ranked, snippets = await recall(question.text, memory, newest)
    seconds = time.perf_counter() - start
    shown = {memory.ids[snippet.message.id]: quoting.quote_text(snippet.text) for snippet in snippets}
    said = {memory.ids[snippet.message.id]: snippet.message.content for snippet in snippets}
    return Asked(
        file=file,
        sample=memory.sample,
        question=question,
        ranked=tuple(memory.ids[id_] for id_ in ranked),
        blocks=tuple(_make_blocks(snippets, memory.ids, memory.clock.now)),
        shown=shown,
        found=find_shown_ids(shown, said, question.answer),
        seconds=seconds,
        plain={},
    )


async def _read_on(asked: Asked, memory: Remembered, tokens: Tokenizer, *, pages: int, order: str) -> Asked:
    """Add what a reader sees who repeats the question with the search tool."""
    services = memory.services
    reading = MemoryReading(memory=services.memory, search=services.search, tokenizer=tokens)
    wish = ReadingWish.parse({"query": asked.question.text, "order": order})
    assert isinstance(wish, ReadingWish), wish
    numbers = {dia_id: id_ for id_, dia_id in memory.ids.items()}
    shown = dict(asked.shown)
    seen = {numbers[id_] for id_ in shown} | set(memory.talk)
    in_part = {
        message.id
        for message in await memory.store.read_messages(SCOPE, sorted(numbers[dia_id] for dia_id in shown))
        if shown[memory.ids[message.id]] != quoting.quote_text(message.content)
    }
    summaries: set[int] = set()
    for _ in range(pages - 1):
        page = await reading.read_memory(
            SCOPE,
            wish,
            seen=Seen(messages=seen, summaries=summaries, in_part=in_part),
            until=None,
            now=memory.clock.now,
            room=RESULT_TOKENS,
        )
        seen.update(page.messages)
        in_part.difference_update(page.messages)
        summaries.update(page.summaries)
        for id_, text in page.messages.items():
            shown[memory.ids[id_]] = f"{shown.get(memory.ids[id_], '')} {quoting.quote_text(text)}".strip()
        if not page.messages:
            break
    if pages == 1:
        return asked
    said = {
        memory.ids[message.id]: message.content for message in await memory.store.read_messages(SCOPE, sorted(seen))
    }
    return replace(asked, shown=shown, found=find_shown_ids(shown, said, asked.question.answer))


async def recall(text: str, memory: Remembered, newest: Sequence[Message] = ()) -> tuple[list[int], list[Snippet]]:
    """Return the ids of all candidates, best first, and the snippets that fit, in order of time.

    `newest` has the last messages, which are in the prompt anyway.
    """
    retrieval = memory.services.retrieval
    found = await retrieval.search(text, memory.store, SCOPE, newest=newest)
    shown = {message.id for message in newest}
    snippets = await retrieval.pack_snippets(
        found, memory.store, SCOPE, room=memory.snippet_budget, now=memory.clock.now, shown=shown
    )
    ranked = [id_ for id_ in found.ranked.ids if id_ not in shown]
    return ranked, sorted(snippets, key=lambda snippet: snippet.message.order)


def _make_blocks(found: Sequence[Snippet], ids: Mapping[int, str], now: datetime) -> Iterator[Block]:
    """Yield one block per day, as in the prompt, without the frame around them."""
    for snippets, text in prompts.group_by_day(found, now):
        yield Block(ids=tuple(ids[snippet.message.id] for snippet in snippets), text=text)


def compute_figures(asked: Sequence[Asked]) -> dict[str, object]:
    """Return the shares in percent, with files, conversations and categories from worst to best.

    `below_plain` lists where a plain search covers more.
    """
    by_set = {
        name: {
            **shares,
            "by_category": _group_worst_first([result for result in asked if result.file == name], _category),
        }
        for name, shares in _group_worst_first(asked, lambda result: result.file).items()
    }
    below = [
        f"{name}, {category}: {search}"
        for name, of in by_set.items()
        for category, shares in of["by_category"].items()
        for search, covered in shares["plain"].items()
        if covered > shares["coverage"]
    ]
    return {
        "n": len(asked),
        **_compute_shares(asked),
        "below_plain": below,
        "by_set": by_set,
        "by_conversation": _group_worst_first(asked, lambda result: result.sample.sample_id),
        "by_category": _group_worst_first(asked, _category),
        **{f"ms_{name}": value for name, value in summarize_times([result.seconds for result in asked]).items()},
    }


def _category(asked: Asked) -> str:
    return asked.question.category


def _group_worst_first(asked: Sequence[Asked], name: Callable[[Asked], str]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Asked]] = {}
    for result in asked:
        groups.setdefault(name(result), []).append(result)
    found = {group: {"n": len(of), **_compute_shares(of)} for group, of in sorted(groups.items())}
    return dict(sorted(found.items(), key=lambda pair: pair[1]["coverage"]))


def _compute_shares(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures of some questions. `plain` is the coverage of the plain searches."""
    count = max(1, len(asked))
    searches = sorted({name for result in asked for name in result.plain})
    plain = {
        name: round(100 * sum(result.share(result.plain.get(name, frozenset())) for result in asked) / count, 2)
        for name in searches
    }
    sessions = [compute_session_figures(result.ranked[:BEST], result.question.evidence) for result in asked]
    return {
        "coverage": round(100 * sum(result.coverage for result in asked) / count, 2),
        "all_at_10": round(100 * sum(result.all_at_10 for result in asked) / count, 2),
        "session_recall_at_10": round(sum(recall for recall, _ in sessions) / count, 3),
        "ndcg_at_10": round(sum(gain for _, gain in sessions) / count, 3),
        "plain": plain,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument(
        "--data", type=parse_data_file, required=True, nargs="+", help="files in LoCoMo's format, each a set of its own"
    )
    parser.add_argument("--out", type=parse_output_path, help="write one JSON line for each question")
    parser.add_argument("--storage", type=StorageType, default=StorageType.SQLITE, choices=list(StorageType))
    parser.add_argument(
        "--pages", type=make_number_parser(1), default=1, help="what is shown after so many results; 1: the prompt"
    )
    parser.add_argument("--order", default="time", choices=["best", "time"], help="of the further results")
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser)
    asked = asyncio.run(
        measure(
            options.data,
            settings,
            storage=options.storage,
            vectors=options.vectors,
            pages=options.pages,
            order=options.order,
        )
    )
    if options.out:
        tokens = Tokenizer.for_model(settings.openai_model)
        options.out.write_text("".join(result.line(tokens) + "\n" for result in asked), encoding="utf-8")
    print_report(
        {
            "benchmark": "recall",
            "data": [path.name for path in options.data],
            "snippet_budget": settings.snippet_budget,
            "pages": options.pages,
            "order": options.order,
            "embedding_model": settings.embedding_model,
            **compute_figures(asked),
        }
    )


if __name__ == "__main__":
    main()
