"""Tests of learning from the labelled dialogues, with real stores and a scripted model: merges and updates."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

from records.facts import Fact
from records.messages import Message, NewMessage
from records.owners import StorageType
from records.scopes import Person, Scope
from storage.stores.memory_store import MemoryStore
from tests.support.dialogues import Dialogue, read_dialogues
from tests.support.talk import ChatHarness, open_chat_harness

NAMES = {"en": "Anna", "de": "Jonas", "es": "Lucía", "ru": "Игорь"}
ALL = read_dialogues()


@asynccontextmanager
async def play_all_dialogues(
    folder: Path, storage: StorageType, **settings: object
) -> AsyncIterator[dict[str, list[Fact]]]:
    """Play each dialogue for a separate owner and yield the resulting facts by dialogue id."""
    async with open_chat_harness(folder, **settings) as talk:
        found = {}
        for owner, dialogue in enumerate(ALL, start=1):
            await talk.turn_on_memory(owner=owner, storage=storage)
            found[dialogue.id] = await play_dialogue(talk, dialogue, Scope(owner=owner))
        yield found


async def play_dialogue(talk: ChatHarness, dialogue: Dialogue, scope: Scope) -> list[Fact]:
    who = Person(id=scope.owner, name=NAMES[dialogue.language] if "wife" not in dialogue.id else "Boris")
    for stage in dialogue.stages:
        talk.moment[0] = stage.day
        async with talk.services.memory.open_store(scope.owner) as store:
            said = [await store_answered_message(store, scope, who, text, talk.moment) for text in stage.said]
            known = {fact.text: fact.id for fact in await store.facts.list_valid_facts(scope.owner)}
        answer = stage.answer([message.id for message in said], known)
        talk.server.set_default_schema_answer("facts", answer)
        await talk.services.facts.learn(scope)
    async with talk.services.memory.open_store(scope.owner) as store:
        return await store.facts.list_all_facts(scope.owner)


async def store_answered_message(
    store: MemoryStore, scope: Scope, who: Person, text: str, moment: list[datetime]
) -> Message:
    """Store a message with an answer, without the rest of a turn, which facts do not depend on."""
    moment[0] += timedelta(seconds=30)
    said = NewMessage(role="user", content=text, created_at=moment[0], speaker=who.name)
    [question] = await store.append_messages(scope, [said])
    answer = NewMessage(role="assistant", content="Understood.", created_at=moment[0], turn=question.turn)
    await store.append_messages(scope, [answer])
    return question


def find_faults(dialogue: Dialogue, facts: list[Fact]) -> dict[str, list[str]]:
    """Compare the facts with the labels. Return wrong merges, lost updates, and wrong histories and sources."""
    by_id = {fact.id: fact for fact in facts}
    valid = Counter(fact.text for fact in facts if fact.is_valid)
    past = {
        fact.text: by_id[fact.superseded_by].text if fact.superseded_by else None for fact in facts if not fact.is_valid
    }
    return {
        "wrong merges": sorted((Counter(dialogue.valid) - valid).elements()),
        "lost updates": sorted((valid - Counter(dialogue.valid)).elements()),
        "history": sorted({str(pair) for pair in past.items() ^ dict(dialogue.past).items()}),
        "sources": [
            f"{fact.text}: {len(fact.source_ids)}"
            for fact in facts
            if len(fact.source_ids) != dialogue.sources.get(fact.text, len(fact.source_ids))
        ],
    }


def test_dialogues_cover_all_languages_and_kinds() -> None:
    assert len(ALL) >= 60
    assert {scripted.language for scripted in ALL} == {"en", "de", "es", "ru"}
    assert {scripted.about for scripted in ALL} >= {
        "update",
        "negation",
        "dates",
        "joke",
        "quoted",
        "same",
        "different",
    }
    assert len({scripted.id for scripted in ALL}) == len(ALL)


async def test_dialogues_have_no_wrong_merges_or_lost_updates(tmp_path: Path, storage: StorageType) -> None:
    async with play_all_dialogues(tmp_path, storage) as found:
        wrong = {
            scripted.id: fault for scripted in ALL if any((fault := find_faults(scripted, found[scripted.id])).values())
        }
    assert not wrong
