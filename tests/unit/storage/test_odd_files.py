"""Something else in the place of one of our files ends the start with one line; a damaged value names the backup."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.errors import StorageCorrupt
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.sqlite_driver import sqlite3
from tests.contract.conftest import NOW, fold, talk


def laid_as_a_folder(path: Path) -> None:
    path.mkdir()


def laid_as_a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("lay", [os.mkfifo, laid_as_a_folder, laid_as_a_dangling_link])
@pytest.mark.parametrize(
    "name", [".lock", ".instance", "memory.db", "memory.db-wal", "index.db", "memory.json", "memory.json.journal"]
)
def test_what_is_no_file_in_the_place_of_ours_is_one_line(
    name: str,
    lay: Callable[[Path], None],
    tmp_path: Path,
    run_here: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Opening a FIFO waited for ever."""
    lay(tmp_path / name)
    for arguments in ((), ("--check",), ("--backup", str(tmp_path / "backup.gz"))):
        environ = {"DATA_DIR": str(tmp_path), "TELEGRAM_BOT_TOKEN": "7:abc", "OPENAI_API_KEY": "key"}
        environ["TELEGRAM_API_URL"] = "http://127.0.0.1:9"
        assert run_here(arguments, environ) == 2
        said = capsys.readouterr()
        assert f"DATA_DIR: {tmp_path / name} is " in said.err + said.out
        assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("messages", "created_at", "garbled"),
        ("summaries", "source_ids", "garbled"),
        ("summaries", "details", "5"),
        ("users", "created_at", "garbled"),
    ],
)
async def test_a_damaged_value_names_the_backup(table: str, column: str, value: str, tmp_path: Path) -> None:
    """It was "Something went wrong here" for ever."""
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        await memory.configure(1, storage=StorageType.SQLITE, every_n=5)
        async with memory.home(1) as store:
            await fold(store, Scope(owner=1), await talk(store, Scope(owner=1), 1))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
        file.execute(f"UPDATE {table} SET {column} = ?", (value,))  # noqa: S608
    with pytest.raises(StorageCorrupt, match=rf"{table} is damaged.*--restore FILE"):
        await read_all(tmp_path)


async def read_all(folder: Path) -> None:
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory, memory.home(1) as store:
        await memory.config(1)
        await store.timeline.read_page(Scope(owner=1), limit=9)
        await store.list_summaries(Scope(owner=1))
