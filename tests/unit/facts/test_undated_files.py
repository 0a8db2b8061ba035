"""Importing a file without dates does not undo earlier decisions."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_decisions_stand import (
    DECISIONS,
    HOME,
    SAID,
    SCOPE,
    TOLD,
    delete_and_erase,
    delete_by_hand,
    edit_by_hand,
    list_valid_facts,
    say_and_learn,
    set_model_facts,
)
from tests.unit.facts.test_history_extraction import import_chat, run_extraction
from transfer.formats.history import ReadContext
from transfer.plans import ImportPlan

ANSWERED = "Lisbon is a good place for that."
SPOKEN = [{"role": "user", "content": SAID}, {"role": "assistant", "content": ANSWERED}]
LATER = "2026-12-24T18:00:00Z"
UNDATED: dict[str, str] = {
    "a list of roles": json.dumps(SPOKEN),
    "training data": json.dumps({"messages": SPOKEN}),
    "lines of JSON": "\n".join(map(json.dumps, SPOKEN)),
    "Markdown": f"## You\n\n{SAID}\n\n## ChatGPT\n\n{ANSWERED}\n",
    "Markdown in German": f"**Du:** {SAID}\n\n**ChatGPT:** {ANSWERED}\n",
    "plain text": f"User: {SAID}\nAssistant: {ANSWERED}\n",
    "a table": f'role,content\nuser,"{SAID}"\nassistant,"{ANSWERED}"\n',
    "questions and answers": f'question,answer\n"{SAID}","{ANSWERED}"\n',
    "a studio": json.dumps(
        {"chunkedPrompt": {"chunks": [{"role": "user", "text": SAID}, {"role": "model", "text": ANSWERED}]}}
    ),
    "changed later": json.dumps({"title": "Homes", "updated_at": LATER, "messages": SPOKEN}),
    "exported later": json.dumps({"title": "Homes", "export_date": LATER, "messages": SPOKEN}),
    "a head with a date": f"# Homes\n\n**Date:** {LATER}\n\n## You\n\n{SAID}\n\n## ChatGPT\n\n{ANSWERED}\n",
    "a dated answer": json.dumps({"messages": [SPOKEN[0], {**SPOKEN[1], "timestamp": LATER}]}),
}
DATED: dict[str, str] = {
    "a list of roles": json.dumps([{**said, "created_at": LATER} for said in SPOKEN]),
    "a conversation that began later": json.dumps({"create_time": LATER, "messages": SPOKEN}),
}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50)
        yield talk


async def import_and_learn(talk: ChatHarness, text: str, *, number: int = 0, **told: Any) -> None:
    """Import a file and learn from it. `number` varies the text, so that the same words are read again."""
    done = await import_chat(talk, text.replace(SAID, f"{SAID} {number * ')'}").encode())
    assert done.ids is not None, text
    set_model_facts(talk, {**TOLD, **HOME, "message": done.ids[0], **told})
    await run_extraction(talk, done)
    assert SAID in talk.server.list_schema_requests("facts")[-1].messages[1]["content"]


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda way: way.__name__)
async def test_undated_import_does_not_undo_decision(
    talk: ChatHarness, decide: Callable[[ChatHarness], Awaitable[int]]
) -> None:
    decided = await decide(talk)
    before = await list_valid_facts(talk)
    after = {}
    for number, (name, text) in enumerate(UNDATED.items(), start=1):
        talk.moment[0] += timedelta(hours=1)
        await import_and_learn(talk, text, number=number, replaces=decided)
        after[name] = await list_valid_facts(talk)
    assert after == dict.fromkeys(UNDATED, before)


@pytest.mark.parametrize("name", DATED)
async def test_import_dated_after_deletion_restores_fact(talk: ChatHarness, name: str) -> None:
    await delete_by_hand(talk)
    talk.moment[0] += timedelta(days=60)
    await import_and_learn(talk, DATED[name])
    assert await list_valid_facts(talk) == [("Anna lives in Lisbon.", False)]


async def test_undated_messages_are_older_than_live_messages(talk: ChatHarness) -> None:
    await say_and_learn(
        talk, "I live in Porto.", message=1, quote="I live in Porto", text="Anna lives in Porto.", **HOME
    )
    await import_and_learn(talk, UNDATED["Markdown"], about=None)
    assert await list_valid_facts(talk) == [("Anna lives in Porto.", False)]
    async with talk.services.memory.open_store(ANNA.id) as store:
        read = await store.timeline.read_page(SCOPE)
    assert [message.content for message in read[:2]] == [SAID, ANSWERED]


async def test_learns_from_undated_import_into_empty_memory(talk: ChatHarness) -> None:
    await import_and_learn(talk, UNDATED["a list of roles"])
    assert await list_valid_facts(talk) == [("Anna lives in Lisbon.", False)]


async def test_undated_messages_do_not_extend_date_range_of_plan(talk: ChatHarness) -> None:
    dated = [{"role": "user", "content": "Later.", "timestamp": "2024-05-01T10:00:00Z"}]
    plan = await talk.services.importer.plan(SCOPE, ANNA.id, json.dumps({"messages": [*SPOKEN, *dated]}).encode())
    assert plan.first_at == plan.last_at
    assert plan.first_at is not None
    assert plan.first_at.year == 2024


# Pasted facts of another assistant ---------------------------------------------------------------------------
PASTED = ("Lives in Lisbon.", "[2026-12-24] - Anna lives in Lisbon near the river.", "Grows walnuts.", "Has two cats.")
ALL = (0, 1, 2, 3)


async def plan_import(talk: ChatHarness, *chosen: int) -> ImportPlan:
    given = ReadContext(person=ANNA.id, answers={"facts0": chosen} if chosen else {})
    return await talk.services.importer.plan(SCOPE, ANNA.id, "\n".join(f"- {text}" for text in PASTED).encode(), given)


async def keep(talk: ChatHarness, *chosen: int) -> int:
    async def progress(done: int, total: int) -> None:
        """Ignore progress reports."""

    text, given = "\n".join(f"- {text}" for text in PASTED), ReadContext(person=ANNA.id, answers={"facts0": chosen})
    return (await talk.services.importer.import_file(SCOPE, ANNA.id, text.encode(), given, progress=progress)).facts


@pytest.mark.parametrize("decide", [edit_by_hand, delete_by_hand, delete_and_erase], ids=lambda way: way.__name__)
async def test_pasted_facts_overruled_by_decision_are_not_preselected(
    talk: ChatHarness, decide: Callable[[ChatHarness], Awaitable[int]]
) -> None:
    await decide(talk)
    before = {text for text, _ in await list_valid_facts(talk)}
    [question] = (await plan_import(talk)).questions
    assert question.chosen == (2, 3)
    assert (await plan_import(talk, 2, 3)).new_facts == 2
    assert await keep(talk, 2, 3) == 2
    assert {text for text, _ in await list_valid_facts(talk)} == before | {*PASTED[2:]}


async def test_pasted_fact_selected_by_hand_counts_as_decision(talk: ChatHarness) -> None:
    await delete_by_hand(talk)
    talk.moment[0] += timedelta(hours=1)
    assert (await plan_import(talk, 0)).new_facts == 1
    assert await keep(talk, 0) == 1
    talk.moment[0] += timedelta(hours=1)
    lisbon = [(PASTED[0], False)]
    assert await list_valid_facts(talk) == lisbon
    assert await keep(talk, 0) == 0
    porto = "I live in Porto now, by the sea."
    for number, name in enumerate(("Markdown", "a list of roles")):
        done = await import_chat(talk, UNDATED[name].replace(SAID, f"{porto} {number * ')'}").encode())
        assert done.ids is not None
        told = {"message": done.ids[0], "quote": porto, "text": "Anna lives in Porto.", "type": "state", **HOME}
        set_model_facts(talk, told | {"replaces": (await talk.services.facts.list_all(ANNA.id))[-1].id})
        await run_extraction(talk, done)
        assert lisbon[0] in await list_valid_facts(talk), name


async def test_all_pasted_facts_are_preselected_without_decisions(talk: ChatHarness) -> None:
    await say_and_learn(talk, SAID, **TOLD, **HOME)
    [question] = (await plan_import(talk)).questions
    assert question.chosen is None, "which means all of them"
    assert await keep(talk, *ALL) == len(ALL)
