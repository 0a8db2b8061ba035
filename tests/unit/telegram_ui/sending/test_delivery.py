"""Final texts arrive complete and in order in spite of Telegram's errors. Previews are best effort."""

import asyncio
import contextlib
import gc

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import (
    MAX_KNOWN_CHATS,
    TYPING_DELAY_SECONDS,
    ChatGone,
    Delivery,
    DeliveryError,
    DeliveryUnknown,
)
from telegram_ui.sending.streaming import (
    DRAFT_SECONDS,
    GROUP_PREVIEW_SECONDS,
    MAX_STALL_SECONDS,
    MIN_GROWING_SECONDS,
    AnswerStream,
)
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, IN_GROUP, IN_TOPIC, OTHER, PRIVATE, Peer
from tests.unit.telegram_ui.sending.conftest import interrupt_answer


async def test_private_answer_is_previewed_as_draft_and_sent_as_one_message(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery(), PRIVATE)
    await peer.show_beginning(stream, "Hel")
    first = (await peer.wait_for_call("sendMessageDraft"))["params"]
    await stream.schedule_preview("Hello **wor")
    await peer.clock.wait_for_sleeper(most=1.0)
    await stream.schedule_preview("Hello **world**")
    peer.clock.advance(1.0)
    second = (await peer.wait_for_call("sendMessageDraft", 2))["params"]
    ids = await stream.send_final_answer("Hello **world**!")
    assert first["draft_id"] == second["draft_id"] != 0
    assert second["text"] == "Hello world"
    assert peer.list_bot_texts(ANN) == ["Hello world!"]
    assert len(ids) == 1
    assert len(peer.list_calls("sendMessageDraft")) == 2


async def test_long_running_draft_becomes_message_with_stop_button(peer: Peer) -> None:
    stop = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])
    stream = AnswerStream(peer.make_delivery(), PRIVATE, make_stop_keyboard=lambda: stop)
    await peer.show_beginning(stream, "thinking")
    await peer.wait_for_call("sendMessageDraft")
    await peer.clock.wait_for_sleeper(least=DRAFT_SECONDS - 1)
    peer.clock.advance(DRAFT_SECONDS)
    await peer.wait_for_call("sendMessage")
    assert "Stop" in str(peer.list_calls("sendMessage")[-1])
    await stream.send_final_answer("done")
    assert peer.list_bot_texts(ANN) == ["done"]


async def test_group_preview_is_edited_at_most_every_four_seconds(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery(), IN_GROUP)
    await peer.show_beginning(stream, "one")
    await peer.wait_for_call("sendMessage")
    await stream.schedule_preview("one two")
    await peer.clock.wait_for_sleeper()
    assert not peer.list_calls("editMessageText")
    peer.clock.advance(GROUP_PREVIEW_SECONDS)
    await peer.wait_for_call("editMessageText")
    await stream.send_final_answer("one two *three*")
    assert peer.list_bot_texts(GROUP) == ["one two three"]
    assert len(peer.list_calls("sendMessage")) == 1


async def test_streaming_off_sends_only_final_answer(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("off"), PRIVATE)
    await stream.schedule_preview("half")
    await stream.send_final_answer("whole")
    assert [call["method"] for call in peer.world.calls if call["method"].startswith(("send", "edit"))] == [
        "sendMessage"
    ]


async def test_falls_back_to_edited_messages_when_drafts_are_unsupported(peer: Peer) -> None:
    peer.add_fault("error", method="sendMessageDraft", error_code=404, description="Not Found", times=None)
    delivery = peer.make_delivery()
    stream = AnswerStream(delivery, PRIVATE)
    await peer.show_beginning(stream, "half")
    await peer.wait_for_call("sendMessageDraft")
    await peer.clock.wait_for_sleeper()
    peer.clock.advance(1.0)
    await peer.wait_for_call("sendMessage")
    await stream.send_final_answer("whole")
    assert peer.list_bot_texts(ANN) == ["whole"]
    peer.clock.advance(1.0)
    again = AnswerStream(delivery, PRIVATE)
    await peer.show_beginning(again, "second")
    await peer.wait_for_call("sendMessage", 2)
    await again.send_final_answer("second whole")
    assert len(peer.list_calls("sendMessageDraft")) == 1
    assert peer.list_bot_texts(ANN) == ["whole", "second whole"]


async def test_delayed_or_hanging_draft_does_not_block_final_answer(peer: Peer) -> None:
    peer.add_fault("retry_after", method="sendMessageDraft", retry_after=600)
    stream = AnswerStream(peer.make_delivery(), PRIVATE)
    await peer.show_beginning(stream, "half")
    await peer.wait_for_call("sendMessageDraft")
    await stream.send_final_answer("whole")
    peer.add_fault("hang", method="sendMessageDraft")
    hanging = AnswerStream(peer.make_delivery(), PRIVATE)
    await peer.show_beginning(hanging, "half")
    await peer.wait_for_call("sendMessageDraft", 2)
    await hanging.send_final_answer("whole again")
    assert peer.list_bot_texts(ANN) == ["whole", "whole again"]


async def test_long_answer_arrives_complete(peer: Peer) -> None:
    answer = "\n".join(f"**line** {number} 😀" for number in range(1500))
    for delivery, chat in ((peer.make_delivery(), PRIVATE), (peer.make_delivery("edit"), IN_GROUP)):
        stream = AnswerStream(delivery, chat)
        await peer.show_beginning(stream, answer)
        await peer.wait_for_call("sendMessage")
        ids = await stream.send_final_answer(answer)
        assert len(ids) > 1
        # Telegram trims what is around a message: line ends at the seams.
        assert "\n".join(peer.list_bot_texts(chat.id)) == answer.replace("**", "")


@pytest.mark.parametrize("streaming", ["off", "edit"])
async def test_message_with_refused_entities_is_sent_as_plain_text(peer: Peer, streaming: str) -> None:
    peer.add_fault("refuse_entities", times=None)
    stream = AnswerStream(peer.make_delivery("edit" if streaming == "edit" else "off"), IN_GROUP)
    if streaming == "edit":
        await peer.show_beginning(stream, "some **bold")
        await peer.wait_for_call("sendMessage")
    await stream.send_final_answer("some **bold** words")
    assert peer.list_bot_texts(GROUP) == ["some bold words"]


async def test_empty_answer_sends_no_blank_message(peer: Peer) -> None:
    await AnswerStream(peer.make_delivery(), PRIVATE).send_final_answer(" \n ")
    await peer.make_delivery().send_text(PRIVATE, "")
    assert all(text.strip() for text in peer.list_bot_texts(ANN))


async def test_rate_limited_chat_does_not_delay_other_chats(peer: Peer) -> None:
    peer.add_fault("retry_after", method="sendMessage", chat_id=ANN, retry_after=30)
    delivery = peer.make_delivery()
    waiting = asyncio.create_task(delivery.send_text(PRIVATE, "late"))
    assert await peer.clock.wait_for_sleeper() == 30
    await delivery.send_text(OTHER, "at once")
    assert peer.list_bot_texts(BOB) == ["at once"]
    peer.clock.advance(30)
    await waiting
    assert peer.list_bot_texts(ANN) == ["late"]


async def test_server_error_is_retried_limited_number_of_times(peer: Peer) -> None:
    peer.add_fault("server_error", method="sendMessage", times=2)
    delivery = peer.make_delivery()
    saying = asyncio.create_task(delivery.send_text(PRIVATE, "hello"))
    for _ in range(2):
        peer.clock.advance(await peer.clock.wait_for_sleeper())
        await asyncio.sleep(0)
    await saying
    assert peer.list_bot_texts(ANN) == ["hello"]
    peer.add_fault("server_error", method="sendMessage", times=None)
    failing = asyncio.create_task(delivery.send_text(PRIVATE, "never"))
    for _ in range(4):
        peer.clock.advance(await peer.clock.wait_for_sleeper())
        await asyncio.sleep(0)
    with pytest.raises(DeliveryError):
        await failing
    assert peer.list_bot_texts(ANN) == ["hello"]


@pytest.mark.parametrize(("kind", "arrived"), [("drop_before", []), ("drop_after", ["hello"])])
async def test_lost_connection_raises_delivery_unknown_without_retry(peer: Peer, kind: str, arrived: list[str]) -> None:
    peer.add_fault(kind, method="sendMessage")
    with pytest.raises(DeliveryUnknown):
        await peer.make_delivery().send_text(PRIVATE, "hello")
    assert peer.list_bot_texts(ANN) == arrived


async def test_sent_message_ids_keep_confirmed_pieces_after_unknown_outcome(peer: Peer) -> None:
    peer.add_fault("drop_after", method="sendMessage", after=1)
    stream = AnswerStream(peer.make_delivery("off"), PRIVATE)
    with pytest.raises(DeliveryUnknown):
        await stream.send_final_answer("word " * 2000)
    assert len(stream.sent_message_ids) == 1
    assert len(peer.list_bot_texts(ANN)) == 2


async def test_edit_is_retried_after_lost_connection(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE)
    await peer.show_beginning(stream, "half")
    await peer.wait_for_call("sendMessage")
    peer.add_fault("drop_after", method="editMessageText")
    finishing = asyncio.create_task(stream.send_final_answer("whole"))
    await peer.wait_for_call("editMessageText")
    peer.clock.advance(await peer.clock.wait_for_sleeper())
    await finishing
    assert peer.list_bot_texts(ANN) == ["whole"]


async def test_deleted_preview_is_replaced_by_new_message(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE)
    await peer.show_beginning(stream, "half")
    call = await peer.wait_for_call("sendMessage")
    peer.world.remove_message(ANN, call["answer"]["result"]["message_id"])
    await stream.send_final_answer("whole")
    assert peer.list_bot_texts(ANN) == ["whole"]


async def test_deleted_topic_falls_back_to_group(peer: Peer) -> None:
    peer.world.delete_topic(FORUM, IN_TOPIC.thread)
    stream = AnswerStream(peer.make_delivery(), IN_TOPIC)
    await peer.show_beginning(stream, "half")
    await peer.wait_for_call("sendMessage")
    await stream.send_final_answer("whole")
    assert peer.list_bot_texts(FORUM)[-1] == "whole"


async def test_blocked_bot_raises_chat_gone(peer: Peer) -> None:
    peer.world.block_bot(ANN)
    with pytest.raises(ChatGone):
        await peer.make_delivery().send_text(PRIVATE, "hello")
    stream = AnswerStream(peer.make_delivery(), PRIVATE)
    await peer.show_beginning(stream, "half")
    await peer.wait_for_call("sendMessageDraft")
    with pytest.raises(ChatGone):
        await stream.send_final_answer("whole")


@pytest.mark.parametrize("chat", [PRIVATE, IN_GROUP])
async def test_interrupted_answer_is_marked_as_broken_off(peer: Peer, chat: object) -> None:
    place = PRIVATE if chat is PRIVATE else IN_GROUP
    stream = AnswerStream(peer.make_delivery(), place)
    await peer.show_beginning(stream, "half an " + "answer " * 500)
    await peer.wait_for_call("sendMessageDraft" if place is PRIVATE else "sendMessage")
    await interrupt_answer(stream, RuntimeError())
    (text,) = peer.list_bot_texts(place.id)
    assert text.startswith("half an answer")
    assert text.endswith(tr("answers-broken-off"))


async def test_interrupted_answer_sends_nothing_without_preview(peer: Peer) -> None:
    await interrupt_answer(AnswerStream(peer.make_delivery(), PRIVATE), RuntimeError())
    assert peer.list_bot_texts(ANN) == []


async def test_instant_answer_sends_no_preview_or_typing(peer: Peer) -> None:
    delivery = peer.make_delivery()
    stream = AnswerStream(delivery, PRIVATE)
    async with delivery.show_typing(PRIVATE):
        await stream.schedule_preview("Hel")
        await peer.clock.wait_for_sleeper(most=MAX_STALL_SECONDS)
        peer.clock.advance(MIN_GROWING_SECONDS / 2)
        await stream.schedule_preview("Hello")
    await stream.send_final_answer("Hello")
    assert [call["method"] for call in peer.world.calls if call["method"].startswith("send")] == ["sendMessage"]


async def test_growing_text_is_previewed_after_minimum_time(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery(), PRIVATE)
    await stream.schedule_preview("Hel")
    peer.clock.advance(MIN_GROWING_SECONDS)
    await stream.schedule_preview("Hello")
    assert (await peer.wait_for_call("sendMessageDraft"))["params"]["text"] == "Hello"
    await stream.send_final_answer("Hello!")
    assert len(peer.list_calls("sendMessageDraft")) == 1


async def test_typing_action_repeats_until_context_exits(peer: Peer) -> None:
    delivery: Delivery = peer.make_delivery()
    async with delivery.show_typing(PRIVATE):
        assert await peer.clock.wait_for_sleeper() == TYPING_DELAY_SECONDS
        peer.clock.advance(TYPING_DELAY_SECONDS)
        await peer.wait_for_call("sendChatAction")
        assert await peer.clock.wait_for_sleeper() == 5
        peer.clock.advance(5)
        await peer.wait_for_call("sendChatAction", 2)
    peer.clock.advance(60)
    assert len(peer.list_calls("sendChatAction")) == 2


async def test_chat_states_are_limited_but_kept_while_in_use(peer: Peer) -> None:
    delivery = peer.make_delivery()
    in_use = delivery.get_or_create_chat_state(PRIVATE)
    of_other_tests = sum(type(thing) is type(in_use) for thing in gc.get_objects()) - 1
    for number in range(1, MAX_KNOWN_CHATS + 200):
        delivery.get_or_create_chat_state(Chat(id=-number))
    gc.collect()
    states = sum(type(thing) is type(in_use) for thing in gc.get_objects()) - of_other_tests
    assert states <= MAX_KNOWN_CHATS + 1
    assert delivery.get_or_create_chat_state(PRIVATE) is in_use


async def test_channel_direct_message_reply_uses_direct_messages_topic(peer: Peer) -> None:
    """Telegram expects the topic of the direct messages there, and not a forum topic."""
    with contextlib.suppress(DeliveryError):  # the local server has no such topics
        await peer.make_delivery().send_text(Chat(id=GROUP, thread=-8_000_000_011, is_private=False), "hi")
    sent = peer.list_calls("sendMessage")[-1]["params"]
    assert str(sent["direct_messages_topic_id"]) == "8000000011"
    assert "message_thread_id" not in sent


async def test_new_message_keeps_its_place_among_concurrent_sends(peer: Peer) -> None:
    """The answer to /settings once waited twice for its turn, so a later text came before it."""
    delivery = peer.make_delivery()
    async with delivery.get_or_create_chat_state(PRIVATE).order:  # as while an answer is being sent
        settings = asyncio.create_task(delivery.edit_message_or_send_new(PRIVATE, None, "Settings"))
        later = asyncio.create_task(delivery.send_text(PRIVATE, "Later."))
        await asyncio.sleep(0)
    await asyncio.gather(settings, later)
    assert peer.list_bot_texts(ANN) == ["Settings", "Later."]


async def test_edit_with_too_long_text_replaces_message_by_first_piece(peer: Peer) -> None:
    delivery = peer.make_delivery()
    [message_id] = await delivery.send_text(PRIVATE, "before")
    await delivery.edit_message_or_send_new(PRIVATE, message_id, "long " * 1000)
    assert [text.count("long") for text in peer.list_bot_texts(ANN)] == [819, 181]


async def test_edit_replaces_lone_surrogate(peer: Peer) -> None:
    delivery = peer.make_delivery()
    [message_id] = await delivery.send_text(PRIVATE, "before")
    await delivery.edit_message_or_send_new(PRIVATE, message_id, "after \ud83d")
    assert peer.list_bot_texts(ANN) == ["after \ufffd"]
