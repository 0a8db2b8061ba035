"""The SQL of `conversations`: the conversations of each chat, one of which is open.

`chat` is the scope of a Telegram chat or topic. Its first conversation has the same scope and needs no row.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from records.errors import StorageError
from records.messages import Message
from records.scopes import FIRST_NUMBER, MAX_TITLE_CHARS, ListedConversation, Scope
from storage.engine.protocol import Connection, Row
from storage.schema.portable_tables import translate_value_errors
from storage.schema.rows import format_moment, parse_message, parse_moment
from storage.tables.owner_tables import OwnerTables
from text.characters import collapse_to_single_line

MATERIAL = 8  # the number of messages from which a title is made


class ConversationTable(OwnerTables):
    """The conversations of the owners in one store (`store.conversations`)."""

    async def find_open_conversation(self, chat: Scope) -> Scope:
        return await self._read_in_snapshot(chat.owner, lambda connection: _read_open_conversation(connection, chat))

    async def has_conversation(self, chat: Scope, conversation: Scope) -> bool:
        return await self._read_in_snapshot(chat.owner, partial(_belongs_to_chat, chat=chat, conversation=conversation))

    async def begin_conversation(self, chat: Scope, title: str, *, now: datetime) -> Scope:
        """Open a new conversation, or reuse the open one if it is empty. Raise StorageError for an unknown owner."""

        def begin_or_reuse_conversation(connection: Connection) -> Scope:
            if connection.execute(_IS_HERE, (chat.owner, self.kind)).fetchone() is None:
                raise StorageError("This memory is not kept here; turn it on first.")
            scope = _read_open_conversation(connection, chat)
            _upsert_conversation(connection, chat, chat, now=now, is_opened=False)
            if connection.execute(_HAS_MESSAGES, (*scope,)).fetchone() is not None:
                scope = _make_new_scope(connection, chat, now)
            _upsert_conversation(connection, chat, scope, now=now, title=title)
            return scope

        return await self.database.transact(begin_or_reuse_conversation, chat.owner)

    async def open_conversation_if_exists(self, chat: Scope, conversation: Scope, *, now: datetime) -> bool:
        """Open a conversation. Return False if it was deleted or belongs to another chat."""
        return await self._open_or_rename_if_exists(chat, conversation, now=now)

    async def rename_if_exists(self, chat: Scope, conversation: Scope, title: str, *, now: datetime) -> bool:
        """Set the title of a conversation. Return False if it was deleted or belongs to another chat."""
        return await self._open_or_rename_if_exists(chat, conversation, now=now, title=title, is_opened=False)

    async def _open_or_rename_if_exists(
        self, chat: Scope, conversation: Scope, *, now: datetime, title: str = "", is_opened: bool = True
    ) -> bool:
        def update_conversation_if_exists(connection: Connection) -> bool:
            is_known = _belongs_to_chat(connection, chat, conversation)
            if is_known:
                _upsert_conversation(connection, chat, conversation, now=now, title=title, is_opened=is_opened)
            return is_known

        return await self.database.transact(update_conversation_if_exists, chat.owner)

    async def read_first_messages_of_untitled(
        self, chat: Scope, conversations: Sequence[Scope]
    ) -> dict[Scope, list[Message]]:
        """Map each untitled conversation that has messages to its first messages."""

        def read_opening_messages(connection: Connection) -> dict[Scope, list[Message]]:
            untitled = [scope for scope in conversations if not _read_stored_title(connection, scope)]
            messages = {scope: _read_first_messages(connection, scope) for scope in untitled}
            return {scope: found for scope, found in messages.items() if found}

        return await self._read_in_snapshot(chat.owner, read_opening_messages)

    async def set_title_if_untitled(
        self, chat: Scope, conversation: Scope, title: str, *, made_from: Sequence[Message], now: datetime
    ) -> bool:
        """Store a generated title. Return False if a title exists or one of `made_from` has changed."""

        def set_title_if_missing(connection: Connection) -> bool:
            texts = {message.id: message.content for message in _read_first_messages(connection, conversation)}
            is_stale = any(texts.get(message.id) != message.content for message in made_from)
            if is_stale or _read_stored_title(connection, conversation):
                return False
            _upsert_conversation(connection, chat, conversation, now=now, title=title, is_named=False, is_opened=False)
            return True

        return await self.database.transact(set_title_if_missing, chat.owner)

    async def list_with_total(self, chat: Scope, *, offset: int, limit: int) -> tuple[list[ListedConversation], int]:
        """Return a page of conversations, latest opened first, and the total count. Skip closed, empty ones."""

        def read_page_with_total(connection: Connection) -> tuple[list[ListedConversation], int]:
            rows = connection.execute(_LISTED, (*chat, FIRST_NUMBER)).fetchall()
            current = _read_open_conversation(connection, chat)
            shown = [row for row in rows if row["total"] or row["thread_id"] == current.thread]
            page = [_make_listed_conversation(connection, chat, row, current) for row in shown[offset : offset + limit]]
            return page, len(shown)

        return await self._read_in_snapshot(chat.owner, read_page_with_total)

    async def find_conversation(
        self, chat: Scope, *, source: str = "", telegram_id: int | None = None, message_id: int | None = None
    ) -> Scope | None:
        lookups = ((_BY_SOURCE, source or None), (_BY_NUMBER, message_id), (_BY_TELEGRAM_ID, telegram_id))

        def find_conversation_of_message(connection: Connection) -> Scope | None:
            for sql, value in lookups:
                row = None if value is None else connection.execute(sql, (chat.owner, value)).fetchone()
                scope = Scope(owner=chat.owner, thread=int(row[0])) if row is not None else None
                if scope is not None and _belongs_to_chat(connection, chat, scope):
                    return scope
            return None

        return await self._read_in_snapshot(chat.owner, find_conversation_of_message)

    async def find_chat_of_message(self, owner: int, telegram_id: int) -> Scope | None:

        def find_chat_scope(connection: Connection) -> Scope | None:
            found = connection.execute(_BY_TELEGRAM_ID, (owner, telegram_id)).fetchone()
            if found is None:
                return None
            row = connection.execute(_ONE, (owner, found[0])).fetchone()
            return Scope(owner=owner, thread=int(found[0] if row is None else row["place"]))

        return await self._read_in_snapshot(owner, find_chat_scope)


def _read_open_conversation(connection: Connection, chat: Scope) -> Scope:
    row = connection.execute(_OPEN, tuple(chat)).fetchone()
    return chat if row is None else Scope(owner=chat.owner, thread=int(row["thread_id"]))


def _read_stored_title(connection: Connection, conversation: Scope) -> str:
    row = connection.execute(_ONE, tuple(conversation)).fetchone()
    return str(row["title"]) if row is not None else ""


def _read_first_messages(connection: Connection, conversation: Scope) -> list[Message]:
    return [parse_message(row) for row in connection.execute(_FIRST_MESSAGES, (*conversation, MATERIAL))]


def _make_new_scope(connection: Connection, chat: Scope, now: datetime) -> Scope:
    """Return a scope with an unused thread number, which is usually the current time in milliseconds."""
    [taken] = connection.execute(_FARTHEST, (chat.owner,)).fetchone()
    number = max(FIRST_NUMBER, int(now.timestamp() * 1000), (taken or 0) + 1)
    return Scope(owner=chat.owner, thread=-number if chat.is_channel_direct_chat else number)


def _belongs_to_chat(connection: Connection, chat: Scope, conversation: Scope) -> bool:
    if conversation == chat:
        return True
    row = connection.execute(_ONE, tuple(conversation)).fetchone()
    if row is not None:
        return int(row["place"]) == chat.thread
    # An imported conversation has messages, but no row.
    may_be_imported = conversation.thread >= FIRST_NUMBER and chat.thread == 0
    return may_be_imported and connection.execute(_HAS_MESSAGES, (*conversation,)).fetchone() is not None


def _upsert_conversation(
    connection: Connection,
    chat: Scope,
    scope: Scope,
    *,
    now: datetime,
    title: str = "",
    is_named: bool = True,
    is_opened: bool = True,
) -> None:
    """Insert or update a conversation. An empty `title` keeps the old title. `is_named` means a person chose it."""
    [span] = connection.execute(_SPAN, (format_moment(now), format_moment(now), *chat)).fetchall()
    first, last, instant = parse_moment(span[0]), parse_moment(span[1]), timedelta(microseconds=1)
    opened_at = max(now, last + instant) if is_opened else min(now, first) - instant
    title = collapse_to_single_line(title)[:MAX_TITLE_CHARS]
    named = int(is_named and bool(title))
    moments = format_moment(now), format_moment(opened_at)
    connection.execute(_PUT, (*scope, chat.thread, title, named, *moments, int(is_opened)))


def _make_listed_conversation(connection: Connection, chat: Scope, row: Row, open_scope: Scope) -> ListedConversation:
    scope = Scope(owner=chat.owner, thread=int(row["thread_id"]))
    label = str(row["title"] or "")
    first = connection.execute(_FIRST_MESSAGES, (*scope, 1)).fetchone()
    [last_at] = connection.execute(_LAST_AT, tuple(scope)).fetchone()
    if not label and first is not None:
        label = " ".join(str(first["content"])[:200].split())
    with translate_value_errors("messages"):
        last_at = parse_moment(last_at or row["opened_at"] or "1970-01-01")
    return ListedConversation(
        scope=scope,
        label=label,
        is_titled=bool(row["title"]),
        messages=int(row["total"]),
        last_at=last_at,
        is_open=scope == open_scope,
    )


_IS_HERE = "SELECT 1 FROM users WHERE user_id = ? AND storage_type = ?"
_OPEN = "SELECT thread_id FROM conversations WHERE user_id = ? AND place = ? ORDER BY opened_at DESC LIMIT 1"
_SPAN = """
SELECT COALESCE(MIN(opened_at), ?), COALESCE(MAX(opened_at), ?) FROM conversations WHERE user_id = ? AND place = ?
"""
_PUT = """
INSERT INTO conversations AS known (user_id, thread_id, place, title, is_named, created_at, opened_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (user_id, thread_id) DO UPDATE SET
  title = CASE excluded.title WHEN '' THEN known.title ELSE excluded.title END,
  is_named = CASE excluded.title WHEN '' THEN known.is_named ELSE excluded.is_named END,
  opened_at = CASE ?8 WHEN 1 THEN excluded.opened_at ELSE known.opened_at END
"""
_ONE = "SELECT * FROM conversations WHERE user_id = ? AND thread_id = ?"
_HAS_MESSAGES = "SELECT 1 FROM scopes WHERE user_id = ? AND thread_id = ? AND total > 0"
_FARTHEST = "SELECT MAX(ABS(thread_id)) FROM conversations WHERE user_id = ?"
_FIRST_MESSAGES = """
SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND role IN ('user', 'assistant')
ORDER BY created_at, id LIMIT ?
"""
_LAST_AT = "SELECT MAX(created_at) FROM messages WHERE user_id = ? AND thread_id = ?"
_BY_SOURCE = "SELECT thread_id FROM messages WHERE user_id = ? AND role = 'user' AND source = ?"
_BY_NUMBER = "SELECT thread_id FROM messages WHERE user_id = ? AND id = ?"
# One search of the index of messages for each thread.
_BY_TELEGRAM_ID = """
SELECT thread_id FROM (
  SELECT id, thread_id FROM messages
  WHERE user_id = ?1 AND telegram_id = ?2 AND thread_id IN (SELECT thread_id FROM scopes WHERE user_id = ?1)
  UNION ALL SELECT id, thread_id FROM accounts WHERE user_id = ?1
  AND EXISTS (SELECT 1 FROM json_each(accounts.account, '$.shown') WHERE CAST(value AS BIGINT) = ?2)
) AS found ORDER BY id DESC LIMIT 1
"""
_LISTED = """
WITH numbers AS (
  SELECT thread_id FROM conversations WHERE user_id = ?1 AND place = ?2
  UNION
  SELECT thread_id FROM scopes WHERE user_id = ?1 AND total > 0 AND (thread_id = ?2 OR (
    -- An imported conversation has messages, but no row.
    ?2 = 0 AND thread_id >= ?3 AND NOT EXISTS (
      SELECT 1 FROM conversations AS other WHERE other.user_id = ?1 AND other.thread_id = scopes.thread_id
    )
  ))
)
SELECT
  numbers.thread_id AS thread_id, COALESCE(one.title, '') AS title, one.opened_at AS opened_at,
  COALESCE(held.total, 0) - (
    SELECT COUNT(*) FROM messages WHERE user_id = ?1 AND thread_id = numbers.thread_id AND origin = 'tool'
  ) AS total
FROM numbers
LEFT JOIN conversations AS one ON one.user_id = ?1 AND one.thread_id = numbers.thread_id
LEFT JOIN scopes AS held ON held.user_id = ?1 AND held.thread_id = numbers.thread_id
ORDER BY COALESCE(one.opened_at, '') DESC, numbers.thread_id
"""
