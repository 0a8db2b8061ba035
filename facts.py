"""What is known of an owner: facts learned from their own words, and the profile distilled from them.

Owns when something is learned, from what, and that a failure here touches nothing else. What says the same and what
changes what is in learning/. Does not know Telegram, nor how facts get into a prompt (memory_retrieval.py).
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

import prompts
from errors import BudgetSpent, ContextTooLong, ModelBroken, ModelDeclined, ModelError, StaleFacts, StorageError
from external_memory import ExternalMemory
from folding import gate
from learning import extraction, grounding, merging, profile
from learning.requests import Request, Requests, Stretch
from models.chat_model import ChatModel
from models.embeddings import Embedder
from records import Clock, Fact, FactChange, Message, NewFact, NewProfile, Profile, Scope, Summary
from storage.knowledge import Floats
from token_budget import TokenBudget
from tokens import Tokenizer

log = logging.getLogger(__name__)

READ = 400
"""Messages that are read at once."""
GIVEN_UP_AFTER = 3
"""Attempts after which a stretch that the model cannot answer is passed over."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
DELETED_FOR = timedelta(days=1)
"""How long a fact that its owner deleted can be restored; then it is erased."""
EMBEDDED_AT_ONCE = 32
SCARCE = 4
"""With less left of the day's tokens than so many of such requests cost, answers and summaries go first."""
MOST_SUMMARIES = 200
"""Summaries that a profile is distilled from at most, the newest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FactSettings:
    """`is_on` False: nothing is learned or distilled; what is known stays. Sizes and times are the settings' own."""

    is_on: bool = True
    batch_turns: int = 4
    quiet: timedelta = timedelta(seconds=120)
    duplicate_distance: float = 0.15
    profile_every: int = 20
    profile_keep: int = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """What is learned at once: a stretch of a scope (None: nothing in it can be), and the state that it was read in."""

    scope: Scope
    stretch: Stretch | None
    known: tuple[Fact, ...]
    learned: int
    until: int
    zone: tzinfo
    is_last: bool


@dataclass
class _Trouble:
    """A scope that could not be learned from: how often in a row, and when it is tried again."""

    attempts: int
    again_at: datetime


class Facts:
    """Learns facts and distils profiles, one owner's at a time. `window`: the most tokens of one request's prompt."""

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        model: ChatModel,
        tokenizer: Tokenizer,
        window: int,
        budget: TokenBudget,
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
        self._locks: dict[int, asyncio.Lock] = {}
        self._troubles: dict[Scope, _Trouble] = {}

    # learning ------------------------------------------------------------------------------------------------

    async def settle(self, scope: Scope) -> None:
        """Learn where a batch is waiting. Whatever fails is said in the log and tried again later."""
        await self._learn_safely(scope, at_least=self._settings.batch_turns)

    async def before_fold(self, scope: Scope, message_ids: Sequence[int]) -> None:
        """What is about to be folded is learned from first."""
        try:
            async with self._memory.opened(scope.owner) as store:
                learned, waiting = await store.facts.pending(scope, 1) if store is not None else (0, [])
        except StorageError:
            return
        if waiting and learned < max(message_ids):
            await self._learn_safely(scope, at_least=1)

    async def settle_quiet(self) -> None:
        """Learn where the talk has paused, however little is waiting; distil what is due; erase what was deleted."""
        now = self._clock()
        for store in self._memory.stores:
            for scope in await store.facts.waiting(now - self._settings.quiet) if self._settings.is_on else ():
                await self._learn_safely(scope, at_least=1)
            await store.facts.erase_deleted(now - DELETED_FOR)
        await self.embed_missing()

    async def learn(self, scope: Scope, *, at_least: int = 1) -> list[Fact]:
        """Learn from what is waiting in a scope, where that is so many turns. Raises a KeepsakeError.

        Gives the facts that are new. Nothing is learned while memory is off or the owner is incognito.
        """
        made: list[Fact] = []
        async with self._locks.setdefault(scope.owner, asyncio.Lock()):
            while batch := await self._batch(scope, at_least):
                changes = await self._changes(batch, batch.stretch) if batch.stretch else []
                read = batch.stretch.messages if batch.stretch else ()
                async with self._memory.opened(scope.owner) as store:
                    if store is None:
                        break
                    inserted = await store.facts.commit(
                        scope, changes, read=read, learned=batch.learned, until=batch.until, now=self._clock()
                    )
                made += inserted
                log.info("learned %d facts of %s from messages up to %d", len(inserted), scope, batch.until)
                if batch.is_last:
                    break
        if made:
            await self.embed_missing()
        return made

    async def _learn_safely(self, scope: Scope, *, at_least: int) -> None:
        if not self._settings.is_on:
            return
        trouble = self._troubles.get(scope)
        if trouble is not None and self._clock() < trouble.again_at:
            return
        try:
            await self.learn(scope, at_least=at_least)
            self._troubles.pop(scope, None)
        except StaleFacts:
            log.info("what %s was learned from changed meanwhile: it is learned from again", scope)
        except (StorageError, ModelError) as error:
            attempts = trouble.attempts + 1 if trouble else 1
            # The day's budget is no failure of this stretch.
            attempts = min(attempts, 1) if isinstance(error, BudgetSpent) else attempts
            pause = min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE)
            self._troubles[scope] = _Trouble(attempts, self._clock() + pause)
            log.warning("nothing learned from %s yet (attempt %d): %s", scope, attempts, type(error).__name__)

    async def _batch(self, scope: Scope, at_least: int) -> _Batch | None:
        """The next stretch to learn from; None where there is not enough."""
        config = await self._memory.config(scope.owner)
        if config is None or config.incognito:
            return None
        async with self._memory.opened(scope.owner) as store:
            if store is None:
                return None
            learned, waiting = await store.facts.pending(scope, READ)
            turns = answered_turns(waiting)
            is_all = len(waiting) < READ
            if is_all and len(turns) < max(1, at_least):
                return None
            known = await store.facts.valid(scope.owner)
        zone = config.zone
        stretch = self._requests.stretch(turns, known, who=_who(scope.owner), zone=zone) if turns else None
        return _Batch(
            scope=scope,
            stretch=stretch,
            known=tuple(known),
            learned=learned,
            until=turns[stretch.turns - 1][-1].id if stretch else waiting[-1].id,
            zone=zone,
            is_last=is_all and (stretch is None or stretch.turns == len(turns)),
        )

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

        return merging.plan(new, batch.known, distance=distance, near=self._settings.duplicate_distance)

    async def _extracted(self, batch: _Batch, stretch: Stretch) -> list[NewFact]:
        """What the model found, less what its sources do not say."""
        told = await self._told(batch.scope, stretch)
        shown = {fact.id: fact for fact in stretch.shown}
        speakers = [prompts.speaker(message) for message in stretch.messages]
        kept = []
        for fact in extraction.drafts(told, stretch.messages, known=shown, zone=batch.zone):
            named = [shown[fact.known].text] if fact.known is not None else []
            objections = grounding.objections(fact, stretch.messages, beside=[*speakers, *named], zone=batch.zone)
            if objections:
                log.info("a fact told of %s is refused: %s", batch.scope, "; ".join(objections))
            else:
                kept.append(grounding.with_said_beginning(fact, stretch.messages, zone=batch.zone))
        return kept

    async def _told(self, scope: Scope, stretch: Stretch) -> Sequence[extraction.Told]:
        """The model's answer, repaired once; one that is no list of facts even then is none."""
        told: Sequence[extraction.Told] | None = None
        try:
            answer = await self._asked(scope.owner, stretch.request)
            told = extraction.parse(answer)
            if told is None:
                told = extraction.parse(await self._asked(scope.owner, self._requests.repair(stretch, answer)))
        except (ModelBroken, ModelDeclined, ContextTooLong):
            trouble = self._troubles.get(scope)
            if trouble is None or trouble.attempts + 1 < GIVEN_UP_AFTER:
                raise
        if told is None:
            log.info("the model told no list of facts of %s: these turns are passed over", scope)
        return told or ()

    async def _asked(self, owner: int, request: Request) -> str:
        room = await self._budget.room(owner)
        if room is not None and room < SCARCE * self._requests.size(request):
            raise BudgetSpent
        completion = await self._budget.complete(owner, self._model, request, schema=extraction.FACTS_SCHEMA)
        return completion.text

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

    # the profile ---------------------------------------------------------------------------------------------

    async def distil_if_due(self, owner: int) -> Profile | None:
        """A new version where enough summaries are waiting; the newest are left for the next time."""
        if not self._settings.is_on:
            return None
        try:
            async with self._memory.opened(owner) as store:
                waiting = await store.profiles.undistilled(owner, MOST_SUMMARIES) if store is not None else []
            if len(waiting) < max(1, self._settings.profile_every):
                return None
            keep = min(self._settings.profile_keep, len(waiting) - 1)
            return await self._distil(owner, waiting[: len(waiting) - keep])
        except (StorageError, ModelError) as error:
            log.warning("the profile of %d was not distilled: %s", owner, type(error).__name__)
            return None

    async def distil(self, owner: int) -> Profile | None:
        """A new version now, from everything there is; None where there is nothing to make it from, or the model's
        answer was unusable. Raises a KeepsakeError.
        """
        async with self._memory.opened(owner) as store:
            if store is None:
                return None
            waiting = await store.profiles.undistilled(owner, MOST_SUMMARIES)
        return await self._distil(owner, waiting)

    async def _distil(self, owner: int, summaries: Sequence[Summary]) -> Profile | None:
        async with self._memory.opened(owner) as store:
            if store is None:
                return None
            before = await store.profiles.newest(owner)
            known = sorted(
                await store.facts.valid(owner), key=lambda one: (not one.is_pinned, -one.importance, -one.id)
            )
        if not known and not summaries:
            return None
        asked = self._requests.profile(before, summaries, known, who=_who(owner))
        completion = await self._budget.complete(owner, self._model, asked.request, schema=profile.PROFILE_SCHEMA)
        text = profile.parse(completion.text, most_words=prompts.LONGEST_PROFILE)
        objections = gate.objections(text, asked.request[-1].content, tokens=0, source_tokens=0)
        if objections:
            log.info("the profile told of %d is refused: %s", owner, "; ".join(objections))
            return None
        new = NewProfile(
            owner=owner,
            text=text,
            model=self._model.name,
            base_id=before.id if before else None,
            fact_ids=asked.fact_ids,
            summary_ids=asked.summary_ids,
            tokens_in=completion.usage.prompt,
            tokens_out=completion.usage.completion,
        )
        async with self._memory.opened(owner) as store:
            if store is None:
                return None
            made = await store.profiles.put(new, now=self._clock())
        log.info("distilled version %d of the profile of %d", made.id, owner)
        return made


def answered_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The turns that may be learned from: a person's words, and an answer to them. What came after the last answer
    waits; what could not be answered before it yields nothing.
    """
    turns: dict[int, list[Message]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return [turn for turn in turns.values() if {"user", "assistant"} <= {message.role for message in turn}]


def _who(owner: int) -> str:
    return "the user" if owner > 0 else "the people of this group"
