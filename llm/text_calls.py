"""Finds tool calls that a model wrote as text because its server has no parser for them. Does no I/O.

A known tool's name next to a JSON object, in XML or as a Python call counts, whatever the marks around it are.
"""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile

from llm.meant_json import parse_meant_json
from llm.tool_calls import MAX_ARGUMENTS_CHARS, MAX_CALLS
from records.model_calls import ToolCall

MAX_CANDIDATES = 20
"""Lines of an answer that are looked at as the beginning of a call; an answer with more is a program, not a call."""
HELD = 100
"""Characters of a JSON object within which a call names its tool; so many are held back before they are shown."""
MAX_CALL_CHARS = 2 * MAX_ARGUMENTS_CHARS
"""Characters of an answer that are read as one call: its arguments, twice as long where much in them is escaped."""
DEEPEST = 3  # lists and wrappers around a call that are opened

_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_WRAPPERS = ("tool_calls", "function")
_NAMED = re.compile(rf"[\"']?(?:{'|'.join(_NAMES)})[\"']?\s*:\s*[\"']?([\w.-]{{1,64}})")

_FENCE = r"(?:```|~~~)[ \t]*\w*\s*"
_OPENING = re.compile(
    rf"(?:^[ \t]*{_FENCE})?(?P<tag><tool_call>|<function=|\[TOOL_CALLS\])"
    rf"|^[ \t]*(?:{_FENCE}|[a-z]{{1,12}}(?=\[))?(?P<json>(?:\[\s*)?\{{)",
    re.MULTILINE | re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:^[ \t]*(?:`{1,3}|~{1,3})[ \t]*\w*\s*|^[ \t]*)?(?:<[a-z_=:.-]{0,40}|\[[a-z_]{0,11}\s*)?\Z",
    re.MULTILINE | re.IGNORECASE,
)
"""The beginning of an opening that still arrives."""
_MARKED = re.compile(
    r"<(?:[|｜]|[\w:.-]{0,30}(?:tool|invoke|function_call))|```tool|\[(?=[a-z_]{3,40}\()", re.IGNORECASE
)
"""The beginning of a mark of a chat template, or of a list of calls."""
_OPEN_FENCE = re.compile(r"(?:```|~~~)\w*\s*\Z")
_OPEN_TAG = re.compile(r"<[\w:.-]{0,30}tool_calls?>\s*\Z", re.IGNORECASE)
MARKED = 300  # characters behind a mark within which a call names its tool
_INVOKED = re.compile(
    r"<[^<>\n]{0,40}\binvoke\s+name=[\"']?(?P<name>[\w.-]{1,64})[\"']?[^<>\n]{0,80}>(?P<body>.*?)(?:</[^<>\n]{0,40}invoke>|\Z)",
    re.DOTALL,
)
_GIVEN = re.compile(
    r"<[^<>\n]{0,40}\bparameter\s+name=[\"']?(?P<key>[\w.-]{1,64})[\"']?(?P<about>[^<>\n]{0,80})>(?P<value>[^<]*)</"
    r"|<arg_key>(?P<glm_key>[^<]{1,64})</arg_key>\s*<arg_value>(?P<glm_value>[^<]*)</arg_value>"
)
_GLM = re.compile(r"<tool_call>\s*(?P<name>[\w.-]{1,64})\s*(?P<body>(?:<arg_key>.*?)?)(?:</tool_call>|\Z)", re.DOTALL)
_NEAR_OBJECT = re.compile(
    r"(?<![\w/-])(?:functions?\.)?(?P<name>[a-z][a-z_]{2,39})(?::\d{1,3})?"
    r"(?:[^\w{}()]{1,60}(?:(?:arguments?|args?|action|inputs?|parameters?|json|constrain|message|tool_call_argument_begin)\b[^\w{}()]{0,40}){0,3})?"
    r"(?:\(\s{0,9})?(?P<opening>\{|\((?=\s*(?:\w{1,40}\s*=|\))))",
    re.IGNORECASE,
)
"""A name with an object or keywords behind it, and only marks between them."""
_ONLY_MARKS = re.compile(
    r"(?:[ \t\[\]\"'`~(:,{*=]|<[^<>\n]{0,60}>?"
    r"|\b(?:functions?|actions?|tools?|call(?:s|ing)?|print|name|type|json|commentary|to)\b)*+",
    re.IGNORECASE,
)
"""A line, or what stands before a tool's name on its line, that says nothing to a person."""
MAX_CLOSINGS = 20  # brackets at which a call of Python is tried to end
_MARKS = re.compile(r"```\w*|~~~\w*|</?tool_call>|\[/?TOOL_CALLS\]", re.IGNORECASE)
_FUNCTION = re.compile(r"<function=[\"']?(?P<name>[\w.-]{1,64})[\"']?>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=[\"']?([\w.-]{1,64})[\"']?>\s*(.*?)\s*</parameter>", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class CallReading:
    """The visible part of an answer and the tool calls found in it. `is_broken` means that a call could not be read."""

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def find_written_calls(text: str, names: Collection[str], *, is_whole: bool, settled: int = 0) -> CallReading:
    """Find calls of the named tools in a text.

    While the text arrives (`is_whole` False), hold back anything that may become a call. `settled` characters were
    shown before.
    """
    if not names:
        return CallReading(shown=text)
    mark = _MARKED.search(text, settled)
    for opening in islice(_OPENING.finditer(text, settled), MAX_CANDIDATES):
        is_tagged = opening["tag"] is not None
        if not is_tagged and mark and mark.start() < opening.start():
            break
        before, body = _OPEN_TAG.sub("", text[: opening.start()]), text[opening.start("tag" if is_tagged else "json") :]
        may_go_on = not is_whole and len(body) < HELD
        if not is_tagged and not may_go_on and not _is_tool_named(body[:HELD], names):
            continue
        if not is_whole:
            return CallReading(shown=before)
        made = list(
            islice(_find_calls_in_json(_parse_value(body[:MAX_CALL_CHARS]), names, is_tagged=is_tagged), MAX_CALLS)
        )
        return _make_reading(before, made or _find_calls(body, names))
    if (marked := _read_marked_call(text, names, is_whole=is_whole, settled=settled)) is not None:
        return marked
    beginning = None if is_whole else _BEGINNING.search(text, max(settled, len(text) - 60))
    return CallReading(shown=text[: beginning.start()] if beginning else text)


def _read_marked_call(text: str, names: Collection[str], *, is_whole: bool, settled: int) -> CallReading | None:
    """Read a call that begins with a template mark or with a tool's name before an object, or return None."""
    for mark in islice(_MARKED.finditer(text, settled), MAX_CANDIDATES):
        before, body = _OPEN_FENCE.sub("", text[: mark.start()]), text[mark.start() :]
        if any(name in names for name in re.findall(r"\w+", body[:MARKED])):
            return _make_reading(before, _find_calls(body, names)) if is_whole else CallReading(shown=before)
        if not is_whole and len(body) < MARKED:
            return CallReading(shown=before)
    for named in _NEAR_OBJECT.finditer(text, settled):
        if named["name"] in names:
            lines = text[max(0, named.start() - MARKED) : named.start()].split("\n")
            if not _ONLY_MARKS.fullmatch(lines[-1]):  # within a sentence it is talked about
                continue
            marks = list(takewhile(lambda line: line.strip() and _ONLY_MARKS.fullmatch(line), reversed(lines)))
            start = named.start() - sum(len(line) + 1 for line in (marks or [""])) + 1
            calls = _find_calls(text[named.start() :], names)
            if not is_whole or calls:
                return _make_reading(text[:start], calls) if is_whole else CallReading(shown=text[:start])
    return None


def _make_reading(shown: str, made: Iterable[tuple[str, str]]) -> CallReading:
    calls = tuple(
        ToolCall(id=f"call_{number}", name=name, arguments=arguments) for number, (name, arguments) in enumerate(made)
    )
    return CallReading(shown=shown, calls=calls, is_broken=not calls)


def _find_calls(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    """Return the names and arguments of calls in XML, as JSON objects or in Python."""
    text = text[:MAX_CALL_CHARS].replace("<escape>", '"')
    found = [
        (invoked["name"], json.dumps(_find_arguments(invoked["body"]), ensure_ascii=False))
        for pattern in (_INVOKED, _GLM)
        for invoked in pattern.finditer(text)
        if invoked["name"] in names
    ]
    place = 0
    while not found or place:  # ends: each name stands behind the one before
        near = _NEAR_OBJECT.search(text, place)
        if near is None or len(found) >= MAX_CALLS:
            break
        place = near.end()
        if near["name"] in names:
            at = near.start("opening")
            arguments, end = _parse_object(text, at) if near["opening"] == "{" else _parse_keywords(text, at)
            if arguments is not None:
                found.append((near["name"], json.dumps(arguments, ensure_ascii=False)[: MAX_ARGUMENTS_CHARS + 1]))
                place = max(place, end)
    return found[:MAX_CALLS]


def _find_arguments(body: str) -> dict[str, object]:
    given: dict[str, object] = {}
    for found in _GIVEN.finditer(body):
        value = (found["value"] if found["key"] else found["glm_value"]).strip()
        is_string = 'string="true"' in (found["about"] or "")
        given[found["key"] or found["glm_key"].strip()] = value if is_string else _parse_json_or_text(value)
    return given


def _parse_json_or_text(value: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _parse_object(text: str, at: int) -> tuple[Mapping[str, object] | None, int]:
    """Parse the object at a position. Return it with its end, or None."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        end = text.rfind("}") + 1
        value = parse_meant_json(text[at:end])
    return (value, end) if isinstance(value, Mapping) else (None, at)


def _parse_keywords(text: str, at: int) -> tuple[Mapping[str, object] | None, int]:
    """Parse the keyword arguments of a Python call at a bracket. Return them with their end, or None."""
    for closing in islice(re.finditer(r"\)", text[at : at + MAX_ARGUMENTS_CHARS]), MAX_CLOSINGS):
        end = at + closing.end()
        try:
            call = ast.parse(f"f{text[at:end]}", mode="eval").body
            if isinstance(call, ast.Call) and not call.args and all(keyword.arg for keyword in call.keywords):
                return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}, end
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return None, at


def _is_tool_named(text: str, names: Collection[str]) -> bool:
    return any(named[1] in names for named in _NAMED.finditer(text))


def _function_to_json(function: "re.Match[str]") -> str:
    given = {key: _parse_json_or_text(value) for key, value in _PARAMETER.findall(function["body"])}
    arguments = given or function["body"].strip() or "{}"
    return json.dumps({"name": function["name"], "arguments": arguments})


def _parse_value(text: str) -> object:
    """Parse a text without its marks as JSON, repaired if necessary."""
    text = _MARKS.sub("\n", _FUNCTION.sub(_function_to_json, text))
    text = "[" + re.sub(r"\}\s*\{", "},{", text) + "]"
    return parse_meant_json(text)


def _find_calls_in_json(
    value: object, names: Collection[str], *, is_tagged: bool, depth: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield the names and arguments of calls in parsed JSON. Within a tag any name is accepted."""
    if isinstance(value, list) and depth < DEEPEST:
        for part in value[:MAX_CALLS]:
            yield from _find_calls_in_json(part, names, is_tagged=is_tagged, depth=depth + 1)
    if not isinstance(value, Mapping):
        return
    if inner := next((value[key] for key in _WRAPPERS if isinstance(value.get(key), list | Mapping)), None):
        yield from _find_calls_in_json([inner], names, is_tagged=is_tagged, depth=depth)
        return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if name not in names and (not is_tagged or not name or given is None):
        return
    if given is None:
        given = {key: given_value for key, given_value in value.items() if key not in (*_NAMES, "type", "id")}
    written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    try:
        is_object = isinstance(json.loads(written, strict=False), Mapping)
    except (ValueError, RecursionError):
        is_object = False
    if is_object:
        yield name, written[: MAX_ARGUMENTS_CHARS + 1]
