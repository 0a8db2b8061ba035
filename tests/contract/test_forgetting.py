"""Forgetting in every store: what is deleted, what is reactivated, and which commits are refused."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from records.errors import StaleSummary
from records.forgetting import ForgetRequest, ForgetResult
from records.messages import Message, NewMessage
from records.summaries import Summary, SummaryPlan
from storage.schema.portable_tables import ACCOUNTS, FACTS, PROFILES, PROGRESS, Table
from storage.search import word_index
from storage.search.protocol import MessageVectors
from storage.stores.memory_store import MemoryStore
from storage.tables import history_extraction as history_extraction_table
from tests.contract.conftest import (
    ANNA,
    BORIS,
    NOW,
    TOPIC,
    Opener,
    acquire_lease,
    append_turns,
    fold_messages,
    fold_summaries,
    make_message,
    make_summary,
    open_reader,
    open_transaction,
)
from text.analyzer import list_search_terms


async def put_row(store: MemoryStore, table: Table, **row: object) -> None:
    whole = {**table.defaults, "user_id": ANNA.owner, **row}
    async with open_transaction(store) as tx:
        await tx.execute(table.upsert_sql, *table.to_params(whole))


async def put_fact(store: MemoryStore, number: int, text: str, *sources: int, **more: object) -> None:
    at = NOW.isoformat()
    row = {"id": number, "text": text, "kind": "personal", "observed_at": at, "created_at": at}
    await put_row(store, FACTS, **row, source_ids=list(sources), **more)


async def append_turn(store: MemoryStore, text: str) -> int:
    [message] = await store.append_messages(ANNA, [make_message(text)])
    await store.append_messages(ANNA, [make_message("I see.", role="assistant", turn=message.turn)])
    return message.id


async def fetch_rows(store: MemoryStore, sql: str) -> list[tuple[object, ...]]:
    async with open_reader(store) as reader:
        return [tuple(row) for row in await reader.fetch_rows(sql)]


async def list_active_ids(store: MemoryStore) -> list[int]:
    return [message.id for message in await store.list_unsummarized_messages(ANNA)]


async def build_pyramid(store: MemoryStore) -> tuple[list[Message], list[Summary], Summary]:
    """Build three chunks of four messages under one L2 summary, followed by two unfolded messages."""
    stored = await append_turns(store, ANNA, 7)
    leaves = [await fold_messages(store, ANNA, stored[start : start + 4]) for start in (0, 4, 8)]
    return stored, leaves, await fold_summaries(store, ANNA, leaves)


def make_request(*ids: int) -> ForgetRequest:
    return ForgetRequest(what="messages", ids=ids)


async def test_forgetting_message_deletes_every_summary_above(store: MemoryStore) -> None:
    stored, leaves, top = await build_pyramid(store)
    what = make_request(stored[5].id)
    taken = await store.forgetting.preview_deletion(ANNA.owner, what)
    assert [message.id for message in taken.listing.messages] == [stored[5].id]
    assert taken.listing.summaries == (leaves[1].text, top.text)
    assert taken == ForgetResult(messages=1, summaries=2)
    assert await store.forgetting.forget(ANNA.owner, what, now=NOW) == taken
    assert [message.id for message in await store.timeline.read_page(ANNA)] == [
        message.id for message in stored if message.id != stored[5].id
    ]
    assert [summary.id for summary in await store.list_summaries(ANNA, active_only=False)] == [
        leaves[0].id,
        leaves[2].id,
    ]
    assert all(summary.is_active for summary in await store.list_summaries(ANNA))
    assert await list_active_ids(store) == [stored[4].id, stored[6].id, stored[7].id, stored[12].id, stored[13].id]
    counts = await store.count_messages_and_summaries(ANNA)
    assert (counts.total, counts.archived, counts.active_by_level) == (13, 8, {1: 2})


async def test_forgetting_again_deletes_nothing(store: MemoryStore) -> None:
    stored, _, _ = await build_pyramid(store)
    await store.forgetting.forget(ANNA.owner, make_request(stored[5].id), now=NOW)
    assert (await store.forgetting.forget(ANNA.owner, make_request(stored[5].id), now=NOW)).is_empty
    assert (await store.forgetting.preview_deletion(ANNA.owner, make_request(4711))).is_empty
    assert (await store.count_messages_and_summaries(ANNA)).total == 13


async def test_search_finds_neighbours_but_not_forgotten_message(store: MemoryStore) -> None:
    [first, gone, last] = [
        (await store.append_messages(ANNA, [make_message(text)]))[0]
        for text in ("apple tree", "walrus tree", "cherry tree")
    ]
    await store.forgetting.forget(ANNA.owner, make_request(gone.id), now=NOW)
    assert await store.search_messages(ANNA, ["walrus"], limit=9) == []
    assert {hit.id for hit in await store.search_messages(ANNA, ["tree"], limit=9)} == {first.id, last.id}
    matched = await store.find_candidate_messages(ANNA, ["tree", "walrus"], limit=9)
    assert (matched.turns, matched.frequency) == (2, {"tree": 2, "walrus": 0})
    [later] = await store.append_messages(ANNA, [make_message("walrus again")])
    assert [hit.id for hit in await store.search_messages(ANNA, ["walrus"], limit=9)] == [later.id]
    assert later.id > last.id


async def test_fold_in_flight_cannot_bring_back_forgotten_message(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    taken = await acquire_lease(store, ANNA)
    await store.forgetting.forget(ANNA.owner, make_request(stored[0].id), now=NOW)
    for ids in ([message.id for message in stored], [message.id for message in stored[1:]]):
        plan = SummaryPlan(level=1, message_ids=tuple(ids), reason="now")
        with pytest.raises(StaleSummary):
            await store.commit_summary(taken, plan, make_summary("secret"), now=NOW)
    assert await store.list_summaries(ANNA, active_only=False) == []
    assert await store.acquire_summary_lease(ANNA, "now", now=NOW, duration=timedelta(minutes=1)) is not None


async def test_forgetting_erases_error_of_failed_fold(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 1)
    await store.record_summary_failure(await acquire_lease(store, ANNA), "It said heliotrope.", now=NOW)
    await store.forgetting.forget(ANNA.owner, make_request(stored[0].id), now=NOW)
    assert await store.find_summary_failure(ANNA) is None
    assert await fetch_rows(store, "SELECT error FROM jobs WHERE error IS NOT NULL") == []


async def test_forgetting_dates_covers_all_threads_of_owner(store: MemoryStore) -> None:
    day = timedelta(days=1)
    for scope in (BORIS, TOPIC, ANNA):
        for number in range(4):
            draft = NewMessage(role="user", content=f"day {number}", created_at=NOW + number * day)
            await store.append_messages(scope, [draft])
    what = ForgetRequest(what="dates", since=NOW + day, until=NOW + 3 * day)
    assert await store.forgetting.forget(BORIS.owner, what, now=NOW) == ForgetResult(messages=4)
    for scope in (BORIS, TOPIC):
        assert [message.content for message in await store.timeline.read_page(scope)] == ["day 0", "day 3"]
    assert len(await store.timeline.read_page(ANNA)) == 4


async def test_forgetting_archives_deletes_only_whole_chunks(store: MemoryStore) -> None:
    day = timedelta(days=1)
    stored = [
        (await store.append_messages(ANNA, [NewMessage(role="user", content=f"day {n}", created_at=NOW + n * day)]))[0]
        for n in range(6)
    ]
    await fold_messages(store, ANNA, stored[:2])
    await fold_messages(store, ANNA, stored[2:4])
    what = ForgetRequest(what="archives", until=NOW + 3 * day)
    assert await store.forgetting.forget(ANNA.owner, what, now=NOW) == ForgetResult(messages=2, summaries=1)
    assert [message.content for message in await store.timeline.read_page(ANNA)] == ["day 2", "day 3", "day 4", "day 5"]
    assert (await store.forgetting.preview_deletion(ANNA.owner, what)).is_empty


async def test_forgetting_everything_keeps_settings_and_other_owners(store: MemoryStore) -> None:
    await build_pyramid(store)
    await put_fact(store, 1, "Anna likes heliotrope.", 1)
    await append_turns(store, BORIS, 2)
    others = await store.compute_digest(BORIS.owner)
    before = await store.find_owner_config(ANNA.owner)
    taken = await store.forgetting.forget(ANNA.owner, ForgetRequest(what="everything"), now=NOW)
    assert (taken.messages, taken.summaries, taken.facts) == (14, 4, 1)
    assert await store.find_owner_config(ANNA.owner) == before
    assert await store.compute_digest(BORIS.owner) == others
    assert await store.list_scopes(ANNA.owner) == []
    [fresh] = await store.append_messages(ANNA, [make_message("anew")])
    assert fresh.id == 15, "ids are never used again"


async def test_forgetting_message_deletes_derived_facts_and_profiles(store: MemoryStore) -> None:
    stored, _leaves, _ = await build_pyramid(store)
    await put_fact(store, 1, "Anna lives in Portland.", stored[0].id, superseded_by=2, valid_to=NOW.isoformat())
    await put_fact(store, 2, "Anna lives in Seattle.", stored[2].id)
    await put_fact(store, 3, "Anna likes tea.", stored[12].id)
    for number, last in ((1, 0), (2, 3)):
        at = (NOW + timedelta(days=number - 2)).isoformat()
        await put_row(store, PROFILES, id=number, text="Anna.", created_at=at, last_summary_id=last)
    taken = await store.forgetting.forget(ANNA.owner, make_request(stored[2].id), now=NOW)
    assert (taken.facts, taken.profiles) == (1, 1)
    assert await fetch_rows(store, "SELECT id, superseded_by, valid_to FROM facts ORDER BY id") == [
        (1, None, None),
        (3, None, None),
    ]
    assert await fetch_rows(store, "SELECT id FROM profiles") == [(1,)]


async def test_forgetting_middle_fact_relinks_superseding_chain(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    later = (NOW + timedelta(days=9)).isoformat()
    await put_fact(store, 1, "Portland", stored[0].id, superseded_by=2, valid_to=NOW.isoformat())
    await put_fact(store, 2, "Seattle", stored[2].id, superseded_by=3, valid_to=later)
    await put_fact(store, 3, "Boston", stored[4].id, valid_from=later)
    await store.forgetting.forget(ANNA.owner, make_request(stored[2].id), now=NOW)
    assert await fetch_rows(store, "SELECT id, superseded_by, valid_to FROM facts ORDER BY id") == [
        (1, 3, later),
        (3, None, None),
    ]


@pytest.mark.parametrize(("until", "end"), [(None, None), (NOW, NOW.isoformat())])
async def test_forgetting_fact_reopens_superseded_fact_unless_until_is_given(
    store: MemoryStore, until: datetime | None, end: str | None
) -> None:
    """The source message stays. `until` is set when facts are erased a day after their owner deleted them."""
    stored = await append_turns(store, ANNA, 1)
    await put_fact(store, 1, "Portland", stored[0].id, superseded_by=2, valid_to=NOW.isoformat())
    await put_fact(store, 2, "Seattle", stored[0].id, deleted_at=(NOW - timedelta(days=1)).isoformat())
    taken = await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(2, 99), until=until), now=NOW)
    assert taken == ForgetResult(facts=1)
    assert await fetch_rows(store, "SELECT id, superseded_by, valid_to FROM facts ORDER BY id") == [(1, None, end)]
    assert (await store.count_messages_and_summaries(ANNA)).total == 2


async def test_orphaned_tool_notes_are_forgotten_as_messages(store: MemoryStore) -> None:
    """Such notes contain the words of a search, so /forget must not say that there is nothing to forget."""
    [question, answer] = await append_turns(store, ANNA, 1)
    [note] = await store.append_messages(
        ANNA, [replace(make_message("search heliotrope", role="system"), origin="tool")]
    )
    await store.forgetting.forget(ANNA.owner, make_request(question.id, answer.id), now=NOW)
    for request in (make_request(note.id), ForgetRequest(what="everything")):
        preview = await store.forgetting.preview_deletion(ANNA.owner, request)
        assert (preview.messages, [listed.id for listed in preview.listing.messages]) == (1, [note.id])
    assert not (await store.forgetting.forget(ANNA.owner, make_request(note.id), now=NOW)).is_empty


async def test_forgetting_does_not_reopen_fact_that_had_ended(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    past = (NOW - timedelta(days=99)).isoformat()
    await put_fact(store, 1, "Worked at a bakery", stored[0].id, superseded_by=2, valid_to=past, valid_from=past)
    await put_fact(store, 2, "Works at a bank", stored[2].id)
    await store.forgetting.forget(ANNA.owner, make_request(stored[2].id), now=NOW)
    assert await fetch_rows(store, "SELECT id, superseded_by, valid_to FROM facts ORDER BY id") == [(1, None, past)]


async def test_forgetting_fact_deletes_its_earlier_versions(store: MemoryStore) -> None:
    await put_fact(store, 1, "Anna likes tea.", origin="owner")
    await put_fact(store, 2, "Anna likes coffee.", origin="earlier", superseded_by=1, valid_to=NOW.isoformat())
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(1,)), now=NOW)
    assert await fetch_rows(store, "SELECT id FROM facts") == []


async def test_fact_repeating_forgotten_fact_is_deleted_and_relearned(store: MemoryStore) -> None:
    first = await append_turn(store, "I cook at the Heliotrope Bakery.")
    second = await append_turn(store, "I am the head chef now.")
    await append_turn(store, "Nothing else.")
    await put_fact(store, 1, "Anna cooks at the Heliotrope Bakery.", first, superseded_by=2, valid_to=NOW.isoformat())
    await put_fact(store, 2, "Anna is the head chef of the Heliotrope Bakery.", second)
    await put_row(store, PROGRESS, thread_id=0, learned_id=6)
    assert (await store.forgetting.forget(ANNA.owner, make_request(first), now=NOW)).facts == 2
    assert await fetch_rows(store, "SELECT learned_id FROM progress") == [(second - 1,)]


async def test_forgetting_fact_deletes_facts_that_borrowed_its_words(store: MemoryStore) -> None:
    """Words of earlier versions count too. A fact that the owner wrote or that its own message supports stays."""
    said_so = await append_turn(store, "I go there every day, with my dog.")
    await put_fact(store, 1, "Anna walks her dog to the bakery.", origin="owner")
    await put_fact(
        store, 2, "Anna works at the Heliotrope.", origin="earlier", superseded_by=1, valid_to=NOW.isoformat()
    )
    await put_fact(store, 3, "Anna goes to the Heliotrope every day.", said_so, known_id=1)
    await put_fact(store, 4, "Anna has a dog.", said_so, known_id=1)
    await put_fact(store, 5, "The Heliotrope is far.", said_so, known_id=1, origin="owner")
    await put_fact(store, 6, "Anna goes to the Heliotrope every day but Monday.", said_so, known_id=3)
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(1,)), now=NOW)
    assert await fetch_rows(store, "SELECT id FROM facts ORDER BY id") == [(4,), (5,)]


async def test_superseding_fact_with_own_words_survives_forgetting(store: MemoryStore) -> None:
    first = await append_turn(store, "I live in Portland.")
    second = await append_turn(store, "I live in Seattle now.")
    await put_fact(store, 1, "Anna lives in Portland.", first, superseded_by=2, valid_to=NOW.isoformat())
    await put_fact(store, 2, "Anna lives in Seattle.", second)
    assert (await store.forgetting.forget(ANNA.owner, make_request(first), now=NOW)).facts == 1
    assert await fetch_rows(store, "SELECT text FROM facts") == [("Anna lives in Seattle.",)]


@pytest.mark.parametrize(
    ("first", "reached", "learned"),
    [
        (-45, -46, [[-50, -46], [-3, -1]]),
        (-15, -16, [[-50, -30], [-3, -1]]),
        (-5, -10, [[-50, -30], [-3, -1]]),
        (-2, -10, [[-50, -30], [-2, -1]]),
        (-60, -10, [[-50, -30], [-3, -1]]),
    ],
)
async def test_schedule_reextraction_updates_progress_of_running_extraction(
    store: MemoryStore, first: int, reached: int, learned: list[list[int]]
) -> None:
    """The extraction moves back to a message that it has passed. A message outside its range does not move it."""
    await put_row(
        store, PROGRESS, thread_id=0, past_from=-50, past_id=-10, past_until=-4, past_learned=[[-50, -30], [-3, -1]]
    )
    async with open_transaction(store) as tx:
        await history_extraction_table.schedule_reextraction(tx, ANNA, [first])
    assert await fetch_rows(store, "SELECT past_id, past_learned FROM progress") == [(reached, json.dumps(learned))]


async def add_imported_messages(store: MemoryStore, lowest: int) -> None:
    """Store imported messages of Anna's with the ids from `lowest` to -1."""
    came_in = [
        Message(
            id=number,
            scope=ANNA,
            role="user",
            content=f"I lead kitchen {number}.",
            created_at=NOW,
            turn=number,
            origin="imported",
        )
        for number in range(lowest, 0)
    ]
    held = await acquire_lease(store, ANNA)
    await store.history.add_messages(held, came_in, make_summary(), now=NOW)
    await store.release_summary_lease(held)


@pytest.mark.parametrize(
    ("ids", "extraction", "learned"),
    [
        ((-7, -6), (-8, -8, -6), [[-9, -8], [-4, -1]]),
        ((-7, -2), (-8, -8, -7), [[-9, -8], [-7, -6], [-4, -3], [-2, -1]]),
        ((-9, -3), (-4, -4, -3), [[-9, -6], [-3, -1]]),
        ((-9, -5), (-4, -1, -1), [[-9, -6]]),
    ],
)
async def test_schedule_reextraction_starts_extraction_when_none_is_running(
    store: MemoryStore, ids: tuple[int, ...], extraction: tuple[int, ...], learned: list[list[int]]
) -> None:
    """The extraction ends before the first message that was never learned from. Here these are -9, -5 and -4."""
    await add_imported_messages(store, -9)
    await put_row(store, PROGRESS, thread_id=0, past_from=-4, past_id=-1, past_until=-1, past_learned=[[-9, -6]])
    async with open_transaction(store) as tx:
        await history_extraction_table.schedule_reextraction(tx, ANNA, ids)
    found = await fetch_rows(store, "SELECT past_from, past_id, past_until, past_learned FROM progress")
    assert found == [(*extraction, json.dumps(learned))]
    _, waiting = await store.history_extraction.read_last_id_and_next_messages(ANNA, 9)
    assert [message.id for message in waiting] == [id_ for id_ in ids if extraction[1] < id_ <= extraction[2]]


async def test_forgetting_rewinds_live_and_history_learning_separately(store: MemoryStore) -> None:
    await add_imported_messages(store, -3)
    cook, flute = (
        await append_turn(store, "I cook at the Heliotrope Bakery."),
        await append_turn(store, "I play the ocarina."),
    )
    solo = await append_turn(store, "I am the soloist now.")
    over = {"valid_to": NOW.isoformat()}
    await put_fact(store, 1, "Anna cooks at the Heliotrope Bakery.", cook, superseded_by=2, **over)
    await put_fact(store, 2, "Anna leads the kitchen of the Heliotrope Bakery.", -2)
    await put_fact(store, 3, "Anna plays the ocarina.", flute, superseded_by=4, **over)
    await put_fact(store, 4, "Anna is the soloist on the ocarina.", solo)
    await put_row(store, PROGRESS, thread_id=0, learned_id=solo, past_from=-4, past_id=-1, past_until=-1)
    assert (await store.forgetting.forget(ANNA.owner, make_request(cook, flute), now=NOW)).facts == 4
    found = await fetch_rows(
        store, "SELECT learned_id, past_id, past_until, past_learned FROM progress ORDER BY thread_id"
    )
    assert found == [(solo - 1, -3, -2, "[[-4, -3], [-2, -1]]")]


async def test_forgetting_answer_deletes_its_explanation(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    for message in (stored[1], stored[3]):
        await put_row(store, ACCOUNTS, id=message.id, account={}, created_at=NOW.isoformat())
    await store.forgetting.forget(ANNA.owner, make_request(stored[1].id), now=NOW)
    assert await fetch_rows(store, "SELECT id FROM accounts") == [(stored[3].id,)]


# edited messages ---------------------------------------------------------------------------------------------
async def test_message_edit_keeps_earlier_text_and_unfolds_its_chunk(store: MemoryStore) -> None:
    stored, leaves, _ = await build_pyramid(store)
    await put_fact(store, 1, "Anna said turn 2.", stored[4].id)
    await put_row(store, PROGRESS, thread_id=0, learned_id=stored[-1].id)
    revised = await store.forgetting.replace_message_text_if_changed(
        ANNA, stored[4].id, "walrus", reason="edited", now=NOW
    )
    assert revised is not None
    assert (revised.content, revised.edited_at, revised.is_active) == ("walrus", NOW, True)
    assert [summary.id for summary in await store.list_summaries(ANNA)] == [leaves[0].id, leaves[2].id]
    assert await list_active_ids(store) == [message.id for message in (*stored[4:8], *stored[12:])]
    assert await fetch_rows(store, "SELECT message_id, content, why FROM versions") == [
        (stored[4].id, "turn 2", "edited")
    ]
    assert await fetch_rows(store, "SELECT * FROM facts") == []
    assert await fetch_rows(store, "SELECT learned_id FROM progress") == [(stored[4].id - 1,)]
    [hit] = await store.search_messages(ANNA, ["walrus"], limit=9)
    assert hit.id == stored[4].id
    assert stored[4].id not in [hit.id for hit in await store.search_messages(ANNA, ["turn"], limit=99)]
    assert (await store.find_candidate_messages(ANNA, ["walrus"], limit=9)).turns == len(stored)


async def test_edit_without_change_or_of_unknown_message_does_nothing(store: MemoryStore) -> None:
    stored, _, _ = await build_pyramid(store)
    digest = await store.compute_digest(ANNA.owner)
    assert (
        await store.forgetting.replace_message_text_if_changed(ANNA, stored[0].id, "turn 0", reason="edited", now=NOW)
        is None
    )
    assert await store.forgetting.replace_message_text_if_changed(ANNA, 999, "walrus", reason="edited", now=NOW) is None
    assert (
        await store.forgetting.replace_message_text_if_changed(BORIS, stored[0].id, "walrus", reason="edited", now=NOW)
        is None
    )
    assert await store.compute_digest(ANNA.owner) == digest


async def test_searches_previous_versions_of_messages(store: MemoryStore) -> None:
    first, second = await store.append_messages(
        ANNA, [make_message("my secret heliotrope"), make_message("first words")]
    )
    await store.forgetting.replace_message_text_if_changed(ANNA, first.id, "nothing", reason="edited", now=NOW)
    await store.forgetting.replace_message_text_if_changed(ANNA, second.id, "walrus", reason="edited", now=NOW)
    [found] = await store.search_previous_versions(ANNA, list_search_terms("heliotrope"))
    assert (found.id, found.content) == (first.id, "my secret heliotrope")
    assert (
        await store.search_previous_versions(BORIS, list_search_terms("heliotrope"))
        == await store.search_previous_versions(ANNA, ["marigold"])
        == []
    )
    await store.forgetting.forget(ANNA.owner, make_request(first.id), now=NOW)
    assert await store.search_previous_versions(ANNA, list_search_terms("heliotrope")) == []


async def test_forgetting_message_deletes_its_versions(store: MemoryStore) -> None:
    [message] = await store.append_messages(ANNA, [make_message("first words")])
    await store.forgetting.replace_message_text_if_changed(ANNA, message.id, "second words", reason="edited", now=NOW)
    taken = await store.forgetting.forget(ANNA.owner, make_request(message.id), now=NOW)
    assert taken == ForgetResult(messages=1, versions=1)
    assert await fetch_rows(store, "SELECT * FROM versions") == []


async def test_finds_message_by_telegram_id_in_own_scope(store: MemoryStore) -> None:
    draft = NewMessage(role="user", content="hello", created_at=NOW, telegram_id=77)
    [message] = await store.append_messages(ANNA, [draft])
    assert await store.explanations.find_message(ANNA, 77) == message
    assert await store.explanations.find_message(ANNA, 78) is await store.explanations.find_message(BORIS, 77) is None


async def test_finds_long_answer_by_each_of_its_telegram_messages(store: MemoryStore) -> None:
    [question] = await store.append_messages(ANNA, [make_message("tell me", source="1:5")])
    draft = NewMessage(
        role="assistant", content="much", created_at=NOW, source="1:5", turn=question.turn, explanation='{"form": 1}'
    )
    [answer] = await store.append_messages(ANNA, [draft])
    await store.explanations.record_shown_messages(ANNA, "1:5", [70, 71])
    for number in (70, 71):
        found = await store.explanations.find_message(ANNA, number)
        assert found is not None
        assert found.id == answer.id
    assert await store.explanations.find_message(ANNA, 72) is None


async def test_forgetting_and_editing_erase_vectors(tmp_path: Path, opener: Opener, store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 3)
    random = np.random.default_rng(3)
    vectors = random.standard_normal((len(stored), 1, 64)).astype(np.float32)
    items = [
        MessageVectors(seq=seq, message=message, passages=vector)
        for (seq, message), vector in zip(
            sorted(await store.vectors.list_unembedded_messages_with_seqs("m", 99)), vectors, strict=True
        )
    ]
    await store.vectors.store_vectors("m", items)
    await put_fact(store, 1, "Anna said turn 0.", stored[0].id)
    async with open_transaction(store) as tx:
        blob = vectors[5].astype("<f2").tobytes()
        await tx.execute("INSERT INTO fact_vectors VALUES (?, 1, 'm', ?)", ANNA.owner, blob)
    blobs = [vector.astype("<f2").tobytes() for vector in vectors]

    def held() -> list[bool]:
        contents = opener.contents(tmp_path)
        return [any(blob in file for file in contents) for blob in blobs]

    assert await store.vectors.compute_similarities(ANNA, "m", vectors[2][0], 9) is not None
    await store.forgetting.forget(ANNA.owner, make_request(stored[0].id, stored[5].id), now=NOW)
    await store.forgetting.replace_message_text_if_changed(ANNA, stored[2].id, "walrus", reason="edited", now=NOW)
    await store.purge_erased_text()
    assert await store.database.try_to_truncate_write_ahead_log()
    assert held() == [False, True, False, True, True, False]
    found = await store.vectors.compute_similarities(ANNA, "m", vectors[2][0], 9)
    assert found is not None
    assert len(found.nearest) == 3, "what is held in RAM was dropped too"
    assert [message.id for _, message in await store.vectors.list_unembedded_messages_with_seqs("m", 99)] == [
        stored[2].id
    ]


async def test_index_after_edit_and_forgetting_equals_rebuilt_index(store: MemoryStore) -> None:
    stored, _, _ = await build_pyramid(store)
    await store.forgetting.replace_message_text_if_changed(
        ANNA, stored[3].id, "walrus and turn", reason="edited", now=NOW
    )
    await store.forgetting.forget(ANNA.owner, make_request(stored[0].id, stored[9].id), now=NOW)
    wanted = ["turn", "walrus", "reply"]
    before = await store.find_candidate_messages(ANNA, wanted, limit=99)
    async with open_transaction(store) as tx:
        for table in ("words", "places", "scope_words"):
            await tx.execute(f"DELETE FROM {table}")  # noqa: S608
        found = await tx.fetch_rows("SELECT * FROM messages ORDER BY seq")
        await tx.run(
            word_index.index_entries, await word_index.extract_terms_from_rows([(row["seq"], row) for row in found])
        )
    after = await store.find_candidate_messages(ANNA, wanted, limit=99)
    assert (before.frequency, before.turns) == (after.frequency, after.turns)
    for column in ("seqs", "counts", "lengths"):
        assert np.array_equal(getattr(before, column), getattr(after, column))


async def test_tool_notes_are_not_counted_as_messages(store: MemoryStore) -> None:
    """Two turns with two tool calls have four messages in every count."""
    stored = await append_turns(store, ANNA, 2)
    notes = [
        replace(make_message(f"search {at}", role="system", turn=stored[0].turn), origin="tool") for at in range(2)
    ]
    await store.append_messages(ANNA, notes)
    turns = [await store.read_turn(ANNA, message.turn) for message in stored[::2]]
    assert [len(several) for several in turns] == [4, 2]
    await fold_messages(store, ANNA, turns[0])
    counts = await store.count_messages_and_summaries(ANNA)
    assert (counts.total, counts.archived, counts.active_messages) == (4, 2, 2)
    [[listed], _] = await store.conversations.list_with_total(ANNA, offset=0, limit=9)
    assert listed.messages == 4
    assert sum(count for _, count in await store.timeline.count_messages_by_hour(ANNA)) == 4
    everything = await store.forgetting.preview_deletion(ANNA.owner, ForgetRequest(what="everything"))
    assert (everything.messages, len(everything.listing.messages)) == (4, 4)
    question = await store.forgetting.preview_deletion(ANNA.owner, make_request(stored[0].id))
    assert question.messages == 1
    taken = await store.forgetting.forget(ANNA.owner, make_request(*(message.id for message in turns[0])), now=NOW)
    assert taken.messages == 2
    assert (await store.count_messages_and_summaries(ANNA)).total == 2
