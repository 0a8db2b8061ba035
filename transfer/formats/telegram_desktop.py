"""Read Telegram Desktop's result.json, exported from one chat or from a whole account."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from locales.catalog import tr
from locales.sentences import join_some
from text.rich_messages import parse_rich_message
from transfer.formats.conversations import HistoryBuilder, ImportFormat, add_title, format_forwarded_text, format_poll
from transfer.formats.history import ImportedMessage, ImportQuestion, SkipElement, SourceFile
from transfer.formats.json_stream import JsonStream
from transfer.formats.values import InvalidElement, as_object, as_text, require_moment, require_object, select_objects

MAX_CHOICES = 30  # the most chats with a button of their own. The smaller ones share one.
_SHIFT = 2**32  # added to a person's id in exports of 2020 and 2021, when no id was that large
# A control character as Telegram writes it, which is not valid JSON.
_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
_UNNAMED = {"saved_messages": "import-chat-saved", "replies": "import-chat-replies"}


@dataclass(slots=True)
class _ExportedChat:
    location: str
    name: str = ""
    kind: str = ""
    id: object = None
    messages: list[ImportedMessage] = field(default_factory=list)


def read_account(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    chats: list[_ExportedChat] = []
    for file in files:
        if "\\x" in file.text:
            file.text = _CONTROL.sub(r"\1\\u00\2", file.text)
        for _, _, part in file.open_json().iterate_names_offsets_and_streams():
            chats += (chat for chat in _read_chats(part, builder) if chat.messages)
    chosen = _ask_and_select_chats(chats, builder)
    messages = [message for chat in chosen for message in chat.messages]
    said = [message for message in messages if message.role == "user" and message.origin != "forwarded"]
    has_own_messages = any(message.is_own for message in said)
    builder.append_chat(messages)
    if said and not has_own_messages:  # an export of another account of theirs
        builder.ask_which_speaker_is_user(is_required=False)
    chosen.sort(key=lambda chat: -len(chat.messages))
    if len(chosen) > 1:
        named = join_some([_format_chat_label(chat) for chat in chosen])
        builder.notes.append(tr("import-holds-chats", chats=len(chosen), named=named))
    if chosen and not has_own_messages:
        builder.notes.append(tr("import-none-yours", id=str(builder.reading.person)))


def _read_chats(stream: JsonStream, builder: HistoryBuilder, json_path: str = "") -> Iterator[_ExportedChat]:
    chat, early = _ExportedChat(json_path), None
    for name in stream.iterate_keys():
        match name:
            case "chats" | "left_chats" if not json_path:
                for _ in (part for part in stream.iterate_keys() if part == "list"):
                    for number in stream.iterate_element_indexes():
                        yield from _read_chats(stream, builder, f"{name}.list[{number}].")
            case "name":
                chat.name = as_text(stream.read_value())
            case "type":
                chat.kind = as_text(stream.read_value())
            case "id":
                chat.id = stream.read_value()
            case "messages" if not chat.kind or chat.id is None:  # Telegram writes them last. Others sort the members.
                early = stream.read_value()
            case "messages":
                with builder.skip_failures(json_path):
                    chat.messages = _read_messages(chat, stream, builder)
    if early is not None:
        with builder.skip_failures(json_path):
            chat.messages = _read_messages(chat, early if isinstance(early, list) else [], builder)
    yield chat


def _read_messages(chat: _ExportedChat, raw: JsonStream | list[Any], builder: HistoryBuilder) -> list[ImportedMessage]:
    if not isinstance(chat.id, int) or isinstance(chat.id, bool):
        raise InvalidElement("id")
    if chat.kind == "bot_chat" and chat.id == builder.reading.bot:
        builder.skipped["here"] += sum(1 for _ in (raw if isinstance(raw, list) else raw.iterate_element_indexes()))
        return []
    read_message = partial(_read_message, chat, builder)
    return add_title(builder.read_messages(raw, read_message, "messages"), chat.name)


def _ask_and_select_chats(chats: list[_ExportedChat], builder: HistoryBuilder) -> list[_ExportedChat]:
    """Ask which chats to import. By default, import all except channels and chats that the person has left."""
    if len(chats) < 2:
        return chats
    ordered = sorted(chats, key=lambda chat: -len(chat.messages))
    groups = [[chat] for chat in ordered[:MAX_CHOICES]]
    labels = [_format_chat_label(chat) for [chat] in groups]
    if rest := ordered[MAX_CHOICES:]:
        groups.append(rest)
        labels.append(tr("import-chats-others", chats=len(rest), count=sum(len(chat.messages) for chat in rest)))
    usual = tuple(
        number
        for number, [chat, *_] in enumerate(groups)
        if number == MAX_CHOICES or not ("channel" in chat.kind or chat.location.startswith("left_chats"))
    )
    question = ImportQuestion(name="chats", options=tuple(labels), chosen=usual, several=True)
    wanted = {id(chat) for number in builder.ask(question) for chat in groups[number]}
    return [chat for chat in chats if id(chat) in wanted]


def _format_chat_label(chat: _ExportedChat) -> str:
    title = chat.name or tr(_UNNAMED.get(chat.kind, "import-chat-nameless"))
    return tr("import-chat-held", name=title[:40], count=len(chat.messages))


def _read_message(chat: _ExportedChat, builder: HistoryBuilder, value: object) -> ImportedMessage:
    raw = require_object(value)
    if raw.get("type", "message") != "message":
        raise SkipElement("service")
    number = raw.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise InvalidElement(".id")
    said_at = require_moment(raw.get("date_unixtime") or raw.get("date"), ".date", builder.reading.zone)
    content = _read_message_text(raw)
    if not content.strip():
        raise SkipElement("wordless")
    sender, me = _find_sender_id(raw), f"user{builder.reading.person}"
    is_bot = chat.kind == "bot_chat" and sender == f"user{chat.id}"
    is_forwarded = "forwarded_from" in raw
    return builder.make_message(
        f"{chat.id}:{number}",
        "assistant" if is_bot else "user",
        format_forwarded_text(as_text(raw["forwarded_from"]), content) if is_forwarded else content,
        said_at,
        raw.get("reactions"),
        speaker=as_text(raw.get("from")) or ("" if sender == me else builder.NOBODY),
        origin="forwarded" if is_forwarded else "imported",
        is_own=is_forwarded or is_bot or sender == me,
    )


def _find_sender_id(raw: Mapping[str, Any]) -> str:
    """Return the sender as "user123" or "channel123", even if an old file has only a number."""
    if isinstance(sender := raw.get("from_id"), int):
        return f"user{sender - _SHIFT if _SHIFT <= sender < 2 * _SHIFT else sender}"
    return as_text(sender)


def _join_text(text: object) -> str:
    """Return a text, which may consist of pieces with formats, or "" for anything else."""
    pieces = []
    for piece in text if isinstance(text, list) else [as_text(text)]:
        words = piece.get("text") if isinstance(piece, dict) else piece
        if not isinstance(words, str):
            raise InvalidElement(".text")
        target = as_text(piece.get("href")) if isinstance(piece, dict) and piece.get("type") == "text_link" else ""
        pieces.append(f"{words} ({target})" if target and target != words else words)
    return "".join(pieces)


def _read_message_text(raw: Mapping[str, Any]) -> str:
    if not isinstance(text := raw.get("text", ""), str | list):
        raise InvalidElement(".text")
    rich = parse_rich_message(raw.get("rich_message")).text
    return "\n".join(filter(str.strip, (_join_text(text), rich, *iterate_attached_texts(raw))))


def iterate_attached_texts(raw: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message's poll, checklist, contact and place as text."""
    if held := as_object(raw.get("poll")):
        options = select_objects(held.get("answers"))
        answers = [(_join_text(option.get("text")), option.get("chosen") is True) for option in options]
        yield format_poll(_join_text(held.get("question")), answers)
    if held := as_object(raw.get("todo_list")):
        tasks = select_objects(held.get("answers") or held.get("tasks"))
        yield "\n".join([_join_text(held.get("title")), *(f"- {_join_text(task.get('text'))}" for task in tasks)])
    if held := as_object(raw.get("contact_information")):
        names = ("first_name", "last_name", "phone_number")
        yield f"[Contact] {' '.join(filter(None, (as_text(held.get(name)) for name in names)))}"
    at = as_object(raw.get("location_information"))
    numbers = [str(value) for name in ("latitude", "longitude") if isinstance(value := at.get(name), int | float)]
    if shown := ", ".join(filter(None, [as_text(raw.get("place_name")), as_text(raw.get("address")), *numbers])):
        yield f"[Place] {shown}"


FORMAT = ImportFormat(
    name="telegram",
    product="Telegram",
    marks=("messages+type+id", "chats+about", "left_chats+about"),
    fits=lambda file: bool(file.names & {"chats", "left_chats"}) and '"list"' in file.sample,
    read=read_account,
    members=re.compile(r"\A[^/]*/result\.json"),
)
