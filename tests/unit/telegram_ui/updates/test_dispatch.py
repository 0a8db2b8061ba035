"""What becomes of an update, over real HTTP."""

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
from records.errors import ServedElsewhere
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
from tests.peers.openai_server import Behaviour, running
from tests.unit.telegram_ui.conftest import ANN, BOB, EVE, FORUM, GROUP, MANY, TOKEN, TOPIC, Bots, Peer


async def test_a_message_is_answered_and_forgotten_by_the_inbox(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    [turn] = bots.conversation.turns
    assert turn.person.name == "Ann"
    assert turn.source.startswith("4242:")


async def test_messages_of_one_chat_are_answered_in_order_and_chats_do_not_wait_for_each_other(
    bots: Bots, peer: Peer
) -> None:
    gate = bots.conversation.gate("slow")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "slow")
        peer.world.say(ANN, ANN, "second")
        peer.world.say(BOB, BOB, "other")
        await peer.told("echo other", BOB)
        assert peer.texts(ANN) == []
        gate.set()
        await peer.told("echo second", ANN)
        await service.dispatcher.wait_until_idle()
    assert peer.texts(ANN) == ["echo slow", "echo second"]


async def test_what_still_waits_of_somebody_who_is_removed_is_not_answered(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("slow")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "slow")
        peer.world.say(ANN, ANN, "second")
        await bots.conversation.begun["slow"].wait()
        bots.memory.serves = lambda owner: owner != ANN
        gate.set()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN) == ["echo slow"]


async def test_what_waited_under_a_lease_that_was_lost_does_not_begin_under_a_later_one(
    bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is handed out again, behind what was dropped before it."""

    async def confirm(_: object, lease: Lease) -> None:
        if lease.fence == 1:
            raise ServedElsewhere

    monkeypatch.setattr(DurableQueue, "require_lease", confirm)
    async with bots.running() as service:
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
        await service.dispatcher.wait_until_idle()
    assert [turn.text for turn in bots.conversation.turns] == ["under 2"]


async def test_buttons_of_earlier_answers_go(bots: Bots, peer: Peer) -> None:
    bots.conversation.turn = 1
    async with bots.running() as service:
        for words in ("one", "two", "three"):
            peer.world.say(ANN, ANN, words)
            await peer.told(f"echo {words}", ANN)
        await service.dispatcher.wait_until_idle()
    with_buttons = [message["text"] for message in peer.world.messages[ANN].values() if "reply_markup" in message]
    assert with_buttons == ["echo three"]


async def test_nobody_waits_for_a_place_behind_those_whose_model_is_silent(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("hang")
    async with bots.running() as service:
        for person in MANY:
            peer.world.add_person(person, "Somebody")
            peer.world.say(person, person, "hang")
        peer.world.say(BOB, BOB, "hello")
        await peer.told("echo hello", BOB)
        assert len(bots.conversation.turns) == len(MANY) + 1
        gate.set()
        await service.dispatcher.wait_until_idle()


async def test_commands_and_presses_overtake_a_hanging_model(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hang")
    async with bots.running():
        peer.world.say(ANN, ANN, "/HELP@Keepsake_bot  me")
        message = await peer.told("did help me", ANN)
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.begun["hang"].wait()
        peer.world.say(ANN, ANN, "/help again")
        await peer.told("did help again", ANN)
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], "x")
        await peer.called("answerCallbackQuery")


async def test_nothing_waits_behind_a_command_that_asks_the_model(bots: Bots, peer: Peer) -> None:
    async with bots.running():
        assert bots.toys
        peer.world.say(ANN, ANN, "/summary_now")
        peer.world.say(ANN, ANN, "/help")
        peer.world.say(ANN, ANN, "hello")
        await peer.told("did help", ANN)
        await peer.told("echo hello", ANN)
        bots.toys.folding.set()
        await peer.told("did summary_now", ANN)


@pytest.mark.parametrize("place", [GROUP, ANN])
async def test_another_bots_command_is_left_to_it(bots: Bots, peer: Peer, place: int) -> None:
    async with bots.running() as service:
        peer.world.say(ANN, place, "/help@another_bot")
        peer.world.say(ANN, place, "/help@keepsake_bot mine")
        await peer.told("did help mine", place)
        await service.dispatcher.wait_until_idle()
    assert len(peer.texts(place)) == 1


async def test_stop_cancels_the_answer_and_the_next_message_is_answered(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hang")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.begun["hang"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.told("Stopped", ANN)
        peer.world.say(ANN, ANN, "next")
        await peer.told("echo next", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.cancelled == ["hang"]


async def test_stop_is_answered_while_an_answer_that_has_arrived_is_noted(bots: Bots, peer: Peer) -> None:
    """Right behind an answer, or a sentence that said why there is none, it was answered by nobody."""
    noted = asyncio.Event()
    bots.conversation.record_answer_message_ids = lambda *_: noted.wait()  # type: ignore[method-assign,assignment]
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "first")
        await peer.told("echo first", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.told(tr("answers-nothing-to-stop"), ANN)
        noted.set()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []


async def test_stop_tears_no_sentence_that_says_what_failed(bots: Bots, peer: Peer) -> None:
    """The update stayed in the inbox, and its person's backlog grew."""
    bots.conversation.fails["first"] = RuntimeError()
    async with bots.running() as service:
        peer.fault("hang", "sendMessage", chat_id=ANN)
        peer.world.say(ANN, ANN, "first")
        await peer.told("Something went wrong here", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.confirmed()
        peer.faults.clear_faults()
        await peer.told(tr("answers-nothing-to-stop"), ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []


async def test_stop_reaches_a_message_whose_turn_looks_for_its_place(bots: Bots, peer: Peer) -> None:
    looking, found, asked = asyncio.Event(), asyncio.Event(), 0

    async def language(owner: int) -> str | None:
        nonlocal asked
        if (asked := asked + 1) == 1:
            looking.set()
            await found.wait()
        return None

    bots.memory.get_language = language  # type: ignore[method-assign]
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "first")
        await looking.wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.told(tr("answers-stopped"), ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.turns == []


async def test_a_stop_that_comes_late_ends_its_own_answer_and_not_the_next(bots: Bots, peer: Peer) -> None:
    bots.settings = replace(bots.settings, reply_streaming="auto")
    bots.conversation.gate("first")
    second = bots.conversation.gate("second")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "first")
        draft = (await peer.called("sendMessageDraft"))["params"]["draft_id"]
        stop = {"chat": peer.world.chats[ANN].to_chat_json(), "draft_id": int(draft)}
        peer.world.updates.add("stopped_message_generation", stop)
        await peer.told(tr("answers-stopped"), ANN)
        peer.world.say(ANN, ANN, "second")
        await bots.conversation.begun["second"].wait()
        peer.world.updates.add("stopped_message_generation", stop)
        peer.world.say(ANN, ANN, "/help me")
        await peer.told("did help me", ANN)
        second.set()
        await peer.told("echo second", ANN)
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.cancelled == ["first"]


async def test_stop_reaches_a_button_that_is_about_to_have_something_answered(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.told("did help me", ANN)
        peer.fault("hang", "answerCallbackQuery")
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.called("answerCallbackQuery")
        peer.world.say(ANN, ANN, "/stop")
        await peer.told(tr("answers-stopped"), ANN)
        peer.faults.clear_faults()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
        assert bots.conversation.turns == []
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.told(f"echo {tr('answers-go-on')}", ANN)


async def test_stop_ends_the_answer_and_leaves_an_import_to_go_on(bots: Bots, peer: Peer) -> None:
    """And every other slow command: what it has done so far would be half of something."""
    bots.conversation.gate("hang")
    async with bots.running() as service:
        assert bots.toys
        peer.world.say(ANN, ANN, "/summary_now")
        peer.world.say(ANN, ANN, "hang")
        await bots.conversation.begun["hang"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.told("Stopped", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.told("Nothing is being written", ANN)
        bots.toys.folding.set()
        await peer.told("did summary_now", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []


async def test_stop_reaches_a_message_that_came_just_before(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hang")
    peer.world.say(ANN, ANN, "hang")
    peer.world.say(ANN, ANN, "/stop")
    async with bots.running() as service:
        await peer.told("Stopped", ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.told("Nothing is being written", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []


async def test_a_paste_of_30000_characters_is_one_turn_of_pieces(bots: Bots, peer: Peer) -> None:
    words = " ".join(f"word{number}" for number in range(3400))[:30_000]
    async with bots.running() as service:
        peer.world.say(ANN, ANN, words)
        peer.world.say(ANN, ANN, "and now?")
        await peer.told("echo and now?", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    paste, question = bots.conversation.turns
    assert len(paste.pieces) == 8
    assert len({piece.source for piece in paste.pieces}) == 8
    assert all(count_utf16_units(piece.text) <= 4096 for piece in paste.pieces)
    assert "".join(paste.text.split()) == "".join(words.split())
    assert question.text == "and now?"


async def test_wizard_input_and_unknown_commands_never_reach_the_conversation(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        assert bots.toys
        await bots.toys.ask_for("20", Scope(owner=ANN), ANN)
        peer.world.say(ANN, ANN, "20")
        peer.world.say(ANN, ANN, "/nonsense 1")
        await peer.told("wizard took 20", ANN)
        await peer.told("do not know the command /nonsense", ANN)
        peer.world.say(ANN, ANN, "/hlep")
        await peer.told("Did you mean /help?", ANN)
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.turns == []


class Seeing(OfflineModel):
    """A model that may be shown pictures."""

    supports_pictures = True


async def test_a_photo_goes_to_a_model_that_sees(bots: Bots, peer: Peer) -> None:
    bots.model = Seeing()
    async with bots.running() as service:
        peer.world.send_file(ANN, ANN, kind="photo", name="a.jpg", data=b"jpeg", caption="what is it?")
        await peer.told("echo what is it?", ANN)
        sent = peer.world.send_file(ANN, ANN, kind="photo", name="b.jpg", data=b"other")
        await peer.told("echo [Sent a photo]", ANN)
        peer.world.say(ANN, ANN, "and this?", reply_to=sent["message_id"])
        await peer.told("echo and this?", ANN)
        peer.world.send_file(ANN, ANN, kind="sticker", name="c.webp", data=b"webp")
        await peer.told("echo [Sent a sticker", ANN)
        await service.dispatcher.wait_until_idle()
    first, second, again, sticker = bots.conversation.turns
    assert [(picture.data, picture.mime, picture.kind) for picture in sticker.pictures] == [(b"webp", "image/webp", "")]
    assert [(picture.data, picture.mime, picture.kind) for picture in first.pictures] == [
        (b"jpeg", "image/jpeg", "Photo")
    ]
    assert first.pictures[0].source.startswith(f"{first.source}:")
    assert (second.text_without_attachments, second.is_wordless) == ("[Sent a photo]", True)
    assert [(picture.data, picture.kind) for picture in again.pictures] == [(b"other", "")]


async def test_an_album_is_one_turn(bots: Bots, peer: Peer) -> None:
    bots.model = Seeing()
    async with bots.running() as service:
        for number, caption in enumerate(["my trip", "", "", ""]):
            name, data = f"{number}.jpg", b"%d" % number
            peer.world.send_file(ANN, ANN, kind="photo", name=name, data=data, caption=caption, album="13")
        await peer.told("echo my trip", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    [turn] = bots.conversation.turns
    assert [picture.data for picture in turn.pictures] == [b"0", b"1", b"2", b"3"]
    assert len(turn.pieces) == 4


async def test_forwarded_messages_are_one_turn(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        for text in ("one", "two", "three"):
            peer.world.say(ANN, ANN, text, forward_from="Bob")
        await peer.told("echo [Forwarded from Bob]", ANN)
        await service.dispatcher.wait_until_idle()
    [turn] = bots.conversation.turns
    assert [piece.origin for piece in turn.pieces] == ["forwarded"] * 3


@pytest.mark.parametrize(("kind", "setting"), [("photo", "OPENAI_MODEL"), ("voice", "TRANSCRIPTION_MODEL")])
async def test_what_cannot_be_seen_or_heard_names_what_to_set(bots: Bots, peer: Peer, kind: str, setting: str) -> None:
    async with bots.running() as service:
        peer.world.send_file(ANN, ANN, kind=kind, name="a", data=b"1")
        await peer.told(setting, ANN)
        peer.world.send_file(ANN, ANN, kind=kind, name="a", data=b"1", caption="and the words?")
        await peer.told("echo and the words?", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    [turn] = bots.conversation.turns
    assert turn.pictures == ()


async def _at_once(seconds: float) -> None:
    """A pause that nobody waits for."""


async def test_what_is_said_is_shown_and_what_telegram_recorded_becomes_the_persons_words(
    bots: Bots, peer: Peer
) -> None:
    transcriber = partial(Transcriber, model="hears", api_key=Secret(""), sleep=_at_once)
    async with running() as (server, url), transcriber(base_url=url) as hears:
        server.script("hears", "I live in Riga.", Behaviour(status=500), Behaviour(status=404), "Second.")
        bots.transcriber = hears
        async with bots.running() as service:
            peer.world.send_file(ANN, ANN, kind="voice", name="a.ogg", data=b"ogg")
            shown = await peer.told("I live in Riga.", ANN)
            await peer.told("echo I live in Riga.", ANN)
            peer.world.send_file(ANN, ANN, kind="video_note", name="b.mp4", data=b"mp4")
            await peer.told("Check TRANSCRIPTION_MODEL", ANN)
            peer.world.send_file(ANN, ANN, kind="audio", name="c.mp3", data=b"mp3", caption="and this?")
            await peer.told("Second.", ANN)
            await service.dispatcher.wait_until_idle()
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


async def test_one_persons_files_in_several_chats_leave_places_for_others(bots: Bots, peer: Peer) -> None:
    """As many recordings that are never heard to their end as there are places kept everybody else's files waiting."""
    places: list[tuple[int, int | None]] = [(ANN, None), (GROUP, None), (FORUM, None), (FORUM, TOPIC)]
    assert len(places) == MAX_FETCHES_AT_ONCE
    async with running() as (server, url), Transcriber(model="hears", api_key=Secret(""), base_url=url) as hears:
        server.script("hears", *[Behaviour(raw='{"text": "Listen."}', hold="start")] * len(places))
        bots.transcriber = hears
        async with bots.running() as service:
            for chat, topic in places:
                peer.world.send_file(
                    ANN, chat, kind="voice", name="a.ogg", data=b"ogg", caption="@keepsake_bot hear", thread_id=topic
                )
            await server.until_held()
            await peer.confirmed()
            peer.world.send_file(BOB, BOB, kind="document", name="a.txt", data=b"x", caption="and what does this say?")
            await peer.told("echo ", BOB)
            assert len(server.requests) == 1
            for number in range(1, len(places) + 1):
                await server.until_held(number)
                await server.release()
            await service.dispatcher.wait_until_idle()


@pytest.mark.parametrize("kind", ["video", "document"])
async def test_what_has_no_words_gets_a_sentence(bots: Bots, peer: Peer, kind: str) -> None:
    async with bots.running():
        peer.world.send_file(ANN, ANN, kind=kind, name="a.bin", data=b"\0" * 9)
        await peer.told("I can't read", ANN)
        peer.world.add_person(BOB, "Bob", language_code="de")
        peer.world.send_file(BOB, BOB, kind=kind, name="a.bin", data=b"\0" * 9)
        await peer.told("Bitte schreib es mir" if kind == "video" else "kann ich nicht lesen", BOB)
        peer.world.send_file(ANN, ANN, kind="video", name="a.mp4", data=b"1", caption="what is it?")
        await peer.told("I read your text only", ANN)
    [turn] = bots.conversation.turns
    assert turn.text == "what is it?\n[Sent with a video, which was not read]"


async def test_a_document_is_read_before_the_words_that_came_with_it(bots: Bots, peer: Peer) -> None:
    text = b"The deposit is 900 euros.\nIt is due in May."
    async with bots.running() as service:
        peer.world.send_file(ANN, ANN, kind="document", name="lease.txt", data=text, caption="when is it due?")
        await peer.told("echo ", ANN)
        peer.world.send_file(ANN, ANN, kind="document", name="lease.txt", data=text)
        await peer.confirmed()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    asked, bare = bots.conversation.turns
    assert asked.attached_passages == ("[lease.txt, lines 1–2]\nThe deposit is 900 euros.\nIt is due in May.",)
    assert asked.text_without_attachments == "when is it due?\n[Sent with the file lease.txt]"
    assert [(piece.origin, piece.source.count(":")) for piece in asked.pieces] == [("document", 2), ("", 1)]
    assert bare.text_without_attachments == "[Sent the file lease.txt]"


async def test_a_file_that_cannot_be_fetched_is_said_and_its_words_are_answered(bots: Bots, peer: Peer) -> None:
    peer.fault("error", "getFile", error_code=400, description="Bad Request: wrong file_id")
    async with bots.running() as service:
        peer.world.send_file(ANN, ANN, kind="document", name="a.txt", data=b"x", caption="what does it say?")
        await peer.told("no longer has this file", ANN)
        await service.dispatcher.wait_until_idle()
    [turn] = bots.conversation.turns
    assert turn.text == "what does it say?\n[Sent with the file a.txt]"


async def test_a_file_is_as_large_as_it_turns_out_to_be(
    bots: Bots, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its message says what its sender's program said; a server of one's own gives out files of any size."""
    lying = {"file_id": "BQACAgIAAxkBAAI000000", "file_unique_id": "u", "file_size": 1}
    monkeypatch.setattr(StoredFile, "to_file_json", lambda _: lying)
    monkeypatch.setattr(documents, "MAX_FETCHED_BYTES", 100)
    async with bots.running() as service:
        peer.world.send_file(ANN, ANN, kind="document", name="a.txt", data=b"x" * 101, caption="what does it say?")
        await peer.told("This file is larger", ANN)
        await service.dispatcher.wait_until_idle()
    [turn] = bots.conversation.turns
    assert turn.attached_passages == ()


@pytest.mark.parametrize("name", ["result.json", "data-2026-11-27-batch-0000.zip", "MyActivity.json"])
async def test_an_export_that_was_not_announced_is_not_read_as_a_document(bots: Bots, peer: Peer, name: str) -> None:
    async with bots.running():
        peer.world.send_file(ANN, ANN, kind="document", name=name, data=b"{}")
        await peer.told("send /import first", ANN)
    assert bots.conversation.turns == []


async def test_in_a_group_a_document_is_read_where_its_caption_names_the_bot(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        peer.world.send_file(ANN, GROUP, kind="document", name="a.txt", data=b"private")
        peer.world.send_file(ANN, GROUP, kind="document", name="b.txt", data=b"shared", caption="@keepsake_bot read it")
        await peer.told("echo ", GROUP)
        await service.dispatcher.wait_until_idle()
    [turn] = bots.conversation.turns
    assert turn.attached_passages == ("[b.txt, line 1]\nshared",)


async def test_a_stranger_is_told_their_id_and_nothing_in_groups(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        peer.world.say(EVE, EVE, "hello")
        peer.world.say(EVE, EVE, "/start")
        peer.world.say(EVE, GROUP, "@keepsake_bot hello")
        peer.world.say(ANN, ANN, "mine")
        await peer.told("echo mine", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert [str(EVE) in told for told in peer.texts(EVE)] == [True, True]
    assert peer.texts(GROUP) == []
    assert [turn.text for turn in bots.conversation.turns] == ["mine"]


@pytest.mark.parametrize("privacy", [False, True])
async def test_a_group_is_answered_when_it_addresses_the_bot(bots: Bots, peer: Peer, privacy: bool) -> None:
    peer.world.privacy_mode = privacy
    async with bots.running() as service:
        peer.world.say(ANN, GROUP, "not for you")
        peer.world.say(BOB, GROUP, "Hi 😀 @Keepsake_Bot, how are you?")
        answer = await peer.told("echo Hi 😀, how are you?", GROUP)
        peer.world.say(ANN, GROUP, "and me", reply_to=answer["answer"]["result"]["message_id"])
        await peer.told("echo and me", GROUP)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert [turn.scope.owner for turn in bots.conversation.turns] == [GROUP, GROUP]
    assert all(turn.in_group for turn in bots.conversation.turns)


async def test_what_is_not_addressed_to_the_bot_is_never_written(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        assert bots.toys
        await bots.toys.ask_for("20", Scope(owner=GROUP), ANN)
        peer.world.say(ANN, GROUP, "secret of the group")
        peer.world.say(ANN, GROUP, "/other@another_bot secret")
        peer.world.say(ANN, GROUP, "20")
        await peer.told("wizard took 20", GROUP)
        await service.dispatcher.wait_until_idle()
        database = bots.inbox.database
        async with database.open_reader(None) as reader:
            assert await reader.fetch_rows("SELECT * FROM updates") == []


async def test_a_paste_in_a_group_needs_its_mention_only_once(bots: Bots, peer: Peer) -> None:
    words = "@keepsake_bot " + "x" * 9000
    async with bots.running():
        peer.world.say(ANN, GROUP, words)
        await peer.told("echo x", GROUP)
    [turn] = bots.conversation.turns
    assert turn.text == "x" * 9000


async def test_topics_are_scopes_of_their_own(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hang")
    async with bots.running():
        peer.world.say(ANN, FORUM, "@keepsake_bot hang", thread_id=TOPIC)
        await bots.conversation.begun["hang"].wait()
        peer.world.say(ANN, FORUM, "@keepsake_bot general")
        await peer.told("echo general", FORUM)
    assert [turn.scope.thread for turn in bots.conversation.turns] == [TOPIC, 0]


async def test_only_a_groups_admins_may_configure_it(bots: Bots, peer: Peer) -> None:
    async with bots.running():
        peer.world.say(ANN, GROUP, "/admin")
        await peer.told("did admin True", GROUP)
        peer.world.say(BOB, GROUP, "/admin@keepsake_bot")
        await peer.told("did admin False", GROUP)


async def test_an_edit_is_taken_in_after_its_message_and_a_new_answer_is_offered(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("first")
    async with bots.running() as service:
        message = peer.world.say(ANN, ANN, "first")
        await bots.conversation.begun["first"].wait()
        peer.world.edit_message(ANN, ANN, message["message_id"], "other")
        await peer.confirmed()
        assert bots.conversation.corrected == [], "the message itself is still being answered"
        gate.set()
        await peer.told(tr("answers-offer"), ANN)
        peer.world.edit_message(ANN, ANN, message["message_id"], "of long ago")
        await peer.confirmed()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.corrected == [(message["message_id"], text) for text in ("other", "of long ago")]
    assert len(bots.conversation.turns) == 1
    assert [text for text in peer.texts(ANN) if text.startswith(tr("answers-offer"))] == [tr("answers-offer")]


async def test_stop_leaves_an_edit_alone(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("other")
    async with bots.running() as service:
        message = peer.world.say(ANN, ANN, "first")
        await peer.told("echo first", ANN)
        peer.world.edit_message(ANN, ANN, message["message_id"], "other")
        await bots.conversation.begun["other"].wait()
        peer.world.say(ANN, ANN, "/stop")
        await peer.told(tr("answers-nothing-to-stop"), ANN)
        gate.set()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.corrected == [(message["message_id"], "other")]


async def test_what_the_store_has_not_taken_yet_stays_in_the_inbox(bots: Bots, peer: Peer) -> None:
    """A kill before it is written lost the message: answered, marked as done, and stored nowhere."""
    bots.conversation.unwritten = []
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "while it fails")
        await peer.told("echo while it fails", ANN)
        await service.dispatcher.wait_until_idle()
        assert len(await bots.pending()) == 1
        [written] = bots.conversation.unwritten
        await written()
        assert await bots.pending() == []


@pytest.mark.parametrize("topic", [None, TOPIC])
async def test_an_edit_that_waits_in_a_topic_outlives_every_stop(bots: Bots, peer: Peer, topic: int | None) -> None:
    """In the topic /stop ends the answer before it; elsewhere, nothing."""
    bots.conversation.gate("second")
    async with bots.running() as service:
        message = peer.world.say(ANN, FORUM, "@keepsake_bot first", thread_id=TOPIC)
        await peer.told("echo first", FORUM)
        peer.world.say(ANN, FORUM, "@keepsake_bot second", thread_id=TOPIC)
        await bots.conversation.begun["second"].wait()
        peer.world.edit_message(ANN, FORUM, message["message_id"], "@keepsake_bot other")
        await peer.confirmed()
        for _ in range(2):
            peer.world.say(ANN, FORUM, "/stop@keepsake_bot", thread_id=topic)
            await peer.confirmed()
        if topic is None:
            peer.world.say(ANN, FORUM, "/stop@keepsake_bot", thread_id=TOPIC)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.corrected == [(message["message_id"], "other")]


async def test_an_edit_of_a_stranger_or_of_what_is_not_addressed_is_written_nowhere(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        message = peer.world.say(EVE, EVE, "let me in")
        await peer.told("your Telegram id", EVE)
        peer.world.edit_message(EVE, EVE, message["message_id"], "other")
        await peer.confirmed()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert bots.conversation.corrected == []
    assert len(peer.texts(EVE)) == 1


async def test_an_unexpected_error_is_one_log_line_and_one_sentence(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    bots.conversation.fails["secret words"] = RuntimeError("secret words")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "secret words")
        await peer.told("Something went wrong here", ANN)
        peer.world.say(ANN, ANN, "next")
        await peer.told("echo next", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    ours = [record for record in caplog.records if record.name.startswith("telegram_ui")]
    assert any("RuntimeError" in record.getMessage() for record in ours)
    assert "secret words" not in "".join(record.getMessage() for record in caplog.records)


async def test_an_answer_whose_fate_is_unknown_is_sent_once_more_and_never_a_third_time(bots: Bots, peer: Peer) -> None:
    peer.fault("drop_after", "sendMessage", times=5, chat_id=ANN)
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN) == ["echo hello"] * 2


async def test_an_answer_that_a_button_asked_for_is_sent_as_any_other(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.told("did help me", ANN)
        peer.fault("drop_after", "sendMessage", times=5, chat_id=ANN)
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.told("echo Go on", ANN)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN)[1:] == [f"echo {tr('answers-go-on')}"] * 2


async def test_what_a_button_asked_for_is_not_asked_again_by_the_next_run(bots: Bots, peer: Peer) -> None:
    data = Buttons(TOKEN.encode()).make_signed_callback_data(GO_ON, Chat(id=ANN), Person(id=ANN, name="Ann"), "1.once")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "/help me")
        message = await peer.told("did help me", ANN)
        peer.fault("hang", "sendMessage", chat_id=ANN)
        since = peer.world.calls.last
        peer.world.press_button(ANN, ANN, message["answer"]["result"]["message_id"], data)
        await peer.called("sendMessage", chat=ANN, since=since)
        closing = asyncio.create_task(service.dispatcher.close())
        await asyncio.sleep(0)
        peer.faults.clear_faults()
        await closing
        assert await bots.pending() == []


async def test_an_answer_that_was_cut_off_before_its_effect_arrives_once(bots: Bots, peer: Peer) -> None:
    peer.fault("drop_before", "sendMessage", chat_id=ANN)
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await peer.called("sendMessage", chat=ANN)
        await service.dispatcher.wait_until_idle()
    assert peer.texts(ANN) == ["echo hello"]


async def test_each_run_sends_once_more_what_the_run_before_it_died_over(bots: Bots, peer: Peer) -> None:
    """A run may die before its sending has any effect: an answer that was never sent for sure is never given up."""
    update_id = peer.world.updates.next_id
    peer.fault("hang", "sendMessage", times=3, chat_id=ANN)
    peer.world.say(ANN, ANN, "hello")
    for _ in range(3):
        since = peer.world.calls.last
        async with bots.running() as service:
            await peer.called("sendMessage", chat=ANN, since=since)
            await service.dispatcher.close(grace=0)
    assert await bots.pending() == [update_id]
    async with bots.running() as service:
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN) == ["echo hello"] * 4


@pytest.mark.parametrize("kind", ["server_error", "retry_after"])
async def test_a_refusal_is_overcome_and_counts_for_nothing(bots: Bots, peer: Peer, kind: str) -> None:
    peer.fault(kind, "sendMessage", times=1, chat_id=ANN)
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await peer.called("sendMessage", chat=ANN)
        await service.dispatcher.wait_until_idle()
    assert peer.texts(ANN) == ["echo hello"]


async def test_a_chat_that_is_gone_is_let_go(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("hello")
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await bots.conversation.begun["hello"].wait()
        peer.world.block_bot(ANN)
        gate.set()
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []


async def test_a_command_that_is_being_done_is_done_before_the_bot_stops(bots: Bots, peer: Peer) -> None:
    peer.fault("hang", "sendMessage", chat_id=ANN)
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "/help")
        await peer.told("did help", ANN)
        closing = asyncio.create_task(service.dispatcher.close(grace=4))
        await asyncio.sleep(0)
        peer.faults.release_hanging_calls()
        await closing
        assert await bots.pending() == []
    assert len(peer.texts(ANN)) == 1


async def test_stopping_in_the_middle_breaks_the_answer_off_and_the_next_run_answers_again(
    bots: Bots, peer: Peer
) -> None:
    bots.settings = replace(bots.settings, reply_streaming="edit")
    gate = bots.conversation.gate("hello")
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("partly hello", ANN)
    [shown] = peer.texts(ANN)
    assert "broken off" in shown
    assert len(await bots.pending()) == 1
    assert bots.conversation.finished == []
    gate.set()
    async with bots.running() as service:
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN)[-1] == "echo hello"
    assert bots.conversation.turns[0].source == bots.conversation.turns[1].source


async def test_an_answer_that_was_killed_while_it_was_shown_is_written_on_in_its_message(
    bots: Bots, peer: Peer
) -> None:
    bots.settings = replace(bots.settings, reply_streaming="edit")
    gate = bots.conversation.gate("hello")
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        shown = (await peer.told("partly hello", ANN))["answer"]["result"]["message_id"]
        [row] = await bots.inbox.list_pending_updates(4242)
        while not row.shown:
            await asyncio.sleep(0)
            [row] = await bots.inbox.list_pending_updates(4242)
        assert row.shown == (shown,)
    await bots.inbox.record_answer_messages(4242, row.update_id, row.shown)  # as a run leaves it that is killed
    gate.set()
    async with bots.running() as service:
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(ANN) == ["echo hello"]


async def test_pieces_of_a_paste_survive_a_stop_and_stay_one_turn(bots: Bots, peer: Peer) -> None:
    async with bots.running():
        peer.world.say(ANN, ANN, "a" * 4096)
        await peer.confirmed()
    assert bots.conversation.turns == []
    peer.world.say(ANN, ANN, "b" * 10)
    async with bots.running():
        await peer.told("echo a", ANN)
    [turn] = bots.conversation.turns
    assert [len(piece.text) for piece in turn.pieces] == [4096, 10]


async def test_notices_of_settling_are_said_in_the_chat(bots: Bots, peer: Peer) -> None:
    bots.conversation.notices = ("A fold failed.",)
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("A fold failed.", ANN)


async def test_an_edit_that_leaves_no_words_is_taken_in_and_offers_no_answer(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        message = peer.world.say(ANN, GROUP, "@keepsake_bot my secret")
        await peer.told("echo my secret", GROUP)
        peer.world.edit_message(ANN, GROUP, message["message_id"], "@keepsake_bot")
        await peer.confirmed()
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.corrected == [(message["message_id"], NO_WORDS)]
    assert tr("answers-offer") not in peer.texts(GROUP)


async def test_a_message_belongs_to_the_conversation_that_was_open_when_it_came(bots: Bots, peer: Peer) -> None:
    """Whatever waits before it; and to the one that is open now, where that one was forgotten while it waited."""
    place, second, third = Scope(owner=ANN), Scope(owner=ANN, thread=2**41), Scope(owner=ANN, thread=2**42)
    gate = bots.conversation.gate("slow")
    async with bots.running() as service:
        for opened, text in ((place, "slow"), (second, "second"), (third, "forgotten"), (second, "last")):
            bots.memory.open[place] = opened
            peer.world.say(ANN, ANN, text)
            peer.world.say(ANN, ANN, f"/help {text}")
            await peer.told(f"did help {text}", ANN)
        bots.memory.forgotten.add(third)
        gate.set()
        await peer.told("echo last", ANN)
        await service.dispatcher.wait_until_idle()
    assert [(turn.text, turn.scope) for turn in bots.conversation.turns] == [
        ("slow", place),
        ("second", second),
        ("forgotten", second),
        ("last", second),
    ]
