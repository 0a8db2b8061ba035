"""Imported history that facts are learned from on request: whose words, when, and nothing lost or paid twice."""

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
from tests.support.talk import ANNA, Talk, talking
from tests.unit.facts.test_learning import answer, known, single, told, valid
from text.tokenizer import Tokenizer
from transfer.plans import ImportResult

SCOPE = Scope(owner=ANNA.id)
BEGAN = datetime(2020, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(every_n=50, storage=storage)
        yield talk


def chat(*texts: str, first: int = 1, days: int = 0) -> bytes:
    """A chat with Maria, who answers each message of Anna's with the same words."""
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


async def imported(talk: Talk, data: bytes) -> ImportResult:
    async def progress(done: int, total: int) -> None:
        """Nobody watches."""

    return await talk.services.importer.import_file(SCOPE, ANNA.id, data, progress=progress)


async def extracted(talk: Talk, done: ImportResult) -> None:
    assert done.ids is not None
    assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "begun"
    await talk.services.history_extraction.wait_until_idle()


def asked(talk: Talk) -> list[str]:
    return [
        "\n".join(str(message["content"]) for message in request.messages) for request in talk.server.asked_for("facts")
    ]


async def left(talk: Talk, done: ImportResult) -> int:
    """How many messages are still to be learned from."""
    assert done.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids)
    return ahead.messages if ahead else 0


def lives(place: str, source: int) -> Mapping[str, Any]:
    return single(f"Anna lives in {place}.", source, "home")


async def test_nothing_is_learned_unasked_and_only_from_the_owners_own_words(talk: Talk) -> None:
    done = await imported(talk, chat("I live in Oslo.", "It rains."))
    assert done.ids == (-4, -1)
    await talk.services.facts.learn_from_idle_scopes()
    assert asked(talk) == []
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert (ahead.messages, ahead.requests) == (2, 1)
    assert 300 < ahead.tokens < 3000
    talk.server.default_schema("facts", answer(lives("Oslo", -4)))
    await extracted(talk, done)
    [request] = asked(talk)
    assert "I live in Oslo." in request
    assert "Maria says" not in request
    [fact] = await known(talk)
    assert (fact.text, fact.source_ids) == ("Anna lives in Oslo.", (-4,))
    assert fact.observed_at == fact.valid_from == BEGAN + timedelta(minutes=2)
    assert await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids) is None, "it is learned from once"
    assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "nothing"


async def test_a_model_that_finds_more_in_single_turns_reads_imported_ones_one_at_a_time(talk: Talk) -> None:
    done = await imported(talk, chat(*(f"I own a boat called Boat{number}." for number in range(26))))
    assert done.ids is not None
    boats = [
        told(f"Anna owns a boat called Boat{number}.", done.ids[0] + 2 * number, quote=f"boat called Boat{number}")
        for number in range(26)
    ]
    rain = told("Rain is water.", done.ids[0], quote="nobody said this")
    talk.server.script_schema("facts", answer(boats[0], rain), *map(answer, boats[1:]))
    await extracted(talk, done)
    assert [request.count("I own a boat") for request in asked(talk)] == [20, *[1] * 25]
    assert len(await valid(talk)) == 26
    later = await imported(talk, chat("It rains.", "It pours.", "It snows.", first=90, days=900))
    assert later.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(ANNA.id, *later.ids)
    assert ahead is not None
    assert (ahead.messages, ahead.requests) == (3, 3)


async def test_what_was_said_later_stays_and_what_was_before_is_its_history(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(lives("Paris", 1)))
    await talk.say("I live in Paris.")
    await talk.services.facts.learn(SCOPE)
    done = await imported(talk, chat("I live in Bergen.", first=5, days=700))
    talk.server.default_schema("facts", answer(lives("Bergen", -2)))
    await extracted(talk, done)
    done = await imported(talk, chat("I live in Oslo."))
    assert done.ids is not None
    talk.server.default_schema("facts", answer(lives("Oslo", done.ids[0])))
    await extracted(talk, done)
    done = await imported(talk, chat("I live in Rome.", first=9, days=900))
    assert done.ids is not None
    talk.server.default_schema("facts", answer(lives("Rome", done.ids[0])))
    await extracted(talk, done)
    assert await valid(talk) == ["Anna lives in Paris."]
    by_id = {fact.id: fact for fact in await known(talk)}
    in_order = sorted(by_id.values(), key=lambda fact: fact.valid_from)
    assert [fact.text.split()[-1] for fact in in_order] == ["Oslo.", "Bergen.", "Rome.", "Paris."]
    chain = [(fact.superseded_by, fact.valid_to) for fact in in_order[:-1]]
    assert chain == [(fact.id, fact.valid_from) for fact in in_order[1:]]


async def test_each_message_of_a_long_turn_is_learned_from_under_a_small_ceiling(
    tmp_path: Path, storage: StorageType
) -> None:
    tokens = Tokenizer.for_model("chat-model")
    data = json.loads(chat(*(f"Xq7 vR2 {number} kp9! " * 100 for number in range(6))))
    data["messages"] = [message for message in data["messages"] if message["from"] != "Maria"]  # all of one turn then
    async with talking(tmp_path, max_context_tokens=500) as talk:
        await talk.remember(storage=storage)
        done = await imported(talk, json.dumps(data).encode())
        assert done.ids is not None
        await extracted(talk, done)
        requests = talk.server.asked_for("facts")
        assert len(requests) > 1
        for request in requests:
            said = [PromptMessage(role=message["role"], content=message["content"]) for message in request.messages]  # type: ignore[arg-type]
            assert tokens.count_request_tokens(said) <= 500
        first, last = done.ids
        read = [int(id_) for request in asked(talk) for id_ in re.findall(r"^#(-?\d+) \[", request, re.MULTILINE)]
        assert read == list(range(first, last + 1))


async def test_it_goes_on_after_a_restart_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    texts = [f"I own boat number {number}." for number in range(45)]
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(storage=StorageType.JSON)
        done = await imported(talk, chat(*texts))
        assert done.ids is not None
        talk.server.script_schema("facts", answer(), Behaviour(hold="start", text=answer()))
        assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "begun"
        await talk.server.until_held()
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (20, 45)
        assert await talk.services.history_extraction.begin(ANNA.id, *done.ids) == "busy"
    (tmp_path / "index.db").unlink()
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.services.history_extraction.wait_until_idle()
        requests = asked(talk)
        assert [sum(f"number {number}." in request for request in requests) for number in range(45)] == [0] * 20 + [
            1
        ] * 25
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None


async def test_it_can_be_stopped_and_goes_on_where_it_was(talk: Talk) -> None:
    history_extraction = talk.services.history_extraction
    done = await imported(talk, chat(*(f"I own boat number {number}." for number in range(30))))
    assert done.ids is not None
    talk.server.script_schema("facts", answer(), Behaviour(hold="start", text=answer(told("Anna owns boats.", -20))))
    await history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.until_held()
    await history_extraction.stop(ANNA.id)
    await talk.server.release()
    await history_extraction.wait_until_idle()
    assert await known(talk) == [], "what was being read is not learned from any more"
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    ahead = await history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert ahead.messages == 10
    talk.server.requests.clear()
    await extracted(talk, done)
    [request] = asked(talk)
    assert "number 19." not in request
    assert "number 20." in request


async def test_it_goes_on_where_it_was_though_its_beginning_was_forgotten(talk: Talk) -> None:
    history_extraction = talk.services.history_extraction
    done = await imported(talk, chat(*(f"I own boat number {number}." for number in range(45))))
    assert done.ids is not None
    assert await left(talk, done) == 45
    talk.server.script_schema("facts", answer(), Behaviour(hold="start", text=answer()))
    await history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.until_held()
    await history_extraction.stop(ANNA.id)
    assert await left(talk, done) == 25
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(done.ids[0],)))
    await talk.server.release()
    await history_extraction.wait_until_idle()
    talk.server.requests.clear()
    talk.server.script_schema("facts", Behaviour(hold="start", text=answer()))
    assert await history_extraction.begin(ANNA.id, *done.ids) == "begun"
    await talk.server.until_held(2)
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (19, 44)
    await talk.server.release()
    await history_extraction.wait_until_idle()
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    assert [sum(f"number {number}." in request for request in asked(talk)) for number in range(45)] == [0] * 20 + [
        1
    ] * 25
    assert await history_extraction.estimate_cost(ANNA.id, *done.ids) is None


async def test_what_was_learned_from_is_passed_over_whichever_extraction_it_was(talk: Talk) -> None:
    """A later file's history lies below an earlier one's; a range of both pays for neither twice."""
    history_extraction = talk.services.history_extraction
    early = await imported(talk, chat("I own a boat."))
    late = await imported(talk, chat("I own a canoe.", first=9, days=9))
    assert early.ids is not None
    assert late.ids is not None
    await extracted(talk, early)
    await extracted(talk, late)
    assert await history_extraction.begin(ANNA.id, *early.ids) == "nothing"
    between = await imported(talk, chat("I own a raft.", "I own a kayak.", first=5, days=5))
    assert between.ids is not None
    talk.server.requests.clear()
    ahead = await history_extraction.estimate_cost(ANNA.id, between.ids[0], early.ids[1])
    assert ahead is not None
    assert ahead.messages == 2
    assert await history_extraction.begin(ANNA.id, between.ids[0], early.ids[1]) == "begun"
    await history_extraction.wait_until_idle()
    [request] = asked(talk)
    assert "boat" not in request
    assert "raft" in request
    assert await history_extraction.begin(ANNA.id, between.ids[0], early.ids[1]) == "nothing"


async def test_a_spent_budget_puts_it_off_to_the_next_day(tmp_path: Path) -> None:
    async with talking(tmp_path, daily_token_budget_per_user=500) as talk:
        await talk.remember()
        done = await imported(talk, chat("I live in Oslo."))
        await extracted(talk, done)
        assert asked(talk) == []
        assert (await talk.services.summaries.read_status(SCOPE)).history_extraction == (0, 1)


async def test_a_failing_model_is_asked_again_later_and_live_talk_is_learned_meanwhile(talk: Talk) -> None:
    done = await imported(talk, chat("I live in Oslo."))
    talk.server.default_schema("facts", Behaviour(status=401))
    await extracted(talk, done)
    assert await talk.services.facts.try_to_learn_from_history(SCOPE) is False
    assert len(asked(talk)) == 1
    talk.server.default_schema("facts", answer(told("Anna sails.", 1)))
    await talk.say("I sail.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna sails."]
    talk.moment[0] += timedelta(minutes=2)
    talk.server.default_schema("facts", answer(lives("Oslo", -2)))
    assert await talk.services.facts.try_to_learn_from_history(SCOPE)
    assert await valid(talk) == ["Anna sails.", "Anna lives in Oslo."]


async def held_extraction(talk: Talk) -> tuple[int, int]:
    """Thirty boats, of which twenty are learned from when the model is waited for; the first and the last of them."""
    done = await imported(talk, chat(*(f"I own boat number {number}." for number in range(30))))
    assert done.ids is not None
    talk.server.script_schema("facts", answer(), Behaviour(hold="start", text=answer()))
    await talk.services.history_extraction.begin(ANNA.id, *done.ids)
    await talk.server.until_held()
    return done.ids


async def test_an_extraction_of_which_the_rest_is_forgotten_has_ended(talk: Talk) -> None:
    history_extraction = talk.services.history_extraction
    first, last = await held_extraction(talk)
    ahead = tuple(range(first + 20, last + 1))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=ahead))
    await talk.server.release()
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    again = await imported(talk, chat(*(f"I own boat number {number}." for number in range(30))))
    assert again.ids is not None
    assert await history_extraction.begin(ANNA.id, *again.ids) == "begun"
    await history_extraction.wait_until_idle()


async def forget_day(talk: Talk, days: int) -> None:
    """The day of `chat(…, days=days)`."""
    day = BEGAN.replace(hour=0) + timedelta(days=days)
    await talk.services.corrections.forget(
        ANNA.id, ForgetRequest(what="dates", since=day, until=day + timedelta(days=1))
    )


@pytest.mark.parametrize("forgotten", ["the last that was learned from", "one learned from before", "all"])
async def test_history_that_comes_after_a_forgotten_one_was_never_learned_from(talk: Talk, forgotten: str) -> None:
    """Nor was the forgotten file where it is imported again."""
    history_extraction = talk.services.history_extraction
    boats, pets = chat("I own a boat.", "It rains."), chat("I own a dog.", "It snows.", first=50, days=500)
    await extracted(talk, await imported(talk, boats))
    await extracted(talk, await imported(talk, pets))
    if forgotten != "one learned from before":
        await forget_day(talk, 500)
    if forgotten != "the last that was learned from":
        await forget_day(talk, 0)
    talk.server.requests.clear()
    fresh = await imported(talk, chat("I own a cat.", first=90, days=900))
    assert fresh.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *fresh.ids)
    assert ahead is not None
    assert ahead.messages == 1
    await extracted(talk, fresh)
    [request] = asked(talk)
    assert "I own a cat." in request
    again = await imported(talk, boats if forgotten == "one learned from before" else pets)
    assert again.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *again.ids)
    assert ahead is not None
    assert ahead.messages == 2
    await extracted(talk, again)


async def test_the_end_of_a_file_that_is_imported_again_was_never_learned_from(talk: Talk) -> None:
    """There would be room for it where it had been."""
    data = chat("I own a boat.", "I own a canoe.", "I own a raft.")
    await extracted(talk, await imported(talk, data))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(-4, -3, -2, -1)))
    talk.server.requests.clear()
    again = await imported(talk, data)
    assert (again.messages, again.known) == (4, 2)
    await extracted(talk, again)
    [request] = asked(talk)
    assert ["boat" in request, "canoe" in request, "raft" in request] == [False, True, True]


async def test_an_extraction_under_way_reads_nothing_that_comes_in_meanwhile(talk: Talk) -> None:
    """Not in the place of what was forgotten of it either."""
    first, last = await held_extraction(talk)
    most = tuple(range(first, last - 3))
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=most))
    await talk.server.release()
    talk.server.requests.clear()
    await imported(talk, chat(*(f"I own dog number {number}." for number in range(20)), first=90, days=900))
    while await talk.services.facts.try_to_learn_from_history(SCOPE):
        pass
    assert not [request for request in asked(talk) if "dog" in request]


@pytest.mark.parametrize("then", ["nothing", "of what was imported before it", "of what was imported after it"])
async def test_a_fact_that_falls_with_another_is_learned_again_whatever_was_learned_from_then(
    talk: Talk, then: str
) -> None:
    """From its own source alone, which stays: nothing else is paid for twice."""
    other = chat("I own a boat.", first=90, days=900)
    cook = await imported(talk, chat("I cook at the Heliotrope Bakery."))
    boat = await imported(talk, other) if then == "of what was imported before it" else None
    chef = await imported(talk, chat("I am the head chef now.", "It rains.", first=50, days=500))
    assert cook.ids is not None
    assert chef.ids is not None
    cooks = told("Anna cooks at the Heliotrope Bakery.", cook.ids[0])
    talk.server.default_schema("facts", answer(cooks))
    await extracted(talk, cook)
    leads = told("Anna is the head chef of the Heliotrope Bakery.", chef.ids[0], replaces=1)
    talk.server.default_schema("facts", answer(leads))
    await extracted(talk, chef)
    talk.server.default_schema("facts", answer())
    if then == "of what was imported after it":
        boat = await imported(talk, other)
    if boat is not None:
        await extracted(talk, boat)
    assert await valid(talk) == ["Anna is the head chef of the Heliotrope Bakery."]
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=cook.ids))
    assert await known(talk) == []
    talk.server.requests.clear()
    talk.server.default_schema("facts", answer(told("Anna is a head chef.", chef.ids[0])))
    assert await talk.services.facts.try_to_learn_from_history(SCOPE)
    [request] = asked(talk)
    assert ["head chef now" in request, "It rains." in request, "boat" in request] == [True, False, False]
    assert await valid(talk) == ["Anna is a head chef."]
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None


async def test_while_memory_is_off_nothing_is_offered_nor_begun(talk: Talk) -> None:
    history_extraction, memory = talk.services.history_extraction, talk.services.memory
    done = await imported(talk, chat("I live in Oslo."))
    assert done.ids is not None
    await memory.set_enabled(ANNA.id, enabled=False)
    assert await history_extraction.estimate_cost(ANNA.id, *done.ids) is None
    assert await history_extraction.begin(ANNA.id, *done.ids) == "off"
    await memory.set_enabled(ANNA.id, enabled=True)
    await memory.change_config(ANNA.id, lambda chosen: replace(chosen, incognito=True))
    assert await history_extraction.begin(ANNA.id, *done.ids) == "off"
    await memory.change_config(ANNA.id, lambda chosen: replace(chosen, incognito=False))
    assert (await talk.services.summaries.read_status(SCOPE)).history_extraction is None
    await extracted(talk, done)
    assert len(asked(talk)) == 1


async def test_what_is_forgotten_goes_with_its_facts_and_live_talk_is_not_learned_again(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(told("Anna sails.", 1)))
    await talk.say("I sail.")
    await talk.services.facts.learn(SCOPE)
    done = await imported(talk, chat("I live in Oslo.", "I live in Bergen now, no longer in Oslo."))
    talk.server.default_schema("facts", answer(lives("Oslo", -4), lives("Bergen", -2)))
    await extracted(talk, done)
    assert await valid(talk) == ["Anna sails.", "Anna lives in Bergen."]
    talk.server.requests.clear()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(-2,)))
    await talk.services.facts.learn_from_idle_scopes()
    assert asked(talk) == []
    assert await valid(talk) == ["Anna sails.", "Anna lives in Oslo."]


async def test_an_import_that_broke_off_offers_all_of_its_messages_in_the_end(talk: Talk) -> None:
    """Those of the run that broke off too, and none of another file that came between."""
    data = chat(*(f"I own boat number {number}." for number in range(120)))

    async def breaking(done: int, total: int) -> None:
        raise RuntimeError

    importer, history_extraction = talk.services.importer, talk.services.history_extraction
    other = await imported(talk, chat("I sail.", first=200))
    with pytest.raises(RuntimeError):
        await importer.import_file(SCOPE, ANNA.id, data, progress=breaking)
    await imported(talk, chat("I swim.", first=300))
    done = await imported(talk, data)
    assert (done.messages, done.known) == (140, 100)
    assert done.ids is not None
    ahead = await history_extraction.estimate_cost(ANNA.id, *done.ids)
    assert ahead is not None
    assert ahead.messages == 120
    assert other.ids == (-2, -1)
    assert done.ids == (-242, -3)


async def test_a_file_that_is_known_is_offered_where_it_was_not_learned_from(talk: Talk) -> None:
    """An import may have ended with its last message, and its receipt never have come."""
    data = chat("I live in Oslo.", "It rains.")
    done = await imported(talk, data)
    await imported(talk, chat("I swim.", first=300))
    plan = await talk.services.importer.plan(SCOPE, ANNA.id, data)
    assert (plan.new_message_count, plan.ids) == (0, done.ids)
    assert (await talk.services.importer.plan(SCOPE, ANNA.id, chat("I sail.", first=9))).ids is None


async def test_where_facts_are_off_it_is_not_offered(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talk.remember()
        done = await imported(talk, chat("I live in Oslo."))
        assert done.ids is not None
        assert await talk.services.history_extraction.estimate_cost(ANNA.id, *done.ids) is None


async def test_of_a_groups_history_everybodys_words_are_its_own(talk: Talk) -> None:
    group = Scope(owner=-500)

    async def progress(done: int, total: int) -> None:
        """Nobody watches."""

    done = await talk.services.importer.import_file(group, ANNA.id, chat("I sail."), progress=progress)
    assert done.ids is not None
    ahead = await talk.services.history_extraction.estimate_cost(group.owner, *done.ids)
    assert ahead is not None
    assert ahead.messages == 2
