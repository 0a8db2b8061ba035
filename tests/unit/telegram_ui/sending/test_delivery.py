"""What delivery promises: final texts whole and in order, whatever Telegram does; the rest at best."""

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


async def test_an_answer_is_drafted_in_private_and_ends_as_one_message(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery(), PRIVATE)
    await peer.begin(stream, "Hel")
    first = (await peer.call("sendMessageDraft"))["params"]
    await stream.schedule_preview("Hello **wor")
    await peer.clock.sleeper(most=1.0)
    await stream.schedule_preview("Hello **world**")
    peer.clock.advance(1.0)
    second = (await peer.call("sendMessageDraft", 2))["params"]
    ids = await stream.send_final_answer("Hello **world**!")
    assert first["draft_id"] == second["draft_id"] != 0
    assert second["text"] == "Hello world"
    assert peer.texts(ANN) == ["Hello world!"]
    assert len(ids) == 1
    assert len(peer.called("sendMessageDraft")) == 2


async def test_a_draft_that_takes_long_becomes_a_message_that_can_be_stopped(peer: Peer) -> None:
    stop = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])
    stream = AnswerStream(peer.delivery(), PRIVATE, make_stop_keyboard=lambda: stop)
    await peer.begin(stream, "thinking")
    await peer.call("sendMessageDraft")
    await peer.clock.sleeper(least=DRAFT_SECONDS - 1)
    peer.clock.advance(DRAFT_SECONDS)
    await peer.call("sendMessage")
    assert "Stop" in str(peer.called("sendMessage")[-1])
    await stream.send_final_answer("done")
    assert peer.texts(ANN) == ["done"]


async def test_in_groups_the_message_itself_is_edited_every_four_seconds_at_most(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery(), IN_GROUP)
    await peer.begin(stream, "one")
    await peer.call("sendMessage")
    await stream.schedule_preview("one two")
    await peer.clock.sleeper()
    assert not peer.called("editMessageText")
    peer.clock.advance(GROUP_PREVIEW_SECONDS)
    await peer.call("editMessageText")
    await stream.send_final_answer("one two *three*")
    assert peer.texts(GROUP) == ["one two three"]
    assert len(peer.called("sendMessage")) == 1


async def test_off_shows_nothing_before_the_end(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("off"), PRIVATE)
    await stream.schedule_preview("half")
    await stream.send_final_answer("whole")
    assert [call["method"] for call in peer.world.calls if call["method"].startswith(("send", "edit"))] == [
        "sendMessage"
    ]


async def test_where_drafts_are_unknown_messages_are_edited_from_then_on(peer: Peer) -> None:
    peer.fault("error", method="sendMessageDraft", error_code=404, description="Not Found", times=None)
    delivery = peer.delivery()
    stream = AnswerStream(delivery, PRIVATE)
    await peer.begin(stream, "half")
    await peer.call("sendMessageDraft")
    await peer.clock.sleeper()
    peer.clock.advance(1.0)
    await peer.call("sendMessage")
    await stream.send_final_answer("whole")
    assert peer.texts(ANN) == ["whole"]
    peer.clock.advance(1.0)
    again = AnswerStream(delivery, PRIVATE)
    await peer.begin(again, "second")
    await peer.call("sendMessage", 2)
    await again.send_final_answer("second whole")
    assert len(peer.called("sendMessageDraft")) == 1
    assert peer.texts(ANN) == ["whole", "second whole"]


async def test_a_draft_that_must_wait_or_hangs_holds_up_no_final_text(peer: Peer) -> None:
    peer.fault("retry_after", method="sendMessageDraft", retry_after=600)
    stream = AnswerStream(peer.delivery(), PRIVATE)
    await peer.begin(stream, "half")
    await peer.call("sendMessageDraft")
    await stream.send_final_answer("whole")
    peer.fault("hang", method="sendMessageDraft")
    hanging = AnswerStream(peer.delivery(), PRIVATE)
    await peer.begin(hanging, "half")
    await peer.call("sendMessageDraft", 2)
    await hanging.send_final_answer("whole again")
    assert peer.texts(ANN) == ["whole", "whole again"]


async def test_a_long_answer_arrives_whole(peer: Peer) -> None:
    answer = "\n".join(f"**line** {number} 😀" for number in range(1500))
    for delivery, chat in ((peer.delivery(), PRIVATE), (peer.delivery("edit"), IN_GROUP)):
        stream = AnswerStream(delivery, chat)
        await peer.begin(stream, answer)
        await peer.call("sendMessage")
        ids = await stream.send_final_answer(answer)
        assert len(ids) > 1
        # Telegram trims what is around a message: line ends at the seams.
        assert "\n".join(peer.texts(chat.id)) == answer.replace("**", "")


@pytest.mark.parametrize("streaming", ["off", "edit"])
async def test_a_piece_with_refused_entities_goes_out_plain(peer: Peer, streaming: str) -> None:
    peer.fault("refuse_entities", times=None)
    stream = AnswerStream(peer.delivery("edit" if streaming == "edit" else "off"), IN_GROUP)
    if streaming == "edit":
        await peer.begin(stream, "some **bold")
        await peer.call("sendMessage")
    await stream.send_final_answer("some **bold** words")
    assert peer.texts(GROUP) == ["some bold words"]


async def test_empty_answers_are_never_sent_as_such(peer: Peer) -> None:
    await AnswerStream(peer.delivery(), PRIVATE).send_final_answer(" \n ")
    await peer.delivery().send_text(PRIVATE, "")
    assert all(text.strip() for text in peer.texts(ANN))


async def test_one_chats_pause_holds_up_no_other(peer: Peer) -> None:
    peer.fault("retry_after", method="sendMessage", chat_id=ANN, retry_after=30)
    delivery = peer.delivery()
    waiting = asyncio.create_task(delivery.send_text(PRIVATE, "late"))
    assert await peer.clock.sleeper() == 30
    await delivery.send_text(OTHER, "at once")
    assert peer.texts(BOB) == ["at once"]
    peer.clock.advance(30)
    await waiting
    assert peer.texts(ANN) == ["late"]


async def test_a_server_error_is_tried_again_a_bounded_number_of_times(peer: Peer) -> None:
    peer.fault("server_error", method="sendMessage", times=2)
    delivery = peer.delivery()
    saying = asyncio.create_task(delivery.send_text(PRIVATE, "hello"))
    for _ in range(2):
        peer.clock.advance(await peer.clock.sleeper())
        await asyncio.sleep(0)
    await saying
    assert peer.texts(ANN) == ["hello"]
    peer.fault("server_error", method="sendMessage", times=None)
    failing = asyncio.create_task(delivery.send_text(PRIVATE, "never"))
    for _ in range(4):
        peer.clock.advance(await peer.clock.sleeper())
        await asyncio.sleep(0)
    with pytest.raises(DeliveryError):
        await failing
    assert peer.texts(ANN) == ["hello"]


@pytest.mark.parametrize(("kind", "arrived"), [("drop_before", []), ("drop_after", ["hello"])])
async def test_a_lost_connection_is_an_unknown_outcome_and_not_repeated(
    peer: Peer, kind: str, arrived: list[str]
) -> None:
    peer.fault(kind, method="sendMessage")
    with pytest.raises(DeliveryUnknown):
        await peer.delivery().send_text(PRIVATE, "hello")
    assert peer.texts(ANN) == arrived


async def test_after_an_unknown_outcome_the_stream_knows_which_pieces_did_arrive(peer: Peer) -> None:
    peer.fault("drop_after", method="sendMessage", after=1)
    stream = AnswerStream(peer.delivery("off"), PRIVATE)
    with pytest.raises(DeliveryUnknown):
        await stream.send_final_answer("word " * 2000)
    assert len(stream.sent_message_ids) == 1
    assert len(peer.texts(ANN)) == 2


async def test_an_edit_may_be_repeated_after_a_lost_connection(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE)
    await peer.begin(stream, "half")
    await peer.call("sendMessage")
    peer.fault("drop_after", method="editMessageText")
    finishing = asyncio.create_task(stream.send_final_answer("whole"))
    await peer.call("editMessageText")
    peer.clock.advance(await peer.clock.sleeper())
    await finishing
    assert peer.texts(ANN) == ["whole"]


async def test_a_preview_that_is_gone_is_replaced_by_a_new_message(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE)
    await peer.begin(stream, "half")
    call = await peer.call("sendMessage")
    peer.world.remove_message(ANN, call["answer"]["result"]["message_id"])
    await stream.send_final_answer("whole")
    assert peer.texts(ANN) == ["whole"]


async def test_a_dead_topic_falls_back_to_the_group(peer: Peer) -> None:
    peer.world.delete_topic(FORUM, IN_TOPIC.thread)
    stream = AnswerStream(peer.delivery(), IN_TOPIC)
    await peer.begin(stream, "half")
    await peer.call("sendMessage")
    await stream.send_final_answer("whole")
    assert peer.texts(FORUM)[-1] == "whole"


async def test_a_blocked_bot_learns_that_the_chat_is_gone(peer: Peer) -> None:
    peer.world.block_bot(ANN)
    with pytest.raises(ChatGone):
        await peer.delivery().send_text(PRIVATE, "hello")
    stream = AnswerStream(peer.delivery(), PRIVATE)
    await peer.begin(stream, "half")
    await peer.call("sendMessageDraft")
    with pytest.raises(ChatGone):
        await stream.send_final_answer("whole")


@pytest.mark.parametrize("chat", [PRIVATE, IN_GROUP])
async def test_what_was_shown_is_marked_as_broken_off(peer: Peer, chat: object) -> None:
    place = PRIVATE if chat is PRIVATE else IN_GROUP
    stream = AnswerStream(peer.delivery(), place)
    await peer.begin(stream, "half an " + "answer " * 500)
    await peer.call("sendMessageDraft" if place is PRIVATE else "sendMessage")
    await stream.mark_broken_off()
    (text,) = peer.texts(place.id)
    assert text.startswith("half an answer")
    assert text.endswith(tr("answers-broken-off"))


async def test_nothing_shown_is_nothing_to_mark(peer: Peer) -> None:
    await AnswerStream(peer.delivery(), PRIVATE).mark_broken_off()
    assert peer.texts(ANN) == []


async def test_an_answer_that_is_there_at_once_needs_nothing_before_it(peer: Peer) -> None:
    delivery = peer.delivery()
    stream = AnswerStream(delivery, PRIVATE)
    async with delivery.show_typing(PRIVATE):
        await stream.schedule_preview("Hel")
        await peer.clock.sleeper(most=MAX_STALL_SECONDS)
        peer.clock.advance(MIN_GROWING_SECONDS / 2)
        await stream.schedule_preview("Hello")
    await stream.send_final_answer("Hello")
    assert [call["method"] for call in peer.world.calls if call["method"].startswith("send")] == ["sendMessage"]


async def test_a_text_that_goes_on_growing_is_shown_soon(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery(), PRIVATE)
    await stream.schedule_preview("Hel")
    peer.clock.advance(MIN_GROWING_SECONDS)
    await stream.schedule_preview("Hello")
    assert (await peer.call("sendMessageDraft"))["params"]["text"] == "Hello"
    await stream.send_final_answer("Hello!")
    assert len(peer.called("sendMessageDraft")) == 1


async def test_typing_is_repeated_until_left(peer: Peer) -> None:
    delivery: Delivery = peer.delivery()
    async with delivery.show_typing(PRIVATE):
        assert await peer.clock.sleeper() == TYPING_DELAY_SECONDS
        peer.clock.advance(TYPING_DELAY_SECONDS)
        await peer.call("sendChatAction")
        assert await peer.clock.sleeper() == 5
        peer.clock.advance(5)
        await peer.call("sendChatAction", 2)
    peer.clock.advance(60)
    assert len(peer.called("sendChatAction")) == 2


async def test_of_many_chats_only_the_newest_are_known_but_never_one_in_use_twice(peer: Peer) -> None:
    delivery = peer.delivery()
    in_use = delivery.get_or_create_chat_state(PRIVATE)
    of_other_tests = sum(type(thing) is type(in_use) for thing in gc.get_objects()) - 1
    for number in range(1, MAX_KNOWN_CHATS + 200):
        delivery.get_or_create_chat_state(Chat(id=-number))
    gc.collect()
    states = sum(type(thing) is type(in_use) for thing in gc.get_objects()) - of_other_tests
    assert states <= MAX_KNOWN_CHATS + 1
    assert delivery.get_or_create_chat_state(PRIVATE) is in_use


async def test_a_person_who_wrote_to_a_channel_is_answered_there(peer: Peer) -> None:
    """Telegram wants the topic of the direct messages, and none of a forum's."""
    with contextlib.suppress(DeliveryError):  # the local server has no such topics
        await peer.delivery().send_text(Chat(id=GROUP, thread=-8_000_000_011, is_private=False), "hi")
    sent = peer.called("sendMessage")[-1]["params"]
    assert str(sent["direct_messages_topic_id"]) == "8000000011"
    assert "message_thread_id" not in sent


async def test_half_an_emoji_in_a_text_that_replaces_another_is_shown_as_a_mark(peer: Peer) -> None:
    delivery = peer.delivery()
    [message_id] = await delivery.send_text(PRIVATE, "before")
    await delivery.edit_message_or_send_new(PRIVATE, message_id, "after \ud83d")
    assert peer.texts(ANN) == ["after \ufffd"]
