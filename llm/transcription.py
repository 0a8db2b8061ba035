"""Recordings → the words in them, by an endpoint's /audio/transcriptions. Does not know who spoke, or why."""

import io
import wave
from functools import partial

import aiohttp

from llm.endpoint import EndpointClient
from llm.transport import read_json
from locales.catalog import tr
from records.errors import ModelBroken
from text.characters import well_formed

LONGEST_TRANSCRIPT = 100_000
"""Characters; two hours of speech have fewer."""
LONGEST_ANSWER = 2_000_000
"""Bytes of an answer that are read: some servers send times for each word."""


class Transcriber(EndpointClient):
    """A transcribing model at an endpoint. Use as `async with Transcriber(…) as transcriber`."""

    model_setting = "TRANSCRIPTION_MODEL"
    silence = 3
    """The endpoint sends nothing before it has heard all of it."""

    async def transcribe(self, data: bytes, name: str, mime: str) -> str:
        """What is said in a recording; "" for silence. Raises a ModelError."""
        return await self._answered(partial(self._ask, data, name, mime))

    async def check(self) -> str:
        """Has a second of silence written down, which proves address, key and model. Raises a ModelError."""
        await self.transcribe(_silence(), "silence.wav", "audio/wav")
        return f"model {self._model} answers"

    async def _ask(self, data: bytes, name: str, mime: str) -> str:
        form = aiohttp.FormData()
        form.add_field("model", self._model)
        form.add_field("response_format", "json")
        form.add_field("file", data, filename=name, content_type=mime or "application/octet-stream")
        async with self._transport.send_form("/audio/transcriptions", form) as response:
            try:
                answer = await read_json(response, LONGEST_ANSWER)
            except ValueError:
                raise ModelBroken(tr("errors-malformed")) from None
        text = answer.get("text") if isinstance(answer, dict) else None
        if not isinstance(text, str):
            raise ModelBroken(tr("errors-malformed"))
        return well_formed(text).strip()[:LONGEST_TRANSCRIPT]


def _silence() -> bytes:
    """One second of it as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(32_000))
    return file.getvalue()
