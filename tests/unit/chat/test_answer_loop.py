"""The model may search the memory while it answers: what it finds, what is kept of it, and that all stays under the
token limit; without tools everything goes on as before."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from chat.answer_loop import SCHEMAS_SHARE
from chat.tools import ASKED, FORGET, MAX_PROPOSALS, OFFER_COMMAND, REMEMBER, REMIND, SEARCH_MEMORY, TOO_MANY_PROPOSALS
from llm.tool_calls import format_tools_as_text
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from records.turns import Proposal
from settings import Settings
from telegram_ui.commands.summaries import format_summary
from tests.peers.openai_server import Behaviour, Recorded
from tests.support.talk import ANNA, Talk, talking
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
WALNUTS = "The walnuts are in the blue cellar box."


def looks_for(query: str, **more: str) -> Behaviour:
    return Behaviour(calls=({"name": "search_memory", "arguments": {"query": query, **more}},))


def size(request: Recorded, tokens: Tokenizer) -> int:
    """Tokens of a request by the contract's formula, tool schemas and calls included."""
    messages: Sequence[Mapping[str, Any]] = request.messages
    total = 3 + sum(3 + tokens.count(message["role"]) + tokens.count(message["content"]) for message in messages)
    total += sum(tokens.count(json.dumps(message["tool_calls"])) for message in messages if "tool_calls" in message)
    return total + (tokens.count(json.dumps(request.body["tools"])) if "tools" in request.body else 0)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        yield talk


async def long_ago(talk: Talk, text: str = WALNUTS, *, filler: int = 6) -> None:
    """Something that was said once, and much else since, folded away."""
    await talk.turn(text)
    for number in range(filler):
        await talk.turn(f"Something else, number {number}.")


def tools_of(request: Recorded) -> list[str]:
    """Apart from the one that is always offered, and first."""
    names = [tool["function"]["name"] for tool in request.body.get("tools", ())]
    assert names[:1] in ([], ["remind"])
    return names[1:]


async def test_what_stands_in_the_prompt_need_not_be_searched_and_without_memory_there_is_no_tool(talk: Talk) -> None:
    await talk.say("Memory is off.")
    await talk.remember(every_n=3)
    await talk.say(WALNUTS)
    await talk.say("Where are they?")
    assert [tools_of(request) for request in talk.server.of("chat-model")] == [[], ["remember"], ["remember"]]


async def test_the_model_searches_and_then_answers(tmp_path: Path, storage: StorageType) -> None:
    async with talking(tmp_path, snippet_budget=0) as talk:
        await talk.remember(every_n=3, storage=storage)
        await long_ago(talk)
        talk.server.script("chat-model", looks_for("walnuts cellar"), "In the blue box.")
        reply = await talk.say("Where did I put them?")
        assert reply.text == "In the blue box."
        first, second = talk.server.of("chat-model")[-2:]
        assert tools_of(first) == ["search_memory", "remember"]
        assert second.messages[: len(first.messages)] == first.messages
        call, result = second.messages[len(first.messages) :]
        assert call["role"] == "assistant"
        assert result["role"] == "tool"
        assert WALNUTS in result["content"]
        assert "Where did I put them?" not in result["content"], "the question itself is no earlier message"
        async with talk.services.memory.open_store(ANNA.id) as store:
            *_, question, note, answer = await store.timeline.read_page(SCOPE)
            assert (question.role, note.role, note.origin, answer.role) == ("user", "system", "tool", "assistant")
            assert {message.turn for message in (question, note, answer)} == {question.id}
            assert note.content == 'search_memory {"query": "walnuts cellar"}: messages 1'
            assert (await store.count_messages_and_summaries(SCOPE)).active_turns == 2, "a result is nobody's turn"
        told = await talk.services.explanations.explain_answer(SCOPE)
        assert told is not None
        assert [message.content for message in told.looked_up if message] == [WALNUTS]
        assert any(part.name == "tools" and part.tokens > 0 for part in told.record.parts)


async def test_a_note_of_a_search_is_no_message_of_a_summary(tmp_path: Path, storage: StorageType) -> None:
    async with talking(tmp_path, snippet_budget=0) as talk:
        await talk.remember(every_n=3, storage=storage)
        await long_ago(talk)
        talk.server.script("chat-model", looks_for("walnuts cellar"), "In the blue box.")
        await talk.say("Where did I put them?")
        assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
        summaries = await talk.services.summaries.list_active_summaries(SCOPE)
        async with talk.services.memory.open_store(ANNA.id) as store:
            counts = await store.count_messages_and_summaries(SCOPE)
        assert sum(summary.message_count for summary in summaries) == counts.archived + 1
        shown = [format_summary(summary, UTC) for summary in summaries]
        assert sum(int(text.split(" message")[0].split()[-1]) for text in shown) == counts.archived


async def test_an_answer_that_searches_several_times_waits_once_for_an_embedder_that_hangs(tmp_path: Path) -> None:
    async with talking(tmp_path, snippet_budget=0, embedding_model="e", embedding_timeout=2.0) as talk:
        await talk.remember(every_n=3)
        await long_ago(talk)
        talk.server.default("e", Behaviour(hold="start"))
        talk.server.script("chat-model", looks_for("walnuts cellar"), looks_for("walnuts box"), "In the blue box.")
        assert (await asyncio.create_task(talk.say("Where did I put them?"))).text == "In the blue box."
        asked = {text for request in talk.server.of("e") for text in request.body["input"]}
        assert any(text.endswith("Where did I put them?") for text in asked)
        assert asked.isdisjoint({"walnuts cellar", "walnuts box"}), "searched by words at once"
        results = [
            message["content"] for message in talk.server.of("chat-model")[-1].messages if message["role"] == "tool"
        ]
        assert WALNUTS in results[0]
        assert "Nothing new" in results[1], "it was shown already"


async def test_a_result_is_masked_in_later_turns_and_no_snippet(talk: Talk) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    talk.server.script("chat-model", looks_for("walnuts"), "In the blue box.")
    await talk.say("Where did I put them?")
    await talk.say("And what did you look up of the walnuts?")
    prompt = talk.prompts()[-1]
    assert "[archived result, ask again]" in prompt
    assert "messages 1" not in prompt
    for words in ("search_memory", '"search_memory"', "messages 1"):
        found = (await talk.services.search.find_hit_page(SCOPE, words)).found
        assert "tool" not in {hit.message.origin for hit in found}, "nobody said it"


async def test_dates_bound_a_search(talk: Talk) -> None:
    await talk.remember(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day in range(10, 16):
            moment = talk.moment[0].replace(day=day, hour=23, minute=59)
            await store.append_messages(
                SCOPE, [NewMessage(role="user", content=f"Walnuts, day {day}.", created_at=moment)]
            )
    talk.moment[0] = talk.moment[0].replace(day=20)
    await long_ago(talk, "Something.", filler=6)
    talk.server.script("chat-model", looks_for("walnuts", **{"from": "2026-11-12", "to": "2026-11-13"}), "Twice.")
    await talk.say("How often?")
    result = talk.server.of("chat-model")[-1].messages[-1]["content"]
    assert [day for day in range(10, 16) if f"day {day}" in result] == [12, 13]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"name": "search_memory", "arguments": "{broken"}, "not a JSON object"),
        ({"name": "search_memory", "arguments": '["list"]'}, "not a JSON object"),
        ({"name": "search_memory", "arguments": {"query": " "}}, "empty"),
        ({"name": "search_memory", "arguments": {"query": "x", "from": "last week"}}, "YYYY-MM-DD"),
        ({"name": "search_memory", "arguments": {"query": "x", "to": "9999-12-31"}}, "YYYY-MM-DD"),
        ({"name": "search_memory", "arguments": {"query": "x" * 2000}}, "too long"),
        ({"name": "search_memory", "arguments": {"query": "xylophone"}}, "Nothing was found"),
        ({"name": "delete_everything", "arguments": {}}, "no such tool"),
        ({"name": "remember", "arguments": {"text": " "}}, "one sentence"),
        ({"name": "remember", "arguments": {"text": "x" * 400}}, "one sentence"),
        ({"name": "forget", "arguments": {"fact_id": 99}}, "no such fact"),
    ],
)
async def test_what_is_wrong_with_a_call_is_told_to_the_model(talk: Talk, call: dict[str, Any], told: str) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    talk.server.script("chat-model", Behaviour(calls=(call,)), "Then I do not know.")
    reply = await talk.say("And?")
    assert reply.text == "Then I do not know."
    assert told in talk.server.of("chat-model")[-1].messages[-1]["content"]


async def test_half_a_character_in_a_call_is_offered_to_nobody(talk: Talk) -> None:
    """A model cut an emoji: no store and no request would take it."""
    await talk.remember(every_n=3)
    await long_ago(talk)
    call = {"name": "remember", "arguments": r'{"text": "I like \ud83d tea."}'}
    talk.server.script("chat-model", Behaviour(calls=(call,)), "Shall I keep it?")
    reply = await talk.say("Please remember that I like tea.")
    assert [proposal.text for proposal in reply.proposals] == ["I like \ufffd tea."]


async def test_a_model_that_never_stops_calling_is_told_to_answer(talk: Talk) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    before = len(talk.server.requests)
    talk.server.script("chat-model", *[looks_for("walnuts")] * 5, "Enough.")
    assert (await talk.say("Where?")).text == "Enough."
    asked = talk.server.requests[before:]
    assert [request.body.get("tool_choice") for request in asked] == [None] * 5 + ["none"]
    talk.server.script("chat-model", *[looks_for("walnuts")] * 6)
    reply = await talk.say("Where?")
    assert reply.is_error
    assert "(tools)" in reply.text


@pytest.mark.parametrize(
    "refusal",
    [
        Behaviour(status=400, message="Unsupported parameter: 'tools'."),
        Behaviour(status=400, message="chat-model does not support tools"),
        Behaviour(
            status=400, message='"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        ),
        Behaviour(status=422, raw='{"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}'),
        Behaviour(status=422, raw='{"detail": [{"loc": "tools", "msg": "Not permitted"}, {"loc": 5}]}'),
    ],
)
async def test_an_endpoint_without_tools_is_asked_without_them_from_then_on(talk: Talk, refusal: Behaviour) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    talk.server.script("chat-model", refusal, "Without.")
    before = len(talk.server.requests)
    assert (await talk.say("Where?")).text == "Without."
    refused, answered = talk.server.requests[before:]
    assert ("tools" in refused.body, "tools" in answered.body) == (True, False)
    assert refused.messages == answered.messages
    assert (await talk.say("And now?")).text == "Understood."
    assert "tools" not in talk.server.requests[-1].body


UNEXPLAINED = [Behaviour(status=422, raw='{"detail": "no such field"}'), Behaviour(status=400, message="Bad Request")]
FAULTS = [Behaviour(status=500, message="tool use requires --jinja")]


@pytest.mark.parametrize("refusal", UNEXPLAINED)
async def test_what_helped_after_a_refusal_is_where_the_next_turn_begins(talk: Talk, refusal: Behaviour) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    before = len(talk.server.requests)
    talk.server.script("chat-model", refusal, "Without.")
    assert (await talk.say("Where?")).text == "Without."
    assert (await talk.say("And then?")).text == "Understood."
    asked = talk.server.requests[before:]
    assert ["tools" in request.body for request in asked] == [True, False, False]


@pytest.mark.parametrize("refusal", FAULTS)
async def test_an_endpoint_that_takes_nothing_with_tools_twice_has_none(talk: Talk, refusal: Behaviour) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    before = len(talk.server.requests)
    for question in ("Where?", "And now?"):
        talk.server.script("chat-model", refusal, "Without.")
        assert (await talk.say(question)).text == "Without."
    assert (await talk.say("And then?")).text == "Understood."
    asked = talk.server.requests[before:]
    assert ["tools" in request.body for request in asked] == [True, False, True, False, False]


@pytest.mark.parametrize("refusal", FAULTS)
async def test_one_request_that_passes_without_tools_alone_says_little(talk: Talk, refusal: Behaviour) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    for _ in range(3):
        talk.server.script("chat-model", refusal, "Without.", "With.")
        assert (await talk.say("Where?")).text == "Without."
        assert (await talk.say("And now?")).text == "With."
        assert "tools" in talk.server.requests[-1].body


async def test_what_a_filter_refuses_is_asked_once_more_without_history(talk: Talk) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    filtered = Behaviour(status=400, code="content_filter", message="It was filtered.")
    talk.server.script("chat-model", filtered, filtered)
    before = len(talk.server.requests)
    assert (await talk.say("Where?")).is_error
    assert len(talk.server.requests) == before + 2
    assert len(talk.server.requests[-1].messages) == 2


async def test_what_is_refused_without_tools_as_well_is_no_matter_of_tools(talk: Talk) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    talk.server.script("chat-model", *[Behaviour(status=400, message="Bad Request")] * 4, "With.")
    assert "refused the request" in (await talk.say("Where?")).text
    assert (await talk.say("And now?")).text == "With."
    assert "tools" in talk.server.requests[-1].body


async def test_text_before_a_call_is_not_the_answer(talk: Talk) -> None:
    await talk.remember(every_n=3)
    await long_ago(talk)
    talk.server.script(
        "chat-model",
        Behaviour(text="Let me look.", calls=({"name": "search_memory", "arguments": {"query": "walnuts"}},)),
        Behaviour(text="In the box.", plain=True),
    )
    assert (await talk.say("Where?")).text == "In the box."
    talk.server.script("chat-model", Behaviour(calls=looks_for("walnuts").calls, plain=True), "Again.")
    assert (await talk.say("Where?")).text == "Again."


async def test_switched_off_nothing_is_offered(tmp_path: Path) -> None:
    async with talking(tmp_path, tools="off") as talk:
        await talk.remember(every_n=3)
        await long_ago(talk)
        await talk.say("Where?")
        assert not any("tools" in request.body for request in talk.server.requests)


async def test_every_request_stays_under_the_ceiling(tmp_path: Path) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with talking(tmp_path, max_context_tokens=4000) as talk:
        await talk.remember(every_n=3)
        for number in range(20):
            await talk.turn(f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12)
        talk.server.script("chat-model", *[looks_for(f"walnut tree {number}") for number in range(3)], "Many.")
        before = len(talk.server.of("chat-model"))
        reply = await talk.say("How many walnuts? " + "Please tell me everything about them. " * 150)
        asked = talk.server.of("chat-model")[before:]
        assert reply.text == "Many."
        assert len(asked) == 4
        sizes = [size(request, tokens) for request in asked]
        assert max(sizes) <= 4000
        assert max(sizes) > 3000
        assert reply.context is not None
        assert reply.context.token_count == pytest.approx(sizes[-1], abs=60)


async def test_a_small_ceiling_leaves_no_room_for_tools(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember(every_n=3)
        await long_ago(talk)
        await talk.say("Where?")
        assert not any("tools" in request.body for request in talk.server.requests)


async def test_incognito_the_model_may_search_and_nothing_is_kept_of_it(talk: Talk) -> None:

    await talk.remember(every_n=3)
    await long_ago(talk)
    await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, incognito=True))
    async with talk.services.memory.open_store(ANNA.id) as store:
        before = await store.compute_digest(ANNA.id)
    talk.server.script("chat-model", looks_for("walnuts"), "In the box.")
    assert (await talk.say("Where?")).text == "In the box."
    assert tools_of(talk.server.of("chat-model")[-1]) == ["search_memory"]
    *prompt, result = talk.server.of("chat-model")[-1].messages
    assert any(WALNUTS in message["content"] for message in prompt)
    assert "you have seen all 1" in result["content"]
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.compute_digest(ANNA.id) == before


async def test_facts_are_proposed_and_nothing_is_done_before_a_person_says_so(talk: Talk) -> None:
    await talk.remember()
    fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna is allergic to peanuts.")
    calls = (
        {"name": "remember", "arguments": {"text": "Anna  likes\nwalnuts."}},
        {"name": "remember", "arguments": {"text": "Anna likes walnuts."}},
        {"name": "forget", "arguments": {"fact_id": fact.id}},
    )
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Forget that I am allergic to peanuts, and remember that I like walnuts.")
    assert "forget" in tools_of(talk.server.of("chat-model")[-1])
    assert reply.proposals == (
        Proposal(kind="remember", text="Anna likes walnuts."),
        Proposal(kind="command", text=f"/forget fact {fact.id}"),
    )
    assert [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid] == [fact.text]
    async with talk.services.memory.open_store(ANNA.id) as store:
        notes = [message.content for message in await store.timeline.read_page(SCOPE) if message.origin == "tool"]
    assert notes == ["remember: proposed", "remember: proposed", f"forget {fact.id}: proposed"]
    await talk.say("And now?")
    assert "[proposed to the user by a button]" in talk.prompts()[-1]
    assert "ask again" not in talk.prompts()[-1], "it would be proposed twice"


async def test_a_model_is_told_which_of_its_many_proposals_are_not_made(talk: Talk) -> None:
    asked = [{"text": "stretch", "at": f"2027-03-{day:02}T07:15", "repeat": "weekly"} for day in range(1, 8)]
    calls = tuple({"name": "remind", "arguments": arguments} for arguments in asked)
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Remind me every day of the week to stretch.")
    assert len(reply.proposals) == MAX_PROPOSALS
    results = [message["content"] for message in talk.server.of("chat-model")[-1].messages if message["role"] == "tool"]
    assert results == [ASKED] * MAX_PROPOSALS + [TOO_MANY_PROPOSALS] * 2


def test_every_tool_is_offered_at_the_default_ceiling() -> None:
    tools = [REMIND, SEARCH_MEMORY, REMEMBER, FORGET, OFFER_COMMAND]
    size = Tokenizer.for_model("gpt-5.4-mini").count(format_tools_as_text(tools))
    assert size * SCHEMAS_SHARE <= Settings.from_env({}).max_context_tokens


async def test_no_command_is_proposed_where_there_are_none(talk: Talk) -> None:
    await talk.say("Let us begin anew.")
    assert tools_of(talk.server.of("chat-model")[-1]) == []


async def test_a_command_is_proposed_and_not_given(tmp_path: Path) -> None:
    async with talking(tmp_path, lambda owner: True, {"new": "begins anew", "forget": "erases"}) as talk:
        await a_command_is_proposed(talk)


async def a_command_is_proposed(talk: Talk) -> None:
    calls = tuple(
        {"name": "offer_command", "arguments": {"command": command}}
        for command in ("new Our  \n garden\U000e0061\u202e", "/FORGET code word", "/admin", "/forget " + "x" * 200, "")
    )
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Let us begin anew, and forget my code word.")
    assert tools_of(talk.server.of("chat-model")[-1]) == ["offer_command"]
    assert reply.proposals == (
        Proposal(kind="command", text="/new Our garden"),
        Proposal(kind="command", text="/forget code word"),
    )


async def test_without_facts_none_are_proposed(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talk.remember()
        await talk.say("Remember that I like walnuts.")
        assert tools_of(talk.server.of("chat-model")[-1]) == []
