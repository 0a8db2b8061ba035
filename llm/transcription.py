"""Recordings → the words in them, by an endpoint's /audio/transcriptions. Does not know who spoke, or why."""

import asyncio
import io
import json
import random
import wave
from collections.abc import Callable
from typing import Self

import aiohttp

from llm.endpoint import FAILURES, Endpoint, Retries, Sleep, open_transport
from records.errors import ModelBroken, ModelError
from settings import Secret
from text.characters import well_formed

LONGEST_TRANSCRIPT = 100_000
"""Characters; two hours of speech have fewer."""
LONGEST_ANSWER = 2_000_000
"""Bytes of an answer that are read: some servers send times for each word."""
PATIENCE = 3
"""Times MODEL_TIMEOUT: the endpoint sends nothing before it has heard all of it."""


class Transcriber:
    """A transcribing model at an endpoint. Use as `async with Transcriber(…) as transcriber`."""

    def __init__(
        self,
        *,
        model: str,
        api_key: Secret,
        base_url: str = "",
        timeout: float = 60.0,
        sleep: Sleep = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.name = model
        self._transport = open_transport(api_key=api_key.value, base_url=base_url)
        self._endpoint = Endpoint(
            model=model,
            timeout=timeout * PATIENCE,
            model_setting="TRANSCRIPTION_MODEL",
            key_setting="OPENAI_API_KEY",
            url_setting="OPENAI_BASE_URL",
        )
        self._retries = Retries(sleep, jitter)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    async def transcribe(self, data: bytes, name: str, mime: str) -> str:
        """What is said in a recording; "" for silence. Raises a ModelError."""
        async with self._endpoint.patience() as patience:
            return await self._attempts(data, name, mime, patience)

    async def check(self) -> str:
        """Has a second of silence written down, which proves address, key and model. Raises a ModelError."""
        await self.transcribe(_silence(), "silence.wav", "audio/wav")
        return f"model {self.name} answers"

    async def _attempts(self, data: bytes, name: str, mime: str, patience: asyncio.Timeout) -> str:
        attempt = 0
        while True:
            try:
                return await self._ask(data, name, mime)
            except FAILURES as error:
                failure: ModelError = self._endpoint.failure(error)
            if not await self._retries.pause(failure, attempt, patience):
                raise failure from None
            attempt += 1

    async def _ask(self, data: bytes, name: str, mime: str) -> str:
        form = aiohttp.FormData()
        form.add_field("model", self.name)
        form.add_field("response_format", "json")
        form.add_field("file", data, filename=name, content_type=mime or "application/octet-stream")
        async with self._transport.send_form("/audio/transcriptions", form) as response:
            read = await response.content.read(LONGEST_ANSWER) if response.content_length else await response.read()
        try:
            answer = json.loads(read)
        except ValueError:
            raise ModelBroken("The transcribing endpoint's answer was malformed.") from None
        text = answer.get("text") if isinstance(answer, dict) else None
        if not isinstance(text, str):
            raise ModelBroken("The transcribing endpoint's answer was malformed.")
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
