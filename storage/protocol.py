"""The promise of a memory store: one protocol, kept by every backend, tested by one contract suite.

Each method is atomic and durable when it returns: all of it is on disk, or none and a StorageError was raised.
Every read, write and delete takes a scope (or, where it is owner-wide, an owner).
Does not know policies, models or Telegram.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from records.forgetting import Forgetting, Forgotten
from records.messages import Message, MessageOutline, NewMessage, Role
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.status import Counts
from records.summaries import FoldFailure, FoldLease, FoldPlan, FoldReason, NewSummary, Rebuilt, Summary
from storage.knowledge_protocol import Facts, HistoryExtractionCommands, Profiles
from storage.search.protocol import Matching, Pool, Readings, Vectors, WordHit


class StoredExplanations(Protocol):
    """What each of the newest 100 answers of an owner was made from: the text that came with it (NewMessage)."""

    async def text(self, scope: Scope, telegram_id: int | None = None) -> str | None:
        """The account of the newest answer of a scope, or of the answer that a Telegram message showed or asked for."""

    async def note_shown(self, scope: Scope, source: str, telegram_ids: Sequence[int]) -> None:
        """By which Telegram messages the answer to `source` was shown: with the message, and as "shown" in the account.

        Where there is no such answer, nothing happens.
        """

    async def saved(self, owner: int) -> int:
        """The sum of `NewMessage.saved` over all answers of an owner."""


class Rebuilds(Protocol):
    """Making all summaries of a scope anew, under the scope's fold lease."""

    async def outline(self, scope: Scope) -> list[MessageOutline]:
        """The archived messages of a scope, ascending."""

    async def renew(self, lease: FoldLease, until: datetime) -> None:
        """The lease holds longer. Raises StaleFold where it was lost."""

    async def part(self, scope: Scope, digest: str) -> NewSummary | None:
        """What a rebuild of this scope that did not come to its end had made from the same."""

    async def keep_part(self, lease: FoldLease, digest: str, made: NewSummary) -> None:
        """Keep it until a rebuild is committed, or anything is forgotten. Raises StaleFold where the lease was lost."""

    async def commit(
        self,
        lease: FoldLease,
        rebuilt: Sequence[Rebuilt],
        outline: Sequence[MessageOutline],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        """In one transaction: all summaries of the scope go, these take their place, each message gets its new chunk.

        Raises StaleFold, changing nothing, when the lease was lost or of the outlined messages one is gone or was
        edited after `since`.
        """

    async def interrupted(self) -> list[Scope]:
        """Scopes whose last job is a rebuild that ended with its process, and not for the third time in a row."""


class Forgets(Protocol):
    """What an owner takes back from one store, with everything built on it."""

    async def said_as(self, scope: Scope, telegram_id: int) -> Message | None:
        """The stored message that has this id in Telegram, or that was shown by several of which this is one."""

    async def preview(self, owner: int, what: Forgetting) -> Forgotten:
        """What `forget` would take now; nothing is changed."""

    async def sources(self, owner: int, what: Forgetting, among: Sequence[str]) -> list[str]:
        """Those of these sources whose messages would go."""

    async def forget(self, owner: int, what: Forgetting) -> Forgotten:
        """Erase what was asked for from every table, and void the leases of folds; to be done again without harm.

        Messages that stay and lost their summary are active again. Traces stay in the files until `scrub`.
        """

    async def revise(
        self, scope: Scope, message: int, text: str, *, why: str, now: datetime, account: str = ""
    ) -> Message | None:
        """Give a message another text: the earlier one is kept as a version, what was built on it goes. `account`: of
        an answer, as `NewMessage.account`.

        The message as it is now; None where there is none, or it says so already.
        """


class History(Protocol):
    """What comes into a memory from a file. Every write is void once its lease is (StaleFold)."""

    async def known(self, owner: int, names: Sequence[tuple[Role, str]]) -> Mapping[tuple[Role, str], int]:
        """Those of these (role, source) that the owner's memory holds, with the ids of their messages."""

    async def room(self, owner: int, count: int, *, after: int | None = None) -> int:
        """The first of `count` free ids below everything that was said here; right above `after` where they fit.

        None of them was ever learned from, also where what had it is forgotten.
        """

    async def stretch(self, owner: int, ids: Sequence[int], first: int, last: int) -> tuple[int, int]:
        """The ends of the longest stretch around first..last in which these are all that may be learned from."""

    async def is_empty(self, owner: int) -> bool:
        """Whether nothing is stored of an owner but their choices."""

    async def add(self, lease: FoldLease, messages: Sequence[Message], made: NewSummary, *, now: datetime) -> Summary:
        """Store messages of one scope, their ids given, archived under the L1 made of them, in one transaction."""

    async def fold(self, lease: FoldLease, scope: Scope, plan: FoldPlan, made: NewSummary, *, now: datetime) -> Summary:
        """As `commit_fold`, in any scope of the lease's owner; the lease goes on."""

    async def put(self, lease: FoldLease, rows: Sequence[Mapping[str, object]]) -> None:
        """Put portable rows of the lease's owner, each with a "table" key, in place of those with the same ids.

        Of `users`, the counters, which never go back.
        """

    async def new_facts(self, owner: int, facts: Sequence[Mapping[str, object]]) -> int:
        """How many of these rows `learn` would add: a fact that was deleted is known, until it is erased."""

    async def learn(self, lease: FoldLease, facts: Sequence[Mapping[str, object]], ids: Mapping[int, int]) -> int:
        """Add those portable rows of `facts` whose text is not known yet; how many. `ids`: the messages' new ones."""


class MemoryStore(Protocol):
    """One backend that holds the memories of the owners that live in it."""

    kind: StorageType

    @property
    def vectors(self) -> Vectors: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def history_extraction(self) -> HistoryExtractionCommands: ...
    @property
    def profiles(self) -> Profiles: ...
    @property
    def accounts(self) -> StoredExplanations: ...
    @property
    def rebuilds(self) -> Rebuilds: ...
    @property
    def forgetting(self) -> Forgets: ...
    @property
    def history(self) -> History: ...

    # owners ------------------------------------------------------------------------------------------------
    async def owners(self) -> list[OwnerConfig]: ...
    async def owner(self, owner: int) -> OwnerConfig | None: ...
    async def put_owner(self, config: OwnerConfig) -> None:
        """Insert or replace the row of `users`."""

    # messages ----------------------------------------------------------------------------------------------
    async def append(self, scope: Scope, drafts: Sequence[NewMessage]) -> list[Message]:
        """Store messages as one transaction, with their words indexed; ids ascend, never used again.

        A draft whose (owner, role, source) is stored already is not stored twice: the stored one is returned.
        A draft with turn=None opens a turn (its turn is its own id).
        """

    async def find(self, scope: Scope, *, role: Role, source: str) -> Message | None: ...
    async def messages(self, scope: Scope, ids: Sequence[int]) -> list[Message]:
        """Those of `ids` that are this scope's, in ascending order."""

    async def page(self, scope: Scope, *, before: int | None = None, limit: int = 100) -> list[Message]:
        """The newest `limit` messages with an id below `before`, ascending."""

    async def unfolded(self, scope: Scope) -> list[Message]:
        """All active messages, ascending."""

    async def last_turns(self, scope: Scope, turns: int, *, before: int | None = None) -> list[Message]:
        """All messages of the newest `turns` turns (with a turn id below `before`), folded or not, ascending.

        Only of what was said here: imported history is nobody's last turn.
        """

    async def counts(self, scope: Scope) -> Counts: ...
    async def ends(self, scope: Scope) -> tuple[int, int]:
        """Ids of the first and the last message of a scope; imported ones may be below zero. (1, 1) without any."""

    async def scopes(self, owner: int) -> list[Scope]:
        """The scopes of an owner that hold a message."""

    async def search(self, scope: Scope, terms: Sequence[str], *, limit: int) -> list[WordHit]:
        """Best messages by BM25 that hold at least one of the analysed terms (see words.py), best first."""

    async def matching(
        self,
        scope: Scope,
        terms: Sequence[str],
        *,
        limit: int,
        surely: Sequence[str] = (),
        readings: Readings | None = None,
    ) -> Matching:
        """The `limit` messages that match the terms best, rarest terms first, and those that hold the rarest of
        `surely`, terms among them. `readings` is asked only for terms that few messages hold.
        """

    async def pool(self, scope: Scope, matched: Matching, *, reach: int, seeds: Sequence[int] = ()) -> Pool:
        """What matched and the seeds (seqs found otherwise), with up to `reach` messages around each."""

    # summaries and folds -------------------------------------------------------------------------------------
    async def summaries(self, scope: Scope, *, active_only: bool = True) -> list[Summary]:
        """Ascending by id."""

    async def superseded(self, scope: Scope, *, limit: int) -> list[Summary]:
        """The newest `limit` summaries that are active no more, ascending by id."""

    async def quiet_scopes(self, before: datetime) -> list[tuple[Scope, int]]:
        """Scopes with unfolded messages, of owners whose memory is on and folded by itself, whose newest message is
        older than `before`; with that message's id."""

    async def begin_fold(
        self, scope: Scope, reason: FoldReason, *, now: datetime, lease: timedelta
    ) -> FoldLease | None:
        """Take the scope's lease; None while another live one has not expired. An expired lease is taken over."""

    async def commit_fold(self, lease: FoldLease, plan: FoldPlan, made: NewSummary, *, now: datetime) -> Summary:
        """In one transaction: check the fence, insert the summary, archive exactly the plan's messages (chunk id = the
        new summary's id), deactivate its summaries, complete the job, clear the failure.

        Raises StaleFold, changing nothing, when the lease was lost or a source is gone, edited, or already folded.
        """

    async def fail_fold(self, lease: FoldLease, error: str, *, now: datetime) -> FoldFailure:
        """Keep the attempt as failed and free the lease; nothing is archived. A lost lease is left as it is."""

    async def release_fold(self, lease: FoldLease) -> None:
        """Give the lease back without result (nothing to fold, or shutting down)."""

    async def fold_failure(self, scope: Scope) -> FoldFailure | None: ...
    async def mark_failure_told(self, scope: Scope) -> None: ...

    # owner-wide ----------------------------------------------------------------------------------------------
    def dump(self, owner: int) -> AsyncIterator[Sequence[Mapping[str, object]]]:
        """Everything of an owner as batches of plain rows, each with a "table" key; see `load`."""

    async def load(self, owner: int, batches: AsyncIterator[Sequence[Mapping[str, object]]]) -> None:
        """Take over what `dump` of another store gave, ids kept; all or nothing. The owner must hold nothing here."""

    async def digest(self, owner: int) -> str:
        """A hash over everything `dump` gives; equal in two stores when they hold the same."""

    async def erase(self, owner: int) -> None:
        """Remove everything of an owner, its `users` row too, from tables, index and free pages."""

    async def scrub(self) -> None:
        """Write the files anew, without what was erased. It may be in their logs until `cut_log`."""

    async def cut_log(self) -> bool:
        """Cut the logs to nothing; False where a reader of another process is in the way: try again."""

    async def rename(self, owner: int, new: int) -> None:
        """Everything of an owner goes on under another id, of which nothing is held here; folds under way are void.

        The messages' ids in Telegram are forgotten. Of an owner who is not here nothing happens.
        """

    async def flush(self) -> None:
        """Make the files complete by themselves (JSON: snapshot), as after a clean stop."""
