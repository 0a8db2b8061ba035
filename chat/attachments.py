"""Reads documents, checks pictures, transcribes recordings and speaks answers. Does not fetch files."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from attrs import define, field

from attachments import documents
from external_memory import ExternalMemory
from llm.chat_model import ChatModel, cap_at_model_limit, choose_model
from llm.quota import Quota
from llm.speech import SpeechModel, Transcriber
from locales.catalog import tr
from records.attachments import DocumentText
from records.errors import DocumentUnreadable, StorageError


@define(kw_only=True, eq=False)
class Attachments:
    """Reads documents and transcribes recordings. `models` are the chat models that owners can choose."""

    _memory: ExternalMemory
    _models: Mapping[str, ChatModel]
    _quota: Quota
    _max_prompt_tokens: int
    _vision: str = "auto"
    transcriber: Transcriber | None = None
    _child_slots: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(2), init=False)  # child processes

    async def read_document(self, data: bytes, name: str) -> DocumentText:
        """Return the text of a document. Raise DocumentUnreadable if it cannot be read."""
        return await documents.read_document(data, name, self._child_slots)

    async def find_picture_token_limit(self, owner_id: int) -> int:
        """Return the token limit for a turn's pictures. Raise DocumentUnreadable if the model accepts none."""
        config = None
        with suppress(StorageError):  # the turn meets it again, and says so
            config = await self._memory.get_config(owner_id)
        model = choose_model(self._models, config)
        if model.supports_pictures is not False:
            return cap_at_model_limit(model, self._max_prompt_tokens) // 4  # pictures are chosen in a size that fits
        setting = "VISION" if self._vision == "off" else f"OPENAI_MODEL ({model.name})"
        raise DocumentUnreadable(tr("files-blind"), remedy=tr("errors-check", settings=setting))

    def require_transcriber(self) -> Transcriber:
        """Return the transcription model. Raise DocumentUnreadable if there is none."""
        if self.transcriber is None:
            remedy = tr("errors-set", setting="TRANSCRIPTION_MODEL=gpt-transcribe")
            raise DocumentUnreadable(tr("files-deaf"), remedy=remedy)
        return self.transcriber

    async def transcribe_recording(self, data: bytes, name: str, mime_type: str, *, person_id: int) -> str:
        """Transcribe a recording. Raise DocumentUnreadable if it has no speech, or ModelError if the model fails."""
        transcriber = self.require_transcriber()
        await self._quota.raise_if_used_up(person_id)
        text = await transcriber.transcribe(data, name, mime_type)
        await self._quota.charge_speech(person_id, transcriber.name, transcribed_text=text)
        if not text:
            raise DocumentUnreadable(tr("files-nothing-heard"))
        return text


@define(kw_only=True, eq=False)
class Speech:
    """Turns answers into speech, and charges the tokens to the person."""

    _speaker: SpeechModel
    _quota: Quota

    async def synthesize_speech(self, text: str, *, person_id: int) -> bytes:
        """Return a voice recording of a text, in a format that Telegram plays. Raise ModelError if the model fails."""
        await self._quota.raise_if_used_up(person_id)
        recording = await self._speaker.synthesize_speech(text)
        await self._quota.charge_speech(person_id, self._speaker.name, spoken_text=text)
        return recording
