"""Builds the results of the `search_memory` tool: hits, a list by date, or the messages around a given one."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from itertools import count, zip_longest
from typing import Any

from attrs import define, field, frozen

from chat.search import Hit, MemorySearch
from external_memory import ExternalMemory
from llm import prompts
from llm.quoting import format_block
from records.context import Snippet
from records.errors import ErrorText
from records.messages import NEVER_RECALLED, Message
from records.scopes import Scope
from records.summaries import Summary
from retrieval.packing import Packer
from retrieval.turns import WORTH_SHOWING
from storage.stores.memory_store import MemoryStore
from text.analyzer import list_distinct_search_terms, list_search_terms
from text.passages import extract_informative_sentences
from text.tokenizer import Tokenizer

BlockAndTextsById = tuple[str, dict[int, str]]  # a block for the prompt, and the text of each of its messages
MAX_QUERIES = 4
MAX_DIGITS = 18  # of a message's number
MAX_HITS = 400  # messages of one query that are looked at
MIN_MEANING_SCORE = -1.0  # closeness in meaning; an average message has 0. A model reads more than a person does.
MAX_LISTED = 1_000  # messages of a period that are read for a list without a query
MAX_LINE_TOKENS = 68  # tokens of a listed message. Most are shown whole, and forty short ones fit in a result.
MAX_ANSWER_TOKENS = 150  # tokens of the extract from a long answer in a list
ANSWER_INTERVAL = 10  # a list has one such extract for every ten messages of people
NEIGHBOURS = 6  # messages before and after the one that is read around
NEIGHBOUR_TOKENS = 200  # tokens of such a message, unless it belongs to the same turn
LINE_TOKENS = 24  # tokens of a line in addition to the message's text: the day, the number and a name
MAX_HINT_TOKENS = 40  # tokens of the sentence under a result
MAX_SUMMARIES = 2
MAX_SUMMARIES_READ = 300
SUMMARY_TOKENS = 120  # tokens of each summary in a result
MIN_SHARE = 0.5  # the minimum share of a query's words that a summary must contain


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchCall:
    """The parsed arguments of a search_memory call. `around` is the number of a message whose neighbours are wanted."""

    queries: tuple[str, ...] = ()
    since: datetime | None = None
    before: datetime | None = None
    is_list: bool = False
    around: int | None = None

    @classmethod
    def parse(cls, arguments: Mapping[str, Any]) -> "SearchCall | ErrorText":
        """Parse the arguments of a tool call. Return an error sentence for the model if they are invalid."""
        several = arguments.get("queries")
        given = [arguments.get("query"), *(several if isinstance(several, list) else [several])]
        words = (" ".join(str(query).split()) for query in given if query)
        queries = tuple(dict.fromkeys(filter(None, words)))[:MAX_QUERIES]
        around = str(arguments.get("around") or "").strip().removeprefix("#").removesuffix(".0")
        try:
            since = _parse_start_of_day(arguments.get("from"))
            before = _parse_start_of_day(arguments.get("to"), adds_one_day=True)
        except ValueError:
            return "Dates are written YYYY-MM-DD."
        if around and not (around.removeprefix("-").isdecimal() and len(around) < MAX_DIGITS):
            return "around is the number of a message, as in #12."
        if not queries and not around and since is None and before is None:
            return "The query is empty."
        return cls(
            queries=queries,
            since=since,
            before=before,
            is_list=arguments.get("order") == "time" or not queries,
            around=int(around) if around else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenIds:
    """The ids of messages and summaries shown to the model in this turn. `in_part` has the truncated messages."""

    messages: Set[int] = frozenset()
    summaries: Set[int] = frozenset()
    in_part: Set[int] = frozenset()


@frozen(kw_only=True)
class SearchResult:
    """The result of one search: a text for the model, the quoted messages by id, and the ids of quoted summaries."""

    text: str
    messages: Mapping[int, str] = field(factory=dict)
    summaries: tuple[int, ...] = ()


@define(kw_only=True, eq=False)
class MemoryReader:
    """Runs the model's search_memory calls."""

    _memory: ExternalMemory
    _search: MemorySearch
    _tokens: Tokenizer = field(alias="tokenizer")

    async def search_memory(
        self,
        scope: Scope,
        call: SearchCall,
        *,
        seen_ids: SeenIds,
        until_message_id: int | None,
        now: datetime,
        max_tokens: int,
    ) -> SearchResult:
        """Return results that the model has not seen yet, up to `until_message_id`. Raise StorageError on failure."""
        if call.around is not None:
            return await self._quote_messages_around(
                scope, call.around, seen_ids, until_id=until_message_id, now=now, max_tokens=max_tokens
            )
        async with self._memory.open_store(scope.owner) as store:
            summaries = await self._find_unseen_summaries(store, scope, call, seen_ids)
            hits = await self._find_hits_of_all_queries(store, scope, call, until_message_id=until_message_id)
        known_ids = seen_ids.messages - seen_ids.in_part if call.is_list else seen_ids.messages
        new = [hit for hit in hits if hit.message.id not in known_ids]
        if call.is_list:  # a list is about what people said; an overview also needs what they were told
            places = {False: count(), True: count(ANSWER_INTERVAL, ANSWER_INTERVAL)}
            new.sort(key=lambda hit: next(places[hit.is_long_winded]))
        heads = [replace(summary, text=self._tokens.truncate(summary.text, SUMMARY_TOKENS)) for summary in summaries]
        lines = [prompts.format_summary(summary, now.tzinfo or UTC, is_numbered=True) for summary in heads]
        found = format_block("summaries", lines) + "\n" if lines else ""
        left = max_tokens - self._tokens.count(found) - MAX_HINT_TOKENS
        show_hits = self._format_hit_list if call.is_list else self._quote_hits
        text, shown = await asyncio.to_thread(show_hits, new, left, now)
        if not shown and not summaries:
            known = len(hits) - len(new)
            nothing_new = f"Nothing new was found: you have seen all {known} that match."
            return SearchResult(text=nothing_new if known else "Nothing was found.")
        return SearchResult(
            text="\n".join(filter(None, [found + text, _format_search_hint(len(new) - len(shown), call)])),
            messages=shown,
            summaries=tuple(summary.id for summary in summaries),
        )

    async def _find_hits_of_all_queries(
        self, store: MemoryStore, scope: Scope, call: SearchCall, *, until_message_id: int | None
    ) -> list[Hit]:
        """Return the hits of all queries, interleaved. Without a query, return all messages of the period."""
        if not call.queries:
            return await self._list_messages_of_period_as_hits(store, scope, call, until_message_id)
        lists: list[Sequence[Hit]] = []
        for query in call.queries:
            page = await self._search.find_hit_page(
                scope,
                query,
                limit=MAX_HITS,
                until_message_id=until_message_id,
                since=call.since,
                before=call.before,
                min_meaning_score=MIN_MEANING_SCORE,
                is_wanted=_is_showable,
            )
            lists.append(page.found)
        hits_by_id: dict[int, Hit] = {}
        for hit in (hit for best in zip_longest(*lists) for hit in best if hit is not None):
            hits_by_id.setdefault(hit.message.id, hit)
        return list(hits_by_id.values())

    async def _list_messages_of_period_as_hits(
        self, store: MemoryStore, scope: Scope, call: SearchCall, until_message_id: int | None
    ) -> list[Hit]:
        since = call.since or datetime.min.replace(tzinfo=UTC)
        messages = await store.timeline.read_page(scope, since=since, limit=MAX_LISTED)
        return [
            Hit(message=message, text=message.content)
            for message in messages
            if (call.before is None or message.created_at < call.before) and _is_showable(message, until_message_id)
        ]

    def _format_hit_list(self, hits: Sequence[Hit], max_tokens: int, now: datetime) -> BlockAndTextsById:
        listed: dict[str, list[tuple[Message, str]]] = {}  # by day, which the first line of each day names
        max_tokens -= self._tokens.count(format_block("remembered", []))
        for hit in hits:
            if hit.is_long_winded and max_tokens < MAX_ANSWER_TOKENS:
                continue
            text = self._shorten_hit_text(hit)
            day = hit.message.created_at.astimezone(now.tzinfo).date().isoformat()
            line = prompts.format_numbered_message(hit.message, text, "" if day in listed else day)
            cost = self._tokens.count(line + "\n")
            if cost <= max_tokens:  # a shorter one may fit where this one does not
                max_tokens -= cost
                listed.setdefault(day, []).append((hit.message, text))
            if max_tokens < LINE_TOKENS:
                break
        lines = [
            prompts.format_numbered_message(message, text, "" if place else day)
            for day, of_day in sorted(listed.items())
            for place, (message, text) in enumerate(sorted(of_day, key=lambda line: line[0].sort_key))
        ]
        shown = {message.id: text for of_day in listed.values() for message, text in of_day}
        return (format_block("remembered", lines) if lines else ""), shown

    def _shorten_hit_text(self, hit: Hit) -> str:
        """Return a short message in full, an extract of a long answer, or the beginning of any other message."""
        most, said = MAX_ANSWER_TOKENS if hit.is_long_winded else MAX_LINE_TOKENS, hit.message.content
        whole = " ".join(said[: 8 * most].split())
        head = self._tokens.take_head(whole, most)
        if head == whole:
            return whole
        extract = extract_informative_sentences(said, most, self._tokens.count) if hit.is_long_winded else ""
        return extract or head.rsplit(" ", 1)[0] + " …"

    def _quote_hits(self, hits: Sequence[Hit], max_tokens: int, now: datetime) -> BlockAndTextsById:
        frame = self._tokens.count(prompts.format_remembered_snippets([], now)) + 2  # tokens that joining may add
        line = prompts.format_numbered_message
        packing = Packer(room=max_tokens - frame, now=now, count=self._tokens.count, format_line=line)
        for hit in hits:
            packing.try_to_add_snippet(Snippet(message=hit.message, text=hit.text, score={}))
        fitting = sorted(packing.snippets, key=lambda snippet: snippet.message.sort_key)
        text = prompts.format_remembered_snippets(fitting, now, format_line=line) if fitting else ""
        return text, {snippet.message.id: snippet.text for snippet in fitting}

    async def _quote_messages_around(
        self, scope: Scope, message_id: int, seen_ids: SeenIds, *, until_id: int | None, now: datetime, max_tokens: int
    ) -> SearchResult:
        async with self._memory.open_store(scope.owner) as store:
            middle = next(iter(await store.read_messages(scope, [message_id])), None)
            if middle is None or not _is_showable(middle, until_id):
                return SearchResult(text="There is no such message.")
            before = await store.timeline.read_page(scope, before_id=message_id, limit=NEIGHBOURS)
            after = await store.timeline.read_page(scope, after_id=message_id, limit=NEIGHBOURS)
        distances = {message.id: abs(place) for place, message in enumerate([*before, middle, *after], -len(before))}
        near = [
            message
            for message in (middle, *before, *after)
            if _is_showable(message, until_id) and (message.turn == middle.turn or message.id not in seen_ids.messages)
        ]
        near.sort(key=lambda message: (message.id != message_id, message.turn != middle.turn, distances[message.id]))

        def quote_nearest_messages() -> BlockAndTextsById:
            left, hits = max_tokens - MAX_HINT_TOKENS, list[Hit]()
            for message in near:
                most = left if message.turn == middle.turn else min(left, NEIGHBOUR_TOKENS)
                text = self._tokens.truncate(message.content, most - LINE_TOKENS)
                left -= self._tokens.count(text) + LINE_TOKENS
                hits.append(Hit(message=message, text=text))
                if left < WORTH_SHOWING:
                    break
            return self._quote_hits(hits, max_tokens - MAX_HINT_TOKENS, now)

        text, shown = await asyncio.to_thread(quote_nearest_messages)
        return SearchResult(text=f"{text}\nFor more, read around the first or the last of them.", messages=shown)

    async def _find_unseen_summaries(
        self, store: MemoryStore, scope: Scope, call: SearchCall, seen_ids: SeenIds
    ) -> list[Summary]:
        terms = {term for query in call.queries for term in list_distinct_search_terms(query)}
        if not terms:
            return []
        summaries = [
            summary
            for summary in (await store.list_summaries(scope, active_only=False))[-MAX_SUMMARIES_READ:]
            if summary.id not in seen_ids.summaries
            and (call.since is None or summary.last_at >= call.since)
            and (call.before is None or summary.first_at < call.before)
        ]

        def rank_summaries_by_query() -> list[Summary]:
            words = {summary.id: len(terms.intersection(list_search_terms(summary.text))) for summary in summaries}
            matching = [summary for summary in summaries if words[summary.id] >= MIN_SHARE * len(terms)]
            # Of equal ones, prefer the summary of the shortest time, which is the most detailed.
            return sorted(matching, key=lambda summary: (-words[summary.id], summary.message_count))[:MAX_SUMMARIES]

        return await asyncio.to_thread(rank_summaries_by_query)


def _format_search_hint(hits_left: int, call: SearchCall) -> str:
    opened = "around shows what was said before and after a number."
    if hits_left <= 0:
        return f"That is all that matches; {opened}"
    form = "" if call.is_list else ", or order time lists them"
    return f"{hits_left} more match: the same search again shows the next{form}; {opened}"


def _is_showable(message: Message, until_message_id: int | None = None) -> bool:
    return message.origin not in NEVER_RECALLED and (until_message_id is None or message.id <= until_message_id)


def _parse_start_of_day(value: object, *, adds_one_day: bool = False) -> datetime | None:
    if value is None or value == "":
        return None
    day = datetime.fromisoformat(str(value)[:10]).date()
    try:
        return datetime.combine(day + timedelta(days=int(adds_one_day)), time(), UTC)
    except OverflowError:
        raise ValueError("no such day") from None
