"""Answers read defensively, and facts held to what their sources say."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facts import extraction, verification
from facts.extraction import day_of, new_facts, parse
from records.facts import NewFact
from records.messages import Message
from records.scopes import Scope

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def message(number: int, text: str, said_at: datetime = NOW) -> Message:
    return Message(id=number, scope=Scope(owner=1), role="user", content=text, created_at=said_at, turn=number)


def fact(text: str, *sources: int) -> NewFact:
    return NewFact(text=text, kind="event", subject="", source_ids=sources, observed_at=NOW, valid_from=NOW)


def refused(text: str, said: str, said_at: datetime = NOW, zone: str = "UTC") -> list[str]:
    return verification.objections(fact(text, 1), [message(1, said, said_at)], also=["Anna"], zone=ZoneInfo(zone))


@pytest.mark.parametrize(
    "answer", ["", "No facts.", "{", "[1, 2]", '{"facts": 3}', '{"a": {"b": 1}}', "null", "[" * 3000]
)
def test_what_is_no_list_of_facts_is_told_from_an_empty_one(answer: str) -> None:
    assert parse(answer) is None
    assert parse('{"facts": []}') == []
    assert parse("Here: ```json\n[]\n```") == []


def test_values_are_made_sound() -> None:
    wild = (
        '{"facts": [{"text": "  Anna\\n sails. ", "type": "HOBBY", "importance": 99, "tags": ["Sea", 5, "sea"],'
        ' "sources": ["#3", true, 2.0, "x"], "since": 2020, "relation": "merges", "known": "12", "only_one": "yes"},'
        ' {"text": ""}, {"fact": 7}, "words", {"text": "x", "extra": {"deep": []}}]}'
    )
    found = parse(wild)
    assert found is not None
    assert [one.text for one in found] == ["Anna sails.", "x"]
    first = found[0]
    assert (first.kind, first.importance, first.tags, first.sources) == ("knowledge", 1.0, ("sea",), (3, 2))
    assert (first.since, first.relation, first.known, first.only_one) == ("", "new", 12, False)


FIELDS = st.sampled_from(["facts", "text", "sources", "tags", "since", "known"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(FIELDS, v)
    )
)
def test_no_answer_breaks_the_reading(value: object) -> None:
    found = parse(json.dumps(value))
    new_facts(found or [], [message(1, "I sail.")], known=(), zone=UTC)


def test_sources_that_were_not_shown_are_replaced_by_the_likeliest() -> None:
    told = parse('[{"text": "Anna sails.", "sources": [77]}, {"text": "Boris flies.", "sources": []}]')
    (found,) = new_facts(told or [], [message(1, "It rains."), message(2, "I sail often.")], known=(), zone=UTC)
    assert (found.text, found.source_ids) == ("Anna sails.", (2,))


def test_a_known_fact_that_was_not_shown_is_not_named() -> None:
    told = parse('[{"text": "Anna sails.", "sources": [1], "relation": "replaces", "known": 5}]')
    assert new_facts(told or [], [message(1, "I sail.")], known=(4,), zone=UTC)[0].known is None
    assert new_facts(told or [], [message(1, "I sail.")], known=(5,), zone=UTC)[0].known == 5


def test_dates_are_the_owners() -> None:
    auckland = ZoneInfo("Pacific/Auckland")
    assert day_of("2026-11-20", auckland) == datetime(2026, 11, 19, 11, 0, tzinfo=UTC)
    assert day_of("2026-02", UTC, end=True) == datetime(2026, 2, 28, tzinfo=UTC)
    assert day_of("2024", UTC, end=True) == datetime(2024, 12, 31, tzinfo=UTC)
    assert [day_of(text, UTC) for text in ("", "soon", "2026-13", "2026-02-30", "0000")] == [None] * 5


def test_what_is_over_ends_and_what_is_planned_does_not() -> None:
    told = parse('[{"text": "Anna rowed.", "sources": [1], "since": "2020", "until": "2022"}]')
    (rowed,) = new_facts(told or [], [message(1, "I rowed.")], known=(), zone=UTC)
    assert rowed.valid_to == datetime(2022, 12, 31, tzinfo=UTC)
    told = parse('[{"text": "Anna rows.", "sources": [1], "until": "2027"}]')
    (rows,) = new_facts(told or [], [message(1, "I row.")], known=(), zone=UTC)
    assert rows.valid_to is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Anna has 3 cats.", "I have three cats."),
        ("Anna has three cats.", "I have 3 cats."),
        ("Anna bought a boat on 2026-11-20.", "I bought a boat yesterday."),
        ("Anna's exam is on 2027-05-03.", "My exam is on May 3 next year."),
        ("Anna flies to Oslo in March 2027.", "In March I fly to Oslo."),
        ("Anna was born in 1990.", "I was born in 1990."),
        ("У Анны трое детей.", "У меня трое детей."),
        ("Anna wohnt in Zürich.", "Ich wohne in Zürich."),
    ],
)
def test_what_follows_from_the_words_may_be_learned(text: str, said: str) -> None:
    assert refused(text, said) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Anna has 4 cats.", "I have three cats."),
        ("Anna bought a boat on 2019-03-04.", "I bought a boat."),
        ("Anna lives in Oslo.", "I live by the sea."),
        ("Anna met Boris.", "I met somebody."),
        ("Anna owes 500 euros.", "I owe some money."),
    ],
)
def test_what_the_words_lack_may_not(text: str, said: str) -> None:
    assert refused(text, said)


def test_yesterday_is_the_owners_yesterday() -> None:
    late = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
    told = replace(fact("Anna sails.", 1), valid_from=datetime(2026, 11, 19, 11, 0, tzinfo=UTC))
    messages = [message(1, "Yesterday I began to sail.", late)]
    assert verification.without_invented_beginning(told, messages, zone=ZoneInfo("Pacific/Auckland")) == told
    invented = replace(told, valid_from=datetime(2015, 3, 4, tzinfo=UTC))
    assert verification.without_invented_beginning(invented, messages, zone=UTC).valid_from == NOW


def test_the_schema_demands_every_field() -> None:
    schema = extraction.FACTS_SCHEMA["schema"]
    assert isinstance(schema, dict)
    item = schema["properties"]["facts"]["items"]
    assert set(item["required"]) == set(item["properties"]), "strict mode of the endpoint wants all of them"
