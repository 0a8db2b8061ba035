"""Simulated people who talk to the bot, and a ledger of their messages and the answers.

The bot runs as a process between a local Bot API server and a scripted model, over real HTTP. Each message contains a
unique word, so that the tests can find it in the files and chats. The faults are injected elsewhere.
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

from playground.bot_api import make_bot_api
from playground.control import make_control
from playground.faults import Faults
from playground.feed import Feed, Pulse
from playground.server import serve
from playground.world import World
from reliability.invariants import Files, Violations, find_violations, read_folder
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, TOKEN, House, Member, Process
from tests.peers.openai_server import OpenAIServer
from tests.support.forking import Forked, zygote

WORD = re.compile(r"\bq[0-9]+z\b")
STORAGES = ("SQLite", "JSON")
MAX_FAILED_STARTS = 30  # starts in a row that may fail because of a passing fault
MAX_SETUP_SECONDS = 150.0  # several kills may come during one setup
MAX_CANCEL_SECONDS = 60.0
EDITED_SHARE = 0.2  # the share of answered messages that are edited


class Bot:
    """The bot's process, or that of another program, which can be killed and restarted."""

    def __init__(
        self, start: Callable[[], Awaitable[asyncio.subprocess.Process | Forked]], *, ready: str = "is ready"
    ) -> None:
        """Find the start of service by the log line that contains `ready`."""
        self._start = start
        self._ready = ready
        self.log = Feed()
        self._since = 0
        self._run: Process | None = None

    @property
    def pid(self) -> int:
        return self._begun.pid

    async def begin(self) -> None:
        """Start the process without waiting until it is ready."""
        self._since = self.log.last
        self._run = Process(await self._start(), log=self.log)

    async def ready(self) -> None:
        await self.logged(self._ready)

    async def serve(self) -> None:
        """Start the process and wait until it serves. Restart it after exit status 1, as systemd does.

        Raise AssertionError if it fails in another way, or MAX_FAILED_STARTS times.
        """
        for left in reversed(range(MAX_FAILED_STARTS)):
            await self.begin()
            try:
                await self.ready()
            except AssertionError:
                if not left or await self._begun.ended() != 1:
                    raise
            else:
                return

    async def logged(self, words: str) -> None:
        """Wait until the current run logs a line with these words."""
        await self._begun.logged(words, since=self._since)

    async def end(self, number: signal.Signals) -> int:
        """Send a signal to the process and return its exit status."""
        os.kill(self.pid, number)
        async with asyncio.timeout(15):
            return await self._begun.ended()

    async def kill(self) -> None:
        """Kill the process if it was started."""
        if self._run is not None:
            await self._run.kill()

    def count_tracebacks(self) -> int:
        """Count the log lines that report an unhandled exception."""
        return sum("Traceback" in entry["line"] or "never retrieved" in entry["line"] for entry in self.log)

    def read_log(self) -> str:
        """Return the newest log lines as one text."""
        return "\n".join(entry["line"] for entry in self.log)

    @property
    def _begun(self) -> Process:
        if self._run is None:
            raise RuntimeError("no run has begun")
        return self._run


@asynccontextmanager
async def open_bot(environ: Mapping[str, str], *, folder: Path, snapshot_after: int) -> AsyncIterator[Bot]:
    """Yield a bot that is not started yet, and kill it at the end."""
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
    """Run a local Bot API server and a model that answers with the newest word after at most `slowest` seconds.

    Both listen on `host`. See the playground's Courier for `trusts`.
    """
    world, faults, model = World(token=TOKEN), Faults(), OpenAIServer()
    app = Starlette(
        routes=[
            Mount("/control", make_control(world, faults)),
            Mount("", make_bot_api(world, faults, webhook_delays=(0.001,), trusts=trusts)),
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
    """Answer as the model, with the newest word of the prompt."""
    heard = WORD.findall(messages[-1]["content"])
    return f"I heard {heard[-1]} and remember it." if heard else "I heard nothing."


def _slowed(app: ASGIApp, chance: random.Random, slowest: float) -> ASGIApp:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(chance.random() * slowest)
        await app(scope, receive, send)

    return slow


def _patient(app: ASGIApp) -> ASGIApp:
    """Ignore clients that disconnect, because the bot may be killed during a request."""

    async def patient(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return patient


@dataclass(frozen=True, kw_only=True)
class Saying:
    """One message, with the owner of its memory and the word in its answer."""

    owner: int
    answer: str


class Ledger:
    """All messages and answers of a test, over all runs of the bot."""

    def __init__(self, world: World) -> None:
        self.said: dict[str, Saying] = {}
        self.answered: Counter[str] = Counter()
        self.apologies = 0
        self._world = world
        self._pulse = Pulse()
        self._next = 0

    def add_words(self, owner: int, number: int) -> list[str]:
        """Record one unique word for each piece of a turn, and return the words."""
        made = [f"q{self._next + place}z" for place in range(number)]
        self._next += number
        self.said.update({word: Saying(owner=owner, answer=made[-1]) for word in made})
        return made

    async def watch(self) -> None:
        """Record answers as they appear in the chats, until cancelled."""
        since = 0
        while True:
            for event in await self._world.feed.after(since):
                since = event["n"]
                if event["kind"] in ("message", "edit") and event["message"]["from"]["is_bot"]:
                    text = event["message"].get("text", "")
                    self.answered.update(WORD.findall(text))
                    if "could not answer" in text:
                        self._record_apology(event["chat_id"])
            self._pulse.beat()

    def _record_apology(self, owner: int) -> None:
        """Count an apology as the answer to the owner's oldest open message, since a scope is served in order."""
        self.apologies += 1
        waiting = (
            saying.answer
            for saying in self.said.values()
            if saying.owner == owner and saying.answer not in self.answered
        )
        self.answered.update([next(waiting, "")])

    async def wait_until_answered(self, words: Sequence[str]) -> None:
        while any(self.said[word].answer not in self.answered for word in words):
            await self._pulse.wait()

    def list_unanswered(self) -> list[str]:
        return [word for word, saying in self.said.items() if saying.answer not in self.answered]

    def check(self, folder: Path, *, settled: bool = False) -> tuple[Violations, Files]:
        """Check the files in `folder`. Unless `settled`, a message may still be with Telegram or in the inbox."""
        files = read_folder(folder)
        found = find_violations(files)
        found.add(self.find_missing(files, str(self._world.updates.pending()), settled=settled))
        return found, files

    def find_missing(self, files: Files, pending: str, *, settled: bool = False) -> Violations:
        """Find messages that are lost, doubled or unknown. `pending` is the text of the updates that Telegram holds."""
        found = Violations()
        inbox = set(WORD.findall(str(files.inbox)))  # an answered update stays here if the reply to its COMMIT was lost
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
    """One person, or the members of a group, who talk, wait for answers and move the memory between stores."""

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
        """Wait at most `patience` seconds for an answer and `step_patience` seconds for each step of the setup."""
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
        self.moving = Pulse()  # beats when the last answer to the wizard is sent, which starts a move

    async def talk(self) -> None:
        """Chat and reconfigure at random until `stopping` is set."""
        while not self.stopping.is_set():
            if self._chance.random() < self._moves:
                await self.configure()
            else:
                await self.chat()

    async def chat(self) -> None:
        """Send up to three messages and wait for their answers."""
        words: list[str] = []
        for _ in range(self._chance.choice((1, 1, 2, 3))):
            pieces = 2 if self.is_private and self._chance.random() < 0.03 else 1
            new = self._ledger.add_words(self.owner, pieces)
            words += new
            text = " ".join([f"Please note {new[0]}.", *(f"{'and so on ' * 430}{word}" for word in new[1:])])
            member = self._chance.choice(self._members)
            said = member.says(self._address(text))
            self.turns += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ledger.wait_until_answered(words), self._patience)
        if pieces == 1 and self._chance.random() < EDITED_SHARE:
            member.edits(said["message_id"], f"{said['text']} Or later.")

    async def configure(self) -> None:
        """Run the setup wizard with a random storage."""
        await self.configure_as(self._chance.choice(STORAGES))

    async def configure_as(self, storage: str) -> None:
        """Run the setup wizard, and begin again if a step is not answered.

        Raise RuntimeError if it does not finish within MAX_SETUP_SECONDS.
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
                if time.monotonic() - begun > MAX_SETUP_SECONDS:
                    raise RuntimeError(f"a setup was not finished: {error}") from error
                await self._cancel(member)
            else:
                return

    async def _cancel(self, member: Member) -> None:
        """Send /cancel until it is answered. Raise RuntimeError after MAX_CANCEL_SECONDS."""
        begun = time.monotonic()
        while True:
            since = member.now
            member.says("/cancel" if self.is_private else "/cancel@keepsake_bot")
            try:
                await member.hears("ancel", since=since, timeout=min(self._step_patience, MAX_CANCEL_SECONDS / 2))
            except AssertionError as error:
                if time.monotonic() - begun > MAX_CANCEL_SECONDS:
                    raise RuntimeError(f"/cancel was not answered: {error}") from error
            else:
                return

    def _address(self, text: str) -> str:
        return text if self.is_private else f"@keepsake_bot {text}"
