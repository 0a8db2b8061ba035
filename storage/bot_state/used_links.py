"""One-time links that were followed, so that no process of the bot takes one twice. Does not know what a link opens."""

from datetime import datetime

from storage.engine.protocol import OwnerDatabase
from storage.schema.rows import text_of


class UsedLinks:
    """One instance for each database."""

    def __init__(self, database: OwnerDatabase) -> None:
        self._db = database

    async def take(self, nonce: str, *, expires_at: datetime, now: datetime) -> bool:
        """Note that a link is followed; False where it was followed before. Expired links are dropped."""
        async with self._db.write(None) as tx:
            await tx.rows("DELETE FROM used_links WHERE expires_at < ?", text_of(now))
            return bool(await tx.rows(_TAKE, nonce, text_of(expires_at)))


_TAKE = "INSERT INTO used_links (nonce, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING nonce"
