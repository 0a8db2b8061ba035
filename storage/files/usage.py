"""Tokens spent by person (or owner) and UTC day. Stored, so that a restart gives nobody a new day.

Does not know budgets, nor what the tokens were spent on.
"""

from collections.abc import Mapping
from datetime import date

from records.model_calls import Usage
from storage.files.sql import OwnerDatabase

KEPT_DAYS = 35
"""Days that the ledger remembers: enough for a month's bill."""


class UsageLedger:
    """One row for each day and id. Every method is durable when it returns."""

    def __init__(self, database: OwnerDatabase) -> None:
        self._db = database

    async def add(self, day: date, spent: Mapping[int, Usage]) -> None:
        """Add to a day what each id spent, in one transaction; days that are too old are dropped."""
        async with self._db.write(None) as tx:
            await tx.many(
                """
                INSERT INTO usage (day, user_id, prompt_tokens, completion_tokens) VALUES (?, ?, ?, ?)
                ON CONFLICT (day, user_id) DO UPDATE SET
                  prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
                  completion_tokens = usage.completion_tokens + excluded.completion_tokens
                """,
                [(day.isoformat(), spender, used.prompt, used.completion) for spender, used in spent.items()],
            )
            oldest = date.fromordinal(max(1, day.toordinal() - KEPT_DAYS))
            await tx.rows("DELETE FROM usage WHERE day < ?", oldest.isoformat())

    async def of(self, day: date) -> dict[int, Usage]:
        """What each id spent on a day."""
        async with self._db.read(None) as reader:
            rows = await reader.rows("SELECT * FROM usage WHERE day = ?", day.isoformat())
        return {row["user_id"]: Usage(prompt=row["prompt_tokens"], completion=row["completion_tokens"]) for row in rows}
