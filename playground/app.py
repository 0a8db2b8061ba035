"""The playground's ASGI app: chat page, control endpoints, dashboard and Bot API on one port.

It refuses foreign Host headers and cross-origin requests. Serve it with playground.server.serve(), which binds
127.0.0.1.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from dashboard.app import CROSS_SITE, RequestGuard, SafeHeaders, is_same_origin
from dashboard.host import STATIC as DASHBOARD_STATIC
from locales.catalog import tr, use_language
from locales.page_texts import find_supported_browser_language, make_page_texts_for_request
from playground.bot_api import make_bot_api
from playground.control import make_control_router
from playground.faults import Faults
from playground.guests import GuestEndpoints
from playground.parameters import parse_parameters
from playground.people import Impossible
from playground.refusals import Refusal
from playground.world import World

STATIC = Path(__file__).parent / "static"

HOSTS = ("127.0.0.1", "localhost")
PAGE = "/memory/"
"""The path of the dashboard."""

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

MakeLink = Callable[[int, int], Awaitable[str]]
"""make_link(person, owner): return the key of a one-time link to the dashboard.

Raise LookupError with a sentence if the person may not see the owner's memory.
"""


def make_playground_app(
    world: World,
    *,
    model_name: str,
    faults: Faults | None = None,
    guests: GuestEndpoints | None = None,
    dashboard: ASGIApp | None = None,
    make_link: MakeLink | None = None,
) -> Starlette:
    """Build the app, with the page at /, files at /static, people's actions at /api, and the Bot API at /bot{token}.

    The dashboard is at /memory/, and `make_link` makes a person's link to it. The page shows `model_name`, which is
    "" for the offline model. Without `guests`, nobody can be added on the page.
    """

    async def serve_about(request: Request) -> Response:
        with use_language(find_supported_browser_language(request.headers)):
            name = model_name or tr("page-offline-model")
        return JSONResponse({"model_name": name, "is_fresh": guests is not None and guests.has_no_stored_people})

    async def serve_texts(request: Request) -> Response:
        return JSONResponse(
            make_page_texts_for_request(STATIC, request.query_params.get("wanted", ""), request.headers)
        )

    async def serve_dashboard_link(request: Request) -> Response:
        try:
            parameters = await parse_parameters(request)
            person, owner = parameters.require_integers("person", "owner")
            thread = parameters.read_integer("thread", 0) or 0
        except (Impossible, Refusal):
            return JSONResponse({"error": "person, owner and thread are numbers."}, 400)
        if make_link is None:
            return JSONResponse({"url": ""})
        with use_language(find_supported_browser_language(request.headers)):
            try:
                link_key = await make_link(person, owner)
            except LookupError as refused:
                return JSONResponse({"error": str(refused)}, 403)
        # Without a topic, the page shows the open conversation.
        topic = f"&thread={thread}" if thread else ""
        return JSONResponse({"url": f"{PAGE}?owner={owner}{topic}#link={link_key}"})

    return Starlette(
        routes=[
            Route("/", _serve_page),
            *([Mount(PAGE.rstrip("/"), dashboard)] if dashboard is not None else []),
            Route("/api/dashboard", serve_dashboard_link, methods=["POST"]),
            Route("/api/about", serve_about),
            Route("/api/texts", serve_texts),
            *(guests.list_routes() if guests is not None else ()),
            Mount("/api", make_control_router(world, faults)),
            Mount("/static/dashboard", StaticFiles(directory=DASHBOARD_STATIC)),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/", make_bot_api(world, faults)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            Middleware(RequestGuard, is_allowed=_is_link_or_same_origin, refusal=CROSS_SITE),
            Middleware(SafeHeaders, policy=CONTENT_POLICY),
        ],
    )


def _is_link_or_same_origin(scope: Scope) -> bool:
    """Return True for requests of the pages themselves, and for links from other sites to the two pages.

    Other GET requests are refused, because Bot API methods also act on GET.
    """
    is_link = scope["path"] in ("/", PAGE) and scope["method"] == "GET" and "origin" not in Headers(scope=scope)
    return is_link or is_same_origin(scope)


async def _serve_page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", media_type="text/html")
