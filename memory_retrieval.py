"""Collects the context of a request within a token budget, without depending on chat models or Telegram."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial

import attrs

from llm import prompts
from llm.embeddings import Embedder
from llm.quota import Charge
from records.context import MAX_UNSUMMARIZED, Context, ContextSources, Snippet
from records.errors import ModelError
from records.facts import EVERYBODY, Fact
from records.messages import NEVER_RECALLED, OTHERS, Message
from records.owners import OwnerConfig
from records.scopes import Clock, Scope
from records.summaries import Summary
from records.turns import UserMessage
from retrieval import prefix_cache
from retrieval.fact_ranking import FoundFacts, select_facts_for_prompt, select_usable_facts
from retrieval.packing import Packer, RankedPassage
from retrieval.prompt_builder import Budgets, PromptBuilder
from retrieval.question import NARROW, WIDE, Question, needs_several_searches
from retrieval.ranking import Ranking, find_rows_with_rarest_word, rank_passages
from retrieval.turns import (
    NEIGHBOURS,
    count_characters,
    find_reply_snippets,
    find_uncovered_ranges,
    select_messages_of_newest_turns,
)
from runtime.tasks import run_in_thread_if_long
from storage.search.protocol import Floats
from storage.stores.memory_store import MemoryStore
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

LAST_TURNS = 4  # the newest turns, which stay verbatim even after they were archived
MAX_CANDIDATES = 100  # messages that words and meaning find in each search
MAX_PACKED = 250  # passages offered for packing, best scores first
MAX_PACKED_BY_MEANING = 50  # passages of people's own words offered for packing, closest in meaning first
MIN_SCORE = 0.0  # a message with a lower one is further from the question than the average, and shares hardly a word
OWN_WORDS_SHARE = 0.5  # share of the room that people's own words get first if the assistant is long-winded
MAX_RARE = 3  # a word in no more messages than this is rare: they are shown first unless they are in the prompt
EXAMPLES_RETRY = timedelta(minutes=10)  # after the examples of wide questions could not be embedded

_waited_in_vain: ContextVar[bool] = ContextVar("waited_in_vain", default=False)
"""True once the current task waited for a vector in vain: an answer with several searches does so only once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalResult:
    """The passages, best first, and the facts that are relevant to a question."""

    question: Question
    ranked: Ranking
    facts: FoundFacts = field(default_factory=FoundFacts)


@attrs.define(kw_only=True, eq=False)
class MemoryRetrieval:
    """Builds contexts from memory. One instance serves all scopes."""

    _tokens: Tokenizer = attrs.field(alias="tokenizer")
    _budgets: Budgets
    _system_prompt: str
    _clock: Clock
    _charge: Charge  # counts the embedding of a question towards its owner's quota
    _embedder: Embedder | None = None  # None to search words only
    _embedding_timeout: float | None = None  # seconds until words only are searched
    _commands: Mapping[str, str]  # names and descriptions for the system prompt
    _examples: Floats | None = attrs.field(default=None, init=False)
    _examples_due: datetime = attrs.field(default=datetime.min.replace(tzinfo=UTC), init=False)

    async def build_context(
        self,
        incoming: UserMessage,
        *,
        store: MemoryStore | None,
        turn: int | None = None,
        unstored_messages: Sequence[Message] = (),
        max_tokens: int | None = None,
        config: OwnerConfig | None = None,
        zone: tzinfo = UTC,
        correct_profile: Callable[[MemoryStore, int], Awaitable[bool]] | None = None,
    ) -> Context:
        """Build the context of one request. Raise StorageError if the store cannot be read.

        If `store` is None, memory is off. `turn` is the number of the stored turn that is being answered.
        `unstored_messages` are earlier messages that are not in the store. `max_tokens` is a lower limit once the
        endpoint has refused a prompt. If there is a profile, `correct_profile` removes what facts overrule.
        """
        scope, now = incoming.scope, self._clock().astimezone(zone)
        start_prompt = partial(
            PromptBuilder,
            tokenizer=self._tokens,
            budgets=self._budgets.scale_to_fit(min(max_tokens or self._budgets.prompt, self._budgets.prompt)),
            incoming=incoming,
            system_prompt=prompts.add_persona_to_system_prompt(self._system_prompt, config),
            explains_format=store is not None,
            command_list=prompts.format_command_list(self._commands, is_memory_on=turn is not None),
            now=now,
        )
        words = len(incoming.text)
        builder = await run_in_thread_if_long(start_prompt, words)
        if store is None:
            words += count_characters(unstored_messages)
            newest = select_messages_of_newest_turns(unstored_messages, LAST_TURNS)
            await run_in_thread_if_long(lambda: builder.add_last_turns(newest), words)
            await run_in_thread_if_long(lambda: builder.add_older_turns(unstored_messages), words)
            return await run_in_thread_if_long(builder.build_context, words)
        read = partial(store.read_context_sources, scope, max_turns=prefix_cache.MAX_TURNS_READ, before_turn=turn)
        sources = await read()
        if sources.profile and correct_profile and await correct_profile(store, scope.owner):
            # Incognito, nothing is written, so the profile waits until it can be corrected.
            sources = await read() if turn is not None else replace(sources, profile=None)
        said = select_messages_of_newest_turns([*sources.last, *unstored_messages], LAST_TURNS)
        correct = partial(prompts.mark_corrected_messages, facts=sources.facts)
        sources = replace(sources, last=correct(sources.last), unsummarized=correct(sources.unsummarized))
        newest = correct(said)
        await run_in_thread_if_long(lambda: builder.add_last_turns(newest), count_characters(newest))
        known = select_usable_facts(scope, sources.facts, incoming.person.id)
        asked = incoming.text_without_attachments
        search = partial(self.search, asked, store, scope, now=now, newest_messages=said, before_turn=turn, facts=known)
        # Short chats fit whole: search only if something was cut.
        found = await search() if known or sources.archived else None
        if found is not None:
            builder.add_instructions(found.facts.lasting)
            if found.question.vector is not None and await self._needs_several_searches(found.question.vector):
                builder.add_search_hint()
        if not scope.is_channel_direct_chat:
            builder.add_profile(sources.profile)
        older = await self._add_summaries_and_earlier_turns(builder, store, scope, sources, unstored_messages)
        pieces = incoming.pieces if turn is not None else ()  # the question, if it is stored already
        builder.set_history_size(
            message_count=sources.total - len(pieces),
            char_count=sources.characters - sum(len(piece.text) for piece in pieces),
        )
        are_all = len(sources.unsummarized) < MAX_UNSUMMARIZED
        shown = builder.message_ids_in_prompt
        if found is None and not (
            are_all and all(message.id in shown or message.origin == "declined" for message in sources.unsummarized)
        ):
            found = await search()
        builder.add_facts(found.facts.relevant if found is not None else ())
        await self._add_snippets(builder, incoming, store, found, before_turn=turn, now=now)
        return await run_in_thread_if_long(
            builder.build_context, words + count_characters(newest) + count_characters(older)
        )

    async def list_best_passages(self, found: RetrievalResult, store: MemoryStore, scope: Scope) -> list[RankedPassage]:
        """Return all messages that a search found, best first, each with its best passage."""
        messages = {message.id: message for message in await store.read_messages(scope, found.ranked.message_ids)}
        best: dict[int, RankedPassage] = {}
        for passage in _iterate_passages(found.ranked, found.ranked.order.tolist(), messages):
            best.setdefault(passage.message.id, passage)
        return list(best.values())

    async def search(
        self,
        text: str,
        store: MemoryStore,
        scope: Scope,
        *,
        now: datetime | None = None,
        newest_messages: Sequence[Message] = (),
        before_turn: int | None = None,
        limit: int = MAX_CANDIDATES,
        facts: Sequence[Fact] | None = None,
    ) -> RetrievalResult:
        """Find the passages and facts relevant to a question. Raise StorageError if the store cannot be read.

        `now` is in the owner's time zone. `newest_messages` are the last messages, which help with short questions.
        Only turns before `before_turn` are searched. `facts` are the usable facts, if they have been read already.
        """
        now = now or self._clock()
        own = [
            message.content for message in newest_messages if message.role == "user" and message.origin not in OTHERS
        ]
        previous = own[-1] if own else ""
        speakers = await store.list_speakers(scope)
        analyze = partial(Question.analyze, text, previous_text=previous, now=now, speakers=speakers)
        question = await run_in_thread_if_long(analyze, len(text) + len(previous))
        question = replace(question, vector=await self._try_to_embed_question(question.meant, scope.owner))
        closeness = None
        if self._embedder is not None and question.vector is not None:
            closeness = await store.vectors.compute_similarities(scope, self._embedder.name, question.vector, limit)
        if closeness is None:
            completions = await store.find_completions_by_term(scope, question.terms, before_id=before_turn)
            question = question.replace_unknown_terms(completions)
        candidates = await store.find_candidate_messages(
            scope,
            question.terms,
            limit=limit,
            nearest_seqs=closeness.nearest if closeness is not None else (),
            time_ranges=[(time.start.timestamp(), time.end.timestamp()) for time in question.times],
            before_id=before_turn,
        )
        if facts is None:
            facts = select_usable_facts(scope, await store.facts.list_valid_facts(scope.owner), EVERYBODY)
        return RetrievalResult(
            question=question,
            ranked=rank_passages(candidates, question, closeness),
            facts=await self._find_relevant_facts(facts, question, store, scope.owner),
        )

    async def _try_to_embed_question(self, text: str, owner: int) -> Floats | None:
        if self._embedder is None or _waited_in_vain.get():
            return None
        try:
            async with asyncio.timeout(self._embedding_timeout):
                vector = await self._embedder.embed_query(text)
            await self._charge({owner: [text]})
        except (ModelError, TimeoutError) as error:
            _waited_in_vain.set(isinstance(error, TimeoutError))
            log.warning("the question was not embedded, so words alone are searched: %s", type(error).__name__)
            return None
        return vector

    async def _needs_several_searches(self, question_vector: Floats) -> bool:
        """Return True if a question resembles examples that need several searches. Embed the examples if necessary."""
        now = self._clock()  # after a failure, the examples are embedded again
        if self._examples is None and self._embedder is not None and now >= self._examples_due:
            self._examples_due = now + EXAMPLES_RETRY
            with suppress(ModelError, TimeoutError):
                async with asyncio.timeout(self._embedding_timeout):
                    self._examples = await self._embedder.embed_passages([*WIDE, *NARROW])
        return self._examples is not None and needs_several_searches(question_vector, self._examples)

    async def _find_relevant_facts(
        self, facts: Sequence[Fact], question: Question, store: MemoryStore, owner: int
    ) -> FoundFacts:
        if not facts:
            return FoundFacts()
        model = self._embedder.name if self._embedder is not None else ""
        vectors = await store.facts.read_vectors_by_fact_id(owner, model) if question.vector is not None else {}
        found = await asyncio.to_thread(
            select_facts_for_prompt, facts, question, vectors=vectors, embedding_model=model
        )
        if not found.relevant:
            return found
        return found.with_replaced_facts(
            await store.facts.list_facts_superseded_by(owner, [recalled.fact.id for recalled in found.relevant])
        )

    async def _add_snippets(
        self,
        builder: PromptBuilder,
        incoming: UserMessage,
        store: MemoryStore,
        result: RetrievalResult | None,
        *,
        before_turn: int | None,
        now: datetime,
    ) -> None:
        snippets = await self._make_snippets_around_reply_target(incoming, store, builder, before_turn=before_turn)
        if result is not None:
            required = _find_rarest_word_rows_not_in_prompt(result, builder)
            if required:
                await run_in_thread_if_long(builder.make_room_for_snippet, len(incoming.text))
                required = _find_rarest_word_rows_not_in_prompt(result, builder)
            taken = self._tokens.count(prompts.format_remembered_snippets(snippets, now)) if snippets else 0
            snippets += await self.pack_snippets(
                result,
                store,
                incoming.scope,
                max_tokens=max(0, builder.remaining_snippet_tokens - taken),
                now=now,
                message_ids_in_prompt=builder.message_ids_in_prompt | {snippet.message.id for snippet in snippets},
                required_passage_rows=required,
            )
        builder.add_snippets(snippets)

    async def _make_snippets_around_reply_target(
        self, incoming: UserMessage, store: MemoryStore, builder: PromptBuilder, *, before_turn: int | None
    ) -> list[Snippet]:
        replied, scope = incoming.replied, incoming.scope
        if replied is None or replied.telegram_id is None:
            return []
        target = await store.explanations.find_message(scope, replied.telegram_id)
        if target is None:
            return []
        ids = range(target.id - NEIGHBOURS, target.id + NEIGHBOURS + 1)
        messages = await store.read_messages(scope, ids)
        shown, room = builder.message_ids_in_prompt, builder.remaining_snippet_tokens
        choose = partial(
            find_reply_snippets, messages, self._tokens, replied_to_id=target.id, message_ids_in_prompt=shown
        )
        return await run_in_thread_if_long(
            partial(choose, before_turn=before_turn, available_tokens=room), count_characters(messages)
        )

    async def pack_snippets(
        self,
        result: RetrievalResult,
        store: MemoryStore,
        scope: Scope,
        *,
        max_tokens: int,
        now: datetime,
        message_ids_in_prompt: Set[int] = frozenset(),
        required_passage_rows: Sequence[int] = (),
    ) -> list[Snippet]:
        """Return the best passages that fit in `max_tokens`, required ones first. Skip `message_ids_in_prompt`."""
        ranked = result.ranked
        order = [row for row in ranked.order[:MAX_PACKED].tolist() if ranked.scores[row] > MIN_SCORE]
        is_talkative = ranked.is_verbose and result.question.vector is not None
        own = [row for row in ranked.by_meaning[:MAX_PACKED_BY_MEANING].tolist() if ranked.scores[row] > MIN_SCORE]
        candidates = ranked.candidates
        wanted = {
            int(candidates.ids[candidates.messages[row]]) for row in (*required_passage_rows, *order, *own)
        } - message_ids_in_prompt
        messages = {
            message.id: message
            for message in await store.read_messages(scope, sorted(wanted))
            if message.origin not in NEVER_RECALLED
        }
        packing = Packer(room=max_tokens, now=now, count=self._tokens.count)

        def pack_passages() -> list[Snippet]:
            packing.add_required_passages(
                _iterate_passages(ranked, required_passage_rows, messages),
                frozenset(result.question.own),
                self._tokens.split,
            )
            if is_talkative:
                packing.add_fitting_passages(
                    _iterate_passages(ranked, own, messages), reserved_tokens=int(packing.room * (1 - OWN_WORDS_SHARE))
                )
            packing.add_fitting_passages(_iterate_passages(ranked, order, messages))
            return packing.snippets

        return await run_in_thread_if_long(pack_passages, count_characters(list(messages.values())))

    async def _add_summaries_and_earlier_turns(
        self,
        builder: PromptBuilder,
        store: MemoryStore,
        scope: Scope,
        sources: ContextSources,
        unstored_messages: Sequence[Message],
    ) -> Sequence[Message]:
        """Add the summaries, and the turns before the newest if they fit. Return the messages of all these turns."""
        summaries = sorted(sources.summaries, key=lambda summary: (-summary.level, *summary.sort_key))
        shown, repeated = await self._select_summaries_and_messages(builder, store, scope, summaries, sources.last)
        builder.add_summaries(shown)
        earlier = {message.id: message for message in (*sources.unsummarized, *repeated)}
        older = [*sorted(earlier.values(), key=lambda message: message.sort_key), *unstored_messages]
        await run_in_thread_if_long(lambda: builder.add_older_turns(older), count_characters(older))
        if len(sources.unsummarized) == MAX_UNSUMMARIZED:
            oldest, _ = await store.find_first_and_last_message_id(scope)
            builder.record_cut("turns", oldest, sources.unsummarized[0].id - 1, "recent budget")
        if not repeated:
            builder.add_archived_turns(prefix_cache.select_messages_of_last_archived_turns(sources.last, LAST_TURNS))
        if sources.archived > sum(summary.message_count for summary in sources.summaries):
            # Archived messages that no active summary covers are at least listed as cut.
            oldest, newest = await store.find_first_and_last_message_id(scope)
            # After an earlier version of a summary, the messages since then are in the prompt verbatim.
            is_newest = {summary.id for summary in shown} == {summary.id for summary in sources.summaries}
            for first_id, last_id in find_uncovered_ranges(shown, oldest, newest, includes_range_after_last=is_newest):
                builder.record_cut("archived", first_id, last_id, "no active summary")
        return older

    async def _select_summaries_and_messages(
        self,
        builder: PromptBuilder,
        store: MemoryStore,
        scope: Scope,
        active_summaries: Sequence[Summary],
        newest_messages: Sequence[Message],
    ) -> tuple[Sequence[Summary], Sequence[Message]]:
        """Return the summaries to show, and the archived messages from `newest_messages` to show verbatim after them.

        Show an earlier version of a summary for a while: a prompt with a new beginning misses the provider's cache.
        """
        if len(active_summaries) != 1 or active_summaries[0].policy == "pyramid":
            return active_summaries, ()
        superseded = await store.list_superseded_summaries(scope, limit=prefix_cache.MAX_TURNS_READ)
        for block in prefix_cache.BLOCKS:
            shown = prefix_cache.find_oldest_version_ending_in_block(
                active_summaries[0], {version.id: version for version in superseded}, block
            )
            repeated = prefix_cache.select_messages_to_show_after_summary(shown, newest_messages, LAST_TURNS)
            if repeated is not None and builder.has_room_for(repeated):
                return (shown,), repeated
        return active_summaries, ()


def _find_rarest_word_rows_not_in_prompt(result: RetrievalResult, builder: PromptBuilder) -> list[int]:
    """Return the rows of passages that contain the question's rarest words and are not yet in the prompt."""
    candidates, shown = result.ranked.candidates, builder.message_ids_in_prompt
    rows = find_rows_with_rarest_word(candidates, result.question, result.ranked.order.tolist(), limit=MAX_RARE)
    return [row for row in rows if int(candidates.ids[candidates.messages[row]]) not in shown][:MAX_RARE]


def _iterate_passages(
    ranking: Ranking, rows: Sequence[int], messages_by_id: Mapping[int, Message]
) -> Iterator[RankedPassage]:
    candidates = ranking.candidates
    for row in rows:
        message = messages_by_id.get(int(candidates.ids[candidates.messages[row]]))
        if message is not None:
            yield RankedPassage(message=message, part=int(candidates.parts[row]), score=ranking.get_score_parts(row))
