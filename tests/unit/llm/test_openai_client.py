"""What goes out to an endpoint and what of its answers is read, over real HTTP."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from llm.failures import StatusError
from llm.openai_api import OpenAIChat
from llm.openai_client import MAX_REFUSAL_BYTES, OpenAIClient
from playground.server import serve
from records.errors import ModelBroken, ModelError
from records.model_calls import PromptMessage
from settings import Secret

HELLO = [PromptMessage(role="user", content="Hello?")]


class Peer:
    """Answers everything in one way, and keeps what was asked."""

    def __init__(self, answer: Response) -> None:
        self.asked: list[Request] = []
        self._answer = answer

    async def _answered(self, request: Request) -> Response:
        self.asked.append(request)
        await request.body()
        return self._answer

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = Starlette(routes=[Route("/{path:path}", self._answered, methods=["GET", "POST"])])
        async with serve(app) as url:
            yield f"{url}/v1"


WHOLE = Response(
    '{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}', media_type="application/json"
)


async def test_nothing_of_the_environment_goes_to_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "another-account")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: another-account\nAuthorization: Bearer another-account")
    peer = Peer(WHOLE)
    async with peer.serving() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        assert (await model.complete(HELLO)).text == "Yes."
    headers = peer.asked[0].headers
    assert headers["authorization"] == "Bearer own"
    assert not [name for name, value in headers.items() if "another-account" in value or "stainless" in name]


async def test_neither_key_nor_prompt_follows_a_redirection() -> None:
    elsewhere = Peer(WHOLE)
    async with elsewhere.serving() as other:
        peer = Peer(Response(status_code=307, headers={"location": f"{other}/chat/completions"}))
        async with peer.serving() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
            with pytest.raises(ModelError):
                await model.complete(HELLO)
    assert not elsewhere.asked


async def test_of_a_refusal_only_the_beginning_is_read() -> None:
    peer = Peer(Response("a" * (5 * MAX_REFUSAL_BYTES), status_code=400))
    async with peer.serving() as url:
        client = OpenAIClient(api_key="", base_url=url)
        with pytest.raises(StatusError) as caught:
            async with client.post("/chat/completions", {}, lambda: None):
                pass
        await client.aclose()
    assert len(str(caught.value.body)) == MAX_REFUSAL_BYTES


async def test_what_comes_compressed_unasked_is_read() -> None:
    body = gzip.compress(bytes(WHOLE.body))
    peer = Peer(Response(body, media_type="application/json", headers={"content-encoding": "gzip"}))
    async with peer.serving() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        assert (await model.complete(HELLO)).text == "Yes."
    assert peer.asked[0].headers["accept-encoding"] == "identity"


async def test_what_comes_compressed_is_inflated_within_bounds() -> None:
    """A few bytes would become any number."""
    peer = Peer(Response(gzip.compress(b'{"a": "' + b"a" * 50_000_000), media_type="application/json"))
    async with peer.serving() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        with pytest.raises(ModelBroken, match="endless"):
            await model.complete(HELLO)
