"""The local Bot API server accepts every text and button label of every language unchanged."""

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import ENGLISH, LANGUAGES, translate
from telegram_ui.sending.formatting import MAX_UNITS, count_utf16_units
from tests.house.text_sources import find_needs, read_all_texts
from tests.unit.telegram_ui.commands.conftest import BOB, OTHER, Peer

NAME = "Ann <b> & *Bob* _x_ [y](z) `c` 👨‍👩‍👧"
"""A sample argument for names that people choose, with markup and an emoji."""
MAX_BUTTONS = 100
"""Maximum number of buttons of one message in Telegram."""


def list_text_keys() -> list[str]:
    """List the keys of all texts, except those of the playground's page."""
    return sorted(key for key in read_all_texts(ENGLISH) if not key.startswith("page-"))


def translate_with_samples(language: str, key: str) -> str:
    """Translate a text with sample arguments (the same in every language, see tests/house/test_text_files.py)."""
    found = find_needs(ENGLISH, key)
    return translate(
        language, key, {argument: 5 if argument in found.plurals else NAME for argument in found.arguments}
    )


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_text_is_delivered_unchanged(peer: Peer, language: str) -> None:
    """Send many texts in one message, because one request for each would be thousands."""
    texts = [translate_with_samples(language, key) for key in list_text_keys()]
    assert max(map(count_utf16_units, texts)) <= MAX_UNITS
    sheets, sheet = [], ""
    for text in texts:
        if count_utf16_units(sheet) + count_utf16_units(text) + 2 > MAX_UNITS:
            sheets.append(sheet)
            sheet = ""
        sheet = f"{sheet}\n\n{text.strip()}".strip()
    sheets.append(sheet)
    delivery = peer.make_delivery()
    for page in sheets:
        await delivery.send_text(OTHER, page)
    assert peer.list_bot_texts(BOB) == sheets


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_button_label_is_accepted(peer: Peer, language: str) -> None:
    labels = [translate_with_samples(language, key) for key in list_text_keys() if "-button" in key][:MAX_BUTTONS]
    rows = [[InlineKeyboardButton(label, callback_data="x" * 64)] for label in labels]
    await peer.make_delivery().send_text(OTHER, "Buttons", keyboard=InlineKeyboardMarkup(rows))
    [message] = [message for message in peer.world.messages[BOB].values() if message["from"]["is_bot"]]
    assert [row[0]["text"] for row in message["reply_markup"]["inline_keyboard"]] == labels
