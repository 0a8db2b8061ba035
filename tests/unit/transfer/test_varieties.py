"""Sample exports of other programs are read exactly, and a second import adds nothing, in every store."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from records.errors import ImportRefused
from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from storage.stores.memory_store import MemoryStore
from tests.support.talk import open_chat_harness
from tests.unit.transfer import assistants, chats
from tests.unit.transfer.conftest import ignore_progress
from tests.unit.transfer.talk import ME, NOW, VARIETIES, ZONE, ExpectedMessage, SampleFile
from transfer.formats.detection import FORMATS, parse_file
from transfer.formats.history import ImportedHistory, ReadContext

HERE = Scope(owner=ME)
NAMES_SPEAKERS = ("whatsapp", "discord", "telegram", "telegram-html")
"""Formats of chats among people, in which everybody is a user with a name. Others have an assistant."""
assert assistants, chats  # they fill VARIETIES
EACH = [pytest.param(name, make, id=make.__name__) for name, makes in VARIETIES.items() for make in makes]


def read_history(file: SampleFile) -> ImportedHistory:
    return parse_file(file.data, ReadContext(person=ME, zone=ZONE, name=file.name, now=NOW, answers=file.answers))


def list_expected(name: str, file: SampleFile) -> list[tuple[Any, ...]]:
    """Return the role, speaker, ownership, text and time of each expected message, in order.

    The ownership is True if the message belongs to the person or to their assistant.
    """
    is_chat = name in NAMES_SPEAKERS
    is_own_package = name == "discord" and not file.answers

    def one_of(one: ExpectedMessage) -> tuple[Any, ...]:
        role = "user" if is_chat or one.is_mine else "assistant"
        assistant = "" if one.is_mine else FORMATS[name].product or "Assistant"
        if file.assistant_name and not one.is_mine:
            assistant = file.assistant_name
        speaker = one.name if is_chat and not is_own_package else "" if is_chat else assistant
        return (role, speaker, one.is_mine or not is_chat, one.text, one.at if file.has_date else NOW)

    return [one_of(message) for message in file.expected_messages]


@pytest.mark.parametrize(("name", "make"), EACH)
def test_reads_each_file_variety_exactly(name: str, make: Callable[[], SampleFile]) -> None:
    file = make()
    history = read_history(file)
    assert history.format == name
    found = [
        (message.role, message.speaker, message.is_own, message.content, message.created_at)
        for message in history.messages
    ]
    assert found == list_expected(name, file)
    sources = [(message.role, message.source) for message in history.messages]
    assert len(set(sources)) == len(sources)
    if file.sources:
        assert [source for _, source in sources] == file.sources
    assert sources == [(message.role, message.source) for message in read_history(file).messages]


def test_every_format_has_at_least_four_varieties() -> None:
    """Our own export, pasted memories, and the formats of test_real_shapes.py have tests of their own."""
    assert {*VARIETIES, "keepsake", "memories", "messenger", "slack", "copilot", "chat-texts", "vk"} == set(FORMATS)
    assert all(len(makes) >= 4 for makes in VARIETIES.values())


def damage_file(data: bytes, chance: random.Random) -> bytes:
    """Return the data cut off, with some bytes changed or deleted, or with a text replaced by another value."""
    made = bytearray(data)
    match chance.randrange(4):
        case 0:
            del made[chance.randrange(len(made)) :]
        case 1:
            for _ in range(chance.randrange(1, 20)):
                made[chance.randrange(len(made))] = chance.randrange(256)
        case 2:
            begin = chance.randrange(len(made))
            del made[begin : begin + chance.randrange(200)]
        case _:
            values = (b"null", b"[]", b"{}", b"1e999", b'"\\ud800"', b"-1", b"true")
            return bytes(made).replace(b'"Where is the spare key?"', chance.choice(values))
    return bytes(made)


@pytest.mark.parametrize(("name", "make"), EACH)
def test_damaged_file_is_partly_read_or_rejected(name: str, make: Callable[[], SampleFile]) -> None:
    file, chance = make(), random.Random(name)  # noqa: S311 - always the same damage
    for _ in range(12):
        with suppress(ImportRefused):
            history = parse_file(
                damage_file(file.data, chance), ReadContext(person=ME, zone=ZONE, now=NOW, answers=file.answers)
            )
            assert all(message.content and message.source for message in history.messages)


def is_packed(file: SampleFile) -> bool:
    return file.data.startswith(b"PK")


async def dump_table(store: MemoryStore, table: str) -> list[dict[str, Any]]:
    return [dict(row) async for batch in store.dump_owner(ME) for row in batch if row["table"] == table]


@pytest.mark.parametrize("storage", list(StorageType))
async def test_imports_all_formats_into_one_memory(tmp_path: Path, storage: StorageType, urls: list[Secret]) -> None:
    """A second import adds nothing. Exporting, importing and exporting again gives the same content."""
    # A packed one is read in a process of its own, whose start is most of what it takes.
    files = {name: min((make() for make in makes), key=is_packed) for name, makes in VARIETIES.items()}

    async with open_chat_harness(tmp_path / "old", database_url=urls[0]) as talk:
        await talk.turn_on_memory(storage=storage)
        importer = talk.services.importer
        for again in (False, True):
            for file in files.values():
                given = ReadContext(person=ME, name=file.name, answers=file.answers)
                done = await importer.import_file(HERE, ME, file.data, given, progress=ignore_progress)
                counts = (done.messages, done.known)
                assert counts == ((0, len(file.expected_messages)) if again else (len(file.expected_messages), 0))
            pasted = ReadContext(person=ME, answers={"facts0": (0, 1)})
            done = await importer.import_file(
                HERE, ME, b"- Anna lives in Bern.\n- She grows walnuts.", pasted, progress=ignore_progress
            )
            assert done.facts == (0 if again else 2)
        async with talk.services.memory.open_store(ME) as store:
            stored = await dump_table(store, "messages")
        async with talk.services.exporter.export_files(ME) as exported:
            whole = exported[0].file.read()
    ordered = sorted(stored, key=lambda row: (row["created_at"], row["id"]))
    for name in files:
        texts = [row["content"] for row in ordered if str(row["source"]).startswith(f"import:{name}:")]
        assert texts == [message.text for message in files[name].expected_messages]
    async with open_chat_harness(tmp_path / "new", database_url=urls[1]) as talk:
        await talk.turn_on_memory(storage=storage)
        await talk.services.importer.import_file(HERE, ME, whole, progress=ignore_progress)
        async with talk.services.exporter.export_files(ME) as exported:
            assert parse_exported_tables(exported[0].file.read()) == parse_exported_tables(whole)


def parse_exported_tables(export: bytes) -> list[Any]:
    return [json.loads(export)[name] for name in ("messages", "summaries", "facts")]
