"""A question → a Context within a token budget, with an account of every token.

Owns what is looked up for a request and what yields first when not everything fits (contract: system prompt > the
user's words > the last turns > profile > summaries > older turns > facts, snippets; but a piece of one message that
holds the question's rarest word stays). Does not know models, Telegram, or how anything is stored.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from llm.embeddings import Embedder
from records.context import Context, RecalledFact, Snippet
from records.errors import ModelError
from records.facts import Fact
from records.messages import Message
from records.scopes import Clock, Scope
from records.summaries import Summary
from records.turns import Incoming
from retrieval import date_expressions, prefix_cache
from retrieval.fact_ranking import rank_facts
from retrieval.must_include import LONG_WINDED, Found, MustInclude
from retrieval.packing import Packing, least_score
from retrieval.prompt_builder import Budgets, PromptBuilder
from retrieval.ranking import REACH, Meaning, Question, Ranked, Scored, rank
from runtime.tasks import side_by_side
from storage.protocol import MemoryStore
from storage.search.protocol import Floats, VectorSearch
from text.analyzer import content_terms, folded, normal, readings_of
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

LAST_TURNS = 4
"""So many turns stay verbatim, folded or not."""
TIMES_IN = 2_000
"""Characters of a question in which times are looked for; reading 240,000 took half a minute."""
CANDIDATES = 50
"""Messages that the search by meaning brings in for ranking, or by words where they search alone."""
BESIDE_MEANING = 30
"""Messages that words bring in beside meaning: it finds most of what they find."""
READ_AT_ONCE = 50
"""Candidates whose words are read at once: a budget of 1,500 tokens is full after some sixty."""
FOLLOW_UP_TERMS = 2
"""A question of so few words leans on what was said just before ("and her birthday?")."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """What a question by itself brings back: `ranked`, all candidates, best first; `snippets`, those that fit the
    budget, in order of time.
    """

    ranked: Ranked
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FactRecall:
    """`top`: facts that a prompt carries at most, pinned ones aside. `min_similarity`: None = the model's own."""

    top: int = 5
    min_similarity: float | None = None


class MemoryRetrieval:
    """Builds contexts. One instance serves all scopes; it keeps nothing between two calls.

    `embedder` None: search by words alone.
    """

    def __init__(
        self,
        *,
        tokenizer: Tokenizer,
        budgets: Budgets,
        system_prompt: str,
        clock: Clock,
        embedder: Embedder | None = None,
        facts: FactRecall = FactRecall(),
    ) -> None:
        self._embedder = embedder
        self._facts = facts
        self._tokens = tokenizer
        self._budgets = budgets
        self._system_prompt = system_prompt
        self._clock = clock

    async def context(
        self,
        incoming: Incoming,
        *,
        store: MemoryStore | None,
        turn: int | None = None,
        unstored: Sequence[Message] = (),
        ceiling: int | None = None,
        zone: tzinfo = UTC,
    ) -> Context:
        """The context of one request. Raises a StorageError.

        `store`: the owner's store; None while memory is off. `turn`: the stored turn that is being answered; it and
        what came after it are not "earlier". `unstored`: earlier messages that live in this process only.
        `ceiling`: lower than the settings' where an endpoint found that too long. `zone`: the owner's, for dates.
        """
        scope, now = incoming.scope, self._clock().astimezone(zone)
        draft = PromptBuilder(
            tokenizer=self._tokens,
            budgets=self._budgets.under(min(ceiling or self._budgets.ceiling, self._budgets.ceiling)),
            incoming=incoming,
            system_prompt=self._system_prompt,
            now=now,
        )
        if store is None:
            draft.take_last_turns(_newest_turns(unstored, LAST_TURNS))
            draft.take_older_turns(unstored)
            return draft.context()
        last = await store.last_turns(scope, LAST_TURNS, before=turn)
        summaries = sorted(await store.summaries(scope), key=lambda one: (-one.level, one.first_id))
        newest = _newest_turns([*last, *unstored], LAST_TURNS)
        draft.take_last_turns(newest)
        draft.take_profile(await store.profiles.newest(scope.owner))
        told, again = await self._steady(draft, store, scope, summaries, turn)
        draft.take_summaries(told)
        earlier = {one.id: one for one in await store.unfolded(scope) if turn is None or one.turn < turn}
        earlier |= {one.id: one for one in again}
        draft.take_older_turns([*(earlier[number] for number in sorted(earlier)), *unstored])
        await self._note_counts(draft, store, scope, summaries, told, incoming if turn is not None else None)
        found = await self.found(incoming.text, store, scope, now=now, lean_on=_last_words(newest), before=turn)
        draft.take_facts(found.facts)
        sought = MustInclude.of(found, self._tokens, shown=draft.shown_ids, before=turn)
        if sought.ids and draft.keep_room_for_one():
            sought = MustInclude.of(found, self._tokens, shown=draft.shown_ids, before=turn)
        draft.take_snippets(await self._packed(sought, store, scope, room=draft.snippet_room, now=now))
        return draft.context()

    async def recall(self, question: str, *, store: MemoryStore, scope: Scope) -> Recall:
        """What a question by itself brings back within the snippets' budget. Raises a StorageError."""
        now = self._clock()
        found = await self.found(question, store, scope)
        sought = MustInclude.of(found, self._tokens)
        taken = await self._packed(sought, store, scope, room=self._budgets.snippets, now=now)
        snippets = tuple(sorted(taken, key=lambda one: one.message.id))
        return Recall(ranked=found.ranked, snippets=snippets)

    async def snippets(self, found: Found, store: MemoryStore, scope: Scope) -> list[Snippet]:
        """All candidates, as the prompt would carry them, best first."""
        sought = MustInclude.of(found, self._tokens)
        vectors = await self._sentence_vectors(found, store, scope)
        messages = await self._messages(store, scope, found.ranked[:])
        return [sought.snippet(one, message, vectors.get(one.seq)) for one, message in messages]

    async def _packed(
        self, sought: MustInclude, store: MemoryStore, scope: Scope, *, room: int, now: datetime
    ) -> list[Snippet]:
        """The best that fit `room`, one of those that are sought among them."""
        packing = Packing(
            room=room,
            now=now,
            count=self._tokens.count,
            least=least_score(sought.found.pool.matched.turns),
            sought=sought.ids,
            cutting=sought.cut,
        )
        reading = (
            asyncio.create_task(self._sentence_vectors(sought.found, store, scope)),
            asyncio.create_task(self._messages(store, scope, sought.in_order(0, READ_AT_ONCE))),
        )
        async with side_by_side(*reading):
            vectors, messages = await asyncio.gather(*reading)
        read = READ_AT_ONCE
        while True:
            packing.offer(
                sought.snippet(one, said, vectors.get(one.seq)) for one, said in messages if sought.allows(said)
            )
            if packing.is_full or read >= len(sought.found.ranked):
                return packing.taken
            messages = await self._messages(store, scope, sought.in_order(read, READ_AT_ONCE))
            read += READ_AT_ONCE

    async def _messages(self, store: MemoryStore, scope: Scope, some: Sequence[Scored]) -> list[tuple[Scored, Message]]:
        """With what was said; what was forgotten meanwhile is left out."""
        messages = {message.id: message for message in await store.messages(scope, [one.id for one in some])}
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
    ) -> Found:
        """All candidates of a question, best first. `now`: in the owner's zone. `before`: the turn that is answered,
        which lends its words to nothing. Raises a StorageError.
        """
        now = now or self._clock()
        itself, own = question, content_terms(question)
        terms = own
        if lean_on and len(terms) <= FOLLOW_UP_TERMS:
            question = f"{lean_on}\n{question}"
            terms = list(dict.fromkeys([*own, *content_terms(question)]))  # of a long question the first are looked up
        readings = readings_of(own, itself, question)
        of_words = CANDIDATES if self._embedder is None else BESIDE_MEANING
        # The arms of the search wait for nothing of one another.
        arms = (
            asyncio.create_task(self._nearest(question, store, scope, limit or CANDIDATES)),
            asyncio.create_task(store.matching(scope, terms, limit=limit or of_words, surely=own, readings=readings)),
            asyncio.create_task(self._times(normal(question), store, scope, now)),
            asyncio.create_task(store.facts.valid(scope.owner)),
        )
        async with side_by_side(*arms):
            (vector, nearest), matched, times, known = await asyncio.gather(*arms)
        facts = await self._that_matter(known, store, scope.owner, own, terms, vector)
        told = _told_by(facts)
        seeds = [*(nearest.seqs if nearest else ())]
        if told:
            seeds += [seq for seq in (await store.facts.seqs(scope, list(told))).values() if seq not in seeds]
        pool = await store.pool(scope, matched, reach=REACH, seeds=seeds)
        pool = pool if before is None else pool.before(before)
        terms, own = pool.matched.held(terms), pool.matched.held(own)
        asked = Question(
            text=question,
            terms=tuple(terms),
            before=frozenset(terms) - frozenset(own),
            ranges=times,
            told=told,
        )
        meaning = None
        if nearest is not None and self._embedder is not None:
            compared = await store.vectors.compared(scope, self._embedder.name, nearest, pool.seqs)
            meaning = Meaning.of(nearest, compared, pool.seqs)
        ranked = rank(pool, asked, meaning)
        return Found(asked=asked, pool=pool, meaning=meaning, ranked=ranked, facts=facts)

    async def _that_matter(
        self,
        known: Sequence[Fact],
        store: MemoryStore,
        owner: int,
        own: Sequence[str],
        terms: Sequence[str],
        vector: Floats | None,
    ) -> list[RecalledFact]:
        """Of the facts all pinned ones, and the best of the others."""
        if not known:
            return []
        model = self._embedder.name if self._embedder is not None else ""
        vectors = await store.facts.vectors(owner, model) if vector is not None else {}
        ranked = rank_facts(
            known,
            own,
            with_before=terms,
            query=vector,
            vectors=vectors,
            model=model,
            min_similarity=self._facts.min_similarity,
        )
        best = [one for one in ranked if one.score.keys() - {"pinned"}][: self._facts.top]
        return [one for one in ranked if one in best or one.fact.is_pinned]

    async def _times(
        self, question: str, store: MemoryStore, scope: Scope, now: datetime
    ) -> tuple[date_expressions.Range, ...]:
        """The times that a question names; one that it tells from an event ("two weeks before the wedding") is known
        once the event is found.
        """
        question = _ends(question)
        times = list(date_expressions.ranges(folded(question), now))
        for told in date_expressions.from_events(question):
            days = [named.start for named in date_expressions.ranges(folded(told.event), now)]
            if not days:
                days = await self._days_of(told.event, store, scope)
            times += [told.range(day) for day in days]
        return tuple(times)

    async def _days_of(self, event: str, store: MemoryStore, scope: Scope) -> list[datetime]:
        """When an event was: on the days that the message which tells of it best names, else when that was said."""
        found = await self.found(event, store, scope)
        if not found.ranked:
            return []
        messages = await store.messages(scope, [found.ranked[0].id])
        if not messages:  # forgotten meanwhile
            return []
        [message] = messages
        days = [
            day.start for day in date_expressions.told_of(folded(normal(_ends(message.content))), message.created_at)
        ]
        return days or [message.created_at]

    async def _nearest(
        self, question: str, store: MemoryStore, scope: Scope, limit: int
    ) -> tuple[Floats | None, VectorSearch | None]:
        """The question's vector and what is nearest to it; None where words search alone."""
        if self._embedder is None:
            return None, None
        try:
            vector = await self._embedder.query(question)
        except ModelError as error:
            log.warning("the question was not embedded, so words alone are searched: %s", type(error).__name__)
            return None, None
        return vector, await store.vectors.nearest(scope, self._embedder.name, vector, limit)

    async def _sentence_vectors(self, found: Found, store: MemoryStore, scope: Scope) -> Mapping[int, Floats]:
        """By seq, of the long-winded messages that may be shown."""
        if found.meaning is None or self._embedder is None:
            return {}
        seqs = found.ranked.long_winded(2 * CANDIDATES, LONG_WINDED)
        return await store.vectors.sentences(scope, self._embedder.name, seqs)

    async def _steady(
        self, draft: PromptBuilder, store: MemoryStore, scope: Scope, active: Sequence[Summary], turn: int | None
    ) -> tuple[Sequence[Summary], Sequence[Message]]:
        """The summaries that the prompt shows, and what of the archived it repeats word for word beside them.

        A summary that is made anew every few turns would change the prompt's beginning each time: an earlier version
        stays for a while, beside everything that was said since.
        """
        if len(active) != 1 or active[0].policy == "pyramid":
            return active, ()
        versions = {one.id: one for one in await store.superseded(scope, limit=prefix_cache.REACH)}
        newest = await store.last_turns(scope, prefix_cache.REACH, before=turn)
        for block in prefix_cache.BLOCKS:
            shown = prefix_cache.version_shown(active[0], versions, block)
            again = prefix_cache.beside(shown, newest, LAST_TURNS)
            if again is not None and draft.has_room_for(again):
                return (shown,), again
        return active, ()

    async def _note_counts(
        self,
        draft: PromptBuilder,
        store: MemoryStore,
        scope: Scope,
        active: Sequence[Summary],
        told: Sequence[Summary],
        stored: Incoming | None,
    ) -> None:
        """For the account: how much there is in all, without the question that is stored already.

        No hole: what is archived and told by no active summary is at least in the account.
        """
        counts = await store.counts(scope)
        pieces = stored.pieces if stored else ()
        draft.note_history(
            messages=counts.total - len(pieces),
            characters=counts.characters - sum(len(piece.text) for piece in pieces),
        )
        if counts.archived > sum(summary.message_count for summary in active):
            oldest, newest = await store.ends(scope)
            # What comes after an earlier version stands beside it word for word.
            draft.list_uncovered(told, oldest, newest, after_last=list(told) == list(active))


def _told_by(facts: Sequence[RecalledFact]) -> dict[int, float]:
    """The messages that facts which matter were learned from, by id, with the best score of those."""
    told: dict[int, float] = {}
    for one in facts:
        if one.score.keys() - {"pinned"}:
            for source in one.fact.source_ids:
                told[source] = max(told.get(source, 0.0), sum(one.score.values()))
    return told


def _ends(text: str) -> str:
    """The beginning and the end of a pasted text, where a question stands: its whole has hundreds of dates."""
    half = TIMES_IN // 2
    return text if len(text) <= TIMES_IN else f"{text[:half]}\n{text[-half:]}"


def _newest_turns(messages: Sequence[Message], turns: int) -> list[Message]:
    newest = sorted({message.turn for message in messages})[-turns:]
    return [message for message in messages if message.turn in newest]


def _last_words(messages: Sequence[Message]) -> str:
    """What a person said last, for a follow-up to lean on."""
    return next((one.content for one in reversed(messages) if one.role == "user"), "")
