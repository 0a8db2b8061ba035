"""Store the model's answers in a file, so that an interrupted run can continue.

The next run starts from the beginning and makes the same requests. Requests that are in the file get their stored
answer, with its times and tokens.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from records.model_calls import Completion, PromptMessage, ToolCall, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class CachedAnswer:
    """A complete answer. `first` is the time in seconds until its first text, or None if it had none.

    `shown` holds the accumulated text after each streaming step.
    """

    completion: Completion
    first: float | None
    shown: tuple[str, ...]


class AnswerCache:
    """The model's answers by request. New ones are appended to the file at `path`.

    If `path` is None, they are only kept in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, CachedAnswer] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
            row = json.loads(line)
            self._known[row.pop("asked")] = _parse_answer(row)

    def __len__(self) -> int:
        return len(self._known)

    def get(
        self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, *, offers_tools: bool
    ) -> CachedAnswer | None:
        return self._known.get(_make_key(messages, schema, offers_tools))

    def add(
        self,
        messages: Sequence[PromptMessage],
        schema: Mapping[str, object] | None,
        answer: CachedAnswer,
        *,
        offers_tools: bool,
    ) -> None:
        key = _make_key(messages, schema, offers_tools)
        self._known[key] = answer
        if self._path is not None:
            line = json.dumps({"asked": key, **asdict(answer)}, ensure_ascii=False)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(f"{line}\n")


def _make_key(messages: Sequence[PromptMessage], schema: Mapping[str, object] | None, offers_tools: bool) -> str:
    asked = json.dumps([[asdict(message) for message in messages], schema, offers_tools], default=str, sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _parse_answer(row: Mapping[str, object]) -> CachedAnswer:
    fields = dict(row)
    completion = dict(fields.pop("completion"))  # type: ignore[call-overload]
    completion["usage"] = Usage(**completion["usage"])
    completion["calls"] = tuple(ToolCall(**call) for call in completion["calls"])
    return CachedAnswer(completion=Completion(**completion), first=fields["first"], shown=tuple(fields["shown"]))  # type: ignore[arg-type]
