"""Read Discord exports: DiscordChatExporter channels, or a data package with only its owner's messages."""

import re
from collections.abc import Sequence
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
    read_message = partial(_read_message, builder, bots)
    for file in sorted(files, key=lambda file: file.name.lower() != "index.json"):
        stream = file.open_json()
        with builder.skip_failures(file.path, stream, 0):
            if file.name.lower() == "index.json":
                names |= require_object(stream.read_value())  # there is one of servers, too
            elif file.first_char == "{":
                title, said = "", list[ImportedMessage]()
                for name in stream.iterate_keys():
                    if name == "channel":
                        title = as_text(as_object(stream.read_value()).get("name"))
                    elif name == "messages":
                        said += builder.read_messages(stream, read_message, f" {name}")
                builder.append_chat(said, title)
            else:
                rows = stream if file.first_char == "[" else parse_csv_rows(file.text)
                said = sorted(builder.read_messages(rows, read_message), key=lambda message: message.created_at)
                builder.append_chat(said, names.get(file.folder.lower().removeprefix("c")))
    builder.ask_which_speaker_is_user(bots=bots)


def _read_message(builder: HistoryBuilder, bots: set[str], value: object) -> ImportedMessage:
    """Read a message of a channel, or of a data package, which has only those of its owner and names nobody."""
    raw = require_object(value)
    if raw.get("type") not in ("Default", "Reply", None):
        raise SkipElement("service")
    author = require_object(raw.get("author"), ".author") if "Contents" not in raw else {}
    speaker = as_text(author.get("nickname")) or as_text(author.get("name")) or ("?" if author else "")
    if author.get("isBot") is True:  # a bot is one more speaker, because it answered everybody
        bots.add(speaker)
    words, original = as_text(raw.get("content", raw.get("Contents"))), raw.get("forwardedMessage")
    if theirs := as_text(as_object(original).get("content")).strip():
        words = format_forwarded_text("", theirs)
    message_id, said_at = raw.get("id", raw.get("ID")), builder.find_past_time(raw, UTC)
    if not words.strip():
        raise SkipElement("wordless")
    if said_at is None or not isinstance(message_id, int | str):
        raise InvalidElement(".id" if said_at else ".timestamp")
    origin = "forwarded" if isinstance(original, dict) else "imported"
    return builder.make_message(
        str(message_id), "user", words.strip(), said_at, raw.get("reactions"), speaker=speaker, origin=origin
    )


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
