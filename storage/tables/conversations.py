"""The conversations of a place: which there are, and in which the talk goes on. A part of MemoryStore.

Owns the SQL of `conversations` (`store.conversations`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from records.conversations import FIRST_NUMBER, MAX_TITLE_CHARS, ListedConversation, StoredConversation
from records.errors import StorageError
from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Connection, Row
from storage.schema.portable_tables import CONVERSATIONS
from storage.schema.rows import CONVERSATION_ROWS, format_moment, message_of, parse_moment
from storage.tables.owner_tables import OwnerTables
from text.characters import visible_line

MATERIAL = 8  # messages from which a title is made


class ConversationTable(OwnerTables):
    """The conversations of the owners in one store. A place is a scope with the thread that Telegram gives.

    A place where nobody ever began another conversation has no row here: its one conversation is the place itself.
    """

    async def active(self, place: Scope) -> Scope:
        """Return the conversation in which the talk at a place goes on."""
        return await self._read_together(place.owner, lambda connection: _read_active_scope(connection, place))

    async def holds(self, place: Scope, conversation: Scope) -> bool:
        """Return True if this is one of a place's conversations."""
        return await self._read_together(place.owner, lambda connection: _is_of(connection, place, conversation))

    async def begin(self, place: Scope, title: str, *, now: datetime) -> Scope:
        """Begin a conversation, where the talk goes on. One without a message is taken instead of another new one.

        Raises StorageError when the owner does not live here.
        """

        def begun(connection: Connection) -> Scope:
            self._demand_owner(connection, place.owner)
            current = scope = _read_active_scope(connection, place)
            _put(connection, place, place, now=now, is_opened=False)
            if connection.execute(_HOLDS, (*current,)).fetchone() is not None:
                scope = _next_scope(connection, place, now)
            _put(connection, place, scope, now=now, title=title)
            return scope

        return await self.database.transact(begun, place.owner)

    async def open(self, place: Scope, conversation: Scope, *, now: datetime) -> bool:
        """The talk goes on in this conversation; False where it is not one of this place's, or is gone."""

        def opened(connection: Connection) -> bool:
            if not _is_of(connection, place, conversation):
                return False
            _put(connection, place, conversation, now=now)
            return True

        return await self.database.transact(opened, place.owner)

    async def name(self, place: Scope, conversation: Scope, title: str, *, now: datetime) -> bool:
        """Give a conversation its owner's title; False where it is not one of this place's, or is gone."""

        def named(connection: Connection) -> bool:
            if not _is_of(connection, place, conversation):
                return False
            _put(connection, place, conversation, now=now, title=title, is_opened=False)
            return True

        return await self.database.transact(named, place.owner)

    async def untitled(self, place: Scope, among: Sequence[Scope]) -> dict[Scope, list[Message]]:
        """Return those of these conversations that have no title yet, each with the first messages that were said
        there.
        """

        def read(connection: Connection) -> dict[Scope, list[Message]]:
            titled = {scope for scope in among if _read_title(connection, scope)}
            said = {scope: connection.execute(_FIRST_SAID, (*scope, MATERIAL)).fetchall() for scope in among}
            return {
                scope: [message_of(row) for row in said[scope]]
                for scope in among
                if said[scope] and scope not in titled
            }

        return await self._read_together(place.owner, read)

    async def entitle(
        self, place: Scope, conversation: Scope, title: str, *, made_from: Sequence[Message], now: datetime
    ) -> bool:
        """Keep a title that was made from these messages; False where one of them is not as it was, or there is a
        title already.
        """

        def entitled(connection: Connection) -> bool:
            rows = connection.execute(_FIRST_SAID, (*conversation, MATERIAL)).fetchall()
            still = {message.id: message.content for message in map(message_of, rows)}
            if any(still.get(message.id) != message.content for message in made_from) or _read_title(
                connection, conversation
            ):
                return False
            _put(connection, place, conversation, now=now, title=title, is_named=False, is_opened=False)
            return True

        return await self.database.transact(entitled, place.owner)

    async def listed(self, place: Scope, *, first: int, limit: int) -> tuple[list[ListedConversation], int]:
        """Return a page of the conversations of a place, the ones opened last first, and how many there are.

        Conversations without a message are left out, except the one that is open.
        """

        def read(connection: Connection) -> tuple[list[ListedConversation], int]:
            rows = connection.execute(_LISTED, (*place, FIRST_NUMBER)).fetchall()
            current = _read_active_scope(connection, place)
            shown = [row for row in rows if row["total"] or row["thread_id"] == current.thread]
            return [_to_listed(connection, place, row, current) for row in shown[first : first + limit]], len(shown)

        return await self._read_together(place.owner, read)

    async def said_in(
        self, place: Scope, *, source: str = "", telegram_id: int | None = None, number: int | None = None
    ) -> Scope | None:
        """Return the conversation of a place with the user's message of this source, with the message of this number,
        or with what a Telegram message said or showed; None where there is none.
        """

        def read(connection: Connection) -> Scope | None:
            here = (place.owner, place.owner, place.thread, place.thread)
            found = connection.execute(_BY_SOURCE, (*here, source)).fetchall() if source else []
            if number is not None:
                found += connection.execute(_BY_NUMBER, (*here, number)).fetchall()
            if telegram_id is not None:
                found += connection.execute(_BY_TELEGRAM_ID, (*here, telegram_id)).fetchall()
                found += connection.execute(_SHOWN_AS, (*here, telegram_id)).fetchall()
            return Scope(owner=place.owner, thread=int(found[0][0])) if found else None

        return await self._read_together(place.owner, read)

    async def find_place(self, owner: int, telegram_id: int) -> Scope | None:
        """Return the place of an owner in which a Telegram message was said or shown, or None."""

        def read(connection: Connection) -> Scope | None:
            row = connection.execute(_PLACE_BY_TELEGRAM_ID, (owner, telegram_id)).fetchone()
            row = row or connection.execute(_PLACE_SHOWN_IN, (owner, telegram_id)).fetchone()
            return Scope(owner=owner, thread=int(row[0])) if row is not None else None

        return await self._read_together(owner, read)

    def _demand_owner(self, connection: Connection, owner: int) -> None:
        if connection.execute(_LIVES, (owner, self.kind)).fetchone() is None:
            raise StorageError("This memory is not kept here; turn it on first.")


def _read_active_scope(connection: Connection, place: Scope) -> Scope:
    row = connection.execute(_OPEN, tuple(place)).fetchone()
    return place if row is None else Scope(owner=place.owner, thread=int(row["thread_id"]))


def _read_title(connection: Connection, conversation: Scope) -> str:
    row = connection.execute(_ONE, tuple(conversation)).fetchone()
    return str(row["title"]) if row is not None else ""


def _next_scope(connection: Connection, place: Scope, now: datetime) -> Scope:
    """Return a conversation with a number that was never given: milliseconds ascend, and so does what
    is given in one.
    """
    taken = connection.execute(_FARTHEST, (place.owner,)).fetchone()
    number = max(FIRST_NUMBER, int(now.timestamp() * 1000), (taken[0] or 0) + 1 if taken else 0)
    return Scope(owner=place.owner, thread=-number if place.is_direct_messages else number)


def _is_of(connection: Connection, place: Scope, conversation: Scope) -> bool:
    if conversation == place:
        return True
    row = connection.execute(_ONE, tuple(conversation)).fetchone()
    if row is not None:
        return int(row["place"]) == place.thread
    # One that came with an import has messages alone.
    is_further = conversation.thread >= FIRST_NUMBER and place.thread == 0
    return is_further and connection.execute(_HOLDS, (*conversation,)).fetchone() is not None


def _put(
    connection: Connection,
    place: Scope,
    scope: Scope,
    *,
    now: datetime,
    title: str = "",
    is_named: bool = True,
    is_opened: bool = True,
) -> None:
    """Insert a conversation, or change it: a title that is given, and that the talk goes on here."""
    row = connection.execute(_ONE, tuple(scope)).fetchone()
    known = CONVERSATION_ROWS.of(row) if row is not None else None
    [span] = connection.execute(_SPAN, (format_moment(now), format_moment(now), *place)).fetchall()
    first, last = parse_moment(span[0]), parse_moment(span[1])
    opened_at = known.opened_at if known else min(now, first) - timedelta(microseconds=1)
    if is_opened:
        opened_at = max(now, last + timedelta(microseconds=1))
    made = StoredConversation(
        scope=scope,
        place=place.thread,
        title=visible_line(title)[:MAX_TITLE_CHARS] or (known.title if known else ""),
        is_named=is_named if title else known is not None and known.is_named,
        created_at=known.created_at if known else now,
        opened_at=opened_at,
    )
    connection.execute(CONVERSATIONS.upsert, CONVERSATIONS.stored(CONVERSATION_ROWS.row(made)))


def _to_listed(connection: Connection, place: Scope, row: Row, current: Scope) -> ListedConversation:
    scope = Scope(owner=place.owner, thread=int(row["thread_id"]))
    label, at = str(row["title"] or ""), None
    said = connection.execute(_FIRST_SAID, (*scope, 1)).fetchone()
    last = connection.execute(_LAST_AT, tuple(scope)).fetchone()
    if not label and said is not None:
        label = " ".join(str(said["content"])[:200].split())
    at = last[0] if last and last[0] is not None else row["opened_at"]
    return ListedConversation(
        scope=scope,
        label=label,
        is_titled=bool(row["title"]),
        messages=int(row["total"]),
        last_at=parse_moment(at or "1970-01-01"),
        is_open=scope == current,
    )


_LIVES = "SELECT 1 FROM users WHERE user_id = ? AND storage_type = ?"
_OPEN = "SELECT thread_id FROM conversations WHERE user_id = ? AND place = ? ORDER BY opened_at DESC LIMIT 1"
_SPAN = """
SELECT COALESCE(MIN(opened_at), ?), COALESCE(MAX(opened_at), ?) FROM conversations WHERE user_id = ? AND place = ?
"""
_ONE = "SELECT * FROM conversations WHERE user_id = ? AND thread_id = ?"
_HOLDS = "SELECT 1 FROM scopes WHERE user_id = ? AND thread_id = ? AND total > 0"
_FARTHEST = "SELECT MAX(ABS(thread_id)) FROM conversations WHERE user_id = ?"
_FIRST_SAID = """
SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND role IN ('user', 'assistant')
ORDER BY created_at, id LIMIT ?
"""
_LAST_AT = "SELECT MAX(created_at) FROM messages WHERE user_id = ? AND thread_id = ?"
_OF_PLACE = """user_id = ? AND thread_id IN (
  SELECT thread_id FROM conversations WHERE user_id = ? AND place = ? UNION SELECT ?
)"""
_BY_SOURCE = f"SELECT thread_id FROM messages WHERE {_OF_PLACE} AND role = 'user' AND source = ?"  # noqa: S608
_BY_NUMBER = f"SELECT thread_id FROM messages WHERE {_OF_PLACE} AND id = ?"  # noqa: S608
_BY_TELEGRAM_ID = f"SELECT thread_id FROM messages WHERE {_OF_PLACE} AND telegram_id = ? ORDER BY id DESC"  # noqa: S608
_SHOWN_AS = f"""
SELECT thread_id FROM accounts WHERE {_OF_PLACE}
AND EXISTS (SELECT 1 FROM json_each(accounts.account, '$.shown') WHERE CAST(value AS BIGINT) = ?) ORDER BY id DESC
"""  # noqa: S608
# One search of the index for each thread.
_PLACE_BY_TELEGRAM_ID = """
SELECT COALESCE(conversations.place, messages.thread_id)
FROM messages LEFT JOIN conversations USING (user_id, thread_id)
WHERE messages.user_id = ?1 AND messages.telegram_id = ?2
AND messages.thread_id IN (SELECT thread_id FROM scopes WHERE user_id = ?1)
ORDER BY messages.id DESC LIMIT 1
"""
_PLACE_SHOWN_IN = """
SELECT COALESCE(conversations.place, accounts.thread_id)
FROM accounts LEFT JOIN conversations USING (user_id, thread_id)
WHERE accounts.user_id = ?1
AND EXISTS (SELECT 1 FROM json_each(accounts.account, '$.shown') WHERE CAST(value AS BIGINT) = ?2)
ORDER BY accounts.id DESC LIMIT 1
"""
_LISTED = """
WITH numbers AS (
  SELECT thread_id FROM conversations WHERE user_id = ?1 AND place = ?2
  UNION
  SELECT thread_id FROM scopes WHERE user_id = ?1 AND total > 0 AND (thread_id = ?2 OR (
    -- Those that came with an import have messages alone.
    ?2 = 0 AND thread_id >= ?3 AND NOT EXISTS (
      SELECT 1 FROM conversations AS other WHERE other.user_id = ?1 AND other.thread_id = scopes.thread_id
    )
  ))
)
SELECT
  numbers.thread_id AS thread_id, COALESCE(one.title, '') AS title, one.opened_at AS opened_at,
  COALESCE(held.total, 0) AS total
FROM numbers
LEFT JOIN conversations AS one ON one.user_id = ?1 AND one.thread_id = numbers.thread_id
LEFT JOIN scopes AS held ON held.user_id = ?1 AND held.thread_id = numbers.thread_id
ORDER BY COALESCE(one.opened_at, '') DESC, numbers.thread_id
"""
