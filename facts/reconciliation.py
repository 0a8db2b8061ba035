"""What a new fact does to those that are known: it is one of them, changes one, ends one, or stands beside them. Pure.

Owns the rules. Nearness, in meaning or by subject, only nominates; words, numbers, dates, names and negation decide.
Does not know where facts come from, or how they are stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from facts.fingerprint import Fingerprint, essence, marks, topics
from records.facts import Fact, FactChange, NewFact

Distance = Callable[[int, Fact], float | None]
"""Cosine distance between the new fact of this number and a known one; None where that is not known."""
Verdict = Literal["same", "changed", "ended", "other"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    """A fact as the plan sees it: stored (`number` is its id) or new in this batch (minus its place, from 1)."""

    number: int
    text: str
    kind: str
    subject: str
    valid_from: datetime
    valid_to: datetime | None
    observed_at: datetime
    is_closed_here: bool = False


def plan(new: Sequence[NewFact], known: Sequence[Fact], *, distance: Distance, near: float) -> list[FactChange]:
    """What to do with each new fact, in order. `known`: all facts of the owner that are valid.

    `near`: the cosine distance below which meaning nominates. Of several changes to one fact the later counts: what
    was told before that (imported history, talk that is learned from once more) was over when the later began.
    """
    by_id = {fact.id: fact for fact in known}
    held = {fact.id: _of(fact) for fact in known}
    changes: list[FactChange] = []
    for place, draft in enumerate(new):
        change = FactChange(fact=draft)
        for number in _nominated(place, draft, held, by_id, distance, near):
            one = held[number]
            match verdict(draft, one.text, kind=one.kind, subject=one.subject, is_named=draft.known == number):
                case "same" if not one.is_closed_here:
                    change = FactChange(fact=draft, same_as=number, closes=change.closes)
                    break
                case "changed" if _was_told_before(draft, one):
                    draft = replace(draft, valid_to=draft.valid_to or one.valid_from)
                    change = replace(change, fact=draft, gave_way_to=number)
                case "changed" if draft.valid_from >= one.valid_from or draft.known == number:
                    if draft.valid_to is not None and marks(draft.text).polarity:
                        # "No longer …, until May": it is what ended that has this end, not its denial.
                        draft = replace(draft, valid_from=draft.valid_to, valid_to=None)
                    change = replace(change, fact=draft, closes=(*change.closes, number))
                case "ended" if not _was_told_before(draft, one):
                    change = FactChange(fact=draft, same_as=number, closes=change.closes, ends=True)
                    break
                case _:
                    pass
        for number in change.closes:
            held[number] = replace(held[number], is_closed_here=True)
        if change.same_as is not None and change.ends:
            held[change.same_as] = replace(held[change.same_as], is_closed_here=True)
        if change.same_as is None:
            held[-1 - place] = _Known(
                number=-1 - place,
                text=draft.text,
                kind=draft.kind,
                subject=draft.subject,
                valid_from=draft.valid_from,
                valid_to=draft.valid_to,
                observed_at=draft.observed_at,
            )
        changes.append(change)
    return changes


def _was_told_before(draft: NewFact, one: _Known) -> bool:
    return draft.observed_at < one.observed_at and draft.valid_from <= one.valid_from


def verdict(new: NewFact, text: str, *, kind: str, subject: str, is_named: bool = False) -> Verdict:
    """How a new fact stands to a known one of this text. `is_named`: the model said that it is about this one."""
    mine, theirs = marks(new.text), marks(text)
    is_about = same_subject(new.subject, subject)
    if essence(new.text) == essence(text):
        return "ended" if new.valid_to else "same"
    if _is_flip(new.text, text, mine, theirs):
        return "changed"
    is_told = is_named and (is_about or _is_related(new, text))
    if is_told and new.relation == "replaces":
        return "changed"
    if new.valid_to is not None:
        # What is over ends what was known to hold, in whatever tense it is told; it changes nothing else.
        is_over = is_about and mine.polarity == theirs.polarity and topics(text) <= topics(new.text)
        return "ended" if is_over else "other"
    if mine == theirs and topics(new.text) <= topics(text):
        if is_about and new.only_one and _has_value(mine, new):
            return "same"
        if is_told and new.relation == "repeats":
            return "same"
    if new.only_one and is_about and "event" not in (kind, new.kind) and mine.people == theirs.people:
        return "changed"
    return "other"


def same_subject(one: str, other: str) -> bool:
    """The same subject by words: "home town", "Home town"."""
    return bool(one.strip()) and bool(other.strip()) and topics(one) == topics(other)


def _nominated(
    place: int,
    draft: NewFact,
    held: dict[int, _Known],
    by_id: dict[int, Fact],
    distance: Distance,
    near: float,
) -> list[int]:
    """The facts that this one may be about, that which the model named first, then the nearest."""
    scored: list[tuple[float, int]] = []
    for number, one in held.items():
        if one.valid_to is not None:
            continue
        apart = distance(place, by_id[number]) if number in by_id else None
        if number == draft.known:
            scored.append((-1.0, number))
        elif apart is not None and apart < near:
            scored.append((apart, number))
        elif same_subject(draft.subject, one.subject) or essence(draft.text) == essence(one.text):
            scored.append((near, number))
        elif topics(draft.text) == topics(one.text):
            scored.append((2 * near, number))
    return [number for _, number in sorted(scored)]


def _has_value(found: Fingerprint, new: NewFact) -> bool:
    """Whether there is a number, a date or a name beside the name that every fact begins with."""
    first = marks(new.text.split(" ")[0]).names if new.text else ()
    return bool(found.distinguishing - set(first))


def _is_flip(new: str, known: str, mine: Fingerprint, theirs: Fingerprint) -> bool:
    """The same said with and without a negation."""
    unsigned = (mine.numbers, mine.dates, mine.names, mine.people, mine.mood) == (
        theirs.numbers,
        theirs.dates,
        theirs.names,
        theirs.people,
        theirs.mood,
    )
    return mine.polarity != theirs.polarity and unsigned and topics(new) == topics(known)


def _is_related(new: NewFact, text: str) -> bool:
    """Whether two sentences share more than whom they are about."""
    first = topics(new.text.split(" ")[0]) if new.text else frozenset()
    return bool((topics(new.text) & topics(text)) - first)


def _of(fact: Fact) -> _Known:
    return _Known(
        number=fact.id,
        text=fact.text,
        kind=fact.kind,
        subject=fact.subject,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        observed_at=fact.observed_at,
    )
