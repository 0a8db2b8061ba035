"""Owner leases: the process that holds an owner's lease does all work for that owner."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

POLLING = -(2**62)  # polling for a bot is a lease on the owner POLLING minus the bot's id. No chat has such an id.
BACKUPS = POLLING - 2**61
"""Making the daily backup is a lease on this owner. No chat and no bot that is polled has such an id."""
PrepareOwners = Callable[[Sequence[int]], Awaitable[None]]
"""Called with owners that this process begins to serve, before it handles anything of theirs."""


class OwnerLeases:
    """The leases of one process that serves all owners. PostgresLeases overrides this for several processes."""

    def is_serving(self, owner: int) -> bool:
        """Return True if this process believes that it serves the owner."""
        return True

    async def start_serving(self, owner: int) -> None:
        """Begin to serve an owner. Raise ServedElsewhere if another process serves the owner."""

    def hold_owner_lease(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Hold the lease on an owner while the block runs. If another process holds it, ask for the lease first.

        Raise ServedElsewhere if that process is busy with the owner.
        """
        return nullcontext()

    def add_owner_acquired_callback(self, callback: PrepareOwners) -> None:
        """Register a callback that prepares owners before this process begins to serve them."""
