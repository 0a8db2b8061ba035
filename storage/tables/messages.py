"""Store messages, and read everything for a prompt except search results, inside the caller's transaction."""

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

_ALL_TURNS = 2**62  # higher than every turn
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
        known = None
        if draft.source is not None:
            known = connection.execute(_BY_SOURCE, (scope.owner, draft.role, draft.source)).fetchone()
        if known is not None:
            stored.append(parse_message(known))
            continue
        number = reserve_ids_and_get_first(connection, storage, scope.owner, "next_message_id")
        [newest] = connection.execute(*_make_preceding_date_query(scope, draft)).fetchone()
        if newest is not None:
            # An answer is never older than its question, even if Telegram's clock and ours differ. Telegram's dates are
            # whole seconds, so a question is never older than a message stored in the same second.
            draft = replace(draft, created_at=max(draft.created_at, parse_moment(newest)))
        message = draft.with_id(number, scope)
        [seq] = connection.execute(_APPEND, MESSAGES.to_params(MESSAGE_ROWS.to_row(message))).fetchone()
        entries.append(replace(entry, seq=seq, id=message.id, said_at=message.created_at.timestamp()))
        explanation_table.store_explanation(connection, message, draft.explanation)
        if draft.saved:
            connection.execute(_ADD_SAVED, (draft.saved, scope.owner))
        stored.append(message)
    if entries:
        word_index.index_entries(connection, entries)
    return stored


def store_question(
    connection: Connection, scope: Scope, storage: StorageType, drafts: Sequence[AnalyzedDraft]
) -> StoredQuestion:
    """Store a question inside the caller's transaction. See `MemoryStore.store_question`."""
    [first] = append_messages(connection, scope, storage, drafts[:1])
    append_messages(
        connection, scope, storage, [(replace(piece, turn=first.turn), entry) for piece, entry in drafts[1:]]
    )
    answered = f"{_BY_SOURCE} AND thread_id = ?"
    row = connection.execute(answered, (scope.owner, "assistant", drafts[-1][0].source, scope.thread)).fetchone()
    return StoredQuestion(turn=first.turn, answer=parse_message(row) if row is not None else None)


def _make_preceding_date_query(scope: Scope, draft: NewMessage) -> tuple[str, tuple[int | str, ...]]:
    """Return a query for the latest date in a draft's turn or, for a new turn, within the draft's second."""
    if draft.turn is not None:
        return f"{_NEWEST} AND turn_id = ?", (*scope, draft.turn)
    second = draft.created_at, draft.created_at + timedelta(seconds=1)
    return f"{_NEWEST} AND created_at >= ? AND created_at < ?", (*scope, *map(format_moment, second))


def read_last_turns(
    connection: Connection, scope: Scope, max_turns: int, *, before_turn: int | None = None
) -> list[Message]:
    """Return the messages of the last turns before `before_turn`, oldest first. Skip imported turns."""
    values = (*scope, _ALL_TURNS if before_turn is None else before_turn, max(0, max_turns))
    return [parse_message(row) for row in connection.execute(_LAST_TURNS, values)]


def read_context_sources(
    connection: Connection, scope: Scope, *, max_turns: int, before_turn: int | None
) -> ContextSources:
    """Return all parts of a prompt except search results. Ignore `before_turn` and all later turns."""
    first_left_out = _ALL_TURNS if before_turn is None else before_turn
    total, archived, characters = connection.execute(_SUMS, tuple(scope)).fetchone() or (0, 0, 0)
    latest = connection.execute(_UNSUMMARIZED, (*scope, first_left_out, MAX_UNSUMMARIZED)).fetchall()
    return ContextSources(
        last=read_last_turns(connection, scope, max_turns=max_turns, before_turn=before_turn),
        unsummarized=[parse_message(row) for row in reversed(latest)],
        summaries=fold_table.read_active_summaries(connection, scope),
        profile=profile_table.read_newest_profile(connection, scope.owner),
        facts=fact_table.read_valid_facts(connection, scope.owner),
        total=total,
        archived=archived,
        characters=characters,
    )


_NEWEST = "SELECT MAX(created_at) FROM messages WHERE user_id = ? AND thread_id = ?"
_ADD_SAVED = "UPDATE users SET tokens_saved = tokens_saved + ? WHERE user_id = ?"
_APPEND = f"{MESSAGES.make_insert_sql()} RETURNING seq"
_BY_SOURCE = "SELECT * FROM messages WHERE user_id = ? AND role = ? AND source = ?"
_SUMS = "SELECT total, archived, characters FROM scopes WHERE user_id = ? AND thread_id = ?"
# Imported history has turns below 1. PostgreSQL may run the subquery of an IN again for each message of the scope.
# The "|| ''" makes SQLite sort a few messages instead of scanning all of them in the order of an index.
_LAST_TURNS = """
SELECT * FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND turn_id < ?3 AND turn_id >= (
  SELECT MIN(turn_id) FROM (
    SELECT DISTINCT turn_id FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND turn_id > 0 AND turn_id < ?3
    ORDER BY turn_id DESC LIMIT ?4
  ) AS last_turns
) ORDER BY created_at || '', id
"""
# The "+" keeps SQLite from using the index on turns, which would scan the whole scope. Few messages are active.
_UNSUMMARIZED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND +turn_id < ?
ORDER BY created_at DESC, id DESC LIMIT ?
"""
