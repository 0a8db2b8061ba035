"""The memory page as an ASGI app: its files, its API, and the guards in front of both."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
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
from dashboard.admin import AdminHandlers
from dashboard.changes import ChangeHandlers
from dashboard.endpoints import PageApi, PageHandler, ParameterReader
from dashboard.host import STATIC, Host
from dashboard.parameters import read_json_body, read_query_parameters
from dashboard.sessions import PageSessions
from dashboard.transfers import TransferHandlers
from dashboard.views import ViewHandlers
from locales.page_texts import make_page_texts_for_request
from runtime.assets import compress_response_if_accepted, make_asset_response, read_assets
from runtime.http_server import BoundedProtocol, serve
from runtime.pacing import RateLimitMiddleware, Visitors

# Telegram's own apps show a Mini App as a page of its own; in the browser it is a frame of theirs.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self' https://web.telegram.org"
)

# Domains that are in no public DNS: RFC 6761, RFC 6762 (also a Kubernetes cluster's), and ICANN's of 2024.
PRIVATE_DOMAINS = (".localhost", ".local", ".internal")
WRONG_HOST = PlainTextResponse(
    "This page has another name. The proxy in front of it should pass on the host's name in DASHBOARD_URL.", 400
)
CROSS_SITE = PlainTextResponse("Another site may not use this page.", 403)


def make_dashboard_app(services: Services, host: Host) -> Starlette:
    """Return the web app: the page at /, its files under /static and the API under /api."""
    visitors = Visitors()
    routes = _make_routes(services, host, visitors)
    path = urlsplit(host.settings.dashboard_url).path.rstrip("/")  # a proxy may strip it or not
    return Starlette(
        routes=[*([Mount(path, routes=routes)] if path else []), *routes],
        middleware=[
            Middleware(RateLimitMiddleware, visitors=visitors),
            Middleware(RequestGuard, is_allowed=partial(is_known_host, hostnames=host.hostnames), refusal=WRONG_HOST),
            Middleware(SafeHeaders, policy=CONTENT_POLICY.format(scripts=read_assets(STATIC).script_sources)),
        ],
    )


class SlowUploadProtocol(BoundedProtocol):
    """An HTTP protocol that waits longer for a request body, to allow uploads over a slow connection."""

    request_within = 120.0


def serve_dashboard(services: Services, host: Host, address: tuple[str, int]) -> AbstractAsyncContextManager[int]:
    """Serve the page while the block runs, and yield the port. Raise SettingsError if the address is in use."""
    app = make_dashboard_app(services, host)
    return serve(app, address, listen_setting="DASHBOARD_LISTEN", protocol=SlowUploadProtocol)


def _make_routes(services: Services, host: Host, visitors: Visitors) -> Sequence[BaseRoute]:
    token, origins = host.settings.telegram_bot_token, (urlsplit(host.settings.dashboard_url).netloc,)
    sessions = PageSessions(memory=services.memory, clock=services.clock, bot_token=token)
    views = ViewHandlers(services=services, settings=host.settings)
    api = PageApi(services=services, sessions=sessions, host=host, visitors=visitors, start_page=views.get_start_page)
    transfers, admin = TransferHandlers(services=services, host=host), AdminHandlers(services=services, host=host)
    reading: dict[str, PageHandler] = {
        "home": views.get_memory_state,
        "timeline": views.get_timeline,
        "speakers": views.list_speakers,
        "days": views.count_messages_per_day,
        "message": views.get_message,
        "search": views.search_messages,
        "facts": views.list_facts,
        "profile": views.list_profiles,
        "summaries": views.list_summaries,
        "summary": views.get_summary,
        "why": views.list_explanations,
        "statistics": views.get_statistics,
        "settings": views.get_settings,
        "reminders": views.list_reminders,
        "learning": transfers.get_fact_learning_offer,
        "admin": admin.get_overview,
        "export": transfers.download_export,
    }
    writing: dict[str, PageHandler] = {
        **ChangeHandlers(services=services, views=views).handlers_by_path,
        "learn": transfers.start_learning_facts,
        "export/send": transfers.send_export_to_chat,
        "learn/stop": transfers.stop_learning_facts,
        "admin/allow": partial(admin.set_access, "allowed"),
        "admin/refuse": partial(admin.set_access, "refused"),
        "admin/remove": partial(admin.set_access, "removed"),
    }
    # The body is a file, so the parameters are in the query string.
    uploading: dict[str, PageHandler] = {"import/plan": transfers.preview_import, "import/run": transfers.run_import}

    def make_route(path: str, method: str, handler: PageHandler, read_parameters: ParameterReader) -> Route:
        return Route(f"/{path}", api.make_endpoint(handler, read_parameters), methods=[method])

    async def serve_page_texts(request: Request) -> Response:
        texts = make_page_texts_for_request(STATIC, request.query_params.get("wanted", ""), request.headers)
        return await compress_response_if_accepted(request, JSONResponse(texts))

    async def serve_static_file(request: Request) -> Response:
        return await make_asset_response(STATIC, request, request.path_params.get("path", "index.html"))

    return [
        Route("/", serve_static_file),
        Mount(
            "/api",
            routes=[
                Route("/texts", serve_page_texts),
                Route("/session", api.begin_session, methods=["POST"]),
                Route("/session/end", api.end_sessions, methods=["POST"]),
                *(make_route(name, "GET", handler, read_query_parameters) for name, handler in reading.items()),
                *(make_route(name, "POST", handler, read_json_body) for name, handler in writing.items()),
                *(make_route(name, "POST", handler, read_query_parameters) for name, handler in uploading.items()),
            ],
            middleware=[
                Middleware(RequestGuard, is_allowed=partial(is_same_origin, origins=origins), refusal=CROSS_SITE)
            ],
        ),
        Route("/static/{path:path}", serve_static_file),
    ]


@define(eq=False)
class RequestGuard:
    """Middleware that answers HTTP requests with `refusal` unless `is_allowed` returns True."""

    app: ASGIApp
    is_allowed: Callable[[Scope], bool]
    refusal: Response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_refused = scope["type"] == "http" and not self.is_allowed(scope)
        await (self.refusal if is_refused else self.app)(scope, receive, send)


def is_known_host(scope: Scope, *, hostnames: Collection[str]) -> bool:
    """Return True if the Host header is in `hostnames`, an IP address or a local name, to prevent DNS rebinding."""
    try:
        name = urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname
    except ValueError:  # such as [::
        return False
    if not name or name in hostnames or "." not in name or name.endswith(PRIVATE_DOMAINS):
        return bool(name)
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


def is_same_origin(scope: Scope, *, origins: Collection[str] = ()) -> bool:
    """Return False for a cross-site request, which must not act on behalf of a visitor.

    `origins` are accepted in addition to the host of the request.
    """
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    try:
        name = urlsplit(origin).netloc if origin is not None else None
    except ValueError:  # such as http://[
        return False
    if origin is not None and (not name or name not in (headers.get("host"), *origins)):  # "null" has no name
        return False
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


@define(eq=False)
class SafeHeaders:
    """Middleware that adds security headers to every response, without replacing headers that are already set."""

    app: ASGIApp
    policy: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", self.policy)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
                # An old module next to a new one would break the page. API responses are private.
                headers.setdefault("Cache-Control", "no-store" if "/api/" in scope["path"] else "no-cache")
            await send(message)

        await self.app(scope, receive, send_with_headers)
