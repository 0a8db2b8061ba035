"""A conversation for tests: the real program and files, models over real HTTP, and a clock set by the test."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from assembly import open_services
from chat.conversation import Conversation
from chat.services import Services
from external_memory import ExternalMemory
from llm.chat_model import OnText
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import IncomingPiece, Reply, UserMessage
from settings import Settings
from storage.engine.sqlite import Database
from storage.stores.json_files import INDEX_NAME
from tests.peers.openai_server import OpenAIServer, run_openai_server
from tests.support.empty_memory import DATABASE, add_empty_files

ANNA, BORIS = Person(id=7, name="Anna"), Person(id=8, name="Boris")


@dataclass(repr=False)  # the test runner writes down each task, with what it gave: tenths of a second
class ChatHarness:
    """One run of the assembled program without Telegram, and the scripted endpoint that it uses."""

    services: Services
    server: OpenAIServer
    moment: list[datetime]
    updates: "count[int]" = field(default_factory=lambda: count(1))

    @property
    def conversation(self) -> Conversation:
        return self.services.conversation

    async def get_database(self) -> Database:
        """Return the SQLite database that holds Anna's memory."""
        async with self.services.memory.open_store(ANNA.id) as store:
            assert store.kind is StorageType.SQLITE
            assert isinstance(store.database, Database)
            return store.database

    def make_user_message(
        self, *texts: str, person: Person = ANNA, thread: int = 0, source: str | None = None
    ) -> UserMessage:
        self.moment[0] += timedelta(seconds=30)
        pieces = tuple(
            IncomingPiece(text=text, source=source or f"1:{next(self.updates)}", sent_at=self.moment[0])
            for text in texts
        )
        return UserMessage(scope=Scope(owner=person.id, thread=thread), person=person, pieces=pieces)

    async def say(self, *texts: str, person: Person = ANNA, thread: int = 0, on_text: OnText | None = None) -> Reply:
        return await self.conversation.reply(
            self.make_user_message(*texts, person=person, thread=thread), on_text=on_text
        )

    async def run_turn(self, text: str, *, person: Person = ANNA) -> tuple[str, ...]:
        """Run a turn and its post-turn tasks, and return the notices of those tasks."""
        assert not (await self.say(text, person=person)).is_error
        return await self.conversation.run_post_turn_tasks(Scope(owner=person.id))

    async def turn_on_memory(
        self, *, every_n: int = 5, storage: StorageType = StorageType.SQLITE, owner: int = 7
    ) -> None:
        await self.services.memory.configure(owner, storage=storage, every_n=every_n)

    def list_prompts(self, model: str = "chat-model") -> list[str]:
        """Return the recorded requests of a model, each as one text."""
        return [
            "\n".join(str(message["content"]) for message in request.messages)
            for request in self.server.list_requests(model)
        ]


@asynccontextmanager
async def open_chat_harness(
    folder: Path,
    serves: Callable[[int], bool] = lambda owner: True,
    commands: Mapping[str, str] | None = None,
    /,
    *,
    is_first_start: object = False,  # a bool; settings are objects, too
    **settings: object,
) -> AsyncIterator[ChatHarness]:
    """Run the program over the files in `folder`.

    If it is empty, the program has run there, and holds nothing, unless `is_first_start`. A second call with the same
    folder sees what the program sees after a restart.
    """
    if not is_first_start:
        add_empty_files(folder, DATABASE, INDEX_NAME)
    moment = [datetime(2026, 11, 21, 9, 0, tzinfo=UTC)]
    async with AsyncExitStack() as stack:
        server, url = await stack.enter_async_context(run_openai_server())
        server.set_default_answer("chat-model", "Understood.")
        server.set_default_answer("summary-model", "The user talked about several things.")
        values = {
            "data_dir": folder,
            "openai_base_url": url,
            "openai_model": "chat-model",
            "summary_model": "summary-model",
            "model_timeout": 60.0,  # of silence, in which a busy machine may be, too
            "embedding_model": "none",
            "embedding_timeout": 60.0,
            **settings,
        }
        services = await stack.enter_async_context(
            open_services(
                Settings(**values),  # type: ignore[arg-type]
                clock=lambda: moment[0],
                make_access_check=lambda _: serves,
                commands=commands,
            )
        )
        yield ChatHarness(services, server, moment)


async def list_unfinished_forgettings(memory: ExternalMemory) -> list[int]:
    """Return the owners of recorded forgettings that are not finished."""
    async with memory.inbox.database.open_reader(None) as reader:
        return [row["user_id"] for row in await reader.fetch_rows("SELECT user_id FROM forgettings ORDER BY id")]
