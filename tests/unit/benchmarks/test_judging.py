"""Tests of scoring recall: which messages and sessions count as found."""

from dataclasses import replace

import pytest

from benchmarks.judging import compute_session_recall_and_ndcg, find_ids_shown_in_prompt
from benchmarks.locomo import LocomoConversation, read_samples
from tests.paths import ROOT

SAID = "The bees are here. I collected them on the 24th from a farm near Hinton."


@pytest.mark.parametrize(
    ("shown", "is_found"),
    [
        (SAID, True),
        ("The bees are here.", False),  # named, but cut so that the fact is gone
        ("… them on the 24th …", True),  # what answers the question
        ("", False),
    ],
)
def test_message_counts_as_found_when_answer_is_shown(shown: str, is_found: bool) -> None:
    assert find_ids_shown_in_prompt({"D1:1": shown}, {"D1:1": SAID}, "on the 24th") == ({"D1:1"} if is_found else set())


def test_sessions_are_scored_in_order_of_ranking() -> None:
    assert compute_session_recall_and_ndcg(["D2:1", "D2:2", "D1:1"], ["D2:9"]) == (1.0, 1.0)
    assert compute_session_recall_and_ndcg(["D1:1"], ["D2:9"]) == (0.0, 0.0)
    recall, gain = compute_session_recall_and_ndcg(["D1:1", "D2:1"], ["D2:9", "D3:1"])
    assert (recall, round(gain, 3)) == (0.5, 0.387)


def test_count_lines_before_stops_at_line_of_question() -> None:
    [sample] = read_samples(ROOT / "benchmarks" / "data" / "chat-en.json")
    first = len(sample.sessions[0])
    assert sample.count_lines_before("") == sum(map(len, sample.sessions))
    assert sample.count_lines_before("D1:1") == 0
    assert sample.count_lines_before("D2:3") == first + 2
    without = replace(sample, sessions=(sample.sessions[0], tuple(list(sample.sessions[1])[3:])))
    assert (
        LocomoConversation.count_lines_before(without, "D2:3") == first
    )  # its own message is left out of the conversation
    assert sample.count_lines_before("D1000:1") == sample.count_lines_before("")  # its session held nothing else
