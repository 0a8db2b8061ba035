"""Which owners this process serves: a lease on each, where several processes share one database.

Whoever holds an owner's lease handles everything of that owner, in the talk and in the background, so that what a
process knows of an owner need not be known to another.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

OnGain = Callable[[Sequence[int]], Awaitable[None]]
"""Told of owners that this process begins to serve: before anything of theirs is handled."""


class OwnerLeases(Protocol):
    """The owners that this process serves."""

    def holds(self, owner: int) -> bool:
        """Whether this process serves an owner, as far as it knows."""

    async def hold(self, owner: int) -> None:
        """Serve an owner from now on, unless another process does. Raises ServedElsewhere, StorageError."""

    def kept(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Serve an owner for the length of the block at least; a process that does is asked to let go, which takes it a
        moment. Raises ServedElsewhere where it has something to do for the owner, and StorageError.
        """
        ...


class Everybody:
    """The leases of a process that is alone: it serves everybody."""

    def holds(self, owner: int) -> bool:
        return True

    async def hold(self, owner: int) -> None:
        return None

    def kept(self, owner: int) -> AbstractAsyncContextManager[None]:
        return nullcontext()
