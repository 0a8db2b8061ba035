"""A chat model that records its answers in a file, so that an interrupted run does not have to ask for them again.

The next run starts from the beginning and makes the same requests. Requests that are in the file get their stored
answer, with its time and tokens.
"""

import hashlib
import json
import time
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from llm.chat_model import ChatModel, OnText
from llm.openai_api import OpenAIChat
from llm.precedence import Precedence
from records.model_calls import Completion, Prompt, Schema, Tool, ToolCall, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedAnswer:
    """A complete answer. `first` is the time in seconds until its first text, or None if it had none."""

    completion: Completion
    first: float | None


class AnswerCache:
    """The model's answers by request, appended to the file at `path`, or kept in memory if it is None."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, RecordedAnswer] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
            row = json.loads(line)
            made = row["completion"]
            made |= {"usage": Usage(**made["usage"]), "calls": tuple(ToolCall(**call) for call in made["calls"])}
            self._known[row["asked"]] = RecordedAnswer(completion=Completion(**made), first=row["first"])

    def get(self, key: str) -> RecordedAnswer | None:
        return self._known.get(key)

    def add(self, key: str, answer: RecordedAnswer) -> None:
        self._known[key] = answer
        if self._path is not None:
            line = json.dumps({"asked": key, **asdict(answer)}, ensure_ascii=False)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(f"{line}\n")


class RecordingModel(ChatModel):
    """Wraps a model and records its answers in `answers`.

    The first answers come from `script` and are not recorded. Requests whose answer is in `cache` do not reach the
    model.
    """

    def __init__(self, model: OpenAIChat, cache: AnswerCache, script: Sequence[str] = ()) -> None:
        self.name = model.name
        self.answers: list[RecordedAnswer] = []
        self._model = model
        self._cache = cache
        self._script = list(script)
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

    def with_tools(
        self, tools: Sequence[Tool], *, must_answer: bool = False, known_tool_names: Collection[str] = ()
    ) -> Self:
        equipped = copy(self)
        equipped._model = self._model.with_tools(tools, must_answer=must_answer, known_tool_names=known_tool_names)
        equipped._offers_tools = bool(tools)
        return equipped

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        if self._script:
            return Completion(text=self._script.pop(0), model=self.name)
        asked = json.dumps([[asdict(message) for message in messages], schema, self._offers_tools], default=str)
        key = hashlib.sha256(asked.encode()).hexdigest()
        answer = self._cache.get(key)
        if answer is None:
            started, first = time.perf_counter(), list[float]()

            async def record_text(text: str) -> None:
                first.append(time.perf_counter() - started)
                if on_text is not None:
                    await on_text(text)

            completion = await self._model.complete(messages, on_text=record_text, schema=schema)
            answer = RecordedAnswer(completion=completion, first=first[0] if first else None)
            self._cache.add(key, answer)
        self.answers.append(answer)
        return answer.completion

    async def probe_and_describe(self) -> str:
        return await self._model.probe_and_describe()
