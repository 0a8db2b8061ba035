"""A mapping with a limit: what was not used for the longest goes first.

For what the process keeps of people and chats, of which there may be any number. Does not know what it keeps.
"""

from collections import OrderedDict
from collections.abc import Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Newest(MutableMapping[K, V]):
    """At most `limit` values; reading one or setting it counts as use."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[K, V] = OrderedDict()

    def __getitem__(self, key: K) -> V:
        value = self._held[key]
        self._held.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._held[key] = value
        self._held.move_to_end(key)
        while len(self._held) > self._limit:
            self._held.popitem(last=False)

    def __delitem__(self, key: K) -> None:
        del self._held[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)
