"""The SQL of facts, their vectors, and the progress of learning from each scope."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from operator import methodcaller

import numpy as np

from records.errors import NewerFacts, StaleFacts
from records.facts import Decision, Fact, FactChange, NewFact
from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Connection, Reader, Transaction
from storage.schema.portable_tables import FACTS, translate_value_errors
from storage.schema.rows import FACT_ROWS, RowMapper, format_moment, parse_fact, parse_message
from storage.search.protocol import Floats
from storage.tables import decisions as decision_table
from storage.tables.owner_tables import MESSAGES_BY_IDS, OwnerTables, reserve_ids_and_get_first
from text.characters import remove_invisible_characters

EARLIER = "earlier"  # the origin of a row with the text of a fact before an edit
_NEW_FACT_ROWS = RowMapper(NewFact, FACTS)


class FactTable(OwnerTables):
    """The facts about the owners in one store (`store.facts`)."""

    async def list_valid_facts(self, owner: int) -> list[Fact]:
        """Return the facts that are currently valid, ordered by id."""
        return [parse_fact(row) for row in await self._fetch_rows(owner, _VALID_IN_ORDER, owner)]

    async def list_all_facts(self, owner: int) -> list[Fact]:
        """Return all stored facts by ascending id, including ended, superseded and deleted facts."""
        rows = await self._fetch_rows(owner, "SELECT * FROM facts WHERE user_id = ? ORDER BY id", owner)
        return [parse_fact(row) for row in rows]

    async def find_fact(self, owner: int, fact_id: int) -> Fact | None:
        row = await self._fetch_row(owner, _ONE, owner, fact_id)
        return parse_fact(row) if row else None

    async def list_decisions(self, owner: int) -> list[Decision]:
        """Return the owner's decisions about facts that have been erased."""
        async with self.database.open_reader(owner) as reader:
            return await decision_table.read_decisions(reader, owner)

    async def list_facts_superseded_by(self, owner: int, ids: Sequence[int]) -> list[Fact]:
        """Return the facts superseded by any of these facts, ordered by id. Skip deleted facts."""
        return [parse_fact(row) for row in await self._fetch_rows(owner, _REPLACED, owner, json.dumps(list(ids)))]

    async def read_revision(self, owner: int) -> str:
        """Return a string that changes with every change to the owner's facts, and with every new profile."""
        async with self.database.open_reader(owner) as reader:
            return await read_fact_revision(reader, owner)

    async def read_learned_id_and_next(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """Return the id of the last message learned from, and up to `limit` messages after it."""

        def read_messages(connection: Connection) -> tuple[int, list[Message]]:
            [known] = connection.execute(_LEARNED, tuple(scope)).fetchone()
            with translate_value_errors("progress"):
                learned = int(known or 0)
            return learned, [parse_message(row) for row in connection.execute(_SINCE, (*scope, learned, limit))]

        return await self._read_in_snapshot(scope.owner, read_messages)

    async def begin_learning_unless_recorded(self, scope: Scope, last_learned_id: int) -> None:
        """Start learning in a scope after the message `last_learned_id`, unless its progress is already recorded."""
        if not await self._fetch_row(scope.owner, "SELECT 1 FROM progress WHERE user_id = ? AND thread_id = ?", *scope):
            await self._execute(scope.owner, _BEGIN, *scope, last_learned_id)

    async def list_scopes_to_learn_from(self, idle_since: datetime) -> list[Scope]:
        """Return the scopes that have messages to learn from, but no message after `idle_since`."""
        rows = await self._fetch_rows(None, _WAITING, self.kind, format_moment(idle_since))
        return [Scope(owner=row[0], thread=row[1]) for row in rows]

    async def commit_changes(
        self,
        scope: Scope,
        changes: Sequence[FactChange],
        *,
        source_messages: Sequence[Message],
        last_learned_id: int,
        new_last_learned_id: int,
        now: datetime,
        prompt_facts: Sequence[Fact] = (),
        newest_fact_id: int | None = None,
        from_imported_history: bool = False,
    ) -> list[Fact]:
        """Apply the changes, set `new_last_learned_id` as the last message learned from, and return the inserted facts.

        References to facts that are no longer valid are ignored. Set `from_imported_history` for imported messages.
        `newest_fact_id` is the highest fact id known when the changes were planned, or None to allow newer facts.

        Raise StaleFacts if a message in `source_messages` or a fact in `prompt_facts` was changed or deleted, or if the
        last message learned from is not `last_learned_id`. Raise NewerFacts if a fact has an id above `newest_fact_id`.
        """
        async with self.database.open_transaction(scope.owner) as tx:
            row = await tx.fetch_row(_LEARNED_FROM_HISTORY if from_imported_history else _LEARNED, *scope)
            if (int(row[0]) if row and row[0] is not None else 0) != last_learned_id:
                raise StaleFacts
            texts = {message.id: message.content for message in source_messages}
            rows = await tx.fetch_rows(MESSAGES_BY_IDS, *scope, json.dumps(list(texts)))
            if {row["id"]: row["content"] for row in rows} != texts:
                raise StaleFacts
            rows = await tx.fetch_rows(_HOLDING, scope.owner, json.dumps([fact.id for fact in prompt_facts]))
            if {row["id"]: row["text"] for row in rows} != {fact.id: fact.text for fact in prompt_facts}:
                # The model may have repeated the words of a fact that is erased now.
                raise StaleFacts
            if newest_fact_id is not None and await tx.fetch_row(_NEWER, scope.owner, newest_fact_id):
                raise NewerFacts
            made: dict[int, int] = {}
            inserted = []
            for number, change in enumerate(changes, start=1):
                fact_id = _resolve_fact_id(change.same_as, made)
                if fact_id is None or not await self._try_to_merge_into_fact(tx, scope.owner, fact_id, change):
                    fact_id = await self._insert_fact_and_get_id(tx, scope.owner, change.fact, now)
                    inserted.append(fact_id)
                made[-number] = fact_id
                for closed in change.closes:
                    if (old := _resolve_fact_id(closed, made)) is not None and old != fact_id:
                        await self._mark_superseded(tx, scope.owner, old, change.fact.valid_from, fact_id)
                if (later := _resolve_fact_id(change.gave_way_to, made)) is not None and later != fact_id:
                    await self._link_before_later_fact(tx, scope.owner, fact_id, later)
            await tx.execute(_PAST if from_imported_history else _PROGRESS, *scope, new_last_learned_id)
            rows = await tx.fetch_rows(_SOME, scope.owner, json.dumps(inserted))
        return [parse_fact(row) for row in rows]

    async def add_fact(self, owner: int, fact: NewFact, *, now: datetime, superseded_id: int | None = None) -> Fact:
        """Add a fact entered by a person. It supersedes the fact with the id `superseded_id`, if given."""
        async with self.database.open_transaction(owner) as tx:
            fact_id = await self._insert_fact_and_get_id(tx, owner, fact, now)
            if superseded_id is not None:
                await self._mark_superseded(tx, owner, superseded_id, fact.valid_from, fact_id)
                decided = "UPDATE facts SET decided_at = ? WHERE user_id = ? AND id = ?"
                await tx.execute(decided, format_moment(now), owner, superseded_id)
            return parse_fact((await tx.fetch_rows(_ONE, owner, fact_id))[0])

    async def edit_fact(self, owner: int, fact_id: int, text: str, *, now: datetime) -> Fact | None:
        """Replace a fact's text, and keep the old text as a superseded fact. Return None if no such fact holds."""
        async with self.database.open_transaction(owner) as tx:
            row = await tx.fetch_row(_ONE, owner, fact_id)
            if row is None or row["valid_to"] is not None:
                return None
            known = parse_fact(row)
            if known.text == remove_invisible_characters(text):
                return known
            earlier = await tx.run(reserve_ids_and_get_first, self.kind, owner, "next_fact_id")
            moment = format_moment(now)
            old = {"id": earlier, "superseded_by": fact_id, "origin": EARLIER, "is_pinned": False, "decided_at": moment}
            old = {**FACTS.to_portable_row(row), "valid_to": moment, "deleted_at": None, **old}
            await tx.execute(FACTS.upsert_sql, *FACTS.to_params(old))
            await tx.execute(_REWORD, remove_invisible_characters(text), moment, owner, fact_id)
            return parse_fact((await tx.fetch_rows(_ONE, owner, fact_id))[0])

    async def find_previous_version_id(self, owner: int, fact_id: int) -> int | None:
        """Return the id of the row that holds a fact's text before its last edit, or None if it was never edited."""
        row = await self._fetch_row(owner, _BEFORE_EDIT, owner, fact_id)
        return int(row[0]) if row else None

    async def restore_superseded_facts_if_any(self, owner: int, fact_id: int) -> bool:
        """Make the facts that a fact superseded valid again, and give them its pin. Return False if there are none."""
        async with self.database.open_transaction(owner) as tx:
            rows = await tx.fetch_rows(_REPLACED, owner, json.dumps([fact_id]))
            current = await tx.fetch_row(_ONE, owner, fact_id)
            if not rows or current is None:
                return False
            await tx.execute(_TAKE_UP_AGAIN, current["is_pinned"], owner, fact_id)
            await tx.execute("UPDATE facts SET is_pinned = 0 WHERE user_id = ? AND id = ?", owner, fact_id)
        return True

    async def keep_with_superseded_facts(self, owner: int, fact_id: int, *, now: datetime) -> Fact | None:
        """Make the facts that a fact superseded valid again, next to it. Return None if it is not valid or has none.

        All lose the single-valued attribute by which they replaced each other, so that no later value ends them.
        """
        async with self.database.open_transaction(owner) as tx:
            replaced = await tx.fetch_row(_REPLACED, owner, json.dumps([fact_id]))
            if replaced is None or await tx.fetch_row(f"{_ONE}{_HOLDS}", owner, fact_id) is None:
                return None
            moment = format_moment(now)
            await tx.execute(_KEEP_SEVERAL, moment, owner, fact_id)
            return parse_fact((await tx.fetch_rows(_ONE, owner, fact_id))[0])

    async def pin_fact(self, owner: int, fact_id: int, *, is_pinned: bool, now: datetime) -> Fact | None:
        """Pin or unpin a fact. Return None if it does not exist or, when pinning, is no longer valid."""
        where = _HOLDS if is_pinned else ""
        change = "is_pinned = ?, decided_at = ?"
        return await self._update_fact(owner, fact_id, change, int(is_pinned), format_moment(now), condition=where)

    async def convert_fact_to_instruction(self, owner: int, fact_id: int, *, now: datetime) -> Fact | None:
        """Turn a fact into an instruction, which is part of every prompt. Return None if no valid fact has this id."""
        change = "kind = 'instruction', subject = '', decided_at = ?"
        return await self._update_fact(owner, fact_id, change, format_moment(now), condition=_HOLDS)

    async def delete_fact(self, owner: int, fact_id: int, *, now: datetime) -> Fact | None:
        """Mark a fact as deleted, which excludes it from prompts. Return None if the fact does not exist."""
        change = "deleted_at = COALESCE(deleted_at, ?), decided_at = ?"
        return await self._update_fact(owner, fact_id, change, format_moment(now), format_moment(now))

    async def restore_fact(self, owner: int, fact_id: int, *, now: datetime) -> Fact | None:
        return await self._update_fact(owner, fact_id, "deleted_at = NULL, decided_at = ?", format_moment(now))

    async def list_deleted_ids_by_owner(self, deleted_before: datetime) -> Mapping[int, Sequence[int]]:
        """Map each owner to the ids of their facts that were deleted before a given time."""
        found: dict[int, list[int]] = {}
        for owner, fact_id in await self._fetch_rows(None, _DELETED, self.kind, format_moment(deleted_before)):
            found.setdefault(owner, []).append(fact_id)
        return found

    async def list_unembedded_facts(self, model: str, limit: int) -> list[Fact]:
        """Return up to `limit` valid facts that this model has not embedded yet."""
        return [parse_fact(row) for row in await self._fetch_rows(None, _UNEMBEDDED, self.kind, model, limit)]

    async def store_vectors(self, model: str, facts: Sequence[Fact], vectors: Floats) -> None:
        """Store one vector per fact. Skip facts that have been changed or erased since they were read."""
        by_owner: dict[int, list[tuple[str, bytes, int, int, str]]] = {}
        for fact, vector in zip(facts, vectors, strict=True):
            blob = np.asarray(vector).astype("<f2").tobytes()
            by_owner.setdefault(fact.owner, []).append((model, blob, fact.owner, fact.id, fact.text))
        insertions = {owner: methodcaller("executemany", _PUT_VECTOR, rows) for owner, rows in by_owner.items()}
        await asyncio.gather(*(self.database.transact(insert, owner) for owner, insert in insertions.items()))

    async def read_vectors_by_fact_id(self, owner: int, model: str) -> Mapping[int, Floats]:
        rows = await self._fetch_rows(owner, _VECTORS, owner, model)
        return {int(row[0]): np.frombuffer(row[1], "<f2").astype(np.float32) for row in rows}

    async def _insert_fact_and_get_id(self, tx: Transaction, owner: int, fact: NewFact, now: datetime) -> int:
        fact_id = await tx.run(reserve_ids_and_get_first, self.kind, owner, "next_fact_id")
        row = {**_NEW_FACT_ROWS.to_row(fact), "id": fact_id, "user_id": owner, "created_at": format_moment(now)}
        row["known_id"] = next(iter(fact.known), None)
        await tx.execute(FACTS.upsert_sql, *FACTS.to_params({**row, "text": remove_invisible_characters(fact.text)}))
        return fact_id

    async def _try_to_merge_into_fact(self, tx: Transaction, owner: int, fact_id: int, change: FactChange) -> bool:
        """Merge a new fact into a known fact. Return False if the known fact is no longer valid."""
        row = await tx.fetch_row(f"{_VALID} AND id = ?", owner, fact_id)
        if row is None:
            return False
        known, new = parse_fact(row), change.fact
        instant = timedelta(microseconds=1)
        says_it_anew = new.quote and not change.ends and new.observed_at >= known.observed_at
        merged = replace(
            known,
            source_ids=tuple(dict.fromkeys((*known.source_ids, *new.source_ids))),
            tags=tuple(dict.fromkeys((*known.tags, *new.tags))),
            importance=max(known.importance, new.importance),
            observed_at=max(known.observed_at, new.observed_at),
            valid_to=max(new.valid_to, known.valid_from + instant) if change.ends and new.valid_to else None,
            quote=new.quote if says_it_anew else known.quote,
            is_uncertain=known.is_uncertain and new.is_uncertain,
        )
        await tx.execute(FACTS.upsert_sql, *FACTS.to_params({**FACTS.to_portable_row(row), **FACT_ROWS.to_row(merged)}))
        return True

    async def _mark_superseded(
        self, tx: Transaction, owner: int, fact_id: int, ended_at: datetime, successor_id: int
    ) -> None:
        """End a fact at `ended_at` unless it has already ended. Record its successor, and move its pin to that fact."""
        row = await tx.fetch_row(_ONE, owner, fact_id)
        if row is None or row["deleted_at"] is not None or row["superseded_by"] is not None:
            return
        old = parse_fact(row)
        ended = format_moment(old.valid_to or max(ended_at, old.valid_from))
        closing = "UPDATE facts SET valid_to = ?, superseded_by = ?, is_pinned = 0 WHERE user_id = ? AND id = ?"
        await tx.execute(closing, ended, successor_id, owner, fact_id)
        if old.is_pinned:
            await tx.execute("UPDATE facts SET is_pinned = 1 WHERE user_id = ? AND id = ?", owner, successor_id)

    async def _link_before_later_fact(self, tx: Transaction, owner: int, fact_id: int, later_id: int) -> None:
        """Link a new fact into the history of a later one, because facts can be learned in any order."""
        new, last = await tx.fetch_row(_ONE, owner, fact_id), await tx.fetch_row(_ONE, owner, later_id)
        if new is None or last is None:
            return
        successor = last
        shared = fact_id, new["subject"], new["valid_from"]
        while between := await tx.fetch_row(_AFTER, owner, successor["id"], *shared, successor["valid_from"]):
            successor = between
        await tx.execute(
            _TAKES_OVER,
            fact_id,
            new["valid_from"],
            owner,
            successor["id"],
            fact_id,
            new["subject"],
            successor["valid_from"],
        )
        ended = successor["valid_from"] if new["valid_to"] == last["valid_from"] else new["valid_to"]
        closing = "UPDATE facts SET superseded_by = ?, valid_to = ? WHERE user_id = ? AND id = ?"
        await tx.execute(closing, successor["id"], ended, owner, fact_id)

    async def _update_fact(
        self, owner: int, fact_id: int, set_clause: str, *values: int | str, condition: str = ""
    ) -> Fact | None:
        update = f"UPDATE facts SET {set_clause} WHERE user_id = ? AND id = ?{condition} RETURNING *"  # noqa: S608
        rows = await self._execute(owner, update, *values, owner, fact_id)
        return parse_fact(rows[0]) if rows else None


async def read_fact_revision(reader: Reader, owner: int) -> str:
    """Implement `FactTable.read_revision` inside the caller's transaction."""
    return " ".join(str(value) for row in await reader.fetch_rows(_REVISION, owner) for value in row)


def read_valid_facts(connection: Connection, owner: int) -> list[Fact]:
    """Return the owner's valid facts, ordered by id."""
    return [parse_fact(row) for row in connection.execute(_VALID_IN_ORDER, (owner,))]


def _resolve_fact_id(reference: int | None, new_ids: Mapping[int, int]) -> int | None:
    """Resolve a fact number to an id. A negative number -n means the fact created by the n-th change of this batch."""
    return new_ids.get(reference) if reference is not None and reference < 0 else reference


_HOLDS = " AND valid_to IS NULL AND deleted_at IS NULL"
_VALID = f"SELECT * FROM facts WHERE user_id = ?{_HOLDS}"  # noqa: S608
_VALID_IN_ORDER = f"{_VALID} ORDER BY id"
_HOLDING = f"{_VALID} AND id IN (SELECT value FROM json_each(?))"  # noqa: S608
_ONE = "SELECT * FROM facts WHERE user_id = ? AND id = ?"
_REVISION = """
SELECT COUNT(*), MAX(id), SUM(is_pinned), COUNT(valid_to), COUNT(deleted_at), MAX(deleted_at), COUNT(superseded_by),
  SUM(CASE kind WHEN 'instruction' THEN 1 ELSE 0 END), SUM(LENGTH(text)),
  (SELECT COUNT(*) FROM decisions WHERE user_id = ?1), (SELECT MAX(id) FROM profiles WHERE user_id = ?1)
FROM facts WHERE user_id = ?1
"""
_REWORD = """
UPDATE facts SET text = ?1, origin = 'owner', deleted_at = NULL, is_uncertain = 0, observed_at = ?2,
  valid_from = COALESCE(valid_from, observed_at), decided_at = ?2 WHERE user_id = ?3 AND id = ?4
"""
_TAKE_UP_AGAIN = """
UPDATE facts SET valid_to = NULL, superseded_by = NULL, is_pinned = ?
WHERE user_id = ? AND superseded_by = ? AND deleted_at IS NULL AND origin <> 'earlier'
"""
_KEEP_SEVERAL = """
UPDATE facts SET valid_to = NULL, superseded_by = NULL, decided_at = ?1,
  subject = CASE WHEN kind IN ('instruction', 'preference') THEN subject ELSE '' END
WHERE user_id = ?2 AND (id = ?3 OR (superseded_by = ?3 AND deleted_at IS NULL AND origin <> 'earlier'))
"""
_NEWER = "SELECT 1 FROM facts WHERE user_id = ? AND id > ? LIMIT 1"
_SOME = "SELECT * FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
_REPLACED = """
SELECT * FROM facts WHERE user_id = ? AND superseded_by IN (SELECT value FROM json_each(?))
AND deleted_at IS NULL AND origin <> 'earlier' ORDER BY id
"""
# A scope that was never learned from begins with its active messages.
_LEARNED = """
SELECT COALESCE(
  (SELECT learned_id FROM progress WHERE user_id = ?1 AND thread_id = ?2),
  (SELECT MIN(id) - 1 FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1),
  (SELECT MAX(id) FROM messages WHERE user_id = ?1 AND thread_id = ?2)
)
"""
_SINCE = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND id > ? AND origin = '' ORDER BY id LIMIT ?"
_WAITING = """
SELECT s.user_id, s.thread_id FROM scopes AS s
JOIN users AS u ON u.user_id = s.user_id AND u.memory_enabled = 1 AND u.incognito = 0 AND u.storage_type = ?
JOIN messages AS m ON m.user_id = s.user_id AND m.id = (
  SELECT MAX(id) FROM messages WHERE user_id = s.user_id AND thread_id = s.thread_id
)
LEFT JOIN progress AS p ON p.user_id = s.user_id AND p.thread_id = s.thread_id
WHERE served_here(s.user_id) AND s.total > 0 AND m.created_at <= ?
AND m.id > COALESCE(p.learned_id, CASE m.is_active WHEN 1 THEN 0 ELSE m.id END)
ORDER BY s.user_id, s.thread_id
"""
_PROGRESS = """
INSERT INTO progress (user_id, thread_id, learned_id) VALUES (?, ?, ?)
ON CONFLICT (user_id, thread_id) DO UPDATE SET learned_id = excluded.learned_id
"""
_BEFORE_EDIT = """
SELECT e.id FROM facts AS e JOIN facts AS f ON f.user_id = e.user_id AND f.id = e.superseded_by
WHERE e.user_id = ? AND e.superseded_by = ? AND e.origin = 'earlier' ORDER BY e.id DESC LIMIT 1
"""
_DELETED = """
SELECT f.user_id, f.id FROM facts AS f JOIN users AS u ON u.user_id = f.user_id AND u.storage_type = ?
WHERE f.deleted_at < ? AND served_here(f.user_id) ORDER BY f.user_id, f.id
"""
_BEGIN = "INSERT INTO progress (user_id, thread_id, learned_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_LEARNED_FROM_HISTORY = "SELECT past_id FROM progress WHERE user_id = ? AND thread_id = ? AND past_id < past_until"
_PAST = "UPDATE progress SET past_id = min(?3, past_until) WHERE user_id = ?1 AND thread_id = ?2"
# Among the facts that a fact superseded: the first with the same subject that began after the new fact.
_AFTER = """
SELECT * FROM facts WHERE user_id = ? AND superseded_by = ? AND id <> ? AND subject = ? AND valid_from > ?
AND valid_from < ? AND origin <> 'earlier' ORDER BY valid_from LIMIT 1
"""
# Make the new fact the successor of those that ended when the fact after it began.
_TAKES_OVER = """
UPDATE facts SET superseded_by = ?, valid_to = max(valid_from, ?)
WHERE user_id = ? AND superseded_by = ? AND id <> ? AND subject = ? AND valid_to = ? AND origin <> 'earlier'
"""
_UNEMBEDDED = """
SELECT f.* FROM facts AS f
JOIN users AS u ON u.user_id = f.user_id AND u.memory_enabled = 1 AND u.storage_type = ?
WHERE f.valid_to IS NULL AND f.deleted_at IS NULL AND served_here(f.user_id) AND NOT EXISTS (
  SELECT 1 FROM fact_vectors AS v WHERE v.user_id = f.user_id AND v.fact_id = f.id AND v.model = ?
)
LIMIT ?
"""
_VECTORS = "SELECT fact_id, vector FROM fact_vectors WHERE user_id = ? AND model = ?"
_PUT_VECTOR = """
INSERT INTO fact_vectors (user_id, fact_id, model, vector)
SELECT user_id, id, ?1, ?2 FROM facts WHERE user_id = ?3 AND id = ?4 AND text = ?5
ON CONFLICT (user_id, fact_id, model) DO UPDATE SET vector = excluded.vector
"""
