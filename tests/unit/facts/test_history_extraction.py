"""Tests of learning from imported history: on request, from the owner's messages only, each exactly once."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from records.forgetting import ForgetRequest
from records.model_calls import PromptMessage
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_learning import (
    format_facts_answer,
    list_facts,
    list_valid_texts,
    make_fact,
    make_single_valued_fact,
)
from text.tokenizer import Tokenizer
from transfer.plans import ImportResult

SCOPE = Scope(owner=ANNA.id)
BEGAN = datetime(2020, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50, storage=storage)
        yield talk


def make_chat_export(*texts: str, first: int = 1, days: int = 0) -> bytes:
    """Return an exported chat in which Maria repeats each of Anna's messages."""
    messages = []
    for number, text in enumerate(texts, start=first):
        for place, (name, sender) in enumerate((("Anna Berg", 7), ("Maria", 99))):
            said_at = BEGAN + timedelta(days=days, minutes=2 * number + place)
            messages.append(
                {
                    "id": 2 * number + place,
                    "type": "message",
                    "date_unixtime": str(int(said_at.timestamp())),
                    "from": name,
                    "from_id": f"user{sender}",
                    "text": text if sender == 7 else f"Maria says: {text}",
                }
            )
    return json.dumps({"name": "Maria", "type": "personal_chat", "id": 99, "messages": messages}).encode()


async def import_chat(talk: ChatHarness, data: bytes) -> ImportResult:
    async def progress(done: int, total: int) -> None:
        """Ignore progress reports."""

    return await talk.services.importer.import_file(SCOPE, ANNA.id, data, progress=progress)


async def run_extraction(talk: ChatHarness, done: ImportResult) -> None:
    assert done.ids is not None
    assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "begun"
    await talk.services.history_extraction.idle.wait()


def list_extraction_prompts(talk: ChatHarness) -> list[str]:
    return [
        "\n".join(str(message["content"]) for message in request.messages)
        for request in talk.server.list_schema_requests("facts")
    ]


async def count_unread_messages(talk: ChatHarness, done: ImportResult) -> int:
    """Return the number of messages that have not been learned from."""
    assert done.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids)
    return ahead.messages if ahead else 0


def make_home_fact(place: str, source: int) -> Mapping[str, Any]:
    return make_single_valued_fact(f"Anna lives in {place}.", source, "home")


async def test_extracts_only_on_request_and_only_from_owner_messages(talk: ChatHarness) -> None:
    done = await import_chat(talk, make_chat_export("I live in Oslo.", "It rains."))
    assert done.ids == (-4, -1)
    await talk.services.facts.learn_from_idle_scopes()
    assert list_extraction_prompts(talk) == []
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert (ahead.messages, ahead.requests) == (2, 1)
    assert 300 < ahead.tokens < 3000
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Oslo", -4)))
    await run_extraction(talk, done)
    [request] = list_extraction_prompts(talk)
    assert "I live in Oslo." in request
    assert "Maria says" not in request
    [fact] = await list_facts(talk)
    assert (fact.text, fact.source_ids) == ("Anna lives in Oslo.", (-4,))
    assert fact.observed_at == fact.valid_from == BEGAN + timedelta(minutes=2)
    assert await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids) is None, "it is learned from once"
    assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "nothing"


async def test_switches_to_single_turns_if_batches_miss_facts(talk: ChatHarness) -> None:
    done = await import_chat(talk, make_chat_export(*(f"I own a boat called Boat{number}." for number in range(26))))
    assert done.ids is not None
    boats = [
        make_fact(f"Anna owns a boat called Boat{number}.", done.ids[0] + 2 * number, quote=f"boat called Boat{number}")
        for number in range(26)
    ]
    rain = make_fact("Rain is water.", done.ids[0], quote="nobody said this")
    talk.server.script_schema("facts", format_facts_answer(boats[0], rain), *map(format_facts_answer, boats[1:]))
    await run_extraction(talk, done)
    assert [request.count("I own a boat") for request in list_extraction_prompts(talk)] == [20, *[1] * 25]
    assert len(await list_valid_texts(talk)) == 26
    later = await import_chat(talk, make_chat_export("It rains.", "It pours.", "It snows.", first=90, days=900))
    assert later.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *later.ids)
    assert ahead is not None
    assert (ahead.messages, ahead.requests) == (3, 3)


async def test_older_imported_facts_become_history_of_current_fact(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Paris", 1)))
    await talk.say("I live in Paris.")
    await talk.services.facts.learn(SCOPE)
    done = await import_chat(talk, make_chat_export("I live in Bergen.", first=5, days=700))
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Bergen", -2)))
    await run_extraction(talk, done)
    done = await import_chat(talk, make_chat_export("I live in Oslo."))
    assert done.ids is not None
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Oslo", done.ids[0])))
    await run_extraction(talk, done)
    done = await import_chat(talk, make_chat_export("I live in Rome.", first=9, days=900))
    assert done.ids is not None
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Rome", done.ids[0])))
    await run_extraction(talk, done)
    assert await list_valid_texts(talk) == ["Anna lives in Paris."]
    by_id = {fact.id: fact for fact in await list_facts(talk)}
    in_order = sorted(by_id.values(), key=lambda fact: fact.valid_from)
    assert [fact.text.split()[-1] for fact in in_order] == ["Oslo.", "Bergen.", "Rome.", "Paris."]
    chain = [(fact.superseded_by, fact.valid_to) for fact in in_order[:-1]]
    assert chain == [(fact.id, fact.valid_from) for fact in in_order[1:]]


async def test_reads_every_message_of_long_turn_under_small_token_limit(tmp_path: Path, storage: StorageType) -> None:
    tokens = Tokenizer.for_model("chat-model")
    data = json.loads(make_chat_export(*(f"Xq7 vR2 {number} kp9! " * 100 for number in range(6))))
    data["messages"] = [message for message in data["messages"] if message["from"] != "Maria"]  # all of one turn then
    async with open_chat_harness(tmp_path, max_context_tokens=500) as talk:
        await talk.turn_on_memory(storage=storage)
        done = await import_chat(talk, json.dumps(data).encode())
        assert done.ids is not None
        await run_extraction(talk, done)
        requests = talk.server.list_schema_requests("facts")
        assert len(requests) > 1
        for request in requests:
            said = [PromptMessage(role=message["role"], content=message["content"]) for message in request.messages]  # type: ignore[arg-type]
            assert tokens.count_request_tokens(said) <= 500
        first, last = done.ids
        read = [
            int(id_)
            for request in list_extraction_prompts(talk)
            for id_ in re.findall(r"^#(-?\d+) \[", request, re.MULTILINE)
        ]
        assert read == list(range(first, last + 1))


async def test_resumes_after_restart_without_rereading_messages(tmp_path: Path) -> None:
    texts = [f"I own boat number {number}." for number in range(45)]
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(storage=StorageType.JSON)
        done = await import_chat(talk, make_chat_export(*texts))
        assert done.ids is not None
        talk.server.script_schema("facts", format_facts_answer(), Behaviour(hold="start", text=format_facts_answer()))
        assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "begun"
        await talk.server.wait_until_held()
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (20, 45)
        assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "busy"
    (tmp_path / "index.db").unlink()
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.services.history_extraction.idle.wait()
        requests = list_extraction_prompts(talk)
        assert [sum(f"number {number}." in request for request in requests) for number in range(45)] == [0] * 20 + [
            1
        ] * 25
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None


async def test_stopping_discards_pending_answer_and_keeps_position(talk: ChatHarness) -> None:
    history_extraction = talk.services.history_extraction
    done = await import_chat(talk, make_chat_export(*(f"I own boat number {number}." for number in range(30))))
    assert done.ids is not None
    talk.server.script_schema(
        "facts",
        format_facts_answer(),
        Behaviour(hold="start", text=format_facts_answer(make_fact("Anna owns boats.", -20))),
    )
    await history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.wait_until_held()
    await history_extraction.stop(ANNA.id)
    await talk.server.release()
    await history_extraction.idle.wait()
    assert await list_facts(talk) == [], "what was being read is not learned from any more"
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    ahead = await history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert ahead.messages == 10
    talk.server.requests.clear()
    await run_extraction(talk, done)
    [request] = list_extraction_prompts(talk)
    assert "number 19." not in request
    assert "number 20." in request


async def test_resumes_after_first_message_was_forgotten(talk: ChatHarness) -> None:
    history_extraction = talk.services.history_extraction
    done = await import_chat(talk, make_chat_export(*(f"I own boat number {number}." for number in range(45))))
    assert done.ids is not None
    assert await count_unread_messages(talk, done) == 45
    talk.server.script_schema("facts", format_facts_answer(), Behaviour(hold="start", text=format_facts_answer()))
    await history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.wait_until_held()
    await history_extraction.stop(ANNA.id)
    assert await count_unread_messages(talk, done) == 25
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(done.ids[0],)))
    await talk.server.release()
    await history_extraction.idle.wait()
    talk.server.requests.clear()
    talk.server.script_schema("facts", Behaviour(hold="start", text=format_facts_answer()))
    assert await history_extraction.begin(ANNA.id, *done.ids) == "begun"
    await talk.server.wait_until_held(2)
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (19, 44)
    await talk.server.release()
    await history_extraction.idle.wait()
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    assert [
        sum(f"number {number}." in request for request in list_extraction_prompts(talk)) for number in range(45)
    ] == [0] * 20 + [1] * 25
    assert await history_extraction.estimate_cost(ANNA.id, *done.ids) is None


async def test_skips_messages_read_by_earlier_extractions(talk: ChatHarness) -> None:
    """A file imported later has lower ids. Extracting a range that spans both files reads no message twice."""
    history_extraction = talk.services.history_extraction
    early = await import_chat(talk, make_chat_export("I own a boat."))
    late = await import_chat(talk, make_chat_export("I own a canoe.", first=9, days=9))
    assert early.ids is not None
    assert late.ids is not None
    await run_extraction(talk, early)
    await run_extraction(talk, late)
    assert await history_extraction.begin(ANNA.id, *early.ids) == "nothing"
    between = await import_chat(talk, make_chat_export("I own a raft.", "I own a kayak.", first=5, days=5))
    assert between.ids is not None
    talk.server.requests.clear()
    ahead = await history_extraction.estimate_cost(ANNA.id, between.ids[0], early.ids[1])
    assert ahead is not None
    assert ahead.messages == 2
    assert await history_extraction.begin(ANNA.id, between.ids[0], early.ids[1]) == "begun"
    await history_extraction.idle.wait()
    [request] = list_extraction_prompts(talk)
    assert "boat" not in request
    assert "raft" in request
    assert await history_extraction.begin(ANNA.id, between.ids[0], early.ids[1]) == "nothing"


async def test_exhausted_token_budget_postpones_extraction(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=500) as talk:
        await talk.turn_on_memory()
        done = await import_chat(talk, make_chat_export("I live in Oslo."))
        await run_extraction(talk, done)
        assert list_extraction_prompts(talk) == []
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (0, 1)


async def test_failed_extraction_is_retried_later_without_blocking_live_learning(talk: ChatHarness) -> None:
    done = await import_chat(talk, make_chat_export("I live in Oslo."))
    talk.server.set_default_schema_answer("facts", Behaviour(status=401))
    await run_extraction(talk, done)
    assert await talk.services.facts.try_to_learn_from_history(SCOPE) is False
    assert len(list_extraction_prompts(talk)) == 1
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna sails.", 1)))
    await talk.say("I sail.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna sails."]
    talk.moment[0] += timedelta(minutes=2)
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_home_fact("Oslo", -2)))
    assert await talk.services.facts.try_to_learn_from_history(SCOPE)
    assert await list_valid_texts(talk) == ["Anna sails.", "Anna lives in Oslo."]


async def start_held_extraction(talk: ChatHarness) -> tuple[int, int]:
    """Import 30 messages, start an extraction that holds after 20, and return the first and last message id."""
    done = await import_chat(talk, make_chat_export(*(f"I own boat number {number}." for number in range(30))))
    assert done.ids is not None
    talk.server.script_schema("facts", format_facts_answer(), Behaviour(hold="start", text=format_facts_answer()))
    await talk.services.history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.wait_until_held()
    return done.ids


async def test_extraction_ends_when_remaining_messages_are_forgotten(talk: ChatHarness) -> None:
    history_extraction = talk.services.history_extraction
    first, last = await start_held_extraction(talk)
    ahead = tuple(range(first + 20, last + 1))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=ahead))
    await talk.server.release()
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    again = await import_chat(talk, make_chat_export(*(f"I own boat number {number}." for number in range(30))))
    assert again.ids is not None
    assert await history_extraction.begin(ANNA.id, *again.ids) == "begun"
    await history_extraction.idle.wait()


async def forget_day(talk: ChatHarness, days: int) -> None:
    """Forget the day of a chat export made with the same `days`."""
    day = BEGAN.replace(hour=0) + timedelta(days=days)
    await talk.services.corrections.forget(
        ANNA.id, ForgetRequest(what="dates", since=day, until=day + timedelta(days=1))
    )


@pytest.mark.parametrize("forgotten", ["the last that was learned from", "one learned from before", "all"])
async def test_extracts_new_import_after_earlier_history_was_forgotten(talk: ChatHarness, forgotten: str) -> None:
    """The same holds if the forgotten file is imported again."""
    history_extraction = talk.services.history_extraction
    boats, pets = (
        make_chat_export("I own a boat.", "It rains."),
        make_chat_export("I own a dog.", "It snows.", first=50, days=500),
    )
    await run_extraction(talk, await import_chat(talk, boats))
    await run_extraction(talk, await import_chat(talk, pets))
    if forgotten != "one learned from before":
        await forget_day(talk, 500)
    if forgotten != "the last that was learned from":
        await forget_day(talk, 0)
    talk.server.requests.clear()
    fresh = await import_chat(talk, make_chat_export("I own a cat.", first=90, days=900))
    assert fresh.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *fresh.ids)
    assert ahead is not None
    assert ahead.messages == 1
    await run_extraction(talk, fresh)
    [request] = list_extraction_prompts(talk)
    assert "I own a cat." in request
    again = await import_chat(talk, boats if forgotten == "one learned from before" else pets)
    assert again.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *again.ids)
    assert ahead is not None
    assert ahead.messages == 2
    await run_extraction(talk, again)


async def test_extracts_reimported_messages_after_forgetting(talk: ChatHarness) -> None:
    """The ids of the forgotten messages are free again."""
    data = make_chat_export("I own a boat.", "I own a canoe.", "I own a raft.")
    await run_extraction(talk, await import_chat(talk, data))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(-4, -3, -2, -1)))
    talk.server.requests.clear()
    again = await import_chat(talk, data)
    assert (again.messages, again.known) == (4, 2)
    await run_extraction(talk, again)
    [request] = list_extraction_prompts(talk)
    assert ["boat" in request, "canoe" in request, "raft" in request] == [False, True, True]


async def test_running_extraction_ignores_messages_imported_meanwhile(talk: ChatHarness) -> None:
    """Ids that became free by forgetting are not read either."""
    first, last = await start_held_extraction(talk)
    most = tuple(range(first, last - 3))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=most))
    await talk.server.release()
    talk.server.requests.clear()
    await import_chat(
        talk, make_chat_export(*(f"I own dog number {number}." for number in range(20)), first=90, days=900)
    )
    while await talk.services.facts.try_to_learn_from_history(SCOPE):
        pass
    assert not [request for request in list_extraction_prompts(talk) if "dog" in request]


@pytest.mark.parametrize("then", ["nothing", "of what was imported before it", "of what was imported after it"])
async def test_relearns_replacing_fact_after_source_of_replaced_fact_is_forgotten(talk: ChatHarness, then: str) -> None:
    """Only the fact's own source message is read again, and nothing else is paid for twice."""
    other = make_chat_export("I own a boat.", first=90, days=900)
    cook = await import_chat(talk, make_chat_export("I cook at the Heliotrope Bakery."))
    boat = await import_chat(talk, other) if then == "of what was imported before it" else None
    chef = await import_chat(talk, make_chat_export("I am the head chef now.", "It rains.", first=50, days=500))
    assert cook.ids is not None
    assert chef.ids is not None
    cooks = make_fact("Anna cooks at the Heliotrope Bakery.", cook.ids[0])
    talk.server.set_default_schema_answer("facts", format_facts_answer(cooks))
    await run_extraction(talk, cook)
    leads = make_fact("Anna is the head chef of the Heliotrope Bakery.", chef.ids[0], replaces=1)
    talk.server.set_default_schema_answer("facts", format_facts_answer(leads))
    await run_extraction(talk, chef)
    talk.server.set_default_schema_answer("facts", format_facts_answer())
    if then == "of what was imported after it":
        boat = await import_chat(talk, other)
    if boat is not None:
        await run_extraction(talk, boat)
    assert await list_valid_texts(talk) == ["Anna is the head chef of the Heliotrope Bakery."]
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=cook.ids))
    assert await list_facts(talk) == []
    talk.server.requests.clear()
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna is a head chef.", chef.ids[0])))
    assert await talk.services.facts.try_to_learn_from_history(SCOPE)
    [request] = list_extraction_prompts(talk)
    assert ["head chef now" in request, "It rains." in request, "boat" in request] == [True, False, False]
    assert await list_valid_texts(talk) == ["Anna is a head chef."]
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None


async def test_extraction_is_unavailable_while_memory_is_off_or_incognito(talk: ChatHarness) -> None:
    history_extraction, memory = talk.services.history_extraction, talk.services.memory
    done = await import_chat(talk, make_chat_export("I live in Oslo."))
    assert done.ids is not None
    await memory.set_enabled(ANNA.id, enabled=False)
    assert await history_extraction.estimate_cost(ANNA.id, *done.ids) is None
    assert await history_extraction.begin(ANNA.id, *done.ids) == "off"
    await memory.set_enabled(ANNA.id, enabled=True)
    await memory.change_config(ANNA.id, lambda chosen: replace(chosen, incognito=True))
    assert await history_extraction.begin(ANNA.id, *done.ids) == "off"
    await memory.change_config(ANNA.id, lambda chosen: replace(chosen, incognito=False))
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    await run_extraction(talk, done)
    assert len(list_extraction_prompts(talk)) == 1


async def test_forgetting_imported_message_restores_previous_fact_without_request(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna sails.", 1)))
    await talk.say("I sail.")
    await talk.services.facts.learn(SCOPE)
    done = await import_chat(talk, make_chat_export("I live in Oslo.", "I live in Bergen now, no longer in Oslo."))
    talk.server.set_default_schema_answer(
        "facts", format_facts_answer(make_home_fact("Oslo", -4), make_home_fact("Bergen", -2))
    )
    await run_extraction(talk, done)
    assert await list_valid_texts(talk) == ["Anna sails.", "Anna lives in Bergen."]
    talk.server.requests.clear()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(-2,)))
    await talk.services.facts.learn_from_idle_scopes()
    assert list_extraction_prompts(talk) == []
    assert await list_valid_texts(talk) == ["Anna sails.", "Anna lives in Oslo."]


async def test_resumed_import_offers_all_messages_for_extraction(talk: ChatHarness) -> None:
    """This includes the messages of the run that failed, but not those of another file imported in between."""
    data = make_chat_export(*(f"I own boat number {number}." for number in range(120)))

    async def breaking(done: int, total: int) -> None:
        raise RuntimeError

    importer, history_extraction = talk.services.importer, talk.services.history_extraction
    other = await import_chat(talk, make_chat_export("I sail.", first=200))
    with pytest.raises(RuntimeError):
        await importer.import_file(SCOPE, ANNA.id, data, progress=breaking)
    await import_chat(talk, make_chat_export("I swim.", first=300))
    done = await import_chat(talk, data)
    assert (done.messages, done.known) == (140, 100)
    assert done.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert ahead.messages == 120
    assert other.ids == (-2, -1)
    assert done.ids == (-242, -3)


async def test_plan_offers_extraction_of_known_file_not_yet_read(talk: ChatHarness) -> None:
    """An import may complete without its receipt ever reaching the chat."""
    data = make_chat_export("I live in Oslo.", "It rains.")
    done = await import_chat(talk, data)
    await import_chat(talk, make_chat_export("I swim.", first=300))
    plan = await talk.services.importer.plan(SCOPE, ANNA.id, data)
    assert (plan.new_message_count, plan.ids) == (0, done.ids)
    assert (await talk.services.importer.plan(SCOPE, ANNA.id, make_chat_export("I sail.", first=9))).ids is None


async def test_extraction_is_not_offered_while_facts_are_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        await talk.turn_on_memory()
        done = await import_chat(talk, make_chat_export("I live in Oslo."))
        assert done.ids is not None
        assert await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids) is None


async def test_group_extraction_counts_messages_of_all_members(talk: ChatHarness) -> None:
    group = Scope(owner=-500)

    async def progress(done: int, total: int) -> None:
        """Ignore progress reports."""

    done = await talk.services.importer.import_file(group, ANNA.id, make_chat_export("I sail."), progress=progress)
    assert done.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(group.owner, *done.ids)
    assert ahead is not None
    assert ahead.messages == 2
