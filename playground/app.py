"""The playground as one app on one port: chat page, control endpoints, memory panel and Bot API.

Refuses what comes from another site: foreign Host headers and cross-origin requests. Serve it with
playground.server.serve(), which binds 127.0.0.1 only. Knows neither the bot nor its memory.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from locales.catalog import speaking, tr
from playground.bot_api import bot_api
from playground.control import control, number_of
from playground.faults import Faults
from playground.guests import Guests
from playground.panel import MemoryPanel
from playground.parameters import Parameters
from playground.people import Impossible
from playground.refusals import Refusal
from playground.texts import MOST_WANTED, page_texts, preferred, reader_of
from playground.world import World

STATIC = Path(__file__).parent / "static"

HOSTS = ("127.0.0.1", "localhost")

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Memory = Callable[[int, int], Awaitable[MemoryPanel]]
"""memory(owner, thread): what the panel shows of that scope; LookupError (a sentence) if there is none."""


def playground_app(
    world: World, *, memory: Memory, model_name: str, faults: Faults | None = None, guests: Guests | None = None
) -> Starlette:
    """The page at /, its files at /static, people's acts at /api, the Bot API at /bot{token}.

    `model_name` tells the person who answers, "gpt-5.4-mini"; "" is the offline model. `guests`: what the page
    may change of the people; None: nothing.
    """

    async def about(request: Request) -> Response:
        with speaking(reader_of(request)):
            name = model_name or tr("page-offline-model")
        return JSONResponse({"model_name": name, "is_fresh": guests is not None and guests.is_fresh})

    async def texts(request: Request) -> Response:
        wanted = request.query_params.get("wanted", "").split(",")[:MOST_WANTED]
        return JSONResponse(page_texts(preferred(wanted)))

    async def panel(request: Request) -> Response:
        asked = Parameters(request.query_params)
        try:
            owner, thread = number_of(asked, "owner"), asked.integer("thread", 0) or 0
        except (Impossible, Refusal):
            return JSONResponse({"error": "owner and thread are numbers."}, 400)
        try:
            with speaking(reader_of(request)):
                shown = await memory(owner, thread)
        except LookupError as missing:
            return JSONResponse({"error": str(missing)}, 404)
        return Response(shown.to_json(), media_type="application/json")

    return Starlette(
        routes=[
            Route("/", _page),
            Route("/api/about", about),
            Route("/api/texts", texts),
            Route("/api/memory", panel),
            *(guests.routes() if guests is not None else ()),
            Mount("/api", control(world, faults)),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/", bot_api(world, faults)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            Middleware(_SameOrigin),
            Middleware(_SafeHeaders),
        ],
    )


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", media_type="text/html")


class _SameOrigin:
    """Refuses requests that another site's page makes; programs and this page's own requests pass.

    All methods are guarded: the Bot API acts on GET too. Following a link to the page itself stays possible.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_own(scope):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse("Another site may not use the playground.", 403)(scope, receive, send)


def _is_own(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    try:
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return False
    except ValueError:  # such as http://[
        return False
    if scope["path"] == "/" and scope["method"] == "GET":
        return True
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


class _SafeHeaders:
    """Headers for everything that a browser gets here; an answer's own, stricter policy stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", CONTENT_POLICY)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
                # The page changes with the program: an old module next to a new one breaks it.
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, guarded)
