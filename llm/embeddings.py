"""Embeds texts with the bundled model or at an OpenAI-compatible endpoint. All vectors are normalised."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from llm.endpoint import CallTimer, EndpointClient, open_model_span
from llm.failures import SettingNames, StatusError, raise_unreadable
from llm.local_embedder import LocalEmbedder, Vectors, normalize_vectors
from llm.meant_json import parse_json_or_none
from records.errors import BrokenOff, ModelBroken, ModelBusy, ModelError, ModelRefused
from settings import Settings
from text.characters import repair_surrogates

if TYPE_CHECKING:
    from llm.openai_client import OpenAIClient

MAX_INPUT_CHARS = 8_000  # characters of a text that are sent to an endpoint
MAX_ANSWER_BYTES = 32_000_000  # 64 vectors of 8,192 numbers with 20 digits have fewer than half
MIN_CUT_CHARS = 500  # a longer text that is refused by itself is cut in half, since 512 tokens are a common limit
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
    _takes_lists = True

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        size = 64 if self._takes_lists else 1
        batches = [await self._embed_batch(texts[start : start + size]) for start in range(0, len(texts), size)]
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
        request = {"model": self.name, "input": texts if self._takes_lists else texts[0]}
        try:
            async with client.post("/embeddings", request, timer.restart_timeout) as response:
                answer = await response.read_json(MAX_ANSWER_BYTES)
        except StatusError as error:
            if len(texts) > 1 or self.dimensions or error.status_code not in (400, 422):
                raise
            # Some servers take only one text, as a string.
            self._takes_lists = not self._takes_lists
            if self._takes_lists:
                raise
            return await self._request_vectors(texts, client, timer)
        try:
            rows = _find_vectors(answer, len(texts))
            dimensions = self.dimensions or max(map(len, rows), default=0)
            vectors = np.stack([row if len(row) else np.zeros(dimensions, np.float32) for row in rows])
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise_unreadable(answer)
        if vectors.shape != (len(texts), dimensions) or not 0 < dimensions <= MAX_DIMENSIONS:
            raise ModelBroken(remedy="(malformed)")
        return normalize_vectors(vectors)


def _find_vectors(part: object, count: int) -> list[Vectors]:
    """Return the vectors of `count` texts in a part of an answer, in order, or an empty list.

    Each server names the members of its answers differently. The one with the most numbers has the vectors.
    """
    if isinstance(part, str):
        part = parse_json_or_none(part)
    if isinstance(part, Mapping):
        found = [_find_vectors(inner, count) for inner in part.values()]
        return max(found, key=lambda rows: sum(map(len, rows)), default=[])
    if not isinstance(part, list):
        return []
    rows = part if len(part) == count and isinstance(part[0], list | Mapping | str) else [part] if count == 1 else []
    if all(isinstance(row, Mapping) for row in rows):
        rows = sorted(rows, key=lambda row: int(row.get("index") or row.get("text_index") or 0))
    vectors = [_read_vector(row) for row in rows]
    return vectors if any(map(len, vectors)) else []


def _read_vector(value: object) -> Vectors:
    """Return the vector of one text: the longest in an object, the sum of those of tokens, or one in base64."""
    vector: Vectors = np.zeros(0, np.float32)
    if isinstance(value, Mapping):
        return max(map(_read_vector, value.values()), key=len, default=vector)
    if isinstance(value, str):
        if (parsed := parse_json_or_none(value)) is not None:
            return _read_vector(parsed)
        encoded = value.strip().rstrip("=").translate(str.maketrans("-_", "+/"))
        with suppress(ValueError):  # any other text
            vector = np.frombuffer(b64decode(encoded + "=" * (-len(encoded) % 4), validate=True), dtype="<f4")
    if not isinstance(value, list) or not value:
        return vector
    if isinstance(value[0], list | Mapping):
        vector = np.stack([_read_vector(token) for token in value]).sum(axis=0)  # their mean, but for its length
    else:
        with np.errstate(over="ignore"):  # numbers that are too large become infinite, and then nothing
            vector = np.array(value, dtype=np.float32)
    return vector


async def embed_passages(
    embedder: Embedder, texts: Sequence[str], *, is_subbatch: bool = False, is_retry: bool = False
) -> Vectors:
    """Embed texts. If they are refused, embed them in smaller batches, and a single one shortened.

    A text that is refused at any length gets a zero vector.
    """
    try:
        return await embedder.embed_passages(texts)
    except ModelError as error:
        is_refused = isinstance(error, ModelRefused | ModelBroken) and not isinstance(error, BrokenOff)
        # Ollama answers 500 to a NaN, and gateways answer as if they were busy if a batch is too large or too slow.
        is_fault = isinstance(error, ModelBusy) and error.status == 500
        may_be_size = len(texts) > 1 and not (isinstance(error, ModelBusy) and error.retry_after)
        if not (is_refused or is_fault or may_be_size):
            raise
        if len(texts) == 1 or not is_subbatch:
            accepted = await embedder.embed_passages(["."])  # raises where nothing at all is accepted, or no longer
    if len(texts) == 1:
        if len(texts[0]) > MIN_CUT_CHARS:
            return await embed_passages(embedder, [texts[0][: len(texts[0]) // 2]])
        is_last = is_retry or is_refused
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
