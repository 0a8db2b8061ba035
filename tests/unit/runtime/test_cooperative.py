"""Tests of long-running work that yields to other threads."""

from collections import deque
from itertools import count

from runtime.cooperative import drain_deque, iterate_with_sleeps


def test_iterate_with_sleeps_yields_same_items() -> None:
    assert list(iterate_with_sleeps(range(1000))) == list(range(1000))
    numbers = iterate_with_sleeps(count())
    assert [next(numbers) for _ in range(3)] == [0, 1, 2]


def test_drain_deque_releases_consumed_items() -> None:
    items = deque(range(5))
    for item in iterate_with_sleeps(drain_deque(items)):
        assert item not in items
    assert not items
