"""Measure other memory packages. `python -m benchmarks.peers --data FILE ... [--venv FOLDER] [--vectors FILE]`

Install pinned versions into an environment of their own, and ask each package the questions of benchmarks.recall. All
packages get the same texts, `Speaker: words`, and those that accept vectors get the vectors of our local model. Their
results fill the same token budget with lines `[date] Speaker: words` and are judged in the same way. This needs a
package index. The only model that runs is our local one.
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
from benchmarks.judging import TOP_COUNT
from benchmarks.locomo import Line, Sample, parse_line_id, parse_questions_path, read_samples
from benchmarks.measure import print_progress, print_report
from benchmarks.recall import measure_recall, summarize_results
from benchmarks.vector_file import CachedEmbedder
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
class RankingResult:
    """How well a package found the evidence for one question.

    `coverage` is the percentage of the evidence that fits each budget. `all_at_10` is True if the first ten results
    contain all of it.
    """

    coverage: dict[int, float]
    all_at_10: bool


def format_stored_line(line: Line) -> str:
    """Format a line as the packages store it."""
    return f"{line.speaker}: {line.text}"


def format_shown_line(line: Line) -> str:
    """Format a line as it would appear in a prompt."""
    return f"[{line.said_at:%Y-%m-%d}] {format_stored_line(line)}\n"


def install_compared_packages(folder: Path) -> Path:
    """Install the compared packages into an environment in `folder`, and return its interpreter."""
    python_executable = folder / "bin" / "python"
    if not python_executable.exists():
        venv.create(folder, with_pip=True)
    command = [str(python_executable), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED]
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603
    return python_executable


async def write_runner_input(sample: Sample, folder: Path, embedder: CachedEmbedder) -> None:
    """Write the files that peer_runner.py reads."""
    texts = [format_stored_line(line) for line in sample.lines]
    questions = [question.text for question in sample.questions]
    passages = [await embedder.embed_passages(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    queries = [await embedder.embed_query(question) for question in questions]
    np.savez(folder / "vectors.npz", passage=np.concatenate(passages), query=np.stack(queries))
    job = {"texts": texts, "questions": questions, "dimensions": embedder.dimensions}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def rank_with_package(python_executable: Path, package: str, folder: Path) -> list[list[int]]:
    """Return the package's ranking of line indexes for each question. Raise CalledProcessError if it fails."""
    command = [str(python_executable), peer_runner.__file__, str(folder), package]
    # mem0 requires a key for a model that it never calls with `infer=False`, and its telemetry has to be turned off.
    own = {"HOME": str(folder), "MEM0_DIR": str(folder / "mem0"), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder, env=own)  # noqa: S603
    rankings: list[list[int]] = json.loads(done.stdout.decode().splitlines()[-1])
    return rankings


def evaluate_rankings(
    sample: Sample, rankings: Sequence[Sequence[int]], budgets: Sequence[int], tokenizer: Tokenizer
) -> list[RankingResult]:
    """Compute the results of a package from its rankings, one for each question of the sample."""
    lines = list(sample.lines)
    sizes = [tokenizer.count(format_shown_line(line)) for line in lines]
    results = []
    for question, ranked in zip(sample.questions, rankings, strict=True):
        evidence = set(question.evidence)
        coverage = {}
        # A question that replaces a line is asked in that line's session, so only earlier sessions are known.
        end = parse_line_id(question.in_place_of)[0] if question.in_place_of else math.inf
        known = [index for index in dict.fromkeys(ranked) if parse_line_id(lines[index].line_id)[0] < end]
        for budget in budgets:
            room, fitting = budget, set[str]()
            for index in known:
                if sizes[index] <= room:
                    room -= sizes[index]
                    fitting.add(lines[index].line_id)
            coverage[budget] = 100 * len(fitting & evidence) / len(evidence)
        first = {lines[index].line_id for index in known[:TOP_COUNT]}
        results.append(RankingResult(coverage=coverage, all_at_10=evidence <= first))
    return results


async def measure_package_recall(
    data: Sequence[Path], python_executable: Path, packages: Sequence[str], budgets: Sequence[int], vectors: Path
) -> dict[str, list[RankingResult]]:
    """Ask each package all questions of the files, and return its results. `vectors` is a file that caches vectors."""
    tokenizer = Tokenizer.for_model(Settings().openai_model)
    results: dict[str, list[RankingResult]] = {package: [] for package in packages}
    async with CachedEmbedder(LocalEmbedder(), vectors) as embedder:
        for sample in (sample for path in data for sample in read_samples(path)):
            for package in packages:
                print_progress(f"{package}: {sample.sample_id}, {len(sample.questions)} questions")
                with tempfile.TemporaryDirectory(prefix="keepsake-peers-") as folder:
                    await write_runner_input(sample, Path(folder), embedder)
                    rankings = await asyncio.to_thread(rank_with_package, python_executable, package, Path(folder))
                results[package] += evaluate_rankings(sample, rankings, budgets, tokenizer)
    return results


async def measure_keepsake_recall(
    data: Sequence[Path], budgets: Sequence[int], vectors: Path, settings: Settings
) -> dict[str, object]:
    """Return the bot's own figures for the same questions and budgets."""
    scores = {
        budget: summarize_results(await measure_recall(data, replace(settings, snippet_budget=budget), vectors=vectors))
        for budget in budgets
    }
    return {
        "embedding_model": settings.embedding_model,
        "coverage": {budget: figures["coverage"] for budget, figures in scores.items()},
        "all_at_10": scores[budgets[0]]["all_at_10"],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--data", type=parse_questions_path, required=True, nargs="+", help="files in LoCoMo's format, measured as one"
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
        python_executable = install_compared_packages((options.venv or Path(folder) / "venv").absolute())
        vectors = options.vectors or Path(folder) / "vectors.db"
        peer_results = asyncio.run(
            measure_package_recall(options.data, python_executable, options.peers, options.budgets, vectors)
        )
        keepsake = asyncio.run(measure_keepsake_recall(options.data, options.budgets, vectors, settings))
    print_report(
        {
            "benchmark": "peers",
            "data": [path.name for path in options.data],
            "budgets": options.budgets,
            "pinned": PINNED,
            "n": len(next(iter(peer_results.values()))),
            "keepsake": keepsake,
            **{
                package: {
                    "coverage": {
                        budget: round(fmean(result.coverage[budget] for result in results), 2)
                        for budget in options.budgets
                    },
                    "all_at_10": round(100 * fmean(result.all_at_10 for result in results), 2),
                }
                for package, results in peer_results.items()
            },
        }
    )


if __name__ == "__main__":
    main()
