"""Fixtures that run the Telegram service against a local Bot API server over HTTP, with scripted answers."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from telegram.ext import ExtBot

from chat.attachments import Attachments
from llm.chat_model import ChatModel, OnText
from llm.offline import OfflineModel
from llm.speech import Transcriber
from playground.bot_api import make_bot_api
from playground.faults import Fault, Faults
from playground.refusals import Json
from playground.server import serve
from playground.world import World
from records.errors import StorageError
from records.messages import Correction
from records.owners import Mode, OwnerConfig
from records.scopes import Scope
from records.turns import Reply, UserMessage
from settings import Secret, Settings
from storage.bot_state.inbox import Inbox
from storage.bot_state.people import People
from storage.bot_state.wizard_state import WizardState, WizardStates
from storage.engine.protocol import OwnerDatabase
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from telegram_ui.commands.answer_buttons import AnswerButtons
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies
from telegram_ui.commands.proposals import ProposalButtons
from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.updates.service import TelegramService, open_telegram_service
from tests.peers.ports import reserve_port
from tests.support.empty_memory import DATABASE, add_empty_files

TOKEN = "4242:test-token"
ANN, BOB, EVE = 11, 12, 13
MANY = range(5001, 5071)
"""Ids of further people who may write, for tests that need many."""
GROUP, FORUM, TOPIC = -500, -1_001_000_000_500, 7
NOW = datetime(2026, 11, 21, tzinfo=UTC)


@dataclass(repr=False)
class ScriptedConversation:
    """A conversation that answers with an echo, after an optional gate, and records its input."""

    turns: list[UserMessage] = field(default_factory=list)
    finished_texts: list[str] = field(default_factory=list)
    cancelled_texts: list[str] = field(default_factory=list)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    errors_by_text: dict[str, Exception] = field(default_factory=dict)
    start_events: dict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    notices: tuple[str, ...] = ()
    reply_notices: tuple[str, ...] = ()
    settled: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    shown_as: dict[str, list[int]] = field(default_factory=dict)
    corrections: list[tuple[int, str]] = field(default_factory=list)
    successors: dict[int, int] = field(default_factory=dict)
    remaining_rename_failures: int = 0
    turn: int | None = None
    forgetting_callbacks: list[Callable[[int], None]] = field(default_factory=list)
    deferred_actions: list[Callable[[], Awaitable[None]]] | None = None

    def add_gate(self, text: str) -> asyncio.Event:
        return self.gates.setdefault(text, asyncio.Event())

    async def charge_speech(
        self, spender: int, model: str, *, spoken_text: str = "", transcribed_text: str = ""
    ) -> None:
        """Ignore the cost."""

    async def reply(self, incoming: UserMessage, *, on_text: OnText | None = None, on_stop: object = None) -> Reply:
        text = incoming.text
        self.turns.append(incoming)
        try:
            if on_text:
                await on_text(f"partly {text[:20]}")
            self.start_events[text].set()
            if gate := self.gates.get(text):
                await gate.wait()
            if failure := self.errors_by_text.get(text):
                raise failure
        except asyncio.CancelledError:
            self.cancelled_texts.append(text)
            raise
        self.finished_texts.append(text)
        is_durable = self.deferred_actions is None
        return Reply(text=f"echo {text[:40]}", turn=self.turn, is_durable=is_durable, notices=self.reply_notices)

    def add_forgetting_callback(self, drop: Callable[[int], None]) -> None:
        self.forgetting_callbacks.append(drop)

    def try_to_defer_until_stored(self, scope: Scope, act: Callable[[], Awaitable[None]]) -> bool:
        if self.deferred_actions is not None:
            self.deferred_actions.append(act)
        return self.deferred_actions is not None

    async def read_memory_mode(self, owner: int) -> Mode:
        return "on"

    async def raise_if_used_up(self, person: int) -> None:
        """Raise nothing, because no quota is used up."""

    async def record_answer_message_ids(self, incoming: UserMessage, telegram_ids: Sequence[int]) -> None:
        self.shown_as[incoming.source] = list(telegram_ids)

    async def run_post_turn_tasks(self, scope: Scope) -> tuple[str, ...]:
        self.settled.append((scope.owner, tuple(self.finished_texts)))
        return self.notices

    async def correct_message(
        self, scope: Scope, telegram_id: int, text: str, *, is_replayed: bool = False
    ) -> Correction:
        if failure := self.errors_by_text.get(text):
            raise failure
        self.start_events[text].set()
        if gate := self.gates.get(text):
            await gate.wait()
        self.corrections.append((telegram_id, text))
        return Correction(turn=1, is_last=text != "of long ago")

    async def change_owner_id(self, owner: int, new: int) -> None:
        if self.remaining_rename_failures:
            self.remaining_rename_failures -= 1
            raise StorageError
        self.successors[owner] = new


class ToyCommands(CommandGroup):
    """Commands that only reply that they were called.

    `awaited_texts` has the texts that a wizard accepts. /help and the button first raise the `errors`.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self.fold_gate = asyncio.Event()
        self.awaited_texts: set[str] = set()
        self.errors: list[Exception] = []
        cast("Any", dependencies.services).bots.toys = self

    @Command("help")
    async def _help(self, event: ChatEvent) -> str:
        if self.errors:
            raise self.errors.pop()
        return (
            f"did help {event.argument}"
            if event.replied_message_id is None
            else f"did help with {event.replied_message_id}"
        )

    @Action("toy")
    async def _press(self, event: ChatEvent) -> str:
        if self.errors:
            raise self.errors.pop()
        await self._show_text(event, f"did press {event.argument} under {event.message_text}")
        return "pressed"

    @Command("admin")
    async def _admin(self, event: ChatEvent) -> str:
        return f"did admin {await self._may_configure(event.chat, event.person)}"

    @Command("summary_now", queue="slow")
    async def _fold(self, event: ChatEvent) -> str:
        await self.fold_gate.wait()
        return f"did summary_now {event.argument}"

    async def await_text(self, text: str, chat_scope: Scope, person: int) -> None:
        self.awaited_texts.add(text)
        state = WizardState(scope=chat_scope, person=person, step="toy", nonce="", expires_at=NOW)
        await self._services.memory.wizards.store_state(state)

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        if event.argument not in self.awaited_texts:
            return False
        await self._delivery.send_text(event.chat, f"wizard took {event.argument}")
        return True


@dataclass(repr=False)
class Peer:
    """The local Bot API server, and the people who use it."""

    world: World
    faults: Faults
    url: str

    def add_fault(self, kind: str, method: str, **rule: Any) -> None:
        self.faults.add(Fault(kind=kind, method=method, **rule))

    async def wait_for_call(
        self, method: str, *, containing: str = "", chat: int | None = None, since: int = 0
    ) -> Json:
        """Wait for a method's first call whose text or toast contains the given string."""

        def fits(call: Json) -> bool:
            params = call["params"]
            return (
                call["method"].lower() == method.lower()
                and containing in str(params.get("text", ""))
                and (chat is None or str(params.get("chat_id")) == str(chat))
            )

        return await self.world.calls.wait_for_first_match(fits, since=since)

    async def wait_for_message(self, containing: str, chat: int | None = None) -> Json:
        return await self.wait_for_call("sendMessage", containing=containing, chat=chat)

    def list_bot_texts(self, chat: int) -> list[str]:
        """Return the current texts of the bot's messages in a chat, in order."""
        return [
            message["text"]
            for _, message in sorted(self.world.messages.get(chat, {}).items())
            if message["from"]["id"] == 4242
        ]

    async def wait_until_polling(self) -> None:
        """Wait until the bot is polling for updates."""
        while not self.world.updates.poller:
            await self.world.updates.notifier.wait_for_notification()

    async def wait_until_updates_confirmed(self) -> None:
        """Wait until the bot has confirmed all updates."""
        while self.world.updates.list_pending():
            await self.world.updates.notifier.wait_for_notification()


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    world, faults = World(token=TOKEN), Faults()
    world.add_person(ANN, "Ann", username="ann_a")
    world.add_person(BOB, "Bob")
    world.add_person(EVE, "Eve")
    world.add_group(GROUP, "Picnic", members=[ANN, BOB, EVE], admins=[ANN])
    world.add_group(FORUM, "Club", members=[ANN, BOB], admins=[ANN], is_forum=True, topics={TOPIC: "Garden"})
    async with serve(make_bot_api(world, faults, webhook_delays=(0.001,))) as url:
        yield Peer(world, faults, url)


def make_bot(url: str = "") -> ExtBot[None]:
    """Make a bot with the program's own requests. The library's would load certificates for each bot (60 ms)."""
    request, updates = AiohttpRequest(trust_env=False), AiohttpRequest(trust_env=False)
    return ExtBot(TOKEN, base_url=f"{url}/bot", request=request, get_updates_request=updates)


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    add_empty_files(tmp_path, DATABASE)
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        yield Inbox(database)


class StubMemory:
    """A memory without configured owners. `open_conversations` maps a place to the open one, if different."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.wizards = WizardStates(database)
        self.inbox = Inbox(database)
        self.shared_inbox = None
        self.people = People(database)
        self.open_conversations: dict[Scope, Scope] = {}
        self.forgotten_conversations: set[Scope] = set()
        self.successors: dict[int, int] = {}
        self.serves: Callable[[int], bool] = lambda owner: True

    async def get_language(self, owner: int) -> str | None:
        return None

    async def get_config(self, owner: int) -> OwnerConfig | None:
        return None

    def find_current_owner_id(self, owner: int) -> int:
        return self.successors.get(owner, owner)

    async def find_open_conversation_or_chat_scope(self, place: Scope) -> Scope:
        return self.open_conversations.get(place, place)

    async def find_conversation_of_message(self, place: Scope, **_: object) -> Scope:
        return place

    async def has_conversation(self, place: Scope, conversation: Scope) -> bool:
        return conversation not in self.forgotten_conversations


class Bots:
    """A Telegram service that can be run once or repeatedly, with the fakes that it uses."""

    def __init__(self, peer: Peer, inbox: Inbox) -> None:
        self.peer = peer
        self.inbox = inbox
        self.conversation = ScriptedConversation()
        self.memory = StubMemory(inbox.database)
        self.memory.successors = self.conversation.successors
        self.model: ChatModel = OfflineModel()
        self.transcriber: Transcriber | None = None
        self.toys: ToyCommands | None = None
        self.dependencies: Dependencies
        self.settings = Settings(
            telegram_bot_token=Secret(TOKEN),
            telegram_api_url=peer.url,
            allowed_user_ids=frozenset({ANN, BOB, *MANY}),
            reply_streaming="off",
        )

    def run_service(self, **options: Any) -> AbstractAsyncContextManager[TelegramService]:
        services = cast(
            "Any",
            SimpleNamespace(
                bots=self,
                clock=lambda: NOW,
                conversation=self.conversation,
                corrections=self.conversation,
                explanations=self.conversation,
                memory=self.memory,
                speech=None,
                attachments=Attachments(
                    memory=cast("Any", self.memory),
                    models={self.model.name: self.model},
                    quota=cast("Any", self.conversation),
                    max_prompt_tokens=8000,
                    transcriber=self.transcriber,
                ),
            ),
        )

        @asynccontextmanager
        async def run_alongside(dependencies: Dependencies) -> AsyncIterator[None]:
            self.dependencies = dependencies
            yield

        self.memory.inbox = self.inbox
        groups = [ToyCommands, AnswerButtons, ProposalButtons]
        return open_telegram_service(
            self.settings, services, run_alongside=run_alongside, command_groups=groups, **options
        )

    async def list_pending_update_ids(self) -> list[int]:
        return [row.update_id for row in await self.inbox.list_pending_updates(4242)]


@pytest.fixture
def bots(peer: Peer, inbox: Inbox) -> Bots:
    return Bots(peer, inbox)


@pytest.fixture
def webhook(bots: Bots) -> Iterator[str]:
    """Configure a webhook, and yield its URL."""
    with reserve_port() as port:
        url = f"http://127.0.0.1:{port}"
        bots.settings = replace(bots.settings, webhook_url=url, webhook_listen=("127.0.0.1", port))
        yield url
