"""Stores messages: their ids, their order in time, their words and explanations, each once. Also reads the
material of a context apart from search results: which of a scope's messages a prompt may carry word for word.

Everything here runs inside the caller's transaction, in one hop to the database's thread.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from records.context import MAX_UNFOLDED, ContextSources, StoredQuestion
from records.messages import Message, NewMessage, Role
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.schema.portable_tables import MESSAGES
from storage.schema.rows import format_message, format_moment, message_of, parse_moment
from storage.search import word_index
from storage.search.terms import TermsEntry
from storage.tables import explanations as explanation_table
from storage.tables import facts as fact_table
from storage.tables import folds as fold_table
from storage.tables import profile as profile_table
from storage.tables.owner_tables import take_ids
from text.characters import replace_surrogates

Analysed = tuple[NewMessage, TermsEntry]  # A message that is to be stored, with its words


async def analysed(scope: Scope, drafts: Sequence[NewMessage]) -> list[Analysed]:
    """Return the drafts with their words: this needs nothing from the file, so no other writer should wait for it."""
    rows = [(0, format_message(_make_message(scope, 0, draft))) for draft in drafts]
    return list(zip(drafts, await word_index.analyse_rows(rows), strict=True))


def append(connection: Connection, scope: Scope, kind: StorageType, drafts: Sequence[Analysed]) -> list[Message]:
    """As `MemoryStore.append`, inside the caller's transaction."""
    stored: list[Message] = []
    entries: list[TermsEntry] = []
    for draft, entry in drafts:
        taken = _find_taken(connection, scope, kind, draft)
        if isinstance(taken, Message):
            stored.append(taken)
            continue
        number, newest = taken
        message = _make_message(scope, number, _order_draft(draft, newest))
        [seq] = connection.execute(_APPEND, MESSAGES.stored(format_message(message))).fetchone()
        said_at = message.created_at.timestamp()
        entries.append(replace(entry, seq=seq, id=message.id, said_at=said_at))
        explanation_table.keep(connection, message, draft.explanation)
        stored.append(message)
    if entries:
        word_index.put(connection, entries)
    return stored


def ask(
    connection: Connection, scope: Scope, kind: StorageType, pieces: Sequence[Analysed], *, turns: int
) -> StoredQuestion:
    """As `MemoryStore.ask`, inside the caller's transaction."""
    [first] = append(connection, scope, kind, pieces[:1])
    append(connection, scope, kind, [(replace(piece, turn=first.turn), entry) for piece, entry in pieces[1:]])
    source = pieces[-1][0].source
    answer = find(connection, scope, role="assistant", source=source) if source else None
    if answer is not None or not turns:
        return StoredQuestion(turn=first.turn, answer=answer)
    sources = context_sources(connection, scope, turns=turns, before=first.turn)
    return StoredQuestion(turn=first.turn, sources=sources)


def decline(connection: Connection, scope: Scope, turns: Sequence[int]) -> None:
    """As `MemoryStore.decline`, inside the caller's transaction."""
    connection.execute(_DECLINE, (*scope, json.dumps(list(turns))))


def find(connection: Connection, scope: Scope, *, role: Role, source: str) -> Message | None:
    """Return the message of a scope with this role and source."""
    where = (scope.owner, role, source, scope.thread)
    row = connection.execute(f"{_BY_SOURCE} AND thread_id = ?", where).fetchone()
    return message_of(row) if row else None


def _find_taken(
    connection: Connection, scope: Scope, kind: StorageType, draft: NewMessage
) -> Message | tuple[int, str | None]:
    """Return the message that is stored already for this draft; or the id that a new one has, and the date of what it
    follows.

    One statement, since between any two the event loop takes its turn. Raise StorageError as `take_ids`.
    """
    where: tuple[int | str, ...]
    if draft.turn is not None:
        sql, where = _TAKE_IN_TURN, (draft.turn,)
    else:
        second = (format_moment(draft.created_at), format_moment(draft.created_at + timedelta(seconds=1)))
        sql, where = _TAKE, second
    values = (scope.owner, kind, draft.saved, draft.role, draft.source, scope.thread, *where)
    row = connection.execute(sql, values).fetchone()
    if row is not None:
        return int(row[0]) - 1, row[1]
    known = None
    if draft.source is not None:
        known = connection.execute(_BY_SOURCE, (scope.owner, draft.role, draft.source)).fetchone()
    return message_of(known) if known else (take_ids(connection, kind, scope.owner, "next_message_id"), None)


def _order_draft(draft: NewMessage, newest: str | None) -> NewMessage:
    """Return the message, dated so that it stands where it was said. `newest`: the date of what it follows.

    An answer is never from before its question, whatever Telegram's clock and this machine's say. Telegram gives whole
    seconds: a question in the very second of what is stored already came after it.
    """
    return draft if newest is None else replace(draft, created_at=max(draft.created_at, parse_moment(newest)))


def _make_message(scope: Scope, number: int, draft: NewMessage) -> Message:
    clean = replace(draft, content=replace_surrogates(draft.content), speaker=replace_surrogates(draft.speaker))
    return clean.with_id(number, scope)


def context_sources(connection: Connection, scope: Scope, *, turns: int, before: int | None) -> ContextSources:
    """As `MemoryStore.context_sources`, inside the caller's transaction."""
    first_left_out = 2**62 if before is None else before
    sums = connection.execute(_SUMS, tuple(scope)).fetchone()
    total, archived, characters = sums or (0, 0, 0)
    latest = connection.execute(_UNFOLDED, (*scope, first_left_out, MAX_UNFOLDED)).fetchall()
    unfolded = [message_of(row) for row in reversed(latest)]
    if archived:
        newest = {row[0] for row in connection.execute(_NEWEST_TURNS, (*scope, first_left_out, max(0, turns)))}
    else:  # these are all
        newest = set(sorted({message.turn for message in unfolded if message.turn > 0}, reverse=True)[: max(0, turns)])
    last = [message for message in unfolded if message.turn in newest]
    if archived and newest:
        rows = connection.execute(_ARCHIVED, (*scope, json.dumps(sorted(newest))))
        last = sorted([*last, *(message_of(row) for row in rows)], key=lambda message: message.order)
    return ContextSources(
        last=last,
        unfolded=unfolded,
        summaries=fold_table.read_summaries(connection, scope),
        profile=profile_table.read_newest(connection, scope.owner),
        facts=fact_table.read_valid(connection, scope.owner),
        total=total,
        archived=archived,
        characters=characters,
    )


# Counts up the owner's ids, and the tokens spared, unless a message of this source is there.
_TAKEN = """
UPDATE users SET next_message_id = next_message_id + 1, tokens_saved = tokens_saved + ?3
WHERE user_id = ?1 AND storage_type = ?2
AND NOT EXISTS (SELECT 1 FROM messages WHERE user_id = ?1 AND role = ?4 AND source = ?5)
RETURNING next_message_id, (SELECT MAX(created_at) FROM messages WHERE user_id = ?1 AND thread_id = ?6 AND {follows})
"""
_TAKE_IN_TURN = _TAKEN.format(follows="turn_id = ?7")
_TAKE = _TAKEN.format(follows="created_at >= ?7 AND created_at < ?8")
_DECLINE = """
UPDATE messages SET origin = 'declined'
WHERE user_id = ? AND thread_id = ? AND role = 'user' AND turn_id IN (SELECT value FROM json_each(?))
"""
_APPEND = f"{MESSAGES.insert_with()} RETURNING seq"
_BY_SOURCE = "SELECT * FROM messages WHERE user_id = ? AND role = ? AND source = ?"
_SUMS = "SELECT total, archived, characters FROM scopes WHERE user_id = ? AND thread_id = ?"
# Imported history has turns below 1.
_NEWEST_TURNS = """
SELECT DISTINCT turn_id FROM messages WHERE user_id = ? AND thread_id = ? AND turn_id > 0 AND turn_id < ?
ORDER BY turn_id DESC LIMIT ?
"""
# The sign keeps SQLite from looking turns up, which would walk through all messages of the scope: few are active.
_UNFOLDED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND +turn_id < ?
ORDER BY created_at DESC, id DESC LIMIT ?
"""
_ARCHIVED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND turn_id IN (SELECT value FROM json_each(?)) AND is_active = 0
"""
