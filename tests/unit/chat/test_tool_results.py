"""What tools give back has a share of the prompt: however much a model asks for, each request ends and fits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from records.messages import NewMessage
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking
from tests.unit.chat.test_answer_loop import looks_for, size
from text.tokenizer import Tokenizer

FILLING = "Remember how many walnuts there were. " * 300  # leaves results less of 4,096 tokens than their share


def looks_often(calls: int, *, text: str = "") -> Behaviour:
    [call] = looks_for("walnut tree").calls
    return Behaviour(text=text or None, calls=(call,) * calls)


async def remember_reports(talk: Talk) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        texts = [
            f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12
            for number in range(25)
        ]
        said = [NewMessage(role="user", content=text, created_at=talk.moment[0]) for text in texts]
        await store.append_messages(Scope(owner=ANNA.id), said)


@pytest.mark.parametrize(("max_prompt_tokens", "calls"), [(8000, 8), (4096, 4), (2000, 8)])
async def test_rounds_of_many_calls_end_and_stay_under_the_ceiling(
    tmp_path: Path, max_prompt_tokens: int, calls: int
) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with talking(tmp_path, max_context_tokens=max_prompt_tokens) as talk:
        await talk.remember(every_n=3)
        await remember_reports(talk)
        talk.server.script("chat-model", *[looks_often(calls)] * 3, "Many.")
        before = len(talk.server.of("chat-model"))
        reply = await talk.say("How many walnuts? " + "Please tell me everything about them. " * 150)
        if reply.is_error:
            assert "(tools)" in reply.text
        asked = talk.server.of("chat-model")[before:]
        assert len(asked) <= 4
        assert max(size(request, tokens) for request in asked) <= max_prompt_tokens
        for request in asked:
            results = [message for message in request.messages if message["role"] == "tool"]
            messages: Sequence[Mapping[str, Any]] = request.messages
            named = [call["id"] for message in messages for call in message.get("tool_calls", ())]
            assert [result["tool_call_id"] for result in results] == named, "each call that is kept has its result"
            free = max_prompt_tokens - size(asked[0], tokens)
            assert sum(tokens.count(result["content"]) for result in results) <= max(max_prompt_tokens // 3, free)


async def test_results_may_take_what_the_prompt_leaves_free(tmp_path: Path) -> None:
    tokens = Tokenizer.for_model("chat-model")
    async with talking(tmp_path, max_context_tokens=8000, snippet_budget=0) as talk:
        await talk.remember(every_n=3)
        await remember_reports(talk)
        for number in range(8):
            await talk.turn(f"Something else, number {number}.")
        talk.server.script("chat-model", *[looks_for("walnut tree")] * 3, "Many.")
        assert (await talk.say("How many walnuts?")).text == "Many."
        results = [message for message in talk.server.of("chat-model")[-1].messages if message["role"] == "tool"]
        sizes = [tokens.count(result["content"]) for result in results]
        assert sum(sizes) > 8000 // 3
        assert all(1200 < size <= 1500 for size in sizes[:2])


async def test_once_results_fill_their_share_the_model_has_to_answer(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=4096) as talk:
        await talk.remember(every_n=3)
        await remember_reports(talk)
        talk.server.script("chat-model", looks_often(8, text="Let me look. " * 400), "Many.")
        before = len(talk.server.of("chat-model"))
        assert (await talk.say(FILLING)).text == "Many."
        first, second = talk.server.of("chat-model")[before:]
        assert [first.body.get("tool_choice"), second.body.get("tool_choice")] == [None, "none"]
        [call] = [message for message in second.messages if message.get("tool_calls")]
        assert 0 < len(call["tool_calls"]) < 8
        assert call["content"] == "", "what was said beside the calls had no room"


async def test_calls_that_are_larger_than_their_share_are_left_out(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=4096) as talk:
        await talk.remember(every_n=3)
        long = Behaviour(calls=({"name": "remember", "arguments": {"text": "A long word. " * 5_000}},))
        talk.server.script("chat-model", long, "I cannot.")
        before = len(talk.server.of("chat-model"))
        assert (await talk.say(FILLING)).text == "I cannot."
        first, second = talk.server.of("chat-model")[before:]
        assert second.messages == first.messages
