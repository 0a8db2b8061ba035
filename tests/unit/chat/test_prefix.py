"""Consecutive prompts share everything up to the last message, until a fold."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.talk import ChatHarness, open_chat_harness


def list_turns_with_changed_prefix(talk: ChatHarness) -> list[int]:
    """Return the turns whose prompt does not begin with the previous prompt (without its last message)."""
    asked = [request.messages for request in talk.server.list_requests("chat-model")]
    return [
        number
        for number, (before, now) in enumerate(pairwise(asked), start=2)
        if list(now[: len(before) - 1]) != list(before[:-1])
    ]


async def hold_conversation(talk: ChatHarness, *, turns: int, every_n: int, words: int = 4) -> None:
    talk.server.set_default_answer("chat-model", "So it is. " * words)
    await talk.turn_on_memory(every_n=every_n)
    for number in range(turns):
        await talk.run_turn(f"Note {number}: " + "the heron eats. " * words)


@pytest.mark.parametrize("every_n", [4, 5, 12, 20])
async def test_prompt_prefix_changes_only_at_folds(tmp_path: Path, every_n: int) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await hold_conversation(talk, turns=max(21, 2 * every_n + 1), every_n=every_n)
        assert list_turns_with_changed_prefix(talk) == list(range(every_n + 1, max(22, 2 * every_n + 2), every_n))


async def test_prompt_prefix_changes_once_more_with_large_threshold(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await hold_conversation(talk, turns=55, every_n=30)
        assert list_turns_with_changed_prefix(talk) == [31, 52]


async def test_small_prompt_changes_prefix_at_most_fourteen_times(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off", max_context_tokens=1200, recent_budget=400) as talk:
        await hold_conversation(talk, turns=21, every_n=5, words=9)
        reply = await talk.say("And?")
        assert reply.context is not None
        assert not any(cut.what == "turns" for cut in reply.context.cut), "what a summary covers is not listed as cut"
        assert len(list_turns_with_changed_prefix(talk)) <= 14
