"""Simulated people who talk to the bot, and a ledger of their messages and the answers.

The bot runs as a process and uses a local Bot API server and a scripted model over HTTP. Each message contains a unique
word, so that tests can find it in the files and chats.
"""

import asyncio
import math
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from playground.bot_api import make_bot_api
from playground.control import make_control_router
from playground.faults import Faults
from playground.feed import Feed, Notifier
from playground.server import serve
from playground.world import World
from reliability.invariants import MemoryState, Violations, find_violations, read_memory_state
from tests.end_to_end.harness import ANSWERS, SUMMARIES, SUMMARY, TOKEN, LocalServers, Member, Process
from tests.peers.openai_server import Answer, OpenAIServer
from tests.support.forking import ForkedProcess, get_zygote

WORD = re.compile(r"\bq[0-9]+z\b")
STORAGES = ("SQLite", "JSON")
MAX_FAILED_STARTS = 30  # in a row, as long as a temporary fault lasts
MAX_SETUP_SECONDS = 150.0  # several kills may come during one setup
MAX_CANCEL_SECONDS = 60.0
ERROR_NUMBER = "(error "  # ends the report of an error to an admin, who is asked to try again
EDITED_SHARE = 0.2  # of the answered messages


class BotProcess:
    """A process of the bot, or of another program, that can be killed and started again."""

    def __init__(self, start: Callable[[], Awaitable[asyncio.subprocess.Process | ForkedProcess]]) -> None:
        """Use `start` to start the process. It counts as ready once its log says "is ready"."""
        self._start = start
        self.log = Feed()
        self._since = 0
        self._run: Process | None = None

    @property
    def pid(self) -> int:
        return self._started_process.pid

    async def start(self) -> None:
        """Start the process, without waiting until it is ready."""
        self._since = self.log.last
        self._run = Process(await self._start(), log=self.log)

    async def wait_until_ready(self) -> None:
        await self._started_process.wait_for_log_line("is ready", since=self._since)

    async def start_and_wait(self) -> None:
        """Start the process and wait until it is ready. If it exits with status 1, start it again, as systemd does.

        Raise AssertionError if it fails in another way, or MAX_FAILED_STARTS times.
        """
        for left in reversed(range(MAX_FAILED_STARTS)):
            await self.start()
            try:
                await self.wait_until_ready()
            except AssertionError:
                if not left or await self._started_process.wait_for_exit() != 1:
                    raise
            else:
                return

    async def stop_with_signal(self, signal_number: signal.Signals) -> int:
        """Send a signal to the process and return its exit status."""
        os.kill(self.pid, signal_number)
        async with asyncio.timeout(15):
            return await self._started_process.wait_for_exit()

    async def kill(self) -> None:
        """Kill the process if it has been started."""
        if self._run is not None:
            await self._run.kill()

    def count_tracebacks(self) -> int:
        """Count the log lines that report an unhandled exception."""
        return sum("Traceback" in entry["line"] or "never retrieved" in entry["line"] for entry in self.log)

    def read_log(self) -> str:
        """Return the newest lines of the process's log as one text."""
        return "\n".join(entry["line"] for entry in self.log)

    @property
    def _started_process(self) -> Process:
        if self._run is None:
            raise RuntimeError("no run has begun")
        return self._run


@asynccontextmanager
async def open_bot(environ: Mapping[str, str], *, folder: Path, snapshot_after: int) -> AsyncIterator[BotProcess]:
    """Yield a bot that has not been started, and kill it on exit."""
    its = {**environ, "DATA_DIR": str(folder)}
    bot = BotProcess(partial(get_zygote().fork, (), its, folder=folder.parent, snapshot_after=snapshot_after))
    try:
        yield bot
    finally:
        await bot.kill()


def make_answer(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the simulated model's answer: the last word that occurs only once in the prompt."""
    heard = WORD.findall(messages[-1]["content"])
    return f"I heard {heard[-1]} and remember it." if heard else "I heard nothing."


@asynccontextmanager
async def run_local_servers(
    folder: Path,
    get_delay: Callable[[], float],
    make_answer: Callable[[Sequence[Mapping[str, str]]], Answer] = make_answer,
) -> AsyncIterator[LocalServers]:
    """Serve a local Bot API server, and a scripted model that answers after `get_delay()` seconds, during the block."""
    world, faults, model = World(token=TOKEN), Faults(), OpenAIServer()
    model.set_default_answer(ANSWERS, make_answer)
    model.set_default_answer(SUMMARIES, SUMMARY)
    model_app = model.app()
    telegram = Starlette(
        routes=[
            Mount("/control", make_control_router(world, faults)),
            Mount("", make_bot_api(world, faults, webhook_delays=(0.001,))),
        ]
    )

    async def answer_with_delay(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(get_delay())
        await model_app(scope, receive, send)

    async with serve(_ignore_disconnects(telegram)) as url, serve(_ignore_disconnects(answer_with_delay)) as model_url:
        yield LocalServers(
            world=world, faults=faults, telegram_url=url, model=model, model_url=f"{model_url}/v1", folder=folder
        )


def _ignore_disconnects(app: ASGIApp) -> ASGIApp:
    """Wrap an app so that it ignores clients that disconnect, because the bot may be killed during a request."""

    async def call_app(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return call_app


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """A sent message, with the owner whose memory must store it and the word that its answer must contain."""

    owner: int
    answer: str


class MessageLedger:
    """Records the messages and answers of a test over all runs of the bot, and checks them against what is stored."""

    def __init__(self, world: World) -> None:
        self.said: dict[str, SentMessage] = {}
        self.answered: Counter[str] = Counter()
        self.apologies = 0
        self._world = world
        self._notifier = Notifier()
        self._next = 0

    def make_unique_words(self, owner: int, count: int) -> list[str]:
        """Make a unique word for each of the `count` messages of a turn, record the words, and return them."""
        words = [f"q{self._next + place}z" for place in range(count)]
        self._next += count
        self.said.update({word: SentMessage(owner=owner, answer=words[-1]) for word in words})
        return words

    async def record_answers_until_cancelled(self) -> None:
        """Record answers as they appear in the chats, until cancelled."""
        since = 0
        while True:
            for event in await self._world.feed.wait_for_entries(since):
                since = event["n"]
                if event["kind"] in ("message", "edit") and event["message"]["from"]["is_bot"]:
                    text = event["message"].get("text", "")
                    self.answered.update(WORD.findall(text))
                    if "could not answer" in text:
                        self._record_apology(event["chat_id"])
            self._notifier.notify_all()

    def _record_apology(self, owner: int) -> None:
        """Count an apology as the answer to the oldest unanswered message, because messages are answered in order."""
        self.apologies += 1
        waiting = (
            message.answer
            for message in self.said.values()
            if message.owner == owner and message.answer not in self.answered
        )
        self.answered.update([next(waiting, "")])

    async def wait_until_words_answered(self, words: Sequence[str]) -> None:
        while any(self.said[word].answer not in self.answered for word in words):
            await self._notifier.wait_for_notification()

    def list_unanswered_messages(self) -> list[str]:
        return [word for word, message in self.said.items() if message.answer not in self.answered]

    def read_and_check_folder(
        self, folder: Path, *, expects_all_messages: bool = False
    ) -> tuple[Violations, MemoryState]:
        """Check the files in `folder`, and return the violations and the contents of the files.

        Unless `expects_all_messages`, messages that are still unhandled are no violation.
        """
        state = read_memory_state(folder)
        found = find_violations(state)
        found.add(
            self.find_missing_messages(state, str(self._world.updates.list_pending()), is_settled=expects_all_messages)
        )
        return found, state

    def find_missing_messages(self, state: MemoryState, pending_text: str, *, is_settled: bool = False) -> Violations:
        """Find messages that are lost, duplicated or unknown.

        Unless `is_settled`, messages that are still unhandled are no violation. `pending_text` is the text of the
        updates that the bot has not fetched from Telegram yet.
        """
        found = Violations()
        inbox = set(WORD.findall(str(state.inbox)))  # an answered update stays here if the reply to its COMMIT was lost
        on_the_way = set(WORD.findall(pending_text)) | inbox
        for owner in {message.owner for message in self.said.values()}:
            sent = {word for word, message in self.said.items() if message.owner == owner}
            texts = [row["content"] for row in state.get_owner_rows(owner).messages if row["role"] == "user"]
            stored = Counter(word for text in texts for word in WORD.findall(text))
            found.doubled += [f"{owner}: {word} is stored {times} times" for word, times in stored.items() if times > 1]
            found.strays += [f"{owner}: {text[:40]!r} is stored" for text in texts if not WORD.search(text)]
            present = stored.keys() if is_settled else stored.keys() | on_the_way
            found.lost += [f"{owner}: {word}" for word in sorted(sent - present)]
            for word in sorted(sent - stored.keys() - inbox):
                if not is_settled and self.said[word].answer in self.answered:
                    where = ", but Telegram holds it" if word in pending_text else ""
                    found.lost.append(f"{owner}: {word} was answered and is not stored{where}")
        return found


class SimulatedUsers:
    """A person, or the members of a group, who talk to the bot and move their memory between stores."""

    def __init__(
        self,
        ledger: MessageLedger,
        members: Sequence[Member],
        rng: random.Random,
        *,
        move_share: float,
        thresholds: Sequence[int] = (1, 2, 2, 3),
        answer_timeout: float | None = None,
        step_timeout: float = 5.0,
    ) -> None:
        """Simulate `members`, who run a setup with the probability `move_share` and chat otherwise.

        A setup chooses one of the `thresholds`. Wait at most `answer_timeout` seconds for an answer, and `step_timeout`
        for each step of a setup.
        """
        self._ledger = ledger
        self._members = members
        self._rng = rng
        self._move_share = move_share
        self._thresholds = thresholds
        self._answer_timeout = answer_timeout
        self._step_timeout = step_timeout
        self.owner = members[0].chat_id
        self.is_private = self.owner > 0
        self.turns = 0
        self.failed_setups = 0
        self.stopping = asyncio.Event()
        self.moving = Notifier()  # notifies when the wizard gets its last answer, which starts a move

    async def talk(self) -> None:
        """Randomly chat or run the setup wizard until `stopping` is set."""
        while not self.stopping.is_set():
            if self._rng.random() < self._move_share:
                await self.set_up_with_random_storage()
            else:
                await self.exchange_messages()

    async def exchange_messages(self) -> None:
        """Send up to three messages, wait for their answers, and sometimes edit the last one."""
        words: list[str] = []
        for _ in range(self._rng.choice((1, 1, 2, 3))):
            pieces = 2 if self.is_private and self._rng.random() < 0.03 else 1
            new = self._ledger.make_unique_words(self.owner, pieces)
            words += new
            text = " ".join([f"Please note {new[0]}.", *(f"{'and so on ' * 430}{word}" for word in new[1:])])
            member = self._rng.choice(self._members)
            said = member.say(self._add_bot_mention(text))
            self.turns += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ledger.wait_until_words_answered(words), self._answer_timeout)
        if pieces == 1 and self._rng.random() < EDITED_SHARE:
            member.edit_message(said["message_id"], f"{said['text']} Or later.")

    async def set_up_with_random_storage(self) -> None:
        """Run the setup wizard and choose a random storage."""
        await self.set_up_with_storage(self._rng.choice(STORAGES))

    async def set_up_with_storage(self, storage: str) -> None:
        """Run the setup wizard and choose this storage. Begin again if a step fails or is not answered.

        Raise RuntimeError if the setup does not finish within MAX_SETUP_SECONDS.
        """
        member, number = self._members[0], str(self._rng.choice(self._thresholds))
        begun = time.monotonic()
        while True:
            try:
                since = member.last_event
                member.say("/summary" if self.is_private else "/summary@keepsake_bot")
                question = await self._hear_answer(member, "tep 1", since=since)
                since = member.last_event
                member.press_button(question, storage)
                question = await self._hear_answer(member, "tep 2", since=since)
                since = member.last_event
                self.moving.notify_all()
                member.say(number, reply_to=None if self.is_private else question["message_id"])
                await self._hear_answer(member, "External memory configured", since=since)
            except AssertionError as error:
                self.failed_setups += 1
                if time.monotonic() - begun > MAX_SETUP_SECONDS:
                    raise RuntimeError(f"a setup was not finished: {error}") from error
                await self._cancel_setup(member)
            else:
                return

    async def _hear_answer(
        self, member: Member, words: str, *, since: int, max_seconds: float = math.inf
    ) -> dict[str, Any]:
        """Return the bot's message with these words. Raise AssertionError if it is late, or reports an error."""
        heard = await member.wait_for_message(
            lambda message: words in message.get("text", "") or ERROR_NUMBER in message.get("text", ""),
            since=since,
            timeout=min(self._step_timeout, max_seconds),
        )
        if words not in heard["text"]:
            raise AssertionError(f"{words!r} was not heard; heard was {heard['text']!r}")
        return heard

    async def _cancel_setup(self, member: Member) -> None:
        """Send /cancel until the bot answers. Raise RuntimeError after MAX_CANCEL_SECONDS."""
        begun = time.monotonic()
        while True:
            since = member.last_event
            member.say("/cancel" if self.is_private else "/cancel@keepsake_bot")
            try:
                await self._hear_answer(member, "ancel", since=since, max_seconds=MAX_CANCEL_SECONDS / 2)
            except AssertionError as error:
                if time.monotonic() - begun > MAX_CANCEL_SECONDS:
                    raise RuntimeError(f"/cancel was not answered: {error}") from error
            else:
                return

    def _add_bot_mention(self, text: str) -> str:
        return text if self.is_private else f"@keepsake_bot {text}"
