"""Collects an answer as it arrives, and decides which part of it may be shown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llm import text_calls
from llm.text_calls import CallReading
from llm.thoughts import begins_with_thoughts, remove_thoughts
from llm.tool_calls import REASONING, Calls, Offer, Reasoning
from locales.catalog import tr
from records.errors import BrokenOff, ModelBroken, ModelDeclined
from records.model_calls import Completion, Usage

MAX_TEXT_CHARS = 500_000  # characters of an answer: 100,000 tokens have fewer
MAX_CONTENT_DEPTH = 3  # of parts within parts
MAX_TOKENS = 10**8  # the most that is believed of a request, since usage must fit an integer column
# Finish reasons of a whole answer, such as "stop", "eos_token", "<|im_end|>" or "FINISH_REASON_STOP".
_ENDS = re.compile(
    r"[^a-z0-9]*(?:(?:finish(?:ed)?|stop(?:ped)?|end(?:ed)?|eos|eot|completed?|done|hit|of|im|turn|sequence|text|token"
    r"|id|reason|natural|normal|success|ok|tools?|functions?|calls?|use)[^a-z0-9]*)+"
)
_REASONS = ("finish_reason", "done_reason", "finishReason")  # of OpenAI, Ollama and Gemini
MAX_REASON_CHARS = 60  # of a finish reason that are read
_LENGTHS = re.compile(r"(?:.*[^a-z])?(?:length|max_(?:\w{1,20}_)?tokens|context_window_exceeded)")


class BrokenCall(ModelBroken):
    """Raised if a tool call of the model cannot be parsed."""


@dataclass
class PartialAnswer:
    """An answer that is still arriving. If `thinks_first`, its text is hidden until the thinking section ends."""

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
    shown: str = ""  # what the reader has seen

    def add(self, chunk: Mapping[str, Any]) -> int:
        """Add a chunk or a whole answer. Return the number of its characters, including thoughts."""
        if chunk.get("usage"):
            self.usage = _parse_usage(chunk["usage"])
        return sum(self._add_choice(choice, number) for number, choice in enumerate(_find_choices(chunk)))

    def _add_choice(self, choice: Mapping[str, Any], number: int) -> int:
        delta, message = choice.get("delta"), choice.get("message")
        said = delta or message or {"content": choice.get("text") or choice.get("content") or choice.get("response")}
        if not isinstance(said, Mapping):
            said = {"content": said}
        reason = next((choice[key] for key in _REASONS if choice.get(key)), None)
        reason = _join_text_parts(reason).strip().lower()[:MAX_REASON_CHARS]
        place = choice["index"] if type(choice.get("index")) is int else number
        if self._choice is None or self._choice == place:
            text = _join_text_parts(said.get("content") or said.get("text"))
            self._choice = place if text else self._choice
            # Some servers repeat the whole message at the end of the stream. Others send each piece as a message.
            is_end = bool(reason or self.finish)
            is_repeated = is_end and said is message and text.startswith(self.text)
            self.text = text if is_repeated else self.text + text
        self.refusal += _join_text_parts(said.get("refusal"))
        if len(self.text) + len(self.refusal) > MAX_TEXT_CHARS:
            raise ModelBroken(remedy="(endless)")
        for part in (part for part in (said, choice, message) if isinstance(part, Mapping)):
            self.calls.add(part.get("tool_calls") or part.get("tool_call") or part.get("content"))
        self.reasoning.add(said)
        if isinstance(called := said.get("function_call"), Mapping):
            self.calls.add([{"index": 0, "function": called}])
        # A word for "none yet" is followed by the real reason.
        if reason and reason not in ("none", "null", "finish_reason_unspecified"):
            self.finish = reason
        return sum(len(str(part)) for name, part in said.items() if name != "role" and part)

    @property
    def has_ended(self) -> bool:
        """True if the model reported that its answer is complete."""
        return _ENDS.fullmatch(self.finish or "") is not None

    @property
    def is_truncated(self) -> bool:
        """True if the answer was cut at a length limit."""
        return _LENGTHS.fullmatch(self.finish or "") is not None

    @property
    def is_blank(self) -> bool:
        """True if nothing of the answer can be shown although no length limit was reached."""
        reading = self.parse_text()
        is_something = self.refusal or self.is_truncated or self.calls.finish() or reading.calls or reading.is_broken
        return self.is_whole and not (reading.shown.strip() or is_something)

    def parse_text(self) -> CallReading:
        """Return the text without thoughts, and the tool calls that are written in it."""
        text = "" if self.is_truncated and self._is_still_thinking() else remove_thoughts(self.text)
        # Next to structured calls, a mark of a call that was not removed is no text.
        reading = text_calls.find_written_calls(text, self.offer.parameters_by_tool, is_whole=not self.calls.finish())
        if reading.shown.strip() or reading.calls or self.is_truncated:
            return reading
        # Some models call a tool before they have closed their thoughts.
        thoughts = f"{self.text}\n{self.reasoning.text}"
        calls = text_calls.find_written_calls(thoughts, self.offer.parameters_by_tool, is_whole=True).calls
        return CallReading(shown="", calls=calls, is_broken=reading.is_broken)

    def _is_still_thinking(self) -> bool:
        return self.thinks_first and not begins_with_thoughts(self.text)

    def pop_changed_text(self) -> str | None:
        """Return the visible text if it has changed since the last call, or else None."""
        visible = self.get_visible_text(is_whole=self.is_whole)
        if not visible.strip() or visible == self.shown or self.refusal:
            return None
        self.shown = visible
        return visible

    def get_visible_text(self, *, is_whole: bool = False) -> str:
        """Return the text to show. Unless `is_whole`, hold back an ending that may become a thought or a call."""
        if not is_whole and not self.shown and self._is_still_thinking():
            return ""
        text = remove_thoughts(self.text, is_whole=is_whole)
        is_whole = is_whole and not self.calls.finish()
        settled = 0 if is_whole else len(self.shown)
        names = self.offer.parameters_by_tool
        return text_calls.find_written_calls(text, names, is_whole=is_whole, settled_length=settled).shown

    def make_completion(self, model: str, usage: Usage) -> Completion:
        reading = self.parse_text()
        repaired = tuple(text_calls.repair_call(call, self.offer.parameters_by_tool) for call in self.calls.finish())
        calls = repaired or reading.calls
        return Completion(
            text=reading.shown.strip(),
            model=model,
            usage=usage,
            is_truncated=self.is_truncated,
            calls=calls,
            reasoning=self.reasoning.to_json() if calls else "",
        )

    def raise_if_incomplete(self) -> None:
        """Raise a ModelError unless the answer is complete and not empty."""
        self.is_whole = True
        if self.refusal or self.finish == "content_filter":
            self.refusal = self.refusal or "content_filter"
            raise ModelDeclined
        if self.finish and not self.is_truncated and not self.has_ended:
            raise BrokenOff
        reading = self.parse_text()
        is_forbidden = self.offer.forbids_calls(call.name for call in reading.calls)
        if (reading.is_broken or is_forbidden) and not self.calls.finish():
            raise BrokenCall
        if not reading.shown.strip() and not reading.calls and not self.calls.finish():
            if self.finish is None:
                raise BrokenOff
            raise ModelBroken(tr("errors-length")) if self.is_truncated else ModelBroken(remedy="(empty)")


def _find_choices(value: Mapping[str, Any], depth: int = 0) -> list[Mapping[str, Any]]:
    """Return the choices of a chunk or answer, which a gateway may have wrapped in another object."""
    choices = value.get("choices") or value.get("candidates")  # Gemini
    if isinstance(choices, Mapping):
        choices = list(choices.values())
    if isinstance(choices, list):
        return [choice for choice in choices if isinstance(choice, Mapping)]
    if isinstance(value.get("message"), Mapping) or isinstance(value.get("response"), str):  # Ollama, Workers AI
        return [value]
    inner = [part for part in value.values() if isinstance(part, Mapping)] if not depth else []
    return [choice for part in inner for choice in _find_choices(part, depth + 1)]


def _join_text_parts(content: object, depth: int = 0) -> str:
    """Join the text of a message's content. Some servers send a list of parts, some of which are thoughts."""
    if isinstance(content, str) or depth > MAX_CONTENT_DEPTH:
        return content if isinstance(content, str) else ""
    if isinstance(content, list):
        return "".join(_join_text_parts(part, depth + 1) for part in content)
    if not isinstance(content, Mapping) or REASONING.search(str(content.get("type"))) or content.get("thought"):
        return ""
    text = next((content[key] for key in ("text", "content", "value", "parts") if key in content), None)
    return _join_text_parts(text, depth + 1)


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
