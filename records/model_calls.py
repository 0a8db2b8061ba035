"""What a model is asked and what it answers: messages, tools, tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from records.messages import Role

PromptRole = Role | Literal["tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens that a model call cost, as the endpoint reported them (or counted here where it did not)."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """What a model may call while it answers. `parameters`: a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A model's wish to use a tool. `arguments`: the JSON text that it wrote, whatever that is."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptMessage:
    """One message of a request. `calls`: what the assistant called; `call_id`: which call a tool's message answers."""

    role: PromptRole
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A model's finished answer. `is_truncated`: whole up to the length limit that the endpoint stopped it at.

    `calls`: tools that the model wants used before it answers; the text is then preliminary, or empty.
    """

    text: str
    model: str
    usage: Usage = Usage()
    is_truncated: bool = False
    calls: tuple[ToolCall, ...] = ()
