"""Finds tool calls that a model wrote as text because its server has no parser for the marks of its template."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from llm.meant_json import decode_json_and_find_end, ends_too_early, parse_json_leniently, parse_json_or_none
from llm.tool_calls import to_snake_case
from llm.written.call_arguments import MAX_CALL_CHARS, NEAR_OBJECT, Names, find_tool_names, parse_arguments, parse_calls
from llm.written.thought_marks import CODE, is_tag_mentioned_as_word
from records.model_calls import ToolCall

MAX_CANDIDATES = 20  # possible beginnings of a call; an answer with more is a program
HELD = 300  # characters after a bracket or mark within which a call names its tool

# The beginning of a JSON value, of a mark of a chat template, of an element, or of a list of calls.
_BEGINNING = re.compile(
    r"""(?:^|(?<=[.!?…]\ ))[ \t]*(?P<json>(?:\[\s*)?\{)
  | <(?: [|｜‖] | (?:[\w:.|-]{0,29}[:._|-])?(?:tools?|invoke|functions?)(?:calls?)?(?=[\s>=_(/-])
       | (?P<tag>[\w-]{3,40})(?=[\s/>]) )
  | ```tool | \[(?=[a-z_]{3,40}\() | \[TOOL_(?:CALLS?|REQUEST)\]
  | (?:assistant\s?)?(?:commentary\s{1,3}to=|\bto=functions\.)    # gpt-oss
  | \bcall:(?=[\w.:]{3,80}\{)                                     # Gemma
  | ^action:(?=[^\n]{2,60}\naction\ input:)                       # ReAct""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
# A mark without any other use, or one whose call is missing or breaks off. A type such as List<Tool>, an empty element,
# and a result that the model made up are none.
_MARK_OF_CALL = re.compile(
    r"""<tool_call>|<function=|\[TOOL_(?:CALLS?|REQUEST)\]
  | <[|｜‖][^<>\n]{0,40}(?:tool|call)[^<>\n]{0,40}>?\s*\Z
  | (?:<[|｜‖]|(?<!\w)<)(?![^<>\n]{0,40}(?:result|respon|output))[^<>/\n]{0,40}
    (?: call[^<>/\n]{0,40}>\s* | (?:tool|call)[^<>/\n]{0,40}>\s*(?P<json>[\[{][^<]*) )\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_UNKNOWN_CALL = re.compile(
    r"""    # a name in JSON with arguments, or a mark
    "(?:\w{0,20}name|tool|function|action)"\s*:\s*"[\w.:-]+"\s*,\s*"(?:arguments|parameters|args|input)"\s*:\s*["{]
  | <(?![^<>\n]{0,40}(?:result|respon|output)) (?:[^<>=\n]{0,24}[^a-z<>=\n])?
    (?:tool|function|call|invoke|python)(?:s|calls?|use)?(?![a-z]) [^<>\n]{0,40}>
  | ```tool | to=functions | \A\[\w+\(\w+=
  | (?P<react> ^action:.+\naction\ input:.*\s*\Z
             | \A\s*(?:thought:.*\n+)?action:.+\naction\ input:.*\n+observation: )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_FORMATS = re.compile(r"json|xml|html|soap|\b(?:apis?|mcp)\b")  # in the question to an answer that may be data
# A word behind a mark or at the beginning of a line, with no other word next to it.
_PLACED = re.compile(r"[^\w \t.,;!?]\s{0,9}(?:\w{1,30}\.(?!call\b)){0,2}([\w-]{1,64})(?![^\S\n]+(?!json|code)[^\W\d_])")
_CODE_IN_SENTENCE = re.compile(r"(?<!`)`[^`\n]{1,300}`[^`\n]*\w")
_WORD = re.compile(r"(?<![<\w/|])[^\W\d_]{3,}")  # of no mark
_LATIN_WORD = re.compile("[a-z+#]+")  # in a Chinese sentence, too
# Text on a line that says nothing to a person.
_ONLY_MARKS = re.compile(
    r"""(?:
    (?:```|~~~)\w* | <[^<>\n]{0,60}>? | [^\w\n.!?)]
  | \b\w{1,30}(?=[ \t]*=[^=]) | \b[a-z]\w{0,30}(?::(?!\s|\Z)|\.(?!\s|\Z))    # variables, and names of modules
  | \b(?: \w{0,20}
          (?:func|tool|call|action|command|comment|print|name|type|json|await|return|input|arg|param|using)\w{0,20}
        | to | use | (?:调用)?(?:工具|函数)(?:调用|名称?)? )\b
    )*+""",
    re.IGNORECASE | re.VERBOSE,
)
# What follows a tool's name to the end of a text that is only a call: no argument, or one without a name.
_BARE_CALL = re.compile(
    rf"(?:[\"']?(?:\(\s*\)|\s?/?>)|\",)(?:[\s)]|{_ONLY_MARKS.pattern})*+|\ [^<>]*</tool>\s*", re.IGNORECASE | re.VERBOSE
)
# The only word of a line: perhaps a tool's name, or a variable's.
_ONE_WORD = re.compile(r"[\w-]{0,30}[ \t\r.()\[\]{}:*`'\"]*=?[ \t]*")
# The first word of a sentence, or one behind which a recipient of gpt-oss stands.
_MAY_BECOME_MARK = re.compile(
    r"(?:(?<=[.!?…)\]\"']) {0,2}[\w-]{0,40}(?:commentary\s{0,3}(?:to?(?:=[\w.]{0,60})?)?)?|\bto?(?:=[\w.]{0,60})?)\Z"
)
_SENTENCE_END = re.compile(r"\n|(?<=[.!?…])\ |(?<=[。！？])")
_CODE_LINE = re.compile(r"^\s*(?!#|//)\S", re.MULTILINE)
_STRAY_TAG = re.compile(r"</?(?:arg|param)\w{0,20}>")


@dataclass(frozen=True, kw_only=True, slots=True)
class TextAndCalls:
    """The visible part of an answer and its tool calls. `is_broken` is True if a call cannot be parsed."""

    shown: str
    calls: tuple[ToolCall, ...] = ()
    is_broken: bool = False


def find_calls_in_text(
    text: str, names: Names, *, is_whole: bool, shown_length: int = 0, question: str = ""
) -> TextAndCalls:
    """Find tool calls after `shown_length` characters. Unless `is_whole`, hide text that may begin a call.

    A program is no call if it is explained, and the lower-case `question` names its language.
    """
    if not names:
        return TextAndCalls(shown=text)
    marks = (mark for mark in _BEGINNING.finditer(text, shown_length) if not mark["tag"] or mark["tag"] in names)
    for mark in islice(marks, MAX_CANDIDATES):
        body = text[mark.start("json") if mark["json"] else mark.start() :]
        line = text.rfind("\n", 0, mark.start()) + 1
        if any(_begins_sentence(named) for named in find_tool_names(text[: mark.start()], names, line)):
            break  # the mark stands between a tool's name and its arguments
        before = _cut_trailing_markup(text[: mark.start()], () if is_whole else names, shown_length)
        without_call, (value, end) = _MARK_OF_CALL.match(text, mark.start()), decode_json_and_find_end(body, 0)
        if without_call and without_call["json"] and not ends_too_early(without_call["json"]):
            without_call = None
        is_tool = mark["tag"] or not names.keys().isdisjoint(_PLACED.findall(body[: min(HELD, end or HELD)]))
        is_named = without_call or is_tool
        if not is_whole and (is_named or len(body) < HELD):
            return TextAndCalls(shown=before)
        if is_named:
            end = without_call.end() if without_call else mark.end()
            is_mentioned = _is_mentioned(text, mark, end, is_tool=bool(is_tool))
            is_call = value is None and (without_call or not mark["tag"]) and not is_mentioned
            if (calls := parse_calls(body, names)) or is_call:
                return TextAndCalls(shown=before, calls=calls, is_broken=not calls)
    return _find_call_by_name(text, names, is_whole=is_whole, shown_length=shown_length, question=question)


def _is_mentioned(text: str, mark: "re.Match[str]", end: int, *, is_tool: bool) -> bool:
    code = None if is_tool else _find_code(text, mark.start())
    if code is not None and _WORD.search(text[: code.start()] + text[code.end() :]):
        return True
    return not mark["json"] and is_tag_mentioned_as_word(text, mark.start(), end)


def is_unknown_call(text: str, question: str) -> bool:
    """Return True for a call of some tool, but not in code or in a format that the lower-case `question` names."""
    mark = _UNKNOWN_CALL.search(text)
    if mark is None or _FORMATS.search(question) or _find_code(text, mark.start()):
        return False
    if mark[0].startswith("<") and is_tag_mentioned_as_word(text, mark.start(), mark.end()):
        return False
    names = dict.fromkeys(_PLACED.findall(text[:MAX_CALL_CHARS])[:MAX_CANDIDATES], ())
    return mark["react"] is not None or find_calls_in_text(text, names, is_whole=True).calls != ()


def _find_code(text: str, place: int) -> "re.Match[str] | None":
    return next((code for code in CODE.finditer(text) if code.start() < place < code.end()), None)


def _find_call_by_name(text: str, names: Names, *, is_whole: bool, shown_length: int, question: str) -> TextAndCalls:
    for named in find_tool_names(text, names, shown_length):
        start = named.start()
        if not _begins_sentence(named) or _CODE_IN_SENTENCE.match(text, start - 1):
            continue  # it is talked about
        before = _cut_trailing_markup(text[:start], (), shown_length)
        is_tool = names[named["name"]] or "_" in named["name"]  # a verb may be a person's own function if not offered
        code = _find_code(text, start)
        is_program = code and (
            _CODE_LINE.search(before[code.start() :].partition("\n")[2]) or _is_explained(text, code, question)
        )
        if is_program or (code and not is_tool and text[: code.start()].strip()):
            continue
        given, end = parse_arguments(text, named, names)
        if is_whole and is_tool and given is None and not before.strip() and _BARE_CALL.fullmatch(text, named.end()):
            return TextAndCalls(shown="", is_broken=True)
        body = text[text.rfind("\n", 0, start) + 1 :]
        if is_whole and given is not None and (calls := parse_calls(body, names)):
            return TextAndCalls(shown=before, calls=calls)
        if not is_whole and (given is not None or NEAR_OBJECT.match(text, named.end()) or len(text) - end < HELD):
            return TextAndCalls(shown=before)
    return TextAndCalls(shown=text if is_whole else _cut_trailing_markup(text, names, shown_length))


def _is_explained(text: str, code: "re.Match[str]", question: str) -> bool:
    """Return True for a program between sentences in a language that the question names. Others may be meant to run."""
    language = code[0].partition("\n")[0].removeprefix("```").removeprefix("~~~").strip().lower()
    is_asked_for = language in _LATIN_WORD.findall(question)
    return bool(is_asked_for and _WORD.search(text, 0, code.start()) and _WORD.search(text, code.end()))


def _begins_sentence(named: "re.Match[str]") -> bool:
    """Return True if only marks stand between the name and the beginning of its sentence or line."""
    before = named.string[max(0, named.start() - HELD) : named.start()]
    return _ONLY_MARKS.fullmatch(_SENTENCE_END.split(before)[-1]) is not None


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


def repair_call(call: ToolCall, names: Names) -> ToolCall:
    """Repair a structured call: remove markup left in its name or arguments, and unwrap nested arguments."""
    call, arguments = replace(call, name=to_snake_case(call.name)), parse_json_leniently(call.arguments)
    if call.name in names and isinstance(arguments, Mapping) and set(arguments) <= set(names[call.name] or arguments):
        return call
    written = parse_calls(f"{call.name}\n{call.arguments}", names)
    name, given = (written[0].name, written[0].arguments) if written else (call.name, call.arguments)
    letters = re.sub("[^a-z]", "", name)  # of names such as search_memory_tool and searchmemory
    name = max((known for known in names if known.replace("_", "") in letters), key=len, default=name)
    given = _STRAY_TAG.sub("", given)
    arguments = parse_json_leniently(given)
    arguments = arguments if isinstance(arguments, Mapping) else {}
    parts = [part for key, part in arguments.items() if key not in names.get(name, ())]
    values = (parse_json_or_none(part) if isinstance(part, str) else part for part in parts)
    inner = [value for value in values if isinstance(value, Mapping)]
    if len(inner) == 1:  # {"arguments": {…}}
        given = json.dumps(inner[0], ensure_ascii=False)
    return replace(call, name=name, arguments=given)
