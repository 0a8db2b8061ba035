"""Parses the Markdown of answers into a tree, so that the page can create elements without parsing HTML."""

from collections.abc import Iterable
from typing import Any

from pyromark import Markdown, Options

Node = str | list[Any]  # a text, [tag, child, …] or ["a", address, child, …]

MAX_RICH_CHARS = 24_000  # a longer text is shown as it was written
MAX_DEPTH = 40  # nested elements; the page builds them recursively
MAX_NODES = 5_000  # elements of one text

_PARSER = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_TASKLISTS)
_TAGS = {
    "Paragraph": "p", "Emphasis": "i", "Strong": "b", "Strikethrough": "s", "Heading": "h4", "BlockQuote": "blockquote",
    "CodeBlock": "pre", "Item": "li", "Table": "table", "TableHead": "tr", "TableRow": "tr", "TableCell": "td",
}  # fmt: skip
_BREAKS: dict[str, Node] = {"SoftBreak": "\n", "HardBreak": ["br"], "Rule": ["hr"]}


def parse_markdown_if_marked_up(text: str) -> list[Node] | None:
    """Return the nodes of a Markdown text, or None if it has no markup, is too long or is nested too deeply."""
    if len(text) > MAX_RICH_CHARS:
        return None
    root: list[Node] = []
    try:
        count = _append_and_count_elements(root, _PARSER.events(text))
    except ValueError:
        return None
    is_plain = all(node[0] == "p" and all(isinstance(child, str) for child in node[1:]) for node in root)
    return None if count == 0 or is_plain else root


def _append_and_count_elements(root: list[Node], events: Iterable[Any]) -> int:
    """Append the elements that `events` describe to `root`, and return their number. Raise ValueError on failure."""
    open_lists: list[list[Node]] = [root]
    count = 0
    for event in events:
        name, value = _split_event_kind_and_content(event)
        if name == "Start":
            node = _make_element(value)
            open_lists[-1].append(node)
            open_lists.append(node)
            count += 1
            if len(open_lists) > MAX_DEPTH or count > MAX_NODES:
                raise ValueError("too deep or too large")
        elif name == "End":
            open_lists.pop()
        elif name == "Code":
            open_lists[-1].append(["code", value])
        elif name == "TaskListMarker":
            open_lists[-1].append("☑ " if value else "☐ ")
        elif name in _BREAKS:
            open_lists[-1].append(_BREAKS[name])
        elif isinstance(value, str):
            open_lists[-1].append(value)
    return count


def _make_element(tag: Any) -> list[Node]:
    name, value = _split_event_kind_and_content(tag)
    if name == "Link":
        return ["a", str(value["dest_url"])]
    if name == "List":
        return ["ul" if value is None else "ol"]
    return [_TAGS.get(name, "span")]


def _split_event_kind_and_content(event: Any) -> tuple[str, Any]:
    return next(iter(event.items())) if isinstance(event, dict) else (event, None)
