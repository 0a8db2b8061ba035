"""The SQL of `accounts` (the explanations of answers) and of the Telegram ids of answers."""

import json
from collections.abc import Sequence

from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.schema.rows import format_moment, parse_message
from storage.tables.owner_tables import OwnerTables
from text.characters import repair_surrogates


class ExplanationTable(OwnerTables):
    """The explanations of each owner's last 100 answers (`store.explanations`)."""

    async def find_explanation(self, scope: Scope, telegram_id: int) -> str | None:
        """Return the explanation of the answer in (or to) a Telegram message."""
        row = await self._fetch_row(scope.owner, _BY_TELEGRAM_ID, *scope, telegram_id)
        return str(row[0]) if row else None

    async def list_latest_explanations(
        self, scope: Scope, *, before_id: int | None = None, limit: int
    ) -> list[tuple[int, str]]:
        """Return the latest (answer id, explanation) pairs with an id below `before_id`, newest first."""
        rows = await self._fetch_rows(scope.owner, _LATEST, *scope, 2**62 if before_id is None else before_id, limit)
        return [(int(row[0]), str(row[1])) for row in rows]

    async def find_message(self, scope: Scope, telegram_id: int) -> Message | None:
        row = await self._fetch_row(scope.owner, _SAID_AS, *scope, telegram_id)
        row = row or await self._fetch_row(scope.owner, _SHOWN_BY, *scope, telegram_id)
        return parse_message(row) if row else None

    async def record_shown_messages(self, scope: Scope, source: str, telegram_ids: Sequence[int]) -> None:
        """Record which Telegram messages show the answer to the question `source`. Do nothing if it has no answer."""
        shown = json.dumps(list(telegram_ids))

        def mark_shown(connection: Connection) -> None:
            answer = connection.execute(_SHOWN_AS, (telegram_ids[0], *scope, source)).fetchone()
            if answer is not None and len(telegram_ids) > 1:  # one id is stored with the answer itself
                connection.execute(_NOTE_SHOWN, (shown, scope.owner, answer[0]))

        await self.database.transact(mark_shown, scope.owner)

    async def count_saved_tokens(self, owner: int) -> int:
        row = await self._fetch_row(owner, "SELECT tokens_saved FROM users WHERE user_id = ?", owner)
        return int(row[0]) if row else 0


def store_explanation(connection: Connection, message: Message, explanation: str) -> None:
    """Store an answer's explanation unless it is empty. Keep only the owner's last 100 explanations."""
    if not explanation:
        return
    scope, created_at = message.scope, format_moment(message.created_at)
    connection.execute(_KEEP, (message.id, *scope, repair_surrogates(explanation), created_at))
    connection.execute(_DROP_OLDEST, (scope.owner, 100))


_KEEP = """
INSERT INTO accounts (id, user_id, thread_id, account, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (user_id, id) DO UPDATE SET account = excluded.account
"""
_LATEST = "SELECT id, account FROM accounts WHERE user_id = ? AND thread_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
_BY_TELEGRAM_ID = """
SELECT account FROM accounts JOIN messages AS answer USING (user_id, id)
WHERE accounts.user_id = ?1 AND accounts.thread_id = ?2 AND (
  answer.telegram_id = ?3
  OR EXISTS (SELECT 1 FROM json_each(account, '$.shown') WHERE CAST(value AS BIGINT) = ?3)
  OR EXISTS (
    SELECT 1 FROM messages AS question
    WHERE question.user_id = ?1 AND question.thread_id = ?2 AND question.turn_id = answer.turn_id
    AND question.role = 'user' AND question.telegram_id = ?3
  )
) ORDER BY accounts.id DESC LIMIT 1
"""
_SAID_AS = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND telegram_id = ? ORDER BY id DESC"
_SHOWN_BY = """
SELECT messages.* FROM accounts JOIN messages USING (user_id, id)
WHERE accounts.user_id = ? AND accounts.thread_id = ?
AND EXISTS (SELECT 1 FROM json_each(accounts.account, '$.shown') WHERE CAST(value AS BIGINT) = ?)
ORDER BY messages.id DESC
"""
_SHOWN_AS = """
UPDATE messages SET telegram_id = ?
WHERE user_id = ? AND thread_id = ? AND role = 'assistant' AND source = ? RETURNING id
"""
_NOTE_SHOWN = (
    "UPDATE accounts SET account = json_set(account, '$.shown', json_extract(?, '$')) WHERE user_id = ? AND id = ?"
)
_DROP_OLDEST = """
DELETE FROM accounts WHERE user_id = ?1 AND id <= (
  SELECT id FROM accounts WHERE user_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2
)
"""
