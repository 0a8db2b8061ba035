"""What a model is asked and what it answers: messages, tools, tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from records.attachments import Picture
from records.messages import Role

PromptRole = Role | Literal["tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens that a model call cost, as the endpoint reported them, or counted here where it did not."""

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
    """A tool that a model may call while it answers. `parameters`: a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A model's call of a tool. `arguments`: the JSON text as the model wrote it, unchecked. `extra`: a JSON object
    that the endpoint wants back with the call (Gemini's signature of its thoughts), as it came.
    """

    id: str
    name: str
    arguments: str
    extra: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptMessage:
    """One message of a request. `calls`: the assistant's; `call_id`: the call that a tool's message answers;
    `pictures`: the user's.
    """

    role: PromptRole
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A model's finished answer. `is_truncated`: the endpoint stopped it at its length limit.

    `calls`: the tools that the model calls before it answers; the text is then preliminary, or empty.
    """

    text: str
    model: str
    usage: Usage = Usage()
    is_truncated: bool = False
    calls: tuple[ToolCall, ...] = ()
