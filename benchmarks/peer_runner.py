"""Search with one other memory package in its own environment: `python peer_runner.py FOLDER PEER`

benchmarks/peers.py writes the texts and questions of a conversation to FOLDER/job.json, and their vectors to
vectors.npz. This script prints a JSON list for each question: the indexes of the texts, best first. It imports nothing
from this project, which is not installed there.
"""

import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

MAX_RANKED = 2000  # results for each question: more than fit a budget, even if many are skipped

Job = Mapping[str, Any]
Rankings = list[list[int]]


def rank_with_mem0(job: Job, folder: Path) -> Rankings:
    """Rank with mem0ai, using our vectors and Qdrant in this process. `infer=False` means that it calls no model."""
    vectors = _load_vectors(job, folder)

    class Embedder:
        def embed(self, text: str, action: str | None = None) -> list[float]:
            return vectors["query" if action == "search" else "passage", _collapse_whitespace(text)]

        def embed_batch(self, texts: Sequence[str], action: str | None = None) -> list[list[float]]:
            return [self.embed(text, action) for text in texts]

    store = {"path": str(folder / "qdrant"), "embedding_model_dims": job["dimensions"], "on_disk": False}
    memory = importlib.import_module("mem0").Memory.from_config(
        {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(folder / "history.db")}
    )
    memory.embedding_model = Embedder()
    for number, text in enumerate(job["texts"]):
        memory.add(text, user_id="one", infer=False, metadata={"number": number})
    return [
        [
            int(hit["metadata"]["number"])
            for hit in memory.search(question, top_k=MAX_RANKED, threshold=0.0, filters={"user_id": "one"})["results"]
        ]
        for question in job["questions"]
    ]


def rank_with_agentrecall(job: Job, folder: Path, *, semantic: bool = False) -> Rankings:
    """Rank with agentrecall-db, which uses SQLite FTS5. With `semantic`, it adds our vectors by rank fusion."""
    # In many builds of Python the sqlite3 module cannot load extensions.
    sys.modules["sqlite3"] = importlib.import_module("pysqlite3")
    vectors = _load_vectors(job, folder)
    questions = set(job["questions"])

    class Embedder:
        dim = job["dimensions"]

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [vectors["query" if text in questions else "passage", _collapse_whitespace(text)] for text in texts]

    options = {"embedder": Embedder(), "embeddings": True} if semantic else {"embeddings": False}
    memory = importlib.import_module("agentrecall").Memory(folder / "memory.db", **options)
    for number, text in enumerate(job["texts"]):
        memory.add(text, metadata={"number": number})
    return [
        [int(hit.record.metadata["number"]) for hit in memory.search(question, k=MAX_RANKED)]
        for question in job["questions"]
    ]


def rank_with_agentrecall_hybrid(job: Job, folder: Path) -> Rankings:
    return rank_with_agentrecall(job, folder, semantic=True)


def rank_with_lancedb(job: Job, folder: Path) -> Rankings:
    """Rank with LanceDB's full-text index and our vectors, combined by rank fusion, as LanceDB does by default."""
    vectors = _load_vectors(job, folder)
    database = importlib.import_module("lancedb").connect(str(folder / "lance"))
    rows = [
        {"number": number, "text": text, "vector": vectors["passage", _collapse_whitespace(text)]}
        for number, text in enumerate(job["texts"])
    ]
    table = database.create_table("messages", rows)
    table.create_fts_index("text")
    return [
        [
            int(row["number"])
            for row in table.search(query_type="hybrid")
            .vector(vectors["query", _collapse_whitespace(question)])
            .text(_remove_query_syntax(question))
            .limit(MAX_RANKED)
            .to_list()
        ]
        for question in job["questions"]
    ]


PEERS: Mapping[str, Callable[[Job, Path], Rankings]] = {
    "mem0ai": rank_with_mem0,
    "agentrecall-db": rank_with_agentrecall,
    "agentrecall-db hybrid": rank_with_agentrecall_hybrid,
    "lancedb hybrid": rank_with_lancedb,
}


def _remove_query_syntax(question: str) -> str:
    """Replace all punctuation with spaces, because a query language would interpret it."""
    return "".join(character if character.isalnum() else " " for character in question)


def _collapse_whitespace(text: str) -> str:
    """Return the text with single spaces, so that texts match even if a package trims its input."""
    return " ".join(text.split())


def _load_vectors(job: Job, folder: Path) -> dict[tuple[str, str], list[float]]:
    """Load the vectors of the job by kind ("passage" or "query") and text."""
    arrays = importlib.import_module("numpy").load(folder / "vectors.npz")
    return {
        (kind, _collapse_whitespace(text)): vector
        for kind, texts in (("passage", job["texts"]), ("query", job["questions"]))
        for text, vector in zip(texts, arrays[kind].tolist(), strict=True)
    }


if __name__ == "__main__":
    work = Path(sys.argv[1])
    asked = json.loads((work / "job.json").read_text(encoding="utf-8"))
    print(json.dumps(PEERS[sys.argv[2]](asked, work)))
