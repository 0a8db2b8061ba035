"""The prompt shows a fact together with the fact that it replaced."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from records.scopes import Scope
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
LATER = timedelta(days=40)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        yield talk


async def say_and_learn(talk: ChatHarness, text: str, fact: str) -> None:
    """Say `text` and learn `fact` from it."""
    await talk.say(text)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [message] = [message for message in await store.timeline.read_page(SCOPE, limit=2) if message.is_user]
    found = {"message": message.id, "text": fact, "type": "state", "replaces": None}
    found |= {"about": "Anna", "attribute": "home", "is_single": True}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [found]}))
    await talk.services.facts.learn(SCOPE)
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": []}))


async def explain_last_answer(talk: ChatHarness) -> str:
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    return "\n".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))


async def test_replaced_fact_precedes_new_fact_in_prompt(talk: ChatHarness) -> None:
    await say_and_learn(talk, "I live in Portland, near the river.", "Anna lives in Portland.")
    for number in range(6):
        await talk.run_turn(f"Point {number}: the weather was fine.")
    talk.moment[0] += LATER
    await say_and_learn(talk, "I moved to Seattle.", "Anna lives in Seattle.")
    for number in range(6):
        await talk.run_turn(f"Remark {number}: the sea was calm.")
    await talk.say("Where do I live?")
    prompt = talk.list_prompts()[-1]
    assert (
        "[fact 1 · only until 2026-12-31, said 2026-11-21] Anna lives in Portland.\n"
        "[fact 2 · said 2026-12-31] Anna lives in Seattle."
    ) in prompt
    assert prompt.index("near the river") < prompt.index("I moved to Seattle.")
    shown = await explain_last_answer(talk)
    assert "Until then: “Anna lives in Portland.”" in shown
