"""Check the model client against LiteLLM's proxy in front of the scripted server.

`make check-peers` installs LiteLLM in its own folder and runs this. It prints one line for each feature that the bot
uses through this gateway, the most used one, and exits with 1 if one of them fails.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from llm.embeddings import EndpointEmbedder
from llm.openai_api import OpenAIChat
from llm.trial import describe_model
from records.errors import ModelBusy, ModelError, ModelRefused
from records.model_calls import PromptMessage
from settings import Secret
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server
from tests.peers.ports import reserve_port

KEY = "sk-of-the-proxy"
HELLO = [PromptMessage(role="system", content="Be kind."), PromptMessage(role="user", content="Hello?")]
SECONDS = 180
"""Seconds until the proxy must answer. Its imports take half a minute."""


@asynccontextmanager
async def proxy(command: str, upstream: str) -> AsyncIterator[str]:
    """Run the proxy in front of an endpoint, and yield its base URL."""
    with reserve_port() as free:
        port = free
    parameters = {"api_base": upstream, "api_key": "upstream"}
    models = [
        {"model_name": name, "litellm_params": {"model": f"openai/{name}", **parameters}} for name in ("chat", "embed")
    ]
    settings = {"model_list": models, "general_settings": {"master_key": KEY}, "router_settings": {"num_retries": 0}}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "config.yaml")
        config.write_text(json.dumps(settings))  # noqa: ASYNC240 - a small file; JSON is YAML
        process = await asyncio.create_subprocess_exec(
            *(command, "--config", str(config), "--port", str(port), "--host", "127.0.0.1"),
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*"},
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            await until_it_answers(f"http://127.0.0.1:{port}/health/liveliness")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            await process.wait()


async def until_it_answers(url: str) -> None:
    async with asyncio.timeout(SECONDS), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(url) as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                await asyncio.sleep(0.5)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def refused_with(kind: type[ModelError], model: OpenAIChat) -> bool:
    try:
        await model.complete(HELLO)
    except ModelError as error:
        tell(f"    {type(error).__name__}: {error} · {error.words[:120]}")
        return isinstance(error, kind)
    return False


async def check(server: OpenAIServer, url: str) -> int:
    """Run all checks, print a line for each, and return how many failed."""
    failed = 0

    async def report(name: str, question: Callable[[], Awaitable[object]]) -> None:
        nonlocal failed
        try:
            is_well = bool(await question())
        except ModelError as error:
            tell(f"    {type(error).__name__}: {error} · {error.words[:120]}")
            is_well = False
        failed += not is_well
        tell(f"{'good' if is_well else 'BAD '} {name}")

    def chat(name: str = "chat", key: str = KEY) -> OpenAIChat:
        return OpenAIChat(model=name, api_key=Secret(key), base_url=url, timeout=20)

    async def answers() -> bool:
        server.script("chat", "Good morning.")
        async with chat() as model:
            return (await model.complete(HELLO)).text == "Good morning."

    async def calls_and_schema() -> bool:
        note = Behaviour(calls=({"name": "note", "arguments": '{"word": "ok"}'},))
        server.script("chat", "ok", note)
        server.set_default_schema_answer("trial", '{"word": "ok"}')
        async with chat() as model:
            found = await describe_model(model, probes_tools=True, probes_schema=True)
        tell(f"    {found}")
        return "calls tools" in found and "keeps to a JSON schema" in found

    async def embeds() -> bool:
        embedder = EndpointEmbedder(model="embed", api_key=Secret(KEY), base_url=url)
        async with embedder:
            return len(await embedder.embed_passages(["One.", "Two."])) == 2

    async def is_busy() -> bool:
        server.script("chat", *[Behaviour(status=429, retry_after="0")] * 9)
        async with chat() as model:
            is_well = await refused_with(ModelBusy, model)
        server.unscript("chat")
        return is_well

    async def is_wrong(name: str, key: str) -> bool:
        async with chat(name, key) as model:
            return await refused_with(ModelRefused, model)

    await report("chat", answers)
    await report("tools and schema", calls_and_schema)
    await report("embeddings", embeds)
    await report("429", is_busy)
    await report("a wrong key", lambda: is_wrong("chat", "sk-wrong"))
    await report("an unknown model", lambda: is_wrong("no-such-model", KEY))
    return failed


async def main(command: str) -> int:
    server = OpenAIServer()
    server.set_default_answer("chat", "ok")
    async with run_openai_server(server) as (_, upstream), proxy(command, upstream) as url:
        return await check(server, url)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(sys.argv[1])) else 0)
