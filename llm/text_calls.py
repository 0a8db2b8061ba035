"""Calls of tools that a model wrote as text: bare JSON, fenced, with doubled braces, in tags, or as code. Pure.

Many small models, and servers without a parser for their model, call tools this way. Owns how such calls are
recognised, also in the beginning of one while an answer still arrives. Does not know what a tool does.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from llm.tool_calls import LONGEST_ARGUMENTS, MOST_CALLS
from records.model_calls import ToolCall

MOST_CANDIDATES = 200
"""Places in an answer that are looked at as the beginning of a call; an answer with more is a program, not a call."""
LONGEST_CALL = 2 * LONGEST_ARGUMENTS
"""Characters of an answer that are read as one call: its arguments, twice as long where much in them is escaped."""
LONGEST_OPENING = 2_000
"""Characters at the beginning of what cannot be read, in which it may name a tool."""
DEEPEST = 3
"""Lists and wrappers around a call that are opened."""
MOST_DECODED = 16
"""Places of one text at which something that looks like a call is read in every way there is, and is none after all."""
MISSING_ENDS = ("", "}", "}}", "]", "}]", "}}]")
"""What small models forget at the end of a call."""

_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "kwargs", "params")
_WRAPPER_KEYS = ("tool_calls", "tool_call", "function_call", "calls", "tools", "tool_uses")
_OTHER_KEYS = ("id", "type", "index", "thought", "thoughts")
_CALL_KEYS = frozenset((*_NAME_KEYS, *_ARGUMENT_KEYS, *_WRAPPER_KEYS, *_OTHER_KEYS))

_TAGS = ("<tool_call", "<tools", "<tool_use", "<function", "<invoke", "<|python_tag|>", "<|tool_call", "[TOOL_CALLS]")
_TAG = re.compile(
    r"<(?:tool_calls?|tools|tool_use|function_calls?)\b[^>\n]*>|<\|(?:python_tag|tool_calls?(?:_begin)?)\|>"
    r"|\[TOOL_CALLS\]",
    re.IGNORECASE,
)
_FUNCTION = re.compile(r"<(?P<tag>function|invoke)(?:=|\s+name=)[\"']?(?P<name>[\w.-]+)[\"']?\s*>")
_PARAMETER = re.compile(
    r"<parameter(?:=|\s+name=)[\"']?(?P<name>[\w.-]+)[\"']?\s*>(?P<value>.*?)</parameter>", re.DOTALL
)
_FENCE = re.compile(r"(?:```|~~~)[ \t]*\w*[ \t]*\n?")
_CLOSING = re.compile(
    r"(?:\s|,|;|```|~~~|</?\|?(?:tool_calls?|tools|tool_use|function_calls?|function|invoke)\|?>|<\|\w+\|>|[}\]])*"
)
_LONGEST_CLOSING = 40
_LAST_CLOSING = re.compile(r"(?:```|~~~|</[\w|]+>)\Z")
_CANDIDATE = re.compile(r"<|\[TOOL|\{|^[ \t]*[\[`~]|\A\s*[A-Za-z_]", re.MULTILINE)
_FIRST_KEY = re.compile(r"[\[{\s]{0,40}(?P<quote>[\"']?)(?P<key>[\w.-]{1,60})(?P=quote)\s*:\s*")
_BEFORE_FIRST_KEY = re.compile(r"[\[{\s]{0,40}(?:[\"'][^\"'\n]{0,60}[\"']?\s*|\w{0,60})")
_STRING = re.compile(r"[\"'](?P<value>[^\"'\\]{0,80})[\"']")
_CODE = re.compile(r"\s*\[?\s*(?:print\()?(?P<name>[A-Za-z_]\w{0,63})(?P<open>\()?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """An answer's text as it may be shown: without calls, and without what may become one while it arrives.

    `calls`: the calls that were written. `is_broken`: a tool is called in a way that cannot be read.
    `settled`: characters in which no call begins, whatever follows them.
    """

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False
    settled: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """What begins at a place. `end`: where it ends, counted from that place. `was_decoded`: that took some work."""

    kind: Literal["nothing", "undecided", "calls", "broken"]
    calls: tuple[ToolCall, ...] = ()
    end: int = 0
    is_tagged: bool = False
    was_decoded: bool = False


_NOTHING, _UNDECIDED = _Found(kind="nothing"), _Found(kind="undecided")
_NO_CALL = _Found(kind="nothing", was_decoded=True)


def read(text: str, names: Collection[str], *, is_whole: bool, settled: int = 0) -> Reading:
    """What of a text is a call of the tools with these names; nothing is one where there are no names.

    `is_whole` False: the text still arrives; what may become a call is held back. `settled`: that of the last reading,
    where this text is longer.
    """
    if not names:
        return Reading(shown=text)
    is_sure, decoded = True, 0
    for candidate in islice(_CANDIDATE.finditer(text, settled), MOST_CANDIDATES):
        start = candidate.start()
        before = text[:start]
        found = _at(text[start : start + LONGEST_CALL], names, is_whole=is_whole, is_first=not before.strip())
        if found.kind == "nothing":
            settled = candidate.end() if is_sure else settled
            decoded += found.was_decoded
            if decoded == MOST_DECODED:
                return Reading(shown=text, settled=settled)
            continue
        if found.kind == "undecided":
            return Reading(shown=before, settled=settled)
        is_sure = False
        after = text[start + found.end :]
        # While it arrives, the first characters after a call may be those of its closing fence.
        is_last = (
            len(after.strip()) < (1 if is_whole else 4)
            if found.kind == "calls"
            else text.rstrip()[-1:] in ("}", "]", "`", ")")
        )
        if before.strip() and not found.is_tagged and not is_last:
            continue  # an example within an explanation
        if found.kind == "broken":
            return Reading(shown=before, is_broken=True, settled=settled)
        return Reading(shown=before, calls=_numbered([*found.calls, *_more(after, names)]), settled=settled)
    return Reading(shown=text, settled=max(settled, _without_beginnings(text)) if is_sure else settled)


def _without_beginnings(text: str) -> int:
    """Characters of a text that holds no call so far in which none begins, whatever follows: what may still become an
    indented bracket or fence, or "[TOOL", is left out.
    """
    line = text.rfind("\n") + 1
    if text[line:].strip(" \t"):
        return max(0, len(text) - len("[TOOL") + 1)
    return line if text[:line].strip() else 0


def _numbered(calls: list[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(id=f"call_{number}", name=call.name, arguments=call.arguments)
        for number, call in enumerate(calls[:MOST_CALLS])
    )


def _more(rest: str, names: Collection[str]) -> Iterator[ToolCall]:
    """The calls that follow a call at once; each is at least a character of the rest."""
    for _ in range(MOST_CALLS):
        found = _at(rest[:LONGEST_CALL], names, is_whole=True, is_first=True)
        if found.kind != "calls":
            return
        yield from found.calls
        rest = rest[found.end :]


def _at(text: str, names: Collection[str], *, is_whole: bool, is_first: bool) -> _Found:
    """What begins with this text. `is_first`: nothing was said before it."""
    inner = text.lstrip()
    is_tagged = False
    for _ in range(DEEPEST):
        if opening := _TAG.match(inner):
            is_tagged = True
        else:
            opening = _FENCE.match(inner)
        if opening is None:
            break
        inner = inner[opening.end() :].lstrip()
    if not is_whole and (not inner or (not is_tagged and _may_become_tag(inner))):
        return _UNDECIDED
    if function := _FUNCTION.match(inner):
        found = _function(inner, function, is_whole=is_whole)
    elif inner[:1] in ("{", "["):
        found = _json(inner, names, is_whole=is_whole, is_tagged=is_tagged)
    elif not is_tagged and is_first:
        found = _code(inner, names, is_whole=is_whole)
    else:
        found = _unread(is_whole=is_whole, is_tagged=is_tagged)
    if found.kind == "calls":
        end = len(text) - len(inner) + found.end
        closing = _CLOSING.match(text, end)
        end = closing.end() if closing else end
        return _Found(kind="calls", calls=found.calls, end=end, is_tagged=is_tagged or found.is_tagged)
    return found


def _unread(*, is_whole: bool, is_tagged: bool) -> _Found:
    """What is no call as far as it can be read: within a tag it was meant as one."""
    if not is_tagged:
        return _NOTHING
    return _Found(kind="broken", is_tagged=True) if is_whole else _UNDECIDED


def _may_become_tag(text: str) -> bool:
    """Whether this is all that has arrived of a tag or a fence."""
    start = text.lower()
    if start[0] in "`~":
        return re.fullmatch(r"(?:`{1,3}|~{1,3})[ \t]*\w*", start) is not None
    return any(tag.lower().startswith(start) for tag in _TAGS) or (
        start.startswith(("<function=", "<function ", "<invoke ", "<tool_", "<|"))
        and ">" not in start
        and len(start) < 80
    )


def _function(text: str, opening: re.Match[str], *, is_whole: bool) -> _Found:
    """<function=name>{…}</function>, or with a <parameter=…> for each argument."""
    closing = f"</{opening['tag']}>"
    end = text.find(closing)
    if end < 0 and not is_whole:
        return _UNDECIDED
    body = text[opening.end() : end if end >= 0 else len(text)]
    values = {one["name"]: one["value"].strip() for one in _PARAMETER.finditer(body)}
    if not values and body.strip():
        decoded = _decoded(body.strip())
        if decoded is None or not isinstance(decoded[0], dict):
            return _Found(kind="broken", is_tagged=True)
        values = decoded[0]
    call = _call(opening["name"], values)
    last = end + len(closing) if end >= 0 else len(text)
    return _Found(kind="calls", calls=(call,), end=last, is_tagged=True)


def _json(text: str, names: Collection[str], *, is_whole: bool, is_tagged: bool) -> _Found:
    key = _FIRST_KEY.match(text)
    if key is None:
        if not is_whole and _BEFORE_FIRST_KEY.fullmatch(text):
            return _UNDECIDED
        if text.startswith("[") and (code := _code(text, names, is_whole=is_whole)).kind != "nothing":
            return code
        return _unread(is_whole=is_whole, is_tagged=is_tagged)
    if not is_tagged and not _may_be_call(text, key, names):
        return _NOTHING
    ends = MISSING_ENDS if is_whole else MISSING_ENDS[:1]
    decoded = _decoded(text, ends) if is_whole or "}" in text else None
    if decoded is None:
        if not is_whole:
            return _UNDECIDED
        return _Found(kind="broken", is_tagged=is_tagged) if is_tagged or _names_tool(text, names) else _NO_CALL
    value, end = decoded
    calls = list(_calls(value, names, is_tagged=is_tagged, depth=0))
    if not calls:
        return _unread(is_whole=is_whole, is_tagged=is_tagged)
    if any(_is_description(call.arguments) for call in calls):
        return _Found(kind="broken", is_tagged=is_tagged)
    return _Found(kind="calls", calls=tuple(calls[:MOST_CALLS]), end=end)


def _may_be_call(text: str, key: re.Match[str], names: Collection[str]) -> bool:
    """Whether an object with this first key may be a call, as far as it can be told."""
    if key["key"] in names:
        return True
    if key["key"] not in (_CALL_KEYS if key["quote"] else _NAME_KEYS):
        return False
    value = _STRING.match(text, key.end()) if key["key"] in _NAME_KEYS else None
    return value is None or _bare(value["value"]) in names


def _names_tool(text: str, names: Collection[str]) -> bool:
    """Whether a text that is no JSON names one of the tools where a call does."""
    known = "|".join(map(re.escape, sorted(names)))
    keys = "|".join(_NAME_KEYS)
    named = rf"[\"']?(?:{keys})[\"']?\s*[:=]\s*[\"']?(?:functions?\.)?(?:{known})\b|[{{,]\s*[\"'](?:{known})[\"']\s*:"
    return re.search(named, text[:LONGEST_OPENING]) is not None


def _decoded(text: str, endings: Sequence[str] = MISSING_ENDS) -> tuple[Any, int] | None:
    """The JSON at the beginning of a text, and where it ends; with doubled braces, without its last ones, or as Python
    writes it.
    """
    forms = [text]
    if "{{" in text:
        forms.append(text.replace("{{", "{").replace("}}", "}"))
    decoder = json.JSONDecoder(strict=False)
    for form in forms:
        unclosed = _without_closing(form)
        for ending in endings:
            try:
                value, end = decoder.raw_decode(unclosed + ending if ending else form)
            except ValueError:
                continue
            except RecursionError:
                return None
            # Where braces were mended the end is not that of the text: all of it was the call.
            return value, end if form is text and not ending else len(text)
    try:
        return ast.literal_eval(_without_closing(text)[:LONGEST_ARGUMENTS]), len(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _without_closing(text: str) -> str:
    """A text without a fence or tag after it, to which forgotten braces can be added."""
    while True:  # each round takes something away
        text = text.rstrip()
        end = _LAST_CLOSING.search(text, max(0, len(text) - _LONGEST_CLOSING))
        if end is None:
            return text
        text = text[: end.start()]


def _calls(value: object, names: Collection[str], *, is_tagged: bool, depth: int) -> Iterator[ToolCall]:
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for one in value[:MOST_CALLS]:
            yield from _calls(one, names, is_tagged=is_tagged, depth=depth + 1)
        return
    if not isinstance(value, Mapping):
        return
    for key in _WRAPPER_KEYS:
        if isinstance(value.get(key), list | Mapping):
            yield from _calls(value[key], names, is_tagged=is_tagged, depth=depth + 1)
            return
    if isinstance(value.get("function"), Mapping):
        yield from _calls(value["function"], names, is_tagged=is_tagged, depth=depth + 1)
        return
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None:
        if len(value) == 1 and (only := next(iter(value))) in names and isinstance(value[only], Mapping):
            yield _call(only, value[only])
        return
    given = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if _bare(name) not in names and not (is_tagged and given is not None):
        return
    if given is None:
        given = {key: one for key, one in value.items() if key not in _NAME_KEYS and key not in _OTHER_KEYS}
    yield _call(name, given)


def _call(name: str, arguments: object) -> ToolCall:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(id="", name=_bare(name), arguments=written[: LONGEST_ARGUMENTS + 1] or "{}")


def _bare(name: str) -> str:
    return re.sub(r"\A(?:functions?|tools?)\.", "", name.strip())


def _is_description(arguments: str) -> bool:
    """Whether the arguments are the tool's own schema, repeated instead of filled in."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("type") == "object" and isinstance(value.get("properties"), dict)


def _code(text: str, names: Collection[str], *, is_whole: bool) -> _Found:
    """name(argument="…"), which some models write, as the whole answer."""
    begun = _CODE.match(text)
    if begun is None:
        return _NOTHING
    if begun["name"] not in names or not begun["open"]:
        may_become = begun.end() == len(text) and any(name.startswith(begun["name"]) for name in ("print", *names))
        return _UNDECIDED if may_become and not is_whole else _NOTHING
    if not is_whole:
        return _UNDECIDED
    end = text.rfind(")") + 1
    try:
        tree = ast.parse(text[begun.start("name") : end][:LONGEST_ARGUMENTS].rstrip(")") + ")", mode="eval").body
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            given = {one.arg: ast.literal_eval(one.value) for one in tree.keywords if one.arg}
            return _Found(kind="calls", calls=(_call(tree.func.id, given),), end=end)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    return _Found(kind="broken")
