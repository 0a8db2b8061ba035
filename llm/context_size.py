"""How many tokens a model's context has, asked of its server: each kind of server tells it elsewhere, many nowhere.

For --check; prompts follow what refusals say (window.py). Does not know what the size is used for.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

PATIENCE = 5.0
"""Seconds for what a server says of itself."""
_LISTED = ("max_model_len", "context_length", "context_window", "max_context_length", "input_token_limit")
"""What lists of models call it: vLLM, OpenRouter, Groq, Mistral and LM Studio, Gemini."""


async def context_size(client: "OpenAIClient", model: str) -> int | None:
    """Tokens of prompt and answer together; None where the server does not tell. Never raises."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await _found(client, model)
    except TimeoutError:
        return None


async def _found(client: "OpenAIClient", model: str) -> int | None:
    root = re.sub(r"/v\d+\w*(?:/openai)?\Z", "", client.base_url)
    listed = _listed(await client.page("/models"), model)
    for name in _LISTED:
        if size := _count(listed.get(name)):
            return size
    # llama.cpp: what one request may take, which is less than what the server was started with.
    given = _object(_object(await client.page(f"{root}/props")).get("default_generation_settings"))
    if size := _count(given.get("n_ctx")):
        return size
    # Ollama: as it is loaded now; then as its file says.
    running = _object(await client.page(f"{root}/api/ps")).get("models")
    for one in running if isinstance(running, list) else ():
        if _object(one).get("name") == model and (size := _count(_object(one).get("context_length"))):
            return size
    shown = _object(await client.page(f"{root}/api/show", {"model": model}))
    if chosen := re.search(r"\bnum_ctx\s+(\d{2,9})\b", str(shown.get("parameters") or "")):
        return int(chosen[1])
    return _count(_object(listed.get("meta")).get("n_ctx"))


def _listed(answer: object, model: str) -> Mapping[str, Any]:
    """The model in a list of models, or the only one there is."""
    data = _object(answer).get("data")
    models = [_object(one) for one in data] if isinstance(data, list) else []
    return next((one for one in models if one.get("id") == model), models[0] if len(models) == 1 else {})


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
