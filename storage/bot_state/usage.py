"""Tokens spent by UTC day, person (or owner) and model, stored so that a restart does not reset a daily budget."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from datetime import date, timedelta

from records.model_calls import DailyUsage, Usage
from storage.engine.protocol import StatementRunner

KEPT_DAYS = 90  # days kept in the ledger, enough for a quarterly bill
FORGOTTEN = "-"
"""The model name for today's usage of somebody who had everything forgotten. Forgetting does not reset a budget."""


class UsageLedger(StatementRunner):
    """The token usage by day, id and model. Every change is durable when its method returns."""

    async def add_usage(self, day: date, usage: Mapping[tuple[int, str], Usage]) -> None:
        """Add a day's usage, keyed by spender id and model. Delete the usage of days older than KEPT_DAYS."""
        async with self.database.open_transaction(None) as tx:
            await tx.execute_many(_ADD, [(day.isoformat(), *key, *astuple(used)) for key, used in usage.items()])
            oldest = date.fromordinal(max(1, day.toordinal() - KEPT_DAYS))
            await tx.execute("DELETE FROM usage WHERE day < ?", oldest.isoformat())
            await tx.execute("DELETE FROM usage WHERE day < ? AND model = ?", day.isoformat(), FORGOTTEN)

    async def read_usage_of_day_by_spender(self, day: date) -> dict[int, Usage]:
        """Return the usage of each person and group on a day, by id."""
        rows = await self._fetch_rows(None, f"{_SUMS} WHERE day = ? GROUP BY user_id", day.isoformat())
        return {spender: _make_usage(sums) for spender, *sums in rows}

    async def list_daily_usage(self, spender: int, last_day: date, days: int) -> list[DailyUsage]:
        """Return a person's or group's usage on each of the `days` days up to `last_day`, sorted by day and model."""
        since = last_day - timedelta(days=days - 1)
        sql = f"SELECT day, model, {_COUNTS} FROM usage WHERE user_id = ? AND day BETWEEN ? AND ? ORDER BY day, model"  # noqa: S608
        rows = await self._fetch_rows(None, sql, spender, since.isoformat(), last_day.isoformat())
        return [
            DailyUsage(day=date.fromisoformat(day), model=model, used=_make_usage(counts))
            for day, model, *counts in rows
        ]

    async def delete_usage_details(self, spender: int, today: date) -> None:
        """Delete a spender's usage, except today's total, which still counts towards the daily budget."""
        async with self.database.open_transaction(None) as tx:
            sums = f"{_SUMS} WHERE user_id = ? AND day = ? GROUP BY user_id"
            rows = await tx.fetch_rows(sums, spender, today.isoformat())
            await tx.execute("DELETE FROM usage WHERE user_id = ?", spender)
            for _, prompt, completion, *_ in rows:
                if prompt or completion:
                    await tx.execute(_ADD, today.isoformat(), spender, FORGOTTEN, prompt, completion, 0, 0, 0)


def _make_usage(counts: Iterable[int]) -> Usage:
    return Usage(**dict(zip((field.name for field in fields(Usage)), counts, strict=True)))


_COUNTS = "prompt_tokens, completion_tokens, cached_tokens, written_tokens, answers"  # in the order of Usage's fields
_SUMS = f"SELECT user_id, {', '.join(f'SUM({name})' for name in _COUNTS.split(', '))} FROM usage"  # noqa: S608
_ADD = f"""
INSERT INTO usage (day, user_id, model, {_COUNTS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (day, user_id, model) DO UPDATE
SET {", ".join(f"{name} = usage.{name} + excluded.{name}" for name in _COUNTS.split(", "))}
"""  # noqa: S608
