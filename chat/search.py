"""Words → the earlier messages that they find, best first, page by page.

Owns what counts as found: a message that holds a phrase exactly, that holds words of the query, or that means nearly
the same. Does not know how candidates are scored (memory_retrieval.py), nor Telegram.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from attrs import define, field

from external_memory import ExternalMemory
from memory_retrieval import MemoryRetrieval
from records.messages import Message
from records.scopes import Scope
from retrieval.excerpts import clipped, sentences
from retrieval.search_query import SearchQuery
from storage.protocol import MemoryStore
from text.tokenizer import Tokenizer

CANDIDATES = 200
"""Messages that words and meaning bring in each; more than anybody pages through."""
EXACT = 1000
"""Messages that hold a phrase's words, in which the phrase itself is searched for."""
PAGE = 500
SCANNED = 20_000
"""The newest messages, in which a phrase without a single searchable word is searched for."""
SHOWN = 80
"""Tokens of a found message; of a longer one only the sentences that hold what was searched for are shown."""
NEAR = 1.0
"""Meaning (retrieval/ranking.py, in units of its spread) from which a message without a word of the query is found."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A message that was found. `text`: all of it, or of a long one the sentences that matter."""

    message: Message
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some of what was found: `first` is the place of the first one, from 0. `until`: the newest message that was
    there when the search began, so that its further pages go on in the same list.
    """

    found: tuple[Found, ...]
    first: int
    total: int
    until: int

    @property
    def next(self) -> int | None:
        after = self.first + len(self.found)
        return after if after < self.total else None


@define(kw_only=True, eq=False)
class MemorySearch:
    """Searches the messages of one scope, or of several conversations, folded or not."""

    _memory: ExternalMemory
    _retrieval: MemoryRetrieval
    _tokens: Tokenizer = field(alias="tokenizer")

    async def page(
        self,
        scope: Scope,
        typed: str,
        *,
        first: int = 0,
        size: int = 5,
        until: int | None = None,
        since: datetime | None = None,
        before: datetime | None = None,
        said_only: bool = False,
        among: Sequence[Scope] = (),
    ) -> Page:
        """What words, and phrases in quotes, find. Raises a StorageError.

        `since`, `before`: when it was said. `said_only`: without the notes of tools. `among`: conversations of the same
        owner that are searched as well; the best of each come first.
        """
        query = SearchQuery.of(typed)
        async with self._memory.home(scope.owner) as store:
            scopes = list(dict.fromkeys([scope, *among]))
            last = max([(await store.ends(one))[1] for one in scopes])
            until = last if until is None else min(until, last)
            lists = []
            for one in scopes:
                if query.phrases:
                    lists.append(await self._exactly(store, one, query))
                else:
                    searched, found_there = await self._about(store, one, query)
                    lists.append(found_there)
            query = query if query.phrases else searched
            found = [message for best in zip_longest(*lists) for message in best if message is not None]
        found = [
            message
            for message in found
            if message.id <= until
            and (since is None or message.created_at >= since)
            and (before is None or message.created_at < before)
            and not (said_only and message.origin == "tool")
        ]
        return Page(
            found=tuple(
                Found(message=message, text=self._shown(message, query)) for message in found[first : first + size]
            ),
            first=first,
            total=len(found),
            until=until,
        )

    async def _about(self, store: MemoryStore, scope: Scope, query: SearchQuery) -> tuple[SearchQuery, list[Message]]:
        """By words and by meaning, in the order in which they would be brought back for a question; and the query with
        its words as messages hold them.
        """
        known = await self._retrieval.found(query.text, store, scope, limit=CANDIDATES)
        query = replace(query, terms=known.asked.terms)
        ranked = await self._retrieval.snippets(known, store, scope)
        held = await asyncio.to_thread(
            lambda: [query.holds_words(f"{one.message.speaker}\n{one.message.content}") for one in ranked]
        )
        return query, [
            one.message
            for one, words in zip(ranked, held, strict=True)
            if words or one.score.get("meaning", 0.0) >= NEAR
        ]

    async def _exactly(self, store: MemoryStore, scope: Scope, query: SearchQuery) -> list[Message]:
        """Every message with the phrases: by the index where they hold words, else by reading through the newest."""
        hits = await store.search(scope, query.terms, limit=EXACT)
        found = await self._matching([hit.message for hit in hits], query)
        before: int | None = None
        scanned = 0
        while not found and scanned < SCANNED:
            page = await store.page(scope, before=before, limit=PAGE)
            if not page:
                break
            found += (await self._matching(page, query))[::-1]
            before, scanned = page[0].id, scanned + len(page)
        return found

    async def _matching(self, messages: Sequence[Message], query: SearchQuery) -> list[Message]:
        return await asyncio.to_thread(lambda: [one for one in messages if query.matches(one.content)])

    def _shown(self, message: Message, query: SearchQuery) -> str:
        """All of a short message; of a long one the sentences that have most to do with the query, and their place."""
        count, text = self._tokens.count, message.content
        if len(text) <= SHOWN or count(text) <= SHOWN:
            return text
        place = f"{message.place}\n" if message.place else ""
        text = text.removeprefix(place)
        pieces = [
            part
            for sentence in sentences(text)
            for part in (self._tokens.split(sentence, SHOWN // 2) if len(sentence) > SHOWN else [sentence])
        ]
        return place + clipped(pieces, [query.weight(piece) for piece in pieces], tokens=SHOWN, count=count)
