"""Convert tools to and from the JSON of chat completions: tool definitions, streamed tool calls, and results."""

import json
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm.event_reader import parse_objects
from llm.meant_json import parse_lenient_json
from records.errors import ModelBroken
from records.model_calls import PromptMessage, Tool, ToolCall
from text.characters import defuse_template_tokens, replace_surrogates

MAX_CALLS = 8  # calls of one answer that are accepted; a model that asks for more has lost its way
MAX_ARGUMENTS_CHARS = 10_000  # characters of one call's arguments that are taken in
MAX_NAME_CHARS = 200  # characters of a call's name, and of its id, that are taken in: OpenAI's have 64 at most
REASONING = re.compile("think|thought|reason", re.IGNORECASE)  # in the name of a field, or in the type of a part
MAX_REASONING_CHARS = 60_000  # of what a model thought before its calls; with more, its calls go back without
MAX_REASONING_DETAILS = 200  # parts of OpenRouter's list of the same
MAX_EXTRA_CHARS, MAX_EXTRA_OBJECTS = 20_000, 100  # of what an endpoint wants back with a call; more is dropped


def format_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    functions = (
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools
    )
    return [{"type": "function", "function": function} for function in functions]


def format_tools_as_text(tools: Sequence[Tool]) -> str:
    """Return the JSON of tools as text, to count its tokens."""
    return json.dumps(format_tools(tools)) if tools else ""


def format_messages(messages: Sequence[PromptMessage]) -> list[dict[str, Any]]:
    """Convert messages to JSON. Join adjacent messages of one role, since some providers refuse them."""
    result: list[dict[str, Any]] = []
    for message in messages:
        content = defuse_template_tokens(replace_surrogates(message.content))
        entry: dict[str, Any] = {"role": message.role, "content": content}
        if message.calls:
            entry["tool_calls"] = list(map(_format_call, message.calls))
            entry |= json.loads(message.reasoning) if message.reasoning else {}
        elif message.role == "tool":
            entry["tool_call_id"] = message.call_id
        elif result and result[-1] == {"role": message.role, "content": str(result[-1]["content"])}:
            entry["content"] = f"{result.pop()['content']}\n\n{content}"
        if message.pictures:
            urls = (f"data:{picture.mime};base64,{b64encode(picture.data).decode()}" for picture in message.pictures)
            pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
            entry["content"] = [{"type": "text", "text": entry["content"]}, *pictures]
        result.append(entry)
    return result


def _format_call(call: ToolCall) -> dict[str, Any]:
    arguments = defuse_template_tokens(replace_surrogates(call.arguments))
    function = {"name": replace_surrogates(call.name), "arguments": arguments}
    made = {"id": replace_surrogates(call.id), "type": "function", "function": function}
    return {**made, "extra_content": json.loads(call.extra)} if call.extra else made


@dataclass
class Calls:
    """The tool calls of an answer that is still arriving."""

    _parts: list[dict[str, str]] = field(default_factory=list)
    _places: list[object] = field(default_factory=list)

    def add(self, calls: object) -> None:
        """Add the `tool_calls` of a chunk or message. Malformed calls are ignored."""
        if not isinstance(calls, list):
            return
        for call in calls[:MAX_CALLS]:
            if not isinstance(call, Mapping) or not isinstance(call.get("function"), Mapping):
                continue
            call_id = _to_text(call.get("id"))[:MAX_NAME_CHARS]
            name = _to_text(call["function"].get("name"))[:MAX_NAME_CHARS]
            arguments = _to_text(call["function"].get("arguments"))[:MAX_ARGUMENTS_CHARS]
            place = call["index"] if type(call.get("index")) is int else None
            part = self._find_call_in_progress(place, call_id, name, arguments)
            if part is None:
                if len(self._parts) >= MAX_CALLS:
                    continue
                part = {"id": "", "name": "", "arguments": "", "extra": ""}
                self._parts.append(part)
                self._places.append(place)
            part["id"] = part["id"] or call_id
            part["name"] = part["name"] or name  # it arrives whole; some servers repeat it in each chunk
            if len(part["arguments"]) < MAX_ARGUMENTS_CHARS:
                part["arguments"] += arguments
            # Gemini 3 refuses its own call without this ("Function call is missing a thought_signature").
            extra = json.dumps(call["extra_content"]) if isinstance(call.get("extra_content"), Mapping) else ""
            part["extra"] = part["extra"] or (
                extra if len(extra) <= MAX_EXTRA_CHARS and extra.count("{") <= MAX_EXTRA_OBJECTS else ""
            )

    def _find_call_in_progress(self, place: object, call_id: str, name: str, arguments: str) -> dict[str, str] | None:
        """Return the call that a piece continues, or None if it begins a call. Servers may number all calls 0."""
        near = [
            part for part, its in zip(self._parts, self._places, strict=True) if place is None or its in (place, None)
        ]
        part = next((part for part in reversed(near) if call_id and part["id"] == call_id), near[-1] if near else None)
        if part is None or not name or not part["name"]:
            return part
        is_same_id = not call_id or part["id"] in ("", call_id)
        is_complete = bool(arguments) and isinstance(_parse_arguments(part["arguments"]), Mapping)
        return part if is_same_id and part["name"] == name and not is_complete else None

    def finish(self) -> tuple[ToolCall, ...]:
        """Return the calls with unique ids and repaired arguments. Drop unreadable ones if others remain."""
        calls: list[ToolCall] = []
        for part in (part for part in self._parts if part["name"]):
            for arguments in _split_arguments(part["arguments"] or "{}"):
                is_new = part["id"] and part["id"] not in {call.id for call in calls}
                call_id = part["id"] if is_new else f"call{len(calls):05}"  # Mistral takes nine letters and digits
                calls.append(ToolCall(id=call_id, name=part["name"], arguments=arguments, extra=part["extra"]))
        good = tuple(call for call in calls if isinstance(_parse_arguments(call.arguments), Mapping))
        return good or tuple(calls)


@dataclass
class Reasoning:
    """A model's reasoning before its calls. DeepSeek and others refuse their own calls without it."""

    _texts: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    _details: dict[str, list[object]] = field(default_factory=lambda: defaultdict(list))

    def add(self, message: Mapping[str, Any]) -> None:
        for name in filter(REASONING.search, message):
            value = message[name]
            if isinstance(value, str) and len(self._texts[name]) <= MAX_REASONING_CHARS:
                self._texts[name] += value
            if isinstance(value, list) and len(self._details[name]) <= MAX_REASONING_DETAILS:
                self._details[name] += value

    @property
    def text(self) -> str:
        return "\n".join(self._texts.values())

    def to_json(self) -> str:
        """Return the reasoning as a JSON object, or "" if there is none or too much."""
        held = {name: value for name, value in (self._texts | self._details).items() if value}
        text = json.dumps(held, ensure_ascii=False) if held else ""
        is_small = len(text) <= MAX_REASONING_CHARS and all(
            len(details) <= MAX_REASONING_DETAILS for details in self._details.values()
        )
        return text if is_small else ""


def _parse_arguments(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _split_arguments(arguments: str) -> list[str]:
    """Return the arguments of each call. Some gateways join those of parallel calls."""
    try:
        joined = list(parse_objects(arguments))
    except ModelBroken:
        joined = []
    return [json.dumps(each, ensure_ascii=False) for each in joined[1:] and joined] or [_repair_arguments(arguments)]


def _repair_arguments(arguments: str) -> str:
    value = _parse_arguments(arguments)
    if isinstance(value, Mapping):
        return arguments
    meant = parse_lenient_json(value if isinstance(value, str) else arguments)
    return json.dumps(meant, ensure_ascii=False) if isinstance(meant, Mapping) and meant else arguments


def _to_text(value: object) -> str:
    if isinstance(value, str):
        return value
    # Some servers send the arguments as an object.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else ""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """The tools that are offered to the model in one request."""

    tools: tuple[Tool, ...] = ()
    must_answer: bool = False  # without calling a tool
    known: frozenset[str] = frozenset()  # names of other tools that the conversation may mention

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The names of all tools, with the parameters of those that are offered."""
        names: dict[str, tuple[str, ...]] = dict.fromkeys(self.known, ())
        for tool in self.tools:
            properties = tool.parameters.get("properties")
            names[tool.name] = tuple(properties) if isinstance(properties, Mapping) else ()
        return names

    def forbids_calls(self, tool_names: Iterable[str]) -> bool:
        """Return True if any of the named tools must not be called."""
        offered = {tool.name for tool in self.tools}
        return any(self.must_answer or not offered or name in self.known - offered for name in tool_names)

    def withdraw_tools(self) -> "Offer":
        return Offer(must_answer=self.must_answer, known=frozenset(self.names))
