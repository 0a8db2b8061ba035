"""No hole, through the bot: what has no room in a prompt is found by a word of it, at least in part."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.end_to_end.harness import SUMMARIES, SUMMARY, LocalServers
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

LETTERS = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "zeta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "rho",
    "sigma",
    "tau",
    "omega",
)


def words(size: int, seed: int) -> list[str]:
    """Words without a sentence end, about two tokens each."""
    chance = random.Random(seed)  # noqa: S311 - text, not secrets
    return [f"{chance.choice(LETTERS)}{chance.randrange(1000)}" for _ in range(size)]


@asynccontextmanager
async def summaries_as_before(house: LocalServers) -> AsyncIterator[None]:
    try:
        yield
    finally:
        house.model.default(SUMMARIES, SUMMARY)


async def test_under_a_small_ceiling_without_a_summary_every_message_is_found(house: LocalServers) -> None:
    ann = house.person()
    house.model.default(SUMMARIES, Behaviour(status=500))
    settings = {"MAX_CONTEXT_TOKENS": "1000", "FACTS": "off", "TOOLS": "off", "EMBEDDING_MODEL": "none"}
    async with summaries_as_before(house), house.bot(**settings):
        await ann.sets_up(every_n=500)
        marks = [f"marker{letter}unique" for letter in "abcdefghijkl"]
        for number, mark in enumerate(marks):
            await ann.asks(" ".join([mark, *words(60, number)]), "Noted.")
        for mark in marks[2:8]:
            await ann.asks(f"{mark} ?", "Noted.")
            *_, last = house.chat_requests()[-1]
            assert last["content"].count(mark) == 2, mark


@pytest.mark.parametrize(("size", "place"), [(40, 0), (40, 40), (200, 100), (600, 300)])
async def test_a_message_longer_than_the_room_for_snippets_is_cut_around_the_word(
    house: LocalServers, size: int, place: int
) -> None:
    ann = house.person()
    said = words(size, 2)
    said.insert(place, "xylophonist")
    async with house.bot(SNIPPET_BUDGET="100", FACTS="off", TOOLS="off", EMBEDDING_MODEL="none") as bot:
        await ann.sets_up(every_n=3)
        since = bot.log.last
        await ann.asks(" ".join(said), "Noted.")
        for number in range(8):
            await ann.asks(" ".join(["plain", "turn", str(number), *words(8, 50 + number)]), "Noted.")
        await bot.logged("summarized messages", since=since)
        await ann.asks("xylophonist ?", "Noted.")
        *before, last = house.chat_requests()[-1]
        assert not any("xylophonist" in message["content"] for message in before)
        assert last["content"].count("xylophonist") == 2
        assert "…" in last["content"]
