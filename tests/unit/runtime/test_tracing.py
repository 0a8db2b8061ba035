"""Nested spans reach an OpenTelemetry collector over real HTTP and contain no personal data."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from records.scopes import Scope
from runtime.http_server import serve_app
from runtime.tracing import export_spans, record_span
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, open_chat_harness


@dataclass
class Collector:
    """A fake OpenTelemetry collector that stores the bodies of the requests to `url`."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    async def take(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        return Response(media_type="application/x-protobuf")

    def list_spans(self) -> list[Span]:
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for part in sent for resource in part.resource_spans for scope in resource.scope_spans]
        return [span for scope in scopes for span in scope.spans]


def read_attributes(one: Span) -> dict[str, str | int]:
    return {each.key: each.value.string_value or each.value.int_value for each in one.attributes}


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    made = Collector()
    app = Starlette(routes=[Route("/v1/traces", made.take, methods=["POST"])])
    async with serve_app(app, "127.0.0.1", 0) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made


async def test_regenerated_answer_is_recorded_as_turn_span(collector: Collector, tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        first = await talk.say("My parrot is called Xenophilius.")
        assert first.turn is not None
        async with export_spans(collector.url):
            await talk.services.conversation.answer_last_turn_again(Scope(owner=ANNA.id), first.turn, ANNA)
            talk.server.set_default_answer("chat-model", Behaviour(status=401))
            await talk.services.conversation.answer_last_turn_again(Scope(owner=ANNA.id), first.turn, ANNA)
    spans = collector.list_spans()
    assert [span.name for span in spans] == ["chat chat-model", "turn", "chat chat-model", "turn"]
    assert [span.status.code for span in spans] == [0, 0, 2, 2]
    assert spans[0].parent_span_id == spans[1].span_id


async def test_turn_span_contains_model_spans(collector: Collector, tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk, export_spans(collector.url):
        await talk.say("My parrot is called Xenophilius.")
        talk.server.set_default_answer("chat-model", Behaviour(status=401))
        assert (await talk.say("And the other?")).is_error
    spans = collector.list_spans()
    assert [span.name for span in spans] == ["chat chat-model", "turn", "chat chat-model", "turn"]
    assert spans[0].parent_span_id == spans[1].span_id
    call = read_attributes(spans[0])
    assert [int(call.pop(f"gen_ai.usage.{kind}_tokens")) > 0 for kind in ("input", "output")] == [True, True]
    by_the_conventions = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "chat-model",
    }
    cache = {"gen_ai.usage.cache_read.input_tokens": 0, "gen_ai.usage.cache_creation.input_tokens": 0}
    assert call == {**by_the_conventions, **cache}
    assert spans[0].kind == Span.SPAN_KIND_CLIENT
    assert read_attributes(spans[2]) == {**by_the_conventions, "error.type": "ModelRefused"}
    assert read_attributes(spans[3]) == {"error.type": "ModelRefused"}, "the turn that the person saw fail"
    assert [span.status.code for span in spans] == [0, 0, 2, 2]
    assert not any(b"parrot" in body or b"Anna" in body for body in collector.bodies)


async def test_cancelled_span_is_not_an_error(collector: Collector) -> None:
    async with export_spans(collector.url):
        with pytest.raises(asyncio.CancelledError), record_span("turn"):
            raise asyncio.CancelledError
        with pytest.raises(ValueError, match="parrot"), record_span("fold"):
            raise ValueError("My parrot")
    stopped, failed = collector.list_spans()
    assert (stopped.status.code, read_attributes(stopped)) == (0, {})
    assert (failed.status.code, read_attributes(failed)) == (2, {"error.type": "ValueError"})


async def test_unavailable_collector_does_not_block(collector: Collector) -> None:
    async with asyncio.timeout(8):
        async with export_spans(f"{collector.url}/nobody"):
            with record_span("turn"):
                pass
    with record_span("turn"):
        pass
    assert collector.bodies == []
