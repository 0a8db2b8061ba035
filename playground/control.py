"""Control endpoints over HTTP: people's actions, events, the bot's calls, and faults.

The chat page uses them, and so do tests that run the bot as a process. Errors are 400 with {"error": sentence}.
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
from locales.page_texts import find_reader_language
from playground.contents import edit_content, send_content, stop_draft
from playground.faults import Faults, parse_fault
from playground.parameters import Parameters, parse_parameters
from playground.people import Impossible
from playground.refusals import Json, Refusal
from playground.server import hold_request
from playground.world import World

WAIT = 25  # seconds that /events and /calls are held when nothing happens
MAX_WAIT_SECONDS = 60  # seconds, whatever is asked for

Handler = Callable[[Request], Awaitable[Response]]


def make_control(world: World, faults: Faults | None = None) -> Router:
    """Build a router that can be mounted anywhere. /faults exists only if `faults` is given."""
    acts = _Acts(world)
    routes = [
        Route("/say", make_endpoint(acts.say), methods=["POST"]),
        Route("/content", make_endpoint(acts.content), methods=["POST"]),
        Route("/stop", make_endpoint(acts.stop), methods=["POST"]),
        Route("/file", make_endpoint(acts.file), methods=["POST"]),
        Route("/edit", make_endpoint(acts.edit), methods=["POST"]),
        Route("/press", make_endpoint(acts.press), methods=["POST"]),
        Route("/react", make_endpoint(acts.react), methods=["POST"]),
        Route("/block", make_endpoint(acts.block), methods=["POST"]),
        Route("/snapshot", make_endpoint(acts.snapshot)),
        Route("/menu", make_endpoint(acts.menu)),
        Route("/events", make_endpoint(acts.events)),
        Route("/calls", make_endpoint(acts.calls)),
        Route("/files/{file_id}", acts.download),
    ]
    if faults is not None:
        injected = _Injected(faults)
        routes += [
            Route("/faults", make_endpoint(injected.add), methods=["POST"]),
            Route("/faults", make_endpoint(injected.listed), methods=["GET"]),
            Route("/faults", make_endpoint(injected.clear), methods=["DELETE"]),
            Route("/faults/release", make_endpoint(injected.release), methods=["POST"]),
        ]
    return Router(routes)


class _Acts:
    def __init__(self, world: World) -> None:
        self._world = world

    async def say(self, request: Request, given: Parameters) -> Json:
        return self._world.say(
            parse_number(given, "person_id"),
            parse_number(given, "chat_id"),
            given.text("text"),
            reply_to=given.integer("reply_to"),
            thread_id=given.integer("thread_id"),
            forward_from=_id_or_name(given.text("forward_from")),
        )

    async def content(self, request: Request, given: Parameters) -> Json:
        """Send a message with the fields in "content", or change the message with "message_id"."""
        person_id, chat_id, fields = (
            parse_number(given, "person_id"),
            parse_number(given, "chat_id"),
            given.object("content"),
        )
        if (message_id := given.integer("message_id")) is not None:
            return edit_content(self._world, person_id, chat_id, message_id, fields or {})
        return send_content(
            self._world,
            person_id,
            chat_id,
            fields or {},
            reply_to=given.integer("reply_to"),
            thread_id=given.integer("thread_id"),
            forward_from=given.text("forward_from"),
        )

    async def stop(self, request: Request, given: Parameters) -> Json:
        stop_draft(self._world, parse_number(given, "person_id"), thread_id=given.integer("thread_id"))
        return {"stopped": True}

    async def file(self, request: Request, given: Parameters) -> Json:
        """Send a file from a multipart field "file", or from JSON with "name" and base64 "data"."""
        upload = given.upload("file")
        try:
            data = upload.data if upload else base64.b64decode(given.text("data"), validate=True)
        except binascii.Error:
            raise Impossible("data is not base64.") from None
        if not data:
            raise Impossible("This file is empty.")
        return self._world.send_file(
            parse_number(given, "person_id"),
            parse_number(given, "chat_id"),
            kind=given.text("kind", "document"),
            name=given.text("name") or (upload.name if upload else "file"),
            data=data,
            caption=given.text("caption") or None,
            thread_id=given.integer("thread_id"),
            reply_to=given.integer("reply_to"),
            album=given.text("album") or None,
        )

    async def edit(self, request: Request, given: Parameters) -> Json:
        return self._world.edit(
            parse_number(given, "person_id"),
            parse_number(given, "chat_id"),
            parse_number(given, "message_id"),
            given.text("text"),
        )

    async def press(self, request: Request, given: Parameters) -> Json:
        query_id = self._world.press(
            parse_number(given, "person_id"),
            parse_number(given, "chat_id"),
            parse_number(given, "message_id"),
            given.text("data"),
        )
        return {"query_id": query_id}

    async def react(self, request: Request, given: Parameters) -> Json:
        """Replace the person's reactions by the emoji in the list "reaction"."""
        emoji = given.texts("reaction") or []
        self._world.react(
            parse_number(given, "person_id"), parse_number(given, "chat_id"), parse_number(given, "message_id"), *emoji
        )
        return {"reaction": emoji}

    async def block(self, request: Request, given: Parameters) -> Json:
        person_id = parse_number(given, "person_id")
        if given.flag("blocked"):
            self._world.block_bot(person_id)
        else:
            self._world.unblock_bot(person_id)
        return {"blocked": self._world.has_blocked(person_id)}

    async def snapshot(self, request: Request, given: Parameters) -> Json:
        return self._world.snapshot()

    async def menu(self, request: Request, given: Parameters) -> list[Json]:
        return self._world.menu(parse_number(given, "person_id"), parse_number(given, "chat_id"))

    async def events(self, request: Request, given: Parameters) -> list[Json]:
        return await _waited(request, given, self._world.events)

    async def calls(self, request: Request, given: Parameters) -> list[Json]:
        """Return the bot's calls since a number. With a timeout, wait for the first one."""
        if "timeout" in given:
            return await _waited(request, given, self._world.calls.after)
        return self._world.calls.since(given.integer("since", 0) or 0)

    async def download(self, request: Request) -> Response:
        file = self._world.files.by_id(request.path_params["file_id"])
        if not file:
            return JSONResponse({"error": "There is no such file."}, 404)
        # Anything may be uploaded, and a page must not run it.
        headers = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}
        return Response(file.data, media_type=file.mime_type, headers=headers)


class _Injected:
    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    async def add(self, request: Request, given: Parameters) -> list[Json]:
        """Add one fault, or all those in "rules"."""
        many = given.objects("rules")
        for fault in [parse_fault(rule) for rule in many or [given.journal()]]:
            self._faults.add(fault)
        return await self.listed(request, given)

    async def listed(self, request: Request, given: Parameters) -> list[Json]:
        return [asdict(rule) for rule in self._faults.rules()]

    async def clear(self, request: Request, given: Parameters) -> list[Json]:
        self._faults.clear()
        return []

    async def release(self, request: Request, given: Parameters) -> list[Json]:
        self._faults.release()
        return await self.listed(request, given)


async def _waited(request: Request, given: Parameters, wait: Callable[[int], Awaitable[list[Json]]]) -> list[Json]:
    timeout = min(max(given.integer("timeout", WAIT) or 0, 0), MAX_WAIT_SECONDS)

    async def limited() -> list[Json]:
        try:
            async with asyncio.timeout(timeout):
                return await wait(given.integer("since", 0) or 0)
        except TimeoutError:
            return []

    return await hold_request(request, limited(), [])


def make_endpoint(act: Callable[[Request, Parameters], Awaitable[Any]]) -> Handler:
    """Wrap an action as an endpoint that parses the parameters and responds with JSON or an error sentence."""

    async def endpoint(request: Request) -> Response:
        try:
            with use_language(find_reader_language(request.headers)):
                return JSONResponse(await act(request, await parse_parameters(request)))
        except (Impossible, Refusal, ValueError) as wrong:
            return JSONResponse({"error": str(wrong)}, 400)

    return endpoint


def parse_number(given: Parameters, name: str) -> int:
    number = given.integer(name)
    if number is None:
        raise Impossible(f"{name} is missing.")
    return number


def _id_or_name(text: str) -> int | str | None:
    if not text:
        return None
    return int(text) if text.lstrip("-").isdecimal() else text
