"""A trial of a model for --check: whether it answers, calls a tool, and keeps to a JSON schema.

What a model cannot do is no failure here: the bot does without.
"""

import json

from llm.chat_model import ChatModel
from records.errors import ModelBroken, ModelDeclined, ModelRefused
from records.model_calls import PromptMessage, Tool

_WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
TOOL = Tool(name="note", description="Notes a word.", parameters=_WORD)
SCHEMA = {"name": "trial", "strict": True, "schema": {**_WORD, "additionalProperties": False}}
UNFIT = (ModelRefused, ModelBroken, ModelDeclined)
"""Errors of a model that cannot do a thing, rather than cannot be reached."""


async def trial(model: ChatModel, *, tools: bool, schema: bool) -> str:
    """One line: that the model answers, and what it can do. Raises a ModelError where it does not answer."""
    found = [await model.check()]
    if tools:
        found.append(await _tools(model))
    if schema:
        found.append(await _schema(model))
    return ", ".join(found)


async def _tools(model: ChatModel) -> str:
    if not model.takes_tools:
        return "takes no tools"
    equipped, asked = model.with_tools([TOOL]), "Call the tool `note` with the word: ok"
    try:
        made = await equipped.complete([PromptMessage(role="user", content=asked)])
    except UNFIT:
        return "failed when it was offered a tool"
    if not equipped.takes_tools:
        return "takes no tools"
    if any(call.name == TOOL.name for call in made.calls):
        return "calls tools" if equipped.reasons_with_tools else "calls tools with reasoning_effort none"
    return "did not call the tool that it was offered"


async def _schema(model: ChatModel) -> str:
    asked = PromptMessage(role="user", content='Reply with this JSON object: {"word": "ok"}')
    try:
        made = await model.complete([asked], schema=SCHEMA)
        answer = json.loads(made.text)
    except (*UNFIT, ValueError, RecursionError):
        return "does not keep to a JSON schema"
    fits = isinstance(answer, dict) and isinstance(answer.get("word"), str)
    return "keeps to a JSON schema" if fits else "does not keep to a JSON schema"
