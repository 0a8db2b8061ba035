"""A store of memories in SQL tables: in memory.db, in the working copy of memory.json, or in PostgreSQL.

Every change is atomic and on disk when its method returns. If a method raises StorageError, nothing was changed.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from records.context import MAX_UNSUMMARIZED, ContextSources, StoredQuestion
from records.errors import StorageError
from records.messages import Message, NewMessage
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.status import Counts
from storage.engine.protocol import Connection, OwnerDatabase
from storage.erasure.deletion_cascade import DeletionCascade
from storage.schema.portable_tables import USERS
from storage.schema.rows import CONFIG_ROWS, format_moment, parse_config, parse_message
from storage.search import candidates as search
from storage.search import full_text, word_index
from storage.search.vector_index import VectorIndex
from storage.tables import messages as message_table
from storage.tables import reminders as reminder_table
from storage.tables.conversations import ConversationTable
from storage.tables.dump import Batches, dump_owner, encode_rows_as_json_lines, insert_owner_rows
from storage.tables.explanations import ExplanationTable
from storage.tables.facts import FactTable
from storage.tables.folds import SummaryTable
from storage.tables.history import HistoryTable
from storage.tables.history_extraction import HistoryExtractionTable
from storage.tables.owner_tables import MESSAGES_BY_IDS, change_owner_id, delete_owner_rows, make_reading_method
from storage.tables.profile import ProfileTable
from storage.tables.rebuilds import RebuildTable
from storage.tables.reminders import ReminderTable
from storage.tables.timeline import TimelineTable
from text.analyzer import list_search_terms

MAX_EARLIER_TEXTS = 500  # earlier texts that a search scans. They are not indexed.


class MemoryStore(SummaryTable):
    """A store of memories in an open database. Its owners are those whose `users.storage_type` is `kind`.

    A row of `users` with another type records that its owner is in another store. directory.py maintains such rows.
    """

    def __init__(self, database: OwnerDatabase, kind: StorageType) -> None:
        super().__init__(database, kind)
        self.vectors = VectorIndex(database)
        self.facts = FactTable(database, kind)
        self.history_extraction = HistoryExtractionTable(database, kind)
        self.profiles = ProfileTable(database, kind)
        self.explanations = ExplanationTable(database, kind)
        self.rebuilds = RebuildTable(database, kind)
        self.reminders = ReminderTable(database, kind)
        self.forgetting = DeletionCascade(database, kind, self.vectors.evict_owner)
        self.history = HistoryTable(database, kind)
        self.conversations = ConversationTable(database, kind)
        self.timeline = TimelineTable(database, kind)

    async def list_owners(self) -> list[int]:
        sql = "SELECT user_id FROM users WHERE storage_type = ? ORDER BY user_id"
        return [row[0] for row in await self._fetch_rows(None, sql, self.kind)]

    async def find_owner_config(self, owner: int) -> OwnerConfig | None:
        sql = "SELECT * FROM users WHERE user_id = ? AND storage_type = ?"
        row = await self._fetch_row(owner, sql, owner, self.kind)
        return parse_config(row) if row else None

    async def upsert_owner(self, config: OwnerConfig) -> None:
        """Insert or update an owner's settings. Raise StorageError if the owner belongs to another store."""
        if config.storage is not self.kind:
            raise StorageError(f"This store holds the owners of {self.kind}, not of {config.storage}.")
        values = (*_CONFIG.to_params(CONFIG_ROWS.to_row(config)), self.kind)

        def upsert_row_if_stored_here(connection: Connection) -> bool:
            before = connection.execute("SELECT timezone FROM users WHERE user_id = ?", (config.owner,)).fetchone()
            is_here = bool(connection.execute(_PUT_OWNER, values).fetchall())
            if is_here and before is not None and before[0] != config.timezone:
                reminder_table.move_reminders_to_zone(connection, config.owner, config.zone, now=config.updated_at)
            return is_here

        if not await self.database.transact(upsert_row_if_stored_here, config.owner):
            raise StorageError("This memory lives in another store.")

    async def count_active_owners_and_failed_folds(self, since: datetime) -> tuple[int, int]:
        """Return the number of owners active since `since`, and the number of scopes whose last summary failed."""
        [row] = await self._fetch_rows(None, _CENSUS, self.kind, format_moment(since))
        return int(row[0]), int(row[1])

    async def append_messages(self, scope: Scope, drafts: Sequence[NewMessage]) -> list[Message]:
        """Store and index messages in one transaction. If a draft is already stored, return the stored message.

        A draft is already stored if its owner, role and source match. A draft with turn=None begins a new turn.
        """
        if not drafts:
            return []
        analyzed = await message_table.analyze_drafts(scope, drafts)
        append = partial(message_table.append_messages, scope=scope, storage=self.kind, drafts=analyzed)
        return await self.database.transact(append, scope.owner)

    async def store_question(self, scope: Scope, drafts: Sequence[NewMessage]) -> StoredQuestion:
        """Store a question as one turn. Return the turn and any existing answer."""
        analyzed = await message_table.analyze_drafts(scope, drafts)
        ask = partial(message_table.store_question, scope=scope, storage=self.kind, drafts=analyzed)
        return await self.database.transact(ask, scope.owner)

    async def mark_turns_declined(self, scope: Scope, turn_ids: Sequence[int]) -> None:
        """Mark questions as declined by the model's provider, so that later prompts leave them out."""
        await self._execute(scope.owner, _DECLINE, *scope, json.dumps(list(turn_ids)))

    async def read_messages(self, scope: Scope, ids: Sequence[int]) -> list[Message]:
        """Return the messages of a scope with these ids, in chronological order."""
        return await self._read_messages(scope.owner, MESSAGES_BY_IDS, *scope, json.dumps(list(ids)))

    async def list_unsummarized_messages(self, scope: Scope) -> list[Message]:
        """Return up to MAX_UNSUMMARIZED active messages of a scope, oldest first."""
        return await self._read_messages(scope.owner, _UNSUMMARIZED, *scope, MAX_UNSUMMARIZED)

    async def read_turn(self, scope: Scope, turn: int) -> list[Message]:
        """Return the messages of a turn, ordered by id."""
        return await self._read_messages(scope.owner, _OF_TURN, *scope, turn)

    async def read_context_sources(self, scope: Scope, *, max_turns: int, before_turn: int | None) -> ContextSources:
        """Return all parts of a prompt except search results. Ignore the stored turn `before_turn` and later ones."""
        read = partial(message_table.read_context_sources, scope=scope, max_turns=max_turns, before_turn=before_turn)
        if before_turn is None:
            return await self._read_in_snapshot(scope.owner, read)
        # The writer has these pages in its cache. A reader would read them again after each write.
        return await self.database.transact(read, scope.owner)

    read_last_turns = make_reading_method(message_table.read_last_turns)
    list_speakers = make_reading_method(search.list_speakers)
    find_completions_by_term = make_reading_method(search.find_completions_by_term)
    find_candidate_messages = make_reading_method(search.find_candidate_messages)

    async def count_messages_and_summaries(self, scope: Scope) -> Counts:
        rows = await self._fetch_rows(scope.owner, _COUNTS, *scope)
        sums = {row[0]: tuple(row)[1:] for row in rows if row[0] != "level"}
        total, archived, characters = sums.get("messages", (0, 0, 0))
        turns, gap, _ = sums["turns"]
        levels = {row[1]: row[2] for row in rows if row[0] == "level"}
        return Counts(
            total=total, archived=archived, characters=characters, active_turns=turns, active_by_level=levels, gap=gap
        )

    async def find_first_and_last_message_id(self, scope: Scope) -> tuple[int, int]:
        """Return the lowest and highest message ids in a scope, or (1, 1) if the scope is empty."""
        sql = "SELECT MIN(id), MAX(id) FROM messages WHERE user_id = ? AND thread_id = ?"
        row = await self._fetch_row(scope.owner, sql, *scope)
        return (1, 1) if row is None or row[0] is None else (int(row[0]), int(row[1]))

    async def list_scopes(self, owner: int) -> list[Scope]:
        sql = "SELECT thread_id FROM scopes WHERE user_id = ? AND total > 0 ORDER BY thread_id"
        return [Scope(owner=owner, thread=row[0]) for row in await self._fetch_rows(owner, sql, owner)]

    async def search_messages(self, scope: Scope, terms: Sequence[str], *, limit: int) -> list[Message]:
        """Return up to `limit` messages that contain any of the terms, ranked by BM25."""
        find = partial(word_index.search_messages, scope=scope, terms=terms, limit=limit)
        return [parse_message(row) for row in await self._read_in_snapshot(scope.owner, find)]

    async def search_previous_versions(self, scope: Scope, terms: Sequence[str]) -> list[Message]:
        """Return the earlier versions of edited messages that contain any of the terms, latest edit first."""
        rows = await self._fetch_rows(scope.owner, _EARLIER, *scope, MAX_EARLIER_TEXTS)

        def find_matching_versions() -> list[Message]:
            matching = [row for row in rows if not set(terms).isdisjoint(list_search_terms(row["earlier"]))]
            return [replace(parse_message(row), content=row["earlier"]) for row in matching]

        return await asyncio.to_thread(find_matching_versions)

    async def _read_messages(self, owner: int, sql: str, *values: int | str) -> list[Message]:
        return [parse_message(row) for row in await self._fetch_rows(owner, sql, *values)]

    async def dump_owner(self, owner: int) -> Batches:
        """Yield all rows of an owner in batches of portable rows, read from a single snapshot."""
        async with self.database.open_reader(owner, in_snapshot=True) as reader:
            async for batch in dump_owner(reader, owner):
                yield batch

    async def load_owner(self, owner: int, batches: Batches) -> None:
        """Load rows from `dump_owner` in one transaction. Raise StorageError if the owner already has rows here."""
        async with self.database.open_transaction(owner) as tx:
            await insert_owner_rows(tx, owner, batches, self.kind)

    async def compute_digest(self, owner: int) -> str:
        """Return a hash of all rows of an owner, for checking that two stores have the same content."""
        digest = hashlib.sha256()
        async for batch in self.dump_owner(owner):
            digest.update(await asyncio.to_thread(encode_rows_as_json_lines, batch))
        return digest.hexdigest()

    async def erase_owner(self, owner: int) -> None:
        """Delete all rows of an owner, and truncate the database log so that it keeps no copy."""
        async with self.database.open_transaction(owner) as tx:
            await tx.run(delete_owner_rows, owner)
            await tx.execute("DELETE FROM users WHERE user_id = ? AND storage_type = ?", owner, self.kind)
        self.vectors.evict_owner(owner)
        await self.database.try_to_truncate_write_ahead_log()

    async def purge_erased_text(self) -> None:
        """Rewrite the tables and the word index, so that erased text is gone from the database files."""
        async with self.database.open_transaction(None) as tx:
            await tx.run(lambda connection: full_text.get_word_index(connection).merge_all_segments(connection))
        await self.database.vacuum_tables()

    async def rename_owner(self, owner: int, new_id: int) -> None:
        """Change an owner's id to `new_id`, which must be unused in this store. Cancel running summary jobs."""
        async with self.database.open_transaction(owner) as tx:
            await change_owner_id(tx, owner, new_id)
        self.vectors.evict_owner(owner)

    async def flush_files(self) -> None:
        """Bring all files up to date, as on a clean shutdown. JsonStore overrides this to write memory.json."""

    def set_shutdown_deadline(self, deadline: float) -> None:
        """Set the deadline for shutdown, as a time.monotonic() value. Unfinished work is left for the next start."""


_UNSUMMARIZED = """
SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND is_active = 1 ORDER BY created_at, id LIMIT ?
"""
_OF_TURN = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND turn_id = ? ORDER BY id"
_DECLINE = """
UPDATE messages SET origin = 'declined'
WHERE user_id = ? AND thread_id = ? AND role = 'user' AND turn_id IN (SELECT value FROM json_each(?))
"""
_EARLIER = """
SELECT messages.*, versions.content AS earlier FROM versions
JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ? AND messages.thread_id = ? ORDER BY versions.id DESC LIMIT ?
"""
# Triggers keep a scope's totals in `scopes` (storage/schema/sqlite.sql), so counting never reads every message. Notes
# of tools, which have an index of their own, are no messages to people.
_COUNTS = """
SELECT 'messages', total - COUNT(notes.id), archived - COUNT(notes.chunk_id), characters
FROM scopes LEFT JOIN messages AS notes
  ON notes.user_id = scopes.user_id AND notes.thread_id = scopes.thread_id AND notes.origin = 'tool'
WHERE scopes.user_id = ?1 AND scopes.thread_id = ?2 GROUP BY total, archived, characters
UNION ALL
SELECT 'turns', COUNT(DISTINCT CASE WHEN role = 'user' THEN turn_id END), COUNT(CASE WHEN id < (
  SELECT MAX(first_id) FROM summaries WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1
) THEN 1 END), 0 FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1
UNION ALL
SELECT 'level', level, COUNT(*), 0 FROM summaries
WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1 GROUP BY level
"""
_CENSUS = """
SELECT
  (SELECT COUNT(*) FROM users WHERE storage_type = ?1 AND EXISTS (
    SELECT 1 FROM scopes JOIN messages ON messages.user_id = scopes.user_id AND messages.thread_id = scopes.thread_id
    WHERE scopes.user_id = users.user_id AND messages.created_at >= ?2)),
  (SELECT COUNT(*) FROM failures JOIN users ON users.user_id = failures.user_id WHERE users.storage_type = ?1)
"""
_CONFIG = USERS.select_columns(CONFIG_ROWS.columns)
_PUT_OWNER = (
    f"{_CONFIG.make_upsert_sql('storage_type')} WHERE users.storage_type = excluded.storage_type RETURNING user_id"
)
