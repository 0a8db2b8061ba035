"""Finds tool calls that a model wrote as text, since its server has no parser for them: in JSON, XML or Python."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from llm.meant_json import parse_lenient_json
from llm.thoughts import is_mark_mentioned
from llm.tool_calls import MAX_ARGUMENTS_CHARS, MAX_CALLS
from records.model_calls import ToolCall

MAX_CANDIDATES = 20  # possible beginnings of a call; an answer with more is a program
HELD = 100  # characters of a JSON object within which a call names its tool
MAX_CALL_CHARS = 2 * MAX_ARGUMENTS_CHARS  # since much of the arguments may be escaped
DEEPEST = 3  # lists and wrappers around a call that are opened

_OWN_NAMES = ("name", "tool", "tool_name", "function")  # keys that name a tool next to its arguments, even flat ones
_NAMES = (*_OWN_NAMES, "action", "command")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_WRAPPER = re.compile("tool|func|call|command|action", re.IGNORECASE)
_NAMED = re.compile(r"[:{\[,]\s*[\"']?(?:functions?\.)?([\w-]{1,64})")

_FENCE = r"(?:```|~~~)[ \t]*+\w*+\s*+"
_OPENING = re.compile(
    rf"(?:^[ \t]*{_FENCE})?(?P<tag><tool_call>|<function=|\[TOOL_(?:CALLS|REQUEST)\])"
    rf"|^[ \t]*(?:{_FENCE}|[a-z]{{1,12}}(?=\[))?(?P<json>(?:\[\s*)?\{{)",
    re.MULTILINE | re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:^[ \t]*(?:`{1,3}|~{1,3})[ \t]*\w*\s*|^[ \t]*)?(?:<[a-z_=:.-]{0,40}|\[[a-z_]{0,11}\s*)?\Z",
    re.MULTILINE | re.IGNORECASE,
)  # the beginning of an opening that still arrives
_MARKED = re.compile(
    r"<(?:[|｜]|(?:[\w:.-]{0,29}[:._-])?(?:tools?|invoke|functions?)(?:calls?)?(?=[\s>=_])|(?P<tag>\w{3,40})>)"
    r"|```tool|\[(?=[a-z_]{3,40}\()",
    re.IGNORECASE,
)  # the beginning of a mark of a chat template, of an element, or of a list of calls
MARKED = 300  # characters behind a mark within which a call names its tool
# A word behind a mark or at the beginning of a line, with no other word next to it.
_PLACED = re.compile(r"[^\w \t.,;!?]\s{0,9}(?:\w{1,30}\.){0,2}(\w{1,64})(?![^\S\n]+[^\W\d_])")
_CODE_IN_SENTENCE = re.compile(r"(?<!`)`[^`\n]{1,300}`[^`\n]*\w")
_ESCAPED_QUOTE = re.compile(r"<escape>|<\|\"\|>")  # FunctionGemma, Gemma 4
_INVOKED = re.compile(
    r"<[^<>\n]{0,40}\b(?P<kind>invoke|function|function_call|tool|tool_call)(?:\s+name)?=[\"']?(?P<name>[\w.-]{1,64})[\"']?"
    r"[^<>\n]{0,80}>(?P<body>.*?)(?:</[^<>\n]{0,40}(?P=kind)>|\Z)",
    re.DOTALL,
)
_ELEMENT = re.compile(r"<(?P<name>\w{3,40})>(?P<body>\s*<.*?)</(?P=name)>", re.DOTALL)
_GLM = re.compile(
    r"<[\w:.-]{0,20}tool_call>\s*(?P<name>[\w.-]{1,64})\s*(?P<body>(?:<[\w:.-]{0,20}arg_key>.*?)?)"
    r"(?:</[\w:.-]{0,20}tool_call>|\Z)",
    re.DOTALL,
)
_GIVEN = re.compile(
    r"<[^<>\n]{0,40}\bparam\w{0,10}(?:\s+name)?=[\"']?(?P<key>[\w.-]{1,64})[\"']?(?P<about>[^<>\n]{0,80})"
    r"(?:/>|>(?P<value>[^<]*)</)"
    r"|<[\w:.-]{0,20}arg_key>(?P<glm_key>[^<]{1,64})</[^<>]{1,40}>\s*<[\w:.-]{0,20}arg_value>(?P<glm_value>[^<]*)</"
    r"|<(?P<leaf>[a-z_]{1,64})>(?P<leaf_value>[^<]*)</(?P=leaf)>"
)
_VALUE = re.compile(r"\bvalue=([\"'])(.*?)\1")
_MARK_WORDS = (
    "function", "functions", "functools", "action", "actions", "tool", "tools", "tool_code", "call", "calls", "calling",
    "print", "name", "type", "json", "commentary", "to", "await", "return", "input", "arguments", "parameters", "args",
)  # fmt: skip
_ONLY_MARKS = re.compile(
    rf"(?:(?:```|~~~)\w*|<[^<>\n]{{0,60}}>?|[^\w\n.!?)]|\b(?:{'|'.join(_MARK_WORDS)})\b"
    r"|\b\w{1,30}(?=[ \t]*=[^=])|\b\w{1,30}\.(?!\s))*+",
    re.IGNORECASE,
)  # text on a line that says nothing to a person
_NAME = re.compile(r"(?<![\w-])(?:\w{1,30}\.){0,2}(?P<name>[a-z][a-z_]{2,39})(?::\d{1,3})?\b")
_NEAR_OBJECT = re.compile(
    r"(?!\s{0,9}=)(?:[^\w{}()]{1,60}(?:(?:arguments?|args?|action|inputs?|parameters?|json|with)\b|\w{1,40}(?=[\[\]<>|｜▁]))){0,8}"
    r"[^\w{}()]{0,60}(?:\(\s{0,9})?(?P<opening>\{|\((?=\s*\w{1,40}\s*=))",
    re.IGNORECASE,
)  # arguments with only marks in front of them; a word next to a bracket is a mark
MAX_CLOSINGS = 20  # brackets at which a call of Python is tried to end
_MARKS = re.compile(r"```\w*|~~~\w*|</?tool_call>|\[/?(?:END_)?TOOL_(?:CALLS|REQUEST)\]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class CallReading:
    """The visible part of an answer and its tool calls. `is_broken` is True if a call cannot be parsed."""

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def find_written_calls(text: str, names: Set[str], *, is_whole: bool, settled: int = 0) -> CallReading:
    """Find tool calls in a text. Unless `is_whole`, hide the beginning of a call after `settled` characters."""
    if not names:
        return CallReading(shown=text)
    mark = _MARKED.search(text, settled)
    for opening in islice(_OPENING.finditer(text, settled), MAX_CANDIDATES):
        is_tagged = opening["tag"] is not None
        if not is_tagged and mark and mark.start() < opening.start():
            break
        before = _cut_last_marks(text[: opening.start()], (), settled)
        body = text[opening.start("tag" if is_tagged else "json") :]
        may_go_on = not is_whole and len(body) < HELD
        if not is_tagged and not may_go_on and names.isdisjoint(_NAMED.findall(body[:HELD])):
            continue
        if not is_whole:
            return CallReading(shown=before)
        found = _find_calls_in_json(_parse_value(body[:MAX_CALL_CHARS]), names, is_tagged=is_tagged)
        calls = list(islice(found, MAX_CALLS)) or _find_calls(body, names)
        if calls or not (
            is_mark_mentioned(text, opening.start("tag"), opening.end("tag"))
            if is_tagged
            else _is_other_json(body, names)
        ):
            return _make_reading(before, calls)
    if (marked := _read_marked_call(text, names, is_whole=is_whole, settled=settled)) is not None:
        return marked
    if is_whole:
        return CallReading(shown=text)
    beginning = _BEGINNING.search(text, max(settled, len(text) - 60))
    return CallReading(shown=_cut_last_marks(text[: beginning.start()] if beginning else text, names, settled))


def _read_marked_call(text: str, names: Set[str], *, is_whole: bool, settled: int) -> CallReading | None:
    marks = (mark for mark in _MARKED.finditer(text, settled) if not mark["tag"] or mark["tag"] in names)
    for mark in islice(marks, MAX_CANDIDATES):
        before, body = _cut_last_marks(text[: mark.start()], (), settled), text[mark.start() :]
        if any(name in names for name in re.findall(r"\w+", body[:MARKED])):
            if not is_whole:
                return CallReading(shown=before)
            calls = _find_calls(body, names)
            is_call = not (mark["tag"] or names.isdisjoint(_PLACED.findall(body[:MARKED])))
            if calls or (is_call and not is_mark_mentioned(text, mark.start(), mark.end())):
                return _make_reading(before, calls)
            break
        if not is_whole and len(body) < MARKED:
            return CallReading(shown=before)
    for start, _, _ in _find_named_openings(text, names, settled):
        if not _ONLY_MARKS.fullmatch(text[:start].rpartition("\n")[2]) or (
            start and _CODE_IN_SENTENCE.match(text, start - 1)
        ):
            continue  # within a sentence it is talked about
        before = _cut_last_marks(text[:start], (), settled)
        if _is_within_program(before):
            continue
        calls = _find_calls(text[start:], names)
        if not is_whole or calls:
            return _make_reading(before, calls) if is_whole else CallReading(shown=before)
    return None


def _is_within_program(text: str) -> bool:
    *others, code = re.split(r"^[ \t]*(?:```|~~~).*$", text, flags=re.MULTILINE)
    return len(others) % 2 == 1 and any(
        line.strip() and not line.lstrip().startswith(("#", "//")) for line in code.split("\n")
    )


def _find_named_openings(text: str, names: Collection[str], start: int) -> Iterator[tuple[int, str, int]]:
    for named in _NAME.finditer(text, start):
        if named["name"] in names and (near := _NEAR_OBJECT.match(text, named.end())):
            yield named.start(), named["name"], near.start("opening")


def _cut_last_marks(text: str, names: Collection[str] = (), settled: int = 0) -> str:
    """Remove trailing lines that consist of marks, optionally with the beginning of one of `names`."""
    start = max(0, len(text) - MARKED)
    lines, is_cut = text[start:].split("\n"), False
    while lines and (not is_cut or lines[-1].strip()):
        marks = _ONLY_MARKS.match(lines[-1])
        rest = lines[-1][marks.end() if marks else 0 :].rstrip(" \t()[]{}:*`'\"").lower()
        if rest and not any(word.startswith(rest) for word in (*names, *(_MARK_WORDS if names else ()))):
            break
        lines.pop()
        is_cut = True
    return text[: max(settled, start + sum(len(line) + 1 for line in lines))] if is_cut else text


def _make_reading(shown: str, found: Iterable[tuple[str, str]]) -> CallReading:
    calls = tuple(
        ToolCall(id=f"call_{number}", name=name, arguments=arguments) for number, (name, arguments) in enumerate(found)
    )
    return CallReading(shown=shown, calls=calls, is_broken=not calls)


def _find_calls(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    text = _ESCAPED_QUOTE.sub('"', text[:MAX_CALL_CHARS])
    found = [
        (invoked["name"], json.dumps(_find_arguments(invoked["body"]), ensure_ascii=False))
        for invoked in [*_INVOKED.finditer(text), *_GLM.finditer(text), *filter(None, [_ELEMENT.match(text)])]
        if invoked["name"] in names
    ]
    if found:
        return found[:MAX_CALLS]
    place = 0
    for start, name, opening in islice(_find_named_openings(text, names, 0), MAX_CANDIDATES):
        if start < place:  # within the arguments of the call before
            continue
        parse = _parse_object if text[opening] == "{" else _parse_keywords
        arguments, place = parse(text, opening)
        if arguments is not None:
            found.append((name, json.dumps(arguments, ensure_ascii=False)[: MAX_ARGUMENTS_CHARS + 1]))
    return found[:MAX_CALLS]


def _find_arguments(body: str) -> Mapping[str, object]:
    if body.lstrip().startswith("{"):
        return _parse_object(body, body.index("{"))[0] or {}
    given: dict[str, object] = {}
    for found in _GIVEN.finditer(body):
        about = found["about"] or ""
        value = found["value"] or found["glm_value"] or found["leaf_value"] or ""
        if attribute := _VALUE.search(about):
            value = attribute[2]
        key = found["key"] or found["glm_key"] or found["leaf"]
        given[key.strip()] = value.strip()
        if 'string="true"' not in about:
            with suppress(ValueError, RecursionError):
                given[key.strip()] = json.loads(value)
    return given


def _is_other_json(text: str, names: Collection[str]) -> bool:
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    parts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, Mapping)]
    return not any(str(part.get(key)) in names for part in parts for key in _OWN_NAMES)


def _parse_object(text: str, start: int) -> tuple[Mapping[str, object] | None, int]:
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        end = text.rfind("}") + 1
        value = parse_lenient_json(text[start:end]) or None  # of a program's block nothing is left
    return (value, end) if isinstance(value, Mapping) else (None, start)


def _parse_keywords(text: str, start: int) -> tuple[Mapping[str, object] | None, int]:
    for closing in islice(re.finditer(r"\)", text[start : start + MAX_ARGUMENTS_CHARS]), MAX_CLOSINGS):
        end = start + closing.end()
        try:
            call = ast.parse(f"f{text[start:end]}", mode="eval").body
            if text[end:].lstrip().startswith(("{", ":")):
                return None, start  # the definition of a function
            if isinstance(call, ast.Call) and not call.args and all(keyword.arg for keyword in call.keywords):
                return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}, end
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, SystemError):  # all of ast.parse
            continue
    return None, start


def _parse_value(text: str) -> object:
    text = re.sub(r"\}\s*\{", "},{", _MARKS.sub("\n", text))
    return parse_lenient_json(f"[{text}]")


def _find_calls_in_json(
    value: object, names: Collection[str], *, is_tagged: bool, depth: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield the name and JSON arguments of each call in parsed JSON. If `is_tagged`, accept any name."""
    if isinstance(value, list) and depth < DEEPEST:
        for part in value[:MAX_CALLS]:
            yield from _find_calls_in_json(part, names, is_tagged=is_tagged, depth=depth + 1)
    if not isinstance(value, Mapping):
        return
    strings = {key: given.removeprefix("functions.") for key, given in value.items() if isinstance(given, str)}
    name = next((strings[key] for key in _NAMES if key in strings), "")
    if name not in names:
        name = next((text for text in strings.values() if text in names), name)
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if given is None:
        objects = [part for part in value.values() if isinstance(part, Mapping)]
        given = objects[0] if len(objects) == 1 else None
    if name not in names and depth < DEEPEST:
        for key, part in value.items():
            if key in names and isinstance(part, Mapping):
                yield key, json.dumps(part, ensure_ascii=False)[: MAX_ARGUMENTS_CHARS + 1]
                return
            if _WRAPPER.search(key) and isinstance(part, list | Mapping):
                yield from _find_calls_in_json([part], names, is_tagged=is_tagged, depth=depth + 1)
                return
    if name not in names and (not is_tagged or not name or given is None):
        return
    if given is None:
        if name not in (strings.get(key) for key in _OWN_NAMES):
            return
        given = {key: part for key, part in value.items() if key not in (*_NAMES, "type", "id")}
    written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    try:
        is_object = isinstance(json.loads(written, strict=False), Mapping)
    except (ValueError, RecursionError):
        is_object = False
    if is_object:
        yield name, written[: MAX_ARGUMENTS_CHARS + 1]
