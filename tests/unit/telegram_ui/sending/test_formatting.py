"""Formatting loses no text, and Telegram accepts every piece."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from telegram_ui.sending.formatting import (
    MAX_ENTITIES,
    MAX_UNITS,
    Piece,
    convert_markdown_to_text_and_entities,
    convert_to_rich_markdown_if_needed,
    count_utf16_units,
    is_blank,
    split_text,
)
from telegram_ui.sending.markdown import close_open_formatting
from text.characters import repair_surrogates

MARKS = [
    "**",
    "*",
    "_",
    "`",
    "```\n",
    "```py\n",
    "||",
    "~~",
    "[a](http://b.c)",
    "<b>",
    "<div>\n",
    "\n",
    "\n\n",
    "> ",
    "- [x] ",
    "- [ ] ",
    "\n  - ",
    "\n    * ",
    "### ",
    "\n| c |\n",
]
MARKS += [
    "# ",
    "| a | b |\n|---|---|\n",
    "$x$",
    "\\(",
    "\\)",
    "&amp;",
    "😀",
    "👩‍👩‍👧",
    "é",
    "\ud800",
    "\x00",
    "\r\n",
    "1. ",
    " ",
    "word",
]
anything = st.one_of(
    st.text(st.characters(codec=None)),
    st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=5)), max_size=60).map("".join),
)


def assert_pieces_are_valid(parts: list[Piece], limit: int) -> None:
    for part in parts:
        assert count_utf16_units(part.text) <= limit
        assert len(part.entities) <= MAX_ENTITIES
        encoded = part.text.encode("utf-16-le")  # raises where a pair was torn
        for entity in part.entities:
            assert entity.offset >= 0
            assert entity.length > 0
            assert entity.offset + entity.length <= count_utf16_units(part.text)
            encoded[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")


@given(anything, st.integers(min_value=2, max_value=60))
@settings(max_examples=120, deadline=None)
def test_concatenated_pieces_equal_converted_text(markdown: str, limit: int) -> None:
    parts = list(split_text(*convert_markdown_to_text_and_entities(markdown), max_units=limit))
    assert "".join(part.text for part in parts) == convert_markdown_to_text_and_entities(markdown)[0]
    assert_pieces_are_valid(parts, limit)


@given(anything)
@settings(max_examples=120, deadline=None)
def test_markdown_with_letters_never_converts_to_nothing(markdown: str) -> None:
    text, entities = convert_markdown_to_text_and_entities(markdown)
    if not is_blank(repair_surrogates(markdown)) and any(letter.isalnum() for letter in markdown):
        assert text.strip() or entities


@given(st.text(), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), max_size=8), st.integers(2, 30))
@settings(deadline=None)
def test_split_entity_continues_in_next_piece(text: str, spans: list[tuple[int, int]], limit: int) -> None:
    text = repair_surrogates(text)
    whole = [MessageEntity("bold", at, size) for at, size in spans if at + size <= count_utf16_units(text)]
    covered, start = set[int](), 0
    for part in split_text(text, whole, max_units=limit):
        for entity in part.entities:
            covered |= set(range(start + entity.offset, start + entity.offset + entity.length))
        start += count_utf16_units(part.text)
    assert covered == {at for entity in whole for at in range(entity.offset, entity.offset + entity.length)}


def test_long_text_is_split_at_line_ends() -> None:
    parts = list(
        split_text(*convert_markdown_to_text_and_entities("\n".join(f"line {number}" for number in range(2000))))
    )
    assert len(parts) > 1
    assert all(part.text.endswith("\n") for part in parts[:-1])


def test_pieces_never_exceed_entity_limit() -> None:
    parts = list(
        split_text(
            *convert_markdown_to_text_and_entities(
                " ".join(f"**b{number}** [l](http://x.y/{number})" for number in range(150))
            )
        )
    )
    assert_pieces_are_valid(parts, MAX_UNITS)
    assert sum(len(part.entities) for part in parts) == 300


def test_html_tags_are_kept_as_text() -> None:
    for markdown in ("<div>hello</div>", "a List<int> and <T>", "<!-- note -->"):
        assert convert_markdown_to_text_and_entities(markdown)[0] == markdown


def test_code_block_keeps_language_in_every_piece() -> None:
    parts = list(split_text(*convert_markdown_to_text_and_entities("```py\n" + "print(1)\n" * 1000 + "```")))
    assert len(parts) > 2
    assert {entity.language for part in parts for entity in part.entities} == {"py"}


def test_plain_text_of_piece_includes_link_addresses() -> None:
    parts = list(split_text(*convert_markdown_to_text_and_entities("[here](http://x.y/1) " + "word " * 1500)))
    assert "here (http://x.y/1)" in parts[0].plain
    (piece,) = split_text(*convert_markdown_to_text_and_entities("**bold** [here](http://x.y/1)"))
    assert piece.plain == "bold here (http://x.y/1)"
    (piece,) = split_text(*convert_markdown_to_text_and_entities("<http://x.y/1> and [http://x.y/2](http://x.y/2)"))
    assert piece.plain == "http://x.y/1 and http://x.y/2"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Title\n## Part\n### Detail\ntext", "Title\nPart\nDetail\ntext"),
        ("- [ ] open\n- [x] done", "☐ open\n☑ done\n"),
        ("- a\n  - b\n    - c\n1. one\n   - sub", "• a\n  • b\n    • c\n1. one\n  • sub\n"),
        ("| a | b |\n|---|---|\n| longer | 1 |", "a      | b\n-------+--\nlonger | 1"),
        ("2*3*4 is 24, `2*3*4` too.", "2*3*4 is 24, 2*3*4 too."),
        ("a*b*c, x**y**2 and f(*args, **kwargs)", "a*b*c, x**y**2 and f(*args, **kwargs)"),
        ("~/.config/*.toml and /etc/**/*.conf", "~/.config/*.toml and /etc/**/*.conf"),
        ("The **API**s of *Java*Script, __init__.py", "The APIs of JavaScript, __init__.py"),
        ("这是**重点：**内容，**“引号”**后面。**Note:**text", "这是重点：内容，“引号”后面。Note:text"),
        ("Wrong are:\n\n2. two\n5. five\n6. six\n9. nine", "Wrong are:\n\n2. two\n5. five\n6. six\n9. nine"),
        ("1. one\n1. two\n1. three", "1. one\n2. two\n3. three"),
        ("1. Run:\n   ```sh\n   ls\n   ```\n   then\n2. End", "1. Run:\nls\nthen\n2. End"),
        ("- He said:\n  > a 😀\n- End", "• He said:\na 😀\n• End"),
        (r"Take \(\frac{1}{2}\) of it, `\(y\)` not.", r"Take ½ of it, \(y\) not."),
        ("See https://e.com/" + "x" * 500 + ".", "See https://e.com/" + "x" * 500 + "."),
    ],
    ids=[
        *("headings", "tasks", "nested lists", "table", "products", "variables", "patterns", "words", "cjk"),
        *("numbers", "same numbers", "code in a list", "quote in a list", "formulas", "long address"),
    ],
)
def test_markdown_without_matching_entity_is_rendered_as_text(markdown: str, shown: str) -> None:
    text, _ = convert_markdown_to_text_and_entities(markdown)
    assert [line.rstrip() for line in text.splitlines()] == shown.splitlines()


def test_chinese_bold_without_surrounding_spaces_gets_entity() -> None:
    text, entities = convert_markdown_to_text_and_entities("这是**重点：**内容，**“引号”**后面")
    assert [text[entity.offset : entity.offset + entity.length] for entity in entities] == ["重点：", "“引号”"]


def test_entities_stay_aligned_in_lists_and_quotes() -> None:
    text, entities = convert_markdown_to_text_and_entities("- **a** 😀:\n  > q **w**\n- **b**")
    units = text.encode("utf-16-le")
    marked = [units[2 * entity.offset :][: 2 * entity.length].decode("utf-16-le") for entity in entities]
    assert marked == ["a", "q w\n", "w", "b"]


def test_headings_are_bold_and_tables_are_preformatted() -> None:
    kinds = {
        entity.type for entity in convert_markdown_to_text_and_entities("# Title\n\n| a | b |\n|---|---|\n| c | d |")[1]
    }
    assert kinds >= {"bold", "pre"}


def test_blank_text_has_no_visible_piece() -> None:
    assert list(split_text(*convert_markdown_to_text_and_entities(""))) == []
    assert all(part.is_blank for part in list(split_text(*convert_markdown_to_text_and_entities(" \n\u200b "))))


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "Use std::vector<std::string> names; and the tag <mm:think>.",
            "Use std::vector<std::string> names; and the tag <mm:think>.",
        ),
        ("Vec<Box<dyn Fn()>>, List<int:4>, <urn:isbn:1>", "Vec<Box<dyn Fn()>>, List<int:4>, <urn:isbn:1>"),
        ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("`<br>` breaks a line", "<br> breaks a line"),
        ("| a | b |\n|---|---|\n| x<br>y | 2 |", "a   | b\n----+--\nx y | 2"),
        ("| a | b |\n|---|---|\n| `x|y` | 2 |\n| `p || q` | |", "a      | b\n-------+--\nx|y    | 2\np || q |"),
        ("|a|b|c|\n|-|-|-|\n|1||3|\n|4||6|", "a | b | c\n--+---+--\n1 |   | 3\n4 |   | 6"),
        ("```\n| a |\n|---|\n| `x|y` |\n```", "| a |\n|---|\n| `x|y` |"),
        (
            "| f | g |\n|--|--|\n| $\\frac{a}{b}$ | 2 |\n| \\(\\alpha+1\\) | $$y$$ |",
            "f   | g\n----+--\na/b | 2\nα+1 | y",
        ),
        (
            "**Sources**\n\n| a | b |\n|---|---|\n| [x](https://x.org) | ![y](https://y.org) |",
            (
                "Sources\n\na                 | b                  \n------------------+--------------------\n"
                "x (https://x.org) | 🖼 y (https://y.org)"
            ),
        ),
        (
            "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| or | x || y |",
            "a  | b      |  \n---+--------+--\n1  | 2      | 3\nor | x || y |",
        ),
        ("a | b\n--|--\n1 | 2 | c", "a | b |  \n--+---+--\n1 | 2 | c"),
        ("if (a || b || c)", "if (a || b || c)"),
        ("x<sup>2</sup>, H<sub>2</sub>O, <kbd>Ctrl</kbd> and <b>very <i>bold</i></b>", "x², H₂O, Ctrl and very bold"),
        ("so \\( x \\) and \\( \\alpha \\) are", "so x and α are"),
    ],
)
def test_tags_line_breaks_and_table_cells_are_preserved(markdown: str, shown: str) -> None:
    text, entities = convert_markdown_to_text_and_entities(markdown)
    assert text.strip() == shown
    assert [entity.url for entity in entities if entity.url] == []


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ('[a](https://x.org "Title")', "a (Title)"),
        ('[a][one] and [b]\n\n[one]: https://x.org\n[b]: <https://y.org> "Title"', "a and b (Title)"),
        ("[`code`](https://x.org)", "code"),
        ("![](https://x.org)", "🖼 https://x.org"),
        ("[](https://x.org)", "https://x.org"),
        ("![a](https://x.org)", "🖼a"),
    ],
)
def test_link_keeps_address_text_and_title(markdown: str, shown: str) -> None:
    text, entities = convert_markdown_to_text_and_entities(markdown)
    assert text.strip() == shown
    assert next(entity.url for entity in entities) == "https://x.org"
    # Telegram drops one of two entities of the same words if one of them is code.
    assert all(entity.type != "code" for entity in entities)


def test_angle_bracket_addresses_become_links() -> None:
    _, entities = convert_markdown_to_text_and_entities(
        "<https://x.org> <HTTP://x.org> <mailto:a@b.c> <tg://user?id=1> <a@b.org>"
    )
    assert [entity.url for entity in entities] == [
        *("https://x.org", "HTTP://x.org", "mailto:a@b.c", "tg://user?id=1", "a@b.org")
    ]


@pytest.mark.parametrize("heading", ["## Walnuts", "## Walnuts\n\n### In the cellar", "**Walnuts**"])
def test_message_does_not_end_with_heading(heading: str) -> None:
    answer = f"{'word ' * 799}\n\n{heading}\n\n{'They keep for a year. ' * 40}"
    parts = list(split_text(*convert_markdown_to_text_and_entities(answer)))
    assert parts[0].text.rstrip().endswith("word")
    assert parts[1].text.startswith("Walnuts")
    assert "".join(part.text for part in parts) == convert_markdown_to_text_and_entities(answer)[0]


@pytest.mark.parametrize(
    ("growing", "shown"),
    [
        ("It is **very", "It is very"),
        ("It is **very*", "It is very"),
        ("It is **", "It is"),
        ("It is **very** `co", "It is very co"),
        ("Use `a**b` and **c", "Use a**b and c"),
        ("see [the page](https://exa", "see the page"),
        ("2 ** 3", "2 ** 3"),
        ("gone: ~~th", "gone: th"),
        ("It is *very", "It is very"),
        ("**bold and *slan", "bold and slan"),
        ("- one *two\n- **thr", "• one *two\n• thr"),
        ("a * b and 2*3", "a * b and 2*3"),
        ("**done**\n\n```py\nx = 2 ** 3", "done\n\nx = 2 ** 3"),
        ("**a**\n***\nb", "a\n————————\nb"),
        ("gone: ~~th~", "gone: th"),
        ("x**y**z and 2**1", "x**y**z and 2**1"),
        ("a\n\n```py", "a"),
        ("a\n\n```py\n", "a"),
        ("````md\n```py\nx\n```\n", "```py\nx\n```"),
        ("~~~\n** and ```\n~~~\nb", "** and ```\nb"),
        ("```\nx = 1\n``", "x = 1"),
        ("a ||secret", "a secret"),
        ("``a ` b", "a ` b"),
        ("a\n\n$$\n\\begin{aligned} x", "a"),
        ("a\n\n$", "a"),
        ("see [the page](https://x.org/a_(b)", "see the page"),
        ("see [[1]](https://x", "see [1]"),
        ("see ![a chart](https://x", "see a chart"),
        ('see [the page](https://x.org "Ti', "see the page"),
    ],
)
def test_open_markup_is_hidden_while_answer_grows(growing: str, shown: str) -> None:
    assert convert_markdown_to_text_and_entities(close_open_formatting(growing))[0].rstrip() == shown


def test_close_open_formatting_runs_in_linear_time() -> None:
    def measure(length: int) -> float:
        started = time.process_time()
        close_open_formatting("a*" * length)
        return time.process_time() - started

    assert measure(400_000) < 16 * max(measure(50_000), 0.1)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "See [the docs](docs/setup.md) and [home](/index.html).",
            "See the docs (docs/setup.md) and home (/index.html).",
        ),
        ("[docs/setup.md](docs/setup.md)", "docs/setup.md"),
        ("[the guide][1]\n\n[1]: ./guide.md", "the guide (./guide.md)"),
        ("![a chart](img/chart.png)", "🖼 a chart (img/chart.png)"),
        ('[setup](setup.md "How to")', "setup (setup.md, How to)"),
        ("[write](mailto:ann@example.org) or [call](tel:+491234)", "write (ann@example.org) or call (+491234)"),
        ("[run](javascript:alert(1))", "run (javascript:alert(1))"),
        ("call handlers[0](state) and f[i](x)", "call handlers[0](state) and f[i](x)"),
        ("[web](https://example.org/a)", "web"),
    ],
)
def test_unsupported_link_shows_address_as_text(markdown: str, shown: str) -> None:
    text, entities = convert_markdown_to_text_and_entities(markdown)
    assert text == shown
    assert all(entity.url is None or entity.url.startswith("https://") for entity in entities)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("$P(A|B)$", "P(A|B) | 0.5"), ("`a | b`", "a | b  | 0.5"), ("$|x|$", "|x|    | 0.5"), ("$5 | $9", "$5     | $9 ")],
)
def test_formula_or_code_with_pipe_stays_in_cell(cell: str, shown: str) -> None:
    row = f"| {cell} | 0.5 |" if "$9" not in cell else f"| {cell} |"
    text, _ = convert_markdown_to_text_and_entities(f"| f      | v   |\n|---|---|\n{row}\n| 123456 | 1.0 |")
    assert shown in text.splitlines()[2]


def test_message_does_not_end_with_numbered_heading() -> None:
    first, second = list(
        split_text(
            *convert_markdown_to_text_and_entities("word " * 810 + "\n\n1. **Preheat the oven**\n\n" + "text " * 60)
        )
    )
    assert first.text.endswith("word\n\n")
    assert second.text.startswith("1. Preheat the oven")


def test_rich_markdown_keeps_generics_cells_and_addresses() -> None:
    table = "| a | b |\n|---|---|\n| Map<String> | `a|b` |\n| [x](y.md) | $P(A|B)$ |"
    assert convert_to_rich_markdown_if_needed(table).splitlines()[2:] == [
        "| Map&lt;String> | `a\\|b` |",
        "| x (`y.md`) | $P(A\\|B)$ |",
    ]


def test_custom_emoji_keeps_id() -> None:
    (piece,) = split_text(*convert_markdown_to_text_and_entities(r"\(x\) ![👍](tg://emoji?id=5368324170671202286)"))
    emoji = [entity for entity in piece.entities if entity.type == MessageEntity.CUSTOM_EMOJI]
    assert [entity.custom_emoji_id for entity in emoji] == ["5368324170671202286"]
