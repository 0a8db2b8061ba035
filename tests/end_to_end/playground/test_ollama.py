"""The chat model of an Ollama is found where one answers."""

from playground.ollama import find_ollama_model
from tests.peers.openai_server import running
from tests.peers.ports import kept_port


async def test_the_first_model_that_is_no_embedder_is_found() -> None:
    async with running() as (server, url):
        assert await find_ollama_model(url) is None
        for name in ("nomic-embed-text", "qwen3:4b"):
            server.default(name, "Yes.")
        assert await find_ollama_model(url) == "qwen3:4b"


async def test_where_nothing_answers_there_is_none() -> None:
    with kept_port() as port:
        assert await find_ollama_model(f"http://127.0.0.1:{port}/v1") is None
