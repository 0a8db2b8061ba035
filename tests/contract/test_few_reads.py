"""One read returns all that a turn needs. It equals the single reads in one snapshot."""

from dataclasses import replace

import pytest

from records.context import StoredQuestion
from records.errors import StorageCorrupt
from records.messages import NewMessage
from records.scopes import Scope
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, TOPIC, append_turns, fold_messages, make_message


async def test_question_in_pieces_is_one_turn_and_finds_its_answer(store: MemoryStore) -> None:
    pieces = [make_message("first half", source="1:1"), make_message("second half", source="1:2")]
    asked = await store.store_question(ANNA, pieces)
    turn = asked.turn
    assert asked.answer is None
    assert [(message.content, message.turn) for message in await store.timeline.read_page(ANNA)] == [
        ("first half", turn),
        ("second half", turn),
    ]
    [reply] = await store.append_messages(ANNA, [make_message("reply", role="assistant", source="1:2", turn=turn)])
    assert await store.store_question(ANNA, pieces) == StoredQuestion(turn=turn, answer=reply)
    assert len(await store.timeline.read_page(ANNA)) == 3
    assert [hit.turn for hit in await store.search_messages(ANNA, ["half"], limit=9)] == [turn, turn]


async def test_stored_question_finds_answer_only_in_own_scope(store: MemoryStore) -> None:
    question, reply = make_message("hello", source="1:1"), make_message("reply", role="assistant", source="1:1")
    await store.append_messages(TOPIC, [reply])
    assert (await store.store_question(BORIS, [question])).answer is None
    assert (await store.store_question(TOPIC, [question])).answer is not None


async def test_reads_question_in_pieces_with_context_sources(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 5)
    await fold_messages(store, ANNA, stored[:4])
    await store.store_question(ANNA, [make_message("and now?", source="1:1")])
    pieces = [make_message("first half", source="1:2"), make_message("second half", source="1:3")]
    asked = await store.store_question(ANNA, pieces)
    sources = await store.read_context_sources(ANNA, max_turns=4, before_turn=asked.turn)
    assert sources.unsummarized[-1].content == "and now?"
    assert sources.total == 13


async def test_stores_question_when_context_sources_are_damaged(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    await fold_messages(store, ANNA, stored[:2])
    async with store.database.open_transaction(ANNA.owner) as tx:
        await tx.execute("UPDATE summaries SET created_at = 'some day' WHERE user_id = ?", ANNA.owner)
    asked = await store.store_question(ANNA, [make_message("and now?", source="1:1")])
    assert [message.content for message in await store.read_turn(ANNA, asked.turn)] == ["and now?"]
    with pytest.raises(StorageCorrupt, match="summaries is damaged") as damaged:
        await store.read_context_sources(ANNA, max_turns=4, before_turn=None)
    assert "some day" in str(damaged.value.__cause__)


async def test_context_sources_match_single_reads(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 5)
    await append_turns(store, BORIS, 2)
    await fold_messages(store, ANNA, stored[:4])
    await fold_messages(store, ANNA, stored[4:6])
    for turns, before in ((4, None), (2, stored[-2].turn), (0, stored[-2].turn), (9, 1)):
        sources = await store.read_context_sources(ANNA, max_turns=turns, before_turn=before)
        assert sources.last == await store.read_last_turns(ANNA, turns, before_turn=before)
        assert sources.unsummarized == [
            message
            for message in await store.list_unsummarized_messages(ANNA)
            if before is None or message.turn < before
        ]
        assert sources.summaries == await store.list_summaries(ANNA)
        counts = await store.count_messages_and_summaries(ANNA)
        characters = sum(len(message.content) for message in await store.timeline.read_page(ANNA))
        assert (sources.total, sources.archived, sources.characters) == (counts.total, counts.archived, characters)
        assert (sources.profile, sources.facts) == (None, [])
    for turns, before in ((1, None), (9, None), (1, 2), (0, None)):  # nothing is archived
        sources = await store.read_context_sources(BORIS, max_turns=turns, before_turn=before)
        assert sources.last == await store.read_last_turns(BORIS, turns, before_turn=before)
    nobody = await store.read_context_sources(Scope(owner=ANNA.owner, thread=99), max_turns=4, before_turn=None)
    assert (nobody.last, nobody.unsummarized, nobody.summaries, nobody.total) == ([], [], [], 0)


async def test_imported_messages_are_not_last_turns(store: MemoryStore) -> None:
    drafts: list[NewMessage] = [replace(make_message("long ago"), turn=-3), make_message("today")]
    await store.append_messages(ANNA, drafts)
    sources = await store.read_context_sources(ANNA, max_turns=4, before_turn=None)
    assert [message.content for message in sources.last] == ["today"]
    assert sources.last == await store.read_last_turns(ANNA, 4)
