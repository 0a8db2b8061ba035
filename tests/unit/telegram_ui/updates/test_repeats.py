"""[Try again] under what could not be done, over real HTTP."""

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
from tests.peers.openai_server import Behaviour, running
from tests.unit.telegram_ui.conftest import ANN, BOB, GROUP, TOKEN, Bots, Peer
from tests.unit.telegram_ui.updates.test_dispatch import Seeing


def buttons(message: Json) -> list[Json]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [cell for row in rows for cell in row]


async def failed(peer: Peer, words: str, chat: int) -> Json:
    """What was said of a failure, as it is shown now."""
    call = await peer.told(words, chat)
    shown: Json = peer.world.messages[chat][call["answer"]["result"]["message_id"]]
    return shown


def press(peer: Peer, person: int, message: Json) -> str:
    [button] = buttons(message)
    assert button["text"] == "Try again"
    return peer.world.press_button(person, message["chat"]["id"], message["message_id"], button["callback_data"])


@pytest.mark.parametrize("place", [ANN, GROUP])
async def test_a_command_that_failed_is_done_at_the_next_press(bots: Bots, peer: Peer, place: int) -> None:
    async with bots.running() as service:
        assert bots.toys
        bots.toys.fails = [ModelBusy(), RuntimeError("of whatever kind")]
        asked = peer.world.say(ANN, place, "/help me")
        said = await failed(peer, "went wrong", place)
        assert said["reply_to_message"]["message_id"] == asked["message_id"]
        press(peer, ANN, said)
        again = await failed(peer, "is busy", place)
        press(peer, ANN, again)
        press(peer, ANN, again)  # a double tap
        await peer.told("did help me", place)
        await peer.called("answerCallbackQuery", containing="already")
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
        assert not any(map(buttons, peer.world.messages[place].values()))
    assert [text for text in peer.texts(place) if text.startswith("did")] == ["did help me"]


async def test_somebody_elses_button_repeats_nothing(bots: Bots, peer: Peer) -> None:
    async with bots.running():
        assert bots.toys
        bots.toys.fails = [ModelBusy()]
        peer.world.say(ANN, GROUP, "/help me")
        said = await failed(peer, "is busy", GROUP)
        press(peer, BOB, said)
        await peer.called("answerCallbackQuery", containing="somebody else")
        # Whoever makes Telegram send the same data as Ann's, under a reply to a message that is not hers.
        hers = buttons(said)[0]["callback_data"]
        theirs = peer.world.say(BOB, GROUP, "/help bob")
        done = await failed(peer, "did help bob", GROUP)
        assert done["reply_to_message"]["message_id"] == theirs["message_id"]
    async with bots.running() as service:  # what Telegram sends along is all there is
        peer.world.press_button(ANN, GROUP, done["message_id"], hers)
        await peer.called("editMessageText", containing="Please send it again", chat=GROUP)
        await service.dispatcher.wait_until_idle()
    assert not any(text.startswith("did") for text in peer.texts(GROUP))


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_admin_tries_again_what_failed_for_an_anonymous_one(
    bots: Bots, peer: Peer, *, is_restarted: bool
) -> None:
    """Telegram sends an anonymous admin's words under one common sender, and their press under their own name."""
    sender: Json = {"id": ANONYMOUS_ADMIN, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    words = {"text": "/help me", "sender_chat": {"id": GROUP, "type": "supergroup", "title": "Picnic"}}
    command = {"entities": [{"type": "bot_command", "offset": 0, "length": len("/help")}]}
    bots.settings = replace(bots.settings, allowed_user_ids=frozenset({ANN, BOB, ANONYMOUS_ADMIN}))
    async with AsyncExitStack() as running:
        await running.enter_async_context(bots.running())
        assert bots.toys
        bots.toys.fails = [StorageError()]
        peer.world.updates.add("message", peer.world.post_message(GROUP, sender, words | command))
        said = await failed(peer, "(error ", GROUP)
        if is_restarted:
            await running.aclose()
            await running.enter_async_context(bots.running())
        press(peer, BOB, said)
        await peer.called("answerCallbackQuery", containing="somebody else")
        press(peer, ANN, said)
        await peer.told("did help me", GROUP)


@pytest.mark.parametrize("error", [QuotaExceeded(), DocumentUnreadable()], ids=lambda value: type(value).__name__)
async def test_what_will_fail_again_has_no_button(bots: Bots, peer: Peer, error: Exception) -> None:
    async with bots.running():
        assert bots.toys
        bots.toys.fails = [error]
        peer.world.say(ANN, ANN, "/help me")
        assert buttons(await failed(peer, "(error ", ANN)) == []


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_command_that_replies_to_a_message_is_repeated_with_it_or_not_at_all(
    bots: Bots, peer: Peer, *, is_restarted: bool
) -> None:
    """Telegram does not say, with a press, to what the command itself replied: only the process knows."""
    async with AsyncExitStack() as running:
        await running.enter_async_context(bots.running())
        assert bots.toys
        bots.toys.fails = [ModelBusy()]
        earlier = peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello", ANN)
        peer.world.say(ANN, ANN, "/help this", reply_to=earlier["message_id"])
        said = await failed(peer, "is busy", ANN)
        if is_restarted:
            await running.aclose()
            await running.enter_async_context(bots.running())
        press(peer, ANN, said)
        if is_restarted:
            await peer.called("editMessageText", containing="Please send it again", chat=ANN)
        else:
            await peer.told(f"did help with {earlier['message_id']}", ANN)


async def test_a_button_that_failed_is_pressed_again_by_the_next(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        assert bots.toys
        bots.toys.fails = [ModelBusy(), RuntimeError("of whatever kind")]
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello", ANN)
        ann = Person(id=ANN, name="Ann")
        data = Buttons(TOKEN.encode()).make_signed_callback_data("toy", Chat(id=ANN), ann, "7")
        keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Do it", callback_data=data)]])
        await bots.dependencies.delivery.send_text(Chat(id=ANN), "Shall I?", keyboard=keyboard)
        question = await failed(peer, "Shall I?", ANN)
        peer.world.press_button(ANN, ANN, question["message_id"], data)
        said = await failed(peer, "went wrong", ANN)
        assert said["reply_to_message"]["message_id"] == question["message_id"]
        press(peer, ANN, said)
        press(peer, ANN, await failed(peer, "is busy", ANN))
        await peer.called("editMessageText", containing="did press 7 under Shall I?", chat=ANN)
        await peer.called("answerCallbackQuery", containing="pressed")
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
        assert not any(map(buttons, peer.world.messages[ANN].values()))


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_all_pieces_of_a_paste_are_asked_again_as_one_turn(bots: Bots, peer: Peer, *, is_restarted: bool) -> None:
    first, second = "x" * 4_096, "and the rest"
    bots.conversation.fails[first + second] = RuntimeError("of whatever kind")
    async with AsyncExitStack() as running:
        service = await running.enter_async_context(bots.running())
        peer.world.say(ANN, ANN, first)
        peer.world.say(ANN, ANN, second)
        said = await failed(peer, "went wrong", ANN)
        del bots.conversation.fails[first + second]
        if is_restarted:
            await running.aclose()
            service = await running.enter_async_context(bots.running())
        press(peer, ANN, said)
        if is_restarted:
            await peer.called("editMessageText", containing="Please send it again", chat=ANN)
        else:
            await peer.told("echo xxx", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    turns = bots.conversation.turns
    assert (
        len(turns) == 1
        if is_restarted
        else [piece.source for piece in turns[0].pieces] == [piece.source for piece in turns[1].pieces]
    )


async def test_all_pictures_of_an_album_are_asked_again_as_one_turn(bots: Bots, peer: Peer) -> None:
    bots.model = Seeing()
    text = "my trip\n[Sent with a photo]\n[Sent a photo]\n[Sent a photo]"
    bots.conversation.fails[text] = RuntimeError("of whatever kind")
    async with bots.running() as service:
        for number, caption in enumerate(["my trip", "", ""]):
            name, data = f"{number}.jpg", b"%d" % number
            peer.world.send_file(ANN, ANN, kind="photo", name=name, data=data, caption=caption, album="13")
        said = await failed(peer, "went wrong", ANN)
        del bots.conversation.fails[text]
        press(peer, ANN, said)
        await peer.told("echo my trip", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    first, again = bots.conversation.turns
    assert (
        [picture.data for picture in again.pictures]
        == [picture.data for picture in first.pictures]
        == [b"0", b"1", b"2"]
    )
    assert [piece.source for piece in again.pieces] == [piece.source for piece in first.pieces]


async def test_a_correction_that_failed_is_taken_in_at_the_next_press(bots: Bots, peer: Peer) -> None:
    bots.conversation.fails["hello Bob"] = StorageError()
    async with bots.running():
        asked = peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello", ANN)
        peer.world.edit_message(ANN, ANN, asked["message_id"], "hello Bob")
        said = await failed(peer, "cannot be read", ANN)
        del bots.conversation.fails["hello Bob"]
        press(peer, ANN, said)
        await peer.told("You changed your last message", ANN)
    assert bots.conversation.corrected == [(asked["message_id"], "hello Bob")]


async def test_a_voice_that_could_not_be_heard_is_heard_at_the_next_press(bots: Bots, peer: Peer) -> None:
    async with running() as (server, url), Transcriber(model="hears", api_key=Secret(""), base_url=url) as hears:
        server.script("hears", Behaviour(status=404), "I live in Riga.")
        bots.transcriber = hears
        async with bots.running() as service:
            peer.world.send_file(ANN, ANN, kind="voice", name="a.ogg", data=b"ogg")
            press(peer, ANN, await failed(peer, "TRANSCRIPTION_MODEL", ANN))
            await peer.told("echo I live in Riga.", ANN)
            await service.dispatcher.wait_until_idle()
            assert await bots.pending() == []
    [turn] = bots.conversation.turns
    assert turn.source.startswith("4242:")


async def test_a_message_is_asked_again_under_its_own_source(bots: Bots, peer: Peer) -> None:
    """So memory, where it holds the question already, does not hold it twice."""
    bots.conversation.fails["hello"] = RuntimeError("of whatever kind")
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        said = await failed(peer, "went wrong", ANN)
        assert parse_button_kind(buttons(said)[0]["callback_data"]) == AGAIN
    del bots.conversation.fails["hello"]
    async with bots.running() as service:  # another run, as after an update
        press(peer, ANN, said)
        await peer.told("echo hello", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    first, again = bots.conversation.turns
    assert first.source == again.source
    assert (first.pieces[0].telegram_id, first.pieces[0].sent_at) == (
        again.pieces[0].telegram_id,
        again.pieces[0].sent_at,
    )


async def test_what_failed_is_held_no_longer_once_its_owner_forgets(bots: Bots, peer: Peer) -> None:
    bots.conversation.fails["heliotrope"] = RuntimeError("of whatever kind")
    async with bots.running() as service:
        asked = peer.world.say(ANN, ANN, "heliotrope")
        said = await failed(peer, "went wrong", ANN)
        await service.dispatcher.wait_until_idle()
        [drop] = bots.conversation.drops
        drop(ANN)
        del peer.world.messages[ANN][asked["message_id"]]  # so that Telegram cannot bring it again
        bots.conversation.turns.clear()
        bots.conversation.fails.clear()  # an error knows what was under way
        gc.collect()
        held = [value for value in gc.get_objects() if isinstance(value, ParsedUpdate) and value.text == "heliotrope"]
        assert held == []
        press(peer, ANN, said)
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.turns == []


async def test_a_proposed_command_is_given_by_who_was_asked(bots: Bots, peer: Peer) -> None:
    proposal = Proposal(kind="command", text="/help me")
    async with bots.running() as service:
        chat = Chat(id=GROUP, is_private=False)
        await proposals.ask_about_proposal(bots.dependencies, chat, Person(id=ANN, name="Ann"), proposal)
        said = await failed(peer, "/help me", GROUP)
        does, _ = buttons(said)
        peer.world.press_button(BOB, GROUP, said["message_id"], does["callback_data"])
        await peer.called("answerCallbackQuery", containing="somebody else")
        peer.world.press_button(ANN, GROUP, said["message_id"], does["callback_data"])
        await peer.told("did help me", GROUP)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
        assert not any(map(buttons, peer.world.messages[GROUP].values()))
    assert len(peer.texts(GROUP)) == 2
