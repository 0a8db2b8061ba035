"""/new and /chats as a person sees them: beginning, listing, opening, renaming and deleting conversations."""

from typing import Any

from records.messages import NewMessage
from records.scopes import Scope
from tests.support.talk import Talk
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, TOPIC, Desk

PLACE = Scope(owner=ANN)
TOO_LONG = "A walrus is a large marine mammal that lives in the Arctic and eats clams."


async def tell(desk: Desk, text: str, *, scope: Scope | None = None, telegram_id: int | None = None) -> Scope:
    """Something is said where the talk of Ann's chat goes on, or in a scope."""
    scope = scope or await desk.services.memory.find_open_conversation_or_chat_scope(PLACE)
    async with desk.services.memory.open_store_if_enabled(scope.owner) as store:
        assert store is not None
        await store.append_messages(
            scope, [NewMessage(role="user", content=text, created_at=desk.moment[0], telegram_id=telegram_id)]
        )
    return scope


async def press(desk: Desk, label: str, chat: int = ANN, person: int = ANN) -> str | None:
    message, buttons = desk.buttons(chat)
    return await desk.press(person, chat, message, buttons[label])


def rows(desk: Desk, chat: int = ANN) -> list[list[str]]:
    markup: Any = desk.buttons(chat)[0]["reply_markup"]
    return [[button["text"] for button in row] for row in markup["inline_keyboard"]]


async def test_a_new_conversation_leaves_the_other_as_it_is(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    first = await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new")
    assert "A new conversation begins here" in desk.last(ANN)
    second = await tell(desk, "Which newts are there?")
    assert first == PLACE
    assert second != PLACE
    await desk.say(ANN, ANN, "/search walrus")
    assert "Oskar" not in desk.last(ANN)
    await desk.say(ANN, ANN, "/forget walrus")
    assert "/search looks in all conversations" in desk.last(ANN)
    await desk.say(ANN, ANN, "/search walrus")
    await desk.services.titles.wait_until_finished()
    assert await press(desk, "In all conversations") is None
    assert "In all conversations" in desk.last(ANN)
    told = "talked about several things\nThe walrus is called Oskar"
    assert told in desk.last(ANN), "with what the conversation is called"
    await desk.say(ANN, ANN, "/search newts")
    assert "Which newts" in desk.last(ANN)
    await desk.say(ANN, ANN, "/forget newts")
    assert "Which newts" in desk.last(ANN)
    assert "\n\n/search looks in all conversations" in desk.last(ANN), "it is not all that was said of newts"


async def test_a_status_says_that_it_is_of_one_conversation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/summary_status")
    assert "/chats" not in desk.last(ANN)
    await desk.say(ANN, ANN, "/new")
    await desk.say(ANN, ANN, "/summary_status")
    assert "Total messages: 0" in desk.last(ANN)
    assert "Only the open conversation is counted; /chats shows all 2." in desk.last(ANN)


async def test_a_conversation_is_not_called_by_a_note_in_english(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "[Sent a photo]")
    await desk.say(ANN, ANN, "/language de")
    await desk.say(ANN, ANN, "/chats")
    assert rows(desk)[0][0] == "✓ [Geschickt: ein Foto]"


async def test_the_list_opens_a_conversation_and_ticks_it(desk: Desk, talk: Talk) -> None:
    talk.server.default("summary-model", TOO_LONG)
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new Newts")
    assert "“Newts”" in desk.last(ANN)
    await tell(desk, "Which newts are there?")
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in rows(desk)] == ["✓ Newts", "The walrus is called Oskar", "New conversation"]
    assert "1. Newts · 1 message · today" in desk.last(ANN)
    assert await press(desk, "The walrus is called Oskar") == "We go on here."
    assert [row[0] for row in rows(desk)] == ["✓ The walrus is called Oskar", "Newts", "New conversation"]
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == PLACE


async def test_a_restart_changes_nothing_about_where_the_talk_goes_on(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new")
    here = await desk.services.memory.find_open_conversation_or_chat_scope(PLACE)
    await desk.services.memory.configure(ANN, storage=desk.services.memory.storage_types[1], every_n=5)
    desk.restart()
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == here


async def test_a_conversation_is_renamed_by_the_next_text(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/chats")
    await press(desk, "✏️")
    assert desk.last(ANN) == "What shall it be called?"
    assert await desk.say(ANN, ANN, "x" * 61)
    assert desk.last(ANN).endswith("at most 60 characters.\nPlease try again; /cancel leaves everything as it is.")
    assert await desk.say(ANN, ANN, "At the\u202e zoo\U000e0049")
    assert desk.last(ANN) == "It is called “At the zoo” now."
    await desk.say(ANN, ANN, "/chats")
    assert rows(desk)[0] == ["✓ At the zoo", "✏️", "🗑"]
    await desk.say(ANN, ANN, f"/new {'x' * 61}")
    assert "at most 60 characters" in desk.last(ANN)


async def test_a_conversation_is_deleted_after_a_question(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    await desk.say(ANN, ANN, "/new Newts")
    newts = await tell(desk, "Which newts are there?")
    await desk.say(ANN, ANN, "/chats")
    message, _ = desk.buttons(ANN)
    data = message["reply_markup"]["inline_keyboard"][0][2]["callback_data"]
    await desk.press(ANN, ANN, message, data)
    assert desk.last(ANN).startswith("Shall I forget this?\n\n“Newts”")
    assert "1 message" in desk.last(ANN)
    assert await press(desk, "Forget it") == "Forgotten."
    assert await desk.services.memory.find_open_conversation_or_chat_scope(PLACE) == PLACE
    assert not await desk.services.memory.has_conversation(PLACE, newts)
    await desk.press(ANN, ANN, message, data)
    await desk.say(ANN, ANN, "/chats")
    assert len(rows(desk)) == 2


async def test_many_conversations_come_in_pages(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    for number in range(8):
        await desk.say(ANN, ANN, f"/new Talk {number}")
        await tell(desk, f"message {number}")
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in rows(desk)[:6]] == ["✓ Talk 7", *(f"Talk {number}" for number in range(6, 1, -1))]
    await press(desk, "▶")
    assert [row[0] for row in rows(desk)] == ["Talk 1", "Talk 0", "◀", "New conversation"]
    await press(desk, "◀")
    assert rows(desk)[0][0] == "✓ Talk 7"


async def test_titles_come_from_the_model_once_a_conversation_was_left(desk: Desk, talk: Talk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    talk.server.default("summary-model", "“Oskar the walrus”\n")
    await desk.say(ANN, ANN, "/new")
    await desk.services.titles.wait_until_finished()
    await desk.say(ANN, ANN, "/chats")
    assert [row[0] for row in rows(desk)] == ["✓ New conversation", "Oskar the walrus", "New conversation"]
    asked = talk.prompts("summary-model")
    assert len(asked) == 1
    assert "The walrus is called Oskar" in asked[0]


async def test_a_long_answer_is_no_title_and_incognito_asks_for_none(desk: Desk, talk: Talk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await tell(desk, "The walrus is called Oskar")
    talk.server.default("summary-model", TOO_LONG)
    await desk.say(ANN, ANN, "/chats")
    await desk.services.titles.wait_until_finished()
    await desk.say(ANN, ANN, "/incognito on")
    await desk.say(ANN, ANN, "/chats")
    await desk.services.titles.wait_until_finished()
    assert rows(desk)[0][0] == "✓ The walrus is called Oskar"
    assert len(talk.prompts("summary-model")) == 1


async def test_while_memory_is_off_new_starts_over(desk: Desk, talk: Talk) -> None:
    reply = await talk.say("My walrus is called Oskar")
    assert not reply.is_remembered
    await desk.services.corrections.clear_session(Scope(owner=7))
    await talk.say("What is it called?")
    assert "Oskar" not in talk.prompts()[-1]
    await desk.say(ANN, ANN, "/new")
    assert "We start over" in desk.last(ANN)
    await desk.say(ANN, ANN, "/chats")
    assert "Memory is off" in desk.last(ANN)


async def test_in_a_group_only_admins_choose_and_each_topic_has_its_own(desk: Desk) -> None:
    for owner in (GROUP, FORUM):
        await desk.services.memory.set_enabled(owner, enabled=True)
    await tell(desk, "We meet at noon", scope=Scope(owner=GROUP))
    await desk.say(BOB, GROUP, "/new")
    assert "Only the admins" in desk.last(GROUP)
    await desk.say(ANN, GROUP, "/new")
    assert await desk.services.memory.find_open_conversation_or_chat_scope(Scope(owner=GROUP)) != Scope(owner=GROUP)
    garden = Scope(owner=FORUM, thread=TOPIC)
    await tell(desk, "Roses", scope=garden)
    await desk.say(ANN, FORUM, "/new", thread_id=TOPIC)
    assert await desk.services.memory.find_open_conversation_or_chat_scope(garden) != garden
    assert await desk.services.memory.find_open_conversation_or_chat_scope(Scope(owner=FORUM)) == Scope(owner=FORUM)


async def test_forget_and_why_reach_a_message_of_an_earlier_conversation(desk: Desk) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    said = desk.peer.world.say(ANN, ANN, "The cellar key is 4711")
    await desk.updates()
    await tell(desk, "The cellar key is 4711", telegram_id=said["message_id"])
    await desk.say(ANN, ANN, "/new")
    await desk.say(ANN, ANN, "/forget", reply_to=said["message_id"])
    assert "4711" in desk.last(ANN)
    assert await press(desk, "Forget it") == "Forgotten."
    async with desk.services.memory.open_store_if_enabled(ANN) as store:
        assert store is not None
        assert await store.timeline.read_page(PLACE) == []
