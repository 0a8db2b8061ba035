"""Ranking: a newer message that says the same stands before the older one, where both matter."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from records.messages import Role
from retrieval.date_expressions import Range
from retrieval.question import Question
from retrieval.ranking import WEIGHTS, Meaning, Scored, rank, signals, weighed
from storage.search.protocol import Floats, Matching, Pool

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Said:
    id: int
    text: str
    days: int
    terms: tuple[str, ...] = ()
    role: Role = "user"
    length: int = 6
    standing: bool = False


def pool(*rows: Said) -> Pool:
    terms = list(dict.fromkeys(term for row in rows for term in row.terms))
    ids = np.array([row.id for row in rows], np.int64)
    return Pool(
        seqs=ids,
        ids=ids,
        positions=10 * ids,
        sessions=ids,
        lengths=np.array([row.length for row in rows], np.int64),
        sizes=np.array([len(row.text) for row in rows], np.int64),
        said_at=np.array([(FIRST + timedelta(days=row.days)).timestamp() for row in rows]),
        by_assistant=np.array([row.role == "assistant" for row in rows], np.bool_),
        standing=np.array([row.standing for row in rows], np.bool_),
        speakers=tuple("Anna" if row.role == "user" else "" for row in rows),
        counts=np.array([[float(term in row.terms) for row in rows] for term in terms]).reshape(len(terms), len(rows)),
        matched=Matching(
            seqs=ids.tolist(),
            turns=200,
            mean_length=6,
            person_mean=6,
            assistant_mean=6,
            frequency={term: sum(term in row.terms for row in rows) for term in terms},
        ),
    )


def vector(angle: float) -> Floats:
    """A direction in the plane that the mean (the third axis) says nothing of."""
    return np.array([np.cos(angle), np.sin(angle), 0.0], np.float32)


def meaning(*angles: float) -> Meaning:
    """What the vectors of the candidates say, in order."""
    vectors = np.array([vector(angle) for angle in angles], np.float32).reshape(len(angles), 3)
    return Meaning(
        query=vector(0.0),
        mean=np.zeros(3, np.float32),
        vectors=vectors,
        rows=np.arange(len(angles)),
        cosines=vectors[:, 0],
        mean_cosine=0.0,
    )


def ids(ranked: Sequence[Scored]) -> list[int]:
    return [one.id for one in ranked]


OLD = Said(id=1, text="The code of the lockbox is 5928.", days=0, terms=("code", "lockbox"))
NEW = Said(
    id=2,
    text="They changed the lockbox once more, its code is 8046 now, what a mess.",
    days=40,
    terms=("code", "lockbox"),
)
OTHER = Said(id=3, text="The lockbox hangs beside the door.", days=50, terms=("lockbox",))
QUESTION = Question(text="What is the code of the lockbox?", terms=("code", "lockbox"))


def test_the_newer_of_two_that_mean_the_same_stands_first() -> None:
    ranked = rank(pool(OLD, NEW, OTHER), QUESTION, meaning(0.1, 0.5, 1.5))
    assert ids(ranked)[:2] == [2, 1]
    assert ranked[0].parts["newer"] > 0
    assert ranked[0].score == pytest.approx(sum(ranked[0].parts.values()))


def test_what_means_something_else_keeps_its_place() -> None:
    ranked = rank(pool(OLD, NEW, OTHER), QUESTION, meaning(0.1, 1.4, 1.5))
    assert ids(ranked)[0] == 1
    assert not any("newer" in one.parts for one in ranked if one.id < 3)


def test_words_alone_tell_as_well() -> None:
    long = Said(id=2, text="Well. " * 20, days=40, terms=("code", "lockbox"))
    assert ids(rank(pool(OLD, replace(long, length=60), OTHER), QUESTION))[:2] == [2, 1]


@pytest.mark.parametrize(("days", "role"), [(0, "user"), (40, "assistant")])
def test_neither_the_same_day_nor_another_speaker_supersedes(days: int, role: Role) -> None:
    later = Said(
        id=2, text="The lockbox has the code 8046, it seems to me.", days=days, terms=("code", "lockbox"), role=role
    )
    assert ids(rank(pool(OLD, later), QUESTION, meaning(0.1, 0.5)))[0] == 1


def test_a_question_for_a_time_asks_for_what_held_then() -> None:
    then = Range(start=FIRST, end=FIRST + timedelta(days=1), words="in March")
    asked = Question(text=QUESTION.text, terms=QUESTION.terms, ranges=(then,))
    assert ids(rank(pool(OLD, NEW, OTHER), asked, meaning(0.1, 0.5, 1.5)))[0] == 1


def test_words_of_the_turns_before_are_told_apart_and_count_the_same() -> None:
    asked = Question(text="lockbox\nAnd its code?", terms=("lockbox", "code"), before=frozenset({"lockbox"}))
    by_id = {one.id: one for one in rank(pool(OLD, NEW, OTHER), asked)}
    plain = {one.id: one for one in rank(pool(OLD, NEW, OTHER), QUESTION)}
    assert "words" not in by_id[3].parts
    assert by_id[3].parts["words before"] == pytest.approx(plain[3].parts["words"])
    assert by_id[1].parts["words"] + by_id[1].parts["words before"] == pytest.approx(plain[1].parts["words"])
    assert {id_: one.score for id_, one in by_id.items()} == pytest.approx(
        {id_: one.score for id_, one in plain.items()}
    )


def test_order_is_that_of_the_scores() -> None:
    rows = pool(OLD, NEW, OTHER)
    found = signals(rows, QUESTION, meaning(0.1, 0.5, 1.5))
    assert [rows.ids[row] for row in weighed(found).rows.tolist()] == ids(weighed(found))
    assert not rank(pool(), QUESTION, meaning())


def test_next_to_a_long_winded_assistant_what_always_holds_gains() -> None:
    rows = pool(Said(id=1, text="metres", days=0, standing=True), Said(id=2, text="metres", days=0))
    wordy = replace(rows, matched=replace(rows.matched, assistant_mean=60))
    assert [one.id for one in rank(wordy, Question(text="?", terms=()))] == [1, 2]
    assert rank(rows, Question(text="?", terms=()))[0].score == 0


def test_a_long_answer_counts_less_unless_the_assistant_is_asked_for() -> None:
    rows = pool(
        Said(id=1, text="walrus", days=0, terms=("walrus",), role="assistant"),
        Said(id=2, text="birds", days=9),
    )
    wordy = replace(rows, matched=replace(rows.matched, assistant_mean=60))
    asked = Question(text="?", terms=("walrus",))
    whole = rank(wordy, replace(asked, of_assistant=True))[0]
    less = rank(wordy, asked)[0]
    assert whole.id == less.id == 1
    assert less.score == pytest.approx(whole.score - WEIGHTS.assistant_whole)


def test_an_overview_takes_in_answers_and_goes_less_by_meaning() -> None:
    rows = pool(
        Said(id=1, text="walrus", days=0, terms=("walrus",), role="assistant"),
        Said(id=2, text="birds", days=9),
    )
    wordy = replace(rows, matched=replace(rows.matched, assistant_mean=60))
    overview = Question(text="?", terms=("walrus",), of_many=True, of_overview=True)
    parts = rank(wordy, overview, meaning(0.1, 0.1))[0].parts
    assert "assistant" not in parts
    plain = rank(wordy, replace(overview, of_many=False), meaning(0.1, 0.1))[0].parts
    assert parts["meaning"] == pytest.approx((1 - WEIGHTS.many) * plain["meaning"])
    order = rank(wordy, replace(overview, of_overview=False), meaning(0.1, 0.1))
    assert next(one for one in order if one.id == 1).parts["assistant"] == -WEIGHTS.assistant_whole
    two_people = rank(rows, overview, meaning(0.1, 0.1))[0].parts
    assert two_people["meaning"] == pytest.approx(plain["meaning"])
