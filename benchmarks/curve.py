"""How does coverage grow with the budget? `python -m benchmarks.curve --data FILE ... [--svg FILE] [--vectors FILE]`

Asks every question once by words and meaning and once by words alone, packs what was found into many budgets, prints
the coverages, and draws them: a line for each set of files (`--data` may be given several times) and each kind of
search. Does not know how anything is found.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import log2
from pathlib import Path
from statistics import fmean

from benchmarks.arguments import settings_of, written
from benchmarks.fit import Measured, cases
from benchmarks.locomo import data_file
from benchmarks.measure import report
from retrieval.ranking import WEIGHTS
from settings import Settings
from text.tokenizer import Tokenizer

BUDGETS = (125, 250, 500, 750, 1000, 1500, 2000, 3000)
WIDTH, HEIGHT, MARGIN, LEGEND = 720, 400, 50, 190
COLOURS = ("#1f6feb", "#d1570b", "#2d8a4e", "#8250df", "#a0522d", "#57606a")

Line = Mapping[int, float]
"""Coverage in percent by budget."""


async def line(data: Sequence[Path], settings: Settings, vectors: Path | None) -> Line:
    asked = await cases(data, settings, vectors, BUDGETS)
    of = {case.conversation: 0 for case in asked}
    for case in asked:
        of[case.conversation] += 1
    count = Tokenizer.for_model(settings.openai_model).count
    by_budget = Measured(asked, BUDGETS, count).by_budget(WEIGHTS)
    return {
        budget: round(sum(coverage[name] * of[name] for name in of) / len(asked), 2)
        for budget, coverage in by_budget.items()
    }


def drawn(lines: Mapping[str, Line]) -> str:
    """An SVG: budgets on a logarithmic scale, coverage from the multiple of ten below the lowest point."""
    least = int(min(min(of.values()) for of in lines.values()) // 10 * 10)
    right, bottom = WIDTH - LEGEND, HEIGHT - MARGIN

    def x(budget: float) -> float:
        return MARGIN + (right - MARGIN) * log2(budget / BUDGETS[0]) / log2(BUDGETS[-1] / BUDGETS[0])

    def y(coverage: float) -> float:
        return bottom - (bottom - 20) * (coverage - least) / (100 - least)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        '<g font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for coverage in range(least, 101, 10):
        parts.append(f'<path d="M{MARGIN} {y(coverage):.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 6}" y="{y(coverage) + 4:.1f}" text-anchor="end">{coverage}</text>')
    parts += [f'<text x="{x(b):.1f}" y="{bottom + 18}" text-anchor="middle">{b:,}</text>' for b in BUDGETS]
    middle = (MARGIN + right) // 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">tokens for earlier messages</text>')
    parts.append(f'<text x="{MARGIN}" y="12">coverage, %</text>')
    ends = sorted(((of[BUDGETS[-1]], name) for name, of in lines.items()), reverse=True)
    height = 0.0
    for index, (end, name) in enumerate(ends):
        colour, of = COLOURS[index % len(COLOURS)], lines[name]
        points = " ".join(f"{x(budget):.1f},{y(value):.1f}" for budget, value in of.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(b):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for b, v in of.items()]
        height = max(y(end) + 4, height + 16)
        parts.append(f'<text x="{right + 10}" y="{height:.1f}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</g></svg>", ""])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.curve", description=__doc__)
    parser.add_argument("--data", type=data_file, required=True, nargs="+", action="append", help="files of one line")
    parser.add_argument("--names", nargs="+", help="what each --data is called")
    parser.add_argument("--svg", type=written, help="draw here")
    parser.add_argument("--vectors", type=written, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    settings = settings_of(parser)
    names = options.names or [files[0].stem for files in options.data]
    if len(names) != len(options.data):
        parser.error("argument --names: as many as there are --data")
    lines: dict[str, Line] = {}
    for name, files in zip(names, options.data, strict=True):
        for model, kind in (("local", "words and meaning"), ("none", "words alone")):
            searched = replace(settings, embedding_model=model)
            lines[f"{name}, {kind}"] = asyncio.run(line(files, searched, options.vectors))
    if options.svg:
        options.svg.write_text(drawn(lines), encoding="utf-8")
    report(
        {
            "benchmark": "curve",
            "coverage": lines,
            "mean": {name: round(fmean(of.values()), 2) for name, of in lines.items()},
        }
    )


if __name__ == "__main__":
    main()
