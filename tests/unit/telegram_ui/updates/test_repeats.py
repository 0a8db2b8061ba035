"""Tests of the [Try again] button under error messages, over real HTTP."""

import gc
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from llm.speech import Transcriber
from playground.refusals import Json
from records.errors import DocumentUnreadable, ModelBusy, QuotaExceeded, StorageError
from records.scopes import Person
from records.turns import Proposal
from settings import Secret
from telegram_ui.commands import proposals
from telegram_ui.commands.buttons import AGAIN, Buttons, parse_button_kind
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.updates.parsing import ParsedUpdate
from tests.peers.openai_server import Behaviour, run_openai_server
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import ANN, BOB, GROUP, TOKEN, Bots, Peer
from tests.unit.telegram_ui.updates.test_dispatch import VisionModel


def list_buttons(message: Json) -> list[Json]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [cell for row in rows for cell in row]


async def wait_for_shown_message(peer: Peer, words: str, chat: int) -> Json:
    """Wait for a message that contains the words, and return its current state."""
    call = await peer.wait_for_message(words, chat)
    shown: Json = peer.world.messages[chat][call["answer"]["result"]["message_id"]]
    return shown


def press_try_again(peer: Peer, person: int, message: Json) -> str:
    [button] = list_buttons(message)
    assert button["text"] == "Try again"
    return peer.world.press_button(person, message["chat"]["id"], message["message_id"], button["callback_data"])


@pytest.mark.parametrize("place", [ANN, GROUP])
async def test_failed_command_is_repeated_by_button(bots: Bots, peer: Peer, place: int) -> None:
    async with bots.run_service():
        assert bots.toys
        bots.toys.errors = [ModelBusy(), RuntimeError("of whatever kind")]
        asked = peer.world.say(ANN, place, "/help me")
        said = await wait_for_shown_message(peer, "went wrong", place)
        assert said["reply_to_message"]["message_id"] == asked["message_id"]
        press_try_again(peer, ANN, said)
        again = await wait_for_shown_message(peer, "is busy", place)
        press_try_again(peer, ANN, again)
        press_try_again(peer, ANN, again)  # a double tap
        await peer.wait_for_message("did help me", place)
        await peer.wait_for_call("answerCallbackQuery", containing="already")
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
        assert not any(map(list_buttons, peer.world.messages[place].values()))
    assert [text for text in peer.list_bot_texts(place) if text.startswith("did")] == ["did help me"]


async def test_retry_button_of_another_person_does_nothing(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        bots.toys.errors = [ModelBusy()]
        peer.world.say(ANN, GROUP, "/help me")
        said = await wait_for_shown_message(peer, "is busy", GROUP)
        press_try_again(peer, BOB, said)
        await peer.wait_for_call("answerCallbackQuery", containing="somebody else")
        # Whoever makes Telegram send the same data as Ann's, under a reply to a message that is not hers.
        hers = list_buttons(said)[0]["callback_data"]
        theirs = peer.world.say(BOB, GROUP, "/help bob")
        done = await wait_for_shown_message(peer, "did help bob", GROUP)
        assert done["reply_to_message"]["message_id"] == theirs["message_id"]
    async with bots.run_service():  # what Telegram sends along is all there is
        peer.world.press_button(ANN, GROUP, done["message_id"], hers)
        await peer.wait_for_call("editMessageText", containing="Please send it again", chat=GROUP)
        await wait_for_queued_jobs()
    assert not any(text.startswith("did") for text in peer.list_bot_texts(GROUP))


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_admin_can_retry_failed_command_of_anonymous_admin(bots: Bots, peer: Peer, *, is_restarted: bool) -> None:
    """Anonymous admins write under one shared sender id, but press buttons under their own id."""
    sender: Json = {"id": ANONYMOUS_ADMIN, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    words = {"text": "/help me", "sender_chat": {"id": GROUP, "type": "supergroup", "title": "Picnic"}}
    command = {"entities": [{"type": "bot_command", "offset": 0, "length": len("/help")}]}
    bots.settings = replace(bots.settings, allowed_user_ids=frozenset({ANN, BOB, ANONYMOUS_ADMIN}))
    async with AsyncExitStack() as running:
        await running.enter_async_context(bots.run_service())
        assert bots.toys
        bots.toys.errors = [StorageError()]
        peer.world.updates.add("message", peer.world.post_message(GROUP, sender, words | command))
        said = await wait_for_shown_message(peer, "(error ", GROUP)
        if is_restarted:
            await running.aclose()
            await running.enter_async_context(bots.run_service())
        press_try_again(peer, BOB, said)
        await peer.wait_for_call("answerCallbackQuery", containing="somebody else")
        press_try_again(peer, ANN, said)
        await peer.wait_for_message("did help me", GROUP)


@pytest.mark.parametrize("error", [QuotaExceeded(), DocumentUnreadable()], ids=lambda value: type(value).__name__)
async def test_permanent_failure_has_no_retry_button(bots: Bots, peer: Peer, error: Exception) -> None:
    async with bots.run_service():
        assert bots.toys
        bots.toys.errors = [error]
        peer.world.say(ANN, ANN, "/help me")
        assert list_buttons(await wait_for_shown_message(peer, "(error ", ANN)) == []


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_retried_command_keeps_replied_message_or_is_refused_after_restart(
    bots: Bots, peer: Peer, *, is_restarted: bool
) -> None:
    """A button press does not contain the message to which the command replied. Only this process knows it."""
    async with AsyncExitStack() as running:
        await running.enter_async_context(bots.run_service())
        assert bots.toys
        bots.toys.errors = [ModelBusy()]
        earlier = peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        peer.world.say(ANN, ANN, "/help this", reply_to=earlier["message_id"])
        said = await wait_for_shown_message(peer, "is busy", ANN)
        if is_restarted:
            await running.aclose()
            await running.enter_async_context(bots.run_service())
        press_try_again(peer, ANN, said)
        if is_restarted:
            await peer.wait_for_call("editMessageText", containing="Please send it again", chat=ANN)
        else:
            await peer.wait_for_message(f"did help with {earlier['message_id']}", ANN)


async def test_failed_button_press_can_be_retried(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        bots.toys.errors = [ModelBusy(), RuntimeError("of whatever kind")]
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        ann = Person(id=ANN, name="Ann")
        data = Buttons(TOKEN.encode()).make_signed_callback_data("toy", Chat(id=ANN), ann, "7")
        keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Do it", callback_data=data)]])
        await bots.dependencies.delivery.send_text(Chat(id=ANN), "Shall I?", keyboard=keyboard)
        question = await wait_for_shown_message(peer, "Shall I?", ANN)
        peer.world.press_button(ANN, ANN, question["message_id"], data)
        said = await wait_for_shown_message(peer, "went wrong", ANN)
        assert said["reply_to_message"]["message_id"] == question["message_id"]
        press_try_again(peer, ANN, said)
        press_try_again(peer, ANN, await wait_for_shown_message(peer, "is busy", ANN))
        await peer.wait_for_call("editMessageText", containing="did press 7 under Shall I?", chat=ANN)
        await peer.wait_for_call("answerCallbackQuery", containing="pressed")
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
        assert not any(map(list_buttons, peer.world.messages[ANN].values()))


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_retried_paste_is_one_turn_or_is_refused_after_restart(
    bots: Bots, peer: Peer, *, is_restarted: bool
) -> None:
    first, second = "x" * 4_096, "and the rest"
    bots.conversation.errors_by_text[first + second] = RuntimeError("of whatever kind")
    async with AsyncExitStack() as running:
        await running.enter_async_context(bots.run_service())
        peer.world.say(ANN, ANN, first)
        peer.world.say(ANN, ANN, second)
        said = await wait_for_shown_message(peer, "went wrong", ANN)
        del bots.conversation.errors_by_text[first + second]
        if is_restarted:
            await running.aclose()
            await running.enter_async_context(bots.run_service())
        press_try_again(peer, ANN, said)
        if is_restarted:
            await peer.wait_for_call("editMessageText", containing="Please send it again", chat=ANN)
        else:
            await peer.wait_for_message("echo xxx", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    turns = bots.conversation.turns
    assert (
        len(turns) == 1
        if is_restarted
        else [piece.source for piece in turns[0].pieces] == [piece.source for piece in turns[1].pieces]
    )


async def test_retried_album_is_one_turn(bots: Bots, peer: Peer) -> None:
    bots.model = VisionModel()
    text = "my trip\n[Sent with a photo]\n[Sent a photo]\n[Sent a photo]"
    bots.conversation.errors_by_text[text] = RuntimeError("of whatever kind")
    async with bots.run_service():
        for number, caption in enumerate(["my trip", "", ""]):
            name, data = f"{number}.jpg", b"%d" % number
            peer.world.send_file(ANN, ANN, kind="photo", name=name, data=data, caption=caption, album="13")
        said = await wait_for_shown_message(peer, "went wrong", ANN)
        del bots.conversation.errors_by_text[text]
        press_try_again(peer, ANN, said)
        await peer.wait_for_message("echo my trip", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    first, again = bots.conversation.turns
    assert (
        [picture.data for picture in again.pictures]
        == [picture.data for picture in first.pictures]
        == [b"0", b"1", b"2"]
    )
    assert [piece.source for piece in again.pieces] == [piece.source for piece in first.pieces]


async def test_failed_correction_can_be_retried(bots: Bots, peer: Peer) -> None:
    bots.conversation.errors_by_text["hello Bob"] = StorageError()
    async with bots.run_service():
        asked = peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        peer.world.edit_message(ANN, ANN, asked["message_id"], "hello Bob")
        said = await wait_for_shown_message(peer, "cannot be read", ANN)
        del bots.conversation.errors_by_text["hello Bob"]
        press_try_again(peer, ANN, said)
        await peer.wait_for_message("You changed your last message", ANN)
    assert bots.conversation.corrections == [(asked["message_id"], "hello Bob")]


async def test_failed_transcription_can_be_retried(bots: Bots, peer: Peer) -> None:
    async with (
        run_openai_server() as (server, url),
        Transcriber(model="hears", api_key=Secret(""), base_url=url) as hears,
    ):
        server.script("hears", Behaviour(status=404), "I live in Riga.")
        bots.transcriber = hears
        async with bots.run_service():
            peer.world.send_file(ANN, ANN, kind="voice", name="a.ogg", data=b"ogg")
            press_try_again(peer, ANN, await wait_for_shown_message(peer, "TRANSCRIPTION_MODEL", ANN))
            await peer.wait_for_message("echo I live in Riga.", ANN)
            await wait_for_queued_jobs()
            assert await bots.list_pending_update_ids() == []
    [turn] = bots.conversation.turns
    assert turn.source.startswith("4242:")


async def test_retried_message_keeps_source_after_restart(bots: Bots, peer: Peer) -> None:
    """The same source prevents memory from storing the question twice."""
    bots.conversation.errors_by_text["hello"] = RuntimeError("of whatever kind")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        said = await wait_for_shown_message(peer, "went wrong", ANN)
        assert parse_button_kind(list_buttons(said)[0]["callback_data"]) == AGAIN
    del bots.conversation.errors_by_text["hello"]
    async with bots.run_service():  # another run, as after an update
        press_try_again(peer, ANN, said)
        await peer.wait_for_message("echo hello", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    first, again = bots.conversation.turns
    assert first.source == again.source
    assert (first.pieces[0].telegram_id, first.pieces[0].sent_at) == (
        again.pieces[0].telegram_id,
        again.pieces[0].sent_at,
    )


async def test_failed_message_is_released_when_owner_forgets(bots: Bots, peer: Peer) -> None:
    bots.conversation.errors_by_text["heliotrope"] = RuntimeError("of whatever kind")
    async with bots.run_service():
        asked = peer.world.say(ANN, ANN, "heliotrope")
        said = await wait_for_shown_message(peer, "went wrong", ANN)
        await wait_for_queued_jobs()
        [drop] = bots.conversation.forgetting_callbacks
        drop(ANN)
        del peer.world.messages[ANN][asked["message_id"]]  # so that Telegram cannot bring it again
        bots.conversation.turns.clear()
        bots.conversation.errors_by_text.clear()  # an error knows what was under way
        gc.collect()
        held = [value for value in gc.get_objects() if isinstance(value, ParsedUpdate) and value.text == "heliotrope"]
        assert held == []
        press_try_again(peer, ANN, said)
        await wait_for_queued_jobs()
    assert bots.conversation.turns == []


async def test_proposed_command_can_be_run_only_by_asked_person(bots: Bots, peer: Peer) -> None:
    proposal = Proposal(kind="command", text="/help me")
    async with bots.run_service():
        chat = Chat(id=GROUP, is_private=False)
        await proposals.ask_about_proposal(bots.dependencies, chat, Person(id=ANN, name="Ann"), proposal)
        said = await wait_for_shown_message(peer, "/help me", GROUP)
        does, _ = list_buttons(said)
        peer.world.press_button(BOB, GROUP, said["message_id"], does["callback_data"])
        await peer.wait_for_call("answerCallbackQuery", containing="somebody else")
        peer.world.press_button(ANN, GROUP, said["message_id"], does["callback_data"])
        await peer.wait_for_message("did help me", GROUP)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
        assert not any(map(list_buttons, peer.world.messages[GROUP].values()))
    assert len(peer.list_bot_texts(GROUP)) == 2


async def test_proposed_slow_command_does_not_hold_back_other_commands(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        proposal = Proposal(kind="command", text="/summary_now please")
        await proposals.ask_about_proposal(bots.dependencies, Chat(id=ANN), Person(id=ANN, name="Ann"), proposal)
        said = await wait_for_shown_message(peer, "/summary_now", ANN)
        does, _ = list_buttons(said)
        peer.world.press_button(ANN, ANN, said["message_id"], does["callback_data"])
        await peer.wait_for_call("editMessageReplyMarkup", chat=ANN)
        peer.world.say(ANN, ANN, "/help me")
        await peer.wait_for_message("did help me", ANN)
        bots.toys.fold_gate.set()
        await peer.wait_for_message("did summary_now please", ANN)
