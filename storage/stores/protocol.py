"""The protocol that every storage backend implements; one contract suite tests them all.

Each method is atomic and durable when it returns: all of it is on disk, or none and a StorageError was raised. So is
each of its parts', which all backends share (storage/tables).
Every read, write and delete takes a scope (or, where it is owner-wide, an owner).
Does not know policies, models or Telegram.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from records.context import ContextSources, StoredQuestion
from records.messages import Message, NewMessage, Role
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.status import Counts
from records.summaries import FoldFailure, FoldLease, FoldPlan, FoldReason, NewSummary, Summary
from storage.erasure.deletion_cascade import DeletionCascade
from storage.search.protocol import Candidates, WordHit
from storage.search.vector_index import VectorIndex
from storage.tables.conversations import ConversationTable
from storage.tables.explanations import ExplanationTable
from storage.tables.facts import FactTable
from storage.tables.history import HistoryTable
from storage.tables.history_extraction import HistoryExtractionTable
from storage.tables.profile import ProfileTable
from storage.tables.rebuilds import RebuildTable
from storage.tables.reminders import ReminderTable
from storage.tables.timeline import TimelineTable


class MemoryStore(Protocol):
    """One backend, which holds the memories of the owners that live in it."""

    kind: StorageType

    @property
    def vectors(self) -> VectorIndex: ...
    @property
    def facts(self) -> FactTable: ...
    @property
    def history_extraction(self) -> HistoryExtractionTable: ...
    @property
    def profiles(self) -> ProfileTable: ...
    @property
    def explanations(self) -> ExplanationTable: ...
    @property
    def rebuilds(self) -> RebuildTable: ...
    @property
    def reminders(self) -> ReminderTable: ...
    @property
    def forgetting(self) -> DeletionCascade: ...
    @property
    def history(self) -> HistoryTable: ...
    @property
    def conversations(self) -> ConversationTable: ...
    @property
    def timeline(self) -> TimelineTable: ...

    # owners ------------------------------------------------------------------------------------------------
    async def owners(self) -> list[OwnerConfig]: ...
    async def owner(self, owner: int) -> OwnerConfig | None: ...
    async def put_owner(self, config: OwnerConfig) -> None:
        """Insert or replace an owner's settings. Raises StorageError for an owner that lives in another store."""

    async def census(self, since: datetime) -> tuple[int, int]:
        """Owners here of whom something was said since, and scopes of which the last fold failed."""
        ...

    # messages ----------------------------------------------------------------------------------------------
    async def append(self, scope: Scope, drafts: Sequence[NewMessage]) -> list[Message]:
        """Store messages in one transaction, with their words indexed. Ids ascend and are never used again.

        A draft whose (owner, role, source) is stored already is not stored again: the stored message is returned.
        Raises StorageError when the owner does not live here.
        A draft with turn=None opens a turn (its turn is its own id).
        """

    async def ask(self, scope: Scope, pieces: Sequence[NewMessage], *, turns: int = 0) -> StoredQuestion:
        """Store a question's pieces as one turn, as `append` does, and read the answer that is stored already to the
        last of them (by its source), where an earlier process got that far; else, for `turns` above 0, what
        `context_sources` says of so many turns before this one.
        """
        ...

    async def find(self, scope: Scope, *, role: Role, source: str) -> Message | None: ...
    async def messages(self, scope: Scope, ids: Sequence[int]) -> list[Message]:
        """Those of `ids` that are this scope's, in ascending order."""

    async def page(self, scope: Scope, *, before: int | None = None, limit: int = 100) -> list[Message]:
        """The newest `limit` messages with an id below `before`, ascending."""

    async def unfolded(self, scope: Scope) -> list[Message]:
        """The oldest active messages, MOST_UNFOLDED at most, ascending."""

    async def turn(self, scope: Scope, turn: int) -> list[Message]:
        """The messages of one turn of a scope, imported ones too, ascending."""

    async def last_turns(self, scope: Scope, turns: int, *, before: int | None = None) -> list[Message]:
        """All messages of the newest `turns` turns (with a turn id below `before`), active or archived, ascending.

        Imported history is left out.
        """

    async def context_sources(self, scope: Scope, *, turns: int, before: int | None = None) -> ContextSources:
        """What a context is made of apart from what is searched for, with the messages of the newest `turns` turns; of
        messages only those of turns below `before`.
        """
        ...

    async def counts(self, scope: Scope) -> Counts: ...
    async def ends(self, scope: Scope) -> tuple[int, int]:
        """Ids of the first and the last message of a scope (imported ones are below 1); (1, 1) without any."""

    async def scopes(self, owner: int) -> list[Scope]:
        """The scopes of an owner that hold a message."""

    async def indexed(self, owner: int, *, within: float | None = None) -> bool:
        """Wait until words find all messages of an owner; False where that takes longer than `within` seconds (JSON,
        while its working copy is made again). Until then searches wait for WORDS_WITHIN and find what is indexed, the
        newest messages.
        """
        ...

    async def search(self, scope: Scope, terms: Sequence[str], *, limit: int) -> list[WordHit]:
        """The best messages by BM25 that hold at least one of the terms (text/analyzer.py), best first."""

    async def candidates(
        self,
        scope: Scope,
        terms: Sequence[str],
        *,
        limit: int,
        nearest: Sequence[int] = (),
        times: Sequence[tuple[float, float]] = (),
        before: int | None = None,
    ) -> Candidates:
        """The `limit` messages that match the terms best, those that hold the rarest of them, `nearest` (seqs) and
        those of some `times` (seconds since 1970, from and until), with the messages around each. `before`: without
        those from this id on.
        """
        ...

    # summaries and folds -------------------------------------------------------------------------------------
    async def summaries(
        self, scope: Scope, *, active_only: bool = True, ids: Sequence[int] | None = None
    ) -> list[Summary]:
        """Ascending by id; with `ids` only those among them. The first summary of a chunk has the chunk's id."""

    async def superseded(self, scope: Scope, *, limit: int) -> list[Summary]:
        """The newest `limit` summaries that are no longer active, ascending by id."""

    async def quiet_scopes(self, before: datetime) -> list[tuple[Scope, int]]:
        """Scopes with active messages whose newest message is older than `before`, with that message's id.

        Only of owners whose memory is on and folded automatically.
        """

    async def begin_fold(
        self, scope: Scope, reason: FoldReason, *, now: datetime, lease: timedelta
    ) -> FoldLease | None:
        """Take the scope's lease; None while another one is live. An expired lease is taken over."""

    async def commit_fold(self, lease: FoldLease, plan: FoldPlan, made: NewSummary, *, now: datetime) -> Summary:
        """In one transaction: check the fence, insert the summary, archive exactly the plan's messages (chunk id = the
        new summary's id), deactivate its summaries, complete the job, clear the failure.

        Raises StaleFold, changing nothing, when the lease was lost or a source is gone, edited, or already folded.
        """

    async def fail_fold(self, lease: FoldLease, error: str, *, now: datetime) -> FoldFailure:
        """Record the failed attempt and free the lease; nothing is archived. A lost lease is left as it is."""

    async def release_fold(self, lease: FoldLease) -> None:
        """Give the lease back without a result (nothing to fold, or shutting down)."""

    async def fold_failure(self, scope: Scope) -> FoldFailure | None: ...
    async def mark_failure_told(self, scope: Scope) -> None: ...

    async def take_back_leases(self) -> None:
        """Void the leases of an earlier process: to be called once at start, by the only process there is."""

    # owner-wide ----------------------------------------------------------------------------------------------
    def dump(self, owner: int) -> AsyncIterator[Sequence[Mapping[str, object]]]:
        """Everything of an owner as of one moment, in batches of portable rows, each with a "table" key; see `load`."""

    async def load(self, owner: int, batches: AsyncIterator[Sequence[Mapping[str, object]]]) -> None:
        """Load what `dump` of another store gave, with the same ids; all or nothing.

        Raises StorageError where this store already holds something of the owner.
        """

    async def digest(self, owner: int) -> str:
        """A hash over everything `dump` gives; equal in two stores when they hold the same."""

    async def erase(self, owner: int) -> None:
        """Remove everything of an owner, its `users` row too, from tables, index and free pages."""

    async def optimize_words(self) -> None:
        """Join a little of what some writes left in pieces in the index of words: call it when nobody waits."""

    async def erase_traces(self) -> None:
        """Rewrite the files without what was erased. Their logs may hold it until `cut_log`."""

    async def cut_log(self) -> bool:
        """Truncate the logs; False where a reader of another process is in the way: try again later."""

    async def rename(self, owner: int, new: int) -> None:
        """Continue everything of an owner under another id, of which nothing is held here; folds under way are void.

        The messages' ids in Telegram are dropped. For an owner who is not here nothing happens.
        """

    def drop_copies(self, owner: int) -> None:
        """Drop what RAM holds of an owner, which may be outdated."""

    async def flush(self) -> None:
        """Make the files complete by themselves, as after a clean stop (JSON: write the snapshot)."""

    def finish_by(self, moment: float) -> None:
        """The process has to end by this moment of time.monotonic(): what the next start does as well is left to
        it (JSON: the snapshot of the end, whose journal stays instead). Nothing waits for a silent server.
        """
