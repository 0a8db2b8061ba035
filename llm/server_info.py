"""What servers tell of themselves outside of answers: the size of a context, for --check, and the models of an Ollama.

Each kind of server tells it elsewhere, many nowhere. Prompts follow what refusals say (window.py).
"""

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from llm.endpoint import open_client

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

OLLAMA = "http://127.0.0.1:11434/v1"
PATIENCE = 5.0
"""Seconds for what a server says of itself."""
_LISTED = ("max_model_len", "context_length", "context_window", "max_context_length", "input_token_limit")
"""What lists of models call it: vLLM, OpenRouter, Groq, Mistral and LM Studio, Gemini."""


async def context_size(client: "OpenAIClient", model: str) -> int | None:
    """Tokens of prompt and answer together; None where the server does not tell. Never raises."""
    root = re.sub(r"/v\d+\w*(?:/openai)?\Z", "", client.base_url)
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            models = _listed(await client.page("/models"), "data")
            alone = models[0] if len(models) == 1 else {}
            own = next((one for one in models if one.get("id") == model), alone)
            if sizes := [size for name in _LISTED if (size := _count(own.get(name)))]:
                return sizes[0]
            # llama.cpp: what one request may take, which is less than what the server was started with.
            given = _object(_object(await client.page(f"{root}/props")).get("default_generation_settings"))
            if size := _count(given.get("n_ctx")):
                return size
            # Ollama, once the model is loaded.
            loaded = _listed(await client.page(f"{root}/api/ps"), "models")
            return next((_count(one.get("context_length")) for one in loaded if one.get("name") == model), None)
    return None


async def ollama_model(url: str = OLLAMA) -> str | None:
    """The name of the first chat model that an Ollama at `url` serves; None where none answers."""
    address = urlsplit(url)
    with suppress(OSError):  # TimeoutError is one
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.close()
            async with aclosing(await asyncio.to_thread(open_client, api_key="", base_url=url)) as client:
                served = _listed(await client.page("/models"), "data")
        names = [str(one["id"]) for one in served if "id" in one]
        return next((name for name in names if "embed" not in name), None)
    return None


def _listed(answer: object, key: str) -> list[Mapping[str, Any]]:
    """The objects of a list in an answer."""
    listed = _object(answer).get(key)
    return [_object(one) for one in listed] if isinstance(listed, list) else []


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
