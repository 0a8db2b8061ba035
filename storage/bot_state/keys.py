"""The bot's signing key (included in backups), the used one-time links, and the revoked sessions."""

import secrets
from datetime import datetime

from storage.engine.protocol import OwnerDatabase, StatementRunner
from storage.schema.rows import format_moment

_INSERT_KEY = "INSERT INTO export_keys (id, key) VALUES (1, ?) ON CONFLICT DO NOTHING"
_USE_LINK = "INSERT INTO used_links (nonce, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING nonce"
_WITHDRAW = """
INSERT INTO used_links (nonce, expires_at) VALUES (?, ?)
ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at
"""


class ExportKey(StatementRunner):
    """The bot's signing key, which is read from the database once and then cached."""

    def __init__(self, database: OwnerDatabase) -> None:
        super().__init__(database)
        self._key = b""

    async def __call__(self) -> bytes:
        if not self._key:
            async with self.database.open_transaction(None) as tx:
                await tx.execute(_INSERT_KEY, secrets.token_hex(32))
                [[key]] = await tx.fetch_rows("SELECT key FROM export_keys")
            self._key = str(key).encode()
        return self._key


class UsedLinks(StatementRunner):
    """Records of used one-time links and revoked sessions."""

    async def try_to_use_link(self, nonce: str, *, expires_at: datetime, now: datetime) -> bool:
        """Mark a link as used, and delete expired links. Return False if it was used before."""
        async with self.database.open_transaction(None) as tx:
            await tx.execute("DELETE FROM used_links WHERE expires_at < ?", format_moment(now))
            return bool(await tx.fetch_rows(_USE_LINK, nonce, format_moment(expires_at)))

    async def revoke_sessions(self, person_id: int, *, max_expiry: datetime) -> None:
        """Revoke a person's current sessions. `max_expiry` is the time at which the last of them would expire."""
        await self._execute(None, _WITHDRAW, _format_person_key(person_id), format_moment(max_expiry))

    async def find_latest_expiry_of_revoked_sessions(self, person_id: int) -> datetime | None:
        """Return the latest expiry of a person's revoked sessions, or None if no sessions were revoked."""
        sql = "SELECT expires_at FROM used_links WHERE nonce = ?"
        row = await self._fetch_row(None, sql, _format_person_key(person_id))
        return datetime.fromisoformat(row[0]) if row else None


def _format_person_key(person_id: int) -> str:
    """Return the key under which a person's revocation is stored. Unlike the nonce of a link, it contains a space."""
    return f"person {person_id}"
