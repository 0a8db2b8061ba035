"""Storage failures while the bot runs: what users see, what is kept, and how the bot recovers."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playground.faults import Fault
from reliability.invariants import find_violations, read_memory_state
from tests.end_to_end.faults.disk import Disk, mount_disk, unwritable
from tests.end_to_end.faults.test_faults_model import check_number
from tests.end_to_end.harness import ANSWERS, LocalServers, Member, Process
from tests.peers.ports import reserve_port

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("it damages, fills and locks files")]
STORAGES = ["SQLite", "JSON"]
PAGE = 4096


@pytest.fixture
def port() -> Iterator[int]:
    with reserve_port() as port:
        yield port


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Disk]:
    with mount_disk(tmp_path / "disk") as made:
        yield made


def read_stored_texts(data: Path, owner: int) -> list[str]:
    """Return the owner's stored messages, after checking all invariants of the files."""
    files = read_memory_state(data)
    found = find_violations(files)
    assert not found, found
    return [row["content"] for row in files.get_owner_rows(owner).messages if row["role"] == "user"]


async def trouble(ann: Member, process: Process, words: str) -> None:
    """Check that messages are answered during the fault, and that the fault is reported once, with its number."""
    since = ann.last_event
    assert await ann.ask(words) == "Noted."
    notice = await ann.wait_for_message("cannot write to my memory", since=since)
    await check_number(notice["text"], process)
    since = ann.last_event
    await ann.ask(f"{words} again", "Noted.")
    assert not [message for message in ann.list_bot_messages(since=since) if "cannot write" in message["text"]]


@pytest.mark.parametrize("storage", STORAGES)
async def test_answers_continue_on_full_disk_and_messages_are_stored_afterwards(
    servers: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.set_up_memory(storage)
        await ann.ask("Before")
        full_disk.fill(process.pid)
        await trouble(ann, process, "In need")
        assert "Before" in str(servers.list_chat_requests()[-1]), "it goes on from memory"
        await process.wait_for_log_line("is not on disk yet")
        assert servers.world.updates.list_pending(), "what is on no disk stays with Telegram"
        full_disk.free(process.pid)
        since = ann.last_event
        await ann.ask("After", "Noted.")
        await servers.world.updates.wait_until_polled()
        assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["Noted."]
    assert read_stored_texts(full_disk.data, ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


async def test_webhook_update_refused_on_full_disk_is_processed_later(
    servers: LocalServers, full_disk: Disk, port: int
) -> None:
    ann, address = servers.add_person(), f"127.0.0.1:{port}"
    settings = {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "DATA_DIR": str(full_disk.data)}
    async with servers.run_bot(**settings) as process:
        await ann.set_up_memory()
        await ann.ask("Before")
        full_disk.fill(process.pid)
        since = ann.last_event
        assert await ann.ask("In need") == "Noted."
        [kept] = servers.world.updates.list_pending()
        assert kept["message"]["text"] == "In need", "refused with 503, so that Telegram offers it again"
        await process.wait_for_log_line("is not on disk yet")
        assert process.get_log_text().count("is not on disk yet") == 1
        full_disk.free(process.pid)
        await ann.ask("After", "Noted.")
        await servers.world.updates.wait_until_empty()
        texts = [message["text"] for message in ann.list_bot_messages(since=since)]
        assert texts.count("Noted.") == 2, texts
    assert read_stored_texts(full_disk.data, ann.id) == ["Before", "In need", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


@pytest.mark.parametrize("storage", STORAGES)
async def test_answers_continue_while_data_dir_is_read_only(
    servers: LocalServers, tmp_path: Path, storage: str
) -> None:
    ann = servers.add_person()
    data = tmp_path / "data"
    async with servers.run_bot(DATA_DIR=str(data)) as process:
        await ann.set_up_memory(storage)
        await ann.ask("Before")
        with unwritable(data, process.pid):
            await trouble(ann, process, "In need")
            assert "Before" in str(servers.list_chat_requests()[-1]), "it goes on from memory"
            assert "Total messages: 2" in await ann.ask("/summary_status"), "reading goes on, too"
            assert servers.world.updates.list_pending(), "what is on no disk stays with Telegram"
        since = ann.last_event
        await ann.ask("After", "Noted.")
        await servers.world.updates.wait_until_polled()
        assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["Noted."]
    assert read_stored_texts(data, ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(data).inbox == ()


async def test_bot_killed_on_full_disk_resumes_from_updates_kept_by_telegram(
    servers: LocalServers, full_disk: Disk
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.set_up_memory()
        await ann.ask("Before", "Noted.")
        full_disk.fill(process.pid)
        await ann.ask("In need", "Noted.")
        await process.kill()
    full_disk.free(process.pid)
    since = ann.last_event
    async with servers.run_bot(DATA_DIR=str(full_disk.data)):
        await ann.wait_for_message("Noted.", since=since)
        # Its own words: "In need" is asked again, and "Before" may be answered once more.
        servers.model.set_default_answer(
            ANSWERS, lambda sent: "Noted afterwards." if "After" in sent[-1]["content"] else "Noted."
        )
        await ann.ask("After", "Noted afterwards.")
    assert read_stored_texts(full_disk.data, ann.id) == ["Before", "In need", "After"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_bot_stopped_on_full_disk_resumes_from_updates_kept_by_telegram(
    servers: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.set_up_memory(storage)
        await ann.ask("Before", "Noted.")
        await servers.world.updates.wait_until_polled()
        full_disk.fill(process.pid)
        await ann.ask("In need", "Noted.")
        assert await process.terminate() == 0
    full_disk.free(process.pid)
    since = ann.last_event
    async with servers.run_bot(DATA_DIR=str(full_disk.data)):
        await ann.wait_for_message("Noted.", since=since)
        servers.model.set_default_answer(
            ANSWERS, lambda sent: "Noted afterwards." if "After" in sent[-1]["content"] else "Noted."
        )
        await ann.ask("After", "Noted afterwards.")
    assert read_stored_texts(full_disk.data, ann.id) == ["Before", "In need", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


@pytest.mark.parametrize("storage", STORAGES)
async def test_fold_on_full_disk_reports_error_and_loses_no_messages(
    servers: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.set_up_memory(storage, 50)
        await ann.ask("One")
        await ann.ask("Two")
        full_disk.fill(process.pid)
        told = await ann.ask("/summary_now", "(error ")
        assert "full" in told or "cannot be" in told or "disk" in told
        full_disk.free(process.pid)
        await ann.ask("/summary_now", "ummar")
    assert read_stored_texts(full_disk.data, ann.id) == ["One", "Two"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_setup_completed_before_disk_fills_stays_completed(
    servers: LocalServers, full_disk: Disk, storage: str
) -> None:
    """A number sent during or after the fault is a chat message, not another answer to the setup question."""
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        asked = await ann.ask_for_message("/summary", "1 of 2")
        since = ann.last_event
        ann.press_button(asked, storage)
        await ann.wait_for_message("2 of 2", since=since)
        since = ann.last_event
        servers.faults.add(Fault(kind="hang", method="sendMessage", chat_id=ann.chat_id))
        ann.say("20")
        await ann.wait_for_message("External memory configured", since=since)
        full_disk.fill(process.pid)
        servers.faults.release_hanging_calls()
        await trouble(ann, process, "7")
        told = [message["text"] for message in ann.list_bot_messages(since=since)]
        assert not [text for text in told if "nothing was changed" in text.lower()], told
        full_disk.free(process.pid)
        await ann.ask("8", "Noted.")
        await servers.world.updates.wait_until_polled()
    assert read_stored_texts(full_disk.data, ann.id) == ["7", "7 again", "8"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_answers_continue_while_database_is_locked_by_another_process(
    servers: LocalServers, tmp_path: Path, storage: str
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(tmp_path / "data")) as process:
        await ann.set_up_memory(storage)
        await ann.ask("Before")
        with closing(sqlite3.connect(tmp_path / "data" / "memory.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            if storage == "SQLite":
                await trouble(ann, process, "In need")
            else:
                await ann.ask("In need", "Noted.")
                await ann.ask("In need again", "Noted.")
            other.execute("ROLLBACK")
        await ann.ask("After", "Noted.")
        await servers.world.updates.wait_until_polled()
    assert read_stored_texts(tmp_path / "data", ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(tmp_path / "data").inbox == ()


async def test_start_on_read_only_disk_fails_with_one_line_and_keeps_messages(
    servers: LocalServers, full_disk: Disk
) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.set_up_memory()
        await ann.ask("Before")
        full_disk.fill(process.pid)
        await ann.ask("In need", "Noted.")
        full_disk.free(process.pid)
    with full_disk.read_only():
        run = await servers.run(environ=servers.make_environ(DATA_DIR=str(full_disk.data)))
    assert run.status == 2
    assert len(run.err.splitlines()) == 1
    assert "DATA_DIR" in run.err
    assert read_stored_texts(full_disk.data, ann.id) == ["Before", "In need"]


async def test_start_on_full_disk_says_that_it_is_full(servers: LocalServers, full_disk: Disk) -> None:
    """SQLite's "disk I/O error" for the shared memory file once became "The disk failed"."""
    if not full_disk.is_mounted:
        pytest.skip("A limit on the size of files leaves room on the disk.")
    async with servers.run_bot(DATA_DIR=str(full_disk.data)) as process:
        await servers.add_person().set_up_memory()
    full_disk.fill(process.pid)
    run = await servers.run(environ=servers.make_environ(DATA_DIR=str(full_disk.data)))
    assert run.status == 1
    assert run.err == "The disk that holds memory.db is full; nothing was changed."


@pytest.mark.parametrize("damage", ["no database", "half a page", "garbled schema"])
async def test_start_refuses_damaged_memory_db_and_leaves_file_unchanged(
    servers: LocalServers, tmp_path: Path, damage: str
) -> None:
    ann = servers.add_person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with servers.run_bot(**settings):
        await ann.set_up_memory()
        await ann.ask("Before")
    path = tmp_path / "data" / "memory.db"
    whole = path.read_bytes()
    spoiled = {
        "no database": b"this was never a database" * 100,
        "half a page": whole[:2000],
        "garbled schema": whole[:100] + b"\xff" * 3996 + whole[4096:],
    }[damage]
    path.write_bytes(spoiled)
    run = await servers.run(environ=servers.make_environ(**settings))
    assert run.status == 2, run
    assert len(run.err.splitlines()) == 1, run.err
    assert "memory.db" in run.err
    assert path.read_bytes() == spoiled


def spoil(path: Path, words: str) -> tuple[int, bytes]:
    """Overwrite the database page that contains these words; return its offset and its new content."""
    whole = bytearray(path.read_bytes())
    begin = whole.index(words.encode()) // PAGE * PAGE
    whole[begin : begin + PAGE] = b"\xff" * PAGE
    path.write_bytes(whole)
    return begin, bytes(whole[begin : begin + PAGE])


async def test_damaged_database_page_is_reported_and_restored_from_backup(
    servers: LocalServers, tmp_path: Path
) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    settings = {"DATA_DIR": str(tmp_path / "data")}
    environ = servers.make_environ(**settings)
    path = tmp_path / "data" / "memory.db"
    async with servers.run_bot(**settings):
        await ann.set_up_memory(every_n=500)
        await bob.set_up_memory()
        for number in range(6):
            await ann.ask(f"Saying {number} has many words: {f'plum{number} ' * 200}")
    assert (await servers.run("--backup", "whole", environ=environ)).status == 0
    begin, spoiled = spoil(path, "Saying 2 has")
    async with servers.run_bot(**settings) as process:
        await process.wait_for_log_line(
            "memory.db is damaged and was left untouched; stop the bot and bring back the last backup"
        )
        since = ann.last_event
        assert await ann.ask("What of the plum2?") == "Noted."
        notice = await ann.wait_for_message("could not look into my memory", since=since)
        assert "restore a backup" in notice["text"]
        await check_number(notice["text"], process)
        since = ann.last_event
        await ann.ask("And what else?", "Noted.")
        assert not [message for message in ann.list_bot_messages(since=since) if "could not look" in message["text"]]
        assert await bob.ask("Am I concerned?") == "Noted."
        refused = await servers.run("--backup", "spoiled", environ=environ)
        assert refused.status != 0
        assert "damaged" in refused.err
    assert path.read_bytes()[begin : begin + PAGE] == spoiled, "nothing is overwritten"
    assert (await servers.run("--restore", "whole", environ=environ)).status == 0
    [aside] = (tmp_path / "data").glob("before-restore-*")
    assert spoiled in (aside / "memory.db").read_bytes()
    async with servers.run_bot(**settings) as process:
        servers.model.script(ANSWERS, "Yes, I know them.")
        await ann.ask("What of the plum2?", "Yes, I know them.")
        assert "plum2 plum2" in str(servers.list_chat_requests()[-1])
        assert "damaged" not in process.get_log_text()
    assert len(read_stored_texts(tmp_path / "data", ann.id)) == 7


async def test_damaged_working_copy_is_rebuilt_from_memory_json(servers: LocalServers, tmp_path: Path) -> None:
    ann = servers.add_person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    said = [f"Saying {number} has many words: {f'plum{number} ' * 200}" for number in range(6)]
    async with servers.run_bot(**settings):
        await ann.set_up_memory("JSON", 500)
        for words in said:
            await ann.ask(words)
    spoil(tmp_path / "data" / "index.db", "Saying 2 has")
    async with servers.run_bot(**settings) as process:
        assert "index.db was damaged and is rebuilt from memory.json" in process.get_log_text()
        await ann.ask("What of the plum2?", "Noted.")
        assert "plum2 plum2" in str(servers.list_chat_requests()[-1])
    assert read_stored_texts(tmp_path / "data", ann.id) == [*(words.strip() for words in said), "What of the plum2?"]


async def test_start_refuses_database_from_newer_version(servers: LocalServers, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with servers.run_bot(**settings):
        pass
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as connection:
        connection.execute("PRAGMA user_version=9999")
    run = await servers.run(environ=servers.make_environ(**settings))
    assert run.status == 2
    assert "newer version" in run.err
    assert len(run.err.splitlines()) == 1


async def test_second_process_on_same_data_dir_is_refused(servers: LocalServers, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with servers.run_bot(**settings):
        run = await servers.run(environ=servers.make_environ(**settings))
        assert run.status == 2
        assert "DATA_DIR" in run.err
        assert await servers.add_person().ask("Are you there?") == "Noted."


@pytest.mark.parametrize("damage", ["truncated", "garbled"])
async def test_unreadable_memory_json_is_set_aside_and_restored_from_working_copy(
    servers: LocalServers, tmp_path: Path, damage: str
) -> None:
    ann = servers.add_person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with servers.run_bot(**settings):
        await ann.set_up_memory("JSON")
        await ann.ask("Before")
    path = tmp_path / "data" / "memory.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "truncated" else whole.replace(b'"messages"', b'"mess\xff'))
    async with servers.run_bot(**settings) as process:
        assert "put aside" in process.get_log_text()
        await ann.ask("After", "Noted.")
    assert read_stored_texts(tmp_path / "data", ann.id) == ["Before", "After"], "restored from the working copy"
    assert len(list((tmp_path / "data").glob("memory.json.*"))) == 1


async def test_torn_journal_tail_is_dropped(servers: LocalServers, tmp_path: Path) -> None:
    ann = servers.add_person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with servers.run_bot(**settings) as process:
        await ann.set_up_memory("JSON")
        await ann.ask("Before")
        await process.kill()
    with (tmp_path / "data" / "memory.json.journal").open("ab") as journal:
        journal.write(b'{"seq": 99, "put": {"messages": [{"id"')
    async with servers.run_bot(**settings):
        # Its own words: the first answer may be given once more, since the kill came right behind it.
        servers.model.script(ANSWERS, "Noted afterwards.")
        await ann.ask("After", "Noted afterwards.")
    assert read_stored_texts(tmp_path / "data", ann.id) == ["Before", "After"]
