"""An explanation record round-trips through JSON and contains only ids and figures, no text."""

from datetime import UTC, datetime
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from records.context import Context, ContextPart, Cut, Snippet
from records.messages import UNSTORED, Message
from records.model_calls import PromptMessage
from records.scopes import Scope
from retrieval.explanation import (
    ChosenSource,
    ExplanationRecord,
    Mark,
    group_consecutive_ids_into_ranges,
    make_explanation_record,
    parse_explanation_record,
)

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ids = st.integers(1, 10**9)
scores = st.dictionaries(st.text(min_size=1, max_size=12), st.floats(-99, 99).map(lambda value: round(value, 2)))
chosen = st.builds(ChosenSource, id=ids, score=scores, mark=st.sampled_from(get_args(Mark)))
explanations = st.builds(
    ExplanationRecord,
    at=st.just(NOW),
    model=st.text(max_size=20),
    ceiling=st.integers(1, 10**6),
    parts=st.lists(
        st.builds(ContextPart, name=st.text(max_size=9), tokens=st.integers(-9, 10**5), budget=st.integers(0, 10**5)),
        max_size=10,
        unique_by=lambda part: part.name,
    ).map(tuple),
    recent=st.lists(ids).map(group_consecutive_ids_into_ranges),
    here=st.integers(0, 40),
    summaries=st.lists(ids).map(tuple),
    snippets=st.lists(chosen, max_size=5).map(tuple),
    facts=st.lists(chosen, max_size=5).map(tuple),
    profile=st.none() | ids,
    looked_up=st.lists(ids, max_size=3).map(tuple),
    cut=st.lists(
        st.builds(Cut, what=st.sampled_from(["turns", "summary"]), first_id=ids, last_id=ids, why=st.text(max_size=9)),
        max_size=3,
    ).map(tuple),
    message_was_cut=st.booleans(),
    whole=st.integers(0, 10**7),
    shown=st.lists(ids, max_size=3).map(tuple),
)


@given(explanations)
def test_explanation_record_round_trips_through_json(explanation: ExplanationRecord) -> None:
    assert parse_explanation_record(explanation.to_json()) == explanation


@given(st.lists(st.integers(1, 200)))
def test_id_ranges_contain_exactly_given_ids(numbers: list[int]) -> None:
    found = [number for first, last in group_consecutive_ids_into_ranges(numbers) for number in range(first, last + 1)]
    assert found == sorted(set(numbers))


@given(st.text() | st.just('{"form":99}') | st.just("[]") | st.just('{"form":1}'))
def test_parsing_unknown_explanation_record_returns_none(text: str) -> None:
    assert parse_explanation_record(text) is None


def test_explanation_record_contains_no_conversation_text() -> None:
    def message(number: int) -> Message:
        scope = Scope(owner=1)
        return Message(id=number, scope=scope, role="user", content="heliotrope", created_at=NOW, turn=1, speaker="Ann")

    context = Context(
        messages=(PromptMessage(role="user", content="heliotrope"),),
        max_prompt_tokens=8000,
        parts=(ContextPart(name="message", tokens=4, budget=8000),),
        recent=(message(3), message(4), message(6), message(UNSTORED)),
        snippets=(Snippet(message=message(1), text="heliotrope", score={"words": 3.14159, "time": 0.001}),),
        cut=(Cut(what="turns", first_id=1, last_id=2, why="recent budget"),),
        whole=50,
    )
    explanation = make_explanation_record(context, answered_at=NOW, model="m")
    assert "heliotrope" not in explanation.to_json()
    assert "Ann" not in explanation.to_json()
    assert explanation.recent == ((3, 4), (6, 6))
    assert explanation.here == 1
    assert explanation.snippets == (ChosenSource(id=1, score={"words": 3.14}),)
    assert explanation.saved == 46
