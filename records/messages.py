"""New and stored messages."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from records.scopes import Scope

Role = Literal["user", "assistant", "system"]

UNSTORED = 10**12  # messages that are in no store have ids from here on

Origin = Literal["", "forwarded", "tool", "imported", "overheard", "document", "picture", "declined"]
"""The origin of a message's words: "" = said here by its role; "overheard" = imported, and somebody else's;
"document" = a passage of a file that was sent along; "picture" = what a model saw in a picture that was; "declined" =
said here, and refused by the model's provider for what it says: no prompt carries it, where it would be refused too.
"""

TimelineKind = Literal["", "user", "assistant", "files", "forwarded", "imported"]
"""Kinds of messages that the timeline can be narrowed to; "" = all."""
TIMELINE_KINDS: tuple[TimelineKind, ...] = get_args(TimelineKind)
SENT_ALONG: tuple[Origin, ...] = ("document", "picture")
"""Origins of attachments, which the person sent but did not write."""
NEVER_RECALLED: tuple[Origin, ...] = ("tool", "declined")  # origins of messages that are never recalled or summarised
OTHERS: tuple[Origin, ...] = ("forwarded", "overheard", *SENT_ALONG)
"""Origins of text that the sender did not write. Prompts quote it in a separate block."""


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

    def with_id(self, number: int, scope: Scope) -> "Message":
        """Return the message with this id. It opens a turn if it names none."""
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
        """The sort key within its scope. Ids alone do not give the order in time."""
        return self.created_at, self.id

    @property
    def is_active(self) -> bool:
        return self.chunk_id is None

    @property
    def is_user(self) -> bool:
        return self.role == "user"

    @property
    def place(self) -> str:
        """The first line of a document's passage, such as "[lease.pdf, page 3]", or "" for other messages."""
        first, _, rest = self.content.partition("\n") if self.origin == "document" else ("", "", "")
        return first if rest else ""


def cut_documents(messages: Iterable[Message]) -> list[Message]:
    """Return the messages, but of each turn's documents only the first 4,000 characters."""
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
    """The texts of a regenerated answer, oldest first. `number` is the current one, counted from 1, or 0 for none."""

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
    """The outcome of an edited message. `turn` is None if the message is not stored or its text is unchanged.

    `is_last` says that nothing followed it, so it may be answered again.
    """

    turn: int | None = None
    is_last: bool = False


def is_of_kind(message: Message, kind: TimelineKind) -> bool:
    """Return True if a message is of a kind. This must agree with the SQL in storage/tables/timeline.py."""
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
"""Chat ids from here down are supergroups and channels. The difference to this number is the id used in links."""


def make_message_link(chat_id: int, thread: int, message_id: int | None) -> str:
    """Return the link to a message, or "" in private chats and basic groups, which have none."""
    if message_id is None or chat_id > FIRST_SUPERGROUP:
        return ""
    topic = f"{thread}/" if thread > 0 else ""
    return f"https://t.me/c/{FIRST_SUPERGROUP - chat_id}/{topic}{message_id}"
