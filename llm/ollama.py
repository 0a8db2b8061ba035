"""Finds an Ollama on this machine, for the playground. Does not know what its answers are used for."""

import openai

URL = "http://127.0.0.1:11434/v1"
PATIENCE = 1.0
"""Seconds; a server on this machine answers at once."""


async def served_model(url: str = URL) -> str | None:
    """The name of the first model that an Ollama at `url` serves; None where none answers."""
    async with openai.AsyncOpenAI(base_url=url, api_key="ollama", timeout=PATIENCE, max_retries=0) as client:
        try:
            served = await client.models.list()
        except openai.OpenAIError:
            return None
    names = [model.id for model in served.data if "embed" not in model.id]
    return names[0] if names else None
