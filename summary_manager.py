"""Messages → L1 → L2 → L3 summaries: plan a fold, run it once, commit it whole.

Folding hides, it never erases: the messages stay, archived, under the summary that covers them. A fold that fails or
is refused changes nothing. Does not know Telegram, or who is told of a failure.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from external_memory import ExternalMemory
from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from records.errors import KeepsakeError, QuotaExceeded, StorageError
from records.messages import Message
from records.model_calls import Completion, PromptMessage
from records.owners import OwnerConfig, Policy, StorageType
from records.scopes import Clock, Scope
from records.status import Status
from records.summaries import FoldFailure, FoldLease, FoldOutcome, FoldPlan, FoldReason, FoldState, NewSummary, Summary
from storage.protocol import MemoryStore
from summaries import pyramid, rolling, sliding, uncovered
from summaries.generation import Ask, Material, Summariser
from summaries.quality_score import Source
from summaries.recompression import times_compressed_anew
from summaries.situation import Planner, Said, Situation
from summaries.sources import message_sources, standing, times_compressed, unfolded_turns
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

PLANNERS: Mapping[Policy, Planner] = {"pyramid": pyramid.plan, "rolling": rolling.plan, "sliding": sliding.plan}
LEASE = timedelta(minutes=15)
IDLE_BACK_OFF = timedelta(minutes=10)
"""After a failure a quiet scope is left alone so long, twice as long after each further one."""
MOST_DOUBLINGS = 8
MOST_SPARED = 8
"""Turns after which a policy that folds after every turn tries again at the latest, having failed several times."""
JSON_COMFORT = 100_000
"""Messages up to which the JSON store is promised to be quick; above it SQLite is recommended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldLimits:
    """Tokens: `window` of one request's prompt; `chunk` of a pyramid's summary, `live` of a rolling or sliding one.

    `recent`: what unfolded turns may take of a prompt; a scope that was quiet for `quiet` is folded when it holds more
    than half of it (None: never).
    """

    window: int
    chunk: int
    live: int
    recent: int
    quiet: timedelta | None = None

    def text(self, policy: Policy) -> int:
        return self.chunk if policy == "pyramid" else self.live


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """A leased fold: the plan, and its sources as the model will read them.

    `compressed`: how often the oldest of it will have been compressed; `left`: first and last message that left a
    sliding window.
    """

    lease: FoldLease
    plan: FoldPlan
    material: Material
    compressed: int
    left: tuple[int, int] | None = None


class SummaryManager:
    """Folds scopes, one live fold at a time in each.

    `fallback`: makes the summary when the model fails or is refused; None = the fold fails then. `embedding_model`:
    whose progress the status tells. `before_fold`: what is done with messages before they are archived; never raises.
    `rebuilds`: how far each rebuild is, in chunks (rebuilding.py keeps it).
    """

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        model: ChatModel,
        tokenizer: Tokenizer,
        limits: FoldLimits,
        budget: Quota,
        clock: Clock,
        fallback: ChatModel | None = None,
        embedding_model: str | None = None,
        before_fold: Callable[[Scope, Sequence[int]], Awaitable[None]] | None = None,
    ) -> None:
        self._memory = memory
        self._model = model
        self._tokens = tokenizer
        self.limits = limits
        self._summariser = Summariser(tokenizer=tokenizer, window=limits.window)
        self._budget = budget
        self._clock = clock
        self._fallback = fallback
        self._embedding_model = embedding_model
        self._before_fold = before_fold
        self._folding: set[Scope] = set()
        self.rebuilds: dict[Scope, tuple[int, int]] = {}
        self._too_small: dict[Scope, int] = {}

    async def fold(self, scope: Scope, reason: FoldReason) -> FoldOutcome:
        """Everything that is due for this reason, level by level; under pressure one fold only, the rest can wait.

        Raises a StorageError only.
        """
        made: list[Summary] = []
        archived = 0

        def ended(state: FoldState, error: KeepsakeError | None = None) -> FoldOutcome:
            sentence = error.sentence if error else None
            return FoldOutcome(state=state, summaries=tuple(made), archived=archived, error=sentence)

        await self._prepare(scope, reason)
        while True:
            if made and reason == "pressure":
                return ended("folded")
            work = await self._begin(scope, "upwards" if made else reason)
            if not isinstance(work, _Work):
                return ended("folded" if made else work)
            self._folding.add(scope)
            try:
                await self._budget.demand(scope.owner)
                made.append(await self._run(work))
                archived += len(work.plan.message_ids)
            except QuotaExceeded as error:
                await self._release(work)
                return ended("waiting", error)
            except KeepsakeError as error:
                async with self._memory.home(scope.owner) as store:
                    failure = await store.fail_fold(work.lease, error.sentence, now=self._clock())
                log.warning("fold of %s failed (attempt %d): %s", scope, failure.attempts, type(error).__name__)
                return ended("failed", error)
            except BaseException:
                await self._release(work)
                raise
            finally:
                self._folding.discard(scope)

    async def fold_now(self, scope: Scope) -> FoldOutcome:
        """Summarise whatever is unsummarised ("nothing" when there is none, or memory is off)."""
        outcome = await self.fold(scope, "now")
        if outcome.state == "failed":
            # Whoever asked reads the outcome; it is not told a second time.
            await self.untold_failure(scope)
        return outcome

    async def fold_quiet(self) -> None:
        """Fold the scopes that have been quiet for long and hold much: to be called now and then."""
        if self.limits.quiet is None:
            return
        now = self._clock()
        seen: dict[Scope, int] = {}
        for store in self._memory.stores:
            for scope, newest in await store.quiet_scopes(now - self.limits.quiet):
                if self._too_small.get(scope) == newest or await self._is_small(store, scope):
                    seen[scope] = newest
                elif not await self._backs_off(store, scope, now):
                    await self.fold(scope, "idle")
        self._too_small = seen

    async def _is_small(self, store: MemoryStore, scope: Scope) -> bool:
        unfolded = await store.unfolded(scope)
        return sum(self._tokens.count(message.content) for message in unfolded) <= self.limits.recent // 2

    async def _backs_off(self, store: MemoryStore, scope: Scope, now: datetime) -> bool:
        failure = await store.fold_failure(scope)
        return failure is not None and now < failure.at + IDLE_BACK_OFF * 2 ** min(failure.attempts - 1, MOST_DOUBLINGS)

    async def _is_spared(self, store: MemoryStore, scope: Scope) -> bool:
        """Whether too little was said since the last failure: one turn after the first, two after the second, …"""
        failure = await store.fold_failure(scope)
        if failure is None:
            return False
        turns = {message.turn for message in await store.unfolded(scope) if message.created_at > failure.at}
        return len(turns) < min(MOST_SPARED, 1 << min(failure.attempts - 1, MOST_DOUBLINGS))

    async def untold_failure(self, scope: Scope) -> FoldFailure | None:
        """The failure that the owner does not know of yet; given once."""
        async with self._memory.home(scope.owner) as store:
            failure = await store.fold_failure(scope)
            if failure is None or failure.told:
                return None
            await store.mark_failure_told(scope)
            return failure

    async def status(self, scope: Scope) -> Status:
        """The scope in figures, whether or not its memory is on."""
        config = await self._memory.config(scope.owner)
        async with self._memory.home(scope.owner) as store:
            counts = await store.counts(scope)
            failure = await store.fold_failure(scope)
            active = await store.summaries(scope)
            model = self._embedding_model
            indexed = await store.vectors.progress(scope.owner, model) if model else None
            saved = await store.accounts.saved(scope.owner)
            studied = await store.studies.progress(scope)
        advice: tuple[str, ...] = ()
        if config is not None and config.storage is StorageType.JSON and counts.total > JSON_COMFORT:
            advice = (f"With more than {JSON_COMFORT:,} messages SQLite is recommended: /summary moves everything.",)
        compressed = max((times_compressed(one) for one in active), default=0)
        is_fresher_anew = False
        if config is not None and compressed > 1 and counts.archived:
            anew = partial(times_compressed_anew, config.policy, messages=counts.archived, every_n=config.every_n)
            is_fresher_anew = await asyncio.to_thread(anew, most=compressed) < compressed
        return Status(
            config=config,
            counts=counts,
            failure=failure,
            is_folding=scope in self._folding,
            rebuilding=self.rebuilds.get(scope),
            studied=studied,
            newest=max(active, key=lambda one: one.id, default=None),
            compressed=compressed,
            is_fresher_anew=is_fresher_anew,
            indexed=indexed,
            tokens_saved=saved,
            advice=advice,
        )

    async def active(self, scope: Scope) -> Sequence[Summary]:
        """Active summaries, highest level first, oldest first within a level."""
        async with self._memory.home(scope.owner) as store:
            return sorted(await store.summaries(scope), key=lambda summary: (-summary.level, summary.first_id))

    async def _prepare(self, scope: Scope, reason: FoldReason) -> None:
        """What is to be done with messages before they are archived. Outside of any gate, for it may take a model."""
        if self._before_fold is None:
            return
        config = await self._memory.config(scope.owner)
        async with self._memory.opened(scope.owner) as store:
            if config is None or store is None:
                return
            plan = await self._plan(store, scope, config, reason, await store.summaries(scope))
        # A sliding fold comes with every turn, and leaves the newest turns word for word: those can wait.
        if plan is not None and plan.message_ids and not (plan.policy == "sliding" and reason == "threshold"):
            await self._before_fold(scope, plan.message_ids)

    async def _plan(
        self, store: MemoryStore, scope: Scope, config: OwnerConfig, reason: FoldReason, summaries: Sequence[Summary]
    ) -> FoldPlan | None:
        if not_by_itself(config) and reason not in ("now", "upwards"):
            return None
        if reason == "pressure" and await store.fold_failure(scope) is not None:
            return None
        if config.policy == "sliding" and reason in ("threshold", "cut") and await self._is_spared(store, scope):
            return None
        situation = await self._situation(store, scope, config, reason, summaries)
        starts = sorted(one.first_id for one in summaries) if config.policy == "pyramid" else ()
        behind = uncovered.first_stretch(situation.turns, starts, most=config.every_n)
        if behind:
            return FoldPlan(level=1, message_ids=behind, reason=reason)
        return PLANNERS[config.policy](situation, reason)

    async def _begin(self, scope: Scope, reason: FoldReason) -> "_Work | Literal['nothing', 'busy', 'failed']":
        """Plan, take the lease, and read what the plan names. The owner's memory cannot move meanwhile."""
        config = await self._memory.config(scope.owner)
        async with self._memory.opened(scope.owner) as store:
            if config is None or store is None:
                return "nothing"
            summaries = await store.summaries(scope)
            plan = await self._plan(store, scope, config, reason, summaries)
            if plan is None:
                return "nothing"
            lease = await store.begin_fold(scope, plan.reason, now=self._clock(), lease=LEASE)
            if lease is None:
                return "busy"
            return await self._work(
                store, config, lease, plan, [one for one in summaries if one.id in plan.summary_ids]
            )

    async def _situation(
        self, store: MemoryStore, scope: Scope, config: OwnerConfig, reason: FoldReason, summaries: Sequence[Summary]
    ) -> Situation:
        unfolded = await store.unfolded(scope)
        archived: Sequence[Message] = ()
        if config.policy == "sliding" and unfolded:
            archived = await store.page(scope, before=unfolded[0].id, limit=sliding.WINDOW)
        return Situation(
            turns=unfolded_turns(unfolded, self._tokens if reason == "pressure" else None),
            standing=standing(summaries),
            archived=[Said(id=message.id, is_user=message.role == "user") for message in archived],
            every_n=config.every_n,
        )

    async def _work(
        self, store: MemoryStore, config: OwnerConfig, lease: FoldLease, plan: FoldPlan, below: Sequence[Summary]
    ) -> _Work:
        below = sorted(below, key=lambda one: one.first_id)
        window = await store.messages(lease.scope, plan.window_ids or plan.message_ids)
        dropped: Sequence[Message] = ()
        if plan.policy == "sliding":
            # Only its own predecessor is gone on from, and only where the window still reaches back to it.
            below = [one for one in below if one.id == plan.base_id and one.last_id >= window[0].id]
            new = [message for message in window if not below or message.id > below[0].last_id]
            if below and below[0].first_id < window[0].id:
                earlier = await store.page(lease.scope, before=window[0].id, limit=below[0].message_count)
                dropped = [message for message in earlier if message.id >= below[0].first_id]
        else:
            new = window
        summed = [Source(text=prompts.summary_line(one), is_user=False) for one in below]
        compressed = 1 + max((times_compressed(one) for one in below), default=0)
        if plan.policy == "sliding":  # no message is rewritten after it left
            compressed = min(compressed, sum(message.role == "user" for message in window) or 1)
        return _Work(
            lease=lease,
            plan=plan,
            material=Material(
                lines=message_sources(new) if new else summed,
                of_summaries=not new,
                base=summed if new else (),
                dropped=message_sources(dropped) if dropped else (),
                window=message_sources(window) if dropped else (),
                limit=self.limits.text(plan.policy),
                wishes=config.fold_instructions,
            ),
            compressed=compressed,
            left=(dropped[0].id, dropped[-1].id) if dropped else None,
        )

    async def _run(self, work: "_Work") -> Summary:
        """Model call outside any transaction, then the gate, then one transaction that checks all sources again."""
        scope, started = work.lease.scope, time.monotonic()
        made = await self.summarise(scope.owner, work.material)
        milliseconds = round((time.monotonic() - started) * 1000)
        details = {**made.details, "compressed": float(work.compressed)}
        made = replace(made, milliseconds=milliseconds, details=details)
        async with self._memory.home(scope.owner) as store:
            summary = await store.commit_fold(work.lease, work.plan, made, now=self._clock())
        log.info(
            "summarized messages %d-%d of %s in %d ms (level %d)",
            *(summary.first_id, summary.last_id, scope, made.milliseconds, summary.level),
        )
        if work.left is not None:
            log.info("messages %d-%d left the sliding window of %s", *work.left, scope)
        return summary

    async def _release(self, work: "_Work") -> None:
        try:
            async with self._memory.home(work.lease.scope.owner) as store:
                await store.release_fold(work.lease)
        except StorageError as error:
            log.warning("a lease of %s stays until it expires: %s", work.lease.scope, type(error).__name__)

    async def summarise(self, owner: int, material: Material) -> NewSummary:
        """A text that passed the gate, by the model or, where that is wanted, by the fallback."""
        try:
            return await self._summariser.summarise(material, self._on_account(owner), model=self._model.name)
        except QuotaExceeded:
            raise
        except KeepsakeError as error:
            if self._fallback is None:
                raise
            log.warning("summary by %s: the model's failed with %s", self._fallback.name, type(error).__name__)
            return await self.summarise_by(self._fallback, material)

    async def summarise_by(self, model: ChatModel, material: Material) -> NewSummary:
        """The same by a model of this process, which costs nobody tokens."""
        return await self._summariser.summarise(material, model.complete, model=model.name)

    def _on_account(self, owner: int) -> Ask:
        async def ask(messages: Sequence[PromptMessage]) -> Completion:
            return await self._budget.complete(owner, self._model, messages)

        return ask


def not_by_itself(config: OwnerConfig) -> bool:
    """Whether an owner's memory is folded only when asked: their choice, or nothing is to be written now."""
    return config.incognito or not config.auto_fold
