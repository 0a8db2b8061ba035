"""Find a chat model on an Ollama server on this machine."""

import asyncio
from contextlib import aclosing, suppress
from urllib.parse import urlsplit

from llm.endpoint import open_client

OLLAMA = "http://127.0.0.1:11434/v1"


async def find_ollama_model(url: str = OLLAMA) -> str | None:
    """Return the name of the first chat model at `url`, or None if no server answers within five seconds."""
    address = urlsplit(url)
    with suppress(OSError):  # TimeoutError is one
        async with asyncio.timeout(5.0):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.close()
            async with aclosing(await asyncio.to_thread(open_client, api_key="", base_url=url)) as client:
                names = [str(model["id"]) for model in await client.list_models()]
        return next((name for name in names if "embed" not in name), None)
    return None
