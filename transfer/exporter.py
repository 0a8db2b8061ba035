"""Export a memory to files that people can read and /import can restore."""

import asyncio
import gzip
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC
from typing import IO

from attrs import define

from external_memory import ExternalMemory
from records.scopes import Clock
from storage.schema.portable_tables import PROGRESS, RESTORES, USERS
from transfer.formats.keepsake import ExportFile
from transfer.readable import ReadableExport

MAX_PLAIN_BYTES = 20_000_000  # larger files are compressed: a bot can fetch 20 MB (Bot API, getFile)
MAX_FILE_BYTES = 48_000_000  # text in one file: a bot may send 50 MB


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportedFile:
    """A temporary file of an export, positioned at its start. It is deleted when it is closed."""

    name: str
    file: IO[bytes]
    counts: Mapping[str, int]


@define(kw_only=True, eq=False)
class Exporter:
    """Exports owners' memories to files, for people and for /import."""

    _memory: ExternalMemory
    _clock: Clock
    _readable: int = MAX_PLAIN_BYTES
    _largest: int = MAX_FILE_BYTES

    @asynccontextmanager
    async def export_files(self, owner: int) -> AsyncIterator[tuple[ExportedFile, ...]]:
        """Yield the files of a consistent snapshot of a memory, or () if it is empty. May raise StorageError."""
        with ExitStack() as stack:
            made = [part async for part in self._write_parts(owner, stack)]
            names = self._make_file_names(len(made))
            yield tuple(replace(part, name=name + part.name) for name, part in zip(names, made, strict=True))

    @asynccontextmanager
    async def export_for_people(self, owner: int) -> AsyncIterator[tuple[ExportedFile, ...]]:
        """Yield each part as a ZIP archive of Markdown and as an HTML page. Raise StorageError if reading fails."""
        config = await self._memory.get_config(owner)
        files: list[ExportedFile] = []
        with ExitStack() as stack, closing(ReadableExport(config.zone if config else UTC)) as made:
            async with self._memory.open_store(owner) as store:
                async for batch in store.dump_owner(owner):
                    await asyncio.to_thread(made.add_rows, batch)
            parts = await asyncio.to_thread(made.split_into_parts, self._largest) if made.counts else ()
            for name, part in zip(self._make_file_names(len(parts)), parts, strict=True):
                counts = {**(made.counts if part.number == 1 else {}), "messages": len(part.messages)}
                for ending, write in ((".zip", made.write_zip), (".html", made.write_page)):
                    file = stack.enter_context(tempfile.TemporaryFile())
                    files.append(ExportedFile(name=name + ending, file=file, counts=counts))
                    await asyncio.to_thread(write, file, part)
                if file.tell() > self._largest:
                    packed = stack.enter_context(tempfile.TemporaryFile())
                    await asyncio.to_thread(write_zip, packed, [(name + ".html", file)])
                    file.close()
                    files[-1] = replace(files[-1], name=f"{name}-page.zip", file=packed)
            for made_file in files:
                made_file.file.seek(0)
            yield tuple(files)

    def _make_file_names(self, count: int) -> list[str]:
        day = self._clock().date().isoformat()
        return [f"keepsake-{day}{f'-{number}' if count > 1 else ''}" for number in range(1, count + 1)]

    async def _write_parts(self, owner: int, stack: ExitStack) -> AsyncIterator[ExportedFile]:
        now, name, key = self._clock(), secrets.token_hex(), await self._memory.export_key()
        head: list[Mapping[str, object]] = []
        part: ExportFile | None = None
        number = 0
        async with self._memory.open_store(owner) as store:
            async for batch in store.dump_owner(owner):
                if batch[0]["table"] == RESTORES.name:
                    continue
                head += batch if batch[0]["table"] in (USERS.name, PROGRESS.name) else ()
                if part and part.size >= self._largest:
                    yield await asyncio.to_thread(self._sign_and_pack_file, part, key, stack, has_more=True)
                    part = None
                if part is None:
                    number += 1
                    file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - `stack` closes it
                    part = ExportFile(file, owner=owner, exported_at=now, name=name, part=number)
                    part.add_rows(head if number > 1 else ())
                await asyncio.to_thread(part.add_rows, batch)
        if part:
            yield await asyncio.to_thread(self._sign_and_pack_file, part, key, stack, has_more=False)

    def _sign_and_pack_file(self, part: ExportFile, key: bytes, stack: ExitStack, *, has_more: bool) -> ExportedFile:
        part.finish_and_sign(has_next_file=has_more, key=key)
        part.file.seek(0)
        if part.size <= self._readable:
            return ExportedFile(name=".json", file=part.file, counts=part.counts)
        packed = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - as above
        with part.file, gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as archive:
            shutil.copyfileobj(part.file, archive)
        packed.seek(0)
        return ExportedFile(name=".json.gz", file=packed, counts=part.counts)


def write_zip(archive: IO[bytes], files: Iterable[tuple[str, IO[bytes]]]) -> None:
    """Write named files into a ZIP archive, and rewind it."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, file in files:
            file.seek(0)
            with writer.open(name, "w") as entry:
                shutil.copyfileobj(file, entry)
    archive.seek(0)
