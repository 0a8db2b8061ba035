"""Text → speech, by an endpoint's /audio/speech. Does not know whose words they are, or how they are sent."""

from functools import partial
from typing import Unpack

from llm.endpoint import Connection, EndpointClient
from locales.catalog import tr
from records.errors import ModelBroken
from runtime.http_client import read_bytes
from text.characters import boundary, well_formed

LONGEST_SPOKEN = 4_096
"""Characters of one request (OpenAI, /audio/speech); a message of Telegram has no more."""
LONGEST_RECORDING = 8_000_000
"""Bytes: an hour of speech in Opus."""
_OGG = b"OggS"
"""What a file begins with that Telegram plays as a voice message (Bot API, sendVoice)."""


class Speaker(EndpointClient):
    """A speaking model at an endpoint. Use as `async with Speaker(…) as speaker`. `voice`: as the endpoint calls it."""

    model_setting = "SPEECH_MODEL"
    silence = 3
    """Some servers send nothing before they have spoken all of it."""

    def __init__(self, *, voice: str, **connection: Unpack[Connection]) -> None:
        super().__init__(**connection)
        self._voice = voice

    async def speak(self, text: str) -> bytes:
        """A recording in Ogg with Opus of as much of a text as one request takes. Raises a ModelError."""
        words = well_formed(text)[: boundary(text, LONGEST_SPOKEN, 0)]
        return await self._answered(partial(self._ask, words))

    async def check(self) -> str:
        """Has one word spoken, which proves address, key, model and voice. Raises a ModelError."""
        await self.speak("Hello.")
        return f"model {self._model} speaks"

    async def _ask(self, words: str) -> bytes:
        request = {"model": self._model, "input": words, "voice": self._voice, "response_format": "opus"}
        async with self._transport.post("/audio/speech", request) as response:
            recording = await read_bytes(response, LONGEST_RECORDING + 1)
        if not recording.startswith(_OGG) or len(recording) > LONGEST_RECORDING:
            raise ModelBroken(tr("errors-not-speech"))
        return recording
