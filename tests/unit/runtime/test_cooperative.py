"""Large work that lets others go on."""

import gc
from collections import deque
from itertools import count

import pytest

from runtime.cooperative import consumed, gc_paused, yielding_gil


def test_the_same_items_come_out() -> None:
    assert list(yielding_gil(range(1000))) == list(range(1000))
    numbers = yielding_gil(count())
    assert [next(numbers) for _ in range(3)] == [0, 1, 2]


def test_what_is_consumed_is_let_go_of() -> None:
    items = deque(range(5))
    for item in yielding_gil(consumed(items)):
        assert item not in items
    assert not items


def test_the_collector_leaves_old_objects_alone_until_the_last_block_ends() -> None:
    usual = gc.get_threshold()
    with gc_paused():
        assert gc.get_threshold()[:2] == usual[:2]
        assert gc.get_threshold()[2] > 1_000_000
        with gc_paused():
            pass
        assert gc.get_threshold()[2] > 1_000_000
        with pytest.raises(ValueError, match="broken"), gc_paused():
            raise ValueError("broken")
        assert gc.get_threshold()[2] > 1_000_000
    assert gc.get_threshold() == usual
