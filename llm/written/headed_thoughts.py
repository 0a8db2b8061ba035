"""Removes thoughts that have no marks: under a heading, or in a JSON object in front of the answer."""

import json
import re
from collections.abc import Mapping

from llm.meant_json import decode_json_and_find_end, parse_json_leniently
from llm.written.thought_blocks import OWN_NAMES
from llm.written.thought_marks import FOREIGN, NOTES, THINKS

_TITLE = rf"(?:{OWN_NAMES}|(?:{FOREIGN})\w{{0,9}})"
_HEADING = re.compile(
    rf"""\s*
    (?: (?P<lead>[\#=:]{{1,6}} | \*{{1,3}}(?!\ ) | _{{1,2}} | \[(?=[^\]\n]*:)) [^\w\n`]{{0,3}}
      | (?={_TITLE}(?:\ process)?[:：]) )
    (?:(?:my|inner|internal|chain\ of)\ )? (?P<title>think|{_TITLE}) (?:\ process)?
    \s? (?P<tail>(?:[^\w\s<`,.;!?"']|_){{1,6}}|\n)
    (?P<thoughts> .*? (?:
        (?P=lead) \s?(?:/|end\ )(?P=title) \s?(?P=tail)    # a mark that closes them
      | ^[ \t]*    # a heading of the answer, in the same form, or one that says that it is final
        (?(lead) (?P=lead)[^\w\n`]{{0,3}} | [\#\s]{{0,4}}(?P<bold>[*_]{{1,3}})?(?=[^\n:：]*final|最终|итогов))
        (?P<answer> (?:the\ |my\ |final\w?\ |итоговый\ |最终)?
            (?:answer|reply|response|antwort|respuesta|resposta|réponse|risposta|ответ|回答|答案|回复|답변)
            (?:\ final\w?)? \s?(?P=tail)(?(bold)(?P=bold)) )
    )\s*)?""",
    re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_WORKED = re.compile("reason|ra[sz]on|racioc|ragion|raison|推理|размышл")  # headings of worked solutions
_JSON_ANSWER = re.compile(
    rf"""\s* (?:```\w*\s*)?
    (?P<json> \{{\s* (?: (?:"[\w\ -]{{0,40}})?\Z    # the first characters of an object
                       | "(?P<key>[\w\ -]{{0,30}}(?:{THINKS}|{NOTES})[\w\ -]{{0,30}})".* ))""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)


def remove_headed_thoughts(text: str, question: str, prompt: str, *, is_whole: bool) -> str:
    """Remove thoughts under a heading that nobody asked for, but no sections of an answer or steps of a calculation."""
    heading = _HEADING.match(text)
    if heading is None or _is_asked_for(heading, question, prompt) or _is_section(heading):
        return text
    if heading["thoughts"]:
        return text[heading.end() :]
    return text if is_whole else ""


def _is_asked_for(heading: "re.Match[str]", question: str, prompt: str) -> bool:
    title, text = heading["title"].lower(), heading.string[: heading.end("tail")]
    is_calculation = _WORKED.match(title) and any(map(str.isdigit, question.rpartition("\n\n")[2]))
    return bool(is_calculation) or title in question or text.strip().lower() in prompt


def _is_section(heading: "re.Match[str]") -> bool:
    """Return True if the answer has more headings of the same form, or none that says clearly where it begins."""
    text, lead, tail, start = heading.string, heading["lead"], heading["tail"], heading.end("tail")
    has_separator = not {*":：\n"}.isdisjoint(tail + text[start : start + 1])
    if heading["answer"] and (heading["title"].lower() == "think" or not has_separator):
        return True
    ending = heading["answer"] or heading["thoughts"]
    lines = (heading["thoughts"] or text[start:].rpartition("\n")[0]).split("\n")[1:]
    if lead:
        titles = [line for line in lines if line.startswith(lead) and tail.strip() in line[len(lead) :].lstrip(lead)]
    else:
        titles = [line for line in lines if line[:1].isupper() and tail in line[:16]]
    return len(titles) > bool(heading["thoughts"]) or (bool(ending) and text.count(ending) > 1)


def unwrap_answer(text: str, question: str, prompt: str, *, is_whole: bool) -> str:
    """Return the answer in a JSON object that begins with a thought, or "" while it arrives. Keep any other text."""
    found = _JSON_ANSWER.match(text)
    if found is None or "json" in prompt or (found["key"] and found["key"].lower() in question):
        return text
    plan, end = decode_json_and_find_end(found["json"], 0)
    rest = found["json"][end:].strip()
    is_plan = isinstance(plan, Mapping) and plan.keys() <= {found["key"], "call", "tool", "action"}
    if isinstance(plan, Mapping) and is_plan and isinstance(plan[found["key"]], str) and rest[:1].isalpha():
        return rest  # Gemini 3.5 answers behind its plan
    if not is_whole:
        return ""
    value = parse_json_leniently(found["json"].rstrip("` \n")) if text.rstrip("` \n").endswith("}") else None
    if not value or not isinstance(value, Mapping):
        return text
    thought, *others = value.values()
    answers = [part for part in others if isinstance(part, str)]
    answers = answers or [json.dumps(part, ensure_ascii=False) for part in others]
    return answers[0] if len(answers) == 1 and not isinstance(thought, int | float) else text
