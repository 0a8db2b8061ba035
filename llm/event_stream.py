"""Server-sent events, read from bytes as they come. Does not know what the events carry."""

from collections.abc import AsyncGenerator, AsyncIterator


async def events(body: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    """The data of each server-sent event (HTML Living Standard, 9.2); the last one may lack its blank line.

    Lines end at \\n alone: str.splitlines would also cut at U+2028, which JSON may hold as it is.
    """
    buffer, data = bytearray(), list[str]()
    async for chunk in body:
        buffer += chunk
        while (end := buffer.find(b"\n")) >= 0:
            line = buffer[:end].decode("utf-8", "replace").rstrip("\r")
            del buffer[: end + 1]
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data.clear()
    line = buffer.decode("utf-8", "replace").rstrip("\r")
    if line.startswith("data:"):
        data.append(line[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)
