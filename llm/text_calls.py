"""Calls of tools that a model wrote as text, where its server has no parser for them. Pure.

Reads the marks that servers leak (<tool_call>, [TOOL_CALLS], <function=…>), fences and bare JSON objects, also while
one still arrives.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import json_repair

from llm.tool_calls import LONGEST_ARGUMENTS, MOST_CALLS
from records.model_calls import ToolCall

MOST_CANDIDATES = 20
"""Lines of an answer that are looked at as the beginning of a call; an answer with more is a program, not a call."""
HELD = 100
"""Characters of a JSON object within which a call names its tool; so many are held back before they are shown."""
LONGEST_CALL = 2 * LONGEST_ARGUMENTS
"""Characters of an answer that are read as one call: its arguments, twice as long where much in them is escaped."""
LONGEST_REPAIRED = 1_000
"""Characters of a call that are repaired, which takes up to the square of their number."""
DEEPEST = 3
"""Lists and wrappers around a call that are opened."""

_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_WRAPPERS = ("tool_calls", "function")
_KEYS = frozenset((*_NAMES, *_ARGUMENTS, *_WRAPPERS, "type", "id"))

_FENCE = r"(?:```|~~~)[ \t]*\w*\s*"
_OPENING = re.compile(
    rf"(?:^[ \t]*{_FENCE})?(?P<tag><tool_call>|<function=|\[TOOL_CALLS\])|^[ \t]*(?:{_FENCE})?(?P<json>(?:\[\s*)?\{{)",
    re.MULTILINE | re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:^[ \t]*(?:`{1,3}|~{1,3})[ \t]*\w*\s*|^[ \t]*)?(?:<[a-z_=]{0,10}|\[[a-z_]{0,11}\s*)?\Z",
    re.MULTILINE | re.IGNORECASE,
)
"""What has arrived of an opening."""
_LONGEST_BEGINNING = 60
_CLOSING = re.compile(r"(?:[\s,;}\]]|```|~~~|</?tool_call>|</function>|\[/?TOOL_CALLS\])*", re.IGNORECASE)
_FUNCTION = re.compile(r"<function=[\"']?(?P<name>[\w.-]{1,64})[\"']?>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=[\"']?(?P<name>[\w.-]{1,64})[\"']?>(?P<value>.*?)</parameter>", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """An answer's text as it may be shown: without calls, and without what may become one while it arrives.

    `calls`: the calls that were written. `is_broken`: a tool is called in a way that cannot be read.
    """

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def read(text: str, names: Collection[str], *, is_whole: bool, settled: int = 0) -> Reading:
    """What of a text is a call of the tools with these names; nothing is one where there are no names.

    `is_whole` False: the text still arrives; what may become a call is held back. `settled`: how much of it was shown
    before.
    """
    if not names:
        return Reading(shown=text)
    for opening in islice(_OPENING.finditer(text, settled), MOST_CANDIDATES):
        before = text[: opening.start()]
        if opening["tag"]:
            calls = _numbered(_tagged(text[opening.start("tag") :], names)) if is_whole else ()
            return Reading(shown=before, calls=calls, is_broken=is_whole and not calls)
        begin = opening.start("json")
        body = text[begin : begin + LONGEST_CALL]
        if not is_whole and len(body) < HELD:
            return Reading(shown=before)
        if not _names_tool(body[:HELD], names):
            continue
        if not is_whole:
            return Reading(shown=before)
        value, end = _decoded(body) or (_repaired(body), len(body))
        after = text[begin + end :][_closing(text[begin + end :]) :]
        if before.strip() and after:
            continue  # an example within an explanation
        calls = _numbered([*_made(value, names), *_tagged(after, names)])
        return Reading(shown=before, calls=calls, is_broken=not calls)
    if is_whole:
        return Reading(shown=text)
    beginning = _BEGINNING.search(text, max(settled, len(text) - _LONGEST_BEGINNING))
    return Reading(shown=text[: beginning.start()] if beginning else text)


def _tagged(text: str, names: Collection[str]) -> Iterator[ToolCall]:
    """The calls that a text consists of; each is at least a character of it."""
    for _ in range(MOST_CALLS):
        text = text[_closing(text) :]
        body = text[:LONGEST_CALL]
        if function := _FUNCTION.match(body):
            values = {one["name"]: one["value"].strip() for one in _PARAMETER.finditer(function["body"])}
            value: object = {"name": function["name"], "arguments": values or function["body"].strip() or "{}"}
            text = text[function.end() :]
        elif body[:1] in ("{", "["):
            value, end = _decoded(body) or (_repaired(body), len(body))
            text = text[end:]
        else:
            return
        yield from _made(value, names, is_tagged=True)


def _decoded(text: str) -> tuple[object, int] | None:
    """The JSON at the beginning of a text, and where it ends."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text) if "}" in text else None
    except (ValueError, RecursionError):
        return None


def _repaired(text: str) -> object:
    """The JSON that a text was meant to be; None where that is not to be told, or would take long."""
    if len(text) > LONGEST_REPAIRED:
        return None
    text = text.rstrip()
    for closing in ("```", "~~~", "</tool_call>"):
        text = text.removesuffix(closing)
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):  # nested too deeply
        return None


def _closing(text: str) -> int:
    closing = _CLOSING.match(text)
    return closing.end() if closing else 0


def _names_tool(text: str, names: Collection[str]) -> bool:
    """Whether a text names one of the tools where a call does."""
    named = rf"[\"']?(?:{'|'.join(_NAMES)})[\"']?\s*:\s*[\"']?(?:{'|'.join(map(re.escape, sorted(names)))})\b"
    return re.search(named, text) is not None


def _made(value: object, names: Collection[str], *, is_tagged: bool = False, depth: int = 0) -> Iterator[ToolCall]:
    """The calls in parsed JSON. Within a tag any name is one."""
    if isinstance(value, list) and depth < DEEPEST:
        for one in value[:MOST_CALLS]:
            yield from _made(one, names, is_tagged=is_tagged, depth=depth + 1)
    if not isinstance(value, Mapping):
        return
    if inner := next((value[key] for key in _WRAPPERS if isinstance(value.get(key), list | Mapping)), None):
        if depth < DEEPEST:
            yield from _made(inner, names, is_tagged=is_tagged, depth=depth + 1)
        return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if name not in names and (not is_tagged or not name or given is None):
        return
    if given is None:
        given = {key: one for key, one in value.items() if key not in _KEYS}
    written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    decoded = _decoded(written)
    if decoded is not None and isinstance(decoded[0], Mapping):
        yield ToolCall(id="", name=name, arguments=written[: LONGEST_ARGUMENTS + 1])


def _numbered(calls: Iterator[ToolCall] | list[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(id=f"call_{number}", name=call.name, arguments=call.arguments)
        for number, call in enumerate(islice(calls, MOST_CALLS))
    )
