"""What changed, in the prompt: newer words mark a fact at once, what it replaced is next to it, a denial is marked."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from records.scopes import Scope
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from tests.support.talk import ANNA, Talk, talking

SCOPE = Scope(owner=ANNA.id)
LATER = timedelta(days=40)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=2)
        yield talk


async def learned(talk: Talk, text: str, fact: str) -> None:
    """Say this, and learn the fact from it."""
    await talk.say(text)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [message] = [message for message in await store.timeline.read_page(SCOPE, limit=2) if message.is_user]
    found = {"message": message.id, "text": fact, "type": "state", "replaces": None}
    found |= {"about": "Anna", "attribute": "home", "is_single": True}
    talk.server.default_schema("facts", json.dumps({"facts": [found]}))
    await talk.services.facts.learn(SCOPE)
    talk.server.default_schema("facts", json.dumps({"facts": []}))


async def why(talk: Talk) -> str:
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    return "\n".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))


async def test_a_fact_stands_below_what_it_replaced(talk: Talk) -> None:
    await learned(talk, "I live in Portland, near the river.", "Anna lives in Portland.")
    for number in range(6):
        await talk.turn(f"Point {number}: the weather was fine.")
    talk.moment[0] += LATER
    await learned(talk, "I moved to Seattle.", "Anna lives in Seattle.")
    for number in range(6):
        await talk.turn(f"Remark {number}: the sea was calm.")
    await talk.say("Where do I live?")
    prompt = talk.prompts()[-1]
    assert (
        "[fact 1 · only until 2026-12-31, said 2026-11-21] Anna lives in Portland.\n"
        "[fact 2 · said 2026-12-31] Anna lives in Seattle."
    ) in prompt
    assert prompt.index("near the river") < prompt.index("I moved to Seattle.")
    shown = await why(talk)
    assert "Until then: “Anna lives in Portland.”" in shown
