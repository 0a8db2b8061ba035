"""Embeds texts with the bundled model or at an OpenAI-compatible endpoint. All vectors are normalised."""

from base64 import b64decode
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from llm.endpoint import CallTimer, EndpointClient, open_model_span
from llm.failures import SettingNames
from llm.local_embedder import LocalEmbedder, Vectors, normalize_vectors
from records.errors import ModelBroken, ModelBusy, ModelError, ModelRefused
from settings import Settings
from text.characters import repair_surrogates

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

MAX_INPUT_CHARS = 8_000  # characters of a text that are sent to an endpoint
MAX_ANSWER_BYTES = 32_000_000  # 64 vectors of 8,192 numbers with 20 digits have fewer than half
_VECTORS = ("data", "embeddings", "result", "float")  # where OpenAI, Ollama, Cohere and Workers AI send vectors
MAX_DIMENSIONS = 8_192  # twice as many as the largest hosted models have; each message keeps a vector


class Embedder(AbstractAsyncContextManager["Embedder"], Protocol):
    """Turns texts into normalised vectors, or raises ModelError. `dimensions` may be 0 until the first answer."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts for the index. Return a float32 array of shape (n, dimensions)."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """Embed a query. Return a float32 array of shape (dimensions,)."""
        ...


class EndpointEmbedder(EndpointClient):
    """Embeds texts at an OpenAI-compatible endpoint, in batches."""

    settings = SettingNames(model="EMBEDDING_MODEL", key="EMBEDDING_API_KEY", url="EMBEDDING_BASE_URL")
    dimensions = 0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        batches = [await self._embed_batch(texts[start : start + 64]) for start in range(0, len(texts), 64)]
        return np.concatenate(batches) if batches else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        vector: Vectors = (await self._embed_batch([text]))[0]
        return vector

    async def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        # Endpoints refuse an empty input, whose vector would mean nothing anyway.
        clean = [repair_surrogates(text[:MAX_INPUT_CHARS]).strip() or "-" for text in texts]
        with open_model_span("embeddings", self.name):
            vectors = await self._retry_until_answered(partial(self._request_vectors, clean))
        self.dimensions = int(vectors.shape[1])
        return vectors

    async def _request_vectors(self, texts: list[str], client: "OpenAIClient", timer: CallTimer) -> Vectors:
        request = {"model": self.name, "input": texts}
        async with client.post("/embeddings", request, timer.restart_timeout) as response:
            answer = await response.read_json(MAX_ANSWER_BYTES)
        rows: Any = answer
        while isinstance(rows, dict):  # ends: each is a part of the one before
            rows = next((rows[name] for name in _VECTORS if rows.get(name)), None)
        try:
            rows = [row if isinstance(row, dict) else {"embedding": row} for row in rows]
            indices = [int(row.get("index") or 0) for row in rows]  # some servers number none, or every one 0
            rows = [row for _, row in sorted(zip(indices, rows, strict=True), key=lambda pair: pair[0])]
            with np.errstate(over="ignore"):  # numbers that are too large become infinite, and then nothing
                vectors = np.array([_decode_vector_if_encoded(row["embedding"]) for row in rows], dtype=np.float32)
        except (ValueError, TypeError, KeyError, OverflowError, AttributeError):
            raise ModelBroken(remedy="(malformed)") from None
        dimensions = self.dimensions or vectors.shape[-1]
        are_numbered = sorted(indices) in ([0] * len(texts), list(range(len(texts))))
        if not are_numbered or vectors.shape != (len(texts), dimensions) or not 0 < dimensions <= MAX_DIMENSIONS:
            raise ModelBroken(remedy="(malformed)")
        return normalize_vectors(vectors)


def _decode_vector_if_encoded(vector: object) -> object:
    """Decode a base64 vector, and unwrap a vector that is nested in a list (as llama.cpp sends it)."""
    if isinstance(vector, str):
        return np.frombuffer(b64decode(vector, validate=True), dtype="<f4")
    return vector[0] if isinstance(vector, list) and len(vector) == 1 and isinstance(vector[0], list) else vector


async def embed_passages(
    embedder: Embedder, texts: Sequence[str], *, is_subbatch: bool = False, is_retry: bool = False
) -> Vectors:
    """Embed texts, in smaller batches if a batch is refused. A text that is refused even alone gets a zero vector."""
    try:
        return await embedder.embed_passages(texts)
    except ModelError as error:
        may_pass = isinstance(error, ModelBusy) and error.status == 500  # not if it is Ollama's answer to a NaN
        if not isinstance(error, ModelRefused | ModelBroken) and not may_pass:
            raise
        if len(texts) == 1 or not is_subbatch:
            accepted = await embedder.embed_passages(["."])  # raises where nothing at all is accepted, or no longer
    if len(texts) == 1:
        is_last = is_retry or not may_pass
        return np.zeros_like(accepted) if is_last else await embed_passages(embedder, texts, is_retry=True)
    middle = len(texts) // 2
    halves = [await embed_passages(embedder, half, is_subbatch=True) for half in (texts[:middle], texts[middle:])]
    return np.concatenate(halves)


def make_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder chosen in the settings, or None if they turn embeddings off."""
    if settings.embedding_model == "none":
        return None
    if settings.embedding_model == "local":
        return LocalEmbedder()
    elsewhere = bool(settings.embedding_base_url)
    # A key is never sent to an address other than its own.
    key = settings.embedding_api_key if elsewhere else settings.embedding_api_key or settings.openai_api_key
    return EndpointEmbedder(
        model=settings.embedding_model,
        api_key=key,
        base_url=settings.embedding_base_url or settings.openai_base_url,
        timeout=settings.model_timeout,
    )
