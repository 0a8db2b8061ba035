"""Tokens spent by UTC day, person (or owner) and model. Stored, so that a restart gives nobody a new day."""

from collections.abc import Mapping
from datetime import date, timedelta

from records.model_calls import DayOfUse, Usage
from storage.engine.protocol import OwnerDatabase, Row

KEPT_DAYS = 90
"""Days that the ledger remembers: a quarter's bill."""
FORGOTTEN = "-"
"""Stands for the model of what was spent today by somebody who had everything forgotten: their day's budget is no
larger for it. No model is called so."""


class UsageLedger:
    """One row for each day, id and model. Every method is durable when it returns."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database

    async def add(self, day: date, spent: Mapping[tuple[int, str], Usage]) -> None:
        """Add to a day what each id spent with each model, in one transaction; days that are too old are dropped."""
        async with self.database.write(None) as tx:
            await tx.many(
                _ADD,
                [
                    (day.isoformat(), spender, model, used.prompt, used.completion, used.cached, used.answers)
                    for (spender, model), used in spent.items()
                ],
            )
            oldest = date.fromordinal(max(1, day.toordinal() - KEPT_DAYS))
            await tx.rows("DELETE FROM usage WHERE day < ?", oldest.isoformat())
            await tx.rows("DELETE FROM usage WHERE day < ? AND model = ?", day.isoformat(), FORGOTTEN)

    async def of(self, day: date) -> dict[int, Usage]:
        """The usage of each id on a day."""
        async with self.database.read(None) as reader:
            rows = await reader.rows("SELECT * FROM usage WHERE day = ?", day.isoformat())
        found: dict[int, Usage] = {}
        for row in rows:
            found[row["user_id"]] = found.get(row["user_id"], Usage()) + _usage(row)
        return found

    async def days(self, spender: int, until: date, days: int) -> list[DayOfUse]:
        """The usage of an id on the last `days` days to `until`, by day and model, ascending."""
        since = until - timedelta(days=days - 1)
        async with self.database.read(None) as reader:
            rows = await reader.rows(
                "SELECT * FROM usage WHERE user_id = ? AND day >= ? AND day <= ? ORDER BY day, model",
                *(spender, since.isoformat(), until.isoformat()),
            )
        return [DayOfUse(day=date.fromisoformat(row["day"]), model=row["model"], used=_usage(row)) for row in rows]

    async def forget(self, spender: int, today: date) -> None:
        """Drop what an id spent; of today its sum stays until tomorrow."""
        async with self.database.write(None) as tx:
            rows = await tx.rows("SELECT * FROM usage WHERE user_id = ? AND day = ?", spender, today.isoformat())
            await tx.rows("DELETE FROM usage WHERE user_id = ?", spender)
            total = sum((_usage(row) for row in rows), Usage())
            if total.total:
                await tx.rows(_ADD, today.isoformat(), spender, FORGOTTEN, total.prompt, total.completion, 0, 0)


def _usage(row: Row) -> Usage:
    return Usage(
        prompt=row["prompt_tokens"],
        completion=row["completion_tokens"],
        cached=row["cached_tokens"],
        answers=row["answers"],
    )


_ADD = """
INSERT INTO usage (day, user_id, model, prompt_tokens, completion_tokens, cached_tokens, answers)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (day, user_id, model) DO UPDATE SET
  prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = usage.completion_tokens + excluded.completion_tokens,
  cached_tokens = usage.cached_tokens + excluded.cached_tokens,
  answers = usage.answers + excluded.answers
"""
