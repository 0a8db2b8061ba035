"""A harness for black-box tests: a local Telegram, a scripted model, and `bot.py` as a process.

Tests wait for events (a message in the chat, a request to the model, a line of the log) and never sleep. The harness
does not use the program's code: it looks at chats, requests, files, exit statuses and the log.
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
from tests.peers.openai_server import Behaviour, OpenAIServer, get_message_text, run_openai_server
from tests.support.forking import ENVIRON, ForkedProcess, get_zygote
from tests.support.postgres_server import format_uri, make_schema_address
from tests.support.reference_encoding import load_reference_encoding

BOT = ROOT / "bot.py"
TOKEN = "4242:AAtest-token-of-the-end-to-end-tests"
KEY = "sk-end-to-end-key"
ANSWERS, SUMMARIES = "answering-model", "summarising-model"
SUMMARY = "The user and the assistant talked; the assistant confirmed what it had heard."
PATIENCE = 90.0
"""Seconds until a wait fails. Long enough for a busy machine."""
LINES_TOLD = 20
"""Log lines shown when a wait for a message fails."""

Json = dict[str, Any]


@dataclass
class Suite:
    """Options of the whole test run. `postgres`: see LocalServers; set by `--on-postgres`."""

    postgres: str = ""


SUITE = Suite()


@dataclass(frozen=True, kw_only=True)
class Run:
    """The output and exit status of a finished process."""

    status: int
    out: str
    err: str


class Process:
    """A running `bot.py`. Its log is a feed that tests can wait on; several runs may share one."""

    def __init__(self, process: asyncio.subprocess.Process | ForkedProcess, *, log: Feed | None = None) -> None:
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

    def get_log_text(self) -> str:
        """Return the whole log so far."""
        return "\n".join(entry["line"] for entry in self.log)

    async def wait_for_log_line(self, *words: str, since: int = 0) -> str:
        """Wait for the first log line after entry `since` that contains all these words, and return it."""
        return await self._line(self.log, words, since)

    async def wait_for_output_line(self, words: str) -> str:
        """Wait for the first line on stdout that contains these words, and return it."""
        return await self._line(self.out, (words,), 0)

    async def terminate(self) -> int:
        """Send SIGTERM and return the exit status."""
        if self._process.returncode is None:
            self._process.terminate()
        async with asyncio.timeout(60):
            await self._process.wait()
        return await self.wait_for_exit()

    async def interrupt(self) -> None:
        """Send SIGINT, as Ctrl-C does, and wait until the process has ended."""
        self._process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            await self._process.wait()

    async def kill(self) -> None:
        """Send SIGKILL and wait until the process has ended."""
        if self._process.returncode is None:
            self._process.kill()
        await self.wait_for_exit()

    async def wait_for_exit(self) -> int:
        """Wait until the process ends by itself, and return its exit status."""
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
            raise AssertionError(f"no line with {words!r} in:\n{self.get_log_text()}") from None
        assert "over" not in entry, f"the process ended without {words!r}:\n{self.get_log_text()}"
        return str(entry["line"])


async def _lines(stream: asyncio.StreamReader | None, feed: Feed) -> None:
    while stream is not None and (line := await stream.readline()):
        feed.add({"line": line.decode().rstrip("\n")})
    feed.add({"line": "", "over": True})


@dataclass(kw_only=True)
class LocalServers:
    """The local servers and the data directory that one or several runs of the bot use.

    `is_forked`: if False, each run starts its own interpreter, as `make run` does. That takes a second or two longer.
    `postgres`: the address of a PostgreSQL server. Each run then gets a DATABASE_URL with one schema per DATA_DIR,
    and tests that say SQLite mean PostgreSQL.
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
    def data_dir(self) -> Path:
        return self.folder / "data"

    @property
    def memory(self) -> Memory:
        return self.get_memory("data")

    def get_memory(self, folder: str | Path) -> Memory:
        """Return the stored memory of a bot with this DATA_DIR."""
        return Memory(self.folder / folder, self.postgres)

    @property
    def sql(self) -> str:
        """The display name of the SQL storage: PostgreSQL replaces SQLite if a server is used."""
        return "PostgreSQL" if self.postgres else "SQLite"

    def make_environ(self, **settings: str) -> dict[str, str]:
        """Return the complete environment of a bot process. Nothing is inherited from the test's own."""
        if self.postgres and "DATABASE_URL" not in settings:
            folder = self.folder / settings.get("DATA_DIR", "data")
            settings = {**settings, "DATABASE_URL": format_uri(make_schema_address(self.postgres, folder))}
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
        """Describe the bot and the end of its log, for the message of a failed wait."""
        if self._served_by is None:
            return "no bot runs on these servers"
        lines = self._served_by.get_log_text().splitlines()
        is_over = " is over" if self._served_by.is_over else " runs"
        return f"the bot{is_over}; its log ends with:\n" + "\n".join(lines[-LINES_TOLD:])

    async def run(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Run:
        """Run `bot.py` until it exits, and return its output and exit status."""
        process = Process(await self.spawn(*arguments, environ=environ))
        try:
            status = await process.wait_for_exit()
        finally:
            await process.kill()
        out = "\n".join(entry["line"] for entry in process.out).rstrip("\n")
        return Run(status=status, out=out, err=process.get_log_text().rstrip("\n"))

    @asynccontextmanager
    async def run_bot(self, *arguments: str, **settings: str) -> AsyncIterator[Process]:
        """Run a bot from "ready" to the end of the block, and stop it with SIGTERM if it still runs.

        Only one bot may run on the same servers at a time. Two would take each other's updates, each with its own
        memory.
        """
        assert self._served_by is None, (
            "a bot runs on these servers already: a test with a bot of its own takes `own_servers`"
        )
        process = self._served_by = Process(await self.spawn(*arguments, environ=self.make_environ(**settings)))
        try:
            await process.wait_for_log_line("ready")
            yield process
            assert await process.terminate() in (0, -9), process.get_log_text()
        finally:
            await process.kill()
            self._served_by = None
        assert "Traceback" not in process.get_log_text(), process.get_log_text()
        assert "Warning:" not in process.get_log_text(), process.get_log_text()

    async def spawn(
        self, *arguments: str, environ: Mapping[str, str] | None = None
    ) -> asyncio.subprocess.Process | ForkedProcess:
        environ = self.make_environ() if environ is None else environ
        if self.is_forked and sys.platform == "linux":
            return await get_zygote().fork(arguments, environ, folder=self.folder)
        return await asyncio.create_subprocess_exec(
            *(sys.executable, str(BOT), *arguments),
            cwd=self.folder,
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def add_person(self, name: str = "Ann", *, language: str = "en") -> "Member":
        """Add a person with a private chat. `language` is the language of their Telegram app."""
        person_id = next(iter(self._ids))
        self.world.add_person(person_id, name, language_code=language)
        return Member(servers=self, id=person_id, chat_id=person_id)

    def add_group(self, *members: "Member", admins: Sequence["Member"], topics: Mapping[int, str] | None = None) -> int:
        """Add a group with the bot and these people, and return its id."""
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

    def list_chat_requests(self) -> list[Sequence[Mapping[str, str]]]:
        return [request.messages for request in self.model.list_requests(ANSWERS)]

    def list_summary_requests(self) -> list[Sequence[Mapping[str, str]]]:
        return [request.messages for request in self.model.list_requests(SUMMARIES)]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person in one chat, who writes there and waits for messages of the bot."""

    servers: LocalServers
    id: int
    chat_id: int
    thread: int | None = None

    @property
    def owner(self) -> int:
        """The owner of the memory in this chat."""
        return self.chat_id

    def with_chat(self, chat_id: int, thread: int | None = None) -> "Member":
        """Return the same person in another chat or topic."""
        return Member(servers=self.servers, id=self.id, chat_id=chat_id, thread=thread)

    def say(self, text: str, *, reply_to: int | None = None) -> Json:
        return self.servers.world.say(self.id, self.chat_id, text, thread_id=self.thread, reply_to=reply_to)

    def edit_message(self, message_id: int, text: str) -> Json:
        return self.servers.world.edit_message(self.id, self.chat_id, message_id, text)

    async def wait_for_message(
        self, words: str | Callable[[Json], bool] = "", *, since: int, timeout: float = PATIENCE
    ) -> Json:
        """Wait for the bot's first message in this chat after event `since` that contains these words."""
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
            event = await self.servers.world.feed.wait_for_first_match(matches, since=since, timeout=timeout)
        except TimeoutError:
            said = [message.get("text") for message in self.list_bot_messages(since=since)]
            raise AssertionError(f"{words!r} was not heard; heard was {said}; {self.servers.state()}") from None
        message: Json = event["message"]
        return message

    async def ask(self, text: str, words: str = "", *, reply_to: int | None = None) -> str:
        """Say something, and return the text of the bot's next message (with these words, if given)."""
        return str((await self.ask_for_message(text, words, reply_to=reply_to))["text"])

    async def ask_for_message(self, text: str, words: str = "", *, reply_to: int | None = None) -> Json:
        """Like ask(), but return the whole message."""
        since = self.last_event
        self.say(text, reply_to=reply_to)
        return await self.wait_for_message(words, since=since)

    async def wait_until_idle(self) -> None:
        """Wait until the bot's files hold nothing of this chat's finished updates except stored memory.

        The bot removes its records of a command after answering it and before it takes the next one. Two commands are
        therefore enough.
        """
        for _ in range(2):
            await self.ask("/cancel", "nothing to cancel")

    async def wait_for_summary(self, bot: Process, level: int = 1, *, since: int) -> None:
        """Wait until messages of this chat were summarized, after entry `since` of the log."""
        await bot.wait_for_log_line("summarized messages", f" of {self.owner} in ", f"(level {level})", since=since)

    def list_bot_messages(self, *, since: int = 0) -> list[Json]:
        """Return the messages that the bot sent here after event `since`."""
        return [
            event["message"]
            for event in self.servers.world.feed.list_entries_since(since)
            if event["kind"] == "message"
            and event["chat_id"] == self.chat_id
            and event["message"]["from"]["is_bot"]
            and event["message"].get("message_thread_id") == self.thread
        ]

    @property
    def last_event(self) -> int:
        """The number of the newest event. Pass it as `since` to wait for later events only."""
        return self.servers.world.feed.last

    def press_button(self, message: Json, label: str) -> str:
        """Press the button whose text contains `label`, and return the query's id."""
        label = self.servers.sql if label == "SQLite" else label
        rows = message["reply_markup"]["inline_keyboard"]
        button = next(button for row in rows for button in row if label in button["text"])
        return self.servers.world.press_button(self.id, self.chat_id, message["message_id"], button["callback_data"])

    def reacts(self, message: Json, *emoji: str) -> None:
        """Set the person's reactions to a message, replacing earlier ones."""
        self.servers.world.react(self.id, self.chat_id, message["message_id"], *emoji)

    async def wait_for_toast(self, query_id: str) -> str:
        """Wait for the answer to a button press, and return its text."""
        event = await self.servers.world.feed.wait_for_first_match(
            lambda event: event["kind"] == "callback_answer" and event["query_id"] == query_id, timeout=PATIENCE
        )
        return event.get("text") or ""

    async def set_up_memory(self, storage: str = "SQLite", every_n: int = 20) -> str:
        """Complete the setup wizard, and return its last message."""
        asked = await self.ask_for_message("/summary", "1 of 2")
        since = self.last_event
        self.press_button(asked, storage)
        await self.wait_for_message("2 of 2", since=since)
        return await self.ask(str(every_n), "External memory configured")


def tokens(messages: Sequence[Mapping[str, str]], *, tools: object = None) -> int:
    """Return the tokens of one request, counted by the contract's formula.

    The schemas of its tools count as JSON. Its pictures do not count.
    """
    said = sum(
        3 + _count_text_tokens(message["role"]) + _count_text_tokens(get_message_text(message)) for message in messages
    )
    return 3 + said + (_count_text_tokens(json.dumps(tools)) if tools else 0)


@lru_cache(10_000)  # a message is in many requests
def _count_text_tokens(text: str) -> int:
    return len(load_reference_encoding("o200k_base").encode(text, disallowed_special=()))


def check_requests(servers: LocalServers, *, max_prompt_tokens: int = 8000) -> None:
    """Check every request to a chat model, including those for facts and the profile.

    It is within the token limit. It has at most one system message, at the beginning. It ends with a message of the
    user or the result of a tool.
    """
    for request in (request for request in servers.model.requests if request.path.endswith("/chat/completions")):
        messages = request.messages
        assert tokens(messages, tools=request.body.get("tools")) <= max_prompt_tokens, (request.model, request.schema)
        assert [message["role"] for message in messages].count("system") <= 1
        assert "system" not in [message["role"] for message in messages[1:]]
        assert messages[-1]["role"] in ("user", "tool")


@asynccontextmanager
async def open_local_servers(folder: Path) -> AsyncIterator[LocalServers]:
    """Serve a small Telegram and a scripted model over real HTTP, without a bot."""
    world, faults = World(token=TOKEN), Faults()
    app = Starlette(
        routes=[
            Mount("/control", make_control_router(world, faults)),
            Mount("", make_bot_api(world, faults, webhook_delays=(0.001,))),
        ]
    )
    async with serve(app) as url, run_openai_server() as (model, model_url):
        model.set_default_answer(ANSWERS, "Noted.")
        model.set_default_answer(SUMMARIES, SUMMARY)
        yield LocalServers(
            world=world, faults=faults, telegram_url=url, model=model, model_url=model_url, folder=folder
        )


HANGS = Behaviour(text="Late but here.", hold="start")
