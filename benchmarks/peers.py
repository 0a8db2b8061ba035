"""Measure other memory packages. `python -m benchmarks.peers --data FILE ... [--venv FOLDER] [--vectors FILE]`

Install pinned versions into their own environment and ask each one the questions of benchmarks.recall. All get the same
texts, `Speaker: words`, and the vectors of our local model if they accept vectors. Their results are packed as lines
`[date] Speaker: words` into the same budget and judged alike. This needs a package index, and runs no model but ours.
"""

import argparse
import asyncio
import json
import math
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import peer_runner
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.judging import FIRST
from benchmarks.locomo import Line, Sample, parse_data_file, parse_place, read
from benchmarks.measure import print_progress, print_report
from benchmarks.recall import compute_figures, measure
from benchmarks.vector_file import KeptVectors
from llm.local_embedder import LocalEmbedder
from settings import Settings
from text.tokenizer import Tokenizer

PINNED = (
    "mem0ai==2.2.1",
    "agentrecall-db==0.2.0",
    "lancedb==0.40.0",
    "sqlite-vec==0.1.9",
    "pysqlite3-binary==0.5.4.post2",
)
BATCH = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A peer's answer to a question: coverage in percent by budget, and True if the first ten hold everything."""

    coverage: dict[int, float]
    all_at_10: bool


def stored(line: Line) -> str:
    return f"{line.speaker}: {line.text}"


def shown(line: Line) -> str:
    return f"[{line.said_at:%Y-%m-%d}] {stored(line)}\n"


def install_peers(folder: Path) -> Path:
    """Return the Python of the peers' environment, which is created if necessary."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED]
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603
    return python


async def write_job(sample: Sample, folder: Path, embedder: KeptVectors) -> None:
    texts = [stored(line) for line in sample.lines]
    questions = [question.text for question in sample.questions]
    passages = [await embedder.embed_passages(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    queries = [await embedder.embed_query(question) for question in questions]
    np.savez(folder / "vectors.npz", passage=np.concatenate(passages), query=np.stack(queries))
    job = {"texts": texts, "questions": questions, "dimensions": embedder.dimensions}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def ask_peer(python: Path, peer: str, folder: Path) -> list[list[int]]:
    """Return the line numbers that the peer ranks for each question. Raise CalledProcessError."""
    command = [str(python), peer_runner.__file__, str(folder), peer]
    # mem0 wants a key for a model that `infer=False` never asks, and would report its use.
    own = {"HOME": str(folder), "MEM0_DIR": str(folder / "mem0"), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder, env=own)  # noqa: S603
    rankings: list[list[int]] = json.loads(done.stdout.decode().splitlines()[-1])
    return rankings


def answered(
    sample: Sample, rankings: Sequence[Sequence[int]], budgets: Sequence[int], tokens: Tokenizer
) -> list[Answered]:
    lines = list(sample.lines)
    sizes = [tokens.count(shown(line)) for line in lines]
    made = []
    for question, ranked in zip(sample.questions, rankings, strict=True):
        wanted = set(question.evidence)
        coverage = {}
        # One that stands for a message is asked there: nothing of that day or later.
        end = parse_place(question.at)[0] if question.at else math.inf
        known = [index for index in dict.fromkeys(ranked) if parse_place(lines[index].dia_id)[0] < end]
        for budget in budgets:
            room, fitting = budget, set[str]()
            for index in known:
                if sizes[index] <= room:
                    room -= sizes[index]
                    fitting.add(lines[index].dia_id)
            coverage[budget] = 100 * len(fitting & wanted) / len(wanted)
        first = {lines[index].dia_id for index in known[:FIRST]}
        made.append(Answered(coverage=coverage, all_at_10=wanted <= first))
    return made


async def measured(
    data: Sequence[Path], python: Path, peers: Sequence[str], budgets: Sequence[int], vectors: Path
) -> dict[str, list[Answered]]:
    tokens = Tokenizer.for_model(Settings().openai_model)
    found: dict[str, list[Answered]] = {peer: [] for peer in peers}
    async with KeptVectors(LocalEmbedder(), vectors) as embedder:
        for sample in (sample for path in data for sample in read(path)):
            for peer in peers:
                print_progress(f"{peer}: {sample.sample_id}, {len(sample.questions)} questions")
                with tempfile.TemporaryDirectory(prefix="keepsake-peers-") as folder:
                    await write_job(sample, Path(folder), embedder)
                    rankings = await asyncio.to_thread(ask_peer, python, peer, Path(folder))
                found[peer] += answered(sample, rankings, budgets, tokens)
    return found


async def ours(data: Sequence[Path], budgets: Sequence[int], vectors: Path, settings: Settings) -> dict[str, object]:
    asked = {
        budget: compute_figures(await measure(data, replace(settings, snippet_budget=budget), vectors=vectors))
        for budget in budgets
    }
    return {
        "embedding_model": settings.embedding_model,
        "coverage": {budget: of["coverage"] for budget, of in asked.items()},
        "all_at_10": asked[budgets[0]]["all_at_10"],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--data", type=parse_data_file, required=True, nargs="+", help="files in LoCoMo's format, measured as one"
    )
    parser.add_argument(
        "--budgets", type=make_number_parser(1), nargs="+", default=[500, 1500], help="tokens for snippets"
    )
    parser.add_argument("--peers", nargs="+", default=list(peer_runner.PEERS), choices=list(peer_runner.PEERS))
    parser.add_argument("--venv", type=Path, help="keep the peers' environment here, for the next run")
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser)
    with tempfile.TemporaryDirectory(prefix="keepsake-peers-") as folder:
        python = install_peers((options.venv or Path(folder) / "venv").absolute())
        vectors = options.vectors or Path(folder) / "vectors.db"
        found = asyncio.run(measured(options.data, python, options.peers, options.budgets, vectors))
        keepsake = asyncio.run(ours(options.data, options.budgets, vectors, settings))
    print_report(
        {
            "benchmark": "peers",
            "data": [path.name for path in options.data],
            "budgets": options.budgets,
            "pinned": PINNED,
            "n": len(next(iter(found.values()))),
            "keepsake": keepsake,
            **{
                peer: {
                    "coverage": {
                        budget: round(fmean(result.coverage[budget] for result in of), 2) for budget in options.budgets
                    },
                    "all_at_10": round(100 * fmean(result.all_at_10 for result in of), 2),
                }
                for peer, of in found.items()
            },
        }
    )


if __name__ == "__main__":
    main()
