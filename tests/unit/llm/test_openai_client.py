"""Tests of requests to a model endpoint over real HTTP, and of limits on its responses."""

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
from tests.peers.raw_server import RawAnswer, make_answer, run_raw_server

HELLO = [PromptMessage(role="user", content="Hello?")]


class FixedPeer:
    """A server that answers every request with the same response and records the requests."""

    def __init__(self, answer: Response) -> None:
        self.requests: list[Request] = []
        self._answer = answer

    async def _answered(self, request: Request) -> Response:
        self.requests.append(request)
        await request.body()
        return self._answer

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        app = Starlette(routes=[Route("/{path:path}", self._answered, methods=["GET", "POST"])])
        async with serve(app) as url:
            yield f"{url}/v1"


WHOLE = Response(
    '{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}', media_type="application/json"
)


async def test_does_not_send_openai_environment_variables_to_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "another-account")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: another-account\nAuthorization: Bearer another-account")
    peer = FixedPeer(WHOLE)
    async with peer.serve() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        assert (await model.complete(HELLO)).text == "Yes."
    headers = peer.requests[0].headers
    assert headers["authorization"] == "Bearer own"
    assert not [name for name, value in headers.items() if "another-account" in value or "stainless" in name]


async def test_sends_login_and_query_of_base_url_as_other_programs_do() -> None:
    """For an Ollama behind nginx (OpenHands, issue 2559) and vLLM (Security Onion, issue 15841).

    aiohttp refused the login next to a key with a ValueError, and the query ended up in the middle of the path.
    """
    peer = FixedPeer(WHOLE)
    async with peer.serve() as url:
        base_url = f"{url.replace('://', '://user:p%40ss@')}?api-version=2025-01-01-preview"
        async with OpenAIChat(model="m", api_key=Secret("own"), base_url=base_url) as model:
            assert (await model.complete(HELLO)).text == "Yes."
    [request] = peer.requests
    assert (request.url.path, request.url.query) == ("/v1/chat/completions", "api-version=2025-01-01-preview")
    assert request.headers["authorization"] == "Basic dXNlcjpwQHNz", "the base64 of user:p@ss"


async def test_does_not_follow_redirects() -> None:
    elsewhere = FixedPeer(WHOLE)
    async with elsewhere.serve() as other:
        peer = FixedPeer(Response(status_code=307, headers={"location": f"{other}/chat/completions"}))
        async with peer.serve() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
            with pytest.raises(ModelError):
                await model.complete(HELLO)
    assert not elsewhere.requests


async def test_reads_error_body_up_to_max_refusal_bytes() -> None:
    peer = FixedPeer(Response("a" * (5 * MAX_REFUSAL_BYTES), status_code=400))
    async with peer.serve() as url:
        client = OpenAIClient(api_key="", base_url=url)
        with pytest.raises(StatusError) as caught:
            async with client.post("/chat/completions", {}, lambda: None):
                pass
        await client.aclose()
    assert len(str(caught.value.body)) == MAX_REFUSAL_BYTES


async def test_refusal_whose_body_is_cut_keeps_its_status() -> None:
    cut = RawAnswer(body=b'{"error": {"message": "wrong k', status=401, is_cut=True)
    async with run_raw_server(lambda _: cut) as (_, url):
        client = OpenAIClient(api_key="", base_url=url)
        with pytest.raises(StatusError) as caught:
            async with client.post("/chat/completions", {}, lambda: None):
                pass
        await client.aclose()
    assert caught.value.status_code == 401


@pytest.mark.parametrize("scheme", ["http://", ""])
async def test_asks_proxy_also_if_it_is_set_without_scheme(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    async with run_raw_server(lambda _: make_answer("Yes.")) as (proxy, url):
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, scheme + url.removeprefix("http://").removesuffix("/v1"))
        async with OpenAIChat(model="m", api_key=Secret("k"), base_url="http://model.example/v1") as model:
            assert (await model.complete(HELLO)).text == "Yes."
    assert len(proxy.requests) == 1


async def test_reads_unrequested_gzip_response() -> None:
    body = gzip.compress(bytes(WHOLE.body))
    peer = FixedPeer(Response(body, media_type="application/json", headers={"content-encoding": "gzip"}))
    async with peer.serve() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        assert (await model.complete(HELLO)).text == "Yes."
    assert peer.requests[0].headers["accept-encoding"] == "identity"


async def test_limits_size_of_decompressed_response() -> None:
    """A few compressed bytes could expand without limit."""
    peer = FixedPeer(Response(gzip.compress(b'{"a": "' + b"a" * 50_000_000), media_type="application/json"))
    async with peer.serve() as url, OpenAIChat(model="m", api_key=Secret("own"), base_url=url) as model:
        with pytest.raises(ModelBroken, match="endless"):
            await model.complete(HELLO)


@pytest.mark.parametrize(
    "body",
    [
        '{"object": "list", "data": [{"id": "a"}, {"id": "b"}]}',
        '[{"id": "a", "organization": "x"}, {"id": "b"}]',  # Together
        '{"models": [{"name": "a"}, {"name": "b"}], "nextPageToken": ""}',  # Gemini
        '[{"name": "a", "from": "hf"}, {"name": "b"}]',  # Spice
        '{"data": ["a", null, "b"]}',
        '{"success": true, "result": [{"id": "a"}, {"id": "b"}]}',
    ],
)
async def test_reads_lists_of_models_of_other_servers(body: str) -> None:
    async with FixedPeer(Response(body, media_type="application/json")).serve() as url:
        client = OpenAIClient(api_key="", base_url=url)
        assert [row["id"] for row in await client.list_models()] == ["a", "b"]
        await client.aclose()


@pytest.mark.parametrize("body", ['{"data": null}', "<html>", "3", '{"data": [[1]]}'])
async def test_unreadable_list_of_models_is_empty(body: str) -> None:
    async with FixedPeer(Response(body)).serve() as url:
        client = OpenAIClient(api_key="", base_url=url)
        assert not [row for row in await client.list_models() if isinstance(row["id"], str)]
        await client.aclose()
