"""Ask one other memory package inside its own environment: `python peer_runner.py FOLDER PEER`.

benchmarks/peers.py writes the texts of one conversation to FOLDER/job.json, and the vectors of texts and questions to
vectors.npz. For each question, this prints the numbers of the texts in the package's order, as JSON. It imports nothing
of this project.
"""

import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

LIMIT = 2000  # texts asked for a question: more than a budget holds, also of the earliest

Job = Mapping[str, Any]
Rankings = list[list[int]]


def mem0(job: Job, folder: Path) -> Rankings:
    """mem0ai without a model (`infer=False`), with Qdrant in the process and our vectors."""
    vectors = _vectors(job, folder)

    class Embedder:
        def embed(self, text: str, action: str | None = None) -> list[float]:
            return vectors["query" if action == "search" else "passage", _one_line(text)]

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
            for hit in memory.search(question, top_k=LIMIT, threshold=0.0, filters={"user_id": "one"})["results"]
        ]
        for question in job["questions"]
    ]


def agentrecall(job: Job, folder: Path, *, semantic: bool = False) -> Rankings:
    """agentrecall-db: FTS5 in SQLite. `semantic` adds sqlite-vec and our vectors, fused by rank."""
    # In many builds of Python the sqlite3 module cannot load extensions.
    sys.modules["sqlite3"] = importlib.import_module("pysqlite3")
    vectors = _vectors(job, folder)
    questions = set(job["questions"])

    class Embedder:
        dim = job["dimensions"]

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [vectors["query" if text in questions else "passage", _one_line(text)] for text in texts]

    given = {"embedder": Embedder(), "embeddings": True} if semantic else {"embeddings": False}
    memory = importlib.import_module("agentrecall").Memory(folder / "memory.db", **given)
    for number, text in enumerate(job["texts"]):
        memory.add(text, metadata={"number": number})
    return [
        [int(hit.record.metadata["number"]) for hit in memory.search(question, k=LIMIT)]
        for question in job["questions"]
    ]


def agentrecall_hybrid(job: Job, folder: Path) -> Rankings:
    return agentrecall(job, folder, semantic=True)


def lancedb(job: Job, folder: Path) -> Rankings:
    """LanceDB: its full-text index and our vectors, fused by rank, its default."""
    vectors = _vectors(job, folder)
    database = importlib.import_module("lancedb").connect(str(folder / "lance"))
    rows = [
        {"number": number, "text": text, "vector": vectors["passage", _one_line(text)]}
        for number, text in enumerate(job["texts"])
    ]
    table = database.create_table("messages", rows)
    table.create_fts_index("text")
    return [
        [
            int(row["number"])
            for row in table.search(query_type="hybrid")
            .vector(vectors["query", _one_line(question)])
            .text(_plain(question))
            .limit(LIMIT)
            .to_list()
        ]
        for question in job["questions"]
    ]


PEERS: Mapping[str, Callable[[Job, Path], Rankings]] = {
    "mem0ai": mem0,
    "agentrecall-db": agentrecall,
    "agentrecall-db hybrid": agentrecall_hybrid,
    "lancedb hybrid": lancedb,
}


def _plain(question: str) -> str:
    """Remove the characters that a query language would interpret."""
    return "".join(character if character.isalnum() else " " for character in question)


def _one_line(text: str) -> str:
    """Put the text on one line, for packages that trim their input."""
    return " ".join(text.split())


def _vectors(job: Job, folder: Path) -> dict[tuple[str, str], list[float]]:
    kept = importlib.import_module("numpy").load(folder / "vectors.npz")
    return {
        (kind, _one_line(text)): vector
        for kind, texts in (("passage", job["texts"]), ("query", job["questions"]))
        for text, vector in zip(texts, kept[kind].tolist(), strict=True)
    }


if __name__ == "__main__":
    work = Path(sys.argv[1])
    asked = json.loads((work / "job.json").read_text(encoding="utf-8"))
    print(json.dumps(PEERS[sys.argv[2]](asked, work)))
