"""People who asked for access, were admitted or removed by an admin, or claimed the bot with its link."""

from collections.abc import Sequence
from datetime import datetime

from records.owners import AccessStatus, KnownPerson
from storage.engine.protocol import OwnerDatabase, Row, StatementRunner
from storage.schema.rows import format_moment

MAX_APPLICANTS = 500
"""People with an open or refused request who are remembered. The oldest are forgotten and may ask again."""
CLAIM = "claim of the bot"
"""The key of the claim among the one-time links. It cannot equal a nonce, which never contains a space."""
MAX_NAME_CHARS = 64  # names are cut at this length to bound the table


class People(StatementRunner):
    """The known people, cached because every update checks them. Every change is durable when its method returns."""

    def __init__(self, database: OwnerDatabase) -> None:
        super().__init__(database)
        self._known: dict[int, KnownPerson] = {}
        self._writes = 0

    async def load_people(self) -> None:
        """Load the cache. Call this at startup, and periodically if other processes may write."""
        while True:  # ends: admins decide rarely
            writes = self._writes
            rows = await self._fetch_rows(None, "SELECT * FROM people ORDER BY changed_at, person_id")
            if writes == self._writes:  # otherwise the rows may lack a concurrent write
                self._known = {person.id: person for person in map(_parse_person, rows)}
                return

    def get_access_status(self, person_id: int) -> AccessStatus | None:
        known = self._known.get(person_id)
        return known.standing if known else None

    def find_person(self, person_id: int) -> KnownPerson | None:
        return self._known.get(person_id)

    def list_people(self, status: AccessStatus) -> Sequence[KnownPerson]:
        """Return the people with this access status, ordered by when it last changed."""
        return [person for person in self._known.values() if person.standing == status]

    @property
    def admin_ids_from_bot_claims(self) -> frozenset[int]:
        """The people who became admins by claiming the bot with its link."""
        return frozenset(person.id for person in self.list_people("admin"))

    async def get_or_renew_admin_link_expiry(self, *, new_expiry: datetime, now: datetime) -> datetime:
        """Return the expiry of the link that makes its first user the admin. If no link is valid, offer a new one."""
        [[offered]] = await self._execute(None, _OFFER_CLAIM, CLAIM, format_moment(new_expiry), format_moment(now))
        return datetime.fromisoformat(str(offered))

    async def claim_bot_if_link_is_valid(self, person: KnownPerson, *, expiry: datetime, now: datetime) -> bool:
        """Make this person the admin. Return False if the link that expires at `expiry` was used or has expired."""
        return now < expiry and await self.try_to_set_status(person, admin_id=person.id, now=now, link_expiry=expiry)

    async def record_applicant_if_unknown(self, person: KnownPerson, *, now: datetime) -> bool:
        """Record a person's request for access. Return False if the person is already known."""
        return person.id not in self._known and await self.try_to_set_status(person, admin_id=0, now=now)

    async def try_to_set_status(
        self, person: KnownPerson, *, admin_id: int, now: datetime, link_expiry: datetime | None = None
    ) -> bool:
        """Store an admin's decision. Return False if the link that expires at `link_expiry` was already used."""
        async with self.database.open_transaction(None) as tx:
            if link_expiry is not None and not await tx.fetch_rows(_USE_CLAIM, CLAIM, format_moment(link_expiry)):
                return False
            name = person.name[:MAX_NAME_CHARS]
            await tx.execute(_PUT, person.id, person.standing, name, person.language, format_moment(now), admin_id)
            deleted = await tx.fetch_rows(_DELETE_SURPLUS, MAX_APPLICANTS)
        self._writes += 1
        self._known.pop(person.id, None)  # reinsert as the latest
        self._known[person.id] = person
        for row in deleted:
            self._known.pop(int(row[0]), None)
        return True


def _parse_person(row: Row) -> KnownPerson:
    return KnownPerson(id=row["person_id"], standing=row["standing"], name=row["name"], language=row["language"])


_OFFER_CLAIM = """
INSERT INTO used_links (nonce, expires_at) VALUES (?1, ?2) ON CONFLICT (nonce) DO UPDATE
SET expires_at = CASE WHEN used_links.expires_at > ?3 THEN used_links.expires_at ELSE excluded.expires_at END
RETURNING expires_at
"""
_USE_CLAIM = "DELETE FROM used_links WHERE nonce = ? AND expires_at = ? RETURNING nonce"
_PUT = """
INSERT INTO people (person_id, standing, name, language, changed_at, changed_by) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (person_id) DO UPDATE SET standing = excluded.standing, name = excluded.name,
  language = excluded.language, changed_at = excluded.changed_at, changed_by = excluded.changed_by
"""
_DELETE_SURPLUS = """
DELETE FROM people WHERE person_id IN (
  SELECT person_id FROM people WHERE standing IN ('asked', 'refused') ORDER BY changed_at DESC, person_id LIMIT 10000
  OFFSET ?
) RETURNING person_id
"""
