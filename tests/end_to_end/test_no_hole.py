"""A message that does not fit into the prompt is still found by one of its words, at least in part."""

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
    """Return random words without a sentence end, about two tokens each."""
    chance = random.Random(seed)  # noqa: S311 - text, not secrets
    return [f"{chance.choice(LETTERS)}{chance.randrange(1000)}" for _ in range(size)]


@asynccontextmanager
async def summaries_as_before(servers: LocalServers) -> AsyncIterator[None]:
    try:
        yield
    finally:
        servers.model.set_default_answer(SUMMARIES, SUMMARY)


async def test_every_message_is_recalled_under_small_ceiling_without_summaries(servers: LocalServers) -> None:
    ann = servers.add_person()
    servers.model.set_default_answer(SUMMARIES, Behaviour(status=500))
    settings = {"MAX_CONTEXT_TOKENS": "1000", "FACTS": "off", "TOOLS": "off", "EMBEDDING_MODEL": "none"}
    async with summaries_as_before(servers), servers.run_bot(**settings):
        await ann.set_up_memory(every_n=500)
        marks = [f"marker{letter}unique" for letter in "abcdefghijkl"]
        for number, mark in enumerate(marks):
            await ann.ask(" ".join([mark, *words(60, number)]), "Noted.")
        for mark in marks[2:8]:
            await ann.ask(f"{mark} ?", "Noted.")
            *_, last = servers.list_chat_requests()[-1]
            assert last["content"].count(mark) == 2, mark


@pytest.mark.parametrize(("size", "place"), [(40, 0), (40, 40), (200, 100), (600, 300)])
async def test_long_message_is_cut_around_query_term_to_fit_snippet_budget(
    servers: LocalServers, size: int, place: int
) -> None:
    ann = servers.add_person()
    said = words(size, 2)
    said.insert(place, "xylophonist")
    async with servers.run_bot(SNIPPET_BUDGET="100", FACTS="off", TOOLS="off", EMBEDDING_MODEL="none") as bot:
        await ann.set_up_memory(every_n=3)
        since = bot.log.last
        await ann.ask(" ".join(said), "Noted.")
        for number in range(8):
            await ann.ask(" ".join(["plain", "turn", str(number), *words(8, 50 + number)]), "Noted.")
        await bot.wait_for_log_line("summarized messages", since=since)
        await ann.ask("xylophonist ?", "Noted.")
        *before, last = servers.list_chat_requests()[-1]
        assert not any("xylophonist" in message["content"] for message in before)
        assert last["content"].count("xylophonist") == 2
        assert "…" in last["content"]
