"""The memory: what may be remembered, by whom, where. (Being built.)

Does not know models, prompts or Telegram.
"""

from collections.abc import Sequence

from records import Message, NewMessage, OwnerConfig, Scope, StorageType
from storage.store import MemoryStore


class ExternalMemory:
    """Owners' memories across all stores."""

    async def config(self, owner: int) -> OwnerConfig | None:
        """The owner's choices; None when nothing was ever configured."""
        raise NotImplementedError

    async def configure(self, owner: int, *, storage: StorageType, every_n: int) -> OwnerConfig:
        """Choose storage and threshold and turn memory on. What is stored elsewhere moves along, whole."""
        raise NotImplementedError

    async def switch(self, owner: int, *, enabled: bool) -> OwnerConfig:
        """Turn memory on or off; with nothing configured yet, the defaults (SQLite, every 20 turns)."""
        raise NotImplementedError

    async def remember(self, scope: Scope, drafts: Sequence[NewMessage]) -> list[Message]:
        """Store messages of a scope whose owner's memory is on."""
        raise NotImplementedError

    async def store(self, owner: int) -> MemoryStore | None:
        """The store that holds an owner whose memory is on; None while it is off."""
        raise NotImplementedError
