"""Telegram Desktop's result.json, of one chat or with all chats in chats.list → its messages.

The person who imports is the user; other people are users under their own names; the other side of a chat with a bot
is the assistant. Service messages and messages without words are left out. Does not know stores.
"""

from collections import Counter, deque
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal

from locales.catalog import tr
from locales.lists import listed
from records.errors import ImportRefused
from records.messages import Role
from runtime.cooperative import consumed, yielding_gil
from transfer.formats.history import ImportedHistory, ImportedMessage, ImportFormat, WrongElement
from transfer.formats.json_stream import JsonStream

_MOST_NAMED = 5
_READ = frozenset({"type", "id", "date", "date_unixtime", "text", "from", "from_id", "forwarded_from"})
"""What is read of a message; the rest is let go of at once."""
_UNNAMED = {"saved_messages": "import-chat-saved", "replies": "import-chat-replies"}


class _Chat:
    """One chat of the export, filled in as its members are read."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.name = ""
        self.kind = ""
        self.id: object = None
        self.messages: deque[tuple[int, object]] = deque()


def read(walk: JsonStream, *, person: int, zone: tzinfo = UTC) -> ImportedHistory:
    """`person`: the Telegram id of who imports. `zone`: of dates without one (files of before 2021).

    Raises ImportRefused naming the message that is wrong.
    """
    chats: list[_Chat] = []
    single = _Chat("")
    for name in walk.members():
        if name == "chats":
            for part in walk.members():
                if part == "list":
                    chats += [_chat(walk, _Chat(f"chats.list[{number}].")) for number in walk.elements()]
        else:
            _member(walk, single, name)
    walk.end()
    if single.messages or not chats:
        chats.insert(0, single)
    return _history(walk, chats, person, zone)


def _chat(walk: JsonStream, chat: _Chat) -> _Chat:
    for name in walk.members():
        _member(walk, chat, name)
    return chat


def _member(walk: JsonStream, chat: _Chat, name: str) -> None:
    match name:
        case "name":
            chat.name = _text(walk.value())
        case "type":
            chat.kind = _text(walk.value())
        case "id":
            chat.id = walk.value()
        case "messages":
            for _ in walk.elements():
                chat.messages.append((walk.at, _read(walk.value())))


def _read(raw: object) -> object:
    return {name: value for name, value in raw.items() if name in _READ} if isinstance(raw, dict) else raw


def _history(walk: JsonStream, chats: list[_Chat], person: int, zone: tzinfo) -> ImportedHistory:
    messages: list[ImportedMessage] = []
    skipped: Counter[str] = Counter()
    own = 0
    held: Counter[str] = Counter()
    for chat in chats:
        if not isinstance(chat.id, int) or isinstance(chat.id, bool):
            raise ImportRefused(tr("import-not-telegrams", where=chat.where))
        for number, (at, raw) in enumerate(yielding_gil(consumed(chat.messages))):
            try:
                made = _message(raw, chat, person, zone)
            except WrongElement as wrong:
                raise wrong.refusal(f"{chat.where}messages[{number}]", walk.line_of(at)) from None
            if isinstance(made, str):
                skipped[made] += 1
                continue
            messages.append(made)
            held[chat.name or tr(_UNNAMED.get(chat.kind, "import-chat-nameless"))] += 1
            own += _sender(raw) == f"user{person}"
    return ImportedHistory(format="telegram", messages=messages, notes=_notes(held, skipped, own, person))


def _notes(held: Counter[str], skipped: Counter[str], own: int, person: int) -> tuple[str, ...]:
    notes = []
    if len(held) > 1:
        named = listed(tr("import-chat-held", name=name, count=count) for name, count in held.most_common(_MOST_NAMED))
        if len(held) > _MOST_NAMED:
            named = tr("import-holds-more", named=named, more=len(held) - _MOST_NAMED)
        notes.append(tr("import-holds-chats", chats=len(held), named=named))
    if held and not own:
        notes.append(tr("import-none-yours", id=str(person)))
    if skipped["wordless"]:
        notes.append(tr("import-wordless", count=skipped["wordless"]))
    if skipped["service"]:
        notes.append(tr("import-service", count=skipped["service"]))
    return tuple(notes)


def _message(raw: object, chat: _Chat, person: int, zone: tzinfo) -> ImportedMessage | Literal["service", "wordless"]:
    if not isinstance(raw, dict):
        raise WrongElement(tr("import-no-object"))
    if raw.get("type", "message") != "message":
        return "service"
    number = raw.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise WrongElement(tr("import-its-no-number", name="id"))
    said_at = _date(raw, zone)
    content = _content(raw)
    if not content.strip():
        return "wordless"
    sender = _sender(raw)
    is_bot = chat.kind == "bot_chat" and sender == f"user{chat.id}"
    role: Role = "assistant" if is_bot else "user"
    forwarded = "forwarded_from" in raw
    if forwarded:
        content = f"[Forwarded from {_text(raw['forwarded_from']) or 'somebody'}]\n{content}"
    return ImportedMessage(
        source=f"import:telegram:{chat.id}:{number}",
        role=role,
        content=content,
        created_at=said_at,
        speaker="" if is_bot else _text(raw.get("from")) or ("" if sender == f"user{person}" else "Deleted account"),
        origin="forwarded" if forwarded else "imported",
        is_own=forwarded or is_bot or sender == f"user{person}",
        answers=is_bot,
    )


def _sender(raw: object) -> str:
    """ "user123", "channel123"; old files have the number alone."""
    sender = raw.get("from_id") if isinstance(raw, dict) else None
    return f"user{sender}" if isinstance(sender, int) else _text(sender)


def _date(raw: Mapping[str, Any], zone: tzinfo) -> datetime:
    try:
        if (stamp := raw.get("date_unixtime")) is not None:
            return datetime.fromtimestamp(int(stamp), UTC)
        moment = datetime.fromisoformat(raw["date"])
        return (moment.replace(tzinfo=zone) if moment.tzinfo is None else moment).astimezone(UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise WrongElement(tr("import-its-no-date", name="date")) from None


def _content(raw: Mapping[str, Any]) -> str:
    """The words: a text, or pieces, some of which carry a link or a format."""
    text = raw.get("text", "")
    if isinstance(text, str):
        return text
    if not isinstance(text, list):
        raise WrongElement(tr("import-text-neither"))
    pieces = []
    for piece in text:
        words = piece.get("text") if isinstance(piece, dict) else piece
        if not isinstance(words, str):
            raise WrongElement(tr("import-piece-wordless"))
        pieces.append(words)
    return "".join(pieces)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


FORMAT = ImportFormat(
    name="telegram",
    files=("result.json",),
    opening="{",
    fits=lambda names: "chats" in names or ("messages" in names and "type" in names),
    read=lambda walk, person, zone: read(walk, person=person, zone=zone),
)
