"""Tests of the speech endpoint over real HTTP."""

from collections.abc import AsyncIterator

import pytest

from llm.speech import MAX_RECORDING_BYTES, MAX_SPOKEN_CHARS, SpeechModel
from records.errors import ModelBroken, ModelBusy, ModelError, ModelRefused
from settings import Secret
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server


async def skip_pause(seconds: float) -> None:
    return


@pytest.fixture
async def endpoint() -> AsyncIterator[tuple[OpenAIServer, SpeechModel]]:
    async with (
        run_openai_server() as (server, url),
        SpeechModel(model="speaks", voice="nova", api_key=Secret("k"), base_url=url, sleep=skip_pause) as speaker,
    ):
        yield server, speaker


async def test_requests_speech_in_telegram_format(endpoint: tuple[OpenAIServer, SpeechModel]) -> None:
    server, speaker = endpoint
    assert await speaker.synthesize_speech("Buy milk.") == b"OggSBuy milk."
    asked = server.requests[0]
    assert (asked.path, asked.key) == ("/v1/audio/speech", "k")
    assert asked.body == {"model": "speaks", "input": "Buy milk.", "voice": "nova", "response_format": "opus"}
    assert await speaker.probe_and_describe() == "model speaks speaks"


async def test_truncates_text_to_max_spoken_chars(endpoint: tuple[OpenAIServer, SpeechModel]) -> None:
    server, speaker = endpoint
    await speaker.synthesize_speech("a" * (MAX_SPOKEN_CHARS - 1) + "👩‍👧" + "b")
    assert server.requests[0].body["input"] == "a" * (MAX_SPOKEN_CHARS - 1)


@pytest.mark.parametrize(
    ("answers", "kind", "why"),
    [
        ([Behaviour(raw="RIFF....WAVE", plain=True)], ModelBroken, "SPEECH_MODEL"),
        ([Behaviour(raw='{"audio": "?"}', plain=True)], ModelBroken, "(malformed)"),
        ([Behaviour(raw='{"error": {"message": "model not found", "code": 404}}', plain=True)], ModelRefused, "SPEECH"),
        ([Behaviour(raw="OggS" + "x" * MAX_RECORDING_BYTES, plain=True)], ModelBroken, "end"),
        ([Behaviour(status=404)], ModelRefused, "SPEECH_MODEL"),
        ([Behaviour(status=500)] * 3, ModelBusy, "(status 500)"),
    ],
)
async def test_speech_failure_raises_matching_error(
    endpoint: tuple[OpenAIServer, SpeechModel], answers: list[Behaviour], kind: type[ModelError], why: str
) -> None:
    server, speaker = endpoint
    server.script("speaks", *answers)
    with pytest.raises(kind, match=why):
        await speaker.synthesize_speech("Buy milk.")
    assert len(server.requests) == len(answers)
