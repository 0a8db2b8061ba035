"""Requests to a model and its answers: messages, tools, tokens."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from records.attachments import Picture
from records.messages import Role


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Token counts of model calls, as reported by the endpoint or estimated by the bot."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0  # the part of the prompts that was read from the provider's cache
    written: int = 0  # the part of the prompts that was written to that cache
    answers: int = 0  # calls that answered a person

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})


@dataclass(frozen=True, kw_only=True, slots=True)
class DailyUsage:
    """The tokens that were used with one model on one day (UTC)."""

    day: date
    model: str
    used: Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """The prices of a model per million tokens of prompts, completions and cached prompts."""

    prompt: float
    completion: float
    cached: float

    def calculate_cost(self, usage: Usage) -> float:
        """Return the cost of this usage. Tokens written to the cache cost a quarter more."""
        fresh = usage.prompt - usage.cached + usage.written / 4
        return (fresh * self.prompt + usage.cached * self.cached + usage.completion * self.completion) / 1_000_000


def parse_price(text: str) -> Price | None:
    """Parse a price such as "0.25/2" or "0.25/2/0.025". Return None if it is invalid."""
    figures = [part.strip() for part in text.split("/", 3)]
    if len(figures) not in (2, 3) or not all(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,9})?", part) for part in figures):
        return None
    prompt, completion, *cached = map(float, figures)
    return Price(prompt=prompt, completion=completion, cached=cached[0] if cached else prompt)


def parse_prices(entries: Iterable[str]) -> tuple[tuple[str, Price], ...]:
    """Parse prices such as "gpt-5.4-mini=0.25/2/0.025". Raise a ValueError that explains the syntax."""
    found: dict[str, Price] = {}
    for item in entries:
        name, _, figures = item.rpartition("=")
        price = parse_price(figures)
        if not name.strip() or price is None:
            raise ValueError("must be models with their prices, such as gpt-5.4-mini=0.25/2/0.025.")
        found[name.strip()] = price
    return tuple(found.items())


@dataclass(frozen=True, kw_only=True, slots=True)
class Abilities:
    """A model's abilities as set by the operator. None means that the bot determines the ability."""

    context: int | None = None  # the most tokens of a prompt and its answer, as the model counts them
    vision: bool | None = None
    tokens: float = 1.0  # the ratio of the model's own token counts to our estimates


UNKNOWN = Abilities()


def parse_abilities(entries: Iterable[str]) -> tuple[tuple[str, Abilities], ...]:
    """Parse models such as "qwen3:4b context=8192 vision=off". Raise a ValueError that explains the syntax."""
    found: dict[str, Abilities] = {}
    for item in entries:
        name, *options = item.split()
        ability = Abilities()
        for option in options:
            match option.casefold().partition("="):
                case ("context", _, number) if re.fullmatch(r"\d{3,9}", number, re.ASCII):
                    ability = replace(ability, context=int(number))
                case ("vision", _, "on" | "off" as chosen):
                    ability = replace(ability, vision=chosen == "on")
                case ("tokens", _, ratio) if re.fullmatch(r"[0-9](\.[0-9]{1,3})?", ratio) and 0.5 <= float(ratio) <= 3:
                    ability = replace(ability, tokens=float(ratio))
                case _:
                    raise ValueError(
                        "must be models with what they can, such as qwen3:4b context=8192 vision=off tokens=1.2 "
                        "(tokens: 0.5 to 3)."
                    )
        found[name] = ability
    return tuple(found.items())


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool that a model may call. `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A tool call that a model has requested."""

    id: str
    name: str
    arguments: str  # unchecked JSON text
    extra: str = ""  # a JSON object that the endpoint wants back with the call, such as Gemini's thought signature


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptMessage:
    """One message of a request."""

    role: Role | Literal["tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()  # of the assistant
    reasoning: str = ""  # a JSON object that a thinking model wants back with its own calls
    call_id: str = ""  # of a tool's result
    pictures: tuple[Picture, ...] = ()  # of the user


Prompt = Sequence[PromptMessage]
Schema = Mapping[str, object]  # a JSON schema, as in `response_format`


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A model's finished answer, with its tool calls and token usage."""

    text: str  # preliminary or empty if there are calls
    model: str
    usage: Usage = Usage()
    is_truncated: bool = False  # True if it reached the length limit
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""  # that is sent back with the calls, as in PromptMessage
