"""People who asked to be let in, whom an admin let in or removed, and who claimed the bot by its link: held in memory,
since each update asks.
"""

from collections.abc import Sequence
from datetime import datetime

from records.owners import KnownPerson, Standing
from storage.engine.protocol import OwnerDatabase, Row
from storage.schema.rows import text_of

MOST_ASKED = 500
"""People who asked, or were refused, that are remembered; the oldest are forgotten, and may ask again."""
CLAIM = "claim of the bot"
"""Its place among the one-time links; no nonce of another has a space in it."""
LONGEST_NAME = 64
"""Characters."""


class People:
    """One instance for each database. Every method that changes something is durable when it returns."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database
        self._held: dict[int, KnownPerson] = {}
        self._writes = 0

    async def load(self) -> None:
        """Read what is stored: at start, and now and then where another process may have written."""
        while True:  # ends: admins decide rarely
            writes = self._writes
            async with self.database.read(None) as reader:
                rows = await reader.rows("SELECT * FROM people ORDER BY changed_at, person_id")
            if writes == self._writes:  # otherwise this may lack what was written in the meantime
                self._held = {person.id: person for person in map(_person, rows)}
                return

    def standing(self, person: int) -> Standing | None:
        """The status of a person; None: unknown."""
        found = self._held.get(person)
        return found.standing if found else None

    def get(self, person: int) -> KnownPerson | None:
        return self._held.get(person)

    def listed(self, standing: Standing) -> Sequence[KnownPerson]:
        """Those of a standing, the latest last."""
        return [person for person in self._held.values() if person.standing == standing]

    @property
    def claimed_by(self) -> frozenset[int]:
        """Whoever claimed the bot by its link, and so is an admin."""
        return frozenset(person.id for person in self.listed("admin"))

    async def offer_claim(self, *, until: datetime, now: datetime) -> datetime:
        """Return until when the link works that makes its first reader the admin: `until`, unless an earlier start, or
        another process, has offered one that still works.
        """
        async with self.database.write(None) as tx:
            [[offered]] = await tx.rows(_OFFER_CLAIM, CLAIM, text_of(until), text_of(now))
        return datetime.fromisoformat(str(offered))

    async def claim(self, one: KnownPerson, *, until: datetime, now: datetime) -> bool:
        """Make this person the admin; False where somebody has used the link that works `until` then."""
        return now < until and await self._put(one, by=one.id, now=now, using=until)

    async def ask(self, one: KnownPerson, *, now: datetime) -> bool:
        """Note that somebody asks to be let in; False where they asked before, or an admin has decided."""
        if one.id in self._held:
            return False
        await self.put(one, by=0, now=now)
        return True

    async def put(self, one: KnownPerson, *, by: int, now: datetime) -> None:
        """Keep what was decided of a person. `by`: the admin."""
        await self._put(one, by=by, now=now)

    async def _put(self, one: KnownPerson, *, by: int, now: datetime, using: datetime | None = None) -> bool:
        """`using`: the offer of a claim that this uses up; False where it is used up already."""
        async with self.database.write(None) as tx:
            if using is not None and not await tx.rows(_USE_CLAIM, CLAIM, text_of(using)):
                return False
            await tx.rows(_PUT, one.id, one.standing, one.name[:LONGEST_NAME], one.language, text_of(now), by)
            gone = await tx.rows(_SURPLUS, MOST_ASKED)
        self._writes += 1
        self._held.pop(one.id, None)  # so that it is the latest
        self._held[one.id] = one
        for row in gone:
            self._held.pop(int(row[0]), None)
        return True


def _person(row: Row) -> KnownPerson:
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
_SURPLUS = """
DELETE FROM people WHERE person_id IN (
  SELECT person_id FROM people WHERE standing IN ('asked', 'refused') ORDER BY changed_at DESC, person_id LIMIT 10000
  OFFSET ?
) RETURNING person_id
"""
