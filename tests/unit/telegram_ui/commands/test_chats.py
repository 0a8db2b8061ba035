"""Tests of /new and /chats: beginning, listing, opening, renaming and deleting conversations."""

from typing import Any

import pytest

from chat.titles import TitleGenerator
from records.messages import NewMessage
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.stepping import wait_for_background_tasks
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, TOPIC, Desk

PLACE = Scope(owner=ANN)
TOO_LONG = "A walrus is a large marine mammal that lives in the Arctic and eats clams."


async def store_message(desk: Desk, text: str, *, scope: Scope | None = None, telegram_id: int | None = None) -> Scope:
    """Store a message in the given scope, or in the open conversation of Ann's chat. Return the scope."""
    scope = scope or await desk.services.memory.find_open_conversation_or_chat_scope(PLACE)
    async with desk.services.memory.open_store_if_enabled(scope.owner) as store:
        assert store is not None
        await store.append_messages(
            scope, [NewMessage(role="user", content=text, created_at=desk.moment[0], telegram_id=telegram_id)]
        )
    return scope


async def press_button(desk: Desk, label: str, chat: int = ANN, person: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(person, chat, message, buttons[label])


def list_button_rows(desk: Desk, chat: int = ANN) -> list[list[str]]:
    markup: Any = desk.find_newest_buttons(chat)[0]["reply_markup"]
    return [[button["text"] for button in row] for row in markup["inline_keyboard"]]


async def test_search_and_forget_are_limited_to_open_conversation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    first = await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new")
    assert "A new conversation begins here" in desk.get_last_text(ANN)
    second = await store_message(desk, "Which newts are there?")
    assert first == PLACE
    assert second != PLACE
    await desk.say(ANN, ANN, "/search walrus")
    assert "Oskar" not in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/forget walrus")
    assert "/search looks in all conversations" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/search walrus")
    await wait_for_background_tasks(TitleGenerator)
    assert await press_button(desk, "In all conversations") is None
    assert "In all conversations" in desk.get_last_text(ANN)
    told = "talked about several things\nThe walrus is called Oskar"
    assert told in desk.get_last_text(ANN), "with what the conversation is called"
    await desk.say(ANN, ANN, "/search newts")
    assert "Which newts" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/forget newts")
    assert "Which newts" in desk.get_last_text(ANN)
    assert "\n\n/search looks in all conversations" in desk.get_last_text(ANN), "it is not all that was said of newts"


async def test_summary_status_counts_only_open_conversation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/summary_status")
    assert "/chats" not in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/new")
    await desk.say(ANN, ANN, "/summary_status")
    assert "Total messages: 0" in desk.get_last_text(ANN)
    assert "Only the open conversation is counted; /chats shows all 2." in desk.get_last_text(ANN)


async def test_conversation_title_from_attachment_note_is_translated(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "[Sent a photo]")
    await desk.say(ANN, ANN, "/language de")
    await desk.say(ANN, ANN, "/chats")
    assert list_button_rows(desk)[0][0] == "✓ [Geschickt: ein Foto]"


async def test_chats_list_opens_and_ticks_conversation(desk: Desk, talk: ChatHarness) -> None:
    talk.server.set_default_answer("summary-model", TOO_LONG)
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new Newts")
    assert "“Newts”" in desk.get_last_text(ANN)
    await store_message(desk, "Which newts are there?")
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in list_button_rows(desk)] == ["✓ Newts", "The walrus is called Oskar", "New conversation"]
    assert "1. Newts · 1 message · today" in desk.get_last_text(ANN)
    assert await press_button(desk, "The walrus is called Oskar") == "We go on here."
    assert [row[0] for row in list_button_rows(desk)] == ["✓ The walrus is called Oskar", "Newts", "New conversation"]
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == PLACE


async def test_open_conversation_survives_storage_change_and_restart(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new")
    here = await desk.services.memory.find_open_conversation_or_chat_scope(PLACE)
    await desk.services.memory.configure(ANN, storage=desk.services.memory.storage_types[1], every_n=5)
    desk.restart()
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == here


async def test_conversation_is_renamed_by_next_text(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/chats")
    await press_button(desk, "✏️")
    assert desk.get_last_text(ANN) == "What shall it be called?"
    assert await desk.say(ANN, ANN, "x" * 61)
    assert desk.get_last_text(ANN).endswith(
        "at most 60 characters.\nPlease try again; /cancel leaves everything as it is."
    )
    assert await desk.say(ANN, ANN, "At the\u202e zoo\U000e0049")
    assert desk.get_last_text(ANN) == "It is called “At the zoo” now."
    await desk.say(ANN, ANN, "/chats")
    assert list_button_rows(desk)[0] == ["✓ At the zoo", "✏️", "🗑"]
    await desk.say(ANN, ANN, f"/new {'x' * 61}")
    assert "at most 60 characters" in desk.get_last_text(ANN)


async def test_conversation_is_deleted_after_confirmation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new Newts")
    newts = await store_message(desk, "Which newts are there?")
    await desk.say(ANN, ANN, "/chats")
    message, _ = desk.find_newest_buttons(ANN)
    data = message["reply_markup"]["inline_keyboard"][0][2]["callback_data"]
    await desk.press_button(ANN, ANN, message, data)
    assert desk.get_last_text(ANN).startswith("Shall I forget this?\n\n“Newts”")
    assert "1 message" in desk.get_last_text(ANN)
    assert await press_button(desk, "Forget it") == "Forgotten."
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == PLACE
    assert not await desk.services.memory.has_conversation(PLACE, newts)
    await desk.press_button(ANN, ANN, message, data)
    await desk.say(ANN, ANN, "/chats")
    assert len(list_button_rows(desk)) == 2


async def test_conversation_list_has_pages(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    for number in range(8):
        await desk.say(ANN, ANN, f"/new Talk {number}")
        await store_message(desk, f"message {number}")
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in list_button_rows(desk)[:6]] == [
        "✓ Talk 7",
        *(f"Talk {number}" for number in range(6, 1, -1)),
    ]
    await press_button(desk, "▶")
    assert [row[0] for row in list_button_rows(desk)] == ["Talk 1", "Talk 0", "◀", "New conversation"]
    await press_button(desk, "◀")
    assert list_button_rows(desk)[0][0] == "✓ Talk 7"


async def test_model_writes_title_after_conversation_is_left(desk: Desk, talk: ChatHarness) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    talk.server.set_default_answer("summary-model", "“Oskar the walrus”\n")
    await desk.say(ANN, ANN, "/new")
    await wait_for_background_tasks(TitleGenerator)
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in list_button_rows(desk)] == ["✓ New conversation", "Oskar the walrus", "New conversation"]
    asked = talk.list_prompts("summary-model")
    assert len(asked) == 1
    assert "The walrus is called Oskar" in asked[0]


async def test_overlong_model_title_is_ignored_and_incognito_requests_no_title(desk: Desk, talk: ChatHarness) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    talk.server.set_default_answer("summary-model", TOO_LONG)
    await desk.say(ANN, ANN, "/chats")
    await wait_for_background_tasks(TitleGenerator)
    await desk.say(ANN, ANN, "/incognito on")
    await desk.say(ANN, ANN, "/chats")
    await wait_for_background_tasks(TitleGenerator)
    assert list_button_rows(desk)[0][0] == "✓ The walrus is called Oskar"
    assert len(talk.list_prompts("summary-model")) == 1


async def test_refused_title_is_not_logged_as_failure_of_bot(
    desk: Desk, talk: ChatHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """Every warning is shown to admins and counted for alerts, but a wrong key or a spent quota is no fault of ours."""
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await store_message(desk, "The walrus is called Oskar")
    talk.server.set_default_answer("summary-model", Behaviour(status=401))
    await desk.say(ANN, ANN, "/new")
    await wait_for_background_tasks(TitleGenerator)
    assert len(talk.list_prompts("summary-model")) == 1
    assert [record for record in caplog.records if record.name == "chat.titles" and record.levelname != "INFO"] == []


async def test_new_starts_over_while_memory_is_off(desk: Desk, talk: ChatHarness) -> None:
    reply = await talk.say("My walrus is called Oskar")
    assert not reply.is_remembered
    await desk.services.corrections.clear_session(Scope(owner=7))
    await talk.say("What is it called?")
    assert "Oskar" not in talk.list_prompts()[-1]
    await desk.say(ANN, ANN, "/new")
    assert "We start over" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/chats")
    assert "Memory is off" in desk.get_last_text(ANN)


async def test_group_conversations_need_admin_and_are_separate_per_topic(desk: Desk) -> None:
    for owner in (GROUP, FORUM):
        await desk.services.memory.set_enabled(owner, enabled=True)
    await store_message(desk, "We meet at noon", scope=Scope(owner=GROUP))
    await desk.say(BOB, GROUP, "/new")
    assert "Only the admins" in desk.get_last_text(GROUP)
    await desk.say(ANN, GROUP, "/new")
    assert await desk.services.memory.find_open_conversation_or_chat_scope(Scope(owner=GROUP)) != Scope(owner=GROUP)
    garden = Scope(owner=FORUM, thread=TOPIC)
    await store_message(desk, "Roses", scope=garden)
    await desk.say(ANN, FORUM, "/new", thread_id=TOPIC)
    assert await desk.services.memory.find_open_conversation_or_chat_scope(garden) != garden
    assert await desk.services.memory.find_open_conversation_or_chat_scope(Scope(owner=FORUM)) == Scope(owner=FORUM)


async def test_forget_reaches_message_of_earlier_conversation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    said = desk.peer.world.say(ANN, ANN, "The cellar key is 4711")
    await desk.fetch_updates()
    await store_message(desk, "The cellar key is 4711", telegram_id=said["message_id"])
    await desk.say(ANN, ANN, "/new")
    await desk.say(ANN, ANN, "/forget", reply_to=said["message_id"])
    assert "4711" in desk.get_last_text(ANN)
    assert await press_button(desk, "Forget it") == "Forgotten."
    async with desk.services.memory.open_store_if_enabled(ANN) as store:
        assert store is not None
        assert await store.timeline.read_page(PLACE) == []
