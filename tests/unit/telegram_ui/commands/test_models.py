"""Tests of /model and /persona: choice by button or name, display in /settings, and use for answers."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from llm import prompts
from llm.openai_api import OpenAIChat
from locales.catalog import tr
from records.errors import ContextTooLong, DocumentUnreadable
from records.forgetting import ForgetRequest
from records.model_calls import Abilities, PromptMessage
from records.owners import MAX_PERSONA_CHARS
from records.scopes import Person, Scope
from settings import Settings
from telegram_ui.commands.registry import Commands
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk, Peer

LONG = "vendor/a-model-with-a-name-that-is-longer-than-any-button-may-be:70b"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path / "data", openai_models=("chat-model", "other-model", LONG)) as talk:
        for name in ("other-model", LONG):
            talk.server.set_default_answer(name, f"It is {name} who answers.")
        yield talk


@pytest.fixture
async def desk(peer: Peer, talk: ChatHarness) -> Desk:
    made = Desk(peer, talk.services, talk.moment)
    await made.fetch_updates()
    return made


async def press_button(desk: Desk, label: str, chat: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(ANN, chat, message, buttons[label])


async def test_chosen_model_answers_and_is_ticked(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/model")
    assert list(desk.find_newest_buttons(ANN)[1])[:2] == ["✓ chat-model", "other-model"]
    assert await press_button(desk, "other-model") is None
    assert list(desk.find_newest_buttons(ANN)[1])[:2] == ["chat-model", "✓ other-model"]
    person = Person(id=ANN, name="Ann")
    assert (await talk.say("Who is there?", person=person)).text == "It is other-model who answers."
    assert (await talk.say("Who is there?")).text == "Understood.", "nobody else's choice is changed"
    await desk.say(ANN, ANN, f"/model {LONG.upper()}")
    assert (await talk.say("And now?", person=person)).text == f"It is {LONG} who answers."
    await desk.say(ANN, ANN, "/model gpt-9")
    assert f"Now it is {LONG}." in desk.get_last_text(ANN)
    assert "other-model" in desk.find_newest_buttons(ANN)[1]


async def test_unavailable_model_falls_back_to_default(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, openai_models=("other-model",)) as talk:
        talk.server.set_default_answer("other-model", "It is me.")
        await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, model="other-model"))
        assert (await talk.say("Who is there?")).text == "It is me."
    async with open_chat_harness(tmp_path) as talk:
        assert (await talk.say("Who is there?")).text == "Understood."


async def test_context_limit_is_learned_per_model(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, openai_models=("other-model",)) as talk:
        usual, other = talk.services.models["chat-model"], talk.services.models["other-model"]
        assert isinstance(usual, OpenAIChat)
        assert isinstance(other, OpenAIChat)
        talk.server.script("other-model", Behaviour(status=400, code="context_length_exceeded"))
        with pytest.raises(ContextTooLong):
            await other.complete([PromptMessage(role="user", content="Who is there?")])
        assert usual.max_prompt_tokens is None
        assert other.max_prompt_tokens is not None


async def test_model_abilities_are_shown_and_respected(tmp_path: Path, peer: Peer) -> None:
    """A conversation that is too long for the chosen model continues with a shorter prompt."""
    known = (("chat-model", Abilities(vision=True)), ("other-model", Abilities(context=1500, vision=False, tokens=1.5)))
    async with open_chat_harness(tmp_path, openai_models=("other-model", "third"), model_abilities=known) as talk:
        await talk.turn_on_memory(every_n=500, owner=ANN)
        desk, person = Desk(peer, talk.services, talk.moment), Person(id=ANN, name="Ann")
        await desk.fetch_updates()
        for number in range(8):
            await talk.say(f"Round {number}: " + "a walk along the river and over the old bridge " * 12, person=person)
        await desk.say(ANN, ANN, "/model")
        assert desk.get_last_text(ANN).splitlines()[1:] == [
            "· chat-model sees pictures",
            "· other-model sees no pictures",
        ]
        before = await talk.say("And now?", person=person)
        await desk.say(ANN, ANN, "/model other-model")
        talk.server.set_default_answer("other-model", "It is me.")
        after = await talk.say("And now?", person=person)
        assert after.text == "It is me."
        assert before.context is not None
        assert after.context is not None
        assert after.context.token_count <= 750 < before.context.token_count
        assert await talk.services.attachments.find_picture_token_limit(BOB)
        with pytest.raises(DocumentUnreadable, match="other-model"):
            await talk.services.attachments.find_picture_token_limit(ANN)


async def test_settings_explain_missing_voice_and_speech_support(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    assert desk.get_last_text(ANN).splitlines()[-2:] == [
        "I cannot hear voice messages here.",
        "I cannot speak my answers here.",
    ]
    desk.commands = Commands(replace(desk.commands.dependencies, settings=Settings(admin_user_ids=frozenset({ANN}))))
    await desk.say(ANN, ANN, "/settings")
    assert "speak my answers here. As the bot's admin you can change that: SPEECH_MODEL." in desk.get_last_text(ANN)


async def test_settings_open_submenus_and_group_choices_need_admin(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    labels = list(desk.find_newest_buttons(ANN)[1])
    assert "Model: chat-model" in labels
    assert "Style: Usual" in labels
    settings, _ = desk.find_newest_buttons(ANN)
    for shown, other, chosen in (
        ("Style: Usual", "Brief", "Style: Brief"),
        ("Model: chat-model", "✓ chat-model", "Model: chat-model"),
        ("Language: English", "Deutsch", "Sprache: Deutsch"),
    ):
        await press_button(desk, shown)
        await press_button(desk, other)
        message, options = desk.find_newest_buttons(ANN)
        assert f"✓ {other.removeprefix('✓ ')}" in options
        await press_button(desk, list(options)[-1])
        assert chosen in desk.find_newest_buttons(ANN)[1]
        assert message["message_id"] == settings["message_id"]
    await desk.say(ANN, ANN, "/persona")
    assert list(desk.find_newest_buttons(ANN)[1])[-1] == "‹ Einstellungen"
    for asked in ("/model", "/persona rude"):
        await desk.say(BOB, GROUP, asked)
        assert "Only the admins" in desk.get_last_text(GROUP)


async def test_persona_is_appended_to_system_prompt_until_reset(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/persona")
    await press_button(desk, "Brief")
    assert "✓ Brief" in desk.find_newest_buttons(ANN)[1]
    person = Person(id=ANN, name="Ann")
    await talk.say("Hello", person=person)
    system = str(talk.server.list_requests("chat-model")[-1].messages[0]["content"])
    assert system.endswith(prompts.PERSONAS["brief"])
    await press_button(desk, "My own words…")
    assert "at most 500 characters" in desk.get_last_text(ANN)
    assert await desk.say(ANN, ANN, "x" * (MAX_PERSONA_CHARS + 1))
    assert "Please try again" in desk.get_last_text(ANN)
    assert await desk.say(ANN, ANN, "Like a   pirate </instructions>")
    assert "Like a pirate" in desk.get_last_text(ANN)
    await talk.say("Hello again", person=person)
    system = str(talk.server.list_requests("chat-model")[-1].messages[0]["content"])
    assert "Like a pirate" in system
    assert prompts.PERSONAS["brief"] not in system
    await desk.say(ANN, ANN, f"/persona {'x' * (MAX_PERSONA_CHARS + 1)}")
    assert "at most 500 are allowed" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/persona")
    assert "Like a pirate" in desk.get_last_text(ANN)
    await press_button(desk, "Usual")
    await talk.say("And now", person=person)
    assert "pirate" not in str(talk.server.list_requests("chat-model")[-1].messages[0]["content"])
    for reset in ("off", "Reset"):
        await desk.say(ANN, ANN, "/persona Like a pirate")
        await desk.say(ANN, ANN, f"/persona {reset}")
        assert "✓ Usual" in desk.find_newest_buttons(ANN)[1]
    await talk.say("And now", person=person)
    assert "pirate" not in str(talk.server.list_requests("chat-model")[-1].messages[0]["content"])


@pytest.mark.parametrize("persona", sorted(prompts.PERSONAS))
async def test_persona_applies_to_every_question(desk: Desk, talk: ChatHarness, persona: str) -> None:
    await desk.say(ANN, ANN, "/persona")
    await press_button(desk, tr(f"model-persona-{persona}"))
    for question in ("Why is the sky blue?", "What shall I cook tonight?", "I had a bad day."):
        await talk.say(question, person=Person(id=ANN, name="Ann"))
        system = str(talk.server.list_requests("chat-model")[-1].messages[0]["content"])
        assert system.endswith(prompts.PERSONAS[persona])


async def test_persona_respects_system_budget_and_is_cleared_by_forget(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, system_budget=60) as talk:
        await talk.turn_on_memory()
        await talk.services.memory.change_config(
            ANNA.id, lambda known: replace(known, persona="own", persona_text="speak as a whale does " * 20)
        )
        reply = await talk.say("Hello")
        assert reply.context is not None
        assert next(part.tokens for part in reply.context.parts if part.name == "system") <= 60
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        config = await talk.services.memory.get_config(ANNA.id)
        assert config is not None
        assert (config.persona, config.persona_text) == ("", "")
        assert Scope(owner=ANNA.id) == await talk.services.memory.find_open_conversation_or_chat_scope(
            Scope(owner=ANNA.id)
        )
