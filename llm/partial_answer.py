"""One answer of a model as it arrives: its text, thoughts, calls and usage, and when it is whole.

Owns what of it may be shown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llm import text_calls
from llm.text_calls import CallReading
from llm.thoughts import begins_with_thoughts, remove_thoughts
from llm.tool_calls import Calls, Offer, Reasoning
from locales.catalog import tr
from records.errors import BrokenOff, ModelBroken, ModelDeclined
from records.model_calls import Completion, Usage

MAX_TEXT_CHARS = 500_000  # characters of an answer: 100,000 tokens have fewer
MAX_TOKENS = 10**8
"""Of one request that an endpoint is believed: a window of more is unheard of, and no table takes any number."""
_ENDS = re.compile(
    r"(?:(?:finish(?:ed|_?reason)?|stop(?:ped)?|end(?:ed)?|eos|eot|completed?|done|of|turn|sequence|token|normal"
    r"|tools?|functions?|(?:tool|function)?calls?|use)(?:[^a-z0-9]+|\Z))+"
)
"""Reasons for which an answer ends where its model wanted it to ("stop", "eos_token", "FINISH_REASON_STOP"); any other,
but a length, is a fault.
"""
_LENGTHS = re.compile(r"(?:.*[^a-z])?(?:length|max_tokens|max_output_tokens|context_window_exceeded)")


class BrokenCall(ModelBroken):
    """The model called a tool in a way that cannot be read, instead of answering."""


@dataclass
class PartialAnswer:
    """An answer as far as it has come. `offer`: the tools that it may call. `thinks_first`: an earlier one of this
    model began with thoughts that a closing mark alone ended, so nothing before such a mark is shown while it arrives.
    """

    offer: Offer
    thinks_first: bool = False
    text: str = ""
    refusal: str = ""
    finish: str | None = None
    usage: Usage | None = None
    calls: Calls = field(default_factory=Calls)
    reasoning: Reasoning = field(default_factory=Reasoning)
    _choice: int | None = None
    is_whole: bool = False
    """Nothing more comes."""
    shown: str = ""
    """The text that a reader has seen."""

    def add(self, value: Mapping[str, Any]) -> int:
        """Take in one chunk or a whole answer; return its characters, thoughts included.

        The text is the first choice's; calls count wherever they come.
        """
        if value.get("usage"):
            self.usage = _parse_usage(value["usage"])
        choices = value.get("choices")
        choices = [one for one in choices if isinstance(one, Mapping)] if isinstance(choices, list) else []
        return sum(self._add_choice(choice, number) for number, choice in enumerate(choices))

    def _add_choice(self, choice: Mapping[str, Any], number: int) -> int:
        said = choice.get("delta") or choice.get("message") or {}
        if not isinstance(said, Mapping):
            raise ModelBroken(remedy="(malformed)")
        place = choice["index"] if type(choice.get("index")) is int else number
        if self._choice is None or self._choice == place:
            text = _read_words(said.get("content"))
            self._choice = place if text else self._choice
            self.text += text
        self.refusal += _read_words(said.get("refusal"))
        if len(self.text) + len(self.refusal) > MAX_TEXT_CHARS:
            raise ModelBroken(remedy="(endless)")
        self.calls.add(said.get("tool_calls"))
        self.reasoning.add(said)
        if isinstance(called := said.get("function_call"), Mapping):
            self.calls.add([{"index": 0, "function": called}])
        self.finish = _read_words(choice.get("finish_reason")).strip().lower() or self.finish
        return sum(len(str(part)) for name, part in said.items() if name != "role" and part)

    @property
    def has_ended(self) -> bool:
        """True once the model has said that its answer is whole."""
        return _ENDS.fullmatch(self.finish or "") is not None

    def reading(self) -> CallReading:
        """Return the whole text without its thoughts, and the calls of tools that are written in it."""
        is_cut = _LENGTHS.fullmatch(self.finish or "") is not None
        text = "" if is_cut and self._is_all_thought() else remove_thoughts(self.text)
        return text_calls.read(text, self.offer.names, is_whole=True)

    def _is_all_thought(self) -> bool:
        return self.thinks_first and not begins_with_thoughts(self.text)

    def news(self) -> str | None:
        """Return the text without the thoughts at its start and calls of tools, and without what may still turn out to
        be either, where that is not what it was last time; from then on it counts as shown.
        """
        visible = self._visible(is_whole=self.is_whole)
        if not visible.strip() or visible == self.shown or self.refusal:
            return None
        self.shown = visible
        return visible

    def _visible(self, *, is_whole: bool) -> str:
        if not is_whole and not self.shown and self._is_all_thought():
            return ""
        text = remove_thoughts(self.text, is_whole=is_whole)
        settled = 0 if is_whole else len(self.shown)
        return text_calls.read(text, self.offer.names, is_whole=is_whole, settled=settled).shown

    def half(self) -> str:
        """Return what may be shown of an answer that broke off."""
        return self._visible(is_whole=False)

    def completion(self, model: str, usage: Usage) -> Completion:
        """Return the finished answer."""
        reading = self.reading()
        return Completion(
            text=reading.shown.strip(),
            model=model,
            usage=usage,
            is_truncated=_LENGTHS.fullmatch(self.finish or "") is not None,
            calls=self.calls.made() or reading.calls,
            reasoning=self.reasoning.to_json() if self.calls.made() else "",
        )

    def demand_whole(self) -> None:
        """Raise unless this is a whole answer with something in it; its body has ended as HTTP says it should."""
        self.is_whole = True
        if self.refusal or self.finish == "content_filter":
            raise ModelDeclined
        is_at_length = _LENGTHS.fullmatch(self.finish or "") is not None
        if self.finish and not is_at_length and not self.has_ended:
            raise BrokenOff
        reading = self.reading()
        is_forbidden = self.offer.forbids(call.name for call in reading.calls)
        if (reading.is_broken or is_forbidden) and not self.calls.made():
            raise BrokenCall
        if not reading.shown.strip() and not reading.calls and not self.calls.made():
            if self.finish is None:
                raise BrokenOff
            raise ModelBroken(tr("errors-length")) if is_at_length else ModelBroken(remedy="(empty)")


def _read_words(content: object) -> str:
    """Return the content of a message as text. Some servers send a list of parts, of which only the text counts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _parse_usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else value.get("prompt_cache_hit_tokens")
    return Usage(
        prompt=_parse_count(value.get("prompt_tokens")),
        completion=_parse_count(value.get("completion_tokens")),
        cached=_parse_count(cached),
        written=_parse_count(details.get("cache_write_tokens")) if isinstance(details, Mapping) else 0,
    )


def _parse_count(value: object) -> int:
    # Not isinstance: true is no number, and PostgreSQL would take it for none.
    return min(value, MAX_TOKENS) if type(value) is int and value >= 0 else 0
