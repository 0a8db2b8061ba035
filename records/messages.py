"""Messages: new ones, and those that are stored."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from records.scopes import Scope

Role = Literal["user", "assistant", "system"]

UNSTORED = 10**12
"""Ids from here on are of messages that are in no store."""

Origin = Literal["", "forwarded", "tool", "imported", "overheard", "document", "picture", "declined"]
"""The origin of a message's words: "" = said here by its role; "overheard" = imported, and somebody else's;
"document" = a passage of a file that was sent along; "picture" = what a model saw in a picture that was; "declined" =
said here, and refused by the model's provider for what it says: no prompt carries it, where it would be refused too.
"""

TimelineKind = Literal["", "user", "assistant", "files", "forwarded", "imported"]
"""Kinds of messages that the timeline can be narrowed to; "" = all."""
TIMELINE_KINDS: tuple[TimelineKind, ...] = get_args(TimelineKind)
SENT_ALONG: tuple[Origin, ...] = ("document", "picture")
"""Origins of what came with a person's words, and is not theirs."""
UNTOLD: tuple[Origin, ...] = ("tool", "declined")
"""Origins of what is neither brought back nor summarised."""
OTHERS: tuple[Origin, ...] = ("forwarded", "overheard", *SENT_ALONG)
"""Origins of what the person who sent it did not write themselves: prompts quote it in a block of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMessage:
    """A message that is not stored yet.

    `source` names what caused it ("bot:update" for Telegram, "import:…" for history) and is unique per owner and
    role: storing the same source again returns the first one. An assistant's source is that of the update it answers.
    `turn` is the id of the turn's first message; None opens a new turn. Of an answer: `explanation`, the JSON object of
    what it was made from, and `saved`, the tokens that this spared against the whole history. `person_id`: in a group,
    the Telegram id of who said it; a name can be anybody's.
    """

    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    source: str | None = None
    turn: int | None = None
    telegram_id: int | None = None
    origin: Origin = ""
    person_id: int = 0
    explanation: str = ""
    saved: int = 0

    def numbered(self, number: int, scope: Scope) -> "Message":
        """The message under an id of its own; where it names no turn, it opens one."""
        return Message(
            id=number,
            scope=scope,
            role=self.role,
            content=self.content,
            created_at=self.created_at,
            turn=number if self.turn is None else self.turn,
            speaker=self.speaker,
            source=self.source,
            telegram_id=self.telegram_id,
            origin=self.origin,
            person_id=self.person_id,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A stored message. Ids are per owner; those of imported history are negative. `turn` is the id of the turn's first
    message. `title`: of the conversation elsewhere that it began.
    """

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
    person_id: int = 0
    title: str = ""

    @property
    def order(self) -> tuple[datetime, int]:
        """Its position in its scope: an id says which message it is, not when it was said."""
        return self.created_at, self.id

    @property
    def is_active(self) -> bool:
        return self.chunk_id is None

    @property
    def is_user(self) -> bool:
        return self.role == "user"

    @property
    def place(self) -> str:
        """The first line of a passage of a document, which says where it stands: "[lease.pdf, page 3]"; else ""."""
        first, _, rest = self.content.partition("\n") if self.origin == "document" else ("", "", "")
        return first if rest else ""


def beginnings(messages: Iterable[Message]) -> list[Message]:
    """The messages, of each turn's documents only as many passages as their beginning has room for."""
    taken = Counter[int]()
    kept = []
    for message in messages:
        if message.origin == "document":
            taken[message.turn] += len(message.content)
            if taken[message.turn] > 4_000:
                continue
        kept.append(message)
    return kept


@dataclass(frozen=True, kw_only=True, slots=True)
class Versions:
    """The texts of an answer that was asked for again, oldest first. `number`: which stands, from 1; 0 = none."""

    texts: tuple[str, ...] = ()
    number: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageOutline:
    """A message without its text."""

    id: int
    turn: int
    is_user: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """The outcome of an edited message. `turn`: its turn; None where nothing of it is stored, or the words
    are the same. `is_last`: nothing was said since, so that it may be answered again.
    """

    turn: int | None = None
    is_last: bool = False


def is_of(message: Message, kind: TimelineKind) -> bool:
    """Whether a message is of a kind, as the timeline's SQL decides it (storage/tables/timeline.py)."""
    match kind:
        case "user":
            return message.is_user and not message.origin
        case "assistant":
            return message.role == "assistant"
        case "files":
            return message.origin in SENT_ALONG
        case "forwarded":
            return message.origin == "forwarded"
        case "imported":
            return message.origin in ("imported", "overheard")
    return True


FIRST_SUPERGROUP = -1_000_000_000_000
"""Chat ids from here down are supergroups and channels; the rest of the number is the id that links carry."""


def link(chat_id: int, thread: int, message_id: int | None) -> str:
    """The address of a message; "" in private chats and basic groups, which have none."""
    if message_id is None or chat_id > FIRST_SUPERGROUP:
        return ""
    topic = f"{thread}/" if thread > 0 else ""
    return f"https://t.me/c/{FIRST_SUPERGROUP - chat_id}/{topic}{message_id}"
