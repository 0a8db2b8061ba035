"""Rankings of mem0 fill a token budget and are scored as ours are. These tests do not install mem0."""

from dataclasses import replace

from benchmarks.locomo import read_samples
from benchmarks.peers import compute_coverages
from tests.paths import CHAT
from text.tokenizer import Tokenizer

TOKENS = Tokenizer.for_encoding("o200k_base")


def test_ranked_lines_fill_token_budget_in_order() -> None:
    (sample,) = read_samples(CHAT)
    lines = list(sample.lines)
    number = {line.line_id: place for place, line in enumerate(lines)}
    perfect = [[number[line_id] for line_id in question.evidence] for question in sample.questions]
    assert set(compute_coverages(sample, perfect, 1500, TOKENS)) == {100.0}
    late = [[*range(len(lines))]] * len(sample.questions)
    assert set(compute_coverages(sample, late, 100_000, TOKENS)) == {100.0}
    assert 0 in compute_coverages(sample, late, 60, TOKENS)


def test_lines_from_day_of_question_on_do_not_count() -> None:
    (sample,) = read_samples(CHAT)
    question, lines = sample.questions[0], list(sample.lines)
    number = next(place for place, line in enumerate(lines) if line.line_id == question.evidence[0])
    for at, coverage in (("", 100), (lines[-1].line_id, 100), (lines[number].line_id, 0)):
        asked = replace(sample, questions=(replace(question, evidence=question.evidence[:1], in_place_of=at),))
        assert compute_coverages(asked, [[number]], 1500, TOKENS) == [coverage]
