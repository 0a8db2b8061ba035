"""Special files in DATA_DIR and damaged values are reported with advice, and affect only their owner."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.errors import StorageCorrupt
from records.facts import NewProfile
from records.forgetting import ForgetRequest
from records.owners import StorageType
from records.scopes import Scope
from storage.backup import back_up
from storage.bot_state.inbox import ReceivedUpdate
from storage.engine.sqlite_driver import sqlite3
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import NOW, append_turns, fold_messages, make_message
from tests.support.talk import ANNA, BORIS, open_chat_harness


def laid_as_a_folder(path: Path) -> None:
    path.mkdir()


def laid_as_a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("lay", [os.mkfifo, laid_as_a_folder, laid_as_a_dangling_link])
@pytest.mark.parametrize(
    "name", [".lock", ".instance", "memory.db", "memory.db-wal", "index.db", "memory.json", "memory.json.journal"]
)
def test_non_regular_file_in_data_dir_is_reported_without_traceback(
    name: str,
    lay: Callable[[Path], None],
    tmp_path: Path,
    run_here: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Opening a FIFO once blocked the bot for ever."""
    lay(tmp_path / name)
    for arguments in ((), ("--check",), ("--backup", str(tmp_path / "backup.gz"))):
        environ = {"DATA_DIR": str(tmp_path), "TELEGRAM_BOT_TOKEN": "7:abc", "OPENAI_API_KEY": "key"}
        environ["TELEGRAM_API_URL"] = "http://127.0.0.1:9"
        assert run_here(arguments, environ) == 2
        printed = capsys.readouterr()
        assert f"DATA_DIR: {tmp_path / name} is " in printed.err + printed.out
        assert "Traceback" not in printed.err


FILES = {StorageType.SQLITE: "memory.db", StorageType.JSON: "index.db"}


@pytest.mark.parametrize("storage", FILES)
@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("messages", "created_at", "'garbled'"),
        ("messages", "turn_id", "'text'"),
        ("messages", "speaker", "X'FF'"),
        ("messages", "content", "CAST(X'FF' AS TEXT)"),
        ("summaries", "source_ids", "'garbled'"),
        ("summaries", "source_ids", "'{}'"),
        ("summaries", "details", "5"),
        ("summaries", "score", "'text'"),
        ("summaries", "is_active", "'text'"),
        ("users", "created_at", "'garbled'"),
        ("users", "auto_fold", "'text'"),
        ("progress", "past_learned", "'garbled'"),
        ("progress", "learned_id", "'text'"),
        ("accounts", "account", "'garbled'"),
        ("profiles", "fact_ids", "5"),
    ],
)
async def test_damaged_value_raises_storage_corrupt_with_recovery_advice(
    table: str, column: str, value: str, storage: StorageType, tmp_path: Path
) -> None:
    """The reply used to be "Something went wrong here". SQLite does not check types or JSON."""
    scope = Scope(owner=1)
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        await memory.configure(1, storage=storage, every_n=5)
        async with memory.open_store(1) as store:
            await fold_messages(store, scope, await append_turns(store, scope, 1))
            await store.append_messages(
                scope, [replace(make_message("hello", role="assistant"), explanation='{"shown": [7, 8]}')]
            )
            profile = NewProfile(owner=1, text="Anna.", model="m", base_id=None, facts=(), summary_ids=())
            await store.profiles.store_profile(profile, now=NOW)
            await store.facts.begin_learning_unless_recorded(scope, 1)
    with closing(sqlite3.connect(tmp_path / FILES[storage])) as file, file:
        assert file.execute(f"UPDATE {table} SET {column} = {value}").rowcount  # noqa: S608
    said_of_it = 0
    for read in READS:
        try:
            async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory, memory.open_store(1) as store:
                await read(store, scope)
        except StorageCorrupt as error:
            assert re.search(r"damaged.*(--restore FILE|start it again)", error.sentence)  # noqa: PT017
            said_of_it += 1
    assert said_of_it


READS: Sequence[Callable[[MemoryStore, Scope], Awaitable[object]]] = (
    lambda store, scope: store.find_owner_config(scope.owner),
    lambda store, scope: store.timeline.read_page(scope, limit=9),
    lambda store, scope: store.list_summaries(scope, active_only=False),
    lambda store, scope: store.read_context_sources(scope, max_turns=3, before_turn=None),
    lambda store, scope: store.facts.read_learned_id_and_next(scope, 9),
    lambda store, scope: store.explanations.find_explanation(scope, 8),
    lambda store, scope: store.compute_digest(scope.owner),
    lambda store, scope: store.conversations.list_with_total(scope, offset=0, limit=9),
    lambda store, scope: store.forgetting.preview_deletion(scope.owner, ForgetRequest(what="messages", ids=(1,))),
    lambda store, scope: store.append_messages(scope, [make_message("a new one")]),
)


NO_TEXT = "CAST(X'FF' AS TEXT)"
"""An SQL expression for invalid UTF-8 of type TEXT, which fails every statement that reads it."""


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *(("users", name, "'garbled'") for name in ("storage_type", "auto_fold", "memory_enabled", "created_at")),
        *(("users", name, NO_TEXT) for name in ("storage_type", "language")),
        *(("forgettings", name, "'garbled'") for name in ("what", "begun_at")),
        ("forgettings", "what", "'{}'"),
        *(("updates", name, "'garbled'") for name in ("received_at", "attempts", "shown")),
    ],
)
async def test_damaged_row_affects_only_its_owner(
    table: str, column: str, value: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Such a row used to stop the bot at start for everybody."""
    arrivals = [ReceivedUpdate(number, f"update {number}") for number in (1, 2)]
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        for owner in (1, 2):
            await memory.configure(owner, storage=StorageType.SQLITE, every_n=5)
        await memory.inbox.store_and_get_new_ids(900, arrivals, NOW)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
        what = '{"what": "messages", "ids": [1], "since": null, "until": null}'
        file.execute("INSERT INTO forgettings (user_id, what, begun_at) VALUES (1, ?, ?)", (what, NOW.isoformat()))
        key = "update_id" if table == "updates" else "user_id"
        assert file.execute(f"UPDATE {table} SET {column} = {value} WHERE {key} = 1").rowcount  # noqa: S608
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        async with memory.open_store(2) as store:
            await store.append_messages(Scope(owner=2), [make_message("I am not concerned.")])
        assert "update 2" in [update.payload for update in await memory.inbox.list_pending_updates(900)]
        if table == "users":
            with pytest.raises(StorageCorrupt, match="bring back the last backup"):
                await memory.get_config(1)
            if column == "storage_type":  # a backup without this memory would pass for a whole one
                with pytest.raises(StorageCorrupt, match="damaged"):
                    await asyncio.to_thread(back_up, tmp_path, tmp_path / "backup.gz")
        else:
            assert await memory.is_memory_on(1)
            assert "1 is left out: A stored value" in caplog.text
            assert "bring back the last backup" in caplog.text


async def test_owner_with_damaged_row_is_notified_and_others_are_served(tmp_path: Path) -> None:
    """The bot used to promise to store the message later, which was impossible."""
    async with open_chat_harness(tmp_path) as talk:
        for person in (ANNA, BORIS):
            await talk.turn_on_memory(owner=person.id)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
        file.execute("UPDATE users SET created_at = 'garbled' WHERE user_id = ?", (ANNA.id,))
    async with open_chat_harness(tmp_path) as talk:
        assert [
            re.sub(r" \(error .*", "", notice) for notice in (await talk.say("Who am I?", person=ANNA)).notices
        ] == ["The memory's file is damaged. The bot's admin can restore a backup."]
        assert (await talk.say("And I?", person=BORIS)).notices == ()
