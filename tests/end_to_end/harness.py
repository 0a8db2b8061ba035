"""Everything for black-box tests: a small Telegram, a scripted model, and `bot.py` as a process between them.

Everything is waited for by its event (a message in the chat, a request to the model, a line of the log), never by
sleeping. Does not know the program's code: it looks at chats, requests, files, exit statuses and the log.
"""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from playground.bot_api import make_bot_api
from playground.control import make_control_router
from playground.faults import Faults
from playground.feed import Feed
from playground.server import serve
from playground.world import World
from tests.end_to_end.memory import Memory
from tests.paths import ROOT
from tests.peers.openai_server import Behaviour, OpenAIServer, running, words_of
from tests.support.forking import ENVIRON, Forked, zygote
from tests.support.postgres_server import address, as_uri
from tests.support.reference_encoding import reference_encoding

BOT = ROOT / "bot.py"
TOKEN = "4242:AAtest-token-of-the-end-to-end-tests"
KEY = "sk-end-to-end-key"
ANSWERS, SUMMARIES = "answering-model", "summarising-model"
SUMMARY = "The user and the assistant talked; the assistant confirmed what it had heard."
PATIENCE = 90.0
"""Seconds after which a test gives up waiting: far more than anything here takes, also on a machine with other work."""
LINES_TOLD = 20
"""Of the bot's log, where something was not heard."""

Json = dict[str, Any]


@dataclass
class Suite:
    """How all tests of a run are run. `postgres`: see LocalServers; set by `--on-postgres`."""

    postgres: str = ""


SUITE = Suite()


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a finished process said, and its exit status."""

    status: int
    out: str
    err: str


class Process:
    """`bot.py` while it runs. Its log is a feed, so that a line can be waited for; several runs may share one."""

    def __init__(self, process: asyncio.subprocess.Process | Forked, *, log: Feed | None = None) -> None:
        self._process = process
        self.log = Feed() if log is None else log
        self.out = Feed()
        self._readers = [
            asyncio.create_task(_lines(process.stderr, self.log)),
            asyncio.create_task(_lines(process.stdout, self.out)),
        ]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_over(self) -> bool:
        return self._process.returncode is not None

    def text(self) -> str:
        """The whole log so far."""
        return "\n".join(entry["line"] for entry in self.log)

    async def logged(self, *words: str, since: int = 0) -> str:
        """The first line of the log after entry `since` with all these words, waited for."""
        return await self._line(self.log, words, since)

    async def printed(self, words: str) -> str:
        """The first line on stdout with these words, waited for."""
        return await self._line(self.out, (words,), 0)

    async def terminate(self) -> int:
        """SIGTERM; the exit status. TimeoutError when it takes more than the contract's ten seconds."""
        if self._process.returncode is None:
            self._process.terminate()
        async with asyncio.timeout(60):
            await self._process.wait()
        return await self.ended()

    async def interrupt(self) -> None:
        """SIGINT, as Ctrl-C sends it."""
        self._process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            await self._process.wait()

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self._process.returncode is None:
            self._process.kill()
        await self.ended()

    async def ended(self) -> int:
        """Wait until it ends by itself; the exit status."""
        async with asyncio.timeout(PATIENCE):
            status = await self._process.wait()
            await asyncio.gather(*self._readers)
        return status

    async def _line(self, feed: Feed, words: Sequence[str], since: int) -> str:
        try:
            entry = await feed.wait_for_first_match(
                lambda entry: all(word in entry["line"] for word in words) or "over" in entry,
                since=since,
                timeout=PATIENCE,
            )
        except TimeoutError:
            raise AssertionError(f"no line with {words!r} in:\n{self.text()}") from None
        assert "over" not in entry, f"the process ended without {words!r}:\n{self.text()}"
        return str(entry["line"])


async def _lines(stream: asyncio.StreamReader | None, feed: Feed) -> None:
    while stream is not None and (line := await stream.readline()):
        feed.add({"line": line.decode().rstrip("\n")})
    feed.add({"line": "", "over": True})


@dataclass(kw_only=True)
class LocalServers:
    """The peers and the data of one or several runs of the bot.

    Not `is_forked`: each run has an interpreter of its own, as with `make run`, which takes a second or two longer.
    `postgres`: the server that runs are given a DATABASE_URL of, a schema for each DATA_DIR. Tests that say SQLite then
    mean PostgreSQL.
    """

    world: World
    faults: Faults
    telegram_url: str
    model: OpenAIServer
    model_url: str
    folder: Path
    is_forked: bool = True
    postgres: str = field(default_factory=lambda: SUITE.postgres)
    _served_by: Process | None = None
    _ids: Iterable[int] = field(default_factory=lambda: count(71_001))  # nobody in the sample exports

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def memory(self) -> Memory:
        return self.memory_in("data")

    def memory_in(self, folder: str | Path) -> Memory:
        """What a bot remembers whose DATA_DIR is this folder."""
        return Memory(self.folder / folder, self.postgres)

    @property
    def sql(self) -> str:
        """What the storage is called that keeps memories in tables: on PostgreSQL it takes SQLite's place."""
        return "PostgreSQL" if self.postgres else "SQLite"

    def environ(self, **settings: str) -> dict[str, str]:
        """The whole environment of a process: nothing of the test's own gets in."""
        if self.postgres and "DATABASE_URL" not in settings:
            folder = self.folder / settings.get("DATA_DIR", "data")
            settings = {**settings, "DATABASE_URL": as_uri(address(self.postgres, folder))}
        return {
            **ENVIRON,
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": self.telegram_url,
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.model_url,
            "OPENAI_MODEL": ANSWERS,
            "SUMMARY_MODEL": SUMMARIES,
            "EMBEDDING_MODEL": "none",
            "EMBEDDING_TIMEOUT": "60",  # a busy machine is no reason to do without
            "ALLOWED_USER_IDS": "*",
            "REPLY_STREAMING": "off",
            "LOG_LEVEL": "DEBUG",
            **settings,
        }

    def state(self) -> str:
        """Whether a bot serves this house, and how its log ends: for whoever waited for it in vain."""
        if self._served_by is None:
            return "no bot serves this house"
        lines = self._served_by.text().splitlines()
        is_over = " is over" if self._served_by.is_over else " runs"
        return f"the bot{is_over}; its log ends with:\n" + "\n".join(lines[-LINES_TOLD:])

    async def run(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Run:
        """Run `bot.py` to its end."""
        process = Process(await self.spawn(*arguments, environ=environ))
        try:
            status = await process.ended()
        finally:
            await process.kill()
        out = "\n".join(entry["line"] for entry in process.out).rstrip("\n")
        return Run(status=status, out=out, err=process.text().rstrip("\n"))

    @asynccontextmanager
    async def bot(self, *arguments: str, **settings: str) -> AsyncIterator[Process]:
        """The bot from `ready` on; ended by SIGTERM when the block ends, unless it is over by then.

        One at a time in a house: two would take each other's updates, each with a memory of its own.
        """
        assert self._served_by is None, (
            "a bot serves this house already: a test with a bot of its own takes `own_house`"
        )
        process = self._served_by = Process(await self.spawn(*arguments, environ=self.environ(**settings)))
        try:
            await process.logged("ready")
            yield process
            assert await process.terminate() in (0, -9), process.text()
        finally:
            await process.kill()
            self._served_by = None
        assert "Traceback" not in process.text(), process.text()
        assert "Warning:" not in process.text(), process.text()

    async def spawn(
        self, *arguments: str, environ: Mapping[str, str] | None = None
    ) -> asyncio.subprocess.Process | Forked:
        environ = self.environ() if environ is None else environ
        if self.is_forked and sys.platform == "linux":
            return await zygote().fork(arguments, environ, folder=self.folder)
        return await asyncio.create_subprocess_exec(
            *(sys.executable, str(BOT), *arguments),
            cwd=self.folder,
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def person(self, name: str = "Ann", *, language: str = "en") -> "Member":
        """Somebody new, in their private chat with the bot. `language`: of their app."""
        person_id = next(iter(self._ids))
        self.world.add_person(person_id, name, language_code=language)
        return Member(house=self, id=person_id, chat_id=person_id)

    def group(self, *members: "Member", admins: Sequence["Member"], topics: Mapping[int, str] | None = None) -> int:
        """A new group with the bot and these people in it; its id."""
        chat_id = -1_000_000_000_000 - next(iter(self._ids)) if topics else -next(iter(self._ids))
        self.world.add_group(
            chat_id,
            "Picnic",
            members=[member.id for member in members],
            admins=[member.id for member in admins],
            is_forum=bool(topics),
            topics=topics,
        )
        return chat_id

    def chat_requests(self) -> list[Sequence[Mapping[str, str]]]:
        return [request.messages for request in self.model.of(ANSWERS)]

    def summary_requests(self) -> list[Sequence[Mapping[str, str]]]:
        return [request.messages for request in self.model.of(SUMMARIES)]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person in one chat. What the bot says there is waited for by `hears`."""

    house: LocalServers
    id: int
    chat_id: int
    thread: int | None = None

    @property
    def owner(self) -> int:
        """The owner of the memory in this chat."""
        return self.chat_id

    def within(self, chat_id: int, thread: int | None = None) -> "Member":
        """The same person in another chat or topic."""
        return Member(house=self.house, id=self.id, chat_id=chat_id, thread=thread)

    def says(self, text: str, *, reply_to: int | None = None) -> Json:
        return self.house.world.say(self.id, self.chat_id, text, thread_id=self.thread, reply_to=reply_to)

    def edits(self, message_id: int, text: str) -> Json:
        return self.house.world.edit_message(self.id, self.chat_id, message_id, text)

    async def hears(self, words: str | Callable[[Json], bool] = "", *, since: int, timeout: float = PATIENCE) -> Json:
        """The bot's first message here, after event `since`, that has these words; waited for."""
        fits = words if callable(words) else lambda message: words in message.get("text", "")

        def matches(event: Json) -> bool:
            return (
                event["kind"] in ("message", "edit")
                and event["chat_id"] == self.chat_id
                and event["message"]["from"]["is_bot"]
                and event["message"].get("message_thread_id") == self.thread
                and fits(event["message"])
            )

        try:
            event = await self.house.world.feed.wait_for_first_match(matches, since=since, timeout=timeout)
        except TimeoutError:
            said = [message.get("text") for message in self.heard(since=since)]
            raise AssertionError(f"{words!r} was not heard; heard was {said}; {self.house.state()}") from None
        message: Json = event["message"]
        return message

    async def asks(self, text: str, words: str = "", *, reply_to: int | None = None) -> str:
        """Say something; the text of the bot's next message (with these words, if any are given)."""
        return str((await self.tells(text, words, reply_to=reply_to))["text"])

    async def tells(self, text: str, words: str = "", *, reply_to: int | None = None) -> Json:
        """As asks(), giving the whole message."""
        since = self.now
        self.says(text, reply_to=reply_to)
        return await self.hears(words, since=since)

    async def is_done_with(self) -> None:
        """Wait until nothing is left in the files of what the bot has done with here, but for what is remembered: it
        does so behind the answer to a command, and takes the next one afterwards.
        """
        for _ in range(2):
            await self.asks("/cancel", "nothing to cancel")

    async def folded(self, bot: Process, level: int = 1, *, since: int) -> None:
        """Wait for a summary of what was said here, after entry `since` of the log. Others' are made there as well."""
        await bot.logged("summarized messages", f" of {self.owner} in ", f"(level {level})", since=since)

    def heard(self, *, since: int = 0) -> list[Json]:
        """The messages that the bot sent here after event `since`."""
        return [
            event["message"]
            for event in self.house.world.feed.list_entries_since(since)
            if event["kind"] == "message"
            and event["chat_id"] == self.chat_id
            and event["message"]["from"]["is_bot"]
            and event["message"].get("message_thread_id") == self.thread
        ]

    @property
    def now(self) -> int:
        """The number of the newest event: what comes after it is new."""
        return self.house.world.feed.last

    def press(self, message: Json, label: str) -> str:
        """Press the button whose text contains `label`; the query's id."""
        label = self.house.sql if label == "SQLite" else label
        rows = message["reply_markup"]["inline_keyboard"]
        button = next(button for row in rows for button in row if label in button["text"])
        return self.house.world.press_button(self.id, self.chat_id, message["message_id"], button["callback_data"])

    def reacts(self, message: Json, *emoji: str) -> None:
        """Put these reactions under a message, in the place of the person's own."""
        self.house.world.react(self.id, self.chat_id, message["message_id"], *emoji)

    async def toast(self, query_id: str) -> str:
        """What the answer to a press says."""
        event = await self.house.world.feed.wait_for_first_match(
            lambda event: event["kind"] == "callback_answer" and event["query_id"] == query_id, timeout=PATIENCE
        )
        return event.get("text") or ""

    async def sets_up(self, storage: str = "SQLite", every_n: int = 20) -> str:
        """The whole wizard; its last message."""
        asked = await self.tells("/summary", "1 of 2")
        since = self.now
        self.press(asked, storage)
        await self.hears("2 of 2", since=since)
        return await self.asks(str(every_n), "External memory configured")


def tokens(messages: Sequence[Mapping[str, str]], *, tools: object = None) -> int:
    """Tokens of one request by the contract's formula, the schemas of its tools as JSON, without its pictures."""
    said = sum(3 + _size(message["role"]) + _size(words_of(message)) for message in messages)
    return 3 + said + (_size(json.dumps(tools)) if tools else 0)


@lru_cache(10_000)  # a message is in many requests
def _size(text: str) -> int:
    return len(reference_encoding("o200k_base").encode(text, disallowed_special=()))


def check_requests(house: LocalServers, *, max_prompt_tokens: int = 8000) -> None:
    """What holds for every request that the bot ever made, for facts and the profile too: its size, one system message,
    the user's words last, or what a tool has found for them.
    """
    for request in (request for request in house.model.requests if request.path.endswith("/chat/completions")):
        messages = request.messages
        assert tokens(messages, tools=request.body.get("tools")) <= max_prompt_tokens, (request.model, request.schema)
        assert [message["role"] for message in messages].count("system") <= 1
        assert "system" not in [message["role"] for message in messages[1:]]
        assert messages[-1]["role"] in ("user", "tool")


@asynccontextmanager
async def open_house(folder: Path) -> AsyncIterator[LocalServers]:
    """A small Telegram and a scripted model, served over real HTTP; no bot yet."""
    world, faults = World(token=TOKEN), Faults()
    app = Starlette(
        routes=[
            Mount("/control", make_control_router(world, faults)),
            Mount("", make_bot_api(world, faults, webhook_delays=(0.001,))),
        ]
    )
    async with serve(app) as url, running() as (model, model_url):
        model.default(ANSWERS, "Noted.")
        model.default(SUMMARIES, SUMMARY)
        yield LocalServers(
            world=world, faults=faults, telegram_url=url, model=model, model_url=model_url, folder=folder
        )


HANGS = Behaviour(text="Late but here.", hold="start")
