"""The backup drill: back up a busy bot, kill it, restore elsewhere, start, and find all messages."""

import asyncio
import re

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("the archive of a DATA_DIR")]


async def test_backup_made_under_load_is_restored_after_kill(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    said: dict[int, list[str]] = {ann.id: [], bob.id: []}
    environ = servers.make_environ(DATA_DIR="drill")
    async with servers.run_bot(DATA_DIR="drill") as process:
        await ann.set_up_memory("SQLite", 3)
        await bob.set_up_memory("JSON", 3)

        async def talk(turns: int) -> None:
            for number in range(turns):
                for person in (ann, bob):
                    words = f"{person.id} mentions kohlrabi number {len(said[person.id])} {number}"
                    await person.ask(words)
                    said[person.id].append(words)

        since = process.log.last
        await talk(5)
        for person in (ann, bob):
            await person.wait_for_summary(process, since=since)
        before = {owner: list(words) for owner, words in said.items()}
        load = asyncio.create_task(talk(6))
        run = await servers.run("--backup", "drill.gz", environ=environ)
        assert (run.status, run.err) == (0, ""), run
        assert "messages are in drill.gz" in run.out
        run = await servers.run("--backup", "drill.gz", environ=environ)
        assert run.status != 0
        assert "exists already; it was not touched" in run.err
        await load
        refused = await servers.run("--restore", "drill.gz", environ=environ)
        assert (refused.status, refused.err.count("\n")) == (2, 0), refused
        assert "in use" in refused.err
        await process.kill()
    elsewhere = servers.make_environ(DATA_DIR="elsewhere")
    run = await servers.run("--restore", "drill.gz", environ=elsewhere)
    assert (run.status, run.err) == (0, ""), run
    async with servers.run_bot(DATA_DIR="elsewhere"):
        assert "Storage: SQLite" in await ann.ask("/summary_status", "Storage:")
        # An answer that the kill left unconfirmed may come first.
        status = await bob.ask("/summary_status", "Storage:")
        assert "Storage: JSON" in status
        assert "Archived messages: 0" not in status
        await bob.ask("Which kohlrabi?")
    found = {
        ann.id: [message["content"] for message in servers.get_memory("elsewhere").list_messages(ann.id)],
        bob.id: [
            message["content"]
            for message in servers.get_memory("elsewhere").read_memory_json()["messages"][str(bob.id)]
        ],
    }
    for owner, words in before.items():
        assert [row for row in found[owner] if "mentions" in row][: len(words)] == words


async def test_backup_and_restore_errors_are_reported_in_one_line(servers: LocalServers) -> None:
    environ = servers.make_environ(DATA_DIR="nothing-here")
    (servers.folder / "text.gz").write_text("no archive")
    for arguments, status, words in (
        (("--backup", "x.gz"), 2, "holds no memory"),
        (("--restore", "x.gz"), 2, "is not a file"),
        (("--restore", "text.gz"), 2, "is no backup"),
    ):
        run = await servers.run(*arguments, environ=environ)
        assert (run.status, run.out, run.err.count("\n")) == (status, "", 0), run
        assert words in run.err


async def test_daily_backup_is_shown_to_admin_and_can_be_restored(own_servers: LocalServers) -> None:
    folder = own_servers.folder / "backups"
    ann = own_servers.add_person()
    admin = {"ADMIN_USER_IDS": str(ann.id)}
    async with own_servers.run_bot(**admin) as process:
        await ann.set_up_memory("SQLite", 3)
        await ann.ask("My secret word is quinquereme.")
        assert "Daily backups: off" in await ann.ask("/admin", "Memories")
    async with own_servers.run_bot(BACKUP_DIR=str(folder), BACKUP_KEEP="3", **admin) as process:
        await process.wait_for_log_line("backup of 2 messages in", str(folder))
        said = await ann.ask("/admin", "Memories")
        assert re.search(r"Last backup: \d+ \w+ 20\d\d \d\d:\d\d, ", said), said
    [file] = folder.iterdir()
    run = await own_servers.run("--restore", str(file), environ=own_servers.make_environ(DATA_DIR="elsewhere"))
    assert run.out.startswith("restored: 2 messages"), run
    check = await own_servers.run("--check", environ=own_servers.make_environ(BACKUP_DIR=str(file)))
    assert (check.status, f"backups: BACKUP_DIR: {file} cannot be written" in check.out) == (2, True), check
    assert (await own_servers.run(environ=own_servers.make_environ(BACKUP_DIR=str(file)))).status == 2
