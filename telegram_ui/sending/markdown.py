"""Prepare the Markdown that models write, so that Telegram's converters do not drop any of the text."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import pyromark
from telegramify_markdown import RenderConfig, convert
from telegramify_markdown.converter import STANDARD_OPTIONS

from text.rich_messages import format_super_or_subscript, surround_with_mark

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
_INLINE_FORMULA = re.compile(r"\\\([ \t]{0,9}(?=\S)([^$\n]{1,300}?)(?<=\S)[ \t]{0,9}\\\)")
_BLOCK_FORMULA = re.compile(r"\\\[(?=\S|\s)([^$]{1,2000}?)\\\]")
_SPOILER_TAGS = frozenset({"<tg-spoiler>", "</tg-spoiler>"})
_AUTOLINK_SCHEMES = ("http://", "https://", "mailto:", "tg://")  # <std::string> is no link
_LINK_SCHEMES = ("http://", "https://", "tg://")  # schemes that Telegram accepts
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_OPEN_LINK = re.compile(
    r"!?\[((?:[^\[\]\n]|\[[^\[\]\n]{0,300}\]){0,300})\]"
    r"\((?:[^()\s]|\([^()\s]{0,300}\)){0,2000}(?:\([^()\s]{0,300})?"
    r"""(?:[ \t]{1,9}(?:"[^"\n]{0,300}"?|'[^'\n]{0,300}'?)?)?\Z"""
)
_FENCE = re.compile(r"([ >]{0,20}(`{3,}|~{3,}))(.*)")
# Code and formulas, whose pipes end no cell. "| $5 | $10 |" has none.
_IN_A_CELL = re.compile(r"`[^`\n]+`|\$\|[^|$\n]+\|\$|\$(?!\s)[^$\n]*[^$\s|]\$(?!\d)")
# The `||` of "a || b", which would begin a spoiler.
_OR = re.compile(r"`[^`\n]+`|(?<=\s)\|\|(?=\s)")
_TAGS = re.compile(r"<(b|strong|i|em|u|ins|s|del|code|kbd|mark|sup|sub)>([^<>\n]{1,500})</\1>", re.IGNORECASE)
_TAG_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "code": "`", "kbd": "`"}
_MARK = re.compile(r"(?m)^[ \t]*\*{3,}[ \t]*\n|`+|\*\*|\*|~~|~\Z|\|\||\$\$|\$\Z")
_ITEM = re.compile(r"\n[ \t]{0,40}(?:[-*+]|\d{1,9}[.)])\s")


@cache
def make_render_config() -> RenderConfig:
    """Return the converter's configuration, with plain symbols for tasks and list items, and none for headings."""
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    symbols.unordered_list_item = "•"
    return config


def prepare_markdown_for_plain_messages(markdown: str) -> str:
    """Repair tables, escape markup and write out links, so that the conversion to plain messages loses no text."""
    return _replace_markdown_events(
        _repair_tables(_normalize_inline_markup(markdown)), _format_event_for_plain_messages
    )


def prepare_markdown_for_rich_message(markdown: str) -> str:
    """Escape inline markup, repair tables, and convert Markdown to the syntax of rich messages."""
    source = _BLOCK_FORMULA.sub(r"$$\1$$", _normalize_inline_markup(markdown))
    if is_too_complex_to_convert(source):
        return source
    return _replace_markdown_events(_repair_tables(source), _format_event_for_rich_message)


def has_tables_or_formulas(markdown: str) -> bool:
    events = pyromark.events(markdown, options=STANDARD_OPTIONS) if "|" in markdown or "$" in markdown else ()
    begun = (next(iter(event.items())) for event in events if isinstance(event, dict))
    return any(name.endswith("Math") or (isinstance(value, dict) and "Table" in value) for name, value in begun)


def is_too_complex_to_convert(markdown: str) -> bool:
    """Return True if the Markdown would take too long to convert, or would become much longer."""
    if markdown.count("$") > MAX_FORMULAS or _NESTED.search(markdown):
        return True
    for opened, closed in (("\\[", "\\]"), ("\\(", "\\)")):
        if markdown.count(opened, markdown.rfind(closed) + 1) > MAX_UNCLOSED:
            return True
    rows = [len(line) for line in markdown.splitlines() if "|" in line]
    return len(rows) * max(rows, default=0) > MAX_TABLE_CHARS


@dataclass(frozen=True, kw_only=True, slots=True)
class _MarkdownEvent:
    """A Markdown element that the parser has found, with the text that it was parsed from."""

    kind: str
    part: str  # its source
    link: dict[str, Any] = field(default_factory=dict)  # the fields of a link or picture
    is_in_table: bool = False
    follows_word: bool = False


def _replace_markdown_events(markdown: str, render_event: Callable[[_MarkdownEvent], str]) -> str:
    """Return Markdown in which each element that the parser finds is replaced by the result of `render_event`."""
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
        event = _MarkdownEvent(
            kind=kind if name == "Start" else name,
            part=source[span["start"] : span["end"]].decode(),
            link=details if kind in ("Link", "Image") and isinstance(details, dict) else {},
            is_in_table=is_in_table,
            follows_word=before.isalnum() or before > b"\x7f" or before in (b")", b"]", b"_"),
        )
        if (written := render_event(event)) != event.part:
            result += source[done : span["start"]] + written.encode()
            done = span["end"]
    return (result + source[done:]).decode()


def _format_event_for_plain_messages(event: _MarkdownEvent) -> str:
    if event.is_in_table and event.kind in ("InlineMath", "DisplayMath"):
        # The converter would move formulas out of a table, so they become code.
        formula = " ".join(convert(event.part.replace("\\|", "|"), config=make_render_config())[0].split())
        return event.part if "`" in formula else f"`{formula}`".replace("|", "\\|")
    written = _format_event_for_rich_message(event)
    return _format_link_for_plain_messages(event) if event.link and written == event.part else written


def _format_event_for_rich_message(event: _MarkdownEvent) -> str:
    """Return an event's Markdown. Escape tags and invalid links, and write out addresses that Telegram would drop."""
    if event.kind in ("Html", "InlineHtml") and event.part.strip().lower() not in _SPOILER_TAGS:
        return BREAK_TAG.sub(" " if event.is_in_table else "\n", event.part).replace("<", "&lt;")
    if not event.link or not event.link["dest_url"] or event.link["link_type"] == "Email":
        return event.part
    if event.link["link_type"] == "Autolink":
        is_link = event.part[1:].lower().startswith(_AUTOLINK_SCHEMES)
        return event.part if is_link else event.part.replace("<", "&lt;")
    return _format_link(event)


def _format_link(event: _MarkdownEvent) -> str:
    """Return a link. If Telegram would drop its address, append the address to the link text."""
    address, title = str(event.link["dest_url"]), str(event.link["title"])
    if address.lower().startswith(_LINK_SCHEMES):
        return event.part
    if event.kind == "Link" and event.follows_word:  # code, such as actions[0](state)
        return f"\\{event.part}"
    # As code, because a client would turn setup.md into a web address. E-mail addresses and numbers stay clickable.
    bare = address.removeprefix("mailto:").removeprefix("tel:")
    shown = ", ".join(filter(None, (f"`{address}`" if bare == address else bare, title)))
    sign, words = _get_image_prefix_and_link_text(event)
    return sign + (shown if words.strip("`") in (address, bare, "") else f"{words} ({shown})")


def _format_link_for_plain_messages(event: _MarkdownEvent) -> str:
    """Return a link as Markdown, spelling out what the converter drops, such as a title or an address in a table."""
    address, title = str(event.link["dest_url"]), str(event.link["title"])
    if event.link["link_type"] in ("Autolink", "Email") or not address:
        return event.part
    sign, words = _get_image_prefix_and_link_text(event)
    if event.is_in_table:
        return f"{sign}{words} ({', '.join(filter(None, (address, title)))})" if words else sign + address
    if not words:
        return f"{sign}<{address}>"
    is_inline = event.link["link_type"] == "Inline" and not title
    return event.part if is_inline else f"{'!' if sign else ''}[{words}](<{address}>){title and f' ({title})'}"


def _get_image_prefix_and_link_text(event: _MarkdownEvent) -> tuple[str, str]:
    end = max(event.part.rfind("]("), event.part.rfind("]["))
    return "🖼 " * (event.kind == "Image"), event.part[event.part.index("[") + 1 : end if end > 0 else -1].strip()


def _repair_tables(markdown: str) -> str:
    """Escape pipes that do not separate cells, and give each table as many columns as its longest row."""
    if "|" not in markdown:
        return markdown
    lines, tables, fence = markdown.split("\n"), list[list[int]](), ""
    for number, line in enumerate(lines):
        fence = _find_fence_open_after_line(fence, line)
        if fence or "|" not in line:
            continue
        if tables and tables[-1][-1] == number - 1:
            tables[-1].append(number)
        elif number and "-" in line and not line.strip("|:- \t>"):  # the line under a head
            tables.append([number - 1, number])
        else:
            lines[number] = _OR.sub(lambda found: "\\|\\|" if found[0] == "||" else found[0], line)
    for table in tables:
        _repair_table_in_place(lines, table)
    return "\n".join(lines)


def _repair_table_in_place(lines: list[str], rows: Sequence[int]) -> None:
    """Repair a table in `lines`. `rows` has the line numbers of its header, delimiter row and body."""
    for row in rows:
        lines[row] = _IN_A_CELL.sub(lambda inner: _BARE_PIPE.sub(r"\\|", inner[0]), lines[row].rstrip())
    width = _count_cells(lines[rows[0]])
    for row in rows:
        if _count_cells(lines[row]) > width:
            lines[row] = lines[row].replace(" || ", " \\|\\| ")
        lines[row] = lines[row].replace("||", "| |")
    missing = max(_count_cells(lines[row]) for row in rows) - width
    if missing and _count_cells(lines[rows[1]]) == width:
        for row, cell in ((rows[0], " |"), (rows[1], "---|")):
            lines[row] += ("" if lines[row].endswith("|") else " |") + cell * missing


def _count_cells(row: str) -> int:
    return 1 + len(_BARE_PIPE.findall(row.strip(" \t>").removeprefix("|").removesuffix("|")))


def _find_fence_open_after_line(open_fence: str, line: str) -> str:
    """Return the code fence that is open after `line`, or "". `open_fence` is the fence open before `line`."""
    if (found := _FENCE.match(line)) is None:
        return open_fence
    if open_fence:
        return "" if found[2].startswith(open_fence.strip(" >")) and not found[3].strip() else open_fence
    return found[1] if found[2][0] == "~" or "`" not in found[3] else ""


def close_open_formatting(markdown: str) -> str:
    """Close the marks left open in a growing answer, and remove an incomplete formula or link address at its end."""
    *lines, last_line = markdown.split("\n")
    fence, edge = "", 0  # the line in which the last code block begins, or the line after its end
    for number, line in enumerate(lines):
        before, fence = fence, _find_fence_open_after_line(fence, line)
        if fence != before:
            edge = number if fence else number + 1
    if not fence:
        text = [] if _find_fence_open_after_line("", last_line) else [last_line]
        return "\n".join([*lines[:edge], _close_inline_marks("\n".join([*lines[edge:], *text]))])
    if not _find_fence_open_after_line(fence, last_line):
        return markdown
    if last_line.strip(f" >{fence[-1]}"):
        lines.append(last_line)
    if not any(line.strip(" >") for line in lines[edge + 1 :]):
        return close_open_formatting("\n".join(lines[:edge]))
    return "\n".join([*lines, fence])


def _close_inline_marks(markdown: str) -> str:
    edge = max(markdown.rfind("\n\n") + 1, *(item.start() for item in _ITEM.finditer(markdown)), 0)
    before, last = markdown[:edge], _OPEN_LINK.sub(r"\1", markdown[edge:])
    words = last.rstrip()
    opened, end, only_marks, formula = list[str](), len(words), len(words.rstrip("*~`|$")), 0
    for found in _MARK.finditer(words):
        begin, stop = found.span()
        mark, left, right = found[0], words[max(begin - 1, 0) : begin], words[stop : stop + 1]
        is_raw = bool(opened) and opened[-1][0] in "`$"  # in code or a formula
        if mark.endswith("\n"):  # a line between paragraphs
            continue
        if is_raw and mark != opened[-1]:
            if stop == len(words) and mark[0] == opened[-1][0]:  # it will be the closing mark
                end = begin
        elif mark in opened and (is_raw or not left.isspace()):
            del opened[opened.index(mark) :]
        elif stop >= only_marks:  # marks around nothing would be visible
            end = min(end, begin)
        elif mark not in opened and _is_opening_mark(mark, left, right):
            opened.append(mark)
            formula = begin
    if not opened and end == len(words):
        return before + last
    if opened[-1:] == ["$$"]:
        end = formula
        del opened[-1]
    words = words[:end].rstrip("\\ \n")
    while opened and words.endswith(opened[-1]):
        words = words.removesuffix(opened.pop()).rstrip()
    return before + words + "".join(reversed(opened))


def _is_opening_mark(mark: str, character_before: str, character_after: str) -> bool:
    if mark[0] in "*|" and character_before.isascii() and character_before.isalnum():  # a*b, x**y, a||b
        return False
    return mark.startswith(("``", "$$")) or not character_after.isspace()


def _normalize_inline_markup(markdown: str) -> str:
    """Escape characters that Markdown would drop, renumber lists, and convert HTML tags and inline formulas."""
    parts = _CODE.split(markdown)
    for number in range(0, len(parts), 2):
        part = _TAGS.sub(_convert_tag_to_markdown, _TAGS.sub(_convert_tag_to_markdown, parts[number]))  # nested
        part = _STARRED.sub(lambda word: _STAR_INSIDE.sub(_escape_asterisks, word[0]), part)
        part = _DUNDER.sub(r"\_\_\1\_\_", _TIMES.sub(_escape_asterisks, part))
        parts[number] = _INLINE_FORMULA.sub(r"$\1$", _BOLD.sub(_escape_neighbours_of_bold, part))
    return _NUMBERED.sub(partial(_fix_out_of_sequence_list_marker, {}), "".join(parts))


def _convert_tag_to_markdown(match: re.Match[str]) -> str:
    name, words = match[1].lower(), match[2]
    if name in ("sup", "sub"):
        return format_super_or_subscript("^" if name == "sup" else "_", words)
    return surround_with_mark(_TAG_MARKS.get(name, ""), words)


def _escape_asterisks(match: re.Match[str]) -> str:
    return match[0].replace("*", "\\*")


def _escape_neighbours_of_bold(match: re.Match[str]) -> str:
    """Write letters next to bold text as HTML entities. Otherwise "**注意：**内容" would not become bold."""
    before, inner, after = match.groups()
    if before and unicodedata.category(inner[0])[0] in "PS" and unicodedata.category(inner[0]) != "Pe":
        before = f"&#{ord(before)};"
    if after and unicodedata.category(inner[-1])[0] in "PS" and unicodedata.category(inner[-1]) != "Ps":
        after = f"&#{ord(after)};"
    return f"{before}**{inner}**{after}"


def _fix_out_of_sequence_list_marker(last_markers: dict[str, tuple[int, str, str]], match: re.Match[str]) -> str:
    """Return a list item's marker. If its number is out of sequence, change the delimiter to begin a new list."""
    if match[1] is not None:
        return match[0]
    _, indent, digits, sign = match.groups()
    before, sign_before, written = last_markers.get(indent, (int(digits), sign, sign))
    if sign != sign_before:
        written = sign
    elif int(digits) - before not in (0, 1):
        written = ")" if written == "." else "."
    last_markers[indent] = (int(digits), sign, written)
    return f"{indent}{digits}{written}"
