"""One answer of a model as it arrives: its text, thoughts, calls and usage, and when it is whole.

Owns what of it may be shown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llm import text_calls
from llm.failures import BrokenOff
from llm.text_calls import Reading
from llm.tool_calls import Calls, Offer
from locales.catalog import tr
from records.errors import ModelBroken, ModelDeclined
from records.model_calls import Completion, Usage

LONGEST_TEXT = 500_000
"""Characters of an answer: 100,000 tokens have fewer."""
MOST_TOKENS = 10**8
"""Of one request that an endpoint is believed: a window of more is unheard of, and no table takes any number."""
_TAGS = ("<think>", "<thinking>", "<thought>")
_THOUGHTS = re.compile(r"\s*(?:<(think|thinking|thought)>.*?</\1>\s*)*", re.IGNORECASE | re.DOTALL)


class BrokenCall(ModelBroken):
    """The model called a tool in a way that cannot be read, instead of answering."""


@dataclass
class PartialAnswer:
    """An answer as far as it has come. `offer`: the tools that it may call."""

    offer: Offer
    text: str = ""
    refusal: str = ""
    finish: str | None = None
    usage: Usage | None = None
    calls: Calls = field(default_factory=Calls)
    shown: str = ""
    """The text that a reader has seen."""

    def add(self, value: Mapping[str, Any], part: str) -> int:
        """Take in one chunk (part "delta") or a whole answer (part "message"); its characters, thoughts included."""
        if value.get("usage"):
            self.usage = _usage(value["usage"])
        choices = value.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return 0
        choice = choices[0]
        said = choice.get(part) or {}
        if not isinstance(said, Mapping):
            raise ModelBroken(remedy="(malformed)")
        self.text += _words(said.get("content"))
        self.refusal += _words(said.get("refusal"))
        if len(self.text) + len(self.refusal) > LONGEST_TEXT:
            raise ModelBroken(remedy="(endless)")
        self.calls.add(said.get("tool_calls"))
        self.finish = choice.get("finish_reason") or self.finish
        return sum(len(str(one)) for name, one in said.items() if name != "role" and one)

    def reading(self) -> Reading:
        """The whole text without its thoughts, and the calls of tools that are written in it."""
        return text_calls.read(without_thoughts(self.text), self.offer.names, is_whole=True)

    def news(self) -> str | None:
        """The text without the thoughts at its start and calls of tools, and without what may still turn out to be
        either, where that is not what it was last time; from then on it counts as shown.
        """
        text, is_whole = without_thoughts(self.text), self.finish is not None
        settled = 0 if is_whole else len(self.shown)
        visible = text_calls.read(text, self.offer.names, is_whole=is_whole, settled=settled).shown
        if not visible.strip() or visible == self.shown or self.refusal:
            return None
        self.shown = visible
        return visible

    def completion(self, model: str, usage: Usage) -> Completion:
        """The finished answer."""
        reading = self.reading()
        return Completion(
            text=reading.shown.strip(),
            model=model,
            usage=usage,
            is_truncated=self.finish == "length",
            calls=self.calls.made() or reading.calls,
        )

    def demand_whole(self) -> None:
        """Raises unless this is a whole answer with something in it."""
        if self.refusal or self.finish == "content_filter":
            raise ModelDeclined
        if self.finish is None:
            raise BrokenOff
        reading = self.reading()
        is_forbidden = self.offer.forbids(call.name for call in reading.calls)
        if (reading.is_broken or is_forbidden) and not self.calls.made():
            raise BrokenCall
        if not reading.shown.strip() and not reading.calls and not self.calls.made():
            raise ModelBroken(tr("errors-length")) if self.finish == "length" else ModelBroken(remedy="(empty)")


def without_thoughts(text: str) -> str:
    """The text after a <think> block at its start; empty while the block or its opening tag is not whole."""
    thoughts = _THOUGHTS.match(text)
    said = text[thoughts.end() :] if thoughts else text
    begin = said[:10].lower()
    return "" if any(begin.startswith(tag) or tag.startswith(begin) for tag in _TAGS) else said


def _words(content: object) -> str:
    """A content as text: a string, or (some servers) a list of parts of which the text counts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else value.get("prompt_cache_hit_tokens")
    return Usage(
        prompt=_count(value.get("prompt_tokens")),
        completion=_count(value.get("completion_tokens")),
        cached=_count(cached),
    )


def _count(value: object) -> int:
    # Not isinstance: true is no number, and PostgreSQL would take it for none.
    return min(value, MOST_TOKENS) if type(value) is int and value >= 0 else 0
