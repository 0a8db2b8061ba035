"""Storage that fails while the bot runs: what the person sees, what is kept, how it recovers."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playground.faults import Fault
from reliability.invariants import find_violations, read_memory_state
from tests.end_to_end.faults.disk import Disk, disk, unwritable
from tests.end_to_end.faults.test_faults_model import check_number
from tests.end_to_end.harness import ANSWERS, LocalServers, Member, Process
from tests.peers.ports import kept_port

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("it damages, fills and locks files")]
STORAGES = ["SQLite", "JSON"]
PAGE = 4096


@pytest.fixture
def port() -> Iterator[int]:
    with kept_port() as port:
        yield port


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Disk]:
    with disk(tmp_path / "disk") as made:
        yield made


def stored(data: Path, owner: int) -> list[str]:
    """What the owner said, as it stands in the files; everything that must hold there is checked."""
    files = read_memory_state(data)
    found = find_violations(files)
    assert not found, found
    return [row["content"] for row in files.get_owner_rows(owner).messages if row["role"] == "user"]


async def trouble(ann: Member, process: Process, words: str) -> None:
    """A message during the trouble is answered, and the person is told once, by a number that the log has too."""
    since = ann.now
    assert await ann.asks(words) == "Noted."
    notice = await ann.hears("cannot write to my memory", since=since)
    await check_number(notice["text"], process)
    since = ann.now
    await ann.asks(f"{words} again", "Noted.")
    assert not [message for message in ann.heard(since=since) if "cannot write" in message["text"]]


@pytest.mark.parametrize("storage", STORAGES)
async def test_while_the_disk_is_full_answers_go_on_and_are_written_afterwards(
    house: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.sets_up(storage)
        await ann.asks("Before")
        full_disk.fill(process.pid)
        await trouble(ann, process, "In need")
        assert "Before" in str(house.chat_requests()[-1]), "it goes on from memory"
        await process.logged("is not on disk yet")
        assert house.world.updates.list_pending(), "what is on no disk stays with Telegram"
        full_disk.free(process.pid)
        since = ann.now
        await ann.asks("After", "Noted.")
        await house.world.updates.wait_until_polled()
        assert [message["text"] for message in ann.heard(since=since)] == ["Noted."]
    assert stored(full_disk.data, ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


async def test_by_webhook_telegram_keeps_what_a_full_disk_does_not_take(
    house: LocalServers, full_disk: Disk, port: int
) -> None:
    ann, address = house.person(), f"127.0.0.1:{port}"
    settings = {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "DATA_DIR": str(full_disk.data)}
    async with house.bot(**settings) as process:
        await ann.sets_up()
        await ann.asks("Before")
        full_disk.fill(process.pid)
        since = ann.now
        assert await ann.asks("In need") == "Noted."
        [kept] = house.world.updates.list_pending()
        assert kept["message"]["text"] == "In need", "refused with 503, so that Telegram offers it again"
        await process.logged("is not on disk yet")
        assert process.text().count("is not on disk yet") == 1
        full_disk.free(process.pid)
        await ann.asks("After", "Noted.")
        await house.world.updates.wait_until_empty()
        texts = [message["text"] for message in ann.heard(since=since)]
        assert texts.count("Noted.") == 2, texts
    assert stored(full_disk.data, ann.id) == ["Before", "In need", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


@pytest.mark.parametrize("storage", STORAGES)
async def test_a_folder_that_becomes_read_only_under_the_bot_is_survived(
    house: LocalServers, tmp_path: Path, storage: str
) -> None:
    ann = house.person()
    data = tmp_path / "data"
    async with house.bot(DATA_DIR=str(data)) as process:
        await ann.sets_up(storage)
        await ann.asks("Before")
        with unwritable(data, process.pid):
            await trouble(ann, process, "In need")
            assert "Before" in str(house.chat_requests()[-1]), "it goes on from memory"
            assert "Total messages: 2" in await ann.asks("/summary_status"), "reading goes on, too"
            assert house.world.updates.list_pending(), "what is on no disk stays with Telegram"
        since = ann.now
        await ann.asks("After", "Noted.")
        await house.world.updates.wait_until_polled()
        assert [message["text"] for message in ann.heard(since=since)] == ["Noted."]
    assert stored(data, ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(data).inbox == ()


async def test_killed_while_the_disk_is_full_it_starts_again_with_what_telegram_kept(
    house: LocalServers, full_disk: Disk
) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.sets_up()
        await ann.asks("Before", "Noted.")
        full_disk.fill(process.pid)
        await ann.asks("In need", "Noted.")
        await process.kill()
    full_disk.free(process.pid)
    since = ann.now
    async with house.bot(DATA_DIR=str(full_disk.data)):
        await ann.hears("Noted.", since=since)
        # Its own words: "In need" is asked again, and "Before" may be answered once more.
        house.model.default(ANSWERS, lambda sent: "Noted afterwards." if "After" in sent[-1]["content"] else "Noted.")
        await ann.asks("After", "Noted afterwards.")
    assert stored(full_disk.data, ann.id) == ["Before", "In need", "After"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_stopped_while_the_disk_is_full_it_starts_again_with_what_telegram_kept(
    house: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.sets_up(storage)
        await ann.asks("Before", "Noted.")
        await house.world.updates.wait_until_polled()
        full_disk.fill(process.pid)
        await ann.asks("In need", "Noted.")
        assert await process.terminate() == 0
    full_disk.free(process.pid)
    since = ann.now
    async with house.bot(DATA_DIR=str(full_disk.data)):
        await ann.hears("Noted.", since=since)
        house.model.default(ANSWERS, lambda sent: "Noted afterwards." if "After" in sent[-1]["content"] else "Noted.")
        await ann.asks("After", "Noted afterwards.")
    assert stored(full_disk.data, ann.id) == ["Before", "In need", "After"]
    assert read_memory_state(full_disk.data).inbox == ()


@pytest.mark.parametrize("storage", STORAGES)
async def test_a_fold_on_a_full_disk_leaves_everything_active(
    house: LocalServers, full_disk: Disk, storage: str
) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.sets_up(storage, 50)
        await ann.asks("One")
        await ann.asks("Two")
        full_disk.fill(process.pid)
        told = await ann.asks("/summary_now", "(error ")
        assert "full" in told or "cannot be" in told or "disk" in told
        full_disk.free(process.pid)
        await ann.asks("/summary_now", "ummar")
    assert stored(full_disk.data, ann.id) == ["One", "Two"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_a_setup_that_ends_as_the_disk_fills_has_ended(
    house: LocalServers, full_disk: Disk, storage: str
) -> None:
    """What the person was told stands: the next number is a message, before the disk has room again and after."""
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        asked = await ann.tells("/summary", "1 of 2")
        since = ann.now
        ann.press(asked, storage)
        await ann.hears("2 of 2", since=since)
        since = ann.now
        house.faults.add(Fault(kind="hang", method="sendMessage", chat_id=ann.chat_id))
        ann.says("20")
        await ann.hears("External memory configured", since=since)
        full_disk.fill(process.pid)
        house.faults.release_hanging_calls()
        await trouble(ann, process, "7")
        told = [message["text"] for message in ann.heard(since=since)]
        assert not [text for text in told if "nothing was changed" in text.lower()], told
        full_disk.free(process.pid)
        await ann.asks("8", "Noted.")
        await house.world.updates.wait_until_polled()
    assert stored(full_disk.data, ann.id) == ["7", "7 again", "8"]


@pytest.mark.parametrize("storage", STORAGES)
async def test_a_locked_database_delays_nothing_but_the_writing(
    house: LocalServers, tmp_path: Path, storage: str
) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(tmp_path / "data")) as process:
        await ann.sets_up(storage)
        await ann.asks("Before")
        with closing(sqlite3.connect(tmp_path / "data" / "memory.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            if storage == "SQLite":
                await trouble(ann, process, "In need")
            else:
                await ann.asks("In need", "Noted.")
                await ann.asks("In need again", "Noted.")
            other.execute("ROLLBACK")
        await ann.asks("After", "Noted.")
        await house.world.updates.wait_until_polled()
    assert stored(tmp_path / "data", ann.id) == ["Before", "In need", "In need again", "After"]
    assert read_memory_state(tmp_path / "data").inbox == ()


async def test_a_disk_that_became_read_only_is_survived(house: LocalServers, full_disk: Disk) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR=str(full_disk.data)) as process:
        await ann.sets_up()
        await ann.asks("Before")
        full_disk.fill(process.pid)
        await ann.asks("In need", "Noted.")
        full_disk.free(process.pid)
    with full_disk.read_only():
        run = await house.run(environ=house.environ(DATA_DIR=str(full_disk.data)))
    assert run.status == 2
    assert len(run.err.splitlines()) == 1
    assert "DATA_DIR" in run.err
    assert stored(full_disk.data, ann.id) == ["Before", "In need"]


@pytest.mark.parametrize("damage", ["no database", "half a page", "garbled schema"])
async def test_a_damaged_memory_db_ends_the_start_and_is_left_as_it_is(
    house: LocalServers, tmp_path: Path, damage: str
) -> None:
    ann = house.person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with house.bot(**settings):
        await ann.sets_up()
        await ann.asks("Before")
    path = tmp_path / "data" / "memory.db"
    whole = path.read_bytes()
    spoiled = {
        "no database": b"this was never a database" * 100,
        "half a page": whole[:2000],
        "garbled schema": whole[:100] + b"\xff" * 3996 + whole[4096:],
    }[damage]
    path.write_bytes(spoiled)
    run = await house.run(environ=house.environ(**settings))
    assert run.status == 2, run
    assert len(run.err.splitlines()) == 1, run.err
    assert "memory.db" in run.err
    assert path.read_bytes() == spoiled


def spoil(path: Path, words: str) -> tuple[int, bytes]:
    """Overwrite the page of a database that holds these words; where it is, and what stands there now."""
    whole = bytearray(path.read_bytes())
    begin = whole.index(words.encode()) // PAGE * PAGE
    whole[begin : begin + PAGE] = b"\xff" * PAGE
    path.write_bytes(whole)
    return begin, bytes(whole[begin : begin + PAGE])


async def test_a_page_damaged_in_the_middle_is_named_and_the_last_backup_brings_it_back(
    house: LocalServers, tmp_path: Path
) -> None:
    ann, bob = house.person(), house.person("Bob")
    settings = {"DATA_DIR": str(tmp_path / "data")}
    environ = house.environ(**settings)
    path = tmp_path / "data" / "memory.db"
    async with house.bot(**settings):
        await ann.sets_up(every_n=500)
        await bob.sets_up()
        for number in range(6):
            await ann.asks(f"Saying {number} has many words: {f'plum{number} ' * 200}")
    assert (await house.run("--backup", "whole", environ=environ)).status == 0
    begin, spoiled = spoil(path, "Saying 2 has")
    async with house.bot(**settings) as process:
        await process.logged("memory.db is damaged and was left untouched; stop the bot and bring back the last backup")
        since = ann.now
        assert await ann.asks("What of the plum2?") == "Noted."
        notice = await ann.hears("could not look into my memory", since=since)
        assert "restore a backup" in notice["text"]
        await check_number(notice["text"], process)
        since = ann.now
        await ann.asks("And what else?", "Noted.")
        assert not [message for message in ann.heard(since=since) if "could not look" in message["text"]]
        assert await bob.asks("Am I concerned?") == "Noted."
        refused = await house.run("--backup", "spoiled", environ=environ)
        assert refused.status != 0
        assert "damaged" in refused.err
    assert path.read_bytes()[begin : begin + PAGE] == spoiled, "nothing is overwritten"
    assert (await house.run("--restore", "whole", environ=environ)).status == 0
    [aside] = (tmp_path / "data").glob("before-restore-*")
    assert spoiled in (aside / "memory.db").read_bytes()
    async with house.bot(**settings) as process:
        house.model.script(ANSWERS, "Yes, I know them.")
        await ann.asks("What of the plum2?", "Yes, I know them.")
        assert "plum2 plum2" in str(house.chat_requests()[-1])
        assert "damaged" not in process.text()
    assert len(stored(tmp_path / "data", ann.id)) == 7


async def test_a_damaged_working_copy_is_rebuilt(house: LocalServers, tmp_path: Path) -> None:
    ann = house.person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    said = [f"Saying {number} has many words: {f'plum{number} ' * 200}" for number in range(6)]
    async with house.bot(**settings):
        await ann.sets_up("JSON", 500)
        for words in said:
            await ann.asks(words)
    spoil(tmp_path / "data" / "index.db", "Saying 2 has")
    async with house.bot(**settings) as process:
        assert "index.db was damaged and is rebuilt from memory.json" in process.text()
        await ann.asks("What of the plum2?", "Noted.")
        assert "plum2 plum2" in str(house.chat_requests()[-1])
    assert stored(tmp_path / "data", ann.id) == [*(words.strip() for words in said), "What of the plum2?"]


async def test_a_file_of_a_newer_version_is_refused_with_a_sentence(house: LocalServers, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with house.bot(**settings):
        pass
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as connection:
        connection.execute("PRAGMA user_version=9999")
    run = await house.run(environ=house.environ(**settings))
    assert run.status == 2
    assert "newer version" in run.err
    assert len(run.err.splitlines()) == 1


async def test_a_second_process_on_the_same_folder_is_refused(house: LocalServers, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with house.bot(**settings):
        run = await house.run(environ=house.environ(**settings))
        assert run.status == 2
        assert "DATA_DIR" in run.err
        assert await house.person().asks("Are you there?") == "Noted."


@pytest.mark.parametrize("damage", ["truncated", "garbled"])
async def test_an_unreadable_memory_json_is_set_aside_and_said(
    house: LocalServers, tmp_path: Path, damage: str
) -> None:
    ann = house.person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with house.bot(**settings):
        await ann.sets_up("JSON")
        await ann.asks("Before")
    path = tmp_path / "data" / "memory.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "truncated" else whole.replace(b'"messages"', b'"mess\xff'))
    async with house.bot(**settings) as process:
        assert "put aside" in process.text()
        await ann.asks("After", "Noted.")
    assert stored(tmp_path / "data", ann.id) == ["Before", "After"], "restored from the working copy"
    assert len(list((tmp_path / "data").glob("memory.json.*"))) == 1


async def test_a_torn_journal_tail_is_dropped(house: LocalServers, tmp_path: Path) -> None:
    ann = house.person()
    settings = {"DATA_DIR": str(tmp_path / "data")}
    async with house.bot(**settings) as process:
        await ann.sets_up("JSON")
        await ann.asks("Before")
        await process.kill()
    with (tmp_path / "data" / "memory.json.journal").open("ab") as journal:
        journal.write(b'{"seq": 99, "put": {"messages": [{"id"')
    async with house.bot(**settings):
        # Its own words: the first answer may be given once more, since the kill came right behind it.
        house.model.script(ANSWERS, "Noted afterwards.")
        await ann.asks("After", "Noted afterwards.")
    assert stored(tmp_path / "data", ann.id) == ["Before", "After"]
