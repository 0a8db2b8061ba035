"""Messenger's and Instagram's message_1.json, message_2.json, … → messages. Who the person is has to be asked."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from transfer.formats.conversations import Conversations, LeftOut, add_reactions, hash_parts, order_by_file
from transfer.formats.history import FileReading, ImportedHistory, ImportedMessage, ImportFormat, SourceFile
from transfer.formats.values import demand_moment, demand_object, list_in, list_objects, to_object, to_text


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("messenger", reading)
    threads: dict[str, list[ImportedMessage]] = {}
    titles: dict[str, str] = {}
    talks.read(files, partial(_read_thread, talks, threads, titles))
    for path, messages in threads.items():
        talks.add(order_by_file(sorted(messages, key=lambda message: message.created_at)), titles[path])
    talks.ask_own()
    return talks.history()


def _read_thread(
    talks: Conversations, threads: dict[str, list[ImportedMessage]], titles: dict[str, str], raw: object
) -> None:
    value = demand_object(raw)
    path = to_text(value.get("thread_path")) or to_text(value.get("title"))
    titles[path] = fix_letters(to_text(value.get("title")))
    newest_first = enumerate(list_in(value, "messages"))
    elements = ((f".messages[{number}]", -1, item) for number, item in reversed(list(newest_first)))
    threads.setdefault(path, []).extend(talks.messages(elements, partial(_read_message, path)))


def _read_message(path: str, raw: object) -> ImportedMessage:
    value: Mapping[str, Any] = demand_object(raw)
    link = to_text(to_object(value.get("share")).get("link"))
    words = "\n".join(filter(None, (fix_letters(to_text(value.get("content"))).strip(), link)))
    if not words or value.get("is_unsent") is True:
        raise LeftOut("wordless")
    said_at = demand_moment(value.get("timestamp_ms"), ".timestamp_ms")
    speaker = fix_letters(to_text(value.get("sender_name"))) or "?"
    emoji = [fix_letters(to_text(one.get("reaction"))) for one in list_objects(value.get("reactions"))]
    source = f"import:messenger:{hash_parts(path, said_at.isoformat(), speaker, words)}"
    return ImportedMessage(
        source=source, role="user", content=add_reactions(words, emoji), created_at=said_at, speaker=speaker
    )


def fix_letters(text: str) -> str:
    """Return a text as it was typed: Meta writes each byte of its UTF-8 as a letter of Latin-1."""
    with suppress(UnicodeError):
        return text.encode("latin-1").decode()
    return text


FORMAT = ImportFormat(
    name="messenger",
    product="Messenger",
    fits=lambda sample: {"participants", "messages"} <= sample.names,
    read=read,
    members=lambda _, name: name.startswith("message_") and name.endswith(".json"),
)
