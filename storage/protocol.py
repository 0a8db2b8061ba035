"""The protocol that every storage backend implements; one contract suite tests them all.

Each method is atomic and durable when it returns: all of it is on disk, or none and a StorageError was raised.
Every read, write and delete takes a scope (or, where it is owner-wide, an owner).
Does not know policies, models or Telegram.
"""

from collections.abc import AsyncIterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Protocol

from records.context import ContextSources
from records.forgetting import Forgetting, Forgotten
from records.messages import Message, MessageOutline, NewMessage, Role
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.status import Counts
from records.summaries import FoldFailure, FoldLease, FoldPlan, FoldReason, NewSummary, Rebuilt, Summary
from storage.knowledge_protocol import Facts, HistoryExtractionProgress, Profiles
from storage.search.protocol import Matching, Pool, Readings, Vectors, WordHit


class StoredExplanations(Protocol):
    """The explanations of an owner's newest 100 answers, each stored with its answer (`NewMessage.account`)."""

    async def text(self, scope: Scope, telegram_id: int | None = None) -> str | None:
        """The explanation of a scope's newest answer, or of the answer that a Telegram message showed or asked for."""

    async def note_shown(self, scope: Scope, source: str, telegram_ids: Sequence[int]) -> None:
        """Record the Telegram messages that showed the answer to `source`: with the answer, and as "shown" in its
        explanation. Without such an answer nothing happens.
        """

    async def saved(self, owner: int) -> int:
        """The sum of `NewMessage.saved` over all answers of an owner."""


class Rebuilds(Protocol):
    """Making all summaries of a scope again, under the scope's fold lease."""

    async def outline(self, scope: Scope) -> list[MessageOutline]:
        """The archived messages of a scope, ascending."""

    async def renew(self, lease: FoldLease, until: datetime) -> None:
        """Extend the lease. Raises StaleFold where it was lost."""

    async def part(self, scope: Scope, digest: str) -> NewSummary | None:
        """What an unfinished rebuild of this scope had already made from the same input."""

    async def keep_part(self, lease: FoldLease, digest: str, made: NewSummary) -> None:
        """Keep a part until a rebuild is committed or anything is forgotten. Raises StaleFold as above."""

    async def commit(
        self,
        lease: FoldLease,
        rebuilt: Sequence[Rebuilt],
        outline: Sequence[MessageOutline],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        """In one transaction: replace all summaries of the scope, and give each message its new chunk.

        Raises StaleFold, changing nothing, when the lease was lost, or when one of the outlined messages is gone or was
        edited after `since`.
        """

    async def interrupted(self) -> list[Scope]:
        """Scopes whose last job is a rebuild that was interrupted, unless for the third time in a row."""


class Deletions(Protocol):
    """Deleting from one store what its owner wants forgotten, with everything built on it."""

    async def said_as(self, scope: Scope, telegram_id: int) -> Message | None:
        """The stored message that has this id in Telegram, or that was shown in parts of which this is one."""

    async def preview(self, owner: int, what: Forgetting) -> Forgotten:
        """What `forget` would delete now; nothing is changed."""

    async def sources(self, owner: int, what: Forgetting, among: Sequence[str]) -> list[str]:
        """Those of the sources in `among` whose messages would go."""

    async def forget(self, owner: int, what: Forgetting) -> Forgotten:
        """Delete what was asked for from every table, and void the leases of folds. Repeating it does no harm.

        Messages that stay but lose their summary become active again. Traces stay in the files until `scrub`.
        """

    async def reopen(self, scope: Scope, message: int) -> None:
        """Before an archived message gets another text: what was built on it goes, and its chunk is active again."""

    async def revise(
        self, scope: Scope, message: int, text: str, *, why: str, now: datetime, account: str = ""
    ) -> Message | None:
        """Give a message another text: the earlier one is kept as a version, and what was built on it goes.

        `account`: an answer's explanation, as in `NewMessage`. Returns the message as it is now; None where there is
        none, or where its text is the same.
        """


class History(Protocol):
    """Importing into a memory. Every write raises StaleFold once its lease is void."""

    async def known(self, owner: int, names: Sequence[tuple[Role, str]]) -> Mapping[tuple[Role, str], int]:
        """Those of these (role, source) pairs that the owner's memory holds, with the ids of their messages."""

    async def room(self, owner: int, count: int, *, after: int | None = None) -> int:
        """The first of `count` free ids below every message that was said here; right above `after` where they fit.

        Facts were never learned from any of these ids, not even from a message that is forgotten by now.
        """

    async def stretch(self, owner: int, ids: Sequence[int], first: int, last: int) -> tuple[int, int]:
        """The ends of the longest range around first..last that holds no other imported message than `ids`."""

    async def is_empty(self, owner: int) -> bool:
        """Whether nothing is stored of an owner except their settings."""

    async def add(self, lease: FoldLease, messages: Sequence[Message], made: NewSummary, *, now: datetime) -> Summary:
        """Store messages of one scope, which have their ids already, archived under an L1, in one transaction."""

    async def fold(self, lease: FoldLease, scope: Scope, plan: FoldPlan, made: NewSummary, *, now: datetime) -> Summary:
        """As `commit_fold`, in any scope of the lease's owner; the lease stays valid."""

    async def restoring(self, owner: int) -> Mapping[str, object] | None:
        """Row 0 of `restores`: a restore that began and did not end."""

    async def waiting(self, owner: int) -> Sequence[Mapping[str, object]]:
        """The rows of `restores` that wait for the restore's end, in order of their ids."""
        ...

    async def begin_restore(self, lease: FoldLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Note that a restore begins, by its row 0, and put the other rows; whatever was noted before is dropped.

        It stays noted until `end_restore`, or until something is forgotten; for its first day nothing is folded.
        """

    async def covering(self, owner: int, ids: Sequence[int]) -> Sequence[Mapping[str, object]]:
        """The portable rows of those of these summaries that are stored."""
        ...

    async def cover(self, lease: FoldLease, rows: Sequence[Mapping[str, object]]) -> None:
        """As `put`; then each summary among the rows tells how many messages of its chunk are stored, and which."""

    async def end_restore(self, lease: FoldLease, restored: Set[int]) -> None:
        """The restore is whole. `restored`: the summaries of the export; what was made of them meanwhile is undone."""

    async def put(self, lease: FoldLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert portable rows of the lease's owner, each with a "table" key, replacing rows with the same ids;
        a message that is stored already stays as it is.

        Of `users` only the counters are taken over, and they never go back.
        """

    async def new_facts(self, owner: int, facts: Sequence[Mapping[str, object]]) -> int:
        """How many of these rows `learn` would add. A deleted fact counts as known until it is erased."""

    async def learn(self, lease: FoldLease, facts: Sequence[Mapping[str, object]], ids: Mapping[int, int]) -> int:
        """Add those portable rows of `facts` whose text is new; returns how many. `ids`: new message ids by old."""


class MemoryStore(Protocol):
    """One backend, which holds the memories of the owners that live in it."""

    kind: StorageType

    @property
    def vectors(self) -> Vectors: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def history_extraction(self) -> HistoryExtractionProgress: ...
    @property
    def profiles(self) -> Profiles: ...
    @property
    def explanations(self) -> StoredExplanations: ...
    @property
    def rebuilds(self) -> Rebuilds: ...
    @property
    def forgetting(self) -> Deletions: ...
    @property
    def history(self) -> History: ...

    # owners ------------------------------------------------------------------------------------------------
    async def owners(self) -> list[OwnerConfig]: ...
    async def owner(self, owner: int) -> OwnerConfig | None: ...
    async def put_owner(self, config: OwnerConfig) -> None:
        """Insert or replace an owner's settings. Raises StorageError for an owner that lives in another store."""

    # messages ----------------------------------------------------------------------------------------------
    async def append(self, scope: Scope, drafts: Sequence[NewMessage]) -> list[Message]:
        """Store messages in one transaction, with their words indexed. Ids ascend and are never used again.

        A draft whose (owner, role, source) is stored already is not stored again: the stored message is returned.
        Raises StorageError when the owner does not live here.
        A draft with turn=None opens a turn (its turn is its own id).
        """

    async def ask(self, scope: Scope, pieces: Sequence[NewMessage]) -> tuple[int, Message | None]:
        """Store a question's pieces as one turn, as `append` does: its turn, and the answer that is stored already to
        the last of them (by its source), where an earlier process got that far.
        """
        ...

    async def find(self, scope: Scope, *, role: Role, source: str) -> Message | None: ...
    async def messages(self, scope: Scope, ids: Sequence[int]) -> list[Message]:
        """Those of `ids` that are this scope's, in ascending order."""

    async def page(self, scope: Scope, *, before: int | None = None, limit: int = 100) -> list[Message]:
        """The newest `limit` messages with an id below `before`, ascending."""

    async def unfolded(self, scope: Scope) -> list[Message]:
        """All active messages, ascending."""

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

    async def search(self, scope: Scope, terms: Sequence[str], *, limit: int) -> list[WordHit]:
        """The best messages by BM25 that hold at least one of the terms (text/analyzer.py), best first."""

    async def matching(
        self,
        scope: Scope,
        terms: Sequence[str],
        *,
        limit: int,
        surely: Sequence[str] = (),
        readings: Readings | None = None,
    ) -> Matching:
        """The `limit` messages that match the terms best, rarest terms first, and those that hold the rarest of the
        terms in `surely`. `readings` is asked only for terms that few messages hold.
        """

    async def pool(
        self,
        scope: Scope,
        matched: Matching,
        *,
        reach: int,
        seeds: Sequence[int] = (),
        sources: Sequence[int] = (),
    ) -> Pool:
        """The matches, the seeds (seqs that were found otherwise) and the messages `sources` (ids), with up to `reach`
        messages around each.
        """

    async def matching_pool(
        self,
        scope: Scope,
        terms: Sequence[str],
        *,
        limit: int,
        reach: int,
        surely: Sequence[str] = (),
        readings: Readings | None = None,
        sources: Sequence[int] = (),
    ) -> Pool:
        """The `pool` of what `matching` finds, in one read: where nothing else searches meanwhile."""
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

    async def scrub(self) -> None:
        """Rewrite the files without what was erased. Their logs may hold it until `cut_log`."""

    async def cut_log(self) -> bool:
        """Truncate the logs; False where a reader of another process is in the way: try again later."""

    async def rename(self, owner: int, new: int) -> None:
        """Continue everything of an owner under another id, of which nothing is held here; folds under way are void.

        The messages' ids in Telegram are dropped. For an owner who is not here nothing happens.
        """

    async def flush(self) -> None:
        """Make the files complete by themselves, as after a clean stop (JSON: write the snapshot)."""
