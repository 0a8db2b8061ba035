"""Delete the messages or facts that an owner erases or edits, and everything derived from them, in one transaction."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from records.forgetting import DeletionPreview, ForgetRequest, ForgetResult, RemainingQuotes
from records.messages import AnswerVersions, Message
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import OwnerDatabase, Reader, Row, Transaction
from storage.erasure import dependents, fact_cascade
from storage.erasure.dependents import ProfileSources, SummaryCascade
from storage.erasure.fact_cascade import FactCascade
from storage.erasure.quotes import RowIds, find_remaining_quotes
from storage.schema.portable_tables import VERSIONS, translate_value_errors
from storage.schema.rows import SUMMARY_ROWS, format_moment, parse_message, parse_moment
from storage.search import word_index
from storage.tables import decisions as decision_table
from storage.tables import explanations as explanation_table
from storage.tables import history_extraction as history_extraction_table
from storage.tables.folds import delete_summaries
from storage.tables.owner_tables import OwnerTables, delete_owner_rows, reserve_ids_and_get_first
from text.characters import repair_surrogates

MAX_LISTED = 30  # rows of each table that a preview lists


@dataclass(frozen=True, kw_only=True, slots=True)
class _RowsToDelete:
    """The rows to delete. `messages` maps each thread to ascending message ids."""

    messages: Mapping[int, Sequence[int]] = field(default_factory=dict)
    summaries: SummaryCascade = field(default_factory=lambda: SummaryCascade(gone=frozenset(), reactivated=frozenset()))
    facts: FactCascade = field(default_factory=FactCascade)
    profiles: frozenset[int] = frozenset()

    @property
    def message_ids(self) -> list[int]:
        return [message for ids in self.messages.values() for message in ids]

    @property
    def ids_by_table(self) -> RowIds:
        messages, facts = frozenset(self.message_ids), frozenset(self.facts.ids)
        return {"messages": messages, "facts": facts, "summaries": self.summaries.gone, "profiles": self.profiles}


class DeletionCascade(OwnerTables):
    """Deletes data at an owner's request. `drop_caches` clears any caches that hold the owner's data."""

    def __init__(self, database: OwnerDatabase, kind: StorageType, drop_caches: Callable[[int], None]) -> None:
        super().__init__(database, kind)
        self._drop_caches = drop_caches

    async def preview_deletion(self, owner: int, request: ForgetRequest, *, counts_quotes: bool = True) -> ForgetResult:
        """Count the rows that `forget` would delete now, and preview the first of them."""
        with translate_value_errors("this memory"):
            async with self.database.open_reader(owner, in_snapshot=True) as reader:
                deletion, counted = await _find_and_count_rows(reader, owner, request, counts_quotes=counts_quotes)
                return replace(counted, listing=await _preview_deletion(reader, owner, request, deletion.ids_by_table))

    async def select_sources_to_delete(self, owner: int, request: ForgetRequest, sources: Sequence[str]) -> list[str]:
        """Return those of `sources` (such as "bot_id:update_id") whose messages `forget` would delete."""
        where, values = _build_sql_condition_and_values(owner, request)
        sql = f"SELECT DISTINCT source FROM messages WHERE {where} AND source IN ({_TEXTS})"  # noqa: S608
        return [str(row[0]) for row in await self._fetch_rows(owner, sql, *values, json.dumps(list(sources)))]

    async def forget(self, owner: int, request: ForgetRequest, *, now: datetime) -> ForgetResult:
        """Delete the requested rows and everything built on them. The caller must then run `purge_erased_text`."""
        async with self.database.open_transaction(owner) as tx:
            with translate_value_errors("this memory"):
                deletion, taken = await _find_and_count_rows(tx, owner, request)
            if not request.keeps_messages:
                await _void_summary_leases(tx, owner)
            if request.what == "everything":
                await tx.run(delete_owner_rows, owner)
                await tx.execute(_CLEAR_SETTINGS, owner)
            else:
                if request.erases_expired_facts or request.what == "archives":
                    await decision_table.preserve_decisions(tx, owner, deletion.facts.ids)
                else:
                    await decision_table.preserve_decisions(tx, owner, sorted(deletion.facts.decided), decided_at=now)
                await _erase_rows(tx, owner, deletion, keeps_replaced_invalid=request.erases_expired_facts)
                if request.what != "archives":
                    await decision_table.delete_decisions_without_sources(tx, owner, deletion.message_ids)
                await tx.execute(_CLEAR_TITLES, owner, json.dumps(sorted(deletion.messages)))
            if request.what == "conversations":
                await _delete_rows(tx, "conversations", "thread_id", owner, json.dumps(list(request.ids)))
            if request.what == "edits":
                await fact_cascade.undo_fact_edits(tx, owner, request.ids)
        self._drop_caches(owner)
        return taken

    async def unarchive_message(self, scope: Scope, message_id: int) -> None:
        """Delete everything built on an archived message, and make the messages of its chunk active again."""
        async with self.database.open_transaction(scope.owner) as tx:
            row = await tx.fetch_row(_MESSAGE, *scope, message_id)
            if row is None or row["chunk_id"] is None:
                return
            await _delete_data_derived_from_message(tx, parse_message(row))
        self._drop_caches(scope.owner)

    async def replace_message_text_if_changed(
        self, scope: Scope, message_id: int, text: str, *, reason: str, now: datetime, explanation: str = ""
    ) -> Message | None:
        """Replace a text, keep the old one as a version, and delete what was built on it. Return None if unchanged."""
        text = repair_surrogates(text)
        async with self.database.open_transaction(scope.owner) as tx:
            row = await tx.fetch_row(_MESSAGE, *scope, message_id)
            if row is None or row["content"] == text:
                return None
            before = parse_message(row)
            version = {
                "id": await tx.run(reserve_ids_and_get_first, self.kind, scope.owner, "next_version_id"),
                "user_id": scope.owner,
                "message_id": message_id,
                "thread_id": scope.thread,
                "role": before.role,
                "content": before.content,
                "written_at": format_moment(before.edited_at or before.created_at),
                "replaced_at": format_moment(now),
                "why": reason,
            }
            await tx.execute(VERSIONS.upsert_sql, *VERSIONS.to_params(version))
            after = await _rewrite_message(tx, before, text, now)
            await tx.run(explanation_table.store_explanation, before, explanation)
        self._drop_caches(scope.owner)
        return after

    async def list_versions(self, scope: Scope, answer_id: int) -> AnswerVersions:
        """Return all versions of an answer, oldest first, and the 1-based number of the version that is shown."""
        rows = await self._fetch_rows(scope.owner, _ANSWERS, *scope, answer_id)
        return AnswerVersions(
            texts=tuple(str(row["content"]) for row in rows),
            number=next((at for at, row in enumerate(rows, start=1) if row["id"] is None), 0),
        )

    async def switch_answer_version_and_get_text(
        self, scope: Scope, answer_id: int, version_number: int, *, explanations: Mapping[str, str]
    ) -> str | None:
        """Show another version of an answer with its explanation. Return its text, or None if it does not exist."""
        async with self.database.open_transaction(scope.owner) as tx:
            rows = await tx.fetch_rows(_ANSWERS, *scope, answer_id)
            row = await tx.fetch_row(_MESSAGE, *scope, answer_id)
            if row is None or not 1 <= version_number <= len(rows):
                return None
            chosen, before = rows[version_number - 1], parse_message(row)
            if chosen["id"] is not None:
                written = format_moment(before.edited_at or before.created_at)
                await tx.execute(_EXCHANGE, before.content, written, scope.owner, chosen["id"])
                await _rewrite_message(tx, before, str(chosen["content"]), parse_moment(chosen["written_at"]))
                await _delete_rows(tx, "accounts", "id", scope.owner, json.dumps([answer_id]))
                await tx.run(explanation_table.store_explanation, before, explanations[str(chosen["content"])])
        self._drop_caches(scope.owner)
        return str(chosen["content"])


async def _rewrite_message(tx: Transaction, old_message: Message, text: str, now: datetime) -> Message:
    scope, message = old_message.scope, old_message.id
    await fact_cascade.release_pinned_facts_without_words(tx, scope.owner, message, text)
    await _delete_data_derived_from_message(tx, old_message)
    await tx.execute(_CLEAR_TITLES, scope.owner, json.dumps([scope.thread]))
    await tx.execute(_REWRITE, text, format_moment(now), scope.owner, message)
    if old_message.role == "user":
        await fact_cascade.reschedule_learning(tx, scope, [message])
    row = await tx.fetch_row(_MESSAGE, *scope, message)
    assert row is not None  # noqa: S101 - it was updated above
    await tx.run(word_index.reindex_message, int(row["seq"]), row)
    return parse_message(row)


# what goes ---------------------------------------------------------------------------------------------------
def _build_sql_condition_and_values(owner: int, request: ForgetRequest) -> tuple[str, tuple[int | str, ...]]:
    match request.what:
        case "messages" | "conversations":
            column = "id" if request.what == "messages" else "thread_id"
            ids = json.dumps(list(request.ids))
            return f"user_id = ? AND {column} IN (SELECT value FROM json_each(?))", (owner, ids)  # noqa: S608
        case "facts" | "edits" | "profiles":
            return "user_id = ? AND FALSE", (owner,)
        case "everything":
            return "user_id = ?", (owner,)
    until = format_moment(request.until) if request.until else "~"  # behind every date
    if request.what == "dates":
        since = format_moment(request.since) if request.since else ""
        return "user_id = ? AND created_at >= ? AND created_at < ?", (owner, since, until)
    # Whole chunks, so that no summary has to be made again every day because of its oldest message.
    return _OLD_ARCHIVES, (owner, owner, until)


async def _find_and_count_rows(
    reader: Reader, owner: int, request: ForgetRequest, *, counts_quotes: bool = True
) -> tuple[_RowsToDelete, ForgetResult]:
    deletion = await _find_rows_to_delete(reader, owner, request)
    if not (request.needs_quote_search and counts_quotes):
        return deletion, await _count_deletion(reader, owner, deletion, request)
    quotes = await find_remaining_quotes(
        reader, owner, deletion.ids_by_table, fact_ids=request.ids if request.what == "facts" else ()
    )
    if request.with_quotes and quotes.has_quotes:
        ids = (*deletion.message_ids, *quotes.answers)
        rows = await _fetch_messages_to_delete(reader, owner, ForgetRequest(what="messages", ids=ids))
        facts = [*quotes.facts, *(request.ids if request.what == "facts" else ())]
        deletion = await _find_derived_rows(
            reader, owner, _group_by_thread(rows), _collect_chunk_ids(rows) | quotes.summaries, fact_ids=facts
        )
        deletion = replace(deletion, profiles=deletion.profiles | quotes.profiles)
        quotes = RemainingQuotes(others=quotes.others, is_complete=quotes.is_complete)
    return deletion, replace(await _count_deletion(reader, owner, deletion, request), quotes=quotes)


async def _preview_deletion(reader: Reader, owner: int, request: ForgetRequest, ids: RowIds) -> DeletionPreview:
    async def fetch_first_rows_to_delete(table: str) -> list[Row]:
        if request.what == "everything":
            sql = f"SELECT * FROM {table} WHERE user_id = ? ORDER BY id LIMIT ?"  # noqa: S608
            return await reader.fetch_rows(sql, owner, MAX_LISTED)
        sql = f"SELECT * FROM {table} WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"  # noqa: S608
        return await reader.fetch_rows(sql, owner, json.dumps(sorted(ids[table])[:MAX_LISTED]))

    found = [parse_message(row) for row in await fetch_first_rows_to_delete("messages")]
    return DeletionPreview(
        messages=tuple([message for message in found if message.origin != "tool"] or found),
        facts=tuple(str(row["text"]) for row in await fetch_first_rows_to_delete("facts")),
        summaries=tuple(str(row["summary_text"]) for row in await fetch_first_rows_to_delete("summaries")),
    )


async def _find_rows_to_delete(reader: Reader, owner: int, request: ForgetRequest) -> _RowsToDelete:
    rows = await _fetch_messages_to_delete(reader, owner, request)
    messages = _group_by_thread(rows)
    if request.what == "everything":
        return _RowsToDelete(messages=messages)
    versions = await _read_profile_sources(reader, owner)
    if request.what == "profiles":
        return _RowsToDelete(profiles=frozenset(request.ids) & {version.id for version in versions})
    if request.what == "edits":
        lost = await fact_cascade.find_facts_repeating_edits(reader, owner, request.ids)
        made_of = [*await fact_cascade.list_edited_facts(reader, owner, request.ids), *lost.gone]
        return _RowsToDelete(
            facts=lost, profiles=dependents.find_outdated_profile_ids(versions, summary_ids=set(), facts=made_of)
        )
    facts = request.ids if request.what == "facts" else ()
    if request.erases_expired_facts:
        # A fact that was restored since the list was made stays.
        due = await reader.fetch_rows(
            _DELETED, owner, json.dumps(list(facts)), format_moment(request.until) if request.until else ""
        )
        facts = tuple(int(row["id"]) for row in due)
    return await _find_derived_rows(reader, owner, messages, _collect_chunk_ids(rows), fact_ids=facts)


async def _fetch_messages_to_delete(reader: Reader, owner: int, request: ForgetRequest) -> list[Row]:
    where, values = _build_sql_condition_and_values(owner, request)
    return await reader.fetch_rows(f"SELECT id, thread_id, chunk_id FROM messages WHERE {where} ORDER BY id", *values)  # noqa: S608


def _group_by_thread(rows: Sequence[Row]) -> Mapping[int, Sequence[int]]:
    messages: dict[int, list[int]] = {}
    for row in rows:
        messages.setdefault(int(row["thread_id"]), []).append(int(row["id"]))
    return messages


def _collect_chunk_ids(rows: Sequence[Row]) -> frozenset[int]:
    return frozenset(int(row["chunk_id"]) for row in rows if row["chunk_id"] is not None)


async def _delete_data_derived_from_message(tx: Transaction, message: Message) -> None:
    """Delete everything built on a message, except facts about which the owner has made a decision."""
    scope = message.scope
    chunks = frozenset({message.chunk_id}) if message.chunk_id is not None else frozenset[int]()
    deletion = await _find_derived_rows(tx, scope.owner, {scope.thread: [message.id]}, chunks, keeps_decided_facts=True)
    await _void_summary_leases(tx, scope.owner)
    await decision_table.preserve_decisions(tx, scope.owner, deletion.facts.ids)
    await _erase_rows(tx, scope.owner, replace(deletion, messages={}), keeps_replaced_invalid=False)


async def _find_derived_rows(
    reader: Reader,
    owner: int,
    ids_by_thread: Mapping[int, Sequence[int]],
    chunk_ids: frozenset[int],
    *,
    fact_ids: Iterable[int] = (),
    keeps_decided_facts: bool = False,
) -> _RowsToDelete:
    summaries = dependents.find_affected_summaries(
        [SUMMARY_ROWS.parse(row) for row in await reader.fetch_rows(_SUMMARIES, owner)], ids_by_thread, chunk_ids
    )
    ids = {message for several in ids_by_thread.values() for message in several}
    lost = await fact_cascade.find_affected_facts(reader, owner, ids, fact_ids, keeps_decided_facts=keeps_decided_facts)
    profiles = dependents.find_outdated_profile_ids(
        await _read_profile_sources(reader, owner), summary_ids=summaries.gone, facts=lost.gone
    )
    return _RowsToDelete(messages=ids_by_thread, summaries=summaries, facts=lost, profiles=profiles)


async def _read_profile_sources(reader: Reader, owner: int) -> list[ProfileSources]:
    return [
        ProfileSources(
            id=row["id"],
            last_summary_id=row["last_summary_id"],
            made_at=row["created_at"],
            base_id=row["base_id"],
            facts=None if (facts := json.loads(row["fact_ids"])) is None else frozenset(facts),
        )
        for row in await reader.fetch_rows(_PROFILE_SOURCES, owner)
    ]


async def _count_deletion(reader: Reader, owner: int, deletion: _RowsToDelete, request: ForgetRequest) -> ForgetResult:
    if request.what == "everything":
        tables = ("messages", "summaries", "facts", "profiles", "versions", "reminders")
        counting = ", ".join(f"(SELECT COUNT(*) FROM {table} WHERE user_id = ?1)" for table in tables)  # noqa: S608
        [row] = await reader.fetch_rows(f"SELECT {counting}, ({_NOTES})", owner)
        counts: dict[str, Any] = dict(zip(tables, map(int, row), strict=False))
        return ForgetResult(**counts | {"messages": counts["messages"] - int(row[-1]) or counts["messages"]})
    [[versions, reminders, notes]] = await reader.fetch_rows(_COUNT_DERIVED, owner, json.dumps(deletion.message_ids))
    return ForgetResult(
        messages=len(deletion.message_ids) - int(notes) or len(deletion.message_ids),
        summaries=len(deletion.summaries.gone),
        facts=len(deletion.facts.ids),
        profiles=len(deletion.profiles),
        versions=int(versions),
        reminders=int(reminders),
    )


# erasing -----------------------------------------------------------------------------------------------------
async def _void_summary_leases(tx: Transaction, owner: int) -> None:
    """Void the leases of running summary jobs, and delete errors and partial results that may quote forgotten text."""
    await tx.execute("UPDATE users SET last_fence = last_fence + 1 WHERE user_id = ?", owner)
    await tx.execute("UPDATE jobs SET state = 'expired' WHERE user_id = ? AND state = 'processing'", owner)
    await tx.execute("UPDATE jobs SET error = NULL WHERE user_id = ? AND error IS NOT NULL", owner)
    await tx.execute("DELETE FROM failures WHERE user_id = ?", owner)
    await tx.execute("DELETE FROM rebuild_parts WHERE user_id = ?", owner)
    await tx.execute("DELETE FROM restores WHERE user_id = ?", owner)


async def _erase_rows(tx: Transaction, owner: int, deletion: _RowsToDelete, *, keeps_replaced_invalid: bool) -> None:
    messages = json.dumps(deletion.message_ids)
    if deletion.message_ids:
        await tx.run(word_index.unindex_messages, owner, messages)
        await _delete_rows(tx, "reminders", "source_id", owner, messages)
        await _delete_rows(tx, "versions", "message_id", owner, messages)
        await _delete_rows(tx, "messages", "id", owner, messages)
    if deletion.summaries.gone:
        await delete_summaries(tx, owner, deletion.summaries.gone, deletion.summaries.reactivated)
    if deletion.facts.gone:
        await fact_cascade.erase_facts(tx, owner, deletion.facts, keeps_replaced_invalid=keeps_replaced_invalid)
    await history_extraction_table.close_finished_extractions(tx, owner)
    await _delete_rows(tx, "profiles", "id", owner, json.dumps(sorted(deletion.profiles)))
    # Explanations of other answers refer to these messages by id only, which reveals nothing.
    await _delete_rows(tx, "accounts", "id", owner, messages)


async def _delete_rows(tx: Transaction, table: str, column: str, owner: int, ids_json: str) -> None:
    sql = f"DELETE FROM {table} WHERE user_id = ? AND {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
    await tx.execute(sql, owner, ids_json)


_DELETED = "SELECT id FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) AND deleted_at < ?"
_CLEAR_SETTINGS = """
UPDATE users SET timezone = '', fold_instructions = '', persona = '', persona_text = '', tokens_saved = 0
WHERE user_id = ?
"""
# A title that a model made may quote what goes.
_CLEAR_TITLES = """
UPDATE conversations SET title = '' WHERE user_id = ? AND thread_id IN (SELECT value FROM json_each(?)) AND is_named = 0
"""
# A text that answered the question before it was edited is no version of the answer to what it says now.
_ANSWERS = """
SELECT * FROM (
  SELECT id, content, written_at FROM versions WHERE user_id = ?1 AND thread_id = ?2 AND message_id = ?3
  UNION ALL
  SELECT NULL, content, COALESCE(edited_at, created_at) FROM messages
  WHERE user_id = ?1 AND thread_id = ?2 AND id = ?3
) AS texts WHERE written_at >= COALESCE((
  SELECT MAX(question.edited_at) FROM messages AS question JOIN messages AS answer USING (user_id, turn_id)
  WHERE user_id = ?1 AND answer.id = ?3 AND question.role = 'user'
), '')
ORDER BY written_at, id NULLS LAST
"""
_EXCHANGE = "UPDATE versions SET content = ?, written_at = ? WHERE user_id = ? AND id = ?"
_REWRITE = """
UPDATE messages SET content = ?, edited_at = ?, origin = REPLACE(origin, 'declined', '') WHERE user_id = ? AND id = ?"""
_MESSAGE = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND id = ?"
_PROFILE_SOURCES = "SELECT id, last_summary_id, created_at, base_id, fact_ids FROM profiles WHERE user_id = ?"
_SUMMARIES = "SELECT * FROM summaries WHERE user_id = ? ORDER BY id"
_OLD_ARCHIVES = """
user_id = ? AND chunk_id IN (
  SELECT chunk_id FROM messages WHERE user_id = ? AND chunk_id IS NOT NULL
  GROUP BY chunk_id HAVING MAX(created_at) < ?)
"""
_TEXTS = "SELECT value FROM json_each(?, '$') WHERE type = 'text'"
# To people, notes of tools are messages only if nothing else is left.
_NOTES = "SELECT COUNT(*) FROM messages WHERE user_id = ?1 AND origin = 'tool'"
_COUNT_DERIVED = f"""
SELECT
  (SELECT COUNT(*) FROM versions WHERE user_id = ?1 AND message_id IN (SELECT value FROM json_each(?2))),
  (SELECT COUNT(*) FROM reminders WHERE user_id = ?1 AND source_id IN (SELECT value FROM json_each(?2))),
  ({_NOTES} AND id IN (SELECT value FROM json_each(?2)))
"""  # noqa: S608 - without a value
