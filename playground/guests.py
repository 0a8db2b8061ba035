"""HTTP endpoints that the page calls to add people, set their app language, and erase a chat.

People are stored in a file, so that they survive a restart.
"""

import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from starlette.requests import Request
from starlette.routing import Route

from locales.catalog import tr
from playground.control import make_endpoint
from playground.parameters import Parameters
from playground.people import Impossible, Person
from playground.refusals import Json
from playground.world import World

MAX_PEOPLE = 30
MAX_NAME_CHARS = 40
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,8})?")

Erase = Callable[[int], Awaitable[None]]
"""erase(owner): forget everything that the bot remembers of a private chat or group."""


class GuestEndpoints:
    """Endpoints that add and change people, and erase a chat. People are stored in `file`."""

    def __init__(self, world: World, file: Path, erase: Erase) -> None:
        self._world = world
        self._file = file
        self._erase = erase

    def list_routes(self) -> list[Route]:
        return [
            Route("/api/person", make_endpoint(self._add_person), methods=["POST"]),
            Route("/api/language", make_endpoint(self._set_language), methods=["POST"]),
            Route("/api/reset", make_endpoint(self._erase_chat), methods=["POST"]),
        ]

    @property
    def has_no_stored_people(self) -> bool:
        """True if nobody has been added and no language has been chosen yet."""
        return not self._file.exists()

    def restore_people(self) -> None:
        """Add the people who are stored in the file. Ignore a file that is missing or invalid."""
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            for fields in json.loads(self._file.read_text(encoding="utf-8"))[:MAX_PEOPLE]:
                person = Person(**fields)
                self._world.add_person(
                    int(person.id), person.first_name, username=person.username, language_code=person.language_code
                )

    async def _add_person(self, request: Request, parameters: Parameters) -> Json:
        name = " ".join(parameters.read_text("name")[: 10 * MAX_NAME_CHARS].split())
        if not 1 <= len(name) <= MAX_NAME_CHARS:
            raise Impossible(tr("page-name-long", most=MAX_NAME_CHARS))
        if len(self._world.people) >= MAX_PEOPLE:
            raise Impossible(tr("page-people-many", most=MAX_PEOPLE))
        person = self._world.add_person(max(self._world.people) + 1, name, language_code=_parse_language(parameters))
        self._store_people()
        self._world.feed.add({"kind": "reset"})
        return person.to_user_json()

    async def _set_language(self, request: Request, parameters: Parameters) -> Json:
        [person] = parameters.require_integers("person_id")
        self._world.set_language(person, _parse_language(parameters))
        self._store_people()
        return self._world.people[person].to_user_json()

    async def _erase_chat(self, request: Request, parameters: Parameters) -> Json:
        [chat] = parameters.require_integers("chat_id")
        if chat not in self._world.chats:
            raise Impossible(f"There is no chat {chat}.")
        await self._erase(chat)
        self._world.clear_chat(chat)
        return {"chat_id": chat}

    def _store_people(self) -> None:
        people = [asdict(person) for person in self._world.people.values()]
        self._file.write_text(json.dumps(people, ensure_ascii=False, indent=2), encoding="utf-8")


def _parse_language(parameters: Parameters) -> str:
    code = parameters.read_text("language", "en")
    if not _LANGUAGE.fullmatch(code):
        raise Impossible("A language is a code such as en or pt-BR.")
    return code
