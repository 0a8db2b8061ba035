"""Convert tools to and from the JSON of chat completions: tool definitions, streamed tool calls, and results."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from llm.event_reader import parse_json_objects
from llm.meant_json import ends_too_early, parse_json_leniently, parse_json_or_none
from records.errors import ModelBroken
from records.model_calls import Prompt, PromptMessage, Tool, ToolCall
from text.characters import escape_template_tokens, repair_surrogates

MAX_CALLS = 8  # calls of one answer that are accepted; a model that asks for more has lost its way
MAX_ARGUMENTS_CHARS = 10_000  # characters of one call's arguments that are read
MAX_NAME_CHARS = 200  # characters of a call's name, and of its id, that are read. OpenAI's have at most 64.
REASONING = re.compile("think|thought|reason", re.IGNORECASE)  # in names of fields and types of parts
MAX_REASONING_CHARS = 60_000  # characters of the reasoning before calls. Longer reasoning is not sent back with them.
MAX_EXTRA_CHARS, MAX_EXTRA_OBJECTS = 20_000, 100  # of what an endpoint wants back with a call; more is dropped
MAX_CALL_DEPTH = 5  # nesting levels of objects in which calls are looked for

# Where endpoints put calls (in _CALLS, perhaps), and their numbers: OpenAI, Anthropic, Cohere, Gemini, Bedrock.
_CONTAINERS = ("event", "delta", "message", "start", "contentBlockStart", "contentBlockDelta")
_CALLS = ("tool_calls", "toolCalls", "tool_call", "content", "parts", "output", "item", "content_block")
_FUNCTION = re.compile("function|toolUse", re.IGNORECASE)  # in the name of the field with a call's name and arguments
_INDEXES = ("index", "contentBlockIndex")


def format_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    functions = (
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools
    )
    return [{"type": "function", "function": function} for function in functions]


def format_tools_as_text(tools: Sequence[Tool]) -> str:
    """Return the tools as JSON text, whose tokens can be counted."""
    return json.dumps(format_tools(tools)) if tools else ""


def format_messages(messages: Prompt) -> list[dict[str, Any]]:
    """Convert messages to JSON. Join adjacent messages of the same role, because some providers refuse them."""
    result: list[dict[str, Any]] = []
    for message in messages:
        content = escape_template_tokens(repair_surrogates(message.content))
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


def rewrite_tools_as_text(messages: Prompt) -> list[PromptMessage]:
    """Return a prompt with tool results as user messages, and without tool calls."""
    names = {call.id: call.name for message in messages for call in message.calls}
    told = []
    for message in messages:
        if message.role == "tool":
            result = f"{names.get(message.call_id, 'A tool')} returned:\n{message.content}"
            told.append(PromptMessage(role="user", content=result))
        elif not message.calls:
            told.append(message)
        elif message.content.strip():
            told.append(PromptMessage(role="assistant", content=message.content))
    return told


def rewrite_messages_as_user(messages: Prompt) -> list[PromptMessage]:
    """Return a prompt in which all messages have the role "user", and earlier answers are marked as answers."""
    lead = {"assistant": "You answered:\n"}
    told = rewrite_tools_as_text(messages)
    return [replace(message, role="user", content=lead.get(message.role, "") + message.content) for message in told]


def _format_call(call: ToolCall) -> dict[str, Any]:
    arguments = escape_template_tokens(repair_surrogates(call.arguments))
    function = {"name": repair_surrogates(call.name), "arguments": arguments}
    made = {"id": repair_surrogates(call.id), "type": "function", "function": function}
    return {**made, "extra_content": json.loads(call.extra)} if call.extra else made


@dataclass
class ToolCallAssembler:
    """Assembles the tool calls of an answer that is still arriving."""

    _parts: list[dict[str, Any]] = field(default_factory=list)

    def add_fragments(
        self, payload: object, index: object = None, depth: int = 0, *, may_be_call: bool = False
    ) -> None:
        """Add the tool calls found at any depth in a chunk, choice or message. Ignore malformed calls."""
        for part in payload[:MAX_CALLS] if isinstance(payload, list) else [payload]:
            if not isinstance(part, Mapping) or depth > MAX_CALL_DEPTH:
                continue
            number = next((part[key] for key in _INDEXES if type(part.get(key)) is int), index)
            for key in (key for key in (*_CONTAINERS, *_CALLS) if key in part):
                self.add_fragments(part[key], number, depth + 1, may_be_call=key in _CALLS)
            functions = [inner for key, inner in part.items() if _FUNCTION.search(key) and isinstance(inner, Mapping)]
            # Messages and events may have names, too.
            if functions or "partial_json" in part or (may_be_call and "role" not in part):
                self._add_fragment({**part, **functions[0]} if functions else part, number)

    def _add_fragment(self, call: Mapping[str, Any], index: object) -> None:
        call_id, name = (_convert_arguments_to_text(call.get(key))[:MAX_NAME_CHARS] for key in ("id", "name"))
        given = next((call[key] for key in ("arguments", "input", "args", "partial_json") if call.get(key)), "")
        arguments = _convert_arguments_to_text(given)[:MAX_ARGUMENTS_CHARS]
        if not (name or arguments):
            return
        part = self._find_call_in_progress(index, call_id, name, arguments)
        if part is None:
            if len(self._parts) >= MAX_CALLS:
                return
            part = {"id": "", "name": "", "arguments": "", "extra": "", "place": index}
            self._parts.append(part)
        part["id"] = part["id"] or call_id
        part["name"] = part["name"] or name  # it arrives whole; some servers repeat it in each chunk
        if part["arguments"] and arguments.startswith(part["arguments"]):
            part["arguments"] = arguments  # some servers always send all arguments so far
        elif len(part["arguments"]) < MAX_ARGUMENTS_CHARS:
            part["arguments"] += arguments
        # Gemini 3 refuses its own call without this ("Function call is missing a thought_signature").
        extra = json.dumps(call["extra_content"]) if isinstance(call.get("extra_content"), Mapping) else ""
        if len(extra) <= MAX_EXTRA_CHARS and extra.count("{") <= MAX_EXTRA_OBJECTS:
            part["extra"] = part["extra"] or extra

    def _find_call_in_progress(self, index: object, call_id: str, name: str, arguments: str) -> dict[str, Any] | None:
        """Return the call that a fragment continues, or None for a new call. Some servers index all calls as 0."""
        near = [part for part in self._parts if index is None or part["place"] in (index, None)]
        near = near or ([] if name else self._parts)  # the rest of a call may be numbered in another way
        part = next((part for part in reversed(near) if call_id and part["id"] == call_id), near[-1] if near else None)
        if part is None or not name or not part["name"]:
            return part
        is_same_id = not call_id or part["id"] in ("", call_id)
        is_complete = bool(arguments) and isinstance(parse_json_or_none(part["arguments"]), Mapping)
        return part if is_same_id and part["name"] == name and not is_complete else None

    def build(self) -> tuple[ToolCall, ...]:
        """Return the calls with unique ids and repaired arguments. Drop unreadable calls unless all are unreadable."""
        calls: list[ToolCall] = []
        named = [part for part in self._parts if part["name"]]
        for part in [part for part in named if not ends_too_early(part["arguments"] or "{}")] or named:
            for arguments in _split_joined_arguments(part["arguments"] or "{}"):
                if part["id"] and (part["id"], arguments) in {(call.id, call.arguments) for call in calls}:
                    continue  # repeated at the end of the stream
                is_new = part["id"] and part["id"] not in {call.id for call in calls}
                call_id = part["id"] if is_new else f"call{len(calls):05}"  # Mistral takes nine letters and digits
                calls.append(ToolCall(id=call_id, name=part["name"], arguments=arguments, extra=part["extra"]))
        good = tuple(call for call in calls if isinstance(parse_json_or_none(call.arguments), Mapping))
        return good or tuple(calls)


@dataclass
class Reasoning:
    """A model's reasoning before its tool calls. DeepSeek and others require it when the calls are sent back."""

    _held: dict[str, Any] = field(default_factory=dict)  # texts, and OpenRouter's lists of parts
    _size: int = 0  # characters of the lists

    def add(self, message: Mapping[str, Any]) -> None:
        for name, value in message.items():
            if REASONING.search(name) and isinstance(value, str | list):
                held: Any = self._held.get(name) or value[:0]
                self._size += isinstance(value, list) and len(str(value))
                is_small = max(self._size, len(held)) <= MAX_REASONING_CHARS
                if isinstance(held, str) == isinstance(value, str) and is_small:
                    self._held[name] = held + value

    @property
    def text(self) -> str:
        return "\n".join(value for value in self._held.values() if isinstance(value, str))

    def to_json(self) -> str:
        """Return the reasoning as a JSON object, or "" if there is none or too much."""
        held = {name: value for name, value in self._held.items() if value}
        text = json.dumps(held, ensure_ascii=False) if held else ""
        return text if max(self._size, len(text)) <= MAX_REASONING_CHARS else ""


def _split_joined_arguments(arguments: str) -> list[str]:
    """Repair a call's arguments, and split them if a gateway joined the arguments of parallel calls."""
    value = parse_json_or_none(arguments)
    with suppress(ModelBroken):
        if joined := list(parse_json_objects(arguments)):
            is_good = isinstance(value, Mapping) and arguments.isprintable()  # no line break in a text
            return [arguments] if is_good else [json.dumps(each, ensure_ascii=False) for each in joined]
    meant = parse_json_leniently(value if isinstance(value, str) else arguments.replace('<|"|>', '"'))  # Gemma 4
    return [json.dumps(meant, ensure_ascii=False) if isinstance(meant, Mapping) and meant else arguments]


def _convert_arguments_to_text(value: object) -> str:
    if isinstance(value, str):
        return value
    # Some servers send the arguments as an object.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else ""


def _list_spellings(name: str) -> set[str]:
    """Return a name of a tool as other programs' tools are named, such as searchMemory and search-memory."""
    pascal = "".join(map(str.capitalize, name.split("_")))
    # A single word that is capitalised is the beginning of a sentence.
    return {name, name.replace("_", "-"), pascal[:1].lower() + pascal[1:], pascal} - {name.capitalize()}


def to_snake_case(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])|-", "_", name).lower()


@dataclass(frozen=True, kw_only=True)
class ToolOffer:
    """The tools that a request offers. If `must_answer`, the model must not call any of them."""

    tools: tuple[Tool, ...] = ()
    must_answer: bool = False  # without calling a tool
    known: frozenset[str] = frozenset()  # names of other tools that the conversation may mention

    @property
    def parameters_by_tool(self) -> dict[str, tuple[str, ...]]:
        """The parameter names by tool, in each of its spellings. Known tools that are not offered have none."""
        offered = {tool.name: tuple(tool.parameters.get("properties", ())) for tool in self.tools}
        known = {**dict.fromkeys(self.known, ()), **offered}
        return {spelled: given for name, given in known.items() for spelled in _list_spellings(name)}

    def without_tools(self) -> "ToolOffer":
        return ToolOffer(must_answer=self.must_answer, known=frozenset(self.parameters_by_tool))
