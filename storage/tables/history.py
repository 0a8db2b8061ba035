"""Store imported history, which is archived immediately, and rows restored from Keepsake's own export.

Each import gets a block of negative ids below all earlier blocks. Within a block, ids are in chronological order.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import cast

from records.facts import Fact, NewFact
from records.messages import Message, Role
from records.scopes import Scope
from records.summaries import NewSummary, Summary, SummaryLease, SummaryPlan
from storage.engine.protocol import Reader, Transaction
from storage.schema import portable_tables as tables
from storage.schema.migrations import read_migration_steps
from storage.schema.portable_tables import PortableRow
from storage.schema.rows import MESSAGE_ROWS, group_rows_by_table, parse_fact, parse_moment
from storage.search import word_index
from storage.tables import decisions as decision_table
from storage.tables import history_extraction as history_extraction_table
from storage.tables.decisions import DecisionIndex
from storage.tables.folds import delete_summaries, replace_sources_with_summary, transact_under_lease
from storage.tables.owner_tables import OwnerTables, reserve_ids_and_get_first

_COUNTER_OF = {table: counter for counter, table in tables.COUNTERS.items()}
_COUNTERS = (*tables.COUNTERS, "tokens_saved")
_INSERT = tables.MESSAGES.make_insert_sql()
_KNOWN = """
SELECT messages.role, messages.source, messages.id FROM json_each(?2, '$') AS name CROSS JOIN messages
WHERE messages.user_id = ?1
  AND messages.role = json_extract(name.value, '$[0]') AND messages.source = json_extract(name.value, '$[1]')
"""
_HELD = "SELECT id FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_COVERING = "SELECT * FROM summaries WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_COUNTED = """
UPDATE summaries SET (message_count, first_id, last_id, first_at, last_at) = (
  SELECT COUNT(*), MIN(id), MAX(id), MIN(created_at), MAX(created_at) FROM messages
  WHERE messages.user_id = summaries.user_id AND messages.chunk_id = summaries.id)
WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))
"""
_FACTS = "SELECT * FROM facts WHERE user_id = ?"
# Step 11 for one owner, because version 1.0 may have exported the facts that come in. SQLite runs this SQL too.
_DATE_EDITS = read_migration_steps("postgres_steps.sql")[11].rstrip(";\n") + " AND facts.user_id = ?"
_BEGINNING = """
SELECT MIN(at) FROM (
  SELECT MIN(created_at) AS at FROM messages WHERE user_id = ?1 AND id > 0
  UNION ALL SELECT MIN(decided_at) FROM facts WHERE user_id = ?1
  UNION ALL SELECT MIN(decided_at) FROM decisions WHERE user_id = ?1
) AS first
"""
_END_RESTORE = "DELETE FROM restores WHERE user_id = ?"
_SEQS = "SELECT id, seq FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_STRETCH = """
WITH given AS MATERIALIZED (SELECT value AS id FROM json_each(?2)),
other AS (
  SELECT id FROM messages WHERE user_id = ?1 AND origin = 'imported' AND id < 1 AND id NOT IN (SELECT id FROM given)
)
SELECT MIN(id), MAX(id) FROM given
WHERE id > COALESCE((SELECT MAX(id) FROM other WHERE id < ?3), id - 1)
AND id < COALESCE((SELECT MIN(id) FROM other WHERE id > ?4), id + 1)
"""


class HistoryTable(OwnerTables):
    """The imported history in one store (`store.history`). Writes raise StaleSummary if the lease is invalid."""

    async def find_stored_message_ids(
        self, owner: int, sources: Sequence[tuple[Role, str]]
    ) -> Mapping[tuple[Role, str], int]:
        """Map each (role, source) pair that is already stored to the id of its message."""
        return {(row[0], row[1]): row[2] for row in await self._fetch_rows(owner, _KNOWN, owner, json.dumps(sources))}

    async def find_first_id_of_free_range(self, owner: int, count: int, *, after: int | None = None) -> int:
        """Return the first of `count` consecutive free ids, right after `after` if possible, or before all messages."""
        async with self.database.open_reader(owner, in_snapshot=True) as reader:
            # Facts were learned from these ids, perhaps from messages that were forgotten since.
            taken = await history_extraction_table.list_reserved_id_ranges(reader, owner)
            if after is not None:
                row = await reader.fetch_row("SELECT MIN(id) FROM messages WHERE user_id = ? AND id > ?", owner, after)
                above = 0 if row is None or row[0] is None else min(0, row[0])
                is_taken = any(behind < after + count and until > after for behind, until in taken)
                if above - after - 1 >= count and not is_taken:
                    return after + 1
            [[lowest]] = await reader.fetch_rows("SELECT MIN(id) FROM messages WHERE user_id = ?", owner)
        return min(0, lowest or 0, *(behind + 1 for behind, _ in taken)) - count

    async def extend_id_range(
        self, owner: int, imported_ids: Sequence[int], first_id: int, last_id: int
    ) -> tuple[int, int]:
        """Extend the range to neighbouring `imported_ids`, stopping at any other imported message."""
        [[first, last]] = await self._fetch_rows(owner, _STRETCH, owner, json.dumps(imported_ids), first_id, last_id)
        return min(first_id, first or first_id), max(last_id, last or last_id)

    async def is_empty(self, owner: int) -> bool:
        """Return True if nothing but an owner's settings is stored."""
        names = [table.name for table in tables.TABLES if table not in (tables.USERS, tables.RESTORES)]
        sql = " UNION ALL ".join(f"SELECT 1 FROM {name} WHERE user_id = ?1" for name in names)  # noqa: S608
        return await self._fetch_row(owner, f"{sql} LIMIT 1", owner) is None

    async def add_messages(
        self, lease: SummaryLease, messages: Sequence[Message], new_summary: NewSummary, *, now: datetime
    ) -> Summary:
        """Store messages of one scope under their given ids, and archive them under a new level 1 summary."""
        plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in messages), reason="import")
        async with transact_under_lease(self.database, lease) as tx:
            await insert_messages(tx, [MESSAGE_ROWS.to_row(message) for message in messages])
            return await replace_sources_with_summary(tx, self.kind, messages[0].scope, plan, new_summary, now=now)

    async def commit_summary(
        self, lease: SummaryLease, scope: Scope, plan: SummaryPlan, new_summary: NewSummary, *, now: datetime
    ) -> Summary:
        """Commit a summary in any scope of the lease's owner, without releasing the lease."""
        async with transact_under_lease(self.database, lease) as tx:
            return await replace_sources_with_summary(tx, self.kind, scope, plan, new_summary, now=now)

    async def find_restore_row(self, owner: int) -> PortableRow | None:
        row = await self._fetch_row(owner, "SELECT * FROM restores WHERE user_id = ? AND id = 0", owner)
        return None if row is None else tables.RESTORES.to_portable_row(row)

    async def list_deferred_rows(self, owner: int) -> Sequence[PortableRow]:
        """Return the rows that are held back until the restore is complete, ordered by id."""
        rows = await self._fetch_rows(owner, "SELECT * FROM restores WHERE user_id = ? AND id > 0 ORDER BY id", owner)
        return [tables.RESTORES.to_portable_row(row) for row in rows]

    async def begin_restore(self, lease: SummaryLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Begin a restore by inserting `rows`. This ends an earlier restore of the same owner."""
        async with transact_under_lease(self.database, lease) as tx:
            await tx.execute(_END_RESTORE, lease.scope.owner)
            await self._upsert_rows(tx, lease.scope.owner, rows)

    async def read_summary_rows(self, owner: int, ids: Sequence[int]) -> Sequence[PortableRow]:
        rows = await self._fetch_rows(owner, _COVERING, owner, json.dumps(ids))
        return [tables.SUMMARIES.to_portable_row(row) for row in rows]

    async def restore_rows_and_recount(self, lease: SummaryLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert rows as `restore_rows` does, then recompute the message counts and ranges of their summaries."""
        owner = lease.scope.owner
        async with transact_under_lease(self.database, lease) as tx:
            await self._upsert_rows(tx, owner, rows)
            covering = [row["id"] for row in rows if row["table"] == tables.SUMMARIES.name]
            await tx.execute(_COUNTED, owner, json.dumps(covering))

    async def end_restore(self, lease: SummaryLease, restored_ids: Set[int]) -> None:
        """End a complete restore. Delete summaries made from the summaries `restored_ids` in the meantime."""
        owner = lease.scope.owner
        async with transact_under_lease(self.database, lease) as tx:
            rows = await tx.fetch_rows("SELECT id, source_ids FROM summaries WHERE user_id = ?", owner)
            made = {row["id"]: json.loads(row["source_ids"]) for row in rows if row["id"] not in restored_ids}
            gone = {number for number, below in made.items() if not restored_ids.isdisjoint(below)}
            # The ids of sources are lower than the ids of the summaries made from them.
            for number, below in sorted(made.items()):
                if not gone.isdisjoint(below):
                    gone.add(number)
            back = {message for number in gone for message in made[number] if message in made.keys() - gone}
            await delete_summaries(tx, owner, gone, back)
            await tx.execute(_DATE_EDITS, owner)
            await tx.execute(_END_RESTORE, owner)

    async def restore_rows(self, lease: SummaryLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert portable rows that have a "table" key. Existing rows are replaced, except for messages."""
        async with transact_under_lease(self.database, lease) as tx:
            await self._upsert_rows(tx, lease.scope.owner, rows)

    async def _upsert_rows(self, tx: Transaction, owner: int, rows: Sequence[Mapping[str, object]]) -> None:
        for name, portable in group_rows_by_table(rows, owner).items():
            if name == tables.USERS.name:  # of which only higher counters are used
                for row in portable:
                    await self._raise_counters(tx, owner, {name: int(str(row[name])) for name in _COUNTERS})
            elif name == tables.MESSAGES.name:
                held_rows = await tx.fetch_rows(_HELD, owner, json.dumps([row["id"] for row in portable]))
                held = {row[0] for row in held_rows}
                await insert_messages(tx, [row for row in portable if row["id"] not in held])
            else:
                table = tables.BY_NAME[name]
                await tx.execute_many(table.upsert_sql, [table.to_params(row) for row in portable])
            if counter := _COUNTER_OF.get(name):
                # The counters in an edited file may be wrong. Ids must never be reused.
                highest = max(int(str(row["id"])) for row in portable)
                await self._raise_counters(tx, owner, {counter: highest + 1})

    async def _raise_counters(self, tx: Transaction, owner: int, minima: Mapping[str, int]) -> None:
        maxima = ", ".join(f"{name} = MAX({name}, ?)" for name in minima)
        sql = f"UPDATE users SET {maxima} WHERE user_id = ? AND storage_type = ?"  # noqa: S608
        await tx.execute(sql, *minima.values(), owner, self.kind)

    async def find_moment_before_first_live_record(self, owner: int) -> datetime | None:
        """Return the moment before an owner's first live message or decision, or None if there is neither."""
        row = await self._fetch_row(owner, _BEGINNING, owner)
        return parse_moment(row[0]) - timedelta(microseconds=1) if row and row[0] else None

    async def select_texts_with_decisions(self, owner: int, texts: Sequence[str]) -> Set[str]:
        """Return those of `texts` that state a fact which the owner has edited, pinned, ended or deleted."""
        async with self.database.open_reader(owner) as reader:
            _, decided = await _read_facts_and_decisions(reader, owner)
        facts: list[PortableRow] = [{"text": text, "is_chosen": True} for text in texts]
        return await asyncio.to_thread(lambda: {str(fact["text"]) for fact in facts if _is_overruled(fact, decided)})

    async def count_new_facts(self, owner: int, facts: Sequence[PortableRow]) -> int:
        """Return the number of facts that `add_new_facts` would add."""
        async with self.database.open_reader(owner) as reader:
            return len(await _select_new_facts(reader, owner, facts))

    async def add_new_facts(self, lease: SummaryLease, facts: Sequence[PortableRow], new_ids: Mapping[int, int]) -> int:
        """Add new facts that are not overruled, and return their number. `new_ids` maps old message ids to new ones.

        A fact with `is_chosen` was chosen by hand, which overrules the owner's earlier decisions about it.
        """
        owner = lease.scope.owner
        async with transact_under_lease(self.database, lease) as tx:
            known = {row["text"]: row["id"] for row in await tx.fetch_rows(_FACTS, owner)}
            new_facts = await _select_new_facts(tx, owner, facts)
            first = await tx.run(reserve_ids_and_get_first, self.kind, owner, "next_fact_id", len(new_facts))
            numbers = {fact["id"]: known[fact["text"]] for fact in facts if fact["text"] in known}
            numbers |= {fact["id"]: number for number, fact in enumerate(new_facts, start=first)}
            rows = [
                {
                    **fact,
                    "user_id": owner,
                    "id": numbers[fact["id"]],
                    "superseded_by": numbers.get(fact["superseded_by"]),
                    "known_id": numbers.get(fact["known_id"]),
                    "source_ids": [new_ids[id_] for id_ in cast(list[int], fact["source_ids"]) if id_ in new_ids],
                }
                for fact in new_facts
            ]
            await tx.execute_many(tables.FACTS.upsert_sql, [tables.FACTS.to_params(row) for row in rows])
            await tx.execute(_DATE_EDITS, owner)
            return len(rows)


async def _select_new_facts(reader: Reader, owner: int, facts: Sequence[PortableRow]) -> list[PortableRow]:
    known, decided = await _read_facts_and_decisions(reader, owner)
    texts, valid = {fact.text for fact in known}, {fact.text for fact in known if fact.is_valid}

    def iterate_facts_not_stored_yet() -> Iterator[PortableRow]:
        for fact in facts:
            if not _is_overruled(fact, decided):
                yield from () if fact["text"] in texts else (fact,)
            elif "is_chosen" in fact and fact["text"] not in valid:
                yield {**fact, "decided_at": fact["created_at"]}

    return await asyncio.to_thread(lambda: list(iterate_facts_not_stored_yet()))


async def _read_facts_and_decisions(reader: Reader, owner: int) -> tuple[list[Fact], DecisionIndex]:
    known = [parse_fact(row) for row in await reader.fetch_rows(_FACTS, owner)]
    erased = await decision_table.read_decisions(reader, owner)
    return known, DecisionIndex(decision_table.collect_decisions(known, erased))


def _is_overruled(fact: PortableRow, decisions: DecisionIndex) -> bool:
    """Return True if a newer decision overrules a fact. For a fact with `is_chosen`, any decision counts as newer."""
    said_at = datetime.min.replace(tzinfo=UTC) if "is_chosen" in fact else parse_moment(fact["observed_at"])
    new = NewFact(
        text=str(fact["text"]), kind="personal", subject="", source_ids=(), observed_at=said_at, valid_from=said_at
    )
    return decisions.overrules(replace(new, quote=str(fact.get("quote") or "")))


async def insert_messages(tx: Transaction, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert messages of one owner and add them to the word index."""
    if rows:
        await tx.execute_many(_INSERT, [tables.MESSAGES.to_params(row) for row in rows])
        ids = json.dumps([row["id"] for row in rows])
        seqs = {row["id"]: int(row["seq"]) for row in await tx.fetch_rows(_SEQS, cast(int, rows[0]["user_id"]), ids)}
        pairs = sorted(((seqs[row["id"]], row) for row in rows), key=itemgetter(0))
        await tx.run(word_index.index_entries, await word_index.extract_terms_from_rows(pairs))
