"""SQL for `profiles`, which holds all versions of each owner's profile. The newest version is in use."""

import json
from datetime import datetime

from records.errors import NewerFacts, StaleFacts
from records.facts import NewProfile, Profile
from records.summaries import Summary
from storage.engine.protocol import Connection
from storage.schema.portable_tables import PROFILES
from storage.schema.rows import PROFILE_ROWS, SUMMARY_ROWS, RowMapper, format_moment
from storage.tables.facts import read_fact_revision
from storage.tables.owner_tables import OwnerTables, reserve_ids_and_get_first

_NEW_PROFILE_ROWS = RowMapper(NewProfile, PROFILES)


class ProfileTable(OwnerTables):
    """The profiles of the owners in one store, with all versions (`store.profiles`)."""

    async def find_newest_profile(self, owner: int) -> Profile | None:
        return await self._read_in_snapshot(owner, lambda connection: read_newest_profile(connection, owner))

    async def list_versions(self, owner: int) -> list[Profile]:
        """Return all versions of an owner's profile, newest first."""
        return [PROFILE_ROWS.parse(row) for row in await self._fetch_rows(owner, _ALL, owner)]

    async def store_profile(self, profile: NewProfile, *, now: datetime, revision: str | None = None) -> Profile:
        """Store a new profile version. Raise StaleFacts if a fact has changed or a source has been deleted.

        Raise NewerFacts if any fact or the profile has changed since `revision` was read with `read_revision`.
        """
        owner = profile.owner
        async with self.database.open_transaction(owner) as tx:
            if revision is not None and revision != await read_fact_revision(tx, owner):
                raise NewerFacts
            texts = await tx.fetch_rows(_TEXTS, owner, json.dumps([fact.id for fact in profile.facts]))
            if {row["id"]: row["text"] for row in texts} != {fact.id: fact.text for fact in profile.facts}:
                raise StaleFacts
            bases = () if profile.base_id is None else (profile.base_id,)
            for table, ids in (("summaries", profile.summary_ids), ("profiles", bases)):
                count = f"SELECT COUNT(*) FROM {table} WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"  # noqa: S608
                [[found]] = await tx.fetch_rows(count, owner, json.dumps(ids))
                if found != len(set(ids)):
                    raise StaleFacts
            id_ = await tx.run(reserve_ids_and_get_first, self.kind, owner, "next_profile_id")
            before = await tx.fetch_row(f"{_ALL} LIMIT 1", owner)
            row = _NEW_PROFILE_ROWS.to_row(profile) | {"id": id_, "created_at": format_moment(now)}
            row["last_summary_id"] = max((before["last_summary_id"] if before else 0, *profile.summary_ids))
            row["fact_ids"] = [fact.id for fact in profile.facts]
            [stored] = await tx.fetch_rows(f"{PROFILES.upsert_sql} RETURNING *", *PROFILES.to_params(row))
        return PROFILE_ROWS.parse(stored)

    async def list_new_summaries(self, owner: int, limit: int) -> list[Summary]:
        """Return the latest level 1 summaries that no profile covers yet, ordered by id. Skip imported history."""
        return [SUMMARY_ROWS.parse(row) for row in reversed(await self._fetch_rows(owner, _UNDISTILLED, owner, limit))]


def read_newest_profile(connection: Connection, owner: int) -> Profile | None:
    row = connection.execute(f"{_ALL} LIMIT 1", (owner,)).fetchone()
    return PROFILE_ROWS.parse(row) if row else None


_ALL = "SELECT * FROM profiles WHERE user_id = ? AND status = 'completed' ORDER BY id DESC"
_TEXTS = "SELECT id, text FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
# The ids of imported history are negative.
_UNDISTILLED = """
SELECT * FROM summaries
WHERE user_id = ?1 AND level = 1 AND status = 'completed' AND last_id > 0 AND id > COALESCE(
  (SELECT last_summary_id FROM profiles WHERE user_id = ?1 AND status = 'completed' ORDER BY id DESC LIMIT 1), 0
)
ORDER BY id DESC LIMIT ?2
"""
