"""One process among several that serve a bot: its heartbeat, and the notifications that wake it when there is work."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from attrs import define, field
from psycopg import sql

from runtime.tasks import cancel_and_wait
from storage.engine.postgres_driver import OPTIONS, abort_connection

log = logging.getLogger(__name__)

EXPIRY_SECONDS = 20.0
"""A process without a heartbeat for this long is declared dead, and others take its leases. It beats every 5 s, and a
beat may take half of this time, so less than 10 s would declare live processes dead.
"""
MAX_WAIT_SECONDS = 3.0  # the longest wait before looking for work without a notification

_REGISTER = (
    "INSERT INTO replicas (instance_id, expires_at) VALUES (%s, clock_timestamp() + %s * INTERVAL '1 s') RETURNING id"
)
_HEARTBEAT = """
WITH before AS (SELECT expires_at <= clock_timestamp() AS has_lapsed FROM replicas WHERE id = %(id)s)
UPDATE replicas SET expires_at = clock_timestamp() + %(for)s * INTERVAL '1 s' WHERE id = %(id)s
RETURNING COALESCE((SELECT has_lapsed FROM before), true),
  EXISTS (SELECT 1 FROM replicas AS other WHERE other.id <> %(id)s AND other.expires_at > clock_timestamp())
"""
# Dead until the next heartbeat: if this process stops meanwhile, it leaves no row that looks alive.
_ADD_AS_DEAD = """
INSERT INTO replicas (id, instance_id, expires_at) VALUES (%(id)s, %(instance_id)s, '-infinity') ON CONFLICT DO NOTHING
"""
_DELETE_DEAD = """
DELETE FROM replicas WHERE expires_at < clock_timestamp() - INTERVAL '1 day'
AND NOT EXISTS (SELECT 1 FROM leases WHERE replica_id = replicas.id)
"""


@define(eq=False)
class Replica:
    """This process, one of several that serve the bot. `instance_id` identifies its DATA_DIR.

    `held` maps owners to the fencing tokens of its leases. `wanted` lists the owners that other processes ask for.
    """

    instance_id: str
    id: int = field(default=0, init=False)
    held: dict[int, int] = field(factory=dict, init=False)
    wanted: set[int] = field(factory=set[int], init=False)
    called: asyncio.Event = field(factory=asyncio.Event, init=False)
    _raw: psycopg.AsyncConnection[Any] | None = field(default=None, init=False)
    _sure_until: float = field(default=0.0, init=False)
    _is_alone: bool = field(default=False, init=False)
    _heartbeat_done: asyncio.Event = field(factory=asyncio.Event, init=False)

    def register_process_in_database(self, raw: psycopg.Connection[Any]) -> None:
        """Register this process, and mark any earlier process with the same DATA_DIR as dead."""
        begun = _read_boot_clock()
        with raw.transaction():
            raw.execute("UPDATE replicas SET expires_at = '-infinity' WHERE instance_id = %s", (self.instance_id,))
            row = raw.execute(_REGISTER, (self.instance_id, EXPIRY_SECONDS)).fetchone()
        self.id = int(row[0]) if row else 0
        self._sure_until = begun + EXPIRY_SECONDS

    def is_certainly_alive(self) -> bool:
        """Return True if no other process can have declared this one dead, judging by its own clock."""
        return self._is_alone or _read_boot_clock() < self._sure_until

    async def wait_for_fresh_heartbeat(self) -> None:
        """Wait until the next heartbeat succeeds or fails, if the last heartbeat is too old."""
        if _read_boot_clock() >= self._sure_until:
            await self._heartbeat_done.wait()

    async def wait_for_work(self) -> None:
        """Wait until there is work for this process, but at most a few seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self.called.wait()
        self.called.clear()

    @asynccontextmanager
    async def send_heartbeats(self, url: str, on_leases_lost: Callable[[], None]) -> AsyncIterator[None]:
        """Send heartbeats while the block runs. Call `on_leases_lost` if other processes may have taken the leases."""
        task = asyncio.create_task(self._run_heartbeat(url, on_leases_lost))
        try:
            yield
        finally:
            if self._raw is not None:
                abort_connection(self._raw)  # otherwise psycopg waits up to ten seconds for a cancelled query
            await cancel_and_wait(task)

    async def _run_heartbeat(self, url: str, on_leases_lost: Callable[[], None]) -> None:
        was_away = False
        while True:
            try:
                async with asyncio.timeout(EXPIRY_SECONDS):
                    raw = await psycopg.AsyncConnection.connect(url, **OPTIONS)
                self._raw = raw
                async with raw:
                    await self._listen_to_channels(raw)
                    was_away = False
                    while True:
                        async with asyncio.timeout(EXPIRY_SECONDS / 2):
                            await self._send_heartbeat(raw, on_leases_lost)
                        async for called in raw.notifies(timeout=5.0):
                            if called.payload:
                                self.wanted.add(int(called.payload))
                            self.called.set()
            except (psycopg.Error, TimeoutError, OSError) as error:
                if not was_away:
                    log.warning("The PostgreSQL server does not hear that this process lives: %s", type(error).__name__)
                was_away = True
            if not self.is_certainly_alive():
                on_leases_lost()
            self._signal_heartbeat_done()
            await asyncio.sleep(1.0)

    async def _listen_to_channels(self, raw: psycopg.AsyncConnection[Any]) -> None:
        row = await (await raw.execute("SELECT current_schema()")).fetchone()
        schema = row[0] if row else ""
        for channel in (f"keepsake_{schema}", f"keepsake_{schema}_{self.id}"):
            await raw.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        self.called.set()  # work may have arrived before LISTEN

    async def _send_heartbeat(self, raw: psycopg.AsyncConnection[Any], on_leases_lost: Callable[[], None]) -> None:
        begun = _read_boot_clock()
        values = {"id": self.id, "instance_id": self.instance_id, "for": EXPIRY_SECONDS}
        while (row := await (await raw.execute(_HEARTBEAT, values)).fetchone()) is None:
            await raw.execute(_ADD_AS_DEAD, values)  # its row was deleted after a day without a heartbeat
        await raw.execute(_DELETE_DEAD)
        has_lapsed, has_others = row
        self._sure_until, self._is_alone = begun + EXPIRY_SECONDS, not has_others
        if has_lapsed:
            log.warning("This process was away for so long that others may have taken over its work.")
            on_leases_lost()
        self._signal_heartbeat_done()

    def _signal_heartbeat_done(self) -> None:
        self._heartbeat_done.set()
        self._heartbeat_done = asyncio.Event()


def _read_boot_clock() -> float:
    """Return a monotonic time in seconds that includes system sleep, if the platform supports that."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
