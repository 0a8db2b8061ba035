"""Tests of parsing Markdown answers into the tree from which the page makes its elements."""

import pytest

from text.markup import MAX_DEPTH, MAX_RICH_CHARS, parse_markdown_if_marked_up


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Just words.", None),
        ("Two\n\nparagraphs.", None),
        ("**Bold** and `code`", [["p", ["b", "Bold"], " and ", ["code", "code"]]]),
        ("```py\nprint(1)\n```", [["pre", "print(1)\n"]]),
        ("1. one\n2. two", [["ol", ["li", "one"], ["li", "two"]]]),
        ("[x](https://a.example)", [["p", ["a", "https://a.example", "x"]]]),
        ("<script>alert(1)</script> **b**", [["span", "<script>alert(1)</script> **b**"]]),
    ],
)
def test_parses_marked_up_text_into_tree(text: str, tree: object) -> None:
    assert parse_markdown_if_marked_up(text) == tree


def test_parses_table_into_rows_of_cells() -> None:
    assert parse_markdown_if_marked_up("|a|b|\n|-|-|\n|1|2|") == [
        ["table", ["tr", ["td", "a"], ["td", "b"]], ["tr", ["td", "1"], ["td", "2"]]]
    ]


@pytest.mark.parametrize("text", ["> " * (MAX_DEPTH + 5) + "x", "**b** " * MAX_RICH_CHARS, "- a\n" * 5_999])
def test_too_deep_or_too_large_markdown_is_not_parsed(text: str) -> None:
    assert parse_markdown_if_marked_up(text) is None
