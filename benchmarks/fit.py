"""Which constants should ranking have? `python -m benchmarks.fit --data FILE ... [--budgets 500 1500] [--vectors FILE]`

Remembers every conversation as benchmarks.recall does, asks each question once through the bot's retriever, and keeps
the features of each candidate; then varies retrieval.ranking's constants, one change after the other, and packs again.
A change is taken only where it gains more than its standard error over the conversations, so that chance moves nothing.
Constants chosen without one conversation, or without one file (a language), are measured on that one. EMBEDDING_MODEL
comes from the environment. Does not know the formula: it varies the numbers that it finds.
"""

import argparse
import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import fmean, stdev

from benchmarks.arguments import number, settings_of, written
from benchmarks.locomo import Question, data_file, read
from benchmarks.measure import progress, report
from benchmarks.recall import SCOPE, embedding, remembered
from records.context import Snippet
from retrieval.packing import pack
from retrieval.ranking import WEIGHTS, Signals, Weights, signals, weighed
from retrieval.search import Found
from settings import Settings
from text.tokenizer import Tokenizer

STEPS = (0.5, 0.75, 1.25, 1.5, 2.0)
"""What a constant is multiplied by."""
MOST_CHANGES = 3
SHAPES = ("centring", "borrow", "near", "many", "k1", "b")
"""Constants that are part of the signals themselves: after a change of one they must be computed again."""


@dataclass(kw_only=True)
class Case:
    """One question, with everything that may answer it, as a prompt of each budget would carry it."""

    conversation: str
    file: str
    question: Question
    found: Found
    snippets: Mapping[int, Sequence[Snippet]]
    dia_ids: Sequence[str]
    now: datetime
    by_shape: dict[tuple[object, ...], Signals] = field(default_factory=dict)

    def signals(self, w: Weights) -> Signals:
        shape = tuple(getattr(w, name) for name in SHAPES)
        if shape not in self.by_shape:
            made = signals(self.found.pool, self.found.asked, self.found.meaning, w)
            if shape != tuple(getattr(WEIGHTS, name) for name in SHAPES):
                return made
            self.by_shape[shape] = made
        return self.by_shape[shape]

    def coverage(self, w: Weights, budgets: Sequence[int], count: Callable[[str], int]) -> list[float]:
        """The share of the evidence that fits into each budget."""
        ranked = weighed(self.signals(w), w).rows.tolist()
        by_id = dict(zip(self.found.pool.ids.tolist(), self.dia_ids, strict=True))
        found = []
        for budget in budgets:
            offered = self.snippets[budget]
            packed = pack((offered[i] for i in ranked), room=budget, now=self.now, count=count)
            shown = {by_id[one.message.id] for one in packed}
            found.append(len(shown.intersection(self.question.evidence)) / len(self.question.evidence))
        return found


Coverages = Mapping[str, float]
"""Percent by conversation, each the mean over the budgets."""


async def cases(data: Sequence[Path], settings: Settings, vectors: Path | None, budgets: Sequence[int]) -> list[Case]:
    """Every question of the files, asked."""
    made: list[Case] = []
    async with embedding(settings, vectors) as embedder:
        for file, sample in [(path.name, sample) for path in data for sample in read(path)]:
            progress(f"{sample.sample_id}: {len(sample.questions)} questions")
            async with remembered(sample, settings, embedder=embedder) as memory:
                for question in sample.questions:
                    found = await memory.retrieval.found(question.text, memory.store, SCOPE)
                    snippets = {}
                    for budget in budgets:
                        shown = await memory.retrieval.snippets(found, memory.store, SCOPE, room=budget)
                        by_id = {one.message.id: one for one in shown}
                        snippets[budget] = [by_id[number] for number in found.pool.ids.tolist()]
                    made.append(
                        Case(
                            conversation=sample.sample_id,
                            file=file,
                            question=question,
                            found=found,
                            snippets=snippets,
                            dia_ids=[memory.ids[number] for number in found.pool.ids.tolist()],
                            now=memory.now,
                        )
                    )
    return made


class Measured:
    """Coverage of the cases under constants, measured once for each."""

    def __init__(
        self,
        cases: Sequence[Case],
        budgets: Sequence[int],
        count: Callable[[str], int],
        *,
        steps: Sequence[float] = STEPS,
        most_changes: int = MOST_CHANGES,
    ) -> None:
        self.steps = steps
        self.most_changes = most_changes
        self._cases = cases
        self._budgets = budgets
        self._count = cache(count)
        self._known: dict[Weights, dict[int, Coverages]] = {}

    def by_budget(self, w: Weights) -> Mapping[int, Coverages]:
        if w not in self._known:
            found: dict[int, dict[str, list[float]]] = {budget: {} for budget in self._budgets}
            for case in self._cases:
                coverage = case.coverage(w, self._budgets, self._count)
                for budget, share in zip(self._budgets, coverage, strict=True):
                    found[budget].setdefault(case.conversation, []).append(share)
            self._known[w] = {
                budget: {name: 100 * fmean(values) for name, values in by_name.items()}
                for budget, by_name in found.items()
            }
            progress(f"{len(self._known)} settings measured")
        return self._known[w]

    def __call__(self, w: Weights) -> Coverages:
        by_budget = self.by_budget(w)
        return {name: fmean(of[name] for of in by_budget.values()) for name in by_budget[self._budgets[0]]}


def neighbours(w: Weights, has_meaning: bool, steps: Sequence[float]) -> list[tuple[str, Weights]]:
    """The same constants with one of them changed, and what was changed."""
    # Similarity decides what comes first, not what is shown; there are no facts here.
    unused = {
        "alike",
        "alike_words",
        "learned",
        *(() if has_meaning else ("assistant", "spread", "meaning_near", "many", "centring")),
    }
    made: list[tuple[str, Weights]] = []
    for name, value in asdict(w).items():
        if name in unused:
            continue
        for step in steps:
            if name in ("centring", "many", "b") and value * step > 1:
                continue
            values = value if isinstance(value, tuple) else (value,)
            changed = tuple(round(one * step, 4) for one in values)
            changes = {name: changed if values is value else changed[0]}
            made.append((f"{name} × {step}", Weights(**{**asdict(w), **changes})))
    return made


def gain(better: Coverages, than: Coverages, conversations: Sequence[str]) -> tuple[float, float]:
    """Mean of the differences, and its standard error."""
    differences = [better[name] - than[name] for name in conversations]
    error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else math.inf
    return fmean(differences), error


def fitted(
    measured: Measured,
    conversations: Sequence[str],
    has_meaning: bool,
    *,
    errors: float = 1.0,
    most: int | None = None,
) -> tuple[Weights, list[str]]:
    """The constants that these conversations recommend, and the changes that lead there from ours.

    `errors`: how many standard errors a change has to gain; `most`: the most changes that are made.
    """
    w, changes = WEIGHTS, list[str]()
    while len(changes) < (most or measured.most_changes):
        now = measured(w)
        tried = [
            (*gain(measured(changed), now, conversations), what, changed)
            for what, changed in neighbours(w, has_meaning, measured.steps)
        ]
        certain = [one for one in tried if one[0] > max(errors * one[1], 0.05)]
        if not certain:
            break
        mean, error, what, w = max(certain, key=lambda one: one[0])
        changes.append(f"{what}: {mean:+.2f} ± {error:.2f}")
    return w, changes


def left_out(measured: Measured, groups: Mapping[str, Sequence[str]], has_meaning: bool) -> dict[str, object]:
    """For each group: its coverage under our constants, and under those that the others recommend."""
    everything = [name for names in groups.values() for name in names]
    result: dict[str, object] = {}
    for group, names in groups.items():
        kept = [name for name in everything if name not in names]
        if not kept:
            continue
        certain, changes = fitted(measured, kept, has_meaning)
        greedy, _ = fitted(measured, kept, has_meaning, errors=0, most=1)
        result[group] = {
            "ours": round(fmean(measured(WEIGHTS)[name] for name in names), 2),
            "chosen_without_it": round(fmean(measured(certain)[name] for name in names), 2),
            "changes": changes,
            "best_change_without_it": round(fmean(measured(greedy)[name] for name in names), 2),
        }
    return result


def plateau(measured: Measured, conversations: Sequence[str], has_meaning: bool) -> list[dict[str, object]]:
    """What one change alone does, largest loss first."""
    ours = measured(WEIGHTS)
    rows = [
        (*gain(measured(other), ours, conversations), what)
        for what, other in neighbours(WEIGHTS, has_meaning, measured.steps)
    ]
    return [
        {"change": what, "difference": round(mean, 2), "error": round(error, 2)}
        for mean, error, what in sorted(rows, key=lambda row: row[0])
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit", description=__doc__)
    parser.add_argument("--data", type=data_file, required=True, nargs="+", help="files in LoCoMo's format")
    parser.add_argument("--budgets", type=number(1), nargs="+", default=[500, 1500], help="tokens for snippets")
    parser.add_argument("--vectors", type=written, help="keep vectors in this file, for the next run")
    parser.add_argument("--steps", type=float, nargs="+", default=STEPS, help="what a constant is multiplied by")
    parser.add_argument("--changes", type=number(0), default=MOST_CHANGES, help="so many changes are made at most")
    options = parser.parse_args(arguments)
    settings = settings_of(parser)
    asked = asyncio.run(cases(options.data, settings, options.vectors, options.budgets))
    has_meaning = settings.embedding_model != "none"
    measured = Measured(
        asked,
        options.budgets,
        Tokenizer.for_model(settings.openai_model).count,
        steps=options.steps,
        most_changes=options.changes,
    )
    of_file: dict[str, list[str]] = {}
    for case in asked:
        names = of_file.setdefault(case.file, [])
        if case.conversation not in names:
            names.append(case.conversation)
    conversations = [name for names in of_file.values() for name in names]
    best, changes = fitted(measured, conversations, has_meaning)
    report(
        {
            "benchmark": "fit",
            "data": [path.name for path in options.data],
            "budgets": options.budgets,
            "embedding_model": settings.embedding_model,
            "n": len(asked),
            "ours": {budget: _rounded(of) for budget, of in measured.by_budget(WEIGHTS).items()},
            "steps": options.steps,
            "recommended": asdict(best),
            "is_ours": best == WEIGHTS,
            "changes": changes,
            "recommended_gives": {budget: _rounded(of) for budget, of in measured.by_budget(best).items()},
            "conversation_left_out": left_out(measured, {name: [name] for name in conversations}, has_meaning),
            "file_left_out": left_out(measured, of_file, has_meaning),
            "one_change": plateau(measured, conversations, has_meaning),
        }
    )


def _rounded(of: Coverages) -> dict[str, float]:
    return {"mean": round(fmean(of.values()), 2), **{name: round(value, 2) for name, value in of.items()}}


if __name__ == "__main__":
    main()
