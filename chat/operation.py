"""Gives admins access to users, figures, backups and broadcasts, but never to the content of messages."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from background.backups import Backups
from chat.services import Services
from external_memory import ExternalMemory
from locales.catalog import format_day, format_decimal, tr
from records.owners import KnownPerson
from records.scopes import Person
from runtime import metrics
from settings import Settings
from storage.bot_state.broadcasts import BroadcastProgress
from storage.bot_state.people import People


@dataclass(frozen=True, kw_only=True, slots=True)
class Operator:
    """The settings of the whole bot, and its admins, who are named in the settings or have used the admin link."""

    settings: Settings
    people: People

    @property
    def admin_ids(self) -> frozenset[int]:
        return self.settings.admin_user_ids | self.people.admin_ids_from_bot_claims

    @property
    def model_names(self) -> list[str]:
        settings = self.settings
        return list(dict.fromkeys((settings.openai_model, *settings.openai_models, settings.summary_model)))

    def is_admin(self, person: Person, *, in_private: bool) -> bool:
        """Return True if a person is an admin of the bot and the chat is private."""
        return in_private and person.id in self.admin_ids

    def is_admin_or_bot_has_none(self, person: Person) -> bool:
        return not self.admin_ids or person.id in self.admin_ids


@dataclass(frozen=True, kw_only=True, slots=True)
class BotOverview:
    """Figures about the whole bot for its admins: memories, people, usage, backlogs and size."""

    memories: int
    active: int  # memories with a message within the last week
    let_in: int  # people
    asked: int  # people who ask for access
    used_by_person: Mapping[int, int]  # tokens of today
    waiting: int  # unfinished updates
    failed: int  # scopes whose last summary failed
    size: int  # bytes in the data directory


async def make_operator_overview(services: Services, operator: Operator) -> BotOverview:
    """Collect figures about the whole bot. Raise StorageError if the store cannot be read."""
    memory, now = services.memory, services.clock()
    memories, active, failed = await memory.count_owners_active_owners_and_failed_folds(now - timedelta(days=7))
    spent = await memory.usage.read_usage_of_day_by_spender(now.date())
    let_in = {person.id for person in memory.people.list_people("allowed")}
    return BotOverview(
        memories=memories,
        active=active,
        let_in=len(operator.settings.allowed_user_ids | let_in),
        asked=len(memory.people.list_people("asked")),
        used_by_person={person: usage.total for person, usage in spent.items()},
        waiting=round(metrics.REGISTRY.get_sample_value("keepsake_updates_unfinished") or 0),
        failed=failed,
        size=await asyncio.to_thread(_measure_folder_bytes, operator.settings.data_dir),
    )


def list_people(services: Services, operator: Operator) -> Sequence[KnownPerson]:
    """Return the people who asked for access, then those admitted or removed by admins, then those in the settings."""
    people = services.memory.people
    by_button = {person.id: person for person in (*people.list_people("allowed"), *people.list_people("removed"))}
    fixed = [
        KnownPerson(id=number, standing="allowed", name="")
        for number in sorted(operator.settings.allowed_user_ids - operator.admin_ids)
        if number not in by_button
    ]
    return [*people.list_people("asked"), *reversed(by_button.values()), *fixed]


async def list_broadcast_recipient_ids(memory: ExternalMemory, operator: Operator, admin_id: int) -> list[int]:
    let_in = {person.id for person in memory.people.list_people("allowed")}
    removed = {person.id for person in memory.people.list_people("removed")}
    known = {owner for owner in await memory.list_owners() if owner > 0}
    fixed = operator.settings.allowed_user_ids | (known if operator.settings.everyone_allowed else set())
    return sorted(((fixed - removed) | let_in | operator.admin_ids) - {admin_id})


def format_broadcast_receipt(progress: BroadcastProgress, heading: str) -> str:
    """Return a report on a broadcast: how many people received it, and why others did not."""
    recipient_count = progress.arrived + progress.gone + progress.unknown + progress.left
    lines = [heading, tr("broadcast-arrived", arrived=progress.arrived, people=recipient_count)]
    if progress.gone:
        lines.append(tr("broadcast-gone", people=progress.gone))
    if progress.unknown:
        lines.append(tr("broadcast-unknown", people=progress.unknown))
    return "\n".join(lines)


def describe_latest_backup(backups: Backups | None, zone: tzinfo) -> str:
    """Return a line that describes the latest backup or explains why there is none."""
    if backups is None:
        return tr("admin-backup-off")
    if (newest := backups.stat_newest_backup()) is None:
        return tr("admin-backup-failed" if backups.failure else "admin-backup-none")
    at = datetime.fromtimestamp(newest.st_mtime, zone)
    when = f"{format_day(at, with_year=True)} {at:%H:%M}"
    key = "admin-backup-old" if backups.failure else "admin-backup"
    return tr(key, when=when, size=format_decimal(newest.st_size / 1_000_000, 1))


def _measure_folder_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total
