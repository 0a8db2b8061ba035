"""/why in one message where everything fits, and with a button to all of it where it does not."""

from dataclasses import replace
from datetime import UTC

import pytest

from records.scopes import Scope
from telegram_ui.commands.why import ITEMS_PER_PAGE, make_why_message, make_why_pages
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import MAX_ENTITIES, MAX_UNITS, count_units
from tests.support.talk import ANNA, Talk


@pytest.mark.parametrize("times", [1, 7, 60])
async def test_as_much_as_fits_is_in_the_first_message(talk: Talk, times: int) -> None:
    await talk.remember(every_n=2)
    for number in range(4):
        await talk.turn(f"The walnuts of year {number} are in the blue cellar box. " + "It is dry there. 😀" * 20)
    for number in range(4):
        await talk.turn(f"The weather was fine on day {number}.")
    await talk.say("Where are the walnuts?")
    explanation = await talk.services.explanations.explain(Scope(owner=ANNA.id))
    assert explanation is not None
    assert explanation.snippets
    explanation = replace(explanation, snippets=explanation.snippets * times)
    piece, is_whole = make_why_message(explanation, Chat(id=ANNA.id), UTC)
    pages = make_why_pages(explanation, Chat(id=ANNA.id), UTC)
    assert count_units(piece.text) <= MAX_UNITS
    assert len(piece.entities) <= MAX_ENTITIES
    [quote] = [entity for entity in piece.entities if entity.type == "expandable_blockquote"]
    assert quote.offset + quote.length == count_units(piece.text)
    assert "· your message: " in piece.text, "the tokens of each part are always there"
    assert "The walnuts of year" in piece.text
    told = [line for page in pages for line in page.text.splitlines() if line.startswith(("· ", "   "))]
    assert is_whole == all(line in piece.text for line in told) == (times == 1)
    assert len(pages) > 1 or len(told) <= ITEMS_PER_PAGE
