"""The model's answers in a file, so that an interrupted run can continue.

The program is played again from the beginning and asks the same. Known requests are answered from the file, with their
times and tokens.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from records.model_calls import Completion, PromptMessage, ToolCall, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A finished answer. `first` is the seconds until its first text, or None. `shown` is the streamed text."""

    completion: Completion
    first: float | None
    shown: tuple[str, ...]


class Answered:
    """The answers by request. Each is written at once, or only kept in memory if `path` is None."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, Answer] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
            row = json.loads(line)
            self._known[row.pop("asked")] = _answer(row)

    def __len__(self) -> int:
        return len(self._known)

    def get(
        self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, *, offers: bool
    ) -> Answer | None:
        return self._known.get(_key(messages, schema, offers))

    def add(
        self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, answer: Answer, *, offers: bool
    ) -> None:
        key = _key(messages, schema, offers)
        self._known[key] = answer
        if self._path is not None:
            line = json.dumps({"asked": key, **asdict(answer)}, ensure_ascii=False)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(f"{line}\n")


def _key(messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, offers: bool) -> str:
    asked = json.dumps([[asdict(message) for message in messages], schema, offers], default=str, sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _answer(row: Mapping[str, object]) -> Answer:
    made = dict(row)
    completion = dict(made.pop("completion"))  # type: ignore[call-overload]
    completion["usage"] = Usage(**completion["usage"])
    completion["calls"] = tuple(ToolCall(**call) for call in completion["calls"])
    return Answer(completion=Completion(**completion), first=made["first"], shown=tuple(made["shown"]))  # type: ignore[arg-type]
