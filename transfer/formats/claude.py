"""Read Claude's conversations.json, memories.json and projects. Thinking and tool calls are skipped."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from llm.written.thoughts import remove_thoughts
from transfer.formats.conversations import HistoryBuilder, ImportedTurn, ImportFormat
from transfer.formats.generic import select_newest_branch
from transfer.formats.history import ImportedFact, SourceFile
from transfer.formats.memories import parse_memories
from transfer.formats.values import as_object, as_text, parse_moment, read_list, require_object, select_objects

_MEMORIES = ("conversations_memory", "project_memories", "memory_files")
_KEPT = ("text", "voice_note", "tool_use")


def read_conversations(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    builder.read_files(files, partial(_add_conversation, builder), "chat_messages")


def _add_conversation(builder: HistoryBuilder, raw: object) -> None:
    value = require_object(raw)
    if "chat_messages" in value or "messages" in value:
        member = "chat_messages" if "chat_messages" in value else "messages"
        messages = [message for message in read_list(value, member) if message is not None]
        if all(as_object(message).get("parent_message_uuid") for message in messages):
            messages = select_newest_branch(messages, value.get("current_leaf_message_uuid"))
        builder.add_conversation(value, messages, _read_turn, as_text(value.get("uuid")), f".{member}")
    elif "prompt_template" in value or "docs" in value:
        _add_project(value, builder)
    else:
        builder.facts += _read_memories(value)


def _read_turn(message: Mapping[str, Any], _: datetime) -> ImportedTurn:
    sender = as_text(message.get("sender", message.get("role")))
    words = _read_text(message)
    words = remove_thoughts(words) if "<antThinking" in words else words  # in answers of 2024
    return ImportedTurn(sender, words, as_text(message.get("uuid")))


def _read_text(message: Mapping[str, Any], json_path: str = "") -> str:
    content = message.get("content")
    if isinstance(content, dict):  # of a design chat: a message in itself, whose content is text or blocks
        inner = content.get("content")
        return _read_text({"text": inner} if isinstance(inner, str) else {"content": inner}, f"{json_path}.content")
    blocks = select_objects(read_list(message, "content", json_path))
    texts = [
        as_text(block.get("text")).strip() or _format_artifact(block) for block in blocks if block.get("type") in _KEPT
    ]
    # The flat text mixes in thinking, and what stands for blocks that a device could not show.
    parts = texts if blocks else [as_text(message.get("text")).strip()]
    for file in select_objects(message.get("attachments")):
        if words := as_text(file.get("extracted_content")).strip():
            parts.append(f"[{as_text(file.get('file_name')) or 'file'}]\n{words}")
    return "\n\n".join(filter(None, parts))


def _format_artifact(block: Mapping[str, Any]) -> str:
    held = as_object(block.get("input"))
    title, text = as_text(held.get("title")), as_text(held.get("content")).strip()
    is_artifact = block.get("name") == "artifacts" or ("title" in held and "type" in held)
    return f"# {title}\n\n{text}".removeprefix("# \n\n") if is_artifact and text else ""


def _add_project(raw: dict[str, Any], builder: HistoryBuilder) -> None:
    if raw.get("is_starter_project") is True:
        return

    def read_project_document(document: Mapping[str, Any], _: datetime) -> ImportedTurn:
        words = as_text(document.get("content")).strip()
        title = as_text(document.get("filename")) or "file"
        return ImportedTurn("user", words and f"[{title}]\n{words}", as_text(document.get("uuid")))

    builder.add_conversation(raw, read_list(raw, "docs"), read_project_document, as_text(raw.get("uuid")), ".docs")
    for about in (as_text(raw.get("description")).strip(), as_text(raw.get("prompt_template")).strip()):
        fact = ImportedFact(text=f"{as_text(raw.get('name'))}: {about}", observed_at=builder.find_past_time(raw))
        builder.facts += [fact] if about else []


def _read_memories(raw: dict[str, Any]) -> Iterator[ImportedFact]:
    texts: list[tuple[object, datetime | None]] = [(raw.get("conversations_memory"), None)]
    texts += [(text, None) for text in as_object(raw.get("project_memories")).values()]
    files = select_objects(raw.get("memory_files"))
    texts += [(file.get("content"), parse_moment(file.get("updated_at"), "")) for file in files]
    for text, moment in texts:
        for memory in parse_memories(as_text(text), is_list=False):
            yield replace(memory, observed_at=memory.observed_at or moment)


FORMAT = ImportFormat(
    name="claude",
    product="Claude",
    marks=("name+docs", "name+prompt_template", "uuid+project+messages", "chat_messages", *_MEMORIES),
    fits=lambda file: '"chat_messages"' in file.sample,
    read=read_conversations,
    members=re.compile(
        r"\A[^/]*/(?:memories|projects|conversations(?:-\d+)?)\.json|(?:memories|projects|design_chats)/[^/]*\.json"
    ),
)
