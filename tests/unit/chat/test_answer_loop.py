"""Tests of tool calls during an answer: search results, what is stored of them, and the token limit."""

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
from tests.peers.openai_server import Behaviour, RecordedRequest
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
WALNUTS = "The walnuts are in the blue cellar box."


def make_search_call(query: str, **more: str) -> Behaviour:
    return Behaviour(calls=({"name": "search_memory", "arguments": {"query": query, **more}},))


def count_request_tokens(request: RecordedRequest, tokens: Tokenizer) -> int:
    """Count a request's tokens by the contract's formula, including tool schemas and calls."""
    messages: Sequence[Mapping[str, Any]] = request.messages
    total = 3 + sum(3 + tokens.count(message["role"]) + tokens.count(message["content"]) for message in messages)
    total += sum(tokens.count(json.dumps(message["tool_calls"])) for message in messages if "tool_calls" in message)
    return total + (tokens.count(json.dumps(request.body["tools"])) if "tools" in request.body else 0)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        yield talk


async def say_before_other_turns(talk: ChatHarness, text: str = WALNUTS, *, filler: int = 6) -> None:
    """Say one text, then enough other turns to move it out of the prompt."""
    await talk.run_turn(text)
    for number in range(filler):
        await talk.run_turn(f"Something else, number {number}.")


def list_tool_names(request: RecordedRequest) -> list[str]:
    """List the offered tools without `remind`, which is always offered first."""
    names = [tool["function"]["name"] for tool in request.body.get("tools", ())]
    assert names[:1] in ([], ["remind"])
    return names[1:]


async def test_search_tool_is_not_offered_when_prompt_has_everything(talk: ChatHarness) -> None:
    await talk.say("Memory is off.")
    await talk.turn_on_memory(every_n=3)
    await talk.say(WALNUTS)
    await talk.say("Where are they?")
    assert [list_tool_names(request) for request in talk.server.list_requests("chat-model")] == [
        [],
        ["remember"],
        ["remember"],
    ]


async def test_model_searches_memory_and_then_answers(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path, snippet_budget=0) as talk:
        await talk.turn_on_memory(every_n=3, storage=storage)
        await say_before_other_turns(talk)
        talk.server.script("chat-model", make_search_call("walnuts cellar"), "In the blue box.")
        reply = await talk.say("Where did I put them?")
        assert reply.text == "In the blue box."
        first, second = talk.server.list_requests("chat-model")[-2:]
        assert list_tool_names(first) == ["search_memory", "remember"]
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


async def test_search_note_is_not_counted_in_summary_text(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path, snippet_budget=0) as talk:
        await talk.turn_on_memory(every_n=3, storage=storage)
        await say_before_other_turns(talk)
        talk.server.script("chat-model", make_search_call("walnuts cellar"), "In the blue box.")
        await talk.say("Where did I put them?")
        assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
        summaries = await talk.services.summaries.list_active_summaries(SCOPE)
        async with talk.services.memory.open_store(ANNA.id) as store:
            counts = await store.count_messages_and_summaries(SCOPE)
        assert sum(summary.message_count for summary in summaries) == counts.archived + 1
        shown = [format_summary(summary, UTC) for summary in summaries]
        assert sum(int(text.split(" message")[0].split()[-1]) for text in shown) == counts.archived


async def test_repeated_searches_wait_once_for_hanging_embedder(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, snippet_budget=0, embedding_model="e", embedding_timeout=2.0) as talk:
        await talk.turn_on_memory(every_n=3)
        await say_before_other_turns(talk)
        talk.server.set_default_answer("e", Behaviour(hold="start"))
        talk.server.script(
            "chat-model", make_search_call("walnuts cellar"), make_search_call("walnuts box"), "In the blue box."
        )
        assert (await asyncio.create_task(talk.say("Where did I put them?"))).text == "In the blue box."
        asked = {text for request in talk.server.list_requests("e") for text in request.body["input"]}
        assert any(text.endswith("Where did I put them?") for text in asked)
        assert asked.isdisjoint({"walnuts cellar", "walnuts box"}), "searched by words at once"
        results = [
            message["content"]
            for message in talk.server.list_requests("chat-model")[-1].messages
            if message["role"] == "tool"
        ]
        assert WALNUTS in results[0]
        assert "Nothing new" in results[1], "it was shown already"


async def test_search_result_is_masked_in_later_turns_and_not_searchable(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    talk.server.script("chat-model", make_search_call("walnuts"), "In the blue box.")
    await talk.say("Where did I put them?")
    await talk.say("And what did you look up of the walnuts?")
    prompt = talk.list_prompts()[-1]
    assert "[archived result, ask again]" in prompt
    assert "messages 1" not in prompt
    for words in ("search_memory", '"search_memory"', "messages 1"):
        found = (await talk.services.search.find_hit_page(SCOPE, words)).found
        assert "tool" not in {hit.message.origin for hit in found}, "nobody said it"


async def test_search_is_limited_to_date_range(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    async with talk.services.memory.open_store(ANNA.id) as store:
        for day in range(10, 16):
            moment = talk.moment[0].replace(day=day, hour=23, minute=59)
            await store.append_messages(
                SCOPE, [NewMessage(role="user", content=f"Walnuts, day {day}.", created_at=moment)]
            )
    talk.moment[0] = talk.moment[0].replace(day=20)
    await say_before_other_turns(talk, "Something.", filler=6)
    talk.server.script(
        "chat-model", make_search_call("walnuts", **{"from": "2026-11-12", "to": "2026-11-13"}), "Twice."
    )
    await talk.say("How often?")
    result = talk.server.list_requests("chat-model")[-1].messages[-1]["content"]
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
async def test_invalid_tool_call_is_reported_to_model(talk: ChatHarness, call: dict[str, Any], told: str) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    talk.server.script("chat-model", Behaviour(calls=(call,)), "Then I do not know.")
    reply = await talk.say("And?")
    assert reply.text == "Then I do not know."
    assert told in talk.server.list_requests("chat-model")[-1].messages[-1]["content"]


async def test_lone_surrogate_in_tool_call_is_replaced(talk: ChatHarness) -> None:
    """A model cut an emoji in half. No store and no request accepts a lone surrogate."""
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    call = {"name": "remember", "arguments": r'{"text": "I like \ud83d tea."}'}
    talk.server.script("chat-model", Behaviour(calls=(call,)), "Shall I keep it?")
    reply = await talk.say("Please remember that I like tea.")
    assert [proposal.text for proposal in reply.proposals] == ["I like \ufffd tea."]


async def test_model_must_answer_after_maximum_tool_rounds(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    before = len(talk.server.requests)
    talk.server.script("chat-model", *[make_search_call("walnuts")] * 5, "Enough.")
    assert (await talk.say("Where?")).text == "Enough."
    asked = talk.server.requests[before:]
    assert [request.body.get("tool_choice") for request in asked] == [None] * 5 + ["none"]
    talk.server.script("chat-model", *[make_search_call("walnuts")] * 6)
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
async def test_tools_are_omitted_after_endpoint_refuses_tools(talk: ChatHarness, refusal: Behaviour) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
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
async def test_next_turn_omits_tools_after_unexplained_refusal(talk: ChatHarness, refusal: Behaviour) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    before = len(talk.server.requests)
    talk.server.script("chat-model", refusal, "Without.")
    assert (await talk.say("Where?")).text == "Without."
    assert (await talk.say("And then?")).text == "Understood."
    asked = talk.server.requests[before:]
    assert ["tools" in request.body for request in asked] == [True, False, False]


@pytest.mark.parametrize("refusal", FAULTS)
async def test_tools_are_omitted_after_faults_in_two_turns(talk: ChatHarness, refusal: Behaviour) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    before = len(talk.server.requests)
    for question in ("Where?", "And now?"):
        talk.server.script("chat-model", refusal, "Without.")
        assert (await talk.say(question)).text == "Without."
    assert (await talk.say("And then?")).text == "Understood."
    asked = talk.server.requests[before:]
    assert ["tools" in request.body for request in asked] == [True, False, True, False, False]


@pytest.mark.parametrize("refusal", FAULTS)
async def test_single_fault_does_not_disable_tools(talk: ChatHarness, refusal: Behaviour) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    for _ in range(3):
        talk.server.script("chat-model", refusal, "Without.", "With.")
        assert (await talk.say("Where?")).text == "Without."
        assert (await talk.say("And now?")).text == "With."
        assert "tools" in talk.server.requests[-1].body


async def test_filtered_request_is_retried_once_without_history(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    filtered = Behaviour(status=400, code="content_filter", message="It was filtered.")
    talk.server.script("chat-model", filtered, filtered)
    before = len(talk.server.requests)
    assert (await talk.say("Where?")).is_error
    assert len(talk.server.requests) == before + 2
    assert len(talk.server.requests[-1].messages) == 2


async def test_refusal_without_tools_does_not_disable_tools(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    talk.server.script("chat-model", *[Behaviour(status=400, message="Bad Request")] * 4, "With.")
    assert "refused the request" in (await talk.say("Where?")).text
    assert (await talk.say("And now?")).text == "With."
    assert "tools" in talk.server.requests[-1].body


async def test_text_before_tool_call_is_not_the_answer(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    talk.server.script(
        "chat-model",
        Behaviour(text="Let me look.", calls=({"name": "search_memory", "arguments": {"query": "walnuts"}},)),
        Behaviour(text="In the box.", plain=True),
    )
    assert (await talk.say("Where?")).text == "In the box."
    talk.server.script("chat-model", Behaviour(calls=make_search_call("walnuts").calls, plain=True), "Again.")
    assert (await talk.say("Where?")).text == "Again."


async def test_no_tools_are_offered_when_disabled(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, tools="off") as talk:
        await talk.turn_on_memory(every_n=3)
        await say_before_other_turns(talk)
        await talk.say("Where?")
        assert not any("tools" in request.body for request in talk.server.requests)


async def test_every_request_stays_under_token_ceiling(tmp_path: Path) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with open_chat_harness(tmp_path, max_context_tokens=4000) as talk:
        await talk.turn_on_memory(every_n=3)
        for number in range(20):
            await talk.run_turn(f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12)
        talk.server.script("chat-model", *[make_search_call(f"walnut tree {number}") for number in range(3)], "Many.")
        before = len(talk.server.list_requests("chat-model"))
        reply = await talk.say("How many walnuts? " + "Please tell me everything about them. " * 150)
        asked = talk.server.list_requests("chat-model")[before:]
        assert reply.text == "Many."
        assert len(asked) == 4
        sizes = [count_request_tokens(request, tokens) for request in asked]
        assert max(sizes) <= 4000
        assert max(sizes) > 3000
        assert reply.context is not None
        assert reply.context.token_count == pytest.approx(sizes[-1], abs=60)


async def test_no_tools_are_offered_under_small_ceiling(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=1000) as talk:
        await talk.turn_on_memory(every_n=3)
        await say_before_other_turns(talk)
        await talk.say("Where?")
        assert not any("tools" in request.body for request in talk.server.requests)


async def test_incognito_search_stores_nothing(talk: ChatHarness) -> None:

    await talk.turn_on_memory(every_n=3)
    await say_before_other_turns(talk)
    await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, incognito=True))
    async with talk.services.memory.open_store(ANNA.id) as store:
        before = await store.compute_digest(ANNA.id)
    talk.server.script("chat-model", make_search_call("walnuts"), "In the box.")
    assert (await talk.say("Where?")).text == "In the box."
    assert list_tool_names(talk.server.list_requests("chat-model")[-1]) == ["search_memory"]
    *prompt, result = talk.server.list_requests("chat-model")[-1].messages
    assert any(WALNUTS in message["content"] for message in prompt)
    assert "you have seen all 1" in result["content"]
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.compute_digest(ANNA.id) == before


async def test_fact_changes_are_proposed_and_not_applied(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna is allergic to peanuts.")
    calls = (
        {"name": "remember", "arguments": {"text": "Anna  likes\nwalnuts."}},
        {"name": "remember", "arguments": {"text": "Anna likes walnuts."}},
        {"name": "forget", "arguments": {"fact_id": fact.id}},
    )
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Forget that I am allergic to peanuts, and remember that I like walnuts.")
    assert "forget" in list_tool_names(talk.server.list_requests("chat-model")[-1])
    assert reply.proposals == (
        Proposal(kind="remember", text="Anna likes walnuts."),
        Proposal(kind="command", text=f"/forget fact {fact.id}"),
    )
    assert [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid] == [fact.text]
    async with talk.services.memory.open_store(ANNA.id) as store:
        notes = [message.content for message in await store.timeline.read_page(SCOPE) if message.origin == "tool"]
    assert notes == ["remember: proposed", "remember: proposed", f"forget {fact.id}: proposed"]
    await talk.say("And now?")
    assert "[proposed to the user by a button]" in talk.list_prompts()[-1]
    assert "ask again" not in talk.list_prompts()[-1], "it would be proposed twice"


async def test_model_is_informed_about_proposals_over_limit(talk: ChatHarness) -> None:
    asked = [{"text": "stretch", "at": f"2027-03-{day:02}T07:15", "repeat": "weekly"} for day in range(1, 8)]
    calls = tuple({"name": "remind", "arguments": arguments} for arguments in asked)
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Remind me every day of the week to stretch.")
    assert len(reply.proposals) == MAX_PROPOSALS
    results = [
        message["content"]
        for message in talk.server.list_requests("chat-model")[-1].messages
        if message["role"] == "tool"
    ]
    assert results == [ASKED] * MAX_PROPOSALS + [TOO_MANY_PROPOSALS] * 2


def test_all_tools_fit_default_ceiling() -> None:
    tools = [REMIND, SEARCH_MEMORY, REMEMBER, FORGET, OFFER_COMMAND]
    size = Tokenizer.for_model("gpt-5.4-mini").count(format_tools_as_text(tools))
    assert size * SCHEMAS_SHARE <= Settings.from_env({}).max_context_tokens


async def test_no_command_tool_is_offered_without_commands(talk: ChatHarness) -> None:
    await talk.say("Let us begin anew.")
    assert list_tool_names(talk.server.list_requests("chat-model")[-1]) == []


async def test_command_is_proposed_and_not_run(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, lambda owner: True, {"new": "begins anew", "forget": "erases"}) as talk:
        await a_command_is_proposed(talk)


async def a_command_is_proposed(talk: ChatHarness) -> None:
    calls = tuple(
        {"name": "offer_command", "arguments": {"command": command}}
        for command in ("new Our  \n garden\U000e0061\u202e", "/FORGET code word", "/admin", "/forget " + "x" * 200, "")
    )
    talk.server.script("chat-model", Behaviour(calls=calls), "I have asked you.")
    reply = await talk.say("Let us begin anew, and forget my code word.")
    assert list_tool_names(talk.server.list_requests("chat-model")[-1]) == ["offer_command"]
    assert reply.proposals == (
        Proposal(kind="command", text="/new Our garden"),
        Proposal(kind="command", text="/forget code word"),
    )


async def test_no_fact_tools_are_offered_when_facts_are_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await talk.turn_on_memory()
        await talk.say("Remember that I like walnuts.")
        assert list_tool_names(talk.server.list_requests("chat-model")[-1]) == []
