"""Reserve ports for tests that run in parallel."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserve_port() -> Iterator[int]:
    """A port of 127.0.0.1 where nobody listens until a server asks for it by its number, as http_server does.

    It stays bound: a port that was released is the next one given to whoever asks for any, and tests run side by side.
    """
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]
