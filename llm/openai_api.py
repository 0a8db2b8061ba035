"""Gets chat completions from any OpenAI-compatible endpoint: builds requests, reads answers and reacts to refusals."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from copy import copy
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from llm import failures, ladder, prompt_cache, tool_calls
from llm.chat_model import ChatModel, OnText
from llm.endpoint import FAILURES, CallTimer, EndpointClient, ModelAddress, call_and_record_metrics, initialize_metrics
from llm.failures import NoConnection, StatusError
from llm.ladder import Fallbacks, RefusedFeatures, Step
from llm.partial_answer import BrokenCall, PartialAnswer
from llm.precedence import Precedence
from llm.thinking_habit import ThinkingHabit
from llm.tool_calls import REASONING, ToolOffer
from locales.catalog import tr
from records.errors import BrokenOff, ContextTooLong, HistoryRefused, ModelBroken, ModelDeclined, PicturesRefused
from records.model_calls import UNKNOWN, Abilities, Completion, Prompt, PromptMessage, Schema, Tool, Usage
from text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

log = logging.getLogger(__name__)

Vision = Literal["auto", "on", "off"]
Request = Mapping[str, Any]

MAX_BACKGROUND_SECONDS = 300.0  # for a background answer, since some small models never end
ROOM_TOKENS = 8_192  # the limit for thoughts and answer, if the thoughts have used up the endpoint's own limit
MAX_DOUBTED_SCHEMAS = 3  # calls that failed with a schema again and again, and were answered in prose without
_ROOM = "answers within the endpoint's own limit"
_REASONING = "reasoning next to tools"
_CALLS = "calls that can be read, perhaps"
_HISTORY = "messages of several roles"
_OWN_THOUGHTS = "thoughts that come back with their calls"
_SCHEMAS = "answers to schemas, perhaps"


class OpenAIChat(EndpointClient, ChatModel):
    """A chat model at an OpenAI-compatible endpoint. A file in `folder` remembers how the model marks its thoughts."""

    def __init__(
        self,
        *,
        model_setting: str = "OPENAI_MODEL",
        vision: Vision = "auto",
        abilities: Abilities = UNKNOWN,
        folder: Path | None = None,
        **connection: Unpack[ModelAddress],
    ) -> None:
        super().__init__(**connection)
        self.settings = replace(self.settings, model=model_setting)
        model = connection["model"]
        initialize_metrics(model)
        self._tokenizer = Tokenizer.for_model(model)
        self._unsupported = RefusedFeatures(model)
        self._habit = ThinkingHabit(folder, self._address["base_url"], model)
        self._ladder: Fallbacks | None = None
        self._cache_salt, self._cache_key = token_hex(8), ""
        self._offer = ToolOffer()
        self._abilities = abilities
        self._precedence: Precedence | None = None
        self._has_vision = abilities.vision if vision == "auto" or abilities.vision is not None else vision == "on"

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        """Return the model's answer. A retry never retracts text already passed to `on_text`."""
        request = partial(self._request_answer, messages, on_text, schema, self._ladder or Fallbacks())
        if self._precedence is None:
            return await call_and_record_metrics(self.name, partial(self._retry_until_answered, request))
        briefly = partial(self._retry_until_answered, request, max_seconds=MAX_BACKGROUND_SECONDS)
        return await self._precedence.run_when_idle(partial(call_and_record_metrics, self.name, briefly))

    @property
    def max_prompt_tokens(self) -> int | None:
        tried = self._ladder.limit if self._ladder is not None else None
        return ladder.compute_max_prompt_tokens(self._abilities, tried or self._unsupported.get(ladder.LENGTH))

    @property
    def supports_tools(self) -> bool:
        return "tools" not in self._unsupported

    @property
    def supports_reasoning_with_tools(self) -> bool:
        return _REASONING not in self._unsupported

    @property
    def supports_pictures(self) -> bool | None:
        return False if self._has_vision is None and "pictures" in self._unsupported else self._has_vision

    def with_tools(
        self, tools: Sequence[Tool], *, must_answer: bool = False, known_tool_names: Collection[str] = ()
    ) -> Self:
        equipped = copy(self)  # the connection, and what is known of the endpoint, are shared
        equipped._offer = ToolOffer(tools=tuple(tools), must_answer=must_answer, known=frozenset(known_tool_names))
        return equipped

    def for_person(self, person_scope: object) -> Self:
        answering = copy(self)
        if prompt_cache.needs_cache_breakpoint(self.name):
            # Hashed, so that the key does not reveal the scope.
            answering._cache_key = sha256(f"{self._cache_salt}:{person_scope}".encode()).hexdigest()[:32]
        answering._ladder = Fallbacks(for_person=True)
        return answering

    def for_background_work(self, precedence: Precedence) -> Self:
        waiting = copy(self)
        waiting._precedence = precedence
        return waiting

    async def _request_answer(
        self,
        messages: Prompt,
        on_text: OnText | None,
        schema: Schema | None,
        fallbacks: Fallbacks,
        client: "OpenAIClient",
        timer: CallTimer,
    ) -> Completion:
        answers_harmless_question = partial(self._answers_harmless_question, client, timer, fallbacks)
        while True:  # ends: each time the request has less
            offer = self._offer.without_tools() if "tools" in fallbacks.left_out else self._offer
            last = {message.role: message.content for message in messages if message.role in ("system", "user")}
            answer = PartialAnswer(
                offer=offer,
                thinks_first=self._habit.is_likely,
                wants_json=schema is not None,
                question="\n\n".join(last.values()).lower(),
                prompt="\n\n".join(message.content for message in messages).lower(),
            )
            request = self._make_request(messages, schema, offer, fallbacks)
            if fallbacks.refused_at is not None:
                timer.set_deadline(fallbacks.refused_at + self._timeout)
            try:
                await self._read_answer(client, request, answer, on_text, timer)
            except BrokenCall:
                if "tools" in fallbacks.left_out:
                    raise
                # What was shown before the call gives way to the answer, as it does before every call.
                log.info("model %s: a call of a tool cannot be read, it is asked again without tools", self.name)
                fallbacks.left_out.add("tools")
                fallbacks.called_other_tools = not any(tool.name in answer.text for tool in self._offer.tools)
            except StatusError as error:
                timer.may_retry = not answer.shown
                if answer.shown:
                    raise
                if "max_tokens" in request and error.kind in ("length", "unclear"):  # more than is left for an answer
                    self._unsupported.add("max_tokens")
                    continue
                if error.may_be_setting and not await answers_harmless_question("stream"):  # perhaps it has no streams
                    raise
                if not self._try_reduce_request(fallbacks, messages, request, error, timer):
                    may_be_declined = error.kind in ("unclear", "model") and error.status_code != 500
                    if may_be_declined and await answers_harmless_question():
                        raise ModelDeclined from None
                    raise
            except FAILURES as error:
                timer.may_retry = not answer.shown
                is_lost = isinstance(error, NoConnection) and not answer.shown  # it may be this request that is dropped
                if is_lost and self._try_reduce_request(fallbacks, messages, request, StatusError(502, ""), timer):
                    continue
                if isinstance(error, BrokenOff):
                    error.half = answer.parse_text_and_calls(is_whole=False).shown
                is_cut = answer.is_whole and answer.is_truncated
                if is_cut and self._try_to_prepare_retry_of_truncated(fallbacks, messages, request, answer, timer):
                    continue
                if not answer.is_blank or not (fallbacks.for_person or isinstance(error, BrokenOff)):
                    raise
                fallbacks.refusals += 1
                fallbacks.empty_answers += 1
                if fallbacks.empty_answers > 1:
                    if "tools" in request and fallbacks.for_person:  # the model may not know how to call them
                        fallbacks.left_out |= {"tools", "stream"}
                        continue
                    if fallbacks.for_person and ladder.has_history(messages):
                        raise HistoryRefused from None
                    if await answers_harmless_question():
                        raise ModelDeclined from None
                    timer.may_retry = False  # the endpoint answers nothing at all
                elif ladder.PERHAPS_STREAM in self._unsupported:  # the answer before this one, too, came only without
                    self._unsupported.add("stream")
                    continue
                elif not isinstance(error, BrokenOff):  # it may have been chance
                    continue
                raise
            else:
                # It was asked without the schema, with which a server that restarts answers later.
                is_prose = schema is not None and fallbacks.may_have_passed and "{" not in answer.text
                if is_prose and not self._unsupported.doubt("response_format", _SCHEMAS, MAX_DOUBTED_SCHEMAS):
                    raise StatusError(503, "")
                if any(message.pictures for message in messages):
                    self._unsupported.discard(ladder.PERHAPS_PICTURES, "pictures")
                if answer.is_truncated:  # some endpoints cut every answer at 256 tokens unless they are told otherwise
                    self._unsupported.add(_ROOM)
                self._remember_helpful_steps(fallbacks, answer, request)
                usage = answer.usage or Usage(
                    prompt=self._count_tokens(messages),
                    completion=await asyncio.to_thread(self._tokenizer.count, answer.text),
                )
                return answer.make_completion(self.name, usage)

    def _make_request(self, messages: Prompt, schema: Schema | None, offer: ToolOffer, fallbacks: Fallbacks) -> Request:
        if "tools" in fallbacks.left_out or not self.supports_tools:
            messages = tool_calls.rewrite_tools_as_text(messages)
        if "system" in fallbacks.left_out or "system" in self._unsupported:
            messages = [replace(message, role="user") if message.role == "system" else message for message in messages]
        if _OWN_THOUGHTS in self._unsupported:
            messages = [replace(message, reasoning="") for message in messages]
        if _HISTORY in self._unsupported:
            messages = tool_calls.rewrite_messages_as_user(messages)
        has_tools = offer.tools and self.supports_tools
        optional: dict[str, Any] = {
            "stream": (has_stream := "stream" not in {*self._unsupported, *fallbacks.left_out}),
            "stream_options": has_stream and {"include_usage": True},
            "tools": has_tools and tool_calls.format_tools(offer.tools),
            "tool_choice": has_tools and offer.must_answer and "none",
            "reasoning_effort": has_tools and _REASONING in self._unsupported and "none",
            "max_tokens": _ROOM in self._unsupported and ROOM_TOKENS,
            "response_format": schema is not None and {"type": "json_schema", "json_schema": dict(schema)},
            prompt_cache.PARAMETER: self._cache_key,
        }
        is_plain = "parameters" in fallbacks.left_out
        left_out = {name for name in ladder.PARAMETERS if is_plain or name in self._unsupported}
        request: dict[str, Any] = {"model": self.name, "messages": tool_calls.format_messages(messages)}
        request |= {name: value for name, value in optional.items() if value and name not in left_out}
        if prompt_cache.PARAMETER in request:
            prompt_cache.add_cache_breakpoint(request["messages"])
        return request

    def _try_to_prepare_retry_of_truncated(
        self, fallbacks: Fallbacks, messages: Prompt, request: Request, answer: PartialAnswer, timer: CallTimer
    ) -> bool:
        """Prepare a retry with an explicit limit, or return False. Raise ContextTooLong if the prompt must shrink."""
        used = answer.usage.completion if answer.usage else (len(answer.text) + len(answer.reasoning.text)) // 4
        if answer.shown or fallbacks.refusals >= ladder.MAX_REQUESTS or used >= ROOM_TOKENS // 2:
            return False
        if "max_tokens" in request or "max_tokens" in self._unsupported:
            is_long = self._tokenizer.count_request_tokens(messages) > ladder.MIN_SHORTENED_TOKENS
            window_full = StatusError(431, "")
            return is_long and self._try_reduce_request(fallbacks, messages, request, window_full, timer)
        fallbacks.refusals += 1
        self._unsupported.add(_ROOM)
        return True

    def _try_reduce_request(
        self, fallbacks: Fallbacks, messages: Prompt, request: Request, error: StatusError, timer: CallTimer
    ) -> bool:
        """Reduce the next request. Return False to stop retrying, or raise a ModelError if the prompt must change."""
        kind, words, status = error.kind, error.searchable_text, error.status_code
        # OpenRouter answers 404 where a feature is missing.
        if kind not in ("unclear", "length", "busy", "model") or (kind == "busy" and error.retry_after is not None):
            return False
        fallbacks.record_refusal()
        fallbacks.had_fault = error.is_fault
        fallbacks.may_have_passed = error.may_pass and not (error.is_fault and ladder.FAULTS in self._unsupported)
        timer.may_retry = error.may_pass and fallbacks.refusals < ladder.MAX_REQUESTS
        if fallbacks.refusals >= ladder.MAX_REQUESTS:
            return False
        if kind != "busy" and self._try_to_change_reasoning(request, words):
            return True
        is_named = any(name.removesuffix("_key") in words for name in request.keys() & ladder.PARAMETERS)
        pictures = [picture for message in messages for picture in message.pictures]
        possible = fallbacks.list_possible_steps(messages, request, self._tokenizer.count_request_tokens(messages))
        likely: Step | None = None
        if "stream" in request and failures.STREAMING.search(words):
            likely = "stream"
        elif is_named and kind != "busy":
            likely = "parameters"
        elif kind == "length":
            likely = "length"
            possible.add("length")
        elif kind == "busy":
            possible.discard("history")  # it has declined no message
        elif "tools" in request and failures.TOOLS.search(words):
            likely = "tools"  # llama.cpp where it was started without them, or where one call was badly written
        elif "system" in possible and failures.ROLES.search(words) and (status != 500 or fallbacks.refusals > 1):
            likely = "system"
        doubts = () if kind == "busy" and not error.is_fault else ladder.DOUBTS.items()
        # A prompt may be shortened more than once.
        in_doubt = {step for step, doubt in doubts if doubt in self._unsupported} - (fallbacks.left_out - {"length"})
        if fallbacks.may_have_passed:  # chance may have blamed the others
            in_doubt &= {"length"}
        likely = likely or next((step for step in ladder.DOUBTS if step in in_doubt & {*possible, *request}), None)
        # Some gateways answer 429 or 502, and some servers 500, to what they refuse. First the same is asked again.
        tries = 2 if fallbacks.for_person else ladder.MAX_REQUESTS - 1
        if fallbacks.may_have_passed and not likely and fallbacks.refusals < tries:
            return False
        if not fallbacks.for_person and error.may_pass:  # what is asked in the background is asked again later
            possible &= {"parameters"} if "response_format" in request else {"system"} if error.is_fault else set()
        if likely == "stream":
            possible.add("stream")
        is_too_long = kind == "length" and "length" not in fallbacks.left_out and "image" not in words.lower()
        may_be_length = kind == "busy" or (is_too_long and status != 413)
        if pictures and not may_be_length and likely not in ("parameters", "stream", "tools"):
            if status not in (403, 413) and self._unsupported.record_and_compare_refused_pictures(pictures):
                self._unsupported.add("pictures")
            told = None if self.supports_pictures is False else tr("errors-picture")
            raise PicturesRefused(told, remedy=tr("errors-check", settings=self.settings.model))
        steps = fallbacks.choose_steps(f"{status} {words}", possible, likely)
        if "parameters" in steps:
            fallbacks.parameters |= request.keys() & ladder.PARAMETERS
        if steps:
            log.info("model %s refused a request (%d): asked without %s", self.name, status, sorted(steps))
        if "length" in steps:
            former = fallbacks.limit or self._unsupported.get(ladder.LENGTH)
            limit = ladder.compute_lower_limit(self._count_tokens(messages), error.message, former)
            # If other steps are taken as well, this is the last attempt.
            fallbacks.limit = limit if len(steps) == 1 else min(limit, ladder.MIN_SHORTENED_TOKENS)
            if not fallbacks.for_person:
                self._record_limit(limit, is_certain=kind == "length")
        if {"length", "history"} & steps:
            raise HistoryRefused if "history" in steps else ContextTooLong
        # It may still pass, so that the next request comes after a pause.
        return bool(steps) and not (fallbacks.may_have_passed and fallbacks.refusals < ladder.MAX_REQUESTS - 1)

    def _remember_helpful_steps(self, fallbacks: Fallbacks, answer: PartialAnswer, request: Request) -> None:
        self._habit.record_answer(begins_with_thoughts=answer.begins_with_thoughts)
        refused, helpful, is_alone = self._unsupported, fallbacks.get_steps_that_helped(), fallbacks.was_tried_alone
        if "stream" in helpful and is_alone("stream"):
            refused.settle("stream", ladder.PERHAPS_STREAM)
        elif "stream" in fallbacks.left_out:
            refused[ladder.PERHAPS_STREAM] = 1
        elif "stream" in request:
            refused.discard(ladder.PERHAPS_STREAM)
        if "parameters" in helpful:
            named = {name for name in fallbacks.parameters if name.removesuffix("_key") in fallbacks.last_refusal}
            # A schema is what most servers refuse: next to it nothing else is taken for refused.
            for name in named or {"response_format"} & fallbacks.parameters or fallbacks.parameters:
                refused.add(name)
        elif "response_format" in request:
            refused.discard(_SCHEMAS)
        if "history" in helpful and "system" in refused:  # else one message may have been declined
            refused.add(_HISTORY)
        takes_no_system = "system" in helpful or ("history" in helpful and is_alone("system"))
        if takes_no_system and (not fallbacks.may_have_passed or failures.ROLES.search(fallbacks.last_refusal)):
            refused.add("system")
        if "length" in helpful and fallbacks.limit is not None:
            self._record_limit(fallbacks.limit, is_certain=is_alone("length"))
        if "tools" in request:
            refused.discard(ladder.PERHAPS_TOOLS)
            if _CALLS in refused and (answer.calls.build() or answer.parse_text_and_calls().calls):
                refused.discard(_CALLS)  # an answer without calls would say nothing of them
        elif self._offer.tools and not self._offer.must_answer:
            is_clear = not fallbacks.may_have_passed and "fail" not in fallbacks.last_refusal
            if "tools" in helpful and is_clear and not is_alone("tools"):
                refused.add("tools")
                refused[ladder.PERHAPS_TOOLS] = 1
            elif "tools" in helpful:
                refused.doubt("tools", ladder.PERHAPS_TOOLS, times=1 if is_clear else 2)
            elif "tools" in fallbacks.left_out and not (fallbacks.last_refusal or fallbacks.called_other_tools):
                refused.doubt("tools", _CALLS)
        if fallbacks.had_fault and fallbacks.left_out:
            refused[ladder.FAULTS] = 1
        elif not fallbacks.refusals:
            refused.discard(ladder.FAULTS)
        if not fallbacks.left_out:
            refused.try_one_again()

    def _record_limit(self, limit: int, *, is_certain: bool) -> None:
        """Remember the limit of a prompt: for a day if `is_certain`, otherwise until the next answer."""
        if is_certain:
            self._unsupported.settle(ladder.LENGTH, ladder.PERHAPS_LENGTH, limit)
        else:
            self._unsupported.add(ladder.LENGTH, limit)
            self._unsupported[ladder.PERHAPS_LENGTH] = 1

    async def _answers_harmless_question(
        self, client: "OpenAIClient", timer: CallTimer, fallbacks: Fallbacks, *also_without: Step
    ) -> bool:
        """Return True if the endpoint replies to a question that no filter declines. Ask only once for each answer."""
        if fallbacks.answers_others is None and not fallbacks.refusals >= ladder.MAX_REQUESTS:
            fallbacks.refusals += 1
            fallbacks.answers_others = False
            harmless = PromptMessage(role="user", content="Reply with the word: ok")
            plain = replace(fallbacks, left_out={*fallbacks.left_out, "parameters", *also_without})
            request = self._make_request([harmless], None, ToolOffer(), plain)
            with suppress(*FAILURES):
                await self._read_answer(client, request, PartialAnswer(offer=ToolOffer()), None, timer)
                fallbacks.answers_others = True
        return bool(fallbacks.answers_others)

    def _try_to_change_reasoning(self, request: Request, refusal_text: str) -> bool:
        if "tools" in request and "reasoning_effort" not in request and "reasoning_effort" in refusal_text:
            self._unsupported.add(_REASONING)
            return True
        if any(name in refusal_text for message in request["messages"] for name in message if REASONING.search(name)):
            self._unsupported.add(_OWN_THOUGHTS)  # Cerebras and Groq refuse what DeepSeek demands
            return True
        return False

    def _count_tokens(self, messages: Prompt) -> int:
        tools = tool_calls.format_tools_as_text(self._offer.tools)
        return self._tokenizer.count_request_tokens(messages) + self._tokenizer.count(tools)

    async def _read_answer(
        self, client: "OpenAIClient", request: Request, answer: PartialAnswer, on_text: OnText | None, timer: CallTimer
    ) -> None:
        async def send_new_text() -> None:
            if on_text and (news := answer.pop_text_if_changed()) is not None:
                with timer.suspend_timeout():
                    await on_text(news)

        try:
            async with (
                client.post("/chat/completions", request, timer.restart_timeout) as response,
                aclosing(response.read_events()) as arrivals,
            ):
                async for events in arrivals:
                    for event in events:
                        if error := failures.find_error_in_body(event):
                            is_half = answer.text and error.kind in ("busy", "unclear")
                            raise BrokenOff if is_half or answer.shown or answer.has_ended else error
                        timer.extend_timeout_on_progress(count := answer.add_chunk_and_count_chars(event))
                        if answer.has_ended and (count or not response.deadline):
                            response.end_within(self._timeout / 2)  # some servers leave the stream open
                    if not (response.reader.is_json or response.reader.is_over):  # the end may say that it is no answer
                        await send_new_text()
                if answer.own_error is not None and answer.text and not (answer.finish or response.reader.is_over):
                    raise BrokenOff
        except ModelBroken as error:
            if not answer.has_ended:  # after a damaged event, a part of the text may be missing
                raise (BrokenOff() if answer.text and error.remedy == "(malformed)" else error) from None
        except StatusError as error:  # Groq and llama.cpp quote a call that they could not read
            words = error.message  # others of llama.cpp's errors quote the messages, with calls that were run before
            quoted = words.partition(": ")[2] if words.startswith("Failed to parse input at pos ") else ""
            answer.add_chunk_and_count_chars({"choices": [{"text": error.details.get("failed_generation") or quoted}]})
            if not (answer.offer.tools and answer.parse_text_and_calls().calls):
                raise
        is_empty = not (answer.text or answer.refusal or answer.finish or answer.calls.build())
        if is_empty and response.reader.is_foreign:  # the page of a gateway
            raise BrokenOff(tr("errors-no-model-server"), remedy=tr("errors-check", settings=self.settings.url))
        answer.raise_if_incomplete()
        await send_new_text()
