"""Chat completions of any OpenAI-compatible endpoint, streamed inside.

Owns the request's shape, the reading of the stream, and what counts as a whole answer: a server that ignores `stream`,
a cut-off stream and a silent one are told apart. Does not know prompts, memory or Telegram.
"""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from time import monotonic
from typing import Any, Literal, Self, Unpack

from llm.chat_model import ChatModel, OnText
from llm.context_size import context_size
from llm.endpoint import FAILURES, Connection, EndpointClient, Patience
from llm.failures import StatusError, error_body, error_code, error_in_answer, error_message, refused_pictures
from llm.measured import count_tokens, measured
from llm.partial_answer import BrokenCall, PartialAnswer
from llm.tool_calls import Offer, mentions_tools, offered, offered_text, wire
from llm.window import Refusal, Window
from locales.catalog import tr
from records.errors import ContextTooLong, ModelBroken, ModelError, PicturesRefused
from records.model_calls import UNKNOWN, Abilities, Completion, PromptMessage, Tool, Usage
from text.tokenizer import SHORT_TEXT, Tokenizer

log = logging.getLogger(__name__)

Vision = Literal["auto", "on", "off"]

LEAST_ANSWER, MOST_ANSWER = 500, 2000
"""Tokens of an answer in the background: as many as its prompt has, but at least 500 and at most 2,000."""
LONGEST_ANSWER = 4_000_000
"""Bytes of an answer that comes whole."""
THINKING = 8
"""Times as many for a model that spent them all before its first word: it thinks."""
_LIMITS = ("max_completion_tokens", "max_tokens")
"""What names an answer's length, newest first; the second is what most servers at home know."""
_SHORT_ANSWERS = "answers within their limit"
_REASONING = "reasoning next to tools"
DOUBTS = 2
"""Requests in turn that pass without tools alone, after which an endpoint is taken to have none; and calls in turn that
cannot be read, after which a model is offered none."""
_STREAM_UNSUPPORTED = re.compile(r"\bstream(ing)?\b.*\b(support|allow|available)", re.IGNORECASE | re.DOTALL)


class OpenAIChat(EndpointClient, ChatModel):
    """A chat model at an endpoint. Use as `async with OpenAIChat(…) as model`.

    `timeout`: seconds without a byte, from the call until the first and from each to the next; retries share it.
    `model_setting`: the variable that a person would change to name another model. `vision`: "on": pictures are sent
    whatever was refused before; "off": never; `abilities` go before it, and are where the endpoint's own account of
    window and tokens begins.
    """

    def __init__(
        self,
        *,
        model_setting: str = "OPENAI_MODEL",
        vision: Vision = "auto",
        abilities: Abilities = UNKNOWN,
        **connection: Unpack[Connection],
    ) -> None:
        self.model_setting = model_setting
        super().__init__(**connection)
        self.name = model = connection["model"]
        self._tokenizer = Tokenizer.for_model(model)
        self._unsupported: set[str] = set()
        self._doubts = Counter[str]()
        self._offer = Offer()
        self._window = Window(tokens=abilities.context, ratio=abilities.tokens)
        self._is_limited = False
        self._vision: Vision = vision
        if abilities.vision is not None:
            self._vision = "on" if abilities.vision else "off"

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        """The model's answer. What was shown through `on_text` is never taken back by a second attempt."""
        started = monotonic()
        with measured(self.name):
            async with self._endpoint.patience() as patience:
                answer = await self._attempts(messages, on_text, schema, patience)
        counted = self.note_usage(messages, answer.usage)
        usage = answer.usage or Usage(prompt=counted, completion=await self._spoken(answer.text))
        count_tokens(self.name, usage)
        log.info(
            "model %s: %d prompt tokens (%d cached), %d completion tokens, %d ms",
            *(self.name, usage.prompt, usage.cached, usage.completion, (monotonic() - started) * 1000),
        )
        return answer.completion(self.name, usage)

    def note_usage(self, messages: Sequence[PromptMessage], usage: Usage | None) -> int:
        """The tokens of a prompt as counted here; what the endpoint counted (None: nothing) corrects later ones."""
        counted = self._counted(messages)
        if usage is not None:
            self._window.note_usage(counted, usage.prompt)
        return counted

    @property
    def prompt_limit(self) -> int | None:
        return self._window.prompt

    @property
    def takes_tools(self) -> bool:
        return "tools" not in self._unsupported

    @property
    def reasons_with_tools(self) -> bool:
        return _REASONING not in self._unsupported

    @property
    def takes_pictures(self) -> bool:
        return self._vision == "on" or (self._vision == "auto" and "pictures" not in self._unsupported)

    @property
    def sees(self) -> bool | None:
        return self.takes_pictures if self._vision == "on" or not self.takes_pictures else None

    def with_tools(self, tools: Sequence[Tool], *, must_answer: bool = False, known: Collection[str] = ()) -> Self:
        equipped = copy(self)  # the connection, and what is known of the endpoint, are shared
        equipped._offer = Offer(tools=tuple(tools), must_answer=must_answer, known=frozenset(known))
        return equipped

    def limited(self) -> Self:
        short = copy(self)
        short._is_limited = True
        return short

    async def context_size(self) -> int | None:
        """Tokens of the model's context, as its server tells; None where it does not."""
        return await context_size(await self._client(), self.name)

    async def _attempts(
        self,
        messages: Sequence[PromptMessage],
        on_text: OnText | None,
        schema: Mapping[str, object] | None,
        patience: Patience,
    ) -> PartialAnswer:
        """One whole answer, after as many attempts as are allowed within the time limit."""
        attempt, offer, is_without_tools, was_call_broken = 0, self._offer, False, False
        while True:
            answer = PartialAnswer(offer=offer)
            request = self._request(messages, schema, offer)
            try:
                await self._read(request, answer, on_text, patience)
            except BrokenCall as error:
                if was_call_broken:
                    raise error from None
                # What was shown before the call gives way to the answer, as it does before every call.
                was_call_broken = True
                self._note_broken_call(request)
                offer = offer.withdrawn()
                continue
            except FAILURES as error:
                failure = self._endpoint.failure(error)
                if answer.was_shown:
                    # The exception may quote the endpoint, which may quote the key or the prompt: it is not chained.
                    raise failure from None
                if any(one.pictures for one in messages) and not isinstance(failure, ContextTooLong):
                    self._demand_pictures(error, has_tools="tools" in request)
                # A limit too long for the window is no limit that is not known.
                if (
                    not isinstance(failure, ContextTooLong)
                    and not answer.was_shown
                    and self._drop_parameter(request, error)
                ):
                    continue
                if self._found_thinking(request, answer):
                    continue
                if isinstance(failure, ContextTooLong):
                    self._note_too_long(self._counted(messages), failure)
                if "tools" in request and _may_be_tools(error, failure):
                    offer, is_without_tools = offer.withdrawn(), True
                    continue
            else:
                self._judge_tools(request, answer, passed_without=is_without_tools)
                self._judge_limit(request, answer)
                return answer
            if not await self._retries.pause(failure, attempt, patience):
                raise failure from None
            attempt += 1
            log.info("model %s: %s, trying again", self.name, type(failure).__name__)

    def _request(
        self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, offer: Offer
    ) -> dict[str, Any]:
        """The body: what every endpoint takes, and of the rest only what is needed and was not refused before."""
        request: dict[str, Any] = {"model": self.name, "messages": wire(messages)}
        if "stream" not in self._unsupported:
            request["stream"] = True
            if "stream_options" not in self._unsupported:
                request["stream_options"] = {"include_usage": True}
        if offer.tools and self.takes_tools:
            request["tools"] = offered(offer.tools)
            if not self.reasons_with_tools:
                request["reasoning_effort"] = "none"
            if offer.must_answer and "tool_choice" not in self._unsupported:
                request["tool_choice"] = "none"
        if schema is not None and "response_format" not in self._unsupported:
            request["response_format"] = {"type": "json_schema", "json_schema": dict(schema)}
        if self._is_limited and (limit := next((one for one in _LIMITS if one not in self._unsupported), None)):
            request[limit] = self._answer_limit(self._counted(messages))
        return request

    def _answer_limit(self, counted: int) -> int:
        """Tokens of an answer to a background request; within the window, since some servers refuse more."""
        most = min(MOST_ANSWER, max(LEAST_ANSWER, counted))
        if _SHORT_ANSWERS in self._unsupported:
            most *= THINKING
        left = self._window.left(counted)
        return most if left is None else max(1, min(most, left))

    def _found_thinking(self, request: Mapping[str, Any], answer: PartialAnswer) -> bool:
        """Whether the limit was used up before the first word; from then on it is a greater one."""
        is_used_up = answer.finish == "length" and not answer.visible.strip()
        if not is_used_up or _SHORT_ANSWERS in self._unsupported or not any(one in request for one in _LIMITS):
            return False
        self._unsupported.add(_SHORT_ANSWERS)
        log.info("model %s thinks before it answers: its background answers may take longer", self.name)
        return True

    def _judge_limit(self, request: Mapping[str, Any], answer: PartialAnswer) -> None:
        """An endpoint that overlooks a limit is given the other name of it."""
        for name in _LIMITS:
            if answer.usage is not None and answer.usage.completion > request.get(name, answer.usage.completion):
                self._unsupported.add(name)

    def _drop_parameter(self, request: Mapping[str, Any], error: Exception) -> bool:
        """Whether the endpoint refused an optional parameter of the request; it is then never sent to it again."""
        if not isinstance(error, StatusError) or error.status_code not in (400, 404, 415, 422, 501):
            return False
        named, words = str(error_body(error.body).get("param") or ""), error_message(error.body)
        for parameter in ("stream_options", "response_format", "tool_choice", *_LIMITS):
            alias = _ALIASES.get(parameter, parameter)
            if parameter in request and (
                named.split(".")[0] == parameter or re.search(rf"\b({parameter}|{alias})\b", words, re.IGNORECASE)
            ):
                self._unsupported.add(parameter)
                return True
        is_about_reasoning = re.search(r"\breasoning_effort\b", f"{named} {words}") is not None
        if is_about_reasoning and "tools" in request and "reasoning_effort" not in request:
            self._unsupported.add(_REASONING)
            log.info("model %s takes tools without reasoning alone: it is asked so from now on", self.name)
            return True
        # "auto" tool choice … is what vLLM says where it was started without tools.
        if "tools" in request and (
            is_about_reasoning or named.split(".")[0] in ("tools", "functions") or mentions_tools(words)
        ):
            self._note_without_tools()
            return True
        if "stream" in request and (named == "stream" or _STREAM_UNSUPPORTED.search(words)):
            self._unsupported.add("stream")
            return True
        return False

    def _demand_pictures(self, error: Exception, *, has_tools: bool) -> None:
        """Raises what is to be said where the endpoint refused a request because of its pictures."""
        refused = refused_pictures(error)
        if refused == "this":
            raise PicturesRefused(tr("errors-picture")) from None
        if refused == "all" or (refused == "unclear" and not has_tools):
            if refused == "all":
                self._unsupported.add("pictures")
                log.info("model %s takes no pictures", self.name)
            raise PicturesRefused(
                tr("errors-no-pictures", model=self.name), remedy=tr("errors-check", settings=self.model_setting)
            ) from None

    def _counted(self, messages: Sequence[PromptMessage]) -> int:
        """Tokens of a prompt, as they are counted here."""
        return self._tokenizer.prompt_tokens(messages) + self._tokenizer.count(offered_text(self._offer.tools))

    async def _spoken(self, text: str) -> int:
        """Tokens of an answer, as they are counted here."""
        count = self._tokenizer.count
        return count(text) if len(text) <= SHORT_TEXT else await asyncio.to_thread(count, text)

    def _note_too_long(self, counted: int, failure: ContextTooLong) -> None:
        self._window.note_refusal(counted, Refusal(limit=failure.limit, size=failure.size))
        log.info(
            "model %s: %d tokens are too long (its window: %s tokens); prompts are kept to %s tokens from now on",
            *(self.name, counted, failure.limit or "not told", self.prompt_limit),
        )

    def _judge_tools(self, request: Mapping[str, Any], answer: PartialAnswer, *, passed_without: bool) -> None:
        """What passes without tools alone, time after time, is refused because of them."""
        if answer.calls.made() or answer.reading().calls:
            del self._doubts["calls"]
        if passed_without:
            self._doubts["tools"] += 1
            if self._doubts["tools"] >= DOUBTS and self.takes_tools:
                self._note_without_tools()
        elif "tools" in request:
            del self._doubts["tools"]

    def _note_broken_call(self, request: Mapping[str, Any]) -> None:
        """A model that calls tools in a way that cannot be read, time after time, is offered none."""
        if "tools" not in request or request.get("tool_choice") == "none":
            return
        self._doubts["calls"] += 1
        log.info("model %s: a call of a tool cannot be read, it is asked again without tools", self.name)
        if self._doubts["calls"] >= DOUBTS and self.takes_tools:
            self._note_without_tools()

    def _note_without_tools(self) -> None:
        self._unsupported.add("tools")
        log.info("model %s takes no tools: it is asked without from now on", self.name)

    async def _read(
        self, request: Mapping[str, Any], answer: PartialAnswer, on_text: OnText | None, patience: Patience
    ) -> None:
        """Send one request and read its answer to the end. Leaving, for whatever reason, closes the connection."""

        async def show() -> None:
            if on_text and (news := answer.news()) is not None:
                with patience.paused():
                    await on_text(news)

        client = await self._client()
        async with client.post("/chat/completions", request, patience.renew) as response:
            if response.is_stream:
                response.body.on_drained = show
                async with aclosing(response.events()) as events:
                    async for event in events:
                        answer.add(_object(event), "delta")
            else:
                answer.add(_object(await response.json(LONGEST_ANSWER)), "message")
                answer.finish = answer.finish or "stop"  # what came in one piece has come to its end
        answer.demand_whole()
        await show()


def _object(value: object) -> Mapping[str, Any]:
    """One JSON object of an answer. Raises StatusError for an error in its place."""
    if not isinstance(value, dict):
        raise ModelBroken(tr("errors-malformed"))
    if value.get("error"):
        raise error_in_answer(value)
    return value


def _may_be_tools(error: Exception, failure: ModelError) -> bool:
    """Whether a request that was refused may be good without tools: found bad and nobody knows why, or an error in
    which tools are named (so llama.cpp where it was started without them, and where one call was badly written).
    """
    if not isinstance(error, StatusError) or isinstance(failure, ContextTooLong):
        return False
    if error.status_code == 500:
        return mentions_tools(error_message(error.body))
    return error.status_code in (400, 422) and error_code(error.body) != "content_filter"


# What an endpoint may name instead when it refuses a parameter; llama.cpp names what it makes of a schema.
_ALIASES = {"stream_options": "include_usage", "response_format": r"json[_ ]schema|failed to parse grammar"}
