"""Parses tool calls in JSON, XML, YAML or Python, each from the name of a known tool to the end of its arguments."""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import islice

from llm.meant_json import decode_json_and_find_end, parse_json_leniently, parse_json_or_none
from llm.tool_calls import MAX_ARGUMENTS_CHARS, MAX_CALLS, to_snake_case
from records.model_calls import ToolCall

Names = Mapping[str, Sequence[str]]  # tools, each with the names of its parameters, as far as they are known
Arguments = Mapping[str, object]

MAX_CALL_CHARS = 2 * MAX_ARGUMENTS_CHARS  # since much of the arguments may be escaped
MAX_NAMES = 20  # mentions of a tool at which a call is looked for; an answer with more is a program
MAX_DEPTH = 6  # nesting levels of JSON in which calls are looked for
MAX_CLOSINGS = 20  # brackets at which a call of Python is tried to end
MAX_GAP = 100  # characters between the elements of two arguments

_ARGUMENTS = ("arguments", "parameters", "args", "input")
_OWN_NAMES = ("name", "tool", "tool_name", "function")  # keys that name a tool next to its arguments, even flat ones
_WRAPPER = re.compile("tool|func|call|command|action", re.IGNORECASE)  # in the key of an object that contains a call
_ESCAPED_QUOTE = re.compile(r"<escape>|<\|\"\|>|<ctrl46>")  # FunctionGemma, Gemma 4, Gemini
_NAMESPACE = re.compile(r"\]<\]\w{1,20}\[>\[")  # in front of each element of MiniMax M3
_BEGINNING_OF_JSON = re.compile(r"\[\s*\{|\{")
_NAME = re.compile(
    r"(?<![\w-])(?:\w{1,30}\.(?!call\b)){0,2}"
    r"(?P<name>(?:[a-z]|[A-Z][a-z]{1,20}(?=[A-Z]))[a-zA-Z_-]{2,39})(?::\d{1,3})?\b"
)
# The bracket that opens the arguments, behind marks alone. A word next to a bracket is a mark.
NEAR_OBJECT = re.compile(
    r"""(?!\s{1,9}=|=\s) (?: \.call\b | \) | \ ?\([^\n(){}="']{1,60}\)(?=[\]:]) )?
    (?: [^\w{}()]{1,60}
        (?: (?:arguments?|args?|action|inputs?|parameters?|commentary|json|code|with|参数)\b
          | \w{1,40}(?::\w{1,20}){0,2}(?=[\[\]<>|｜▁]) )
    ){0,8}
    [^\w{}()]{0,60} (?:\(\s{0,9})?
    (?P<opening> \{ | \((?=\s*(?:\w{1,40}\s*[:=]|["'\d\[-])) )""",
    re.IGNORECASE | re.VERBOSE,
)
_ARGUMENT = re.compile(
    r"""(?<![\w./-]) (?P<flag>--)? (?P<key>[\w-]{1,64})
    (?: (?(flag)[ =]|[ \t]*=)[ \t]* (?P<attribute>"[^"]*"|'[^']*'|[^\s,/<>"'\])]+)
      | :[ \t]*(?P<line>[^\n]*)    # of YAML
      | ["']? (?P<about>\s[^<>\n]{0,80})?
        # the ends of other elements: its name's and its type's
        (?:</[^<>]{1,40}>\s*(?:<[^<>]{1,20}type>\w{1,20}</[^<>]{1,20}>)?){0,2}
        (?: /> | (?:<[^<>\n]{1,20})?>
          (?P<element>(?:    # HTML, but no mark of a call
            [^<]
          | <(?! /{0,2}\s{0,2}[|｜‖] | /{0,2}[\w:.|｜-]{0,20}(?:param|arg|val|invo|func|tool|call) | /(?P=key)\b )
          )*+) (?:<|\Z) )
    )""",
    re.VERBOSE,
)
_CODE_CLOSING = re.compile(r"\)(?!\s*[{:])")  # not of the definition of a function
_QUOTED = re.compile(r"^(?:([\"'])([^\"']*)\1|<!\[CDATA\[(.*)\]\]>)$", re.DOTALL)
_WORDS = re.compile(r"[^\s<>/\"',:={\w]|\b(?!\w{0,20}(?:arg|param|input|action))\w", re.IGNORECASE)  # no call has them
_VALUE_ATTRIBUTE = re.compile(r"\bvalue=([\"'])(.*?)\1")


def find_tool_names(text: str, names: Names, start: int = 0) -> "Iterator[re.Match[str]]":
    return islice((named for named in _NAME.finditer(text, start) if named["name"] in names), MAX_NAMES)


def parse_calls(text: str, names: Names) -> tuple[ToolCall, ...]:
    """Return a text's JSON tool calls or, if there are none, calls written as a tool name followed by arguments."""
    text = text[:MAX_CALL_CHARS]
    found = list(_find_calls_in_json(_parse_all_json(text), names)) or _find_named_calls(text, names)
    dumped = ((name, json.dumps(given, ensure_ascii=False)[: MAX_ARGUMENTS_CHARS + 1]) for name, given in found)
    return tuple(
        ToolCall(id=f"call{number:05}", name=to_snake_case(name), arguments=given)
        for number, (name, given) in enumerate(islice(dumped, MAX_CALLS))
    )


def _parse_all_json(text: str) -> object:
    """Parse the JSON values in a text as one list, with anything between them. The first damaged one is the last."""
    values, place = list[object](), 0
    while beginning := _BEGINNING_OF_JSON.search(text, place):  # ends: each value has a character
        value, place = decode_json_and_find_end(text, beginning.start())
        if value is None:
            return [*values, parse_json_leniently(f"[{text[place:]}]")]
        values.append(value)
    return values


def _find_calls_in_json(value: object, names: Names, depth: int = 0) -> Iterator[tuple[str, Arguments]]:
    """Yield the name and arguments of each call in parsed JSON."""
    if depth == MAX_DEPTH:
        return
    for part in value[:MAX_CALLS] if isinstance(value, list) else ():
        yield from _find_calls_in_json(part, names, depth + 1)
    if not isinstance(value, Mapping):
        return
    texts = {key: text.removeprefix("functions.") for key, text in value.items() if isinstance(text, str)}
    name_key, name = next(((key, text) for key, text in texts.items() if text in names), ("", ""))
    if name_key:
        given = _get_arguments(value, name_key, names[name])
        if given is not None:
            yield name, given
        return
    beside = {key: value[key] for key in _ARGUMENTS if key in value}  # what names the tool may stand next to them
    for part in (part for key, part in value.items() if _WRAPPER.search(key)):
        yield from _find_calls_in_json({**beside, **part} if isinstance(part, Mapping) else part, names, depth + 1)


def _get_arguments(call: Arguments, name_key: str, parameters: Sequence[str]) -> Arguments | None:
    flat = {key: part for key, part in call.items() if key not in (name_key, "type", "id")}
    if name_key in ("tool", "tool_name") and len(flat) == 1:  # "q" for "query"
        flat = {next((name for name in parameters if name.startswith(key)), key): part for key, part in flat.items()}
    objects = [part for part in flat.values() if isinstance(part, Mapping)]
    named = [call[key] for key in _ARGUMENTS if key in call]
    given = named[0] if named else objects[0] if len(objects) == 1 else None
    given = flat if given is None and name_key in _OWN_NAMES else given
    given = parse_json_leniently(given) if isinstance(given, str) else given
    given = dict(zip(parameters, given, strict=False)) if isinstance(given, list) else given
    if not isinstance(given, Mapping):
        return None
    # An object may have a name of its own, such as a package or the definition of a tool.
    fits = set(given) & set(parameters or given) or (named and not given)
    return given if fits or (given is not flat and len(flat) <= 1) else None


def _find_named_calls(text: str, names: Names) -> list[tuple[str, Arguments]]:
    text = _NAMESPACE.sub("", _ESCAPED_QUOTE.sub('"', text))
    text = unescape(text) if "&quot;" in text else text
    found, place = [], 0
    for named in find_tool_names(text, names):
        if named.start() < place:  # within the arguments of the call before
            continue
        arguments, place = parse_arguments(text, named, names)
        if arguments is not None:
            found.append((named["name"], arguments))
    return found


def parse_arguments(text: str, name_match: "re.Match[str]", names: Names) -> tuple[Arguments | None, int]:
    """Parse the arguments after a tool's name. Return them (None if there are none) and their end position."""
    parameters = names[name_match["name"]]
    if near := NEAR_OBJECT.match(text, name_match.end()):
        opening = near.start("opening")
        parse = _parse_json_object if text[opening] == "{" else _parse_code_call
        given, end = parse(text, opening, parameters)
        if given is not None:
            return given, end
    return _parse_named_values(text, name_match, names)


def _parse_json_object(text: str, start: int, parameters: Sequence[str]) -> tuple[Arguments | None, int]:
    value, end = decode_json_and_find_end(text, start)
    if value is None:
        end = text.rfind("}") + 1
        repaired = parse_json_leniently(text[start:end])  # of a program's block nothing is left, or other keys
        value = repaired if isinstance(repaired, Mapping) and set(repaired) & set(parameters or repaired) else None
    return (value, end) if isinstance(value, Mapping) else (None, start)


def _parse_code_call(text: str, start: int, parameters: Sequence[str]) -> tuple[Arguments | None, int]:
    for closing in islice(_CODE_CLOSING.finditer(text, start, start + MAX_ARGUMENTS_CHARS), MAX_CLOSINGS):
        end = closing.end()
        try:
            call = ast.parse(f"f{text[start:end]}", mode="eval").body
            if isinstance(call, ast.Call):
                values = zip(parameters, map(ast.literal_eval, call.args), strict=False)
                named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
                return json.loads(json.dumps({**dict(values), **named})), end  # no JSON: an ellipsis for any value
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, SystemError):  # all of ast.parse
            inner = text[start + 1 : end - 1]
            given = re.search(r":\s*[\"'\d]", inner) and parse_json_leniently(f"{{{inner}}}")  # Swift, but no signature
            if isinstance(given, Mapping) and set(given) & set(parameters):
                return given, end
    return None, start


def _parse_named_values(text: str, name_match: "re.Match[str]", names: Names) -> tuple[Arguments | None, int]:
    given: dict[str, object] = {}
    parameters, end = names[name_match["name"]], name_match.end()
    is_word = not (text[end : end + 1].strip() or text[: name_match.start()].rpartition("\n")[2].strip())
    place = end
    while found := _ARGUMENT.search(text, place, end + MAX_ARGUMENTS_CHARS):  # ends: each is behind the one before
        place = found.end("key")
        between = text[end : found.start()]
        if len(between) > MAX_GAP or any(find_tool_names(between, names)):
            break
        is_open = text[found.start("key") - 1] == "<" and not text.startswith(f"/{found['key']}", found.end())
        is_element = found["about"] is not None or (found["element"] is not None and not is_open)  # no <placeholder>
        is_near = is_element or not (is_word or _WORDS.search(between))
        if (found["key"] in parameters and is_near) or (is_element and not parameters):
            end = place = found.end()
            given[found["key"]] = _parse_value(found)
    return given or None, end


def _parse_value(argument: "re.Match[str]") -> object:
    about = argument["about"] or ""
    attribute = _VALUE_ATTRIBUTE.search(about)
    text = attribute[2] if attribute else argument["attribute"] or argument["line"] or argument["element"] or ""
    if 'string="true"' in about:
        return text.strip()
    text = _QUOTED.sub(r"\2\3", text.strip())
    value = parse_json_or_none(text)
    return text if value is None else value
