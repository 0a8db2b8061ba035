"""Measure mem0 on the questions of benchmarks.recall. `python -m benchmarks.peers --data FILE ... [--venv FOLDER]`

Install a pinned version of mem0 from a package index into its own environment. mem0 gets the texts `Speaker: words` and
vectors from our local model; no other model runs. Its results fill a token budget with lines `[date] Speaker: words`. A
message that fits counts as found.
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
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import peer_runner
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.locomo import Line, LocomoConversation, parse_line_id, parse_questions_path, read_samples
from benchmarks.measure import print_progress, print_report
from benchmarks.vector_file import CachedEmbedder
from llm.local_embedder import LocalEmbedder
from text.tokenizer import Tokenizer

PINNED = "mem0ai==2.2.1"
BATCH = 16


def format_stored_line(line: Line) -> str:
    """Format a line as it is stored in mem0."""
    return f"{line.speaker}: {line.text}"


def install_package(folder: Path) -> Path:
    """Install the package into an environment in `folder`, and return its interpreter."""
    python_executable = folder / "bin" / "python"
    if not python_executable.exists():
        venv.create(folder, with_pip=True)
    command = [str(python_executable), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PINNED]
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603
    return python_executable


async def write_runner_input(sample: LocomoConversation, folder: Path, embedder: CachedEmbedder) -> None:
    """Write the texts, questions and vectors that peer_runner.py reads."""
    texts = [format_stored_line(line) for line in sample.lines]
    questions = [question.text for question in sample.questions]
    passages = [await embedder.embed_passages(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    queries = [await embedder.embed_query(question) for question in questions]
    np.savez(folder / "vectors.npz", passage=np.concatenate(passages), query=np.stack(queries))
    job = {"texts": texts, "questions": questions, "dimensions": embedder.dimensions}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def rank_lines_with_mem0(python_executable: Path, folder: Path) -> list[list[int]]:
    """Return mem0's ranking of line indexes for each question. Raise CalledProcessError if the script fails."""
    command = [str(python_executable), peer_runner.__file__, str(folder)]
    # mem0 requires a key for a model that it never calls with `infer=False`, and its telemetry has to be turned off.
    own = {"HOME": str(folder), "MEM0_DIR": str(folder / "mem0"), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder, env=own)  # noqa: S603
    rankings: list[list[int]] = json.loads(done.stdout.decode().splitlines()[-1])
    return rankings


def compute_coverages(
    sample: LocomoConversation, rankings: Sequence[Sequence[int]], budget: int, tokenizer: Tokenizer
) -> list[float]:
    """Return the percentage of each question's evidence that fits the budget in the order of its ranking."""
    lines = list(sample.lines)
    sizes = [tokenizer.count(f"[{line.said_at:%Y-%m-%d}] {format_stored_line(line)}\n") for line in lines]
    coverages = []
    for question, ranked in zip(sample.questions, rankings, strict=True):
        # A question that replaces a line is asked in that line's session, so only earlier sessions are known.
        end = parse_line_id(question.in_place_of)[0] if question.in_place_of else math.inf
        room, fitting = budget, set[str]()
        for index in dict.fromkeys(ranked):
            if parse_line_id(lines[index].line_id)[0] < end and sizes[index] <= room:
                room -= sizes[index]
                fitting.add(lines[index].line_id)
        coverages.append(100 * len(fitting.intersection(question.evidence)) / len(question.evidence))
    return coverages


async def measure_mem0_coverage(
    data: Sequence[Path], python_executable: Path, budgets: Sequence[int], vectors: Path, tokenizer: Tokenizer
) -> dict[int, list[float]]:
    """Return the coverage of every question of the files, by budget. `vectors` is a file that caches vectors."""
    coverages: dict[int, list[float]] = {budget: [] for budget in budgets}
    async with CachedEmbedder(LocalEmbedder(), vectors) as embedder:
        for sample in (sample for path in data for sample in read_samples(path)):
            print_progress(f"{sample.sample_id}: {len(sample.questions)} questions")
            with tempfile.TemporaryDirectory(prefix="keepsake-peers-") as folder:
                await write_runner_input(sample, Path(folder), embedder)
                rankings = await asyncio.to_thread(rank_lines_with_mem0, python_executable, Path(folder))
            for budget in budgets:
                coverages[budget] += compute_coverages(sample, rankings, budget, tokenizer)
    return coverages


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--data", type=parse_questions_path, required=True, nargs="+", help="files in LoCoMo's format, measured as one"
    )
    parser.add_argument(
        "--budgets", type=make_number_parser(1), nargs="+", default=[500, 1500], help="tokens for snippets"
    )
    parser.add_argument("--venv", type=Path, help="keep the package's environment here, for the next run")
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args()
    tokenizer = Tokenizer.for_model(read_settings_or_exit(parser).openai_model)
    with tempfile.TemporaryDirectory(prefix="keepsake-peers-") as folder:
        python_executable = install_package((options.venv or Path(folder, "venv")).absolute())
        vectors = options.vectors or Path(folder, "vectors.db")
        coverages = asyncio.run(
            measure_mem0_coverage(options.data, python_executable, options.budgets, vectors, tokenizer)
        )
    print_report(
        {
            "benchmark": "peers",
            "data": [path.name for path in options.data],
            "package": PINNED,
            "n": len(coverages[options.budgets[0]]),
            "coverage": {budget: round(fmean(shares), 2) for budget, shares in coverages.items()},
        }
    )


if __name__ == "__main__":
    main()
