"""Times of a wall clock: the moments that they are, months later, and the next time of what repeats. Pure."""

import calendar
from datetime import UTC, datetime, timedelta, tzinfo

from records.reminders import Repeat


def moment_of(local: datetime, zone: tzinfo | None) -> datetime:
    """The moment at which a wall clock shows this; None: UTC. Where it never does, the clocks being put forward, the
    one that it would be without that; where it does so twice, the first.
    """
    return local.replace(tzinfo=zone or UTC).astimezone(UTC)


def moved(local: datetime, *, months: int, day: int = 0) -> datetime:
    """The same time so many months later, on its own day of the month or on `day`; the last day of a shorter month."""
    number = local.year * 12 + local.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return local.replace(year=year, month=month, day=min(day or local.day, calendar.monthrange(year, month)[1]))


def monthly(local: datetime, day: int, *, after: datetime) -> datetime:
    """The first time after `after` that is on this day of a month, from the month of `local` on."""
    at = moved(local, months=0, day=day)
    if at <= after:
        at = moved(local, months=max(0, (after.year - local.year) * 12 + after.month - local.month), day=day)
    return at if at > after else moved(at, months=1, day=day)


def next_time(local: datetime, repeat: Repeat, month_day: int, *, after: datetime) -> datetime | None:
    """The next time of what repeats, later than `local` and than `after`; None for what comes once."""
    if not repeat:
        return None
    if repeat == "monthly":
        return monthly(local, month_day or local.day, after=max(after, local))
    step = timedelta(days=7 if repeat == "weekly" else 1)
    return local + step * max(1, (after - local) // step + 1)
