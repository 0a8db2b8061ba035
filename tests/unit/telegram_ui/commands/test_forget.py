"""/forget as a person sees it: the question that says what goes, the receipt, and who may."""

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
from tests.support.talk import Talk
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, TOPIC, Desk


@pytest.fixture
async def desk(desk: Desk, talk: Talk) -> Desk:
    for owner in (ANN, GROUP, FORUM):
        await talk.services.memory.configure(owner, storage=StorageType.SQLITE, every_n=2)
    return desk


async def say(talk: Talk, text: str, *, owner: int = ANN, thread: int = 0, telegram_id: int | None = None) -> None:
    talk.moment[0] += timedelta(seconds=30)
    piece = IncomingPiece(text=text, source=f"1:{next(talk.updates)}", sent_at=talk.moment[0], telegram_id=telegram_id)
    scope = Scope(owner=owner, thread=thread)
    incoming = UserMessage(scope=scope, person=Person(id=ANN, name="Ann"), pieces=(piece,))
    assert not (await talk.conversation.reply(incoming)).is_error
    await talk.conversation.run_post_turn_tasks(scope)


async def contents(talk: Talk, owner: int = ANN, thread: int = 0) -> list[str]:
    async with talk.services.memory.open_store(owner) as store:
        return [message.content for message in await store.timeline.read_page(Scope(owner=owner, thread=thread))]


async def press(desk: Desk, label: str, *, chat: int = ANN, person: int = ANN) -> str | None:
    message, buttons = desk.buttons(chat)
    return await desk.press(person, chat, message, buttons[label])


async def test_a_message_that_was_replied_to_goes_with_its_answer(desk: Desk, talk: Talk) -> None:
    sent = desk.peer.world.say(ANN, ANN, "My PIN is heliotrope.")
    await desk.updates()
    await say(talk, "My PIN is heliotrope.", telegram_id=sent["message_id"])
    await say(talk, "Hello.")
    await desk.say(ANN, ANN, "/forget", reply_to=sent["message_id"])
    asked = desk.last(ANN)
    assert "“My PIN is heliotrope.”" in asked
    assert "2 messages, 1 summary" in asked
    assert await press(desk, "Forget question and answer") == "Forgotten."
    assert await contents(talk) == ["Hello.", "Understood."]
    told = desk.last(ANN)
    assert told.startswith("Forgotten: 2 messages, 1 summary. Nothing of it is left in the bot's files.")
    assert "backups" in told
    # The question, which quoted it, is gone from the chat.
    assert not any("heliotrope" in text for text in desk.peer.texts(ANN))


async def test_only_the_message_itself_if_so_wished(desk: Desk, talk: Talk) -> None:
    await say(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    await press(desk, "Only this message")
    assert await contents(talk) == ["Understood."]


async def test_another_button_of_an_answered_question_leaves_the_receipt(desk: Desk, talk: Talk) -> None:
    await say(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    question, buttons = desk.buttons(ANN)
    [only, both, _] = buttons
    await press(desk, only)
    receipt = desk.last(ANN)
    assert await desk.press(ANN, ANN, question, buttons[both]) == "You have pressed this already."
    assert desk.last(ANN) == receipt
    assert await contents(talk) == ["Understood."]


async def test_what_is_kept_is_kept(desk: Desk, talk: Talk) -> None:
    await say(talk, "My PIN is heliotrope.")
    await desk.say(ANN, ANN, "/forget everything")
    await press(desk, "Keep it")
    assert desk.last(ANN) == "Nothing was forgotten."
    assert len(await contents(talk)) == 2


async def test_everything_and_then_nothing_is_left_to_forget(desk: Desk, talk: Talk) -> None:
    for number in range(3):
        await say(talk, f"walrus {number}")
    await desk.say(ANN, ANN, "/tz Berlin")
    await desk.say(ANN, ANN, "/persona like a pirate")
    await desk.say(ANN, ANN, "/forget everything")
    assert "6 messages, 1 summary" in desk.last(ANN)
    assert "Your time zone, your own style and your wishes for summaries are erased, too." in desk.last(ANN)
    question, buttons = desk.buttons(ANN)
    await press(desk, "Forget everything")
    assert await contents(talk) == []
    assert await desk.press(ANN, ANN, question, buttons["Forget everything"]) == "You have pressed this already."
    assert desk.last(ANN).startswith("Forgotten: 6 messages, 1 summary"), "a double tap leaves the receipt"
    assert await talk.services.memory.is_memory_on(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert (config.timezone, config.persona_text) == ("", "")
    await desk.say(ANN, ANN, "/forget everything")
    assert desk.last(ANN) == "The bot's memory holds nothing of this."


async def test_days_go_where_their_owner_lives(desk: Desk, talk: Talk) -> None:
    scope = Scope(owner=ANN)
    midnight = talk.moment[0].replace(hour=0, minute=0, second=0)
    async with talk.services.memory.open_store(ANN) as store:
        for hours in (-1, 1, 23, 25):
            draft = NewMessage(role="user", content=f"{hours} h", created_at=midnight + timedelta(hours=hours))
            await store.append_messages(scope, [draft])
    await desk.say(ANN, ANN, f"/forget {midnight:%Y-%m-%d}")
    assert "2 messages" in desk.last(ANN)
    await press(desk, "Forget it")
    assert await contents(talk) == ["-1 h", "25 h"]
    await desk.say(ANN, ANN, "/forget 2026-02-30")
    assert desk.last(ANN) == "There is no such date. Write it like 3 June 2026."


async def test_what_a_search_finds_is_chosen_by_button(desk: Desk, talk: Talk) -> None:
    for text in ("The walrus sings.", "Tea, please.", "A walrus again."):
        await say(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    assert "#1 · " in desk.last(ANN)
    assert "#5 · " in desk.last(ANN)
    assert "Tea" not in desk.last(ANN)
    await press(desk, "#5")
    assert "“A walrus again.”" in desk.last(ANN)
    await press(desk, "Forget question and answer")
    assert "A walrus again." not in await contents(talk)
    assert "The walrus sings." in await contents(talk)
    await desk.say(ANN, ANN, "/forget zebra")
    assert "No message here has these words." in desk.last(ANN)


async def test_a_question_is_listed_although_its_answer_matches_better(desk: Desk, talk: Talk) -> None:
    """With the answer alone, what the person said would have stayed, next to a receipt."""
    talk.server.script("chat-model", "Walrus!")
    await say(talk, "By the way, the big grey walrus that we saw last May in Svalbard was called Bob.")
    await desk.say(ANN, ANN, "/forget walrus")
    assert "#1 · " in desk.last(ANN)
    assert "#2 · " not in desk.last(ANN)


@pytest.mark.parametrize("typed", ["IT", "us", "muller"])
async def test_a_word_that_is_no_term_beside_others_is_found(desk: Desk, talk: Talk, typed: str) -> None:
    for text in ("Müller kommt um 7, our US contact for IT.", "Tea with a bit of music, please."):
        await say(talk, text)
    await desk.say(ANN, ANN, f"/forget {typed}")
    assert "Müller" in desk.last(ANN)
    assert "Tea" not in desk.last(ANN)


@pytest.mark.parametrize(("label", "left"), [("Forget questions and answers", 2), ("Only these messages", 4)])
async def test_all_that_a_search_finds_may_go_at_once(desk: Desk, talk: Talk, label: str, left: int) -> None:
    for text in ("The walrus sings.", "Tea, please.", "A walrus again."):
        await say(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    await press(desk, "All 2")
    assert "Only these messages: 2 messages" in desk.last(ANN)
    assert "Forget questions and answers: 4 messages" in desk.last(ANN)
    await press(desk, label)
    found = await contents(talk)
    assert len(found) == left
    assert not any("walrus" in text for text in found)


async def test_a_list_of_an_earlier_run_is_not_known_any_more(desk: Desk, talk: Talk) -> None:
    for text in ("The walrus sings.", "A walrus again."):
        await say(talk, text)
    await desk.say(ANN, ANN, "/forget walrus")
    desk.restart()
    await press(desk, "All 2")
    assert "Please ask again" in desk.last(ANN)
    assert len(await contents(talk)) == 4


async def test_a_fact_goes_by_its_number(desk: Desk, talk: Talk) -> None:
    async with talk.services.memory.open_store(ANN) as store:
        at = talk.moment[0].isoformat()
        row = {"id": 3, "user_id": ANN, "text": "Ann likes tea.", "kind": "preference", "observed_at": at}
        async with store.database.open_transaction(ANN) as tx:
            await tx.execute(FACTS.upsert_sql, *FACTS.to_params({**FACTS.defaults, **row, "created_at": at}))
    await desk.say(ANN, ANN, "/forget fact 4")
    assert desk.last(ANN) == "The bot's memory holds nothing of this."
    await desk.say(ANN, ANN, "/forget fact 3")
    assert "“Ann likes tea.”" in desk.last(ANN)
    await press(desk, "Forget it")
    assert desk.last(ANN).startswith("Forgotten: 1 fact.")


async def test_the_bare_command_explains_and_offers(desk: Desk, talk: Talk) -> None:
    await say(talk, "walrus")
    await desk.say(ANN, ANN, "/forget")
    assert "reply to it with /forget" in desk.last(ANN)
    await press(desk, "Today")
    assert desk.last(ANN).startswith("Shall I forget this?\n\n21 November\n")
    await press(desk, "Forget it")
    assert await contents(talk) == []


async def test_a_reply_to_what_is_not_stored_says_so(desk: Desk) -> None:
    sent = desk.peer.world.say(ANN, ANN, "never stored")
    await desk.say(ANN, ANN, "/forget", reply_to=sent["message_id"])
    assert desk.last(ANN) == "The bot's memory holds nothing of this."


async def test_an_old_question_does_nothing_and_a_second_press_finds_nothing(desk: Desk, talk: Talk) -> None:
    await say(talk, "walrus")
    await desk.say(ANN, ANN, "/forget #1")
    message, buttons = desk.buttons(ANN)
    desk.pass_time(timedelta(minutes=12))
    assert "does nothing any more" in str(await press(desk, "Forget question and answer"))
    assert len(await contents(talk)) == 2
    await desk.say(ANN, ANN, "/forget #1")
    message, buttons = desk.buttons(ANN)
    await press(desk, "Forget question and answer")
    assert "already" in str(await desk.press(ANN, ANN, message, buttons["Forget question and answer"]))
    assert desk.last(ANN).startswith("Forgotten: 2 messages.")
    desk.restart()
    await desk.press(ANN, ANN, message, buttons["Forget question and answer"])
    assert desk.last(ANN) == "The bot's memory holds nothing of this."


async def tells_its_code_word(talk: Talk) -> None:
    await say(talk, "My code word is heliotrope.")
    for text in ("The code word was heliotrope.", "I said heliotrope."):
        talk.server.script("chat-model", Behaviour(text=text))
        await say(talk, "What is it?")


async def test_later_answers_that_quote_it_are_offered_with_it(desk: Desk, talk: Talk) -> None:
    await tells_its_code_word(talk)
    await desk.say(ANN, ANN, "/forget #1")
    asked = desk.last(ANN)
    assert "It is quoted in: 2 later answers." in asked
    assert "“I said heliotrope.”" in asked
    assert "Forget them too: 4 messages" in asked
    await press(desk, "Forget them too")
    assert desk.last(ANN).startswith("Forgotten: 4 messages, 1 summary. Nothing of it is left in the bot's files.")
    assert await contents(talk) == ["What is it?", "What is it?"]


async def test_the_receipt_says_what_stays(desk: Desk, talk: Talk) -> None:
    await tells_its_code_word(talk)
    await say(talk, "Is the heliotrope a flower?")
    await desk.say(ANN, ANN, "/forget #1")
    await press(desk, "Forget question and answer")
    told = desk.last(ANN)
    assert "Words of it stay in: 2 later answers, 1 message. /search finds them." in told
    assert "Nothing of it is left" not in told


async def test_an_answer_that_is_written_meanwhile_is_forgotten_as_well(desk: Desk, talk: Talk) -> None:
    await say(talk, "My code word is heliotrope.")
    await desk.say(ANN, ANN, "/forget #1")
    assert "quoted in" not in desk.last(ANN)
    talk.server.script("chat-model", Behaviour(text="It is heliotrope.", hold="start"))
    answering = asyncio.create_task(say(talk, "What is it?"))
    await talk.server.until_held()
    forgetting = asyncio.create_task(press(desk, "Forget question and answer"))
    await talk.server.release()
    await asyncio.gather(answering, forgetting)
    assert await contents(talk) == ["What is it?"]
    assert "Nothing of it is left in the bot's files." in desk.last(ANN)


async def test_imported_messages_are_forgotten_as_any_other(desk: Desk, talk: Talk) -> None:
    await say(talk, "Hello.")
    async with talk.services.memory.open_store(ANN) as store, store.database.open_transaction(ANN) as tx:
        await tx.execute("UPDATE messages SET id = id - 10, turn_id = turn_id - 10, content = content || ' walrus'")
        for row in await tx.fetch_rows("SELECT * FROM messages"):
            await tx.run(word_index.reindex_message, row["seq"], row)
    await desk.say(ANN, ANN, "/forget #-9")
    assert "“Hello. walrus”" in desk.last(ANN)
    await press(desk, "Keep it")
    await desk.say(ANN, ANN, "/forget walrus")
    assert list(desk.buttons(ANN)[1]) == ["#-9", "None of them"], "a question and its answer go by one button"
    await press(desk, "#-9")
    await press(desk, "Forget question and answer")
    assert desk.last(ANN).startswith("Forgotten: 2 messages")
    assert await contents(talk) == []


async def test_a_member_of_a_group_takes_back_their_own_words_alone(desk: Desk, talk: Talk) -> None:
    sent = [desk.peer.world.say(person, GROUP, "@keepsake_bot walrus") for person in (BOB, ANN)]
    await desk.updates()
    for message in sent:
        await say(talk, "walrus", owner=GROUP, telegram_id=message["message_id"])
    await desk.say(BOB, GROUP, "/forget #1")
    assert desk.last(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"
    await desk.say(BOB, GROUP, "/forget", reply_to=sent[1]["message_id"])
    assert desk.last(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"
    await desk.say(BOB, GROUP, "/forget", reply_to=sent[0]["message_id"])
    assert "Shall I forget this?" in desk.last(GROUP)
    assert await press(desk, "Forget question and answer", chat=GROUP, person=BOB) == "Forgotten."
    assert await contents(talk, GROUP) == ["walrus", "Understood."]


async def test_in_a_group_its_admins_alone_and_topics_apart(desk: Desk, talk: Talk) -> None:
    await say(talk, "walrus", owner=GROUP)
    await desk.say(BOB, GROUP, "/forget everything")
    assert desk.last(GROUP).startswith("Only the admins")
    await desk.say(ANN, GROUP, "/forget everything")
    assert "all of this group's memory" in desk.last(GROUP)
    assert await press(desk, "Forget everything", chat=GROUP, person=BOB) == "This button belongs to somebody else."
    await press(desk, "Forget everything", chat=GROUP)
    assert await contents(talk, GROUP) == []
    await say(talk, "walrus", owner=FORUM)
    await desk.say(ANN, FORUM, "/forget #1", thread_id=TOPIC)
    assert desk.last(FORUM) == "The bot's memory holds nothing of this."


def test_a_reply_to_a_message_of_the_group_that_was_upgraded_names_none_of_todays() -> None:
    """Ids of the old group and of the supergroup have nothing to do with each other."""
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
async def test_who_replies_to_a_message_from_before_the_upgrade_is_told_what_to_do_instead(
    desk: Desk, talk: Talk, person: int
) -> None:
    """The stored message of the same number is another one."""
    await say(talk, "walrus", owner=GROUP, telegram_id=5)
    desk.peer.world.say(person, GROUP, "/forget")
    *_, pending = desk.peer.world.updates.list_pending()
    message = pending["message"]
    before = {"id": -77, "type": "group", "title": "Picnic"}
    message["reply_to_message"] = {"message_id": 5, "date": 1, "text": "seal", "from": message["from"], "chat": before}
    *_, update = await desk.updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    await desk.commands.run_command_and_send_reply(
        "forget", ChatEvent(update=update, chat=parsed.chat, person=parsed.person)
    )
    assert desk.last(GROUP) == tr("forget-former")
    assert "walrus" in await contents(talk, GROUP)


async def test_what_a_model_offers_to_forget_is_asked_as_if_it_had_been_written(desk: Desk, talk: Talk) -> None:
    await say(talk, "My PIN is heliotrope.")
    ann, offered = Person(id=ANN, name="Ann"), Proposal(kind="command", text="/forget heliotrope")
    before = await contents(talk)
    await proposals.ask_about_proposal(desk.commands.dependencies, Chat(id=ANN), ann, offered)
    offer = desk.last(ANN)
    await desk.say(ANN, ANN, offered.text)
    assert offer == desk.last(ANN)
    assert "heliotrope" in offer
    assert await contents(talk) == before
    number = next(label for label in desk.buttons(ANN)[1] if label.startswith("#"))
    await press(desk, number)
    assert await contents(talk) == before
    await press(desk, "Forget question and answer")
    assert await contents(talk) == []


async def test_what_a_model_offers_is_not_for_who_may_not_forget(desk: Desk, talk: Talk) -> None:
    await say(talk, "The picnic is on Sunday.", owner=GROUP)
    offered = Proposal(kind="command", text="/forget everything")
    chat = Chat(id=GROUP, is_private=False)
    await proposals.ask_about_proposal(desk.commands.dependencies, chat, Person(id=BOB, name="Bob"), offered)
    assert desk.last(GROUP) == f"{tr('shared-admins-only')} {tr('forget-members')}"


async def test_facts_with_the_words_are_offered_by_their_text(desk: Desk, talk: Talk) -> None:
    await say(talk, "Tea for Clara, please.")
    await desk.say(ANN, ANN, "/memory add Clara likes figs")
    await desk.say(ANN, ANN, "/memory add The harbour freezes")
    await desk.say(ANN, ANN, "/forget Clara")
    assert "#1 · " in desk.last(ANN)
    assert "“Clara likes figs”" in desk.last(ANN)
    assert "harbour" not in desk.last(ANN)
    await desk.say(ANN, ANN, "/memory delete 1")
    await desk.say(ANN, ANN, "/memory add Clara likes figs")
    await desk.say(ANN, ANN, "/forget figs")
    assert "1 · “Clara likes figs”\n3 · “Clara likes figs”" in desk.last(ANN), "told apart by their numbers"
    await press(desk, "1 · “Clara likes figs”")
    await press(desk, "Forget it")
    await desk.say(ANN, ANN, "/forget figs")
    await press(desk, "3 · “Clara likes figs”")
    await press(desk, "Forget it")
    assert desk.last(ANN).startswith("Forgotten: 1 fact.")
    async with talk.services.memory.open_store(ANN) as store:
        assert [fact.text for fact in await store.facts.list_all_facts(ANN)] == ["The harbour freezes"]


async def test_an_edited_message_is_found_by_its_old_words_and_listed_with_them(desk: Desk, talk: Talk) -> None:
    await say(talk, "Call me on 5550199.", telegram_id=77)
    scope = Scope(owner=ANN)
    async with talk.services.memory.open_store(ANN) as store:
        await store.forgetting.replace_message_text_if_changed(
            scope, 1, "Call me on 5550142.", reason="edited", now=talk.moment[0]
        )
    await desk.say(ANN, ANN, "/forget 5550199")
    assert "“Call me on 5550199.”" in desk.last(ANN)
    await press(desk, "#1")
    await press(desk, "Forget question and answer")
    assert "1 earlier version" in desk.last(ANN)
    async with talk.services.memory.open_store(ANN) as store:
        assert not await store.search_previous_versions(scope, ["5550199"])
    assert await contents(talk) == []


async def test_the_question_lists_what_goes_by_its_text(desk: Desk, talk: Talk) -> None:
    for number in range(4):
        await say(talk, f"Walrus number {number} sings.")
    async with talk.services.memory.open_store(ANN) as store:
        [summary, *_] = await store.list_summaries(Scope(owner=ANN))
    await desk.say(ANN, ANN, "/forget today")
    asked = desk.last(ANN)
    assert "“Walrus number 0 sings.”" in asked
    assert "and 5 more" in asked
    assert summary.text.split()[0] in asked.partition("and 5 more")[2]
    assert len(asked) < telegram.constants.MessageLimit.MAX_TEXT_LENGTH
