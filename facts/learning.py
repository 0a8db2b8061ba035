"""What is known of an owner: facts, learned from their own words or told by hand.

Owns when something is learned, from what, and that a failure here touches nothing else. What says the same and what
changes what is in learning/, when imported history is read in studying.py. Does not know Telegram, nor how facts get
into a prompt (memory_retrieval.py) or a profile (distilling.py).
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from functools import partial

from external_memory import ExternalMemory
from facts import extraction, reconciliation, verification
from facts.backoff import Backoff, Place
from facts.fingerprint import essence
from facts.requests import Request, Requests, Stretch
from llm import prompts
from llm.chat_model import ChatModel
from llm.embeddings import Embedder
from llm.quota import Quota
from records.errors import ContextTooLong, ModelBroken, ModelDeclined, ModelError, QuotaExceeded, StorageError
from records.facts import Fact, FactChange, HistoryBacklog, NewFact
from records.messages import Message
from records.scopes import Clock, Scope
from runtime.locks import OwnerLocks
from storage.knowledge_protocol import Floats
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

READ = 400
"""Messages that are read at once."""
GIVEN_UP_AFTER = 3
"""Attempts after which a stretch that the model cannot answer is passed over."""
EMBEDDED_AT_ONCE = 32
SCARCE = 4
"""With less left of the day's tokens than so many of such requests cost, answers and summaries go first."""
TOLD_BY_HAND = 0.75
"""How important a fact is that its owner has told by hand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FactSettings:
    """`is_on` False: nothing is learned; what is known stays. Sizes and times are the settings' own."""

    is_on: bool = True
    batch_turns: int = 4
    quiet: timedelta = timedelta(seconds=120)
    duplicate_distance: float = 0.15


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """What is learned at once: a stretch of a scope (None: nothing in it can be), and the state that it was read in.

    `is_past`: of imported history, else of what was said here.
    """

    scope: Scope
    stretch: Stretch | None
    known: tuple[Fact, ...]
    learned: int
    until: int
    zone: tzinfo
    is_last: bool
    is_past: bool = False

    @property
    def place(self) -> Place:
        return self.scope, self.is_past


class Facts:
    """Learns facts, one owner's at a time. `window`: the most tokens of one request's prompt."""

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        model: ChatModel,
        tokenizer: Tokenizer,
        window: int,
        budget: Quota,
        clock: Clock,
        settings: FactSettings | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self._memory = memory
        self._model = model
        self._requests = Requests(tokenizer, window)
        self._budget = budget
        self._clock = clock
        self._settings = settings or FactSettings()
        self._embedder = embedder
        self._gates = OwnerLocks()
        self._in_the_past = set[int]()  # owners whose imported history is being read now
        self._troubles = Backoff(clock)

    # learning ------------------------------------------------------------------------------------------------

    async def settle(self, scope: Scope) -> None:
        """Learn where a batch is waiting. Whatever fails is said in the log and tried again later."""
        await self._learn_safely(scope, at_least=self._settings.batch_turns)

    async def before_fold(self, scope: Scope, message_ids: Sequence[int]) -> None:
        """What is about to be folded is learned from first."""
        try:
            async with self._memory.opened(scope.owner) as store:
                learned, waiting = await store.facts.pending(scope, 1) if store is not None else (0, [])
                if not waiting or learned >= max(message_ids):
                    return
                if store is not None and scope.owner in self._in_the_past:
                    # Somebody may be waiting for this fold: what it archives is learned from later all the same.
                    await store.facts.begin(scope, learned)
                    return
        except StorageError:
            return
        await self._learn_safely(scope, at_least=1)

    async def settle_quiet(self) -> None:
        """Learn where the talk has paused, however little is waiting."""
        now = self._clock()
        for store in self._memory.stores:
            for scope in await store.facts.waiting(now - self._settings.quiet) if self._settings.is_on else ():
                await self._learn_safely(scope, at_least=1)
        await self.embed_missing()

    async def learn(self, scope: Scope, *, at_least: int = 1) -> list[Fact]:
        """Learn from what is waiting in a scope, where that is so many turns. Raises a KeepsakeError.

        Gives the facts that are new. Nothing is learned while memory is off or the owner is incognito.
        """
        made: list[Fact] = []
        async with self._gates.of(scope.owner).exclusive():
            while batch := await self._batch(scope, at_least=at_least):
                inserted = await self._learn(batch)
                if inserted is None:
                    break
                made += inserted
                if batch.is_last:
                    break
        if made:
            await self.embed_missing()
        return made

    async def learn_past(self, scope: Scope) -> bool:
        """Learn one stretch of the imported history that is to be learned from; whether that went on.

        What fails is said in the log and tried again later. Meanwhile live talk is learned from as ever.
        """
        return self._settings.is_on and await self._troubles.spare((scope, True), partial(self._learn_past, scope))

    async def _learn_past(self, scope: Scope) -> bool:
        async with self._gates.of(scope.owner).exclusive():
            self._in_the_past.add(scope.owner)
            try:
                batch = await self._batch(scope, is_past=True)
                made = await self._learn(batch) if batch is not None else None
            finally:
                self._in_the_past.discard(scope.owner)
        if made:
            await self.embed_missing()
        return made is not None

    async def _learn(self, batch: _Batch) -> list[Fact] | None:
        """The facts that are new; None where memory was turned off meanwhile."""
        scope = batch.scope
        changes = await self._changes(batch, batch.stretch) if batch.stretch else []
        async with self._memory.opened(scope.owner) as store:
            if store is None:
                return None
            inserted = await store.facts.commit(
                scope,
                changes,
                read=batch.stretch.messages if batch.stretch else (),
                shown=batch.stretch.shown if batch.stretch else (),
                learned=batch.learned,
                until=batch.until,
                now=self._clock(),
                is_past=batch.is_past,
            )
        log.info("learned %d facts of %s from messages up to %d", len(inserted), scope, batch.until)
        return inserted

    async def _learn_safely(self, scope: Scope, *, at_least: int) -> None:
        async def work() -> bool:
            await self.learn(scope, at_least=at_least)
            return True

        if self._settings.is_on:
            await self._troubles.spare((scope, False), work)

    async def _batch(self, scope: Scope, *, at_least: int = 1, is_past: bool = False) -> _Batch | None:
        """The next stretch to learn from; None where there is not enough, or nothing is written now."""
        config = await self._memory.config(scope.owner)
        if config is None or config.incognito:
            return None
        async with self._memory.opened(scope.owner) as store:
            if store is None:
                return None
            learned, waiting = await (store.studies.next if is_past else store.facts.pending)(scope, READ)
            if not waiting:
                return None
            is_all = len(waiting) < READ
            turns = past_turns(waiting) if is_past else answered_turns(waiting)
            if not is_past:
                # What is folded before it could be learned from waits all the same.
                await store.facts.begin(scope, learned)
                if is_all and len(turns) < max(1, at_least):
                    return None
            known = await store.facts.valid(scope.owner)
        who = prompts.whom(scope.owner)
        stretch = self._requests.stretch(turns, known, who=who, zone=config.zone) if turns else None
        # What came after the last answer waits for its own; history has had all that it will.
        end = waiting[-1] if is_past or not turns else turns[-1][-1]
        return _Batch(
            scope=scope,
            stretch=stretch,
            known=tuple(known),
            learned=learned,
            until=end.id if stretch is None or stretch.is_all else stretch.until,
            zone=config.zone,
            is_last=is_all and (stretch is None or stretch.is_all),
            is_past=is_past,
        )

    def cost(self, study: HistoryBacklog) -> tuple[int, int]:
        """Roughly what learning from so much takes: requests, and tokens of all of them."""
        return self._requests.cost(study)

    async def _changes(self, batch: _Batch, stretch: Stretch) -> list[FactChange]:
        """What the stretch changes in what is known."""
        new = await self._extracted(batch, stretch)
        vectors = await self._vectors([fact.text for fact in new])
        known: Mapping[int, Floats] = {}
        if vectors is not None and self._embedder is not None:
            async with self._memory.opened(batch.scope.owner) as store:
                known = await store.facts.vectors(batch.scope.owner, self._embedder.name) if store else {}

        def distance(place: int, fact: Fact) -> float | None:
            theirs = known.get(fact.id)
            if vectors is None or theirs is None or theirs.shape != vectors[place].shape:
                return None
            return 1.0 - float(vectors[place] @ theirs)

        return reconciliation.plan(new, batch.known, distance=distance, near=self._settings.duplicate_distance)

    async def _extracted(self, batch: _Batch, stretch: Stretch) -> list[NewFact]:
        """What the model found, less what its sources do not say."""
        told = await self._told(batch, stretch)
        shown = {fact.id: fact for fact in stretch.shown}
        speakers = [prompts.speaker(message) for message in stretch.messages]
        kept = []
        for fact in extraction.drafts(told, stretch.messages, known=shown, zone=batch.zone):
            named = [shown[fact.known].text] if fact.known is not None else []
            objections = verification.objections(fact, stretch.messages, beside=[*speakers, *named], zone=batch.zone)
            if objections:
                log.info("a fact told of %s is refused: %s", batch.scope, "; ".join(objections))
            else:
                kept.append(verification.with_said_beginning(fact, stretch.messages, zone=batch.zone))
        return kept

    async def _told(self, batch: _Batch, stretch: Stretch) -> Sequence[extraction.Told]:
        """The model's answer, repaired once; one that is no list of facts even then is none."""
        scope = batch.scope
        told: Sequence[extraction.Told] | None = None
        try:
            answer = await self._asked(scope.owner, stretch.request)
            told = extraction.parse(answer)
            if told is None:
                told = extraction.parse(await self._asked(scope.owner, self._requests.repair(stretch, answer)))
        except (ModelBroken, ModelDeclined, ContextTooLong):
            if self._troubles.attempts(batch.place) + 1 < GIVEN_UP_AFTER:
                raise
        if told is None:
            log.info("the model told no list of facts of %s: these turns are passed over", scope)
        return told or ()

    async def _asked(self, owner: int, request: Request) -> str:
        room = await self._budget.room(owner)
        if room is not None and room < SCARCE * self._requests.size(request):
            raise QuotaExceeded
        completion = await self._budget.complete(owner, self._model, request, schema=extraction.FACTS_SCHEMA)
        return completion.text

    # by hand -------------------------------------------------------------------------------------------------

    async def known(self, owner: int) -> list[Fact]:
        """Everything that is known of an owner, what holds no longer and what was deleted included, ascending."""
        async with self._memory.home(owner) as store:
            return await store.facts.all(owner)

    async def add(self, owner: int, text: str) -> tuple[Fact, bool]:
        """A fact told by hand, and whether it is new: the same words are not known twice. Raises StorageError."""
        now = self._clock()
        async with self._memory.home(owner) as store:
            for fact in await store.facts.valid(owner):
                if essence(fact.text) == essence(text):
                    return fact, False
            new = NewFact(
                text=text,
                kind="personal",
                subject="",
                source_ids=(),
                observed_at=now,
                valid_from=now,
                importance=TOLD_BY_HAND,
                origin="owner",
            )
            return await store.facts.add(owner, new, now=now), True

    async def edit(self, owner: int, id_: int, text: str) -> Fact | None:
        """Other words for a fact that holds; None: there is none of this number."""
        async with self._memory.home(owner) as store:
            known = await store.facts.fact(owner, id_)
            if known is None or known.valid_to is not None:
                return None
            return await store.facts.edit(owner, id_, text, now=self._clock())

    async def pin(self, owner: int, id_: int, *, is_pinned: bool) -> Fact | None:
        """A pinned fact is in every prompt."""
        async with self._memory.home(owner) as store:
            return await store.facts.pin(owner, id_, is_pinned=is_pinned)

    async def delete(self, owner: int, id_: int) -> Fact | None:
        """Out of every prompt at once; for a day it can be restored, then it is forgotten (amending.py)."""
        async with self._memory.home(owner) as store:
            return await store.facts.delete(owner, id_, now=self._clock())

    async def restore(self, owner: int, id_: int) -> Fact | None:
        async with self._memory.home(owner) as store:
            return await store.facts.restore(owner, id_)

    # meaning -------------------------------------------------------------------------------------------------

    async def embed_missing(self) -> None:
        """Facts without a vector get one; where the embedder fails, words alone find them until the next time."""
        if self._embedder is None:
            return
        for store in self._memory.stores:
            while found := await store.facts.unembedded(self._embedder.name, EMBEDDED_AT_ONCE):
                vectors = await self._vectors([fact.text for fact in found])
                if vectors is None:
                    return
                await store.facts.put_vectors(self._embedder.name, found, vectors)
                if len(found) < EMBEDDED_AT_ONCE:
                    break

    async def _vectors(self, texts: Sequence[str]) -> Floats | None:
        if self._embedder is None or not texts:
            return None
        try:
            return await self._embedder.passages(texts)
        except ModelError as error:
            log.warning("facts are not embedded yet, words alone find them: %s", type(error).__name__)
            return None


def answered_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The turns that may be learned from: a person's words, and an answer to them. What came after the last answer
    waits; what could not be answered before it yields nothing.
    """
    return [turn for turn in by_turn(messages) if {"user", "assistant"} <= {message.role for message in turn}]


def past_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The turns of imported history that may be learned from: no answer is demanded, for people get none from a bot."""
    return [turn for turn in by_turn(messages) if any(message.role == "user" for message in turn)]


def by_turn(messages: Sequence[Message]) -> list[list[Message]]:
    turns: dict[int, list[Message]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return list(turns.values())
