"""The HTTP side of the Bot API: tokens, parameters, faults and file downloads. The methods are in methods.py."""

from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from playground.faults import Fault, Faults
from playground.limits import SendingLimits, is_rate_limited
from playground.methods import BotApiMethods, Method
from playground.parameters import Parameters, parse_parameters
from playground.refusals import Json, Refusal, make_too_many_requests_error
from playground.server import cut_connection, get_lifetime, run_until_disconnect
from playground.webhook import DELAYS, WebhookSender
from playground.world import World


def make_bot_api(
    world: World,
    faults: Faults | None = None,
    *,
    webhook_delays: Sequence[float] = DELAYS,
    limits: SendingLimits | None = None,
) -> Starlette:
    """Build an app with the routes /bot{token}/{method} and /file/bot{token}/{path}.

    With `limits`, the bot may not send more messages than Telegram allows.
    """
    courier = WebhookSender(world.updates, world.clock, webhook_delays)
    bot_api = _BotApi(world, faults or Faults(), courier, limits)
    return Starlette(
        routes=[
            Route("/bot{token}/{method}", bot_api.call_method, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", bot_api.download_file),
        ]
    )


class _BotApi:
    """The HTTP endpoints that imitate Telegram's Bot API."""

    def __init__(self, world: World, faults: Faults, courier: WebhookSender, limits: SendingLimits | None) -> None:
        self._world = world
        self._faults = faults
        self._courier = courier
        self._limits = limits
        self._methods = BotApiMethods(world, courier)

    async def call_method(self, request: Request) -> Response:
        if request.path_params["token"] != self._world.token:
            return _make_refusal_response(Refusal(401, "Unauthorized"))
        found = self._methods.find_method(request.path_params["method"])
        if not found:
            return _make_refusal_response(Refusal(404, "Not Found: method not found"))
        self._courier.resume_deliveries(get_lifetime(request))
        name, method = found
        try:
            parameters = await parse_parameters(request)
            fault, release_event = self._faults.take_matching_fault(name, parameters), self._faults.get_release_event()
        except Refusal as refusal:
            return _make_refusal_response(refusal)
        if fault and fault.kind == "drop_before":
            self._record_call(name, parameters, fault, {})
            await cut_connection(request)
            return Response()
        answer = self._refuse_call_over_rate_limit(name, parameters) or await _run_method(
            request, method, parameters, fault
        )
        self._record_call(name, parameters, fault, answer)
        if fault and fault.kind == "hang":
            await run_until_disconnect(request, release_event.wait(), True)
        if fault and fault.kind == "drop_after":
            await cut_connection(request)
            return Response()
        return JSONResponse(answer, answer.get("error_code", 200))

    def _refuse_call_over_rate_limit(self, method: str, parameters: Parameters) -> Json | None:
        if self._limits is None or not is_rate_limited(method):
            return None
        wait = self._limits.reserve_or_get_wait_seconds(parameters.read_integer("chat_id") or 0)
        return make_too_many_requests_error(wait).to_json() if wait else None

    async def download_file(self, request: Request) -> Response:
        file = self._world.files.find_by_path(request.path_params["path"])
        if request.path_params["token"] != self._world.token:
            return _make_refusal_response(Refusal(401, "Unauthorized"))
        if not file:
            return _make_refusal_response(Refusal(404, "Not Found"))
        # Scripts in a file that somebody sent must not run in a browser with the playground's origin.
        headers = {"Content-Security-Policy": "sandbox", "Content-Disposition": "attachment"}
        return Response(file.data, media_type=file.mime_type, headers=headers)

    def _record_call(self, method: str, parameters: Parameters, fault: Fault | None, answer: Json) -> None:
        self._world.calls.add(
            {
                "method": method,
                "params": parameters.make_journal_entry(),
                "at": self._world.clock(),
                "fault": fault.kind if fault else None,
                "answer": answer,  # empty if the connection was cut before the call had an effect
            }
        )


async def _run_method(request: Request, method: Method, parameters: Parameters, fault: Fault | None) -> Json:
    """Call the method, unless `fault` replaces it, and return its result or refusal as the body of the response."""
    refusal = fault.make_refusal() if fault else None
    if refusal:
        return refusal.to_json()
    try:
        result: Any = await method(request, parameters)
    except Refusal as refused:
        return refused.to_json()
    return {"ok": True, "result": result}


def _make_refusal_response(refusal: Refusal) -> JSONResponse:
    return JSONResponse(refusal.to_json(), refusal.code)
