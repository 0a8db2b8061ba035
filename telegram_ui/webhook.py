"""Updates by webhook: an HTTP door that opens only to Telegram's secret.

Does not know what happens to an update after it is in the queue.
"""

import asyncio
import hmac
import json
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import telegram
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram.error import TelegramError

from errors import SettingsError

logger = logging.getLogger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


def webhook_app(bot: telegram.Bot, queue: "asyncio.Queue[object]", secret: str) -> Starlette:
    """Answers 200 when the update is committed, 503 when Telegram should offer it again,
    403 to everybody else.
    """

    async def receive(request: Request) -> Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return Response(status_code=403)
        try:
            data = json.loads(await request.body())
            update_id = int(data["update_id"])
        except (ValueError, TypeError, KeyError):
            return Response(status_code=400)
        try:
            update = telegram.Update.de_json(data, bot)
        except Exception as error:  # broad: PTB raises whatever it stumbles over; offering it again helps nobody
            logger.error("Update %s is unreadable (%s); ignored.", update_id, type(error).__name__)  # noqa: TRY400
            return Response()
        try:
            await queue.put(update)
        except TelegramError:
            return Response(status_code=503)
        return Response()

    # Any path: what is in front of the bot may strip the public URL's. The secret is the lock, not the path.
    return Starlette(routes=[Route("/{path:path}", receive, methods=["POST"])])


class _Server(uvicorn.Server):
    """Leaves the process's signals alone and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def served(app: Starlette, address: tuple[str, int]) -> AsyncIterator[int]:
    """Serve `app` at `address` while the block runs; gives the port.
    Raises SettingsError if it cannot be taken.
    """
    host, port = address
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host.strip("[]"), port), family=family)
    except OSError as error:
        raise SettingsError("WEBHOOK_LISTEN", f"cannot listen on {host}:{port} ({error.strerror}).") from error
    # No logging of its own: nothing that a stranger sends gets into the log.
    config = uvicorn.Config(
        app,
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    listening = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait({running, listening}, return_when=asyncio.FIRST_COMPLETED)
        yield listener.getsockname()[1]
    finally:
        listening.cancel()
        server.should_exit = True
        await running
        listener.close()
