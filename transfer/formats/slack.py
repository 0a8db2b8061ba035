"""Slack's export: a folder for each channel with a file for each day, and users.json → messages."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath

from records.errors import ImportRefused
from transfer.formats.conversations import Conversations, LeftOut, elements_of, in_file_order
from transfer.formats.history import FileReading, ImportedHistory, ImportedMessage, ImportFormat, Sample, SourceFile
from transfer.formats.values import demand_moment, demand_object, object_of, objects, text_of

_NOT_TALK = ("channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "pinned_item")


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("slack", reading)
    names = _user_names(files)
    channels: dict[str, list[ImportedMessage]] = {}
    for file in sorted(files, key=lambda file: file.path):
        place = PurePosixPath(file.path)
        if place.stem[:4].isdecimal():  # 2025-08-24.json: users.json and channels.json are lists of other things
            read_one = partial(_read_message, place.parent.name, names)
            channels.setdefault(place.parent.name, []).extend(talks.messages(elements_of(file.walk()), read_one))
    for channel, messages in channels.items():
        talks.add(in_file_order(messages), channel)
    talks.ask_own()
    return talks.history()


def _user_names(files: Sequence[SourceFile]) -> Mapping[str, str]:
    users: list[dict[str, object]] = []
    for file in files:
        if PurePosixPath(file.path).name == "users.json":
            with suppress(ImportRefused):
                users += objects(file.walk().value())
    return {text_of(user.get("id")): text_of(user.get("real_name")) or text_of(user.get("name")) for user in users}


def _read_message(channel: str, names: Mapping[str, str], raw: object) -> ImportedMessage:
    value = demand_object(raw)
    if value.get("type") != "message" or value.get("subtype") in _NOT_TALK:
        raise LeftOut("service")
    words = text_of(value.get("text")).strip()
    if not words:
        raise LeftOut("wordless")
    profile = object_of(value.get("user_profile"))
    user = text_of(value.get("user"))
    speaker = names.get(user) or text_of(profile.get("real_name")) or text_of(value.get("username")) or user or "?"
    said_at = demand_moment(value.get("ts"), ".ts")
    source = f"import:slack:{channel}:{value.get('ts')}"
    return ImportedMessage(source=source, role="user", content=words, created_at=said_at, speaker=speaker)


def _fits(sample: Sample) -> bool:
    return sample.opening == "[" and ({"type", "ts", "text"} <= sample.names or {"team_id", "profile"} <= sample.names)


FORMAT = ImportFormat(name="slack", product="Slack", fits=_fits, read=read)
