"""Claude's export: conversations.json, memories.json and projects → messages, and facts to choose from.

Thinking, tools and injected blocks are left out; of answers that were made again, the newest counts. Of a project its
documents are messages; what it is about, and its instructions, are offered as facts, since they hold for it alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from transfer.formats.conversations import Conversations, ImportedTurn, find_branch, is_numbered
from transfer.formats.history import FileReading, ImportedFact, ImportedHistory, ImportFormat, Sample, SourceFile
from transfer.formats.memories import iterate_memories
from transfer.formats.values import demand_object, list_in, list_objects, parse_moment, to_object, to_text

_KEPT = ("text", "voice_note", "tool_use")


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("claude", reading)
    talks.read(files, partial(_read_object, talks))
    return talks.history()


def _read_object(talks: Conversations, raw: object) -> None:
    value = demand_object(raw)
    if "chat_messages" in value or "messages" in value:
        member = "chat_messages" if "chat_messages" in value else "messages"
        messages = _shown([one for one in list_in(value, member) if one is not None])
        elements = ((f".{member}[{number}]", message) for number, message in enumerate(messages))
        talks.talk(value, elements, _turn, to_text(value.get("uuid")))
    elif "prompt_template" in value or "docs" in value:
        _read_project(value, talks)
    else:
        talks.facts += _read_memories(value)


def _shown(messages: list[Any]) -> list[Any]:
    """Return the branch that ends in the newest message, if messages name their parents."""
    if not all(to_object(message).get("parent_message_uuid") and to_text(message.get("uuid")) for message in messages):
        return messages
    nodes = {message["uuid"]: message for message in messages}
    path = find_branch(nodes, None, "parent_message_uuid", lambda name: to_text(nodes[name].get("created_at")))
    return [nodes[name] for name in path]


def _turn(message: Mapping[str, Any], _: datetime) -> ImportedTurn:
    return ImportedTurn(message.get("sender", message.get("role")), _words(message), to_text(message.get("uuid")))


def _words(message: Mapping[str, Any], where: str = "") -> str:
    content = message.get("content")
    if isinstance(content, dict):  # of a design chat: a message in itself, whose content is text or blocks
        inner = content.get("content")
        return _words({"text": inner} if isinstance(inner, str) else {"content": inner}, f"{where}.content")
    blocks = list_objects(list_in(message, "content", where))
    texts = [
        to_text(block.get("text")).strip() or _format_artifact(block) for block in blocks if block.get("type") in _KEPT
    ]
    # The flat text mixes in thinking, and what stands for blocks that a device could not show.
    parts = texts if blocks else [to_text(message.get("text")).strip()]
    attached = [
        (one, to_text(one.get("extracted_content")).strip()) for one in list_objects(message.get("attachments"))
    ]
    parts += [f"[{to_text(one.get('file_name')) or 'file'}]\n{words}" for one, words in attached if words]
    return "\n\n".join(filter(None, parts))


def _format_artifact(block: Mapping[str, Any]) -> str:
    """Return an artifact as text under its title, or "" for another tool call."""
    held = to_object(block.get("input"))
    title, text = to_text(held.get("title")), to_text(held.get("content")).strip()
    is_artifact = block.get("name") == "artifacts" or ("title" in held and "type" in held)
    return f"# {title}\n\n{text}".removeprefix("# \n\n") if is_artifact and text else ""


def _read_project(raw: dict[str, Any], talks: Conversations) -> None:
    if raw.get("is_starter_project") is True:
        return

    def document(one: Mapping[str, Any], _: datetime) -> ImportedTurn:
        words = to_text(one.get("content")).strip()
        title = to_text(one.get("filename")) or "file"
        return ImportedTurn("user", words and f"[{title}]\n{words}", to_text(one.get("uuid")))

    documents = enumerate(list_in(raw, "docs"))
    talks.talk(raw, ((f".docs[{number}]", one) for number, one in documents), document, to_text(raw.get("uuid")))
    for about in (to_text(raw.get("description")).strip(), to_text(raw.get("prompt_template")).strip()):
        fact = ImportedFact(text=f"{to_text(raw.get('name'))}: {about}", observed_at=talks.when(raw))
        talks.facts += [fact] if about else []


def _read_memories(raw: dict[str, Any]) -> Iterator[ImportedFact]:
    """Yield the facts of memories.json: a text, one text per project, or files."""
    texts: list[tuple[object, datetime | None]] = [(raw.get("conversations_memory"), None)]
    texts += [(one, None) for one in to_object(raw.get("project_memories")).values()]
    texts += [
        (one.get("content"), parse_moment(one.get("updated_at"), "")) for one in list_objects(raw.get("memory_files"))
    ]
    for text, at in texts:
        for memory in iterate_memories(to_text(text), is_list=False):
            yield replace(memory, observed_at=memory.observed_at or at)


def _fits(sample: Sample) -> bool:
    is_project = {"name", "docs"} <= sample.names or {"name", "prompt_template"} <= sample.names
    is_design = sample.opening == "{" and {"uuid", "project", "messages"} <= sample.names
    return (
        is_project
        or is_design
        or bool(sample.names & {"chat_messages", "conversations_memory", "project_memories", "memory_files"})
    )


FORMAT = ImportFormat(
    name="claude",
    product="Claude",
    fits=_fits,
    read=read,
    members=lambda folder, name: (
        name in ("memories.json", "projects.json")
        or is_numbered(name, "conversations")
        or (folder in ("memories", "projects", "design_chats") and name.endswith(".json"))
    ),
)
