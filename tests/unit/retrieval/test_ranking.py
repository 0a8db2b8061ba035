"""Ranking: what makes a passage matter more, one thing at a time."""

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
class Told:
    """A passage; `message`: a message that it shares with the one before."""

    terms: str = ""
    speaker: str = "Ann"
    by_assistant: bool = False
    at: datetime = MONDAY
    same_message: bool = False


def candidates(told: Sequence[Told], *, assistant_mean: float = 10.0, apart: bool = True) -> Candidates:
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


def question(text: str) -> Question:
    terms = tuple(text.split())
    return Question(text=text, meant=text, now=MONDAY + timedelta(days=100), terms=terms, own=terms)


def close(*cosines: float) -> Similarities:
    seqs = np.arange(len(cosines)) + 1
    return Similarities(
        seqs=seqs, parts=np.zeros_like(seqs), cosines=np.array(cosines, np.float32), nearest=(), mean=0.0
    )


def strongest(ranked: Ranking) -> str:
    parts = ranked.get_score_parts(int(ranked.order[0]))
    return max(parts, key=parts.__getitem__)


def test_a_message_with_a_rare_word_stands_before_one_with_a_common_word() -> None:
    found = candidates([*[Told(terms="boat")] * 5, Told(terms="walrus")])
    ranked = rank_passages(found, question("walrus boat"))
    assert ranked.message_ids[0] == 6
    assert strongest(ranked) == "words"


def test_what_means_the_same_stands_first_where_no_word_is_shared() -> None:
    ranked = rank_passages(candidates([Told(), Told(), Told()]), question("walrus"), close(0.0, 0.5, -0.2))
    assert ranked.message_ids == [2, 1, 3]
    assert strongest(ranked) == "meaning"


def test_neighbours_of_what_is_found_come_with_it_but_not_across_a_gap() -> None:
    told = [Told(), Told(terms="walrus"), Told(), Told(), Told()]
    together = rank_passages(candidates(told, apart=False), question("walrus"))
    assert set(together.message_ids[:3]) == {1, 2, 3}
    apart = rank_passages(candidates(told), question("walrus"))
    assert "nearby" not in apart.get_score_parts(0)


def test_passages_of_a_long_message_lend_nothing_to_what_stands_next_to_it() -> None:
    told = [Told(), Told(terms="walrus"), Told(same_message=True), Told()]
    ranked = rank_passages(candidates(told, apart=False), question("walrus"))
    assert all(ranked.parts["nearby"][row] == 0 for row in (0, 3))


def test_the_long_answer_to_the_best_message_comes_with_its_best_passages() -> None:
    asked = Told(terms="walrus tusk")
    answer = [Told(by_assistant=True), Told(terms="tusk", same_message=True), *[Told(same_message=True)] * 2]
    told = [Told(), asked, *answer, Told(terms="walrus"), *answer]
    ranked = rank_passages(candidates(told, apart=False, assistant_mean=100.0), question("walrus tusk"))
    raised = [row for row in range(2, len(told)) if ranked.parts["nearby"][row] > 0]
    assert raised == [2, 3]
    assert ranked.scores[3] > ranked.scores[2] > 0
    after_a_gap = rank_passages(candidates(told, assistant_mean=100.0), question("walrus tusk"))
    assert not after_a_gap.parts["nearby"][2:].any()


def test_an_answer_in_two_passages_comes_with_both() -> None:
    told = [Told(terms="walrus"), Told(by_assistant=True), Told(same_message=True)]
    ranked = rank_passages(candidates(told, apart=False, assistant_mean=100.0), question("walrus"))
    assert (ranked.scores[1:] > 0).all()


def test_the_first_message_of_a_day_rises_with_what_its_day_is_found_for() -> None:
    day = timedelta(days=1)
    told = [Told(), Told(at=MONDAY + day), Told(terms="walrus", at=MONDAY + day), Told(at=MONDAY + 2 * day)]
    ranked = rank_passages(candidates(told), question("walrus"))
    assert ranked.message_ids[:2] == [3, 2]
    assert ranked.parts["opening"][1] > 0


def test_what_was_said_just_now_counts_more() -> None:
    told = [Told(terms="walrus", at=MONDAY + timedelta(days=99)), Told(terms="walrus")]
    ranked = rank_passages(candidates(told), question("walrus"))
    assert ranked.message_ids == [1, 2]
    assert ranked.get_score_parts(0)["recent"] > 0.2


def test_the_one_speaker_whom_a_question_names_is_preferred() -> None:
    found = candidates([Told(speaker="Ann"), Told(speaker="Bob")])
    assert rank_passages(found, question("what did Ann say")).message_ids == [1, 2]
    assert not rank_passages(found, question("what did Ann and Bob say")).get_score_parts(0)


def test_a_name_is_no_part_of_a_longer_word() -> None:
    found = candidates([Told(speaker="Ann"), Told(speaker="小明"), Told(speaker="O'Neil (home)")])
    assert rank_passages(found, question("what are our annual plans")).message_ids == [3, 2, 1]
    assert rank_passages(found, question("what about Ann's plans")).message_ids[0] == 1
    assert rank_passages(found, question("小明喜欢什么")).message_ids[0] == 2
    assert rank_passages(found, question("and o'neil (home)?")).get_score_parts(2)["speaker"] == 2.0


def test_a_long_winded_assistant_yields_to_people() -> None:
    told = [Told(terms="walrus", by_assistant=True), Told(terms="walrus")]
    talkative = rank_passages(candidates(told, assistant_mean=100.0), question("walrus"))
    assert talkative.is_verbose
    assert talkative.message_ids == [2, 1]
    assert talkative.by_meaning.tolist() == [1]
    newest = [Told(terms="walrus"), Told(terms="walrus", by_assistant=True)]
    assert rank_passages(candidates(newest, assistant_mean=100.0), question("walrus")).message_ids == [1, 2]
    brief = rank_passages(candidates(newest), question("walrus"))
    assert (brief.is_verbose, brief.message_ids) == (False, [2, 1])


def test_what_was_said_at_the_time_that_is_named_is_preferred() -> None:
    day = timedelta(days=1)
    found = candidates([Told(at=MONDAY), Told(at=MONDAY + day), Told(at=MONDAY + 2 * day)])
    tuesday = TimeRange(start=MONDAY + day / 2, end=MONDAY + 3 * day / 2)
    assert rank_passages(found, replace(question("what"), times=(tuesday,))).message_ids[0] == 2


def test_of_equals_the_newest_stands_first() -> None:
    assert rank_passages(candidates([Told(terms="walrus"), Told(terms="walrus")]), question("walrus")).message_ids == [
        2,
        1,
    ]


def test_the_rarest_of_the_own_words_decides_what_is_required() -> None:
    found = candidates([Told(terms="boat"), Told(terms="boat walrus"), Told(terms="boat")])
    assert find_rows_with_rarest_word(found, question("walrus boat unicorn"), [0, 1, 2], limit=3) == [1]
    assert find_rows_with_rarest_word(found, question("walrus boat"), [0, 2], limit=3) == []
    assert find_rows_with_rarest_word(found, question("boat"), [0, 1, 2], limit=2) == []
    assert find_rows_with_rarest_word(found, question("unicorn"), [0, 1, 2], limit=3) == []


def test_nothing_is_ranked_where_there_is_nothing() -> None:
    assert rank_passages(candidates([]), question("walrus"), close()).message_ids == []
