"""Tests of the transcription endpoint over real HTTP: long responses, responses in pieces, and failures."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from llm.speech import MAX_ANSWER_BYTES, MAX_TRANSCRIPT_CHARS, Transcriber
from records.errors import ModelBroken, ModelBusy, ModelError, ModelRefused
from settings import Secret
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server


async def skip_pause(seconds: float) -> None:
    return


@pytest.fixture
async def endpoint() -> AsyncIterator[tuple[OpenAIServer, Transcriber]]:
    async with (
        run_openai_server() as (server, url),
        Transcriber(model="hears", api_key=Secret("k"), base_url=url, sleep=skip_pause) as hears,
    ):
        yield server, hears


def make_transcription_response(text: str, *, padding: int = 0) -> str:
    """Return a response with `padding` characters of other data before the text, as some servers send."""
    return json.dumps({"words": "w" * padding, "text": text})


async def test_transcribes_recording(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    assert await hears.transcribe(b" buy milk ", "voice.ogg", "audio/ogg") == "buy milk"
    assert server.requests[0].body == {"model": "hears", "name": "voice.ogg", "size": 10}
    assert await hears.probe_and_describe() == "model hears answers"


async def test_reads_long_response_and_limits_transcript_length(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    server.script("hears", Behaviour(raw=make_transcription_response("buy milk", padding=1_500_000), plain=True))
    assert await hears.transcribe(b"-", "voice.ogg", "audio/ogg") == "buy milk"
    server.script("hears", Behaviour(text="a" * (MAX_TRANSCRIPT_CHARS + 1)))
    assert len(await hears.transcribe(b"-", "voice.ogg", "audio/ogg")) == MAX_TRANSCRIPT_CHARS


async def test_reads_response_arriving_in_pieces(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    server.script(
        "hears", Behaviour(raw=make_transcription_response("buy milk", padding=500_000), plain=True, hold="middle")
    )
    asked = asyncio.create_task(hears.transcribe(b"-", "voice.ogg", "audio/ogg"))
    await server.wait_until_held()
    await server.release()
    assert await asked == "buy milk"


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Behaviour(raw=make_transcription_response("x", padding=MAX_ANSWER_BYTES), plain=True)], ModelBroken),
        ([Behaviour(raw="[" * 100_000, plain=True)], ModelBroken),
        ([Behaviour(raw="{no json", plain=True)], ModelBroken),
        ([Behaviour(raw='{"text": 3}', plain=True)], ModelBroken),
        ([Behaviour(status=401)], ModelRefused),
        ([Behaviour(status=400, raw="[" * 30_000)], ModelRefused),
        ([Behaviour(status=500)] * 3, ModelBusy),
    ],
)
async def test_transcription_failure_raises_matching_error(
    endpoint: tuple[OpenAIServer, Transcriber], answers: list[Behaviour], kind: type[ModelError]
) -> None:
    server, hears = endpoint
    server.script("hears", *answers)
    with pytest.raises(kind):
        await hears.transcribe(b"-", "voice.ogg", "audio/ogg")
    assert len(server.requests) == len(answers)
