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


DELTAS = ('{"type": "transcript.text.delta", "delta": "Buy "}', '{"type": "transcript.text.delta", "delta": "milk."}')


@pytest.mark.parametrize(
    "body",
    [
        "Buy milk.\n",
        '"Buy milk."',
        "1\n00:00:00,000 --> 00:00:01,138\nBuy milk.\n\n",
        "WEBVTT\n\n00:00.406 --> 00:01.138\nBuy milk.\n\n",
        '{"task": "transcribe", "duration": 2.0, "segments": [{"id": 0, "text": " Buy milk."}], "text": "Buy milk."}',
        '{"segments": [{"text": " Buy"}, {"text": " milk."}]}',
        '{"result": {"text": "Buy milk.", "word_count": 2}, "success": true, "errors": []}',
        '{"transcript": "Buy milk.", "confidence": 0.9}',
        '[{"text": "Buy"}, {"text": " milk."}]',
        '{"text": "Buy"}\n{"text": " milk."}\n',
        "".join(f"data: {event}\n\n" for event in DELTAS),
        "".join(f"data: {e}\n\n" for e in (*DELTAS, '{"type": "transcript.text.done", "text": "Buy milk."}', "[DONE]")),
    ],
)
async def test_reads_transcripts_of_other_servers(endpoint: tuple[OpenAIServer, Transcriber], body: str) -> None:
    """OVH, whisper.cpp, Speaches, Workers AI and gateways answer in the form that their own users like."""
    server, hears = endpoint
    server.script("hears", Behaviour(raw=body, plain=True))
    assert await hears.transcribe(b"-", "voice.ogg", "audio/ogg") == "Buy milk."


async def test_spoken_number_is_no_subtitle(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    server.script("hears", Behaviour(raw="42\n", plain=True))
    assert await hears.transcribe(b"-", "voice.ogg", "audio/ogg") == "42"


@pytest.mark.parametrize("body", ['{"text": ""}', '{"text": null}', '{"text": "", "segments": []}', ""])
async def test_silence_is_an_empty_transcript(endpoint: tuple[OpenAIServer, Transcriber], body: str) -> None:
    server, hears = endpoint
    server.script("hears", Behaviour(raw=body, plain=True))
    assert await hears.transcribe(b"-", "voice.ogg", "audio/ogg") == ""


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Behaviour(raw=make_transcription_response("x", padding=MAX_ANSWER_BYTES), plain=True)], ModelBroken),
        ([Behaviour(raw="[" * 100_000, plain=True)], ModelBroken),
        ([Behaviour(raw="{no json", plain=True)], ModelBroken),
        ([Behaviour(raw='{"words": 3}', plain=True)], ModelBroken),
        ([Behaviour(raw="<!DOCTYPE html><p>Sign in</p>", plain=True)], ModelBroken),
        ([Behaviour(raw='{"code": 401, "message": "Invalid token"}', plain=True)], ModelRefused),
        ([Behaviour(raw='{"error": {"message": "model not found", "code": 404}}', plain=True)], ModelRefused),
        ([Behaviour(raw='{"error": {"message": "busy", "code": 503}}', plain=True)] * 3, ModelBusy),
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
