"""Collects an answer as it arrives, and decides which part of it may be shown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from llm.failures import StatusError, make_error_from_body
from llm.tool_calls import REASONING, Reasoning, ToolCallAssembler, ToolOffer
from llm.written.calls import TextAndCalls, find_calls_in_text, is_unknown_call, repair_call
from llm.written.template_tokens import remove_template_tokens
from llm.written.thought_marks import find_thought_marks, is_closing_mark
from llm.written.thoughts import remove_thoughts
from locales.catalog import tr
from records.errors import BrokenOff, ModelBroken, ModelDeclined
from records.model_calls import Completion, Usage

MAX_TEXT_CHARS = 500_000  # characters of an answer: 100,000 tokens have fewer
MAX_CONTENT_DEPTH = 5  # levels of parts within parts
MAX_TOKENS = 10**8  # a larger reported usage is cut to this, since it must fit in an integer column
# Finish reasons of a whole answer, such as "stop", "eos_token", "<|im_end|>" or "FINISH_REASON_STOP".
_ENDS = re.compile(
    r"\A[^a-z0-9]*(?:(?:finish(?:ed)?|stop(?:ped)?|end(?:ed)?|eo[gst]|completed?|done|hit|found|of|im|turn|sequence"
    r"|str(?:ing|eam)?|text|token|id|reason|natural|normal|succe(?:ss|eded)|ok|tools?|functions?|calls?|use)[^a-z0-9]*)+"
)
_REASONS = ("finish_reason", "done_reason", "finishReason", "stop_reason", "stopReason")
MAX_REASON_CHARS = 60  # characters of a finish reason that are read
MIN_REPEATED_CHARS = 12  # a shorter text that arrives again may be a real repetition
# The counts of a usage, as OpenAI, DeepSeek, Anthropic, LiteLLM and Gemini name them.
_PROMPT = ("prompt_tokens", "input_tokens", "promptTokenCount")
_COMPLETION = ("completion_tokens", "output_tokens", "candidatesTokenCount")
_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens", "cachedContentTokenCount")
_WRITTEN = ("cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")
_LENGTHS = re.compile(r"length|max\w*token|token_?limit|context_\w*exceeded|\Alimit\Z")

# Where endpoints put text, and the kinds of other protocols' events that have some: not those at its start or end.
_TEXTS = (
    "delta", "text", "content", "value", "parts", "message", "reason", "token", "answer", "result", "generated_text",
    "completion", "generation", "output", "outputs", "results", "contentBlockDelta", "transcript", "segments",
)  # fmt: skip
_NO_ANSWER = re.compile(f"{REASONING.pattern}|call|tool", re.IGNORECASE)  # parts with thoughts or results of tools
_SAYS = re.compile(
    r"(?!.*(?:start|stop|end|done|added|create|complete|reason|think)).*(?:text|content|mess|completion)"
)


class BrokenCall(ModelBroken):
    """Raised if the model's tool call cannot be parsed."""


@dataclass
class PartialAnswer:
    """An answer that is still arriving. If `thinks_first`, its text is hidden until the thinking section ends."""

    offer: ToolOffer
    thinks_first: bool = False
    wants_json: bool = False
    question: str = ""  # with the instructions, in lower case
    prompt: str = ""  # all messages, in lower case
    text: str = ""
    refusal: str = ""
    finish: str | None = None
    usage: Usage | None = None
    calls: ToolCallAssembler = field(default_factory=ToolCallAssembler)
    reasoning: Reasoning = field(default_factory=Reasoning)
    _choice: int | None = None
    _last_piece: str = ""
    _growths: int = 0  # pieces that began with the piece before, since some servers always send the whole text so far
    _is_cumulative: bool | None = None
    own_error: StatusError | None = None  # what the last chunk reports, in a form of its own
    is_whole: bool = False
    is_blank: bool = False  # it ended, without truncation, and has no visible text, refusal or tool call
    shown: str = ""  # what the reader has seen

    def add_chunk_and_count_chars(self, chunk: Mapping[str, Any]) -> int:
        """Add a chunk of a streamed answer, or a whole answer. Return its number of characters, including thoughts."""
        if usage := chunk.get("usage") or chunk.get("usageMetadata"):
            self.usage = _parse_usage(usage)
        choices = _find_choices(chunk)
        count = sum(self._add_choice_and_count_chars(choice, number) for number, choice in enumerate(choices))
        error = make_error_from_body({} if count or isinstance(chunk.get("message"), Mapping) else chunk)
        self.own_error = error if error.message else None
        return count

    def _add_choice_and_count_chars(self, choice: Mapping[str, Any], default_index: int) -> int:
        delta, message = choice.get("delta"), choice.get("message")
        said = delta or message or {"content": choice.get("text") or choice.get("content") or choice.get("response")}
        said = said if isinstance(said, Mapping) else {"content": said}
        reason = next((choice[key] for key in _REASONS if choice.get(key)), None)
        reason = _join_text_parts(reason).strip().lower()[:MAX_REASON_CHARS]
        place = choice["index"] if type(choice.get("index")) is int else default_index
        if self._choice is None or self._choice == place:
            text = _join_text_parts(said.get("content") or said.get("text") or said.get("audio"))
            self._choice = place if text else self._choice
            # Some servers repeat the whole text at the end of the stream. Others send each piece as a message.
            is_message = said is message or len(self.text) >= MIN_REPEATED_CHARS
            if (reason or self.finish) and is_message and text.startswith(self.text):
                self.text = text
            elif text:
                self._add_text_piece(text)
        self.refusal += _join_text_parts(said.get("refusal"))
        if len(self.text) + len(self.refusal) > MAX_TEXT_CHARS:
            raise ModelBroken(remedy="(endless)")
        self.calls.add_fragments(choice)
        self.reasoning.add(said)
        # A word for "none yet" is followed by the real reason.
        if reason and reason not in ("none", "null", "finish_reason_unspecified"):
            self.finish = reason
        return sum(len(str(part)) for name, part in said.items() if name != "role" and part)

    def _add_text_piece(self, piece: str) -> None:
        """Add a piece to the text, or replace the text if the server sends cumulative pieces."""
        last = self._last_piece.rstrip("\ufffd")  # half a character
        is_growing = piece.startswith(last)
        if self._is_cumulative is None and last:
            self._growths += is_growing and len(piece) > len(last)
            if not is_growing or self._growths * len(last) >= MIN_REPEATED_CHARS:
                self._is_cumulative = is_growing
        self.text = piece if self._is_cumulative and is_growing else self.text + piece
        self._last_piece = piece

    @property
    def has_ended(self) -> bool:
        """True if the model reported that its answer is complete."""
        return _ENDS.fullmatch(self.finish or "") is not None

    @property
    def is_truncated(self) -> bool:
        """True if the answer was cut at a length limit."""
        return _LENGTHS.search(self.finish or "") is not None

    @property
    def begins_with_thoughts(self) -> bool:
        """True if the first mark of thoughts closes them, so that everything before it is a thought."""
        return any(map(is_closing_mark, find_thought_marks(self.text)[:1]))

    def parse_text_and_calls(self, *, is_whole: bool = True) -> TextAndCalls:
        """Return the text without thoughts, and its calls. Unless `is_whole`, hold back what may become either."""
        is_unclosed = self.thinks_first and not self.reasoning.text and not self.begins_with_thoughts
        is_hidden = is_unclosed and (self.is_truncated if is_whole else not self.shown)
        text = "" if is_hidden else remove_thoughts(self.text, is_whole=is_whole)
        names = self.offer.parameters_by_tool
        shown_length = 0 if is_whole or not text.startswith(self.shown) else len(self.shown)
        reading = find_calls_in_text(text, names, is_whole=is_whole, shown_length=shown_length, question=self.question)
        if is_whole and not reading.calls and self.offer.tools and is_unknown_call(text, self.question):
            reading = TextAndCalls(shown="", is_broken=True)
        shown = remove_template_tokens(reading.shown, self.prompt)
        reading = replace(reading, shown="" if reading.calls and shown.startswith("Thought:") else shown)  # ReAct
        if not is_whole or reading.shown.strip() or reading.calls or self.is_truncated:
            return reading
        # Some models call a tool before they have closed their thoughts.
        thinking = f"{self.text}\n{self.reasoning.text}"
        return replace(reading, shown="", calls=find_calls_in_text(thinking, names, is_whole=True).calls)

    def pop_text_if_changed(self) -> str | None:
        """Return the visible text if it has changed since the last call, or else None."""
        if self._growths and self._is_cumulative is None and not self.is_whole:
            return None  # it may be the same text twice
        visible = self.parse_text_and_calls(is_whole=self.is_whole).shown
        if not visible.strip() or visible == self.shown or self.refusal:
            return None
        self.shown = visible
        return visible

    def make_completion(self, model: str, usage: Usage) -> Completion:
        reading = self.parse_text_and_calls()
        calls = tuple(repair_call(call, self.offer.parameters_by_tool) for call in self.calls.build() or reading.calls)
        return Completion(
            text=reading.shown.strip(),
            model=model,
            usage=usage,
            is_truncated=self.is_truncated,
            calls=calls,
            reasoning=self.reasoning.to_json() if calls else "",
        )

    def raise_if_incomplete(self) -> None:
        """Raise a ModelError or StatusError unless the answer is complete and not empty."""
        self.is_whole = True
        if self.refusal or self.finish == "content_filter":
            self.refusal = self.refusal or "content_filter"
            raise ModelDeclined
        if self.wants_json and not self.text.strip():  # LM Studio may take it for thoughts, and LiteLLM for a call
            parts = [*(call.arguments for call in self.calls.build()), self.reasoning.text.strip()]
            self.text = next((part for part in parts if part.startswith("{")), "")
        if self.own_error is not None and not (self.text or self.finish or self.calls.build()):
            raise self.own_error
        reading = self.parse_text_and_calls()
        is_empty = not (reading.shown.strip() or reading.calls or self.calls.build())
        self.is_blank = is_empty and not (self.is_truncated or reading.is_broken)
        if self.finish and not self.is_truncated and not self.has_ended:
            raise BrokenOff
        offered = {tool.name for tool in self.offer.tools if not self.offer.must_answer}
        is_forbidden = reading.calls and offered.isdisjoint(call.name for call in reading.calls)
        if (reading.is_broken or is_forbidden) and not self.calls.build():
            raise BrokenCall
        if is_empty:
            if self.finish is None:
                raise BrokenOff
            raise ModelBroken(tr("errors-length")) if self.is_truncated else ModelBroken(remedy="(empty)")


def _find_choices(chunk: Mapping[str, Any], depth: int = 0) -> list[Mapping[str, Any]]:
    """Return the choices of a chunk or answer, which a gateway may have wrapped in another object."""
    choices = chunk.get("choices") or chunk.get("candidates")  # Gemini
    if isinstance(choices, Mapping):
        choices = list(choices.values())
    if isinstance(choices, list):
        return [choice for choice in choices if isinstance(choice, Mapping)]
    if isinstance(chunk.get("message"), Mapping) or isinstance(chunk.get("response"), str):  # Ollama, Workers AI
        return [chunk]
    if depth:
        return []
    inner = [part for part in chunk.values() if isinstance(part, Mapping)]
    return [choice for part in inner for choice in _find_choices(part, depth + 1)] or [
        _convert_to_completion_choice(chunk)
    ]


def _convert_to_completion_choice(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert an event or answer of another protocol, such as Anthropic's or Bedrock's, to a completion choice."""
    kind = str(event.get("type") or event.get("event_type") or event.get("event") or "content")
    parts = [event, *(part for part in event.values() if isinstance(part, Mapping))]
    reasons = [part[key] for part in parts for key in (*_REASONS, "incomplete_details") if part.get(key)]
    said = {key: value for key, value in event.items() if key not in ("message", "reason")}  # of an error
    text = _join_text_parts(said) if _SAYS.match(kind) else ""
    return {"content": text, "event": event, "finish_reason": next(iter(reasons), None)}


def _join_text_parts(content: object, depth: int = 0) -> str:
    """Join the text of a message's content. Some servers send a list of parts, some of which are thoughts."""
    if isinstance(content, str) or depth > MAX_CONTENT_DEPTH:
        return content if isinstance(content, str) else ""
    if isinstance(content, list):
        return "".join(_join_text_parts(part, depth + 1) for part in content)
    if not isinstance(content, Mapping) or _NO_ANSWER.search(str(content.get("type"))) or content.get("thought"):
        return ""
    return next(filter(None, (_join_text_parts(content[key], depth + 1) for key in _TEXTS if key in content)), "")


def _parse_usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = [part for part in value.values() if isinstance(part, Mapping)]
    prompt, completion, cached, written = (
        max(_parse_token_count(part.get(name)) for part in (value, *details) for name in names)
        for names in (_PROMPT, _COMPLETION, _CACHED, _WRITTEN)
    )
    if "prompt_tokens" not in value and "cache_read_input_tokens" in value:  # Anthropic counts these by themselves
        prompt += cached + written
    return Usage(prompt=prompt, completion=completion, cached=min(prompt, cached), written=written) if prompt else None


def _parse_token_count(value: object) -> int:
    # True is no number, and PostgreSQL would take it for none. NaN and infinity are no counts, either.
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
        return 0
    return int(min(value, MAX_TOKENS))
