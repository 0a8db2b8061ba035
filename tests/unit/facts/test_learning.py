"""Tests of learning in the whole program: when facts are learned, from which messages, and after failures."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from chat.facts_by_hand import change_fact_and_report
from facts.extractor import MAX_ATTEMPTS, Backoff
from locales.catalog import tr
from records.errors import ModelUnreachable, StaleFacts
from records.facts import Fact
from records.forgetting import ForgetRequest
from records.messages import Origin
from records.owners import Policy, StorageType
from records.scopes import Scope
from records.turns import UserMessage
from summaries.policies import POLICIES
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50, storage=storage)
        yield talk


def make_fact(text: str, message: int, *, replaces: int | None = None, **keys: str) -> dict[str, Any]:
    return {"message": message, "text": text, "type": "state", "replaces": replaces, **keys}


def make_single_valued_fact(text: str, message: int, attribute: str, about: str = "Anna") -> dict[str, Any]:
    """Return a fact about a single-valued attribute."""
    return make_fact(text, message) | {"about": about, "attribute": attribute, "is_single": True}


def format_facts_answer(*facts: Mapping[str, Any]) -> str:
    return json.dumps({"facts": facts})


async def list_facts(talk: ChatHarness) -> list[Fact]:
    return await talk.services.facts.list_all(ANNA.id)


async def list_valid_texts(talk: ChatHarness) -> list[str]:
    return [fact.text for fact in await list_facts(talk) if fact.is_valid]


async def say_all(talk: ChatHarness, *texts: str) -> None:
    for text in texts:
        await talk.say(text)


def list_extraction_requests(talk: ChatHarness) -> list[Sequence[Mapping[str, str]]]:
    return [request.messages for request in talk.server.list_schema_requests("facts")]


async def test_learns_when_four_turns_are_waiting(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_single_valued_fact("Anna lives in Oslo.", 1, "home"))
    )
    for text in ("I live in Oslo.", "It rains.", "What a day!"):
        await talk.run_turn(text)
    assert list_extraction_requests(talk) == []
    await talk.run_turn("Good night.")
    (request,) = list_extraction_requests(talk)
    assert [text in request[1]["content"] for text in ("I live in Oslo.", "Good night.")] == [True, True]
    (fact,) = await list_facts(talk)
    assert (fact.text, fact.source_ids, fact.importance, fact.subject) == ("Anna lives in Oslo.", (1,), 0.5, "home")
    await talk.run_turn("One more.")
    assert len(list_extraction_requests(talk)) == 1


async def test_learns_from_fewer_turns_after_pause(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
    await talk.run_turn("I live in Oslo.")
    await talk.services.facts.learn_from_idle_scopes()
    assert await list_valid_texts(talk) == []
    talk.moment[0] += timedelta(minutes=3)
    await talk.services.facts.learn_from_idle_scopes()
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]
    await talk.services.facts.learn_from_idle_scopes()
    assert len(list_extraction_requests(talk)) == 1


async def test_learns_from_messages_before_fold(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
    await talk.run_turn("I live in Oslo.")
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    kinds = [request.schema for request in talk.server.requests if request.model == "summary-model"]
    assert kinds == ["facts", ""]
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]


async def test_fold_of_learned_messages_waits_for_no_request(talk: ChatHarness) -> None:
    for text in ("I live in Oslo.", "It rains.", "What a day!", "Good night.", "One more."):
        await talk.run_turn(text)
    assert len(list_extraction_requests(talk)) == 1
    await talk.services.facts.learn_before_fold(SCOPE, [7, 8])
    assert len(list_extraction_requests(talk)) == 1, "only the turn after them waits"
    await talk.services.facts.learn_before_fold(SCOPE, [8, 9])
    assert len(list_extraction_requests(talk)) == 2


async def test_fold_is_planned_again_when_messages_are_forgotten_meanwhile(talk: ChatHarness) -> None:
    await say_all(talk, "I live in Oslo.", "It rains.")
    talk.server.script_schema("facts", Behaviour(text=format_facts_answer(), hold="start"))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.wait_until_held()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(1,)))
    await talk.server.release()
    outcome = await folding
    assert outcome.state == "folded", "whoever asks in that instant is not told that the memory cannot be read"
    assert [made.message_count for made in outcome.summaries] == [3]
    assert all("Oslo" not in str(request.messages) for request in talk.server.list_requests("summary-model"))


async def test_fold_is_planned_again_only_once(talk: ChatHarness) -> None:
    await say_all(talk, "I live in Oslo.", "It rains.", "I have a boat.")
    talk.server.script("summary-model", *[Behaviour(text="Anna has a boat.", hold="start")] * 2)
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    for held, message in enumerate((1, 3), start=1):
        await talk.server.wait_until_held(held)
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(message,)))
        await talk.server.release()
    outcome = await folding
    assert (outcome.state, outcome.error) == ("failed", tr("errors-changed-meanwhile"))
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"


@pytest.mark.parametrize("policy", POLICIES)
async def test_facts_are_learned_from_all_turns_under_each_policy(tmp_path: Path, policy: Policy) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=3)
        await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, policy=policy))
        for number in range(12):
            await talk.run_turn(f"Point {number}.")
        seen = "".join(request[1]["content"] for request in list_extraction_requests(talk))
        assert all(f": Point {number}." in seen for number in range(12))
        assert len(list_extraction_requests(talk)) <= 4


async def test_learns_only_from_messages_written_by_user(talk: ChatHarness) -> None:
    forwarded: Origin = "forwarded"
    incoming = talk.make_user_message("[Forwarded from Olga]\nI live in Rome.")
    await talk.conversation.reply(
        replace(incoming, pieces=tuple(replace(piece, origin=forwarded) for piece in incoming.pieces))
    )
    talk.server.script("chat-model", "You live in Paris, I think.")
    await talk.say("Guess where I live.")
    talk.server.set_default_schema_answer(
        "facts",
        format_facts_answer(
            make_fact("Anna lives in Rome.", 1),
            make_fact("Anna lives in Paris.", 4),
            make_fact("Anna lives in Paris.", 3),
        ),
    )
    await talk.services.facts.learn(SCOPE)
    (request,) = list_extraction_requests(talk)
    assert "Rome" not in request[1]["content"]
    assert "#3 [" in request[1]["content"]
    assert "#4" not in request[1]["content"]
    assert await list_facts(talk) == []


async def test_unanswered_message_yields_no_facts(talk: ChatHarness) -> None:
    talk.server.script("chat-model", Behaviour(status=401))
    assert (await talk.say("I live in Oslo.")).is_error
    await talk.say("I live in Bergen.")
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Bergen.", 2)))
    await talk.services.facts.learn(SCOPE)
    (request,) = list_extraction_requests(talk)
    assert "Oslo" not in request[1]["content"]
    assert await list_valid_texts(talk) == ["Anna lives in Bergen."]


@pytest.mark.parametrize(
    "bad",
    [Behaviour(text="The user talked."), Behaviour(text='{"facts": "none"}'), Behaviour(text="[1, 2]")],
    ids=["prose", "shape", "numbers"],
)
async def test_invalid_answer_is_repaired_once(talk: ChatHarness, bad: Behaviour) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema("facts", bad, format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert len(list_extraction_requests(talk)) == 2
    assert list_extraction_requests(talk)[1][-1]["role"] == "user"
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]
    await talk.say("I live in Oslo, really.")
    talk.server.set_default_schema_answer("facts", bad)
    await talk.services.facts.learn(SCOPE)
    assert len(list_extraction_requests(talk)) == 4
    await talk.services.facts.learn(SCOPE)
    assert len(list_extraction_requests(talk)) == 4, "what cannot be read is passed over, not asked for ever"
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]


async def test_fact_requires_support_in_visible_part_of_long_message(talk: ChatHarness) -> None:
    """The model sees only both ends of a long message, and matching 100,000 characters would take seconds."""
    filler = "It was a long day. " * 1_000
    await talk.say(f"I live in Oslo. {filler} My locker has the number 4711. {filler} I work in Bergen.")
    facts = (
        make_fact("Anna lives in Oslo.", 1),
        make_fact("Anna's locker has number 4711.", 1),
        make_fact("Anna works in Bergen.", 1),
    )
    talk.server.set_default_schema_answer("facts", format_facts_answer(*facts))
    await talk.services.facts.learn(SCOPE)
    assert "4711" not in str(list_extraction_requests(talk)[-1])
    assert await list_valid_texts(talk) == ["Anna lives in Oslo.", "Anna works in Bergen."]


async def test_failed_extraction_is_retried_and_does_not_block_folds(talk: ChatHarness) -> None:
    await talk.turn_on_memory(every_n=4, storage=(await talk.services.memory.get_config(ANNA.id)).storage)  # type: ignore[union-attr]
    talk.server.set_default_schema_answer("facts", Behaviour(status=503, retry_after="600"))
    for text in ("I live in Oslo.", "It rains.", "It pours."):
        assert await talk.run_turn(text) == ()
    assert await talk.run_turn("Still.") == ()
    assert len(await talk.services.summaries.list_active_summaries(SCOPE)) == 1
    assert await list_facts(talk) == []
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
    talk.moment[0] += timedelta(minutes=10)
    await talk.services.facts.learn_from_idle_scopes()
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]


async def test_omits_response_format_if_endpoint_refuses_parameter(talk: ChatHarness) -> None:
    refusing = Behaviour(text=format_facts_answer(make_fact("Anna lives in Oslo.", 1)), refuses=("response_format",))
    talk.server.set_default_schema_answer("facts", refusing)
    talk.server.set_default_answer(
        "summary-model", format_facts_answer(make_fact("Anna lives in Oslo.", 1, quote="I live in Oslo"))
    )
    await talk.say("I live in Oslo.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]
    assert len(list_extraction_requests(talk)) == 1
    assert len(talk.server.list_requests("summary-model")) == 1


async def test_message_forgotten_during_extraction_yields_no_fact(talk: ChatHarness) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema(
        "facts", Behaviour(text=format_facts_answer(make_fact("Anna lives in Oslo.", 1)), hold="start")
    )
    learning = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.wait_until_held()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(1,)))
    await talk.server.release()
    with pytest.raises(StaleFacts):
        await learning
    assert await list_facts(talk) == []


async def test_message_edited_during_extraction_is_read_again(talk: ChatHarness) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema(
        "facts", Behaviour(text=format_facts_answer(make_fact("Anna lives in Oslo.", 1)), hold="start")
    )
    learning = asyncio.create_task(talk.services.facts.learn_before_fold(SCOPE, [1]))
    await talk.server.wait_until_held()
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, 1, "I live in Bergen.", reason="edited", now=talk.moment[0]
        )
    await talk.server.release()
    await learning
    assert await list_facts(talk) == []
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Bergen.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Bergen."]


async def test_fact_learned_concurrently_in_two_threads_is_stored_once(talk: ChatHarness) -> None:
    there = Scope(owner=ANNA.id, thread=4)
    await talk.say("I live in Oslo.")
    await talk.say("I live in Oslo, as always.", thread=there.thread)
    oslo = (make_fact("Anna lives in Oslo.", 1), make_fact("Anna lives in Oslo.", 3))
    talk.server.script_schema(
        "facts", *(Behaviour(text=format_facts_answer(statement), hold="start") for statement in oslo)
    )
    here = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.wait_until_held(1)
    elsewhere = asyncio.create_task(talk.services.facts.learn(there))
    await talk.server.wait_until_held(2)
    await talk.server.release(2)
    assert sorted(map(len, await asyncio.gather(here, elsewhere))) == [0, 1]
    (fact,) = await list_facts(talk)
    assert (fact.text, sorted(fact.source_ids)) == ("Anna lives in Oslo.", [1, 3])
    assert len(list_extraction_requests(talk)) == 2, "nothing is asked again because somebody was faster"


async def test_move_learned_in_another_thread_ends_old_home(talk: ChatHarness) -> None:
    there = Scope(owner=ANNA.id, thread=4)
    await talk.say("I live in Oslo.")
    await talk.say("I live in Bergen now.", thread=there.thread)
    bergen = Behaviour(
        text=format_facts_answer(make_single_valued_fact("Anna lives in Bergen.", 3, "home")), hold="start"
    )
    talk.server.script_schema(
        "facts", bergen, format_facts_answer(make_single_valued_fact("Anna lives in Oslo.", 1, "home"))
    )
    moved = asyncio.create_task(talk.services.facts.learn(there))
    await talk.server.wait_until_held()
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Oslo."]
    await talk.server.release()
    await moved
    assert await list_valid_texts(talk) == ["Anna lives in Bergen."]


async def test_concurrent_extraction_of_same_messages_sends_one_request(talk: ChatHarness) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema(
        "facts", Behaviour(text=format_facts_answer(make_fact("Anna lives in Oslo.", 1)), hold="start")
    )
    learning = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.wait_until_held()
    assert await talk.services.facts.learn(SCOPE) == []
    await talk.services.facts.learn_before_fold(SCOPE, [1])
    await talk.server.release()
    assert [fact.text for fact in await learning] == ["Anna lives in Oslo."]
    assert len(list_extraction_requests(talk)) == 1


async def test_nothing_is_learned_while_facts_are_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await talk.turn_on_memory(every_n=50)
        for number in range(6):
            await talk.run_turn(f"Point {number}.")
        talk.moment[0] += timedelta(hours=1)
        await talk.services.facts.learn_from_idle_scopes()
        assert list_extraction_requests(talk) == []


async def test_messages_folded_while_facts_were_off_are_not_read(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await talk.turn_on_memory(every_n=50)
        await say_all(talk, "I live in Oslo.", "It rains.")
        await talk.services.summaries.fold(SCOPE, "now")
        await talk.say("It pours.")
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.facts.learn(SCOPE)
        (request,) = list_extraction_requests(talk)
        assert ["Oslo" in request[1]["content"], "pours" in request[1]["content"]] == [False, True]


async def test_extraction_request_uses_owner_timezone(talk: ChatHarness) -> None:
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, timezone="Pacific/Auckland"))
    talk.moment[0] = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
    await talk.say("Yesterday I bought a boat.")
    assert "It is now 2026-11-21 12:00 Pacific/Auckland." in talk.list_prompts()[-1]
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_fact("Anna has had a boat since 2026-11-20.", 1))
    )
    await talk.services.facts.learn(SCOPE)
    assert "[2026-11-21 12:00, Saturday] Anna: Yesterday" in list_extraction_requests(talk)[0][1]["content"]
    (fact,) = await list_facts(talk)
    assert fact.valid_from == datetime(2026, 11, 19, 11, 0, tzinfo=UTC)


async def test_extraction_requests_fit_context_window(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, max_context_tokens=1500) as talk:
        await talk.turn_on_memory(every_n=50)
        for number in range(6):
            await talk.say(f"Point {number}. " + "The weather was fine and the sea was calm. " * 40)
        await talk.services.facts.learn(SCOPE)
        assert len(list_extraction_requests(talk)) > 1
        seen = "".join(request[1]["content"] for request in list_extraction_requests(talk))
        assert all(f"Point {number}." in seen for number in range(6))
        count = Tokenizer.for_model("summary-model")
        for request in talk.server.list_schema_requests("facts"):
            schema = json.dumps(request.body["response_format"]["json_schema"])
            used = sum(
                3 + count.count(message["role"]) + count.count(message["content"]) for message in request.messages
            )
            assert 3 + used + count.count(schema) <= 1500


async def test_facts_move_with_owner_to_another_storage(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50)
        talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
        await talk.say("I live in Oslo.")
        await talk.services.facts.learn(SCOPE)
        await talk.turn_on_memory(every_n=50, storage=StorageType.JSON)
        assert await list_valid_texts(talk) == ["Anna lives in Oslo."]
    async with open_chat_harness(tmp_path) as again:
        assert await list_valid_texts(again) == ["Anna lives in Oslo."]
        await again.turn_on_memory(every_n=50)
        assert await list_valid_texts(again) == ["Anna lives in Oslo."]
        assert "Oslo" not in (tmp_path / "memory.json").read_text(encoding="utf-8")


async def test_prompt_contains_fact_relevant_to_question(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50)
        await talk.say("Since May the harbour with the red cranes is what I see from my kitchen.")
        for number in range(12):
            await talk.say(f"Point {number}: the weather was fine and the sea was calm.")
        talk.server.set_default_schema_answer(
            "facts", format_facts_answer(make_fact("Anna's flat is beside a harbour.", 1))
        )
        await talk.services.facts.learn(SCOPE)
        reply = await talk.say("Tell me of the flat.")
        assert reply.context is not None
        assert [fact.fact.text for fact in reply.context.facts] == ["Anna's flat is beside a harbour."]
        request = talk.server.list_requests("chat-model")[-1].messages
        assert [message["role"] for message in request].count("system") == 1
        assert "[fact 1 · said 2026-11-21] Anna's flat is beside a harbour." in request[-1]["content"]


async def test_facts_are_not_visible_to_other_owners(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna lives in Oslo.", 1)))
    await talk.say("I live in Oslo.")
    await talk.services.facts.learn(SCOPE)
    group = Scope(owner=-5)
    await talk.turn_on_memory(owner=-5, every_n=50)
    incoming = UserMessage(
        scope=group, person=ANNA, in_group=True, pieces=talk.make_user_message("Where do I live?").pieces
    )
    reply = await talk.conversation.reply(incoming)
    assert reply.context is not None
    assert reply.context.facts == ()
    assert "Oslo" not in talk.list_prompts()[-1]


async def test_explanation_lists_facts_and_profile(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("profile", json.dumps({"profile": "Anna plays the cello."}))
    fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna plays the cello.")
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    await talk.services.distiller.distil_now(ANNA.id)
    await talk.say("Which strings are good?")
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    text = "\n".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))
    assert "“Anna plays the cello.” Since 21 November 2026, put in by hand." in text
    assert "you pinned it" in text
    assert "Your profile\n21 November 2026 9:00 UTC: “" in text
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="facts", ids=(fact.id,)))
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    if explanation is not None:
        assert "cello" not in "\n".join(
            page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC)
        )


async def test_rereads_turns_one_by_one_after_invalid_answers(talk: ChatHarness) -> None:
    await say_all(talk, "I live in Oslo.", "It rains.", "I own a boat.", "It pours.")
    boat, bad = format_facts_answer(make_fact("Anna owns a boat.", 5)), Behaviour(text="Well, well.")
    # The request, its repair, and each turn.
    talk.server.script_schema(
        "facts", bad, bad, format_facts_answer(make_fact("Anna lives in Oslo.", 1)), bad, boat, bad
    )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Oslo.", "Anna owns a boat."]
    lines = [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)]
    assert lines == [4, 4, 1, 1, 1, 1]
    await talk.services.facts.learn(SCOPE)
    assert len(list_extraction_requests(talk)) == 6


async def test_rereads_turns_one_by_one_if_all_facts_are_rejected(talk: ChatHarness) -> None:
    """A 1.5B model learned what a heat pump is, or repeated <known>, and missed the home in the next turn."""
    await say_all(talk, "Can you explain what a heat pump does?", "We live in Freiburg.", "It rains.", "I own a boat.")
    pump = format_facts_answer(make_fact("A heat pump moves heat.", 1, quote="Can you explain what a heat pump does?"))
    home = format_facts_answer(make_fact("Anna lives in Freiburg.", 3, quote="We live in Freiburg"))
    talk.server.script_schema(
        "facts", pump, pump, home, format_facts_answer(), format_facts_answer(make_fact("Anna owns a boat.", 7))
    )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Freiburg.", "Anna owns a boat."]
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [4, 1, 1, 1, 1]


async def test_repeated_known_fact_is_asked_for_again_without_known_facts(talk: ChatHarness) -> None:
    """A model of 1.5 billion parameters answered a move with the home that it was shown as known."""
    home = make_single_valued_fact("Anna lives in Lisbon.", 1, "home") | {"quote": "I live in Lisbon"}
    talk.server.set_default_schema_answer("facts", format_facts_answer(home))
    await talk.say("I live in Lisbon.")
    await talk.services.facts.learn(SCOPE)

    def answer(messages: Sequence[Mapping[str, object]]) -> str:
        if "Lisbon" in str(messages[-1]["content"]):
            return format_facts_answer(home | {"message": 3, "quote": "Anna lives in Lisbon."})
        moved = make_single_valued_fact("Anna lives in Porto.", 3, "home")
        return format_facts_answer(moved | {"quote": "Since 3 April I live in Porto"})

    talk.server.set_default_schema_answer("facts", answer)
    await talk.say("I have moved! Since 3 April I live in Porto.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Porto."]
    assert len(list_extraction_requests(talk)) == 3


async def test_news_told_with_invented_number_is_kept_as_said_and_ends_nothing(talk: ChatHarness) -> None:
    """A model of 1.5 billion parameters added the year of a known car to the sale of it, so the news was lost."""
    car = make_single_valued_fact("Anna's car is a Passat from 2009.", 1, "car") | {"quote": "a Passat from 2009"}
    sold = make_single_valued_fact("Anna sold the Passat from 2009, and bought a used Skoda.", 3, "car")
    sold["quote"] = "Sold the Passat today, got a used Skoda instead"
    talk.server.script_schema("facts", format_facts_answer(car), *[format_facts_answer(sold)] * 2)
    for said in ("My car is a Passat from 2009.", "Sold the Passat today, got a used Skoda instead."):
        await talk.say(said)
        await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [
        "Anna's car is a Passat from 2009.",
        "Anna: Sold the Passat today, got a used Skoda instead",
    ]


async def test_correction_ends_fact_with_denied_number(talk: ChatHarness) -> None:
    """Seen with a 1.5B model: it called the correction an instruction that replaces nothing."""
    rent, said_again = make_fact("Anna's rent is 940 euros a month.", 1), "Correction: my rent is 980 euros, not 940."
    talk.server.script_schema("facts", format_facts_answer(rent | {"quote": "My rent is 940 euros a month"}))
    await say_all(talk, "My rent is 940 euros a month. Tim owes me 940 euros since May.")
    await talk.services.facts.learn(SCOPE)
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Tim owes Anna 940 euros since May.")
    correction = make_fact("My rent is 940 euros a month.", 3, quote="rent", about="rent", attribute="value")
    talk.server.script_schema("facts", format_facts_answer(correction | {"type": "instruction"}))
    await say_all(talk, said_again)
    await talk.services.facts.learn(SCOPE)
    assert sorted(await list_valid_texts(talk)) == [
        f"Anna: {said_again.rstrip('.')}",
        "Tim owes Anna 940 euros since May.",
    ]


async def test_sends_single_turns_if_batches_miss_facts(talk: ChatHarness) -> None:
    """Of 35 facts, a model of 1.5 billion parameters found 16 in batches of four turns, and 24 in single turns."""
    rain = make_fact("Rain is water.", 1, quote="nobody said this")
    for batch in range(3):  # one fact of each list is right, and one is not: three turns are asked about again
        ids = [8 * batch + 2 * place + 1 for place in range(4)]
        boats = [
            format_facts_answer(make_fact(f"Anna owns a boat called Boat{i}.", i, quote=f"boat called Boat{i}"))
            for i in ids
        ]
        with_rain = format_facts_answer(json.loads(boats[0])["facts"][0], rain)
        talk.server.script_schema("facts", with_rain, *boats[1:])
        await say_all(talk, *(f"I own a boat called Boat{number}." for number in ids))
        await talk.services.facts.learn(SCOPE, min_turns=4)
    assert len(await list_valid_texts(talk)) == 12
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [4, 1, 1, 1] * 3
    talk.server.set_default_schema_answer("facts", format_facts_answer())
    await say_all(talk, "It rains.", "It pours.", "It snows.", "It hails.")
    await talk.services.facts.learn(SCOPE, min_turns=4)
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)[12:]] == [1, 1, 1, 1]


async def test_stops_rereading_single_turns_if_nothing_more_is_found(talk: ChatHarness) -> None:
    rain = format_facts_answer(
        make_fact("Anna sails.", 1, quote="I sail"), make_fact("Rain is water.", 3, quote="nobody said this")
    )
    for _ in range(4):
        talk.server.script_schema("facts", rain, format_facts_answer(), format_facts_answer(), format_facts_answer())
        await say_all(talk, "I sail.", "It rains.", "It pours.", "It snows.")
        await talk.services.facts.learn(SCOPE, min_turns=4)
    lengths = [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)]
    assert lengths[:12] == [4, 1, 1, 1] * 3
    assert lengths[12:] == [4]


async def test_always_rereads_turn_that_tells_of_change(talk: ChatHarness) -> None:
    """A model of 1.5 billion parameters overlooked this correction among four turns, so that the old rent stayed."""
    empty, said = format_facts_answer(), "Correction: my rent is 980 euros, not 940."
    rain = format_facts_answer(
        make_fact("Anna sails.", 1, quote="I sail"), make_fact("Rain is water.", 3, quote="nobody said this")
    )
    rent = format_facts_answer(make_fact("Anna's rent is 980 euros.", 29, quote="my rent is 980 euros"))
    for texts, answers in ((["It pours."] * 3, [empty] * 3),) * 3 + ((["It rains.", said, "It snows."], [rent]),):
        talk.server.script_schema("facts", rain, *answers)
        await say_all(talk, "I sail.", *texts)
        await talk.services.facts.learn(SCOPE, min_turns=4)
    lengths = [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)]
    assert lengths == [4, 1, 1, 1] * 3 + [4, 1]
    assert "Anna's rent is 980 euros." in await list_valid_texts(talk)


async def test_keeps_facts_of_batch_if_endpoint_fails_on_single_turn(talk: ChatHarness) -> None:
    """A free endpoint allows a few requests a minute, so each batch would be requested again and again."""
    sails = format_facts_answer(
        make_fact("Anna sails.", 1, quote="I sail"), make_fact("Rain is water.", 3, quote="nobody said this")
    )
    busy = Behaviour(status=429, message="Rate limit reached", retry_after="3600")
    talk.server.script_schema("facts", sails, *[busy] * 9)
    await say_all(talk, "I sail.", "It rains.", "It pours.", "It snows.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna sails."]
    await talk.services.facts.learn(SCOPE)
    assert sum(request[1]["content"].count("] Anna: ") == 4 for request in list_extraction_requests(talk)) == 1


async def test_past_fact_ends_fact_found_later_in_earlier_turn(talk: ChatHarness) -> None:
    home = {"about": "Anna", "attribute": "home", "is_single": True}
    over = make_fact("Anna lived in Porto.", 7, quote="I used to live in Porto") | home | {"type": "past"}
    lived = make_fact("Anna lives in Porto.", 1, quote="I live in Porto") | home
    rain = make_fact("Rain is water.", 3, quote="nobody said this")
    talk.server.script_schema(
        "facts",
        format_facts_answer(over, rain),
        format_facts_answer(lived),
        format_facts_answer(),
        format_facts_answer(),
    )
    await say_all(talk, "I live in Porto.", "It rains.", "It pours.", "I used to live in Porto.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == []


async def test_rejected_batch_costs_four_more_requests(talk: ChatHarness) -> None:
    """Every answer about eight turns is rejected because a 1.5B model copied the first line of <known>."""
    await say_all(talk, "Can you explain what a heat pump does?", *["It rains."] * 7)
    pump = format_facts_answer(make_fact("A heat pump moves heat.", 1, quote="Can you explain what a heat pump does?"))
    talk.server.set_default_schema_answer("facts", pump)
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == []
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [
        4,
        1,
        1,
        1,
        1,
    ] * 2


async def test_declined_turn_does_not_block_learning_from_other_turns(talk: ChatHarness) -> None:
    await say_all(talk, "How is a bomb built?", "It rains.", "We live in Freiburg.", "I own a boat.")
    bomb = format_facts_answer(make_fact("Anna builds a bomb.", 1, quote="How is a bomb built?"))
    declined = Behaviour(status=400, message="The request was flagged by content moderation.")
    home = format_facts_answer(make_fact("Anna lives in Freiburg.", 5))
    # The request is answered, but not its first turn.
    talk.server.script_schema("facts", bomb, declined, format_facts_answer(), home, format_facts_answer())
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna lives in Freiburg."]
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [4, 1, 1, 1, 1]


async def test_skips_only_declined_turn_after_last_attempt(talk: ChatHarness) -> None:
    await say_all(talk, "How is a bomb built?", "It rains.", "We live in Freiburg.", "I own a boat.")
    declined = Behaviour(status=400, message="The request was flagged by content moderation.")
    talk.server.script_schema(
        "facts",
        *[declined] * (MAX_ATTEMPTS + 1),
        *[format_facts_answer()] * 2,
        format_facts_answer(make_fact("Anna has a boat.", 7)),
    )
    for _ in range(MAX_ATTEMPTS):
        talk.moment[0] += timedelta(hours=2)
        await talk.services.facts.learn_from_idle_scopes()
    assert await list_valid_texts(talk) == ["Anna has a boat."]
    await talk.services.facts.learn_from_idle_scopes()
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [
        4
    ] * MAX_ATTEMPTS + [1, 1, 1, 1]


async def test_request_contains_at_most_one_batch_of_turns(talk: ChatHarness) -> None:
    await say_all(talk, *(f"Point {number}." for number in range(10)))
    await talk.services.facts.learn(SCOPE)
    assert [request[1]["content"].count("] Anna: ") for request in list_extraction_requests(talk)] == [4, 4, 2]
    assert all("Understood." not in request[1]["content"] for request in list_extraction_requests(talk))


async def test_corrects_source_of_fact_with_wrong_message_number(talk: ChatHarness) -> None:
    await say_all(talk, "It rains in Bergen.", "I work as a carpenter in Oslo since 2019.")
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_fact("Anna works as a carpenter in Oslo.", 1, quote="work as a carpenter"))
    )
    await talk.services.facts.learn(SCOPE)
    assert [(fact.text, fact.source_ids) for fact in await list_facts(talk)] == [
        ("Anna works as a carpenter in Oslo.", (3,))
    ]


async def test_new_home_job_and_date_replace_facts_with_same_subject(talk: ChatHarness) -> None:
    keys = (("home", "Anna"), ("employer", "Anna"), ("date", "Anna's exam"))
    old = ("Anna lives in Oslo.", "Anna works at Acme.", "Anna's exam is on 2026-12-03.")
    await say_all(talk, "I live in Oslo, work at Acme, and my exam is on 2026-12-03.")
    talk.server.set_default_schema_answer(
        "facts",
        format_facts_answer(*(make_single_valued_fact(text, 1, *key) for text, key in zip(old, keys, strict=True))),
    )
    await talk.services.facts.learn(SCOPE)
    new = ("Anna has moved to Bergen.", "Anna works for Bolt.", "Anna's exam is on 2026-12-10.")
    await say_all(talk, "I have moved to Bergen, work for Bolt, and my exam is on 2026-12-10.")
    talk.server.set_default_schema_answer(
        "facts",
        format_facts_answer(*(make_single_valued_fact(text, 3, *key) for text, key in zip(new, keys, strict=True))),
    )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == list(new)


PORTO = "Anna lives in Porto."


@pytest.mark.parametrize("decision", ["edit", "pin", "delete", "end"])
async def test_decision_survives_rereading_and_questions_but_not_restatement(talk: ChatHarness, decision: str) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_single_valued_fact(PORTO, 1, "home")))
    await say_all(talk, "I live in Porto near the river.")
    await talk.services.facts.learn(SCOPE)
    (fact,) = await list_facts(talk)
    talk.moment[0] += timedelta(minutes=1)
    facts, bergen = talk.services.facts, "Anna lives in Bergen."
    match decision:
        case "edit":
            await facts.edit(ANNA.id, fact.id, bergen)
        case "end":
            await facts.supersede_fact(ANNA.id, fact.id, bergen)
        case "pin":
            await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
        case _:
            await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    stands = {"pin": [PORTO], "delete": []}.get(decision, [bergen])
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, 1, "I live in Porto by the river.", reason="edited", now=talk.moment[0]
        )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == stands, "the same message was read again"
    assert f"{fact.id} · " in list_extraction_requests(talk)[-1][1]["content"], "the model is shown what was decided"
    assert all(fact.is_pinned == (decision == "pin") for fact in await list_facts(talk) if fact.is_valid)
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_single_valued_fact(PORTO, 3, "home") | {"quote": "Porto"})
    )
    await say_all(talk, "How is the weather in Porto?")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == stands, "a question states nothing"
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_single_valued_fact(PORTO, 5, "home") | {"quote": "i moved back to porto"})
    )
    await say_all(talk, "I moved back to Porto!")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [PORTO], "a later statement counts"


async def test_backoff_retries_at_least_hourly_after_many_failures() -> None:
    start, hours = datetime(2026, 11, 1, tzinfo=UTC), 0
    backoff = Backoff(lambda: start + timedelta(hours=hours))

    async def fail() -> None:
        raise ModelUnreachable

    for hours in range(100):
        await backoff.run_if_due((SCOPE, False), fail)
        assert backoff.get_failure_count((SCOPE, False)) == hours + 1
