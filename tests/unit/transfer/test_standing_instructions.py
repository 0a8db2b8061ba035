"""What a person asked to keep to survives export and import, and backup and restore, and is carried as before."""

import asyncio
from itertools import count
from pathlib import Path

from records.owners import StorageType
from records.scopes import Scope
from storage.backup import back_up, restore
from tests.support.talk import ANNA, BORIS, Talk, talking
from tests.unit.transfer.test_importer import exported, imported

KEPT = ("Always show metric units.", "When I ask for code, add types.", "I prefer Postgres over MySQL.")
GONE = "Always answer in French."


async def instructions(talk: Talk, question: str, *, owner: int = ANNA.id) -> str:
    """The instructions of the prompt for a question."""
    await talk.say(question, person=ANNA if owner == ANNA.id else BORIS)
    return talk.prompts()[-1].rpartition("<instructions>")[2].partition("</instructions>")[0]


async def all_kept(talk: Talk, *, owner: int = ANNA.id) -> None:
    assert KEPT[0] in await instructions(talk, "How tall is the tower?", owner=owner)
    assert KEPT[1] in await instructions(talk, "Write code that sorts a list.", owner=owner)
    assert KEPT[2] in await instructions(talk, "Postgres or MySQL, which database?", owner=owner)
    assert GONE not in await instructions(talk, "And how far is the moon?", owner=owner)


async def test_they_survive_export_import_and_backup(tmp_path: Path, storage: StorageType) -> None:
    async with talking(tmp_path / "old") as talk:
        await talk.remember(storage=storage, every_n=50)
        for text in (GONE, *KEPT, "Stop answering in French, use English."):
            await talk.say(text)
        await all_kept(talk)
        data = await exported(talk.services)
    async with talking(tmp_path / "other") as talk:
        await talk.remember(owner=BORIS.id, storage=storage, every_n=50)
        await imported(talk, data, scope=Scope(owner=BORIS.id))
        await all_kept(talk, owner=BORIS.id)
    await asyncio.to_thread(back_up, tmp_path / "old", tmp_path / "all.zip")
    await asyncio.to_thread(restore, tmp_path / "all.zip", tmp_path / "back")
    async with talking(tmp_path / "back") as talk:
        talk.updates = count(1_000)
        await all_kept(talk)
