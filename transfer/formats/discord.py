"""Discord: a channel as DiscordChatExporter writes it in JSON, and the messages of one's own data package → messages.

The package holds its owner's messages alone. Of a channel only what people wrote counts, and replies.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from runtime.cooperative import yielding_gil
from transfer.formats.conversations import (
    Conversations,
    demand_list,
    demand_object,
    forwarded,
    moment,
    reacted,
    text_of,
)
from transfer.formats.history import (
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Reading,
    Sample,
    SourceFile,
    WrongElement,
    own_speaker,
    titled,
)

_TALK = ("Default", "Reply", None)


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    channels = [file for file in files if '"messages"' in file.text[:20_000] and file.text.lstrip()[:1] == "{"]
    if channels:
        return _exported(channels, reading)
    talks = Conversations("discord")
    names: dict[str, Any] = {}
    for file in sorted(files, key=lambda one: not _is_index(one.path)):
        if _is_index(file.path):
            with talks.each(file.path):
                names = demand_object(file.walk().value())
            continue
        with talks.each(file.path, file.walk(), 0):
            talk: list[ImportedMessage] = []
            for where, raw in _own(file):
                said_at = moment(raw.get("Timestamp"), f"{where}.Timestamp", reading.zone)
                words, number = text_of(raw.get("Contents")).strip(), raw.get("ID")
                if said_at is None or not words or not isinstance(number, int | str):
                    talks.skipped["wordless"] += 1
                    continue
                talk.append(
                    ImportedMessage(source=f"import:discord:{number}", role="user", content=words, created_at=said_at)
                )
            talk.sort(key=lambda one: one.created_at)
            channel = PurePosixPath(file.path).parent.name.lower().removeprefix("c")
            talks.add(titled(talk, text_of(names.get(channel))))
    return talks.history(reading)


def _is_index(path: str) -> bool:
    """Whether a file names the channels."""
    return PurePosixPath(path.lower()).name == "index.json"


def _own(file: SourceFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of messages.json, or of messages.csv in older packages."""
    if file.text.lstrip()[:1] != "[":
        rows = csv.DictReader(io.StringIO(file.text, newline=""))
        try:
            for number, row in enumerate(yielding_gil(rows)):
                yield f"[{number}]", {key: value for key, value in row.items() if key}
        except csv.Error:  # a field longer than any message
            raise WrongElement(f"[{rows.line_num}]") from None
        return
    walk = file.walk()
    for number in walk.elements():
        yield f"[{number}]", demand_object(walk.value(), f"[{number}]")
    walk.end()


def _exported(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    said: list[ImportedMessage] = []
    people: Counter[str] = Counter()
    talks = Conversations("discord")
    for file in files:
        walk, title, channel = file.walk(), "", list[ImportedMessage]()
        for name in walk.members():
            if name == "channel":
                about = walk.value()
                title = text_of(about.get("name")) if isinstance(about, dict) else ""
            if name != "messages":
                continue
            for number in walk.elements():
                at, where = walk.at, f"messages[{number}]"
                with talks.each(where, walk, at):
                    raw = demand_object(walk.value())
                    if raw.get("type") not in _TALK:
                        talks.skipped["service"] += 1
                    elif (made := _message(raw, reading)) is None:
                        talks.skipped["wordless"] += 1
                    else:
                        channel.append(made)
                        people[made.speaker] += raw["author"].get("isBot") is not True
        said += titled(channel, title)
    question, own = own_speaker(+people, reading)
    # Bots of a channel are others like everybody else: they answered all of its people.
    talks.add([replace(one, is_own=one.speaker == own) for one in said])
    return talks.history(reading, questions=[question] if +people else ())


def _message(raw: dict[str, Any], reading: Reading) -> ImportedMessage | None:
    author = demand_object(raw.get("author"), ".author")
    said_at = moment(raw.get("timestamp"), ".timestamp", reading.zone)
    number = raw.get("id")
    words = text_of(raw.get("content")).strip()
    original = raw.get("forwardedMessage")
    if isinstance(original, dict) and text_of(original.get("content")).strip():
        words = forwarded("", text_of(original["content"]).strip())
    if not words or said_at is None or not isinstance(number, int | str):
        return None
    return ImportedMessage(
        source=f"import:discord:{number}",
        role="user",
        content=reacted(words, [_reaction(one) for one in demand_list(raw.get("reactions"), ".reactions")]),
        created_at=said_at,
        speaker=text_of(author.get("nickname")) or text_of(author.get("name")) or "?",
        origin="forwarded" if isinstance(original, dict) else "imported",
    )


def _reaction(raw: object) -> str:
    emoji = raw.get("emoji") if isinstance(raw, dict) else None
    return text_of(emoji.get("name")) if isinstance(emoji, dict) else ""


def _fits(sample: Sample) -> bool:
    if _is_index(sample.path):
        return bool(sample.names) and all(name.isdecimal() for name in sample.names)
    if sample.opening == "{":
        return {"guild", "channel"} <= sample.names
    if sample.opening == "[":
        return {"ID", "Timestamp", "Contents"} <= sample.names
    return sample.text.startswith("ID,Timestamp,Contents")


FORMAT = ImportFormat(
    name="discord",
    product="Discord",
    fits=_fits,
    read=read,
    members=lambda folder, name: (
        (name == "index.json" and bool(folder))
        or (folder.removeprefix("c").isdecimal() and name in ("messages.json", "messages.csv"))
    ),
)
