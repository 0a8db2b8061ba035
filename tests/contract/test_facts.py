"""Tests of facts and profiles in every store."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from records.errors import NewerFacts, StaleFacts
from records.facts import Fact, FactChange, NewFact, NewProfile
from records.forgetting import ForgetRequest
from records.owners import StorageType
from storage.schema.migrations import read_migration_steps
from storage.schema.portable_tables import FACTS
from storage.schema.rows import FACT_ROWS, format_moment
from storage.stores.memory_store import MemoryStore
from storage.tables.decisions import DecisionIndex
from tests.contract.conftest import (
    ANNA,
    BORIS,
    MINUTE,
    NOW,
    Opener,
    append_turns,
    fold_messages,
    make_config,
    make_message,
)


def make_fact(text: str, *sources: int, subject: str = "") -> NewFact:
    return NewFact(
        text=text, kind="personal", subject=subject, source_ids=sources, observed_at=NOW, valid_from=NOW, tags=("x",)
    )


async def learn_facts(store: MemoryStore, *changes: FactChange) -> list[Fact]:
    """Commit changes as learned from the waiting messages (up to 100), and return the facts."""
    learned, messages = await store.facts.read_learned_id_and_next(ANNA, 100)
    until = messages[-1].id if messages else learned
    return await store.facts.commit_changes(
        ANNA, changes, source_messages=messages, last_learned_id=learned, new_last_learned_id=until, now=NOW
    )


async def test_commit_inserts_merges_and_closes_facts(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 2)
    (home, cat) = await learn_facts(
        store, FactChange(fact=make_fact("Anna lives in Oslo.", 1)), FactChange(fact=make_fact("Anna has a cat.", 1))
    )
    await store.facts.pin_fact(ANNA.owner, home.id, is_pinned=True, now=NOW)
    later = replace(make_fact("Anna lives in Bergen.", 5), valid_from=NOW + timedelta(days=1))
    await append_turns(store, ANNA, 1)
    (moved,) = await learn_facts(
        store,
        FactChange(fact=make_fact("Anna has a cat.", 5), same_as=cat.id),
        FactChange(fact=later, closes=(home.id,)),
        FactChange(fact=make_fact("Anna lives in Bergen.", 6), same_as=-2),
    )
    held = {fact.id: fact for fact in await store.facts.list_all_facts(ANNA.owner)}
    assert [fact.id for fact in await store.facts.list_valid_facts(ANNA.owner)] == [cat.id, moved.id]
    assert held[cat.id].source_ids == (1, 5)
    assert held[moved.id].source_ids == (5, 6)
    assert (held[home.id].valid_to, held[home.id].superseded_by) == (NOW + timedelta(days=1), moved.id)
    assert (held[home.id].is_pinned, held[moved.id].is_pinned) == (False, True)
    assert await store.facts.pin_fact(ANNA.owner, home.id, is_pinned=True, now=NOW) is None, (
        "it would be in every prompt again"
    )
    assert await store.facts.convert_fact_to_instruction(ANNA.owner, home.id, now=NOW) is None
    kept = await store.facts.convert_fact_to_instruction(ANNA.owner, moved.id, now=NOW)
    assert kept is not None
    assert (kept.kind, kept.subject) == ("instruction", "")
    assert await store.facts.list_valid_facts(BORIS.owner) == []
    assert await store.facts.list_facts_superseded_by(ANNA.owner, [cat.id, moved.id]) == [held[home.id]]
    await store.facts.edit_fact(ANNA.owner, moved.id, "Anna lives in Bergen by the sea.", now=NOW)
    assert [fact.id for fact in await store.facts.list_facts_superseded_by(ANNA.owner, [moved.id])] == [home.id], (
        "no words of an edit"
    )
    await store.facts.delete_fact(ANNA.owner, home.id, now=NOW)
    assert await store.facts.list_facts_superseded_by(ANNA.owner, [moved.id]) == []
    assert await store.facts.list_facts_superseded_by(BORIS.owner, [moved.id]) == []


@pytest.mark.parametrize(("days", "quote"), [(-1, "I live in Oslo"), (0, "Oslo is home"), (1, "Oslo is home")])
async def test_merged_fact_keeps_newest_quote(store: MemoryStore, days: int, quote: str) -> None:
    """An import is learned from later than what was said after it."""
    await append_turns(store, ANNA, 1)
    known = replace(make_fact("Anna lives in Oslo.", 1), quote="I live in Oslo")
    [oslo] = await learn_facts(store, FactChange(fact=known))
    again = replace(known, quote="Oslo is home", observed_at=NOW + timedelta(days=days))
    assert await learn_facts(store, FactChange(fact=again, same_as=oslo.id)) == []
    [merged] = await store.facts.list_valid_facts(ANNA.owner)
    assert (merged.quote, merged.observed_at) == (quote, NOW + timedelta(days=max(days, 0)))


async def test_merged_fact_is_certain_and_important_if_either_is(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 1)
    known = replace(make_fact("Anna lives in Oslo.", 1), importance=0.75, is_uncertain=True)
    [oslo] = await learn_facts(store, FactChange(fact=known))
    await learn_facts(store, FactChange(fact=replace(known, importance=0.25, is_uncertain=False), same_as=oslo.id))
    [merged] = await store.facts.list_valid_facts(ANNA.owner)
    assert (merged.importance, merged.is_uncertain) == (0.75, False)


async def test_rejects_fact_commit_when_sources_changed(store: MemoryStore) -> None:
    (question, *_) = await append_turns(store, ANNA, 1)
    learned, messages = await store.facts.read_learned_id_and_next(ANNA, 100)
    change = [FactChange(fact=make_fact("Anna lives in Oslo.", question.id))]
    stale = [replace(messages[0], content="other words"), *messages[1:]]
    for read, since in ((stale, learned), (messages, learned + 1)):
        with pytest.raises(StaleFacts):
            await store.facts.commit_changes(
                ANNA, change, source_messages=read, last_learned_id=since, new_last_learned_id=2, now=NOW
            )
    assert await store.facts.list_all_facts(ANNA.owner) == []
    assert (await store.facts.read_learned_id_and_next(ANNA, 100))[0] == learned


async def test_rejects_fact_commit_planned_without_newest_facts(store: MemoryStore) -> None:
    messages = await append_turns(store, ANNA, 1)
    change = FactChange(fact=make_fact("Anna lives in Oslo.", messages[0].id))
    [oslo] = await learn_facts(store, change)
    learned, _ = await store.facts.read_learned_id_and_next(ANNA, 100)

    async def commit(newest: int) -> list[Fact]:
        again = replace(change, same_as=oslo.id)
        return await store.facts.commit_changes(
            ANNA,
            [again],
            source_messages=[],
            last_learned_id=learned,
            new_last_learned_id=learned,
            newest_fact_id=newest,
            now=NOW,
        )

    with pytest.raises(NewerFacts):
        await commit(oslo.id - 1)
    assert await commit(oslo.id) == []
    await store.facts.edit_fact(ANNA.owner, oslo.id, "Anna lives in Bergen.", now=NOW)
    with pytest.raises(NewerFacts):
        await commit(oslo.id)


async def test_lists_scope_to_learn_from_until_learned(store: MemoryStore) -> None:
    messages = await append_turns(store, ANNA, 1)
    assert await store.facts.list_scopes_to_learn_from(NOW - timedelta(minutes=1)) == []
    assert await store.facts.list_scopes_to_learn_from(NOW) == [ANNA]
    await learn_facts(store)
    assert await store.facts.list_scopes_to_learn_from(NOW) == []
    assert await store.facts.read_learned_id_and_next(ANNA, 100) == (messages[-1].id, [])


async def test_messages_folded_before_learning_began_are_not_pending(store: MemoryStore) -> None:
    old = await append_turns(store, ANNA, 2)
    await fold_messages(store, ANNA, old)
    assert await store.facts.read_learned_id_and_next(ANNA, 100) == (old[-1].id, [])
    assert await store.facts.list_scopes_to_learn_from(NOW) == []
    fresh = await append_turns(store, ANNA, 1)
    assert await store.facts.read_learned_id_and_next(ANNA, 100) == (old[-1].id, fresh)
    await store.facts.begin_learning_unless_recorded(ANNA, old[-1].id)
    await fold_messages(store, ANNA, fresh)
    assert await store.facts.read_learned_id_and_next(ANNA, 100) == (
        old[-1].id,
        [replace(draft, chunk_id=2) for draft in fresh],
    )


async def test_fact_edit_keeps_id_and_can_be_undone(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    for words in ("Anna lives in Bergen.", "Anna lives in Stavanger."):
        edited = await store.facts.edit_fact(ANNA.owner, fact.id, words, now=NOW)
        assert edited is not None
        assert (edited.id, edited.text, edited.origin) == (fact.id, words, "owner")
    earlier = [old.text for old in await store.facts.list_all_facts(ANNA.owner) if old.superseded_by == fact.id]
    assert earlier == ["Anna lives in Oslo.", "Anna lives in Bergen."]
    for words in ("Anna lives in Bergen.", "Anna lives in Oslo."):
        earlier_id = await store.facts.find_previous_version_id(ANNA.owner, fact.id)
        assert earlier_id is not None
        await store.forgetting.forget(ANNA.owner, ForgetRequest(what="edits", ids=(earlier_id,)), now=NOW)
        [undone] = await store.facts.list_valid_facts(ANNA.owner)
        assert (undone.id, undone.text) == (fact.id, words)
    assert await store.facts.find_previous_version_id(ANNA.owner, fact.id) is None
    assert len(await store.facts.list_all_facts(ANNA.owner)) == 1
    assert await store.facts.edit_fact(ANNA.owner, 99, "No.", now=NOW) is None


async def test_editing_deleted_fact_leaves_nothing_marked_deleted(store: MemoryStore) -> None:
    """Once, /memory offered to restore the old text. It was erased a day later, and the edit could not be undone."""
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna has 7 cats."), now=NOW)
    await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW)
    await store.facts.edit_fact(ANNA.owner, fact.id, "Anna has a cat.", now=NOW)
    assert [fact.text for fact in await store.facts.list_valid_facts(ANNA.owner)] == ["Anna has a cat."]
    assert await store.facts.list_deleted_ids_by_owner(NOW + timedelta(days=1)) == {}


async def test_deleted_fact_can_be_restored_until_forgotten(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    await store.facts.edit_fact(ANNA.owner, fact.id, "Anna lives in Bergen.", now=NOW)
    await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW)
    assert await store.facts.list_valid_facts(ANNA.owner) == []
    assert await store.facts.list_deleted_ids_by_owner(NOW) == {}
    await store.facts.restore_fact(ANNA.owner, fact.id, now=NOW)
    assert [fact.text for fact in await store.facts.list_valid_facts(ANNA.owner)] == ["Anna lives in Bergen."]
    await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW)
    assert await store.facts.list_deleted_ids_by_owner(NOW + timedelta(days=1)) == {ANNA.owner: [fact.id]}
    await store.forgetting.forget(
        ANNA.owner, ForgetRequest(what="facts", ids=(fact.id,), until=NOW + timedelta(days=1)), now=NOW
    )
    assert await store.facts.list_all_facts(ANNA.owner) == []
    decisions = await store.facts.list_decisions(ANNA.owner)
    assert len(decisions) == 2, "one of the words that an edit replaced as well"
    assert not {"oslo", "bergen"} & {term for decision in decisions for term in decision.terms}
    for text, said_at, is_undone in (
        ("Anna lives in Oslo.", NOW, True),
        ("Anna lives in Bergen.", NOW, True),
        ("Anna lives in Bergen.", NOW + timedelta(seconds=1), False),
        ("Anna works in Bergen.", NOW, False),
        ("!", NOW, False),
    ):
        assert DecisionIndex(decisions).overrules(replace(make_fact(text), observed_at=said_at)) == is_undone
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="everything"), now=NOW)
    assert await store.facts.list_decisions(ANNA.owner) == []


async def test_forgotten_fact_leaves_decision_without_its_text(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo.", subject="home"), now=NOW)
    await store.facts.edit_fact(ANNA.owner, fact.id, "Anna lives in Bergen.", now=NOW)
    other = await store.facts.add_fact(ANNA.owner, make_fact("Anna has a cat."), now=NOW)
    later = NOW + timedelta(hours=1)
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(fact.id,)), now=later)
    assert await store.facts.list_all_facts(ANNA.owner) == [other]
    decisions = await store.facts.list_decisions(ANNA.owner)
    assert not {"oslo", "bergen", "home"} & {
        word for decision in decisions for word in (*decision.terms, decision.subject)
    }
    for text, subject, said_at, is_undone in (
        ("Anna lives in Oslo.", "", later, True),
        ("Anna lives in Bergen.", "", later, True),
        ("Anna lives in Turin.", "home", later, True),
        ("Anna lives in Bergen.", "home", later + timedelta(seconds=1), False),
        ("Anna has a cat.", "pet", NOW, False),
    ):
        assert (
            DecisionIndex(decisions).overrules(replace(make_fact(text, subject=subject), observed_at=said_at))
            == is_undone
        )


async def test_fact_forgotten_with_message_is_not_relearned_from_other_source(store: MemoryStore) -> None:
    """A fact with another source leaves a decision. A fact without another source leaves not even its hash."""
    first, _, second, _, third, _ = [message.id for message in await append_turns(store, ANNA, 3)]
    for text, sources in (("Anna lives in Oslo.", (first, second)), ("Anna has a cat.", (first,))):
        await store.facts.add_fact(ANNA.owner, make_fact(text, *sources), now=NOW)
    kept = await store.facts.add_fact(ANNA.owner, make_fact("Anna skis.", third), now=NOW)
    later = NOW + timedelta(hours=1)

    async def is_overruled(text: str, said_at: datetime) -> bool:
        decisions = await store.facts.list_decisions(ANNA.owner)
        return DecisionIndex(decisions).overrules(replace(make_fact(text, second), observed_at=said_at))

    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(first,)), now=later)
    assert await store.facts.list_all_facts(ANNA.owner) == [kept]
    assert await is_overruled("Anna lives in Oslo.", NOW)
    assert not await is_overruled("Anna has a cat.", NOW)
    assert not await is_overruled("Anna lives in Oslo.", later + timedelta(seconds=1)), "said anew"
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(third,)), now=later)
    assert await is_overruled("Anna lives in Oslo.", NOW), "nothing of it was in the third"
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(second,)), now=later)
    assert await store.facts.list_decisions(ANNA.owner) == []


async def test_quoting_fact_forgotten_with_message_is_not_relearned(store: MemoryStore) -> None:
    second = (await append_turns(store, ANNA, 1))[0].id
    await store.append_messages(ANNA, [make_message("My code word is heliotrope.")])
    secret = (await store.timeline.read_page(ANNA, limit=99))[-1].id
    await store.facts.add_fact(ANNA.owner, make_fact("Anna's code word is heliotrope.", second), now=NOW + MINUTE)
    later = NOW + timedelta(hours=1)
    what = ForgetRequest(what="messages", ids=(secret,), with_quotes=True)
    assert (await store.forgetting.forget(ANNA.owner, what, now=later)).facts == 1
    decisions = await store.facts.list_decisions(ANNA.owner)
    for said_at, is_undone in ((NOW, True), (later + MINUTE, False)):
        text = "Her code word is heliotrope."
        assert DecisionIndex(decisions).overrules(replace(make_fact(text, second), observed_at=said_at)) == is_undone
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(second,)), now=later)
    assert await store.facts.list_decisions(ANNA.owner) == []


async def test_forgetting_superseded_fact_does_not_overrule_its_successor(store: MemoryStore) -> None:
    old = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo.", subject="home"), now=NOW)
    await store.facts.add_fact(
        ANNA.owner, make_fact("Anna lives in Bergen.", subject="home"), now=NOW, superseded_id=old.id
    )
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(old.id,)), now=NOW)
    decisions = await store.facts.list_decisions(ANNA.owner)
    for text, is_undone in (("Anna lives in Oslo.", True), ("Anna lives in Bergen.", False)):
        assert DecisionIndex(decisions).overrules(make_fact(text, subject="home")) == is_undone


async def test_import_does_not_count_deleted_fact_as_new(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    row = FACTS.to_portable_row({**FACTS.defaults, **FACT_ROWS.to_row(fact), "source_ids": "[]", "tags": "[]"})
    later = row | {
        "id": 9,
        "text": "Anna has lived in Oslo again.",
        "observed_at": format_moment(NOW + timedelta(days=9)),
    }
    await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW + timedelta(minutes=1))
    await store.forgetting.forget(
        ANNA.owner, ForgetRequest(what="facts", ids=(fact.id,), until=NOW + timedelta(days=1)), now=NOW
    )
    assert await store.facts.list_all_facts(ANNA.owner) == []
    assert await store.history.count_new_facts(ANNA.owner, [row]) == 0
    assert await store.history.count_new_facts(ANNA.owner, [row, later]) == 1


async def test_fact_vectors_are_tied_to_text_and_model(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    assert await store.facts.list_unembedded_facts("m", 10) == [fact]
    vector = np.array([[0.6, 0.8]], np.float32)
    await store.facts.store_vectors("m", [replace(fact, text="other words")], vector)
    assert await store.facts.read_vectors_by_fact_id(ANNA.owner, "m") == {}
    await store.facts.store_vectors("m", [fact], vector)
    assert np.allclose((await store.facts.read_vectors_by_fact_id(ANNA.owner, "m"))[fact.id], vector[0], atol=1e-3)
    assert await store.facts.list_unembedded_facts("m", 10) == []
    assert await store.facts.list_unembedded_facts("other", 10) == [fact]
    await store.facts.edit_fact(ANNA.owner, fact.id, "Anna lives in Bergen.", now=NOW)
    assert [fact.id for fact in await store.facts.list_unembedded_facts("m", 10)] == [fact.id]


async def test_facts_progress_and_profile_survive_reopening(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 1)
        made = await learn_facts(store, FactChange(fact=make_fact("Anna lives in Oslo.", 1)))
        profile = await store.profiles.store_profile(
            NewProfile(owner=ANNA.owner, text="Anna.", model="m", base_id=None, facts=(made[0],), summary_ids=()),
            now=NOW,
        )
    async with opener(tmp_path) as store:
        assert await store.facts.list_valid_facts(ANNA.owner) == made
        assert (await store.facts.read_learned_id_and_next(ANNA, 10))[0] == 2
        assert await store.profiles.find_newest_profile(ANNA.owner) == profile
        if store.kind is StorageType.JSON:
            assert "Anna lives in Oslo." in (tmp_path / "memory.json").read_text(encoding="utf-8")


async def test_rejects_profile_whose_sources_are_gone(store: MemoryStore) -> None:
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    draft = NewProfile(owner=ANNA.owner, text="Anna.", model="m", base_id=None, facts=(fact,), summary_ids=())
    first = await store.profiles.store_profile(draft, now=NOW)
    second = await store.profiles.store_profile(replace(draft, base_id=first.id, text="Anna of Oslo."), now=NOW)
    assert await store.profiles.list_versions(ANNA.owner) == [second, first]
    for broken in (
        replace(draft, facts=(fact, replace(fact, id=9))),
        replace(draft, facts=(replace(fact, text="Anna lives in Bergen."),)),
        replace(draft, summary_ids=(4,)),
        replace(draft, base_id=77),
    ):
        with pytest.raises(StaleFacts):
            await store.profiles.store_profile(broken, now=NOW)
    assert (
        await store.forgetting.forget(ANNA.owner, ForgetRequest(what="profiles", ids=(second.id, 99)), now=NOW)
    ).profiles == 1
    assert await store.profiles.find_newest_profile(ANNA.owner) == first


@pytest.mark.parametrize("change", ["delete", "edit", "supersede", "erase", "profile"])
async def test_rejects_profile_when_facts_or_profile_changed_since(store: MemoryStore, change: str) -> None:
    """This holds even if the fact is not a source of the profile, because a sentence may be overruled now."""
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW)
    draft = NewProfile(owner=ANNA.owner, text="In Oslo.", model="m", base_id=None, facts=(), summary_ids=())
    seen = await store.facts.read_revision(ANNA.owner)
    await store.profiles.store_profile(draft, now=NOW, revision=seen)
    seen = await store.facts.read_revision(ANNA.owner)
    match change:
        case "delete":
            await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW)
        case "edit":
            await store.facts.edit_fact(ANNA.owner, fact.id, "Anna lives in Bonn.", now=NOW)
        case "supersede":
            await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Bonn."), now=NOW, superseded_id=fact.id)
        case "erase":
            await store.forgetting.forget(ANNA.owner, ForgetRequest(what="facts", ids=(fact.id,)), now=NOW)
        case "profile":
            await store.profiles.store_profile(draft, now=NOW)
    with pytest.raises(NewerFacts):
        await store.profiles.store_profile(draft, now=NOW, revision=seen)


async def test_profile_sources_survive_reopening(opener: Opener, tmp_path: Path) -> None:
    """Undoing a fact edit deletes only the profile versions that were made from the edit."""
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        tea, boat = [
            await store.facts.add_fact(ANNA.owner, make_fact(text), now=NOW) for text in ("Likes tea.", "Has a boat.")
        ]
        tulips = await store.facts.edit_fact(ANNA.owner, tea.id, "Likes tulips.", now=NOW)
        assert tulips is not None
        draft = NewProfile(owner=ANNA.owner, text="Sails.", model="m", base_id=None, facts=(boat,), summary_ids=())
        sails = await store.profiles.store_profile(draft, now=NOW)
        plants = await store.profiles.store_profile(replace(draft, base_id=sails.id, facts=(boat, tulips)), now=NOW)
        again = await store.profiles.store_profile(replace(draft, base_id=plants.id), now=NOW)
        assert [version.id for version in await store.profiles.list_versions(ANNA.owner)] == [
            again.id,
            plants.id,
            sails.id,
        ]
    async with opener(tmp_path) as store:
        earlier = await store.facts.find_previous_version_id(ANNA.owner, tea.id)
        assert earlier is not None
        what = ForgetRequest(what="edits", ids=(earlier,))
        assert (await store.forgetting.preview_deletion(ANNA.owner, what)).profiles == 2
        assert (await store.forgetting.forget(ANNA.owner, what, now=NOW)).profiles == 2
        assert await store.profiles.list_versions(ANNA.owner) == [sails]


async def test_lists_new_summaries_until_profile_includes_them(store: MemoryStore) -> None:
    made = [await fold_messages(store, ANNA, await append_turns(store, ANNA, 1)) for _ in range(4)]
    assert [summary.id for summary in await store.profiles.list_new_summaries(ANNA.owner, 10)] == [
        fact.id for fact in made
    ]
    assert [summary.id for summary in await store.profiles.list_new_summaries(ANNA.owner, 2)] == [
        fact.id for fact in made[2:]
    ]
    draft = NewProfile(
        owner=ANNA.owner, text="Anna.", model="m", base_id=None, facts=(), summary_ids=(made[0].id, made[1].id)
    )
    await store.profiles.store_profile(draft, now=NOW)
    assert [summary.id for summary in await store.profiles.list_new_summaries(ANNA.owner, 10)] == [
        fact.id for fact in made[2:]
    ]


async def test_moment_before_first_live_record_precedes_messages_and_decisions(store: MemoryStore) -> None:
    assert await store.history.find_moment_before_first_live_record(ANNA.owner) is None
    fact = await store.facts.add_fact(ANNA.owner, make_fact("Anna lives in Oslo."), now=NOW - MINUTE)
    assert await store.history.find_moment_before_first_live_record(ANNA.owner) is None
    await append_turns(store, ANNA, 1)
    said_first = await store.history.find_moment_before_first_live_record(ANNA.owner)
    assert said_first is not None
    assert said_first > NOW - MINUTE
    await store.facts.delete_fact(ANNA.owner, fact.id, now=NOW - MINUTE)
    decided_first = await store.history.find_moment_before_first_live_record(ANNA.owner)
    assert decided_first is not None
    assert NOW - 2 * MINUTE < decided_first < NOW - MINUTE
    assert await store.history.select_texts_with_decisions(ANNA.owner, ["Lives in Oslo.", "Has a cat."]) == {
        "Lives in Oslo."
    }
    assert await store.history.find_moment_before_first_live_record(BORIS.owner) is None


async def test_migration_dates_edited_facts_by_their_edit(store: MemoryStore) -> None:
    """The prompt once dated an edited fact by the message that the edit corrects."""
    await append_turns(store, ANNA, 1)
    home, cat = await learn_facts(
        store, FactChange(fact=make_fact("Anna lives in Oslo.", 1)), FactChange(fact=make_fact("Anna has a cat.", 1))
    )
    await store.facts.edit_fact(ANNA.owner, home.id, "Anna lives in Bergen.", now=NOW + timedelta(days=1))
    for fact in (home, cat):
        await store.facts.pin_fact(ANNA.owner, fact.id, is_pinned=True, now=NOW + timedelta(days=2))
    async with store.database.open_transaction(ANNA.owner) as tx:
        as_before = "UPDATE facts SET observed_at = ?, valid_from = NULL WHERE user_id = ? AND origin <> 'earlier'"
        await tx.execute(as_before, format_moment(NOW), ANNA.owner)
        for _ in range(2):  # rows of an export are migrated again
            await tx.execute(read_migration_steps("postgres_steps.sql")[11])
    home, cat = await store.facts.list_valid_facts(ANNA.owner)
    assert (home.observed_at, home.valid_from) == (NOW + timedelta(days=1), NOW)
    assert (cat.observed_at, cat.valid_from) == (NOW, NOW)
    edited = await store.facts.edit_fact(ANNA.owner, cat.id, "Anna has two cats.", now=NOW + timedelta(days=3))
    assert edited is not None
    assert (edited.observed_at, edited.valid_from) == (NOW + timedelta(days=3), NOW)


async def test_superseded_fact_is_kept_beside_its_successor(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 2)
    (mia,) = await learn_facts(store, FactChange(fact=make_fact("Anna has a child, Mia.", 1, subject="child")))
    leo = replace(make_fact("Anna has a child, Leo.", 3, subject="child"), valid_from=NOW + timedelta(days=1))
    (leo_id,) = [fact.id for fact in await learn_facts(store, FactChange(fact=leo, closes=(mia.id,)))]
    assert await store.facts.keep_with_superseded_facts(ANNA.owner, mia.id, now=NOW) is None, "it is not valid"
    assert await store.facts.keep_with_superseded_facts(ANNA.owner, leo_id, now=NOW) is not None
    both = await store.facts.list_valid_facts(ANNA.owner)
    assert [(fact.id, fact.subject, fact.superseded_by) for fact in both] == [(mia.id, "", None), (leo_id, "", None)]
    assert {fact.decided_at for fact in both} == {NOW}
    assert await store.facts.keep_with_superseded_facts(ANNA.owner, leo_id, now=NOW) is None, "it replaces nothing now"
