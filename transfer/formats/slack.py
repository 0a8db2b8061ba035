"""Slack's export: a folder for each channel with a file for each day, and users.json → messages."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath

from records.errors import ImportRefused
from transfer.formats.conversations import Conversations, LeftOut, iterate_elements, order_by_file
from transfer.formats.history import FileReading, ImportedHistory, ImportedMessage, ImportFormat, Sample, SourceFile
from transfer.formats.values import demand_moment, demand_object, list_objects, to_object, to_text

_NOT_TALK = ("channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "pinned_item")


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("slack", reading)
    names = _read_user_names(files)
    channels: dict[str, list[ImportedMessage]] = {}
    for file in sorted(files, key=lambda file: file.path):
        place = PurePosixPath(file.path)
        if place.stem[:4].isdecimal():  # 2025-08-24.json: users.json and channels.json are lists of other things
            read_one = partial(_read_message, place.parent.name, names)
            channels.setdefault(place.parent.name, []).extend(talks.messages(iterate_elements(file.walk()), read_one))
    for channel, messages in channels.items():
        talks.add(order_by_file(messages), channel)
    talks.ask_own()
    return talks.history()


def _read_user_names(files: Sequence[SourceFile]) -> Mapping[str, str]:
    users: list[dict[str, object]] = []
    for file in files:
        if PurePosixPath(file.path).name == "users.json":
            with suppress(ImportRefused):
                users += list_objects(file.walk().value())
    return {to_text(user.get("id")): to_text(user.get("real_name")) or to_text(user.get("name")) for user in users}


def _read_message(channel: str, names: Mapping[str, str], raw: object) -> ImportedMessage:
    value = demand_object(raw)
    if value.get("type") != "message" or value.get("subtype") in _NOT_TALK:
        raise LeftOut("service")
    words = to_text(value.get("text")).strip()
    if not words:
        raise LeftOut("wordless")
    profile = to_object(value.get("user_profile"))
    user = to_text(value.get("user"))
    speaker = names.get(user) or to_text(profile.get("real_name")) or to_text(value.get("username")) or user or "?"
    said_at = demand_moment(value.get("ts"), ".ts")
    source = f"import:slack:{channel}:{value.get('ts')}"
    return ImportedMessage(source=source, role="user", content=words, created_at=said_at, speaker=speaker)


def _fits(sample: Sample) -> bool:
    return sample.opening == "[" and ({"type", "ts", "text"} <= sample.names or {"team_id", "profile"} <= sample.names)


FORMAT = ImportFormat(name="slack", product="Slack", fits=_fits, read=read)
