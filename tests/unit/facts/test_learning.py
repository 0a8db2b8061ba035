"""Facts through the whole program: when they are learned, from what, and that a failure touches nothing else."""

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
from tests.support.talk import ANNA, Talk, talking
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=50, storage=storage)
        yield talk


def told(text: str, message: int, *, replaces: int | None = None, **keys: str) -> dict[str, Any]:
    return {"message": message, "text": text, "type": "state", "replaces": replaces, **keys}


def single(text: str, message: int, attribute: str, about: str = "Anna") -> dict[str, Any]:
    """A fact that gives something of which there is only one."""
    return told(text, message) | {"about": about, "attribute": attribute, "is_single": True}


def answer(*facts: Mapping[str, Any]) -> str:
    return json.dumps({"facts": facts})


async def known(talk: Talk) -> list[Fact]:
    return await talk.services.facts.list_all(ANNA.id)


async def valid(talk: Talk) -> list[str]:
    return [fact.text for fact in await known(talk) if fact.is_valid]


async def said(talk: Talk, *texts: str) -> None:
    for text in texts:
        await talk.say(text)


def asked(talk: Talk) -> list[Sequence[Mapping[str, str]]]:
    return [request.messages for request in talk.server.asked_for("facts")]


async def test_four_waiting_turns_are_learned_from_at_once(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(single("Anna lives in Oslo.", 1, "home")))
    for text in ("I live in Oslo.", "It rains.", "What a day!"):
        await talk.turn(text)
    assert asked(talk) == []
    await talk.turn("Good night.")
    (request,) = asked(talk)
    assert [text in request[1]["content"] for text in ("I live in Oslo.", "Good night.")] == [True, True]
    (fact,) = await known(talk)
    assert (fact.text, fact.source_ids, fact.importance, fact.subject) == ("Anna lives in Oslo.", (1,), 0.5, "home")
    await talk.turn("One more.")
    assert len(asked(talk)) == 1


async def test_a_pause_is_enough_for_less(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(told("Anna lives in Oslo.", 1)))
    await talk.turn("I live in Oslo.")
    await talk.services.facts.learn_from_idle_scopes()
    assert await valid(talk) == []
    talk.moment[0] += timedelta(minutes=3)
    await talk.services.facts.learn_from_idle_scopes()
    assert await valid(talk) == ["Anna lives in Oslo."]
    await talk.services.facts.learn_from_idle_scopes()
    assert len(asked(talk)) == 1


async def test_what_is_folded_was_learned_from_before(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(told("Anna lives in Oslo.", 1)))
    await talk.turn("I live in Oslo.")
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    kinds = [request.schema for request in talk.server.requests if request.model == "summary-model"]
    assert kinds == ["facts", ""]
    assert await valid(talk) == ["Anna lives in Oslo."]


async def test_a_fold_whose_messages_are_forgotten_while_facts_are_learned_covers_what_is_left(talk: Talk) -> None:
    await said(talk, "I live in Oslo.", "It rains.")
    talk.server.script_schema("facts", Behaviour(text=answer(), hold="start"))
    folding = asyncio.create_task(talk.services.summaries.fold(SCOPE, "now"))
    await talk.server.until_held()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(1,)))
    await talk.server.release()
    outcome = await folding
    assert outcome.state == "folded", "whoever asks in that instant is not told that the memory cannot be read"
    assert [made.message_count for made in outcome.summaries] == [3]
    assert all("Oslo" not in str(request.messages) for request in talk.server.of("s"))


@pytest.mark.parametrize("policy", POLICIES)
async def test_each_policy_leaves_what_there_is_to_learn(tmp_path: Path, policy: Policy) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=3)
        await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, policy=policy))
        for number in range(12):
            await talk.turn(f"Point {number}.")
        seen = "".join(request[1]["content"] for request in asked(talk))
        assert all(f": Point {number}." in seen for number in range(12))
        assert len(asked(talk)) <= 4


async def test_only_the_persons_own_words_can_be_learned(talk: Talk) -> None:
    forwarded: Origin = "forwarded"
    incoming = talk.incoming("[Forwarded from Olga]\nI live in Rome.")
    await talk.conversation.reply(
        replace(incoming, pieces=tuple(replace(piece, origin=forwarded) for piece in incoming.pieces))
    )
    talk.server.script("chat-model", "You live in Paris, I think.")
    await talk.say("Guess where I live.")
    talk.server.default_schema(
        "facts",
        answer(told("Anna lives in Rome.", 1), told("Anna lives in Paris.", 4), told("Anna lives in Paris.", 3)),
    )
    await talk.services.facts.learn(SCOPE)
    (request,) = asked(talk)
    assert "Rome" not in request[1]["content"]
    assert "#3 [" in request[1]["content"]
    assert "#4" not in request[1]["content"]
    assert await known(talk) == []


async def test_what_could_not_be_answered_yields_nothing(talk: Talk) -> None:
    talk.server.script("chat-model", Behaviour(status=401))
    assert (await talk.say("I live in Oslo.")).is_error
    await talk.say("I live in Bergen.")
    talk.server.default_schema("facts", answer(told("Anna lives in Bergen.", 2)))
    await talk.services.facts.learn(SCOPE)
    (request,) = asked(talk)
    assert "Oslo" not in request[1]["content"]
    assert await valid(talk) == ["Anna lives in Bergen."]


@pytest.mark.parametrize(
    "bad",
    [Behaviour(text="The user talked."), Behaviour(text='{"facts": "none"}'), Behaviour(text="[1, 2]")],
    ids=["prose", "shape", "numbers"],
)
async def test_an_answer_that_is_no_list_is_repaired_once(talk: Talk, bad: Behaviour) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema("facts", bad, answer(told("Anna lives in Oslo.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert len(asked(talk)) == 2
    assert asked(talk)[1][-1]["role"] == "user"
    assert await valid(talk) == ["Anna lives in Oslo."]
    await talk.say("I live in Oslo, really.")
    talk.server.default_schema("facts", bad)
    await talk.services.facts.learn(SCOPE)
    assert len(asked(talk)) == 4
    await talk.services.facts.learn(SCOPE)
    assert len(asked(talk)) == 4, "what cannot be read is passed over, not asked for ever"
    assert await valid(talk) == ["Anna lives in Oslo."]


async def test_a_fact_is_held_to_what_the_model_could_read_of_a_long_message(talk: Talk) -> None:
    """Patterns take seconds for a hundred thousand characters, and of a long message the model sees both ends."""
    filler = "It was a long day. " * 1_000
    await talk.say(f"I live in Oslo. {filler} My locker has the number 4711. {filler} I work in Bergen.")
    facts = told("Anna lives in Oslo.", 1), told("Anna's locker has number 4711.", 1), told("Anna works in Bergen.", 1)
    talk.server.default_schema("facts", answer(*facts))
    await talk.services.facts.learn(SCOPE)
    assert "4711" not in str(asked(talk)[-1])
    assert await valid(talk) == ["Anna lives in Oslo.", "Anna works in Bergen."]


async def test_a_failing_extraction_is_tried_again_and_disturbs_no_fold(talk: Talk) -> None:
    await talk.remember(every_n=4, storage=(await talk.services.memory.get_config(ANNA.id)).storage)  # type: ignore[union-attr]
    talk.server.default_schema("facts", Behaviour(status=500))
    for text in ("I live in Oslo.", "It rains.", "It pours."):
        assert await talk.turn(text) == ()
    assert await talk.turn("Still.") == ()
    assert len(await talk.services.summaries.list_active_summaries(SCOPE)) == 1
    assert await known(talk) == []
    talk.server.default_schema("facts", answer(told("Anna lives in Oslo.", 1)))
    talk.moment[0] += timedelta(minutes=10)
    await talk.services.facts.learn_from_idle_scopes()
    assert await valid(talk) == ["Anna lives in Oslo."]


async def test_an_endpoint_without_response_format_is_asked_without(talk: Talk) -> None:
    refusing = Behaviour(text=answer(told("Anna lives in Oslo.", 1)), refuses=("response_format",))
    talk.server.default_schema("facts", refusing)
    talk.server.default("summary-model", answer(told("Anna lives in Oslo.", 1, quote="I live in Oslo")))
    await talk.say("I live in Oslo.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Oslo."]
    assert len(asked(talk)) == 1
    assert len(talk.server.of("summary-model")) == 1


async def test_what_was_forgotten_meanwhile_is_not_learned(talk: Talk) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema("facts", Behaviour(text=answer(told("Anna lives in Oslo.", 1)), hold="start"))
    learning = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.until_held()
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(1,)))
    await talk.server.release()
    with pytest.raises(StaleFacts):
        await learning
    assert await known(talk) == []


async def test_what_was_edited_meanwhile_is_learned_again(talk: Talk) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema("facts", Behaviour(text=answer(told("Anna lives in Oslo.", 1)), hold="start"))
    learning = asyncio.create_task(talk.services.facts.learn_before_fold(SCOPE, [1]))
    await talk.server.until_held()
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, 1, "I live in Bergen.", reason="edited", now=talk.moment[0]
        )
    await talk.server.release()
    await learning
    assert await known(talk) == []
    talk.server.default_schema("facts", answer(told("Anna lives in Bergen.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Bergen."]


async def test_what_two_threads_teach_at_the_same_moment_is_stored_once(talk: Talk) -> None:
    there = Scope(owner=ANNA.id, thread=4)
    await talk.say("I live in Oslo.")
    await talk.say("I live in Oslo, as always.", thread=there.thread)
    oslo = (told("Anna lives in Oslo.", 1), told("Anna lives in Oslo.", 3))
    talk.server.script_schema("facts", *(Behaviour(text=answer(statement), hold="start") for statement in oslo))
    here = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.until_held(1)
    elsewhere = asyncio.create_task(talk.services.facts.learn(there))
    await talk.server.until_held(2)
    await talk.server.release(2)
    assert sorted(map(len, await asyncio.gather(here, elsewhere))) == [0, 1]
    (fact,) = await known(talk)
    assert (fact.text, sorted(fact.source_ids)) == ("Anna lives in Oslo.", [1, 3])
    assert len(asked(talk)) == 2, "nothing is asked again because somebody was faster"


async def test_a_move_that_another_thread_tells_meanwhile_ends_the_old_home(talk: Talk) -> None:
    there = Scope(owner=ANNA.id, thread=4)
    await talk.say("I live in Oslo.")
    await talk.say("I live in Bergen now.", thread=there.thread)
    bergen = Behaviour(text=answer(single("Anna lives in Bergen.", 3, "home")), hold="start")
    talk.server.script_schema("facts", bergen, answer(single("Anna lives in Oslo.", 1, "home")))
    moved = asyncio.create_task(talk.services.facts.learn(there))
    await talk.server.until_held()
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Oslo."]
    await talk.server.release()
    await moved
    assert await valid(talk) == ["Anna lives in Bergen."]


async def test_the_same_messages_are_not_asked_about_twice_at_the_same_moment(talk: Talk) -> None:
    await talk.say("I live in Oslo.")
    talk.server.script_schema("facts", Behaviour(text=answer(told("Anna lives in Oslo.", 1)), hold="start"))
    learning = asyncio.create_task(talk.services.facts.learn(SCOPE))
    await talk.server.until_held()
    assert await talk.services.facts.learn(SCOPE) == []
    await talk.services.facts.learn_before_fold(SCOPE, [1])
    await talk.server.release()
    assert [fact.text for fact in await learning] == ["Anna lives in Oslo."]
    assert len(asked(talk)) == 1


async def test_nothing_is_learned_while_facts_are_off(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talk.remember(every_n=50)
        for number in range(6):
            await talk.turn(f"Point {number}.")
        talk.moment[0] += timedelta(hours=1)
        await talk.services.facts.learn_from_idle_scopes()
        assert asked(talk) == []


async def test_talk_from_before_facts_were_is_not_paid_for(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talk.remember(every_n=50)
        await said(talk, "I live in Oslo.", "It rains.")
        await talk.services.summaries.fold(SCOPE, "now")
        await talk.say("It pours.")
    async with talking(tmp_path) as talk:
        await talk.services.facts.learn(SCOPE)
        (request,) = asked(talk)
        assert ["Oslo" in request[1]["content"], "pours" in request[1]["content"]] == [False, True]


async def test_dates_are_written_in_the_owners_zone(talk: Talk) -> None:
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, timezone="Pacific/Auckland"))
    talk.moment[0] = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
    await talk.say("Yesterday I bought a boat.")
    assert "It is now 2026-11-21 12:00 Pacific/Auckland." in talk.prompts()[-1]
    talk.server.default_schema("facts", answer(told("Anna has had a boat since 2026-11-20.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert "[2026-11-21 12:00, Saturday] Anna: Yesterday" in asked(talk)[0][1]["content"]
    (fact,) = await known(talk)
    assert fact.valid_from == datetime(2026, 11, 19, 11, 0, tzinfo=UTC)


async def test_a_request_keeps_to_the_window(tmp_path: Path) -> None:
    async with talking(tmp_path, max_context_tokens=1500) as talk:
        await talk.remember(every_n=50)
        for number in range(6):
            await talk.say(f"Point {number}. " + "The weather was fine and the sea was calm. " * 40)
        await talk.services.facts.learn(SCOPE)
        assert len(asked(talk)) > 1
        seen = "".join(request[1]["content"] for request in asked(talk))
        assert all(f"Point {number}." in seen for number in range(6))
        count = Tokenizer.for_model("summary-model")
        for request in talk.server.asked_for("facts"):
            schema = json.dumps(request.body["response_format"]["json_schema"])
            used = sum(
                3 + count.count(message["role"]) + count.count(message["content"]) for message in request.messages
            )
            assert 3 + used + count.count(schema) <= 1500


async def test_facts_move_with_their_owner(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=50)
        talk.server.default_schema("facts", answer(told("Anna lives in Oslo.", 1)))
        await talk.say("I live in Oslo.")
        await talk.services.facts.learn(SCOPE)
        await talk.remember(every_n=50, storage=StorageType.JSON)
        assert await valid(talk) == ["Anna lives in Oslo."]
    async with talking(tmp_path) as again:
        assert await valid(again) == ["Anna lives in Oslo."]
        await again.remember(every_n=50)
        assert await valid(again) == ["Anna lives in Oslo."]
        assert "Oslo" not in (tmp_path / "memory.json").read_text(encoding="utf-8")


async def test_a_fact_comes_with_its_question(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=50)
        await talk.say("Since May the harbour with the red cranes is what I see from my kitchen.")
        for number in range(12):
            await talk.say(f"Point {number}: the weather was fine and the sea was calm.")
        talk.server.default_schema("facts", answer(told("Anna's flat is beside a harbour.", 1)))
        await talk.services.facts.learn(SCOPE)
        reply = await talk.say("Tell me of the flat.")
        assert reply.context is not None
        assert [fact.fact.text for fact in reply.context.facts] == ["Anna's flat is beside a harbour."]
        request = talk.server.of("chat-model")[-1].messages
        assert [message["role"] for message in request].count("system") == 1
        assert "[fact 1 · said 2026-11-21] Anna's flat is beside a harbour." in request[-1]["content"]


async def test_nothing_of_one_owner_is_known_of_another(talk: Talk) -> None:
    talk.server.default_schema("facts", answer(told("Anna lives in Oslo.", 1)))
    await talk.say("I live in Oslo.")
    await talk.services.facts.learn(SCOPE)
    group = Scope(owner=-5)
    await talk.remember(owner=-5, every_n=50)
    incoming = UserMessage(scope=group, person=ANNA, in_group=True, pieces=talk.incoming("Where do I live?").pieces)
    reply = await talk.conversation.reply(incoming)
    assert reply.context is not None
    assert reply.context.facts == ()
    assert "Oslo" not in talk.prompts()[-1]


async def test_the_account_names_facts_and_profile(talk: Talk) -> None:
    talk.server.default_schema("profile", json.dumps({"profile": "Anna plays the cello."}))
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


async def test_turns_without_a_list_are_asked_about_again_one_by_one(talk: Talk) -> None:
    await said(talk, "I live in Oslo.", "It rains.", "I own a boat.", "It pours.")
    boat, bad = answer(told("Anna owns a boat.", 5)), Behaviour(text="Well, well.")
    # The request, its repair, and each turn.
    talk.server.script_schema("facts", bad, bad, answer(told("Anna lives in Oslo.", 1)), bad, boat, bad)
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Oslo.", "Anna owns a boat."]
    lines = [request[1]["content"].count("] Anna: ") for request in asked(talk)]
    assert lines == [4, 4, 1, 1, 1, 1]
    await talk.services.facts.learn(SCOPE)
    assert len(asked(talk)) == 6


async def test_turns_whose_facts_are_all_refused_are_asked_about_again_one_by_one(talk: Talk) -> None:
    """A model of 1.5 billion parameters explained the heat pump, or repeated <known>, and missed the home beside it."""
    await said(talk, "Can you explain what a heat pump does?", "We live in Freiburg.", "It rains.", "I own a boat.")
    pump = answer(told("A heat pump moves heat.", 1, quote="Can you explain what a heat pump does?"))
    home = answer(told("Anna lives in Freiburg.", 3, quote="We live in Freiburg"))
    talk.server.script_schema("facts", pump, pump, home, answer(), answer(told("Anna owns a boat.", 7)))
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Freiburg.", "Anna owns a boat."]
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4, 1, 1, 1, 1]


async def test_a_number_that_the_person_denies_ends_the_fact_that_has_it(talk: Talk) -> None:
    """A model of 1.5 billion parameters called the correction an instruction that replaces nothing."""
    rent, said_again = told("Anna's rent is 940 euros a month.", 1), "Correction: my rent is 980 euros, not 940."
    talk.server.script_schema("facts", answer(rent | {"quote": "My rent is 940 euros a month"}))
    await said(talk, "My rent is 940 euros a month. Tim owes me 940 euros since May.")
    await talk.services.facts.learn(SCOPE)
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Tim owes Anna 940 euros since May.")
    correction = told("My rent is 940 euros a month.", 3, quote="rent", about="rent", attribute="value")
    talk.server.script_schema("facts", answer(correction | {"type": "instruction"}))
    await said(talk, said_again)
    await talk.services.facts.learn(SCOPE)
    assert sorted(await valid(talk)) == [f"Anna: {said_again.rstrip('.')}", "Tim owes Anna 940 euros since May."]


async def test_a_model_that_finds_more_in_single_turns_is_asked_about_one_at_a_time(talk: Talk) -> None:
    """Of 35 facts, a model of 1.5 billion parameters found 16 in lists of four turns, and 24 in single ones."""
    rain = told("Rain is water.", 1, quote="nobody said this")
    for batch in range(3):  # one fact of each list is right, and one is not: three turns are asked about again
        ids = [8 * batch + 2 * place + 1 for place in range(4)]
        boats = [answer(told(f"Anna owns a boat called Boat{i}.", i, quote=f"boat called Boat{i}")) for i in ids]
        with_rain = answer(json.loads(boats[0])["facts"][0], rain)
        talk.server.script_schema("facts", with_rain, *boats[1:])
        await said(talk, *(f"I own a boat called Boat{number}." for number in ids))
        await talk.services.facts.learn(SCOPE, min_turns=4)
    assert len(await valid(talk)) == 12
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4, 1, 1, 1] * 3
    talk.server.default_schema("facts", answer())
    await said(talk, "It rains.", "It pours.", "It snows.", "It hails.")
    await talk.services.facts.learn(SCOPE, min_turns=4)
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)[12:]] == [1, 1, 1, 1]


async def test_a_model_that_finds_no_more_in_single_turns_is_asked_about_all_at_once(talk: Talk) -> None:
    rain = answer(told("Anna sails.", 1, quote="I sail"), told("Rain is water.", 3, quote="nobody said this"))
    for _ in range(4):
        talk.server.script_schema("facts", rain, answer(), answer(), answer())
        await said(talk, "I sail.", "It rains.", "It pours.", "It snows.")
        await talk.services.facts.learn(SCOPE, min_turns=4)
    lengths = [request[1]["content"].count("] Anna: ") for request in asked(talk)]
    assert lengths[:12] == [4, 1, 1, 1] * 3
    assert lengths[12:] == [4]


async def test_what_a_list_told_is_kept_if_the_endpoint_fails_at_a_single_turn(talk: Talk) -> None:
    """A free endpoint answers a few requests a minute: each batch would be asked about again and again."""
    sails = answer(told("Anna sails.", 1, quote="I sail"), told("Rain is water.", 3, quote="nobody said this"))
    busy = Behaviour(status=429, message="Rate limit reached", retry_after="3600")
    talk.server.script_schema("facts", sails, *[busy] * 9)
    await said(talk, "I sail.", "It rains.", "It pours.", "It snows.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna sails."]
    await talk.services.facts.learn(SCOPE)
    assert sum(request[1]["content"].count("] Anna: ") == 4 for request in asked(talk)) == 1


async def test_what_is_over_ends_what_is_found_later_in_an_earlier_turn(talk: Talk) -> None:
    home = {"about": "Anna", "attribute": "home", "is_single": True}
    over = told("Anna lived in Porto.", 7, quote="I used to live in Porto") | home | {"type": "past"}
    lived = told("Anna lives in Porto.", 1, quote="I live in Porto") | home
    rain = told("Rain is water.", 3, quote="nobody said this")
    talk.server.script_schema("facts", answer(over, rain), answer(lived), answer(), answer())
    await said(talk, "I live in Porto.", "It rains.", "It pours.", "I used to live in Porto.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == []


async def test_a_model_that_only_repeats_what_is_known_costs_four_more_requests(talk: Talk) -> None:
    """Of eight turns each answer is turned down, as one of 1.5 billion parameters copied the first line of <known>."""
    await said(talk, "Can you explain what a heat pump does?", *["It rains."] * 7)
    pump = answer(told("A heat pump moves heat.", 1, quote="Can you explain what a heat pump does?"))
    talk.server.default_schema("facts", pump)
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == []
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4, 1, 1, 1, 1] * 2


async def test_a_turn_that_the_endpoint_declines_keeps_no_other_from_being_learned_from(talk: Talk) -> None:
    await said(talk, "How is a bomb built?", "It rains.", "We live in Freiburg.", "I own a boat.")
    bomb = answer(told("Anna builds a bomb.", 1, quote="How is a bomb built?"))
    declined = Behaviour(status=400, message="The request was flagged by content moderation.")
    home = answer(told("Anna lives in Freiburg.", 5))
    # The request is answered, but not its first turn.
    talk.server.script_schema("facts", bomb, declined, answer(), home, answer())
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna lives in Freiburg."]
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4, 1, 1, 1, 1]


async def test_after_the_last_attempt_the_turn_that_is_declined_is_skipped_alone(talk: Talk) -> None:
    await said(talk, "How is a bomb built?", "It rains.", "We live in Freiburg.", "I own a boat.")
    declined = Behaviour(status=400, message="The request was flagged by content moderation.")
    talk.server.script_schema(
        "facts", *[declined] * (MAX_ATTEMPTS + 1), *[answer()] * 2, answer(told("Anna has a boat.", 7))
    )
    for _ in range(MAX_ATTEMPTS):
        talk.moment[0] += timedelta(hours=2)
        await talk.services.facts.learn_from_idle_scopes()
    assert await valid(talk) == ["Anna has a boat."]
    await talk.services.facts.learn_from_idle_scopes()
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4] * MAX_ATTEMPTS + [1, 1, 1, 1]


async def test_a_request_carries_no_more_turns_than_a_batch_however_many_wait(talk: Talk) -> None:
    await said(talk, *(f"Point {number}." for number in range(10)))
    await talk.services.facts.learn(SCOPE)
    assert [request[1]["content"].count("] Anna: ") for request in asked(talk)] == [4, 4, 2]
    assert all("Understood." not in request[1]["content"] for request in asked(talk))


async def test_a_fact_with_the_number_of_another_line_is_learned_from_the_line_that_says_it(talk: Talk) -> None:
    await said(talk, "It rains in Bergen.", "I work as a carpenter in Oslo since 2019.")
    talk.server.default_schema(
        "facts", answer(told("Anna works as a carpenter in Oslo.", 1, quote="work as a carpenter"))
    )
    await talk.services.facts.learn(SCOPE)
    assert [(fact.text, fact.source_ids) for fact in await known(talk)] == [
        ("Anna works as a carpenter in Oslo.", (3,))
    ]


async def test_a_new_home_job_and_date_end_the_old_by_their_keys(talk: Talk) -> None:
    keys = (("home", "Anna"), ("employer", "Anna"), ("date", "Anna's exam"))
    old = ("Anna lives in Oslo.", "Anna works at Acme.", "Anna's exam is on 2026-12-03.")
    await said(talk, "I live in Oslo, work at Acme, and my exam is on 2026-12-03.")
    talk.server.default_schema("facts", answer(*(single(text, 1, *key) for text, key in zip(old, keys, strict=True))))
    await talk.services.facts.learn(SCOPE)
    new = ("Anna has moved to Bergen.", "Anna works for Bolt.", "Anna's exam is on 2026-12-10.")
    await said(talk, "I have moved to Bergen, work for Bolt, and my exam is on 2026-12-10.")
    talk.server.default_schema("facts", answer(*(single(text, 3, *key) for text, key in zip(new, keys, strict=True))))
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == list(new)


PORTO = "Anna lives in Porto."


@pytest.mark.parametrize("decision", ["edit", "pin", "delete", "end"])
async def test_nothing_said_before_a_decision_brings_the_old_value_back(talk: Talk, decision: str) -> None:
    talk.server.default_schema("facts", answer(single(PORTO, 1, "home")))
    await said(talk, "I live in Porto near the river.")
    await talk.services.facts.learn(SCOPE)
    (fact,) = await known(talk)
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
    assert await valid(talk) == stands, "the same message was read again"
    assert f"{fact.id} · " in asked(talk)[-1][1]["content"], "the model is shown what was decided"
    assert all(fact.is_pinned == (decision == "pin") for fact in await known(talk) if fact.is_valid)
    talk.server.default_schema("facts", answer(single(PORTO, 3, "home") | {"quote": "Porto"}))
    await said(talk, "How is the weather in Porto?")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == stands, "a question states nothing"
    talk.server.default_schema("facts", answer(single(PORTO, 5, "home") | {"quote": "i moved back to porto"}))
    await said(talk, "I moved back to Porto!")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [PORTO], "a later statement counts"


async def test_a_model_that_fails_for_days_is_asked_again_each_hour() -> None:
    start, hours = datetime(2026, 11, 1, tzinfo=UTC), 0
    backoff = Backoff(lambda: start + timedelta(hours=hours))

    async def fail() -> None:
        raise ModelUnreachable

    for hours in range(100):
        await backoff.run_if_due((SCOPE, False), fail)
        assert backoff.get_failure_count((SCOPE, False)) == hours + 1
