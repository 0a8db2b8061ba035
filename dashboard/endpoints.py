"""Authorize the page's requests, and turn handlers and their errors into responses."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, tzinfo

from attrs import define
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chat.services import Services
from dashboard.forms import serialize_fields
from dashboard.host import STATIC, Host
from dashboard.parameters import BadRequest, Parameters, read_json_body
from dashboard.sessions import NoSession, PageSession, PageSessions
from locales.catalog import choose_language, tr, use_language
from locales.page_texts import find_supported_browser_language, make_page_texts, remove_commands
from locales.sentences import format_error, use_reader_role
from records.errors import ImportBusy, ImportRefused, KeepsakeError, ServedElsewhere
from records.owners import OwnerConfig
from records.scopes import Person, Scope
from runtime.assets import compress_response_if_accepted
from runtime.pacing import RequestTooLarge, TransfersBusy, Visitors
from text.characters import repair_surrogates

log = logging.getLogger(__name__)


class RequestRefused(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a request is refused, with an HTTP status and a sentence for the reader."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRequest:
    """An authorized request for one conversation. `config` is None if the owner has not configured a memory."""

    session: PageSession
    http_request: Request
    parameters: Parameters
    scope: Scope
    config: OwnerConfig | None
    language: str
    is_admin: bool

    @property
    def owner(self) -> int:
        return self.scope.owner

    @property
    def is_group(self) -> bool:
        return self.owner < 0

    @property
    def zone(self) -> tzinfo:
        return self.config.zone if self.config else UTC


JsonBody = dict[str, object]
PageHandler = Callable[[PageRequest], Awaitable[JsonBody | Response]]
BodyMaker = Callable[[], Awaitable[JsonBody | Response]]
ParameterReader = Callable[[Request], Awaitable[Parameters]]


@define(kw_only=True, eq=False)
class PageApi:
    """Turns handlers into endpoints that check the session and the person's access to the owner's data."""

    _services: Services
    _sessions: PageSessions
    _host: Host
    _visitors: Visitors
    _start_page: PageHandler

    async def begin_session(self, request: Request) -> Response:
        """Handle POST api/session: check the proof of identity and return a token."""

        async def open_session_and_make_body() -> JsonBody:
            parameters = await read_json_body(request)
            if "init_data" in parameters:
                session = await self._sessions.open_session_with_init_data(parameters.read_text("init_data", 8_192))
            elif "link" in parameters:
                session = await self._sessions.open_session_with_link(parameters.read_text("link", 8_192))
            else:
                session = self._sessions.renew_session(await self._require_session(request))
            self._require_access_to_bot(session)
            language = await self._choose_language(session, request, takes_lease=True)
            token = await self._sessions.sign_session("session", session)
            self._visitors.remember_person_of_token(token, session.person)
            return {
                **serialize_fields(session, "expires_at", "person"),
                "token": token,
                "name": repair_surrogates(session.name),
                "group": repair_surrogates(session.group),
                "owner": self._services.memory.find_current_owner_id(session.owner),
                "is_admin": session.person in self._host.operation.admin_ids,
                "spoken": make_page_texts(STATIC, language),
                "opening": await self._make_start_page_if_requested(session, request, parameters, language),
            }

        return await self._make_localized_response(request, open_session_and_make_body)

    async def _make_start_page_if_requested(
        self, session: PageSession, request: Request, parameters: Parameters, language: str
    ) -> JsonBody | Response | None:
        """Return the initial content of the page, or None if it was not requested or cannot be read."""
        if "opening" not in parameters:
            return None
        with use_language(language), suppress(RequestRefused, BadRequest, KeepsakeError):
            asked = parameters.read_object("opening")
            owner = asked.read_integer("owner", session.owner)
            return await self._authorize_and_call(self._start_page, session, request, asked, owner, language)
        return None

    async def end_sessions(self, request: Request) -> Response:
        """Handle POST api/session/end: end all sessions of the person."""

        async def revoke_all_sessions_of_person() -> JsonBody:
            await self._sessions.end_sessions((await self._require_session(request)).person)
            raise NoSession  # the response to every later request, too

        return await self._make_localized_response(request, revoke_all_sessions_of_person)

    async def _choose_language(self, session: PageSession, request: Request, *, takes_lease: bool = False) -> str:
        """Return the person's language. If `takes_lease`, take over the lease on the person's own memory first."""
        memory, default = self._services.memory, self._host.settings.default_language
        try:
            async with memory.hold_owner_lease(session.person) if takes_lease else nullcontext():
                chosen = await memory.get_language(session.person) or ""
        except KeepsakeError:
            return find_supported_browser_language(request.headers, default)
        return choose_language(chosen, session.language, is_shared_chat=False, default=default)

    def make_endpoint(
        self, handler: PageHandler, read_parameters: ParameterReader
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that checks the session, reads the parameters and calls a handler."""

        async def handle_request(request: Request) -> Response:
            async def check_session_and_respond() -> JsonBody | Response:
                session = await self._require_session(request)
                self._require_access_to_bot(session)
                language = await self._choose_language(session, request)
                is_operator = self._host.operation.is_admin_or_bot_has_none(Person(id=session.person, name=""))

                async def authorize_and_call_handler() -> JsonBody | Response:
                    parameters = await read_parameters(request)
                    owner = parameters.read_integer("owner")
                    return await self._authorize_and_call(handler, session, request, parameters, owner, language)

                with use_language(language), use_reader_role(is_operator=is_operator):
                    return await make_json_or_error_response(authorize_and_call_handler)

            return await self._make_localized_response(request, check_session_and_respond)

        return handle_request

    async def _make_localized_response(self, request: Request, make_body: BodyMaker) -> Response:
        with use_language(find_supported_browser_language(request.headers, self._host.settings.default_language)):
            return await compress_response_if_accepted(request, await make_json_or_error_response(make_body))

    async def _authorize_and_call(
        self,
        handler: PageHandler,
        session: PageSession,
        http_request: Request,
        parameters: Parameters,
        owner: int,
        language: str,
    ) -> JsonBody | Response:
        owner = self._services.memory.find_current_owner_id(owner)
        if owner != session.person and not (owner < 0 and await self._host.configures(owner, session.person)):
            raise RequestRefused(403, tr("web-not-yours"))
        thread = parameters.read_optional_integer("thread")
        if thread is not None and thread < 0:  # direct messages to a channel, each from another person
            raise RequestRefused(403, tr("web-not-yours"))
        async with self._services.memory.hold_owner_lease(owner):
            scope = Scope(owner=owner, thread=thread or 0)
            if thread is None:
                scope = await self._services.memory.find_open_conversation_or_chat_scope(scope)
            page_request = PageRequest(
                session=session,
                http_request=http_request,
                parameters=parameters,
                scope=scope,
                config=await self._services.memory.get_config(owner),
                language=language,
                is_admin=session.person in self._host.operation.admin_ids,
            )
            return await handler(page_request)

    async def _require_session(self, request: Request) -> PageSession:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            raise NoSession
        session = await self._sessions.find_session(token)
        self._visitors.remember_person_of_token(token, session.person)
        return session

    def _require_access_to_bot(self, session: PageSession) -> None:
        if not self._services.memory.serves(session.person):
            raise RequestRefused(403, tr("web-not-served"))


async def make_json_or_error_response(make_body: BodyMaker) -> Response:
    """Call `make_body` and return its result as a response. If it fails, return an error response."""
    try:
        answer = await make_body()
    except RequestRefused as refusal:
        return _make_error_response(refusal.status, str(refusal))
    except BadRequest as error:
        return _make_error_response(400, str(error))
    except TransfersBusy:
        return _make_error_response(429, tr("web-one-file"), {"Retry-After": "5"})
    except RequestTooLarge:
        return _make_error_response(413, tr("web-too-large"))
    except NoSession:
        # Not by _make_error_response, because the sentence names a command.
        return JSONResponse({"error": tr("web-no-session")}, 401)
    except ServedElsewhere:
        # The page repeats a read by itself. A write was not begun.
        return _make_error_response(503, tr("web-elsewhere"), {"Retry-After": "1"})
    except KeepsakeError as error:
        log.warning("the page could not be answered: %s", type(error).__name__)
        status = 409 if isinstance(error, ImportBusy) else 400 if isinstance(error, ImportRefused) else 503
        return _make_error_response(status, format_error(error))
    except Exception as error:  # broad: the log gets the place of the error without its text
        log.error("a request of the page failed", exc_info=error)  # noqa: TRY400 - without the error's text
        return _make_error_response(500, tr("notices-went-wrong"))
    if isinstance(answer, Response):
        return answer
    shown = {**answer, "said": remove_commands(str(answer["said"]))} if "said" in answer else answer
    return await asyncio.to_thread(JSONResponse, shown)  # large answers take long to serialize


def _make_error_response(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": remove_commands(sentence) or tr("shared-failed")}, status, headers)
