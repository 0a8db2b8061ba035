"""Pure functions that compare new facts with known facts. A new fact may repeat, change or end a known one."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from facts.schemas import corrects_number_of_fact
from records.facts import LASTING, MAX_FACTS, Decision, Fact, FactChange, NewFact
from retrieval.fact_ranking import collect_fact_terms
from storage.tables.decisions import DecisionIndex, collect_decisions, make_decisions_about_replaced_facts
from text.fingerprint import find_topics, list_essential_words, make_fingerprint

MAX_CANDIDATES = 40  # facts that one text may be about
MAX_KEYS = 64  # words of a text that are looked up: a pasted page has thousands
MAX_FACTS_PER_KEY = 500  # of a frequent word, only the newest facts are looked at


class FactCandidates:
    """An index of facts by their words. Callers identify facts by numbers of their choice."""

    def __init__(self, facts: Mapping[int, Fact | NewFact]) -> None:
        self._having: dict[str, list[int]] = {}
        self._total = 0
        for number, fact in facts.items():
            self.add(number, fact)

    def add(self, fact_number: int, fact: Fact | NewFact) -> None:
        """Add a fact to the index under a number. Facts added later count as newer."""
        self._total += 1
        for key in _include_term_prefixes(_iterate_index_terms(fact)):
            self._having.setdefault(key, []).append(fact_number)

    def rank_by_terms(self, terms: Iterable[str], limit: int = MAX_CANDIDATES) -> list[int]:
        """Return the numbers of the facts that share the most terms, best first. Rare terms weigh more."""
        having = [found for key in _include_term_prefixes(terms) if (found := self._having.get(key))]
        weights = defaultdict[int, float](float)
        for found in heapq.nsmallest(MAX_KEYS, having, key=len):
            rarity = math.log(1 + self._total / len(found))
            for number in found[-MAX_FACTS_PER_KEY:]:
                weights[number] += rarity
        return heapq.nlargest(limit, weights, key=lambda number: (weights[number], abs(number)))


def _include_term_prefixes(terms: Iterable[str]) -> set[str]:
    # By its first letters, a word is found although two short texts were stemmed as different languages.
    return {part for term in terms for part in (term, term if term.startswith(" ") else term[:3])}


def _iterate_index_terms(fact: Fact | NewFact) -> Iterator[str]:
    yield from collect_fact_terms(fact)
    yield f" {' '.join(fact.text.casefold().split())}"  # so that a repetition is found, however common its words
    if fact.subject:
        yield f" {fact.subject.strip().casefold()}:"


def plan_fact_changes(
    new_facts: Sequence[NewFact],
    known_facts: Sequence[Fact],
    *,
    erased_fact_decisions: Sequence[Decision] = (),
    max_valid_facts: int = MAX_FACTS,
) -> list[FactChange]:
    """Plan a change for each new fact, in order. Leave out facts that an owner's decision overrules.

    `known_facts` contains all facts of the owner, including ended and deleted ones. `erased_fact_decisions` contains
    decisions about erased facts. In the changes, a negative number -n refers to the fact of the n-th change. A decision
    takes precedence over everything said before it. If several changes concern the same fact, the latest wins.
    """
    valid: dict[int, Fact | NewFact] = {fact.id: fact for fact in known_facts if fact.is_valid}
    decisions = DecisionIndex(collect_decisions(known_facts, erased_fact_decisions))
    successions = DecisionIndex(make_decisions_about_replaced_facts(known_facts))
    candidates = FactCandidates(valid)
    room = max_valid_facts - len(valid)
    closed = set[int]()
    changes: list[FactChange] = []
    for draft in new_facts:
        if decisions.overrules(draft):
            continue
        change, is_overruled = FactChange(fact=draft), False
        for number in _list_numbers_of_related_facts(draft, valid, candidates):
            fact = valid[number]
            is_named = (draft.is_change and number in draft.known) or _does_either_correct_number_of_other(draft, fact)
            match compare_facts(draft, fact, is_named_as_replaced=is_named):
                case "changed" | "ended" if _decision_overrules_draft(fact, draft):
                    is_overruled = True
                case "same" if number not in closed:
                    change = FactChange(fact=draft, same_as=number, closes=change.closes)
                    break
                case "changed" if _is_draft_older(draft, fact):
                    draft = replace(draft, valid_to=draft.valid_to or fact.valid_from)
                    change = replace(change, fact=draft, gave_way_to=number)
                case "changed" if draft.observed_at > fact.observed_at or draft.valid_from >= fact.valid_from:
                    if draft.valid_to is not None and make_fingerprint(draft.text).polarity:
                        # "No longer …, until May": the end belongs to what ended, not to its denial.
                        draft = replace(draft, valid_from=draft.valid_to, valid_to=None)
                    change = replace(change, fact=draft, closes=(*change.closes, number))
                case "ended" if not _is_draft_older(draft, fact):
                    change = FactChange(fact=draft, same_as=number, closes=change.closes, ends=True)
                    break
        is_valid = change.same_as is None and change.gave_way_to is None and draft.valid_to is None
        if is_overruled or (is_valid and successions.overrules(draft)):  # a later fact has replaced it
            continue
        if change.same_as is None:
            if room <= 0 and draft.valid_to is None and not change.closes:
                continue
            room += len(change.closes) - (draft.valid_to is None)
            valid[-1 - len(changes)] = draft
            candidates.add(-1 - len(changes), draft)
        elif change.ends:
            closed.add(change.same_as)
        closed.update(change.closes)
        changes.append(change)
    return changes


def _decision_overrules_draft(fact: Fact | NewFact, draft: NewFact) -> bool:
    if fact.decided_at is None:
        return False
    words, quoted = find_topics(fact.text), {word[:4] for word in find_topics(draft.quote)}
    # A small model invents a new value. A stated one is in the quote, in whatever words the rest is told.
    is_stated = draft.unsaid <= words or any(word[:4] in quoted for word in find_topics(draft.text) - words)
    return draft.is_in_question or draft.observed_at <= fact.decided_at or not is_stated


def _is_draft_older(draft: NewFact, fact: Fact | NewFact) -> bool:
    return draft.observed_at < fact.observed_at and draft.valid_from <= fact.valid_from


def _is_from_same_person(draft: NewFact, fact: Fact | NewFact) -> bool:
    if isinstance(fact, Fact) and (fact.owner > 0 or not fact.source_ids):
        return fact.owner > 0
    return fact.person_id == draft.person_id


def _does_either_correct_number_of_other(draft: NewFact, fact: Fact | NewFact) -> bool:
    """Return True if the same person stated both facts, and the later one corrects a number in the earlier one."""
    if draft.is_uncertain or fact.is_uncertain or not _is_from_same_person(draft, fact):
        return False
    if _find_names_not_in(draft.text, fact.text) and _find_names_not_in(fact.text, f"{draft.text} {draft.quote}"):
        return False  # "Leo is 8, not 7" says nothing about Mia
    if draft.observed_at < fact.observed_at and corrects_number_of_fact(fact.quote, draft.text, draft.quote):
        return True
    # The quote of an edited fact may give another number than its text.
    return corrects_number_of_fact(draft.quote, fact.text, fact.quote if fact.decided_at is None else "")


def _find_names_not_in(text: str, other_text: str) -> set[str]:
    held = (*make_fingerprint(other_text).names, *find_topics(other_text))
    return {name[:4] for name in make_fingerprint(text).names} - {word[:4] for word in held}


def compare_facts(
    new_fact: NewFact, known_fact: Fact | NewFact, *, is_named_as_replaced: bool
) -> Literal["same", "changed", "ended", "other"]:
    """Classify how a new fact affects a known one. `is_named_as_replaced` is the model's or the person's claim."""
    text = known_fact.text
    mine, theirs = make_fingerprint(new_fact.text), make_fingerprint(text)
    is_about = is_same_subject(new_fact.subject, known_fact.subject)
    if list_essential_words(new_fact.text) == list_essential_words(text):
        return "ended" if new_fact.valid_to else "same"
    has_same_topics = find_topics(new_fact.text) == find_topics(text)
    if has_same_topics and mine == replace(theirs, polarity=not theirs.polarity):
        return "changed"  # only the negation differs
    # Perhaps a name, which every fact about a person has.
    leading_words = find_topics(new_fact.text.split(" ")[0])
    model_says = is_named_as_replaced and (
        (is_about or is_same_subject(new_fact.key, known_fact.subject))
        or bool((find_topics(new_fact.text) & find_topics(text)) - leading_words)
    )
    repeats = mine == theirs and find_topics(new_fact.text) <= find_topics(text)
    if model_says and not repeats:
        return "changed"
    is_vital = known_fact.importance == 1.0
    changes_same_thing = is_vital and _changes_only_numbers_or_negates(new_fact.text, text)
    if new_fact.valid_to is not None:
        if is_about and changes_same_thing and mine.polarity and not theirs.polarity:
            return "changed"
        # A fact that is over ends the known one, in whatever tense it is told; it changes nothing else.
        is_over = is_about and mine.polarity == theirs.polarity and find_topics(text) <= find_topics(new_fact.text)
        return "ended" if is_over or model_says else "other"
    # A number, a date or a name, apart from the name at the beginning.
    has_detail = bool({*mine.numbers, *mine.dates, *mine.names} - set(_find_leading_names(new_fact.text)))
    if repeats and ((is_about and new_fact.only_one and has_detail) or model_says):
        return "same"
    # Of two allergies, the second does not end the first.
    may_end = (changes_same_thing or not is_vital) and known_fact.kind != "event"
    if new_fact.only_one and is_about and may_end and new_fact.kind not in ("event", *LASTING):
        return "other" if _are_about_different_people(new_fact, known_fact) else "changed"
    return "other"


def _are_about_different_people(new_fact: NewFact, known_fact: Fact | NewFact) -> bool:
    """Return True if two facts begin with different names, or are about two members of a group."""
    text, speaker, is_of_speaker = known_fact.text, new_fact.speaker, new_fact.text.startswith(new_fact.speaker)
    name, other_name = _find_leading_names(new_fact.text), _find_leading_names(text)
    is_by_same_person = known_fact.person_id == new_fact.person_id != 0
    if is_of_speaker and is_by_same_person and other_name == _find_leading_names(speaker.rstrip("23456789")):
        return False  # told before their namesake's name and theirs were told apart ("Anna2")
    is_of_known_speaker = text.startswith(speaker) and not text[len(speaker) : len(speaker) + 1].isdigit()
    have_other_names = bool(name and other_name) and name != other_name
    is_by_other = known_fact.person_id not in (0, new_fact.person_id) and is_of_speaker and not is_of_known_speaker
    return have_other_names or is_by_other


def _changes_only_numbers_or_negates(new_text: str, text: str) -> bool:
    """Return True if the texts differ only in numbers, or if the new text is a negation without any new topics."""
    mine, theirs = ({topic[:4] for topic in find_topics(each)} for each in (new_text, text))
    if make_fingerprint(new_text).polarity and not make_fingerprint(text).polarity:
        # In Chinese, two letters that a negation parts are a topic, too.
        return mine <= theirs or all(len(topic) == 2 and set(topic) <= set(new_text) for topic in theirs - mine)
    return all(topic.isdigit() for topic in mine ^ theirs)


def is_same_subject(subject: str, other_subject: str) -> bool:
    """Return True if two subjects consist of the same words and are not empty."""
    return bool(subject.strip()) and bool(other_subject.strip()) and find_topics(subject) == find_topics(other_subject)


def _list_numbers_of_related_facts(
    draft: NewFact, valid_facts: Mapping[int, Fact | NewFact], candidates: FactCandidates
) -> list[int]:
    """Return the numbers of the facts that `draft` may change, beginning with those that the model named."""
    ranked: list[tuple[int, int]] = []
    words = list_essential_words(draft.text)
    for number in {*candidates.rank_by_terms(_iterate_index_terms(draft)), *draft.known} & valid_facts.keys():
        fact = valid_facts[number]
        # In a group, nobody's words end another member's instructions and preferences, or those added by hand.
        if fact.valid_to is not None or (fact.kind in LASTING and not _is_from_same_person(draft, fact)):
            continue
        if number in draft.known or _does_either_correct_number_of_other(draft, fact):
            ranked.append((0, number))
        elif is_same_subject(draft.subject, fact.subject) or words == list_essential_words(fact.text):
            ranked.append((1, number))
        elif find_topics(draft.text) == find_topics(fact.text):
            ranked.append((2, number))
    return [number for _, number in sorted(ranked)]


def _find_leading_names(text: str) -> tuple[str, ...]:
    return make_fingerprint(text.split(" ")[0]).names
