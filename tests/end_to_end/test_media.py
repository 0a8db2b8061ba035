"""Tests of photos, voice messages and spoken answers through the running bot."""

import pytest

from tests.end_to_end.harness import ANSWERS, LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

JPEG = b"\xff\xd8\xff\xe0 a small picture"


async def test_voice_message_is_transcribed_searchable_and_answered_by_voice(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="voices", TRANSCRIPTION_MODEL="hears", SPEECH_MODEL="speaks"):
        await ann.set_up_memory()
        servers.model.script("hears", "My passport lies in the blue drawer.")
        since = ann.last_event
        servers.world.send_file(ann.id, ann.id, kind="voice", name="voice.ogg", data=b"OggS")
        await ann.wait_for_message("My passport lies in the blue drawer.", since=since)
        answer = await ann.wait_for_message("Noted.", since=since)
        assert servers.list_chat_requests()[-1][-1]["content"].endswith("My passport lies in the blue drawer.")
        ann.press_button(answer, "Listen")
        spoken = await ann.wait_for_message(lambda message: "voice" in message, since=since)
        recording = servers.world.files.find_by_id(spoken["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSNoted."
        settings = await ann.ask_for_message("/settings", "Settings")
        ann.press_button(settings, "To voice only")
        await ann.ask("Where is it?")
        since = ann.last_event
        servers.model.script("hears", "Thank you.")
        servers.world.send_file(ann.id, ann.id, kind="voice", name="voice.ogg", data=b"OggS")
        spoken = await ann.wait_for_message(lambda message: "voice" in message, since=since)
        answer = next(message for message in reversed(ann.list_bot_messages()) if message.get("text") == "Noted.")
        assert spoken["reply_to_message"]["message_id"] == answer["message_id"]
        assert len([message for message in ann.list_bot_messages() if "voice" in message]) == 2
        assert "blue drawer" in await ann.ask("/search passport")


async def test_photo_is_shown_to_model_and_found_by_search(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="photos"):
        await ann.set_up_memory()
        servers.model.script(ANSWERS, "It is the red bike by the harbour.")
        since = ann.last_event
        servers.world.send_file(ann.id, ann.id, kind="photo", name="bike.jpg", data=JPEG, caption="Which bike is it?")
        await ann.wait_for_message("It is the red bike", since=since)
        asked = str(servers.list_chat_requests()[-1][-1]["content"])
        assert asked.count("'type': 'image_url'") == 1
        assert "Which bike is it?" in asked
        assert "red bike" in await ann.ask("/search harbour")
