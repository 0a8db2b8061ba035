"""The documents about owners: every version, the newest in use.

A part of SqliteStore, with a file of its own; keeps store.Profiles' promise. Owns the SQL of `profiles`. Does not know
how one is made.
"""

import json
from datetime import datetime

from records.errors import StaleFacts, StorageError
from records.facts import NewProfile, Profile
from records.owners import StorageType
from records.summaries import Summary
from storage.files.database import Database
from storage.files.rows import mapping, profile_of, summary_of, text_of
from storage.files.tables import PROFILES


class ProfileTable:
    """The profiles of the owners that live in one store."""

    def __init__(self, database: Database, kind: StorageType) -> None:
        self.kind = kind
        self._db = database

    async def newest(self, owner: int) -> Profile | None:
        async with self._db.read() as reader:
            row = await reader.row(f"{_ALL} LIMIT 1", owner)
        return profile_of(mapping(row)) if row else None

    async def versions(self, owner: int) -> list[Profile]:
        async with self._db.read() as reader:
            rows = await reader.rows(_ALL, owner)
        return [profile_of(mapping(row)) for row in rows]

    async def put(self, profile: NewProfile, *, now: datetime) -> Profile:
        owner = profile.owner
        async with self._db.write() as tx:
            texts = await tx.rows(_TEXTS, owner, json.dumps([fact.id for fact in profile.facts]))
            if {row["id"]: row["text"] for row in texts} != {fact.id: fact.text for fact in profile.facts}:
                raise StaleFacts
            for table, ids in (
                ("summaries", profile.summary_ids),
                ("profiles", () if profile.base_id is None else (profile.base_id,)),
            ):
                row = await tx.row(
                    f"SELECT COUNT(*) FROM {table} WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",  # noqa: S608
                    owner,
                    json.dumps(ids),
                )
                if row is None or row[0] != len(set(ids)):
                    raise StaleFacts
            counter = await tx.row(_TAKE_ID, owner, self.kind)
            if counter is None:
                raise StorageError("This memory is not kept here; turn it on first.")
            before = await tx.row(f"{_ALL} LIMIT 1", owner)
            stored: dict[str, object] = {
                "id": int(counter[0]) - 1,
                "user_id": owner,
                "text": profile.text,
                "created_at": text_of(now),
                "model": profile.model,
                "last_summary_id": max((before["last_summary_id"] if before else 0, *profile.summary_ids)),
                "status": "completed",
                "tokens_in": profile.tokens_in,
                "tokens_out": profile.tokens_out,
                "base_id": profile.base_id,
                "fact_ids": [fact.id for fact in profile.facts],
            }
            await tx.rows(PROFILES.upsert, *PROFILES.stored(stored))
        return profile_of(stored)

    async def undistilled(self, owner: int, limit: int) -> list[Summary]:
        async with self._db.read() as reader:
            rows = await reader.rows(_UNDISTILLED, owner, limit)
        return [summary_of(mapping(row)) for row in rows][::-1]


_ALL = "SELECT * FROM profiles WHERE user_id = ? AND status = 'completed' ORDER BY id DESC"
_TEXTS = "SELECT id, text FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_TAKE_ID = """
UPDATE users SET next_profile_id = next_profile_id + 1 WHERE user_id = ? AND storage_type = ? RETURNING next_profile_id
"""
# Of imported history (its ids are negative) nothing is learned unasked.
_UNDISTILLED = """
SELECT * FROM summaries WHERE user_id = ?1 AND level = 1 AND status = 'completed' AND last_id > 0 AND id > COALESCE(
  (SELECT last_summary_id FROM profiles WHERE user_id = ?1 AND status = 'completed' ORDER BY id DESC LIMIT 1), 0
)
ORDER BY id DESC LIMIT ?2
"""
