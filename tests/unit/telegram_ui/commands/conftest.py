"""Fixtures that run commands against a local Bot API server over HTTP, with real memory and a manual clock."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import telegram
from telegram.ext import ExtBot

from chat.services import Services
from locales.catalog import use_language
from playground.bot_api import make_bot_api
from playground.faults import Fault, Faults
from playground.refusals import Json
from playground.server import serve
from playground.world import World
from records.scopes import Person
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.command_group import ChatEvent, Dependencies
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import Delivery, Streaming
from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.sending.streaming import MAX_STALL_SECONDS, AnswerStream
from telegram_ui.updates.parsing import parse_update
from tests.support.answer_controls import DirectAnswers
from tests.support.talk import ChatHarness, open_chat_harness

TOKEN = "4242:test-token"
ANN, BOB = 11, 12
GROUP, FORUM, TOPIC = -500, -1_001_000_000_500, 7
PRIVATE = Chat(id=ANN)
OTHER = Chat(id=BOB)
IN_GROUP = Chat(id=GROUP, is_private=False)
IN_TOPIC = Chat(id=FORUM, thread=TOPIC, is_private=False)
STARTED = datetime(2026, 11, 21, 12, tzinfo=UTC)


class ManualClock:
    """A clock that passes only by `advance`, which wakes the sleepers that are due. Times are in seconds."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self._sleepers: dict[asyncio.Future[None], float] = {}
        self._changed = asyncio.Event()

    def time(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        until = self.seconds + seconds
        woken = asyncio.get_running_loop().create_future()
        self._sleepers[woken] = until
        self._changed.set()
        try:
            await woken
        finally:
            self._sleepers.pop(woken, None)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.Task[None]:
        async def call() -> None:
            await self.sleep(seconds)
            callback()

        return asyncio.create_task(call())

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
        for woken, until in list(self._sleepers.items()):
            if until <= self.seconds and not woken.done():
                woken.set_result(None)

    async def wait_for_sleeper(self, least: float = 0.0, most: float = 3600.0) -> float:
        """Wait for a sleeper with `least` to `most` seconds left, and return its seconds."""
        while True:
            left = [until - self.seconds for woken, until in self._sleepers.items() if not woken.done()]
            if found := [seconds for seconds in left if least <= seconds <= most]:
                return min(found)
            self._changed.clear()
            await self._changed.wait()


@dataclass(repr=False)
class Peer:
    """A local Bot API server's world, and the bot that talks to the server."""

    world: World
    faults: Faults
    bot: ExtBot[None]
    clock: ManualClock

    def make_delivery(self, streaming: Streaming = "auto") -> Delivery:
        return Delivery(self.bot, streaming=streaming, clock=self.clock)

    def add_fault(self, kind: str, **rule: Any) -> None:
        self.faults.add(Fault(kind=kind, **rule))

    async def show_beginning(self, stream: AnswerStream, text: str) -> None:
        """Preview the beginning of an answer, and advance the clock until the preview is sent."""
        await stream.schedule_preview(text)
        await self.clock.wait_for_sleeper(most=MAX_STALL_SECONDS)
        self.clock.advance(MAX_STALL_SECONDS)

    def list_bot_texts(self, chat_id: int) -> list[str]:
        """Return the current texts of the bot's messages in a chat, in order."""
        bot_id = self.world.bot["id"]
        found = self.world.messages.get(chat_id, {}).values()
        return [message["text"] for message in found if message["from"]["id"] == bot_id and "text" in message]

    def list_calls(self, *methods: str) -> list[Json]:
        return [call for call in self.world.calls if call["method"] in methods]

    async def wait_for_call(self, method: str, number: int = 1) -> Json:
        """Wait until a method has been called `number` times, and return that call."""
        while len(calls := self.list_calls(method)) < number:
            await self.world.calls.wait_for_entries(self.world.calls.last)
        return calls[number - 1]


@pytest.fixture
async def peer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Peer]:
    # python-telegram-bot warns at every 429 until it is told that waits may be timedeltas.
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    world, faults = World(token=TOKEN), Faults()
    world.add_person(ANN, "Ann")
    world.add_person(BOB, "Bob")
    world.add_group(GROUP, "Picnic", members=[ANN, BOB], admins=[ANN])
    world.add_group(FORUM, "Club", members=[ANN, BOB], admins=[ANN], is_forum=True, topics={TOPIC: "Garden"})
    world.privacy_mode = False
    for person in (ANN, BOB):
        world.say(person, person, "hello")
    async with serve(make_bot_api(world, faults)) as url:
        request = AiohttpRequest(read_timeout=20.0, trust_env=False, connection_pool_size=8)
        updates = AiohttpRequest(trust_env=False)
        async with ExtBot[None](TOKEN, base_url=f"{url}/bot", request=request, get_updates_request=updates) as bot:
            yield Peer(world, faults, bot, ManualClock())
            faults.clear_faults()


@dataclass(repr=False)
class Desk:
    """A driver that lets people write and press buttons, and handles their updates in order over real HTTP."""

    peer: Peer
    services: Services
    moment: list[datetime]
    commands: Commands = field(init=False)
    offset: int = 0

    def __post_init__(self) -> None:
        self.peer.world.clock = lambda: self.moment[0].timestamp()
        self.restart()

    def restart(self) -> None:
        """Replace the commands, so that only stored state remains."""

        async def may_configure(chat: Chat, person: Person) -> bool:
            return chat.is_private or person.id in (ANN, ANONYMOUS_ADMIN)

        delivery = self.peer.make_delivery()
        dependencies = Dependencies(
            services=self.services,
            delivery=delivery,
            may_configure=may_configure,
            buttons=Buttons(b"key"),
            answers=DirectAnswers(delivery),
        )
        self.commands = Commands(dependencies)

    def pass_time(self, time: timedelta) -> None:
        self.moment[0] += time

    async def say(self, person: int, chat: int, text: str, **more: Any) -> bool:
        """Let a person write. Return True if a command handled the text."""
        self.peer.world.say(person, chat, text, **more)
        taken = False
        for update in await self.fetch_updates():
            parsed = parse_update(update, self.peer.bot.bot)
            if parsed is None:
                continue
            with use_language(await self.commands.choose_reply_language(parsed.chat, parsed.person)):
                if parsed.kind == "command":
                    event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.argument)
                    await self.commands.run_command_and_send_reply(parsed.command, event)
                    taken = True
                else:
                    event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)
                    taken = await self.commands.pass_text_to_command_if_awaited(event)
        return taken

    async def press_button(self, person: int, chat: int, message: Json, data: str) -> str | None:
        """Let a person press a button, and return the toast."""
        self.peer.world.press_button(person, chat, message["message_id"], data)
        for update in await self.fetch_updates():
            parsed = parse_update(update, self.peer.bot.bot)
            assert parsed is not None
            with use_language(await self.commands.choose_reply_language(parsed.chat, parsed.person)):
                event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person)
                await self.commands.run_action_of_pressed_button(event)
        toast: str | None = self.peer.list_calls("answerCallbackQuery")[-1]["params"].get("text")
        return toast

    async def fetch_updates(self) -> Sequence[telegram.Update]:
        updates = await self.peer.bot.get_updates(offset=self.offset, timeout=0)
        for update in updates:
            self.offset = update.update_id + 1
        return updates

    def find_newest_buttons(self, chat: int) -> tuple[Json, dict[str, str]]:
        """Find the newest message with buttons. Return the message and the callback data by label."""
        for message in reversed(self.peer.world.messages[chat].values()):
            if rows := message.get("reply_markup", {}).get("inline_keyboard"):
                return message, {button["text"]: button["callback_data"] for row in rows for button in row}
        raise AssertionError("no message has buttons")

    def get_last_text(self, chat: int) -> str:
        return self.peer.list_bot_texts(chat)[-1]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path / "data") as talk:
        yield talk


@pytest.fixture
async def desk(peer: Peer, talk: ChatHarness) -> Desk:
    made = Desk(peer, talk.services, talk.moment)
    await made.fetch_updates()
    return made
