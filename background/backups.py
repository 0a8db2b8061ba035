"""Daily backups in BACKUP_DIR, made and verified in a separate process. With several replicas, only one makes them."""

import json
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import UTC
from functools import partial
from pathlib import Path

from attrs import define, field

from external_memory import ExternalMemory
from records.errors import SettingsError
from records.scopes import Clock
from runtime.metrics import make_counter, make_gauge
from runtime.subprocess_worker import ChildDied, iterate_child_answers, make_child_script
from settings import Settings
from storage.bot_state.leases import BACKUPS as ELECTION

log = logging.getLogger(__name__)

BACKUPS = make_counter("keepsake_backups", "Backups in BACKUP_DIR, by their outcome.", {"outcome": ("made", "failed")})
LAST = make_gauge("keepsake_last_backup_timestamp_seconds", "When the newest backup was made; 0: there is none.")
SIZE = make_gauge("keepsake_last_backup_size_bytes", "The size of that backup.")

MAX_SECONDS = 6 * 3600.0  # how long a backup may take: many millions of messages are read in an hour


@define(kw_only=True, eq=False)
class Backups:
    """The daily backups of a bot. `failure` is the error message of the last attempt, or "" if it succeeded."""

    _folder: Path
    _settings: Settings
    _is_elected: Callable[[], Awaitable[object]]
    _clock: Clock
    failure: str = field(default="", init=False)

    def stat_newest_backup(self) -> os.stat_result | None:
        for path in reversed(self._list_backups()):
            with suppress(OSError):
                return path.stat()
        return None

    async def make_daily_backup_if_due(self) -> None:
        """Make today's backup (in UTC) if it is missing. Raise StorageError if the bot's state cannot be read."""
        file = self._folder / f"{self._file_prefix}{self._clock().astimezone(UTC):%Y-%m-%d}.gz"
        if not file.exists() and await self._is_elected():
            failure = await self._make_backup_and_get_error(file)
            BACKUPS.labels("failed" if failure else "made").inc()
            if failure and failure != self.failure:
                log.error("no backup was made: %s", failure)
            elif not failure:
                for surplus in self._list_backups()[: -self._settings.backup_keep]:
                    try:
                        surplus.unlink()
                    except OSError as error:
                        log.warning("%s cannot be deleted: %s", surplus, type(error).__name__)
            self.failure = failure
        newest = self.stat_newest_backup()
        LAST.set(newest.st_mtime if newest else 0)
        SIZE.set(newest.st_size if newest else 0)

    async def _make_backup_and_get_error(self, file: Path) -> str:
        """Make a backup in a separate process. Return an error message, or "" on success."""
        settings = self._settings
        request = {"folder": str(settings.data_dir), "file": str(file), "url": settings.database_url.value}
        code, data = make_child_script("storage.backup"), json.dumps(request).encode()
        child = iterate_child_answers(code, (), data, timeout=MAX_SECONDS, inherits_environment=True)
        try:
            async with aclosing(child) as answers:
                kind, value = await anext(answers)
        except (ChildDied, StopAsyncIteration):
            return "the process that made it died"
        if kind == "failed":
            return str(value)
        messages, elsewhere = value
        log.info("backup of %d messages in %s", messages, file)
        if elsewhere:
            log.warning("%d memories are not in this backup, but in files of other processes", elsewhere)
        return ""

    def _list_backups(self) -> list[Path]:
        digit = "[0-9]"  # the names of one bot sort by date
        return sorted(self._folder.glob(f"{self._file_prefix}{digit * 4}-{digit * 2}-{digit * 2}.gz"))

    @property
    def _file_prefix(self) -> str:
        return f"keepsake-{self._settings.telegram_bot_token.value.partition(':')[0]}-"


def set_up_backups(settings: Settings, memory: ExternalMemory, clock: Clock) -> Backups | None:
    """Return the daily backups, or None if BACKUP_DIR is not set. Raise SettingsError if the folder is not writable."""
    if settings.backup_dir is None:
        return None
    create_backup_folder(settings.backup_dir)
    is_elected = partial(memory.select_served_owners, [ELECTION])
    return Backups(folder=settings.backup_dir, settings=settings, is_elected=is_elected, clock=clock)


def create_backup_folder(folder: Path) -> None:
    """Create the backup folder if it does not exist. Raise SettingsError if it is not writable."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise SettingsError("BACKUP_DIR", f"{folder} cannot be written ({error.strerror}).") from error
