"""How messages are stored: their ids, their order in time, their words and explanations, each once.

Owns the SQL that adds to `messages`, inside the caller's transaction. Does not know how they are read.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from records.messages import Message, NewMessage, Role
from records.owners import StorageType
from records.scopes import Scope
from storage.files.rows import message_of, moment_of, row_of_message, text_of
from storage.files.sql import Connection
from storage.files.tables import MESSAGES
from storage.search import word_index
from storage.search.terms import Entry
from storage.sqlite import explanation_table
from storage.sqlite.owner_tables import take_ids
from text.characters import well_formed

Analysed = tuple[NewMessage, Entry]
"""A message that is to be stored, with its words."""


async def analysed(scope: Scope, drafts: Sequence[NewMessage]) -> list[Analysed]:
    """Drafts with their words: this needs nothing from the file, so no other writer should wait for it."""
    rows = [(0, row_of_message(_message(scope, 0, draft))) for draft in drafts]
    return list(zip(drafts, await word_index.analysed(rows), strict=True))


def append(connection: Connection, scope: Scope, kind: StorageType, drafts: Sequence[Analysed]) -> list[Message]:
    """As `MemoryStore.append`, inside the caller's transaction."""
    stored: dict[int, Message] = {}
    for index, (draft, _) in enumerate(drafts):
        if draft.source is not None:
            row = connection.execute(_BY_SOURCE, (scope.owner, draft.role, draft.source)).fetchone()
            if row:
                stored[index] = message_of(row)
    fresh = len(drafts) - len(stored)
    if fresh:
        number = take_ids(connection, kind, scope.owner, "next_message_id", fresh)
        seen: dict[tuple[str, str], Message] = {}
        entries: list[Entry] = []
        for index, (draft, entry) in enumerate(drafts):
            key = (draft.role, draft.source or "")
            if index in stored:
                continue
            if draft.source is not None and key in seen:
                stored[index] = seen[key]
                continue
            message = _message(scope, number, _in_order(connection, scope, draft))
            number += 1
            [seq] = connection.execute(_APPEND, MESSAGES.stored(row_of_message(message))).fetchone()
            said_at = message.created_at.timestamp()
            entries.append(replace(entry, seq=seq, id=message.id, said_at=said_at))
            explanation_table.keep(connection, message, draft)
            stored[index] = seen[key] = message
        word_index.put(connection, entries)
    return [stored[index] for index in range(len(drafts))]


def ask(
    connection: Connection, scope: Scope, kind: StorageType, pieces: Sequence[Analysed]
) -> tuple[int, Message | None]:
    """As `MemoryStore.ask`, inside the caller's transaction."""
    [first] = append(connection, scope, kind, pieces[:1])
    append(connection, scope, kind, [(replace(piece, turn=first.turn), entry) for piece, entry in pieces[1:]])
    source = pieces[-1][0].source
    return first.turn, find(connection, scope, role="assistant", source=source) if source else None


def find(connection: Connection, scope: Scope, *, role: Role, source: str) -> Message | None:
    """The message of a scope with this role and source."""
    where = (scope.owner, role, source, scope.thread)
    row = connection.execute(f"{_BY_SOURCE} AND thread_id = ?", where).fetchone()
    return message_of(row) if row else None


def _in_order(connection: Connection, scope: Scope, draft: NewMessage) -> NewMessage:
    """The message, dated so that it stands where it was said.

    An answer is never from before its question, whatever Telegram's clock and this machine's say. Telegram gives whole
    seconds: a question in the very second of what is stored already came after it.
    """
    if draft.turn is not None:
        found = connection.execute(_NEWEST_OF_TURN, (scope.owner, scope.thread, draft.turn))
    else:
        second = (text_of(draft.created_at), text_of(draft.created_at + timedelta(seconds=1)))
        found = connection.execute(_NEWEST_OF_SECOND, (scope.owner, scope.thread, *second))
    [newest] = found.fetchone()
    return draft if newest is None else replace(draft, created_at=max(draft.created_at, moment_of(newest)))


def _message(scope: Scope, number: int, draft: NewMessage) -> Message:
    return Message(
        id=number,
        scope=scope,
        role=draft.role,
        content=well_formed(draft.content),
        created_at=draft.created_at,
        turn=number if draft.turn is None else draft.turn,
        speaker=well_formed(draft.speaker),
        source=draft.source,
        telegram_id=draft.telegram_id,
        origin=draft.origin,
    )


_NEWEST_OF_TURN = "SELECT MAX(created_at) FROM messages WHERE user_id = ? AND thread_id = ? AND turn_id = ?"
_NEWEST_OF_SECOND = """
SELECT MAX(created_at) FROM messages WHERE user_id = ? AND thread_id = ? AND created_at >= ? AND created_at < ?
"""
_APPEND = f"{MESSAGES.upsert} RETURNING seq"
_BY_SOURCE = "SELECT * FROM messages WHERE user_id = ? AND role = ? AND source = ?"
