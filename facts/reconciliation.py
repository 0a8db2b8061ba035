"""Reconciliation of new facts with known ones: a new fact repeats, changes or ends a known one, or is new. Pure.

A word index nominates a bounded number of candidates. Words, keys, numbers, dates, names and negation decide.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from records.facts import LASTING, MAX_FACTS, Decision, Fact, FactChange, NewFact
from retrieval.fact_ranking import list_fact_terms
from storage.tables.decisions import is_overruled_by, list_decisions_about
from text.fingerprint import Fingerprint, find_topics, list_essential_words, make_fingerprint

MAX_NEAR = 40  # facts that one text may be about
MAX_KEYS = 64  # words of a text that are looked up: a pasted page has thousands
BEGINNING = 3  # letters of a term by which it is found as well
OFTEN = 500  # of a word that more facts have, only the newest so many are looked at


class FactCandidates:
    """A word index of facts, under numbers that the caller chooses."""

    def __init__(self, facts: Mapping[int, Fact | NewFact]) -> None:
        self._having: dict[str, list[int]] = {}
        self._total = 0
        for number, fact in facts.items():
            self.add(number, fact)

    def add(self, number: int, fact: Fact | NewFact) -> None:
        """Add a fact. Later ones count as newer."""
        self._total += 1
        for key in _add_prefixes(_iterate_terms(fact)):
            self._having.setdefault(key, []).append(number)

    def of(self, fact: Fact | NewFact) -> list[int]:
        """Return the facts that share most terms with this one, best first."""
        return self.find_by_terms(_iterate_terms(fact))

    def find_by_terms(self, keys: Iterable[str], most: int = MAX_NEAR) -> list[int]:
        """Return up to `most` facts that share most with these terms. Rare terms count more."""
        having = [found for key in _add_prefixes(keys) if (found := self._having.get(key))]
        weights = defaultdict[int, float](float)
        for found in heapq.nsmallest(MAX_KEYS, having, key=len):
            rarity = math.log(1 + self._total / len(found))
            for number in found[-OFTEN:]:
                weights[number] += rarity
        return heapq.nlargest(most, weights, key=lambda number: (weights[number], abs(number)))


def _add_prefixes(keys: Iterable[str]) -> set[str]:
    """Return the terms and their first letters, because two short texts may be stemmed as different languages."""
    return {part for key in keys for part in (key, key if key.startswith(" ") else key[:BEGINNING])}


def _iterate_terms(fact: Fact | NewFact) -> Iterator[str]:
    yield from list_fact_terms(fact)
    yield f" {' '.join(fact.text.casefold().split())}"  # so that a repetition is found, however common its words
    if fact.subject:
        yield f" {fact.subject.strip().casefold()}:"


_EARLIEST = datetime.min.replace(tzinfo=UTC)
Verdict = Literal["same", "changed", "ended", "other"]


_Known = Mapping[int, Fact | NewFact]
"""By number: a stored fact under its id, a new one of this batch under minus its position, from 1."""


def plan_changes(
    new: Sequence[NewFact],
    known: Sequence[Fact],
    *,
    erased: Sequence[Decision] = (),
    most: int = MAX_FACTS,
) -> list[FactChange]:
    """Return the change that each new fact makes, in order.

    `known` are all facts of the owner, including ended and deleted ones. `erased` are decisions about erased facts.
    `most` limits the number of valid facts.

    A decision of the owner overrides everything said before it, and every question. Of several changes to one fact, the
    latest counts.
    """
    held: dict[int, Fact | NewFact] = {fact.id: fact for fact in known if fact.is_valid}
    decisions = list_decisions_about(known, erased)
    candidates = FactCandidates(held)
    room = most - len(held)
    closed = set[int]()
    changes: list[FactChange] = []
    for draft in new:
        said_at = _EARLIEST if draft.is_in_question else draft.observed_at
        if is_overruled_by(
            decisions,
            draft.text,
            draft.subject if draft.kind not in LASTING else "",
            sources=draft.source_ids,
            said_at=said_at,
            person_id=draft.person_id,
        ):
            continue
        change = FactChange(fact=draft)
        for number in _select_nominated(draft, held, candidates):
            one = held[number]
            match judge_pair(
                draft, one.text, kind=one.kind, subject=one.subject, is_named=draft.known == number and draft.is_change
            ):
                case "same" if number not in closed:
                    change = FactChange(fact=draft, same_as=number, closes=change.closes)
                    break
                case "changed" if _is_older(draft, one):
                    draft = replace(draft, valid_to=draft.valid_to or one.valid_from)
                    change = replace(change, fact=draft, gave_way_to=number)
                case "changed" if draft.valid_from >= one.valid_from or draft.known == number:
                    if draft.valid_to is not None and make_fingerprint(draft.text).polarity:
                        # "No longer …, until May": the end belongs to what ended, not to its denial.
                        draft = replace(draft, valid_from=draft.valid_to, valid_to=None)
                    change = replace(change, fact=draft, closes=(*change.closes, number))
                case "ended" if not _is_older(draft, one):
                    change = FactChange(fact=draft, same_as=number, closes=change.closes, ends=True)
                    break
                case _:
                    pass
        if change.same_as is None:
            if room <= 0 and draft.valid_to is None and not change.closes:
                continue
            room += len(change.closes) - (draft.valid_to is None)
            held[-1 - len(changes)] = draft
            candidates.add(-1 - len(changes), draft)
        elif change.ends:
            closed.add(change.same_as)
        closed.update(change.closes)
        changes.append(change)
    return changes


def _is_older(draft: NewFact, one: Fact | NewFact) -> bool:
    return draft.observed_at < one.observed_at and draft.valid_from <= one.valid_from


def judge_pair(new: NewFact, text: str, *, kind: str, subject: str, is_named: bool = False) -> Verdict:
    """Return the relation of a new fact to a known one. `is_named`: the model says that it replaces that one."""
    mine, theirs = make_fingerprint(new.text), make_fingerprint(text)
    is_about = is_same_subject(new.subject, subject)
    if list_essential_words(new.text) == list_essential_words(text):
        return "ended" if new.valid_to else "same"
    if _differ_only_in_negation(new.text, text, mine, theirs):
        return "changed"
    model_says = is_named and (is_about or _share_topic(new, text))
    repeats = mine == theirs and find_topics(new.text) <= find_topics(text)
    if model_says and not repeats:
        return "changed"
    if new.valid_to is not None:
        # A fact that is over ends the known one, in whatever tense it is told; it changes nothing else.
        is_over = is_about and mine.polarity == theirs.polarity and find_topics(text) <= find_topics(new.text)
        return "ended" if is_over or model_says else "other"
    if repeats and ((is_about and new.only_one and _has_number_date_or_name(mine, new)) or model_says):
        return "same"
    if new.only_one and is_about and "event" not in (kind, new.kind):
        if (
            _find_leading_name(new.text)
            and _find_leading_name(text)
            and _find_leading_name(new.text) != _find_leading_name(text)
        ):
            return "other"  # of a group's members, each has a home
        return "changed"
    return "other"


def is_same_subject(one: str, other: str) -> bool:
    """Return True if two subjects have the same words."""
    return bool(one.strip()) and bool(other.strip()) and find_topics(one) == find_topics(other)


def _select_nominated(draft: NewFact, held: _Known, candidates: FactCandidates) -> list[int]:
    """Return the known facts that this one may change. The one that the model named comes first."""
    scored: list[tuple[int, int]] = []
    for number in {*candidates.of(draft), *(() if draft.known is None else (draft.known,))} & held.keys():
        one = held[number]
        if one.valid_to is not None or _is_instruction_of_another_person(draft, one):
            continue
        if number == draft.known:
            scored.append((0, number))
        elif is_same_subject(draft.subject, one.subject) or list_essential_words(draft.text) == list_essential_words(
            one.text
        ):
            scored.append((1, number))
        elif find_topics(draft.text) == find_topics(one.text):
            scored.append((2, number))
    return [number for _, number in sorted(scored)]


def _is_instruction_of_another_person(draft: NewFact, one: Fact | NewFact) -> bool:
    if isinstance(one, Fact):
        return not one.may_be_changed_by(draft.person_id)
    return one.kind in LASTING and one.person_id != draft.person_id


def _has_number_date_or_name(found: Fingerprint, new: NewFact) -> bool:
    """Return True if the fact has a number, a date or a name, apart from the name at its beginning."""
    return bool({*found.numbers, *found.dates, *found.names} - set(_find_leading_name(new.text)))


def _find_leading_name(text: str) -> tuple[str, ...]:
    """Return the name that a fact begins with."""
    return make_fingerprint(text.split(" ")[0]).names if text else ()


def _differ_only_in_negation(new: str, known: str, mine: Fingerprint, theirs: Fingerprint) -> bool:
    return mine == replace(theirs, polarity=not theirs.polarity) and find_topics(new) == find_topics(known)


def _share_topic(new: NewFact, text: str) -> bool:
    """Return True if two sentences share a word, apart from the name at the beginning."""
    first = find_topics(new.text.split(" ")[0]) if new.text else frozenset()
    return bool((find_topics(new.text) & find_topics(text)) - first)
