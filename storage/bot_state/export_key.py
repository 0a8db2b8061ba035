"""The key that signs exports: made once for the bot, shared by all its processes, and carried by a backup."""

import secrets

from storage.engine.protocol import OwnerDatabase

_MAKE = "INSERT INTO export_keys (id, key) VALUES (1, ?) ON CONFLICT DO NOTHING"


class ExportKey:
    """One instance for each database."""

    def __init__(self, database: OwnerDatabase) -> None:
        self._db = database
        self._key = b""

    async def __call__(self) -> bytes:
        if not self._key:
            async with self._db.write(None) as tx:
                await tx.rows(_MAKE, secrets.token_hex(32))
                [[key]] = await tx.rows("SELECT key FROM export_keys")
            self._key = str(key).encode()
        return self._key
