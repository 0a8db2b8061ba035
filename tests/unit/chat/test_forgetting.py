"""After forgetting, no file in the data directory contains the words, wherever they had been stored."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chat.facts_by_hand import change_fact_and_report
from chat.session import Session, UnwrittenMessages
from external_memory import ExternalMemory
from records.errors import StaleFacts
from records.facts import NewProfile
from records.forgetting import ForgetRequest
from records.messages import NewMessage, Role
from records.owners import StorageType
from records.scopes import Scope
from storage.bot_state.inbox import ReceivedUpdate
from storage.schema.portable_tables import ACCOUNTS, FACTS, PROFILES
from storage.stores.memory_store import MemoryStore
from tests.peers.openai_server import Behaviour
from tests.support.storages import FILE_STORAGES
from tests.support.talk import ANNA, BORIS, ChatHarness, list_unfinished_forgettings, open_chat_harness
from tests.unit.chat.test_conversation import limit_database_pages

SCOPE = Scope(owner=ANNA.id)
WORD, OTHER = "Heliotröpe“", "marigold"
STORAGES = FILE_STORAGES


def find_traces(folder: Path, words: Iterable[str] = (WORD,)) -> list[str]:
    """List the files that contain a word as UTF-8, as UTF-16, escaped as JSON, or as an index term."""
    found = []
    for path in sorted(folder.rglob("*")):
        held = path.read_bytes() if path.is_file() else b""
        for word in words:
            core = word.casefold()[:7]
            forms = {word, core, json.dumps(word)[1:-1], json.dumps(core)[1:-1]}
            encodings = ("utf-8", "utf-16-le", "utf-16-be")
            found += [f"{path.name}: {form}" for form in forms if any(form.encode(name) in held for name in encodings)]
    return found


async def get_store(talk: ChatHarness, owner: int = ANNA.id) -> MemoryStore:
    async with talk.services.memory.open_store(owner) as store:
        return store


async def find_message_ids(talk: ChatHarness, word: str) -> tuple[int, ...]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return tuple(
            message.id for message in await store.timeline.read_page(SCOPE, limit=1000) if word in message.content
        )


async def hold_conversation_with_word(talk: ChatHarness) -> None:
    """Store the word in a question, an answer, summaries, a fact, a profile and a version."""
    talk.server.set_default_answer("chat-model", f"You said {OTHER}.")
    talk.server.set_default_answer("summary-model", "They spoke of flowers.")
    store = await get_store(talk)
    number = 0
    for turn in range(12):
        text = f"{OTHER} {turn} " + "x" * 50 * turn
        if turn == 5:
            talk.server.script("chat-model", Behaviour(text=f"Your secret is {WORD}."))
            await talk.say(f"My secret is {WORD}. " * 3)
            number = (await find_message_ids(talk, "My secret"))[0]
            await store.forgetting.replace_message_text_if_changed(
                SCOPE, number, f"{WORD}, corrected", reason="edited", now=talk.moment[0]
            )
            talk.server.script("summary-model", Behaviour(text=f"They spoke of {WORD}."))
            await talk.conversation.run_post_turn_tasks(SCOPE)
            continue
        if turn == 11:
            talk.server.script("summary-model", Behaviour(text="They spoke."), Behaviour(text=f"Of {WORD}, mostly."))
        await talk.run_turn(text)
    assert (
        len([summary for summary in await store.list_summaries(SCOPE, active_only=False) if WORD in summary.text]) == 2
    )
    async with store.database.open_transaction(ANNA.id) as tx:
        at = talk.moment[0].isoformat()
        for table, row in (
            (FACTS, {"id": 1, "text": f"Has {WORD}.", "kind": "personal", "source_ids": [number], "observed_at": at}),
            (PROFILES, {"id": 1, "text": f"Owner of {WORD}.", "last_summary_id": 99}),
            (ACCOUNTS, {"id": number + 1, "account": {"recent": [number]}}),
        ):
            await tx.execute(
                table.upsert_sql, *table.to_params({**table.defaults, **row, "user_id": ANNA.id, "created_at": at})
            )


@pytest.mark.parametrize("storage", STORAGES)
async def test_no_file_contains_forgotten_message(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=2)
        await hold_conversation_with_word(talk)
        assert find_traces(tmp_path), "the test would see them"
        talk.server.set_default_answer("summary-model", "They spoke of flowers.")
        ids = await find_message_ids(talk, WORD)
        taken = await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=ids))
        assert (taken.messages, taken.facts, taken.profiles, taken.versions) == (2, 1, 1, 1)
        assert taken.summaries == 2
        assert find_traces(tmp_path) == []
        assert (await get_store(talk)).kind is storage
        await talk.conversation.run_post_turn_tasks(SCOPE)
        await talk.run_turn(f"Still {OTHER}?")
        assert WORD not in talk.list_prompts()[-1]
        assert find_traces(tmp_path) == []
        assert find_traces(tmp_path, [OTHER]), "nothing else went"
    assert find_traces(tmp_path) == []
    async with open_chat_harness(tmp_path) as talk:
        assert find_traces(tmp_path) == []
        assert await find_message_ids(talk, OTHER)


@pytest.mark.parametrize("storage", STORAGES)
async def test_forgetting_everything_leaves_no_text_of_owner_in_files(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        # Somebody else's words, and a life in the other store before.
        await talk.turn_on_memory(owner=BORIS.id, storage=storage)
        await talk.say("begonia", person=BORIS)
        other = next(other for other in STORAGES if other is not storage)
        await talk.services.memory.configure(ANNA.id, storage=other, every_n=2)
        await hold_conversation_with_word(talk)
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=2)
        taken = await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        assert taken.messages == 24
        assert taken.is_clean
        assert find_traces(tmp_path, [WORD, OTHER]) == []
        config = await talk.services.memory.get_config(ANNA.id)
        assert config is not None
        assert (config.storage, config.enabled) == (storage, True)
        talk.server.set_default_answer("chat-model", "Hello.")
        await talk.say("Anew.")
        assert WORD not in talk.list_prompts()[-1]
        assert OTHER not in talk.list_prompts()[-1]
    assert find_traces(tmp_path, [WORD, OTHER]) == []
    assert find_traces(tmp_path, ["begonia"])


async def test_forgetting_deletes_upgrade_copies_and_reports_files_set_aside(tmp_path: Path) -> None:
    (tmp_path / "memory.db.before-format-1").write_text(WORD)
    (tmp_path / "memory.json.unreadable-20260101T000000Z").write_text("somebody's only copy")
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(WORD)
        taken = await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
    assert taken.kept_aside == ("memory.json.unreadable-20260101T000000Z",)
    assert find_traces(tmp_path) == []


async def test_forgetting_clears_text_of_pending_update(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        memory = talk.services.memory
        for number, text in ((5, WORD), (6, "kept")):
            await memory.inbox.store_and_get_new_ids(
                1, [ReceivedUpdate(number, json.dumps({"text": text}))], talk.moment[0]
            )
        await talk.conversation.reply(talk.make_user_message(WORD, source="1:5"))
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        assert [update.payload for update in await memory.inbox.list_pending_updates(1)] == ["", '{"text": "kept"}']
        assert find_traces(tmp_path) == []


async def test_forgetting_waits_for_running_answer(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(WORD)
        talk.server.script("chat-model", Behaviour(text=f"It was {WORD}.", hold="start"))
        answering = asyncio.create_task(talk.say("What was it?"))
        await talk.server.wait_until_held()
        forgetting = asyncio.create_task(talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything")))
        await talk.server.release()
        await answering
        assert (await forgetting).messages == 4
        assert find_traces(tmp_path) == []


async def test_unwritten_turn_is_not_written_during_forgetting(tmp_path: Path) -> None:
    """The store failed before, and the turn is written again while its owner forgets everything."""
    async with open_chat_harness(tmp_path) as talk:
        services = talk.services
        await talk.turn_on_memory()
        await talk.say(OTHER)
        await limit_database_pages(talk, 1)
        assert not (await talk.say(f"{WORD} " * 2000)).is_durable
        await limit_database_pages(talk, 2**30)
        async with services.memory.open_store(ANNA.id):
            # Both get as far as they can while somebody reads: the forgetting up to the memory's gate.
            forgetting = asyncio.create_task(services.corrections.forget(ANNA.id, ForgetRequest(what="everything")))
            writing = asyncio.create_task(services.conversation.flush_turns_and_count_unwritten())
        await forgetting
        assert await writing == 0
        assert (await (await get_store(talk)).count_messages_and_summaries(SCOPE)).total == 0
        assert find_traces(tmp_path) == []
    assert find_traces(tmp_path) == []


async def test_forgotten_message_is_removed_from_session(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(WORD)
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        await talk.services.memory.set_enabled(ANNA.id, enabled=False)
        await talk.say("And?")
        assert WORD not in talk.list_prompts()[-1]


async def test_forgetting_works_while_memory_is_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(WORD)
        await talk.services.memory.set_enabled(ANNA.id, enabled=False)
        assert (await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))).messages == 2
    assert find_traces(tmp_path) == []


@pytest.mark.parametrize("storage", STORAGES)
async def test_interrupted_forgetting_is_finished_at_next_start(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=2)
        await hold_conversation_with_word(talk)
        ids = await find_message_ids(talk, WORD)
        memory = talk.services.memory
        async with memory.inbox.database.open_transaction(None) as tx:
            what = json.dumps({"what": "messages", "ids": ids, "since": None, "until": None})
            marked = "INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?)"
            await tx.execute(marked, ANNA.id, what, talk.moment[0].isoformat())
    assert find_traces(tmp_path)
    async with ExternalMemory.open(tmp_path, clock=lambda: talk.moment[0]) as memory:
        assert find_traces(tmp_path) == []
        async with memory.open_store(ANNA.id) as store:
            assert len(await store.timeline.read_page(SCOPE, limit=1000)) == 22
        assert await list_unfinished_forgettings(memory) == []


async def test_overwriting_erased_data_keeps_later_messages(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(WORD)
        memory = talk.services.memory
        async with memory.inbox.database.open_reader(None, in_snapshot=True) as reader:
            await reader.execute("SELECT 1 FROM users")
            assert not (await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))).is_clean
        await talk.say(OTHER)
        await memory.overwrite_erased_data()
        assert find_traces(tmp_path) == []
        assert await find_message_ids(talk, OTHER)


async def test_remaining_messages_of_chunk_are_summarized_again(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        for number in range(6):
            await talk.run_turn(f"{WORD if number == 2 else OTHER} {number}")
        store = await get_store(talk)
        assert [summary.first_id for summary in await store.list_summaries(SCOPE)] == [1, 5, 9]
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(5, 6)))
        assert [summary.first_id for summary in await store.list_summaries(SCOPE)] == [1, 9]
        await talk.conversation.run_post_turn_tasks(SCOPE)
        summaries = await store.list_summaries(SCOPE)
        assert [(summary.first_id, summary.last_id) for summary in summaries] == [(1, 4), (9, 12), (7, 8)]
        assert WORD not in talk.list_prompts("summary-model")[-1]
        assert (await store.count_messages_and_summaries(SCOPE)).active_messages == 0


@pytest.mark.parametrize("storage", STORAGES)
async def test_retention_deletes_only_old_archived_messages(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=2)
        await talk.run_turn(f"{WORD} 1")
        await talk.run_turn(f"{WORD} 2")
        talk.moment[0] += timedelta(days=20)
        for number in range(3):
            await talk.run_turn(f"{OTHER} {number}")
        talk.moment[0] += timedelta(days=20)
        await talk.services.corrections.forget_old_archived_messages(timedelta(days=50))
        assert (await (await get_store(talk)).count_messages_and_summaries(SCOPE)).total == 10
        await talk.services.corrections.forget_old_archived_messages(timedelta(days=30))
        assert find_traces(tmp_path) == []
        counts = await (await get_store(talk)).count_messages_and_summaries(SCOPE)
        assert (counts.total, counts.archived, sum(counts.active_by_level.values())) == (6, 4, 1)
        await talk.services.corrections.forget_old_archived_messages(timedelta(days=10))
        assert (await (await get_store(talk)).count_messages_and_summaries(SCOPE)).total == 2, (
            "what is not summarised stays"
        )


async def test_retention_is_enforced_at_start(tmp_path: Path) -> None:
    """A bot that is started only briefly each day would never reach the hourly run."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        talk.moment[0] -= timedelta(days=40)
        await talk.run_turn(f"{WORD} 1")
        await talk.run_turn(f"{WORD} 2")

    def is_left() -> bool:
        try:
            return bool(find_traces(tmp_path))
        except FileNotFoundError:  # a file that has just gone
            return True

    async with open_chat_harness(tmp_path, retention_days=30) as talk:
        async with asyncio.timeout(60):
            while await asyncio.to_thread(is_left):
                pass  # a file has no events
        assert (await (await get_store(talk)).count_messages_and_summaries(SCOPE)).total == 0


@pytest.mark.parametrize("storage", STORAGES)
async def test_no_file_contains_fact_deleted_one_day_ago(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=5)
        corrections, facts = talk.services.corrections, talk.services.facts
        kept, _ = await facts.add_fact_unless_known(ANNA.id, f"Anna likes {OTHER}.")
        fact, _ = await facts.add_fact_unless_known(ANNA.id, "Anna likes roses.")
        await facts.edit(ANNA.id, fact.id, f"Anna likes {WORD}.")
        edited = await facts.edit(ANNA.id, fact.id, "Anna likes tulips.")
        assert edited is not None
        store = await get_store(talk)
        made = NewProfile(
            owner=ANNA.id, text=f"Likes {WORD}.", model="m", base_id=None, facts=(edited,), summary_ids=()
        )
        await store.profiles.store_profile(made, now=talk.moment[0])
        await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
        talk.moment[0] += timedelta(hours=23)
        await corrections.forget_long_deleted_facts()
        assert find_traces(tmp_path), "it can still be restored"
        talk.moment[0] += timedelta(hours=2)
        await corrections.forget_long_deleted_facts()
        assert find_traces(tmp_path, [WORD, "tulips"]) == []
        assert [known_fact.id for known_fact in await facts.list_all(ANNA.id)] == [kept.id]
        await corrections.forget_long_deleted_facts()
    assert find_traces(tmp_path, [WORD, "tulips"]) == []
    assert find_traces(tmp_path, [OTHER])


@pytest.mark.parametrize("storage", STORAGES)
async def test_no_file_contains_text_of_undone_fact_edit(tmp_path: Path, storage: StorageType) -> None:
    """Profiles made from the edit are erased too. Earlier edits and earlier profiles stay."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=5)
        corrections, facts = talk.services.corrections, talk.services.facts
        fact, _ = await facts.add_fact_unless_known(ANNA.id, "Anna likes roses.")
        tulips = await facts.edit(ANNA.id, fact.id, "Anna likes tulips.")
        assert tulips is not None
        profiles = (await get_store(talk)).profiles
        draft = NewProfile(owner=ANNA.id, text=OTHER, model="m", base_id=None, facts=(tulips,), summary_ids=())
        await profiles.store_profile(draft, now=talk.moment[0])
        talk.moment[0] += timedelta(minutes=1)
        wrong = await facts.edit(ANNA.id, fact.id, f"Anna likes {WORD}.")
        assert wrong is not None
        draft = replace(draft, text=f"Likes {WORD}.", facts=(wrong,))
        await profiles.store_profile(draft, now=talk.moment[0])
        assert find_traces(tmp_path)
        taken = await corrections.undo_fact_edit(ANNA.id, fact.id)
        assert taken is not None
        assert (taken.profiles, taken.is_clean) == (1, True)
        assert find_traces(tmp_path) == []
        with pytest.raises(StaleFacts):
            await profiles.store_profile(draft, now=talk.moment[0])
        assert [(known_fact.text, known_fact.origin) for known_fact in await facts.list_all(ANNA.id)] == [
            ("Anna likes tulips.", "owner"),
            ("Anna likes roses.", "earlier"),
        ]
        newest = await profiles.find_newest_profile(ANNA.id)
        assert newest is not None
        assert newest.text == OTHER
        await corrections.forget(ANNA.id, ForgetRequest(what="profiles", ids=(newest.id,)))
        assert find_traces(tmp_path, [WORD, OTHER]) == []
    assert find_traces(tmp_path, [WORD, OTHER]) == []


@pytest.mark.parametrize("storage", STORAGES)
async def test_interrupted_undo_removes_only_one_fact_edit(tmp_path: Path, storage: StorageType) -> None:
    """The next start finishes the undo, wherever it was interrupted."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.services.memory.configure(ANNA.id, storage=storage, every_n=5)
        facts, store = talk.services.facts, await get_store(talk)
        fact, _ = await facts.add_fact_unless_known(ANNA.id, "Anna likes roses.")
        for words in ("Anna likes tulips.", f"Anna likes {WORD}."):
            await facts.edit(ANNA.id, fact.id, words)
        earlier = await store.facts.find_previous_version_id(ANNA.id, fact.id)
        assert earlier is not None
        what = ForgetRequest(what="edits", ids=(earlier,))
        await store.forgetting.forget(ANNA.id, what, now=talk.moment[0])
        async with talk.services.memory.inbox.database.open_transaction(None) as tx:
            record = (ANNA.id, json.dumps(asdict(what)), talk.moment[0].isoformat())
            await tx.execute("INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?)", *record)
    async with open_chat_harness(tmp_path) as talk:
        assert [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid] == [
            "Anna likes tulips."
        ]
        assert find_traces(tmp_path) == []


async def test_restored_fact_is_not_erased_when_due(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna likes roses.")
        await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
        await change_fact_and_report(talk.services, ANNA.id, "undo", fact.id)
        due = ForgetRequest(what="facts", ids=(fact.id,), until=talk.moment[0] + timedelta(days=1))
        assert (await talk.services.corrections.forget(ANNA.id, due)).facts == 0
        assert [known_fact.id for known_fact in await talk.services.facts.list_all(ANNA.id)] == [fact.id]


async def test_two_owners_forgetting_concurrently_leave_no_trace(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        for person, storage in ((ANNA, StorageType.SQLITE), (BORIS, StorageType.JSON)):
            await talk.services.memory.configure(person.id, storage=storage, every_n=2)
            await talk.say(WORD if person is ANNA else OTHER, person=person)
        everything = ForgetRequest(what="everything")
        await asyncio.gather(*(talk.services.corrections.forget(person.id, everything) for person in (ANNA, BORIS)))
        assert find_traces(tmp_path, [WORD, OTHER]) == []
        assert await list_unfinished_forgettings(talk.services.memory) == []


def test_forgetting_with_quotes_drops_unwritten_answer() -> None:
    """The question stays because the owner wrote it."""
    said_at = datetime(2026, 11, 21, tzinfo=UTC)
    roles: tuple[Role, Role] = ("user", "assistant")
    question, answer = (NewMessage(role=role, content=role, created_at=said_at) for role in roles)
    session = Session(SCOPE)
    session.unwritten.extend([UnwrittenMessages([question, answer]), UnwrittenMessages([answer], turn=7)])
    session.forget_messages(ForgetRequest(what="messages", ids=(1,)))
    assert [turn.messages for turn in session.unwritten] == [[question, answer], [answer]]
    session.forget_messages(ForgetRequest(what="messages", ids=(1,), with_quotes=True))
    assert [turn.messages for turn in session.unwritten] == [[question]]
