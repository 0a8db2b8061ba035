"""Where each person stands in the /summary wizard of a scope; lives in memory.db, so that a restart changes nothing.

Does not know the wizard's steps or words, nor the time: an expired state is returned, and its reader says so.
"""

from dataclasses import dataclass
from datetime import datetime

from records.owners import StorageType
from records.scopes import Scope
from storage.files.database import Database
from storage.files.rows import text_of


@dataclass(frozen=True, kw_only=True, slots=True)
class WizardState:
    """A wizard in progress. `nonce` is in its buttons, so that those of an older run do nothing."""

    scope: Scope
    person: int
    step: str
    nonce: str
    expires_at: datetime
    storage: StorageType | None = None


class WizardStates:
    """At most one state for each scope and person. Every method is durable when it returns."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def get(self, scope: Scope, person: int) -> WizardState | None:
        async with self._db.read() as reader:
            row = await reader.row(
                "SELECT * FROM wizards WHERE user_id = ? AND thread_id = ? AND person_id = ?", *scope, person
            )
        if row is None:
            return None
        return WizardState(
            scope=scope,
            person=person,
            step=row["step"],
            nonce=row["nonce"],
            expires_at=datetime.fromisoformat(row["expires_at"]),
            storage=StorageType(row["storage"]) if row["storage"] else None,
        )

    async def put(self, state: WizardState) -> None:
        async with self._db.write() as tx:
            await tx.rows(
                """
                INSERT INTO wizards (user_id, thread_id, person_id, step, storage, nonce, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET
                  step = excluded.step, storage = excluded.storage,
                  nonce = excluded.nonce, expires_at = excluded.expires_at
                """,
                state.scope.owner,
                state.scope.thread,
                state.person,
                state.step,
                state.storage,
                state.nonce,
                text_of(state.expires_at),
            )

    async def drop(self, scope: Scope, person: int) -> bool:
        """Remove the state; whether there was one."""
        async with self._db.write() as tx:
            row = await tx.row(
                "DELETE FROM wizards WHERE user_id = ? AND thread_id = ? AND person_id = ? RETURNING 1", *scope, person
            )
        return row is not None

    async def forget(self, owner: int) -> None:
        """Remove the states of all scopes of an owner."""
        async with self._db.write() as tx:
            await tx.rows("DELETE FROM wizards WHERE user_id = ?", owner)
