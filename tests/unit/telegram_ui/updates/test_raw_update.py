"""Raw updates are parsed within limits. An update that is too large or malformed keeps only its id."""

from typing import Any

import pytest
import telegram

from telegram_ui.updates.parsing import MAX_DEPTH, MAX_PARTS, parse_raw_update, parse_update
from tests.unit.telegram_ui.conftest import ANN, make_bot

SAID: dict[str, Any] = {
    "message_id": 1,
    "date": 0,
    "chat": {"id": ANN, "type": "private"},
    "from": {"id": ANN, "is_bot": False, "first_name": "Ann"},
    "text": "hello",
}


def make_nested_message(levels: int) -> dict[str, Any]:
    said = SAID
    for _ in range(levels):
        said = {**SAID, "reply_to_message": said}
    return said


@pytest.mark.parametrize(
    "message",
    [
        {**SAID, "chat": 5},
        make_nested_message(MAX_DEPTH),
        {**SAID, "entities": [{"type": "bold", "offset": 0, "length": 1}] * MAX_PARTS},
    ],
    ids=["nonsense", "deep", "long"],
)
def test_unreadable_update_keeps_only_id(message: dict[str, Any]) -> None:
    bot = make_bot("http://127.0.0.1:9")
    assert parse_raw_update({"update_id": 9, "message": message}, bot) == telegram.Update(9)


def test_ordinary_update_is_parsed() -> None:
    update = parse_raw_update({"update_id": 9, "message": make_nested_message(1)}, make_bot("http://127.0.0.1:9"))
    assert update.message is not None
    assert update.message.text == "hello"


def test_unreadable_field_does_not_discard_message() -> None:
    bot = make_bot("http://127.0.0.1:9")
    update = parse_raw_update({"update_id": 9, "message": {**SAID, "poll": {"question": "Tea?"}}}, bot)
    assert update.message is not None
    assert update.message.text == "hello"
    wordless = {name: value for name, value in SAID.items() if name != "text"}
    update = parse_raw_update({"update_id": 9, "message": {**wordless, "poll": {"question": "Tea?"}}}, bot)
    parsed = parse_update(update, telegram.User(1, "Bot", is_bot=True))
    assert parsed is not None
    assert parsed.attachment == "new"
