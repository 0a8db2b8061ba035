"""The playground's ASGI app: chat page, control endpoints, dashboard and Bot API on one port.

It refuses foreign Host headers and cross-origin requests. Serve it with playground.server.serve(), which binds
127.0.0.1.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from dashboard.app import CROSS_SITE, Guard, SafeHeaders, is_same_origin
from dashboard.host import STATIC as OF_DASHBOARD
from locales.catalog import tr, use_language
from locales.page_texts import find_reader_language, make_page_texts_for_reader
from playground.bot_api import make_bot_api
from playground.control import make_control, parse_number
from playground.faults import Faults
from playground.guests import Guests
from playground.parameters import parse_parameters
from playground.people import Impossible
from playground.refusals import Refusal
from playground.world import World

STATIC = Path(__file__).parent / "static"

HOSTS = ("127.0.0.1", "localhost")
PAGE = "/memory/"
"""Where the dashboard is."""

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Link = Callable[[int, int], Awaitable[str]]
"""link(person, owner): what a one-time link to the dashboard carries; LookupError (a sentence) for whoever may not."""


def make_playground_app(
    world: World,
    *,
    model_name: str,
    faults: Faults | None = None,
    guests: Guests | None = None,
    dashboard: ASGIApp | None = None,
    link: Link | None = None,
) -> Starlette:
    """Build the app: the page at /, its files at /static, people's actions at /api, the Bot API at /bot{token}.

    The dashboard is at /memory/, and `link` returns a person's link to it. `model_name` is shown on the page; "" stands
    for the offline model. Without `guests`, people cannot be added.
    """

    async def about(request: Request) -> Response:
        with use_language(find_reader_language(request.headers)):
            name = model_name or tr("page-offline-model")
        return JSONResponse({"model_name": name, "is_fresh": guests is not None and guests.is_fresh})

    async def texts(request: Request) -> Response:
        return JSONResponse(make_page_texts_for_reader(STATIC, request.query_params.get("wanted", ""), request.headers))

    async def dashboard_link(request: Request) -> Response:
        try:
            asked = await parse_parameters(request)
            person, owner = parse_number(asked, "person"), parse_number(asked, "owner")
            thread = asked.integer("thread", 0) or 0
        except (Impossible, Refusal):
            return JSONResponse({"error": "person, owner and thread are numbers."}, 400)
        if link is None:
            return JSONResponse({"url": ""})
        with use_language(find_reader_language(request.headers)):
            try:
                made = await link(person, owner)
            except LookupError as refused:
                return JSONResponse({"error": str(refused)}, 403)
        # Without a topic the page shows the conversation that is open.
        topic = f"&thread={thread}" if thread else ""
        return JSONResponse({"url": f"{PAGE}?owner={owner}{topic}#link={made}"})

    return Starlette(
        routes=[
            Route("/", _serve_page),
            *([Mount(PAGE.rstrip("/"), dashboard)] if dashboard is not None else []),
            Route("/api/dashboard", dashboard_link, methods=["POST"]),
            Route("/api/about", about),
            Route("/api/texts", texts),
            *(guests.routes() if guests is not None else ()),
            Mount("/api", make_control(world, faults)),
            Mount("/static/dashboard", StaticFiles(directory=OF_DASHBOARD)),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/", make_bot_api(world, faults)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            # All methods are guarded: the Bot API acts on GET too. Following a link to a page stays possible.
            Middleware(Guard, is_allowed=partial(is_same_origin, linked=frozenset({"/", PAGE})), refusal=CROSS_SITE),
            Middleware(SafeHeaders, policy=CONTENT_POLICY),
        ],
    )


async def _serve_page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", media_type="text/html")
