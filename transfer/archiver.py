"""Archive imported history in chunks under a pyramid of extracted summaries, without asking a model."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from itertools import accumulate, groupby
from operator import itemgetter

from attrs import define, field

from llm import prompts, quoting
from llm.offline import extract_key_sentences
from records.messages import Message
from records.scopes import Clock, Scope
from records.summaries import NewSummary, Summary, SummaryLease, SummaryPlan
from storage.stores.memory_store import MemoryStore
from summaries.generation import make_message_sources, remove_decided_facts
from summaries.pyramid import FAN_IN, MAX_ACTIVE
from text.tokenizer import Tokenizer

CHUNK = 100  # messages per chunk. The summary keeps the most telling sentences; search finds the rest.
MODEL = "extractive"
LONG_AGO = datetime.fromtimestamp(0, UTC)  # files without dates are older than any decision, too
EMPTY = "Nothing that could be put into words."


def split_into_chunks(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """Yield chunks of about CHUNK messages. Split a turn only if its chunk would otherwise exceed 3 * CHUNK."""
    first = 0
    for end in range(1, len(messages) + 1):
        is_turn_over = end == len(messages) or messages[end].turn != messages[end - 1].turn
        if end - first >= CHUNK and (is_turn_over or end - first >= 3 * CHUNK):
            yield messages[first:end]
            first = end
    if first < len(messages):
        yield messages[first:]


def plan_merges_with_levels(summaries: Sequence[Summary]) -> list[tuple[list[Summary], int]]:
    """Return the groups of adjacent active summaries to merge, each with the level of the merged summary."""
    newest_first = list(reversed(summaries))
    highest = accumulate((summary.level for summary in newest_first), max)
    # A summary below the level of a newer one is merged with its neighbours of which the same is true.
    levels = (level if summary.level < level else 0 for summary, level in zip(newest_first, highest, strict=True))
    runs = groupby(zip(levels, newest_first, strict=True), key=itemgetter(0))
    return [([summary for _, summary in run][::-1], level) for level, run in runs if level]


@define(kw_only=True, eq=False)
class Archiver:
    """Archives imported history, with summaries of at most `text_budget` tokens."""

    home: Callable[[int], AbstractAsyncContextManager[MemoryStore]]
    _tokens: Tokenizer = field(alias="tokenizer")
    _text_budget: int
    clock: Clock

    async def extract_summary(self, owner: int, block: str) -> NewSummary:
        """Return a summary of a block's most telling sentences, except those that the owner's decisions overrule."""
        text = await asyncio.to_thread(self._summarize_block, block)
        async with self.home(owner) as store:
            facts, erased = await store.facts.list_all_facts(owner), await store.facts.list_decisions(owner)
        text = await asyncio.to_thread(remove_decided_facts, text, facts, erased, LONG_AGO)
        return NewSummary(text=text or EMPTY, model=MODEL, prompt_version=prompts.FOLD_VERSION)

    def _summarize_block(self, block: str) -> str:
        if text := extract_key_sentences(block, self._text_budget, count_tokens=self._tokens.count):
            return text
        words = " ".join(block.partition("\n")[2].rpartition("\n")[0].split())
        return self._tokens.truncate(words, self._text_budget).strip() or EMPTY


@define(eq=False)
class HistoryArchive:
    """An archive of one scope's history. Add chunks, oldest first, then finish it. Writing may raise StorageError."""

    _archiver: Archiver
    _lease: SummaryLease
    _scope: Scope
    _active: list[Summary] = field(factory=list, init=False)

    async def add_chunk(self, chunk: Sequence[Message]) -> None:
        """Store a chunk with its summary. Merge five summaries of one level into one of the next level."""
        lines = [source.text for source in make_message_sources(chunk)]
        made = await self._archiver.extract_summary(self._scope.owner, quoting.format_block("conversation", lines))
        async with self._archiver.home(self._scope.owner) as store:
            self._active.append(await store.history.add_messages(self._lease, chunk, made, now=self._archiver.clock()))
        while len(newest := self._active[-FAN_IN:]) == FAN_IN and len({active.level for active in newest}) == 1:
            self._active[-FAN_IN:] = [await self._merge_summaries(newest, newest[-1].level + 1)]

    async def finish_by_merging_summaries(self) -> None:
        """Finish the archive: merge summaries until at most MAX_ACTIVE are active.

        Afterwards, an older summary never has a lower level than a newer one, so that later merges combine neighbours.
        """
        for run, level in plan_merges_with_levels(await self._list_active_summaries()):
            await self._merge_summaries(run, level)
        summaries = await self._list_active_summaries()
        if len(summaries) > MAX_ACTIVE:
            oldest = summaries[: len(summaries) - MAX_ACTIVE + 1]
            level = max([summaries[0].level, *(active.level + 1 for active in oldest)])
            await self._merge_summaries(oldest, level)

    async def _list_active_summaries(self) -> list[Summary]:
        async with self._archiver.home(self._scope.owner) as store:
            return sorted(await store.list_summaries(self._scope), key=lambda summary: (summary.sort_key, summary.id))

    async def _merge_summaries(self, sources: Sequence[Summary], level: int) -> Summary:
        archiver = self._archiver
        block = quoting.format_block("summaries", [prompts.format_summary(source) for source in sources])
        made = await archiver.extract_summary(self._scope.owner, block)
        plan = SummaryPlan(level=level, summary_ids=tuple(source.id for source in sources), reason="import")
        async with archiver.home(self._scope.owner) as store:
            return await store.history.commit_summary(self._lease, self._scope, plan, made, now=archiver.clock())
