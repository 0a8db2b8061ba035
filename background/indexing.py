"""Embed stored messages in the background, newest first. Word search finds a message even before it is embedded."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from attrs import define, field

from external_memory import ExternalMemory
from llm.embeddings import Embedder, embed_passages
from llm.quota import Charge
from records.errors import KeepsakeError
from records.messages import Message
from storage.search.protocol import MessageVectors
from storage.stores.memory_store import MemoryStore
from text.passages import split_into_passages

log = logging.getLogger(__name__)

BATCH = 16  # messages that are embedded and stored together
MAX_PASSAGES = 40  # passages of a message that are embedded, some 4,000 tokens; words find the others


@define(kw_only=True, eq=False)
class Indexer:
    """Embeds messages in the background. `charge` bills the embedded texts to their owners."""

    _memory: ExternalMemory
    _embedder: Embedder
    _charge: Charge
    _pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _wanted: asyncio.Event = field(factory=asyncio.Event, init=False)
    idle: asyncio.Event = field(factory=asyncio.Event, init=False)  # set once all messages are embedded
    is_failing: bool = field(default=False, init=False)
    """True if only words find the newest messages, because the embedder does not work."""

    def wake(self) -> None:
        """Wake the background task, because there are new messages to embed."""
        self.idle.clear()
        self._wanted.set()

    async def run_forever(self) -> None:
        failures = 0
        while True:
            self._wanted.clear()
            try:
                is_done = not any([await self._try_to_embed_next_batch(store) for store in self._memory.stores])
                failures, self.is_failing = 0, False
            except Exception as error:  # error boundary of this task: it tries again
                if not failures:
                    why = error.sentence if isinstance(error, KeepsakeError) else type(error).__name__
                    log.warning("messages cannot be embedded right now, only words find them: %s", why)
                failures, self.is_failing = failures + 1, True
                await self._pause(min(2.0**failures, 300.0))
                continue
            if is_done and not self._wanted.is_set():
                self.idle.set()
                log.debug("every message is embedded")
                await self._wanted.wait()

    async def _try_to_embed_next_batch(self, store: MemoryStore) -> bool:
        backlog = await store.vectors.list_unembedded_messages_with_seqs(self._embedder.name, BATCH)
        mine = await self._memory.select_served_owners({message.scope.owner for _, message in backlog})
        found = [(seq, message) for seq, message in backlog if message.scope.owner in mine]
        if not found:
            return False
        await store.vectors.store_vectors(self._embedder.name, await self._embed_messages(found))
        return True

    async def _embed_messages(self, messages: Sequence[tuple[int, Message]]) -> list[MessageVectors]:
        texts: list[str] = []
        by_owner: dict[int, list[str]] = {}
        places: list[slice] = []
        for _, message in messages:
            parts = split_into_passages(message.content)
            # A long answer is not embedded, since word search finds it.
            is_skipped = len(parts) > 1 and message.role == "assistant"
            passages = [] if is_skipped else [part.strip() for part in parts[:MAX_PASSAGES]]
            places.append(slice(len(texts), len(texts) + len(passages)))
            texts += passages
            by_owner.setdefault(message.scope.owner, []).extend(passages)
        vectors = await embed_passages(self._embedder, texts)
        await self._charge(by_owner)
        made: list[MessageVectors] = []
        for (seq, message), place in zip(messages, places, strict=True):
            rows = vectors[place] if vectors[place].any(axis=1).all() else vectors[:0]  # a refused text has zeros
            made.append(MessageVectors(seq=seq, message=message, passages=rows))
        return made
