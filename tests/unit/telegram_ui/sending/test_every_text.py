"""Every text in every language goes through the local Bot API server once, as it is."""

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import ENGLISH, LANGUAGES, translate
from telegram_ui.sending.formatting import MAX_UNITS, count_utf16_units
from tests.house.text_sources import all_texts, needed
from tests.unit.telegram_ui.commands.conftest import BOB, OTHER, Peer

NAME = "Ann <b> & *Bob* _x_ [y](z) `c` 👨‍👩‍👧"
"""What may stand in a text for something that people have named."""
MAX_BUTTONS = 100
"""Of one message, as Telegram takes them."""


def keys() -> list[str]:
    """The playground's page shows its own texts itself."""
    return sorted(key for key in all_texts(ENGLISH) if not key.startswith("page-"))


def shown(language: str, key: str) -> str:
    """With its arguments, which are the same in every language (tests/house/test_text_files.py, as are all plurals)."""
    found = needed(ENGLISH, key)
    return translate(
        language, key, {argument: 5 if argument in found.plurals else NAME for argument in found.arguments}
    )


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_text_arrives_as_it_is_written(peer: Peer, language: str) -> None:
    """Many in a message, as a text for each would be thousands of requests; each fits a message of its own."""
    texts = [shown(language, key) for key in keys()]
    assert max(map(count_utf16_units, texts)) <= MAX_UNITS
    sheets, sheet = [], ""
    for text in texts:
        if count_utf16_units(sheet) + count_utf16_units(text) + 2 > MAX_UNITS:
            sheets.append(sheet)
            sheet = ""
        sheet = f"{sheet}\n\n{text.strip()}".strip()
    sheets.append(sheet)
    delivery = peer.delivery()
    for page in sheets:
        await delivery.send_text(OTHER, page)
    assert peer.texts(BOB) == sheets


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_button_is_taken(peer: Peer, language: str) -> None:
    labels = [shown(language, key) for key in keys() if "-button" in key][:MAX_BUTTONS]
    rows = [[InlineKeyboardButton(label, callback_data="x" * 64)] for label in labels]
    await peer.delivery().send_text(OTHER, "Buttons", keyboard=InlineKeyboardMarkup(rows))
    [message] = [message for message in peer.world.messages[BOB].values() if message["from"]["is_bot"]]
    assert [row[0]["text"] for row in message["reply_markup"]["inline_keyboard"]] == labels
