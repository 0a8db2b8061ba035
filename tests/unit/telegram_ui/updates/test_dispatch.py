"""Tests of updates from arrival to answer, over real HTTP."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
import telegram

from llm.offline import OfflineModel
from llm.speech import Transcriber
from locales.catalog import tr
from playground.files import StoredFile
from playground.text import count_utf16_units
from records.errors import ServedElsewhere, StorageBusy
from records.owners import Mode
from records.scopes import Person, Scope
from settings import Secret
from storage.bot_state.inbox import Lease
from telegram_ui.commands.answer_buttons import GO_ON
from telegram_ui.commands.buttons import Buttons
from telegram_ui.sending import documents
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.durable_queue import DurableQueue, QueuedUpdate
from telegram_ui.updates.files import MAX_FETCHES_AT_ONCE
from telegram_ui.updates.parsing import NO_WORDS
from tests.peers.openai_server import Behaviour, run_openai_server
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import (
    ANN,
    BOB,
    EVE,
    FORUM,
    GROUP,
    MANY,
    TOKEN,
    TOPIC,
    Bots,
    Peer,
    ScriptedConversation,
)


async def test_answered_message_is_removed_from_inbox(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    [turn] = bots.conversation.turns
    assert turn.person.name == "Ann"
    assert turn.source.startswith("4242:")


async def test_messages_keep_order_within_chat_and_chats_run_in_parallel(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("slow")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "slow")
        peer.world.say(ANN, ANN, "second")
        peer.world.say(BOB, BOB, "other")
        await peer.wait_for_message("echo other", BOB)
        assert peer.list_bot_texts(ANN) == []
        gate.set()
        await peer.wait_for_message("echo second", ANN)
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(ANN) == ["echo slow", "echo second"]


async def test_waiting_messages_of_removed_person_are_not_answered(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("slow")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "slow")
        peer.world.say(ANN, ANN, "second")
        await bots.conversation.start_events["slow"].wait()
        bots.memory.serves = lambda owner: owner != ANN
        gate.set()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["echo slow"]


async def test_update_of_lost_lease_is_dropped_and_redelivered_update_answered(
    bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same update is dispatched first under a lost lease and then under a valid one."""

    async def confirm(_: object, lease: Lease) -> None:
        if lease.fence == 1:
            raise ServedElsewhere

    monkeypatch.setattr(DurableQueue, "require_lease", confirm)
    async with bots.run_service() as service:
        for fence in (1, 2):
            said = {
                "message_id": fence,
                "date": 1,
                "text": f"under {fence}",
                "chat": {"id": ANN, "type": "private"},
                "from": {"id": ANN, "is_bot": False, "first_name": "Ann"},
            }
            update = telegram.Update.de_json({"update_id": 7, "message": said}, service.bot)
            await service.dispatcher.dispatch(QueuedUpdate(update, is_durable=True, lease=Lease(ANN, fence)))
        await wait_for_queued_jobs()
    assert [turn.text for turn in bots.conversation.turns] == ["under 2"]


async def test_buttons_of_earlier_answers_are_removed(bots: Bots, peer: Peer) -> None:
    bots.conversation.turn = 1
    async with bots.run_service():
        for words in ("one", "two", "three"):
            peer.world.say(ANN, ANN, words)
            await peer.wait_for_message(f"echo {words}", ANN)
        await wait_for_queued_jobs()
    with_buttons = [message["text"] for message in peer.world.messages[ANN].values() if "reply_markup" in message]
    assert with_buttons == ["echo three"]


async def test_hanging_model_calls_do_not_delay_other_people(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("hang")
    async with bots.run_service():
        for person in MANY:
            peer.world.add_person(person, "Somebody")
            peer.world.say(person, person, "hang")
        peer.world.say(BOB, BOB, "hello")
        await peer.wait_for_message("echo hello", BOB)
        assert len(bots.conversation.turns) == len(MANY) + 1
        gate.set()
        await wait_for_queued_jobs()


async def test_commands_and_button_presses_overtake_hanging_model(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hang")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "/HELP@Keepsake_bot  me")
        message = await peer.wait_for_message("did help me", ANN)
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.start_events["hang"].wait()
        peer.world.say(ANN, ANN, "/help again")
        await peer.wait_for_message("did help again", ANN)
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], "x")
        await peer.wait_for_call("answerCallbackQuery")


async def test_slow_command_does_not_delay_later_updates(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        peer.world.say(ANN, ANN, "/summary_now")
        peer.world.say(ANN, ANN, "/help")
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("did help", ANN)
        await peer.wait_for_message("echo hello", ANN)
        bots.toys.fold_gate.set()
        await peer.wait_for_message("did summary_now", ANN)


@pytest.mark.parametrize("place", [GROUP, ANN])
async def test_command_for_another_bot_is_ignored(bots: Bots, peer: Peer, place: int) -> None:
    async with bots.run_service():
        peer.world.say(ANN, place, "/help@another_bot")
        peer.world.say(ANN, place, "/help@keepsake_bot mine")
        await peer.wait_for_message("did help mine", place)
        await wait_for_queued_jobs()
    assert len(peer.list_bot_texts(place)) == 1


async def test_stop_cancels_answer_and_next_message_is_answered(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hang")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.start_events["hang"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message("Stopped", ANN)
        peer.world.say(ANN, ANN, "next")
        await peer.wait_for_message("echo next", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.cancelled_texts == ["hang"]


async def test_stop_is_answered_while_answer_ids_are_recorded(bots: Bots, peer: Peer) -> None:
    """A /stop directly after an answer or error message once got no reply."""
    noted = asyncio.Event()
    bots.conversation.record_answer_message_ids = lambda *_: noted.wait()  # type: ignore[method-assign,assignment]
    async with bots.run_service():
        peer.world.say(ANN, ANN, "first")
        await peer.wait_for_message("echo first", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message(tr("answers-nothing-to-stop"), ANN)
        noted.set()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_stop_does_not_interrupt_error_message(bots: Bots, peer: Peer) -> None:
    """The update once stayed in the inbox, and the person's backlog grew."""
    bots.conversation.errors_by_text["first"] = RuntimeError()
    async with bots.run_service():
        peer.add_fault("hang", "sendMessage", chat_id=ANN)
        peer.world.say(ANN, ANN, "first")
        await peer.wait_for_message("Something went wrong here", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_until_updates_confirmed()
        peer.faults.clear_faults()
        await peer.wait_for_message(tr("answers-nothing-to-stop"), ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_stop_cancels_turn_still_being_prepared(bots: Bots, peer: Peer) -> None:
    looking, found, asked = asyncio.Event(), asyncio.Event(), 0

    async def language(owner: int) -> str | None:
        nonlocal asked
        if (asked := asked + 1) == 1:
            looking.set()
            await found.wait()
        return None

    bots.memory.get_language = language  # type: ignore[method-assign]
    async with bots.run_service():
        peer.world.say(ANN, ANN, "first")
        await looking.wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message(tr("answers-stopped"), ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.turns == []


async def test_late_draft_stop_does_not_cancel_next_answer(bots: Bots, peer: Peer) -> None:
    bots.settings = replace(bots.settings, reply_streaming="auto")
    bots.conversation.add_gate("first")
    second = bots.conversation.add_gate("second")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "first")
        draft = (await peer.wait_for_call("sendMessageDraft"))["params"]["draft_id"]
        stop = {"chat": peer.world.chats[ANN].to_chat_json(), "draft_id": int(draft)}
        peer.world.updates.add("stopped_message_generation", stop)
        await peer.wait_for_message(tr("answers-stopped"), ANN)
        peer.world.say(ANN, ANN, "second")
        await bots.conversation.start_events["second"].wait()
        peer.world.updates.add("stopped_message_generation", stop)
        peer.world.say(ANN, ANN, "/help me")
        await peer.wait_for_message("did help me", ANN)
        second.set()
        await peer.wait_for_message("echo second", ANN)
        await wait_for_queued_jobs()
    assert bots.conversation.cancelled_texts == ["first"]


async def test_stop_cancels_button_press_before_answer_starts(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.wait_for_message("did help me", ANN)
        peer.add_fault("hang", "answerCallbackQuery")
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.wait_for_call("answerCallbackQuery")
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message(tr("answers-stopped"), ANN)
        peer.faults.clear_faults()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
        assert bots.conversation.turns == []
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.wait_for_message(f"echo {tr('answers-go-on')}", ANN)


async def test_stop_cancels_answer_but_not_slow_command(bots: Bots, peer: Peer) -> None:
    """Every slow command would be left half done if /stop cancelled it."""
    bots.conversation.add_gate("hang")
    async with bots.run_service():
        assert bots.toys
        peer.world.say(ANN, ANN, "/summary_now")
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.start_events["hang"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message("Stopped", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message("Nothing is being written", ANN)
        bots.toys.fold_gate.set()
        await peer.wait_for_message("did summary_now", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_stop_cancels_message_received_just_before(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hang")
    peer.world.say(ANN, ANN, "hang")
    peer.world.say(ANN, ANN, "/stop")
    async with bots.run_service():
        await peer.wait_for_message("Stopped", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message("Nothing is being written", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_paste_of_30000_characters_is_one_turn(bots: Bots, peer: Peer) -> None:
    words = " ".join(f"word{number}" for number in range(3400))[:30_000]
    async with bots.run_service():
        peer.world.say(ANN, ANN, words)
        peer.world.say(ANN, ANN, "and now?")
        await peer.wait_for_message("echo and now?", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    paste, question = bots.conversation.turns
    assert len(paste.pieces) == 8
    assert len({piece.source for piece in paste.pieces}) == 8
    assert all(count_utf16_units(piece.text) <= 4096 for piece in paste.pieces)
    assert "".join(paste.text.split()) == "".join(words.split())
    assert question.text == "and now?"


async def test_wizard_input_and_unknown_commands_do_not_reach_conversation(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        await bots.toys.await_text("20", Scope(owner=ANN), ANN)
        peer.world.say(ANN, ANN, "20")
        peer.world.say(ANN, ANN, "/nonsense 1")
        await peer.wait_for_message("wizard took 20", ANN)
        await peer.wait_for_message("do not know the command /nonsense", ANN)
        peer.world.say(ANN, ANN, "/hlep")
        await peer.wait_for_message("Did you mean /help?", ANN)
        await wait_for_queued_jobs()
    assert bots.conversation.turns == []


class VisionModel(OfflineModel):
    """A model that accepts pictures."""

    supports_pictures = True


async def test_pictures_are_passed_to_vision_model(bots: Bots, peer: Peer) -> None:
    bots.model = VisionModel()
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind="photo", name="a.jpg", data=b"jpeg", caption="what is it?")
        await peer.wait_for_message("echo what is it?", ANN)
        sent = peer.world.send_file(ANN, ANN, kind="photo", name="b.jpg", data=b"other")
        await peer.wait_for_message("echo [Sent a photo]", ANN)
        peer.world.say(ANN, ANN, "and this?", reply_to=sent["message_id"])
        await peer.wait_for_message("echo and this?", ANN)
        peer.world.send_file(ANN, ANN, kind="sticker", name="c.webp", data=b"webp")
        await peer.wait_for_message("echo [Sent a sticker", ANN)
        await wait_for_queued_jobs()
    first, second, again, sticker = bots.conversation.turns
    assert [(picture.data, picture.mime, picture.kind) for picture in sticker.pictures] == [(b"webp", "image/webp", "")]
    assert [(picture.data, picture.mime, picture.kind) for picture in first.pictures] == [
        (b"jpeg", "image/jpeg", "Photo")
    ]
    assert first.pictures[0].source.startswith(f"{first.source}:")
    assert (second.text_without_attachments, second.is_wordless) == ("[Sent a photo]", True)
    assert [(picture.data, picture.kind) for picture in again.pictures] == [(b"other", "")]


async def test_album_becomes_one_turn(bots: Bots, peer: Peer) -> None:
    bots.model = VisionModel()
    async with bots.run_service():
        for number, caption in enumerate(["my trip", "", "", ""]):
            name, data = f"{number}.jpg", b"%d" % number
            peer.world.send_file(ANN, ANN, kind="photo", name=name, data=data, caption=caption, album="13")
        await peer.wait_for_message("echo my trip", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    [turn] = bots.conversation.turns
    assert [picture.data for picture in turn.pictures] == [b"0", b"1", b"2", b"3"]
    assert len(turn.pieces) == 4


async def test_forwarded_messages_become_one_turn(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        for text in ("one", "two", "three"):
            peer.world.say(ANN, ANN, text, forward_from="Bob")
        await peer.wait_for_message("echo [Forwarded from Bob]", ANN)
        await wait_for_queued_jobs()
    [turn] = bots.conversation.turns
    assert [piece.origin for piece in turn.pieces] == ["forwarded"] * 3


@pytest.mark.parametrize(("kind", "setting"), [("photo", "OPENAI_MODEL"), ("voice", "TRANSCRIPTION_MODEL")])
async def test_unsupported_photo_or_voice_reply_names_required_setting(
    bots: Bots, peer: Peer, kind: str, setting: str
) -> None:
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind=kind, name="a", data=b"1")
        await peer.wait_for_message(setting, ANN)
        peer.world.send_file(ANN, ANN, kind=kind, name="a", data=b"1", caption="and the words?")
        await peer.wait_for_message("echo and the words?", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    [turn] = bots.conversation.turns
    assert turn.pictures == ()


async def _skip_sleep(seconds: float) -> None:
    """Return at once."""


async def test_voice_transcript_becomes_message_text_and_audio_file_document(bots: Bots, peer: Peer) -> None:
    transcriber = partial(Transcriber, model="hears", api_key=Secret(""), sleep=_skip_sleep)
    async with run_openai_server() as (server, url), transcriber(base_url=url) as hears:
        server.script("hears", "I live in Riga.", Behaviour(status=500), Behaviour(status=404), "Second.")
        bots.transcriber = hears
        async with bots.run_service():
            peer.world.send_file(ANN, ANN, kind="voice", name="a.ogg", data=b"ogg")
            shown = await peer.wait_for_message("I live in Riga.", ANN)
            await peer.wait_for_message("echo I live in Riga.", ANN)
            peer.world.send_file(ANN, ANN, kind="video_note", name="b.mp4", data=b"mp4")
            await peer.wait_for_message("Check TRANSCRIPTION_MODEL", ANN)
            peer.world.send_file(ANN, ANN, kind="audio", name="c.mp3", data=b"mp3", caption="and this?")
            await peer.wait_for_message("Second.", ANN)
            await wait_for_queued_jobs()
        heard = server.requests[0].body
        assert (heard["name"], heard["size"]) == ("voice.ogg", 3)
    assert "expandable_blockquote" in str(shown["params"])
    first, both = bots.conversation.turns
    [piece] = first.pieces
    assert (piece.text, piece.origin, piece.telegram_id is None) == ("I live in Riga.", "", False)
    assert [(piece.text, piece.origin) for piece in both.pieces] == [
        ("[c.mp3]\nSecond.", "document"),
        ("and this?\n[Sent with an audio file]", ""),
    ]


async def test_file_fetches_of_one_person_leave_slots_for_others(bots: Bots, peer: Peer) -> None:
    """Hanging transcriptions of one person once occupied all slots and delayed everybody's files."""
    places: list[tuple[int, int | None]] = [(ANN, None), (GROUP, None), (FORUM, None), (FORUM, TOPIC)]
    assert len(places) == MAX_FETCHES_AT_ONCE
    async with (
        run_openai_server() as (server, url),
        Transcriber(model="hears", api_key=Secret(""), base_url=url) as hears,
    ):
        server.script("hears", *[Behaviour(raw='{"text": "Listen."}', hold="start")] * len(places))
        bots.transcriber = hears
        async with bots.run_service():
            for chat, topic in places:
                peer.world.send_file(
                    ANN, chat, kind="voice", name="a.ogg", data=b"ogg", caption="@keepsake_bot hear", thread_id=topic
                )
            await server.wait_until_held()
            await peer.wait_until_updates_confirmed()
            peer.world.send_file(BOB, BOB, kind="document", name="a.txt", data=b"x", caption="and what does this say?")
            await peer.wait_for_message("echo ", BOB)
            assert len(server.requests) == 1
            for number in range(1, len(places) + 1):
                await server.wait_until_held(number)
                await server.release()
            await wait_for_queued_jobs()


@pytest.mark.parametrize("kind", ["video", "document"])
async def test_unreadable_attachment_gets_explanation(bots: Bots, peer: Peer, kind: str) -> None:
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind=kind, name="a.bin", data=b"\0" * 9)
        await peer.wait_for_message("I can't read", ANN)
        peer.world.add_person(BOB, "Bob", language_code="de")
        peer.world.send_file(BOB, BOB, kind=kind, name="a.bin", data=b"\0" * 9)
        await peer.wait_for_message("Bitte schreib es mir" if kind == "video" else "kann ich nicht lesen", BOB)
        peer.world.send_file(ANN, ANN, kind="video", name="a.mp4", data=b"1", caption="what is it?")
        await peer.wait_for_message("I read your text only", ANN)
    [turn] = bots.conversation.turns
    assert turn.text == "what is it?\n[Sent with a video, which was not read]"


async def test_document_precedes_caption_in_turn(bots: Bots, peer: Peer) -> None:
    text = b"The deposit is 900 euros.\nIt is due in May."
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind="document", name="lease.txt", data=text, caption="when is it due?")
        await peer.wait_for_message("echo ", ANN)
        peer.world.send_file(ANN, ANN, kind="document", name="lease.txt", data=text)
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    asked, bare = bots.conversation.turns
    assert asked.attached_passages == ("[lease.txt, lines 1–2]\nThe deposit is 900 euros.\nIt is due in May.",)
    assert asked.text_without_attachments == "when is it due?\n[Sent with the file lease.txt]"
    assert [(piece.origin, piece.source.count(":")) for piece in asked.pieces] == [("document", 2), ("", 1)]
    assert bare.text_without_attachments == "[Sent the file lease.txt]"


async def test_caption_is_answered_when_file_cannot_be_fetched(bots: Bots, peer: Peer) -> None:
    peer.add_fault("error", "getFile", error_code=400, description="Bad Request: wrong file_id")
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind="document", name="a.txt", data=b"x", caption="what does it say?")
        await peer.wait_for_message("no longer has this file", ANN)
        await wait_for_queued_jobs()
    [turn] = bots.conversation.turns
    assert turn.text == "what does it say?\n[Sent with the file a.txt]"


async def test_file_limit_applies_to_actual_size_instead_of_declared_size(
    bots: Bots, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The declared size comes from the sender's client, and a self-hosted server serves files of any size."""
    lying = {"file_id": "BQACAgIAAxkBAAI000000", "file_unique_id": "u", "file_size": 1}
    monkeypatch.setattr(StoredFile, "to_file_json", lambda _: lying)
    monkeypatch.setattr(documents, "MAX_FETCHED_BYTES", 100)
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind="document", name="a.txt", data=b"x" * 101, caption="what does it say?")
        await peer.wait_for_message("This file is larger", ANN)
        await wait_for_queued_jobs()
    [turn] = bots.conversation.turns
    assert turn.attached_passages == ()


@pytest.mark.parametrize("name", ["result.json", "data-2026-11-27-batch-0000.zip", "MyActivity.json"])
async def test_unannounced_export_is_not_read_as_document(bots: Bots, peer: Peer, name: str) -> None:
    async with bots.run_service():
        peer.world.send_file(ANN, ANN, kind="document", name=name, data=b"{}")
        await peer.wait_for_message("reply to it with /import", ANN)
    assert bots.conversation.turns == []


async def test_group_document_is_read_only_when_caption_mentions_bot(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.send_file(ANN, GROUP, kind="document", name="a.txt", data=b"private")
        peer.world.send_file(ANN, GROUP, kind="document", name="b.txt", data=b"shared", caption="@keepsake_bot read it")
        await peer.wait_for_message("echo ", GROUP)
        await wait_for_queued_jobs()
    [turn] = bots.conversation.turns
    assert turn.attached_passages == ("[b.txt, line 1]\nshared",)


async def test_stranger_gets_own_id_in_private_and_no_reply_in_group(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.say(EVE, EVE, "hello")
        peer.world.say(EVE, EVE, "/start")
        peer.world.say(EVE, GROUP, "@keepsake_bot hello")
        peer.world.say(ANN, ANN, "mine")
        await peer.wait_for_message("echo mine", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert [str(EVE) in told for told in peer.list_bot_texts(EVE)] == [True, True]
    assert peer.list_bot_texts(GROUP) == []
    assert [turn.text for turn in bots.conversation.turns] == ["mine"]


@pytest.mark.parametrize("privacy", [False, True])
async def test_group_message_is_answered_only_when_bot_is_addressed(bots: Bots, peer: Peer, privacy: bool) -> None:
    peer.world.privacy_mode = privacy
    async with bots.run_service():
        peer.world.say(ANN, GROUP, "not for you")
        peer.world.say(BOB, GROUP, "Hi 😀 @Keepsake_Bot, how are you?")
        answer = await peer.wait_for_message("echo Hi 😀, how are you?", GROUP)
        peer.world.say(ANN, GROUP, "and me", reply_to=answer["answer"]["result"]["message_id"])
        await peer.wait_for_message("echo and me", GROUP)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert [turn.scope.owner for turn in bots.conversation.turns] == [GROUP, GROUP]
    assert all(turn.in_group for turn in bots.conversation.turns)


async def test_unaddressed_group_messages_are_not_stored(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        assert bots.toys
        await bots.toys.await_text("20", Scope(owner=GROUP), ANN)
        peer.world.say(ANN, GROUP, "secret of the group")
        peer.world.say(ANN, GROUP, "/other@another_bot secret")
        peer.world.say(ANN, GROUP, "20")
        await peer.wait_for_message("wizard took 20", GROUP)
        await wait_for_queued_jobs()
        database = bots.inbox.database
        async with database.open_reader(None) as reader:
            assert await reader.fetch_rows("SELECT * FROM updates") == []


async def test_group_paste_needs_only_one_mention(bots: Bots, peer: Peer) -> None:
    words = "@keepsake_bot " + "x" * 9000
    async with bots.run_service():
        peer.world.say(ANN, GROUP, words)
        await peer.wait_for_message("echo x", GROUP)
    [turn] = bots.conversation.turns
    assert turn.text == "x" * 9000


async def test_topics_have_separate_scopes(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hang")
    async with bots.run_service():
        peer.world.say(ANN, FORUM, "@keepsake_bot hang", thread_id=TOPIC)
        await bots.conversation.start_events["hang"].wait()
        peer.world.say(ANN, FORUM, "@keepsake_bot general")
        await peer.wait_for_message("echo general", FORUM)
    assert [turn.scope.thread for turn in bots.conversation.turns] == [TOPIC, 0]


async def test_only_group_admins_may_configure(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.say(ANN, GROUP, "/admin")
        await peer.wait_for_message("did admin True", GROUP)
        peer.world.say(BOB, GROUP, "/admin@keepsake_bot")
        await peer.wait_for_message("did admin False", GROUP)


async def test_edit_is_applied_after_answer_and_offers_new_answer(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("first")
    async with bots.run_service():
        message = peer.world.say(ANN, ANN, "first")
        await bots.conversation.start_events["first"].wait()
        peer.world.edit_message(ANN, ANN, message["message_id"], "other")
        await peer.wait_until_updates_confirmed()
        assert bots.conversation.corrections == [], "the message itself is still being answered"
        gate.set()
        await peer.wait_for_message(tr("answers-offer"), ANN)
        peer.world.edit_message(ANN, ANN, message["message_id"], "of long ago")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.corrections == [(message["message_id"], text) for text in ("other", "of long ago")]
    assert len(bots.conversation.turns) == 1
    assert [text for text in peer.list_bot_texts(ANN) if text.startswith(tr("answers-offer"))] == [tr("answers-offer")]


async def test_stop_does_not_cancel_edit(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("other")
    async with bots.run_service():
        message = peer.world.say(ANN, ANN, "first")
        await peer.wait_for_message("echo first", ANN)
        peer.world.edit_message(ANN, ANN, message["message_id"], "other")
        await bots.conversation.start_events["other"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message(tr("answers-nothing-to-stop"), ANN)
        gate.set()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.corrections == [(message["message_id"], "other")]


async def test_update_stays_in_inbox_until_message_is_stored(bots: Bots, peer: Peer) -> None:
    """A kill before the write once lost the message: it was answered and marked as done, but not stored."""
    bots.conversation.deferred_actions = []
    async with bots.run_service():
        peer.world.say(ANN, ANN, "while it fails")
        await peer.wait_for_message("echo while it fails", ANN)
        await wait_for_queued_jobs()
        assert len(await bots.list_pending_update_ids()) == 1
        [written] = bots.conversation.deferred_actions
        await written()
        assert await bots.list_pending_update_ids() == []


@pytest.mark.parametrize("topic", [None, TOPIC])
async def test_edit_waiting_in_topic_survives_stop(bots: Bots, peer: Peer, topic: int | None) -> None:
    """In the topic, /stop cancels the preceding answer. Elsewhere it cancels nothing."""
    bots.conversation.add_gate("second")
    async with bots.run_service():
        message = peer.world.say(ANN, FORUM, "@keepsake_bot first", thread_id=TOPIC)
        await peer.wait_for_message("echo first", FORUM)
        peer.world.say(ANN, FORUM, "@keepsake_bot second", thread_id=TOPIC)
        await bots.conversation.start_events["second"].wait()
        peer.world.edit_message(ANN, FORUM, message["message_id"], "@keepsake_bot other")
        await peer.wait_until_updates_confirmed()
        for _ in range(2):
            peer.world.say(ANN, FORUM, "/stop@keepsake_bot", thread_id=topic)
            await peer.wait_until_updates_confirmed()
        if topic is None:
            peer.world.say(ANN, FORUM, "/stop@keepsake_bot", thread_id=TOPIC)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.corrections == [(message["message_id"], "other")]


async def test_edit_of_stranger_is_not_stored(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        message = peer.world.say(EVE, EVE, "let me in")
        await peer.wait_for_message("your Telegram id", EVE)
        peer.world.edit_message(EVE, EVE, message["message_id"], "other")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert bots.conversation.corrections == []
    assert len(peer.list_bot_texts(EVE)) == 1


async def test_unexpected_error_is_logged_and_reported_without_user_text(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    bots.conversation.errors_by_text["secret words"] = RuntimeError("secret words")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "secret words")
        await peer.wait_for_message("Something went wrong here", ANN)
        peer.world.say(ANN, ANN, "next")
        await peer.wait_for_message("echo next", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    ours = [record for record in caplog.records if record.name.startswith("telegram_ui")]
    assert any("RuntimeError" in record.getMessage() for record in ours)
    assert "secret words" not in "".join(record.getMessage() for record in caplog.records)


async def test_unreadable_memory_mode_is_logged_as_sentence(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    class LockedOut(ScriptedConversation):
        async def read_memory_mode(self, owner: int) -> Mode:
            raise StorageBusy

    bots.conversation = LockedOut()
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
    assert f"In {ANN}, the memory mode cannot be read (StorageBusy)." in caplog.messages


async def test_answer_with_unknown_outcome_is_resent_only_once(bots: Bots, peer: Peer) -> None:
    peer.add_fault("drop_after", "sendMessage", times=5, chat_id=ANN)
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["echo hello"] * 2


async def test_answer_requested_by_button_is_resent_after_unknown_outcome(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.wait_for_message("did help me", ANN)
        peer.add_fault("drop_after", "sendMessage", times=5, chat_id=ANN)
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.wait_for_message("echo Go on", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN)[1:] == [f"echo {tr('answers-go-on')}"] * 2


async def test_button_press_is_not_left_pending_by_shutdown(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.run_service() as service:
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.wait_for_message("did help me", ANN)
        peer.add_fault("hang", "sendMessage", chat_id=ANN)
        since = peer.world.calls.last
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.wait_for_call("sendMessage", chat=ANN, since=since)
        closing = asyncio.create_task(service.dispatcher.close())
        await asyncio.sleep(0)
        peer.faults.clear_faults()
        await closing
        assert await bots.list_pending_update_ids() == []


async def test_answer_dropped_before_arrival_is_delivered_once(bots: Bots, peer: Peer) -> None:
    peer.add_fault("drop_before", "sendMessage", chat_id=ANN)
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_call("sendMessage", chat=ANN)
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(ANN) == ["echo hello"]


async def test_each_run_resends_answer_interrupted_while_sending(bots: Bots, peer: Peer) -> None:
    """A run may be killed before its request has an effect, so an unconfirmed answer is always sent again."""
    update_id = peer.world.updates.next_id
    peer.add_fault("hang", "sendMessage", times=3, chat_id=ANN)
    peer.world.say(ANN, ANN, "hello")
    for _ in range(3):
        since = peer.world.calls.last
        async with bots.run_service() as service:
            await peer.wait_for_call("sendMessage", chat=ANN, since=since)
            await service.dispatcher.close(grace=0)
    assert await bots.list_pending_update_ids() == [update_id]
    async with bots.run_service() as service:
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["echo hello"] * 4


@pytest.mark.parametrize("kind", ["server_error", "retry_after"])
async def test_temporary_send_error_is_retried_without_duplicate(bots: Bots, peer: Peer, kind: str) -> None:
    peer.add_fault(kind, "sendMessage", times=1, chat_id=ANN)
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_call("sendMessage", chat=ANN)
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(ANN) == ["echo hello"]


@pytest.mark.parametrize("by_button", [False, True])
async def test_answer_that_must_wait_for_an_hour_is_sent_by_next_run(
    bots: Bots, peer: Peer, *, by_button: bool
) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.run_service(pause=lambda _: asyncio.sleep(0)):
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.wait_for_message("did help me", ANN)
        await wait_for_queued_jobs()
        update_id = peer.world.updates.next_id
        peer.add_fault("retry_after", "sendMessage", retry_after=3_600, chat_id=ANN)
        if by_button:
            peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        else:
            peer.world.say(ANN, ANN, "hello")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == [update_id]
    assert peer.list_bot_texts(ANN) == ["did help me"]
    toasts = [call["params"].get("text") for call in peer.world.calls if call["method"] == "answerCallbackQuery"]
    assert not any(toasts), "the press has not failed"
    async with bots.run_service():
        await peer.wait_for_message("echo ", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["did help me", f"echo {tr('answers-go-on')}" if by_button else "echo hello"]


async def test_update_is_finished_when_chat_is_gone(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("hello")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await bots.conversation.start_events["hello"].wait()
        peer.world.block_bot(ANN)
        gate.set()
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_running_command_is_finished_before_shutdown(bots: Bots, peer: Peer) -> None:
    peer.add_fault("hang", "sendMessage", chat_id=ANN)
    async with bots.run_service() as service:
        peer.world.say(ANN, ANN, "/help")
        await peer.wait_for_message("did help", ANN)
        closing = asyncio.create_task(service.dispatcher.close(grace=4))
        await asyncio.sleep(0)
        peer.faults.release_hanging_calls()
        await closing
        assert await bots.list_pending_update_ids() == []
    assert len(peer.list_bot_texts(ANN)) == 1


async def test_shutdown_breaks_off_answer_and_next_run_repeats_turn(bots: Bots, peer: Peer) -> None:
    bots.settings = replace(bots.settings, reply_streaming="edit")
    gate = bots.conversation.add_gate("hello")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("partly hello", ANN)
    [shown] = peer.list_bot_texts(ANN)
    assert "broken off" in shown
    assert len(await bots.list_pending_update_ids()) == 1
    assert bots.conversation.finished_texts == []
    gate.set()
    async with bots.run_service():
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN)[-1] == "echo hello"
    assert bots.conversation.turns[0].source == bots.conversation.turns[1].source


async def test_next_run_continues_answer_in_message_of_killed_run(bots: Bots, peer: Peer) -> None:
    bots.settings = replace(bots.settings, reply_streaming="edit")
    gate = bots.conversation.add_gate("hello")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        shown = (await peer.wait_for_message("partly hello", ANN))["answer"]["result"]["message_id"]
        [row] = await bots.inbox.list_pending_updates(4242)
        while not row.shown:
            await asyncio.sleep(0)
            [row] = await bots.inbox.list_pending_updates(4242)
        assert row.shown == (shown,)
    await bots.inbox.record_answer_messages(4242, row.update_id, row.shown)  # as a run leaves it that is killed
    gate.set()
    async with bots.run_service():
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["echo hello"]


async def test_paste_interrupted_by_restart_is_one_turn(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.say(ANN, ANN, "a" * 4096)
        await peer.wait_until_updates_confirmed()
    assert bots.conversation.turns == []
    peer.world.say(ANN, ANN, "b" * 10)
    async with bots.run_service():
        await peer.wait_for_message("echo a", ANN)
    [turn] = bots.conversation.turns
    assert [len(piece.text) for piece in turn.pieces] == [4096, 10]


async def test_post_turn_notices_are_sent_to_chat(bots: Bots, peer: Peer) -> None:
    bots.conversation.notices = ("A fold failed.",)
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("A fold failed.", ANN)


async def test_notice_of_answer_cut_off_by_stop_is_sent_by_next_run(bots: Bots, peer: Peer) -> None:
    bots.conversation.reply_notices = ("The last message was cut.",)
    peer.add_fault("hang", "sendMessage", chat_id=ANN, after=1)
    async with bots.run_service() as service:
        peer.world.say(ANN, ANN, "hello")
        since = (await peer.wait_for_message("The last message was cut.", ANN))["n"]
        await service.dispatcher.close(grace=0)
        assert len(await bots.list_pending_update_ids()) == 1
    async with bots.run_service() as service:
        await peer.wait_for_call("sendMessage", containing="The last message was cut.", chat=ANN, since=since)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []


async def test_earlier_answer_keeps_its_buttons_when_telegram_refuses_the_next(bots: Bots, peer: Peer) -> None:
    bots.conversation.turn = 1
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        message = (await peer.wait_for_message("echo hello", ANN))["answer"]["result"]
        peer.add_fault("error", "sendMessage", times=None, description="Bad Request: text must be encoded in UTF-8")
        peer.world.say(ANN, ANN, "once more")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(ANN) == ["echo hello"]
    assert "reply_markup" in peer.world.messages[ANN][message["message_id"]]


async def test_edit_that_removes_all_text_is_applied_without_offer(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        message = peer.world.say(ANN, GROUP, "@keepsake_bot my secret")
        await peer.wait_for_message("echo my secret", GROUP)
        peer.world.edit_message(ANN, GROUP, message["message_id"], "@keepsake_bot")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
    assert bots.conversation.corrections == [(message["message_id"], NO_WORDS)]
    assert tr("answers-offer") not in peer.list_bot_texts(GROUP)


async def test_message_belongs_to_conversation_open_on_arrival(bots: Bots, peer: Peer) -> None:
    """It does not matter how long the message waits. If the conversation is forgotten, the open one is used."""
    place, second, third = Scope(owner=ANN), Scope(owner=ANN, thread=2**41), Scope(owner=ANN, thread=2**42)
    gate = bots.conversation.add_gate("slow")
    async with bots.run_service():
        for opened, text in ((place, "slow"), (second, "second"), (third, "forgotten"), (second, "last")):
            bots.memory.open_conversations[place] = opened
            peer.world.say(ANN, ANN, text)
            peer.world.say(ANN, ANN, f"/help {text}")
            await peer.wait_for_message(f"did help {text}", ANN)
        bots.memory.forgotten_conversations.add(third)
        gate.set()
        await peer.wait_for_message("echo last", ANN)
        await wait_for_queued_jobs()
    assert [(turn.text, turn.scope) for turn in bots.conversation.turns] == [
        ("slow", place),
        ("second", second),
        ("forgotten", second),
        ("last", second),
    ]
