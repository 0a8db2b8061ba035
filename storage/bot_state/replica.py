"""One process among several that serve a bot: that it lives, and that it is woken when there is work.

Owns the row of `replicas`, its renewal, and the connection that listens. Does not know what a lease is for (leases.py).
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from attrs import define, field
from psycopg import sql

from runtime.tasks import ended
from storage.engine.postgres_driver import OPTIONS, cut

log = logging.getLogger(__name__)

LIVES_SECONDS = 20.0
"""A process that has said nothing for so long is taken for dead: its leases go to the others. It speaks every 5 s, and
that may take half of this: below 10 seconds the living would be taken for dead.
"""
LOOK_SECONDS = 3.0
"""The longest wait before looking for work, where nobody called."""

_REGISTER = (
    "INSERT INTO replicas (instance_id, expires_at) VALUES (%s, clock_timestamp() + %s * INTERVAL '1 s') RETURNING id"
)
_VOID = "UPDATE replicas SET expires_at = '-infinity' WHERE instance_id = %s"
_BEAT = """
WITH before AS (SELECT expires_at <= clock_timestamp() AS has_lapsed FROM replicas WHERE id = %(id)s)
INSERT INTO replicas (id, instance_id, expires_at)
VALUES (%(id)s, %(instance_id)s, clock_timestamp() + %(for)s * INTERVAL '1 s')
ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
RETURNING COALESCE((SELECT has_lapsed FROM before), true),
  EXISTS (SELECT 1 FROM replicas AS other WHERE other.id <> %(id)s AND other.expires_at > clock_timestamp())
"""
_GONE = """
DELETE FROM replicas WHERE expires_at < clock_timestamp() - INTERVAL '1 day'
AND NOT EXISTS (SELECT 1 FROM leases WHERE replica_id = replicas.id)
"""


@define(eq=False)
class Replica:
    """This process. `held`: the fences of the leases that it holds, by owner; `instance_id`: of its DATA_DIR; `wanted`:
    owners whom another process would like to serve.

    `lapsed`: called when it was taken for dead in the meantime, so that others may have taken what it held.
    """

    instance_id: str
    id: int = field(default=0, init=False)
    held: dict[int, int] = field(factory=dict, init=False)
    wanted: set[int] = field(factory=set[int], init=False)
    called: asyncio.Event = field(factory=asyncio.Event, init=False)
    _raw: psycopg.AsyncConnection[Any] | None = field(default=None, init=False)
    _sure_until: float = field(default=0.0, init=False)
    _is_alone: bool = field(default=False, init=False)
    _beaten: asyncio.Event = field(factory=asyncio.Event, init=False)

    def register(self, raw: psycopg.Connection[Any]) -> None:
        """Become one of the processes. Whoever held the same DATA_DIR is dead, for this process holds it."""
        begun = _now()
        with raw.transaction():
            raw.execute(_VOID, (self.instance_id,))
            row = raw.execute(_REGISTER, (self.instance_id, LIVES_SECONDS)).fetchone()
        self.id = int(row[0]) if row else 0
        self._sure_until = begun + LIVES_SECONDS

    def may_go_on(self) -> bool:
        """Whether nobody else can have taken over what this process does, as far as its own clock tells."""
        return self._is_alone or _now() < self._sure_until

    async def until_sure(self) -> None:
        """Wait until the server has heard that this process lives, where that was too long ago; at most until it cannot
        be asked.
        """
        if _now() >= self._sure_until:
            await self._beaten.wait()

    async def until_called(self) -> None:
        """Wait until somebody has work for this process, a few seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self.called.wait()
        self.called.clear()

    @asynccontextmanager
    async def living(self, url: str, lapsed: Callable[[], None]) -> AsyncIterator[None]:
        """While the block runs, this process says that it lives, and hears when it is called."""
        task = asyncio.create_task(self._live(url, lapsed))
        try:
            yield
        finally:
            if self._raw is not None:
                cut(self._raw)  # the driver gives a question that is broken off ten seconds to end
            await ended(task)

    async def _live(self, url: str, lapsed: Callable[[], None]) -> None:
        was_away = False
        while True:
            try:
                async with asyncio.timeout(LIVES_SECONDS):
                    raw = await psycopg.AsyncConnection.connect(url, **OPTIONS)
                self._raw = raw
                async with raw:
                    await self._listen(raw)
                    was_away = False
                    while True:
                        async with asyncio.timeout(LIVES_SECONDS / 2):
                            await self._beat(raw, lapsed)
                        async for called in raw.notifies(timeout=5.0):
                            if called.payload:
                                self.wanted.add(int(called.payload))
                            self.called.set()
            except (psycopg.Error, TimeoutError, OSError) as error:
                if not was_away:
                    log.warning("The PostgreSQL server does not hear that this process lives: %s", type(error).__name__)
                was_away = True
            if not self.may_go_on():
                lapsed()
            self._note_beat()
            await asyncio.sleep(1.0)

    async def _listen(self, raw: psycopg.AsyncConnection[Any]) -> None:
        cursor = await raw.execute("SELECT current_schema()")
        row = await cursor.fetchone()
        schema = row[0] if row else ""
        for channel in (f"keepsake_{schema}", f"keepsake_{schema}_{self.id}"):
            await raw.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        self.called.set()  # what came before we listened

    async def _beat(self, raw: psycopg.AsyncConnection[Any], lapsed: Callable[[], None]) -> None:
        begun = _now()
        values = {"id": self.id, "instance_id": self.instance_id, "for": LIVES_SECONDS}
        row = await (await raw.execute(_BEAT, values)).fetchone()
        await raw.execute(_GONE)
        has_lapsed, has_others = row or (True, True)
        self._sure_until, self._is_alone = begun + LIVES_SECONDS, not has_others
        if has_lapsed:
            log.warning("This process was away for so long that others may have taken over its work.")
            lapsed()
        self._note_beat()

    def _note_beat(self) -> None:
        """Whoever waits for the server goes on, whether or not it has answered."""
        self._beaten.set()
        self._beaten = asyncio.Event()


def _now() -> float:
    """Seconds that also pass while the machine sleeps, where the system counts them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
