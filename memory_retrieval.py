"""A question → a Context within a token budget, with an explanation of every token.

Owns what is looked up for a request. Does not know chat models, Telegram, or how anything is stored; what yields first
when not everything fits is the rule of retrieval/prompt_builder.py.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TypeVar

from attrs import define, field

from llm import prompts
from llm.embeddings import Embedder
from llm.quota import Charge, charge_nobody
from records.context import Context, ContextSources, Snippet
from records.errors import ModelError
from records.facts import Fact
from records.messages import Message
from records.owners import OwnerConfig
from records.scopes import Clock, Scope
from records.summaries import Summary
from records.turns import Incoming
from retrieval import background, changes, date_expressions, prefix_cache, replies
from retrieval.budgets import Budgets
from retrieval.fact_ranking import FactRecall, FoundFacts, applying, best, carried, rank_facts
from retrieval.must_include import LONG_WINDED, MustInclude
from retrieval.packing import Packing, least_score
from retrieval.prompt_builder import PromptBuilder
from retrieval.ranking import REACH, Meaning, Scored
from retrieval.search import READ_AT_ONCE, Found, Recall, Search
from retrieval.turns import characters, last_words, newest_turns
from runtime.tasks import done, side_by_side
from storage.protocol import MemoryStore
from storage.search.protocol import Floats, VectorSearch
from text import cues, past_cues
from text.analyzer import content_terms, folded, normal, readings_of
from text.characters import both_ends
from text.standing import Asked
from text.tokenizer import SHORT_TEXT, Tokenizer

log = logging.getLogger(__name__)
Result = TypeVar("Result")

LAST_TURNS = 4
"""This many turns stay verbatim, whether they are archived or not."""
TURNS_READ = 2 * LAST_TURNS
"""This many turns are read for a context."""
SURE_OF_EVENT = 2.0
"""The score by words from which a message is about an event: it holds half of what the event's words weigh."""
TIMES_IN = 2_000
"""Characters of a question that are searched for times and cues: reading 240,000 took half a minute."""
LONGEST_QUESTION = 16_000
"""Characters of a question by which is searched, of a longer one its beginning and its end: of its terms the first few
are looked up in any case, and finding them in a megabyte takes seconds."""
MANY_FACTS = 200
"""Facts that are ranked on the event loop; of more the words are found in a thread."""
CANDIDATES = 50
"""Messages that the search by meaning brings in for ranking; those of the search by words where it is the only one."""
WITH_MEANING = 30
"""Messages that words bring in where meaning searches too, which finds most of what they find."""
FOLLOW_UP_TERMS = 2
"""A question of at most this many words is searched together with what was said before ("and her birthday?")."""


@define(kw_only=True, eq=False)
class MemoryRetrieval:
    """Builds contexts. One instance serves all scopes and keeps nothing between calls.

    `embedder` None: words alone are searched. `charge`: is told whose question was embedded. `powers`: what each
    system prompt says of the bot and its commands.
    """

    _tokens: Tokenizer = field(alias="tokenizer")
    _budgets: Budgets
    _system_prompt: str
    _clock: Clock
    _embedder: Embedder | None = None
    _facts: FactRecall = field(factory=FactRecall)
    _charge: Charge = charge_nobody
    powers: str = field(default="", init=False)

    async def context(
        self,
        incoming: Incoming,
        *,
        store: MemoryStore | None,
        turn: int | None = None,
        sources: ContextSources | None = None,
        unstored: Sequence[Message] = (),
        ceiling: int | None = None,
        config: OwnerConfig | None = None,
        zone: tzinfo = UTC,
    ) -> Context:
        """The context of one request. Raises a StorageError.

        `store`: the owner's store; None while memory is off. `turn`: the stored turn that is being answered; neither it
        nor what came after it is "earlier". `sources`: what the store says of TURNS_READ turns, where that is known.
        `unstored`: earlier messages that only this process holds. `ceiling`: lower than the one in the settings, for an
        endpoint that refused that length. `config`: the owner's, for their persona. `zone`: theirs, for dates.
        """
        scope, now = incoming.scope, self._clock().astimezone(zone)
        begun = partial(
            PromptBuilder,
            tokenizer=self._tokens,
            budgets=self._budgets.under(min(ceiling or self._budgets.ceiling, self._budgets.ceiling)),
            incoming=incoming,
            system_prompt=prompts.with_persona(self._system_prompt, config),
            explains=store is not None,
            powers=self.powers,
            now=now,
        )
        words = len(incoming.text)
        builder = await _off_loop(begun, words)
        if store is None:
            words += characters(unstored)
            await _off_loop(lambda: builder.take_last_turns(newest_turns(unstored, LAST_TURNS)), words)
            await _off_loop(lambda: builder.take_older_turns(unstored), words)
            return await _off_loop(builder.context, words)
        if sources is None:
            sources = await store.context_sources(scope, turns=TURNS_READ, before=turn)
        summaries = sorted(sources.summaries, key=lambda one: (-one.level, *one.order))
        newest = newest_turns([*sources.last, *unstored], LAST_TURNS)
        await _off_loop(lambda: builder.take_last_turns(newest), characters(newest))
        known, lean_on = carried(scope, sources.facts), last_words(newest)
        search = partial(self.found, incoming.words, store, scope, now=now, lean_on=lean_on, before=turn, facts=known)
        # At the beginning all there is stands in the prompt: nothing is searched for unless something had no room.
        found = await search() if known or sources.archived else None
        if found is not None:
            builder.take_instructions(found.facts.standing)
        if not scope.is_direct_messages:
            builder.take_profile(sources.profile)
        shown, repeated = await self._stable_summaries(builder, store, scope, summaries, turn)
        builder.take_summaries(shown)
        earlier = {one.id: one for one in (*sources.unfolded, *repeated)}
        older = [*sorted(earlier.values(), key=lambda one: one.order), *unstored]
        await _off_loop(lambda: builder.take_older_turns(older), characters(older))
        if not repeated:
            builder.take_archived_turns(prefix_cache.before_active(sources.last, LAST_TURNS))
        await self._note_history(builder, store, scope, sources, shown, incoming if turn is not None else None)
        if found is None and not builder.shown_ids.issuperset(one.id for one in sources.unfolded):
            found = await search()
        facts = found.facts.relevant if found is not None else ()
        builder.take_facts(changes.with_newer(facts, [*newest, *older], incoming))
        around = await self._around_replied(incoming, store, builder, before=turn)
        snippets = list(around)
        if found is not None:
            brought = {one.message.id for one in around}
            required = MustInclude.of(found, self._tokens, shown=builder.shown_ids | brought, before=turn)
            if len(required.ids) and await _off_loop(builder.keep_room_for_one, characters(newest)):
                required = MustInclude.of(found, self._tokens, shown=builder.shown_ids | brought, before=turn)
            room = max(0, builder.snippet_room - replies.size(around, self._tokens, now))
            snippets += await self._packed(required, store, scope, room=room, now=now)
        builder.take_snippets(snippets)
        if found is not None and found.asked.of_many:
            wanted, taken = background.chunks(snippets), {one.id for one in shown}
            own = await store.summaries(scope, active_only=False, ids=wanted)
            builder.take_background(found.further, background.summaries(own, wanted, shown=taken))
        return await _off_loop(builder.context, words + characters(newest) + characters(older))

    async def _around_replied(
        self, incoming: Incoming, store: MemoryStore, builder: PromptBuilder, *, before: int | None
    ) -> list[Snippet]:
        replied, scope = incoming.replied, incoming.scope
        one = await store.forgetting.said_as(scope, replied.telegram_id) if replied is not None else None
        if one is None:
            return []
        near, room = await store.messages(scope, replies.ids_around(one)), builder.snippet_room
        chosen = partial(
            replies.snippets, near, self._tokens, middle=one.id, shown=builder.shown_ids, before=before, room=room
        )
        return await _off_loop(chosen, characters(near))

    async def recall(self, question: str, *, store: MemoryStore, scope: Scope) -> Recall:
        """What a question alone brings back within the budget of snippets. Raises a StorageError."""
        found = await self.found(question, store, scope)
        required = MustInclude.of(found, self._tokens)
        taken = await self._packed(required, store, scope, room=self._budgets.snippets, now=self._clock())
        snippets = tuple(sorted(taken, key=lambda one: one.message.order))
        return Recall(ranked=found.ranked, snippets=snippets)

    async def snippets(
        self, found: Found, store: MemoryStore, scope: Scope, *, room: int | None = None
    ) -> list[Snippet]:
        """All candidates, best first, as a prompt with so much room for them (None: the budget) would carry them."""
        required = MustInclude.of(found, self._tokens)
        vectors = await self._sentence_vectors(found, store, scope)
        messages = await self._messages(found, store, scope, found.ranked[:])
        room = self._budgets.snippets if room is None else room
        return [
            required.snippet(one, message, vectors.get(one.seq), index=index, room=room)
            for index, (one, message) in enumerate(messages)
        ]

    async def _packed(
        self, required: MustInclude, store: MemoryStore, scope: Scope, *, room: int, now: datetime
    ) -> list[Snippet]:
        """The best that fit `room`, the required ones cut where they are too long."""
        first = required.in_order(0, READ_AT_ONCE)
        if not first:
            return []
        packing = Packing(
            room=room,
            now=now,
            count=self._tokens.count,
            least=least_score(required.found.pool.matched.turns),
            required=required.ids,
            cut=required.cut,
        )
        vectors: Mapping[int, Floats] = {}
        if required.found.meaning is None:
            allowed = await self._allowed(required, store, scope, first)
        else:
            vectors, allowed = await side_by_side(
                self._sentence_vectors(required.found, store, scope), self._allowed(required, store, scope, first)
            )
        read = READ_AT_ONCE
        while True:
            shown = (
                required.snippet(one, message, vectors.get(one.seq), index=index, room=room)
                for index, one, message in allowed
            )
            if any(len(message.content) > SHORT_TEXT for _, _, message in allowed):
                await asyncio.to_thread(packing.offer, shown)
            else:
                packing.offer(shown)
            if packing.is_full or read >= len(required.found.ranked):
                return packing.taken
            allowed = await self._allowed(required, store, scope, required.in_order(read, READ_AT_ONCE), start=read)
            read += READ_AT_ONCE

    async def _allowed(
        self, required: MustInclude, store: MemoryStore, scope: Scope, some: Sequence[Scored], start: int = 0
    ) -> list[tuple[int, Scored, Message]]:
        """Those of some candidates, counted from `start`, that may be shown."""
        indexes = {one.id: index for index, one in enumerate(some, start) if one.id not in required.shown}
        messages = await self._messages(required.found, store, scope, [one for one in some if one.id in indexes])
        return [(indexes[one.id], one, message) for one, message in messages if required.allows(message)]

    async def _messages(
        self, found: Found, store: MemoryStore, scope: Scope, some: Sequence[Scored]
    ) -> list[tuple[Scored, Message]]:
        """Candidates with their messages; those that were forgotten in the meantime are left out."""
        messages, unread = found.read, [one.id for one in some if one.id not in found.read]
        if unread:
            messages = {**messages, **{one.id: one for one in await store.messages(scope, unread)}}
        return [(one, messages[one.id]) for one in some if one.id in messages]

    async def found(
        self,
        question: str,
        store: MemoryStore,
        scope: Scope,
        *,
        now: datetime | None = None,
        lean_on: str = "",
        before: int | None = None,
        limit: int | None = None,
        facts: Sequence[Fact] | None = None,
    ) -> Found:
        """All candidates of a question, best first. `now`: in the owner's zone. `lean_on`: what was said before, for a
        short question. `before`: the turn that is being answered, which is no candidate. `facts`: those that a prompt
        may carry, where they were read already. Raises a StorageError.
        """
        now = now or self._clock()
        question = both_ends(question, LONGEST_QUESTION)
        itself, own = question, await _terms(question)
        terms = own
        cued = both_ends(itself, TIMES_IN)
        if lean_on and len(terms) <= FOLLOW_UP_TERMS and not past_cues.asks_anybody(cued):
            question = f"{both_ends(lean_on, LONGEST_QUESTION)}\n{question}"
            terms = list(dict.fromkeys([*own, *await _terms(question)]))  # of a long question the first are looked up
        readings = readings_of(own, itself, question)
        leans = len(own) < FOLLOW_UP_TERMS or cues.goes_on(cued)
        touched = partial(Asked.of, question if leans else itself, terms if leans else own)
        known = carried(scope, await store.facts.valid(scope.owner)) if facts is None else facts
        search = partial(Search, question=question, itself=cued, terms=terms, own=own, known=known, before=before)
        if self._embedder is None:
            times = await self._times(normal(question), store, scope, now)
            of_facts = await self._facts_of(known, touched, store, scope.owner, own, terms, None)
            wanted = search(times=times, facts=of_facts)
            found, read = await store.matching_messages(
                scope,
                terms,
                wanted.judged,
                limit=limit or CANDIDATES,
                reach=REACH,
                surely=own,
                readings=readings,
                sources=list(wanted.sources),
            )
            found.read.update((one.id, one) for one in read)
            return found
        matching = store.matching(scope, terms, limit=limit or WITH_MEANING, surely=own, readings=readings)
        (vector, nearest), (matched, times) = await side_by_side(
            self._nearest(question, store, scope, limit or CANDIDATES),
            side_by_side(matching, self._times(normal(question), store, scope, now)),
        )
        of_facts = await self._facts_of(known, touched, store, scope.owner, own, terms, vector)
        wanted = search(times=times, facts=of_facts)
        seeds = nearest.seqs if nearest else ()
        pool = await store.pool(scope, matched, reach=REACH, seeds=seeds, sources=list(wanted.sources))
        pool, meaning = wanted.earlier(pool), None
        if nearest is not None:
            compared = await store.vectors.compared(scope, self._embedder.name, nearest, pool.seqs)
            meaning = Meaning.of(nearest, compared, pool.seqs)
        return wanted.found(pool, meaning)

    async def _facts_of(
        self,
        known: Sequence[Fact],
        touched: Callable[[], Asked],
        store: MemoryStore,
        owner: int,
        own: Sequence[str],
        terms: Sequence[str],
        vector: Floats | None,
    ) -> FoundFacts:
        """What is known that matters to a question, and the instructions and preferences that apply to it."""
        if not known:
            return FoundFacts()
        model = self._embedder.name if self._embedder is not None else ""
        vectors = await store.facts.vectors(owner, model) if vector is not None else {}
        least = self._facts.min_similarity

        def chosen() -> FoundFacts:
            ranked = rank_facts(
                known, own, with_before=terms, query=vector, vectors=vectors, model=model, min_similarity=least
            )
            relevant, standing = best(ranked, self._facts.top), applying(known, ranked, touched())
            return FoundFacts(ranked=ranked, relevant=relevant, standing=standing)

        found = await done(chosen, in_thread=len(known) > MANY_FACTS)
        if not found.relevant:
            return found
        replaced = await store.facts.replaced(owner, [one.fact.id for one in found.relevant])
        return replace(found, relevant=changes.with_earlier(found.relevant, replaced))

    async def _times(
        self, question: str, store: MemoryStore, scope: Scope, now: datetime
    ) -> tuple[date_expressions.Range, ...]:
        """The times that a question names. One that is relative to an event ("two weeks before the wedding") is known
        once the event has been found.
        """
        question = both_ends(question, TIMES_IN)
        times = list(date_expressions.ranges(folded(question), now))
        for relative in (*date_expressions.from_events(question), *date_expressions.open_from_events(question)):
            days = [named.start for named in date_expressions.ranges(folded(relative.event), now)]
            if not days:
                days = await self._days_of(relative.event, store, scope, surely=relative.is_open)
            times += [relative.range(day) for day in days]
        return tuple(times)

    async def _days_of(self, event: str, store: MemoryStore, scope: Scope, *, surely: bool) -> list[datetime]:
        """When an event was: on the days that the best message about it names, or else when that message was
        written. `surely`: only if that message holds most of its words.
        """
        found = await self.found(event, store, scope)
        if not found.ranked or (surely and found.ranked[0].parts.get("words", 0.0) < SURE_OF_EVENT):
            return []
        messages = await store.messages(scope, [found.ranked[0].id])
        if not messages:  # forgotten in the meantime
            return []
        [message] = messages
        said = folded(normal(both_ends(message.content, TIMES_IN)))
        return [day.start for day in date_expressions.days_named(said, message.created_at)] or [message.created_at]

    async def _nearest(
        self, question: str, store: MemoryStore, scope: Scope, limit: int
    ) -> tuple[Floats | None, VectorSearch | None]:
        """The question's vector and what is nearest to it; None where words search alone."""
        if self._embedder is None:
            return None, None
        try:
            vector = await self._embedder.query(question)
            await self._charge({scope.owner: [question]})
        except ModelError as error:
            log.warning("the question was not embedded, so words alone are searched: %s", type(error).__name__)
            return None, None
        return vector, await store.vectors.nearest(scope, self._embedder.name, vector, limit)

    async def _sentence_vectors(self, found: Found, store: MemoryStore, scope: Scope) -> Mapping[int, Floats]:
        """The sentence vectors of the long-winded messages that may be shown, by seq."""
        if found.meaning is None or self._embedder is None:
            return {}
        seqs = found.ranked.long_winded(2 * CANDIDATES, LONG_WINDED)
        return await store.vectors.sentences(scope, self._embedder.name, seqs)

    async def _stable_summaries(
        self, builder: PromptBuilder, store: MemoryStore, scope: Scope, active: Sequence[Summary], turn: int | None
    ) -> tuple[Sequence[Summary], Sequence[Message]]:
        """The summaries that the prompt shows, and the archived messages that it repeats word for word after them.

        A summary that is made again every few turns would change the beginning of the prompt each time. Therefore an
        earlier version stays for a while, together with everything that was said since.
        """
        if len(active) != 1 or active[0].policy == "pyramid":
            return active, ()
        versions = {one.id: one for one in await store.superseded(scope, limit=prefix_cache.REACH)}
        newest = await store.last_turns(scope, prefix_cache.REACH, before=turn)
        for block in prefix_cache.BLOCKS:
            shown = prefix_cache.version_shown(active[0], versions, block)
            repeated = prefix_cache.verbatim_after(shown, newest, LAST_TURNS)
            if repeated is not None and builder.has_room_for(repeated):
                return (shown,), repeated
        return active, ()

    async def _note_history(
        self,
        builder: PromptBuilder,
        store: MemoryStore,
        scope: Scope,
        sources: ContextSources,
        shown: Sequence[Summary],
        stored: Incoming | None,
    ) -> None:
        """Note for the explanation how much history there is, without the question, which is stored already.

        No hole: archived messages that no active summary covers are at least listed as cut.
        """
        pieces = stored.pieces if stored else ()
        builder.note_history(
            messages=sources.total - len(pieces),
            characters=sources.characters - sum(len(piece.text) for piece in pieces),
        )
        if sources.archived > sum(summary.message_count for summary in sources.summaries):
            oldest, newest = await store.ends(scope)
            # What came after an earlier version is in the prompt word for word.
            is_newest = {one.id for one in shown} == {one.id for one in sources.summaries}
            builder.list_uncovered(shown, oldest, newest, after_last=is_newest)


async def _terms(question: str) -> list[str]:
    return await done(partial(content_terms, question), in_thread=len(question) > SHORT_TEXT)


async def _off_loop(work: Callable[[], Result], characters: int) -> Result:
    """Do what counts and cuts so much text: long texts in a thread, while nobody else touches what it works on."""
    return await done(work, in_thread=characters > SHORT_TEXT)
