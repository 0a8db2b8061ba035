"""The part of the store's protocol about facts and profiles.

As in protocol.py each method is atomic and durable when it returns, and takes a scope or an owner. Does not know how
facts are found, or which of them say the same.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from records.facts import Fact, FactChange, HistoryBacklog, NewFact, NewProfile, Profile
from records.messages import Message
from records.scopes import Scope
from records.summaries import Summary

Floats = npt.NDArray[np.float32]


class Facts(Protocol):
    """The facts about the owners in one store. Nothing is found under another owner."""

    async def valid(self, owner: int) -> list[Fact]:
        """The facts that hold, ascending by id."""

    async def all(self, owner: int) -> list[Fact]:
        """The facts that hold, that ended or were superseded, and that were deleted but can still be restored."""

    async def fact(self, owner: int, id_: int) -> Fact | None: ...
    async def replaced(self, owner: int, ids: Sequence[int]) -> list[Fact]:
        """The facts that these replaced because something changed, ascending by id; not those that were deleted."""

    # learning ------------------------------------------------------------------------------------------------
    async def pending(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """The last message of the scope that was learned from, and the messages since, ascending.

        Imported history is left out; in a scope that was never learned from, so are archived messages.
        """

    async def begin(self, scope: Scope, learned: int) -> None:
        """Record that a scope was learned from up to here, unless something is recorded already."""

    async def waiting(self, quiet_since: datetime) -> list[Scope]:
        """Scopes with something to learn in which nothing was said since then; only of owners whose memory is on."""

    async def commit(
        self,
        scope: Scope,
        changes: Sequence[FactChange],
        *,
        read: Sequence[Message],
        learned: int,
        until: int,
        now: datetime,
        shown: Sequence[Fact] = (),
        newest: int | None = None,
        from_history: bool = False,
    ) -> list[Fact]:
        """In one transaction: check that the messages read and the facts shown with them are unchanged and that nothing
        was learned since `learned`, insert facts, add sources, close superseded facts, and record that the scope was
        learned from up to `until`. Returns the inserted facts, in order. `newest`: the highest id among the facts that
        the changes were planned against, 0 without any; None: not checked. `from_history`: for imported history.

        Raises StaleFacts, changing nothing, where a message is gone or edited, or a shown fact no longer holds or was
        reworded; NewerFacts where there is a fact above `newest`. A known fact that was not shown and is gone, or no
        longer holds, is neither merged into nor closed.
        """

    # by hand -------------------------------------------------------------------------------------------------
    async def add(self, owner: int, fact: NewFact, *, now: datetime) -> Fact: ...
    async def edit(self, owner: int, id_: int, text: str, *, now: datetime) -> Fact | None:
        """Reword a fact under the same id; the earlier words stay as its history. None: no such fact."""

    async def before_edit(self, owner: int, id_: int) -> int | None:
        """The id of the row with a fact's words before its last edit. None: it was never edited."""

    async def pin(self, owner: int, id_: int, *, is_pinned: bool) -> Fact | None:
        """None: there is no such fact, or it holds no longer; pinned, it would be in every prompt."""
        ...

    async def delete(self, owner: int, id_: int, *, now: datetime) -> Fact | None:
        """A deleted fact is in no prompt; it can be restored until it is erased."""

    async def restore(self, owner: int, id_: int) -> Fact | None: ...
    async def deleted(self, before: datetime) -> Mapping[int, Sequence[int]]:
        """By owner, the facts that were deleted before then and not restored in time."""

    # meaning -------------------------------------------------------------------------------------------------
    async def unembedded(self, model: str, limit: int) -> list[Fact]:
        """Facts that hold and have no vector of this model yet."""

    async def put_vectors(self, model: str, facts: Sequence[Fact], vectors: Floats) -> None:
        """Store the vectors [n, d] of these facts, except of facts that changed or went meanwhile."""

    async def vectors(self, owner: int, model: str) -> Mapping[int, Floats]:
        """The vector [d] of each of the owner's facts that has one."""


class HistoryExtractionProgress(Protocol):
    """Learning facts from imported history on request, one range of an owner's ids at a time."""

    async def backlog(self, owner: int, first: int, last: int) -> HistoryBacklog:
        """How much of the imported messages first..last is left to learn from."""

    async def begin(self, owner: int, first: int, last: int) -> bool:
        """Begin, or continue a range that was stopped. False while another extraction is under way."""

    async def stop(self, owner: int) -> None: ...
    async def waiting(self) -> list[Scope]:
        """Scopes with history to learn from, of owners whose memory is on and who are not incognito."""

    async def next(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """The last message that was learned from, and the next ones, ascending: the owner's own words and the answers.

        No messages where no extraction is under way.
        """

    async def progress(self, scope: Scope) -> tuple[int, int] | None:
        """How many of the owner's messages were read, and how many are to be; None where no extraction is under way."""

    async def learned(self, scope: Scope) -> tuple[int, int] | None:
        """How many of the owner's imported messages were learned from, and how many there are; None where none of them
        was.
        """


class Profiles(Protocol):
    """The profiles of the owners in one store: every version, of which the newest is in use."""

    async def newest(self, owner: int) -> Profile | None: ...
    async def versions(self, owner: int) -> list[Profile]:
        """Newest first."""

    async def put(self, profile: NewProfile, *, now: datetime) -> Profile:
        """Store a new version. Raises StaleFacts where something that it was made from is gone or was reworded."""

    async def undistilled(self, owner: int, limit: int) -> list[Summary]:
        """The newest completed L1 summaries of all scopes that are newer than those in the newest profile, ascending.

        Summaries of imported history are left out: nothing is learned from it unasked.
        """
