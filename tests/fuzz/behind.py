"""Stubs for Telegram and the stores behind the fuzzed entry points."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from telegram.error import TelegramError

from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from storage.bot_state.wizard_state import WizardState
from telegram_ui.sending import formatting
from telegram_ui.sending.chat import Chat
from tests.contract.conftest import NOW
from tests.support.empty_memory import NOBODY_KNOWN


class Silent:
    """A fake delivery that sends nothing."""

    async def send_text(self, chat: Chat, text: str, **_: object) -> None:
        text.encode("utf-16-le", "surrogatepass")

    async def send_pieces(self, chat: Chat, pieces: Sequence[formatting.Piece], **_: object) -> None: ...
    async def edit_message_or_send_new(self, *_: object, **__: object) -> None: ...

    @asynccontextmanager
    async def show_typing(self, chat: Chat) -> AsyncIterator[None]:
        yield


class OneState:
    """A fake store for the wizard state of one person."""

    state: WizardState | None = None

    async def find_state(self, scope: Scope, person: int) -> WizardState | None:
        return self.state

    async def store_state(self, state: WizardState) -> None:
        self.state = state

    async def delete_state_if_exists(self, scope: Scope, person: int) -> bool:
        self.state = None
        return True


class OneMemory:
    """A memory that stores nothing, but checks that configurations are valid."""

    known: OwnerConfig | None = None
    storage_types = (StorageType.SQLITE, StorageType.JSON)
    people = NOBODY_KNOWN

    def __init__(self, wizards: OneState) -> None:
        self.wizards = wizards

    async def get_config(self, owner: int) -> OwnerConfig | None:
        return self.known

    async def configure(self, owner: int, *, storage: StorageType, every_n: int) -> OwnerConfig:
        assert 1 <= every_n <= 500
        self.known = OwnerConfig(
            owner=owner, storage=storage, every_n=every_n, enabled=True, created_at=NOW, updated_at=NOW
        )
        return self.known

    async def set_enabled(self, owner: int, *, enabled: bool) -> OwnerConfig:
        return replace(await self.configure(owner, storage=StorageType.SQLITE, every_n=20), enabled=enabled)

    async def count_messages(self, owner: int) -> int:
        return 3

    async def find_open_conversation_or_chat_scope(self, place: Scope) -> Scope:
        return place


@dataclass
class Query:
    """A fake button press. Like Telegram, it refuses a toast of more than 200 characters."""

    data: str
    id: str = "1"
    message: None = None
    answered: list[str | None] = field(default_factory=list)

    async def answer(self, toast: str | None = None) -> None:
        self.answered.append(toast)
        if len(toast or "") > 200:
            raise TelegramError("A toast has at most 200 characters.")
