"""The page as one app: its files, its API, and the guards in front of both.

What comes by another name than the bot's own, or from another site's page, is refused: a page elsewhere must not ask in
a visitor's name. Does not know what is shown, nor who runs the server.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from attrs import define
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat.services import Services
from dashboard.admin import Admin
from dashboard.changes import Changes
from dashboard.host import STATIC, Host
from dashboard.past import Past
from dashboard.sessions import PageSessions
from dashboard.views import Views
from dashboard.visits import Handler, Visits
from dashboard.why import Why
from locales.page_texts import make_wanted_texts
from runtime.assets import compress_response, make_asset_response
from runtime.http_server import BoundedProtocol, serve
from runtime.pacing import Paced, Visitors

# Telegram's own apps show a Mini App as a page of its own; in the browser it is a frame of theirs.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' https://web.telegram.org"
)

PRIVATE_DOMAINS = (".localhost", ".local", ".internal")
"""Domains that are in no public DNS: RFC 6761, RFC 6762 (also a Kubernetes cluster's), and ICANN's of 2024."""
WRONG_HOST = "This page has another name. The proxy in front of it should pass on the host's name in DASHBOARD_URL."


def make_dashboard_app(services: Services, host: Host) -> Starlette:
    """Return the page at /, its files at /static, its API at /api; all of it also below the path of the page's URL,
    which a proxy may take away or leave.
    """
    visitors = Visitors()
    routes = _make_routes(services, host, visitors)
    path = urlsplit(host.url).path.rstrip("/")
    return Starlette(
        routes=[*([Mount(path, routes=routes)] if path else []), *routes],
        middleware=[
            Middleware(Paced, visitors=visitors),
            Middleware(KnownHost, names=frozenset(host.hosts)),
            Middleware(SafeHeaders, policy=CONTENT_POLICY),
        ],
    )


class PatientProtocol(BoundedProtocol):
    """A protocol that waits longer for a request: an imported file may come over a slow line."""

    request_within = 120.0


@asynccontextmanager
async def serve_dashboard(services: Services, host: Host, address: tuple[str, int]) -> AsyncIterator[int]:
    """Serve the page while the block runs; gives the port. Raises SettingsError where the address cannot be taken."""
    async with serve(
        make_dashboard_app(services, host), address, setting="DASHBOARD_LISTEN", protocol=PatientProtocol
    ) as port:
        yield port


def _make_routes(services: Services, host: Host, visitors: Visitors) -> Sequence[BaseRoute]:
    sessions = PageSessions(memory=services.memory, clock=services.clock, bot_token=host.bot_token)
    visits = Visits(services=services, sessions=sessions, host=host, visitors=visitors)
    views, why, past = (
        Views(services=services, operation=host.operation),
        Why(services=services),
        Past(services=services, host=host),
    )
    changes, admin = Changes(services=services, views=views), Admin(services=services, host=host)
    reading: dict[str, Handler] = {
        "home": views.home,
        "timeline": views.timeline,
        "speakers": views.speakers,
        "days": views.days,
        "message": views.message,
        "search": views.search,
        "facts": views.facts,
        "profile": views.profile,
        "summaries": views.summaries,
        "summary": views.summary,
        "why": why.answers,
        "statistics": views.statistics,
        "settings": views.settings,
        "reminders": views.reminders,
        "learning": past.learning,
        "admin": admin.shown,
        "export": past.export,
    }
    writing: dict[str, Handler] = {
        **changes.handlers,
        "learn": past.learn,
        "export/send": past.send,
        "learn/stop": past.stop_learning,
        "admin/allow": admin.decision("allowed"),
        "admin/refuse": admin.decision("refused"),
        "admin/remove": admin.decision("removed"),
        "admin/broadcast": admin.propose,
        "admin/broadcast/send": admin.send,
        "admin/broadcast/stop": admin.stop,
    }
    # The body is a file: what is asked is in the address.
    uploading: dict[str, Handler] = {"import/plan": past.plan, "import/run": past.run}

    async def texts(request: Request) -> Response:
        return await compress_response(
            request, JSONResponse(make_wanted_texts(STATIC, request.query_params.get("wanted", ""), request.headers))
        )

    async def page(request: Request) -> Response:
        return make_asset_response(STATIC, request, "index.html")

    async def static(request: Request) -> Response:
        return make_asset_response(STATIC, request, request.path_params["path"])

    return [
        Route("/", page),
        Mount(
            "/api",
            routes=[
                Route("/texts", texts),
                Route("/session", visits.begun, methods=["POST"]),
                Route("/session/end", visits.ended, methods=["POST"]),
                *(Route(f"/{name}", visits.reading(one), methods=["GET"]) for name, one in reading.items()),
                *(Route(f"/{name}", visits.writing(one), methods=["POST"]) for name, one in writing.items()),
                *(Route(f"/{name}", visits.reading(one), methods=["POST"]) for name, one in uploading.items()),
            ],
            middleware=[Middleware(SameOrigin, origins=(host.origin,))],
        ),
        Route("/static/{path:path}", static),
    ]


@define(eq=False)
class KnownHost:
    """Refuse requests that call the page by a name which somebody else may own: such a name can be made to lead here
    (DNS rebinding). `names`: the page's own.
    """

    app: ASGIApp
    names: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_known(Headers(scope=scope).get("host", "")):
            await self.app(scope, receive, send)
        else:
            await PlainTextResponse(WRONG_HOST, 400)(scope, receive, send)

    def _is_known(self, host: str) -> bool:
        """True for the page's names, and for those by which a proxy calls its neighbour: an IP address, a name
        without a dot, or one below a domain that nobody can register.
        """
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:  # such as [::
            return False
        if not name or name in self.names or "." not in name or name.endswith(PRIVATE_DOMAINS):
            return bool(name)
        with suppress(ValueError):
            return bool(ip_address(name))
        return False


@define(eq=False)
class SameOrigin:
    """Refuses requests that another site's page makes; programs and the page's own requests pass. `origins`: by which
    the page is reached in addition to the name that a request calls. `linked`: paths to which links may lead.
    """

    app: ASGIApp
    origins: tuple[str, ...] = ()
    linked: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_own(scope):
            await self.app(scope, receive, send)
        else:
            await PlainTextResponse("Another site may not use this page.", 403)(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        try:
            name = urlsplit(origin).netloc if origin is not None else None
        except ValueError:  # such as http://[
            return False
        if origin is not None and (not name or name not in (headers.get("host"), *self.origins)):  # "null" has no name
            return False
        if scope["path"] in self.linked and scope["method"] == "GET":
            return True
        return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


@define(eq=False)
class SafeHeaders:
    """Add security headers to every response, and keep a stricter policy of its own."""

    app: ASGIApp
    policy: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", self.policy)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
                # The page changes with the program: an old module next to a new one breaks it. Answers of its API are
                # of one person's memory, and stand in no cache.
                headers.setdefault("Cache-Control", "no-store" if "/api/" in scope["path"] else "no-cache")
            await send(message)

        await self.app(scope, receive, guarded)
