"""Start the playground: three people, a group, and one server for the Bot API, the chat page and the dashboard."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chat.operation import Operator
from chat.services import Services
from dashboard.app import make_dashboard_app
from dashboard.host import Host
from dashboard.sessions import PageSessions
from locales.catalog import tr
from playground.app import make_playground_app
from playground.guests import GuestEndpoints
from playground.past import FormatAnswer, erase_memory, restore_messages
from playground.server import serve
from playground.world import World
from records.errors import SettingsError
from records.owners import AccessStatus, KnownPerson
from settings import Secret, Settings

BOT = 100
ANNA, BORIS, CARLA = 101, 102, 103
ADMINS = frozenset({ANNA})
BOOK_CLUB = -1001
PEOPLE = "people.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningPlayground:
    """A running playground: the URL and token that a bot needs, the world, and the ids of the bot's admins."""

    url: str
    token: Secret
    world: World
    admins: frozenset[int]


@asynccontextmanager
async def serve_playground(
    services: Services, *, model_name: str, port: int, is_port_required: bool, folder: Path, format_answer: FormatAnswer
) -> AsyncIterator[RunningPlayground]:
    """Serve the playground while the block runs.

    If `port` is in use, take a free one, or raise SettingsError if `is_port_required`. The people who were added on the
    page are stored in `folder`. See past.py for `format_answer`.
    """
    # The bot's id is fixed, so that the bot finds its unfinished work of an earlier run. Message ids begin at the
    # current time, so that they differ from those of an earlier run.
    token = Secret(f"{BOT}:{secrets.token_hex(16)}")
    world = World(token=token.value, first_id=int(time.time()))
    for person, name, username in ((ANNA, "Anna", "anna"), (BORIS, "Boris", "boris"), (CARLA, "Carla", "carla")):
        world.add_person(person, name, username=username)
    world.add_group(BOOK_CLUB, "Book club", members=(ANNA, BORIS, CARLA), admins=(ANNA,))

    guests = GuestEndpoints(world, folder / PEOPLE, partial(erase_memory, services))
    guests.restore_people()
    await restore_messages(world, services, format_answer)

    sessions = PageSessions(memory=services.memory, clock=services.clock)

    async def is_admin(owner: int, person: int) -> bool:
        group = world.chats.get(owner)
        return group is not None and person in group.admins

    async def make_dashboard_link(person_id: int, owner_id: int) -> str:
        if owner_id != person_id and not await is_admin(owner_id, person_id):
            raise LookupError(tr("web-not-yours"))
        who, group = world.people[person_id], world.chats.get(owner_id)
        title = group.title if group is not None and owner_id < 0 else ""
        return await sessions.make_link(
            person_id, owner_id, language=who.language_code, name=who.first_name, group=title or ""
        )

    async def store_access_status(person_id: int, status: AccessStatus, admin_id: int) -> None:
        who = world.people.get(person_id)  # an admin may name anybody
        decided = KnownPerson(id=person_id, standing=status, name=who.first_name if who else "")
        await services.memory.people.try_to_set_status(decided, admin_id=admin_id, now=services.clock())

    async def get_health() -> dict[str, bool]:
        return {"playground": True}

    model = next(iter(services.models))
    settings = Settings(
        admin_user_ids=ADMINS, everyone_allowed=True, openai_model=model, summary_model=model, data_dir=folder
    )
    operation = Operator(settings=settings, people=services.memory.people)
    host = Host(operation=operation, configures=is_admin, store_access=store_access_status, health=get_health)
    app = make_playground_app(
        world,
        model_name=model_name,
        guests=guests,
        dashboard=make_dashboard_app(services, host),
        make_link=make_dashboard_link,
    )
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(serve(app, port))
        except OSError:
            if is_port_required:
                raise SettingsError("--port", f"port {port} is taken or not allowed here; choose another.") from None
            url = await stack.enter_async_context(serve(app, 0))
        yield RunningPlayground(url=url, token=token, world=world, admins=ADMINS)
