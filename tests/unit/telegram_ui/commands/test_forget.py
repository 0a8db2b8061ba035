"""Tests of /forget: the confirmation, the receipt, search, and permissions."""

import asyncio
from datetime import timedelta

import pytest
import telegram

from locales.catalog import tr
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import IncomingPiece, Proposal, UserMessage
from storage.schema.portable_tables import FACTS
from storage.search import word_index
from telegram_ui.commands import proposals
from telegram_ui.commands.command_group import ChatEvent
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.parsing import parse_update
from tests.peers.openai_server import Behaviour
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, TOPIC, Desk


@pytest.fixture
async def desk(desk: Desk, talk: ChatHarness) -> Desk:
    for owner in (ANN, GROUP, FORUM):
        await talk.services.memory.configure(owner, storage=StorageType.SQLITE, every_n=2)
    return desk


async def run_turn(
    talk: ChatHarness, text: str, *, owner: int = ANN, thread: int = 0, telegram_id: int | None = None
) -> None:
    talk.moment[0] += timedelta(seconds=30)
    piece = IncomingPiece(text=text, source=f"1:{next(talk.updates)}", sent_at=talk.moment[0], telegram_id=telegram_id)
    scope = Scope(owner=owner, thread=thread)
    incoming = UserMessage(scope=scope, person=Person(id=ANN, name="Ann"), pieces=(piece,))
    assert not (await talk.conversation.reply(incoming)).is_error
    await talk.conversation.run_post_turn_tasks(scope)


async def list_stored_texts(talk: ChatHarness, owner: int = ANN, thread: int = 0) -> list[str]:
    async with talk.services.memory.open_store(owner) as store:
        return [message.content for message in await store.timeline.read_page(Scope(owner=owner, thread=thread))]


async def press_button(desk: Desk, label: str, *, chat: int = ANN, person: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(person, chat, message, buttons[label])


async def test_forget_by_reply_erases_question_and_answer(desk: Desk, talk: ChatHarness) -> None:
    sent = desk.peer.world.say(ANN, ANN, "My PIN is heliotrope.")
    await desk.fetch_updates()
    await run_turn(talk, "My PIN is heliotrope.", telegram_id=sent["message_id"])
    await run_turn(talk, "Hello.")
    await desk.say(ANN, ANN, "/forget", reply_to=sent["message_id"])
    asked = desk.get_last_text(ANN)
    assert "“My PIN is heliotrope.”" in asked
    assert "2 messages, 1 summary" in asked
    assert await press_button(desk, "Forget question and answer") == "Forgotten."
    assert await list_stored_texts(talk) == ["Hello.", "Understood."]
    told = desk.get_last_text(ANN)
    assert told.startswith("Forgotten: 2 messages, 1 summary. Nothing of it is left in the bot's files.")
    assert "backups" in told
    # The question, which quoted it, is gone from the chat.
    assert not any("heliotrope" in text for text in desk.peer.list_bot_texts(ANN))


async def test_forget_only_this_message_keeps_answer(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    await press_button(desk, "Only this message")
    assert await list_stored_texts(talk) == ["Understood."]


async def test_second_button_of_answered_question_keeps_receipt(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    question, buttons = desk.find_newest_buttons(ANN)
    [only, both, _] = buttons
    await press_button(desk, only)
    receipt = desk.get_last_text(ANN)
    assert await desk.press_button(ANN, ANN, question, buttons[both]) == "You have pressed this already."
    assert desk.get_last_text(ANN) == receipt
    assert await list_stored_texts(talk) == ["Understood."]


async def test_keep_button_forgets_nothing(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget everything")
    await press_button(desk, "Keep it")
    assert desk.get_last_text(ANN) == "Nothing was forgotten."
    assert len(await list_stored_texts(talk)) == 2


async def test_forget_everything_clears_messages_and_personal_settings(desk: Desk, talk: ChatHarness) -> None:
    for number in range(3):
        await run_turn(talk, f"walrus {number}")
    await desk.say(ANN, ANN, "/tz Berlin")
    await desk.say(ANN, ANN, "/persona like a pirate")
    await desk.say(ANN, ANN, "/forget everything")
    assert "6 messages, 1 summary" in desk.get_last_text(ANN)
    assert "\nTime zone, own style and wishes for summaries are erased, too." in desk.get_last_text(ANN)
    question, buttons = desk.find_newest_buttons(ANN)
    await press_button(desk, "Forget everything")
    assert await list_stored_texts(talk) == []
    assert await desk.press_button(ANN, ANN, question, buttons["Forget everything"]) == "You have pressed this already."
    assert desk.get_last_text(ANN).startswith("Forgotten: 6 messages, 1 summary"), "a double tap leaves the receipt"
    assert await talk.services.memory.is_memory_on(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert (config.timezone, config.persona_text) == ("", "")
    await desk.say(ANN, ANN, "/forget everything")
    assert desk.get_last_text(ANN) == "The bot's memory holds nothing of this."


async def test_forget_day_erases_only_messages_of_that_day(desk: Desk, talk: ChatHarness) -> None:
    scope = Scope(owner=ANN)
    midnight = talk.moment[0].replace(hour=0, minute=0, second=0)
    async with talk.services.memory.open_store(ANN) as store:
        for hours in (-1, 1, 23, 25):
            draft = NewMessage(role="user", content=f"{hours} h", created_at=midnight + timedelta(hours=hours))
            await store.append_messages(scope, [draft])
    await desk.say(ANN, ANN, f"/forget {midnight:%Y-%m-%d}")
    assert "2 messages" in desk.get_last_text(ANN)
    await press_button(desk, "Forget it")
    assert await list_stored_texts(talk) == ["-1 h", "25 h"]
    await desk.say(ANN, ANN, "/forget 2026-02-30")
    assert desk.get_last_text(ANN) == "There is no such date. Write it like 3 June 2026."


async def test_day_without_messages_is_searched_as_words(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "The concert in Vienna is on 12 December at eight.")
    await run_turn(talk, "Buy 12 eggs, and in December also candles.")
    await desk.say(ANN, ANN, "/forget 12 December")
    assert "The concert in Vienna is on 12 December at eight." in desk.get_last_text(ANN)
    assert "eggs" not in desk.get_last_text(ANN), "it has both words, but not the date"
    await desk.say(ANN, ANN, "/forget 13 December")
    assert desk.get_last_text(ANN) == "The bot's memory holds nothing of this."


async def test_forget_search_offers_found_messages_as_buttons(desk: Desk, talk: ChatHarness) -> None:
    for text in ("The walrus sings.", "Tea, please.", "A walrus again."):
        await run_turn(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    assert "#1 · " in desk.get_last_text(ANN)
    assert "#5 · " in desk.get_last_text(ANN)
    assert "Tea" not in desk.get_last_text(ANN)
    await press_button(desk, "#5")
    assert "“A walrus again.”" in desk.get_last_text(ANN)
    await press_button(desk, "Forget question and answer")
    assert "A walrus again." not in await list_stored_texts(talk)
    assert "The walrus sings." in await list_stored_texts(talk)
    await desk.say(ANN, ANN, "/forget zebra")
    assert "No message here has these words." in desk.get_last_text(ANN)


async def test_forget_search_lists_question_when_answer_matches_better(desk: Desk, talk: ChatHarness) -> None:
    """If only the answer were listed, the person's message would stay although a receipt says otherwise."""
    talk.server.script("chat-model", "Walrus!")
    await run_turn(talk, "By the way, the big grey walrus that we saw last May in Svalbard was called Bob.")
    await desk.say(ANN, ANN, "/forget walrus")
    assert "#1 · " in desk.get_last_text(ANN)
    assert "#2 · " not in desk.get_last_text(ANN)


@pytest.mark.parametrize("typed", ["IT", "us", "muller"])
async def test_forget_search_finds_words_that_are_not_index_terms(desk: Desk, talk: ChatHarness, typed: str) -> None:
    for text in ("Müller kommt um 7, our US contact for IT.", "Tea with a bit of music, please."):
        await run_turn(talk, text)
    await desk.say(ANN, ANN, f"/forget {typed}")
    assert "Müller" in desk.get_last_text(ANN)
    assert "Tea" not in desk.get_last_text(ANN)


@pytest.mark.parametrize(("label", "left"), [("Forget questions and answers", 2), ("Only these messages", 4)])
async def test_all_found_messages_can_be_forgotten_at_once(
    desk: Desk, talk: ChatHarness, label: str, left: int
) -> None:
    for text in ("The walrus sings.", "Tea, please.", "A walrus again."):
        await run_turn(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    await press_button(desk, "All 2")
    assert "Only these messages: 2 messages" in desk.get_last_text(ANN)
    assert "Forget questions and answers: 4 messages" in desk.get_last_text(ANN)
    await press_button(desk, label)
    found = await list_stored_texts(talk)
    assert len(found) == left
    assert not any("walrus" in text for text in found)


async def test_forget_search_list_is_unknown_after_restart(desk: Desk, talk: ChatHarness) -> None:
    for text in ("The walrus sings.", "A walrus again."):
        await run_turn(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    desk.restart()
    await press_button(desk, "All 2")
    assert "Please ask again" in desk.get_last_text(ANN)
    assert len(await list_stored_texts(talk)) == 4


async def test_forget_fact_by_number(desk: Desk, talk: ChatHarness) -> None:
    async with talk.services.memory.open_store(ANN) as store:
        at = talk.moment[0].isoformat()
        row = {"id": 3, "user_id": ANN, "text": "Ann likes tea.", "kind": "preference", "observed_at": at}
        async with store.database.open_transaction(ANN) as tx:
            await tx.execute(FACTS.upsert_sql, *FACTS.to_params({**FACTS.defaults, **row, "created_at": at}))
    await desk.say(ANN, ANN, "/forget fact 4")
    assert desk.get_last_text(ANN) == "The bot's memory holds nothing of this."
    await desk.say(ANN, ANN, "/forget fact 3")
    assert "“Ann likes tea.”" in desk.get_last_text(ANN)
    await press_button(desk, "Forget it")
    assert desk.get_last_text(ANN).startswith("Forgotten: 1 fact.")


async def test_forget_without_argument_explains_and_offers_today(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "walrus")
    await desk.say(ANN, ANN, "/forget")
    assert "reply to it with /forget" in desk.get_last_text(ANN)
    await press_button(desk, "Today")
    assert desk.get_last_text(ANN).startswith("Shall I forget this?\n\n21 November\n")
    await press_button(desk, "Forget it")
    assert await list_stored_texts(talk) == []


async def test_forget_by_reply_reports_unstored_message(desk: Desk) -> None:
    sent = desk.peer.world.say(ANN, ANN, "never stored")
    await desk.say(ANN, ANN, "/forget", reply_to=sent["message_id"])
    assert desk.get_last_text(ANN) == "The bot's memory holds nothing of this."


async def test_forget_button_expires_and_does_not_act_twice(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "walrus")
    await desk.say(ANN, ANN, "/forget #1")
    message, buttons = desk.find_newest_buttons(ANN)
    desk.pass_time(timedelta(minutes=12))
    assert "does nothing any more" in str(await press_button(desk, "Forget question and answer"))
    assert len(await list_stored_texts(talk)) == 2
    await desk.say(ANN, ANN, "/forget #1")
    message, buttons = desk.find_newest_buttons(ANN)
    await press_button(desk, "Forget question and answer")
    assert "already" in str(await desk.press_button(ANN, ANN, message, buttons["Forget question and answer"]))
    assert desk.get_last_text(ANN).startswith("Forgotten: 2 messages.")
    desk.restart()
    await desk.press_button(ANN, ANN, message, buttons["Forget question and answer"])
    assert desk.get_last_text(ANN) == "The bot's memory holds nothing of this."


async def run_turns_quoting_code_word(talk: ChatHarness) -> None:
    await run_turn(talk, "My code word is heliotrope.")
    for text in ("The code word was heliotrope.", "I said heliotrope."):
        talk.server.script("chat-model", Behaviour(text=text))
        await run_turn(talk, "What is it?")


async def test_forget_offers_later_answers_that_quote_message(desk: Desk, talk: ChatHarness) -> None:
    await run_turns_quoting_code_word(talk)
    await desk.say(ANN, ANN, "/forget #1")
    asked = desk.get_last_text(ANN)
    assert "It is quoted in: 2 later answers." in asked
    assert "“I said heliotrope.”" in asked
    assert "Forget them too: 4 messages" in asked
    await press_button(desk, "Forget them too")
    assert desk.get_last_text(ANN).startswith(
        "Forgotten: 4 messages, 1 summary. Nothing of it is left in the bot's files."
    )
    assert await list_stored_texts(talk) == ["What is it?", "What is it?"]


async def test_forget_receipt_lists_remaining_mentions(desk: Desk, talk: ChatHarness) -> None:
    await run_turns_quoting_code_word(talk)
    await run_turn(talk, "Is the heliotrope a flower?")
    await desk.say(ANN, ANN, "/forget #1")
    await press_button(desk, "Forget question and answer")
    told = desk.get_last_text(ANN)
    assert "Words of it stay in: 2 later answers, 1 message. /search finds them." in told
    assert "Nothing of it is left" not in told


async def test_forget_includes_quoting_answer_still_being_written(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "My code word is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    assert "quoted in" not in desk.get_last_text(ANN)
    talk.server.script("chat-model", Behaviour(text="It is heliotrope.", hold="start"))
    answering = asyncio.create_task(run_turn(talk, "What is it?"))
    await talk.server.wait_until_held()
    forgetting = asyncio.create_task(press_button(desk, "Forget question and answer"))
    await talk.server.release()
    await asyncio.gather(answering, forgetting)
    assert await list_stored_texts(talk) == ["What is it?"]
    assert "Nothing of it is left in the bot's files." in desk.get_last_text(ANN)


async def test_forget_works_for_imported_messages(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "Hello.")
    async with talk.services.memory.open_store(ANN) as store, store.database.open_transaction(ANN) as tx:
        await tx.execute("UPDATE messages SET id = id - 10, turn_id = turn_id - 10, content = content || ' walrus'")
        for row in await tx.fetch_rows("SELECT * FROM messages"):
            await tx.run(word_index.reindex_message, row["seq"], row)
    await desk.say(ANN, ANN, "/forget #-9")
    assert "“Hello. walrus”" in desk.get_last_text(ANN)
    await press_button(desk, "Keep it")
    await desk.say(ANN, ANN, "/forget walrus")
    assert list(desk.find_newest_buttons(ANN)[1]) == ["#-9", "None of them"], (
        "a question and its answer go by one button"
    )
    await press_button(desk, "#-9")
    await press_button(desk, "Forget question and answer")
    assert desk.get_last_text(ANN).startswith("Forgotten: 2 messages")
    assert await list_stored_texts(talk) == []


async def test_group_member_may_forget_only_own_messages(desk: Desk, talk: ChatHarness) -> None:
    sent = [desk.peer.world.say(person, GROUP, "@keepsake_bot walrus") for person in (BOB, ANN)]
    await desk.fetch_updates()
    for message in sent:
        await run_turn(talk, "walrus", owner=GROUP, telegram_id=message["message_id"])
    await desk.say(BOB, GROUP, "/forget #1")
    assert desk.get_last_text(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"
    await desk.say(BOB, GROUP, "/forget", reply_to=sent[1]["message_id"])
    assert desk.get_last_text(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"
    await desk.say(BOB, GROUP, "/forget", reply_to=sent[0]["message_id"])
    assert "Shall I forget this?" in desk.get_last_text(GROUP)
    assert await press_button(desk, "Forget question and answer", chat=GROUP, person=BOB) == "Forgotten."
    assert await list_stored_texts(talk, GROUP) == ["walrus", "Understood."]


async def test_group_forget_needs_admin_and_is_separate_per_topic(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "walrus", owner=GROUP)
    await desk.say(BOB, GROUP, "/forget everything")
    assert desk.get_last_text(GROUP).startswith("Only the admins")
    await desk.say(ANN, GROUP, "/forget everything")
    assert "all of this group's memory" in desk.get_last_text(GROUP)
    assert (
        await press_button(desk, "Forget everything", chat=GROUP, person=BOB) == "This button belongs to somebody else."
    )
    await press_button(desk, "Forget everything", chat=GROUP)
    assert await list_stored_texts(talk, GROUP) == []
    await run_turn(talk, "walrus", owner=FORUM)
    await desk.say(ANN, FORUM, "/forget #1", thread_id=TOPIC)
    assert desk.get_last_text(FORUM) == "The bot's memory holds nothing of this."


def test_replied_message_id_is_none_for_message_of_former_group() -> None:
    """The ids of messages in the former group and in the supergroup are unrelated."""
    chat = {"id": GROUP, "type": "supergroup", "title": "House"}
    replied: dict[str, object] = {"message_id": 5, "date": 1, "text": "walrus"}
    message = {"message_id": 9, "date": 2, "chat": chat, "text": "/forget", "reply_to_message": replied}

    def names(chat_id: int) -> int | None:
        replied["chat"] = {**chat, "id": chat_id}
        update = telegram.Update.de_json({"update_id": 1, "message": message}, None)
        return ChatEvent(
            update=update, chat=Chat(id=GROUP, is_private=False), person=Person(id=BOB, name="Bob")
        ).replied_message_id

    assert names(GROUP) == 5
    assert names(-77) is None


@pytest.mark.parametrize("person", [ANN, BOB])
async def test_forget_by_reply_to_former_group_message_explains_alternative(
    desk: Desk, talk: ChatHarness, person: int
) -> None:
    """The supergroup has another message with the same id."""
    await run_turn(talk, "walrus", owner=GROUP, telegram_id=5)
    desk.peer.world.say(person, GROUP, "/forget")
    *_, pending = desk.peer.world.updates.list_pending()
    message = pending["message"]
    before = {"id": -77, "type": "group", "title": "Picnic"}
    message["reply_to_message"] = {"message_id": 5, "date": 1, "text": "seal", "from": message["from"], "chat": before}
    *_, update = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    await desk.commands.run_command_and_send_reply(
        "forget", ChatEvent(update=update, chat=parsed.chat, person=parsed.person)
    )
    assert desk.get_last_text(GROUP) == tr("forget-former")
    assert "walrus" in await list_stored_texts(talk, GROUP)


async def test_proposed_forget_asks_same_question_as_typed_command(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "My PIN is heliotrope.")
    ann, offered = Person(id=ANN, name="Ann"), Proposal(kind="command", text="/forget heliotrope")
    before = await list_stored_texts(talk)
    await proposals.ask_about_proposal(desk.commands.dependencies, Chat(id=ANN), ann, offered)
    offer = desk.get_last_text(ANN)
    await desk.say(ANN, ANN, offered.text)
    assert offer == desk.get_last_text(ANN)
    assert "heliotrope" in offer
    assert await list_stored_texts(talk) == before
    number = next(label for label in desk.find_newest_buttons(ANN)[1] if label.startswith("#"))
    await press_button(desk, number)
    assert await list_stored_texts(talk) == before
    await press_button(desk, "Forget question and answer")
    assert await list_stored_texts(talk) == []


async def test_proposed_forget_is_refused_for_non_admin(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "The picnic is on Sunday.", owner=GROUP)
    offered = Proposal(kind="command", text="/forget everything")
    chat = Chat(id=GROUP, is_private=False)
    await proposals.ask_about_proposal(desk.commands.dependencies, chat, Person(id=BOB, name="Bob"), offered)
    assert desk.get_last_text(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"


async def test_forget_search_offers_matching_facts(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "Tea for Clara, please.")
    await desk.say(ANN, ANN, "/memory add Clara likes figs")
    await desk.say(ANN, ANN, "/memory add The harbour freezes")
    await desk.say(ANN, ANN, "/forget Clara")
    assert "#1 · " in desk.get_last_text(ANN)
    assert "“Clara likes figs”" in desk.get_last_text(ANN)
    assert "harbour" not in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory delete 1")
    await desk.say(ANN, ANN, "/memory add Clara likes figs")
    await desk.say(ANN, ANN, "/forget figs")
    assert "1 · “Clara likes figs”\n3 · “Clara likes figs”" in desk.get_last_text(ANN), "told apart by their numbers"
    await press_button(desk, "1 · “Clara likes figs”")
    await press_button(desk, "Forget it")
    await desk.say(ANN, ANN, "/forget figs")
    await press_button(desk, "3 · “Clara likes figs”")
    await press_button(desk, "Forget it")
    assert desk.get_last_text(ANN).startswith("Forgotten: 1 fact.")
    async with talk.services.memory.open_store(ANN) as store:
        assert [fact.text for fact in await store.facts.list_all_facts(ANN)] == ["The harbour freezes"]


async def test_forget_search_finds_edited_message_by_previous_text(desk: Desk, talk: ChatHarness) -> None:
    await run_turn(talk, "Call me on 5550199.", telegram_id=77)
    scope = Scope(owner=ANN)
    async with talk.services.memory.open_store(ANN) as store:
        await store.forgetting.replace_message_text_if_changed(
            scope, 1, "Call me on 5550142.", reason="edited", now=talk.moment[0]
        )
    await desk.say(ANN, ANN, "/forget 5550199")
    assert "“Call me on 5550199.”" in desk.get_last_text(ANN)
    await press_button(desk, "#1")
    await press_button(desk, "Forget question and answer")
    assert "1 earlier version" in desk.get_last_text(ANN)
    async with talk.services.memory.open_store(ANN) as store:
        assert not await store.search_previous_versions(scope, ["5550199"])
    assert await list_stored_texts(talk) == []


async def test_forget_question_previews_affected_texts(desk: Desk, talk: ChatHarness) -> None:
    for number in range(4):
        await run_turn(talk, f"Walrus number {number} sings.")
    async with talk.services.memory.open_store(ANN) as store:
        [summary, *_] = await store.list_summaries(Scope(owner=ANN))
    await desk.say(ANN, ANN, "/forget today")
    asked = desk.get_last_text(ANN)
    assert "“Walrus number 0 sings.”" in asked
    assert "and 5 more" in asked
    assert summary.text.split()[0] in asked.partition("and 5 more")[2]
    assert len(asked) < telegram.constants.MessageLimit.MAX_TEXT_LENGTH
