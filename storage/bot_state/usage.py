"""Tokens spent by UTC day, person (or owner) and model, stored so that a restart does not reset a daily budget."""

from collections.abc import Mapping
from dataclasses import astuple
from datetime import date, timedelta

from records.model_calls import DayOfUse, Usage
from storage.engine.protocol import Row, StatementRunner

KEPT_DAYS = 90  # days kept in the ledger, enough for a quarterly bill
FORGOTTEN = "-"
"""The model name for today's usage of somebody who had everything forgotten, which must not reset their budget. No
model has this name.
"""


class UsageLedger(StatementRunner):
    """One row for each day, id and model. Every method is durable when it returns."""

    async def add(self, day: date, spent: Mapping[tuple[int, str], Usage]) -> None:
        """Add usage by id and model to a day, and drop days older than KEPT_DAYS, in one transaction."""
        async with self.database.write(None) as tx:
            await tx.many(_ADD, [(day.isoformat(), *key, *astuple(used)) for key, used in spent.items()])
            oldest = date.fromordinal(max(1, day.toordinal() - KEPT_DAYS))
            await tx.rows("DELETE FROM usage WHERE day < ?", oldest.isoformat())
            await tx.rows("DELETE FROM usage WHERE day < ? AND model = ?", day.isoformat(), FORGOTTEN)

    async def of(self, day: date) -> dict[int, Usage]:
        """Return the usage of each id on a day."""
        rows = await self._fetch_rows(None, "SELECT * FROM usage WHERE day = ?", day.isoformat())
        found: dict[int, Usage] = {}
        for row in rows:
            found[row["user_id"]] = found.get(row["user_id"], Usage()) + _parse_usage(row)
        return found

    async def days(self, spender: int, until: date, days: int) -> list[DayOfUse]:
        """Return the usage of an id on the last `days` days up to `until`, sorted by day and model."""
        since = until - timedelta(days=days - 1)
        sql = "SELECT * FROM usage WHERE user_id = ? AND day >= ? AND day <= ? ORDER BY day, model"
        rows = await self._fetch_rows(None, sql, spender, since.isoformat(), until.isoformat())
        return [
            DayOfUse(day=date.fromisoformat(row["day"]), model=row["model"], used=_parse_usage(row)) for row in rows
        ]

    async def forget(self, spender: int, today: date) -> None:
        """Delete the usage of an id. Keep today's total until tomorrow."""
        async with self.database.write(None) as tx:
            rows = await tx.rows("SELECT * FROM usage WHERE user_id = ? AND day = ?", spender, today.isoformat())
            await tx.rows("DELETE FROM usage WHERE user_id = ?", spender)
            spent = sum((_parse_usage(row) for row in rows), Usage())
            if spent.total:
                await tx.rows(_ADD, today.isoformat(), spender, FORGOTTEN, spent.prompt, spent.completion, 0, 0, 0)


def _parse_usage(row: Row) -> Usage:
    return Usage(
        prompt=row["prompt_tokens"],
        completion=row["completion_tokens"],
        cached=row["cached_tokens"],
        answers=row["answers"],
        written=row["written_tokens"],
    )


# The last five columns are in the order of the fields of Usage.
_ADD = """
INSERT INTO usage (day, user_id, model, prompt_tokens, completion_tokens, cached_tokens, written_tokens, answers)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (day, user_id, model) DO UPDATE SET
  prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = usage.completion_tokens + excluded.completion_tokens,
  cached_tokens = usage.cached_tokens + excluded.cached_tokens,
  answers = usage.answers + excluded.answers,
  written_tokens = usage.written_tokens + excluded.written_tokens
"""
