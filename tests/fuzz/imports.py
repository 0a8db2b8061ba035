"""Fuzz imported files: each is refused with a sentence or read, and a file that was read leaves a sound memory."""

import gzip
import io
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from external_memory import ExternalMemory
from records.errors import ImportRefused
from records.messages import NewMessage
from records.scopes import Scope
from storage.schema.validation import RowError, validate_tables
from tests.fuzz.values import Chance, garble, mutate
from tests.paths import EXPORTS as SAMPLES
from tests.support.storages import FILE_STORAGES
from text.tokenizer import Tokenizer
from transfer.archiver import Archiver
from transfer.exporter import Exporter
from transfer.formats.detection import parse_file
from transfer.formats.history import ReadContext
from transfer.importer import Importer

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
ME = 7


class ImportEntryPoints:
    """The entry points for files: reading a file alone, and whole imports into real stores."""

    def __init__(self, memory: ExternalMemory) -> None:
        self._memory = memory
        archiver = Archiver(
            home=memory.open_store, tokenizer=Tokenizer.for_model("extractive"), text_budget=60, clock=lambda: NOW
        )
        self._importer = Importer(memory=memory, archiver=archiver, clock=lambda: NOW)
        self._files: list[Any] = [json.loads(path.read_text(encoding="utf-8")) for path in SAMPLES.glob("*.json")]
        self._owners = count(10_000)

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path) -> AsyncIterator["ImportEntryPoints"]:
        async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
            entry_points = cls(memory)
            await entry_points.write_an_export()
            yield entry_points

    async def write_an_export(self) -> None:
        scope = Scope(owner=ME)
        await self._memory.set_enabled(ME, enabled=True)
        await self._importer.import_file(scope, 1001, (SAMPLES / "telegram_chat.json").read_bytes(), progress=_untold)
        async with self._memory.open_store(ME) as store:
            said = [NewMessage(role="user", content=f"Note {n}.", created_at=NOW, source=f"1:{n}") for n in range(3)]
            await store.append_messages(scope, said)
        async with Exporter(memory=self._memory, clock=lambda: NOW).export_files(ME) as files:
            self._files.append(json.loads(files[0].file.read()))

    def _file(self, chance: Chance) -> bytes:
        value = chance.choice(self._files)
        for _ in range(chance.randrange(1, 4)):
            value = mutate(value, chance)
        content = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
        content = garble(content, chance) if chance.random() < 0.2 else content
        if chance.random() < 0.1:
            content = gzip.compress(content, 1)
        elif chance.random() < 0.1:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr(chance.choice(("result.json", "a/conversations.json", "x.json", "photo.png")), content)
            content = packed.getvalue()
        return garble(content, chance) if chance.random() < 0.1 else content

    async def file(self, chance: Chance) -> None:
        try:
            past = parse_file(self._file(chance), ReadContext(person=ME))
        except ImportRefused:
            return
        for message in past.messages:
            assert message.source.startswith("import:")
            assert message.created_at.tzinfo is not None
            assert isinstance(message.content, str)
        if past.rows is not None:
            try:
                validate_tables(past.rows, ME)
            except RowError:
                return

    async def run(self, chance: Chance) -> None:
        """Import a file, and check that a second import of it would find nothing new.

        Then read the memory in every way, and move it to each storage that needs no server.
        """
        owner = next(self._owners)
        scope, data = Scope(owner=owner), self._file(chance).replace(b'"owner": 7,', b'"owner": %d,' % owner)
        try:
            await self._memory.configure(owner, storage=chance.choice(FILE_STORAGES), every_n=5)
            await self._importer.import_file(scope, ME, data, progress=_untold)
        except ImportRefused:
            return
        assert (await self._importer.plan(scope, ME, data)).new_message_count == 0
        async with self._memory.open_store(owner) as store:
            for there in await store.list_scopes(owner):
                await store.timeline.read_page(there)
                await store.read_last_turns(there, 4)
                assert len(await store.list_summaries(there)) <= 10
                # As an import: no summary begins while further files of an export are to come.
                lease = await store.acquire_summary_lease(there, "import", now=NOW, duration=NOW - NOW)
                assert lease is not None
                await store.release_summary_lease(lease)
            assert await store.compute_digest(owner)
            await store.append_messages(scope, [NewMessage(role="user", content="Still here.", created_at=NOW)])
        for storage in FILE_STORAGES:  # moving verifies that every row comes out equal
            await self._memory.configure(owner, storage=storage, every_n=5)


async def _untold(done: int, total: int) -> None:
    """Ignore the progress of an import."""
