"""A working copy of memory.json that was deleted: its rows are there at once, its words come in the background."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.errors import StorageIndexing
from records.forgetting import ForgetRequest
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.schema.rows import AnyRow
from storage.search import terms, word_index
from storage.stores import json_recovery as missing_words
from storage.stores.json import JsonStore
from tests.contract.conftest import ANNA, BORIS, NOW, config, said, talk
from tests.support.talk import talking
from tests.unit.storage.test_json_files import opened

MESSAGES = 2 * missing_words.INDEX_BATCH_SIZE + 5


async def without_index(folder: Path) -> None:
    """The files of a memory with many messages of Anna's and one of Boris's, whose working copy is deleted."""
    async with opened(folder) as store:
        for scope, number in ((ANNA, MESSAGES), (BORIS, 1)):
            await store.upsert_owner(config(store, scope.owner))
            await store.append_messages(scope, [said(f"walrus {place}") for place in range(number)])
    (folder / "index.db").unlink()


async def missing(store: JsonStore) -> int:
    async with store.database.open_reader(None) as reader:
        return len(await reader.fetch_rows("SELECT seq FROM words_missing"))


async def hits(store: JsonStore, word: str = "walrus") -> int:
    return len(await store.search_messages(ANNA, [word], limit=1_000))


async def test_rows_are_there_before_words(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with opened(tmp_path) as store:
        async with store.database.open_transaction(None):
            # While somebody writes, nothing is indexed.
            assert (
                (await store.count_messages_and_summaries(ANNA)).total
                == len(await store.timeline.read_page(ANNA, limit=1_000))
                == MESSAGES
            )
            assert not await store.wait_until_indexed(ANNA.owner, timeout=0)
            assert await missing(store) == MESSAGES + 1
            assert await store.wait_until_indexed(999, timeout=0), "somebody without a message waits for nobody"
        assert await store.wait_until_indexed(ANNA.owner)
        assert await hits(store) == MESSAGES
        assert await store.wait_until_indexed(BORIS.owner)
        assert await missing(store) == 0


async def test_who_waits_is_served_first(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with opened(tmp_path) as store:
        waiting = asyncio.create_task(store.wait_until_indexed(ANNA.owner))
        done = asyncio.create_task(store.wait_until_indexed(BORIS.owner))
        await asyncio.wait({waiting, done}, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done()
        await done


async def test_a_kill_in_between_is_taken_up_again(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    await without_index(live)
    async with opened(live) as store, store.database.open_transaction(None):
        shutil.copytree(live, killed)
    async with opened(killed) as store:
        assert await hits(store) == MESSAGES


async def test_what_was_indexed_before_a_kill_is_not_indexed_again(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    await without_index(live)
    async with opened(live) as store:
        assert await hits(store) == MESSAGES
        [newest] = await store.timeline.read_page(ANNA, limit=1)

        def takes_out(connection: Connection) -> None:
            row = connection.execute(
                "SELECT seq FROM messages WHERE user_id = ? AND id = ?", (ANNA.owner, newest.id)
            ).fetchone()
            missing_words.mark_message_unindexed(connection, ANNA.owner, newest.id, row["seq"])

        await store.database.transact(takes_out, ANNA.owner)
        shutil.copytree(live, killed)
        assert await hits(store) == MESSAGES - 1
    async with opened(killed) as store:
        assert await hits(store) == MESSAGES


async def test_a_stop_in_between_is_taken_up_again(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with opened(tmp_path):
        pass
    async with opened(tmp_path) as store:
        assert await hits(store) == MESSAGES
        assert store.reports == []


async def test_what_was_forgotten_or_corrected_meanwhile_is_indexed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        forgotten, corrected, kept = await store.append_messages(ANNA, [said(f"walrus {place}") for place in range(3)])
    (tmp_path / "index.db").unlink()
    read, go_on, analyzed = asyncio.Event(), asyncio.Event(), word_index.extract_terms_from_rows

    async def slow(rows: Sequence[tuple[int, AnyRow]]) -> list[terms.TermsEntry]:
        entries = await analyzed(rows)
        read.set()
        await go_on.wait()
        return entries

    monkeypatch.setattr(word_index, "extract_terms_from_rows", slow)
    async with opened(tmp_path) as store:
        await read.wait()
        monkeypatch.undo()
        await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(forgotten.id,)), now=NOW)
        await store.forgetting.replace_message_text(ANNA, corrected.id, "a seal", reason="edited", now=NOW)
        go_on.set()
        assert await store.wait_until_indexed(ANNA.owner)
        assert [hit.id for hit in await store.search_messages(ANNA, ["walrus"], limit=9)] == [kept.id]
        assert [hit.id for hit in await store.search_messages(ANNA, ["seal"], limit=9)] == [corrected.id]


async def test_a_group_that_is_renamed_meanwhile_is_waited_for_under_its_new_id(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with opened(tmp_path) as store:
        await store.rename_owner(ANNA.owner, 43)
        assert await store.wait_until_indexed(43)
        assert len(await store.search_messages(Scope(owner=43), ["walrus"], limit=1_000)) == MESSAGES


async def test_what_the_journal_holds_is_indexed_too(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with opened(live) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await store.flush_files()
        await talk(store, ANNA, 3, "later")
        shutil.copytree(live, killed)
    (killed / "index.db").unlink()
    async with opened(killed) as store:
        assert await hits(store, "later") == 3


async def test_forgetting_waits_for_the_words_by_which_quotes_are_found(tmp_path: Path) -> None:
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        await memory.configure(ANNA.owner, storage=StorageType.JSON, every_n=5)
        async with memory.open_store(ANNA.owner) as store:
            [message] = await store.append_messages(ANNA, [said("My code word is walrus.")])
        assert isinstance(store, JsonStore)
        held = store.words.missing[ANNA.owner] = asyncio.Event()
        memory.words_within = 0
        one = ForgetRequest(what="messages", ids=(message.id,))
        for refused in (memory.preview_forgetting, memory.forget):
            with pytest.raises(StorageIndexing, match="again in a minute"):
                await refused(ANNA.owner, one)
        assert await memory.find_owners_with_messages(ForgetRequest(what="archives", until=NOW)) == []
        memory.words_within = 60
        forgetting = asyncio.create_task(memory.forget(ANNA.owner, one))
        held.set()
        assert (await forgetting).messages == 1


async def test_a_question_meanwhile_is_answered_and_it_is_said_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(storage=StorageType.JSON)
        async with talk.services.memory.open_store(7) as store:
            assert isinstance(store, JsonStore)
        held = store.words.missing[7] = asyncio.Event()
        first, second = await talk.say("My cat is called Murka."), await talk.say("And what else?")
        assert "your earlier messages again" in " ".join(first.notices)
        assert not first.is_error
        assert second.notices == ()
        held.set()
        del store.words.missing[7]
        assert (await talk.say("And now?")).notices == ()
