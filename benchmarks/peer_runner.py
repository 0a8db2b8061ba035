"""Search with mem0 in its own environment: `python peer_runner.py FOLDER`

benchmarks/peers.py writes the texts and questions of a conversation to FOLDER/job.json, and their vectors to
vectors.npz. This script prints a JSON list for each question: the indexes of the texts, best first. It imports nothing
from this project, which is not installed there.
"""

import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MAX_RANKED = 2000  # results for each question: more than fit a budget, even if many are skipped


def rank_with_mem0(job: Mapping[str, Any], folder: Path) -> list[list[int]]:
    """Rank with mem0ai, using our vectors and Qdrant in this process. `infer=False` means that it calls no model."""
    arrays = importlib.import_module("numpy").load(folder / "vectors.npz")
    vectors: dict[tuple[str, str], list[float]] = {
        (kind, _collapse_whitespace(text)): vector
        for kind, texts in (("passage", job["texts"]), ("query", job["questions"]))
        for text, vector in zip(texts, arrays[kind].tolist(), strict=True)
    }

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


def _collapse_whitespace(text: str) -> str:
    """Return the text with single spaces, so that texts match even if mem0 trims its input."""
    return " ".join(text.split())


if __name__ == "__main__":
    work = Path(sys.argv[1])
    print(json.dumps(rank_with_mem0(json.loads((work / "job.json").read_text(encoding="utf-8")), work)))
