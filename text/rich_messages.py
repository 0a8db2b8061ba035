"""Convert the JSON of formatted messages (`rich_message` in Bot API 10.1 and Telegram Desktop) to Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_LEVELS = 48  # nested blocks, styles and lists: Telegram allows 16. Words that are deeper lose their form
MAX_PARTS = 200_000  # strings, objects and lists: each of Telegram's 32,768 characters may have a style of its own
MAX_CHARS = 262_144  # of the result: eight for each of Telegram's, as for one bold letter in a cell of its own
MAX_COLUMNS = 100  # Telegram allows 20

_SHIFTED = {
    "^": str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"),
    "_": str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"),
}
_WRAPS = {"bold": "**", "italic": "*", "strikethrough": "~~", "spoiler": "||", "marked": "=="}
_MEDIA = ("photo", "video", "animation", "audio", "voice_note", "video_note", "document", "sticker")
_READ_BY_NAME = frozenset({"type", "summary", "text", "location", "blocks", "caption", "credit", *_MEDIA})
_NO_WORDS = re.compile(
    r"type|id|.*_id|.*url|.*_name|username|.*_data|style|color|.*align|size|.*format|language|.*_time|mime_type"
)  # Names of fields that hold no words. A name that is missing here costs a stray word, never a lost one.


@dataclass(frozen=True, kw_only=True, slots=True)
class RichText:
    """The text of a formatted message as Markdown, and its files."""

    text: str = ""
    media: tuple[tuple[str, Any], ...] = ()  # pairs of a plain message's field and Telegram's JSON: ("photo", [sizes])


def parse_rich_message(raw: object) -> RichText:
    """Return the text and media of a `rich_message`, or an empty result if it is not an object."""
    if not isinstance(raw, Mapping):
        return RichText()
    reader = _RichMessageReader()
    return RichText(
        text=reader.convert_blocks_to_markdown(raw.get("blocks", raw), 0).strip("\n")[:MAX_CHARS],
        media=tuple(reader.media),
    )


class _RichMessageReader:
    """Reads one message, stopping after MAX_PARTS parts. Recursive methods stop at depth MAX_LEVELS."""

    def __init__(self) -> None:
        self.media: list[tuple[str, Any]] = []
        self._parts_left = MAX_PARTS

    def convert_blocks_to_markdown(self, blocks: object, depth: int) -> str:
        return _join_paragraphs(
            *(self._convert_block_to_markdown(block, depth) for block in self._iterate_items(blocks))
        )

    def _convert_block_to_markdown(self, block: object, depth: int) -> str:
        if not isinstance(block, Mapping) or depth >= MAX_LEVELS:
            return self._read_inline(block, depth)
        words, names = self._convert_block_and_list_used_fields(block, depth)
        rest = {name: value for name, value in block.items() if name not in names}
        return _join_paragraphs(words, self._convert_container_to_markdown(rest, depth))

    def _convert_block_and_list_used_fields(self, block: Mapping[str, Any], depth: int) -> tuple[str, Sequence[str]]:
        """Return a block as Markdown and the names of the fields that were read, or ("", ()) if its type is unknown."""
        kind = str(block.get("type", ""))
        if "cells" in block:
            table = self._convert_table_to_markdown(block["cells"], depth)
            return _join_lines(self._read_inline(block.get("caption"), depth), table), ("cells", "caption")
        if isinstance(items := block.get("items"), list | tuple):
            return _join_lines(
                *(self._convert_list_item_to_markdown(item, depth) for item in self._iterate_items(items))
            ), ("items",)
        if "quot" in kind:
            inner = _join_paragraphs(
                self._read_text(block, depth), self.convert_blocks_to_markdown(block.get("blocks"), depth + 1)
            )
            credit = self._read_inline(block.get("credit"), depth)
            words = _join_lines(inner, credit and f"— {credit}")
            return words and _indent_lines(words, "> ", "> "), ("text", "blocks", "credit")
        if kind == "divider":
            return "---", ()
        if "expression" in block:
            return f"$$\n{self._read_inline(block['expression'], depth)}\n$$", ("expression",)
        if "heading" in kind:
            size = block.get("size")
            marks = "#" * (min(max(size, 1), 6) if isinstance(size, int) else 2)
            return _add_prefix(f"{marks} ", " ".join(self._read_text(block, depth).split())), ("text",)
        if kind.startswith("pre"):
            code = self._collect_plain_text(block.get("text"))
            fence = make_fence(code, 3)
            block_of_code = f"{fence}{self._collect_plain_text(block.get('language'))}\n{code}\n{fence}" if code else ""
            return block_of_code, ("text", "language")
        return "", ()

    def _convert_container_to_markdown(self, block: Mapping[str, Any], depth: int) -> str:
        """Return the text of a container block, such as details or a collage, or of an unknown block."""
        self._collect_media(block)
        place = block.get("location")
        parts = [
            surround_with_mark("**", self._read_inline(block.get("summary"), depth)),
            self._read_text(block, depth),
            f"{place.get('latitude')}, {place.get('longitude')}" if isinstance(place, Mapping) else "",
            self.convert_blocks_to_markdown(block.get("blocks"), depth + 1),
            self._convert_caption_to_markdown(block.get("caption"), depth),
            self._read_inline(block.get("credit"), depth),
        ]
        if block.get("type") != "anchor":
            parts += [
                self._convert_unknown_field_to_markdown(value, depth + 1)
                for name, value in block.items()
                if name not in _READ_BY_NAME and not _is_identifier_field(name, value)
            ]
        return _join_paragraphs(*parts)

    def _convert_unknown_field_to_markdown(self, value: object, depth: int) -> str:
        if not isinstance(value, list | tuple) or any(isinstance(part, str) for part in value):
            return self._convert_block_to_markdown(value, depth)
        if depth >= MAX_LEVELS:
            return self._collect_plain_text(value)
        return _join_paragraphs(
            *(self._convert_unknown_field_to_markdown(part, depth + 1) for part in self._iterate_items(value))
        )

    def _convert_caption_to_markdown(self, caption: object, depth: int) -> str:
        if isinstance(caption, Mapping) and "type" not in caption:
            credit = self._read_inline(caption.get("credit"), depth)
            return _join_lines(self._read_text(caption, depth), credit and f"— {credit}")
        return self._read_inline(caption, depth)

    def _convert_list_item_to_markdown(self, item: object, depth: int) -> str:
        if not isinstance(item, Mapping):
            return _add_prefix("- ", self._read_inline(item, depth))
        label, number = self._collect_plain_text(item.get("label")), item.get("value")
        mark = "-"
        if any(map(str.isalnum, label)):
            mark = label if label[-1] in ".)" else f"{label}."
        elif isinstance(number, int):
            mark = f"{number}."
        box = f" [{'x' if item.get('is_checked') else ' '}]" if item.get("has_checkbox") else ""
        words = self._convert_container_to_markdown({name: item[name] for name in item if name != "label"}, depth)
        if not words and not item.get("blocks"):
            return ""
        return _indent_lines(words, f"{mark}{box} ", " " * (len(mark) + 1))

    def _convert_table_to_markdown(self, cells: object, depth: int) -> str:
        """Return the cells as a Markdown table. Positions that a cell with a larger span covers stay empty."""
        rows = list[list[str]]()
        rows_left = dict[int, int]()  # by column: how many more rows a cell above covers
        for row in self._iterate_items(cells):
            texts = list[str]()
            for cell in self._iterate_items(row):
                _fill_covered_columns(texts, rows_left)
                fields = cell if isinstance(cell, Mapping) and "type" not in cell else {"text": cell}
                more = self._collect_plain_text({name: fields[name] for name in fields if name != "text"})
                words = f"{self._read_text(fields, depth)} {more}"
                columns, height = _read_cell_span(fields, "colspan"), _read_cell_span(fields, "rowspan")
                covered = range(len(texts), min(len(texts) + columns, MAX_COLUMNS))
                rows_left |= dict.fromkeys(covered, height - 1)
                texts += [" ".join(words.split()).replace("|", "\\|"), *[""] * (columns - 1)]
            _fill_covered_columns(texts, rows_left)
            rows.append(texts[:MAX_COLUMNS])
        if not any(map(any, rows)):
            return ""
        width = max(map(len, rows))
        head = [*rows[0], *[""] * (width - len(rows[0]))]
        return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * width, *rows[1:]))

    def _read_text(self, node: Mapping[str, Any], depth: int) -> str:
        return self._read_inline(node.get("text"), depth)

    def _read_inline(self, node: object, depth: int) -> str:
        """Return the text of a RichText, which is a string, a list, or an object with a type."""
        if isinstance(node, str):
            return node if self._try_to_consume_part_budget() else ""
        if depth >= MAX_LEVELS:
            return self._collect_plain_text(node)
        if isinstance(node, list | tuple):
            return "".join(self._read_inline(part, depth + 1) for part in self._iterate_items(node))
        if not isinstance(node, Mapping) or not self._try_to_consume_part_budget():
            return ""
        kind = node.get("type")
        if kind == "code":
            return _format_inline_code(self._collect_plain_text(node.get("text")))
        if "expression" in node:
            return surround_with_mark("$", self._collect_plain_text(node["expression"]))
        if "blocks" in node and "text" not in node:
            return self._convert_container_to_markdown(node, depth)
        if "text" not in node:
            self._collect_media(node)
            return "" if kind == "anchor" else self._collect_plain_text(node)
        words = self._read_inline(node["text"], depth + 1)
        if kind in ("superscript", "subscript"):
            return format_super_or_subscript("^" if kind == "superscript" else "_", words)
        if kind == "url":
            url = self._collect_plain_text(node.get("url"))
            words = words if words.strip() else url
            return words if not url or words.strip() == url else f"[{words}]({url})"
        more = self._collect_plain_text(
            {key: value for key, value in node.items() if key not in ("text", "name", "user")}
        )
        return surround_with_mark(_WRAPS.get(str(kind), ""), words) + (f" ({more})" if more not in words else "")

    def _collect_plain_text(self, node: object) -> str:
        """Return all strings in a node, at any depth, as plain text. Skip strings that are identifiers."""
        words, waiting = list[str](), [node]
        while waiting and self._try_to_consume_part_budget():
            part = waiting.pop()
            if isinstance(part, str):
                words.append(part)
            elif isinstance(part, Mapping):
                inner = [value for name, value in part.items() if not _is_identifier_field(name, value)]
                waiting += _reverse_and_add_spaces(inner) if len(inner) > 1 else inner
            elif isinstance(part, list | tuple):
                # Several objects are rather blocks than the runs of one sentence.
                waiting += (
                    _reverse_and_add_spaces(part) if all(isinstance(item, Mapping) for item in part) else reversed(part)
                )
        return "".join(words).strip(" ") if len(words) > 1 else "".join(words)

    def _collect_media(self, block: Mapping[str, Any]) -> None:
        for name in _MEDIA:
            file = block.get(name)
            if file and isinstance(file, list | tuple | Mapping):
                self.media.append(("voice" if name == "voice_note" else name, file))

    def _iterate_items(self, value: object) -> Iterator[object]:
        if isinstance(value, Mapping | str):
            value = [value]
        if isinstance(value, list | tuple):
            for part in value:
                if not self._try_to_consume_part_budget():
                    return
                yield part

    def _try_to_consume_part_budget(self) -> bool:  # False once there were too many
        self._parts_left -= 1
        return self._parts_left >= 0


def _is_identifier_field(name: object, value: object) -> bool:
    # Addresses and identifiers have no spaces.
    is_identifier = isinstance(value, str) and (name == "type" or len(value.split()) < 2)
    return is_identifier and _NO_WORDS.fullmatch(str(name)) is not None


def _reverse_and_add_spaces(parts: Sequence[object]) -> list[object]:
    return [item for part in reversed(parts) for item in (part, " ")][:-1]


def format_super_or_subscript(mark: str, text: str) -> str:
    """Format text as Unicode superscript ("^") or subscript ("_"), or as "^(ab)" if Unicode lacks a letter."""
    if all(ord(character) in _SHIFTED[mark] for character in text):
        return text.translate(_SHIFTED[mark])
    return f"{mark}({text})" if len(text) > 1 else f"{mark}{text}"


def _read_cell_span(cell: Mapping[str, Any], attribute: str) -> int:
    number = cell.get(attribute)
    return min(max(number, 1), MAX_COLUMNS) if isinstance(number, int) else 1


def _fill_covered_columns(row: list[str], rows_left: dict[int, int]) -> None:
    """Append empty cells to a row while the next column is covered by a cell that began in an earlier row."""
    while len(row) < MAX_COLUMNS and rows_left.get(len(row), 0) > 0:
        rows_left[len(row)] -= 1
        row.append("")


def _join_lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _join_paragraphs(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _add_prefix(prefix: str, text: str) -> str:
    return f"{prefix}{text}" if text.strip() else ""


def _indent_lines(text: str, first_prefix: str, other_prefix: str) -> str:
    begin, *rest = text.split("\n")
    return "\n".join([f"{first_prefix}{begin}".rstrip(), *(f"{other_prefix}{line}".rstrip() for line in rest)])


def surround_with_mark(mark: str, text: str) -> str:
    """Surround a text with `mark`, but keep outer spaces outside, because Markdown allows none just inside a mark."""
    inner = text.strip()
    has_marks = (inner.startswith(mark) and inner.endswith(mark)) or (len(mark) > 1 and mark in inner)
    if not inner or not mark or has_marks:  # the same marks cannot be nested
        return text
    before = len(text) - len(text.lstrip())
    return f"{text[:before]}{mark}{inner}{mark}{text[before + len(inner) :]}"


def _format_inline_code(code: str) -> str:
    if "`" not in code:
        return surround_with_mark("`", code)
    fence = make_fence(code, 1)
    return f"{fence} {code} {fence}"


def make_fence(code: str, min_length: int) -> str:
    return "`" * max(min_length, 1 + max(map(len, re.findall("`+", code)), default=0))
