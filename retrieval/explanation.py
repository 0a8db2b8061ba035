"""The explanation of an answer: what it was made from, as ids and figures, never as text. Pure.

Owns its form, as a value and as the JSON that is stored with the answer. Does not know stores, or how people are shown
an explanation.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, cast, get_args

from records.context import Context, ContextPart, Cut, RecalledFact
from records.messages import UNSTORED

FORM = 1
_SHORT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
Mark = Literal["", "changed"]  # of a fact: it replaced another


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """A message or fact that was brought back for the question, with the parts of its score, and what the prompt said
    of it.
    """

    id: int
    score: Mapping[str, float]
    mark: Mark = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplanationRecord:
    """The sources of one answer.

    `recent`: ids of the messages that the prompt carried word for word, as runs (first, last); `here`: how many more
    it carried that no store holds. `looked_up`: ids of the messages that the model found with its search tool.
    `whole`: tokens that the whole history would have taken instead. `shown`: ids of the answer's Telegram messages.
    """

    at: datetime
    model: str
    ceiling: int
    parts: tuple[ContextPart, ...]
    recent: tuple[tuple[int, int], ...] = ()
    here: int = 0
    summaries: tuple[int, ...] = ()
    snippets: tuple[Chosen, ...] = ()
    facts: tuple[Chosen, ...] = ()
    profile: int | None = None
    looked_up: tuple[int, ...] = ()
    cut: tuple[Cut, ...] = ()
    message_was_cut: bool = False
    whole: int = 0
    shown: tuple[int, ...] = ()

    @property
    def is_known(self) -> bool:
        """False: nobody knows any more what the answer was made from."""
        return bool(self.parts)

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def saved(self) -> int:
        """Tokens that the whole history would have cost on top of this prompt."""
        return max(0, self.whole - self.tokens)

    @property
    def recent_ids(self) -> list[int]:
        return [number for first, last in self.recent for number in range(first, last + 1)]

    def text(self) -> str:
        """Return the JSON that is stored: short, since every answer has one."""
        form = {"form": FORM} | {field.name: getattr(self, field.name) for field in fields(self)}
        form |= {
            "at": self.at.isoformat(),
            "parts": {part.name: [part.tokens, part.budget] for part in self.parts},
            "snippets": [_to_row(snippet) for snippet in self.snippets],
            "facts": [_to_row(fact) for fact in self.facts],
            "cut": [[cut.what, cut.first_id, cut.last_id, cut.why] for cut in self.cut],
        }
        present = {name: value for name, value in form.items() if value not in ((), [], None, False, 0)}
        return _SHORT.encode(present)


def make_explanation(context: Context, *, at: datetime, model: str, looked_up: Sequence[int] = ()) -> ExplanationRecord:
    """Return the explanation of the answer that a context led to."""
    stored = [message.id for message in context.recent if message.id < UNSTORED]
    return ExplanationRecord(
        at=at,
        model=model,
        ceiling=context.ceiling,
        parts=context.parts,
        recent=group_runs(stored),
        here=len(context.recent) - len(stored),
        summaries=tuple(summary.id for summary in context.summaries),
        snippets=tuple(
            Chosen(id=snippet.message.id, score=round_scores(snippet.score))
            for snippet in context.snippets
            if snippet.message.id < UNSTORED
        ),
        facts=tuple(
            Chosen(id=fact.fact.id, score=round_scores(fact.score), mark=_mark_of_fact(fact)) for fact in context.facts
        ),
        profile=context.profile.id if context.profile else None,
        looked_up=tuple(looked_up),
        cut=tuple(cut for cut in context.cut if cut.last_id < UNSTORED),
        message_was_cut=context.message_was_cut,
        whole=context.whole,
    )


def make_unknown(at: datetime) -> ExplanationRecord:
    """Return the explanation of an answer of which none was kept."""
    return ExplanationRecord(at=at, model="", ceiling=0, parts=())


def read(text: str) -> ExplanationRecord | None:
    """Return the explanation that a stored text holds; None where it cannot be read (edited by hand, or of a newer
    form).
    """
    try:
        form = json.loads(text)
        return None if form["form"] > FORM else _parse_record(form)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def group_runs(ids: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Ascending ids as runs without a gap: (first, last) each."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(ids)):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def round_scores(score: Mapping[str, float]) -> dict[str, float]:
    """Return a score's parts to two digits, without those that round to nothing."""
    return {name: round(value, 2) for name, value in score.items() if abs(value) >= 0.005}


def _parse_record(form: Mapping[str, Any]) -> ExplanationRecord:
    return ExplanationRecord(
        at=datetime.fromisoformat(form["at"]),
        model=str(form["model"]),
        ceiling=int(form.get("ceiling", 0)),
        parts=tuple(
            ContextPart(name=name, tokens=int(tokens), budget=int(budget))
            for name, (tokens, budget) in form["parts"].items()
        ),
        recent=tuple((int(first), int(last)) for first, last in form.get("recent", ())),
        here=int(form.get("here", 0)),
        summaries=tuple(map(int, form.get("summaries", ()))),
        snippets=_find_chosen(form.get("snippets", ())),
        facts=_find_chosen(form.get("facts", ())),
        profile=form.get("profile"),
        looked_up=tuple(map(int, form.get("looked_up", ()))),
        cut=tuple(
            Cut(what=what, first_id=int(first), last_id=int(last), why=str(why))
            for what, first, last, why in form.get("cut", ())
        ),
        message_was_cut=bool(form.get("message_was_cut", False)),
        whole=int(form.get("whole", 0)),
        shown=tuple(map(int, form.get("shown", ()))),
    )


def _mark_of_fact(one: RecalledFact) -> Mark:
    return "changed" if one.earlier is not None else ""


def _to_row(one: Chosen) -> list[Any]:
    return [one.id, one.score, one.mark] if one.mark else [one.id, one.score]


def _find_chosen(rows: Iterable[Sequence[Any]]) -> tuple[Chosen, ...]:
    return tuple(
        Chosen(
            id=int(number),
            score={str(name): float(value) for name, value in score.items()},
            mark=cast("Mark", mark[0]) if mark and mark[0] in get_args(Mark) else "",
        )
        for number, score, *mark in rows
    )
