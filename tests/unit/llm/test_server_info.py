"""The size of a model's context, as the servers of several makers tell it, and what --check says of it."""

from collections.abc import Mapping

import pytest

from llm.openai_api import OpenAIChat
from llm.trial import trial
from settings import Secret
from tests.peers.openai_server import Behaviour, running


def listed(**more: object) -> dict[str, object]:
    return {"object": "list", "data": [{"id": "other"}, {"id": "m", "object": "model", **more}]}


SERVERS: dict[str, tuple[Mapping[str, object], int | None]] = {
    "vLLM": ({"/v1/models": listed(max_model_len=4096)}, 4096),
    "OpenRouter": ({"/v1/models": listed(context_length=131_072)}, 131_072),
    "Groq": ({"/v1/models": listed(context_window=8192)}, 8192),
    "llama.cpp": (
        {
            "/v1/models": listed(meta={"n_ctx_train": 32_768}),
            "/props": {"total_slots": 4, "default_generation_settings": {"n_ctx": 1024}},
        },
        1024,
    ),
    "Ollama": (
        {"/v1/models": listed(), "/api/ps": {"models": [{"name": "m", "context_length": 4096}]}},
        4096,
    ),
    "OpenAI": ({"/v1/models": listed(owned_by="system")}, None),
    "nothing": ({}, None),
    "nonsense": ({"/v1/models": ["x"], "/props": {"default_generation_settings": 3}, "/api/ps": {"models": [1]}}, None),
}


@pytest.mark.parametrize(("pages", "size"), SERVERS.values(), ids=SERVERS)
async def test_the_size_is_found_where_a_server_tells_it(pages: Mapping[str, object], size: int | None) -> None:
    async with running() as (server, url), OpenAIChat(model="m", api_key=Secret(""), base_url=url) as model:
        server.pages |= pages
        assert await model.context_size() == size


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1024, "has a context of 1,024 tokens: prompts are kept shorter than MAX_CONTEXT_TOKENS (8,000)"),
        (128_000, "has a context of 128,000 tokens"),
    ],
)
async def test_check_says_it(size: int, said: str) -> None:
    async with running() as (server, url), OpenAIChat(model="m", api_key=Secret(""), base_url=url) as model:
        server.pages["/v1/models"] = listed(max_model_len=size)
        server.script("m", "ok", Behaviour(text='```json\n{"name": "note", "arguments": {"word": "ok"}}\n```'))
        line = await trial(model, tools=True, schema=False, ceiling=8000)
        assert line == f"model m answers, calls tools, {said}"


async def test_a_server_that_cannot_be_reached_tells_no_size() -> None:
    async with OpenAIChat(model="m", api_key=Secret(""), base_url="http://127.0.0.1:9/v1") as model:
        assert await model.context_size() is None
