"""A new fact is compared with only a few known facts, and these include the relevant ones."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from facts.reconciliation import MAX_CANDIDATES, FactCandidates, plan_fact_changes
from records.facts import Fact, FactKind, NewFact
from storage.tables.decisions import remove_overruled_sentences
from text.analyzer import list_search_terms

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def make_known_fact(id_: int, text: str, subject: str = "", kind: FactKind = "personal") -> Fact:
    return Fact(
        id=id_,
        owner=1,
        text=text,
        kind=kind,
        subject=subject,
        source_ids=(id_,),
        observed_at=NOW,
        valid_from=NOW,
        created_at=NOW,
    )


def make_new_fact(text: str, subject: str = "", *, only_one: bool = False) -> NewFact:
    return NewFact(
        text=text,
        kind="personal",
        subject=subject,
        source_ids=(9_999,),
        observed_at=LATER,
        valid_from=LATER,
        only_one=only_one,
    )


MANY = [
    make_known_fact(1, "Anna lives in Oslo.", "home"),
    make_known_fact(2, "Anna likes sailing."),
    make_known_fact(3, "Nora's rent is 940 euros a month.", "Nora rent"),
    *(
        make_known_fact(number, f"Anna visited village {number} and likes it.", f"village {number}")
        for number in range(4, 3_000)
    ),
]


def test_finds_matching_fact_among_thousands() -> None:
    drafts = [
        make_new_fact("Anna lives in Bergen.", "home", only_one=True),
        make_new_fact("Anna likes sailing."),
        make_new_fact("Nora's rent is 980 euros, not 940.", "Nora rent", only_one=True),
        make_new_fact("Anna likes sailing."),
        make_new_fact("Anna plays the cello."),
        make_new_fact("Anna plays the cello."),
    ]
    changes = plan_fact_changes(drafts, MANY)
    assert [change.closes for change in changes] == [(1,), (), (3,), (), (), ()]
    assert [change.same_as for change in changes] == [None, 2, None, 2, None, -5]


def test_new_fact_can_close_several_known_facts() -> None:
    both = [
        make_known_fact(1, "Anna owns a red car."),
        make_known_fact(2, "Anna owns a boat."),
        make_known_fact(3, "Anna owns a bike."),
    ]
    sold = replace(make_new_fact("Anna sold the car and the boat."), known=(1, 2), is_change=True)
    assert [change.closes for change in plan_fact_changes([sold], both)] == [(1, 2)]


def test_fact_named_as_replaced_with_same_key_is_closed_without_shared_word() -> None:
    homes = [
        make_known_fact(1, "Nora is living in Lisbon.", "home place"),
        make_known_fact(2, "Nora rides a green bike.", "bike colour"),
    ]
    # Written by a model of 1.5 billion parameters, which names any facts as replaced.
    moved = replace(make_new_fact("Nora has moved to Porto."), key="home place home", known=(1, 2), is_change=True)
    assert [change.closes for change in plan_fact_changes([moved], homes)] == [(1,)]
    assert [change.closes for change in plan_fact_changes([replace(moved, known=())], homes)] == [()]


def test_instruction_named_as_replaced_is_closed_by_instruction_about_same_requests() -> None:
    known = make_known_fact(1, "Antworte auf Deutsch.", "replies", "instruction")
    draft = replace(make_new_fact("Anna wants English.", "replies"), kind="instruction", known=(1,), is_change=True)
    changes = plan_fact_changes([replace(draft, key="replies language")], [known])
    assert [change.closes for change in changes] == [(1,)]


@pytest.mark.parametrize(("day", "is_learned"), [(-1, False), (1, True)])
def test_pinned_fact_overrules_only_earlier_denials(day: int, is_learned: bool) -> None:
    pinned = replace(make_known_fact(1, "Anna hat einen Hund, Rex."), decided_at=LATER)
    said_at = LATER + timedelta(days=day)
    text = "Anna hat keinen Hund."
    denial = replace(make_new_fact(text), quote=text, line=text, observed_at=said_at, valid_from=said_at)
    assert bool(plan_fact_changes([denial], [pinned])) == is_learned


def test_limits_number_of_candidates() -> None:
    assert (
        len(FactCandidates({fact.id: fact for fact in MANY}).rank_by_terms(list_search_terms("Anna likes a village.")))
        == MAX_CANDIDATES
    )


def test_accepts_only_replacements_when_fact_limit_is_reached() -> None:
    drafts = [
        make_new_fact("Anna plays the cello."),
        make_new_fact("Anna lives in Bergen.", "home", only_one=True),
        make_new_fact("Anna swims."),
    ]
    full = plan_fact_changes(drafts, MANY[:3], max_valid_facts=3)
    assert [(decision.fact.text, decision.closes) for decision in full] == [("Anna lives in Bergen.", (1,))]
    assert [change.fact.text for change in plan_fact_changes(drafts, MANY[:3], max_valid_facts=4)] == [
        draft.text for draft in drafts[:2]
    ]


def test_removes_labelled_sentence_and_keeps_rest_of_profile_unchanged() -> None:
    told = "Who they are: Anna works as a nurse.\n\nShe likes tea. Her motto: never hurry."
    assert remove_overruled_sentences(told, (), ()) == told
    deleted = replace(make_known_fact(1, "Anna likes green tea."), deleted_at=NOW, decided_at=NOW)
    labelled = "Preferences: Green tea. She hates coffee.\nHer motto: never hurry."
    assert remove_overruled_sentences(labelled, [deleted], ()) == "She hates coffee.\nHer motto: never hurry."


def test_keeps_profile_sentence_still_supported_by_longer_fact() -> None:
    deleted = replace(make_known_fact(1, "Anna lives in Porto."), deleted_at=NOW, decided_at=NOW)
    long = make_known_fact(2, "Anna lives in Porto near the old market in a flat with her sister Clara and two cats.")
    told = "Anna lives in Porto. She bakes."
    assert remove_overruled_sentences(told, [deleted, long], (), max_topics_per_term=2) == told
    assert remove_overruled_sentences(told, [deleted], (), max_topics_per_term=2) == "She bakes."


def test_keeps_profile_sentence_with_current_fact_unless_decided_by_hand() -> None:
    old = replace(make_known_fact(1, "Anna lives in Porto."), superseded_by=2, valid_to=LATER)
    facts = [old, replace(make_known_fact(2, "Anna lives in Berlin."), observed_at=LATER)]
    told = "Anna lived in Porto until May, and lives in Berlin. Anna lives alone."
    assert remove_overruled_sentences(f"{told} Anna lives in Porto with a dog.", facts, ()) == told
    corrected = [replace(old, decided_at=LATER), facts[1]]
    assert remove_overruled_sentences(told, corrected, ()) == "Anna lives alone."


@pytest.mark.parametrize(
    ("said", "said_again", "fact"),
    [
        ("My rent is 940 euros a month", "Correction: my rent is 980 euros, not 940", "Nora's rent is {} euros."),
        (
            "My rent is 940 euros a month",
            "Correction: my rent is 980 euros, not 940",
            "Nora mentions that her rent now is {} euros a month.",
        ),
        ("Meine Miete beträgt 940 Euro", "Die Miete ist 980 Euro, nicht 940", "Noras Miete beträgt {} Euro."),
        ("Mi alquiler es de 940 euros", "El alquiler es de 980 euros, no 940", "El alquiler de Nora es de {} euros."),
    ],
)
def test_number_correction_closes_old_fact_in_either_order(said: str, said_again: str, fact: str) -> None:
    """A 1.5B model found the outdated rent after its correction, when asked about that turn alone."""
    rent = replace(make_new_fact(fact.format(940)), quote=said, observed_at=NOW, valid_from=NOW)
    correction = replace(make_new_fact(fact.format(980)), quote=said_again)
    first, second = plan_fact_changes([rent, correction], [])
    assert second.closes == (-1,)
    assert first.fact.valid_to is None
    corrected = replace(make_known_fact(7, fact.format(980)), quote=said_again, observed_at=LATER, valid_from=LATER)
    (found_last,) = plan_fact_changes([rent], [corrected])
    assert found_last.gave_way_to == 7
    assert found_last.fact.valid_to == LATER
    of_another = replace(correction, person_id=2)
    assert [change.closes for change in plan_fact_changes([rent, of_another], [])] == [(), ()]


@pytest.mark.parametrize(
    ("said", "fact", "said_of_another", "fact_of_another"),
    [
        ("Leo is 8 years old, not 7", "Leo is 8 years old.", "Mia is 7 years old", "Mia is 7 years old."),
        ("Leo ist 8 Jahre alt, nicht 7", "Leo ist 8 Jahre alt.", "Mia ist 7 Jahre alt", "Mia ist 7 Jahre alt."),
        ("I run 10 km on Mondays, not 5", "Nora runs 10 km.", "I run 5 km with my sister", "Nora and Mia run 5 km."),
        (
            "My rent in Porto is 980 euros a month, not 940",
            "Nora's rent in Porto is 980 euros a month.",
            "My rent in Lisbon is 940 euros a month",
            "Nora's rent in Lisbon is 940 euros a month.",
        ),
    ],
)
def test_number_correction_does_not_affect_facts_about_other_subjects(
    said: str, fact: str, said_of_another: str, fact_of_another: str
) -> None:
    correction = replace(make_new_fact(fact), quote=said)
    later = replace(make_new_fact(fact_of_another), quote=said_of_another, observed_at=LATER + timedelta(days=1))
    assert [change.closes for change in plan_fact_changes([correction, later], [])] == [(), ()]
    if " and " not in fact_of_another:
        earlier = replace(later, observed_at=NOW, valid_from=NOW)
        changes = plan_fact_changes([earlier, correction], [])
        assert [(change.closes, change.fact.valid_to) for change in changes] == [((), None)] * 2


def test_a_second_allergy_does_not_end_the_first() -> None:
    """A 1.5B model said that a person has only one allergy, and the second one ended the dangerous first one."""
    hazelnuts = replace(make_new_fact("Nora is allergic to hazelnuts.", "Nora allergy", only_one=True), importance=1.0)
    nuts = replace(make_new_fact("Nora is allergic to nuts.", "Nora allergy", only_one=True), is_change=True)
    assert [change.closes for change in plan_fact_changes([hazelnuts, nuts], [])] == [(), ()]
    cured = make_new_fact("Nora is not allergic to hazelnuts.", "Nora allergy")
    assert [change.closes for change in plan_fact_changes([hazelnuts, cured], [])] == [(), (-1,)]


@pytest.mark.parametrize(
    ("known_texts", "told", "closes"),
    [
        (("安娜对花生过敏。", "安娜对乳胶过敏。"), "安娜对花生不再过敏。", (1,)),
        (("Anna is allergic to peanuts.", "Anna is allergic to latex."), "Anna has no allergies.", (1, 2)),
        (("Anna takes 50 mg of insulin.", "Anna takes insulin."), "Anna takes 60 mg of insulin.", (1,)),
        (("У Анны аллергия на арахис.", "У Анны аллергия на латекс."), "У Анны нет аллергии.", (1, 2)),
    ],
)
def test_vital_fact_ends_when_denied_or_given_new_number(
    known_texts: tuple[str, ...], told: str, closes: tuple[int, ...]
) -> None:
    facts = [
        replace(make_known_fact(number, text, "health"), importance=1.0)
        for number, text in enumerate(known_texts, start=1)
    ]
    draft = make_new_fact(told, "health", only_one=True)
    for fact in (draft, replace(draft, valid_to=draft.valid_from) if "0" not in told else draft):
        (change,) = plan_fact_changes([fact], facts)
        assert sorted(change.closes) == list(closes)
        assert change.fact.valid_to is None


def test_move_of_member_with_namesake_closes_only_own_home() -> None:
    facts = [
        replace(make_known_fact(id_, f"Anna lives in {town}.", "home"), owner=-5)
        for id_, town in ((7, "Porto"), (8, "Köln"))
    ]
    facts = [replace(fact, person_id=fact.id) for fact in facts]
    moved = replace(make_new_fact("Anna2 lives in Bonn.", "home", only_one=True), person_id=8, speaker="Anna2")
    (change,) = plan_fact_changes([moved], facts)
    assert change.closes == (8,)


@pytest.mark.parametrize(
    ("name", "homes", "moved"),
    [
        ("王伟", ("王伟住在上海。", "王伟2住在北京。"), "王伟住在成都。"),
        ("سارة", ("سارة تعيش في دبي.", "سارة2 تعيش في القاهرة."), "سارة تعيش في بيروت."),
        ("anna", ("anna lives in Porto.", "anna2 lives in Köln."), "anna lives in Lisbon."),
    ],
)
def test_uncapitalized_name_is_distinguished_from_namesakes(name: str, homes: tuple[str, str], moved: str) -> None:
    facts = [
        replace(make_known_fact(id_, text, "home"), owner=-5, person_id=id_)
        for id_, text in zip((7, 8), homes, strict=True)
    ]
    (change,) = plan_fact_changes(
        [replace(make_new_fact(moved, "home", only_one=True), person_id=7, speaker=name)], facts
    )
    assert change.closes == (7,)


@pytest.mark.parametrize(
    ("known", "told", "about", "is_closed"),
    [
        ("Marta's sister Ana lives in Ghent.", "Marta's neighbour Ana lives in Bruges.", "neighbour Ana", False),
        ("Marta's sister Ana lives in Ghent.", "Marta's sister Ana lives in Bruges.", "sister Ana", True),
    ],
)
def test_two_people_of_one_name_keep_a_value_each(known: str, told: str, about: str, is_closed: bool) -> None:
    drafts = [make_new_fact(told, f"{about} home", only_one=True)]
    [change] = plan_fact_changes(drafts, [make_known_fact(1, known, "sister Ana home")])
    assert change.closes == ((1,) if is_closed else ())
