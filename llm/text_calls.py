"""Finds tool calls that a model wrote as text (JSON, XML, YAML or Python) because its server has no parser."""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import dropwhile, islice

from llm.meant_json import decode_json_and_find_end, parse_json_leniently, parse_json_or_none
from llm.thoughts import CODE, is_tag_mentioned_as_word
from llm.tool_calls import MAX_ARGUMENTS_CHARS, MAX_CALLS
from records.model_calls import ToolCall

Names = Mapping[str, Sequence[str]]  # tools, each with the names of its parameters, as far as they are known
ArgumentsAndEnd = tuple[Mapping[str, object] | None, int]  # a call's arguments, if any, and the position after them

MAX_CANDIDATES = 20  # possible beginnings of a call; an answer with more is a program
HELD = 300  # characters after a bracket or mark within which a call names its tool
MAX_CALL_CHARS = 2 * MAX_ARGUMENTS_CHARS  # since much of the arguments may be escaped
DEEPEST = 6  # nesting levels in which calls are looked for

_ARGUMENTS = ("arguments", "parameters", "args", "input")
_OWN_NAMES = ("name", "tool", "tool_name", "function")  # keys that name a tool next to its arguments, even flat ones
_WRAPPER = re.compile("tool|func|call|command|action", re.IGNORECASE)  # in the key of an object that contains a call
_BEGINNING = re.compile(
    r"(?:^|(?<=[.!?…] ))[ \t]*(?P<json>(?:\[\s*)?\{)"
    r"|<(?:[|｜‖]|(?:[\w:.|-]{0,29}[:._|-])?(?:tools?|invoke|functions?)(?:calls?)?(?=[\s>=_(/-])|(?P<tag>\w{3,40})(?=[\s/>]))"
    r"|```tool|\[(?=[a-z_]{3,40}\()|\[TOOL_(?:CALLS?|REQUEST)\]|(?:assistant\s?)?(?:commentary\s{1,3}to=|\bto=functions\.)"
    r"|\bcall:(?=[\w.:]{3,80}\{)|^action:(?=[^\n]{2,60}\naction input:)",
    re.MULTILINE | re.IGNORECASE,
)  # the beginning of a JSON value, of a mark of a chat template, of an element, or of a list of calls
# A mark without any other use, or at the end: its call is missing.
_TAG = re.compile(
    r"<tool_call>|<function=|\[TOOL_(?:CALLS?|REQUEST)\]|<[|｜‖][^<>\n]{0,40}(?:tool|call)[^<>\n]{0,40}>?\s*\Z",
    re.IGNORECASE,
)
# A name in JSON with arguments, or a mark of a call.
_CALL_MARK = re.compile(
    r"\"(?:\w{0,20}name|tool|function|action)\"\s*:\s*\"[\w.:-]+\"\s*,\s*\"(?:arguments|parameters|args|input)\"\s*:\s*[\"{]"
    r"|<(?![^<>\n]{0,40}(?:result|respon|output))(?:[^<>=\n]{0,24}[^a-z<>=\n])?(?:tool|function|call|invoke|python)"
    r"(?:s|calls?|use)?(?![a-z])[^<>\n]{0,40}>|```tool|to=functions|\A\[\w+\(\w+="
    r"|(?P<react>^action:.+\naction input:.*\s*\Z|\A\s*(?:thought:.*\n+)?action:.+\naction input:.*\n+observation:)",
    re.IGNORECASE | re.MULTILINE,
)
_FORMATS = re.compile(r"json|xml|html|soap|\b(?:apis?|mcp)\b")  # in the question to an answer that may be data
# A word behind a mark or at the beginning of a line, with no other word next to it.
_PLACED = re.compile(r"[^\w \t.,;!?]\s{0,9}(?:\w{1,30}\.(?!call\b)){0,2}(\w{1,64})(?![^\S\n]+(?!json|code)[^\W\d_])")
_CODE_IN_SENTENCE = re.compile(r"(?<!`)`[^`\n]{1,300}`[^`\n]*\w")
# A word of two parts: it may be a tool's name in another writing.
_OTHER_NAME = re.compile(r"\b[a-zA-Z]{1,20}(?:[A-Z][a-z]|[_-])[a-zA-Z]{1,20}\b")
_ESCAPED_QUOTE = re.compile(r"<escape>|<\|\"\|>|<ctrl46>")  # FunctionGemma, Gemma 4, Gemini
_NAMESPACE = re.compile(r"\]<\]\w{1,20}\[>\[")  # in front of each element of MiniMax M3
# The name of an argument and its value: in an attribute, in a line of YAML, or in an element, which may hold HTML.
_ARGUMENT = re.compile(
    r"(?<![\w./-])(?P<flag>--)?(?P<key>[\w-]{1,64})"
    r"(?:(?(flag)[ =]|[ \t]*=)[ \t]*(?P<attribute>\"[^\"]*\"|'[^']*'|[^\s,/<>\"'\])]+)|:[ \t]*(?P<line>[^\n]*)"
    r"|[\"']?(?P<about>\s[^<>\n]{0,80})?(?:</[^<>]{1,40}>\s*(?:<[^<>]{1,20}type>\w{1,20}</[^<>]{1,20}>)?){0,2}(?:/>|(?:<[^<>\n]{1,20})?>"
    r"(?P<element>(?:[^<]|<(?!/{0,2}\s{0,2}[|｜‖]|/{0,2}[\w:.|｜-]{0,20}(?:param|arg|val|invo|func|tool|call)|/(?P=key)\b))*+)(?:<|\Z)))"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_WORDS = re.compile(r"[^\s>\"',:={\w]|\b(?!\w{0,20}(?:arg|param|input|action))\w", re.IGNORECASE)  # no call has them
MAX_GAP = 100  # characters between the elements of two arguments
_ATTRIBUTE = re.compile(r"\bvalue=([\"'])(.*?)\1")
_MARK_WORDS = "func|tool|call|action|command|comment|print|name|type|json|await|return|input|arg|param|using"
_ONLY_MARKS = re.compile(
    r"(?:(?:```|~~~)\w*|<[^<>\n]{0,60}>?|[^\w\n.!?)]|\b\w{1,30}(?=[ \t]*=[^=])|\b[a-z]\w{0,30}(?::(?!\s)|\.(?!\s|\Z))"
    rf"|\b(?:\w{{0,20}}(?:{_MARK_WORDS})\w{{0,20}}|to|use|(?:调用)?(?:工具|函数)(?:调用|名称?)?)\b)*+",
    re.IGNORECASE,
)  # text on a line that says nothing to a person
# What follows a tool's name to the end of a text that is only a call: no argument, or one without a name.
_BARE_CALL = re.compile(rf"(?i)(?:[\"']?(?:\(\s*\)|\s?/?>)|\",)(?:[\s)]|{_ONLY_MARKS.pattern})*+| [^<>]*</tool>\s*")
_ONE_WORD = re.compile(r"\w{0,30}[ \t\r.()\[\]{}:*`'\"]*=?[ \t]*")  # of a line: perhaps a tool's name, or a variable's
# The first word of a sentence, or one behind which a recipient of gpt-oss stands.
_MAY_BECOME_MARK = re.compile(
    r"(?:(?<=[.!?…)\]\"']) {0,2}\w{0,40}(?:commentary\s{0,3}(?:to?(?:=[\w.]{0,60})?)?)?|\bto?(?:=[\w.]{0,60})?)\Z"
)
_NAME = re.compile(r"(?<![\w-])(?:\w{1,30}\.(?!call\b)){0,2}(?P<name>[a-z][a-z_]{2,39})(?::\d{1,3})?\b")
_NEAR_OBJECT = re.compile(
    r"(?!\s{1,9}=|=\s)(?:\.call\b|\)| ?\([^\n(){}=\"']{1,60}\)(?=[\]:]))?"
    r"(?:[^\w{}()]{1,60}(?:(?:arguments?|args?|action|inputs?|parameters?|json|code|with|参数)\b|\w{1,40}(?::\w{1,20}){0,2}(?=[\[\]<>|｜▁]))){0,8}"
    r"[^\w{}()]{0,60}(?:\(\s{0,9})?(?P<opening>\{|\((?=\s*(?:\w{1,40}\s*[:=]|[\"'\d\[-])))",
    re.IGNORECASE,
)  # arguments with only marks in front of them; a word next to a bracket is a mark
MAX_CLOSINGS = 20  # brackets at which a call of Python is tried to end
_GOES_ON = re.compile(r"[<{\[|✿]|```|^\w{1,20}:", re.MULTILINE)  # a result that the model made up, or another call
_ENDS = re.compile(r"(?<=[\]})>`])(?=[^\]})>`\n]*$)|$", re.MULTILINE)  # of lines, and of what brackets enclose on them
_STRAY_TAG = re.compile(r"</?(?:arg|param)\w{0,20}>")
_MARKS = re.compile(r"```\w*|~~~\w*|</?tool_call>|\[/?(?:END_)?TOOL_(?:CALLS?|REQUEST)\]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextAndCalls:
    """The visible part of an answer and its tool calls. `is_broken` is True if a call cannot be parsed."""

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def find_calls_in_text(
    text: str, names: Names, *, is_whole: bool, shown_length: int = 0, prompt: str = ""
) -> TextAndCalls:
    """Find tool calls after `shown_length` characters. Unless `is_whole`, hide text that may begin a call."""
    found = _split_text_and_calls(text, names, is_whole=is_whole, shown_length=shown_length)
    known = text[:shown_length] + _rename_tools(text[shown_length:], names, prompt)
    if known != text and not found.calls:
        renamed = _split_text_and_calls(known, names, is_whole=is_whole, shown_length=shown_length)
        is_call = all(  # not the name of a song or of a package, which has none of the tool's arguments
            isinstance(given := parse_json_or_none(call.arguments), Mapping)
            and (given.keys() & set(names[call.name] or given) if given else not renamed.shown.strip())
            for call in renamed.calls
        )
        found = renamed if is_call and (renamed.calls or text.startswith(renamed.shown)) else found
    before, _, rest = text.partition("\n```")
    code, _, after = rest.rpartition("\n```\n")
    is_between_words = code and before[:1].isalpha() and after.strip()[:1].isalpha() and not _GOES_ON.search(after)
    parsed = [parse_json_or_none(call.arguments) for call in found.calls] if is_between_words else []
    values = (value for arguments in parsed if isinstance(arguments, Mapping) for value in arguments.values())
    words = (_WORD.findall(value.lower()) for value in values if isinstance(value, str))
    # A call between two sentences is an example if no argument consists of words of the prompt.
    is_meant = code.startswith("tool") or any(given and all(word in prompt for word in given) for given in words)
    if found.calls and is_whole and is_between_words and not is_meant:
        return found if _split_text_and_calls(before + after, names).calls else TextAndCalls(shown=text)
    return found


def _rename_tools(text: str, names: Names, prompt: str = "") -> str:
    """Replace other spellings of tool names, such as searchMemory or SEARCH-MEMORY, unless the prompt has one."""
    own_names = {plain: name for name in names if (plain := name.replace("_", "")) not in prompt.replace("-", "")}
    return _OTHER_NAME.sub(lambda word: own_names.get(re.sub("[_-]", "", word[0].lower()), word[0]), text)


def _split_text_and_calls(text: str, names: Names, *, is_whole: bool = True, shown_length: int = 0) -> TextAndCalls:
    if not names:
        return TextAndCalls(shown=text)
    marks = (mark for mark in _BEGINNING.finditer(text, shown_length) if not mark["tag"] or mark["tag"] in names)
    for mark in islice(marks, MAX_CANDIDATES):
        body = text[mark.start("json") if mark["json"] else mark.start() :]
        before = _cut_trailing_markup(text[: mark.start()], () if is_whole else names, shown_length)
        tag, (value, end) = _TAG.match(body), decode_json_and_find_end(body, 0)
        is_tool = mark["tag"] or not names.keys().isdisjoint(_PLACED.findall(body[: min(HELD, end or HELD)]))
        is_named = tag or is_tool
        if not is_whole and (is_named or len(body) < HELD):
            return TextAndCalls(shown=before)
        end = mark.start() + tag.end() if tag else mark.end()
        is_mentioned = not mark["json"] and is_tag_mentioned_as_word(text, mark.start(), end)
        code = None if is_tool else _find_closed_code(text, mark.start())
        is_mentioned |= code is not None and bool(_WORD.search(text[: code.start()] + text[code.end() :]))
        is_call = value is None and (tag or not mark["tag"]) and not is_mentioned
        if is_named and ((calls := _find_tool_calls(body, names)) or is_call):
            return _make_text_and_calls(before, calls, body, names)
    return _find_call_by_name(text, names, is_whole=is_whole, shown_length=shown_length)


def is_unknown_call(text: str, question: str) -> bool:
    """Return True for a call of some tool, but not in code or in a format that the lower-case `question` names."""
    mark = _CALL_MARK.search(text)
    if mark is None or _FORMATS.search(question) or _find_closed_code(text, mark.start()):
        return False
    if mark[0].startswith("<") and is_tag_mentioned_as_word(text, mark.start(), mark.end()):
        return False
    found = _split_text_and_calls(text, dict.fromkeys(_PLACED.findall(text[:MAX_CALL_CHARS])[:MAX_CANDIDATES], ()))
    return mark["react"] is not None or (found.calls != () and text.startswith(found.shown))


def _find_closed_code(text: str, place: int) -> "re.Match[str] | None":
    around = (code for code in CODE.finditer(text) if code.start() < place < code.end())
    return next((code for code in around if code[0].rstrip().endswith(("`", "~~~"))), None)


def _find_call_by_name(text: str, names: Names, *, is_whole: bool, shown_length: int) -> TextAndCalls:
    for named in _find_tool_name_matches(text, names, shown_length):
        start = named.start()
        if not _ONLY_MARKS.fullmatch(text[:start].rpartition("\n")[2]) or _CODE_IN_SENTENCE.match(text, start - 1):
            continue  # within a sentence it is talked about
        before = _cut_trailing_markup(text[:start], (), shown_length)
        is_tool = names[named["name"]] or "_" in named["name"]  # a verb may be a person's own function if not offered
        code = not is_tool and _find_closed_code(text, start)
        if _ends_inside_code_block(before) or (code and text[: code.start()].strip()):
            continue
        body = text[text.rfind("\n", 0, start) + 1 :]
        given, end = _parse_arguments(text, named, names)
        if is_whole and is_tool and given is None and not before.strip() and _BARE_CALL.fullmatch(text, named.end()):
            return TextAndCalls(shown="", is_broken=True)
        if is_whole and given is not None and (calls := _find_tool_calls(body, names)):
            return _make_text_and_calls(before, calls, body, names)
        if not is_whole and (given is not None or _NEAR_OBJECT.match(text, named.end()) or len(text) - end < HELD):
            return TextAndCalls(shown=before)
    return TextAndCalls(shown=text if is_whole else _cut_trailing_markup(text, names, shown_length))


def _ends_inside_code_block(text: str) -> bool:
    *others, code = re.split(r"^[ \t]*(?:```|~~~).*$", text, flags=re.MULTILINE)
    return len(others) % 2 == 1 and re.search(r"^\s*(?!#|//)\S", code, re.MULTILINE) is not None


def _find_tool_name_matches(text: str, names: Names, start: int = 0) -> "Iterator[re.Match[str]]":
    return islice((named for named in _NAME.finditer(text, start) if named["name"] in names), MAX_CANDIDATES)


def _cut_trailing_markup(text: str, names: Collection[str], shown_length: int) -> str:
    """Remove markup at the end. With `names`, also remove these names and a last word that may begin markup."""
    word = _MAY_BECOME_MARK.search(text, max(0, len(text) - HELD)) if names else None
    end = max(shown_length, word.start() if word else len(text))
    start = max(0, end - HELD)
    lines, is_cut = text[start:end].split("\n"), False
    while lines and (not is_cut or lines[-1].strip()):
        rest = _ONLY_MARKS.sub("", lines[-1], count=1)
        is_name = names and (rest.strip(" \t\r()[]{}:*`'\"") in names if is_cut else _ONE_WORD.fullmatch(rest))
        if rest.strip() and not is_name:
            break
        lines.pop()
        is_cut = True
    return text[: max(shown_length, start + sum(len(line) + 1 for line in lines))] if is_cut else text[:end]


def _make_text_and_calls(shown_text: str, calls: tuple[ToolCall, ...], body: str, names: Names) -> TextAndCalls:
    for end in islice(_ENDS.finditer(body[:MAX_CALL_CHARS]), MAX_CANDIDATES if calls else 0):
        if _find_tool_calls(body[: end.end()], names) == calls:  # the sentences behind all calls are shown
            lines = body[end.end() :].split("\n")
            rest = "\n".join(dropwhile(_ONLY_MARKS.fullmatch, lines)).lstrip()
            if rest and not _GOES_ON.search(rest):
                shown_text = f"{shown_text}\n{rest}" if shown_text.strip() else rest
            break
    return TextAndCalls(shown=shown_text, calls=calls, is_broken=not calls)


def repair_call(call: ToolCall, names: Names) -> ToolCall:
    """Repair a structured call: remove markup left in its name or arguments, and unwrap nested arguments."""
    arguments = parse_json_leniently(call.arguments)
    if call.name in names and isinstance(arguments, Mapping) and set(arguments) <= set(names[call.name] or arguments):
        return call
    written = _find_tool_calls(f"{call.name}\n{call.arguments}", names)
    name, given = (written[0].name, written[0].arguments) if written else (call.name, call.arguments)
    name = max((known for known in names if known in _rename_tools(name, names).lower()), key=len, default=name)
    given = _STRAY_TAG.sub("", given)
    arguments = parse_json_leniently(given)
    inner = [part for part in arguments.values() if isinstance(part, Mapping)] if isinstance(arguments, Mapping) else []
    if len(inner) == 1:  # {"arguments": {…}}
        given = json.dumps(inner[0], ensure_ascii=False)
    return replace(call, name=name, arguments=given)


def _find_tool_calls(text: str, names: Names) -> tuple[ToolCall, ...]:
    """Return a text's JSON tool calls or, if there are none, calls written as a tool name followed by arguments."""
    text = text[:MAX_CALL_CHARS]
    beginning = re.search(r"\[?\s*\{", text)
    values = (
        re.sub(r"\}\s*(?:;\s*(?=\{\s*\"))?\{", "},{", _MARKS.sub("\n", text[beginning.start() :])) if beginning else ""
    )
    found = list(_find_calls_in_json(parse_json_leniently(f"[{values}]"), names)) or _find_named_calls(text, names)
    dumped = ((name, json.dumps(given, ensure_ascii=False)[: MAX_ARGUMENTS_CHARS + 1]) for name, given in found)
    calls = (ToolCall(id=f"call{number:05}", name=name, arguments=given) for number, (name, given) in enumerate(dumped))
    return tuple(islice(calls, MAX_CALLS))


def _find_named_calls(text: str, names: Names) -> list[tuple[str, Mapping[str, object]]]:
    text = _NAMESPACE.sub("", _ESCAPED_QUOTE.sub('"', text))
    text = unescape(text) if "&quot;" in text else text
    found, place = [], 0
    for named in _find_tool_name_matches(text, names):
        if named.start() < place:  # within the arguments of the call before
            continue
        arguments, place = _parse_arguments(text, named, names)
        if arguments is not None:
            found.append((named["name"], arguments))
    return found


def _parse_arguments(text: str, name_match: "re.Match[str]", names: Names) -> ArgumentsAndEnd:
    """Parse the arguments after a tool's name. Return them (None if there are none) and their end position."""
    parameters = names[name_match["name"]]
    if near := _NEAR_OBJECT.match(text, name_match.end()):
        opening = near.start("opening")
        parsed = (_parse_json_object if text[opening] == "{" else _parse_code_call)(text, opening, parameters)
        if parsed[0] is not None:
            return parsed
    given, end = _parse_named_values(text, name_match, names)
    return given or None, end


def _parse_named_values(text: str, name_match: "re.Match[str]", names: Names) -> ArgumentsAndEnd:
    given: dict[str, object] = {}
    parameters, end = names[name_match["name"]], name_match.end()
    is_word = not (text[end : end + 1].strip() or text[: name_match.start()].rpartition("\n")[2].strip())
    place = end
    while found := _ARGUMENT.search(text, place, end + MAX_ARGUMENTS_CHARS):  # ends: each is behind the one before
        place = found.end("key")
        between = text[end : found.start()]
        if len(between) > MAX_GAP or any(_find_tool_name_matches(between, names)):
            break
        is_open = text[found.start("key") - 1] == "<" and not text.startswith(f"/{found['key']}", found.end())
        is_element = found["about"] is not None or (found["element"] is not None and not is_open)  # no <placeholder>
        is_near = is_element or not (is_word or _WORDS.search(between))
        if (found["key"] in parameters and is_near) or (is_element and not parameters):
            about, place = found["about"] or "", found.end()
            end = place
            attribute = _ATTRIBUTE.search(about)
            value = attribute[2] if attribute else found["attribute"] or found["line"] or found["element"] or ""
            given[found["key"]] = value.strip() if 'string="true"' in about else _parse_scalar_or_keep_text(value)
    return given, end


def _parse_scalar_or_keep_text(text: str) -> object:
    text = re.sub(r"^(?:([\"'])([^\"']*)\1|<!\[CDATA\[(.*)\]\]>)$", r"\2\3", text.strip(), flags=re.DOTALL)
    value = parse_json_or_none(text)
    return text if value is None else value


def _parse_json_object(text: str, start: int, parameters: Sequence[str]) -> ArgumentsAndEnd:
    value, end = decode_json_and_find_end(text, start)
    if value is None:
        end = text.rfind("}") + 1
        repaired = parse_json_leniently(text[start:end])  # of a program's block nothing is left, or other keys
        value = repaired if isinstance(repaired, Mapping) and set(repaired) & set(parameters or repaired) else None
    return (value, end) if isinstance(value, Mapping) else (None, start)


def _parse_code_call(text: str, start: int, parameters: Sequence[str]) -> ArgumentsAndEnd:
    for closing in islice(re.finditer(r"\)(?!\s*[{:])", text[start : start + MAX_ARGUMENTS_CHARS]), MAX_CLOSINGS):
        end = start + closing.end()  # not of the definition of a function
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


def _find_calls_in_json(value: object, names: Names, depth: int = 0) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the name and arguments of each call in parsed JSON."""
    if depth == DEEPEST:
        return
    for part in value[:MAX_CALLS] if isinstance(value, list) else ():
        yield from _find_calls_in_json(part, names, depth + 1)
    if not isinstance(value, Mapping):
        return
    texts = {key: text.removeprefix("functions.") for key, text in value.items() if isinstance(text, str)}
    named, name = next(((key, text) for key, text in texts.items() if text in names), ("", ""))
    beside = {key: value[key] for key in _ARGUMENTS if key in value}
    if not named:
        for part in (part for key, part in value.items() if _WRAPPER.search(key)):
            # The arguments may stand next to what names the tool.
            part = {**beside, **part} if isinstance(part, Mapping) else part
            yield from _find_calls_in_json(part, names, depth + 1)
        return
    flat = {key: part for key, part in value.items() if key not in (named, "type", "id")}
    objects = [part for part in flat.values() if isinstance(part, Mapping)]
    given = next(iter(beside.values()), objects[0] if len(objects) == 1 else None)
    given = flat if given is None and named in _OWN_NAMES else given
    if isinstance(given, Mapping) and len(flat) > 1 and not (beside or set(given) & set(names[name] or given)):
        return  # an object with a name of its own, such as a package
    if isinstance(given, str):
        given = parse_json_leniently(given)
    if isinstance(given, list):
        given = dict(zip(names[name], given, strict=False))
    if isinstance(given, Mapping):
        yield name, given
