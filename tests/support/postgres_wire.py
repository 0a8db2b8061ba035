"""A proxy in front of a PostgreSQL server. It can cut a connection at a COMMIT, or fall silent."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

COMMIT = b"COMMIT\0"
SOCKET = ".s.PGSQL.5432"


@dataclass
class Wire:
    """A proxy in front of a PostgreSQL server. With `cuts`, it cuts the connection at the next COMMIT.

    `arrives`: the server still receives that COMMIT.
    `cuts_some`: called at each COMMIT; True cuts it.
    `cuts_given`: the first transaction in which the server sends these bytes to the client is cut.
    `is_silent`: what the client sends is dropped without an error, as if the server's machine were gone.
    `swallowed`: set when something was dropped.
    """

    server: str
    cuts: bool = False
    arrives: bool = True
    is_silent: bool = False
    cuts_some: Callable[[], bool] = lambda: False
    cuts_given: bytes = b""
    cut: int = field(default=0, init=False)
    swallowed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _gave: asyncio.StreamReader | None = field(default=None, init=False)
    _tasks: set[asyncio.Task[None] | None] = field(default_factory=set, init=False)

    async def connected(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        from_server, to_server = await asyncio.open_unix_connection(self.server)
        back = asyncio.create_task(self._pass_on(from_server, to_client))
        try:
            while data := await from_client.read(65_536):
                if self.is_silent:
                    self.swallowed.set()
                    continue
                if await self._is_cut(data, back, from_server, to_server):
                    break
                to_server.write(data)
                await to_server.drain()
        except ConnectionError:
            pass
        finally:
            back.cancel()
            for writer in (to_client, to_server):
                writer.close()
            await asyncio.gather(back, to_client.wait_closed(), to_server.wait_closed(), return_exceptions=True)

    async def _is_cut(
        self, data: bytes, back: asyncio.Task[None], from_server: asyncio.StreamReader, to_server: asyncio.StreamWriter
    ) -> bool:
        if COMMIT not in data or not (self.cuts or from_server is self._gave or self.cuts_some()):
            return False
        self.cuts, self._gave = False, None
        self.cut += 1
        back.cancel()
        await asyncio.gather(back, return_exceptions=True)
        if self.arrives:
            to_server.write(data)
            await from_server.read(65_536)  # it has committed, and nobody hears of it
        return True

    async def ended(self) -> None:
        """Wait until all connections are closed. Cancel those of a silent proxy, which do not notice an end."""
        tasks = list(filter(None, self._tasks))
        for task in tasks if self.is_silent else ():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                if self.cuts_given and self.cuts_given in data:
                    self._gave, self.cuts_given = reader, b""
                writer.write(data)
                await writer.drain()


@contextlib.asynccontextmanager
async def lay_wire(url: str) -> AsyncIterator[tuple[str, Wire]]:
    """Run a proxy in front of the server of `url`, and yield its address and the proxy."""
    parts = conninfo_to_dict(url)
    wire = Wire(f"{parts['host']}/{SOCKET}")
    with tempfile.TemporaryDirectory() as here:  # the path of a socket has to be short
        async with await asyncio.start_unix_server(wire.connected, Path(here) / SOCKET):
            yield make_conninfo(**{**parts, "host": here}), wire  # type: ignore[arg-type]
        await wire.ended()
