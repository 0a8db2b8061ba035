"""If a server's context window is smaller than the prompt limit, chat, folds and facts go on with shorter prompts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from records.model_calls import PromptMessage
from records.scopes import Scope
from tests.peers.openai_server import Answer, Behaviour, OpenAIServer
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
N_CTX = 1024
TOKENS = Tokenizer.for_model("chat-model")


class LlamaCpp:
    """A server with a window of 1,024 tokens, which counts a third more tokens than we do, those of tools too."""

    def __init__(self, peer: OpenAIServer) -> None:
        self._peer = peer
        self.refusal_count = 0

    def count_tokens(self, messages: Sequence[Mapping[str, str]]) -> int:
        """Return the size of the last request, which has these messages, in tokens."""
        made = [PromptMessage(role="user", content=message["content"] or "") for message in messages]
        tools = json.dumps(self._peer.requests[-1].body.get("tools", ""))
        return (TOKENS.count_request_tokens(made) + TOKENS.count(tools)) * 4 // 3

    def make_answer(self, text: str) -> "Answering":
        return Answering(self, text)


class Answering:
    def __init__(self, server: LlamaCpp, text: str) -> None:
        self._server = server
        self._text = text

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> Answer:
        size = self._server.count_tokens(messages)
        if size < N_CTX:
            return Behaviour(text=self._text, prompt_tokens=size)
        self._server.refusal_count += 1
        error = {"code": 400, "message": f"request ({size} tokens) exceeds the available context size ({N_CTX} tokens)"}
        error |= {"type": "exceed_context_size_error", "n_prompt_tokens": size, "n_ctx": N_CTX}
        return Behaviour(status=400, raw=json.dumps({"error": error}))


async def a_long_talk(talk: ChatHarness, *, turns: int = 24) -> list[str]:
    """Run many turns, and return the notices about failed folds."""
    await talk.turn_on_memory(every_n=4)
    told: list[str] = []
    for number in range(turns):
        told += await talk.run_turn(f"Note {number}: the heron of pond {number} " + "eats frogs and small fish. " * 20)
    return told


async def test_conversation_and_folds_continue_in_small_context_window(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        server = LlamaCpp(talk.server)
        talk.server.set_default_answer("chat-model", server.make_answer("It does. " * 20))
        talk.server.set_default_answer(
            "summary-model", server.make_answer("The user noted what the herons of some ponds eat.")
        )
        talk.server.set_default_schema_answer("facts", server.make_answer('{"facts": []}'))
        assert await a_long_talk(talk) == []
        assert server.refusal_count <= 6, "a limit that was told is kept"
        status = await talk.services.summaries.read_status(SCOPE)
        assert status.counts.archived >= 32
        reply = await talk.say("What eats the heron of pond 2?")
        assert not reply.is_error
        assert reply.context is not None
        assert reply.context.max_prompt_tokens < N_CTX
        prompt = talk.list_prompts()[-1]
        assert "pond 23" in prompt, "the last turn stays"
        assert "pond 2 eats" in prompt.replace("\n", " "), "what the question asks for is brought back"
        assert server.count_tokens(talk.server.list_requests("chat-model")[-1].messages) <= N_CTX * 3 // 4


async def test_context_limit_from_refusal_is_remembered(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        server = LlamaCpp(talk.server)
        await talk.turn_on_memory(every_n=500)
        for number in range(6):
            await talk.say(f"Note {number}: " + "frogs and small fish. " * 40)
        talk.server.set_default_answer("chat-model", server.make_answer("Yes."))
        before = len(talk.server.list_requests("chat-model"))
        assert (await talk.say("And now?")).text == "Yes."
        assert (await talk.say("And then?")).text == "Yes."
        assert len(talk.server.list_requests("chat-model")[before:]) == 3, "one is refused"
        assert server.count_tokens(talk.server.list_requests("chat-model")[-1].messages) > N_CTX // 2, (
            "not smaller than it has to be"
        )


async def test_too_long_message_is_answered_from_beginning_and_end(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        talk.server.set_default_answer("chat-model", LlamaCpp(talk.server).make_answer("Yes."))
        await talk.turn_on_memory()
        reply = await talk.say("START " + "frogs and small fish. " * 400 + "END")
        assert reply.text == "Yes."
        assert any("only the beginning and the end" in notice for notice in reply.notices)
