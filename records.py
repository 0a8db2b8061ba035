"""The frozen values that flow between rooms: the whole vocabulary on one page.

Owns no behaviour beyond what follows from a value itself. All times are aware UTC datetimes.
Does not know where a value comes from (Telegram, a model, a database) or where it goes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Role = Literal["user", "assistant", "system"]
PromptRole = Role | Literal["tool"]
UNSTORED = 10**12
"""Ids from here on name messages that are in no store."""
Clock = Callable[[], datetime]
"""Gives the present as an aware UTC datetime."""
FoldReason = Literal["threshold", "now", "idle", "pressure", "cut", "upwards", "rebuild", "import"]
FoldState = Literal["folded", "nothing", "busy", "waiting", "failed"]
Policy = Literal["pyramid", "rolling", "sliding"]
Origin = Literal["", "forwarded", "tool", "imported", "overheard"]
"""Where a message's words come from: "" = said here by its role; "overheard" = imported, and not the owner's own."""


FactKind = Literal["personal", "preference", "knowledge", "event"]


class StorageType(StrEnum):
    """Where an owner's memory lives; the value is what `users.storage_type` holds."""

    SQLITE = "sqlite"
    JSON = "json"


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Scope:
    """Owner + thread: the border that no memory crosses. Thread 0 = none."""

    owner: int
    thread: int = 0

    def __str__(self) -> str:
        return f"{self.owner}/{self.thread}" if self.thread else str(self.owner)


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerConfig:
    """An owner's choices; they hold for all of the owner's scopes.

    `auto_fold` False: summaries only when asked for. `timezone`: an IANA name, "" = UTC. `fold_instructions`: what
    summaries are to heed besides. `incognito`: memory is read, nothing is written.
    """

    owner: int
    storage: StorageType
    every_n: int
    enabled: bool
    created_at: datetime
    updated_at: datetime
    policy: Policy = "pyramid"
    auto_fold: bool = True
    timezone: str = ""
    fold_instructions: str = ""
    incognito: bool = False

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone; UTC where none is chosen, or one that this machine does not know."""
        try:
            return ZoneInfo(self.timezone) if self.timezone else UTC
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMessage:
    """A message about to be stored.

    `source` names what caused it ("bot:update" for Telegram, "import:…" for history) and is unique per owner and
    role: storing the same source again returns the first one. An assistant's source is that of the update it answers.
    `turn` is the id of the turn's first message; None opens a new turn. Of an answer: `account`, the JSON object of
    what it was made from, and `saved`, the tokens that this spared against the whole history.
    """

    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    source: str | None = None
    turn: int | None = None
    telegram_id: int | None = None
    origin: Origin = ""
    account: str = ""
    saved: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A stored message. Ids are per owner and ascend; `turn` is the id of the turn's first message."""

    id: int
    scope: Scope
    role: Role
    content: str
    created_at: datetime
    turn: int
    speaker: str = ""
    source: str | None = None
    telegram_id: int | None = None
    chunk_id: int | None = None
    origin: Origin = ""
    edited_at: datetime | None = None

    @property
    def is_active(self) -> bool:
        return self.chunk_id is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A stored summary. An L1's chunk id is its own id.

    `source_chunk_ids`: the chunks it covers, oldest first, at every level. `source_ids`: the summaries it was made
    of (empty for L1). `first_id` to `last_id`: the messages of its scope that it covers, without a gap.
    `milliseconds`, `tokens_in`, `tokens_out`: what making it cost. `base_id`: the version it was based on, if any.
    `score`: its quality from 0 to 1, `details` the parts of it; None = not measured.
    """

    id: int
    scope: Scope
    level: int
    text: str
    created_at: datetime
    source_chunk_ids: tuple[int, ...]
    source_ids: tuple[int, ...]
    is_active: bool
    first_id: int
    last_id: int
    first_at: datetime
    last_at: datetime
    message_count: int
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    model: str = ""
    prompt_version: str = ""
    base_id: int | None = None
    policy: Policy = "pyramid"
    reason: str = ""
    score: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    status: str = "completed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldPlan:
    """What one fold will make: a summary of `level` out of these messages (L1) or summaries (above), oldest first.

    `base_id`: the summary among `summary_ids` that the new one takes the place of (rolling, sliding). `window_ids`: the
    messages, archived before or now, that the summary tells of where that is not all of its sources (sliding).
    """

    level: int
    message_ids: tuple[int, ...] = ()
    summary_ids: tuple[int, ...] = ()
    reason: FoldReason
    policy: Policy = "pyramid"
    base_id: int | None = None
    window_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldLease:
    """The right to commit one fold of one scope: valid while the store's fence for the scope is still `fence`."""

    scope: Scope
    job_id: int
    fence: int
    expires_at: datetime
    attempt: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSummary:
    """The text that a fold made, and what making it cost."""

    text: str
    model: str
    prompt_version: str
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    score: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Archived:
    """An archived message without its text."""

    id: int
    turn: int
    is_user: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebuilt:
    """A summary made anew, one of a row that takes the place of all summaries of a scope at once.

    `sources` and `base` count from 0 within the row. `message_ids`: its own chunk. `first` and `last`: id and time of
    the messages that it tells of.
    """

    level: int
    made: NewSummary
    message_ids: tuple[int, ...]
    sources: tuple[int, ...]
    base: int | None
    first: tuple[int, datetime]
    last: tuple[int, datetime]
    message_count: int
    policy: Policy
    is_active: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldFailure:
    """The last fold of a scope that failed, while none has succeeded since."""

    at: datetime
    reason: FoldReason
    error: str
    attempts: int
    told: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class NewFact:
    """A fact about to be known: one sentence about the owner, in the third person.

    `source_ids`: the messages that say it. `valid_to`: set where it is over already. What the extraction said beside:
    `only_one`, nobody has two of this at a time (a home, an age); `known`, the fact that it repeats or replaces.
    """

    text: str
    kind: FactKind
    subject: str
    source_ids: tuple[int, ...]
    observed_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    only_one: bool = False
    relation: Literal["new", "repeats", "replaces"] = "new"
    known: int | None = None
    origin: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A stored fact. Ids are per owner, ascend, and stay through edits.

    It holds from `valid_from` until `valid_to` (None: still); `superseded_by`: the fact that took its place.
    `importance`: 0 to 1. `origin`: "" learned, "owner" told by hand, "earlier" the words that an edit replaced.
    """

    id: int
    owner: int
    text: str
    kind: FactKind
    subject: str
    source_ids: tuple[int, ...]
    observed_at: datetime
    valid_from: datetime
    created_at: datetime
    valid_to: datetime | None = None
    superseded_by: int | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    is_pinned: bool = False
    deleted_at: datetime | None = None
    origin: str = ""

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.deleted_at is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """A version of the document about an owner. `last_summary_id`: the newest summary that went into it."""

    id: int
    owner: int
    text: str
    created_at: datetime
    model: str = ""
    last_summary_id: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class NewProfile:
    """A profile about to be stored, and what it was made from; `base_id` the version before it."""

    owner: int
    text: str
    model: str
    base_id: int | None
    facts: tuple[Fact, ...]
    summary_ids: tuple[int, ...]
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class FactChange:
    """What becomes of a new fact: a sentence of its own, or more sources for `same_as` (`ends`: which is over then).

    `closes`: facts whose place it takes; `gave_way_to`: a fact that was told later and took its place.
    Numbers below 0 name earlier changes of the same list: -1 is the first.
    """

    fact: NewFact
    same_as: int | None = None
    closes: tuple[int, ...] = ()
    ends: bool = False
    gave_way_to: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Study:
    """Imported history to learn from: so many of the owner's messages; characters with what was answered between."""

    messages: int = 0
    characters: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """What an owner wants forgotten: messages or facts by their ids, what was said from `since` to before `until`,
    archives (chunks that are wholly older than `until`), or everything. Holds no text. Facts with `until`: those
    of them that were deleted before it. Edits by the ids of a fact's earlier words, which hold again; profiles by
    the ids of their versions.
    """

    what: Literal["messages", "facts", "dates", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_expiry(self) -> bool:
        """Whether nobody asks for it now: facts that their owner deleted some time ago."""
        return self.what == "facts" and self.until is not None

    @property
    def is_of_facts_alone(self) -> bool:
        """Whether it is no part of the talk, so that no summary can hold it, not even one that is being made."""
        return self.what in ("edits", "profiles") or self.is_expiry


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """What a forgetting takes, or took, in counts.

    `unfolded`: messages that stay, whose summary goes and is made anew. `kept_aside`: files that the operator keeps
    beside the memory, which may hold what was forgotten. `is_clean` False: the files are in use, or the disk is
    full; traces go from them as soon as that is over.
    """

    messages: int = 0
    summaries: int = 0
    facts: int = 0
    profiles: int = 0
    versions: int = 0
    unfolded: int = 0
    kept_aside: tuple[str, ...] = ()
    is_clean: bool = True

    @property
    def is_nothing(self) -> bool:
        return not (self.messages or self.summaries or self.facts or self.profiles or self.versions)


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What an edited message came to. `turn`: the turn it belongs to, None where nothing is stored of it or it says
    the same; `is_last`: nothing was said since, so that it may be answered anew.
    """

    turn: int | None = None
    is_last: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """A scope in figures. `active_by_level[level]` counts active summaries; levels without any are absent.

    `characters`: of all its messages.
    """

    total: int
    archived: int
    unfolded_turns: int
    active_by_level: Mapping[int, int] = field(default_factory=dict)
    characters: int = 0

    @property
    def unfolded(self) -> int:
        return self.total - self.archived

    @property
    def active_summaries(self) -> int:
        return sum(self.active_by_level.values())

    @property
    def highest_level(self) -> int:
        return max(self.active_by_level, default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens that a model call cost, as the endpoint reported them (or counted here where it did not)."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """What a model may call while it answers. `parameters`: a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A model's wish to use a tool. `arguments`: the JSON text that it wrote, whatever that is."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptMessage:
    """One message of a request. `calls`: what the assistant called; `call_id`: which call a tool's message answers."""

    role: PromptRole
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A model's finished answer. `is_truncated`: whole up to the length limit that the endpoint stopped it at.

    `calls`: tools that the model wants used before it answers; the text is then preliminary, or empty.
    """

    text: str
    model: str
    usage: Usage = Usage()
    is_truncated: bool = False
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """A verbatim earlier message brought back for this question.

    `text` is what the prompt carries of it; `score` is by part, for example {"words": 3.1, "meaning": 0.4}.
    """

    message: Message
    text: str
    score: Mapping[str, float]

    @property
    def why(self) -> str:
        """The reason in one line, strongest part first."""
        return reason(self.score)


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledFact:
    """A fact that is carried for this question; `score` is by part, as a snippet's."""

    fact: Fact
    score: Mapping[str, float]

    @property
    def why(self) -> str:
        """The reason in one line, strongest part first."""
        return reason(self.score)


def reason(score: Mapping[str, float]) -> str:
    """The parts of a score in one line, strongest first."""
    parts = sorted(score.items(), key=lambda part: -abs(part[1]))
    return ", ".join(f"{name} {value:+.2f}" for name, value in parts if abs(value) >= 0.005)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """One part of a prompt: its tokens, and the most it was allowed."""

    name: Literal[
        "system", "profile", "summaries", "recent", "tools", "facts", "snippets", "clock", "message", "overhead"
    ]
    tokens: int
    budget: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """Messages first..last of the scope that are neither verbatim in the prompt nor covered by a summary in it.

    archived: no active summary covers them (they left a sliding window, or another program wrote the file).
    """

    what: Literal["turns", "summary", "archived", "message", "system"]
    first_id: int
    last_id: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What one request carries, and the account of it.

    `wanted`: tokens that it would have without snippets, were nothing cut.
    `earlier`: how many messages the store holds from before the question.
    `whole`: tokens, as well as they can be told, of a request with the whole history in it; 0 where there is no store.
    """

    messages: tuple[PromptMessage, ...]
    ceiling: int
    wanted: int = 0
    parts: tuple[ContextPart, ...]
    recent: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    facts: tuple[RecalledFact, ...] = ()
    profile: Profile | None = None
    cut: tuple[Cut, ...] = ()
    message_was_cut: bool = False
    whole: int = 0
    earlier: int = 0

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Who wrote: a Telegram user."""

    id: int
    name: str
    username: str | None = None


Mode = Literal["off", "incognito", "on"]
"""How memory stands, the strictest first."""
MODES: tuple[Mode, ...] = ("off", "incognito", "on")


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """A message as it came in: what the conversation needs to know of an update, and nothing of Telegram's shape.

    `pieces`: the texts of one split paste in order, usually one; each has its own source and telegram id. `mode`: how
    memory stood when they were said, None where nobody knows: what was said while it was off is not stored later.
    """

    scope: Scope
    person: Person
    pieces: tuple["Piece", ...]
    in_group: bool = False
    mode: Mode | None = None

    @property
    def text(self) -> str:
        """The words of the turn."""
        return "".join(piece.text + piece.seam for piece in self.pieces[:-1]) + self.pieces[-1].text

    @property
    def source(self) -> str:
        """What names this turn: the source of its last piece."""
        return self.pieces[-1].source


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """One Telegram message of an incoming turn. `seam`: what joins it to the next piece of the same paste."""

    text: str
    source: str
    sent_at: datetime
    telegram_id: int | None = None
    seam: str = ""
    origin: Origin = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """What the model proposes to do to what is known of an owner; a person decides. `fact`: the one to be forgotten."""

    kind: Literal["remember", "forget"]
    text: str
    fact: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer, the account of what it was made from, and what its reader should be told besides.

    `is_error`: the text is a sentence saying what failed, not a model's answer. `repeated`: it was stored already and
    is given again, as after a restart. `is_kept`: what memory should hold of the turn is on disk (True where memory is
    off); False while a store fails: it is kept in the process and written when the store is back. `is_remembered`: the
    turn is one that memory holds; where it is not, its text must stay in no file. `is_incognito`: memory was read for
    it, and nothing written. `proposals`: what the model asks its reader besides.
    """

    text: str
    context: Context | None = None
    notices: tuple[str, ...] = ()
    is_error: bool = False
    repeated: bool = False
    is_kept: bool = True
    is_remembered: bool = False
    is_incognito: bool = False
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """What /summary_status shows of a scope. `config` is None where nothing was ever configured.

    `rebuilding`: chunks made anew, and how many there are; `studied`: imported messages learned from, and how many are
    to be. `newest`: the summary made last. `compressed`: how often the
    oldest of what the active summaries tell was compressed. `indexed`: how many of the owner's messages the search by
    meaning knows, and how many there are; None without it.
    `tokens_saved`: over all of the owner's answers, against sending the whole history with each.
    """

    config: OwnerConfig | None
    counts: Counts
    failure: FoldFailure | None = None
    is_folding: bool = False
    rebuilding: tuple[int, int] | None = None
    studied: tuple[int, int] | None = None
    newest: Summary | None = None
    compressed: int = 0
    indexed: tuple[int, int] | None = None
    tokens_saved: int = 0
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldOutcome:
    """What a request to fold came to. `error` is a sentence for the owner; `summaries` are those made, in order;
    `archived`: how many messages they took.

    waiting: it is due, and is made when there are tokens to spend again.
    """

    state: FoldState
    summaries: tuple[Summary, ...] = ()
    archived: int = 0
    error: str | None = None
