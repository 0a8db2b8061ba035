"""Lasting states are in every prompt, even if the question shares no word with them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from chat.facts_by_hand import change_fact_and_report
from records.facts import Fact
from records.scopes import Scope
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from tests.support.storages import FILE_STORAGES
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
REQUEST = "Plan a day of hiking for us."
KNEE = "Anna has had a bad knee since spring."


@pytest.fixture(params=FILE_STORAGES)
async def talk(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2, storage=request.param)
        yield talk


async def tell(talk: ChatHarness, text: str, fact: str, quote: str, **fields: object) -> None:
    """Say `text`, learn `fact` from it, and let months of unrelated turns pass."""
    await talk.say(text)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [message] = [message for message in await store.timeline.read_page(SCOPE, limit=2) if message.is_user]
    told = {"message": message.id, "text": fact, "quote": quote, "type": "state", "replaces": None} | fields
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [told]}))
    await talk.services.facts.learn(SCOPE)
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": []}))
    for number in range(6):
        talk.moment[0] += timedelta(days=20)
        await talk.run_turn(f"Remark {number}: the sea was calm.")


async def ask(talk: ChatHarness) -> str:
    await talk.say(REQUEST)
    return talk.list_prompts()[-1]


async def end_in_words(talk: ChatHarness, fact: Fact) -> None:
    over = {"type": "past", "about": "Anna", "attribute": "knee", "is_single": True, "replaces": fact.id}
    await tell(talk, "The bad knee is over.", "Anna had a bad knee.", "The bad knee is over", **over)
    (ended,) = (known for known in await talk.services.facts.list_all(ANNA.id) if known.id == fact.id)
    assert not ended.is_valid
    assert ended.quote == fact.quote, "what ended it does not say it"


async def end_by_hand(talk: ChatHarness, fact: Fact) -> None:
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)


@pytest.mark.parametrize("end", [end_in_words, end_by_hand], ids=lambda way: way.__name__)
async def test_prompt_contains_lasting_state_until_state_ends(
    talk: ChatHarness, end: Callable[[ChatHarness, Fact], Awaitable[None]]
) -> None:
    single = {"about": "Anna", "attribute": "knee", "is_single": True}
    await tell(talk, "I have had a bad knee since spring.", KNEE, "a bad knee since spring", **single)
    await tell(talk, "I ran to the bus yesterday.", "Anna ran to the bus.", "I ran to the bus", type="event")
    await tell(talk, "I have a dog called Rex.", "Anna has a dog called Rex.", "I have a dog called Rex")
    prompt = await ask(talk)
    assert prompt.index("Anna has a dog called Rex.") < prompt.index(KNEE), "newest first"
    assert "I have had a bad knee" not in prompt, "the message itself is far away"
    assert "ran to the bus" not in prompt, "what happened once does not last"
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    why = "".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))
    assert "it holds until you say otherwise" in why
    [fact] = [fact for fact in await talk.services.facts.list_all(ANNA.id) if fact.text == KNEE]
    await end(talk, fact)
    prompt = await ask(talk)
    assert KNEE not in prompt
    assert "Anna has a dog called Rex." in prompt


async def test_prompt_contains_newest_states_and_old_allergy(talk: ChatHarness) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna likes rain.")
    await tell(talk, "I am allergic to wasps.", "Anna is allergic to wasps.", "I am allergic to wasps")
    for number in range(15):
        talk.moment[0] += timedelta(days=1)
        await talk.services.facts.add_fact_unless_known(ANNA.id, f"Anna owns boat {number:02}.")
    prompt = await ask(talk)
    assert "allergic to wasps" in prompt
    assert [number for number in range(15) if f"boat {number:02}" in prompt] == list(range(4, 15))
    assert "likes rain" not in prompt
