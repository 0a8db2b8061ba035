"""Pictures and voices that people send, and answers that are spoken, through the running bot."""

import pytest

from tests.end_to_end.harness import ANSWERS, LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

JPEG = b"\xff\xd8\xff\xe0 a small picture"


async def test_a_voice_is_heard_answered_found_later_and_its_answer_is_spoken(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="voices", TRANSCRIPTION_MODEL="hears", SPEECH_MODEL="speaks"):
        await ann.sets_up()
        house.model.script("hears", "My passport lies in the blue drawer.")
        since = ann.now
        house.world.send_file(ann.id, ann.id, kind="voice", name="voice.ogg", data=b"OggS")
        await ann.hears("My passport lies in the blue drawer.", since=since)
        answer = await ann.hears("Noted.", since=since)
        assert house.chat_requests()[-1][-1]["content"].endswith("My passport lies in the blue drawer.")
        ann.press(answer, "Listen")
        spoken = await ann.hears(lambda message: "voice" in message, since=since)
        recording = house.world.files.find_by_id(spoken["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSNoted."
        settings = await ann.tells("/settings", "Settings")
        ann.press(settings, "To voice only")
        await ann.asks("Where is it?")
        since = ann.now
        house.model.script("hears", "Thank you.")
        house.world.send_file(ann.id, ann.id, kind="voice", name="voice.ogg", data=b"OggS")
        spoken = await ann.hears(lambda message: "voice" in message, since=since)
        answer = next(message for message in reversed(ann.heard()) if message.get("text") == "Noted.")
        assert spoken["reply_to_message"]["message_id"] == answer["message_id"]
        assert len([message for message in ann.heard() if "voice" in message]) == 2
        assert "blue drawer" in await ann.asks("/search passport")


async def test_a_photo_is_shown_to_the_model_and_found_later(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="photos"):
        await ann.sets_up()
        house.model.script(ANSWERS, "It is the red bike by the harbour.")
        since = ann.now
        house.world.send_file(ann.id, ann.id, kind="photo", name="bike.jpg", data=JPEG, caption="Which bike is it?")
        await ann.hears("It is the red bike", since=since)
        asked = str(house.chat_requests()[-1][-1]["content"])
        assert asked.count("'type': 'image_url'") == 1
        assert "Which bike is it?" in asked
        assert "red bike" in await ann.asks("/search harbour")
