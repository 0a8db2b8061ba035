"""Whether the running work still serves its chat: a process that was paused and replaced is silent when it wakes.

Work that one update begins runs in one context, with all its tasks. Before each request that people could see, the bot
asks here (HoldingBot).
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial

from records.errors import ServedElsewhere
from storage.bot_state.inbox_protocol import SharedWork

Confirm = Callable[[], Awaitable[None]]
"""Raises ServedElsewhere where another process serves the chat by now."""

_confirm: ContextVar[Confirm | None] = ContextVar("lease", default=None)


def work_under(confirm: Confirm | None) -> None:
    """From now on this context's work asks `confirm`; None: nobody else could serve it."""
    _confirm.set(confirm)


def work_for(shared: SharedWork | None, owner: int) -> None:
    """As `work_under`, for work that no update began: under this process's lease of an owner, as it is now. Raises
    ServedElsewhere where it has none.
    """
    if shared is None:
        work_under(None)
    elif (lease := shared.lease(owner)) is not None:
        work_under(partial(shared.confirm, lease))
    else:
        raise ServedElsewhere


async def demand_lease() -> None:
    """Raises ServedElsewhere where the lease of this context's work is lost."""
    if (confirm := _confirm.get()) is not None:
        await confirm()
