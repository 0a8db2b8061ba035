"""Read Discord exports: DiscordChatExporter channels, or a data package with only its owner's messages."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from functools import partial
from typing import Any

from transfer.formats.chat_lists import parse_csv_rows
from transfer.formats.conversations import HistoryBuilder, ImportFormat, format_forwarded_text
from transfer.formats.history import ImportedMessage, SkipElement, SourceFile
from transfer.formats.values import InvalidElement, as_object, as_text, require_object


def read_channels(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    bots: set[str] = set()
    names: dict[str, Any] = {}
    for file in sorted(files, key=lambda file: file.name.lower() != "index.json"):
        is_index = file.name.lower() == "index.json"
        if file.first_char == "{" and not is_index:
            _add_exported_channel(file, builder, bots)
            continue
        with builder.skip_failures(file.path, file.open_json(), 0):
            if is_index:
                names |= require_object(file.open_json().read_value())  # there is one of servers, too
                continue
            rows = file.open_json() if file.first_char == "[" else parse_csv_rows(file.text)
            said = builder.read_messages(
                rows, lambda row: _make_message(builder, held := require_object(row), as_text(held.get("Contents")))
            )
            channel = file.folder.lower().removeprefix("c")
            builder.append_chat(sorted(said, key=lambda message: message.created_at), names.get(channel))
    builder.ask_which_speaker_is_user(bots=bots)


def _add_exported_channel(file: SourceFile, builder: HistoryBuilder, bots: set[str]) -> None:
    stream, title, said = file.open_json(), "", list[ImportedMessage]()
    for name in stream.iterate_keys():
        if name == "channel":
            title = as_text(as_object(stream.read_value()).get("name"))
        elif name == "messages":
            said += builder.read_messages(stream, partial(_read_message, builder, bots), name)
    builder.append_chat(said, title)


def _make_message(builder: HistoryBuilder, raw: Mapping[str, Any], text: str, **fields: Any) -> ImportedMessage:
    message_id = raw.get("id", raw.get("ID"))
    said_at = builder.find_past_time(raw, UTC)  # as in the data package
    if not text.strip():
        raise SkipElement("wordless")
    if said_at is None or not isinstance(message_id, int | str):
        raise InvalidElement(".id" if said_at else ".timestamp")
    return builder.make_message(str(message_id), "user", text.strip(), said_at, **fields)


def _read_message(builder: HistoryBuilder, bots: set[str], value: object) -> ImportedMessage:
    raw = require_object(value)
    if raw.get("type") not in ("Default", "Reply", None):
        raise SkipElement("service")
    author = require_object(raw.get("author"), ".author")
    speaker = as_text(author.get("nickname")) or as_text(author.get("name")) or "?"
    if author.get("isBot") is True:  # a bot is one more speaker, because it answered everybody
        bots.add(speaker)
    words, original = as_text(raw.get("content")), raw.get("forwardedMessage")
    if theirs := as_text(as_object(original).get("content")).strip():
        words = format_forwarded_text("", theirs)
    origin = "forwarded" if isinstance(original, dict) else "imported"
    return _make_message(builder, raw, words, speaker=speaker, origin=origin, reactions=raw.get("reactions"))


FORMAT = ImportFormat(
    name="discord",
    product="Discord",
    marks=("guild+channel", "ID+Timestamp+Contents", "id+timestamp+contents"),
    fits=lambda file: (
        file.path.lower().endswith("index.json") and any(file.names) and all(map(str.isdecimal, file.names))
    ),
    read=read_channels,
    members=re.compile(r"\A[^/]+/index\.json|c?\d+/messages\.(?:json|csv)"),
)
