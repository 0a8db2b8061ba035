"""HTTP endpoints that control the playground: people's actions, events, the bot's calls, and faults.

The chat page uses them, and so do tests that run the bot as a process. Errors have status 400 and {"error": sentence}.
"""

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from locales.catalog import use_language
from locales.page_texts import find_supported_browser_language
from playground.contents import edit_content, send_content, stop_draft
from playground.faults import Faults, parse_fault
from playground.parameters import Parameters, parse_parameters
from playground.people import Impossible
from playground.refusals import Json, Refusal
from playground.server import run_until_disconnect
from playground.world import World

DEFAULT_WAIT_SECONDS = 25  # how long /events and /calls wait if the client does not say
MAX_WAIT_SECONDS = 60  # even if a client asks for more

Handler = Callable[[Request], Awaitable[Response]]


def make_control_router(world: World, faults: Faults | None = None) -> Router:
    """Build a router that can be mounted at any path. It has /faults only if `faults` is given."""
    people = _PeopleEndpoints(world)
    routes = [
        Route("/say", make_endpoint(people.send_text), methods=["POST"]),
        Route("/content", make_endpoint(people.send_content), methods=["POST"]),
        Route("/stop", make_endpoint(people.stop_draft), methods=["POST"]),
        Route("/file", make_endpoint(people.send_file), methods=["POST"]),
        Route("/edit", make_endpoint(people.edit_message), methods=["POST"]),
        Route("/press", make_endpoint(people.press_button), methods=["POST"]),
        Route("/react", make_endpoint(people.set_reactions), methods=["POST"]),
        Route("/block", make_endpoint(people.block_bot), methods=["POST"]),
        Route("/snapshot", make_endpoint(people.make_snapshot)),
        Route("/menu", make_endpoint(people.list_menu_commands)),
        Route("/events", make_endpoint(people.wait_for_events)),
        Route("/calls", make_endpoint(people.list_calls)),
        Route("/files/{file_id}", people.download_file),
    ]
    if faults is not None:
        fault_endpoints = _FaultEndpoints(faults)
        routes += [
            Route("/faults", make_endpoint(fault_endpoints.add_faults), methods=["POST"]),
            Route("/faults", make_endpoint(fault_endpoints.list_faults), methods=["GET"]),
            Route("/faults", make_endpoint(fault_endpoints.clear_faults), methods=["DELETE"]),
            Route("/faults/release", make_endpoint(fault_endpoints.release_hanging_calls), methods=["POST"]),
        ]
    return Router(routes)


class _PeopleEndpoints:
    """The endpoints that perform people's actions and report events and the bot's calls."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def send_text(self, request: Request, parameters: Parameters) -> Json:
        person_id, chat_id = parameters.require_integers("person_id", "chat_id")
        return self._world.say(
            person_id,
            chat_id,
            parameters.read_text("text"),
            reply_to=parameters.read_integer("reply_to"),
            thread_id=parameters.read_integer("thread_id"),
            forward_from=_parse_id_or_name(parameters.read_text("forward_from")),
        )

    async def send_content(self, request: Request, parameters: Parameters) -> Json:
        """Send a message with the fields in "content". If "message_id" is given, change that message instead."""
        person_id, chat_id = parameters.require_integers("person_id", "chat_id")
        fields = parameters.read_object("content") or {}
        if (message_id := parameters.read_integer("message_id")) is not None:
            return edit_content(self._world, person_id, chat_id, message_id, fields)
        return send_content(
            self._world,
            person_id,
            chat_id,
            fields,
            reply_to=parameters.read_integer("reply_to"),
            thread_id=parameters.read_integer("thread_id"),
            forward_from=parameters.read_text("forward_from"),
        )

    async def stop_draft(self, request: Request, parameters: Parameters) -> Json:
        [person_id] = parameters.require_integers("person_id")
        stop_draft(self._world, person_id, thread_id=parameters.read_integer("thread_id"))
        return {"stopped": True}

    async def send_file(self, request: Request, parameters: Parameters) -> Json:
        """Send a file. Its content is the multipart field "file", or base64 in "data" with its "name"."""
        upload = parameters.find_upload("file")
        try:
            data = upload.data if upload else base64.b64decode(parameters.read_text("data"), validate=True)
        except binascii.Error:
            raise Impossible("data is not base64.") from None
        if not data:
            raise Impossible("This file is empty.")
        return self._world.send_file(
            *parameters.require_integers("person_id", "chat_id"),
            kind=parameters.read_text("kind", "document"),
            name=parameters.read_text("name") or (upload.name if upload else "file"),
            data=data,
            caption=parameters.read_text("caption") or None,
            thread_id=parameters.read_integer("thread_id"),
            reply_to=parameters.read_integer("reply_to"),
            album=parameters.read_text("album") or None,
        )

    async def edit_message(self, request: Request, parameters: Parameters) -> Json:
        person_id, chat_id, message_id = parameters.require_integers("person_id", "chat_id", "message_id")
        return self._world.edit_message(person_id, chat_id, message_id, parameters.read_text("text"))

    async def press_button(self, request: Request, parameters: Parameters) -> Json:
        person_id, chat_id, message_id = parameters.require_integers("person_id", "chat_id", "message_id")
        return {"query_id": self._world.press_button(person_id, chat_id, message_id, parameters.read_text("data"))}

    async def set_reactions(self, request: Request, parameters: Parameters) -> Json:
        """Replace the person's reactions to a message with the emoji in the list "reaction"."""
        person_id, chat_id, message_id = parameters.require_integers("person_id", "chat_id", "message_id")
        emoji = parameters.read_texts("reaction") or []
        self._world.react(person_id, chat_id, message_id, *emoji)
        return {"reaction": emoji}

    async def block_bot(self, request: Request, parameters: Parameters) -> Json:
        [person_id] = parameters.require_integers("person_id")
        if parameters.read_flag("blocked"):
            self._world.block_bot(person_id)
        else:
            self._world.unblock_bot(person_id)
        return {"blocked": self._world.has_blocked_bot(person_id)}

    async def make_snapshot(self, request: Request, parameters: Parameters) -> Json:
        return self._world.make_snapshot()

    async def list_menu_commands(self, request: Request, parameters: Parameters) -> list[Json]:
        return self._world.list_menu_commands(*parameters.require_integers("person_id", "chat_id"))

    async def wait_for_events(self, request: Request, parameters: Parameters) -> list[Json]:
        return await _wait_for_entries(request, parameters, self._world.wait_for_events)

    async def list_calls(self, request: Request, parameters: Parameters) -> list[Json]:
        """Return the bot's calls after the number in "since". With "timeout", wait until there is at least one."""
        if "timeout" in parameters:
            return await _wait_for_entries(request, parameters, self._world.calls.wait_for_entries)
        return self._world.calls.list_entries_since(parameters.read_integer("since", 0) or 0)

    async def download_file(self, request: Request) -> Response:
        file = self._world.files.find_by_id(request.path_params["file_id"])
        if not file:
            return JSONResponse({"error": "There is no such file."}, 404)
        # People can upload anything, and a browser must not run it.
        headers = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}
        return Response(file.data, media_type=file.mime_type, headers=headers)


class _FaultEndpoints:
    """HTTP endpoints that add, list and clear faults, and release hanging calls."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    async def add_faults(self, request: Request, parameters: Parameters) -> list[Json]:
        """Add the fault that the parameters describe, or all faults in the list "rules"."""
        many = parameters.read_objects("rules")
        for fault in [parse_fault(rule) for rule in many or [parameters.make_journal_entry()]]:
            self._faults.add(fault)
        return await self.list_faults(request, parameters)

    async def list_faults(self, request: Request, parameters: Parameters) -> list[Json]:
        return [asdict(rule) for rule in self._faults.list_faults()]

    async def clear_faults(self, request: Request, parameters: Parameters) -> list[Json]:
        self._faults.clear_faults()
        return []

    async def release_hanging_calls(self, request: Request, parameters: Parameters) -> list[Json]:
        self._faults.release_hanging_calls()
        return await self.list_faults(request, parameters)


async def _wait_for_entries(
    request: Request, parameters: Parameters, wait: Callable[[int], Awaitable[list[Json]]]
) -> list[Json]:
    """Return the result of `wait` for the entries after "since", or an empty list after "timeout" seconds."""
    timeout = min(max(parameters.read_integer("timeout", DEFAULT_WAIT_SECONDS) or 0, 0), MAX_WAIT_SECONDS)

    async def wait_for_entries_or_timeout() -> list[Json]:
        try:
            async with asyncio.timeout(timeout):
                return await wait(parameters.read_integer("since", 0) or 0)
        except TimeoutError:
            return []

    return await run_until_disconnect(request, wait_for_entries_or_timeout(), [])


def make_endpoint(action: Callable[[Request, Parameters], Awaitable[Any]]) -> Handler:
    """Return an endpoint that parses the request's parameters, calls `action`, and returns its result as JSON.

    If the action is impossible, it returns {"error": sentence} with status 400.
    """

    async def respond_with_json(request: Request) -> Response:
        try:
            with use_language(find_supported_browser_language(request.headers)):
                return JSONResponse(await action(request, await parse_parameters(request)))
        except (Impossible, Refusal, ValueError) as wrong:
            return JSONResponse({"error": str(wrong)}, 400)

    return respond_with_json


def _parse_id_or_name(text: str) -> int | str | None:
    if not text:
        return None
    return int(text) if text.lstrip("-").isdecimal() else text
