"""A file that does not say when its words were said brings back nothing that a person decided about before."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.talk import ANNA, Talk, talking
from tests.unit.facts.test_decisions_stand import (
    DECISIONS,
    HOME,
    SAID,
    SCOPE,
    TOLD,
    answer,
    delete_and_erase,
    delete_by_hand,
    edit_by_hand,
    say,
    valid,
)
from tests.unit.facts.test_history_extraction import extracted, imported
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
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(every_n=50)
        yield talk


async def learn_from(talk: Talk, text: str, *, number: int = 0, **told: Any) -> None:
    """Import a file and learn from it. Each `number` makes its words new, so that they are read again."""
    done = await imported(talk, text.replace(SAID, f"{SAID} {number * ')'}").encode())
    assert done.ids is not None, text
    answer(talk, {**TOLD, **HOME, "message": done.ids[0], **told})
    await extracted(talk, done)
    assert SAID in talk.server.asked_for("facts")[-1].messages[1]["content"]


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda way: way.__name__)
async def test_no_undated_file_brings_back_what_was_decided(
    talk: Talk, decide: Callable[[Talk], Awaitable[int]]
) -> None:
    decided = await decide(talk)
    before = await valid(talk)
    after = {}
    for number, (name, text) in enumerate(UNDATED.items(), start=1):
        talk.moment[0] += timedelta(hours=1)
        await learn_from(talk, text, number=number, replaces=decided)
        after[name] = await valid(talk)
    assert after == dict.fromkeys(UNDATED, before)


@pytest.mark.parametrize("name", DATED)
async def test_what_a_dated_file_says_later_counts(talk: Talk, name: str) -> None:
    await delete_by_hand(talk)
    talk.moment[0] += timedelta(days=60)
    await learn_from(talk, DATED[name])
    assert await valid(talk) == [("Anna lives in Lisbon.", False)]


async def test_undated_words_are_older_than_what_was_said_here(talk: Talk) -> None:
    await say(talk, "I live in Porto.", message=1, quote="I live in Porto", text="Anna lives in Porto.", **HOME)
    await learn_from(talk, UNDATED["Markdown"], about=None)
    assert await valid(talk) == [("Anna lives in Porto.", False)]
    async with talk.services.memory.open_store(ANNA.id) as store:
        read = await store.timeline.read_page(SCOPE)
    assert [message.content for message in read[:2]] == [SAID, ANSWERED]


async def test_undated_words_in_an_empty_memory_are_learned(talk: Talk) -> None:
    await learn_from(talk, UNDATED["a list of roles"])
    assert await valid(talk) == [("Anna lives in Lisbon.", False)]


async def test_messages_before_the_first_date_of_a_talk_leave_the_other_dates_alone(talk: Talk) -> None:
    dated = [{"role": "user", "content": "Later.", "timestamp": "2024-05-01T10:00:00Z"}]
    plan = await talk.services.importer.plan(SCOPE, ANNA.id, json.dumps({"messages": [*SPOKEN, *dated]}).encode())
    assert plan.first_at == plan.last_at
    assert plan.first_at is not None
    assert plan.first_at.year == 2024


# Pasted facts of another assistant ---------------------------------------------------------------------------
PASTED = ("Lives in Lisbon.", "[2026-12-24] - Anna lives in Lisbon near the river.", "Grows walnuts.", "Has two cats.")
ALL = (0, 1, 2, 3)


async def planned(talk: Talk, *chosen: int) -> ImportPlan:
    given = ReadContext(person=ANNA.id, answers={"facts0": chosen} if chosen else {})
    return await talk.services.importer.plan(SCOPE, ANNA.id, "\n".join(f"- {text}" for text in PASTED).encode(), given)


async def keep(talk: Talk, *chosen: int) -> int:
    async def progress(done: int, total: int) -> None:
        """Nobody watches."""

    text, given = "\n".join(f"- {text}" for text in PASTED), ReadContext(person=ANNA.id, answers={"facts0": chosen})
    return (await talk.services.importer.import_file(SCOPE, ANNA.id, text.encode(), given, progress=progress)).facts


@pytest.mark.parametrize("decide", [edit_by_hand, delete_by_hand, delete_and_erase], ids=lambda way: way.__name__)
async def test_pasted_facts_about_what_was_decided_are_not_chosen_unless_by_hand(
    talk: Talk, decide: Callable[[Talk], Awaitable[int]]
) -> None:
    await decide(talk)
    before = {text for text, _ in await valid(talk)}
    [question] = (await planned(talk)).questions
    assert question.chosen == (2, 3)
    assert (await planned(talk, 2, 3)).new_facts == 2
    assert await keep(talk, 2, 3) == 2
    assert {text for text, _ in await valid(talk)} == before | {*PASTED[2:]}


async def test_a_pasted_fact_that_is_chosen_by_hand_is_a_decision(talk: Talk) -> None:
    await delete_by_hand(talk)
    talk.moment[0] += timedelta(hours=1)
    assert (await planned(talk, 0)).new_facts == 1
    assert await keep(talk, 0) == 1
    talk.moment[0] += timedelta(hours=1)
    lisbon = [(PASTED[0], False)]
    assert await valid(talk) == lisbon
    assert await keep(talk, 0) == 0
    porto = "I live in Porto now, by the sea."
    for number, name in enumerate(("Markdown", "a list of roles")):
        done = await imported(talk, UNDATED[name].replace(SAID, f"{porto} {number * ')'}").encode())
        assert done.ids is not None
        told = {"message": done.ids[0], "quote": porto, "text": "Anna lives in Porto.", "type": "state", **HOME}
        answer(talk, told | {"replaces": (await talk.services.facts.list_all(ANNA.id))[-1].id})
        await extracted(talk, done)
        assert lisbon[0] in await valid(talk), name


async def test_all_pasted_facts_are_chosen_where_nothing_was_decided(talk: Talk) -> None:
    await say(talk, SAID, **TOLD, **HOME)
    [question] = (await planned(talk)).questions
    assert question.chosen is None, "which means all of them"
    assert await keep(talk, *ALL) == len(ALL)
