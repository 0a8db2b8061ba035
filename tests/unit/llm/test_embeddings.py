"""Tests of embedders: the choice of one, and an endpoint over real HTTP."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator

import numpy as np
import pytest

from llm.embeddings import MAX_DIMENSIONS, EndpointEmbedder, embed_passages, make_embedder
from llm.local_embedder import LocalEmbedder, normalize_vectors
from records.errors import ModelBroken, ModelBusy, ModelRefused, ModelUnreachable
from settings import Secret, Settings
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server


def make_embedding_response(dimensions: int) -> str:
    return json.dumps({"data": [{"index": 0, "embedding": [1] * dimensions}]})


async def skip_pause(seconds: float) -> None:
    return


@pytest.fixture
async def endpoint() -> AsyncIterator[tuple[OpenAIServer, EndpointEmbedder]]:
    async with (
        run_openai_server() as (server, url),
        EndpointEmbedder(model="e", api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause) as embedder,
    ):
        yield server, embedder


async def test_sends_texts_to_endpoint_in_batches(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    server, embedder = endpoint
    assert embedder.dimensions == 0
    vectors = await embedder.embed_passages([f"text {n}" for n in range(70)])
    assert vectors.shape == (70, 64)
    assert embedder.dimensions == 64
    assert [len(request.body["input"]) for request in server.requests] == [64, 6]
    assert all(set(request.body) == {"model", "input"} for request in server.requests)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[3], await embedder.embed_query("text 3"))
    assert (await embedder.embed_passages([])).shape == (0, 64)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Behaviour(status=401)], ModelRefused),
        ([Behaviour(status=500)] * 3, ModelBusy),
        ([Behaviour(drop="start")] * 3, ModelUnreachable),
        ([Behaviour(raw='{"data": []}', plain=True)], ModelBroken),
        ([Behaviour(raw='{"data": [{"index": 0, "embedding": ["x"]}]}', plain=True)], ModelBroken),
        ([Behaviour(raw=make_embedding_response(MAX_DIMENSIONS + 1), plain=True)], ModelBroken),
        ([Behaviour(raw="{no json", plain=True)], ModelBroken),
        ([Behaviour(raw="[" * 100_000, plain=True)], ModelBroken),
        ([Behaviour(raw='{"data": [{"index": 1e999, "embedding": [1]}]}', plain=True)], ModelBroken),
        ([Behaviour(status=400, raw="[" * 30_000)] * 2, ModelRefused),  # the same again, without a list
        ([Behaviour(raw='{"code": 401, "message": "Invalid token", "data": null}', plain=True)], ModelRefused),
        ([Behaviour(raw='{"error": {"message": "overloaded", "code": 503}}', plain=True)] * 3, ModelBusy),
    ],
)
async def test_endpoint_failure_raises_matching_error(
    endpoint: tuple[OpenAIServer, EndpointEmbedder], answers: list[Behaviour], kind: type[Exception]
) -> None:
    server, embedder = endpoint
    server.script("e", *answers)
    with pytest.raises(kind):
        await embedder.embed_query("x")
    assert len(server.requests) == len(answers)


async def test_out_of_range_or_nan_embedding_becomes_zero_vector(
    endpoint: tuple[OpenAIServer, EndpointEmbedder],
) -> None:
    """NumPy must not print a warning on the operator's terminal."""
    server, embedder = endpoint
    server.script("e", Behaviour(raw='{"data": [{"index": 0, "embedding": [1e300, 3e38, NaN, 1]}]}', plain=True))
    assert np.allclose(await embedder.embed_query("x"), [0, 0, 0, 0])


async def test_silent_endpoint_times_out() -> None:
    async with run_openai_server() as (server, url):
        server.script("e", Behaviour(hold="start"))
        async with EndpointEmbedder(model="e", api_key=Secret("k"), base_url=url, timeout=0.2) as embedder:
            with pytest.raises(ModelUnreachable, match=r"\(0\.2 s\)"):
                await embedder.embed_query("x")


BASE64 = b64encode(np.array([3, 4], dtype="<f4").tobytes()).decode()


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"index": 0, "embedding": BASE64}, {"index": 1, "embedding": BASE64}]},
        {"data": [{"embedding": [3, 4]}, {"embedding": [3, 4]}]},
        {"data": [{"index": None, "embedding": [3, 4]}, {"index": None, "embedding": [3, 4]}]},
        {"data": [{"index": 0, "embedding": [3, 4]}, {"index": 0, "embedding": [3, 4]}]},
        {"data": [{"index": 1, "embedding": [[3, 4]]}, {"index": 0, "embedding": [[3, 4]]}]},
        [{"index": 0, "embedding": [[3, 4]]}, {"index": 1, "embedding": [[3, 4]]}],
        {"data": [{"index": "1", "embedding": [3, 4]}, {"index": "0", "embedding": [3, 4]}]},
        {"model": "m", "embeddings": [[3, 4], [3, 4]]},  # Ollama
        {"id": "e", "texts": ["a", "b"], "embeddings": {"float": [[3, 4], [3, 4]]}},  # Cohere
        {"result": {"shape": [2, 2], "data": [[3, 4], [3, 4]]}, "success": True, "errors": []},  # Workers AI
        [[3, 4], [3, 4]],  # text-embeddings-inference
        {"data": [{"index": 2, "embedding": [3, 4]}, {"index": 1, "embedding": [3, 4]}]},
        {"data": [{"embedding": BASE64.rstrip("=") + "\n"}] * 2},
        {"data": [{"embedding": "[3.0, 4.0]"}] * 2},
        {"data": [{"embedding": ["3.0", "4.0"]}] * 2},
        {"embeddings": [{"values": [3, 4]}] * 2},  # Gemini
        {"output": {"embeddings": [{"text_index": 1, "embedding": [3, 4]}, {"text_index": 0, "embedding": [3, 4]}]}},
        {"predictions": [{"embeddings": {"statistics": {"truncated": False}, "values": [3, 4]}}] * 2},  # Vertex
        {"vectors": [[3, 4], [3, 4]], "base_resp": {"status_code": 0, "status_msg": "success"}},  # MiniMax
        {"results": [{"embedding": [3, 4]}] * 2},  # watsonx
        {"id": "e", "embeddings": {"float": None, "int8": [[3, 4], [3, 4]]}},
        {"data": [{"embedding": {"dense": [3, 4], "sparse": {"17": 0.5}}}] * 2},
        {"data": [{"embedding": [[3, 0], [3, 8]]}] * 2},  # llama.cpp with --pooling none: a vector for each token
        json.dumps({"data": [{"embedding": [3, 4]}] * 2}),
    ],
)
async def test_accepts_embedding_response_variants(
    endpoint: tuple[OpenAIServer, EndpointEmbedder], answer: object
) -> None:
    server, embedder = endpoint
    server.script("e", Behaviour(raw=json.dumps(answer), plain=True))
    assert np.allclose(await embedder.embed_passages(["a", "b"]), [[0.6, 0.8]] * 2)


async def test_orders_vectors_by_their_numbers(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    server, embedder = endpoint
    rows = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
    server.script("e", Behaviour(raw=json.dumps({"data": rows}), plain=True))
    assert (await embedder.embed_passages(["a", "b"])).tolist() == [pytest.approx([0.6, 0.8]), [0, 1]]


@pytest.mark.parametrize("nothing", [None, [], [None, None], ["NaN", "NaN"]])
async def test_missing_vector_of_one_text_becomes_zero(
    endpoint: tuple[OpenAIServer, EndpointEmbedder], nothing: object
) -> None:
    """A llama.cpp server answers punctuation alone with nulls (Open Notebook, issue 764)."""
    server, embedder = endpoint
    rows = [{"index": 0, "embedding": [3, 4]}, {"index": 1, "embedding": nothing}]
    server.script("e", Behaviour(raw=json.dumps({"data": rows}), plain=True))
    assert (await embedder.embed_passages(["a", "."])).tolist() == [pytest.approx([0.6, 0.8]), [0, 0]]


async def test_server_that_takes_only_one_string_gets_texts_one_by_one(
    endpoint: tuple[OpenAIServer, EndpointEmbedder],
) -> None:
    server, embedder = endpoint

    def answer(_: object) -> Behaviour:
        is_list = isinstance(server.requests[-1].body["input"], list)
        return Behaviour(status=422, message="input: str type expected") if is_list else Behaviour()

    server.set_default_answer("e", answer)
    assert (await embed_passages(embedder, ["a", "b", "c"])).any(axis=1).all()
    before = len(server.requests)
    assert (await embed_passages(embedder, ["d", "e"])).any(axis=1).all()
    assert len(server.requests) == before + 2


@pytest.mark.parametrize(
    "refusal",
    [
        Behaviour(status=500, message="input (1200 tokens) is too large to process. increase the physical batch size"),
        Behaviour(status=413, message="`inputs` must have less than 512 tokens. Given: 901"),
        Behaviour(status=400, raw=""),
    ],
)
async def test_text_that_is_too_long_is_embedded_shortened(
    endpoint: tuple[OpenAIServer, EndpointEmbedder], refusal: Behaviour
) -> None:
    server, embedder = endpoint

    def answer(_: object) -> Behaviour:
        given = server.requests[-1].body["input"]
        return refusal if len(max([given] if isinstance(given, str) else given, key=len)) > 2_000 else Behaviour()

    server.set_default_answer("e", answer)
    assert (await embed_passages(embedder, ["word " * 900, "b"])).any(axis=1).all()


@pytest.mark.parametrize("refusal", [Behaviour(status=503), Behaviour(status=429), Behaviour(drop="start")])
async def test_batch_that_only_seems_to_meet_a_busy_server_is_halved(
    endpoint: tuple[OpenAIServer, EndpointEmbedder], refusal: Behaviour
) -> None:
    server, embedder = endpoint
    server.set_default_answer("e", lambda _: refusal if len(server.requests[-1].body["input"]) > 8 else Behaviour())
    assert (await embed_passages(embedder, [f"text {number}" for number in range(20)])).any(axis=1).all()


async def test_halves_batch_when_endpoint_refuses_batch_size(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    """DashScope accepts 10 texts per request, and SiliconFlow 32."""
    server, embedder = endpoint
    too_many = Behaviour(status=400, message="batch size is invalid, it should not be larger than 10")
    # Behind the first refusal stands the question whether anything is accepted at all.
    server.script("e", too_many, Behaviour(), too_many, too_many, Behaviour(), Behaviour(), Behaviour())
    vectors = await embed_passages(embedder, [f"text {number}" for number in range(64)])
    assert vectors.any(axis=1).all()
    assert [len(request.body["input"]) for request in server.requests] == [64, 1, 32, 16, 8, 8, 16, 32]


async def test_text_that_server_fails_on_does_not_block_other_texts(
    endpoint: tuple[OpenAIServer, EndpointEmbedder],
) -> None:
    """Ollama always answers 500 if a vector contains NaN. One such text once blocked the whole index."""
    server, embedder = endpoint

    def answer(_: object) -> Behaviour:
        failed = Behaviour(status=500, message="failed to encode response: json: unsupported value: NaN")
        return failed if "bad" in server.requests[-1].body["input"] else Behaviour()

    server.set_default_answer("e", answer)
    vectors = await embed_passages(embedder, ["a", "bad", "c"])
    assert [bool(row.any()) for row in vectors] == [True, False, True]


async def test_transient_server_error_leaves_no_zero_vector(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    server, embedder = endpoint
    server.script("e", *[Behaviour(status=500)] * 3)
    vectors = await embed_passages(embedder, ["a"])
    assert vectors.any()
    server.script("e", *[Behaviour(status=500)] * 3, Behaviour(), *[Behaviour(status=503)] * 3)
    with pytest.raises(ModelBusy):
        await embed_passages(embedder, ["a"])


async def test_raises_instead_of_returning_zero_vectors_when_credit_runs_out(
    endpoint: tuple[OpenAIServer, EndpointEmbedder],
) -> None:
    server, embedder = endpoint
    too_long = Behaviour(status=400, message="Input is too long.")
    server.script("e", too_long, Behaviour(), Behaviour())  # a batch, whether anything is accepted, and its first half
    server.script("e", *[Behaviour(status=402, message="Insufficient credits.")] * 3)
    with pytest.raises(ModelRefused):
        await embed_passages(embedder, ["a", "b", "c", "d"])


async def test_rejects_response_with_missing_vector(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    server, embedder = endpoint
    server.script("e", Behaviour(raw=make_embedding_response(2), plain=True))
    with pytest.raises(ModelBroken):
        await embedder.embed_passages(["a", "b"])


async def test_rejects_vector_with_changed_dimensions(endpoint: tuple[OpenAIServer, EndpointEmbedder]) -> None:
    server, embedder = endpoint
    await embedder.embed_query("x")
    server.dimensions = 32
    with pytest.raises(ModelBroken):
        await embedder.embed_query("x")


def test_embedding_model_setting_selects_embedder() -> None:
    assert make_embedder(Settings(embedding_model="none")) is None
    assert isinstance(make_embedder(Settings()), LocalEmbedder)


async def test_api_key_is_sent_only_to_matching_base_url() -> None:
    async with run_openai_server() as (server, url):
        for settings in (
            Settings(embedding_model="e", embedding_base_url=url, openai_api_key=Secret("chat-key")),
            Settings(embedding_model="e", openai_base_url=url, openai_api_key=Secret("chat-key")),
            Settings(embedding_model="e", embedding_base_url=url, embedding_api_key=Secret("other-key")),
        ):
            embedder = make_embedder(settings)
            assert embedder is not None
            async with embedder:
                await embedder.embed_query("x")
    assert [request.key for request in server.requests] == ["none needed", "chat-key", "other-key"]


def test_normalize_vectors_maps_zero_and_nan_vectors_to_zero() -> None:
    rows = normalize_vectors(np.array([[3, 4], [0, 0], [np.nan, 1]], dtype=np.float32))
    assert np.allclose(rows, [[0.6, 0.8], [0.0, 0.0], [0.0, 1.0]])
