"""deploy/compose.yaml with its parts started by hand, and killed one after another while people talk: is anything lost?

`python -m reliability.deployed [--kills 30] [--seed 1] [--polling 0] [--within SECONDS] [--data FOLDER]`, as root on
Linux. PostgreSQL, Caddy and three processes run as containers.py starts them, apart from each other and from this
machine's files and network; Telegram reaches the bot through Caddy, over TLS. `--polling 1`: without Caddy, by long
polling. The processes are killed with SIGKILL or stopped; in between Caddy and the server are killed, too.
"""

import asyncio
import random
import signal
import ssl
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from reliability import command
from reliability.containers import (
    OUTSIDE,
    Container,
    Json,
    Network,
    caddy_image,
    compose,
    enter,
    own_image,
    postgres_image,
    run,
)
from reliability.invariants import read_server, violations
from reliability.replicas import ReplicaTest, out_of_order, told
from reliability.town import Bot, open_town
from tests.end_to_end.harness import House

PASSWORD, DOMAIN = "b7f2c0d94e", "bot.internal"
"""For names under .internal Caddy makes its certificates itself."""
STOPPED, OTHERS = 0.3, 0.25
"""The share of rounds in which a process is told to stop instead of killed; in which another part is killed."""
UNSURE = 15.0
"""Seconds after the server was killed in which an answer may be known to a process alone."""


class DeploymentTest(ReplicaTest):
    """The parts of the file, the people, and the kills."""

    def __init__(
        self,
        house: House,
        bots: Sequence[Bot],
        address: str,
        chance: random.Random,
        others: Mapping[str, Bot],
        *,
        by_webhook: bool,
    ) -> None:
        super().__init__(house, bots, address, chance)
        self.killed = {"stopped": 0, **dict.fromkeys(others, 0)}
        self._others = others
        self._by_webhook = by_webhook
        self._sure_at = 0.0

    async def kill(self) -> None:
        draw = self.chance.random()
        if draw < OTHERS:
            name = self.chance.choice(list(self._others))
            await self._others[name].end(signal.SIGKILL)
            if name == "postgres":
                self._sure_at = time.monotonic() + UNSURE
            await _begun(self._others[name])
            self.killed[name] += 1
        elif draw < OTHERS + STOPPED:
            bot = self.chance.choice(self.bots)
            if await bot.end(signal.SIGTERM):
                self.outcome.found.torn.append("a process did not stop in order")
            self.check(settled=False)
            await _begun(bot)
            self.killed["stopped"] += 1
        else:
            await super().kill()

    def check(self, *, settled: bool) -> None:
        if settled or time.monotonic() > self._sure_at:
            super().check(settled=settled)
        else:
            files = read_server(self.address)
            self.outcome.found.add(violations(files))
            self.outcome.disordered += out_of_order(files)

    async def fetched(self) -> None:
        if self._by_webhook:
            await self.house.world.updates.emptied()
        else:
            await super().fetched()


async def _begun(part: Bot) -> None:
    await part.begin()
    await part.ready()


def _settings(house: House) -> dict[str, str]:
    """What the operator writes into .env."""
    return {name: value for name, value in house.environ(LOG_LEVEL="INFO").items() if not name.startswith("PYTHON")}


def _without_webhook(content: Json) -> None:
    del content["services"]["caddy"]
    for service in content["services"].values():
        for name in ("WEBHOOK_URL", "WEBHOOK_LISTEN"):
            service["environment"].pop(name, None)


async def deployment_test(
    folder: Path, *, kills: int, seed: int, within: int = 0, polling: int = 0
) -> dict[str, object]:
    """Run it in `folder`; the object that is printed."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    content = compose({"DOMAIN": DOMAIN, "POSTGRES_PASSWORD": PASSWORD})
    if polling:
        _without_webhook(content)
    network = Network(content)
    own = own_image(folder / "image")
    images = {"postgres": postgres_image(), "caddy": caddy_image()}
    parts = {
        name: Container(name, service, images.get(name, own), network, folder / "volumes")
        for name, service in content["services"].items()
    }
    async with AsyncExitStack() as stack:
        others = {"postgres": Bot(parts["postgres"].start, ready="database system is ready to accept connections")}
        if not polling:
            others["caddy"] = Bot(parts["caddy"].start, ready="serving initial configuration")
        for other in others.values():
            stack.push_async_callback(other.kill)
            await _begun(other)
        trusts = None if polling else await _trusting(others["caddy"], parts["caddy"], network, folder)
        host = network.address(OUTSIDE, "front")
        house = await stack.enter_async_context(open_town(folder, chance, host=host, trusts=trusts))
        bots = [Bot(partial(part.start, _settings(house))) for name, part in parts.items() if name.startswith("bot-")]
        for bot in bots:
            stack.push_async_callback(bot.kill)
        address = f"postgresql://keepsake:{PASSWORD}@{network.address('postgres', 'database')}/keepsake"
        test = DeploymentTest(house, bots, address, chance, others, by_webhook=not polling)
        try:
            await test.run(kills, within=within)
        finally:
            for name, part in [*zip(parts, bots, strict=False), *others.items()]:
                (folder / f"log-{name}").write_text(part.text(), encoding="utf-8")
    return {**told(test, polling=polling, seed=seed), "others": test.killed}


async def _trusting(caddy: Bot, part: Container, network: Network, folder: Path) -> ssl.SSLContext:
    """Who believes Caddy's certificates, and knows where it is: as Telegram does."""
    await caddy.logged("certificate obtained successfully")
    hosts = folder / "hosts"
    hosts.write_text(f"127.0.0.1 localhost\n{network.address('caddy', 'front')} {DOMAIN}\n", encoding="utf-8")
    # In a mount namespace of our own (containers.enter).
    await asyncio.to_thread(run, ["mount", "--bind", str(hosts), "/etc/hosts"])
    return ssl.create_default_context(cafile=part.volumes["/data"] / "caddy/pki/authorities/local/root.crt")


if __name__ == "__main__":
    enter()
    sys.exit(command.run(__doc__, {"kills": 30, "seed": 1, "within": 0, "polling": 0}, deployment_test))
