"""Calls of tools that a model wrote as text, where its server has no parser for them. Pure.

Reads the marks that servers leak (<tool_call>, [TOOL_CALLS], <function=…>), fences and bare JSON objects, also while
one still arrives.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from llm.meant_json import parse_meant_json
from llm.tool_calls import LONGEST_ARGUMENTS, MOST_CALLS
from records.model_calls import ToolCall

MOST_CANDIDATES = 20
"""Lines of an answer that are looked at as the beginning of a call; an answer with more is a program, not a call."""
HELD = 100
"""Characters of a JSON object within which a call names its tool; so many are held back before they are shown."""
LONGEST_CALL = 2 * LONGEST_ARGUMENTS
"""Characters of an answer that are read as one call: its arguments, twice as long where much in them is escaped."""
DEEPEST = 3
"""Lists and wrappers around a call that are opened."""

_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_WRAPPERS = ("tool_calls", "function")
_NAMED = re.compile(rf"[\"']?(?:{'|'.join(_NAMES)})[\"']?\s*:\s*[\"']?([\w.-]{{1,64}})")

_FENCE = r"(?:```|~~~)[ \t]*\w*\s*"
_OPENING = re.compile(
    rf"(?:^[ \t]*{_FENCE})?(?P<tag><tool_call>|<function=|\[TOOL_CALLS\])|^[ \t]*(?:{_FENCE})?(?P<json>(?:\[\s*)?\{{)",
    re.MULTILINE | re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:^[ \t]*(?:`{1,3}|~{1,3})[ \t]*\w*\s*|^[ \t]*)?(?:<[a-z_=]{0,10}|\[[a-z_]{0,11}\s*)?\Z",
    re.MULTILINE | re.IGNORECASE,
)
"""The beginning of an opening that still arrives."""
_MARKS = re.compile(r"```\w*|~~~\w*|</?tool_call>|\[/?TOOL_CALLS\]", re.IGNORECASE)
_FUNCTION = re.compile(r"<function=[\"']?(?P<name>[\w.-]{1,64})[\"']?>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=[\"']?([\w.-]{1,64})[\"']?>\s*(.*?)\s*</parameter>", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """An answer's text as it may be shown: without calls, and without what may become one while it arrives.

    `calls`: the calls that were written. `is_broken`: a tool is called in a way that cannot be read.
    """

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def read(text: str, names: Collection[str], *, is_whole: bool, settled: int = 0) -> Reading:
    """Find the calls of the tools with these names in a text; none where there are no names.

    `is_whole` False: the text still arrives; what may become a call is held back. `settled`: how much of it was shown
    before.
    """
    if not names:
        return Reading(shown=text)
    for opening in islice(_OPENING.finditer(text, settled), MOST_CANDIDATES):
        is_tagged = opening["tag"] is not None
        before, body = text[: opening.start()], text[opening.start("tag" if is_tagged else "json") :]
        may_go_on = not is_whole and len(body) < HELD
        if not is_tagged and not may_go_on and not _names_tool(body[:HELD], names):
            continue
        if not is_whole:
            return Reading(shown=before)
        made = _made(_value(body[:LONGEST_CALL]), names, is_tagged=is_tagged)
        calls = tuple(
            ToolCall(id=f"call_{number}", name=name, arguments=arguments)
            for number, (name, arguments) in enumerate(islice(made, MOST_CALLS))
        )
        return Reading(shown=before, calls=calls, is_broken=not calls)
    beginning = None if is_whole else _BEGINNING.search(text, max(settled, len(text) - 60))
    return Reading(shown=text[: beginning.start()] if beginning else text)


def _names_tool(text: str, names: Collection[str]) -> bool:
    """Whether a text names one of the tools where a call does."""
    return any(named[1] in names for named in _NAMED.finditer(text))


def _as_json(function: "re.Match[str]") -> str:
    arguments = dict(_PARAMETER.findall(function["body"])) or function["body"].strip() or "{}"
    return json.dumps({"name": function["name"], "arguments": arguments})


def _value(text: str) -> object:
    """The JSON that a text is or was meant to be, without marks; None where that is not to be told, or takes long."""
    text = _MARKS.sub("\n", _FUNCTION.sub(_as_json, text))
    text = "[" + re.sub(r"\}\s*\{", "},{", text) + "]"
    return parse_meant_json(text)


def _made(value: object, names: Collection[str], *, is_tagged: bool, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Names and arguments of the calls in parsed JSON. Within a tag any name is one."""
    if isinstance(value, list) and depth < DEEPEST:
        for one in value[:MOST_CALLS]:
            yield from _made(one, names, is_tagged=is_tagged, depth=depth + 1)
    if not isinstance(value, Mapping):
        return
    if inner := next((value[key] for key in _WRAPPERS if isinstance(value.get(key), list | Mapping)), None):
        yield from _made([inner], names, is_tagged=is_tagged, depth=depth)
        return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if name not in names and (not is_tagged or not name or given is None):
        return
    if given is None:
        given = {key: one for key, one in value.items() if key not in (*_NAMES, "type", "id")}
    written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    try:
        is_object = isinstance(json.loads(written, strict=False), Mapping)
    except (ValueError, RecursionError):
        is_object = False
    if is_object:
        yield name, written[: LONGEST_ARGUMENTS + 1]
