"""The drill: chat, back up while it runs under load, kill it, restore elsewhere, start: everything is there."""

import asyncio
import re

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("the archive of a DATA_DIR")]


async def test_the_drill(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    said: dict[int, list[str]] = {ann.id: [], bob.id: []}
    environ = house.environ(DATA_DIR="drill")
    async with house.bot(DATA_DIR="drill") as process:
        await ann.sets_up("SQLite", 3)
        await bob.sets_up("JSON", 3)

        async def talk(turns: int) -> None:
            for number in range(turns):
                for person in (ann, bob):
                    words = f"{person.id} mentions kohlrabi number {len(said[person.id])} {number}"
                    await person.asks(words)
                    said[person.id].append(words)

        since = process.log.last
        await talk(5)
        for person in (ann, bob):
            await person.folded(process, since=since)
        before = {owner: list(words) for owner, words in said.items()}
        load = asyncio.create_task(talk(6))
        run = await house.run("--backup", "drill.gz", environ=environ)
        assert (run.status, run.err) == (0, ""), run
        assert "messages are in drill.gz" in run.out
        assert await house.run("--backup", "drill.gz", environ=environ) != run, "it is not overwritten"
        await load
        refused = await house.run("--restore", "drill.gz", environ=environ)
        assert (refused.status, refused.err.count("\n")) == (2, 0), refused
        assert "in use" in refused.err
        await process.kill()
    elsewhere = house.environ(DATA_DIR="elsewhere")
    run = await house.run("--restore", "drill.gz", environ=elsewhere)
    assert (run.status, run.err) == (0, ""), run
    async with house.bot(DATA_DIR="elsewhere"):
        assert "Storage: SQLite" in await ann.asks("/summary_status", "Storage:")
        # An answer that the kill left unconfirmed may come first.
        status = await bob.asks("/summary_status", "Storage:")
        assert "Storage: JSON" in status
        assert "Archived messages: 0" not in status
        await bob.asks("Which kohlrabi?")
    found = {
        ann.id: [message["content"] for message in house.memory_in("elsewhere").messages(ann.id)],
        bob.id: [message["content"] for message in house.memory_in("elsewhere").json()["messages"][str(bob.id)]],
    }
    for owner, words in before.items():
        assert [row for row in found[owner] if "mentions" in row][: len(words)] == words


async def test_each_failure_is_one_line(house: LocalServers) -> None:
    environ = house.environ(DATA_DIR="nothing-here")
    (house.folder / "text.gz").write_text("no archive")
    for arguments, status, words in (
        (("--backup", "x.gz"), 2, "holds no memory"),
        (("--restore", "x.gz"), 2, "does not exist"),
        (("--restore", "text.gz"), 2, "is no backup"),
    ):
        run = await house.run(*arguments, environ=environ)
        assert (run.status, run.out, run.err.count("\n")) == (status, "", 0), run
        assert words in run.err


async def test_a_bot_with_a_folder_for_them_makes_backups_by_itself_and_shows_the_last(own_house: LocalServers) -> None:
    folder = own_house.folder / "backups"
    ann = own_house.person()
    admin = {"ADMIN_USER_IDS": str(ann.id)}
    async with own_house.bot(**admin) as process:
        await ann.sets_up("SQLite", 3)
        await ann.asks("My secret word is quinquereme.")
        assert "Daily backups: off" in await ann.asks("/admin", "Memories")
    async with own_house.bot(BACKUP_DIR=str(folder), BACKUP_KEEP="3", **admin) as process:
        await process.logged("backup of 2 messages in", str(folder))
        said = await ann.asks("/admin", "Memories")
        assert re.search(r"Last backup: \d+ \w+ 20\d\d \d\d:\d\d, ", said), said
    [file] = folder.iterdir()
    run = await own_house.run("--restore", str(file), environ=own_house.environ(DATA_DIR="elsewhere"))
    assert run.out.startswith("restored: 2 messages"), run
    check = await own_house.run("--check", environ=own_house.environ(BACKUP_DIR=str(file)))
    assert (check.status, f"backups: BACKUP_DIR: {file} cannot be written" in check.out) == (2, True), check
    assert (await own_house.run(environ=own_house.environ(BACKUP_DIR=str(file)))).status == 2
