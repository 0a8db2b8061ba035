"""Summaries for tests of planners, which use few of their fields."""

from datetime import UTC, datetime

from records.scopes import Scope
from records.summaries import Summary


def standing_summary(number: int, level: int, policy: str = "pyramid") -> Summary:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    return Summary(
        id=number,
        scope=Scope(owner=1),
        level=level,
        text="",
        created_at=moment,
        source_chunk_ids=(),
        source_ids=(),
        is_active=True,
        first_id=0,
        last_id=0,
        first_at=moment,
        last_at=moment,
        message_count=0,
        policy=policy,
    )
