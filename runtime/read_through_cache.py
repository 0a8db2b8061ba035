"""An LRU cache of database reads that stays correct while readers and writers overlap."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadThroughCache(Generic[Key, Value]):
    """An LRU cache that does not keep a value if `drop` was called while the value was being read.

    Call `drop` after every write, even a failed or cancelled one, because it may have been committed.
    """

    def __init__(self, size: int) -> None:
        self._held = LRUCache[Key, Value](size)
        self._drops = 0

    async def get(self, key: Key, read: Callable[[], Awaitable[Value]]) -> Value:
        if key in self._held:
            return self._held[key]
        drops = self._drops
        value = await read()
        if drops == self._drops:
            self._held[key] = value
        return value

    def drop(self, is_outdated: Callable[[Key], bool]) -> None:
        self._drops += 1
        for key in [key for key in self._held if is_outdated(key)]:
            del self._held[key]
