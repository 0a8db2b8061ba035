"""Tests of the search tool: several queries, chronological lists, neighbours of a message, and summaries."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from chat.memory_reading import MAX_QUERIES, SearchCall
from records.messages import NewMessage, Role
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
TOKENS = Tokenizer.for_model("chat-model")
NUMBER = re.compile(r"^#(-?\d+) ", re.MULTILINE)


def make_search_call(**arguments: Any) -> Behaviour:
    return Behaviour(calls=({"name": "search_memory", "arguments": arguments},))


async def store_daily_messages(talk: ChatHarness, texts: list[str], *, role: Role = "user") -> None:
    """Store one message a day, the last one 21 days ago, and fold them away with eight turns of small talk."""
    await talk.turn_on_memory(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day, text in enumerate(texts):
            moment = talk.moment[0] - timedelta(days=len(texts) + 20 - day)
            await store.append_messages(SCOPE, [NewMessage(role=role, content=text, created_at=moment, speaker="Anna")])
    for number in range(8):
        await talk.run_turn(f"Something else, number {number}.")


async def run_tool_calls(talk: ChatHarness, *calls: Behaviour, question: str = "Well?") -> list[str]:
    """Script the tool calls of an answer, ask the question, and return the result of each call."""
    talk.server.script("chat-model", *calls, "I see.")
    assert (await talk.say(question)).text == "I see."
    return [
        message["content"]
        for message in talk.server.list_requests("chat-model")[-1].messages
        if message["role"] == "tool"
    ]


def list_message_numbers(result: str) -> list[int]:
    return [int(number) for number in NUMBER.findall(result)]


async def test_chronological_list_holds_forty_events_and_next_search_continues(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, snippet_budget=0, max_context_tokens=16_000) as talk:
        await store_daily_messages(
            talk, [f"We sailed the boat to island {day}, and it took us hours to land." for day in range(70)]
        )
        first, second = await run_tool_calls(
            talk,
            make_search_call(query="sailed boat", order="time"),
            make_search_call(query="sailed boat", order="time"),
        )
        listed = list_message_numbers(first)
        assert len(listed) >= 40
        assert listed == sorted(listed)
        assert set(listed).isdisjoint(list_message_numbers(second))
        assert f"{70 - len(listed)} more match" in first
        assert "That is all that matches" in second
        assert len(listed) + len(list_message_numbers(second)) == 70
        assert TOKENS.count(first) <= 1500
        assert re.search(r"^#\d+ 20\d\d-\d\d-\d\d Anna: We sailed", first, re.MULTILINE)


async def test_list_has_whole_user_messages_and_extracts_of_long_answers(talk: ChatHarness) -> None:
    own = "On the way to the harbour we met the pilot, who told us that the ferry to the island is repaired until May. "
    advice = "\n".join(
        [
            "The ferry to the island can be replaced by a water taxi from the harbour.",
            "```\nprint(timetable)\n```",
            *(f"Taxi {number} takes some minutes and waits for nobody on the quay." for number in range(20)),
            "Book the water taxi of the harbour a day before.",
        ]
    )
    await talk.turn_on_memory(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day in range(40):
            moment = talk.moment[0] - timedelta(days=60 - day)
            said = NewMessage(role="user", content=f"{own}Day {day}.", created_at=moment)
            await store.append_messages(SCOPE, [said])
            await store.append_messages(SCOPE, [NewMessage(role="assistant", content=advice, created_at=moment)])
    for number in range(8):
        await talk.run_turn(f"Something else, number {number}.")
    [result] = await run_tool_calls(talk, make_search_call(query="ferry island harbour", order="time"))
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


async def test_message_shown_partly_in_prompt_is_listed_once(tmp_path: Path) -> None:
    beginning = "We rented a houseboat on the canal and stayed for nine days. "
    middle = "The weather changed every hour, and nobody minded it at all. " * 14
    async with open_chat_harness(tmp_path, snippet_budget=140) as talk:
        await store_daily_messages(talk, [f"{beginning}{middle}At the end a walrus bit the anchor chain."])
        wish = make_search_call(query="walrus anchor chain", order="time")
        first, second = await run_tool_calls(talk, wish, wish, question="What did the walrus bite, the anchor chain?")
        prompt = talk.list_prompts()[-3]
        assert "a walrus bit the anchor chain" in prompt
        assert beginning not in prompt
        assert f"Anna: {beginning}" in first
        assert 1 not in list_message_numbers(second)


async def test_message_with_beginning_in_prompt_is_not_listed_again(tmp_path: Path) -> None:
    middle = "The weather changed every hour, and nobody minded it at all. " * 14
    async with open_chat_harness(tmp_path, snippet_budget=140) as talk:
        await store_daily_messages(
            talk, [f"A walrus bit the anchor chain of our houseboat. {middle}", "The walrus came back."]
        )
        wish = make_search_call(query="walrus anchor chain", order="time")
        [result] = await run_tool_calls(talk, wish, question="What did the walrus bite, the anchor chain?")
        assert "Anna: A walrus bit the anchor chain" in talk.list_prompts()[-2]
        assert 1 not in list_message_numbers(result)


async def test_first_line_of_each_day_has_date(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    monday, tuesday = talk.moment[0] - timedelta(days=60), talk.moment[0] - timedelta(days=59)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for number, moment in enumerate([monday, monday, tuesday, tuesday, tuesday]):
            said = NewMessage(role="user", content=f"Walrus {number}.", created_at=moment, speaker="Anna")
            await store.append_messages(SCOPE, [said])
    for number in range(8):
        await talk.run_turn(f"Something else, number {number}.")
    [result] = await run_tool_calls(talk, make_search_call(query="walrus", order="time"))
    assert [line for line in result.splitlines() if NUMBER.match(line)] == [
        f"#1 {monday.date()} Anna: Walrus 0.",
        "#2 Anna: Walrus 1.",
        f"#3 {tuesday.date()} Anna: Walrus 2.",
        "#4 Anna: Walrus 3.",
        "#5 Anna: Walrus 4.",
    ]


async def test_several_queries_list_each_message_once(talk: ChatHarness) -> None:
    await store_daily_messages(talk, ["The walrus sleeps.", "The heron fishes.", "A walrus and a heron meet."])
    [result] = await run_tool_calls(talk, make_search_call(queries=["walrus", "heron", "walrus"]))
    assert len(list_message_numbers(result)) == len(set(list_message_numbers(result))) == 3


async def test_around_lists_neighbours_with_complete_long_answer(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    recipe = "\n".join(f"{step}. Step {step} of the walnut bread takes a while and a spoon." for step in range(30))
    await talk.run_turn("I have got guests.")
    talk.server.script("chat-model", recipe)
    await talk.run_turn("How is walnut bread baked?")
    await talk.run_turn("And what do I drink with it?")
    for number in range(8):
        await talk.run_turn(f"Something else, number {number}.")
    found, around = await run_tool_calls(talk, make_search_call(query="baked"), make_search_call(around=3))
    assert "#3 Anna: How is walnut bread baked?" in found
    assert list_message_numbers(around)[:3] == [1, 2, 3]
    assert recipe.splitlines()[-1] in around, "all of the answer"
    assert "And what do I drink with it?" in around
    [nothing] = await run_tool_calls(talk, make_search_call(around=9999))
    assert nothing == "There is no such message."


async def test_date_range_without_query_lists_messages_of_range(talk: ChatHarness) -> None:
    await store_daily_messages(talk, [f"On day {day} it rained." for day in range(9)])
    start = talk.moment[0] - timedelta(days=9 + 20 - 3)
    day = start.date().isoformat()
    [result] = await run_tool_calls(talk, make_search_call(**{"from": day, "to": day}))
    assert "On day 3 it rained." in result
    assert len(list_message_numbers(result)) == 1


async def test_found_summary_has_dates_and_message_numbers(talk: ChatHarness) -> None:
    talk.server.set_default_answer("summary-model", Behaviour(mode="extract:3"))
    await store_daily_messages(
        talk, ["We repaired the sailing boat in the harbour.", "The mast of the sailing boat is new.", "It rained."]
    )
    first, second = await run_tool_calls(
        talk, make_search_call(query="sailing boat"), make_search_call(query="sailing boat mast")
    )
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
def test_invalid_search_arguments_are_reported(arguments: dict[str, Any], told: str) -> None:
    assert told in str(SearchCall.parse(arguments))


def test_search_arguments_are_parsed_in_several_forms() -> None:
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
    async with open_chat_harness(tmp_path, snippet_budget=0) as talk:
        yield talk
