"""Tests of reading files in LoCoMo's format, including misspelt evidence ids."""

import json
from argparse import ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.locomo import parse_evidence_ids, parse_questions_path, read_samples

KNOWN = frozenset({"D8:6", "D9:17", "D11:26", "D30:5"})


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (["D8:6"], ("D8:6",)),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D:11:26"], ("D11:26",)),
        (["D30:05"], ("D30:5",)),
        (["D", "D99:1"], ()),
        (["D8:6", "D8:6"], ("D8:6",)),
    ],
)
def test_evidence_ids_are_normalized_and_unknown_ids_dropped(raw: list[str], found: tuple[str, ...]) -> None:
    assert parse_evidence_ids(raw, KNOWN) == found


def test_reads_roles_dates_and_answerable_questions(tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    sample = {
        "sample_id": "two",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I have a newt."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Its name?", "blip_caption": "a newt"},
            ],
            "session_2_date_time": "1:56 pm on 9 May, 2023",
        },
        "qa": [
            {"question": "What pet?", "answer": "A newt", "evidence": ["D1:1"], "category": 4},
            {"question": "What car?", "evidence": ["D1:1"], "category": 5},
            {"question": "Where?", "answer": "?", "evidence": ["D"], "category": 1},
        ],
    }
    file.write_text(json.dumps([sample]), encoding="utf-8")
    (read_back,) = read_samples(file)
    assert [(line.role, line.speaker) for line in read_back.lines] == [("user", "Ann"), ("assistant", "Bob")]
    assert [line.text for line in read_back.lines] == ["I have a newt.", "Its name? (a newt)"]
    assert next(read_back.lines).said_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert read_back.ended_at == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)
    assert [(asked.text, asked.category) for asked in read_back.questions] == [("What pet?", "4")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "not in LoCoMo's format"),
        ("[3]", "not in LoCoMo's format"),
        ("[]", "no question"),
    ],
)
def test_unusable_data_file_is_rejected_with_reason(tmp_path: Path, content: str | None, said: str) -> None:
    file = tmp_path / "data.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(ArgumentTypeError, match=said):
        parse_questions_path(str(file))
