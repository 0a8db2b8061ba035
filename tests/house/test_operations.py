"""Tests of docs/operations.md: its SQL runs unchanged and returns the described rows, and it lists every metric."""

import contextlib
import re
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from prometheus_client.metrics import MetricWrapperBase

from records.scopes import Scope
from runtime.metrics import REGISTRY
from tests.paths import ROOT
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, open_chat_harness

PAGE = ROOT / "docs" / "operations.md"
SCOPE = Scope(owner=ANNA.id)


def queries() -> dict[str, str]:
    """Return the page's SQL statements by the first two words of the preceding line and their number."""
    found = {}
    for words, block in re.findall(r"\n([^\n]+:)\n\n```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for number, statement in enumerate(statement for statement in block.split(";") if statement.strip()):
            found[f"{words.split()[0]} {words.split()[1]} {number}"] = statement
    return found


def test_operations_page_lists_every_metric_with_labels() -> None:
    import bot  # noqa: F401 - whatever is counted is declared once the program is loaded

    declared = set()
    for collector, names in REGISTRY._collector_to_names.items():
        if isinstance(collector, MetricWrapperBase):
            [name] = {name for name in names if name.endswith("_total")} or {collector._name}
            declared.add(f"{name}{{{','.join(collector._labelnames)}}}".removesuffix("{}"))
    told = re.findall(r"^\| `(keepsake_[^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(told) == declared


async def test_sql_queries_of_operations_page_return_expected_rows(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, policy="sliding"))
        for number in range(5):
            await talk.run_turn(f"Point {number}.")
        talk.server.set_default_answer("summary-model", Behaviour(status=400))
        await talk.run_turn("Point 5.")
        async with talk.services.memory.open_store(ANNA.id) as store:
            assert await store.acquire_summary_lease(SCOPE, "now", now=talk.moment[0], duration=timedelta(hours=1))
        with contextlib.closing(sqlite3.connect(f"file:{tmp_path / 'memory.db'}?mode=ro", uri=True)) as connection:
            rows = {
                name: connection.execute(sql.replace("101", str(ANNA.id))).fetchall() for name, sql in queries().items()
            }
    assert len(rows) == 6
    (job,) = rows["Running jobs, 0"]
    assert (job[1], job[3]) == (ANNA.id, "now")
    assert [row[4] for row in rows["Last failures, 0"]] == [1]
    assert ("completed", "threshold", 3) in rows["Last failures, 1"]
    assert [row[:2] for row in rows["All versions 0"]] == [(3, 2), (2, 1), (1, None)]
    assert [row[3] for row in rows["Mean times 0"]] == [3]
    assert len(rows["Worst summaries 0"]) == 3
