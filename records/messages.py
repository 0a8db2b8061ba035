"""New and stored messages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal, get_args

from records.scopes import Scope

Role = Literal["user", "assistant", "system"]
UNSTORED = 10**12  # messages that are in no store have ids from here on

# The origin of a message's text. "" was written in this chat. "overheard" was imported and is by somebody else.
# "document" is a passage of an attached file. "picture" is a model's description of a picture. "declined" was refused
# by the model's provider, so no prompt contains it.
Origin = Literal["", "forwarded", "tool", "imported", "overheard", "document", "picture", "declined"]
TimelineKind = Literal["", "user", "assistant", "files", "forwarded", "imported"]  # filters of the timeline; "" is none
TIMELINE_KINDS: tuple[TimelineKind, ...] = get_args(TimelineKind)
SENT_ALONG: tuple[Origin, ...] = ("document", "picture")  # origins of attachments
NEVER_RECALLED: tuple[Origin, ...] = ("tool", "declined")  # origins of messages that are never recalled or summarised
OTHERS: tuple[Origin, ...] = ("forwarded", "overheard", *SENT_ALONG)  # origins of text that the sender did not write
TIMELINE_FILTERS: Mapping[TimelineKind, tuple[Role | None, tuple[Origin, ...] | None]] = {
    "": (None, None),
    "user": ("user", ("",)),
    "assistant": ("assistant", None),
    "files": (None, SENT_ALONG),
    "forwarded": (None, ("forwarded",)),
    "imported": (None, ("imported", "overheard")),
}  # the role and the origins of the messages that a filter lets through, or None for all of them


@dataclass(frozen=True, kw_only=True, slots=True)
class _MessageContent:
    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    source: str | None = None  # the update that it came with or answers, or its import; unique per owner and role
    telegram_id: int | None = None
    origin: Origin = ""
    person_id: int = 0  # the Telegram id of the author in a group, because names are not unique


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMessage(_MessageContent):
    """A message that is not stored yet."""

    turn: int | None = None  # the id of the turn's first message, or None to open a new turn
    explanation: str = ""  # of an answer: its sources as a JSON object
    saved: int = 0  # tokens of an answer's request compared with sending the whole history

    def with_id(self, message_id: int, scope: Scope) -> "Message":
        """Convert this message to a stored Message with the given id. A message without a turn opens a new turn."""
        content = {shared.name: getattr(self, shared.name) for shared in fields(_MessageContent)}
        return Message(id=message_id, scope=scope, turn=message_id if self.turn is None else self.turn, **content)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message(_MessageContent):
    """A stored message."""

    id: int  # unique per owner, and negative for imported messages
    scope: Scope
    turn: int
    chunk_id: int | None = None
    edited_at: datetime | None = None
    title: str = ""  # of the imported conversation that begins with this message

    @property
    def sort_key(self) -> tuple[datetime, int]:
        """The sort key within a scope. Ids alone are not in chronological order."""
        return self.created_at, self.id

    @property
    def is_active(self) -> bool:
        """True if no summary replaces the message in prompts."""
        return self.chunk_id is None

    @property
    def is_user(self) -> bool:
        return self.role == "user"


def limit_document_passages(messages: Iterable[Message]) -> list[Message]:
    """Limit the document passages of each turn to 4,000 characters in total, and drop the rest."""
    characters = Counter[int]()
    kept = []
    for message in messages:
        if message.origin == "document":
            characters[message.turn] += len(message.content)
            if characters[message.turn] > 4_000:
                continue
        kept.append(message)
    return kept


def find_ids_edited_after_answer(messages: Sequence[Message]) -> set[int]:
    """Return the ids of the questions that were edited after their answer was written."""
    answered = {said.turn: said.edited_at or said.created_at for said in messages if said.role == "assistant"}
    edited = {said.id: (said.turn, said.edited_at) for said in messages if said.is_user and said.edited_at}
    return {number for number, (turn, edited_at) in edited.items() if edited_at > answered.get(turn, edited_at)}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerVersions:
    """The texts of a regenerated answer, oldest first."""

    texts: tuple[str, ...] = ()
    number: int = 0  # of the current text, counted from 1, or 0 for none


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageOutline:
    """A stored message without its text."""

    id: int
    turn: int
    is_user: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """The result of editing a message."""

    turn: int | None = None  # of the message, or None if nothing changed
    is_last: bool = False  # True if no later message follows


def matches_filter(message: Message, kind: TimelineKind) -> bool:
    role, origins = TIMELINE_FILTERS[kind]
    return role in (None, message.role) and (origins is None or message.origin in origins)


FIRST_SUPERGROUP = -1_000_000_000_000  # supergroups have chat ids below this number; links use the distance from it


def make_message_link(chat_id: int, thread: int, message_id: int | None) -> str:
    """Return the t.me link to a message, or "" in private chats and basic groups."""
    if message_id is None or chat_id > FIRST_SUPERGROUP:
        return ""
    topic = f"{thread}/" if thread > 0 else ""
    return f"https://t.me/c/{FIRST_SUPERGROUP - chat_id}/{topic}{message_id}"
