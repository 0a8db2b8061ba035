"""People who talk to the bot, and the ledger of what they said and what was answered.

The bot runs as a process between a local Bot API server and a scripted model, over real HTTP. Every saying carries a
word of its own, so that the files and the chats can be searched for it. Does not know what goes wrong meanwhile.
"""

import asyncio
import os
import random
import re
import signal
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from playground.bot_api import bot_api
from playground.control import control
from playground.faults import Faults
from playground.feed import Feed, Pulse
from playground.server import serve
from playground.world import World
from reliability.invariants import Files, Violations, read, violations
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, TOKEN, House, Member, Process
from tests.peers.openai_server import OpenAIServer
from tests.support.forking import Forked, zygote

WORD = re.compile(r"\bq[0-9]+z\b")
STORAGES = ("SQLite", "JSON")
TRIES = 30  # starts that a passing fault may end in a row
SET_UP_WITHIN, CANCELLED_WITHIN = 150.0, 60.0
"""Seconds, with some kills among them; later the bot says other words than those that are waited for."""
EDITS = 0.2  # the share of answered messages that get another text


class Bot:
    """bot.py, or another program, as a process that is started, killed and started again."""

    def __init__(
        self, start: Callable[[], Awaitable[asyncio.subprocess.Process | Forked]], *, ready: str = "is ready"
    ) -> None:
        """`ready`: words of the line that it logs when it serves."""
        self._start = start
        self._ready = ready
        self.log = Feed()
        self._since = 0
        self._run: Process | None = None

    @property
    def pid(self) -> int:
        return self._begun.pid

    async def begin(self) -> None:
        """Start a run; it is not ready yet."""
        self._since = self.log.last
        self._run = Process(await self._start(), log=self.log)

    async def ready(self) -> None:
        await self.logged(self._ready)

    async def serve(self) -> None:
        """Begin a run and wait until it serves. One that a passing fault ends at its start is begun again, as systemd
        does with exit status 1. Raises AssertionError where it does not serve for another reason, or TRIES times.
        """
        for left in reversed(range(TRIES)):
            await self.begin()
            try:
                await self.ready()
            except AssertionError:
                if not left or await self._begun.ended() != 1:
                    raise
            else:
                return

    async def logged(self, words: str) -> None:
        """Wait for a line of the run's log."""
        await self._begun.logged(words, since=self._since)

    async def end(self, number: signal.Signals) -> int:
        """Signal the run; its exit status."""
        os.kill(self.pid, number)
        async with asyncio.timeout(15):
            return await self._begun.ended()

    async def kill(self) -> None:
        """End the run at once, if there is one."""
        if self._run is not None:
            await self._run.kill()

    def tracebacks(self) -> int:
        """Lines of the newest log that no run should write."""
        return sum("Traceback" in entry["line"] or "never retrieved" in entry["line"] for entry in self.log)

    def text(self) -> str:
        """The newest log."""
        return "\n".join(entry["line"] for entry in self.log)

    @property
    def _begun(self) -> Process:
        if self._run is None:
            raise RuntimeError("no run has begun")
        return self._run


@asynccontextmanager
async def open_bot(environ: Mapping[str, str], *, folder: Path, snapshot_after: int) -> AsyncIterator[Bot]:
    """What begins its runs; no run yet."""
    its = {**environ, "DATA_DIR": str(folder)}
    bot = Bot(partial(zygote().fork, (), its, folder=folder.parent, snapshot_after=snapshot_after))
    try:
        yield bot
    finally:
        await bot.kill()


@asynccontextmanager
async def open_town(
    folder: Path,
    chance: random.Random,
    *,
    slowest: float = 0.05,
    host: str = "127.0.0.1",
    trusts: ssl.SSLContext | None = None,
) -> AsyncIterator[House]:
    """A small Telegram, and a model that takes up to `slowest` seconds and answers with the newest word it received.

    `host`: the address at which both are; `trusts`: see the playground's Courier.
    """
    world, faults, model = World(token=TOKEN), Faults(), OpenAIServer()
    app = Starlette(
        routes=[
            Mount("/control", control(world, faults)),
            Mount("", bot_api(world, faults, webhook_delays=(0.001,), trusts=trusts)),
        ]
    )
    model.default(ANSWERS, answer)
    model.default(SUMMARIES, SUMMARY)
    slowed = _slowed(model.app(), chance, slowest)
    async with serve(_patient(app), host=host) as url, serve(_patient(slowed), host=host) as model_url:
        yield House(
            world=world, faults=faults, telegram_url=url, model=model, model_url=f"{model_url}/v1", folder=folder
        )


def answer(messages: Sequence[Mapping[str, str]]) -> str:
    """The model's answer: the newest word in its prompt."""
    heard = WORD.findall(messages[-1]["content"])
    return f"I heard {heard[-1]} and remember it." if heard else "I heard nothing."


def _slowed(app: ASGIApp, chance: random.Random, slowest: float) -> ASGIApp:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(chance.random() * slowest)
        await app(scope, receive, send)

    return slow


def _patient(app: ASGIApp) -> ASGIApp:
    """The bot may be killed while it asks; that is no reason for a traceback."""

    async def patient(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return patient


@dataclass(frozen=True, kw_only=True)
class Saying:
    """One message: whose memory it belongs to, and the word that its answer carries."""

    owner: int
    answer: str


class Ledger:
    """What was said and what was answered, over all runs."""

    def __init__(self, world: World) -> None:
        self.said: dict[str, Saying] = {}
        self.answered: Counter[str] = Counter()
        self.apologies = 0
        self._world = world
        self._pulse = Pulse()
        self._next = 0

    def words(self, owner: int, number: int) -> list[str]:
        """New words for one turn's pieces, recorded in the ledger from now on."""
        made = [f"q{self._next + place}z" for place in range(number)]
        self._next += number
        self.said.update({word: Saying(owner=owner, answer=made[-1]) for word in made})
        return made

    async def watch(self) -> None:
        """Note answers as they appear in the chats."""
        since = 0
        while True:
            for event in await self._world.feed.after(since):
                since = event["n"]
                if event["kind"] in ("message", "edit") and event["message"]["from"]["is_bot"]:
                    text = event["message"].get("text", "")
                    self.answered.update(WORD.findall(text))
                    if "could not answer" in text:
                        self._apologised(event["chat_id"])
            self._pulse.beat()

    def _apologised(self, owner: int) -> None:
        """An apology answers the owner's oldest open message, for a scope is served in order."""
        self.apologies += 1
        waiting = (one.answer for one in self.said.values() if one.owner == owner and one.answer not in self.answered)
        self.answered.update([next(waiting, "")])

    async def until_answered(self, words: Sequence[str]) -> None:
        while any(self.said[word].answer not in self.answered for word in words):
            await self._pulse.wait()

    def unanswered(self) -> list[str]:
        return [word for word, saying in self.said.items() if saying.answer not in self.answered]

    def check(self, folder: Path, *, settled: bool = False) -> tuple[Violations, Files]:
        """What is wrong in the files. Not settled: a message may still be with Telegram or in the inbox."""
        files = read(folder)
        found = violations(files)
        found.add(self.missing(files, str(self._world.updates.pending()), settled=settled))
        return found, files

    def missing(self, files: Files, pending: str, *, settled: bool = False) -> Violations:
        """What was said and is not stored as it should be. `pending`: the updates that Telegram holds."""
        found = Violations()
        inbox = set(WORD.findall(str(files.inbox)))  # what a lost reply left unwritten waits here, answered or not
        on_the_way = set(WORD.findall(pending)) | inbox
        for owner in {saying.owner for saying in self.said.values()}:
            mine = {word for word, saying in self.said.items() if saying.owner == owner}
            texts = [row["content"] for row in files.home(owner).messages if row["role"] == "user"]
            stored = Counter(word for text in texts for word in WORD.findall(text))
            found.doubled += [f"{owner}: {word} is stored {times} times" for word, times in stored.items() if times > 1]
            found.strays += [f"{owner}: {text[:40]!r} is stored" for text in texts if not WORD.search(text)]
            kept = stored.keys() if settled else stored.keys() | on_the_way
            found.lost += [f"{owner}: {word}" for word in sorted(mine - kept)]
            found.lost += [
                f"{owner}: {word} was answered and is not stored{', but Telegram holds it' if word in pending else ''}"
                for word in sorted(mine - stored.keys() - inbox)
                if not settled and self.said[word].answer in self.answered
            ]
        return found


class Talker:
    """A person in one chat (or, for a group, several in turn) who talks, moves the memory and waits for answers."""

    def __init__(
        self,
        ledger: Ledger,
        members: Sequence[Member],
        chance: random.Random,
        *,
        moves: float,
        thresholds: Sequence[int] = (1, 2, 2, 3),
        patience: float | None = None,
        step_patience: float = 5.0,
    ) -> None:
        """`patience`: seconds to wait for an answer; `step_patience`: for a step of the setup, which may be lost."""
        self._ledger = ledger
        self._members = members
        self._chance = chance
        self._moves = moves
        self._thresholds = thresholds
        self._patience = patience
        self._step_patience = step_patience
        self.owner = members[0].chat_id
        self.is_private = self.owner > 0
        self.turns = 0
        self.stuck = 0
        self.stopping = asyncio.Event()
        self.moving = Pulse()  # set at the last answer to the wizard, which moves the memory

    async def talk(self) -> None:
        """Talk until `stopping` is set; then finish what was begun."""
        while not self.stopping.is_set():
            if self._chance.random() < self._moves:
                await self.configure()
            else:
                await self.chat()

    async def chat(self) -> None:
        """A few messages in a row, then wait for their answers."""
        words: list[str] = []
        for _ in range(self._chance.choice((1, 1, 2, 3))):
            pieces = 2 if self.is_private and self._chance.random() < 0.03 else 1
            new = self._ledger.words(self.owner, pieces)
            words += new
            text = " ".join([f"Please note {new[0]}.", *(f"{'and so on ' * 430}{word}" for word in new[1:])])
            member = self._chance.choice(self._members)
            said = member.says(self._addressed(text))
            self.turns += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ledger.until_answered(words), self._patience)
        if pieces == 1 and self._chance.random() < EDITS:
            member.edits(said["message_id"], f"{said['text']} Or later.")

    async def configure(self) -> None:
        """Choose a storage (the same or the other one) and a small threshold."""
        await self.configure_as(self._chance.choice(STORAGES))

    async def configure_as(self, storage: str) -> None:
        """The whole wizard, from the beginning if a step of it goes unanswered. Raises RuntimeError where it is not
        finished within SET_UP_WITHIN seconds.
        """
        member, number = self._members[0], str(self._chance.choice(self._thresholds))
        begun = time.monotonic()
        while True:
            try:
                since = member.now
                member.says("/summary" if self.is_private else "/summary@keepsake_bot")
                asked = await member.hears("tep 1", since=since, timeout=self._step_patience)
                since = member.now
                member.press(asked, storage)
                asked = await member.hears("tep 2", since=since, timeout=self._step_patience)
                since = member.now
                self.moving.beat()
                member.says(number, reply_to=None if self.is_private else asked["message_id"])
                await member.hears("External memory configured", since=since, timeout=self._step_patience)
            except AssertionError as error:
                self.stuck += 1
                if time.monotonic() - begun > SET_UP_WITHIN:
                    raise RuntimeError(f"a setup was not finished: {error}") from error
                await self._cancel(member)
            else:
                return

    async def _cancel(self, member: Member) -> None:
        """Raises RuntimeError where it is not answered within CANCELLED_WITHIN seconds."""
        begun = time.monotonic()
        while True:
            since = member.now
            member.says("/cancel" if self.is_private else "/cancel@keepsake_bot")
            try:
                await member.hears("ancel", since=since, timeout=min(self._step_patience, CANCELLED_WITHIN / 2))
            except AssertionError as error:
                if time.monotonic() - begun > CANCELLED_WITHIN:
                    raise RuntimeError(f"/cancel was not answered: {error}") from error
            else:
                return

    def _addressed(self, text: str) -> str:
        return text if self.is_private else f"@keepsake_bot {text}"
