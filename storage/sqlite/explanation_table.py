"""The explanations of the newest answers. A part of SqlStore (`store.explanations`).

Owns the SQL of `accounts` (the table of explanations), of `users.tokens_saved`, and of the Telegram ids of answers.
Does not know what is in an explanation, except the Telegram messages that showed its answer.
"""

import json
from collections.abc import Sequence

from records.messages import Message, NewMessage
from records.scopes import Scope
from storage.files.rows import text_of
from storage.files.sql import Connection
from storage.files.tables import ACCOUNTS
from storage.sqlite.owner_tables import OwnerTables

KEPT = 100
"""Explanations of an owner; older ones are deleted."""


class ExplanationTable(OwnerTables):
    """The explanations of an owner's newest 100 answers, each stored with its answer (`NewMessage.account`)."""

    async def text(self, scope: Scope, telegram_id: int | None = None) -> str | None:
        """The explanation of a scope's newest answer, or of the answer that a Telegram message showed or asked for."""
        if telegram_id is None:
            row = await self._row(scope.owner, _NEWEST, *scope)
        else:
            row = await self._row(scope.owner, _BY_TELEGRAM_ID, *scope, telegram_id)
        return str(row[0]) if row else None

    async def note_shown(self, scope: Scope, source: str, telegram_ids: Sequence[int]) -> None:
        """Record the Telegram messages that showed the answer to `source`: with the answer, and as "shown" in its
        explanation. Without such an answer nothing happens.
        """
        shown = json.dumps(list(telegram_ids))

        def note(connection: Connection) -> None:
            where = (telegram_ids[0], *scope, source)
            if (answer := connection.execute(_SHOWN_AS, where).fetchone()) is not None:
                connection.execute(_NOTE_SHOWN, (shown, scope.owner, answer[0]))

        await self._db.transact(note, scope.owner)

    async def saved(self, owner: int) -> int:
        """The sum of `NewMessage.saved` over all answers of an owner."""
        row = await self._row(owner, "SELECT tokens_saved FROM users WHERE user_id = ?", owner)
        return int(row[0]) if row else 0


def keep(connection: Connection, message: Message, draft: NewMessage) -> None:
    """Store an answer's explanation in the transaction that stores the answer; the oldest one goes."""
    if not draft.account:
        return
    row = {
        "id": message.id,
        "user_id": message.scope.owner,
        "thread_id": message.scope.thread,
        "account": json.loads(draft.account),
        "created_at": text_of(message.created_at),
    }
    connection.execute(ACCOUNTS.upsert, ACCOUNTS.stored(row))
    connection.execute(_DROP_OLDEST, (message.scope.owner, KEPT))
    if draft.saved:
        connection.execute(_ADD_SAVED, (draft.saved, message.scope.owner))


_NEWEST = "SELECT account FROM accounts WHERE user_id = ? AND thread_id = ? ORDER BY id DESC LIMIT 1"
_BY_TELEGRAM_ID = """
SELECT account FROM accounts JOIN messages AS answer USING (user_id, id)
WHERE accounts.user_id = ?1 AND accounts.thread_id = ?2 AND (
  answer.telegram_id = ?3
  OR EXISTS (SELECT 1 FROM json_each(account, '$.shown') WHERE value = ?3)
  OR EXISTS (
    SELECT 1 FROM messages AS question
    WHERE question.user_id = ?1 AND question.thread_id = ?2 AND question.turn_id = answer.turn_id
    AND question.role = 'user' AND question.telegram_id = ?3
  )
) ORDER BY accounts.id DESC LIMIT 1
"""
_SHOWN_AS = """
UPDATE messages SET telegram_id = ?
WHERE user_id = ? AND thread_id = ? AND role = 'assistant' AND source = ? RETURNING id
"""
_NOTE_SHOWN = "UPDATE accounts SET account = json_set(account, '$.shown', json(?)) WHERE user_id = ? AND id = ?"
_ADD_SAVED = "UPDATE users SET tokens_saved = tokens_saved + ? WHERE user_id = ?"
_DROP_OLDEST = """
DELETE FROM accounts WHERE user_id = ?1 AND id <= (
  SELECT id FROM accounts WHERE user_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2
)
"""
