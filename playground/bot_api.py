"""The Bot API over HTTP: tokens, parameters, faults and files. The methods are in methods.py."""

import ssl
from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from playground.faults import Fault, Faults
from playground.limits import Limits, is_counted
from playground.methods import Method, Methods
from playground.parameters import Parameters, parse_parameters
from playground.refusals import Json, Refusal, too_many_requests
from playground.server import cut_connection, hold_request, lifetime_of
from playground.webhook import DELAYS, Courier
from playground.world import World


def make_bot_api(
    world: World,
    faults: Faults | None = None,
    *,
    webhook_delays: Sequence[float] = DELAYS,
    limits: Limits | None = None,
    trusts: ssl.SSLContext | None = None,
) -> Starlette:
    """Build an app with /bot{token}/{method} and /file/bot{token}/{path}, which can be mounted in another app.

    With `limits`, refuse to send more than Telegram allows. See Courier for `trusts`.
    """
    courier = Courier(world.updates, world.clock, webhook_delays, trusts=trusts)
    error_boundary = _Door(world, faults or Faults(), courier, limits)
    return Starlette(
        routes=[
            Route("/bot{token}/{method}", error_boundary.call, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", error_boundary.download),
        ]
    )


class _Door:
    def __init__(self, world: World, faults: Faults, courier: Courier, limits: Limits | None) -> None:
        self._world = world
        self._faults = faults
        self._courier = courier
        self._limits = limits
        self._methods = Methods(world, courier)

    async def call(self, request: Request) -> Response:
        if request.path_params["token"] != self._world.token:
            return _refused(Refusal(401, "Unauthorized"))
        found = self._methods.named(request.path_params["method"])
        if not found:
            return _refused(Refusal(404, "Not Found: method not found"))
        self._courier.resume(lifetime_of(request))
        name, method = found
        try:
            given = await parse_parameters(request)
            fault, released = self._faults.take(name, given), self._faults.released()
        except Refusal as refusal:
            return _refused(refusal)
        if fault and fault.kind == "drop_before":
            self._note(name, given, fault, {})
            await cut_connection(request)
            return Response()
        answer = self._refused_for_now(name, given) or await _answer(request, method, given, fault)
        self._note(name, given, fault, answer)
        if fault and fault.kind == "hang":
            await hold_request(request, released.wait(), True)
        if fault and fault.kind == "drop_after":
            await cut_connection(request)
            return Response()
        return JSONResponse(answer, answer.get("error_code", 200))

    def _refused_for_now(self, method: str, given: Parameters) -> Json | None:
        if self._limits is None or not is_counted(method):
            return None
        wait = self._limits.wait(given.integer("chat_id") or 0)
        return too_many_requests(wait).body() if wait else None

    async def download(self, request: Request) -> Response:
        file = self._world.files.by_path(request.path_params["path"])
        if request.path_params["token"] != self._world.token:
            return _refused(Refusal(401, "Unauthorized"))
        if not file:
            return _refused(Refusal(404, "Not Found"))
        # A page or picture with scripts that somebody sent must not act in a browser as the playground's own.
        headers = {"Content-Security-Policy": "sandbox", "Content-Disposition": "attachment"}
        return Response(file.data, media_type=file.mime_type, headers=headers)

    def _note(self, method: str, given: Parameters, fault: Fault | None, answer: Json) -> None:
        self._world.calls.add(
            {
                "method": method,
                "params": given.journal(),
                "at": self._world.clock(),
                "fault": fault.kind if fault else None,
                "answer": answer,  # empty where the connection was cut without effect
            }
        )


async def _answer(request: Request, method: Method, given: Parameters, fault: Fault | None) -> Json:
    """Call the method and return its result or refusal as a complete response."""
    refusal = fault.refusal() if fault else None
    if refusal:
        return refusal.body()
    try:
        result: Any = await method(request, given)
    except Refusal as refused:
        return refused.body()
    return {"ok": True, "result": result}


def _refused(refusal: Refusal) -> JSONResponse:
    return JSONResponse(refusal.body(), refusal.code)
