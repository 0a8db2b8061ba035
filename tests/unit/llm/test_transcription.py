"""The transcribing endpoint, over real HTTP: long answers, answers in pieces, and answers that are none."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from llm.speech import MAX_ANSWER_BYTES, MAX_TRANSCRIPT_CHARS, Transcriber
from records.errors import ModelBroken, ModelBusy, ModelError, ModelRefused
from settings import Secret
from tests.peers.openai_server import Behaviour, OpenAIServer, running


async def no_pause(seconds: float) -> None:
    return


@pytest.fixture
async def endpoint() -> AsyncIterator[tuple[OpenAIServer, Transcriber]]:
    async with (
        running() as (server, url),
        Transcriber(model="hears", api_key=Secret("k"), base_url=url, sleep=no_pause) as hears,
    ):
        yield server, hears


def told(text: str, *, padding: int = 0) -> str:
    """An answer that tells more than the words, as some servers do, before them."""
    return json.dumps({"words": "w" * padding, "text": text})


async def test_a_recording_is_sent_and_its_words_come_back(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    assert await hears.transcribe(b" buy milk ", "voice.ogg", "audio/ogg") == "buy milk"
    assert server.requests[0].body == {"model": "hears", "name": "voice.ogg", "size": 10}
    assert await hears.probe_and_describe() == "model hears answers"


async def test_a_long_answer_is_read_to_its_end(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    server.script("hears", Behaviour(raw=told("buy milk", padding=1_500_000), plain=True))
    assert await hears.transcribe(b"-", "voice.ogg", "audio/ogg") == "buy milk"
    server.script("hears", Behaviour(text="a" * (MAX_TRANSCRIPT_CHARS + 1)))
    assert len(await hears.transcribe(b"-", "voice.ogg", "audio/ogg")) == MAX_TRANSCRIPT_CHARS


async def test_an_answer_in_pieces_is_read_to_its_end(endpoint: tuple[OpenAIServer, Transcriber]) -> None:
    server, hears = endpoint
    server.script("hears", Behaviour(raw=told("buy milk", padding=500_000), plain=True, hold="middle"))
    asked = asyncio.create_task(hears.transcribe(b"-", "voice.ogg", "audio/ogg"))
    await server.until_held()
    await server.release()
    assert await asked == "buy milk"


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Behaviour(raw=told("x", padding=MAX_ANSWER_BYTES), plain=True)], ModelBroken),
        ([Behaviour(raw="[" * 100_000, plain=True)], ModelBroken),
        ([Behaviour(raw="{no json", plain=True)], ModelBroken),
        ([Behaviour(raw='{"text": 3}', plain=True)], ModelBroken),
        ([Behaviour(status=401)], ModelRefused),
        ([Behaviour(status=400, raw="[" * 30_000)], ModelRefused),
        ([Behaviour(status=500)] * 3, ModelBusy),
    ],
)
async def test_each_failure_is_told(
    endpoint: tuple[OpenAIServer, Transcriber], answers: list[Behaviour], kind: type[ModelError]
) -> None:
    server, hears = endpoint
    server.script("hears", *answers)
    with pytest.raises(kind):
        await hears.transcribe(b"-", "voice.ogg", "audio/ogg")
    assert len(server.requests) == len(answers)
