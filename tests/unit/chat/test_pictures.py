"""Tests of pictures: sent to a model with vision, found later by their description, or refused with a reason."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from records.attachments import Picture, count_picture_tokens
from records.errors import DocumentUnreadable
from records.forgetting import ForgetRequest
from records.scopes import Scope
from records.turns import UserMessage
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_forgetting import find_traces

SCOPE = Scope(owner=ANNA.id)
SEEN = "A red bike leans against a green wall; a sign says Zyprexol."
BLIND = (
    Behaviour(status=400, message="Invalid content type. image_url is only supported by certain models."),
    Behaviour(status=400, message="tiny is not a multimodal model"),
    Behaviour(status=500, message="image input is not supported - hint: you may need to provide the mmproj"),
    Behaviour(status=404, message="No endpoints found that support image input"),
    Behaviour(status=422, message="messages[1]: unknown variant `image_url`, expected `text`"),
    Behaviour(status=400, message="'messages.1' : for 'role:user', content must be a string"),
)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        talk.server.set_default_answer("summary-model", SEEN)
        yield talk


def make_photo_message(
    talk: ChatHarness, caption: str = "", *, of: int = 1, data: bytes = b"\xff\xd8jpeg", mime: str = "image/jpeg"
) -> UserMessage:
    bare = talk.make_user_message(f"{caption}\n[Sent with a photo]" if caption else "[Sent a photo]")
    pictures = tuple(
        Picture(data=data, mime=mime, width=800, height=600, kind="Photo", source=f"{n}:file") for n in range(of)
    )
    return replace(bare, pictures=pictures, is_wordless=not caption)


def get_last_content(messages: Sequence[Mapping[str, Any]]) -> Any:
    return messages[-1]["content"]


async def test_photo_is_sent_once_and_found_later_by_its_description(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=3)
    reply = await talk.conversation.reply(make_photo_message(talk, "My new one!"))
    assert not reply.is_error
    words, shown = get_last_content(talk.server.list_requests("chat-model")[-1].messages)
    assert words["text"].endswith("My new one!\n[Sent with a photo]")
    assert shown == {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9hqcGVn"}}
    await talk.conversation.run_post_turn_tasks(SCOPE)
    [described] = talk.server.list_requests("summary-model")
    assert get_last_content(described.messages)[1] == shown
    for number in range(6):
        await talk.run_turn(f"What about the weather, part {number}?")
    await talk.say("What does the sign in the photo of the red bike say, Zyprexol?")
    assert f"[Photo: {SEEN}]" in talk.list_prompts()[-1]
    assert all(
        isinstance(get_last_content(request.messages), str) for request in talk.server.list_requests("chat-model")[1:]
    )


async def test_pictures_count_towards_token_ceiling(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    reply = await talk.conversation.reply(make_photo_message(talk, of=10))
    assert reply.context is not None
    assert reply.context.token_count <= 8000
    shown = len(get_last_content(talk.server.list_requests("chat-model")[-1].messages)) - 1
    assert shown == 4000 // count_picture_tokens(800, 600) < 10


@pytest.mark.parametrize(
    "refusal",
    [
        Behaviour(status=400, message="API 调用参数有误，请检查文档。"),
        Behaviour(
            status=422, raw='{"detail": [{"loc": ["body", "messages", 1, "content"], "msg": "str type expected"}]}'
        ),
        Behaviour(status=413, raw="<html>413 Request Entity Too Large</html>"),
        Behaviour(status=403, message="forbidden"),
    ],
)
async def test_refused_picture_is_omitted_for_any_error_wording(talk: ChatHarness, refusal: Behaviour) -> None:
    talk.server.set_default_answer(
        "chat-model", lambda messages: "Fine." if isinstance(get_last_content(messages), str) else refusal
    )
    reply = await talk.conversation.reply(make_photo_message(talk, "What is it?"))
    assert reply.text == "Fine."
    assert [notice for notice in reply.notices if "picture" in notice]
    assert len(talk.server.list_requests("chat-model")) == 2
    assert "tools" in talk.server.list_requests("chat-model")[-1].body


@pytest.mark.parametrize("refusal", BLIND, ids=lambda message: message.message[:20])
async def test_vision_refusal_names_setting_and_is_remembered(talk: ChatHarness, refusal: Behaviour) -> None:
    await talk.turn_on_memory()
    talk.server.set_default_answer(
        "chat-model", lambda messages: "Fine." if isinstance(get_last_content(messages), str) else refusal
    )
    for data in (b"\xff\xd8one", b"\xff\xd8one", b"\xff\xd8two"):  # one picture may be damaged
        await talk.services.attachments.find_picture_token_limit(ANNA.id)
        reply = await talk.conversation.reply(make_photo_message(talk, data=data))
        assert reply.is_error
        assert "OPENAI_MODEL" in reply.text
    with pytest.raises(DocumentUnreadable, match="OPENAI_MODEL"):
        await talk.services.attachments.find_picture_token_limit(ANNA.id)
    assert not (await talk.say("Hello?")).is_error


async def test_caption_of_refused_picture_is_answered(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    talk.server.script("chat-model", BLIND[0])
    reply = await talk.conversation.reply(make_photo_message(talk, "What is it?"))
    assert (reply.is_error, reply.text) == (False, "Understood.")
    assert "OPENAI_MODEL" in reply.notices[0]


async def test_invalid_picture_does_not_disable_vision(talk: ChatHarness) -> None:
    talk.server.script("chat-model", Behaviour(status=400, code="invalid_image_format", message="Not a valid image."))
    reply = await talk.conversation.reply(make_photo_message(talk))
    assert reply.is_error
    await talk.services.attachments.find_picture_token_limit(ANNA.id)


@pytest.mark.parametrize("page", ["default backend - 404", "no available server", "Cannot POST /v1/chat/completions"])
async def test_proxy_not_found_error_does_not_disable_vision(talk: ChatHarness, page: str) -> None:
    """Seen with the ingress of Kubernetes, with Traefik and with Express."""
    talk.server.set_default_answer("chat-model", Behaviour(status=404, raw=page))
    for data in (b"\xff\xd8one", b"\xff\xd8two", b"\xff\xd8three"):
        reply = await talk.conversation.reply(make_photo_message(talk, "What is it?", data=data))
        assert "OPENAI_BASE_URL" in reply.text
    await talk.services.attachments.find_picture_token_limit(ANNA.id)


async def test_unsupported_sticker_format_does_not_disable_vision(talk: ChatHarness) -> None:
    refusal = Behaviour(status=500, message="Failed to load image or audio file")  # llama.cpp knows no WebP
    talk.server.set_default_answer(
        "chat-model", lambda messages: "Fine." if isinstance(get_last_content(messages), str) else refusal
    )
    for data in (b"RIFF1", b"RIFF2", b"RIFF3"):
        assert (
            "cannot open this picture"
            in (await talk.conversation.reply(make_photo_message(talk, data=data, mime="image/webp"))).text
        )
    await talk.services.attachments.find_picture_token_limit(ANNA.id)


@pytest.mark.parametrize(
    "refusal",
    [
        Behaviour(status=429, message="slow down"),
        Behaviour(status=503, message="overloaded"),
        Behaviour(status=400, message="This model's maximum context length is 500 tokens. You requested 900 tokens."),
    ],
    ids=lambda refusal: refusal.message[:20],
)
async def test_busy_or_length_error_does_not_disable_vision(talk: ChatHarness, refusal: Behaviour) -> None:
    reply = await talk.conversation.reply(make_photo_message(talk, "Hello"))
    for data in (b"\xff\xd8one", b"\xff\xd8two"):
        talk.server.script("chat-model", *[refusal] * (4 if refusal.status in (429, 503) else 1))
        reply = await talk.conversation.reply(make_photo_message(talk, "What is it?", data=data))
        assert not [notice for notice in reply.notices if "picture" in notice]
        await talk.services.attachments.find_picture_token_limit(ANNA.id)


async def test_model_without_tools_still_gets_first_picture(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    talk.server.script("chat-model", Behaviour(status=400, message="tools are not supported by this model"))
    assert not (await talk.conversation.reply(make_photo_message(talk, "What is it?"))).notices
    asked = talk.server.list_requests("chat-model")[-1]
    assert "tools" not in asked.body
    assert len(get_last_content(asked.messages)) == 2


async def test_description_of_forgotten_photo_is_not_stored(talk: ChatHarness) -> None:
    await talk.turn_on_memory()
    reply = await talk.conversation.reply(make_photo_message(talk, "Look"))
    talk.server.script("summary-model", Behaviour(text=SEEN, hold="start"))
    async with talk.services.memory.open_store(ANNA.id) as store:
        ids = tuple(
            message.id for message in await store.timeline.read_page(SCOPE, limit=10) if message.turn == reply.turn
        )
    settling = asyncio.create_task(talk.conversation.run_post_turn_tasks(SCOPE))
    await talk.server.wait_until_held()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=ids))
    await talk.server.release()
    await settling
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.timeline.read_page(SCOPE, limit=10) == []


async def test_forgetting_photo_removes_its_description_and_quotes(talk: ChatHarness, tmp_path: Path) -> None:
    await talk.turn_on_memory(every_n=50)
    reply = await talk.conversation.reply(make_photo_message(talk, "Look"))
    await talk.conversation.run_post_turn_tasks(SCOPE)
    for number in range(3):
        await talk.run_turn(f"What about the weather, part {number}?")
    talk.server.script("chat-model", "The sign says Zyprexol.")
    await talk.say("What does the sign in the photo of the red bike say?")
    async with talk.services.memory.open_store(ANNA.id) as store:
        ids = tuple(
            message.id for message in await store.timeline.read_page(SCOPE, limit=50) if message.turn == reply.turn
        )
    assert len(ids) == 3, "the caption, the answer, and what was seen"
    what = ForgetRequest(what="messages", ids=ids)
    preview = await talk.services.memory.preview_forgetting(ANNA.id, what)
    assert len(preview.quotes.answers) == 1
    await talk.services.corrections.forget(ANNA.id, replace(what, with_quotes=True))
    assert find_traces(tmp_path, ["Zyprexol"]) == []


async def test_photo_is_not_described_while_memory_is_off(talk: ChatHarness) -> None:
    await talk.conversation.reply(make_photo_message(talk, "Look"))
    await talk.conversation.run_post_turn_tasks(SCOPE)
    assert talk.server.list_requests("summary-model") == []


async def test_pictures_are_refused_when_vision_is_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, vision="off") as talk:
        with pytest.raises(DocumentUnreadable, match="VISION"):
            await talk.services.attachments.find_picture_token_limit(ANNA.id)
