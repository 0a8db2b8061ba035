"""The key that signs exports and links, made once for the bot and carried by a backup, the one-time links that were
followed, and until when earlier sessions of a person are void. All processes of the bot share them.
"""

import secrets
from datetime import datetime

from storage.engine.protocol import OwnerDatabase
from storage.schema.rows import text_of

_MAKE = "INSERT INTO export_keys (id, key) VALUES (1, ?) ON CONFLICT DO NOTHING"
_TAKE = "INSERT INTO used_links (nonce, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING nonce"
_WITHDRAW = """
INSERT INTO used_links (nonce, expires_at) VALUES (?, ?)
ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at
"""


class ExportKey:
    """One instance for each database."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database
        self._key = b""

    async def __call__(self) -> bytes:
        if not self._key:
            async with self.database.write(None) as tx:
                await tx.rows(_MAKE, secrets.token_hex(32))
                [[key]] = await tx.rows("SELECT key FROM export_keys")
            self._key = str(key).encode()
        return self._key


class UsedLinks:
    """One instance for each database."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database

    async def take(self, nonce: str, *, expires_at: datetime, now: datetime) -> bool:
        """Note that a link is followed; False where it was followed before. Expired links are dropped."""
        async with self.database.write(None) as tx:
            await tx.rows("DELETE FROM used_links WHERE expires_at < ?", text_of(now))
            return bool(await tx.rows(_TAKE, nonce, text_of(expires_at)))

    async def withdraw(self, person: int, *, until: datetime) -> None:
        """The sessions that a person has now are void; none of them would hold longer than until then."""
        async with self.database.write(None) as tx:
            await tx.rows(_WITHDRAW, _of_person(person), text_of(until))

    async def withdrawn_until(self, person: int) -> datetime | None:
        """The moment that was noted last by `withdraw`; None where nothing was, or that is over."""
        async with self.database.read(None) as reader:
            row = await reader.row("SELECT expires_at FROM used_links WHERE nonce = ?", _of_person(person))
        return datetime.fromisoformat(row[0]) if row else None


def _of_person(person: int) -> str:
    """No nonce of a link has a space in it."""
    return f"person {person}"
