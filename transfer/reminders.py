"""The reminders of an export of ours, on their way back: what is over is left out, what repeats goes on.

Owns that what a file says of them stays within the bounds of those that were asked for here. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from records.reminders import FARTHEST_DAYS, LONGEST_REMINDER, MOST_REMINDERS, Repeat, Wish
from storage.schema.portable_tables import Portable
from storage.schema.rows import moment_of as moment_in
from storage.schema.rows import text_of
from text.time_zones import moment_of, next_time

_REPEATS: Mapping[object, Repeat] = {"daily": "daily", "weekly": "weekly", "monthly": "monthly"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Returning:
    """A reminder that comes back, and its row as it is stored then."""

    wish: Wish
    row: Portable


def returning(rows: Sequence[Portable], *, now: datetime, zone: tzinfo) -> list[Returning]:
    """Those of these rows (checked) that are still to come. `zone`: their owner's."""
    found = []
    for row in rows:
        repeat = _REPEATS.get(row["repeat"], "")
        due_at = moment_in(row["due_at"]).astimezone(UTC)
        local = _local(row["wall_time"])
        day = int(str(row["month_day"]))
        day = day if 1 <= day <= 31 else 0
        if due_at <= now and repeat:
            local = local or due_at.astimezone(zone).replace(tzinfo=None)
            local = next_time(local, repeat, day, after=now.astimezone(zone).replace(tzinfo=None)) or local
            due_at = moment_of(local, zone)
        text = " ".join(str(row["text"]).split())[:LONGEST_REMINDER]
        if text and now < due_at <= now + timedelta(days=FARTHEST_DAYS):
            wish = Wish(text=text, due_at=due_at, local=local, repeat=repeat, month_day=day)
            wall = local.isoformat(timespec="minutes") if local else ""
            kept = {"text": text, "due_at": text_of(due_at), "wall_time": wall, "month_day": day, "sends": 0}
            found.append(Returning(wish=wish, row={**row, **kept}))
    return found[:MOST_REMINDERS]


def _local(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None) if value else None
    except ValueError:
        return None
