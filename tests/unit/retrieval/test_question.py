"""Speakers' names are left out of the embedded question, because messages to them contain the names."""

from datetime import UTC, datetime

import pytest

from retrieval.question import Question

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "speakers", "meant"),
    [
        ("What did Ann plant?", ["Ann", "Bob"], "What did plant?"),
        ("what do ANN and bob share", ["Ann", "Bob"], "what do and share"),
        ("Where is Ann Marie from?", ["Ann", "Ann Marie"], "Where is from?"),
        ("小明喜欢什么", ["小明", "Bob"], "喜欢什么"),
        ("What are our annual plans?", ["Ann", "Bob"], "What are our annual plans?"),
        ("Ann?", ["Ann?", "Bob"], "Ann?"),
        ("What is Ann's birthday?", ["Ann"], "What is Ann's birthday?"),
    ],
)
def test_embedded_question_omits_names_of_several_speakers(asked: str, speakers: list[str], meant: str) -> None:
    question = Question.analyze(asked, previous_text="", now=NOW, speakers=speakers)
    assert question.meant == meant
    assert question.text == asked
