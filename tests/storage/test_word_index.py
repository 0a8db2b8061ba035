"""The index of words: what a search costs does not depend on how SQLite happens to plan a join."""

from pathlib import Path

from storage import word_index
from storage.database import Database
from storage.migrations import MIGRATIONS


async def test_a_search_reads_only_the_messages_that_it_gives_back(tmp_path: Path) -> None:
    """Otherwise every message of the scope costs a query of the index: seconds at 10,000 messages."""
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database, database.read() as reader:
        plan = await reader.rows(f"EXPLAIN QUERY PLAN {word_index._SEARCH}", "word", 1, 0, 10)
    steps = [row["detail"] for row in plan]
    assert any(step.startswith("SCAN words VIRTUAL TABLE") for step in steps)
    assert [step for step in steps if "messages" in step] == ["SEARCH messages USING INTEGER PRIMARY KEY (rowid=?)"]
