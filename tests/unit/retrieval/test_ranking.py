"""Tests of each ranking signal, one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from retrieval.date_expressions import TimeRange
from retrieval.question import Question
from retrieval.ranking import Ranking, find_rows_with_rarest_word, rank_passages
from storage.search.protocol import Candidates, Similarities

MONDAY = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class PassageSpec:
    """A passage to rank. With `same_message`, it belongs to the same message as the previous passage."""

    terms: str = ""
    speaker: str = "Ann"
    by_assistant: bool = False
    at: datetime = MONDAY
    same_message: bool = False


def make_candidates(told: Sequence[PassageSpec], *, assistant_mean: float = 10.0, apart: bool = True) -> Candidates:
    terms = list(dict.fromkeys(term for document in told for term in document.terms.split()))
    messages = np.cumsum([not document.same_message for document in told], dtype=np.intp) - 1
    firsts = [document for document in told if not document.same_message]
    counts = [[float(document.terms.split().count(term)) for document in told] for term in terms]
    return Candidates(
        seqs=np.arange(len(firsts)) + 1,
        ids=np.arange(len(firsts)) + 1,
        positions=np.arange(len(firsts)) * (5 if apart else 1),
        said_at=np.array([first.at.timestamp() for first in firsts]),
        by_assistant=np.array([first.by_assistant for first in firsts], np.bool_),
        speakers=tuple(first.speaker for first in firsts),
        messages=messages,
        parts=np.array([sum(messages[:row] == messages[row]) for row in range(len(told))]),
        lengths=np.full(len(told), 10),
        counts=np.array(counts).reshape(len(terms), len(told)),
        frequency={term: sum(term in document.terms.split() for document in told) for term in terms},
        turns=100,
        person_mean=10.0,
        assistant_mean=assistant_mean,
    )


def make_question(text: str) -> Question:
    terms = tuple(text.split())
    return Question(text=text, meant=text, now=MONDAY + timedelta(days=100), terms=terms, own=terms)


def make_similarities(*cosines: float) -> Similarities:
    seqs = np.arange(len(cosines)) + 1
    return Similarities(
        seqs=seqs, parts=np.zeros_like(seqs), cosines=np.array(cosines, np.float32), nearest=(), mean=0.0
    )


def find_strongest_signal(ranked: Ranking) -> str:
    parts = ranked.get_score_parts(int(ranked.order[0]))
    return max(parts, key=parts.__getitem__)


def test_rare_term_outranks_common_term() -> None:
    found = make_candidates([*[PassageSpec(terms="boat")] * 5, PassageSpec(terms="walrus")])
    ranked = rank_passages(found, make_question("walrus boat"))
    assert ranked.message_ids[0] == 6
    assert find_strongest_signal(ranked) == "words"


def test_similar_meaning_ranks_first_without_shared_terms() -> None:
    ranked = rank_passages(
        make_candidates([PassageSpec(), PassageSpec(), PassageSpec()]),
        make_question("walrus"),
        make_similarities(0.0, 0.5, -0.2),
    )
    assert ranked.message_ids == [2, 1, 3]
    assert find_strongest_signal(ranked) == "meaning"


def test_adjacent_messages_rise_with_match_but_not_across_gap() -> None:
    told = [PassageSpec(), PassageSpec(terms="walrus"), PassageSpec(), PassageSpec(), PassageSpec()]
    together = rank_passages(make_candidates(told, apart=False), make_question("walrus"))
    assert set(together.message_ids[:3]) == {1, 2, 3}
    apart = rank_passages(make_candidates(told), make_question("walrus"))
    assert "nearby" not in apart.get_score_parts(0)


def test_passages_of_long_message_do_not_raise_adjacent_messages() -> None:
    told = [PassageSpec(), PassageSpec(terms="walrus"), PassageSpec(same_message=True), PassageSpec()]
    ranked = rank_passages(make_candidates(told, apart=False), make_question("walrus"))
    assert all(ranked.parts["nearby"][row] == 0 for row in (0, 3))


def test_long_answer_to_best_match_rises_with_best_passages() -> None:
    asked = PassageSpec(terms="walrus tusk")
    answer = [
        PassageSpec(by_assistant=True),
        PassageSpec(terms="tusk", same_message=True),
        *[PassageSpec(same_message=True)] * 2,
    ]
    told = [PassageSpec(), asked, *answer, PassageSpec(terms="walrus"), *answer]
    ranked = rank_passages(make_candidates(told, apart=False, assistant_mean=100.0), make_question("walrus tusk"))
    raised = [row for row in range(2, len(told)) if ranked.parts["nearby"][row] > 0]
    assert raised == [2, 3]
    assert ranked.scores[3] > ranked.scores[2] > 0
    after_a_gap = rank_passages(make_candidates(told, assistant_mean=100.0), make_question("walrus tusk"))
    assert not after_a_gap.parts["nearby"][2:].any()


def test_both_passages_of_answer_rise_with_question() -> None:
    told = [PassageSpec(terms="walrus"), PassageSpec(by_assistant=True), PassageSpec(same_message=True)]
    ranked = rank_passages(make_candidates(told, apart=False, assistant_mean=100.0), make_question("walrus"))
    assert (ranked.scores[1:] > 0).all()


def test_first_message_of_day_rises_with_match_on_same_day() -> None:
    day = timedelta(days=1)
    told = [
        PassageSpec(),
        PassageSpec(at=MONDAY + day),
        PassageSpec(terms="walrus", at=MONDAY + day),
        PassageSpec(at=MONDAY + 2 * day),
    ]
    ranked = rank_passages(make_candidates(told), make_question("walrus"))
    assert ranked.message_ids[:2] == [3, 2]
    assert ranked.parts["opening"][1] > 0


def test_recent_message_ranks_higher() -> None:
    told = [PassageSpec(terms="walrus", at=MONDAY + timedelta(days=99)), PassageSpec(terms="walrus")]
    ranked = rank_passages(make_candidates(told), make_question("walrus"))
    assert ranked.message_ids == [1, 2]
    assert ranked.get_score_parts(0)["recent"] > 0.2


def test_prefers_single_speaker_named_in_question() -> None:
    found = make_candidates([PassageSpec(speaker="Ann"), PassageSpec(speaker="Bob")])
    assert rank_passages(found, make_question("what did Ann say")).message_ids == [1, 2]
    assert not rank_passages(found, make_question("what did Ann and Bob say")).get_score_parts(0)


def test_speaker_name_does_not_match_inside_longer_word() -> None:
    found = make_candidates(
        [PassageSpec(speaker="Ann"), PassageSpec(speaker="小明"), PassageSpec(speaker="O'Neil (home)")]
    )
    assert rank_passages(found, make_question("what are our annual plans")).message_ids == [3, 2, 1]
    assert rank_passages(found, make_question("what about Ann's plans")).message_ids[0] == 1
    assert rank_passages(found, make_question("小明喜欢什么")).message_ids[0] == 2
    assert rank_passages(found, make_question("and o'neil (home)?")).get_score_parts(2)["speaker"] == 2.0


def test_people_rank_above_verbose_assistant() -> None:
    told = [PassageSpec(terms="walrus", by_assistant=True), PassageSpec(terms="walrus")]
    talkative = rank_passages(make_candidates(told, assistant_mean=100.0), make_question("walrus"))
    assert talkative.is_verbose
    assert talkative.message_ids == [2, 1]
    assert talkative.by_meaning.tolist() == [1]
    newest = [PassageSpec(terms="walrus"), PassageSpec(terms="walrus", by_assistant=True)]
    assert rank_passages(make_candidates(newest, assistant_mean=100.0), make_question("walrus")).message_ids == [1, 2]
    brief = rank_passages(make_candidates(newest), make_question("walrus"))
    assert (brief.is_verbose, brief.message_ids) == (False, [2, 1])


def test_prefers_messages_within_time_range_of_question() -> None:
    day = timedelta(days=1)
    found = make_candidates([PassageSpec(at=MONDAY), PassageSpec(at=MONDAY + day), PassageSpec(at=MONDAY + 2 * day)])
    tuesday = TimeRange(start=MONDAY + day / 2, end=MONDAY + 3 * day / 2)
    assert rank_passages(found, replace(make_question("what"), times=(tuesday,))).message_ids[0] == 2


def test_newest_of_equal_matches_ranks_first() -> None:
    assert rank_passages(
        make_candidates([PassageSpec(terms="walrus"), PassageSpec(terms="walrus")]), make_question("walrus")
    ).message_ids == [2, 1]


def test_requires_rows_with_rarest_term_of_question() -> None:
    found = make_candidates([PassageSpec(terms="boat"), PassageSpec(terms="boat walrus"), PassageSpec(terms="boat")])
    assert find_rows_with_rarest_word(found, make_question("walrus boat unicorn"), [0, 1, 2], limit=3) == [1]
    assert find_rows_with_rarest_word(found, make_question("walrus boat"), [0, 2], limit=3) == []
    assert find_rows_with_rarest_word(found, make_question("boat"), [0, 1, 2], limit=2) == []
    assert find_rows_with_rarest_word(found, make_question("unicorn"), [0, 1, 2], limit=3) == []


def test_ranks_nothing_without_candidates() -> None:
    assert rank_passages(make_candidates([]), make_question("walrus"), make_similarities()).message_ids == []
