"""Finds an Ollama on this machine, for the playground. Does not know what its answers are used for."""

import asyncio
from contextlib import aclosing, suppress
from urllib.parse import urlsplit

from llm.endpoint import open_client

URL = "http://127.0.0.1:11434/v1"
PATIENCE = 1.0
"""Seconds; a server on this machine answers at once."""


async def served_model(url: str = URL) -> str | None:
    """The name of the first model that an Ollama at `url` serves; None where none answers."""
    address = urlsplit(url)
    try:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.close()
    except OSError:
        return None
    served = None
    async with aclosing(await asyncio.to_thread(open_client, api_key="", base_url=url)) as client:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                served = await client.page("/models")
    models = served.get("data") if isinstance(served, dict) else None
    names = [str(one["id"]) for one in models or () if isinstance(one, dict) and "id" in one]
    return next((name for name in names if "embed" not in name), None)
