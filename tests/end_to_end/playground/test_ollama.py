"""Tests of finding the chat model of a running Ollama server."""

from playground.ollama import find_ollama_model
from tests.peers.openai_server import run_openai_server
from tests.peers.ports import reserve_port


async def test_finds_first_model_that_is_not_an_embedder() -> None:
    async with run_openai_server() as (server, url):
        assert await find_ollama_model(url) is None
        for name in ("nomic-embed-text", "qwen3:4b"):
            server.set_default_answer(name, "Yes.")
        assert await find_ollama_model(url) == "qwen3:4b"


async def test_finds_no_model_when_server_is_unreachable() -> None:
    with reserve_port() as port:
        assert await find_ollama_model(f"http://127.0.0.1:{port}/v1") is None
