"""The model reads on in what was said: several queries, a list in order of time, around a message, from a summary."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from chat.memory_reading import MAX_QUERIES, SearchCall
from records.messages import NewMessage, Role
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
TOKENS = Tokenizer.for_model("chat-model")
NUMBER = re.compile(r"^#(-?\d+) ", re.MULTILINE)


def looks(**arguments: Any) -> Behaviour:
    return Behaviour(calls=({"name": "search_memory", "arguments": arguments},))


async def a_year(talk: Talk, texts: list[str], *, role: Role = "user") -> None:
    """One message a day, so many days ago that the last was said weeks ago; then small talk, folded away."""
    await talk.remember(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day, text in enumerate(texts):
            moment = talk.moment[0] - timedelta(days=len(texts) + 20 - day)
            await store.append_messages(SCOPE, [NewMessage(role=role, content=text, created_at=moment, speaker="Anna")])
    for number in range(8):
        await talk.turn(f"Something else, number {number}.")


async def results(talk: Talk, *calls: Behaviour, question: str = "Well?") -> list[str]:
    """What the model got for each call of one answer."""
    talk.server.script("chat-model", *calls, "I see.")
    assert (await talk.say(question)).text == "I see."
    return [message["content"] for message in talk.server.of("chat-model")[-1].messages if message["role"] == "tool"]


def numbers(result: str) -> list[int]:
    return [int(number) for number in NUMBER.findall(result)]


async def test_forty_events_fit_one_list_in_order_of_time_and_the_next_search_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path, snippet_budget=0, max_context_tokens=16_000) as talk:
        await a_year(talk, [f"We sailed the boat to island {day}, and it took us hours to land." for day in range(70)])
        first, second = await results(
            talk, looks(query="sailed boat", order="time"), looks(query="sailed boat", order="time")
        )
        listed = numbers(first)
        assert len(listed) >= 40
        assert listed == sorted(listed)
        assert set(listed).isdisjoint(numbers(second))
        assert f"{70 - len(listed)} more match" in first
        assert "That is all that matches" in second
        assert len(listed) + len(numbers(second)) == 70
        assert TOKENS.count(first) <= 1500
        assert re.search(r"^#\d+ 20\d\d-\d\d-\d\d Anna: We sailed", first, re.MULTILINE)


async def test_a_list_has_peoples_messages_whole_and_some_long_answers_as_extracts(talk: Talk) -> None:
    own = "On the way to the harbour we met the pilot, who told us that the ferry to the island is repaired until May. "
    advice = "\n".join(
        [
            "The ferry to the island can be replaced by a water taxi from the harbour.",
            "```\nprint(timetable)\n```",
            *(f"Taxi {number} takes some minutes and waits for nobody on the quay." for number in range(20)),
            "Book the water taxi of the harbour a day before.",
        ]
    )
    await talk.remember(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day in range(40):
            moment = talk.moment[0] - timedelta(days=60 - day)
            said = NewMessage(role="user", content=f"{own}Day {day}.", created_at=moment)
            await store.append_messages(SCOPE, [said])
            await store.append_messages(SCOPE, [NewMessage(role="assistant", content=advice, created_at=moment)])
    for number in range(8):
        await talk.turn(f"Something else, number {number}.")
    [result] = await results(talk, looks(query="ferry island harbour", order="time"))
    listed = [line for line in result.splitlines() if NUMBER.match(line)]
    people = [line for line in listed if re.search(r" until May\. Day \d+\.$", line)]
    answers = [line for line in listed if " Assistant: " in line]
    assert len(people) >= 15
    assert len(people) + len(answers) == len(listed)
    assert 1 <= len(answers) <= len(people) / 10 + 1
    for answer in answers:
        assert "can be replaced by a water taxi from the harbour." in answer
        assert "Book the water taxi of the harbour a day before." in answer
        assert "print" not in answer
        assert TOKENS.count(answer) < 200


async def test_a_message_that_the_prompt_shows_in_part_is_listed_once(tmp_path: Path) -> None:
    beginning = "We rented a houseboat on the canal and stayed for nine days. "
    middle = "The weather changed every hour, and nobody minded it at all. " * 14
    async with talking(tmp_path, snippet_budget=140) as talk:
        await a_year(talk, [f"{beginning}{middle}At the end a walrus bit the anchor chain."])
        wish = looks(query="walrus anchor chain", order="time")
        first, second = await results(talk, wish, wish, question="What did the walrus bite, the anchor chain?")
        prompt = talk.prompts()[-3]
        assert "a walrus bit the anchor chain" in prompt
        assert beginning not in prompt
        assert f"Anna: {beginning}" in first
        assert 1 not in numbers(second)


async def test_a_message_whose_beginning_the_prompt_shows_is_not_listed_again(tmp_path: Path) -> None:
    middle = "The weather changed every hour, and nobody minded it at all. " * 14
    async with talking(tmp_path, snippet_budget=140) as talk:
        await a_year(talk, [f"A walrus bit the anchor chain of our houseboat. {middle}", "The walrus came back."])
        wish = looks(query="walrus anchor chain", order="time")
        [result] = await results(talk, wish, question="What did the walrus bite, the anchor chain?")
        assert "Anna: A walrus bit the anchor chain" in talk.prompts()[-2]
        assert 1 not in numbers(result)


async def test_the_first_line_of_each_day_names_the_day(talk: Talk) -> None:
    await talk.remember(every_n=3)
    monday, tuesday = talk.moment[0] - timedelta(days=60), talk.moment[0] - timedelta(days=59)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for number, moment in enumerate([monday, monday, tuesday, tuesday, tuesday]):
            said = NewMessage(role="user", content=f"Walrus {number}.", created_at=moment, speaker="Anna")
            await store.append_messages(SCOPE, [said])
    for number in range(8):
        await talk.turn(f"Something else, number {number}.")
    [result] = await results(talk, looks(query="walrus", order="time"))
    assert [line for line in result.splitlines() if NUMBER.match(line)] == [
        f"#1 {monday.date()} Anna: Walrus 0.",
        "#2 Anna: Walrus 1.",
        f"#3 {tuesday.date()} Anna: Walrus 2.",
        "#4 Anna: Walrus 3.",
        "#5 Anna: Walrus 4.",
    ]


async def test_several_queries_are_asked_at_once_and_nothing_is_shown_twice(talk: Talk) -> None:
    await a_year(talk, ["The walrus sleeps.", "The heron fishes.", "A walrus and a heron meet."])
    [result] = await results(talk, looks(queries=["walrus", "heron", "walrus"]))
    assert len(numbers(result)) == len(set(numbers(result))) == 3


async def test_around_a_message_stands_what_came_before_and_after_with_its_long_answer(talk: Talk) -> None:
    await talk.remember(every_n=3)
    recipe = "\n".join(f"{step}. Step {step} of the walnut bread takes a while and a spoon." for step in range(30))
    await talk.turn("I have got guests.")
    talk.server.script("chat-model", recipe)
    await talk.turn("How is walnut bread baked?")
    await talk.turn("And what do I drink with it?")
    for number in range(8):
        await talk.turn(f"Something else, number {number}.")
    found, around = await results(talk, looks(query="baked"), looks(around=3))
    assert "#3 Anna: How is walnut bread baked?" in found
    assert numbers(around)[:3] == [1, 2, 3]
    assert recipe.splitlines()[-1] in around, "all of the answer"
    assert "And what do I drink with it?" in around
    [nothing] = await results(talk, looks(around=9999))
    assert nothing == "There is no such message."


async def test_a_time_alone_lists_what_was_said_then(talk: Talk) -> None:
    await a_year(talk, [f"On day {day} it rained." for day in range(9)])
    start = talk.moment[0] - timedelta(days=9 + 20 - 3)
    day = start.date().isoformat()
    [result] = await results(talk, looks(**{"from": day, "to": day}))
    assert "On day 3 it rained." in result
    assert len(numbers(result)) == 1


async def test_a_found_summary_names_its_time_and_its_messages(talk: Talk) -> None:
    talk.server.default("summary-model", Behaviour(mode="extract:3"))
    await a_year(
        talk, ["We repaired the sailing boat in the harbour.", "The mast of the sailing boat is new.", "It rained."]
    )
    first, second = await results(talk, looks(query="sailing boat"), looks(query="sailing boat mast"))
    [line] = [line for line in first.splitlines() if "messages #" in line]
    assert re.match(r"\[20\d\d-\d\d-\d\d to 20\d\d-\d\d-\d\d · messages #1 to #\d+\] ", line)
    assert line not in second, "it was shown already"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"queries": []}, "empty"),
        ({"queries": [" ", None]}, "empty"),
        ({"around": "the last one"}, "number of a message"),
        ({"around": "9" * 40}, "number of a message"),
        ({"from": "soon"}, "YYYY-MM-DD"),
    ],
)
def test_what_is_wrong_with_a_wish_is_told(arguments: dict[str, Any], told: str) -> None:
    assert told in str(SearchCall.parse(arguments))


def test_models_write_a_wish_in_several_ways() -> None:
    many = SearchCall.parse({"query": "a", "queries": ["b", "a", "c", 5, "e"]})
    assert isinstance(many, SearchCall)
    assert many.queries == ("a", "b", "c", "5")
    assert len(many.queries) == MAX_QUERIES
    for around in (12, "12", "#12", 12.0):
        wish = SearchCall.parse({"around": around})
        assert isinstance(wish, SearchCall)
        assert wish.around == 12
    one = SearchCall.parse({"queries": "walnuts"})
    assert isinstance(one, SearchCall)
    assert one.queries == ("walnuts",)
    imported = SearchCall.parse({"around": -7})
    assert isinstance(imported, SearchCall)
    assert imported.around == -7


@pytest.fixture
async def talk(tmp_path: Path) -> Any:
    async with talking(tmp_path, snippet_budget=0) as talk:
        yield talk
