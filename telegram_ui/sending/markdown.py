"""Prepare the Markdown that models write, so that Telegram's converters lose no words of it. Pure functions."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import pyromark
from telegramify_markdown import RenderConfig, convert
from telegramify_markdown.converter import STANDARD_OPTIONS

MAX_NESTED = 16  # levels of quotes, lists or entities. No client shows more.
MAX_FORMULAS = 1_000  # dollar signs. The converter's time grows with their square.
MAX_UNCLOSED = 100  # unclosed formulas. Each makes the converter scan to the end of the text.
MAX_TABLE_CHARS = 300_000  # characters of a table with all rows padded to the longest
BREAK_TAG = re.compile(r"<br\s?/?>", re.IGNORECASE)
_NESTED = re.compile(rf"^[ \t]*(?:(?:>|[-*+][ \t]|\d{{1,9}}[.)][ \t])[ \t]*){{{MAX_NESTED + 1}}}", re.MULTILINE)
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`)", re.DOTALL)
# A multiplication sign (2*3) or a file pattern (/*.py), which Markdown takes for emphasis.
_TIMES = re.compile(r"(?<=\d)\*(?=\d)|(?<=/)\*{1,2}(?=[./])")
# A word whose first star is inside of it: a*b*c, x**y. Emphasis begins before its word.
_STARRED = re.compile(r"(?<!\S)[^\s*]*[0-9A-Za-z)\]]\*{1,2}[0-9A-Za-z(]\S*")
_STAR_INSIDE = re.compile(r"(?<=[0-9A-Za-z)\]])\*{1,2}(?=[0-9A-Za-z(])")
# A name of Python, such as __init__. Models write bold words with stars.
_DUNDER = re.compile(r"(?<!\w)__([a-z][a-z0-9_]*[a-z0-9])__(?!\w)")
_BOLD = re.compile(r"(\w?)\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(\w?)")
_NUMBERED = re.compile(rf"{_CODE.pattern}|^([ \t>]*)(\d{{1,9}})([.)])(?=[ \t])", re.DOTALL | re.MULTILINE)
_INLINE_FORMULA = re.compile(r"\\\((?=\S)([^$\n]{1,300}?)(?<=\S)\\\)")
_BLOCK_FORMULA = re.compile(r"\\\[(?=\S|\s)([^$]{1,2000}?)\\\]")
_SPOILER_TAGS = frozenset({"<tg-spoiler>", "</tg-spoiler>"})
_AUTOLINK_SCHEMES = ("http://", "https://", "mailto:", "tg://")  # <std::string> is no link
_LINK_SCHEMES = ("http://", "https://", "tg://")  # schemes that Telegram accepts
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_OPEN_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^)\s]{0,2000}\Z")
_FENCE = re.compile(r"^[ >]{0,20}(?:```|~~~)", re.MULTILINE)
# Code and formulas, whose pipes end no cell. "| $5 | $10 |" has none.
_IN_A_CELL = re.compile(r"`[^`\n]+`|\$\|[^|$\n]+\|\$|\$(?!\s)[^$\n]*[^$\s|]\$(?!\d)")
_MARK = re.compile(r"`|\*\*|\*|~~")
_ITEM = re.compile(r"\n[ \t]{0,40}(?:[-*+]|\d{1,9}[.)])\s")


@cache
def make_config() -> RenderConfig:
    """Return the converter's configuration: familiar signs where Telegram has no entity, and headings without signs."""
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    symbols.unordered_list_item = "•"
    return config


def prepare_for_messages(markdown: str) -> str:
    """Return the Markdown that is converted to plain messages."""
    return _rewrite_events(_protect_cells(_protect_signs(markdown)), _write_for_messages)


def prepare_for_rich(markdown: str) -> str:
    """Return the Markdown of a rich message."""
    source = _BLOCK_FORMULA.sub(r"$$\1$$", _protect_signs(markdown))
    return source if is_too_hard(source) else _rewrite_events(_protect_cells(source), _write_for_rich)


def has_tables_or_formulas(markdown: str) -> bool:
    events = pyromark.events(markdown, options=STANDARD_OPTIONS) if "|" in markdown or "$" in markdown else ()
    begun = (next(iter(event.items())) for event in events if isinstance(event, dict))
    return any(name.endswith("Math") or (isinstance(value, dict) and "Table" in value) for name, value in begun)


def is_too_hard(source: str) -> bool:
    """Return True if converting would take too long, or make the text much longer."""
    if source.count("$") > MAX_FORMULAS or _NESTED.search(source):
        return True
    for opened, closed in (("\\[", "\\]"), ("\\(", "\\)")):
        if source.count(opened, source.rfind(closed) + 1) > MAX_UNCLOSED:
            return True
    rows = [len(line) for line in source.splitlines() if "|" in line]
    return len(rows) * max(rows, default=0) > MAX_TABLE_CHARS


@dataclass(frozen=True, kw_only=True, slots=True)
class _Event:
    """An event of the parser, with its source. `link`: the fields of a link or picture."""

    kind: str
    part: str
    link: dict[str, Any] = field(default_factory=dict)
    is_in_table: bool = False
    follows_word: bool = False


def _rewrite_events(markdown: str, write: Callable[[_Event], str]) -> str:
    """Replace the source of each parser event by the result of `write`."""
    if not any(sign in markdown for sign in "<$["):
        return markdown
    source, result, done, is_in_table = markdown.encode(), b"", 0, False
    for parsed, span in pyromark.events_with_range(markdown, options=STANDARD_OPTIONS):
        (name, value), *_ = parsed.items() if isinstance(parsed, dict) else [(parsed, None)]
        kind, details = next(iter(value.items())) if isinstance(value, dict) else (str(value), None)
        if kind == "Table":
            is_in_table = name == "Start"
        if span["start"] < done or name == "End":
            continue
        before = source[max(span["start"] - 1, 0) : span["start"]]
        event = _Event(
            kind=kind if name == "Start" else name,
            part=source[span["start"] : span["end"]].decode(),
            link=details if kind in ("Link", "Image") and isinstance(details, dict) else {},
            is_in_table=is_in_table,
            follows_word=before.isalnum() or before > b"\x7f" or before in (b")", b"]", b"_"),
        )
        if (written := write(event)) != event.part:
            result += source[done : span["start"]] + written.encode()
            done = span["end"]
    return (result + source[done:]).decode()


def _write_for_messages(event: _Event) -> str:
    if not event.is_in_table or event.kind in ("Html", "InlineHtml"):
        return _write_for_rich(event)
    # The converter would move formulas out of a table, so they become code.
    if event.kind in ("InlineMath", "DisplayMath"):
        formula = " ".join(convert(event.part.replace("\\|", "|"), config=make_config())[0].split())
        return event.part if "`" in formula else f"`{formula}`".replace("|", "\\|")
    return event.part


def _write_for_rich(event: _Event) -> str:
    """Escape tags and false links. Write out the addresses of links that Telegram would drop."""
    if event.kind in ("Html", "InlineHtml") and event.part.strip().lower() not in _SPOILER_TAGS:
        return BREAK_TAG.sub(" " if event.is_in_table else "\n", event.part).replace("<", "&lt;")
    if not event.link or not event.link["dest_url"] or event.link["link_type"] == "Email":
        return event.part
    if event.link["link_type"] == "Autolink":
        is_link = event.part[1:].lower().startswith(_AUTOLINK_SCHEMES)
        return event.part if is_link else event.part.replace("<", "&lt;")
    return _write_address(event)


def _write_address(event: _Event) -> str:
    """Write the address of a link after its words if no client could follow it. Telegram drops such links."""
    address, title = str(event.link["dest_url"]), str(event.link["title"])
    if address.lower().startswith(_LINK_SCHEMES):
        return event.part
    if event.kind == "Link" and event.follows_word:  # code, such as actions[0](state)
        return f"\\{event.part}"
    # Of "[words](address)", "[words][name]" or "[words]".
    end = max(event.part.rfind("]("), event.part.rfind("]["))
    words, sign = event.part[event.part.index("[") + 1 : end if end > 0 else -1], "🖼 " * (event.kind == "Image")
    # As code, because a client would turn setup.md into a web address. E-mail addresses and numbers stay clickable.
    bare = address.removeprefix("mailto:").removeprefix("tel:")
    shown = ", ".join(filter(None, (f"`{address}`" if bare == address else bare, title)))
    return sign + (shown if words.strip("`") in (address, bare, "") else f"{words} ({shown})")


def _protect_cells(markdown: str) -> str:
    """Escape pipes in the code and formulas of table cells, and separate those of empty cells."""
    if "|" not in markdown:
        return markdown
    lines, rows, is_code = markdown.split("\n"), set[int](), False
    for number, line in enumerate(lines):
        is_code ^= _FENCE.match(line) is not None
        if not is_code and "|" in line and (number - 1 in rows or _is_under_table_head(line)):
            rows |= {number - 1, number} if number else set()
    for number in rows:
        line = _IN_A_CELL.sub(lambda inner: _BARE_PIPE.sub(r"\\|", inner[0]), lines[number])
        lines[number] = line.replace("||", "| |")
    return "\n".join(lines)


def _is_under_table_head(line: str) -> bool:
    return not line.strip("|:- \t>") and "-" in line


def close_marks(markdown: str) -> str:
    """Close the marks that the last paragraph of a growing answer has opened."""
    begin = max(markdown.rfind("\n\n") + 1, *(item.start() for item in _ITEM.finditer(markdown)), 0)
    before, last = markdown[:begin], _OPEN_LINK.sub(r"\1", markdown[begin:])
    if len(fences := _FENCE.findall(markdown)) % 2:
        return f"{markdown.rstrip('`~')}\n{fences[-1]}"
    opened, words = list[str](), last.rstrip()
    end, only_marks = len(words), len(words.rstrip("*~`"))
    for found in _MARK.finditer(words):
        mark, left, right = (
            found[0],
            words[max(found.start() - 1, 0) : found.start()],
            words[found.end() : found.end() + 1],
        )
        if opened[-1:] == ["`"] and mark != "`":
            continue
        if mark in opened and not left.isspace():
            del opened[opened.index(mark) :]
        elif found.end() >= only_marks:  # marks around nothing would be visible
            end = min(end, found.start())
        elif mark not in opened and not right.isspace() and not (mark == "*" and left.isalnum()):
            opened.append(mark)
    if not opened and end == len(words):
        return before + last
    return before + words[:end].rstrip() + "".join(reversed(opened))


def _protect_signs(markdown: str) -> str:
    """Keep the signs and numbers outside of code that Markdown would drop, and mark formulas in \\( \\)."""
    parts = _CODE.split(markdown)
    for number in range(0, len(parts), 2):
        part = _STARRED.sub(lambda word: _STAR_INSIDE.sub(_escape_stars, word[0]), parts[number])
        part = _DUNDER.sub(r"\_\_\1\_\_", _TIMES.sub(_escape_stars, part))
        parts[number] = _INLINE_FORMULA.sub(r"$\1$", _BOLD.sub(_delimit_bold, part))
    return _NUMBERED.sub(partial(_keep_number, {}), "".join(parts))


def _escape_stars(found: re.Match[str]) -> str:
    return found[0].replace("*", "\\*")


def _delimit_bold(found: re.Match[str]) -> str:
    """Write a letter next to bold words as an entity, or punctuation would keep Markdown from seeing their end.

    Chinese, Japanese and Korean have no space there: "**注意：**内容".
    """
    before, inner, after = found.groups()
    if before and unicodedata.category(inner[0])[0] in "PS" and unicodedata.category(inner[0]) != "Pe":
        before = f"&#{ord(before)};"
    if after and unicodedata.category(inner[-1])[0] in "PS" and unicodedata.category(inner[-1]) != "Ps":
        after = f"&#{ord(after)};"
    return f"{before}**{inner}**{after}"


def _keep_number(last: dict[str, tuple[int, str, str]], found: re.Match[str]) -> str:
    """Begin a new list, by another sign, if a number does not follow the last one. Markdown would count on."""
    if found[1] is not None:
        return found[0]
    _, indent, digits, sign = found.groups()
    before, sign_before, written = last.get(indent, (int(digits), sign, sign))
    if sign != sign_before:
        written = sign
    elif int(digits) - before not in (0, 1):
        written = ")" if written == "." else "."
    last[indent] = (int(digits), sign, written)
    return f"{indent}{digits}{written}"
