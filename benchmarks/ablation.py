"""What does each part of ranking give? `python -m benchmarks.ablation --data FILE ... [--budget 1500] [--vectors FILE]`

Asks as benchmarks.fit does, then ranks and packs again with one part switched off at a time: its constants set to 0.
Does not know the formula.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from benchmarks.arguments import number, settings_of, written
from benchmarks.fit import Measured, cases
from benchmarks.locomo import data_file
from benchmarks.measure import report
from retrieval.ranking import WEIGHTS, Weights
from text.tokenizer import Tokenizer

PARTS: Mapping[str, Sequence[str]] = {
    "words": ("words", "words_near"),
    "neighbours of any kind": ("meaning_near", "words_near", "borrow", "near"),
    "the neighbours' meaning": ("meaning_near",),
    "the neighbours' words": ("words_near",),
    "borrowed words": ("borrow",),
    "smoothing": ("near",),
    "centring": ("centring",),
    "the assistant's penalty": ("assistant", "assistant_whole"),
    "what always holds": ("standing",),
    "less meaning where many are asked for": ("many",),
    "speaker": ("named",),
    "times": ("in_range",),
}
"""Parts, and the constants that make them."""


def without(names: Sequence[str]) -> Weights:
    """Our constants, with these set to 0."""
    known = asdict(WEIGHTS)
    off = {name: tuple(0.0 for _ in known[name]) if isinstance(known[name], tuple) else 0.0 for name in names}
    return Weights(**{**known, **off})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--data", type=data_file, required=True, nargs="+", help="files in LoCoMo's format")
    parser.add_argument("--budget", type=number(1), default=1500, help="tokens for snippets")
    parser.add_argument("--vectors", type=written, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    settings = settings_of(parser)
    asked = asyncio.run(cases(options.data, settings, options.vectors, [options.budget]))
    measured = Measured(asked, [options.budget], Tokenizer.for_model(settings.openai_model).count)
    questions = {name: sum(case.conversation == name for case in asked) for name in {c.conversation for c in asked}}

    def coverage(w: Weights) -> float:
        of = measured(w)
        return round(sum(of[name] * number for name, number in questions.items()) / len(asked), 2)

    report(
        {
            "benchmark": "ablation",
            "data": [path.name for path in options.data],
            "budget": options.budget,
            "embedding_model": settings.embedding_model,
            "n": len(asked),
            "coverage": coverage(WEIGHTS),
            "coverage_without": {part: coverage(without(names)) for part, names in PARTS.items()},
        }
    )


if __name__ == "__main__":
    main()
