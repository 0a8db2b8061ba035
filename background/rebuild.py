"""Rebuild all summaries of a scope from its stored messages, in the background.

The old summaries stay in use until the new ones are complete. An interrupted rebuild reuses its finished summaries.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from attrs import define, field

from external_memory import ExternalMemory
from llm import prompts
from llm.chat_model import ChatModel
from locales.catalog import tr
from locales.sentences import format_error
from records.errors import KeepsakeError, ModelDeclined, SummaryRejected
from records.messages import MessageOutline
from records.owners import OwnerConfig
from records.scopes import Clock, Scope
from records.summaries import (
    NewSummary,
    RebuiltSummary,
    Summary,
    SummaryLease,
    SummaryPlan,
    SummaryReason,
    count_compressions_of_next_summary,
)
from runtime.tasks import cancel_and_wait
from storage.tables.folds import make_summary, make_summary_fields
from summaries.generation import SummaryInput, make_summary_sources
from summaries.planning import ActiveTurn, ScopeState, group_into_turns
from summaries.policies import find_policy
from summary_manager import LEASE, SummaryManager

log = logging.getLogger(__name__)

MAX_CHUNK_MESSAGES = 10_000  # messages that a rebuild reads for one summary, at most


@dataclass(frozen=True, kw_only=True, slots=True)
class RebuildProgress:
    """The progress of a rebuild, counted in level 1 summaries. `error` is a sentence for the owner."""

    state: Literal["running", "done", "nothing", "busy", "failed"]
    done: int = 0
    total: int = 0
    summaries: int = 0
    error: str | None = None


ReportProgress = Callable[[RebuildProgress], Awaitable[None]]


async def ignore_progress(progress: RebuildProgress) -> None:
    """Do nothing. This is the default callback."""


@define(kw_only=True, eq=False)
class Rebuilder:
    """Rebuilds summaries in the background. `stand_in` replaces the model when it returns no usable text."""

    _memory: ExternalMemory
    _summaries: SummaryManager
    _stand_in: ChatModel
    _clock: Clock
    _tasks: set[asyncio.Task[None]] = field(factory=set[asyncio.Task[None]], init=False)

    async def __aenter__(self) -> Self:
        self._memory.add_owner_acquired_callback(lambda owner: self._start_task(self._try_to_resume_rebuilds(owner)))
        await self._resume_interrupted_rebuilds()
        return self

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try_to_resume_rebuilds(self, owner: int) -> None:
        try:
            await self._resume_interrupted_rebuilds(owner)
        except KeepsakeError as error:
            log.warning("whether a rebuild of %d was interrupted is not known: %s", owner, type(error).__name__)

    async def _resume_interrupted_rebuilds(self, owner: int | None = None) -> None:
        for store in self._memory.stores:
            for scope in await store.rebuilds.list_interrupted_rebuilds():
                if owner in (None, scope.owner):
                    self.start_rebuild(scope)

    async def __aexit__(self, *_: object) -> None:
        # The lease stays: the next start finds it, and resumes.
        await cancel_and_wait(*self._tasks)

    def start_rebuild(self, scope: Scope, report_progress: ReportProgress = ignore_progress) -> None:
        """Start a rebuild in the background. Call `report_progress` after each summary and at the end."""
        self._start_task(self._run_rebuild(scope, report_progress))

    async def _run_rebuild(self, scope: Scope, report_progress: ReportProgress) -> None:
        try:
            outcome = await self.rebuild_summaries(scope, report_progress)
        except Exception as error:  # broad: this task has no caller that would see the error
            log.warning("the rebuild of %s failed: %s", scope, type(error).__name__)
            outcome = RebuildProgress(state="failed", error=tr("errors-keepsake"))
        await report_progress(outcome)

    async def rebuild_summaries(self, scope: Scope, report_progress: ReportProgress) -> RebuildProgress:
        """Rebuild all summaries of a scope and return the outcome. Call `report_progress` as it advances."""
        since = self._clock()
        config = await self._memory.get_config(scope.owner)
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            if config is None or store is None or not (outline := await store.rebuilds.read_outlines(scope)):
                return RebuildProgress(state="nothing")
            lease = await store.acquire_summary_lease(scope, "rebuild", now=since, duration=LEASE)
        if lease is None:
            return RebuildProgress(state="busy")
        started = time.monotonic()
        try:
            async with self._memory.open_store(scope.owner) as store:
                known = await store.list_summaries(scope, active_only=False)
            corrected = [summary for summary in known if summary.correction]
            rebuilt = await self._rebuild_summaries_by_chunk(lease, config, outline, corrected, report_progress)
            async with self._memory.open_store(scope.owner) as store:
                await store.rebuilds.commit_rebuild(lease, rebuilt, outline, since=since, now=self._clock())
        except KeepsakeError as error:
            log.warning("the rebuild of %s failed", lease.scope)
            await self._summaries.release_lease(lease)
            return RebuildProgress(state="failed", error=format_error(error))
        finally:
            self._summaries.rebuilds.pop(scope, None)
        log.info(
            "rebuilt %d summaries of messages %d-%d of %s in %d ms",
            *(len(rebuilt), outline[0].id, outline[-1].id, scope, round((time.monotonic() - started) * 1000)),
        )
        return RebuildProgress(state="done", summaries=len(rebuilt))

    async def _rebuild_summaries_by_chunk(
        self,
        lease: SummaryLease,
        config: OwnerConfig,
        message_outlines: Sequence[MessageOutline],
        corrected_summaries: Sequence[Summary],
        report_progress: ReportProgress,
    ) -> list[RebuiltSummary]:
        policy = find_policy(config.policy)
        all_turns = group_into_turns(message_outlines)
        size = policy.rebuild_turns(config.every_n) or len(all_turns)
        chunks = [all_turns[start : start + size] for start in range(0, len(all_turns), size)]
        rebuilt: list[RebuiltSummary] = []
        for done, turns in enumerate(chunks):
            self._summaries.rebuilds[lease.scope] = (done, len(chunks))
            await report_progress(RebuildProgress(state="running", done=done, total=len(chunks)))
            reason: SummaryReason = "now"  # fold every turn of the chunk
            while plan := policy.plan(_make_scope_state(rebuilt, turns, config.every_n), reason):
                await self._append_planned_summary(lease, config, plan, corrected_summaries, rebuilt)
                turns, reason = [], "upwards"
        return rebuilt

    async def _append_planned_summary(
        self,
        lease: SummaryLease,
        config: OwnerConfig,
        plan: SummaryPlan,
        corrected_summaries: Sequence[Summary],
        rebuilt_summaries: list[RebuiltSummary],
    ) -> None:
        """Append the planned summary to `rebuilt_summaries`. If a person corrected the summary, reuse their text."""
        children = sorted(
            (rebuilt_summaries[id_].summary for id_ in plan.summary_ids), key=lambda summary: summary.sort_key
        )
        messages = await self._summaries.extend_lease_and_read_messages(lease, plan.window_ids or plan.message_ids)
        draft = make_summary(
            lease.scope,
            plan,
            [(message.id, message.created_at) for message in messages],
            children,
            id=len(rebuilt_summaries),
            text="",
            created_at=self._clock(),
            source_chunk_ids=(),
            source_ids=plan.summary_ids,
            reason="rebuild",
        )
        has_levels = find_policy(plan.policy).has_levels
        overlapping = [
            summary
            for summary in corrected_summaries
            if summary.first_at <= draft.last_at
            and summary.last_at >= draft.first_at
            and (summary.level == plan.level or not has_levels)
        ]
        span = draft.first_id, draft.last_id
        same = next((summary for summary in overlapping if (summary.first_id, summary.last_id) == span), None)
        if same:
            details = {"compressed": float(count_compressions_of_next_summary(children))}
            text = NewSummary(text=same.correction, model="", prompt_version="", details=details)
        else:
            material = await self._summaries.make_summary_input(config, plan.policy, messages, children)
            told = [replace(source, is_user=True) for source in make_summary_sources(overlapping, config.zone)]
            material = replace(material, lines=[*material.lines, *told])
            text = await self._find_or_make_summary(lease, material)
        for source in plan.summary_ids:
            rebuilt_summaries[source] = replace(
                rebuilt_summaries[source], summary=replace(rebuilt_summaries[source].summary, is_active=False)
            )
        correction = "\n".join(summary.correction for summary in ([same] if same else overlapping))
        summary = replace(draft, correction=correction, **make_summary_fields(text))
        rebuilt_summaries.append(RebuiltSummary(summary=summary, message_ids=plan.message_ids))

    async def correct_summary(self, scope: Scope, summary_id: int, text: str) -> Literal["corrected", "busy", "gone"]:
        """Store a person's correction, and regenerate the summaries built on this summary in the background."""
        async with self._memory.open_store(scope.owner) as store:
            lease = await store.acquire_summary_lease(scope, "rebuild", now=self._clock(), duration=LEASE)
        if lease is None:
            return "busy"
        try:
            async with self._memory.open_store(scope.owner) as store:
                is_found = await store.rebuilds.correct_summary_if_exists(lease, summary_id, text)
        except BaseException:
            await self._summaries.release_lease(lease)
            raise
        if not is_found:
            await self._summaries.release_lease(lease)
            return "gone"
        self._start_task(self._regenerate_higher_summaries(lease, summary_id))
        return "corrected"

    async def _regenerate_higher_summaries(self, lease: SummaryLease, summary_id: int) -> None:
        """Regenerate the summaries that were built on a corrected summary, and release the lease."""
        scope, changed = lease.scope, {summary_id}
        try:
            config = await self._memory.get_config(scope.owner)
            async with self._memory.open_store(scope.owner) as store:
                known = {summary.id: summary for summary in await store.list_summaries(scope, active_only=False)}
            for summary in sorted(known.values(), key=lambda summary: summary.id):
                if changed.isdisjoint(summary.source_ids) or summary.correction or config is None:
                    continue
                changed.add(summary.id)
                async with self._memory.open_store(scope.owner) as store:
                    await store.rebuilds.extend_lease(lease, self._clock() + LEASE)
                    messages = await store.timeline.read_summary_messages(scope, summary.id, limit=MAX_CHUNK_MESSAGES)
                children = [known[source] for source in summary.source_ids if source in known]
                material = await self._summaries.make_summary_input(config, summary.policy, messages, children)
                made = await self._summarize_input(lease, replace(material, compressed=summary.compression_count))
                async with self._memory.open_store(scope.owner) as store:
                    await store.rebuilds.replace_summary_text(lease, summary.id, made)
                known[summary.id] = replace(summary, text=made.text)
        except KeepsakeError as error:
            log.warning("the summaries above #%d of %s stay: %s", summary_id, scope, type(error).__name__)
        await self._summaries.release_lease(lease)

    async def _find_or_make_summary(self, lease: SummaryLease, inputs: SummaryInput) -> NewSummary:
        said = f"{prompts.FOLD_VERSION}\n{inputs!r}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(said).hexdigest()
        async with self._memory.open_store(lease.scope.owner) as store:
            if known := await store.rebuilds.find_finished_summary(lease.scope, digest):
                return known
        made = await self._summarize_input(lease, inputs)
        async with self._memory.open_store(lease.scope.owner) as store:
            await store.rebuilds.store_finished_summary(lease, digest, made)
        return made

    async def _summarize_input(self, lease: SummaryLease, inputs: SummaryInput) -> NewSummary:
        try:
            return await self._summaries.writer.summarize(lease.scope.owner, inputs)
        except (SummaryRejected, ModelDeclined) as error:
            log.info("a chunk of %s is summarised by %s: %s", lease.scope, self._stand_in.name, type(error).__name__)
            return await self._summaries.writer.summarize_with_model(self._stand_in, inputs)


def _make_scope_state(
    rebuilt_summaries: Sequence[RebuiltSummary], turns: Sequence[ActiveTurn], every_n: int
) -> ScopeState:
    active = sorted(
        (new.summary for new in rebuilt_summaries if new.summary.is_active), key=lambda summary: summary.sort_key
    )
    return ScopeState(turns=turns, summaries=active, every_n=every_n)
