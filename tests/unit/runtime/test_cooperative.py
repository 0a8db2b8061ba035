"""Large work that lets others go on."""

from collections import deque
from itertools import count

from runtime.cooperative import drain_deque, iterate_with_sleeps


def test_the_same_items_come_out() -> None:
    assert list(iterate_with_sleeps(range(1000))) == list(range(1000))
    numbers = iterate_with_sleeps(count())
    assert [next(numbers) for _ in range(3)] == [0, 1, 2]


def test_what_is_consumed_is_let_go_of() -> None:
    items = deque(range(5))
    for item in iterate_with_sleeps(drain_deque(items)):
        assert item not in items
    assert not items
