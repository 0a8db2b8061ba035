"""Builds a turn's context and gets the model's answer. Leaves out memory or pictures if they cannot be used."""

import asyncio
import logging
import secrets
from dataclasses import replace
from functools import partial

from attrs import define, field

from chat.answer_loop import AnswerLoop, AnswerResult, OnStop
from chat.turn import Turn
from external_memory import ExternalMemory
from facts.distillation import ProfileDistiller
from llm.chat_model import OnText
from llm.precedence import Precedence
from llm.quota import Quota
from locales.catalog import tr
from locales.sentences import add_error_number, format_error
from memory_retrieval import MemoryRetrieval
from records.context import Context
from records.errors import PicturesRefused, StorageError
from summary_manager import SummaryManager

log = logging.getLogger(__name__)


@define(kw_only=True, eq=False)
class Answerer:
    """Builds a context and asks the model. If it exceeds the limit times `pressure`, messages are summarised first."""

    _memory: ExternalMemory
    _retrieval: MemoryRetrieval
    _summaries: SummaryManager
    _distiller: ProfileDistiller
    _answer_loop: AnswerLoop
    _precedence: Precedence
    _quota: Quota
    _pressure: float
    # Without a limit all of many people's prompts would be made at the same time, and each be done last.
    _preparing: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(16), init=False)

    async def answer(self, turn: Turn, on_text: OnText | None, on_stop: OnStop | None) -> AnswerResult:
        """Build the context and ask the model, while background requests wait. Raise ModelError if the model fails."""
        session = turn.session
        async with self._precedence.hold_background_requests():
            await self._quota.raise_if_used_up(turn.incoming.person.id)
            async with self._preparing:
                context = await self._build_context(turn, self._answer_loop.find_prompt_token_limit(turn))
            limit = self._pressure * context.max_prompt_tokens
            if turn.stored is not None and 0 < limit < context.wanted:
                context = await self._shorten_context(turn, context)
            rebuild = partial(self._build_context, turn)
            ask = partial(self._answer_loop.answer, turn, rebuild_context=rebuild, on_text=on_text, on_stop=on_stop)
            try:
                result = await ask(context)
            except PicturesRefused as refusal:
                if turn.incoming.is_wordless and not turn.incoming.attached_passages:
                    raise
                turn.notices.append(f"{format_error(refusal)} {tr('files-words-only')}")
                turn.incoming = replace(turn.incoming, pictures=())
                context = await self._build_context(turn, self._answer_loop.find_prompt_token_limit(turn))
                result = await ask(context)
            session.has_cut = session.has_cut or any(cut.what == "turns" for cut in result.context.cut)
            if result.context.message_was_cut:
                turn.notices.append(tr("notices-cut"))
            if result.completion.is_truncated and not result.is_stopped:
                turn.notices.append(tr("notices-truncated"))
            return result

    async def _build_context(self, turn: Turn, max_tokens: int, *, without_memory: bool = False) -> Context:
        """Build the context, without memory if `without_memory` is True or the store cannot be read."""
        build, number = self._retrieval.build_context, turn.stored
        built = partial(build, turn.incoming, turn=number, max_tokens=max_tokens, config=turn.config, zone=turn.zone)
        if without_memory:
            return await built(store=None)
        if turn.reads_memory:
            try:
                correct = partial(self._distiller.correct_profile_in_store_if_stale, may_write=number is not None)
                async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
                    context = await built(store=store, correct_profile=correct, unstored_messages=turn.incognito)
                turn.session.recall_failed = False
            except StorageError as error:
                self._report_recall_error(error, turn)
            else:
                return context
        return await built(store=None, unstored_messages=turn.history)

    async def _shorten_context(self, turn: Turn, context: Context) -> Context:
        try:
            outcome = await self._summaries.fold(turn.scope, "pressure")
        except StorageError as error:
            log.warning("folding %s under pressure failed: %s", turn.scope, type(error).__name__)
            return context
        if outcome.state == "failed":
            turn.session.has_cut = True  # tried again after the answer
        if outcome.state != "folded":
            return context
        return await self._build_context(turn, self._answer_loop.find_prompt_token_limit(turn))

    def _report_recall_error(self, error: StorageError, turn: Turn) -> None:
        number = secrets.token_hex(4)
        log.error("[%s] recall for %s failed: %s", number, turn.scope, error.sentence)
        if not turn.session.recall_failed:
            turn.notices.append(add_error_number(tr("notices-unread", why=format_error(error).rstrip(".。")), number))
        turn.session.recall_failed = True
