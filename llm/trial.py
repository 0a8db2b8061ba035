"""Probes a model's capabilities and warns about models that their endpoint will shut down."""

import asyncio
import json
import logging
from contextlib import aclosing
from datetime import date

from llm.chat_model import ChatModel
from llm.endpoint import open_client
from records.errors import ModelBroken, ModelDeclined, ModelRefused
from records.model_calls import PromptMessage, Tool
from records.scopes import Clock
from settings import Settings

log = logging.getLogger(__name__)

_WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
TOOL = Tool(name="note", description="Notes a word.", parameters=_WORD)
SCHEMA = {"name": "trial", "strict": True, "schema": {**_WORD, "additionalProperties": False}}
UNFIT = (ModelRefused, ModelBroken, ModelDeclined)  # errors of a model that lacks an ability
WARNED_DAYS = 60  # providers announce a shutdown months before: earlier it would only be noise
SECONDS = 20.0  # time limit for reading the list of models


async def describe_model(model: ChatModel, *, probes_tools: bool, probes_schema: bool) -> str:
    """Probe a model and return a line that lists its capabilities. Raise ModelError if it does not answer."""
    found = [await model.probe_and_describe()]
    if probes_tools:
        found.append(await _describe_tool_support(model))
    if probes_schema:
        found.append(await _describe_schema_support(model))
    return ", ".join(found)


async def _describe_tool_support(model: ChatModel) -> str:
    equipped, asked = model.with_tools([TOOL]), "Call the tool `note` with the word: ok"
    try:
        made = await equipped.complete([PromptMessage(role="user", content=asked)])
    except UNFIT:
        return "failed when it was offered a tool"
    if not equipped.supports_tools:
        return "takes no tools"
    if any(call.name == TOOL.name for call in made.calls):
        return "calls tools" if equipped.supports_reasoning_with_tools else "calls tools with reasoning_effort none"
    return "did not call the tool that it was offered"


async def _describe_schema_support(model: ChatModel) -> str:
    asked = PromptMessage(role="user", content='Reply with this JSON object: {"word": "ok"}')
    try:
        made = await model.complete([asked], schema=SCHEMA)
        answer = json.loads(made.text)
    except (*UNFIT, ValueError, RecursionError):
        return "does not keep to a JSON schema"
    fits = isinstance(answer, dict) and isinstance(answer.get("word"), str)
    return "keeps to a JSON schema" if fits else "does not keep to a JSON schema"


async def describe_model_shutdowns(settings: Settings, today: date) -> list[str]:
    """Return a sentence for each configured model that its endpoint will shut down soon."""
    variables = {
        settings.speech_model: "SPEECH_MODEL",
        settings.transcription_model: "TRANSCRIPTION_MODEL",
        settings.embedding_model: "EMBEDDING_MODEL",
        **dict.fromkeys(settings.openai_models, "OPENAI_MODELS"),
        settings.summary_model: "SUMMARY_MODEL",
        settings.openai_model: "OPENAI_MODEL",
    }
    address = {"api_key": settings.openai_api_key.value, "base_url": settings.openai_base_url}
    try:
        async with asyncio.timeout(SECONDS), aclosing(await asyncio.to_thread(open_client, **address)) as client:
            ends = await client.list_shutdown_dates()
    except TimeoutError:
        return []
    return [
        f"{model} ends on {ends[model]}, says its endpoint: name another in {variable}."
        for model, variable in variables.items()
        if model in ends and (ends[model] - today).days <= WARNED_DAYS
    ]


async def warn_of_model_shutdowns(settings: Settings, clock: Clock) -> None:
    if settings.openai_api_key.value or settings.openai_base_url:  # else nothing is asked of an endpoint
        for sentence in await describe_model_shutdowns(settings, clock().date()):
            log.warning("%s", sentence)
