"""Where a question needs many messages, further facts and summaries come along, in room that nothing else needs."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from records.context import Snippet
from records.scopes import Scope
from retrieval import background
from retrieval.date_expressions import Range
from retrieval.fact_ranking import FoundFacts
from retrieval.prompt_builder import PromptBuilder
from tests.support.talk import ANNA, Talk, talking
from tests.unit.retrieval.test_prompt_builder import FULL, NOW, TOKENS, incoming, message, recalled, summary

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=1)
        yield talk


async def test_an_overview_brings_the_summaries_of_its_chunks(talk: Talk) -> None:
    parts = ["keel", "hull", "mast", "sail", "rope", "anchor", "rudder", "cabin", "deck", "paint", "lamp", "flag"]
    for part in parts:
        await talk.turn(f"Today I worked on the {part} of the boat.")
    async with talk.services.memory.home(ANNA.id) as store:
        active = {one.id for one in await store.summaries(SCOPE)}
        inactive = {one.id for one in await store.summaries(SCOPE, active_only=False)} - active
    plain = await talk.say("Which part of the boat had the anchor?")
    assert plain.context is not None
    assert {one.id for one in plain.context.summaries} == active
    overview = await talk.say("Please summarise how my boat has developed.")
    assert overview.context is not None
    brought = {one.id for one in overview.context.summaries} - active
    assert brought
    assert brought <= inactive
    assert {one.level for one in overview.context.summaries if one.id in brought} == {1}
    last = overview.context.messages[-1].content
    assert last.index("<summaries>") < last.index("<remembered>")
    assert {one.message.id for one in plain.context.snippets} & {one.message.id for one in overview.context.snippets}


def test_the_chunks_with_most_snippets_come_first_and_none_twice() -> None:
    snippets = [
        Snippet(message=message(number, "user", "x", turn=number, chunk=chunk), text="x", score={})
        for number, chunk in enumerate((7, 8, 8, None, 9, 9, 9), start=1)
    ]
    wanted = background.chunks(snippets)
    assert wanted == [9, 8, 7]
    made = [summary(7, 1, 1, "a"), summary(8, 2, 3, "b"), summary(9, 5, 7, "c")]
    assert [one.id for one in background.summaries(made, wanted, shown={8})] == [9, 7]
    rolling = [replace(one, policy="rolling") for one in made]
    assert not background.summaries(rolling, wanted, shown=set())


def test_further_facts_are_the_next_relevant_ones_and_those_of_the_time() -> None:
    facts = [recalled(number, f"fact {number}") for number in range(1, 5)]
    march = replace(facts[3].fact, valid_from=NOW - timedelta(days=200))
    found = FoundFacts(ranked=facts[:3], relevant=facts[:1])
    time = Range(start=NOW - timedelta(days=210), end=NOW - timedelta(days=190), words="in March")
    further = background.further_facts(found, [*(one.fact for one in facts[:3]), march], [time])
    assert [one.fact.id for one in further] == [2, 3, 4]


def test_they_take_what_is_left_and_go_first() -> None:
    def built(ceiling: int) -> PromptBuilder:
        builder = PromptBuilder(
            tokenizer=TOKENS, budgets=FULL.under(ceiling), incoming=incoming("?"), system_prompt="Be brief.", now=NOW
        )
        builder.take_facts([recalled(1, "Anna has a boat.")])
        builder.take_snippets([Snippet(message=message(1, "user", "I have a boat.", turn=1), text="boat", score={})])
        builder.take_background(
            [recalled(2, "Anna's boat is red.")], [summary(9, 5, 9, "Later on. " * 20), summary(8, 1, 4, "At first.")]
        )
        return builder

    whole = built(8000).context()
    assert [one.id for one in whole.summaries] == [8, 9]
    assert [one.fact.id for one in whole.facts] == [1, 2]
    last = whole.messages[-1].content
    assert last.index("Anna's boat is red.") < last.index("At first.") < last.index("Later on.") < last.index("boat\n")
    facts = next(one for one in whole.parts if one.name == "facts")
    assert facts.tokens <= facts.budget
    for ceiling in range(60, 400, 10):
        small = built(ceiling).context()
        assert small.tokens <= ceiling
        assert small.snippets or not small.summaries
