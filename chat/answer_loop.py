"""Asks the model until it answers, runs its tools, and keeps every request within the token limit."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from attrs import define, field

from chat.memory_reading import SeenIds
from chat.session import AnswerOutcome
from chat.tools import MAX_PROPOSALS, TOO_MANY_PROPOSALS, TOOL_NAMES, MemoryTools, ToolResult, make_error_result
from chat.turn import Turn
from llm.chat_model import ChatModel, OnText, cap_at_model_limit, choose_model
from llm.quota import Quota
from llm.tool_calls import format_tools_as_text
from records.context import Context, ContextPart
from records.errors import ContextTooLong, HistoryRefused, ModelBroken, ModelDeclined
from records.messages import NewMessage
from records.model_calls import Completion, Prompt, PromptMessage, Tool
from records.scopes import Clock
from retrieval.explanation import ExplanationRecord, make_explanation_record
from retrieval.turns import WORTH_SHOWING
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

MAX_ROUNDS = 5  # the most rounds of tool calls before the model has to answer
RESULTS_SHARE = 3  # tool calls and results get a third of the token limit, or the free tokens
SCHEMAS_SHARE = 10  # tool schemas get a tenth of the token limit
MIN_CONTEXT_TOKENS = 300  # the fewest tokens of a context. Tools are left out if they would leave less.


class RebuildContext(Protocol):
    """Rebuilds a turn's context within `max_tokens` tokens, without any history if `without_memory`."""

    def __call__(self, max_tokens: int, *, without_memory: bool = False) -> Awaitable[Context]: ...


# Returns the part of a cancelled answer that its reader has seen, or None if the reader did not stop it.
OnStop = Callable[[], str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerResult:
    """An answer, with its context and tool calls. `suspects` are turns that may have made the provider refuse."""

    context: Context
    completion: Completion
    at: datetime
    results: tuple[ToolResult, ...] = ()  # of its tool calls
    is_stopped: bool = False
    suspects: tuple[int, ...] = ()

    @property
    def explanation_record(self) -> ExplanationRecord:
        found = tuple(dict.fromkeys(number for result in self.results for number in result.found))
        return make_explanation_record(
            self.context, answered_at=self.at, model=self.completion.model, message_ids_found_by_tools=found
        )

    @property
    def outcome(self) -> AnswerOutcome:
        record, is_truncated = self.explanation_record, self.completion.is_truncated
        return AnswerOutcome(record=record, is_truncated=is_truncated, is_stopped=self.is_stopped)

    def make_messages_to_store(
        self, message_source: str, turn: int | None, *, includes_explanation: bool = True
    ) -> list[NewMessage]:
        """Return the messages to store: a note for each tool call, then the answer."""
        record = self.explanation_record if includes_explanation else None
        notes = [
            NewMessage(
                role="system",
                content=result.note,
                created_at=self.at,
                speaker=result.call.name,
                source=f"{message_source}:{number}",
                turn=turn,
                origin="tool",
            )
            for number, result in enumerate(self.results)
        ]
        answer = NewMessage(
            role="assistant",
            content=self.completion.text,
            created_at=self.at,
            source=message_source,
            turn=turn,
            explanation=record.to_json() if record else "",
            saved=record.saved if record else 0,
        )
        return [*notes, answer]


@define(kw_only=True, eq=False)
class AnswerLoop:
    """Asks the owner's model for an answer and runs its tool calls. If `tools` is None, it offers no tools."""

    _models: Mapping[str, ChatModel]
    _quota: Quota
    _tokens: Tokenizer = field(alias="tokenizer")
    _max_prompt_tokens: int
    _clock: Clock
    _tools: MemoryTools | None

    async def answer(
        self,
        turn: Turn,
        context: Context,
        rebuild_context: RebuildContext,
        *,
        on_text: OnText | None,
        on_stop: OnStop | None,
    ) -> AnswerResult:
        """Answer the question of a turn. If the person stops it, the result has the text that `on_stop` returns.

        Raise ModelError if the model fails, and CancelledError if the answer is cancelled with nothing worth keeping.
        """
        person, offer = turn.incoming.person.id, self._choose_tools_that_fit(turn, context)
        exchange: list[PromptMessage] = []
        results: list[ToolResult] = []
        must_answer = False
        rounds = 0
        model = choose_model(self._models, turn.config).for_person(turn.scope)
        suspects: tuple[int, ...] | None = None
        # Ends: each time around it is one round nearer to where the model must answer, or has a lower token limit.
        while True:
            max_prompt_tokens = cap_at_model_limit(model, self._max_prompt_tokens)
            extra = self._tokens.count(format_tools_as_text(offer)) + self._count_exchange_tokens(exchange)
            if context.token_count + extra > max_prompt_tokens:
                if max_prompt_tokens - extra < MIN_CONTEXT_TOKENS:  # the window is too small for tool results
                    exchange, offer, extra = [], (), 0
                context = await rebuild_context(max_prompt_tokens - extra, without_memory=suspects is not None)
            finish = partial(AnswerResult, context=_add_tool_exchange(context, exchange, extra), results=tuple(results))
            if self._tools is not None:
                model = model.with_tools(offer, must_answer=must_answer, known_tool_names=TOOL_NAMES)
            try:
                asked = [*context.messages, *exchange]
                completion = await self._quota.complete(person, model, asked, on_text=on_text, is_answer=True)
            except asyncio.CancelledError:
                if on_stop is None or not (text := on_stop()):
                    raise
                completion = Completion(text=text, model=model.name, is_truncated=True)
                return finish(completion=completion, at=self._clock(), is_stopped=True)
            except (HistoryRefused, ModelDeclined) as error:
                has_history = len(context.messages) > 2 or context.snippets or context.facts
                if suspects is not None or (isinstance(error, ModelDeclined) and not has_history):
                    raise
                log.info("the endpoint refused the question of %s with what was said before: alone", turn.scope)
                answered = {message.turn for message in context.recent if message.role == "assistant"}
                turns = (message.turn for message in reversed(context.recent) if message.turn not in answered)
                suspects, exchange, offer = tuple(dict.fromkeys(turns)), [], ()
                context = await rebuild_context(cap_at_model_limit(model, self._max_prompt_tokens), without_memory=True)
                continue
            except ContextTooLong:
                if cap_at_model_limit(model, self._max_prompt_tokens) >= max_prompt_tokens:
                    raise
                log.info("%d tokens are too long for the endpoint of %s: shortening", context.token_count, turn.scope)
                if exchange:  # in so small a window there is no room for what tools gave
                    exchange, offer = [], ()
                continue
            if not completion.calls:
                return finish(completion=completion, at=self._clock(), suspects=suspects or ())
            if must_answer:
                raise ModelBroken(remedy="(tools)")
            rounds += 1
            max_tokens = max_prompt_tokens // RESULTS_SHARE - self._count_exchange_tokens(exchange)
            max_tokens = max(max_tokens, max_prompt_tokens - context.token_count - extra)
            messages, new = await self._run_tool_calls(completion, turn, context, results, max_tokens=max_tokens)
            exchange += messages
            results += new
            must_answer = rounds == MAX_ROUNDS or len(new) < len(completion.calls)

    async def _run_tool_calls(
        self,
        completion: Completion,
        turn: Turn,
        context: Context,
        earlier_results: list[ToolResult],
        *,
        max_tokens: int,
    ) -> tuple[list[PromptMessage], list[ToolResult]]:
        if self._tools is None:
            raise ModelBroken(remedy="(tools)")
        results: list[ToolResult] = []
        for call in completion.calls:
            asked = [*results, ToolResult(call=call, result="", note="")]
            left = max_tokens - self._count_exchange_tokens(_make_tool_exchange("", completion, asked))
            if left < WORTH_SHOWING:
                log.info("tool results for %s fill their share of the prompt: the model has to answer", turn.scope)
                break
            share = max(WORTH_SHOWING, left // 2)  # as much is left to read on
            seen = _collect_seen_ids(context, [*earlier_results, *results])
            result = await self._tools.run_tool_call(call, turn, seen_ids=seen, max_tokens=share)
            proposals = {other.proposal for other in (*earlier_results, *results, result) if other.proposal}
            is_one_too_many = len(proposals) > MAX_PROPOSALS
            results.append(make_error_result(call, TOO_MANY_PROPOSALS) if is_one_too_many else result)
        if not results:
            return [], []
        messages = _make_tool_exchange(completion.text, completion, results)
        fits = self._count_exchange_tokens(messages) <= max_tokens
        return messages if fits else _make_tool_exchange("", completion, results), results

    def find_prompt_token_limit(self, turn: Turn) -> int:
        """Return the token limit of a prompt: the configured limit or the model's, whichever is lower."""
        return cap_at_model_limit(choose_model(self._models, turn.config), self._max_prompt_tokens)

    def _choose_tools_that_fit(self, turn: Turn, context: Context) -> tuple[Tool, ...]:
        if self._tools is None or not choose_model(self._models, turn.config).supports_tools:
            return ()
        offer, max_tokens = self._tools.list_tools(turn, context), self.find_prompt_token_limit(turn)
        while offer and self._tokens.count(format_tools_as_text(offer)) * SCHEMAS_SHARE > max_tokens:
            offer = offer[:-1]
        return offer

    def _count_exchange_tokens(self, exchange: Prompt) -> int:
        return sum(self._tokens.count_message_tokens(message) for message in exchange)


def _collect_seen_ids(context: Context, results: Sequence[ToolResult]) -> SeenIds:
    shown = {*(message.id for message in context.recent), *(snippet.message.id for snippet in context.snippets)}
    cut = {snippet.message.id for snippet in context.snippets if snippet.text.startswith("…")}
    found = {number for result in results for number in result.found}
    summaries = {number for result in results for number in result.summaries}
    return SeenIds(messages=shown | found, summaries=summaries, in_part=cut - found)


def _add_tool_exchange(context: Context, exchange: Prompt, tool_tokens: int) -> Context:
    if not tool_tokens:
        return context
    part = ContextPart(name="tools", tokens=tool_tokens, budget=0)
    *parts, rest = context.parts
    return replace(context, messages=(*context.messages, *exchange), parts=(*parts, part, rest))


def _make_tool_exchange(text: str, completion: Completion, results: Sequence[ToolResult]) -> list[PromptMessage]:
    calls = tuple(result.call for result in results)
    return [
        PromptMessage(role="assistant", content=text, calls=calls, reasoning=completion.reasoning),
        *(PromptMessage(role="tool", content=result.result, call_id=result.call.id) for result in results),
    ]
