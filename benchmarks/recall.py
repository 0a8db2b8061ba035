"""Measure how much evidence is retrieved for a question: `python -m benchmarks.recall --data FILE [--out FILE.jsonl]`

Store each conversation of a file in LoCoMo's format in a new store, as archived messages with dates and speakers. Then
ask the bot's retriever each question. SNIPPET_BUDGET and EMBEDDING_MODEL come from the environment. The report lists
the files worst first, and compares the coverage with that of two plain searches. `--storage postgres` repeatedly erases
owner 1, so give it a DATABASE_URL of its own.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.invented import Clock
from benchmarks.judging import TOP_COUNT, compute_session_recall_and_ndcg, find_ids_shown_in_prompt, parse_session_id
from benchmarks.locomo import Line, LocomoConversation, LocomoQuestion, parse_questions_path, read_samples
from benchmarks.measure import print_progress, print_report, summarize_times
from benchmarks.plain_search import find_ids_by_search_method
from benchmarks.vector_file import CachedEmbedder
from chat.memory_reading import MemoryReader, SearchCall, SeenIds
from chat.services import Services
from chat.tools import RESULT_TOKENS
from llm import prompts, quoting
from llm.embeddings import Embedder, make_embedder
from records.context import Snippet
from records.forgetting import ForgetRequest
from records.messages import Message, NewMessage
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import NewSummary, SummaryPlan
from settings import Settings
from storage.stores.memory_store import MemoryStore
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=1)
ASKED_AFTER = timedelta(weeks=3)  # between the last line and the questions that replace none
BEFORE_ALL_DATA = datetime(2020, 1, 1, tzinfo=UTC)
MAX_RANKED_IDS = 50  # in a line of the --out file
EMBEDDING_TIMEOUT = 3600.0  # seconds; so long that a busy machine does not change the results


@dataclass(kw_only=True, slots=True)
class StoredConversation:
    """A store to which the messages of a conversation are added step by step.

    `ids` maps message ids to LoCoMo's line ids. `current_ids` holds the messages of the current session, which every
    prompt contains.
    """

    services: Services
    store: MemoryStore
    sample: LocomoConversation
    clock: Clock
    snippet_budget: int
    ids: dict[int, str] = field(default_factory=dict)
    current_ids: Sequence[int] = ()

    async def advance_to(self, line_id: str) -> None:
        """Store the lines before `line_id`, and set the clock to the time of that line.

        If `line_id` is "", store all lines, and set the clock to ASKED_AFTER after the last one.
        """
        count = self.sample.count_lines_before(line_id)
        start = 0
        for session in self.sample.sessions:
            lines = session[max(0, len(self.ids) - start) : max(0, count - start)]
            start += len(session)
            if lines:
                self.clock.now = lines[-1].said_at
                self.ids |= await store_session_and_map_ids(lines, self.store)
        asked_at = self.sample.compute_line_time(line_id) if line_id else self.sample.ended_at + ASKED_AFTER
        self.clock.now = max(self.clock.now, asked_at or self.clock.now)
        session_id = parse_session_id(line_id)
        self.current_ids = [id_ for id_, known in self.ids.items() if parse_session_id(known) == session_id]
        if self.services.indexing is not None:
            self.services.indexing.wake()
            await self.services.indexing.idle.wait()


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionResult:
    """A question and what was retrieved for it, identified by LoCoMo's ids.

    `ranked` lists all candidates, best first. `shown` maps each message in the prompt to its text there. `blocks` lists
    the prompt's blocks of snippets, one for each day, with the ids of their messages.

    `found` lists the messages that are sufficiently shown, and `in_part` the store's ids of those that are shown
    without their beginning. `plain` maps the names of the plain searches to their results.
    """

    file: str
    sample: LocomoConversation
    question: LocomoQuestion
    ranked: tuple[str, ...]
    blocks: Sequence[tuple[Sequence[str], str]]
    shown: Mapping[str, str]
    found: frozenset[str]
    in_part: frozenset[int]
    seconds: float
    plain: Mapping[str, frozenset[str]]

    def compute_evidence_share(self, ids: frozenset[str]) -> float:
        """Return the share of the question's evidence that is in `ids`."""
        return len(ids.intersection(self.question.evidence)) / len(self.question.evidence)

    @property
    def has_all_evidence_in_top_10(self) -> bool:
        return set(self.question.evidence) <= set(self.ranked[:TOP_COUNT])

    def format_line(self, tokenizer: Tokenizer) -> str:
        """Format this result as its line in the --out file."""
        return json.dumps(
            {
                "sample_id": self.sample.sample_id,
                "question": self.question.text,
                "ranked": self.ranked[:MAX_RANKED_IDS],
                "snippets": [{"ids": ids, "text": text} for ids, text in self.blocks],
                "shown": self.shown,
                "tokens": tokenizer.count("\n".join(text for _, text in self.blocks)),
            },
            ensure_ascii=False,
        )


async def measure_recall(
    data_files: Sequence[Path],
    settings: Settings,
    *,
    storage: StorageType = StorageType.SQLITE,
    vector_file: Path | None = None,
    pages: int = 1,
    order: str = "time",
) -> list[QuestionResult]:
    """Store every conversation of the files, ask its questions, and return the results.

    `vector_file` is a file that caches vectors for the next run. `pages` is the number of result pages to score: page 1
    is the prompt, later ones come from the search tool in the given order.
    """
    results: list[QuestionResult] = []
    tokenizer = Tokenizer.for_model(settings.openai_model)
    async with open_embedder(settings, vector_file) as embedder:
        for file, sample in [(path.stem, sample) for path in data_files for sample in read_samples(path)]:
            print_progress(
                f"{sample.sample_id}: {sum(map(len, sample.sessions))} messages, {len(sample.questions)} questions"
            )
            async with open_conversation(sample, settings, storage=storage, embedder=embedder) as memory:
                for question in sorted(
                    sample.questions, key=lambda question: sample.count_lines_before(question.in_place_of)
                ):
                    await memory.advance_to(question.in_place_of)
                    result = await _ask_question(file, question, memory)
                    result = await _add_further_pages(result, memory, tokenizer, pages=pages, order=order)
                    plain = await find_ids_by_search_method(
                        question.text,
                        memory.store,
                        SCOPE,
                        embedder=embedder,
                        budget=settings.snippet_budget,
                        tokenizer=tokenizer,
                        excluded_ids=memory.current_ids,
                    )
                    of_plain = {name: frozenset(memory.ids[id_] for id_ in ids) for name, ids in plain.items()}
                    results.append(replace(result, plain=of_plain))
    return results


@asynccontextmanager
async def open_embedder(settings: Settings, cache_file: Path | None) -> AsyncIterator[Embedder | None]:
    """Open the embedder that the settings name, or yield None if they name none. `cache_file` caches its vectors."""
    embedder = make_embedder(settings)
    if embedder is None:
        yield None
        return
    async with CachedEmbedder(embedder, cache_file) if cache_file else embedder as opened:
        yield opened


@asynccontextmanager
async def open_conversation(
    sample: LocomoConversation,
    settings: Settings,
    *,
    storage: StorageType = StorageType.SQLITE,
    embedder: Embedder | None = None,
) -> AsyncIterator[StoredConversation]:
    """Open an empty store to which the lines of a conversation can be added step by step."""
    clock = Clock(now=BEFORE_ALL_DATA)
    settings = replace(settings, embedding_timeout=EMBEDDING_TIMEOUT)
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
            # Unlike the folder, the server still contains the previous conversation.
            await store.forgetting.forget(SCOPE.owner, ForgetRequest(what="everything"), now=clock())
        yield StoredConversation(
            services=services, store=store, sample=sample, clock=clock, snippet_budget=settings.snippet_budget
        )


async def store_session_and_map_ids(session: Sequence[Line], store: MemoryStore) -> dict[int, str]:
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
        (message,) = await store.append_messages(SCOPE, [draft])
        ids[message.id] = line.line_id
        turn = message.turn
    now = session[-1].said_at
    lease = await store.acquire_summary_lease(SCOPE, "now", now=now, duration=timedelta(minutes=1))
    if lease is None:
        raise RuntimeError("Another process is folding this new store.")
    summary = NewSummary(text=f"They talked on {now.date()}.", model="none", prompt_version="none")
    await store.commit_summary(lease, SummaryPlan(level=1, message_ids=tuple(ids), reason="now"), summary, now=now)
    return ids


async def _ask_question(file: str, question: LocomoQuestion, memory: StoredConversation) -> QuestionResult:
    start = time.perf_counter()
    newest = await memory.store.read_messages(SCOPE, memory.current_ids)
    ranked, snippets = await recall_snippets(question.text, memory, newest)
    seconds = time.perf_counter() - start
    shown = {memory.ids[snippet.message.id]: quoting.quote_text(snippet.text) for snippet in snippets}
    said = {memory.ids[snippet.message.id]: snippet.message.content for snippet in snippets}
    return QuestionResult(
        file=file,
        sample=memory.sample,
        question=question,
        ranked=tuple(memory.ids[id_] for id_ in ranked),
        blocks=[
            ([memory.ids[snippet.message.id] for snippet in of_day], text)
            for of_day, text in prompts.format_snippets_by_day(snippets, memory.clock.now)
        ],
        shown=shown,
        found=find_ids_shown_in_prompt(shown, said, question.answer),
        in_part=frozenset(snippet.message.id for snippet in snippets if snippet.text.startswith("…")),
        seconds=seconds,
        plain={},
    )


async def _add_further_pages(
    result: QuestionResult, memory: StoredConversation, tokenizer: Tokenizer, *, pages: int, order: str
) -> QuestionResult:
    """Fetch `pages - 1` further pages of a question from the search tool, and add their messages to its result."""
    if pages == 1:
        return result
    services = memory.services
    reading = MemoryReader(memory=services.memory, search=services.search, tokenizer=tokenizer)
    request = SearchCall.parse({"query": result.question.text, "order": order})
    assert isinstance(request, SearchCall), request
    numbers = {line_id: id_ for id_, line_id in memory.ids.items()}
    shown = dict(result.shown)
    seen = {numbers[id_] for id_ in shown} | set(memory.current_ids)
    in_part = set(result.in_part)
    summaries: set[int] = set()
    for _ in range(pages - 1):
        page = await reading.search_memory(
            SCOPE,
            request,
            seen_ids=SeenIds(messages=seen, summaries=summaries, in_part=in_part),
            until_message_id=None,
            now=memory.clock.now,
            max_tokens=RESULT_TOKENS,
        )
        seen.update(page.messages)
        in_part.difference_update(page.messages)
        summaries.update(page.summaries)
        for id_, text in page.messages.items():
            shown[memory.ids[id_]] = f"{shown.get(memory.ids[id_], '')} {quoting.quote_text(text)}".strip()
        if not page.messages:
            break
    said = {
        memory.ids[message.id]: message.content for message in await memory.store.read_messages(SCOPE, sorted(seen))
    }
    return replace(result, shown=shown, found=find_ids_shown_in_prompt(shown, said, result.question.answer))


async def recall_snippets(
    question: str, memory: StoredConversation, newest_messages: Sequence[Message] = ()
) -> tuple[list[int], list[Snippet]]:
    """Return the ids of all candidates, best first, and the snippets that fit the budget, in chronological order.

    `newest_messages` has the newest messages, which are in the prompt already.
    """
    retrieval = memory.services.retrieval
    found = await retrieval.search(question, memory.store, SCOPE, newest_messages=newest_messages)
    shown = {message.id for message in newest_messages}
    snippets = await retrieval.pack_snippets(
        found, memory.store, SCOPE, max_tokens=memory.snippet_budget, now=memory.clock.now, message_ids_in_prompt=shown
    )
    ranked = [id_ for id_ in found.ranked.message_ids if id_ not in shown]
    return ranked, sorted(snippets, key=lambda snippet: snippet.message.sort_key)


def summarize_results(results: Sequence[QuestionResult]) -> dict[str, object]:
    """Return the scores of all results together, and by file and category, with the worst scores first."""
    by_set = _summarize_groups(results, lambda result: result.file)
    for name, scores in by_set.items():
        scores["by_category"] = _summarize_groups([result for result in results if result.file == name], _get_category)
    return {
        "n": len(results),
        **_summarize_scores(results),
        "by_set": by_set,
        "by_category": _summarize_groups(results, _get_category),
        **{f"ms_{name}": value for name, value in summarize_times([result.seconds for result in results]).items()},
    }


def _get_category(result: QuestionResult) -> str:
    return result.question.category


def _summarize_groups(
    results: Sequence[QuestionResult], get_group: Callable[[QuestionResult], str]
) -> dict[str, dict[str, Any]]:
    """Return the mean scores of each group of results, worst first."""
    groups: dict[str, list[QuestionResult]] = {}
    for result in results:
        groups.setdefault(get_group(result), []).append(result)
    scores = {group: {"n": len(members), **_summarize_scores(members)} for group, members in sorted(groups.items())}
    return dict(sorted(scores.items(), key=lambda pair: pair[1]["coverage"]))


def _summarize_scores(results: Sequence[QuestionResult]) -> dict[str, Any]:
    """Return the mean scores. `coverage`, `all_at_10` and `plain` (coverage by plain search) are in percent."""
    sessions = [
        compute_session_recall_and_ndcg(result.ranked[:MAX_RANKED_IDS], result.question.evidence) for result in results
    ]
    return {
        "coverage": round(100 * fmean(result.compute_evidence_share(result.found) for result in results), 2),
        "all_at_10": round(100 * fmean(result.has_all_evidence_in_top_10 for result in results), 2),
        "session_recall_at_10": round(fmean(recall for recall, _ in sessions), 3),
        "ndcg_at_10": round(fmean(gain for _, gain in sessions), 3),
        "plain": {
            name: round(100 * fmean(result.compute_evidence_share(result.plain[name]) for result in results), 2)
            for name in results[0].plain
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument(
        "--data",
        type=parse_questions_path,
        required=True,
        nargs="+",
        help="files in LoCoMo's format, each a set of its own",
    )
    parser.add_argument("--out", type=parse_output_path, help="write one JSON line for each question")
    parser.add_argument("--storage", type=StorageType, default=StorageType.SQLITE, choices=list(StorageType))
    parser.add_argument(
        "--pages", type=make_number_parser(1), default=1, help="pages that count: the prompt, then search results"
    )
    parser.add_argument("--order", default="time", choices=["best", "time"], help="order of the search results")
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser)
    results = asyncio.run(
        measure_recall(
            options.data,
            settings,
            storage=options.storage,
            vector_file=options.vectors,
            pages=options.pages,
            order=options.order,
        )
    )
    if options.out:
        tokenizer = Tokenizer.for_model(settings.openai_model)
        options.out.write_text("".join(result.format_line(tokenizer) + "\n" for result in results), encoding="utf-8")
    print_report(
        {
            "benchmark": "recall",
            "data": [path.name for path in options.data],
            "snippet_budget": settings.snippet_budget,
            "pages": options.pages,
            "order": options.order,
            "embedding_model": settings.embedding_model,
            **summarize_results(results),
        }
    )


if __name__ == "__main__":
    main()
