"""The promise of what a store knows of its owners: facts, and the documents distilled from them.

As in store.py each method is atomic and durable when it returns, and takes a scope or an owner. Does not know how
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
    """What is known of the owners in one store. Nothing is found under another owner."""

    async def valid(self, owner: int) -> list[Fact]:
        """The facts that hold, ascending by id."""

    async def all(self, owner: int) -> list[Fact]:
        """Those that hold, those that were superseded or ended, and those that were deleted and may be restored."""

    async def fact(self, owner: int, id_: int) -> Fact | None: ...

    # learning ------------------------------------------------------------------------------------------------
    async def pending(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """Up to which message the scope was learned from, and what was said in it since, ascending.

        Only what was said here; of a scope that was never learned from, only what is not folded yet.
        """

    async def begin(self, scope: Scope, learned: int) -> None:
        """Keep in mind that a scope was learned from up to here, where nothing is kept yet."""

    async def waiting(self, quiet_since: datetime) -> list[Scope]:
        """Scopes with something to learn in which nothing was said since; of owners with memory on."""

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
        from_history: bool = False,
    ) -> list[Fact]:
        """In one transaction: check that the messages read and the facts shown beside them are as they were and nobody
        learned since `learned`, insert facts, add sources, close what is superseded, and be learned up to `until`. The
        facts inserted, in order. `from_history`: of what is imported.

        Raises StaleFacts, changing nothing, where a message is gone or edited, or a fact shown holds no longer or reads
        otherwise. A known fact that was not shown and is gone, or no longer holds, is neither merged into nor closed.
        """

    # by hand -------------------------------------------------------------------------------------------------
    async def add(self, owner: int, fact: NewFact, *, now: datetime) -> Fact: ...
    async def edit(self, owner: int, id_: int, text: str, *, now: datetime) -> Fact | None:
        """The fact with other words under the same id; the earlier words stay as its history. None: no such fact."""

    async def before_edit(self, owner: int, id_: int) -> int | None:
        """The id of the words that a fact had before its last edit. None: there was none."""

    async def pin(self, owner: int, id_: int, *, is_pinned: bool) -> Fact | None: ...
    async def delete(self, owner: int, id_: int, *, now: datetime) -> Fact | None:
        """Deleted facts are in no prompt; they can be restored until they are erased."""

    async def restore(self, owner: int, id_: int) -> Fact | None: ...
    async def deleted(self, before: datetime) -> Mapping[int, Sequence[int]]:
        """Facts that were deleted before, by owner: nobody has restored them in time."""

    # meaning -------------------------------------------------------------------------------------------------
    async def unembedded(self, model: str, limit: int) -> list[Fact]:
        """Facts that hold and have no vector of this model yet."""

    async def put_vectors(self, model: str, facts: Sequence[Fact], vectors: Floats) -> None:
        """Vectors [n, d] of these facts; those of facts that changed or went meanwhile are left out."""

    async def vectors(self, owner: int, model: str) -> Mapping[int, Floats]:
        """The vector [d] of each of the owner's facts that has one."""

    async def seqs(self, scope: Scope, ids: Sequence[int]) -> Mapping[int, int]:
        """The store's own numbers of messages of a scope, by id, for `pool`."""


class HistoryExtractionCommands(Protocol):
    """Imported history that facts are learned from on request, a stretch of ids of one owner at a time."""

    async def backlog(self, owner: int, first: int, last: int) -> HistoryBacklog:
        """What there is to be read of the imported messages first..last: less what was learned from already."""

    async def begin(self, owner: int, first: int, last: int) -> bool:
        """They are to be learned from; a stretch that was stopped goes on. False while another is under way."""

    async def stop(self, owner: int) -> None: ...
    async def waiting(self) -> list[Scope]:
        """Scopes in which something is to be learned from; of owners with memory on, who are not incognito."""

    async def next(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """Up to which message it was learned from, and what comes next, ascending: the owner's own words and answers.

        Nothing where none is under way.
        """

    async def progress(self, scope: Scope) -> tuple[int, int] | None:
        """The owner's messages that were read, and how many there are to be; None where none is under way."""

    async def learned(self, scope: Scope) -> tuple[int, int] | None:
        """Of all that was imported, the owner's messages that were learned from, and how many there are; None where
        none of them was.
        """


class Profiles(Protocol):
    """The documents about the owners in one store: every version, the newest in use."""

    async def newest(self, owner: int) -> Profile | None: ...
    async def versions(self, owner: int) -> list[Profile]:
        """Newest first."""

    async def put(self, profile: NewProfile, *, now: datetime) -> Profile:
        """A new version. Raises StaleFacts where something that it was made from is gone, or reads otherwise."""

    async def undistilled(self, owner: int, limit: int) -> list[Summary]:
        """The newest completed summaries of level 1, of all scopes, that are newer than those in the newest profile;
        ascending. None of imported history alone: of that nothing is learned unasked.
        """
