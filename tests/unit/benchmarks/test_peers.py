"""What another package ranks is packed and measured as ours is. The packages themselves are not installed here."""

from dataclasses import replace

from benchmarks.locomo import read_samples
from benchmarks.peers import evaluate_rankings, format_shown_line
from tests.paths import CHAT
from text.tokenizer import Tokenizer

TOKENS = Tokenizer.for_encoding("o200k_base")


def test_lines_are_taken_in_the_order_of_the_ranking_while_they_fit() -> None:
    (sample,) = read_samples(CHAT)
    lines = list(sample.lines)
    number = {line.line_id: place for place, line in enumerate(lines)}
    perfect = [[number[line_id] for line_id in question.evidence] for question in sample.questions]
    assert {result.coverage[1500] for result in evaluate_rankings(sample, perfect, [1500], TOKENS)} == {100.0}
    assert all(result.all_at_10 for result in evaluate_rankings(sample, perfect, [1500], TOKENS))
    late = [[*range(len(lines))]] * len(sample.questions)
    (first, *_) = (result for result in evaluate_rankings(sample, late, [60, 100_000], TOKENS) if not result.all_at_10)
    assert first.coverage[60] < first.coverage[100_000] == 100
    assert TOKENS.count(format_shown_line(lines[0])) <= 60


def test_what_was_said_from_the_day_of_a_question_on_is_no_answer_to_it() -> None:
    (sample,) = read_samples(CHAT)
    question, lines = sample.questions[0], list(sample.lines)
    number = next(place for place, line in enumerate(lines) if line.line_id == question.evidence[0])
    for at, coverage in (("", 100), (lines[-1].line_id, 100), (lines[number].line_id, 0)):
        asked = replace(sample, questions=(replace(question, evidence=question.evidence[:1], in_place_of=at),))
        (one,) = evaluate_rankings(asked, [[number]], [1500], TOKENS)
        assert one.coverage[1500] == coverage
