"""A chat model that records its calls: requests, tool calls, times, and cached tokens."""

import time
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Self

from benchmarks.real.answered import AnswerCache, CachedAnswer
from llm.chat_model import ChatModel, OnText
from llm.openai_api import OpenAIChat
from llm.precedence import Precedence
from records.model_calls import Completion, PromptMessage, Tool, Usage


@dataclass
class CallLog:
    """A record of all calls. `first` lists the seconds until each answer's first text, or None if it had no text.

    `shown` lists the text so far at each streaming step. `tools` has one entry per request: True if it offered tools.
    `calls` counts the tool calls.
    """

    first: list[float | None] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)
    prompts: list[tuple[PromptMessage, ...]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    tools: list[bool] = field(default_factory=list)
    calls: int = 0


class WatchedModel(ChatModel):
    """Wraps a model and records its calls in `log`.

    The first answers come from `script`, if given, and are not recorded. Requests whose answer is in `cache` do not
    reach the model.
    """

    def __init__(self, model: OpenAIChat, log: CallLog, cache: AnswerCache, script: list[str] | None = None) -> None:
        self.name = model.name
        self._model = model
        self._log = log
        self._cache = cache
        self._script = script if script is not None else []
        self._offers_tools = False

    @property
    def supports_tools(self) -> bool:
        return self._model.supports_tools

    @property
    def max_prompt_tokens(self) -> int | None:
        return self._model.max_prompt_tokens

    def for_background_work(self, precedence: Precedence) -> Self:
        background = copy(self)
        background._model = self._model.for_background_work(precedence)
        return background

    def with_tools(self, tools: Sequence[Tool], *, must_answer: bool = False, known: Collection[str] = ()) -> Self:
        equipped = copy(self)
        equipped._model = self._model.with_tools(tools, must_answer=must_answer, known=known)
        equipped._offers_tools = bool(tools)
        return equipped

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        if self._script:
            return Completion(text=self._script.pop(0), model=self.name, usage=Usage())
        started, shown, first = time.perf_counter(), list[str](), list[float]()

        async def record_text(text: str) -> None:
            first.append(time.perf_counter() - started)
            shown.append(text)
            if on_text is not None:
                await on_text(text)

        known = self._cache.get(messages, schema, offers_tools=self._offers_tools)
        if known is None:
            completion = await self._model.complete(messages, on_text=record_text, schema=schema)
            known = CachedAnswer(completion=completion, first=first[0] if first else None, shown=tuple(shown))
            self._cache.add(messages, schema, known, offers_tools=self._offers_tools)
        elif on_text is not None:
            for text in known.shown:
                await on_text(text)
        completion, log = known.completion, self._log
        log.first.append(known.first)
        log.shown += known.shown
        log.usages.append(completion.usage)
        log.prompts.append(tuple(messages))
        log.answers.append(completion.text)
        log.tools.append(self._offers_tools)
        log.calls += len(completion.calls)
        return completion

    async def probe_and_describe(self) -> str:
        return await self._model.probe_and_describe()
