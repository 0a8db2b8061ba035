"""People who were added on the page, their app languages, and starting over, over HTTP.

Guests owns the file that stores them.
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
from playground.control import make_endpoint, parse_number
from playground.parameters import Parameters
from playground.people import Impossible, Person
from playground.refusals import Json
from playground.world import World

MAX_PEOPLE = 30
MAX_NAME_CHARS = 40
"""Characters."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,8})?")

Erase = Callable[[int], Awaitable[None]]
"""erase(owner): everything that the bot remembers of a private chat or group."""


class Guests:
    """The changes to people that the page may make."""

    def __init__(self, world: World, file: Path, erase: Erase) -> None:
        self._world = world
        self._file = file
        self._erase = erase

    def routes(self) -> list[Route]:
        return [
            Route("/api/person", make_endpoint(self._add), methods=["POST"]),
            Route("/api/language", make_endpoint(self._choose_language), methods=["POST"]),
            Route("/api/reset", make_endpoint(self._start_over), methods=["POST"]),
        ]

    @property
    def is_fresh(self) -> bool:
        """True if nobody was added and no language was chosen."""
        return not self._file.exists()

    def bring_back(self) -> None:
        """Add the people of earlier runs. Ignore a file that cannot be read."""
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            for load in json.loads(self._file.read_text(encoding="utf-8"))[:MAX_PEOPLE]:
                person = Person(**load)
                self._world.add_person(
                    int(person.id), person.first_name, username=person.username, language_code=person.language_code
                )

    async def _add(self, request: Request, given: Parameters) -> Json:
        name = " ".join(given.text("name")[: 10 * MAX_NAME_CHARS].split())
        if not 1 <= len(name) <= MAX_NAME_CHARS:
            raise Impossible(tr("page-name-long", most=MAX_NAME_CHARS))
        if len(self._world.people) >= MAX_PEOPLE:
            raise Impossible(tr("page-people-many", most=MAX_PEOPLE))
        person = self._world.add_person(max(self._world.people) + 1, name, language_code=_language(given))
        self._keep()
        self._world.feed.add({"kind": "reset"})
        return person.user()

    async def _choose_language(self, request: Request, given: Parameters) -> Json:
        person = parse_number(given, "person_id")
        self._world.choose_language(person, _language(given))
        self._keep()
        return self._world.people[person].user()

    async def _start_over(self, request: Request, given: Parameters) -> Json:
        chat = parse_number(given, "chat_id")
        if chat not in self._world.chats:
            raise Impossible(f"There is no chat {chat}.")
        await self._erase(chat)
        self._world.clear(chat)
        return {"chat_id": chat}

    def _keep(self) -> None:
        kept = [asdict(person) for person in self._world.people.values()]
        self._file.write_text(json.dumps(kept, ensure_ascii=False, indent=2), encoding="utf-8")


def _language(given: Parameters) -> str:
    code = given.text("language", "en")
    if not _LANGUAGE.fullmatch(code):
        raise Impossible("A language is a code such as en or pt-BR.")
    return code
