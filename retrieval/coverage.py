"""What no summary of a prompt tells of. Pure. Does not know what else a prompt shows of it."""

from collections.abc import Sequence

from records.summaries import Summary


def gaps(summaries: Sequence[Summary], oldest: int, newest: int, *, or_after: bool) -> list[tuple[int, int]]:
    """Ranges of ids before and between summaries; `or_after`: what comes after them where nothing else is left."""
    found, next_id = list[tuple[int, int]](), oldest
    for summary in sorted(summaries, key=lambda one: one.first_id):
        if summary.first_id > next_id:
            found.append((next_id, summary.first_id - 1))
        next_id = max(next_id, summary.last_id + 1)
    return found or ([(min(next_id, newest), newest)] if or_after else [])
