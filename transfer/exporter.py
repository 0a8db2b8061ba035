"""Export a memory to files that people can read and /import can restore."""

import asyncio
import gzip
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
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
class Exported:
    """A temporary file of an export, positioned at its start. It is deleted when it is closed."""

    name: str
    file: IO[bytes]
    size: int
    counts: Mapping[str, int]


@define(kw_only=True, eq=False)
class Exporter:
    """Exports the memories of owners to files."""

    _memory: ExternalMemory
    _clock: Clock
    _readable: int = MAX_PLAIN_BYTES
    _largest: int = MAX_FILE_BYTES
    _named: Callable[[], str] = secrets.token_hex

    @asynccontextmanager
    async def export_files(self, owner: int) -> AsyncIterator[tuple[Exported, ...]]:
        """Yield the files of a consistent snapshot of an owner's memory. Raise StorageError if reading fails.

        Most exports have one file, and an empty memory has none. Memory use does not grow with the size of the export.
        """
        made: list[Exported] = []
        try:
            async for part in self._write_parts(owner):
                made.append(part)  # noqa: PERF401 - open files must be closed if the next one fails
            day = self._clock().date().isoformat()
            names = [f"keepsake-{day}{f'-{number}' if len(made) > 1 else ''}" for number in range(1, len(made) + 1)]
            yield tuple(replace(part, name=name + part.name) for name, part in zip(names, made, strict=True))
        finally:
            for part in made:
                part.file.close()

    @asynccontextmanager
    async def export_readable(self, owner: int) -> AsyncIterator[tuple[Exported, ...]]:
        """Yield ZIP archives of Markdown files, then HTML pages. Raise StorageError if reading fails."""
        config = await self._memory.get_config(owner)
        made = ReadableExport(config.zone if config else UTC)
        files: list[Exported] = []
        try:
            async with self._memory.open_store(owner) as store:
                async for batch in store.dump_owner(owner):
                    await asyncio.to_thread(made.add, batch)
            day = self._clock().date().isoformat()
            parts = await asyncio.to_thread(made.split_parts, self._largest) if made.counts else ()
            for part in parts:
                name = f"keepsake-{day}{f'-{part.number}' if len(parts) > 1 else ''}"
                for ending, write in ((".zip", made.write_zip), (".html", made.write_page)):
                    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
                    files.append(Exported(name=name + ending, file=file, size=0, counts=made.count_rows(part)))
                    await asyncio.to_thread(write, file, part)
                if file.tell() > self._largest:
                    packed = tempfile.TemporaryFile()  # noqa: SIM115 - as above
                    await asyncio.to_thread(_zip_file, name + ".html", file, packed)
                    file.close()
                    files[-1] = replace(files[-1], name=f"{name}-page.zip", file=packed)
            yield tuple(map(_rewind_export, files))
        finally:
            made.close()
            for exported in files:
                exported.file.close()

    async def _write_parts(self, owner: int) -> AsyncIterator[Exported]:
        now, name, key = self._clock(), self._named(), await self._memory.export_key()
        head: list[Mapping[str, object]] = []
        part: ExportFile | None = None
        file: IO[bytes] | None = None
        number = 0
        async with self._memory.open_store(owner) as store:
            async for batch in store.dump_owner(owner):
                if batch[0]["table"] == RESTORES.name:
                    continue
                head += batch if batch[0]["table"] in (USERS.name, PROGRESS.name) else ()
                if part and file and part.size >= self._largest:
                    yield await asyncio.to_thread(self._finish_file, part, file, key, has_more=True)
                    part = None
                if part is None:
                    number += 1
                    file = tempfile.TemporaryFile()  # noqa: SIM115 - the receiver closes it
                    part = ExportFile(file, owner=owner, exported_at=now, name=name, part=number)
                    part.add(head if number > 1 else ())
                await asyncio.to_thread(part.add, batch)
        if part and file:
            yield await asyncio.to_thread(self._finish_file, part, file, key, has_more=False)

    def _finish_file(self, part: ExportFile, file: IO[bytes], key: bytes, *, has_more: bool) -> Exported:
        part.finish(has_more=has_more, key=key)
        file.seek(0)
        if part.size <= self._readable:
            return Exported(name=".json", file=file, size=part.size, counts=part.counts)
        packed = tempfile.TemporaryFile()  # noqa: SIM115 - as above
        with file, gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as archive:
            shutil.copyfileobj(file, archive)
        return _rewind_export(Exported(name=".json.gz", file=packed, size=0, counts=part.counts))


def _rewind_export(exported: Exported) -> Exported:
    size = exported.file.tell()
    exported.file.seek(0)
    return replace(exported, size=size)


def _zip_file(name: str, source: IO[bytes], target: IO[bytes]) -> None:
    source.seek(0)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as inner:
        shutil.copyfileobj(source, inner)
