"""Searches earlier messages by words, quoted phrases and meaning, page by page."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from attrs import define

from external_memory import ExternalMemory
from memory_retrieval import MemoryRetrieval
from records.messages import Message
from records.scopes import Scope
from retrieval.question import SearchQuery
from storage.stores.memory_store import MemoryStore
from text.passages import join_passages_at_indexes, split_into_passages

PAGE = 500
MIN_MEANING_SCORE = 1.0  # minimum score of meaning (retrieval/ranking.py) of a message that has no word of the query


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A search hit. `text` is the matching passage. `has_words` is False if only the meaning matches."""

    message: Message
    text: str
    has_words: bool = True
    is_long_winded: bool = False  # said by an assistant whose messages are much longer than people's


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page of search results. Pass its `until` to `find_hit_page` to exclude newer messages from further pages.

    `near`: the hits by meaning only, best first, where they stand apart. Every page has them; `total` does not.
    """

    found: tuple[Hit, ...]
    first: int
    total: int
    until: int
    near: tuple[Hit, ...] = ()

    @property
    def next_offset(self) -> int | None:
        after = self.first + len(self.found)
        return after if after < self.total else None


@define(kw_only=True, eq=False)
class MemorySearch:
    """Searches messages by words, quoted phrases and meaning."""

    _memory: ExternalMemory
    _retrieval: MemoryRetrieval

    async def find_hit_page(
        self,
        scope: Scope,
        typed_query: str,
        *,
        offset: int = 0,
        limit: int = 5,
        until_message_id: int | None = None,
        since: datetime | None = None,
        before: datetime | None = None,
        other_scopes: Sequence[Scope] = (),
        max_near: int | None = None,
        min_meaning_score: float = MIN_MEANING_SCORE,
        is_wanted: Callable[[Message], bool] = lambda _message: True,
    ) -> Page:
        """Return a page of messages that match a query, best first. Raise StorageError if the store cannot be read.

        `other_scopes` are further conversations of the owner to search. `is_wanted` filters the messages. If `max_near`
        is None, hits by meaning only stand among the others; otherwise at most that many stand apart.
        """
        query = SearchQuery.parse(typed_query)
        async with self._memory.open_store(scope.owner) as store:
            scopes = list(dict.fromkeys([scope, *other_scopes]))
            last = max([(await store.find_first_and_last_message_id(scope))[1] for scope in scopes])
            until_message_id = last if until_message_id is None else min(until_message_id, last)
            lists = [
                await (
                    self._search_exact_words(store, searched, query)
                    if query.phrases
                    else self._run_hybrid_search(store, searched, query, until_message_id, min_meaning_score)
                )
                for searched in scopes
            ]
            found = [hit for best in zip_longest(*lists) for hit in best if hit is not None]
        found = [
            hit
            for hit in found
            if hit.message.id <= until_message_id
            and (since is None or hit.message.created_at >= since)
            and (before is None or hit.message.created_at < before)
            and hit.message.origin != "tool"
            and is_wanted(hit.message)
        ]
        near = []
        if max_near is not None:
            near = [hit for hit in found if not hit.has_words][:max_near]
            found = [hit for hit in found if hit.has_words]
        return Page(
            found=tuple(found[offset : offset + limit]),
            first=offset,
            total=len(found),
            until=until_message_id,
            near=tuple(near),
        )

    async def _run_hybrid_search(
        self, store: MemoryStore, scope: Scope, query: SearchQuery, until_message_id: int, min_meaning_score: float
    ) -> list[Hit]:
        # 200 by words and as many by meaning are more than anybody pages through.
        known = await self._retrieval.search(
            query.text, store, scope, limit=200, facts=(), before_turn=until_message_id + 1
        )
        ranked = await self._retrieval.list_best_passages(known, store, scope)
        hits = [
            Hit(
                message=passage.message,
                text=join_passages_at_indexes(passage.message.content, {passage.part}),
                has_words="words" in passage.score,
                is_long_winded="assistant" in passage.score,
            )
            for passage in ranked
            if "words" in passage.score or passage.score.get("meaning", min_meaning_score) > min_meaning_score
        ]
        # A short query may be taken for another language than the messages are in.
        others = [term for term in query.terms if term not in known.question.terms]
        messages = await store.search_messages(scope, others, limit=200) if others else []
        worded = [hit for hit in hits if hit.has_words]
        seen = {hit.message.id for hit in worded}
        if more := [_make_hit(message, query) for message in messages if message.id not in seen]:
            seen |= {hit.message.id for hit in more}
            hits = [*worded, *more, *(hit for hit in hits if hit.message.id not in seen)]
        # The index lacks function words ("IT") and joins no forms of two languages ("Muller", "Strasse").
        is_missed = query.word and not any(hit.has_words for hit in hits)
        return (is_missed and await self._search_exact_words(store, scope, query)) or hits

    async def _search_exact_words(self, store: MemoryStore, scope: Scope, query: SearchQuery) -> list[Hit]:
        # These hold the words, but not all of them hold the phrase.
        messages = await store.search_messages(scope, query.terms, limit=1000)
        found = await asyncio.to_thread(_find_matching_hits, messages, query)
        before: int | None = None
        scanned = 0
        while not found and scanned < 20_000:
            page = await store.timeline.read_page(scope, before_id=before, limit=PAGE)
            if not page:
                break
            found += (await asyncio.to_thread(_find_matching_hits, page, query))[::-1]
            before, scanned = page[0].id, scanned + len(page)
        return found


def _find_matching_hits(messages: Sequence[Message], query: SearchQuery) -> list[Hit]:
    return [_make_hit(message, query) for message in messages if query.matches(message.content)]


def _make_hit(message: Message, query: SearchQuery) -> Hit:
    weights = [query.score_sentence(part) for part in split_into_passages(message.content)]
    return Hit(message=message, text=join_passages_at_indexes(message.content, {weights.index(max(weights))}))
