"""Read Discord exports: DiscordChatExporter channels, or a data package with only its owner's messages."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from transfer.formats.chat_lists import iterate_rows
from transfer.formats.conversations import HistoryBuilder, SkipElement, append_reactions, format_forwarded_text
from transfer.formats.history import ImportedHistory, ImportedMessage, ImportFormat, ReadContext, SourceFile
from transfer.formats.values import as_object, as_text, read_list, require_object, select_objects

_TALK = ("Default", "Reply", None)


def read_history(files: Sequence[SourceFile], context: ReadContext) -> ImportedHistory:
    builder = HistoryBuilder("discord", context)
    channels = [file for file in files if '"messages"' in file.text[:20_000] and file.text.lstrip()[:1] == "{"]
    if channels:
        bots: set[str] = set()
        for file in channels:
            _add_exported_channel(file, builder, bots)
        builder.add_own_speaker_question(bots=bots)
        return builder.make_history()

    def read_row(row: object) -> ImportedMessage:
        value = require_object(row)
        return _make_message(value.get("ID"), as_text(value.get("Contents")), builder.find_time(value))

    names: dict[str, Any] = {}
    for file in sorted(files, key=lambda file: not file.path.lower().endswith("index.json")):
        with builder.skip_failures(file.path, file.open_json(), 0):
            if file.path.lower().endswith("index.json"):
                names |= require_object(file.open_json().read_value())  # there is one of servers, too
                continue
            is_table = file.text.lstrip()[:1] != "["
            said = builder.read_messages(iterate_rows(file.text) if is_table else file.open_json(), read_row)
            channel = PurePosixPath(file.path).parent.name.lower().removeprefix("c")
            builder.append(sorted(said, key=lambda message: message.created_at), names.get(channel))
    return builder.make_history()


def _make_message(message_id: object, text: str, said_at: datetime | None, **fields: Any) -> ImportedMessage:
    if said_at is None or not text.strip() or not isinstance(message_id, int | str):
        raise SkipElement("wordless")
    source = f"import:discord:{message_id}"
    return ImportedMessage(source=source, role="user", content=text.strip(), created_at=said_at, **fields)


def _add_exported_channel(file: SourceFile, builder: HistoryBuilder, bots: set[str]) -> None:
    stream, title, said = file.open_json(), "", list[ImportedMessage]()
    for name in stream.iterate_members():
        if name == "channel":
            title = as_text(as_object(stream.read_value()).get("name"))
        elif name == "messages":
            said += builder.read_messages(stream, partial(_read_message, builder, bots), name)
    builder.append(said, title)


def _read_message(builder: HistoryBuilder, bots: set[str], value: object) -> ImportedMessage:
    raw = require_object(value)
    if raw.get("type") not in _TALK:
        raise SkipElement("service")
    author = require_object(raw.get("author"), ".author")
    speaker = as_text(author.get("nickname")) or as_text(author.get("name")) or "?"
    if author.get("isBot") is True:  # a bot is one more speaker, because it answered everybody
        bots.add(speaker)
    words, original = as_text(raw.get("content")), raw.get("forwardedMessage")
    if theirs := as_text(as_object(original).get("content")).strip():
        words = format_forwarded_text("", theirs)
    emoji = [
        as_text(as_object(reaction.get("emoji")).get("name"))
        for reaction in select_objects(read_list(raw, "reactions"))
    ]
    origin = "forwarded" if isinstance(original, dict) else "imported"
    words = append_reactions(words.strip(), emoji)
    return _make_message(raw.get("id"), words, builder.find_time(raw), speaker=speaker, origin=origin)


FORMAT = ImportFormat(
    name="discord",
    product="Discord",
    marks=("guild+channel", "ID+Timestamp+Contents", "id+timestamp+contents"),
    fits=lambda sample: (
        sample.path.endswith("index.json") and any(sample.names) and all(map(str.isdecimal, sample.names))
    ),
    read=read_history,
    members=re.compile(r"\A[^/]+/index\.json|c?\d+/messages\.(?:json|csv)"),
)
