"""Server-sent events, read from bytes as they come. Does not know what the events carry."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from locales.catalog import tr
from records.errors import ModelBroken

LONGEST_EVENT = 4_000_000
"""Bytes of one event: an answer of 100,000 tokens all at once has fewer, also where each character is escaped."""
LINES_AT_ONCE = 32
"""Lines of a stream, after which others go on: a chunk of 64 kB may hold 1,400 events, or 65,536 empty lines."""


async def events(body: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    """The data of each server-sent event (HTML Living Standard, 9.2); the last one may lack its blank line.

    Lines end at \\n alone: str.splitlines would also cut at U+2028, which JSON may hold as it is. Raises ModelBroken
    for an event without end.
    """
    buffer, data = bytearray(), list[str]()
    size = lines = searched = 0
    async for chunk in body:
        buffer += chunk
        while (end := buffer.find(b"\n", searched)) >= 0:
            line = buffer[:end].decode("utf-8", "replace").rstrip("\r")
            del buffer[: end + 1]
            searched, lines = 0, lines + 1
            if lines % LINES_AT_ONCE == 0:
                await asyncio.sleep(0)
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
                size += end
                _demand_end(size)
            elif not line and data:
                yield "\n".join(data)
                data.clear()
                size = 0
        searched = len(buffer)
        _demand_end(size + searched)
    line = buffer.decode("utf-8", "replace").rstrip("\r")
    if line.startswith("data:"):
        data.append(line[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)


def _demand_end(size: int) -> None:
    if size > LONGEST_EVENT:
        raise ModelBroken(tr("errors-endless"))
