"""/why answers in one message if everything fits. Otherwise, a button leads to further pages."""

from dataclasses import replace
from datetime import UTC

import pytest

from records.scopes import Scope
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import MAX_ENTITIES, MAX_UNITS, count_utf16_units
from tests.support.talk import ANNA, ChatHarness


@pytest.mark.parametrize("times", [1, 7, 60])
async def test_explanation_fills_first_message_and_continues_on_pages(talk: ChatHarness, times: int) -> None:
    await talk.turn_on_memory(every_n=2)
    for number in range(4):
        await talk.run_turn(f"The walnuts of year {number} are in the blue cellar box. " + "It is dry there. 😀" * 20)
    for number in range(4):
        await talk.run_turn(f"The weather was fine on day {number}.")
    await talk.say("Where are the walnuts?")
    explanation = await talk.services.explanations.explain_answer(Scope(owner=ANNA.id))
    assert explanation is not None
    assert explanation.snippets
    explanation = replace(explanation, snippets=explanation.snippets * times)
    first, *others = pages = make_explanation_pages(explanation, Chat(id=ANNA.id), UTC)
    for page in pages:
        assert count_utf16_units(page.text) <= MAX_UNITS
        assert len(page.entities) <= MAX_ENTITIES
        [quote] = [entity for entity in page.entities if entity.type == "expandable_blockquote"]
        assert quote.offset + quote.length == count_utf16_units(page.text)
    assert "· your message: " in first.text, "the tokens of each part are always in the first message"
    assert "The walnuts of year" in first.text
    assert bool(others) == (times > 1)
    told = "".join(page.text for page in pages)
    assert all(f"\n{number}. " in told for number in range(1, len(explanation.snippets) + 1))


async def test_explanation_pages_fit_limit_with_long_model_name_and_message(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=2)
    for number in range(4):
        await talk.run_turn(f"The walnuts of year {number} are in the blue cellar box. " + "It is dry there. " * 20)
    for number in range(4):
        await talk.run_turn(f"The weather was fine on day {number}.")
    await talk.say("Where are the walnuts?")
    explanation = await talk.services.explanations.explain_answer(Scope(owner=ANNA.id))
    assert explanation is not None
    [(message, chosen), *others] = explanation.snippets
    assert message is not None
    explanation = replace(
        explanation,
        record=replace(explanation.record, model="a-model-" * 500),
        snippets=((replace(message, content="😀" * 2_500), chosen), *others),
    )
    pages = make_explanation_pages(explanation, Chat(id=ANNA.id), UTC)
    assert all(count_utf16_units(page.text) <= MAX_UNITS for page in pages)
    assert "a-model-a-model" in pages[0].text


async def test_explanation_marks_message_edited_after_answer(talk: ChatHarness) -> None:
    """The answer was made from the previous text of the message."""
    await talk.turn_on_memory()
    await talk.say("I am allergic to walnuts.")
    await talk.say("What may I eat?")
    scope = Scope(owner=ANNA.id)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [asked, *_] = await store.timeline.read_page(scope)
        await store.forgetting.replace_message_text_if_changed(
            scope, asked.id, "I am allergic to hazelnuts.", reason="edited", now=talk.moment[0]
        )
    explanation = await talk.services.explanations.explain_answer(scope)
    assert explanation is not None
    [page] = make_explanation_pages(explanation, Chat(id=ANNA.id), UTC)
    assert "Anna (edited): “I am allergic to hazelnuts.”" in page.text
