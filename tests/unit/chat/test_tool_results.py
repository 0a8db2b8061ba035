"""Tests of the limit for tool results: every request ends and fits, however much a model asks for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from records.messages import NewMessage
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_answer_loop import count_request_tokens, make_search_call
from text.tokenizer import Tokenizer

FILLING = "Remember how many walnuts there were. " * 300  # leaves results less of 4,096 tokens than their share


def looks_often(calls: int, *, text: str = "") -> Behaviour:
    [call] = make_search_call("walnut tree").calls
    return Behaviour(text=text or None, calls=(call,) * calls)


async def remember_reports(talk: ChatHarness) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        texts = [
            f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12
            for number in range(25)
        ]
        said = [NewMessage(role="user", content=text, created_at=talk.moment[0]) for text in texts]
        await store.append_messages(Scope(owner=ANNA.id), said)


@pytest.mark.parametrize(("max_prompt_tokens", "calls"), [(8000, 8), (4096, 4), (2000, 8)])
async def test_rounds_of_many_tool_calls_stay_under_ceiling(tmp_path: Path, max_prompt_tokens: int, calls: int) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with open_chat_harness(tmp_path, max_context_tokens=max_prompt_tokens) as talk:
        await talk.turn_on_memory(every_n=3)
        await remember_reports(talk)
        talk.server.script("chat-model", *[looks_often(calls)] * 3, "Many.")
        before = len(talk.server.list_requests("chat-model"))
        reply = await talk.say("How many walnuts? " + "Please tell me everything about them. " * 150)
        if reply.is_error:
            assert "(tools)" in reply.text
        asked = talk.server.list_requests("chat-model")[before:]
        assert len(asked) <= 4
        assert max(count_request_tokens(request, tokens) for request in asked) <= max_prompt_tokens
        for request in asked:
            results = [message for message in request.messages if message["role"] == "tool"]
            messages: Sequence[Mapping[str, Any]] = request.messages
            named = [call["id"] for message in messages for call in message.get("tool_calls", ())]
            assert [result["tool_call_id"] for result in results] == named, "each call that is kept has its result"
            free = max_prompt_tokens - count_request_tokens(asked[0], tokens)
            assert sum(tokens.count(result["content"]) for result in results) <= max(max_prompt_tokens // 3, free)


async def test_tool_results_may_use_free_space_of_prompt(tmp_path: Path) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with open_chat_harness(tmp_path, max_context_tokens=8000, snippet_budget=0) as talk:
        await talk.turn_on_memory(every_n=3)
        await remember_reports(talk)
        for number in range(8):
            await talk.run_turn(f"Something else, number {number}.")
        talk.server.script("chat-model", *[make_search_call("walnut tree")] * 3, "Many.")
        assert (await talk.say("How many walnuts?")).text == "Many."
        results = [
            message for message in talk.server.list_requests("chat-model")[-1].messages if message["role"] == "tool"
        ]
        sizes = [tokens.count(result["content"]) for result in results]
        assert sum(sizes) > 8000 // 3
        assert all(1200 < size <= 1500 for size in sizes[:2])


async def test_model_must_answer_once_tool_results_fill_their_share(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=4096) as talk:
        await talk.turn_on_memory(every_n=3)
        await remember_reports(talk)
        talk.server.script("chat-model", looks_often(8, text="Let me look. " * 400), "Many.")
        before = len(talk.server.list_requests("chat-model"))
        assert (await talk.say(FILLING)).text == "Many."
        first, second = talk.server.list_requests("chat-model")[before:]
        assert [first.body.get("tool_choice"), second.body.get("tool_choice")] == [None, "none"]
        [call] = [message for message in second.messages if message.get("tool_calls")]
        assert 0 < len(call["tool_calls"]) < 8
        assert call["content"] == "", "what was said beside the calls had no room"


async def test_oversized_tool_calls_are_omitted(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=4096) as talk:
        await talk.turn_on_memory(every_n=3)
        long = Behaviour(calls=({"name": "remember", "arguments": {"text": "A long word. " * 5_000}},))
        talk.server.script("chat-model", long, "I cannot.")
        before = len(talk.server.list_requests("chat-model"))
        assert (await talk.say(FILLING)).text == "I cannot."
        first, second = talk.server.list_requests("chat-model")[before:]
        assert second.messages == first.messages
