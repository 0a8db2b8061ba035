"""Store messages, and read everything for a prompt except search results, inside the caller's transaction."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from records.context import MAX_UNSUMMARIZED, ContextSources, StoredQuestion
from records.messages import Message, NewMessage
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.schema.portable_tables import MESSAGES
from storage.schema.rows import MESSAGE_ROWS, format_moment, parse_message, parse_moment
from storage.search import word_index
from storage.search.terms import TermsEntry
from storage.tables import explanations as explanation_table
from storage.tables import facts as fact_table
from storage.tables import folds as fold_table
from storage.tables import profile as profile_table
from storage.tables.owner_tables import reserve_ids_and_get_first
from text.characters import repair_surrogates

AnalyzedDraft = tuple[NewMessage, TermsEntry]  # a message to be stored, and its entry in the word index


async def analyze_drafts(scope: Scope, drafts: Sequence[NewMessage]) -> list[AnalyzedDraft]:
    """Analyse the words of new messages. Call this before the transaction, since a transaction blocks other writers."""
    clean = [
        replace(draft, content=repair_surrogates(draft.content), speaker=repair_surrogates(draft.speaker))
        for draft in drafts
    ]
    rows = [(0, MESSAGE_ROWS.to_row(draft.with_id(0, scope))) for draft in clean]
    return list(zip(clean, await word_index.extract_terms_from_rows(rows), strict=True))


def append_messages(
    connection: Connection, scope: Scope, storage: StorageType, drafts: Sequence[AnalyzedDraft]
) -> list[Message]:
    """Store and index drafts. Return the stored message of each draft, including drafts that were stored before."""
    stored: list[Message] = []
    entries: list[TermsEntry] = []
    for draft, entry in drafts:
        taken = _find_stored_message_or_reserve_id(connection, scope, storage, draft)
        if isinstance(taken, Message):
            stored.append(taken)
            continue
        number, newest = taken
        if newest is not None:
            # An answer is never older than its question, even if Telegram's clock and ours differ. Telegram's dates are
            # whole seconds, so a question is never older than a message stored in the same second.
            draft = replace(draft, created_at=max(draft.created_at, parse_moment(newest)))
        message = draft.with_id(number, scope)
        [seq] = connection.execute(_APPEND, MESSAGES.to_params(MESSAGE_ROWS.to_row(message))).fetchone()
        entries.append(replace(entry, seq=seq, id=message.id, said_at=message.created_at.timestamp()))
        explanation_table.store_explanation(connection, message, draft.explanation)
        stored.append(message)
    if entries:
        word_index.index_entries(connection, entries)
    return stored


def store_question(
    connection: Connection, scope: Scope, storage: StorageType, drafts: Sequence[AnalyzedDraft], *, max_turns: int
) -> StoredQuestion:
    """Store a question inside the caller's transaction. See `MemoryStore.store_question`."""
    [first] = append_messages(connection, scope, storage, drafts[:1])
    append_messages(
        connection, scope, storage, [(replace(piece, turn=first.turn), entry) for piece, entry in drafts[1:]]
    )
    answered = f"{_BY_SOURCE} AND thread_id = ?"
    row = connection.execute(answered, (scope.owner, "assistant", drafts[-1][0].source, scope.thread)).fetchone()
    if row is not None or not max_turns:
        return StoredQuestion(turn=first.turn, answer=parse_message(row) if row is not None else None)
    sources = read_context_sources(connection, scope, max_turns=max_turns, before_turn=first.turn)
    return StoredQuestion(turn=first.turn, sources=sources)


def _find_stored_message_or_reserve_id(
    connection: Connection, scope: Scope, storage: StorageType, draft: NewMessage
) -> Message | tuple[int, str | None]:
    """Return a draft's message if it is stored already, or else a new id and the date of the preceding message."""
    sql, where = _TAKE_IN_TURN, tuple[int | str, ...]([draft.turn or 0])
    if draft.turn is None:
        second = (format_moment(draft.created_at), format_moment(draft.created_at + timedelta(seconds=1)))
        sql, where = _TAKE, second
    values = (scope.owner, storage, draft.saved, draft.role, draft.source, scope.thread, *where)
    row = connection.execute(sql, values).fetchone()
    if row is not None:
        return int(row[0]) - 1, row[1]
    known = None
    if draft.source is not None:
        known = connection.execute(_BY_SOURCE, (scope.owner, draft.role, draft.source)).fetchone()
    if known:
        return parse_message(known)
    return reserve_ids_and_get_first(connection, storage, scope.owner, "next_message_id"), None


def read_context_sources(
    connection: Connection, scope: Scope, *, max_turns: int, before_turn: int | None
) -> ContextSources:
    """Read the context sources on a given connection. See `MemoryStore.read_context_sources`."""
    first_left_out = 2**62 if before_turn is None else before_turn
    total, archived, characters = connection.execute(_SUMS, tuple(scope)).fetchone() or (0, 0, 0)
    latest = connection.execute(_UNSUMMARIZED, (*scope, first_left_out, MAX_UNSUMMARIZED)).fetchall()
    unsummarized = [parse_message(row) for row in reversed(latest)]
    if archived:
        newest = {row[0] for row in connection.execute(_NEWEST_TURNS, (*scope, first_left_out, max(0, max_turns)))}
    else:  # all messages are in `unsummarized`
        known = {message.turn for message in unsummarized if message.turn > 0}
        newest = set(sorted(known, reverse=True)[: max(0, max_turns)])
    last = [message for message in unsummarized if message.turn in newest]
    if archived and newest:
        rows = connection.execute(_ARCHIVED, (*scope, json.dumps(sorted(newest))))
        last = sorted([*last, *(parse_message(row) for row in rows)], key=lambda message: message.sort_key)
    return ContextSources(
        last=last,
        unsummarized=unsummarized,
        summaries=fold_table.read_active_summaries(connection, scope),
        profile=profile_table.read_newest_profile(connection, scope.owner),
        facts=fact_table.read_valid_facts(connection, scope.owner),
        total=total,
        archived=archived,
        characters=characters,
    )


# Take the owner's next id and add the saved tokens, unless a message of this source is stored.
_TAKEN = """
UPDATE users SET next_message_id = next_message_id + 1, tokens_saved = tokens_saved + ?3
WHERE user_id = ?1 AND storage_type = ?2
AND NOT EXISTS (SELECT 1 FROM messages WHERE user_id = ?1 AND role = ?4 AND source = ?5)
RETURNING next_message_id, (SELECT MAX(created_at) FROM messages WHERE user_id = ?1 AND thread_id = ?6 AND {follows})
"""
_TAKE_IN_TURN = _TAKEN.format(follows="turn_id = ?7")
_TAKE = _TAKEN.format(follows="created_at >= ?7 AND created_at < ?8")
_APPEND = f"{MESSAGES.make_insert_sql()} RETURNING seq"
_BY_SOURCE = "SELECT * FROM messages WHERE user_id = ? AND role = ? AND source = ?"
_SUMS = "SELECT total, archived, characters FROM scopes WHERE user_id = ? AND thread_id = ?"
# Imported history has turns below 1.
_NEWEST_TURNS = """
SELECT DISTINCT turn_id FROM messages WHERE user_id = ? AND thread_id = ? AND turn_id > 0 AND turn_id < ?
ORDER BY turn_id DESC LIMIT ?
"""
# The "+" keeps SQLite from using the index on turns, which would scan the whole scope. Few messages are active.
_UNSUMMARIZED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND +turn_id < ?
ORDER BY created_at DESC, id DESC LIMIT ?
"""
_ARCHIVED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND turn_id IN (SELECT value FROM json_each(?)) AND is_active = 0
"""
