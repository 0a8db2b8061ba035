"""One turn: remember, recall, reply, remember; then settle.

Owns the order of these steps, each scope's own queue, and what happens when the model or a store fails. Does not know
Telegram: what came in is an Incoming, what goes out is a Reply. What is changed afterwards is in amending.py.
"""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import partial

from background.indexing import Indexing
from chat import notices
from chat.answer_loop import Answered, AnswerLoop
from chat.explanations import Explanations
from chat.session import Session, Sessions, Turn, Unwritten, drafts_of, incoming_of
from chat.tools import Place
from external_memory import ExternalMemory
from facts.distillation import ProfileDistiller
from facts.learning import Facts
from llm.chat_model import OnText
from llm.quota import Quota
from memory_retrieval import MemoryRetrieval
from records.context import Context
from records.errors import ModelError, StorageError
from records.messages import NewMessage
from records.owners import MODES, Mode
from records.scopes import Clock, Person, Scope
from records.turns import Incoming, Reply
from summary_manager import SummaryManager

log = logging.getLogger(__name__)


class Conversation:
    """Answers turns, scope by scope."""

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        sessions: Sessions,
        retrieval: MemoryRetrieval,
        summaries: SummaryManager,
        answer_loop: AnswerLoop,
        explanations: Explanations,
        budget: Quota,
        clock: Clock,
        facts: Facts,
        distiller: ProfileDistiller,
        indexing: Indexing | None = None,
        pressure: float = 0.0,
    ) -> None:
        """`pressure`: the share of the ceiling above which it is folded before it is answered; 0 = never."""
        self._memory = memory
        self._summaries = summaries
        self._facts = facts
        self._distiller = distiller
        self._retrieval = retrieval
        self._explanations = explanations
        self._indexing = indexing
        self._answer_loop = answer_loop
        self._budget = budget
        self._clock = clock
        self._pressure = pressure
        self._sessions = sessions
        self._store_fails = False

    async def reply(self, incoming: Incoming, *, on_text: OnText | None = None) -> Reply:
        """Answer one turn. In one scope calls are served strictly in the order in which they were made.

        Never raises a KeepsakeError: a failure is a Reply with `is_error` and a sentence. A turn whose answer is stored
        already is not asked again (`repeated`). Cancelling it (shutdown, /stop) stores no answer.
        """
        line = self._sessions.of(incoming.scope)
        try:
            async with line.alone(), self._sessions.talks(incoming.scope.owner).shared():
                return await self._turn(line, incoming, on_text)
        finally:
            # Not before: the question needs the embedder first.
            if self._indexing is not None:
                self._indexing.wake()

    async def mode(self, owner: int) -> Mode:
        """How an owner's memory stands now. Raises StorageError."""
        config = await self._memory.config(owner)
        if config is None or not config.enabled:
            return "off"
        return "incognito" if config.incognito else "on"

    async def settle(self, scope: Scope) -> tuple[str, ...]:
        """Facts and folds that are due, outside the turn, each failing by itself; sentences that the owner must be told
        (a failed fold, once). Incognito nothing is due: nothing is written.
        """
        try:
            if await self.mode(scope.owner) == "incognito":
                return ()
        except StorageError as error:
            log.warning("settling %s failed: %s", scope, type(error).__name__)
            return ()
        await self._facts.settle(scope)
        told = await self._fold(scope)
        await self._distiller.distil_if_due(scope.owner)
        return told

    async def _fold(self, scope: Scope) -> tuple[str, ...]:
        line = self._sessions.of(scope)
        try:
            outcome = await self._summaries.fold(scope, "threshold")
            if outcome.state == "nothing" and line.has_cut:
                outcome = await self._summaries.fold(scope, "cut")
            line.has_cut = False
            # What failed meanwhile beside the talk is told as well.
            failure = await self._summaries.untold_failure(scope) if outcome.state in ("failed", "nothing") else None
            if failure is not None:
                number = secrets.token_hex(4)
                log.warning("[%s] the owner of %s is told that a fold failed", number, scope)
                return (f"{notices.FOLD.format(why=failure.error)} (error {number})",)
        except StorageError as error:
            log.warning("settling %s failed: %s", scope, type(error).__name__)
        return ()

    async def shown(self, incoming: Incoming, telegram_ids: Sequence[int]) -> None:
        """The answer to a turn was shown by these Telegram messages."""
        await self._explanations.shown(incoming, telegram_ids)

    async def answer_again(
        self, scope: Scope, turn: int, person: Person, *, in_group: bool = False, on_text: OnText | None = None
    ) -> tuple[Incoming, Reply] | None:
        """Answer the last turn anew, as it is stored now; the earlier answer becomes a version of it.

        None where something was said since, or memory does not hold it. Raises StorageError; else as `reply`.
        """
        line = self._sessions.of(scope)
        async with line.alone(), self._sessions.talks(scope.owner).shared():
            async with self._memory.opened(scope.owner) as store:
                last = await store.last_turns(scope, 1) if store else []
            incoming = incoming_of(last, person, in_group=in_group)
            if incoming is None or last[-1].turn != turn or await self.mode(scope.owner) != "on":
                return None
            told: list[str] = []
            again = self._sessions.turn(line, "on", told)
            again.stored = turn
            try:
                made = await self._ask(line, incoming, again, on_text)
            except ModelError as error:
                return incoming, self._no_answer(error, scope, again)
            earlier = next((one.id for one in reversed(last) if one.role == "assistant"), None)
            line.recent.clear()
            if earlier is None:
                await self._remember_answer(line, incoming, again, made, told)
            else:
                async with self._memory.home(scope.owner) as store:
                    await store.forgetting.revise(
                        scope,
                        earlier,
                        made.completion.text,
                        why="superseded",
                        now=self._clock(),
                        account=made.account.text(),
                    )
        if self._indexing is not None:
            self._indexing.wake()
        reply = Reply(
            text=made.completion.text,
            context=made.context,
            notices=tuple(told),
            is_remembered=True,
            proposals=made.proposals,
        )
        return incoming, reply

    def last_context(self, scope: Scope) -> Context | None:
        """The account of the newest answer of a scope, while the process remembers it."""
        return self._sessions.contexts.get(scope)

    async def write_kept(self) -> int:
        """Write what failing stores did not take; how many turns are still unwritten. Call it now and then."""
        for line in self._sessions:
            if line.unwritten and not line.lock.locked():
                # As a turn does: what is being forgotten or renamed must not be written meanwhile.
                async with line.alone(), self._sessions.talks(line.scope.owner).shared():
                    await self._write_kept(line)
        return sum(len(line.unwritten) for line in self._sessions)

    # steps of a turn -----------------------------------------------------------------------------------------

    async def _turn(self, line: Session, incoming: Incoming, on_text: OnText | None) -> Reply:
        told: list[str] = []
        turn = await self._remember(line, incoming, told)
        if turn.answer is not None:
            return Reply(text=turn.answer.content, repeated=True, is_remembered=True)
        is_incognito = turn.mode == "incognito"
        try:
            answered = await self._ask(line, incoming, turn, on_text)
        except ModelError as error:
            failed = self._no_answer(error, incoming.scope, turn)
            return replace(failed, notices=tuple(told), is_kept=not line.unwritten, is_incognito=is_incognito)
        context, completion = answered.context, answered.completion
        if context.message_was_cut:
            told.append(notices.CUT + (" It is stored whole." if turn.is_on else ""))
        if completion.is_truncated:
            told.append("The model stopped at its own length limit, so the answer may end early.")
        if turn.stored is None:
            self._explanations.hold(incoming, answered.account)
        await self._remember_answer(line, incoming, turn, answered, told)
        return Reply(
            text=completion.text,
            context=context,
            notices=tuple(told),
            is_kept=not line.unwritten,
            is_remembered=turn.is_on,
            is_incognito=is_incognito,
            proposals=answered.proposals,
        )

    async def _remember(self, line: Session, incoming: Incoming, told: list[str]) -> Turn:
        """The question is on disk before anything else happens; where that fails it is kept here, and it is said."""
        scope = incoming.scope
        drafts = drafts_of(incoming)
        mode: Mode | None = None
        try:
            mode = await self.mode(scope.owner)
        except StorageError as error:
            log.warning("whether memory is on in %s is not known: %s", scope, type(error).__name__)
        mode = _stricter(mode, incoming.mode)
        if mode is not None and line.enter(mode):
            self._explanations.let_go(scope)
        turn = self._sessions.turn(line, mode or "on", told)
        if turn.is_on:
            try:
                await self._store_question(line, turn, drafts)
                self._store_fails = False
            except StorageError as error:
                self._note_failure(error, told)
                line.unwritten.append(Unwritten(drafts, if_on=mode is None))
        for draft in drafts:
            self._sessions.remember(line, turn, draft)
        return turn

    async def _store_question(self, line: Session, turn: Turn, drafts: Sequence[NewMessage]) -> None:
        await self._write_kept(line, raising=True)
        async with self._memory.opened(line.scope.owner) as store:
            if store is None:
                turn.mode = "off"
                return
            stored = await store.append(line.scope, drafts[:1])
            turn.stored = stored[0].turn
            rest = [replace(draft, turn=turn.stored) for draft in drafts[1:]]
            if rest:
                await store.append(line.scope, rest)
            source = drafts[-1].source
            turn.answer = await store.find(line.scope, role="assistant", source=source) if source else None

    async def _ask(self, line: Session, incoming: Incoming, turn: Turn, on_text: OnText | None) -> Answered:
        person = incoming.person.id
        await self._budget.demand(person)
        line.is_outdated = False
        context = await self._relieved(line, incoming, turn, await self._context(line, incoming, turn, None))
        # Where the store could not take the question it is not asked for more either.
        mode = "off" if turn.is_on and turn.stored is None else turn.mode
        place = Place(scope=incoming.scope, mode=mode, turn=turn.stored)
        remake = partial(self._context, line, incoming, turn)
        answered = await self._answer_loop.answer(person, place, context, remake, on_text=on_text)
        context = answered.context
        self._sessions.keep(line, context)
        if any(cut.what == "turns" for cut in context.cut):
            line.has_cut = True
        return answered

    async def _relieved(self, line: Session, incoming: Incoming, turn: Turn, context: Context) -> Context:
        """Under pressure it is folded first, then answered; where that cannot be, what does not fit is cut as ever."""
        if turn.stored is None or not self._pressure or context.wanted <= self._pressure * context.ceiling:
            return context
        try:
            outcome = await self._summaries.fold(incoming.scope, "pressure")
        except StorageError as error:
            log.warning("folding %s under pressure failed: %s", incoming.scope, type(error).__name__)
            return context
        if outcome.state == "failed":
            line.has_cut = True  # tried again after the answer
        return await self._context(line, incoming, turn, None) if outcome.state == "folded" else context

    async def _context(self, line: Session, incoming: Incoming, turn: Turn, ceiling: int | None) -> Context:
        zone: tzinfo = UTC
        if turn.stored is not None or turn.mode == "incognito":
            try:
                config = await self._memory.config(incoming.scope.owner)
                zone = config.zone if config else UTC
                async with self._memory.opened(incoming.scope.owner) as store:
                    context = await self._retrieval.context(
                        incoming, store=store, turn=turn.stored, unstored=turn.unseen, ceiling=ceiling, zone=zone
                    )
                line.is_unreadable = False
            except StorageError as error:
                self._note_unread(line, error, turn.told)
            else:
                return context
        return await self._retrieval.context(incoming, store=None, unstored=turn.before, ceiling=ceiling, zone=zone)

    async def _remember_answer(
        self, line: Session, incoming: Incoming, turn: Turn, answered: Answered, told: list[str]
    ) -> None:
        drafts = answered.drafts(incoming.source, turn.stored)
        self._sessions.remember(line, turn, drafts[-1])
        if not turn.is_on:
            return
        if turn.stored is None:
            line.unwritten[-1].drafts += drafts
            return
        try:
            async with self._memory.opened(incoming.scope.owner) as store:
                if store is not None:
                    await store.append(incoming.scope, drafts)
        except StorageError as error:
            self._note_failure(error, told)
            line.unwritten.append(Unwritten(drafts, turn=turn.stored))
            self._explanations.hold(incoming, answered.account)

    # what the process itself holds ---------------------------------------------------------------------------

    async def _write_kept(self, line: Session, *, raising: bool = False) -> None:
        """Write what is unwritten, oldest first. What was written is dropped one by one: each has its source."""
        while line.unwritten:
            kept = line.unwritten[0]
            try:
                is_dropped = kept.if_on and await self.mode(line.scope.owner) != "on"
                async with self._memory.home(line.scope.owner) as store:
                    for draft in () if is_dropped else kept.drafts:
                        stored = await store.append(line.scope, [replace(draft, turn=kept.turn)])
                        kept.turn = stored[0].turn
            except StorageError:
                if raising:
                    raise
                return
            line.unwritten.popleft()
            if not is_dropped and (source := kept.drafts[-1].source):
                await self._explanations.written(line.scope, source)
            log.info("a kept turn of %s is written", line.scope)
            if self._indexing is not None:
                self._indexing.wake()

    def _no_answer(self, error: ModelError, scope: Scope, turn: Turn) -> Reply:
        number = secrets.token_hex(4)
        log.warning("[%s] no answer for %s: %s", number, scope, type(error).__name__)
        text = f"{notices.apology(error, kept=turn.is_on)} (error {number})"
        return Reply(text=text, is_error=True, is_remembered=turn.is_on)

    def _note_failure(self, error: StorageError, told: list[str]) -> None:
        number = secrets.token_hex(4)
        log.error("[%s] storing failed: %s", number, error.sentence)
        if not self._store_fails:
            told.append(f"{notices.STORE} (error {number})")
        self._store_fails = True

    def _note_unread(self, line: Session, error: StorageError, told: list[str]) -> None:
        number = secrets.token_hex(4)
        log.error("[%s] recall for %s failed: %s", number, line.scope, error.sentence)
        if not line.is_unreadable:
            told.append(f"{notices.UNREAD.format(why=error.sentence.rstrip('.'))} (error {number})")
        line.is_unreadable = True


def _stricter(now: Mode | None, then: Mode | None) -> Mode | None:
    """What is said while nothing is stored is not stored later, nor what waited until then; None: not known now."""
    if then is None or then == "on":
        return now
    return then if now is None else min(now, then, key=MODES.index)
