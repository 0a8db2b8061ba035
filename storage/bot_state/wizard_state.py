"""The state of each person's /summary wizard in a scope, stored so that it survives a restart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from records.owners import StorageType
from records.scopes import Scope
from runtime.read_through_cache import ReadThroughCache
from storage.engine.protocol import OwnerDatabase, StatementRunner, Transaction
from storage.schema.rows import format_moment

LEFT = "left"  # The step of a finished wizard. Its `nonce` is the id of the update that ended it, which may come again.


@dataclass(frozen=True, kw_only=True, slots=True)
class WizardState:
    """A wizard in progress. Its buttons carry `nonce`, so that the buttons of an older wizard do nothing."""

    scope: Scope
    person: int
    step: str
    nonce: str
    expires_at: datetime
    storage: StorageType | None = None

    def accepts_answer(self, update_id: int) -> bool:
        """Return True if an update may answer the wizard, or if it is the update that ended the wizard."""
        return self.step != LEFT or self.nonce == str(update_id)


class WizardStates(StatementRunner):
    """The wizard state of each person in each scope, with a cache. Use one instance per database."""

    def __init__(self, database: OwnerDatabase) -> None:
        super().__init__(database)
        # Every message looks here, and nearly always finds no wizard.
        self._known = ReadThroughCache[tuple[Scope, int], WizardState | None](10_000)

    async def find_state(self, scope: Scope, person_id: int) -> WizardState | None:
        return await self._known.get((scope, person_id), partial(self._read_state, scope, person_id))

    async def _read_state(self, scope: Scope, person_id: int) -> WizardState | None:
        sql = "SELECT * FROM wizards WHERE user_id = ? AND thread_id = ? AND person_id = ?"
        row = await self._fetch_row(scope.owner, sql, *scope, person_id)
        if row is None:
            return None
        return WizardState(
            scope=scope,
            person=person_id,
            step=row["step"],
            nonce=row["nonce"],
            expires_at=datetime.fromisoformat(row["expires_at"]),
            storage=StorageType(row["storage"]) if row["storage"] else None,
        )

    async def store_state(self, state: WizardState) -> None:
        async with self._begin_write(state.scope.owner) as tx:
            values = (state.step, state.storage, state.nonce, format_moment(state.expires_at))
            await tx.execute(_PUT, *state.scope, state.person, *values)

    async def delete_state_if_exists(self, scope: Scope, person_id: int) -> bool:
        """Delete a wizard. Return False if there was none."""
        async with self._begin_write(scope.owner) as tx:
            sql = "DELETE FROM wizards WHERE user_id = ? AND thread_id = ? AND person_id = ? RETURNING 1"
            return await tx.fetch_row(sql, *scope, person_id) is not None

    async def delete_states(self, owner: int) -> None:
        async with self._begin_write(owner) as tx:
            await tx.execute("DELETE FROM wizards WHERE user_id = ?", owner)

    @asynccontextmanager
    async def _begin_write(self, owner: int) -> AsyncIterator[Transaction]:
        """Open a transaction. Clear the owner's cache when the transaction ends, even if it fails."""
        try:
            async with self.database.open_transaction(owner) as tx:
                yield tx
        finally:
            self.clear_cache(owner)

    def clear_cache(self, owner: int) -> None:
        """Clear the cache of an owner whose rows have changed."""
        self._known.drop(lambda key: key[0].owner == owner)


_PUT = """
INSERT INTO wizards (user_id, thread_id, person_id, step, storage, nonce, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, thread_id, person_id) DO UPDATE SET step = excluded.step, storage = excluded.storage,
  nonce = excluded.nonce, expires_at = excluded.expires_at
"""
