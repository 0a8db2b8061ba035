"""What need not be read of a poll is dropped before it is parsed; what has to be read never is."""

from datetime import UTC, datetime
from typing import Any

import pytest
import telegram

from settings import Settings
from storage.files.inbox import UpdateInbox
from telegram_ui.updates.access import MOST_TOLD, Access
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.triage import Triage
from telegram_ui.updates.unread import MOST_DEPTH, MOST_PARTS, Unread, glimpse
from tests.unit.telegram_ui.conftest import ANN, BOB, EVE, GROUP, client

Raw = dict[str, Any]

NOW = datetime(2026, 11, 22, tzinfo=UTC)
LIMIT = 3


def raw(number: int, person: int, *, kind: str = "message", chat: int | None = None, **message: Any) -> Raw:
    where = {"id": person if chat is None else chat, "type": "private" if chat is None else "group"}
    said = {"message_id": number, "date": 0, "chat": where, "text": "hello"} | message
    if kind == "callback_query":
        return {"update_id": number, kind: {"id": "1", "chat_instance": "1", "from": _user(person), "message": said}}
    return {"update_id": number, kind: said | {"from": _user(person)}}


def _user(person: int) -> Raw:
    return {"id": person, "is_bot": False, "first_name": "x"}


@pytest.fixture
def queue(inbox: UpdateInbox) -> DurableQueue:
    return DurableQueue(inbox, keep=lambda _: True, now=lambda: NOW, limit_of_one=LIMIT)


@pytest.fixture
def triage(queue: DurableQueue) -> Triage:
    settings = Settings(allowed_user_ids=frozenset({ANN, BOB}))
    return Triage(Access(settings, None, now=lambda: NOW), queue)  # type: ignore[arg-type]


def to_read(triage: Triage, fetched: list[Raw]) -> list[Raw]:
    return [one for one, _ in triage.to_read(fetched)]


def numbers(read: list[Raw]) -> list[int]:
    return [one["update_id"] for one in read]


def test_of_a_strangers_messages_as_many_are_read_as_they_may_be_told(triage: Triage) -> None:
    read = to_read(triage, [*(raw(number, EVE) for number in range(100)), raw(100, BOB)])
    assert numbers(read) == [*range(MOST_TOLD), 100]


def test_the_last_update_of_a_poll_stands_for_all_before_it(triage: Triage) -> None:
    read = to_read(triage, [raw(number, EVE, chat=GROUP, text="secret") for number in range(100)])
    assert read == [{"update_id": 99}], "or Telegram would offer all of them again, for ever"
    assert to_read(triage, []) == []


@pytest.mark.parametrize(
    "message",
    [
        raw(1, EVE, chat=GROUP, migrate_to_chat_id=-1_001),
        raw(1, EVE, chat=GROUP, migrate_from_chat_id=-400),
        raw(1, EVE, chat=GROUP, sender_chat={"id": GROUP, "type": "group"}),
        {"update_id": 1, "message": {"from": {"id": "eleven"}}},
        {"update_id": 1, "channel_post": {}},
        {"update_id": "one"},
        {},
    ],
)
def test_what_a_look_does_not_tell_is_read_by_the_parser(triage: Triage, message: Raw) -> None:
    assert glimpse(message) is None
    assert to_read(triage, [message, raw(2, BOB)]) == [message, raw(2, BOB)]


def test_what_a_stranger_edits_is_not_read_and_a_press_is(triage: Triage) -> None:
    read = to_read(triage, [raw(1, EVE, kind="edited_message"), raw(2, EVE, kind="callback_query"), raw(3, BOB)])
    assert numbers(read) == [2, 3]


async def test_who_has_too_much_unfinished_and_was_told_is_not_read(triage: Triage, queue: DurableQueue) -> None:
    """Until something of theirs is done; commands have their own room, and nobody else notices."""
    bot = client()
    flood = [raw(number, ANN) for number in range(LIMIT + 2)]
    assert to_read(triage, flood) == flood, "nothing is unfinished yet"
    for one in flood:
        await queue.put(telegram.Update.de_json(one, bot))
    later = [raw(50, ANN), raw(51, BOB), raw(52, ANN, text="/stop"), raw(53, ANN, kind="callback_query"), raw(54, ANN)]
    assert to_read(triage, later) == [*later[1:4], {"update_id": 54}]
    assert numbers(to_read(triage, flood))[:LIMIT] == [0, 1, 2], "what is on disk may be offered again"
    await queue.done([0])
    assert to_read(triage, later) == later


def test_a_text_in_private_is_parsed_when_it_is_needed(triage: Triage) -> None:
    """What concerns the bot for certain; anything else is parsed first. What cannot be parsed is emptied to its id."""
    bot = client()

    def opened(one: Raw) -> telegram.Update | Unread:
        return triage.opened(one, glimpse(one), bot)

    told = opened(raw(7, ANN, text="/help"))
    assert isinstance(told, Unread)
    assert (told.update_id, told.person, told.is_urgent) == (7, ANN, True)
    read = told.read()
    assert read.message is not None
    assert (read.message.text, told.read()) == ("/help", read)
    unreadable = opened(raw(8, ANN, date="never"))
    assert isinstance(unreadable, Unread)
    assert unreadable.read() == telegram.Update(8)
    bold = {"type": "bold", "offset": 0, "length": 1}
    deep = raw(9, ANN)["message"]
    for _ in range(MOST_DEPTH):
        deep = {**deep, "reply_to_message": deep}
    for endless in (opened(raw(9, ANN, entities=[bold] * MOST_PARTS)), opened(raw(9, ANN, reply_to_message=deep))):
        assert isinstance(endless, Unread)
        assert endless.read() == telegram.Update(9), "python-telegram-bot would take a tenth of a second"
    for other in (
        raw(1, EVE),
        raw(1, ANN, chat=GROUP),
        raw(1, ANN, text=None),
        raw(1, ANN, kind="callback_query"),
        raw(1, ANN, kind="edited_message"),
        raw(2**60, ANN),
    ):
        assert isinstance(opened(other), telegram.Update), other
