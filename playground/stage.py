"""Start the playground: people and a group, the local Bot API server and the page, on one port."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chat.operation import Operation
from chat.services import Services
from dashboard.app import make_dashboard_app
from dashboard.host import Host
from dashboard.sessions import PageSessions
from locales.catalog import tr
from playground.app import HOSTS, make_playground_app
from playground.guests import Guests
from playground.past import Formatted, bring_back, erase
from playground.server import serve
from playground.world import World
from records.errors import SettingsError
from records.owners import KnownPerson, Standing
from settings import Secret

BOT = 100
ANNA, BORIS, CARLA = 101, 102, 103
ADMINS = frozenset({ANNA})
BOOK_CLUB = -1001
PEOPLE = "people.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """The URL and token with which a bot connects."""

    url: str
    token: Secret
    world: World
    admins: frozenset[int]


@asynccontextmanager
async def open_stage(
    services: Services, *, model_name: str, port: int, is_wanted: bool, folder: Path, formatted: Formatted
) -> AsyncIterator[Stage]:
    """Serve the playground while the block runs.

    If `is_wanted`, raise SettingsError about --port when the port is taken. Otherwise take a free one. `folder` stores
    the people who were added. See past.py for `formatted`.
    """
    # The bot's id stays, so that it finds what an earlier run left open; the numbers of this run must not look like
    # those of an earlier one.
    token = Secret(f"{BOT}:{secrets.token_hex(16)}")
    world = World(token=token.value, first_id=int(time.time()))
    for person, name, username in ((ANNA, "Anna", "anna"), (BORIS, "Boris", "boris"), (CARLA, "Carla", "carla")):
        world.add_person(person, name, username=username)
    world.add_group(BOOK_CLUB, "Book club", members=(ANNA, BORIS, CARLA), admins=(ANNA,))

    guests = Guests(world, folder / PEOPLE, partial(erase, services))
    guests.bring_back()
    await bring_back(world, services, formatted)

    sessions = PageSessions(memory=services.memory, clock=services.clock)

    async def is_admin(owner: int, person: int) -> bool:
        group = world.chats.get(owner)
        return group is not None and person in group.admins

    async def link(person: int, owner: int) -> str:
        if owner != person and not await is_admin(owner, person):
            raise LookupError(tr("web-not-yours"))
        who, group = world.people[person], world.chats.get(owner)
        title = group.title if group is not None and owner < 0 else ""
        return await sessions.make_link(
            person, owner, language=who.language_code, name=who.first_name, group=title or ""
        )

    async def store_decision(person: int, standing: Standing, admin_id: int) -> None:
        who = world.people.get(person)  # an admin may name anybody
        decided = KnownPerson(id=person, standing=standing, name=who.first_name if who else "")
        await services.memory.people.store_decision(decided, admin_id=admin_id, now=services.clock())

    async def health() -> dict[str, bool]:
        return {"playground": True}

    operation = Operation(admins=lambda: ADMINS, everyone=True, models=tuple(services.models), data_dir=folder)
    host = Host(
        url="", hosts=HOSTS, configures=is_admin, store_decision=store_decision, health=health, operation=operation
    )
    app = make_playground_app(
        world, model_name=model_name, guests=guests, dashboard=make_dashboard_app(services, host), link=link
    )
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(serve(app, port))
        except OSError:
            if is_wanted:
                raise SettingsError("--port", f"port {port} is taken or not allowed here; choose another.") from None
            url = await stack.enter_async_context(serve(app, 0))
        yield Stage(url=url, token=token, world=world, admins=ADMINS)
