"""Rich messages become Markdown. The text of unknown blocks is kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.processor_time import count_units
from text.rich_messages import MAX_CHARS, parse_rich_message


def make_paragraph(text: Any) -> dict[str, Any]:
    return {"type": "paragraph", "text": text}


def make_styled_text(kind: str, text: Any = "x", **more: Any) -> dict[str, Any]:
    return {"type": kind, "text": text, **more}


def parse_to_markdown(*blocks: Any) -> str:
    return parse_rich_message({"blocks": list(blocks)}).text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("plain", "plain"),
        (["a ", make_styled_text("bold", "b"), " c"], "a **b** c"),
        (make_styled_text("bold", ["x ", make_styled_text("italic", "y")]), "**x *y***"),
        (["a", make_styled_text("bold", " b "), "c"], "a **b** c"),
        (make_styled_text("bold", make_styled_text("bold", "x")), "**x**"),
        (make_styled_text("strikethrough"), "~~x~~"),
        (make_styled_text("spoiler"), "||x||"),
        (make_styled_text("underline"), "x"),
        (make_styled_text("code", "a`b"), "`` a`b ``"),
        (make_styled_text("url", "the page", url="https://x.org"), "[the page](https://x.org)"),
        (make_styled_text("url", "https://x.org", url="https://x.org"), "https://x.org"),
        (["10", make_styled_text("superscript", "2"), " H", make_styled_text("subscript", "2"), "O"], "10² H₂O"),
        (["x", make_styled_text("superscript", "a b")], "x^(a b)"),
        ({"type": "mathematical_expression", "expression": "e^x"}, "$e^x$"),
        ({"type": "custom_emoji", "custom_emoji_id": "5", "alternative_text": "🙂"}, "🙂"),
        (["a", {"type": "anchor", "name": "top"}], "a"),
        (make_styled_text("reference_link", "[1]", reference_name="one"), "[1]"),
        (make_styled_text("a type of next year", [make_styled_text("bold", "kept")]), "**kept**"),
        (make_styled_text("ruby", "漢字", annotation="かんじ"), "漢字 (かんじ)"),
        (make_styled_text("email_address", "write", email_address="a@b.org"), "write (a@b.org)"),
        (make_styled_text("hashtag", "#tea", hashtag="tea"), "#tea"),
        (make_styled_text("bold", ["x ", make_styled_text("bold", "y")]), "x **y**"),
        (make_styled_text("italic", ["x ", make_styled_text("bold", "y")]), "*x **y***"),
        (make_styled_text("url", "", url="https://x.org"), "https://x.org"),
        (
            {"type": "hologram", "glow_data": "words in a field of data", "url": "https://x.org"},
            "words in a field of data",
        ),
        (make_styled_text("text_mention", "Bob", user={"id": 1, "first_name": "Bobby", "language_code": "en"}), "Bob"),
        ({"type": "hologram", "words": ["kept", {"type": "glow", "inner": " too"}], "glow_id": "no"}, "kept too"),
    ],
)
def test_text_styles_become_markdown_and_unknown_styles_keep_text(text: Any, markdown: str) -> None:
    assert parse_to_markdown(make_paragraph(text)) == markdown


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        ({"type": "heading", "text": "Two\nlines", "size": 2}, "## Two lines"),
        ({"type": "heading", "text": "Odd", "size": "large"}, "## Odd"),
        ({"type": "pre", "text": "a = 1\n", "language": "python"}, "```python\na = 1\n\n```"),
        ({"type": "pre", "text": "```"}, "````\n```\n````"),
        ({"type": "divider"}, "---"),
        ({"type": "mathematical_expression", "expression": "e^x"}, "$$\ne^x\n$$"),
        (
            {"type": "blockquote", "blocks": [make_paragraph("a"), make_paragraph("b")], "credit": "Bob"},
            "> a\n>\n> b\n> — Bob",
        ),
        ({"type": "expandable_blockquote", "text": "old"}, "> old"),
        ({"type": "expandable_blockquote", "blocks": [make_paragraph("new")]}, "> new"),
        ({"type": "pullquote", "text": "a", "credit": "Bob"}, "> a\n> — Bob"),
        ({"type": "details", "summary": "More", "blocks": [make_paragraph("inside")]}, "**More**\n\ninside"),
        ({"type": "footer", "text": "end"}, "end"),
        ({"type": "anchor", "name": "top"}, ""),
        ({"type": "map", "location": {"latitude": 1.5, "longitude": 2}, "caption": {"text": "here"}}, "1.5, 2\n\nhere"),
        ({"type": "buttons", "buttons": [{"text": "Open", "url": "https://x"}, {"text": "Go"}]}, "Open\n\nGo"),
        (
            {
                "type": "timeline",
                "entries": [{"title": "Mon", "body": "rain"}, {"title": ["T", make_styled_text("bold", "ue")]}],
            },
            "Mon\n\nrain\n\nT**ue**",
        ),
        ({"type": "heading", "level": 2, "content": [{"type": "text", "text": "Release"}]}, "Release"),
        ({"type": "buttons", "rows": [[{"text": "Yes"}, {"text": "No"}], [{"text": "Ask"}]]}, "Yes\n\nNo\n\nAsk"),
        (
            {"type": "table", "cells": [[{"blocks": [make_paragraph("in a"), make_paragraph("block")]}]]},
            "| in a block |\n| --- |",
        ),
        ({"type": "list", "items": [{"blocks": []}, {}]}, ""),
        ({"type": "list", "title": "Buy", "items": [{"text": "tea", "note": "green"}]}, "- tea\n\n  green\n\nBuy"),
        ({"type": "blockquote", "text": "a", "blocks": [make_paragraph("b")], "source": "Bob"}, "> a\n>\n> b\n\nBob"),
        ({"type": "table", "cells": [[{"text": "a", "note": "b"}]], "footer": "c"}, "| a b |\n| --- |\n\nc"),
        ({"type": "section_heading", "text": "Walnuts"}, "## Walnuts"),
        ({"type": "hologram", "data": "its words"}, "its words"),
        ({"type": "details", "summary": ["a ", make_styled_text("bold", "b")]}, "a **b**"),
        ({"type": "table", "cells": [[], [{}]]}, ""),
        ("a bare string", "a bare string"),
        (5, ""),
    ],
)
def test_blocks_become_markdown_and_unknown_blocks_keep_text(block: Any, markdown: str) -> None:
    assert parse_to_markdown(block) == markdown


def test_lists_keep_numbers_checkboxes_and_levels() -> None:
    inner = {"type": "list", "items": [{"label": "a", "blocks": [make_paragraph("deep")]}]}
    items = [
        {"label": "•", "blocks": [make_paragraph("one"), inner]},
        {"label": "•", "blocks": [make_paragraph("done")], "has_checkbox": True, "is_checked": True},
        {"label": "•", "blocks": [make_paragraph("open")], "has_checkbox": True},
        {"label": "", "value": 4, "blocks": [make_paragraph("four"), make_paragraph("more")]},
    ]
    told = "- one\n\n  a. deep\n- [x] done\n- [ ] open\n4. four\n\n   more"
    assert parse_to_markdown({"type": "list", "items": items}) == told


def test_tables_keep_columns() -> None:
    cells = [
        [{"text": "a", "is_header": True}, {"text": "b|c", "is_header": True}, {"text": "d"}],
        [{"text": make_styled_text("code", "x|y"), "rowspan": 2}, {"text": "two\nlines", "colspan": 2}],
        [{"text": "z"}, {}],
    ]
    assert parse_to_markdown({"type": "table", "cells": cells, "caption": "Prices"}).splitlines() == [
        "Prices",
        "| a | b\\|c | d |",
        "| --- | --- | --- |",
        "| `x\\|y` | two lines |  |",
        "|  | z |  |",
    ]


def test_media_keep_order_and_captions() -> None:
    size = {"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}
    photo = {"type": "photo", "photo": [size], "caption": {"text": "Cap", "credit": "me"}}
    note = {"type": "voice_note", "voice_note": {"file_id": "v"}}
    read = parse_rich_message({"blocks": [{"type": "collage", "blocks": [photo, note], "caption": {"text": "all"}}]})
    assert read.text == "Cap\n— me\n\nall"
    assert read.media == (("photo", [size]), ("voice", {"file_id": "v"}))


def make_nested_block(kind: str, levels: int) -> dict[str, Any]:
    block = make_paragraph("the innermost words")
    for _ in range(levels):
        block = {"type": kind, "items": [{"blocks": [block]}]} if kind == "list" else {"type": kind, "blocks": [block]}
    return block


def test_formatting_is_kept_up_to_telegram_limits() -> None:
    text: Any = "the innermost words"
    for _ in range(16):
        text = [make_styled_text("italic", text)]
    block = make_paragraph(text)
    for _ in range(16):
        block = {"type": "blockquote", "blocks": [block]}
    assert parse_to_markdown(block) == "> " * 16 + "*the innermost words*"
    row = [{"text": make_styled_text("bold", "ab")}] * 20
    table = parse_to_markdown({"type": "table", "cells": [row] * 800})
    assert table.count("**ab**") == 16_000


@pytest.mark.parametrize(
    "make_block",
    [
        lambda: make_nested_block("list", 100_000),
        lambda: make_nested_block("blockquote", 100_000),
        lambda: make_nested_block("details", 100_000),
        lambda: {"type": "table", "cells": [[{"text": "ab", "colspan": 10**9, "rowspan": 10**9}] * 20] * 5_000},
        lambda: {"type": "table", "cells": [[{"text": "the innermost words", "colspan": True, "rowspan": -5}]]},
        lambda: make_paragraph([make_styled_text("bold", "word")] * 500_000),
        lambda: {
            "type": "list",
            "items": [{"blocks": [make_paragraph("a\n" * 20_000), make_nested_block("list", 40)]}],
        },
        lambda: {"type": "heading", "size": 10**9, "text": "x" * 1_000_000},
    ],
    ids=["lists", "quotes", "details", "spans", "odd-spans", "styles", "indents", "long"],
)
def test_extreme_rich_message_is_parsed_at_low_cost(make_block: Callable[[], Any]) -> None:
    block = make_block()  # not before: each worker would keep a million objects
    with count_units() as stopwatch:
        read = parse_to_markdown(block)
    assert 0 < len(read) <= MAX_CHARS
    assert stopwatch.units < 3_000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["type", "text", "blocks", "items", "cells", "caption", "photo", "size", "value", "x"]),
                inner,
                max_size=5,
            )
        ),
        max_leaves=30,
    )
)
def test_parses_any_json(raw: Any) -> None:
    read = parse_rich_message({"blocks": raw})
    json.dumps(read.media)
