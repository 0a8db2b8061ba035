"""Tests of refusals in any wording: the person gets an answer if the endpoint accepts any form of the request.

This takes at most four requests, and the next turn begins with the form that worked.
"""

import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.responses import Response

from records.messages import NewMessage
from records.scopes import Scope
from records.turns import Reply
from tests.peers.picky_server import (
    Body,
    PickyServer,
    get_request_text,
    make_refusal,
    make_stream_response,
    run_picky_server,
)
from tests.support.talk import ANNA, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
LIMIT = 1_500
LONG = "The harvest of walnuts was large this year, and the cellar is full of them by now. " * 800
TOKENS = Tokenizer.for_model("m")

TOO_LONG = [
    (400, {"object": "error", "message": "The prompt (length {N}) is longer than the maximum model length {L}."}),
    (422, {"error": "Input validation error: `inputs` must have less than {L} tokens. Given: {N}"}),
    (400, {"error": {"message": "Your request exceeded model token limit: {L}"}}),
    (400, {"error": {"message": "Range of input length should be [1, {L}]", "code": "invalid_parameter_error"}}),
    (400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}),
    (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
    (400, {"code": 20015, "message": "length of prompt_tokens ({N}) must be less than max_seq_len ({L})."}),
    (400, {"error": {"message": "the max input characters is {L}"}}),
    # In words that point nowhere.
    (400, {"error": {"message": "Bad Request"}}),
    (500, {"error": {"message": "Internal Server Error"}}),
    (403, {"message": "no"}),
    (422, {"detail": [{"msg": "请求参数错误"}]}),
]  # fmt: skip


def count_body_tokens(body: Body) -> int:
    return TOKENS.count(get_request_text(body))


def make_length_refusal(status: int, template: object) -> Callable[[Body], Response | None]:
    def refuse(body: Body) -> Response | None:
        if count_body_tokens(body) <= LIMIT:
            return None
        words = (
            json.dumps(template, ensure_ascii=False)
            .replace("{N}", str(count_body_tokens(body)))
            .replace("{L}", str(LIMIT))
        )
        return make_refusal(status, json.loads(words))

    return refuse


async def say_and_list_replies(
    folder: Path, refuse: Callable[[Body], Response | None], *texts: str
) -> tuple[list[Reply], PickyServer]:
    """Say these texts with memory on, and return the replies and the server."""
    async with run_picky_server(refuse) as (server, url), open_chat_harness(folder, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=50)
        return [await talk.say(text) for text in texts], server


@pytest.mark.parametrize(("status", "template"), TOO_LONG)
async def test_too_long_prompt_is_shortened_for_any_error_wording(
    tmp_path: Path, status: int, template: object
) -> None:
    replies, server = await say_and_list_replies(
        tmp_path, make_length_refusal(status, template), LONG, "And what is in the cellar?"
    )
    assert [reply.is_error for reply in replies] == [False, False]
    first = next(number for number, body in enumerate(server.bodies) if count_body_tokens(body) <= LIMIT)
    assert first < 4
    if status != 500:  # a fault may have passed by itself
        assert len(server.bodies) == first + 2, "the next turn begins with what helped"


WAYS: list[Callable[[], Response]] = [
    lambda: make_refusal(400, {"error": {"message": "It was filtered.", "param": "prompt", "code": "content_filter"}}),
    lambda: make_refusal(400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}),
    lambda: make_stream_response(
        {"delta": {"role": "assistant", "content": ""}}, {"delta": {}, "finish_reason": "content_filter"}
    ),
    lambda: make_refusal(403, {"error": {"code": 403, "message": "x", "metadata": {"flagged_input": "…"}}}),
    lambda: make_refusal(400, {"choices": [{"finish_reason": "content_filter", "content_filter_results": {}}]}),
    lambda: make_refusal(400, {"error": {"message": "Das geht leider nicht."}}),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_declined_message_does_not_affect_later_turns(tmp_path: Path, way: Callable[[], Response]) -> None:
    refuse = lambda body: way() if "zorkblat" in get_request_text(body) else None  # noqa: E731
    texts = ("please explain zorkblat to me", "what is the capital of France?", "and of Spain?", "zorkblat?", "thanks")
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=50)
        replies = [await talk.say(text) for text in texts]
        assert [reply.is_error for reply in replies] == [True, False, False, True, False]
        assert "declined" in replies[0].text
        assert "OPENAI_API_KEY" not in replies[0].text
        assert "France" in get_request_text(server.bodies[-1])
        assert "zorkblat" not in get_request_text(server.bodies[-1])
        found = (await talk.services.search.find_hit_page(SCOPE, "zorkblat")).found
        assert {hit.message.content for hit in found} == {texts[0], texts[3]}


async def test_refused_history_message_is_detected_and_omitted(tmp_path: Path) -> None:
    """A restart interrupted the turn of that message, so the message itself was never refused."""
    refuse = lambda body: WAYS[-1]() if "zorkblat" in get_request_text(body) else None  # noqa: E731
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=50)
        assert not (await talk.say("Good morning!")).is_error
        incoming = talk.make_user_message("explain zorkblat")
        [piece] = incoming.pieces
        question = NewMessage(role="user", content=piece.text, created_at=piece.sent_at, source=piece.source)
        async with talk.services.memory.open_store(ANNA.id) as store:
            await store.append_messages(SCOPE, [question])
        assert not (await talk.say("What is the capital of France?")).is_error
        before = len(server.bodies)
        assert not (await talk.say("And of Spain?")).is_error
        assert len(server.bodies) == before + 1, "the suspect is left out"
        assert "France" in get_request_text(server.bodies[-1])


NO_SYSTEM = [
    {"object": "error", "message": "System role not supported", "code": 400},
    [{"error": {"code": 400, "message": "Developer instruction is not enabled for this model"}}],
    {"error": {"message": "Unsupported value: 'messages[0].role' is no 'system'.", "param": "messages[0].role"}},
    {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}},
    {"error": {"message": "Bad Request"}},
]  # fmt: skip


@pytest.mark.parametrize("body", NO_SYSTEM)
async def test_model_without_system_role_gets_instructions_in_user_message(tmp_path: Path, body: object) -> None:
    def refuse(request: Body) -> Response | None:
        return make_refusal(400, body) if any(message["role"] == "system" for message in request["messages"]) else None

    replies, server = await say_and_list_replies(tmp_path, refuse, "Hello?", "And now?")
    assert [reply.is_error for reply in replies] == [False, False]
    assert refuse(server.bodies[-2]) is None
    assert server.bodies[-1]["messages"][0]["content"].startswith("You are")


NO_SCHEMA = [
    {"error": {"code": 400, "message": "Unknown name \"additionalProperties\" at 'generation_config.response_schema'"}},
    {"error": {"message": "Failed to generate JSON. Please adjust your prompt.", "code": "json_validate_failed"}},
    {"error": {"message": "This model does not support structured outputs."}},
    {"error": {"code": 400, "message": "The specified schema produces a constraint that has too many states."}},
    {"error": {"message": "Bad Request"}},
]


@pytest.mark.parametrize("body", NO_SCHEMA)
async def test_facts_are_requested_without_schema_after_refusal(tmp_path: Path, body: object) -> None:
    fact = {"text": "Anna grows walnuts.", "kind": "fact", "quote": "I grow walnuts", "message": 1}

    def refuse(request: Body) -> Response | None:
        return make_refusal(400, body) if "response_format" in request else None

    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        server.text = json.dumps({"facts": [fact]})
        await talk.turn_on_memory(every_n=1)
        await talk.run_turn("I grow walnuts in my garden.")
        asked = [body for body in server.bodies if body["model"] == "summary-model"]
        schemas = [number for number, request in enumerate(asked) if "response_format" in request]
        assert schemas
        assert asked[schemas[0] + 1]["messages"] == asked[schemas[0]]["messages"]
        assert "response_format" not in asked[schemas[0] + 1]


@pytest.mark.parametrize(
    ("needs", "body"),
    [
        (("tools", "system"), {"error": {"message": "Bad Request"}}),
        (("stream_options",), {"detail": "Extra inputs are not permitted"}),
        (("tools",), {"error": "The chat template does not know this"}),
    ],
)
async def test_several_refused_features_at_once_are_omitted(
    tmp_path: Path, needs: tuple[str, ...], body: object
) -> None:
    def refuse(request: Body) -> Response | None:
        carried = {*request, *(message["role"] for message in request["messages"])}
        return make_refusal(400, body) if carried & set(needs) or count_body_tokens(request) > LIMIT else None

    replies, server = await say_and_list_replies(tmp_path, refuse, LONG, "Again?")
    assert [reply.is_error for reply in replies] == [False, False]
    assert len(server.bodies) <= 5


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}, "OPENAI_API_KEY"),
        (403, {"error": {"message": "Your api key may not use this"}}, "OPENAI_API_KEY"),
        (403, {"error": {"message": "Permission denied by an organization policy."}}, "OPENAI_API_KEY"),
        (402, {"error": {"message": "Insufficient Balance"}}, "credit"),
        (429, {"error": {"code": "1113", "message": "Insufficient balance or no resource package."}}, "credit"),
        (403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}, "credit"),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}, "credit"),
        (403, {"error": {"message": "Not enough credits were left for this request."}}, "credit"),
        (404, {"error": {"message": "no such model"}}, "OPENAI_MODEL"),
        (403, {"error": {"message": 'Your input was flagged for "x". No credits were charged.'}}, "declined"),
    ],
)
async def test_recognized_error_is_reported_within_two_requests(
    tmp_path: Path, status: int, body: object, words: str
) -> None:
    replies, server = await say_and_list_replies(tmp_path, lambda _: make_refusal(status, body), "Hello?")
    assert words in replies[0].text
    # A 403 for a declined message may name the key, and a 404 for a parameter the model: a harmless question tells.
    assert len(server.bodies) == (2 if (status, words) in ((403, "OPENAI_API_KEY"), (404, "OPENAI_MODEL")) else 1)


async def test_endpoint_that_refuses_everything_gets_at_most_four_requests(tmp_path: Path) -> None:
    replies, server = await say_and_list_replies(
        tmp_path, lambda _: make_refusal(400, {"error": {"message": "no"}}), LONG
    )
    assert "refused" in replies[0].text
    assert "declined" not in replies[0].text
    assert "(-" not in replies[0].text
    assert len(server.bodies) <= 4


async def test_fold_of_declined_messages_sends_no_request(tmp_path: Path) -> None:
    refuse = lambda body: WAYS[0]() if "zorkblat" in get_request_text(body) else None  # noqa: E731
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=2)
        for text in ("please explain zorkblat", "zorkblat?"):
            await talk.say(text)
        before = len(server.bodies)
        assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
        assert len(server.bodies) == before
        [summary] = await talk.services.summaries.list_active_summaries(SCOPE)
        assert (summary.message_count, "declined" in summary.text) == (2, True)


async def test_prompt_shortened_with_refused_tools_returns_to_full_length(tmp_path: Path) -> None:
    """The server begins to refuse tools in unknown words, so one retry omits tools and shortens the prompt."""
    updated = False
    refuse = lambda body: make_refusal(400, {"error": {"message": "Nope."}}) if updated and "tools" in body else None  # noqa: E731
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=50)
        await talk.say(LONG)
        updated = True
        for text in ("And what is in the cellar?", "How much?", "Since when?"):
            assert not (await talk.say(text)).is_error
        lengths = [count_body_tokens(body) > LIMIT for body in server.bodies]
    assert lengths == [True, True, False, False, True], "the next turn begins with what helped"


async def test_prompt_stays_short_after_retry_at_full_length_fails(tmp_path: Path) -> None:
    turns = (LONG, "And what is in the cellar?", "How much?", "Since when?", "Why?")
    replies, server = await say_and_list_replies(
        tmp_path, make_length_refusal(400, {"error": {"message": "Nope."}}), *turns
    )
    assert not [reply for reply in replies if reply.is_error]
    assert [count_body_tokens(body) > LIMIT for body in server.bodies] == [
        True,
        True,
        False,
        False,
        True,
        True,
        False,
        False,
        False,
    ]
    assert server.bodies[-1]["messages"][0]["role"] == "system"


async def test_refusals_that_differ_only_in_request_id_are_equal(tmp_path: Path) -> None:
    def refuse(request: Body) -> Response | None:
        words = {"error": {"message": f"Nope. (request id: {uuid4()})"}}
        return make_refusal(400, words) if any(message["role"] == "system" for message in request["messages"]) else None

    replies, server = await say_and_list_replies(tmp_path, refuse, LONG, "Again?", "Again?")
    assert not [reply for reply in replies if reply.is_error]
    assert "tools" in server.bodies[-1]
    assert count_body_tokens(server.bodies[-1]) > LIMIT
