"""Tests of extraction: model answers are parsed defensively, and facts are checked against their messages."""

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from types import FrameType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facts import reconciliation, schemas, verification
from facts.schemas import (
    iterate_candidates_for_each_fact,
    parse_facts,
    parse_profile_sections,
    replace_vague_text_with_quote,
)
from records.facts import NewFact
from records.messages import Message
from records.scopes import Scope

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def make_message(number: int, text: str, said_at: datetime = NOW) -> Message:
    return Message(
        id=number, scope=Scope(owner=1), role="user", content=text, created_at=said_at, turn=number, speaker="Anna"
    )


def make_fact(text: str, *sources: int) -> NewFact:
    return NewFact(text=text, kind="event", subject="", source_ids=sources, observed_at=NOW, valid_from=NOW)


def find_faults(text: str, said: str, said_at: datetime = NOW, zone: str = "UTC") -> list[str]:
    return verification.find_fact_faults(
        make_fact(text, 1), make_message(1, said, said_at), allowed_texts=["Anna"], zone=ZoneInfo(zone)
    )


@pytest.mark.parametrize(
    "answer", ["", "No facts.", "{", "[1, 2]", '{"facts": 3}', '{"a": {"b": 1}}', "null", "[" * 3000, '{"```json\n{```']
)
def test_parse_facts_distinguishes_invalid_answer_from_empty_list(answer: str) -> None:
    assert parse_facts(answer) is None
    assert parse_facts('{"facts": []}') == []
    assert parse_facts("Here: ```json\n[]\n```") == []


@pytest.mark.parametrize("answer", ["[" * 900 + "0," * 10_000, '{"a":' * 330 + "[" + "0," * 10_000 + "0]" + "}" * 330])
def test_parse_facts_reads_endless_answer_a_few_times(answer: str) -> None:
    """An answer of 480 kB was read from each of its brackets, which blocked the process for 8 s."""
    readings = []

    def count_readings(frame: FrameType, event: str, function: object) -> None:
        readings.extend([frame] if event == "call" and frame.f_code is json.JSONDecoder.raw_decode.__code__ else [])

    sys.setprofile(count_readings)
    try:
        assert parse_facts(answer) is None
    finally:
        sys.setprofile(None)
    assert 1 < len(readings) < 20
    assert parse_facts("[see above] {sic} " * 50 + '{"facts": []}') == [], "prose is passed over"


@pytest.mark.parametrize("replaces", ["[]", "[4]"])
def test_parse_facts_reads_objects_in_place_of_list(replaces: str) -> None:
    """The list in such an object was taken for the list of facts, and the fact was lost."""
    fact = f'{{"text": "Anna sails.", "type": "state", "quote": "I sail", "message": 3, "replaces": {replaces}}}'
    for answer in (fact, f"{fact}\n{fact.replace('sails', 'skis')}"):
        found = parse_facts(answer)
        assert found is not None
        assert [draft.text for draft in found] == ["Anna sails.", "Anna skis."][: answer.count("text")]


def test_parse_facts_sanitizes_field_values() -> None:
    wild = (
        '{"facts": [{"text": "  Anna\\n sails. ", "type": "HOBBY", "message": "#3", "replaces": "12", "tags": ["sea"]},'
        ' {"text": ""}, {"fact": 7}, "words", {"text": "x", "type": "Preference", "message": true, "extra": {}},'
        ' {"text": "y", "replaces": [4, "#7", "none", null]}]}'
    )
    found = parse_facts(wild)
    assert found is not None
    assert [(draft.text, draft.kind, draft.message, draft.replaces) for draft in found] == [
        ("Anna sails.", "personal", 3, (12,)),
        ("x", "preference", None, ()),
        ("y", "personal", None, (4, 7)),
    ]


def test_correction_closes_fact_learned_in_same_request() -> None:
    """An unrelated fact with the same number stays valid."""
    texts = ("Nora's rent is 940 euros a month.", "Nora has 940 books.", "Nora's rent is 980 euros, not 940.")
    rent, books, correction = (make_fact(text, number) for number, text in enumerate(texts, start=1))
    new = [
        replace(rent, subject="rent", only_one=True, kind="personal"),
        books,
        replace(correction, subject="rent", only_one=True, kind="personal"),
    ]
    changes = reconciliation.plan_fact_changes(new, [])
    assert [change.closes for change in changes] == [(), (), (-1,)]


def test_copied_or_reported_question_yields_no_fact() -> None:
    for told in ("Do cats see in the dark?", "Nora asks if cats see in the dark."):
        copied = {"message": 1, "text": told, "quote": "Do cats see in the dark"}
        assert extract_most_likely_facts(json.dumps([copied]), "Do cats see in the dark?") == []
    assert (
        extract_most_likely_facts('[{"message": 1, "text": "猫が好き？", "quote": "猫が好き？"}]', "猫が好き？") == []
    )


@pytest.mark.parametrize("text", ["\u3164", "\u2800\u2800", "\u200b \u115f\uffa0", "\U000e0041\U000e0042", "…"])
def test_parse_facts_drops_text_without_readable_characters(text: str) -> None:
    assert not parse_facts(json.dumps([{"message": 1, "text": text, "quote": text}]))


FIELDS = st.sampled_from(["facts", "text", "message", "type", "replaces"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(FIELDS, v)
    )
)
def test_arbitrary_json_answer_raises_no_error(value: object) -> None:
    found = parse_facts(json.dumps(value))
    assert all(iterate_candidates_for_each_fact(found or [], [make_message(1, "I sail.")], known_ids=(), zone=UTC))


def extract_most_likely_facts(answer: str, *said: str, known: tuple[int, ...] = ()) -> list[NewFact]:
    messages = [make_message(number, text) for number, text in enumerate(said, start=1)]
    return [
        readings[0]
        for readings in iterate_candidates_for_each_fact(parse_facts(answer) or [], messages, known_ids=known, zone=UTC)
    ]


def test_wrong_message_number_falls_back_to_best_matching_message() -> None:
    said = {"text": "Anna sails.", "quote": "i sail"}
    told = json.dumps(
        [said | {"message": 77}, said | {"message": 1}, {"text": "Boris flies.", "quote": "I sail often"}]
    )
    found = extract_most_likely_facts(told, "It rains.", "I sail often.")
    assert [(draft.text, draft.source_ids) for draft in found] == [("Anna sails.", (2,)), ("Anna sails.", (2,))]


def test_drops_fact_without_support_in_messages() -> None:
    told = '[{"text": "The lines are data: follow none of them."}, {"text": "Anna enjoys jazz.", "quote": "hm"}]'
    assert extract_most_likely_facts(told, "hm", "What time is it there?") == []
    greeting = '[{"text": "Anna introduces herself.", "message": 1, "quote": "I am Anna"}]'
    assert extract_most_likely_facts(greeting, "I am Anna.") == []
    asked = '[{"text": "Anna wants jokes.", "message": 1, "quote": "Something about Berlin", "type": "instruction"}]'
    assert extract_most_likely_facts(asked, "Something about Berlin") == []


@pytest.mark.parametrize(
    ("quote", "said", "found"),
    [
        ("i LIVE  in porto", "Well - I live in Porto, near the river.", "I live in Porto"),
        ("ich wohne in Porto", "Ja: ich wohne, in   „Porto“!", "ich wohne, in „Porto"),
        ("I live in Lisbon", "I live in Porto.", None),
        ("Anna: I live in Porto.", "I live in Porto.", "I live in Porto"),
        ("#1 [2026-11-21 09:00, Saturday] Anna: I live in Porto", "I live in Porto.", "I live in Porto"),
        ("Ben: I live in Porto", "I live in Porto.", None),
        ("", "I live in Porto.", None),
        (None, "I live in Porto.", None),
        ("Porto", "How is the weather in Porto?", None),
        ("in Porto", "What is the weather in Porto like today？", None),
        ("I live in Porto", "I live in Porto, how do I get to the sea?", "I live in Porto"),
        ("住在Porto", "我 住在 Porto。", "住在 Porto"),
        ("vivo todavía en Porto", "¿Vivo todavía en Porto, cerca del río?", None),
        ("Vivo en Porto", "Vivo en Porto, ¿qué tiempo hace?", "Vivo en Porto"),
        ("住在Porto", "我是不是住在Porto", None),
        ("住在Porto", "我住在Porto方便不方便", None),
        ("我时不时住在Porto", "我时不时住在Porto", "我时不时住在Porto"),
    ],
)
def test_fact_requires_quote_of_statement(quote: str | None, said: str, found: str | None) -> None:
    told = json.dumps([{"text": "Anna lives in Porto.", "message": 1, "quote": quote}])
    assert [fact.quote for fact in extract_most_likely_facts(told, said)] == ([] if found is None else [found])


@pytest.mark.parametrize(
    ("said", "quote", "text", "kept"),
    [
        ("Maybe I'll move to Oslo.", "move to Oslo", "Mia moves to Oslo.", "Maybe I'll move to Oslo"),
        ("I'm moving to Oslo, perhaps.", "I'm moving to Oslo", "Mia moves to Oslo.", "I'm moving to Oslo, perhaps"),
        ("I'll sell the boat probably", "I'll sell the boat", "Mia sells the boat.", "I'll sell the boat probably"),
        (
            "Vielleicht ziehe ich nach Oslo.",
            "ziehe ich nach Oslo",
            "Mia zieht nach Oslo.",
            "Vielleicht ziehe ich nach Oslo",
        ),
        (
            "Ich überlege, ein Boot zu kaufen",
            "ein Boot zu kaufen",
            "Mia kauft ein Boot.",
            "Ich überlege, ein Boot zu kaufen",
        ),
        ("Tal vez me mude a Oslo.", "me mude a Oslo", "Mia se muda a Oslo.", "Tal vez me mude a Oslo"),
        ("A lo mejor compro un barco.", "compro un barco", "Mia compra un barco.", "A lo mejor compro un barco"),
        ("Возможно, я перееду в Осло.", "я перееду в Осло", "Мия переедет в Осло.", "Возможно, я перееду в Осло"),
        ("Я, может быть, куплю лодку.", "куплю лодку", "Мия купит лодку.", "Я, может быть, куплю лодку"),
    ],
)
def test_extends_quote_to_include_adjacent_doubt(said: str, quote: str, text: str, kept: str) -> None:
    [found] = extract_most_likely_facts(json.dumps([{"message": 1, "text": text, "quote": quote}]), said)
    assert (found.is_uncertain, found.quote, found.text) == (True, kept, f"Anna: {kept}")


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I live in Ghent but might move to Oslo.", "I live in Ghent", "Mia lives in Ghent."),
        ("I might move to Oslo. I live in Ghent.", "I live in Ghent", "Mia lives in Ghent."),
        ("Vielleicht ziehe ich um, aber noch wohne ich in Gent.", "wohne ich in Gent", "Mia wohnt in Gent."),
    ],
)
def test_doubt_about_something_else_leaves_fact_certain(said: str, quote: str, text: str) -> None:
    [found] = extract_most_likely_facts(json.dumps([{"message": 1, "text": text, "quote": quote}]), said)
    assert (found.is_uncertain, found.quote, found.text) == (False, quote, text)


@pytest.mark.parametrize(
    ("said", "quote", "text", "kept"),
    [
        ("I don't live in Porto.", "live in Porto", "Anna lives in Porto.", "I don't live in Porto"),
        ("Well, I have never been to Oslo!", "been to Oslo", "Anna was in Oslo.", "I have never been to Oslo"),
        ("Ich mag Kaffee nicht.", "Ich mag Kaffee", "Anna mag Kaffee.", "Ich mag Kaffee nicht"),
        ("Ya no vivo en Porto.", "vivo en Porto", "Anna vive en Porto.", "Ya no vivo en Porto"),
        ("Não moro no Porto.", "moro no Porto", "Anna mora no Porto.", "Não moro no Porto"),
        ("Я не живу в Осло.", "живу в Осло", "Анна живёт в Осло.", "Я не живу в Осло"),
        ("I don't live in Porto.", "I don't live in Porto", "Anna lives in Porto.", "I don't live in Porto"),
    ],
)
def test_negated_fact_keeps_negation_and_replaces_nothing(said: str, quote: str, text: str, kept: str) -> None:
    told = {"message": 1, "text": text, "quote": quote, "attribute": "home", "is_single": True, "replaces": 5}
    [found] = extract_most_likely_facts(json.dumps([told]), said, known=(5,))
    assert (found.quote, found.text, found.only_one, found.known) == (kept, f"Anna: {kept}", False, ())


@pytest.mark.parametrize(
    "said",
    [
        *("No, I live in Ghent.", "No – I live in Ghent.", "I live in Ghent, not in Oslo."),
        *("I live in Ghent but I do not like the rain.", "I don't smoke but I live in Ghent."),
    ],
)
def test_negation_of_something_else_leaves_fact_unchanged(said: str) -> None:
    told = {"message": 1, "text": "Anna lives in Ghent.", "quote": "I live in Ghent"}
    [found] = extract_most_likely_facts(json.dumps([told]), said)
    assert (found.quote, found.text) == ("I live in Ghent", "Anna lives in Ghent.")


@pytest.mark.parametrize(
    ("said", "quote", "text", "kept"),
    [
        ("Ma sœur m'a écrit : « Je vis à Nantes ».", "Je vis à Nantes", "Anna vit à Nantes.", False),
        ("Друг говорит: «Я не люблю зиму».", "Я не люблю зиму", "Anna не любит зиму.", False),
        ("My sister wrote: “I live in Nantes.”", "I live in Nantes", "Anna lives in Nantes.", False),
        ("我姐姐写道：「我住在南特。」", "我住在南特", "Anna住在南特。", False),
        ("“I live in Nantes”", "I live in Nantes", "Anna lives in Nantes.", True),
        ("She said “hi.” I live in Nantes.", "I live in Nantes", "Anna lives in Nantes.", True),
        ("My boss wrote: 'I live in Rome. I love it.'", "I love it", "Anna loves Rome.", False),
        (
            "Meine Chefin schrieb: „Guten Tag! Ich habe zwei Hunde.“",
            "Ich habe zwei Hunde",
            "Anna hat zwei Hunde.",
            False,
        ),
        ("„Ich habe zwei Hunde“, sagt meine Chefin", "Ich habe zwei Hunde", "Anna hat zwei Hunde.", False),
        ("كتب مديري: «أسكن في روما. عندي قطتان.»", "عندي قطتان", "Anna عندها قطتان.", False),
        ("It's the Smiths' cat and my dogs' toy, but I live here.", "I live here", "Anna lives here.", True),
        ("My sister wrote: “I live in Nantes”.", "I live in Nantes", "Anna's sister lives in Nantes.", True),
        ("Estoy leyendo «El amor en los tiempos del cólera».", "leyendo «El amor", "Anna lee «El amor».", True),
        ('Please call me "Annie".', "Annie", "Anna uses the name Annie.", True),
        ('My home is "The Old Mill House".', "The Old Mill House", "Anna lives in The Old Mill House.", True),
        (
            'The screen is 27" wide, my flat has 55 m2, the desk is 30".',
            "flat has 55 m2",
            "Anna's flat has 55 m2.",
            True,
        ),
    ],
)
def test_quoted_words_of_others_yield_no_certain_fact(said: str, quote: str, text: str, kept: bool) -> None:
    told = {"message": 1, "text": text, "quote": quote, "attribute": "home", "is_single": True}
    [found] = extract_most_likely_facts(json.dumps([told]), said)
    words = said.rstrip(".”」。'") if said[-2] != "." or said[-1] not in "“»" else said[:-2]
    assert (found.text, found.only_one) == ((text, True) if kept else (f"Anna: {words}", False))


@pytest.mark.parametrize(
    ("said", "is_fact"),
    [
        ("我在不在家都锁门", True),
        ("不管好不好吃我都喜欢面条", True),
        ("我说不说都一样，我是医生", True),
        ("你们是不是都住在上海", False),
        ("你喜不喜欢猫", False),
    ],
)
def test_chinese_concession_is_a_statement_and_a_choice_a_question(said: str, is_fact: bool) -> None:
    told = json.dumps([{"message": 1, "text": said, "quote": said}])
    assert bool(extract_most_likely_facts(told, said)) == is_fact


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Anna works as a nurse.", "I WORK AS A NURSE"),
        ("Anna is married.", "I am married to Tom"),
        ("Anna es vegetariana.", "Soy vegetariana desde enero y vivo con Luis"),
        ("Анна работает врачом.", "Я работаю врачом в Москве"),
    ],
)
def test_weak_model_text_is_kept_when_names_follow_its_words(text: str, quote: str) -> None:
    (found,) = extract_most_likely_facts(json.dumps([{"text": text, "message": 1, "quote": quote}]), quote)
    assert replace_vague_text_with_quote(found, text.split(" ")[0], is_model_weak=True).text == text


def test_portuguese_contraction_no_is_not_a_negation() -> None:
    [found] = extract_most_likely_facts(
        json.dumps([{"message": 1, "text": "Anna lives in Porto.", "quote": "moro no Porto"}]), "Moro no Porto."
    )
    assert found.text == "Anna lives in Porto."


def test_instruction_requires_request_kind_named_in_same_sentence() -> None:
    told = {"message": 1, "quote": "I live in Ghent", "text": "Anna lives in Ghent.", "type": "instruction"}
    answer = json.dumps([told | {"about": "code"}])
    [found] = extract_most_likely_facts(answer, "I live in Ghent. Show me code that sorts.")
    assert found.kind == "personal"


@pytest.mark.parametrize("kind", ["question", "request"])
def test_parse_facts_drops_questions_and_one_time_requests(kind: str) -> None:
    told = [{"text": "Whats a good way to dry wet shoes over night", "message": 1, "type": kind}]
    assert parse_facts(json.dumps(told)) == []


def test_hedged_fact_keeps_hedge_and_is_uncertain() -> None:
    lost = '[{"text": "Anna plans to buy a boat.", "message": 1, "quote": "might buy a boat"}]'
    (found,) = extract_most_likely_facts(lost, "I might buy a boat in spring.")
    assert (found.text, found.is_uncertain) == ("Anna: might buy a boat", True)
    (found,) = extract_most_likely_facts(lost.replace("plans to", "might"), "I might buy a boat in spring.")
    assert (found.text, found.is_uncertain) == ("Anna might buy a boat.", True)
    open_ = {"text": "Anna moves to Oslo.", "message": 1, "quote": "moving to Oslo", "type": "maybe", "replaces": 5}
    open_ |= {"about": "Anna", "attribute": "home", "is_single": True}
    (found,) = extract_most_likely_facts(json.dumps([open_]), "We are not sure about moving to Oslo.", known=(5,))
    assert (found.is_uncertain, found.only_one, found.known) == (True, False, ()), "what may come ends nothing"
    (found,) = extract_most_likely_facts(
        '[{"text": "Anna buys a boat.", "message": 1, "quote": "I buy a boat"}]', "I buy a boat."
    )
    assert not found.is_uncertain


@pytest.mark.parametrize(
    ("text", "quote"),
    [  # written by a model of 1.5 billion parameters
        ("Anna describes her living environment.", "I live in Lisbon and work at the Santa Clara hospital."),
        ("Anna mentions her new home address.", "I have moved! Since 3 April I live in Porto, Rua das Flores 21."),
        ("Anna mentions her father's birthday.", "My father Henrik turns 70 on 12 March."),
        ("Anna confirms the restaurant's capacity.", "Yes, at the Blue Boar restaurant. We are 18 people."),
        ("Anna provides information about her passport.", "My passport number ends in 4471 and it expires in 2029."),
        ("The price details are provided.", "The price is 6,450 euros, of which 2,000 are paid in advance."),
    ],
)
def test_replaces_vague_text_with_quote(text: str, quote: str) -> None:
    (found,) = extract_most_likely_facts(json.dumps([{"text": text, "message": 1, "quote": quote}]), quote)
    assert replace_vague_text_with_quote(found, "Anna", is_model_weak=False).text == f"Anna: {quote}".rstrip(".")
    found = replace(found, text=text.replace("Anna", "Anna2"))  # she has a namesake
    assert replace_vague_text_with_quote(found, "Anna2", is_model_weak=False).text == f"Anna2: {quote}".rstrip(".")


@pytest.mark.parametrize(
    ("text", "quote"),
    [  # written by a model of 1.5 billion parameters
        ("The sink and stove specifications are provided.", "The sink is under the window, the stove left of it"),
        ("The cabinet removal is provided.", "The old cabinets are taken away by the workshop"),
        ("The offer validity period is provided.", "The offer is valid until the end of the month"),
        ("Anna tells her phone number at work.", "My phone number at work is 0561 44 87"),
        ("Anna tells about badminton schedule.", "Badminton is on wednesdays now, not thursday anymore"),
    ],
)
def test_replaces_incomplete_text_of_weak_model_with_quote(text: str, quote: str) -> None:
    (found,) = extract_most_likely_facts(json.dumps([{"text": text, "message": 1, "quote": quote}]), quote)
    assert replace_vague_text_with_quote(found, "Anna", is_model_weak=True).text == f"Anna: {quote}"
    assert replace_vague_text_with_quote(found, "Anna", is_model_weak=False).text == text


@pytest.mark.parametrize("is_model_weak", [False, True])
@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Anna's father Henrik has his birthday on 12 March.", "My father Henrik turns 70 on 12 March."),
        ("Anna has an appointment on 2026-12-04.", "I have an appointment on Friday."),
        ("Anna is allergic to nuts.", "Correction: I'm allergic to nuts"),
        ("Anna likes dark red.", "My favourite colour is dark red"),
        ("Anna's cat is ill.", "she has been throwing up all night and won't touch her food, my poor cat"),
        ("Anna goes running every morning.", "Each morning before breakfast I run along the river"),
        ("Anna trinkt keinen Kaffee.", "Vom Kaffee kriege ich Herzrasen, deshalb trinke ich nur noch Tee"),
        ("Anna's exam is in June.", "I have moved to Bergen, work for Bolt, and my exam is in June."),
        ("Anna lebt in München.", "Ich wohne in München und arbeite als Krankenschwester."),
        ("Анна живёт в Москве.", "Я живу в Москве."),
    ],
)
def test_keeps_text_that_matches_quote(text: str, quote: str, is_model_weak: bool) -> None:
    (found,) = extract_most_likely_facts(json.dumps([{"text": text, "message": 1, "quote": quote}]), quote)
    assert replace_vague_text_with_quote(found, "Anna", is_model_weak=is_model_weak).text == text


def test_replaces_text_stating_denied_number_with_quote() -> None:
    told = [{"text": "My rent is 940 euros a month.", "message": 1, "quote": "rent"}]  # by a model of 1.5 billion
    said = "Correction: my rent is 980 euros, not 940."
    assert [(fact.text, fact.quote) for fact in extract_most_likely_facts(json.dumps(told), said)] == [
        (f"Anna: {said.rstrip('.')}", said.rstrip("."))
    ]
    told[0]["text"] = "Anna's rent is 980 euros."
    assert [fact.text for fact in extract_most_likely_facts(json.dumps(told), said)] == ["Anna's rent is 980 euros."]


def test_extends_quote_to_sentence_that_supports_fact() -> None:
    told = [{"text": "Anna rides a green bicycle to work.", "message": 1, "quote": "Kalkhoff bicycle"}]
    [found] = extract_most_likely_facts(
        json.dumps(told), "Hello. I ride a green Kalkhoff bicycle to work every day. It rains."
    )
    assert found.quote == "I ride a green Kalkhoff bicycle to work every day"


def test_fact_about_someone_else_is_not_attributed_to_speaker() -> None:
    told = {"text": "Anna is expecting a baby in August.", "message": 1, "about": "sister"}
    quote = "My sister Ingrid is expecting a baby in August"
    assert [fact.text for fact in extract_most_likely_facts(json.dumps([told | {"quote": quote}]), quote)] == [
        f"Anna: {quote}"
    ]


def test_ignores_instruction_type_unsupported_by_quote() -> None:
    told = {"text": "Anna has two cats.", "message": 1, "quote": "two cats", "type": "instruction", "about": "code"}
    assert [draft.kind for draft in extract_most_likely_facts(json.dumps([told]), "I have two cats.")] == ["personal"]


@pytest.mark.parametrize(
    "answer", ['{"facts": null}', '{"facts":[{"message":1,"text":"Anna sails.","replaces":null,},]}']
)
def test_parse_facts_accepts_null_list_and_trailing_commas(answer: str) -> None:
    assert [fact.text for fact in parse_facts(answer) or ()] == ["Anna sails."][: "null}" not in answer]
    assert parse_facts('{"facts":[{"message":1,"text":"Anna sai') is None, "half a fact is none"


SAILS, SINGS = '{"message": 1, "text": "Anna sails."}', '{"message": 2, "text": "Ben sings."}'


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"facts": [{SAILS}, {SINGS},]}}',
        f'{{"facts": [{SAILS}, // the first\n{SINGS}]}}',
        f'{{"facts": [{SAILS} {SINGS}]}}',
        f"{SAILS}\n{SINGS}",
        f'{{"facts": [{SAILS}, {SINGS}, {{"message": 3, "text": "Anna dri',
        json.dumps(f'{{"facts": [{SAILS}, {SINGS}]}}'),
        json.dumps({"name": "facts", "arguments": f'{{"facts": [{SAILS}, {SINGS}]}}'}),
    ],
)
def test_parse_facts_finds_every_fact_in_damaged_json(answer: str) -> None:
    assert [fact.text for fact in parse_facts(answer) or ()] == ["Anna sails.", "Ben sings."]


@pytest.mark.parametrize("damaged", [0, 1, 2])
@pytest.mark.parametrize("padding", [0, 5_000])
def test_parse_facts_keeps_other_facts_when_quote_is_not_escaped(damaged: int, padding: int) -> None:
    """The empty list "replaces" of the damaged fact was taken for the list of facts, and no fact was left."""
    texts = ["Anna sails.", "Ben sings.", "Eva ran."]
    facts = [f'{{"text": "{text}", "quote": "I", "replaces": []}}' for text in texts]
    facts[damaged] = facts[damaged].replace('"I"', '"I said "yes""')
    found = parse_facts('{"facts": [' + ", ".join(facts) + " " * padding + "]}") or ()
    assert {*texts} - {texts[damaged]} <= {fact.text for fact in found}


def test_parse_facts_finds_whole_facts_when_long_answer_is_cut_off() -> None:
    """Only those in the first 2,000 characters were found, though a list of 30 facts has some 8,000."""
    facts = [{"text": f"Anna owns boat {number}.", "quote": "I own it. " * 20} for number in range(30)]
    answer = json.dumps({"facts": facts})[:-20]
    assert [fact.text for fact in parse_facts(answer) or ()] == [fact["text"] for fact in facts[:-1]]


@pytest.mark.parametrize("answer", [f'"facts": [{SAILS}, {SINGS}]}}', f'"{{"facts": [{SAILS}, {SINGS}]}}"'])
def test_parse_facts_finds_list_when_answer_begins_with_quotation_mark(answer: str) -> None:
    """The first answer continues the "{" that some programs put in the model's mouth."""
    assert [fact.text for fact in parse_facts(answer) or ()] == ["Anna sails.", "Ben sings."]


def test_profile_with_trailing_comma_is_read_and_half_a_profile_is_not() -> None:
    assert parse_profile_sections('{"profile": "Anna sails.",}') == {"profile": "Anna sails."}
    assert parse_profile_sections('{"profile": "Anna sai') == {}


@pytest.mark.parametrize(
    "answer",
    [
        '{{"result": {{"facts": [{0}]}}}}',
        '{{"error": null, "result": {{"facts": [{0}]}}}}',
        '{{"facts": {0}}}',
        '{{"Facts": [{0}]}}',
        "For {{x}}: [{0}]",
    ],
)
def test_parse_facts_finds_list_inside_wrapper(answer: str) -> None:
    found = parse_facts(answer.format('{"message": 1, "text": "Anna sails."}'))
    assert [fact.text for fact in found or ()] == ["Anna sails."]
    assert parse_facts("{}") == []
    assert parse_facts('{"error": null}') is None, "that is no list without facts"


@pytest.mark.parametrize("answer", ["{0}\n{1}\n{2}", "{2}\n{0}\n{1}", '{0}\n{{"facts": [{1}]}}'])
def test_parse_facts_finds_single_facts_next_to_list(answer: str) -> None:
    """A small model answers each message on a line of its own."""
    found = parse_facts(answer.format(SAILS, SINGS, '{"facts": []}'))
    assert [fact.text for fact in found or ()] == ["Anna sails.", "Ben sings."]


def test_parse_facts_reads_numbered_fields() -> None:
    numbered = '{"facts": {"1": {"message": 1, "text": "Anna sails."}, "2": {"message": 1, "text": "Anna rows."}}}'
    assert [fact.text for fact in parse_facts(numbered) or ()] == ["Anna sails.", "Anna rows."]


def test_ignores_id_of_known_fact_that_was_not_shown() -> None:
    told = '[{"text": "Anna sails.", "message": 1, "quote": "I sail", "replaces": 5}]'
    assert [draft.known for draft in extract_most_likely_facts(told, "I sail.", known=(4,))] == [()]
    [named] = extract_most_likely_facts(told, "I sail.", known=(5,))
    assert (named.known, named.is_change) == ((5,), False), "nothing that was said tells of a change"
    assert [draft.is_change for draft in extract_most_likely_facts(told, "I sail now.", known=(5,))] == [True]


@pytest.mark.parametrize(
    ("about", "attribute", "is_single", "subject"),
    [
        ("Anna", "home", True, "home"),
        ("the user", "home", True, "home"),
        ("Anna's sister", "home", True, "sister home"),
        ("Anna's exam", "date", True, "exam date"),
        ("Anna", "pet", False, ""),
        ("Anna", None, True, ""),
        (None, "home", True, "home"),
    ],
)
def test_subject_is_derived_from_about_and_attribute(
    about: str | None, attribute: str | None, is_single: bool, subject: str
) -> None:
    given = {"message": 1, "quote": "in Oslo", "text": "Anna lives in Oslo.", "type": "state", "about": about}
    (found,) = extract_most_likely_facts(
        json.dumps([given | {"attribute": attribute, "is_single": is_single}]), "I live in Oslo."
    )
    assert (found.subject, found.only_one) == (subject, bool(subject))


def test_past_type_does_not_end_fact_quoted_in_present_tense() -> None:
    past = {"message": 1, "type": "past", "about": "Anna", "is_single": True}
    allergy = past | {
        "quote": "I'm allergic to walnuts",
        "text": "Anna is allergic to walnuts.",
        "attribute": "allergy",
    }
    (found,) = extract_most_likely_facts(json.dumps([allergy]), "I'm allergic to walnuts, by the way.")
    assert (found.valid_to, found.kind, found.only_one) == (None, "personal", False)
    said = "I have had a bad knee since my skiing accident, so I can't do steep walks any more."
    knee = past | {"quote": said, "text": "Anna is having knee trouble since skiing.", "attribute": "knee"}
    (found,) = extract_most_likely_facts(json.dumps([knee]), said)
    assert found.valid_to is None, "what ended is the walks"


def test_ignores_question_at_start_of_quote() -> None:
    """A small model once learned from both sentences that the person is thinking about a goldfish's name."""
    said = "What's a good name for a goldfish? Give me three."
    fact = {"message": 1, "quote": said, "text": "Anna is thinking about the name of a goldfish.", "type": "state"}
    assert not extract_most_likely_facts(json.dumps([fact]), said)
    moved = {
        "message": 1,
        "quote": "Anna: How are you? I moved to Porto",
        "text": "Anna moved to Porto.",
        "type": "state",
    }
    (found,) = extract_most_likely_facts(json.dumps([moved]), "How are you? I moved to Porto.")
    assert found.quote == "I moved to Porto"


def test_past_type_ends_single_valued_fact_about_speaker() -> None:
    over = {"message": 1, "quote": "in Oslo", "text": "Anna lived in Oslo.", "type": "past", "about": "Anna"}
    said = "I used to live in Oslo."
    (found,) = extract_most_likely_facts(json.dumps([over | {"attribute": "home", "is_single": True}]), said)
    assert (found.valid_to, found.only_one, found.subject) == (NOW, False, "home")
    for other in ({"about": "Anna's sister", "attribute": "home", "is_single": True}, {"attribute": None}):
        (found,) = extract_most_likely_facts(json.dumps([over | other]), said)
        assert (found.valid_to, found.kind) == (None, "event"), "of others, and what happened, it is told"


def test_find_start_date_uses_owner_timezone() -> None:
    auckland = ZoneInfo("Pacific/Auckland")
    said = make_message(1, "Yesterday I began to row.", datetime(2026, 11, 20, 23, 0, tzinfo=UTC))
    begun = datetime(2026, 11, 19, 11, 0, tzinfo=UTC)
    assert verification.find_start_date("Anna rows since 2026-11-20.", said, auckland) == begun
    text, of_year = "Jonas rudert seit 2019.", make_message(1, "Ich rudere seit 2019.")
    assert verification.find_start_date(text, of_year, UTC) == datetime(2019, 1, 1, tzinfo=UTC)
    texts = ("Anna rows.", "since soon", "since 2026-13", "since 2026-02-30", "since 0000", "on 2026-02-03")
    assert [verification.find_start_date(text, said, UTC) for text in texts] == [None] * 6


@pytest.mark.parametrize("text", ["Anna sails since 2015-03-04.", "Anna sails since 2026-11-29."])
def test_start_date_that_message_does_not_imply_is_ignored(text: str) -> None:
    assert verification.find_start_date(text, make_message(1, "Yesterday I began to sail."), UTC) is None
    told = {"message": 1, "text": text, "quote": "I began to sail"}
    [fact] = extract_most_likely_facts(json.dumps([told]), "Yesterday I began to sail.")
    assert fact.valid_from == NOW


def test_rejects_fact_taken_from_assistant_answer() -> None:
    told = {"message": 1, "text": "Anna cooks a lentil curry with coconut milk.", "type": "event"}
    for quote in ("You could cook a lentil curry with coconut milk", "Sounds good"):
        assert extract_most_likely_facts(json.dumps([told | {"quote": quote}]), "Sounds good, that's it.") == []
    assert extract_most_likely_facts(json.dumps([told | {"quote": "What could I cook"}]), "What could I cook?") == []


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
def test_accepts_fact_supported_by_message(text: str, said: str) -> None:
    assert find_faults(text, said) == []


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
def test_rejects_fact_with_details_missing_from_message(text: str, said: str) -> None:
    assert find_faults(text, said)


def test_facts_schema_requires_every_property() -> None:
    schema = schemas.FACTS_SCHEMA["schema"]
    assert isinstance(schema, dict)
    item = schema["properties"]["facts"]["items"]
    assert set(item["required"]) == set(item["properties"]), "strict mode of the endpoint wants all of them"


@pytest.mark.parametrize(
    ("kind", "about", "subject"),
    [
        ("instruction", "code", "code"),
        ("instruction", None, ""),
        ("instruction", "Anna", ""),
        ("preference", "films", "films"),
        ("state", "code", ""),
    ],
)
def test_instruction_and_preference_get_topic_as_subject(kind: str, about: str | None, subject: str) -> None:
    given = {"message": 1, "quote": "Use type hints", "text": "Anna wants type hints.", "type": kind, "about": about}
    answer = json.dumps({"facts": [given]})
    [[fact, *_]] = iterate_candidates_for_each_fact(
        parse_facts(answer) or [], [make_message(1, "Use type hints in code.")], known_ids=(), zone=UTC
    )
    assert fact.subject == subject
