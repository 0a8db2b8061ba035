"""Speech models at an endpoint: text to speech, and transcription."""

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from llm.endpoint import CallTimer, EndpointClient, ModelAddress
from llm.event_reader import EventReader
from llm.failures import raise_unreadable
from llm.meant_json import parse_json_or_none
from llm.partial_answer import PartialAnswer
from llm.tool_calls import ToolOffer
from locales.catalog import tr
from records.errors import ModelBroken
from text.characters import find_grapheme_start, repair_surrogates

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

MAX_SPOKEN_CHARS = 4_096  # characters of one request (OpenAI, /audio/speech); a message of Telegram has no more
MAX_RECORDING_BYTES = 8_000_000  # bytes: an hour of speech in Opus
_OGG = b"OggS"  # the beginning of a file that Telegram plays as a voice message (Bot API, sendVoice)


class SpeechModel(EndpointClient):
    """A text-to-speech model at an endpoint, used as an async context manager."""

    settings = replace(EndpointClient.settings, model="SPEECH_MODEL")
    timeout_factor = 3  # since some servers send nothing before they have spoken all of it

    def __init__(self, *, voice: str, **connection: Unpack[ModelAddress]) -> None:
        super().__init__(**connection)
        self._voice = voice

    async def synthesize_speech(self, text: str) -> bytes:
        """Return speech as Ogg Opus. Cut the text to the limit of one request. Raise ModelError on failure."""
        words = repair_surrogates(text)[: find_grapheme_start(text, MAX_SPOKEN_CHARS, 0)]
        return await self._retry_until_answered(partial(self._request_speech, words))

    async def probe_and_describe(self) -> str:
        """Speak one word and return a status line. Raise ModelError on failure."""
        await self.synthesize_speech("Hello.")
        return f"model {self.name} speaks"

    async def _request_speech(self, text: str, client: "OpenAIClient", timer: CallTimer) -> bytes:
        request = {"model": self.name, "input": text, "voice": self._voice, "response_format": "opus"}
        async with client.post("/audio/speech", request, timer.restart_timeout) as response:
            recording = await response.read_body(MAX_RECORDING_BYTES)
        if recording.startswith(b"{"):
            raise_unreadable(parse_json_or_none(recording.decode("utf-8", "replace")))
        if not recording.startswith(_OGG):
            raise ModelBroken(remedy=tr("errors-check", settings="SPEECH_MODEL"))
        return recording


MAX_TRANSCRIPT_CHARS = 100_000  # characters; two hours of speech have fewer
# A second as a WAV file: one channel, 16,000 samples of 16 bits.
_SILENCE = b"RIFF$}\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80>\0\0\0}\0\0\2\0\x10\0data\0}\0\0" + bytes(32_000)
# The heading of WebVTT, and the numbers and times of both it and SubRip.
_SUBTITLE_MARKS = re.compile(r"^(?:WEBVTT.*|(?:\d+\s+)?(?:\d+:)?\d+:\d+[,.]\d+ *-->.*)$\s*", re.MULTILINE)
MAX_ANSWER_BYTES = 2_000_000  # bytes of an answer that are read: some servers send times for each word


class Transcriber(EndpointClient):
    """A transcription model at an endpoint, used as an async context manager."""

    settings = replace(EndpointClient.settings, model="TRANSCRIPTION_MODEL")
    timeout_factor = 3  # since the endpoint sends nothing before it has heard all of it

    async def transcribe(self, data: bytes, name: str, mime: str) -> str:
        """Return the text of a recording, or "" for silence. Raise ModelError on failure."""
        return await self._retry_until_answered(partial(self._request_transcript, data, name, mime))

    async def probe_and_describe(self) -> str:
        """Transcribe a second of silence and return a status line. Raise ModelError on failure."""
        await self.transcribe(_SILENCE, "silence.wav", "audio/wav")
        return f"model {self.name} answers"

    async def _request_transcript(
        self, data: bytes, name: str, mime: str, client: "OpenAIClient", timer: CallTimer
    ) -> str:
        request = {"model": self.name, "response_format": "json"}
        file = (name, data, mime or "application/octet-stream")
        async with client.post("/audio/transcriptions", request, timer.restart_timeout, file=file) as response:
            body = await response.read_body(MAX_ANSWER_BYTES)
        return repair_surrogates(_parse_transcript(body)).strip()[:MAX_TRANSCRIPT_CHARS]


def _parse_transcript(body: bytes) -> str:
    """Return the text of JSON, events, subtitles or plain text. Raise a ModelError or StatusError if there is none."""
    reader = EventReader()
    events = [*reader.feed(body), *reader.parse_rest_of_body()]
    if not events:
        text = body.decode("utf-8", "replace").strip()
        if text.startswith(("{", "[", "<")):  # the page of a gateway
            raise ModelBroken(remedy="(malformed)")
        parsed = parse_json_or_none(text)
        return parsed if isinstance(parsed, str) else _SUBTITLE_MARKS.sub("", text)
    answer = PartialAnswer(offer=ToolOffer())
    for event in events:
        answer.add_chunk_and_count_chars(event)
    if not answer.text and not any("text" in event for event in events):  # it is empty after silence
        raise_unreadable(events[-1])
    return answer.text
