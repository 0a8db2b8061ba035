"""Chat completions of any OpenAI-compatible endpoint, streamed inside.

Owns the request's shape, the reading of the stream, and what counts as a whole answer: a server that ignores `stream`,
a cut-off stream and a silent one are told apart.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from llm.chat_model import ChatModel, OnText
from llm.endpoint import FAILURES, Connection, EndpointClient, Patience
from llm.failures import (
    BrokenOff,
    StatusError,
    error_body,
    error_code,
    error_in_answer,
    error_message,
    refused_pictures,
)
from llm.partial_answer import BrokenCall, PartialAnswer
from llm.precedence import Precedence
from llm.tool_calls import Offer, offered, offered_text, wire
from llm.window import Window
from locales.catalog import tr
from records.errors import ContextTooLong, ModelError, PicturesRefused
from records.model_calls import UNKNOWN, Abilities, Completion, PromptMessage, Tool, Usage
from runtime.metrics import counter, histogram
from runtime.tracing import span
from text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

log = logging.getLogger(__name__)

Vision = Literal["auto", "on", "off"]

SECONDS = histogram("keepsake_model_seconds", "From a request to the model's whole answer, by model.", ["model"])
TOKENS = counter(
    "keepsake_model_tokens",
    "Tokens, by model and kind: prompt (cached included), cached, completion.",
    ["model", "kind"],
)
REFUSALS = counter("keepsake_model_failures", "Calls without an answer, by model and error.", ["model", "error"])

LONGEST_BACKGROUND = 300.0
"""Seconds that an answer in the background goes on: some small models never end, and keep people waiting."""
_OPTIONAL = {
    "stream_options": re.compile(r"\b(stream_options|include_usage)\b", re.IGNORECASE),
    # llama.cpp names what it makes of a schema.
    "response_format": re.compile(r"\b(response_format|json[_ ]schema|failed to parse grammar)\b", re.IGNORECASE),
    "tool_choice": re.compile(r"\btool_choice\b", re.IGNORECASE),
    # "auto" tool choice … is what vLLM says where it was started without tools.
    "tools": re.compile(
        r"\b(reasoning_effort|tools?|tool[ _-](use|calls?|calling|choice)|function[ _-]calls?(ing)?)\b", re.IGNORECASE
    ),
    "stream": re.compile(r"\bstream(ing)?\b.*\b(support|allow|available)", re.IGNORECASE | re.DOTALL),
}
"""Parameters that an endpoint may refuse, and how it says so."""
_REASONING = "reasoning next to tools"
_REFUSED, _CALLS = "requests with tools, perhaps", "calls that can be read, perhaps"


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
        super().__init__(**connection)
        self.settings = replace(self.settings, model=model_setting)
        self.name = model = connection["model"]
        self._tokenizer = Tokenizer.for_model(model)
        self._unsupported: set[str] = set()
        self._offer = Offer()
        self._window = Window(tokens=abilities.context, ratio=abilities.tokens)
        self._precedence: Precedence | None = None
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
        ask = partial(self._asked, messages, on_text, schema)
        if self._precedence is None:
            return await self._measured(messages, partial(self._answered, ask))
        briefly = partial(self._answered, ask, most=LONGEST_BACKGROUND)
        return await self._precedence.after_answers(partial(self._measured, messages, briefly))

    async def _measured(
        self, messages: Sequence[PromptMessage], ask: Callable[[], Awaitable[PartialAnswer]]
    ) -> Completion:
        started = monotonic()
        try:
            with span("model", model=self.name):
                answer = await ask()
        except ModelError as error:
            REFUSALS.labels(self.name, type(error).__name__).inc()
            raise
        SECONDS.labels(self.name).observe(monotonic() - started)
        usage = answer.usage or Usage(
            prompt=self._counted(messages), completion=await asyncio.to_thread(self._tokenizer.count, answer.text)
        )
        for kind, tokens in (("prompt", usage.prompt), ("cached", usage.cached), ("completion", usage.completion)):
            TOKENS.labels(self.name, kind).inc(tokens)
        log.info(
            "model %s: %d prompt tokens (%d cached), %d completion tokens, %d ms",
            *(self.name, usage.prompt, usage.cached, usage.completion, (monotonic() - started) * 1000),
        )
        return answer.completion(self.name, usage)

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

    def in_background(self, precedence: Precedence) -> Self:
        waiting = copy(self)
        waiting._precedence = precedence
        return waiting

    async def _asked(
        self,
        messages: Sequence[PromptMessage],
        on_text: OnText | None,
        schema: Mapping[str, object] | None,
        client: "OpenAIClient",
        patience: Patience,
    ) -> PartialAnswer:
        """One whole answer; what the endpoint refuses of the request is left out, and it is asked again."""
        offer, was_call_broken = self._offer, False
        while True:  # ends: each time the request has less
            answer = PartialAnswer(offer=offer)
            request = self._request(messages, schema, offer)
            try:
                await self._read(client, request, answer, on_text, patience)
            except BrokenCall:
                if was_call_broken:
                    raise
                # What was shown before the call gives way to the answer, as it does before every call.
                log.info("model %s: a call of a tool cannot be read, it is asked again without tools", self.name)
                offer, was_call_broken = offer.withdrawn(), True
            except StatusError as error:
                patience.may_retry = not answer.shown
                if answer.shown:
                    raise
                self._note_refusal(messages, error)
                if self._drop_parameter(request, error):
                    continue
                if "tools" not in request or not _may_be_tools(error):
                    raise
                offer = offer.withdrawn()
            except FAILURES:
                patience.may_retry = not answer.shown
                raise
            else:
                if offer is not self._offer:
                    self._doubt_tools(_CALLS if was_call_broken else _REFUSED)
                elif "tools" in request:
                    has_calls = answer.calls.made() or answer.reading().calls
                    self._unsupported -= {_REFUSED, _CALLS} if has_calls else {_REFUSED}
                return answer

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
        return request

    def _drop_parameter(self, request: Mapping[str, Any], error: StatusError) -> bool:
        """Whether the endpoint refused an optional parameter of the request; it is then never sent to it again."""
        if error.status_code not in (400, 404, 415, 422, 501):
            return False
        named = str(error_body(error.body).get("param") or "").split(".")[0]
        words = f"{named} {error_message(error.body)}"
        if "tools" in request and "reasoning_effort" not in request and "reasoning_effort" in words:
            self._note_without(_REASONING)
            return True
        for parameter, said in _OPTIONAL.items():
            if parameter in request and (named == parameter or said.search(words)):
                self._note_without(parameter)
                return True
        return False

    def _note_without(self, parameter: str) -> None:
        if parameter not in self._unsupported:
            self._unsupported.add(parameter)
            log.info("model %s takes no %s: it is asked without from now on", self.name, parameter)

    def _note_refusal(self, messages: Sequence[PromptMessage], error: StatusError) -> None:
        """Keep later prompts shorter where this one is too long. Raises ContextTooLong, and PicturesRefused."""
        failure = self._failure(error)
        if isinstance(failure, ContextTooLong):
            counted = self._counted(messages)
            self._window.note_refusal(counted, error_message(error.body))
            log.info(
                "model %s: %d tokens are too long; prompts are kept to %s tokens from now on",
                *(self.name, counted, self.prompt_limit),
            )
            raise failure from None
        refused = refused_pictures(error) if any(one.pictures for one in messages) else ""
        if refused == "this":
            raise PicturesRefused(tr("errors-picture")) from None
        if refused == "all":
            self._note_without("pictures")
            raise PicturesRefused(remedy=tr("errors-check", settings=self.settings.model)) from None

    def _doubt_tools(self, why: str) -> None:
        """A request that passed without tools alone may be chance; twice in turn, for one reason, is not."""
        if self._offer.tools and not self._offer.must_answer:
            if why in self._unsupported:
                self._note_without("tools")
            self._unsupported.add(why)

    def _counted(self, messages: Sequence[PromptMessage]) -> int:
        """Tokens of a prompt, as they are counted here."""
        return self._tokenizer.prompt_tokens(messages) + self._tokenizer.count(offered_text(self._offer.tools))

    async def _read(
        self,
        client: "OpenAIClient",
        request: Mapping[str, Any],
        answer: PartialAnswer,
        on_text: OnText | None,
        patience: Patience,
    ) -> None:
        """Send one request and read its answer to the end. Leaving, for whatever reason, closes the connection."""

        async def show() -> None:
            if on_text and (news := answer.news()) is not None:
                with patience.paused():
                    await on_text(news)

        async with client.post("/chat/completions", request, patience.renew) as response:
            response.body.on_drained = show
            async with aclosing(response.events()) as events:
                async for event in events:
                    if error := _error_in(event):
                        raise BrokenOff if answer.shown else error
                    patience.grow(answer.add(event))
        answer.demand_whole()
        await show()


def _error_in(event: Mapping[str, Any]) -> StatusError | None:
    """The error that came in place of an answer, or of the rest of it."""
    return error_in_answer(event) if event.get("error") or event.get("object") == "error" else None


def _may_be_tools(error: StatusError) -> bool:
    """Whether a request that was refused may be good without tools: found bad and nobody knows why, or an error in
    which tools are named (so llama.cpp where it was started without them, and where one call was badly written).
    """
    if error.status_code == 500:
        return _OPTIONAL["tools"].search(error_message(error.body)) is not None
    return error.status_code in (400, 422) and error_code(error.body) != "content_filter"
