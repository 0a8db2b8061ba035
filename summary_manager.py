"""Folds messages into level 1 summaries, and these into higher levels. Folded messages are archived, not deleted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Literal, Self, get_args

from attrs import define, field

from external_memory import ExternalMemory
from locales.catalog import tr
from locales.sentences import format_error
from records.context import MAX_UNSUMMARIZED
from records.errors import KeepsakeError, QuotaExceeded, ServedElsewhere, StaleSummary, StorageError
from records.messages import Message
from records.owners import OwnerConfig, Policy, StorageType
from records.scopes import Clock, Scope
from records.status import Status
from records.summaries import (
    Summary,
    SummaryFailure,
    SummaryLease,
    SummaryOutcome,
    SummaryPlan,
    SummaryReason,
    SummaryState,
)
from retrieval.prompt_builder import Budgets
from runtime.metrics import make_counter
from runtime.tasks import acquire_or_undo, run_to_completion
from runtime.tracing import record_span
from storage.stores.memory_store import MemoryStore
from summaries.generation import SummaryInput, SummaryWriter, make_message_sources, make_summary_input
from summaries.planning import ScopeState, SummaryPolicy, group_into_turns
from summaries.policies import find_policy
from summaries.pyramid import MAX_ACTIVE
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

FOLDS = make_counter(
    "keepsake_folds",
    "Folds, by their end and reason.",
    {"outcome": [state for state in get_args(SummaryState) if state != "nothing"], "reason": get_args(SummaryReason)},
)

LEASE = timedelta(minutes=15)
FIRST_PAUSE = timedelta(minutes=10)  # of a quiet conversation after a failed fold, doubled by each further failure
MAX_DOUBLINGS = 8
MAX_SKIPPED_TURNS = 8  # before a policy that folds every turn retries
MAX_JSON_MESSAGES = 100_000  # up to which the JSON store is fast; above that, SQLite is recommended
HEADING_TOKENS = 32  # of a summary in the prompt: its level, dates and number of messages
MIN_SUMMARY_TOKENS = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryLimits:
    """Token limits for summaries and active turns, and the time after which a conversation counts as quiet."""

    chunk: int  # of a pyramid's summary
    rolling_tokens: int  # of a rolling or sliding summary
    recent: int  # of active turns in a prompt; a quiet conversation is folded from half of that
    quiet: timedelta | None = None  # silence after which a conversation counts as quiet; None disables that

    @classmethod
    def from_budgets(cls, budgets: Budgets, *, rolling_tokens: int, idle_minutes: int) -> Self:
        """Return limits that keep the summaries within budget. If `idle_minutes` is 0, nothing counts as quiet."""
        return cls(
            chunk=max(MIN_SUMMARY_TOKENS, budgets.summaries // MAX_ACTIVE - HEADING_TOKENS),
            rolling_tokens=max(MIN_SUMMARY_TOKENS, min(rolling_tokens, budgets.summaries - HEADING_TOKENS)),
            recent=budgets.recent,
            # More than a year would not be a valid date.
            quiet=timedelta(minutes=min(idle_minutes, 60 * 24 * 366)) if idle_minutes else None,
        )

    def get_max_tokens(self, policy: SummaryPolicy) -> int:
        """Return the token limit of a single summary under a policy."""
        return self.chunk if policy.has_levels else self.rolling_tokens


@define(kw_only=True, eq=False)
class SummaryManager:
    """Summarises ("folds") conversations. At most one fold per conversation runs at a time.

    `before_fold` is called with a scope and the ids of the messages to archive, and must not raise. During a rebuild,
    `rebuilds` maps the scope to the number of finished chunks and the number of all chunks.
    """

    _memory: ExternalMemory
    _tokens: Tokenizer = field(alias="tokenizer")
    get_limits: Callable[[], SummaryLimits]  # for the answering model; its window may be smaller than the settings say
    writer: SummaryWriter
    _clock: Clock
    _embedding_model: str | None
    _before_fold: Callable[[Scope, Sequence[int]], Awaitable[None]]
    _folding: set[Scope] = field(factory=set, init=False)
    rebuilds: dict[Scope, tuple[int, int]] = field(factory=dict, init=False)
    _too_small: dict[Scope, int] = field(factory=dict, init=False)

    async def fold(self, scope: Scope, reason: SummaryReason) -> SummaryOutcome:
        """Summarise what is due, level by level. The reason "now" makes all messages due; "pressure" folds only once.

        Errors are recorded and returned as part of the outcome, except StorageError, which may be raised.
        """
        made: list[Summary] = []
        is_replanned = False

        def make_outcome(state: SummaryState, error: KeepsakeError | None = None) -> SummaryOutcome:
            sentence = format_error(error) if error else None
            if state != "nothing":
                FOLDS.labels(state, reason).inc()
            return SummaryOutcome(state=state, summaries=tuple(made), error=sentence)

        while not (made and reason == "pressure"):
            begun = await self._acquire_lease_and_plan(scope, "upwards" if made else reason)
            if isinstance(begun, str):
                return make_outcome("folded" if made else begun)
            lease, plan = begun
            self._folding.add(scope)
            try:
                await self.writer.raise_if_quota_used_up(scope.owner)
                with record_span("fold", {"keepsake.fold.reason": reason, "keepsake.fold.policy": plan.policy}):
                    made.append(await self._make_and_store_planned_summary(lease, plan))
            except QuotaExceeded as error:
                await self.release_lease(lease)
                return make_outcome("waiting", error)
            except KeepsakeError as error:
                if isinstance(error, StaleSummary) and not is_replanned:
                    await self.release_lease(lease)  # its messages were edited or forgotten meanwhile
                    is_replanned = True
                    continue
                failure = await run_to_completion(partial(self._record_failure, lease, format_error(error), reason))
                log.warning("fold of %s failed (attempt %d): %s", scope, failure.attempts, type(error).__name__)
                return make_outcome("failed", error)
            except BaseException:
                await self.release_lease(lease)
                raise
            finally:
                self._folding.discard(scope)
        return make_outcome("folded")

    async def fold_idle_conversations(self) -> None:
        """Summarise conversations in which nobody has written for a while. Call this periodically."""
        quiet, now = self.get_limits().quiet, self._clock()
        if quiet is None:
            return
        small: dict[Scope, int] = {}  # the newest message of each small conversation
        for store in self._memory.stores:
            for scope, newest in await store.list_idle_scopes_with_last_ids(now - quiet):
                if not self._memory.serves(scope.owner):
                    continue
                if self._too_small.get(scope) == newest or await self._has_too_few_tokens_to_summarize(store, scope):
                    small[scope] = newest
                    continue
                failure = await store.find_summary_failure(scope)
                doublings = min(failure.attempts - 1, MAX_DOUBLINGS) if failure else 0
                if failure is None or now >= failure.at + FIRST_PAUSE * 2**doublings:
                    with suppress(ServedElsewhere):  # somebody has just written there
                        await self.fold(scope, "idle")
        self._too_small = small

    async def _has_too_few_tokens_to_summarize(self, store: MemoryStore, scope: Scope) -> bool:
        active = await store.list_unsummarized_messages(scope)
        return sum(self._tokens.count(message.content) for message in active) <= self.get_limits().recent // 2

    async def pop_unreported_failure(self, scope: Scope) -> SummaryFailure | None:
        """Return the last failure and mark it as reported. Return None if there is none or it was reported before."""
        async with self._memory.open_store(scope.owner) as store:
            failure = await store.find_summary_failure(scope)
            if failure is None or failure.told:
                return None
            await store.mark_summary_failure_reported(scope)
            return failure

    async def read_status(self, scope: Scope) -> Status:
        """Return the status of a conversation, even if memory is turned off."""
        config = await self._memory.get_config(scope.owner)
        async with self._memory.open_store(scope.owner) as store:
            counts = await store.count_messages_and_summaries(scope)
            failure = await store.find_summary_failure(scope)
            active = await store.list_summaries(scope)
            model = self._embedding_model
            indexed = await store.vectors.count_indexed_and_all_messages(scope.owner, model) if model else None
            embedded = await store.vectors.count_embedded_messages(scope.owner, model) if model else 0
            saved = await store.explanations.count_saved_tokens(scope.owner)
            history_extraction = await store.history_extraction.count_read_and_all_messages(scope)
        is_large = config is not None and config.storage is StorageType.JSON and counts.total > MAX_JSON_MESSAGES
        return Status(
            config=config,
            counts=counts,
            failure=failure,
            is_folding=scope in self._folding,
            rebuilding=self.rebuilds.get(scope),
            history_extraction=history_extraction,
            newest=max(active, key=lambda summary: summary.id, default=None),
            indexed=indexed,
            unreadable=max(0, indexed[0] - embedded) if indexed else 0,
            tokens_saved=saved,
            advice=(tr("summaries-status-json-large", most=MAX_JSON_MESSAGES),) if is_large else (),
        )

    async def list_active_summaries(self, scope: Scope) -> Sequence[Summary]:
        """Return a conversation's active summaries, highest level first, and oldest first within each level."""
        async with self._memory.open_store(scope.owner) as store:
            return sorted(await store.list_summaries(scope), key=lambda summary: (-summary.level, *summary.sort_key))

    async def _acquire_lease_and_plan(
        self, scope: Scope, reason: SummaryReason
    ) -> tuple[SummaryLease, SummaryPlan] | Literal["nothing", "busy"]:
        """Lease a conversation and plan a fold. Return "nothing" if no fold is due, or "busy" if the lease is taken."""
        config = await self._memory.get_config(scope.owner)
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            if config is None or store is None or not await self._could_fold_be_due(store, scope, config, reason):
                return "nothing"

            async def release_if_acquired(lease: SummaryLease | None) -> None:
                if lease is not None:
                    await store.release_summary_lease(lease)

            take = partial(store.acquire_summary_lease, scope, reason, now=self._clock(), duration=LEASE)
            lease = await acquire_or_undo(take, release_if_acquired)
            if lease is None:
                return "busy"
            plan = None
            try:
                plan = await self._plan_fold(store, scope, config, reason)
            finally:
                if plan is None:
                    await run_to_completion(partial(store.release_summary_lease, lease))
            return (lease, plan) if plan else "nothing"

    async def _could_fold_be_due(
        self, store: MemoryStore, scope: Scope, config: OwnerConfig, reason: SummaryReason
    ) -> bool:
        # By counters alone, without reading messages.
        if (config.incognito or not config.auto_fold) and reason not in ("now", "upwards"):
            return False
        counts = await store.count_messages_and_summaries(scope)
        has_more = reason not in ("threshold", "upwards") and counts.active_messages > 0
        if not (has_more or find_policy(config.policy).can_fold(counts, config.every_n)):
            return False
        return reason != "pressure" or await store.find_summary_failure(scope) is None

    async def _plan_fold(
        self, store: MemoryStore, scope: Scope, config: OwnerConfig, reason: SummaryReason
    ) -> SummaryPlan | None:
        policy = find_policy(config.policy)
        active = await store.list_unsummarized_messages(scope)
        if policy.every_turn and reason in ("threshold", "cut"):
            failure = await store.find_summary_failure(scope)
            if failure is not None and _must_wait_after_failure(failure, active):
                return None
        archived: Sequence[Message] = ()
        if policy.looks_back and active:
            archived = await store.timeline.read_page(scope, before_id=active[0].id, limit=policy.looks_back)
        count_tokens = self._tokens.count if reason == "pressure" else None
        state = ScopeState(
            turns=await asyncio.to_thread(group_into_turns, active, count_tokens),
            summaries=sorted(await store.list_summaries(scope), key=lambda summary: (summary.sort_key, summary.id)),
            archived=archived,
            every_n=config.every_n,
        )
        return policy.plan(state, reason)

    async def _make_and_store_planned_summary(self, lease: SummaryLease, plan: SummaryPlan) -> Summary:
        scope = lease.scope
        # A fold after every turn leaves the newest turns in the prompt, so learning facts can wait.
        can_wait = find_policy(plan.policy).every_turn and plan.reason == "threshold"
        if plan.message_ids and not can_wait:
            await self._before_fold(scope, plan.message_ids)
        material, left = await self._read_input_and_dropped_messages(lease, plan)
        made = await self.writer.summarize(scope.owner, material)
        async with self._memory.open_store(scope.owner) as store:
            summary = await store.commit_summary(lease, plan, made, now=self._clock())
        log.info(
            "summarized messages %d-%d of %s in %d ms (level %d)",
            *(summary.first_id, summary.last_id, scope, made.milliseconds, summary.level),
        )
        if left:
            log.info("messages %d-%d left the sliding window of %s", left[0].id, left[-1].id, scope)
        return summary

    async def _read_input_and_dropped_messages(
        self, lease: SummaryLease, plan: SummaryPlan
    ) -> tuple[SummaryInput, Sequence[Message]]:
        """Return the input for a planned summary, and the messages that have left the sliding window."""
        scope, ids = lease.scope, plan.window_ids or plan.message_ids
        window = await self.extend_lease_and_read_messages(lease, ids)
        config = await self._memory.get_config(scope.owner)
        async with self._memory.open_store(scope.owner) as store:
            folded = await store.list_summaries(scope, ids=plan.summary_ids)
            below = sorted(folded, key=lambda summary: summary.sort_key)
            if config is None or len(below) != len(plan.summary_ids):
                raise StaleSummary
            new, dropped = window, list[Message]()
            if plan.window_ids:
                # Continue only from the plan's own predecessor, and only if the window still reaches back to it.
                below = [base for base in below if base.id == plan.base_id and base.last_at >= window[0].created_at]
                # Messages that the predecessor covers have its chunk or an earlier one. Chunk ids are summary ids.
                new = [m for m in window if not below or m.chunk_id is None or m.chunk_id > below[0].id]
                if below and below[0].sort_key < window[0].sort_key:
                    older = await store.timeline.read_page(scope, before_id=window[0].id, limit=below[0].message_count)
                    dropped = [message for message in older if message.sort_key >= below[0].sort_key]
        material = await self.make_summary_input(config, plan.policy, new, below)
        if plan.window_ids:  # a message is not rewritten after it left the window
            compressed = min(material.compressed, sum(message.is_user for message in window) or 1)
            material = replace(material, compressed=compressed)
        if dropped:
            make_sources = partial(make_message_sources, zone=config.zone)
            material = replace(material, dropped=make_sources(dropped), window=make_sources(window))
        return material, dropped

    async def extend_lease_and_read_messages(self, lease: SummaryLease, message_ids: Sequence[int]) -> list[Message]:
        """Extend a lease, since learning facts may have taken long, and return these messages of its scope.

        Raise StaleSummary if memory is off, the lease was lost, or a message is gone.
        """
        async with self._memory.open_store_if_enabled(lease.scope.owner) as store:
            if store is None:
                raise StaleSummary
            await store.rebuilds.extend_lease(lease, self._clock() + LEASE)
            messages = await store.read_messages(lease.scope, message_ids)
        if len(messages) != len(message_ids):
            raise StaleSummary
        return messages

    async def make_summary_input(
        self, config: OwnerConfig, policy: Policy, messages: Sequence[Message], below: Sequence[Summary]
    ) -> SummaryInput:
        """Return the input for a summary under a policy. See `make_summary_input` in summaries/generation.py."""
        async with self._memory.open_store(config.owner) as store:
            facts = await store.facts.list_all_facts(config.owner)
            erased = await store.facts.list_decisions(config.owner)
        limit = self.get_limits().get_max_tokens(find_policy(policy))
        return make_summary_input(config, messages, below, facts=facts, erased=erased, limit=limit)

    async def release_lease(self, lease: SummaryLease) -> None:
        """Release a lease, even if this task is cancelled. Only log errors, since the lease expires anyway."""

        async def release_in_store() -> None:
            async with self._memory.open_store(lease.scope.owner) as store:
                await store.release_summary_lease(lease)

        try:
            await run_to_completion(release_in_store)
        except (StorageError, ServedElsewhere) as error:
            log.warning("a lease of %s stays until it expires: %s", lease.scope, type(error).__name__)

    async def _record_failure(self, lease: SummaryLease, error: str, reason: SummaryReason) -> SummaryFailure:
        # A person who asks for a summary reads the outcome, so they must not be told again.
        is_reported = reason == "now"
        async with self._memory.open_store(lease.scope.owner) as store:
            return await store.record_summary_failure(lease, error, now=self._clock(), is_reported=is_reported)


def _must_wait_after_failure(failure: SummaryFailure, active_messages: Sequence[Message]) -> bool:
    # After the first failure wait for one turn, after the second for two, and so on.
    turns = {message.turn for message in active_messages if message.created_at > failure.at}
    wanted = min(MAX_SKIPPED_TURNS, 1 << min(failure.attempts - 1, MAX_DOUBLINGS))
    return len(active_messages) < MAX_UNSUMMARIZED and len(turns) < wanted
