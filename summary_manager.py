"""Messages → L1 → L2 → L3 summaries: plan a fold, run it once, commit it whole.

Folding hides, it never erases: the messages stay, archived, under the summary that covers them. A fold that fails or
is refused changes nothing. Does not know Telegram, or who is told of a failure.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

import prompts
from errors import BudgetSpent, FoldRefused, KeepsakeError, StorageError
from external_memory import ExternalMemory
from folding import gate, pyramid
from models.chat_model import ChatModel
from records import (
    Clock,
    FoldFailure,
    FoldLease,
    FoldOutcome,
    FoldPlan,
    FoldReason,
    Message,
    NewSummary,
    PromptMessage,
    Scope,
    Status,
    StorageType,
    Summary,
)
from storage.store import MemoryStore
from token_budget import TokenBudget
from tokens import Tokenizer

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=15)
JSON_COMFORT = 100_000
"""Messages up to which the JSON store is promised to be quick; above it SQLite is recommended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """A leased fold: the plan, and its sources as the model will read them."""

    lease: FoldLease
    plan: FoldPlan
    lines: tuple[str, ...]


class SummaryManager:
    """Folds scopes, one live fold at a time in each.

    `text_budget`: the most tokens of one summary's text. `window`: the most tokens of one request's prompt.
    `fallback`: makes the summary when the model fails or is refused; None = the fold fails then. `embedding_model`:
    whose progress the status tells. `before_fold`: what is done with turns before they are archived; never raises.
    """

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        model: ChatModel,
        tokenizer: Tokenizer,
        window: int,
        text_budget: int,
        budget: TokenBudget,
        clock: Clock,
        fallback: ChatModel | None = None,
        embedding_model: str | None = None,
        before_fold: Callable[[Scope], Awaitable[None]] | None = None,
    ) -> None:
        self._memory = memory
        self._model = model
        self._tokens = tokenizer
        self._window = window
        self._text_budget = text_budget
        self._budget = budget
        self._clock = clock
        self._fallback = fallback
        self._embedding_model = embedding_model
        self._before_fold = before_fold
        self._folding: set[Scope] = set()

    async def fold(self, scope: Scope, reason: FoldReason) -> FoldOutcome:
        """Everything that is due for this reason, level by level. Raises a StorageError only."""
        made: list[Summary] = []
        if self._before_fold is not None and await self._will_archive(scope, reason):
            await self._before_fold(scope)
        while True:
            work = await self._begin(scope, "upwards" if made else reason)
            if not isinstance(work, _Work):
                return FoldOutcome(state="folded" if made else work, summaries=tuple(made))
            self._folding.add(scope)
            try:
                await self._budget.demand(scope.owner)
                made.append(await self._run(work))
            except BudgetSpent as error:
                await self._release(work)
                return FoldOutcome(state="waiting", summaries=tuple(made), error=error.sentence)
            except KeepsakeError as error:
                async with self._memory.home(scope.owner) as store:
                    failure = await store.fail_fold(work.lease, error.sentence, now=self._clock())
                log.warning("fold of %s failed (attempt %d): %s", scope, failure.attempts, type(error).__name__)
                return FoldOutcome(state="failed", summaries=tuple(made), error=error.sentence)
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
            model = self._embedding_model
            indexed = await store.vectors.progress(scope.owner, model) if model else None
        advice: tuple[str, ...] = ()
        if config is not None and config.storage is StorageType.JSON and counts.total > JSON_COMFORT:
            advice = (f"With more than {JSON_COMFORT:,} messages SQLite is recommended: /summary moves everything.",)
        return Status(
            config=config,
            counts=counts,
            failure=failure,
            is_folding=scope in self._folding,
            indexed=indexed,
            advice=advice,
        )

    async def active(self, scope: Scope) -> Sequence[Summary]:
        """Active summaries, highest level first, oldest first within a level."""
        async with self._memory.home(scope.owner) as store:
            return sorted(await store.summaries(scope), key=lambda summary: (-summary.level, summary.first_id))

    async def _will_archive(self, scope: Scope, reason: FoldReason) -> bool:
        config = await self._memory.config(scope.owner)
        async with self._memory.opened(scope.owner) as store:
            if config is None or store is None:
                return False
            plan = await self._plan(store, scope, config.every_n, reason)
            return plan is not None and bool(plan.message_ids)

    async def _begin(self, scope: Scope, reason: FoldReason) -> "_Work | Literal['nothing', 'busy']":
        """Plan, take the lease, and read what the plan names. The owner's memory cannot move meanwhile."""
        config = await self._memory.config(scope.owner)
        async with self._memory.opened(scope.owner) as store:
            if config is None or store is None:
                return "nothing"
            plan = await self._plan(store, scope, config.every_n, reason)
            if plan is None:
                return "nothing"
            lease = await store.begin_fold(scope, plan.reason, now=self._clock(), lease=LEASE)
            if lease is None:
                return "busy"
            if plan.level == 1:
                lines = [prompts.conversation_line(one) for one in await store.messages(scope, plan.message_ids)]
            else:
                wanted = set(plan.summary_ids)
                sources = [one for one in await store.summaries(scope) if one.id in wanted]
                lines = [prompts.summary_line(one) for one in sorted(sources, key=lambda one: one.first_id)]
            return _Work(lease=lease, plan=plan, lines=tuple(lines))

    async def _plan(self, store: MemoryStore, scope: Scope, every_n: int, reason: FoldReason) -> FoldPlan | None:
        active: dict[int, list[int]] = {}
        for summary in sorted(await store.summaries(scope), key=lambda summary: (summary.first_id, summary.id)):
            active.setdefault(summary.level, []).append(summary.id)
        turns = unfolded_turns(await store.unfolded(scope)) if reason != "upwards" else []
        return pyramid.plan(turns=turns, active=active, every_n=every_n, reason=reason)

    async def _run(self, work: "_Work") -> Summary:
        """Model call outside any transaction, then the gate, then one transaction that checks all sources again."""
        scope, started = work.lease.scope, time.monotonic()
        made = await self._summarise(scope.owner, work.lines, work.plan.level)
        made = replace(made, milliseconds=round((time.monotonic() - started) * 1000))
        async with self._memory.home(scope.owner) as store:
            summary = await store.commit_fold(work.lease, work.plan, made, now=self._clock())
        log.info(
            "summarized messages %d-%d of %s in %d ms (level %d)",
            *(summary.first_id, summary.last_id, scope, made.milliseconds, summary.level),
        )
        return summary

    async def _release(self, work: "_Work") -> None:
        try:
            async with self._memory.home(work.lease.scope.owner) as store:
                await store.release_fold(work.lease)
        except StorageError as error:
            log.warning("a lease of %s stays until it expires: %s", work.lease.scope, type(error).__name__)

    async def _summarise(self, owner: int, lines: Sequence[str], level: int) -> NewSummary:
        """A text that passed the gate, by the model or, where that is wanted, by the fallback."""
        try:
            return await self._by(self._model, owner, lines, level)
        except BudgetSpent:
            raise
        except KeepsakeError as error:
            if self._fallback is None:
                raise
            log.warning("summary by %s: the model's failed with %s", self._fallback.name, type(error).__name__)
            return await self._by(self._fallback, owner, lines, level)

    async def _by(self, model: ChatModel, owner: int, lines: Sequence[str], level: int) -> NewSummary:
        source = "\n".join(lines)
        text, tokens_in, tokens_out = await self._in_parts(model, owner, lines, level)
        text = self._tokens.cut_end(text.strip(), self._text_budget)
        objections = gate.objections(
            text, source, tokens=self._tokens.count(text), source_tokens=self._tokens.count(source)
        )
        if objections:
            raise FoldRefused(f"The summary was refused: {'; '.join(objections)}.")
        return NewSummary(
            text=text,
            model=model.name,
            prompt_version=prompts.FOLD_VERSION,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
        )

    async def _in_parts(self, model: ChatModel, owner: int, lines: Sequence[str], level: int) -> tuple[str, int, int]:
        """One call where the lines fit the window, else a call for each part and one more over the parts' texts."""
        tokens_in = tokens_out = 0
        while True:
            texts = []
            parts = self._parts(lines, level)
            for part in parts:
                completion = (
                    await model.complete(part)  # in this process: it costs nobody tokens
                    if model is self._fallback
                    else await self._budget.complete(owner, model, part)
                )
                tokens_in += completion.usage.prompt
                tokens_out += completion.usage.completion
                texts.append(completion.text.strip())
            if len(texts) == 1:
                return texts[0], tokens_in, tokens_out
            limit = self._room(level=2) // 2
            merged = [prompts.quoted(self._tokens.cut_end(text, limit)) for text in texts if text]
            if not merged:
                return "", tokens_in, tokens_out
            lines, level = [f"- {text}" for text in merged], max(level, 2)

    def _parts(self, lines: Sequence[str], level: int) -> list[list[PromptMessage]]:
        """The requests that carry all lines, each within the window; a line too long for one is split."""
        room = self._room(level)
        pieces = [piece for line in lines for piece in self._tokens.split(line, room)]
        groups: list[list[str]] = [[]]
        used = 0
        for piece in pieces:
            size = self._tokens.count(piece) + 1
            if groups[-1] and used + size > room:
                groups.append([])
                used = 0
            groups[-1].append(piece)
            used += size
        return [self._request(group, level) for group in groups]

    def _request(self, lines: Sequence[str], level: int) -> list[PromptMessage]:
        block = prompts.conversation_block(lines) if level == 1 else prompts.summaries_block(lines)
        return [
            PromptMessage(role="system", content=prompts.fold_instructions(level, max_tokens=self._text_budget)),
            PromptMessage(role="user", content=block),
        ]

    def _room(self, level: int) -> int:
        """Tokens of lines that fit one request; a few are left for the seams between pieces."""
        return self._window - self._tokens.prompt_tokens(self._request([], level)) - 16


def unfolded_turns(messages: Sequence[Message]) -> list[pyramid.UnfoldedTurn]:
    """Active messages grouped by turn, in order."""
    turns: dict[int, list[Message]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return [
        pyramid.UnfoldedTurn(
            message_ids=tuple(message.id for message in turn),
            answered=any(message.role == "assistant" for message in turn),
        )
        for turn in turns.values()
    ]
