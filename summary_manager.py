"""Messages → L1 → L2 → L3 summaries: plan a fold, run it once, commit it whole. (Being built.)

Does not know Telegram or who is told of a failure.
"""

from collections.abc import Sequence

from records import FoldOutcome, Scope, Status, Summary


class SummaryManager:
    """Folds scopes."""

    async def fold_now(self, scope: Scope) -> FoldOutcome:
        """Summarise whatever is unsummarised ("nothing" when there is none, or memory is off)."""
        raise NotImplementedError

    async def status(self, scope: Scope) -> Status:
        """The scope in figures."""
        raise NotImplementedError

    async def active(self, scope: Scope) -> Sequence[Summary]:
        """Active summaries, highest level first, oldest first within a level."""
        raise NotImplementedError
