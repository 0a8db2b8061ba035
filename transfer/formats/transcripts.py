"""Read Markdown or plain-text transcripts in which headings name the speakers, and pages exported from Perplexity."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from transfer.formats.members import NAMES, ROLES, UNSAID_ROLES, guess_role
from transfer.formats.values import InvalidElement, parse_moment

_BEFORE_LABEL = r"(?:(?:[^\W\d]{1,10} )?#?\d{1,5}[.)]?[ \t—–-]{1,4})?(?:(?:Message )?From |role::)?"
_SEPARATOR = r"(?:[—–·|,-]|at|on) "
_SIGN = r"(?:[^()\[\]\n:：]|[:：](?=\d\d))"
_BRACKET = r"[(\[](?:\w{2,20}:: )?"  # in Obsidian, with the name of a field
_DATE = rf"(?:(?:{_BRACKET}|{_SEPARATOR})(?P<date>(?:[^\W\d_]{{3,9}}\.? )?\d{_SIGN}{{5,40}})[)\]]?|\([^()\n]{{1,60}}\))"
_SAID = "(?: (?:said|has?t gesagt|avez dit|a dit|disse|dij(?:o|iste)|сказали?))"
_LABEL = rf"{_BEFORE_LABEL}(?P<label>[^\n:：*_#(\[]{{1,40}}?){_SAID}?(?:[ \t]{{0,3}}{_DATE})?[ \t]{{0,3}}"
_LATE_DATE = rf"(?:(?:\((?=\D{{0,30}}\d)|{_SEPARATOR}(?=\d{{4}}|[_*]\D{{0,12}}\d))(?P<late_date>{_SIGN}{{6,40}})\)?)?"
_CALLOUT = re.compile(r"^> ?\[!([\w-]{1,40})\][+-]?[ \t]*($)?", re.MULTILINE)  # in Obsidian, around each turn
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_FENCED = r"[^\S\n]*(?P<fence>`{3,20}+).*(?:\n(?![^\S\n]*(?P=fence)).*)*+\n.*"  # up to as many signs, or more
_CODE = re.compile(f"^{_FENCED}", re.MULTILINE)
_TAG = r"</?(?:details|summary|b|strong)\b[^<>\n]{0,40}>"
_MARKED_TURN = re.compile(
    rf"^(?:(?P<code>{_FENCED})"
    r"|(?P<number>#{2,3} chat-\d+\n\n)?(?P<quoted>>.*(?:\n>.*)*+)(?:\n\n###### \w+ said:$)?"
    rf"|(?:(?:{_TAG})++(?:[^\w\s<>]{{1,4}} )?|(?P<bracket>\[))(?P<label>[^\W\d_]{{2,20}})"
    rf"(?(bracket)\](?=[:：])|:?(?:{_TAG})++(?=:|[ \t]*$))|{_TAG}$|(?:___|---)\n+###### \[top\]\(#.*)",
    re.MULTILINE,
)
"""Marks of a turn outside code, which count if no lines name both sides: numbered questions, quoted names, elements."""
_NUMBERED_TURN = re.compile(
    rf"^(?:{_FENCED}|(?P<mark>#{{1,6}} |\*\*|__|)(?:(?:Message|Turn) \d{{1,5}}(?:: | \())?(?P<label>[^\W\d_]{{2,20}}"
    r"|[^\W\d_](?= ?#?\d|(?:\*\*|__)?[:：]))(?: ?#?\d{1,4}|\))?(?=[ \t]*(?:[:：*_(]|$)))",
    re.MULTILINE,
)  # "## Prompt 1", "### Message 1 (User)", "Q:", which count if nothing else names both sides, as answers have such too
_BOLD = rf"(?:\*\*|__){_LABEL}(?:[:：](?:\*\*|__)|(?:\*\*|__)[ \t]{{0,3}}{_LATE_DATE}(?:[:：]|$))[ \t]*(?P<rest>.*)$"
_HEADINGS = {
    ">": re.compile(rf">{{1,2}} {_LABEL}:(?P<rest>)$"),
    "#": re.compile(rf"#{{1,6}}\s+(?:\[(?P<late_date>\d[^\[\]\n]{{6,30}})\] )?{_LABEL}(?:[:：][ \t]*(?P<rest>.*))?$"),
    "**": re.compile(_BOLD),
    "- **": re.compile(rf"[-*] {_BOLD}"),
    "🤖 **": re.compile(rf"[^\w\s!-/:-@\[-`{{-~•–—]{{1,3}} {_BOLD}"),
    ":": re.compile(rf"{_LABEL}[:：][ \t]*(?P<rest>.*)$"),
    "": re.compile(rf"{_LABEL}(?P<rest>)$"),
}  # the ways in which a line names who speaks, by the style of each
_BOTS = frozenset(NAMES["bots"])
MAX_LINES_ABOUT = 12  # lines before the first question, such as a title, a date and a link
MIN_WORD = 5  # letters of a line that is more than a date in digits, with AM or PM
_ANY_STYLE = "any"  # where the sides of a talk are named in different ways
_MAX_HEADING_CHARS = 10_000
_DECORATION = re.compile(r"[^\w\s]+")
_ABOUT = re.compile(r"(?:# |[*_]{0,2}(?P<name>title|created|date|create_time)[*_:]{1,3} *)(?P<value>.*)", re.IGNORECASE)
_COMMENT = re.compile(r"^<!--(?:(?!-->)[^\n]){0,1000}-->\n", re.MULTILINE)
_FOOTER = re.compile(r"\n-{3,}(?:[^\S\n]*+\n)++(?=[^\n]*+\s*+\Z)[^\n]*(?:\]\(|href=['\"])https?://[^\n]*\s*")
"""A rule and a last line with a link. That it is the last is checked first, so that the time stays linear."""
_TIME_TAG = re.compile(r"<time datetime=\"([^\"\n]{8,40})\"[^\n]*</time>")
_LAST_STAMP = re.compile(r"\[[A-Za-z]{4,20}: (\d[^\[\]\n]{7,40})\]")  # [Timestamp: 2024/05/01 10:00:00]
_WHOLE_FENCE = re.compile(r"\A\s*```\n(.*)\n```\s*", re.DOTALL)
_PERPLEXITY_LOGO = re.compile(r'\s*<img src="https://[\w.]*perplexity\.ai/[^\n]*\n')
_QUESTION = re.compile(r"\n\n---\n+# ")
_AIDER_START = re.compile(r"^# aider chat started at (\d[^\n]{8,30})$", re.MULTILINE)
_AIDER_OUTPUT = re.compile(r"^(?:>|#### /(?!ask|code|architect)).*\n?", re.MULTILINE)
"""What the program prints, and commands without a question."""
_AIDER_ASKED = re.compile(r"^```[^`]*^```|(?:^#### .*\n*)+", re.MULTILINE)
_CLAUDE_CODE = re.compile(r"(?:[^#*>_\n][^\n]*\n)?\s*[\u2500-\u259f][\u2500-\u259f ]*Claude Code v\d")  # with its logo
_TERMINAL_TURN = re.compile(r"^(?:([>❯])|([⏺●])|[!✻※]) ", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^[\d_]+\]|<span style=\"display:none\">|</span>")


class _Heading(NamedTuple):
    """A line that may begin a turn. `style` is its markup, which all headings of a file usually share."""

    style: str
    label: str
    date: str
    rest: str | None  # None if no colon follows the label
    is_in_open_code: bool = False  # below a fence that nobody closed


def _parse_heading(line: str) -> _Heading | None:
    line = line.strip("_ ") if line.startswith("_**") else line  # of SpecStory
    for style, pattern in _HEADINGS.items() if len(line) < _MAX_HEADING_CHARS else ():
        if found := pattern.match(line.replace("*", "") if style == "#" else line):
            label = " ".join(_DECORATION.sub(" ", found["label"]).split()).casefold()
            if label and (style or label in ROLES):
                date = found["date"] or found.groupdict().get("late_date")
                return _Heading(style, label, (date or "").strip("_*"), found["rest"])
    return None


def _choose_heading_style_and_roles(headings: Sequence[_Heading]) -> tuple[str, Mapping[str, str]]:
    """Return the heading style that names both speakers, and the roles of its labels.

    If the assistant's name is unknown, it is taken to be the label that most often follows the person's.
    """
    known = {heading.label: str(ROLES[heading.label]) for heading in headings if heading.label in ROLES}
    best, best_labels, most = _ANY_STYLE, known if len(set(known.values())) == 2 else {}, 0
    for style in dict.fromkeys(heading.style for heading in headings):
        labels = [heading.label for heading in headings if heading.style == style and heading.label not in UNSAID_ROLES]
        roles = {label: str(ROLES[label]) for label in labels if label in ROLES}
        if not roles:  # below a title, perhaps: "用户提问", "AI回复"
            named = [label for label in labels if " " not in label and guess_role(label)]
            roles = {label: str(guess_role(label)) for label in named} if named == labels[-len(named) :] else {}
        if not roles:  # of Antigravity: "User Input", "Planner Response"
            roles = {label: "user" for label in labels if guess_role(label) == "user" and labels.count(label) > 1}
        if "user" not in roles.values() and not best_labels:  # "Nachricht von ChatGPT:" in NextChat, "ChatGPT dijo:"
            same = (heading for heading in headings if heading.style == style and heading.rest is not None)
            titles = [heading.label for heading in same if style != ":" or not heading.rest]
            bots = {label for label in titles if not _BOTS.isdisjoint(label.split())}
            before = Counter(a for a, b in pairwise(titles) if b in bots and a not in bots)
            is_sure = len(bots) == len(before) == 1 and before.total() >= titles.count(*bots) - 1 > 0
            roles |= dict.fromkeys(before if is_sure else (), "user")
        is_talk = sum(label in roles for label in labels) > 1 or any(label in roles for label in labels[:2])
        if is_talk and "user" in roles.values() and "assistant" not in roles.values():
            after = Counter(b for a, b in pairwise(labels) if a in roles and b not in roles)
            roles |= {label: "assistant" for label, _ in after.most_common(1)}
        is_surer = best == ":" and roles.keys() <= ROLES.keys() and best_labels.keys() - ROLES.keys()
        count = sum(label in roles for label in labels)
        if {"user", "assistant"} <= set(roles.values()) and (count, bool(is_surer)) > (most, False):
            best, best_labels, most = style, roles, count
    return best, best_labels


def _iterate_lines_and_headings(text: str) -> Iterator[tuple[str, _Heading | None]]:
    is_open, plain = False, _CODE.sub(lambda code: re.sub(r"\S+", "\0", code[0]), text)
    for line, words in zip(text.splitlines(), plain.splitlines(), strict=True):
        is_open = is_open or words.lstrip().startswith("```")
        heading = None if "\0" in words else _parse_heading(words)
        yield line, heading and heading._replace(is_in_open_code=is_open)


def parse_transcript_info_and_messages(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the title and the date of a transcript, and its messages. Other text before the first turn is ignored."""
    if logo := _PERPLEXITY_LOGO.match(text):
        return {}, _parse_perplexity_export(text[logo.end() :])
    text = _normalize_markup(text)
    lines, style, roles = _read_headed_lines_style_and_roles(_FOOTER.sub("", text))
    about: dict[str, str] = {}
    turns: list[tuple[str, str, list[str]]] = []
    for line, heading in lines:
        is_turn = heading and style in (heading.style, _ANY_STYLE)
        if heading and is_turn and (heading.label in roles or heading.label in UNSAID_ROLES):
            turns.append((roles.get(heading.label, ""), heading.date, [heading.rest] if heading.rest else []))
        elif turns and line.strip() not in ("---", "* * *", "***", '<hr class="__chatgpt_plugin">'):
            turns[-1][2].append(line)
        elif not turns and (found := _ABOUT.match(line)):
            name = (found["name"] or "title").lower()
            if name == "title" and (found["name"] or not text.startswith(line)):
                name = "thread_title"  # earlier versions did not know it, and a title is part of ids
            about.setdefault(name, found["value"].strip("\"'") if found["name"] else found["value"])
    contents = ["\n".join(lines).strip() for _, _, lines in turns]
    if contents and all(map(_WHOLE_FENCE.fullmatch, contents)):  # Chatbox
        contents = [_WHOLE_FENCE.sub(r"\1", content) for content in contents]
    said = zip(turns, contents, strict=True)
    return about, [_parse_turn_as_message_dict(role, date, content.split("\n")) for (role, date, _), content in said]


def _parse_turn_as_message_dict(role: str, date: str, lines: list[str]) -> dict[str, str]:
    line = lines[0].strip()
    tag = _TIME_TAG.fullmatch(line)
    bare = tag[1] if tag else line.strip("*_ ")
    is_date = len(bare) > 7 and not bare.isdecimal() and (bare != line or sum(map(str.isalpha, bare)) < MIN_WORD)
    stamp = _LAST_STAMP.fullmatch(lines[-1].strip())
    dated = ((date, lines), (bare if is_date else "", lines[1:]), (stamp[1] if stamp else "", lines[:-1]))
    for given, rest in dated:
        with suppress(InvalidElement):
            if given and parse_moment(given, ""):
                return {"role": role, "content": "\n".join(rest), "created_at": given}
    return {"role": role, "content": "\n".join(lines)}


def _parse_perplexity_export(text: str) -> list[dict[str, str]]:
    messages: list[dict[str, str]] = []
    for part in _QUESTION.split(f"\n\n---\n\n{text}")[1:]:
        question, _, answer = part.partition("\n")
        answer = _FOOTNOTE.sub("", answer.partition("\u2042</div>")[0].rpartition("<div")[0] or answer)
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return messages


def _add_headings_to_claude_code_turns(text: str) -> str:
    """Add a heading before each turn in a text from Claude Code's /export, and leave out tool calls."""
    _, *parts = _TERMINAL_TURN.split(text if _CLAUDE_CODE.match(text) else "")
    said = [
        f"## {'user' if asked else 'assistant'}:\n" + words.replace("\n  ", "\n")
        for asked, answered, words in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        if (asked or answered) and "\n  ⎿" not in words
    ]
    return "\n".join(said) or text


def _add_headings_to_aider_turns(text: str) -> str:
    """Add a heading before each turn of an Aider history, where the person's lines begin with "####"."""
    _, *parts = _AIDER_START.split(text)
    marked = [
        _AIDER_ASKED.sub(partial(_format_aider_request, date), _AIDER_OUTPUT.sub("", talk))
        for date, talk in zip(parts[::2], parts[1::2], strict=True)
    ]
    return "".join(marked) or text


def _format_aider_request(date: str, match: re.Match[str]) -> str:
    is_code = match[0].startswith("`")
    return match[0] if is_code else f"## user ({date}):\n{match[0].replace('#### ', '')}\n## assistant:\n"


def _normalize_markup(text: str) -> str:
    """Remove comments, and replace each callout with a heading followed by its text."""
    text = _add_headings_to_claude_code_turns(_add_headings_to_aider_turns(_COMMENT.sub("", text)))
    if len(_CALLOUT.findall(text)) > 1:  # the kind of a callout without a title says who speaks
        return _QUOTED.sub("", _CALLOUT.sub(lambda found: f"## {found[1] if found[2] is not None else ''}", text))
    return text


def _format_marked_turn(match: re.Match[str]) -> str:
    if match["quoted"]:
        words = _QUOTED.sub("", match["quoted"])
        named = words if words.startswith(("**", "__")) else match[0]
        return f"## user:\n{words}\n\n## assistant:" if match["number"] else named
    label = match["label"] or ""
    return match[0] if match["code"] or (label and label.casefold() not in ROLES) else label and f"## {label}"


def _read_headed_lines_style_and_roles(text: str) -> tuple[list[tuple[str, _Heading | None]], str, Mapping[str, str]]:
    """Return a text's lines with their headings, the style that names both speakers, and the roles of labels."""
    is_page = text[:99].lstrip().lower().startswith(("<!doctype", "<html"))
    marked = text if is_page else _MARKED_TURN.sub(_format_marked_turn, text)
    for changed, is_open_code_read in dict.fromkeys(((text, False), (marked, False), (marked, True))):
        lines = list(_iterate_lines_and_headings(changed))
        headings = [held for _, held in lines if held and (is_open_code_read or not held.is_in_open_code)]
        style, roles = _choose_heading_style_and_roles(headings)
        if roles:
            return lines, style, roles
    turns = [match for match in _NUMBERED_TURN.finditer(marked) if len(match["label"] or "") == 1]
    letters = "".join(match["label"] for match in turns).casefold()
    sides = [letter for letter in letters if letter in f"{letters[:2]}b"]  # "A: pecan", "B: walnut" is a choice
    is_talk = letters[:2] in NAMES["letters"] and "".join(sides) == (letters[:2] * len(sides))[: len(sides)]
    is_talk = is_talk and marked.count("\n", 0, turns[0].start()) < MAX_LINES_ABOUT
    names = dict(zip(letters, ("user", "assistant"), strict=False)) if is_talk else {}
    unnumbered = _NUMBERED_TURN.sub(partial(_remove_number, names), marked)
    found = _read_headed_lines_style_and_roles(unnumbered) if unnumbered != marked else (lines, style, roles)
    if is_talk and turns[0]["mark"] != "# ":  # of exporters. The one such heading of a document is its title.
        found = *found[:2], {label: role.replace("user", "question") for label, role in found[2].items()}
    return found if found[2].keys() <= ROLES.keys() else (lines, style, roles)


def _remove_number(letters: Mapping[str, str], match: re.Match[str]) -> str:
    label = (match["label"] or "").casefold()
    role = match["label"] if label in ROLES and label not in ("question", "request") else letters.get(label)
    return f"{match['mark']}{role}" if role else match[0]


def is_transcript(text: str) -> bool:
    """Return True if lines of the text name a user and an assistant as speakers."""
    return bool(_PERPLEXITY_LOGO.match(text) or _read_headed_lines_style_and_roles(_normalize_markup(text))[2])
