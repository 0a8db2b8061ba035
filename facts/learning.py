"""Learn facts about an owner from their own words, or add facts by hand. A failure does not affect answers."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from attrs import define, field

from external_memory import ExternalMemory
from facts import reconciliation
from facts.extractor import Backoff, Batch, FactExtractor
from facts.requests import MAX_TURNS, ExtractionEstimate, RequestBuilder
from llm import prompts
from llm.embeddings import Embedder, embed_passages
from llm.quota import Charge
from records.errors import FactsFull, ModelError, NewerFacts, StorageError
from records.facts import MAX_FACTS, Fact, HistoryBacklog, NewFact
from records.messages import Message
from records.scopes import Clock, Scope
from settings import Settings
from storage.stores.memory_store import MemoryStore
from text.fingerprint import list_essential_words

log = logging.getLogger(__name__)

MESSAGES_PER_READ = 400
FACTS_PER_EMBEDDING = 32
MAX_PLANS = 8  # attempts to store the facts of one answer while other scopes store facts of the same owner
RETRY_SECONDS = 60.0  # until imported messages are tried again after a failure, without tokens, or while memory is off
IMPORTANCE_BY_HAND = 0.75  # importance of a fact that its owner has added by hand


@define(kw_only=True, eq=False)
class Facts:
    """Manages the facts about all owners: learns them from messages and applies changes that owners request."""

    _memory: ExternalMemory
    _extractor: FactExtractor
    _requests: RequestBuilder
    _clock: Clock
    _settings: Settings
    _embedder: Embedder | None
    _backoff: Backoff
    _charge: Charge
    _learning: set[Scope] = field(factory=set[Scope], init=False)  # scopes whose messages are being learned from now

    async def learn_if_due(self, scope: Scope) -> None:
        """Learn from a scope if enough turns are waiting for a batch. Log failures and retry later."""
        await self._learn_and_log_errors(scope, min_turns=self._settings.facts_batch_turns)

    async def learn_before_fold(self, scope: Scope, message_ids: Sequence[int]) -> None:
        try:
            async with self._memory.open_store_if_enabled(scope.owner) as store:
                learned, waiting = (0, []) if store is None else await store.facts.read_learned_id_and_next(scope, 1)
                if not waiting or learned >= max(message_ids):
                    return
                if store is not None and scope in self._learning:
                    # Somebody may be waiting for this fold; what it archives is learned from later.
                    await store.facts.begin_learning_unless_recorded(scope, learned)
                    return
        except StorageError:
            return
        await self._learn_and_log_errors(scope, min_turns=1)

    async def learn_from_idle_scopes(self) -> None:
        """Learn from all scopes in which nobody has written for a while."""
        quiet_since = self._clock() - timedelta(seconds=self._settings.facts_quiet_seconds)
        for store in self._memory.stores if self._settings.learns_facts else ():
            for scope in await store.facts.list_scopes_to_learn_from(quiet_since):
                if self._memory.serves(scope.owner):
                    await self._learn_and_log_errors(scope, min_turns=1)
        await self.embed_facts_without_vectors()

    async def learn(self, scope: Scope, *, min_turns: int = 1) -> list[Fact]:
        """Learn from the waiting messages of a scope if they form at least `min_turns` turns. Return the new facts.

        Learn nothing if memory is off, the owner incognito, or another task learning. Raise KeepsakeError on failure.
        """
        made: list[Fact] = []
        if scope in self._learning:
            return made
        self._learning.add(scope)
        try:
            while batch := await self._find_next_batch(scope, min_turns=min_turns):
                inserted = await self._learn_facts_from_batch(batch)
                made += inserted or []
                if inserted is None or batch.is_last:
                    break
                min_turns = self._extractor.choose_turns_per_request(min_turns)
        finally:
            self._learning.discard(scope)
        return made

    def estimate_history_extraction(self, backlog: HistoryBacklog) -> ExtractionEstimate:
        # A weak model, which is asked about the line of each fact, finds about one in each message.
        turns = self._extractor.choose_turns_per_request(MAX_TURNS)
        lines = self._extractor.count_lines_to_classify(backlog.messages)
        return self._requests.estimate_extraction(backlog, max_turns=turns, kind_requests=lines)

    async def try_to_learn_from_history(self, scope: Scope) -> bool:
        """Learn from the next batch of imported messages in a scope. Return True if there was progress."""

        async def learn_from_next_batch() -> list[Fact] | None:
            batch = await self._find_next_batch(scope, from_history=True)
            return await self._learn_facts_from_batch(batch) if batch is not None else None

        source, is_on = (scope, True), self._settings.learns_facts
        return is_on and await self._backoff.run_if_due(source, learn_from_next_batch) is not None

    async def _learn_facts_from_batch(self, batch: Batch) -> list[Fact] | None:
        """Learn from a batch and return the new facts, or None if memory was turned off in the meantime."""
        failures = self._backoff.get_failure_count((batch.scope, batch.from_history))
        new = await self._extractor.extract(batch, batch.request, failure_count=failures) if batch.request else []
        async with self._memory.open_store_if_enabled(batch.scope.owner) as store:
            if store is None:
                return None
            inserted = await self._store_facts(store, batch, new)
        if inserted:
            await self.embed_facts_without_vectors()
        log.info("learned %d facts of %s from messages up to %d", len(inserted), batch.scope, batch.until)
        return inserted

    async def _store_facts(self, store: MemoryStore, batch: Batch, new_facts: Sequence[NewFact]) -> list[Fact]:
        """Reconcile facts with known facts, store them, and return the stored ones. Raise StaleFacts or NewerFacts."""
        owner, request = batch.scope.owner, batch.request
        for _ in range(MAX_PLANS):
            facts = await store.facts.list_all_facts(owner)
            # After the facts: one that is erased in between is known as a fact.
            erased = await store.facts.list_decisions(owner)
            changes = await asyncio.to_thread(
                reconciliation.plan_fact_changes, new_facts, facts, erased_fact_decisions=erased
            )
            with suppress(NewerFacts):
                return await store.facts.commit_changes(
                    batch.scope,
                    changes,
                    source_messages=request.messages if request else (),
                    prompt_facts=request.shown if request else (),
                    last_learned_id=batch.learned,
                    new_last_learned_id=batch.until,
                    newest_fact_id=max((fact.id for fact in facts), default=0),
                    now=self._clock(),
                    from_imported_history=batch.from_history,
                )
        raise NewerFacts

    async def _learn_and_log_errors(self, scope: Scope, *, min_turns: int) -> None:
        if self._settings.learns_facts:
            await self._backoff.run_if_due((scope, False), partial(self.learn, scope, min_turns=min_turns))

    async def _find_next_batch(self, scope: Scope, *, min_turns: int = 1, from_history: bool = False) -> Batch | None:
        """Return the next batch to learn from, or None if too few turns are waiting or learning is not allowed."""
        if scope.is_channel_direct_chat:
            return None
        config = await self._memory.get_config(scope.owner)
        if config is None or config.incognito:
            return None
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            if store is None:
                return None
            learned, waiting = await (
                store.history_extraction.read_last_id_and_next_messages
                if from_history
                else store.facts.read_learned_id_and_next
            )(scope, MESSAGES_PER_READ)
            if not waiting:
                return None
            is_all = len(waiting) < MESSAGES_PER_READ
            # A turn without an answer may not be over yet. In imported history, people wrote to each other.
            wanted = {"user"} if from_history else {"user", "assistant"}
            by_turn: dict[int, list[Message]] = {}
            for message in waiting:
                by_turn.setdefault(message.turn, []).append(message)
            turns = [turn for turn in by_turn.values() if wanted <= {message.role for message in turn}]
            if not from_history:
                # This marks the scope, so that messages which are folded before they were learned from still wait.
                await store.facts.begin_learning_unless_recorded(scope, learned)
                if is_all and len(turns) < max(1, min_turns):
                    return None
            facts = await store.facts.list_all_facts(scope.owner)
        known = tuple(fact for fact in facts if fact.is_valid or fact.decided_at)
        request, max_turns = None, MAX_TURNS if from_history else self._settings.facts_batch_turns
        if turns:
            request = await asyncio.to_thread(
                self._requests.make_extraction_request,
                *(turns, known),
                owner_description=prompts.describe_owner(scope.owner),
                zone=config.zone,
                max_turns=self._extractor.choose_turns_per_request(max_turns),
            )
        # Messages after the last answer wait for their own answer; imported history gets no more answers.
        end = waiting[-1] if from_history or not turns else turns[-1][-1]
        return Batch(
            scope=scope,
            request=request,
            known=known,
            learned=learned,
            until=end.id if request is None or request.is_all else request.until,
            zone=config.zone,
            is_last=is_all and (request is None or request.is_all),
            from_history=from_history,
        )

    async def list_all(self, owner: int) -> list[Fact]:
        """Return all facts about an owner by ascending id, including ended and deleted facts."""
        async with self._memory.open_store(owner) as store:
            return await store.facts.list_all_facts(owner)

    async def add_fact_unless_known(self, owner: int, text: str) -> tuple[Fact, bool]:
        """Add a fact. Return (fact, True), or (the equal existing fact, False). Raise FactsFull above the limit."""

        def find_fact_with_same_words() -> Fact | None:
            words = list_essential_words(text)
            return next((fact for fact in facts if list_essential_words(fact.text) == words), None)

        now = self._clock()
        async with self._memory.open_store(owner) as store:
            facts = await store.facts.list_valid_facts(owner)
            known = await asyncio.to_thread(find_fact_with_same_words)
            if known is not None:
                return known, False
            if len(facts) >= MAX_FACTS:
                raise FactsFull
            return await store.facts.add_fact(owner, _make_manual_fact(text, now), now=now), True

    async def supersede_fact(self, owner: int, fact_id: int, text: str) -> Fact | None:
        """Replace a fact with a new fact, and keep the old one as history. Return None if no valid fact has this id."""
        now = self._clock()
        async with self._memory.open_store(owner) as store:
            known = await store.facts.find_fact(owner, fact_id)
            if known is None or not known.is_valid:
                return None
            new = replace(
                _make_manual_fact(text, now),
                kind=known.kind,
                subject=known.subject,
                importance=max(known.importance, IMPORTANCE_BY_HAND),
                tags=known.tags,
                person_id=known.person_id,
            )
            return await store.facts.add_fact(owner, new, now=now, superseded_id=fact_id)

    async def edit(self, owner: int, fact_id: int, text: str) -> Fact | None:
        async with self._memory.open_store(owner) as store:
            return await store.facts.edit_fact(owner, fact_id, text, now=self._clock())

    async def embed_facts_without_vectors(self) -> None:
        """Embed the facts that have no vector yet. Stop if the embedder fails."""
        if self._embedder is None:
            return
        for store in self._memory.stores:
            while found := await store.facts.list_unembedded_facts(self._embedder.name, FACTS_PER_EMBEDDING):
                mine = await self._memory.select_served_owners({fact.owner for fact in found})
                found = [fact for fact in found if fact.owner in mine]
                if not found:
                    return
                try:
                    vectors = await embed_passages(self._embedder, [fact.text for fact in found])
                except ModelError as error:
                    log.warning("facts are not embedded yet, only words find them: %s", type(error).__name__)
                    return
                await self._charge({owner: [fact.text for fact in found if fact.owner == owner] for owner in mine})
                await store.facts.store_vectors(self._embedder.name, found, vectors)
                if len(found) < FACTS_PER_EMBEDDING:
                    break


@define(kw_only=True, eq=False)
class HistoryExtraction:
    """Learns facts from imported messages in the background, if `is_on`."""

    _memory: ExternalMemory
    _facts: Facts
    _is_on: bool
    _wanted: asyncio.Event = field(factory=asyncio.Event, init=False)
    idle: asyncio.Event = field(factory=asyncio.Event, init=False)  # set once all scopes are done, or have to wait

    async def estimate_cost(self, owner: int, first_id: int, last_id: int) -> ExtractionEstimate | None:
        """Estimate the cost of learning from imported messages. Return None if there is nothing to learn."""
        if not await self._may_learn(owner):
            return None
        async with self._memory.open_store(owner) as store:
            backlog = await store.history_extraction.measure_backlog(owner, first_id, last_id)
        return self._facts.estimate_history_extraction(backlog) if backlog.messages else None

    async def begin(self, owner: int, first_id: int, last_id: int) -> Literal["begun", "busy", "nothing", "off"]:
        """Begin or resume learning from a range of imported messages.

        Return "off" if learning is not allowed, "nothing" if no message is left, or "busy" if another range is running.
        """
        if not await self._may_learn(owner):
            return "off"
        if await self.estimate_cost(owner, first_id, last_id) is None:
            return "nothing"
        async with self._memory.open_store(owner) as store:
            if not await store.history_extraction.begin_extraction_unless_running(owner, first_id, last_id):
                return "busy"
        self.idle.clear()
        self._wanted.set()
        return "begun"

    async def stop(self, owner: int) -> None:
        """Stop learning from an owner's imported messages. Keep the facts learned so far."""
        async with self._memory.open_store(owner) as store:
            await store.history_extraction.stop_extraction(owner)

    async def _may_learn(self, owner: int) -> bool:
        config = await self._memory.get_config(owner)
        return self._is_on and config is not None and config.enabled and not config.incognito

    async def run_forever(self) -> None:
        """Learn from imported messages whenever some are waiting, until cancelled."""
        while True:
            self._wanted.clear()
            try:
                while await self._extract_and_check_for_progress():
                    pass
            except Exception as error:  # error boundary of this task
                log.warning("history extraction failed, it is tried again: %s", type(error).__name__)
            if not self._wanted.is_set():
                self.idle.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_SECONDS):
                        await self._wanted.wait()

    async def _extract_and_check_for_progress(self) -> bool:
        """Learn from one batch of each waiting scope. Return True if there was progress in any scope."""
        scopes: list[Scope] = []
        for store in self._memory.stores:
            try:
                waiting = await store.history_extraction.list_extraction_scopes()
                scopes += [scope for scope in waiting if self._memory.serves(scope.owner)]
            except StorageError as error:
                log.warning("the imported history that waits cannot be read: %s", type(error).__name__)
        return any([await self._facts.try_to_learn_from_history(scope) for scope in scopes])


def _make_manual_fact(text: str, now: datetime) -> NewFact:
    return NewFact(
        text=text,
        kind="personal",
        subject="",
        source_ids=(),
        observed_at=now,
        valid_from=now,
        importance=IMPORTANCE_BY_HAND,
        origin="owner",
        decided_at=now,
    )
