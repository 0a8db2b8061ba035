"""Builds the explanation of an answer: its sources, as ids and scores but never as text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, cast, get_args

from records.context import Context, ContextPart, Cut
from records.messages import UNSTORED

FORM = 1
Mark = Literal["", "changed"]  # "changed" marks a fact that replaced another


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenSource:
    """A message or fact that was chosen for a question, with the parts of its score."""

    id: int
    score: Mapping[str, float]
    mark: Mark = ""

    def to_json_row(self) -> list[Any]:
        return [self.id, self.score, self.mark] if self.mark else [self.id, self.score]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplanationRecord:
    """The sources of one answer, as ids and scores, and the token counts of its prompt."""

    at: datetime
    model: str = ""
    ceiling: int = 0
    parts: tuple[ContextPart, ...] = ()
    recent: tuple[tuple[int, int], ...] = ()  # messages that the prompt had verbatim, as runs of ids (first, last)
    here: int = 0  # the number of verbatim messages that are not stored
    summaries: tuple[int, ...] = ()
    snippets: tuple[ChosenSource, ...] = ()
    facts: tuple[ChosenSource, ...] = ()
    profile: int | None = None
    looked_up: tuple[int, ...] = ()  # messages that the model found with its search tool
    cut: tuple[Cut, ...] = ()
    message_was_cut: bool = False
    whole: int = 0  # tokens of a prompt with the whole history
    shown: tuple[int, ...] = ()  # ids of the Telegram messages that show the answer

    @property
    def has_sources(self) -> bool:
        return bool(self.parts)

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def saved(self) -> int:
        """The number of tokens that this prompt saved compared with the whole history."""
        return max(0, self.whole - self.tokens)

    def to_json(self) -> str:
        """Return compact JSON without empty fields, since every answer stores it."""
        form = {"form": FORM} | {field.name: getattr(self, field.name) for field in fields(self)}
        form |= {
            "at": self.at.isoformat(),
            "parts": {part.name: [part.tokens, part.budget] for part in self.parts},
            "snippets": [snippet.to_json_row() for snippet in self.snippets],
            "facts": [fact.to_json_row() for fact in self.facts],
            "cut": [[cut.what, cut.first_id, cut.last_id, cut.why] for cut in self.cut],
        }
        present = {name: value for name, value in form.items() if value not in ((), [], None, False, 0)}
        return json.dumps(present, ensure_ascii=False, separators=(",", ":"))


def make_explanation_record(
    context: Context, *, answered_at: datetime, model: str, message_ids_found_by_tools: Sequence[int] = ()
) -> ExplanationRecord:
    stored = [message.id for message in context.recent if message.id < UNSTORED]
    return ExplanationRecord(
        at=answered_at,
        model=model,
        ceiling=context.max_prompt_tokens,
        parts=context.parts,
        recent=group_consecutive_ids_into_ranges(stored),
        here=len(context.recent) - len(stored),
        summaries=tuple(summary.id for summary in context.summaries),
        snippets=tuple(
            ChosenSource(id=snippet.message.id, score=_round_scores(snippet.score))
            for snippet in context.snippets
            if snippet.message.id < UNSTORED
        ),
        facts=tuple(
            ChosenSource(
                id=fact.fact.id, score=_round_scores(fact.score), mark="changed" if fact.earlier is not None else ""
            )
            for fact in context.facts
        ),
        profile=context.profile.id if context.profile else None,
        looked_up=tuple(message_ids_found_by_tools),
        cut=tuple(cut for cut in context.cut if cut.last_id < UNSTORED),
        message_was_cut=context.message_was_cut,
        whole=context.whole,
    )


def parse_explanation_record(text: str) -> ExplanationRecord | None:
    """Parse a stored explanation. Return None if it is malformed or has a newer format."""
    try:
        form = json.loads(text)
        return None if form["form"] > FORM else _parse_record(form)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def group_consecutive_ids_into_ranges(ids: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Group consecutive ids, and return the first and last id of each group."""
    runs: list[tuple[int, int]] = []
    for number in sorted(set(ids)):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)


def _round_scores(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in scores.items() if abs(value) >= 0.005}


def _parse_record(data: Mapping[str, Any]) -> ExplanationRecord:
    return ExplanationRecord(
        at=datetime.fromisoformat(data["at"]),
        model=str(data["model"]),
        ceiling=int(data.get("ceiling", 0)),
        parts=tuple(
            ContextPart(name=name, tokens=int(tokens), budget=int(budget))
            for name, (tokens, budget) in data["parts"].items()
        ),
        recent=tuple((int(first), int(last)) for first, last in data.get("recent", ())),
        here=int(data.get("here", 0)),
        summaries=tuple(map(int, data.get("summaries", ()))),
        snippets=_parse_sources(data.get("snippets", ())),
        facts=_parse_sources(data.get("facts", ())),
        profile=data.get("profile"),
        looked_up=tuple(map(int, data.get("looked_up", ()))),
        cut=tuple(
            Cut(what=what, first_id=int(first), last_id=int(last), why=str(why))
            for what, first, last, why in data.get("cut", ())
        ),
        message_was_cut=bool(data.get("message_was_cut", False)),
        whole=int(data.get("whole", 0)),
        shown=tuple(map(int, data.get("shown", ()))),
    )


def _parse_sources(rows: Iterable[Sequence[Any]]) -> tuple[ChosenSource, ...]:
    return tuple(
        ChosenSource(
            id=int(number),
            score={str(name): float(value) for name, value in score.items()},
            mark=cast("Mark", mark[0]) if mark and mark[0] in get_args(Mark) else "",
        )
        for number, score, *mark in rows
    )
