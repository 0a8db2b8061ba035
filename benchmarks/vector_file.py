"""Cache vectors in a file, so that repeated measurements need no model."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from llm.embeddings import Embedder
from llm.local_embedder import Vectors

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class CachedEmbedder:
    """An embedder that caches another embedder's vectors in a SQLite file. Use it as an async context manager."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self.database = sqlite3.connect(file, check_same_thread=False)
        self.database.execute(_TABLE)

    async def __aenter__(self) -> Self:
        await self._embedder.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()
        await self._embedder.__aexit__(kind, error, trace)

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        keys = [self._make_key("passage", text) for text in texts]
        missing = [index for index, key in enumerate(keys) if self._find_vector(key) is None]
        if missing:
            self._store_vectors(
                [keys[index] for index in missing],
                await self._embedder.embed_passages([texts[index] for index in missing]),
            )
        found = [vector for key in keys if (vector := self._find_vector(key)) is not None]
        return np.stack(found) if found else np.zeros((0, self.dimensions), np.float32)

    async def embed_query(self, text: str) -> Vectors:
        key = self._make_key("query", text)
        vector = self._find_vector(key)
        if vector is None:
            vector = await self._embedder.embed_query(text)
            self._store_vectors([key], vector[None])
        return vector

    def _make_key(self, kind: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{kind}\0{text}".encode()).digest()

    def _find_vector(self, key: bytes) -> Vectors | None:
        row = self.database.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return np.frombuffer(row[0], "<f4").astype(np.float32) if row else None

    def _store_vectors(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self.database:
            self.database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
