"""Lone surrogates from Telegram are replaced, because they cannot be encoded."""

import pytest
import telegram

from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.updates.parsing import parse_update
from text.characters import repair_surrogates_in_json

ME = telegram.User(id=42, first_name="Keepsake", is_bot=True, username="keepsake_bot")


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", r"x\ud83d", r"\ude00\ud83d"])
def test_lone_surrogates_are_replaced_when_update_is_read(half: str) -> None:
    person = f'{{"id": 11, "is_bot": false, "first_name": "{half}", "last_name": "{half}"}}'
    chat = '{"id": 11, "type": "private"}'
    message = f'{{"message_id": 3, "date": 1, "chat": {chat}, "from": {person}, "text": "{half} \\ud83d\\ude00"}}'
    answer = AiohttpRequest.parse_json_payload(
        f'{{"ok": true, "result": [{{"update_id": 1, "message": {message}}}]}}'.encode()
    )
    parsed = parse_update(telegram.Update.de_json(answer["result"][0], None), ME)
    assert parsed is not None
    assert parsed.text.endswith(" 😀")
    assert "\ufffd" in parsed.person.name
    (parsed.text + parsed.person.name).encode()


def test_json_without_lone_surrogates_is_returned_unchanged() -> None:
    value = {"text": "Grüße 😀 \\ud800", "parts": [1, None]}
    assert repair_surrogates_in_json(value) is value
