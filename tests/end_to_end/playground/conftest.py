"""Fixtures: a world served over real HTTP, and python-telegram-bot as its client."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from telegram.ext import ExtBot
from telegram.request import HTTPXRequest

from playground.bot_api import make_bot_api
from playground.control import make_control_router
from playground.faults import Faults
from playground.server import serve
from playground.world import World
from tests.support.http import NO_CERTIFICATES

TOKEN = "4242:test-token"
ANN, BOB, EVE = 11, 12, 13
GROUP, FORUM, TOPIC = -500, -1_001_000_000_500, 7


class Clock:
    """A clock that only moves when a test sets it."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, kw_only=True)
class Telegram:
    """A served world, with the means to control and inspect it."""

    world: World
    faults: Faults
    clock: Clock
    url: str
    http: httpx.AsyncClient

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method with JSON parameters, and return the whole answer."""
        response = await self.http.post(f"{self.url}/bot{TOKEN}/{method}", json=parameters)
        answer: dict[str, Any] = response.json()
        assert response.status_code == answer.get("error_code", 200)
        return answer

    async def result(self, method: str, **parameters: Any) -> Any:
        answer = await self.call(method, **parameters)
        assert answer["ok"], answer
        return answer["result"]

    async def call_and_get_error(self, method: str, **parameters: Any) -> str:
        """Call a method that must fail, and return the description of its error."""
        answer = await self.call(method, **parameters)
        assert not answer["ok"], answer
        description: str = answer["description"]
        return description


def make_client(url: str, token: str = TOKEN) -> ExtBot[None]:
    """Return a python-telegram-bot client, configured as in a bot."""
    return ExtBot(
        token,
        base_url=f"{url}/bot",
        base_file_url=f"{url}/file/bot",
        request=HTTPXRequest(httpx_kwargs={"trust_env": False, "verify": NO_CERTIFICATES}),
        get_updates_request=HTTPXRequest(httpx_kwargs={"trust_env": False, "verify": NO_CERTIFICATES}),
    )


def peopled(clock: Clock) -> World:
    """Return a world with Ann, Bob, their group and their forum, and with Eve, whom the bot has never met."""
    world = World(token=TOKEN, clock=clock)
    world.add_person(ANN, "Ann", username="ann_a")
    world.add_person(BOB, "Bob", language_code="ru")
    world.add_person(EVE, "Eve")
    world.add_group(GROUP, "Picnic", members=[ANN, BOB], admins=[ANN])
    world.add_group(FORUM, "Club", members=[ANN, BOB], admins=[ANN, BOB], is_forum=True, topics={TOPIC: "Garden"})
    return world


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    clock, faults = Clock(), Faults()
    world = peopled(clock)
    app = Starlette(
        routes=[
            Mount("/control", make_control_router(world, faults)),
            Mount("", make_bot_api(world, faults, webhook_delays=(0.001,))),
        ]
    )
    async with serve(app) as url, httpx.AsyncClient(trust_env=False, timeout=60, verify=NO_CERTIFICATES) as http:
        yield Telegram(world=world, faults=faults, clock=clock, url=url, http=http)


@pytest.fixture
async def bot(telegram: Telegram) -> AsyncIterator[ExtBot[None]]:
    async with make_client(telegram.url) as bot:
        yield bot
