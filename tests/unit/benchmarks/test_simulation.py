"""The simulation behind benchmarks.capacity, held against what is known of queues."""

import pytest

from benchmarks.capacity.simulation import Shape, simulate
from benchmarks.measure import percentile


def test_one_after_the_other_nobody_waits_for_anybody() -> None:
    waited = simulate(Shape(processes=1, people=1, turns=50, work=0.1, model=0.4))
    assert waited.waits == pytest.approx([0.5] * 50)
    assert waited.seconds == pytest.approx(25)
    assert waited.busy == pytest.approx(5)


def test_all_at_once_a_process_is_busy_all_the_time() -> None:
    waited = simulate(Shape(processes=1, people=40, turns=400, work=0.1))
    assert len(waited.waits) == 400
    assert waited.seconds == pytest.approx(waited.busy) == pytest.approx(40)
    assert percentile(waited.waits, 0.5) == pytest.approx(40 * 0.1, rel=0.15)


def test_the_mean_wait_at_random_arrivals_is_that_of_the_formula() -> None:
    """Work of one length at random (M/D/1): each piece waits for load / 2 (1 - load) pieces."""
    shape = Shape(processes=1, people=10**9, turns=5_000, work=0.2, rate=3.5, hot=0.0, model=50.0)
    waited = simulate(shape)
    load, piece = 3.5 * 0.2, 0.1
    mean = sum(waited.waits) / len(waited.waits) - 50.0
    assert mean == pytest.approx(2 * (piece + piece * load / (2 * (1 - load))), rel=0.15)


def test_a_busy_chat_waits_for_itself_and_others_do_not_wait_for_its_model() -> None:
    shape = Shape(processes=2, people=200, turns=1_200, work=0.01, model=2.0, rate=5.0, hot=0.2)
    hot, calm = simulate(shape), simulate(Shape(processes=2, people=200, turns=1_200, work=0.01, model=2.0, rate=5.0))
    assert percentile(calm.waits, 0.5) == pytest.approx(2.01, abs=0.1)
    assert percentile(hot.waits, 0.5) == pytest.approx(2.01, abs=0.1)
    assert percentile(hot.waits, 0.99) > 3 * percentile(calm.waits, 0.99)


def test_whoever_was_served_by_a_process_that_dies_waits_for_the_takeover_and_is_answered() -> None:
    shape = Shape(processes=3, people=100, turns=2_500, work=0.01, model=1.0, rate=20.0, failovers=(60.0, 90.0, 100.0))
    waited = simulate(shape)
    assert len(waited.waits) == 2_500
    assert 20.0 < max(waited.waits) < 60.0
    assert percentile(waited.waits, 0.5) < 1.5
    never = simulate(Shape(processes=3, people=100, turns=2_500, work=0.01, model=1.0, rate=20.0))
    assert max(never.waits) < 20.0
