"""Reserve ports for tests that run in parallel."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserve_port() -> Iterator[int]:
    """Reserve a port of 127.0.0.1 where nothing listens until a server asks for it, as http_server does.

    The port stays bound meanwhile. The system may give a released port to a test that runs in parallel.
    """
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]
