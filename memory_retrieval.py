"""A question → a Context within a token budget, with an explanation of every token.

Owns what is looked up for a request, stage by stage. Does not know chat models, Telegram, or how anything is stored;
what yields first when not everything fits is the rule of retrieval/prompt_builder.py.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import TypeVar

import attrs

from llm import prompts
from llm.embeddings import Embedder
from llm.quota import Charge
from records.context import MAX_UNFOLDED, Context, ContextSources, Snippet
from records.errors import ModelError
from records.facts import EVERYBODY, Fact
from records.messages import NEVER_RECALLED, Message
from records.owners import OwnerConfig
from records.scopes import Clock, Scope
from records.summaries import Summary
from records.turns import Incoming
from retrieval import prefix_cache, replies
from retrieval.budgets import Budgets
from retrieval.fact_ranking import FactRecall, FoundFacts, find_facts, select_carried
from retrieval.packing import Packing, RankedPassage
from retrieval.prompt_builder import PromptBuilder
from retrieval.question import Question
from retrieval.ranking import Ranked, find_rarest, rank
from retrieval.turns import characters, select_newest_turns, select_own_messages
from retrieval.wide_questions import NARROW, WIDE, is_wide
from runtime.tasks import run_work
from storage.search.protocol import Floats
from storage.stores.memory_store import MemoryStore
from text.tokenizer import SHORT_TEXT, Tokenizer

log = logging.getLogger(__name__)
Result = TypeVar("Result")

LAST_TURNS = 4  # this many turns stay verbatim, whether they are archived or not
TURNS_READ = 2 * LAST_TURNS  # this many turns are read for a context
CANDIDATES = 100  # messages that words and meaning bring in each
PACKED, PACKED_BY_MEANING = 250, 50  # passages that packing is offered, by score and by what people said alone
MIN_SCORE = 0.0
"""A message that scores no more is further from the question than the average message, and holds hardly a word of it.
"""
OWN_WORDS = 0.5
"""The share of the room that goes first to people's own words, where a long-winded assistant would take it all."""
RARE = 3  # A word that no more messages hold is rare: those of them that are not whole in the prompt come first
OWN_LAST, ONE_TALK = 2, timedelta(days=1)
"""The last messages of a person's own that a question may go on with, and how long after them."""
MANY_FACTS = 200  # facts that are ranked on the event loop; of more the words are found in a thread
EXAMPLES_AGAIN = timedelta(minutes=10)
"""How long no answer waits for the examples of wide questions after they could not be embedded."""

_waited_in_vain: ContextVar[bool] = ContextVar("waited_in_vain", default=False)
"""Whether the task that asks has waited for a vector: an answer that searches several times does so once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieved:
    """The result of a question: passages, best first, and facts that matter to it."""

    question: Question
    ranked: Ranked
    facts: FoundFacts = field(default_factory=FoundFacts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """The result of a question alone: `ranked`, the ids of all candidates, best first; `snippets`, those that fit
    the budget, in order of time.
    """

    ranked: Sequence[int]
    snippets: tuple[Snippet, ...]


@attrs.define(kw_only=True, eq=False)
class MemoryRetrieval:
    """Builds contexts. One instance serves all scopes and keeps nothing between calls.

    `embedder` None: words alone are searched. `charge`: is told whose question was embedded. `longest_wait`: seconds
    for its vector; then words alone are searched. `commands`: names and descriptions, for each system prompt.
    """

    _tokens: Tokenizer = attrs.field(alias="tokenizer")
    _budgets: Budgets
    _system_prompt: str
    _clock: Clock
    _charge: Charge
    _embedder: Embedder | None = None
    _facts: FactRecall = attrs.field(factory=FactRecall)
    _longest_wait: float | None = None
    _commands: Mapping[str, str]
    _examples: Floats | None = attrs.field(default=None, init=False)
    _examples_due: datetime = attrs.field(default=datetime.min.replace(tzinfo=UTC), init=False)

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
        """Return the context of one request. Raises a StorageError.

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
            system_prompt=prompts.add_persona(self._system_prompt, config),
            explains=store is not None,
            powers=prompts.format_powers(self._commands.items()) if self._commands else "",
            now=now,
        )
        words = len(incoming.text)
        builder = await _run_off_loop(begun, words)
        if store is None:
            words += characters(unstored)
            await _run_off_loop(lambda: builder.take_last_turns(select_newest_turns(unstored, LAST_TURNS)), words)
            await _run_off_loop(lambda: builder.take_older_turns(unstored), words)
            return await _run_off_loop(builder.context, words)
        if sources is None:
            sources = await store.context_sources(scope, turns=TURNS_READ, before=turn)
        newest = select_newest_turns([*sources.last, *unstored], LAST_TURNS)
        await _run_off_loop(lambda: builder.take_last_turns(newest), characters(newest))
        known = select_carried(scope, sources.facts, incoming.person.id)
        search = partial(
            self.found,
            incoming.words,
            store,
            scope,
            now=now,
            newest=newest,
            before=turn,
            facts=known,
        )
        # Short chats fit whole: search only if something was cut.
        found = await search() if known or sources.archived else None
        if found is not None:
            builder.take_instructions(found.facts.lasting)
            if found.question.vector is not None and await self._is_wide(found.question.vector):
                builder.add_search_hint()
        if not scope.is_direct_messages:
            builder.take_profile(sources.profile)
        older = await self._add_summaries_and_turns(builder, store, scope, sources, unstored, turn)
        pieces = incoming.pieces if turn is not None else ()  # the question, if it is stored already
        builder.note_history(
            messages=sources.total - len(pieces),
            characters=sources.characters - sum(len(piece.text) for piece in pieces),
        )
        are_all = len(sources.unfolded) < MAX_UNFOLDED
        shown = builder.shown_ids
        if found is None and not (
            are_all and all(one.id in shown or one.origin == "declined" for one in sources.unfolded)
        ):
            found = await search()
        builder.take_facts(found.facts.relevant if found is not None else ())
        await self._take_snippets(builder, incoming, store, found, before=turn, now=now)
        return await _run_off_loop(builder.context, words + characters(newest) + characters(older))

    async def recall(self, text: str, *, store: MemoryStore, scope: Scope, newest: Sequence[Message] = ()) -> Recall:
        """Find what a question brings back within the budget of snippets, next to the `newest` messages of the talk,
        which a prompt carries anyway. Raises a StorageError.
        """
        found = await self.found(text, store, scope, newest=newest)
        shown, now = {one.id for one in newest}, self._clock()
        taken = await self._pack_snippets(found, store, scope, room=self._budgets.snippets, now=now, shown=shown)
        return Recall(
            ranked=[one for one in found.ranked.ids if one not in shown],
            snippets=tuple(sorted(taken, key=lambda one: one.message.order)),
        )

    async def passages(self, found: Retrieved, store: MemoryStore, scope: Scope) -> list[RankedPassage]:
        """Return all messages that a question brings to mind, best first, each with its best passage."""
        messages = {message.id: message for message in await store.messages(scope, found.ranked.ids)}
        best: dict[int, RankedPassage] = {}
        for passage in _iterate_passages(found.ranked, found.ranked.order.tolist(), messages):
            best.setdefault(passage.message.id, passage)
        return list(best.values())

    async def found(
        self,
        text: str,
        store: MemoryStore,
        scope: Scope,
        *,
        now: datetime | None = None,
        newest: Sequence[Message] = (),
        before: int | None = None,
        limit: int = CANDIDATES,
        facts: Sequence[Fact] | None = None,
    ) -> Retrieved:
        """Find what matters to a question. `now`: in the owner's zone. `newest`: what was said last, which the question
        may go on with. `before`: the turn that is being answered, which is no candidate. `facts`: those that a prompt
        may carry, where they were read already. Raises a StorageError.
        """
        now, own = now or self._clock(), select_own_messages(newest)[-OWN_LAST:]
        previous = own[-1].content if own else ""
        speakers = await store.speakers(scope)
        analysed = partial(Question.of, text, previous=previous, now=now, speakers=speakers)
        question = await _run_off_loop(analysed, len(text) + len(previous))
        question = replace(question, vector=await self._embed_question(question.meant, scope.owner))
        closeness = None
        if self._embedder is not None and question.vector is not None:
            closeness = await store.vectors.closeness(
                scope,
                self._embedder.name,
                question.vector,
                limit,
                said_last=[one.id for one in own if now - one.created_at < ONE_TALK],
            )
        if closeness is None:
            question = question.completed(await store.completions(scope, question.terms, before=before))
        candidates = await store.candidates(
            scope,
            question.terms,
            limit=limit,
            nearest=closeness.nearest if closeness is not None else (),
            times=[(time.start.timestamp(), time.end.timestamp()) for time in question.times],
            before=before,
        )
        known = select_carried(scope, await store.facts.valid(scope.owner), EVERYBODY) if facts is None else facts
        return Retrieved(
            question=question,
            ranked=rank(candidates, question, closeness),
            facts=await self._rank_facts(known, question, store, scope.owner),
        )

    async def _embed_question(self, text: str, owner: int) -> Floats | None:
        """Return a question's vector; None where words search alone."""
        if self._embedder is None or _waited_in_vain.get():
            return None
        try:
            async with asyncio.timeout(self._longest_wait):
                vector = await self._embedder.query(text)
            await self._charge({owner: [text]})
        except (ModelError, TimeoutError) as error:
            _waited_in_vain.set(isinstance(error, TimeoutError))
            log.warning("the question was not embedded, so words alone are searched: %s", type(error).__name__)
            return None
        return vector

    async def _is_wide(self, question: Floats) -> bool:
        """Return True if one look cannot answer a question. The first one waits until the examples are embedded; where
        that fails, no other one waits for EXAMPLES_AGAIN.
        """
        now = self._clock()
        if self._examples is None and self._embedder is not None and now >= self._examples_due:
            self._examples_due = now + EXAMPLES_AGAIN
            try:
                async with asyncio.timeout(self._longest_wait):
                    self._examples = await self._embedder.passages([*WIDE, *NARROW])
            except (ModelError, TimeoutError) as error:
                log.info("examples of questions were not embedded: %s", type(error).__name__)
        return self._examples is not None and is_wide(question, self._examples)

    async def _rank_facts(
        self, known: Sequence[Fact], question: Question, store: MemoryStore, owner: int
    ) -> FoundFacts:
        """Find facts that matter to a question, and the instructions and preferences that apply to it."""
        if not known:
            return FoundFacts()
        model = self._embedder.name if self._embedder is not None else ""
        vectors = await store.facts.vectors(owner, model) if question.vector is not None else {}
        choose = partial(find_facts, known, question, vectors=vectors, model=model, recall=self._facts)
        found = await run_work(choose, in_thread=len(known) > MANY_FACTS)
        if not found.relevant:
            return found
        return found.add_earlier(await store.facts.replaced(owner, [one.fact.id for one in found.relevant]))

    async def _take_snippets(
        self,
        builder: PromptBuilder,
        incoming: Incoming,
        store: MemoryStore,
        found: Retrieved | None,
        *,
        before: int | None,
        now: datetime,
    ) -> None:
        """Take what a reply refers to, and what was found, within the room that is left."""
        snippets = await self._find_replied(incoming, store, builder, before=before)
        if found is not None:
            required = _find_required(found, builder)
            if required:
                await _run_off_loop(builder.keep_room_for_one, len(incoming.text))
                required = _find_required(found, builder)
            snippets += await self._pack_snippets(
                found,
                store,
                incoming.scope,
                room=max(0, builder.snippet_room - replies.count_tokens(snippets, self._tokens, now)),
                now=now,
                shown=builder.shown_ids | {snippet.message.id for snippet in snippets},
                required=required,
            )
        builder.take_snippets(snippets)

    async def _find_replied(
        self, incoming: Incoming, store: MemoryStore, builder: PromptBuilder, *, before: int | None
    ) -> list[Snippet]:
        replied, scope = incoming.replied, incoming.scope
        if replied is None or replied.telegram_id is None:
            return []
        one = await store.explanations.said_as(scope, replied.telegram_id)
        if one is None:
            return []
        near, room = await store.messages(scope, replies.list_ids_around(one)), builder.snippet_room
        chosen = partial(
            replies.find_snippets, near, self._tokens, middle=one.id, shown=builder.shown_ids, before=before, room=room
        )
        return await _run_off_loop(chosen, characters(near))

    async def _pack_snippets(
        self,
        found: Retrieved,
        store: MemoryStore,
        scope: Scope,
        *,
        room: int,
        now: datetime,
        shown: Set[int] = frozenset(),
        required: Sequence[int] = (),
    ) -> list[Snippet]:
        """Return the best passages that fit: first the required ones, then people's own words next to a long-winded
        assistant, then the others. `shown`: ids that are whole in the prompt already.
        """
        ranked = found.ranked
        order = [row for row in ranked.order[:PACKED].tolist() if ranked.scores[row] > MIN_SCORE]
        is_talkative = ranked.verbosity > 0 and found.question.vector is not None
        own = [row for row in ranked.by_meaning[:PACKED_BY_MEANING].tolist() if ranked.scores[row] > MIN_SCORE]
        of = ranked.found
        wanted = {int(of.ids[of.messages[row]]) for row in (*required, *order, *own)} - shown
        messages = {
            message.id: message
            for message in await store.messages(scope, sorted(wanted))
            if message.origin not in NEVER_RECALLED
        }
        packing = Packing(room=room, now=now, count=self._tokens.count)

        def packed() -> list[Snippet]:
            packing.require(
                _iterate_passages(ranked, required, messages), frozenset(found.question.own), self._tokens.split
            )
            if is_talkative:
                packing.offer(_iterate_passages(ranked, own, messages), leave=int(packing.room * (1 - OWN_WORDS)))
            packing.offer(_iterate_passages(ranked, order, messages))
            return packing.taken

        return await _run_off_loop(packed, characters(list(messages.values())))

    async def _add_summaries_and_turns(
        self,
        builder: PromptBuilder,
        store: MemoryStore,
        scope: Scope,
        sources: ContextSources,
        unstored: Sequence[Message],
        turn: int | None,
    ) -> Sequence[Message]:
        """Have the builder take the summaries and the turns before the newest; gives these turns' messages."""
        summaries = sorted(sources.summaries, key=lambda one: (-one.level, *one.order))
        shown, repeated = await self._select_stable_summaries(builder, store, scope, summaries, turn)
        builder.take_summaries(shown)
        earlier = {one.id: one for one in (*sources.unfolded, *repeated)}
        older = [*sorted(earlier.values(), key=lambda one: one.order), *unstored]
        await _run_off_loop(lambda: builder.take_older_turns(older), characters(older))
        if len(sources.unfolded) == MAX_UNFOLDED:
            builder.list_unread((await store.ends(scope))[0], sources.unfolded[0].id - 1)
        if not repeated:
            builder.take_archived_turns(prefix_cache.select_before_active(sources.last, LAST_TURNS))
        if sources.archived > sum(summary.message_count for summary in sources.summaries):
            # No hole: archived messages that no active summary covers are at least listed as cut.
            oldest, newest = await store.ends(scope)
            # What came after an earlier version is in the prompt word for word.
            is_newest = {one.id for one in shown} == {one.id for one in sources.summaries}
            builder.list_uncovered(shown, oldest, newest, after_last=is_newest)
        return older

    async def _select_stable_summaries(
        self, builder: PromptBuilder, store: MemoryStore, scope: Scope, active: Sequence[Summary], turn: int | None
    ) -> tuple[Sequence[Summary], Sequence[Message]]:
        """Return the summaries that the prompt shows, and the archived messages that it repeats word for word after
        them.

        A summary that is made again every few turns would change the beginning of the prompt each time. Therefore an
        earlier version stays for a while, together with everything that was said since.
        """
        if len(active) != 1 or active[0].policy == "pyramid":
            return active, ()
        versions = {one.id: one for one in await store.superseded(scope, limit=prefix_cache.REACH)}
        newest = await store.last_turns(scope, prefix_cache.REACH, before=turn)
        for block in prefix_cache.BLOCKS:
            shown = prefix_cache.choose_version(active[0], versions, block)
            repeated = prefix_cache.select_verbatim(shown, newest, LAST_TURNS)
            if repeated is not None and builder.has_room_for(repeated):
                return (shown,), repeated
        return active, ()


def _find_required(found: Retrieved, builder: PromptBuilder) -> list[int]:
    """No hole: passages that are not in the prompt, and hold the rarest of the question's own words."""
    of, shown = found.ranked.found, builder.shown_ids
    rows = find_rarest(of, found.question, found.ranked.order.tolist(), most=RARE)
    return [row for row in rows if int(of.ids[of.messages[row]]) not in shown][:RARE]


def _iterate_passages(ranked: Ranked, rows: Sequence[int], messages: Mapping[int, Message]) -> Iterator[RankedPassage]:
    """Yield those of these passages whose messages may be shown."""
    of = ranked.found
    for row in rows:
        message = messages.get(int(of.ids[of.messages[row]]))
        if message is not None:
            yield RankedPassage(
                message=message,
                part=int(of.parts[row]),
                score=ranked.parts_of(row),
                has_words=bool(of.counts[:, row].any()),
            )


async def _run_off_loop(work: Callable[[], Result], characters: int) -> Result:
    """Do what counts and cuts so much text: long texts in a thread, while nobody else touches what it works on."""
    return await run_work(work, in_thread=characters > SHORT_TEXT)
