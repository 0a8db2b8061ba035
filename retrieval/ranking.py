"""Pure functions that score candidate passages for a question, as sums of named parts (docs/recall.md)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.question import Question, contains_name
from storage.search.protocol import Candidates, Similarities

# The weights come from `python -m benchmarks.recall`.
COSINE_UNIT = 0.12  # the centred cosine that counts as one unit of meaning
WORD_WEIGHT = 3.0  # the weight of a passage that holds all words of the question
BORROWED_WEIGHT = 0.7  # the weight of a word that only a neighbour holds
NEIGHBOUR_SHARE = 0.45  # the share of its neighbours' scores that a message gets
SPEAKER_BONUS = 2.0  # for messages of the one speaker whom the question names
TIME_BONUS = 1.0  # for messages of a time that the question names
OPENING_SHARE = 0.5  # of the gap to the day's best score, added to the day's first message, which often names the topic
RECENT_SHARE = 0.5  # of its score, added to a message that was sent just now
RECENT_DAYS = 7.0  # after this time, that share has fallen to 1/e
ANSWER_SHARE = 0.5  # of the best message's score, for passages of the long answer to it
MAX_ANSWER_PASSAGES = 2
VERBOSE_RATIO = 2.0  # an assistant is long-winded if its average message is this many times as long as a person's
PENALTY = 1.0  # subtracted from the scores of a long-winded assistant's messages
DAY_SECONDS = 24 * 3600.0
K1, B = 1.2, 0.75  # BM25's usual constants
Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Ranking:
    """The candidate passages with their scores and their order."""

    candidates: Candidates
    order: NDArray[np.intp]  # the passages, best first
    by_meaning: NDArray[np.intp]  # people's passages, the closest in meaning first
    scores: Values
    parts: Mapping[str, Values]  # the named parts that add up to the scores
    is_verbose: bool  # True if the assistant is long-winded

    @property
    def message_ids(self) -> list[int]:
        """The ids of the candidate messages, best first."""
        return list(dict.fromkeys(self.candidates.ids[self.candidates.messages[self.order]].tolist()))

    def get_score_parts(self, passage_row: int) -> dict[str, float]:
        return {
            name: round(float(values[passage_row]), 3) for name, values in self.parts.items() if values[passage_row]
        }


def rank_passages(candidates: Candidates, question: Question, similarities: Similarities | None = None) -> Ranking:
    """Score all candidate passages and sort them, best first. Equal scores are sorted by time, newest first."""
    neighbours = _find_neighbour_rows(candidates)
    by_assistant = candidates.by_assistant[candidates.messages]
    is_verbose = not 0 < candidates.assistant_mean < VERBOSE_RATIO * candidates.person_mean
    words, lent = (WORD_WEIGHT * values for values in _score_own_and_neighbour_words(candidates, neighbours))
    meaning = np.zeros(len(candidates))
    if similarities is not None:
        meaning = (similarities.get_cosines(candidates) - similarities.mean) / COSINE_UNIT
    is_itself = neighbours == np.arange(len(candidates))
    alone = 1 + NEIGHBOUR_SHARE * is_itself.sum(axis=0)  # a passage stands in for its missing neighbours
    nearby = NEIGHBOUR_SHARE * np.where(is_itself, 0.0, (words + lent + meaning)[neighbours]).sum(axis=0)
    parts = {
        "words": words * alone,
        "meaning": meaning * alone,
        "nearby": lent * alone + nearby,
        "speaker": SPEAKER_BONUS * _score_named_speaker(candidates, question.text)[candidates.messages],
        "time": TIME_BONUS * _score_named_times(candidates, question)[candidates.messages],
        "assistant": -PENALTY * (by_assistant & is_verbose),
    }
    scores: Values = np.sum(list(parts.values()), axis=0)
    parts["opening"] = OPENING_SHARE * _score_first_messages_of_days(candidates, scores, by_assistant & is_verbose)
    scores += parts["opening"]
    age = np.maximum(0.0, question.now.timestamp() - candidates.said_at)[candidates.messages] / DAY_SECONDS
    parts["recent"] = RECENT_SHARE * np.exp(-age / RECENT_DAYS) * np.maximum(0.0, scores)
    scores += parts["recent"]
    lent = _score_answer_to_top_message(candidates, scores, words)
    parts["nearby"] += lent
    scores += lent
    own = np.flatnonzero(~by_assistant)
    return Ranking(
        candidates=candidates,
        order=_argsort_best_first(scores),
        by_meaning=own[_argsort_best_first(meaning[own])],
        scores=scores,
        parts=parts,
        is_verbose=is_verbose,
    )


def find_rows_with_rarest_word(
    candidates: Candidates, question: Question, row_order: Sequence[int], *, limit: int
) -> list[int]:
    """Return the rows of passages with the question's rarest word, or [] if over `limit` messages contain that word."""
    counts = {term: candidates.frequency[term] for term in question.own if candidates.frequency.get(term)}
    lowest = min(counts.values(), default=limit + 1)
    lines = [line for line, term in enumerate(candidates.frequency) if counts.get(term) == lowest]
    return [row for row in row_order if candidates.counts[lines, row].any()] if lowest <= limit else []


def compute_idf(document_count: int, document_frequency: int) -> float:
    """Return BM25's inverse document frequency in Lucene's variant, which is never negative."""
    return math.log(1 + (document_count - document_frequency + 0.5) / (document_frequency + 0.5))


def _argsort_best_first(values: Values) -> NDArray[np.intp]:
    return np.lexsort((-np.arange(len(values)), -np.round(values, 6)))


def _find_neighbour_rows(candidates: Candidates) -> NDArray[np.intp]:
    """Return an array [2, passages] of the rows before and after each passage, or its own row where there is none."""
    days = candidates.said_at // DAY_SECONDS
    whole, count = np.bincount(candidates.messages, minlength=1)[candidates.messages] == 1, len(candidates)
    rows = np.arange(count)
    neighbours = np.tile(rows, (2, 1))
    for line, step in enumerate((-1, 1)):
        other = np.clip(rows + step, 0, max(0, count - 1))
        apart = candidates.positions[candidates.messages[other]] - candidates.positions[candidates.messages]
        of_one_day = days[candidates.messages[other]] == days[candidates.messages]
        neighbours[line] = np.where(whole & whole[other] & (apart == step) & of_one_day, other, rows)
    return neighbours


def _score_own_and_neighbour_words(candidates: Candidates, neighbours: NDArray[np.intp]) -> tuple[Values, Values]:
    """Return the passages' BM25 scores for their own words, and the bonuses for their neighbours' words."""
    if not len(candidates) or not candidates.frequency:
        return np.zeros(len(candidates)), np.zeros(len(candidates))
    rarity = np.array([compute_idf(candidates.turns, count) for count in candidates.frequency.values()])[:, None]
    length = K1 * (1 - B + B * candidates.lengths / candidates.lengths.mean())
    weights = rarity * candidates.counts * (K1 + 1) / (candidates.counts + length)
    best = np.maximum(weights, BORROWED_WEIGHT * np.maximum(weights[:, neighbours[0]], weights[:, neighbours[1]]))
    # The words that no message has count too, so that a paraphrase stays small.
    return weights.sum(axis=0) / rarity.sum(), (best - weights).sum(axis=0) / rarity.sum()


def _score_first_messages_of_days(candidates: Candidates, scores: Values, is_ignored: NDArray[np.bool_]) -> Values:
    """Return a bonus that raises each day's first message to that day's best score, and 0 for all other messages."""
    raised = np.zeros(len(candidates))
    _, days = np.unique(candidates.said_at // DAY_SECONDS, return_inverse=True)
    _, firsts = np.unique(days, return_index=True)
    best = np.full(len(firsts), -np.inf)
    compared = np.flatnonzero(~is_ignored)
    np.maximum.at(best, days[candidates.messages[compared]], scores[compared])
    opens = np.flatnonzero(np.isin(candidates.messages, firsts))
    raised[opens] = np.maximum(0.0, best[days[candidates.messages[opens]]] - scores[opens])
    return raised


def _score_answer_to_top_message(candidates: Candidates, scores: Values, word_scores: Values) -> Values:
    """Return a bonus for the best passages of a long answer to the highest-scoring message, and 0 for others."""
    raised = np.zeros(len(candidates))
    best = int(candidates.messages[scores.argmax()]) if len(candidates) else 0
    both = slice(best, best + 2)
    is_answered = candidates.by_assistant[both].tolist() == [False, True] and np.ptp(candidates.positions[both]) == 1
    answer = np.flatnonzero(candidates.messages == best + 1)
    if is_answered and len(answer) > 1:
        answer = answer[np.argsort(-word_scores[answer], kind="stable")[:MAX_ANSWER_PASSAGES]]
        raised[answer] = np.maximum(0.0, ANSWER_SHARE * scores.max() + word_scores[answer] - scores[answer])
    return raised


def _score_named_speaker(candidates: Candidates, question: str) -> Values:
    """Return 1 for each message of the only speaker named in the question, and 0 for all other messages."""
    named = {speaker for speaker in set(candidates.speakers) if speaker and contains_name(question, speaker)}
    return np.array([len(named) == 1 and speaker in named for speaker in candidates.speakers], np.float64)


def _score_named_times(candidates: Candidates, question: Question) -> Values:
    """Return 1 for each message from a time that the question names, and 0 for all others."""
    values = np.zeros(len(candidates.seqs))
    for time in question.times:
        values[(time.start.timestamp() <= candidates.said_at) & (candidates.said_at < time.end.timestamp())] = 1.0
    return values
