"""What stays the same from prompt to prompt while somebody talks: everything up to the last message, until a fold."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.talk import Talk, talking


def moved(talk: Talk) -> list[int]:
    """The turns at which the prompt did not begin with all that the one before it had, but for its last message."""
    asked = [request.messages for request in talk.server.of("chat-model")]
    return [
        number
        for number, (before, now) in enumerate(pairwise(asked), start=2)
        if list(now[: len(before) - 1]) != list(before[:-1])
    ]


async def talked(talk: Talk, *, turns: int, every_n: int, words: int = 4) -> None:
    talk.server.default("chat-model", "So it is. " * words)
    await talk.remember(every_n=every_n)
    for number in range(turns):
        await talk.turn(f"Note {number}: " + "the heron eats. " * words)


@pytest.mark.parametrize("every_n", [4, 5, 12, 20])
async def test_the_beginning_moves_at_folds_alone(tmp_path: Path, every_n: int) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talked(talk, turns=max(21, 2 * every_n + 1), every_n=every_n)
        assert moved(talk) == list(range(every_n + 1, max(22, 2 * every_n + 2), every_n))


async def test_with_a_large_threshold_it_moves_once_more(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talked(talk, turns=55, every_n=30)
        assert moved(talk) == [31, 52]


async def test_in_a_small_prompt_it_moves_every_second_turn_at_most(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off", max_context_tokens=1200, recent_budget=400) as talk:
        await talked(talk, turns=21, every_n=5, words=9)
        reply = await talk.say("And?")
        assert reply.context is not None
        assert not any(cut.what == "turns" for cut in reply.context.cut), "what a summary covers is not listed as cut"
        assert len(moved(talk)) <= 14
