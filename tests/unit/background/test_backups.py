"""Tests of daily backups of a memory in use, with the real child process and real disks."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from background.backups import Backups, create_backup_folder
from chat.operation import describe_latest_backup
from locales.catalog import use_language
from records.errors import SettingsError
from runtime import metrics
from settings import Secret, Settings
from storage.backup import restore_backup_file
from storage.bot_state.leases import BACKUPS
from tests.end_to_end.faults.disk import mount_disk
from tests.support.missing import skip_or_fail
from tests.support.talk import ChatHarness, open_chat_harness
from tests.unit.storage.test_replicas import ReplicaProcesses

MORNING = datetime(2026, 11, 28, 6, 30, tzinfo=UTC)


class BackupHarness:
    """The daily backups of a DATA_DIR, with a clock and an election result that tests set."""

    def __init__(self, data: Path, folder: Path, *, keep: int = 2) -> None:
        self.now = MORNING
        self.folder = folder
        self.is_elected = True
        settings = Settings(data_dir=data, backup_keep=keep, telegram_bot_token=Secret("4242:token"))
        self.backups = Backups(folder=folder, settings=settings, is_elected=self.elect, clock=lambda: self.now)

    async def elect(self) -> bool:
        return self.is_elected

    async def pass_day(self) -> list[str]:
        """Advance the clock by a day, make the backup if it is due, and return the names in the folder."""
        self.now += timedelta(days=1)
        await self.backups.make_daily_backup_if_due()
        return self.list_names()

    def list_names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    """Yield a bot that is running and whose memory contains one turn."""
    async with open_chat_harness(tmp_path / "data") as talk:
        await talk.turn_on_memory()
        await talk.run_turn("My parrot is called Xenophilius.")
        yield talk


def read_metric(name: str) -> float:
    return metrics.REGISTRY.get_sample_value(name) or 0.0


def count_failed_backups() -> float:
    return metrics.REGISTRY.get_sample_value("keepsake_backups_total", {"outcome": "failed"}) or 0.0


async def test_makes_one_restorable_backup_per_day_and_keeps_newest(talk: ChatHarness, tmp_path: Path) -> None:
    create_backup_folder(tmp_path / "new" / "backups")
    days = BackupHarness(tmp_path / "data", tmp_path / "new" / "backups")
    (days.folder / "keepsake-4242-notes.gz").write_text("not ours")
    (days.folder / "keepsake-99-2020-01-01.gz").write_text("another bot's")
    others = days.list_names()
    await days.backups.make_daily_backup_if_due()
    await days.backups.make_daily_backup_if_due()
    assert days.list_names() == sorted([*others, "keepsake-4242-2026-11-28.gz"])
    first = days.folder / "keepsake-4242-2026-11-28.gz"
    assert first.stat().st_mode & 0o077 == 0, "as private as the memory"
    assert (await asyncio.to_thread(restore_backup_file, first, tmp_path / "restored")).messages == 2
    await days.pass_day()
    assert await days.pass_day() == sorted([*others, "keepsake-4242-2026-11-29.gz", "keepsake-4242-2026-11-30.gz"])
    newest = days.backups.stat_newest_backup()
    assert newest is not None
    assert read_metric("keepsake_last_backup_timestamp_seconds") == newest.st_mtime
    assert read_metric("keepsake_last_backup_size_bytes") == newest.st_size > 100


async def test_process_that_is_not_elected_makes_no_backup(talk: ChatHarness, tmp_path: Path) -> None:
    days = BackupHarness(tmp_path / "data", tmp_path)
    days.is_elected = False
    before = days.list_names()
    assert await days.pass_day() == before


async def test_one_process_is_elected_for_backups_and_another_takes_over(postgres_url: str, tmp_path: Path) -> None:
    machines = ReplicaProcesses(postgres_url, tmp_path)
    async with machines.open_process("one") as one:
        async with machines.open_process("two") as two:
            assert await one.memory.select_served_owners([BACKUPS]) == [BACKUPS]
            assert await two.memory.select_served_owners([BACKUPS]) == []
            assert await one.memory.select_served_owners([BACKUPS]) == [BACKUPS]
        async with machines.open_process("three") as three:
            machines.mark_as_dead(one)
            assert await three.memory.select_served_owners([BACKUPS]) == [BACKUPS]


async def test_full_disk_is_logged_once_and_counted_and_keeps_old_backup(
    talk: ChatHarness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = count_failed_backups()
    with mount_disk(tmp_path / "small") as small:
        if not small.is_mounted:
            skip_or_fail("Nothing may be mounted here.")
        days = BackupHarness(tmp_path / "data", small.data, keep=1)
        await days.backups.make_daily_backup_if_due()
        small.fill(0)
        assert await days.pass_day() == ["keepsake-4242-2026-11-28.gz"]
        await days.backups.make_daily_backup_if_due()
        [record] = [record for record in caplog.records if record.levelname == "ERROR"]
        assert record.getMessage().startswith("no backup was made: keepsake-4242-2026-11-29.gz ")
        assert "No space left" in record.getMessage()
        assert count_failed_backups() == before + 2
        with use_language("en"):
            assert describe_latest_backup(days.backups, UTC).endswith("Today's backup failed: see the latest errors.")
        small.free(0)
        assert await days.pass_day() == ["keepsake-4242-2026-11-30.gz"]
        assert days.backups.failure == ""


async def test_missing_folder_counts_as_failed_backup(talk: ChatHarness, tmp_path: Path) -> None:
    days = BackupHarness(tmp_path / "data", tmp_path / "gone")
    before = count_failed_backups()
    await days.backups.make_daily_backup_if_due()
    assert count_failed_backups() == before + 1
    assert "no folder" in days.backups.failure
    with use_language("en"):
        assert describe_latest_backup(days.backups, UTC) == "Last backup: none. It failed: see the latest errors."
        assert describe_latest_backup(None, UTC) == "Daily backups: off. Set BACKUP_DIR to turn them on."


def test_unusable_folder_error_names_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"BACKUP_DIR: .*file cannot be written"):
        create_backup_folder(tmp_path / "file")
