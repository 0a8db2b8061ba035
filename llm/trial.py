"""A trial of a model for --check: whether it answers, calls a tool, and keeps to a JSON schema.

Does not know the settings. What a model cannot do is no failure here: the bot does without.
"""

import json
from base64 import b64decode

from llm.chat_model import ChatModel
from llm.window import room_for_answer
from records.attachments import Picture
from records.errors import ModelBroken, ModelDeclined, ModelRefused
from records.model_calls import PromptMessage, Tool

TOOL = Tool(
    name="note",
    description="Notes a word.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
SCHEMA = {
    "name": "trial",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    },
}
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgE"
    "gi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC"
)
"""A PNG of 32 pixels a side, red."""
UNFIT = (ModelRefused, ModelBroken, ModelDeclined)
"""What says that a model cannot do a thing, rather than that it cannot be reached."""


async def trial(model: ChatModel, *, tools: bool, schema: bool, ceiling: int, pictures: bool = False) -> str:
    """One line: that the model answers, what it can do, and how large its context is, where its server tells.

    `ceiling`: tokens of the longest prompt. Raises a ModelError where the model does not answer.
    """
    found = [await model.check()]
    if tools:
        found.append(await _tools(model))
    if schema:
        found.append(await _schema(model))
    if pictures:
        found.append(await _pictures(model))
    if size := await model.context_size():
        found.append(_size(size, ceiling))
    return ", ".join(found)


def _size(size: int, ceiling: int) -> str:
    """The size of the context; where it is small, what that means."""
    if size - room_for_answer(size) >= ceiling:
        return f"has a context of {size:,} tokens"
    return f"has a context of {size:,} tokens: prompts are kept shorter than MAX_CONTEXT_TOKENS ({ceiling:,})"


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


async def _pictures(model: ChatModel) -> str:
    if not model.takes_pictures:
        return "takes no pictures"
    picture = Picture(data=b64decode(DOT), mime="image/png", width=32, height=32)
    asked = PromptMessage(role="user", content="Reply with the colour of this picture.", pictures=(picture,))
    try:
        await model.complete([asked])
    except UNFIT:
        return "takes no pictures"
    return "takes pictures"


async def _schema(model: ChatModel) -> str:
    asked = PromptMessage(role="user", content='Reply with this JSON object: {"word": "ok"}')
    try:
        made = await model.complete([asked], schema=SCHEMA)
        answer = json.loads(made.text)
    except (*UNFIT, ValueError, RecursionError):
        return "does not keep to a JSON schema"
    fits = isinstance(answer, dict) and isinstance(answer.get("word"), str)
    return "keeps to a JSON schema" if fits else "does not keep to a JSON schema"
