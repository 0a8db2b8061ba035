"""Lists of items are joined as each language does."""

import pytest

from locales.catalog import comma_join, join_with_and, join_with_or, use_language


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["a, b, c", "a, b and c", "a or b"]),
        ("de", ["a, b, c", "a, b und c", "a oder b"]),
        ("zh", ["a、b、c", "a、b和c", "a或b"]),
        ("ar", ["a، b، c", "\u2068a، b\u2069 و\u2068c\u2069", "\u2068a\u2069 أو \u2068b\u2069"]),
    ],
)
def test_joins_items_with_separators_of_language(language: str, expected: list[str]) -> None:
    with use_language(language):
        assert [comma_join("abc"), join_with_and("abc"), join_with_or("ab")] == expected


def test_joins_single_item_and_empty_list() -> None:
    assert [join_with_and(["a"]), join_with_or(["a"]), comma_join(["a"]), join_with_and([]), comma_join([])] == [
        "a",
        "a",
        "a",
        "",
        "",
    ]
