"""Claude's export: conversations.json, memories.json and projects → messages, and facts to choose from.

Thinking, tools and injected blocks are left out; of answers that were made again, the newest counts. Of a project its
documents are messages; what it is about, and its instructions, are offered as facts, since they hold for it alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from transfer.formats.conversations import Conversations, ImportedTurn, branch, is_numbered
from transfer.formats.history import FileReading, ImportedFact, ImportedHistory, ImportFormat, Sample, SourceFile
from transfer.formats.memories import sentences
from transfer.formats.values import demand_object, list_in, moment, object_of, objects, text_of

_KEPT = ("text", "voice_note", "tool_use")


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("claude", reading)
    talks.read(files, partial(_object, talks))
    return talks.history()


def _object(talks: Conversations, raw: object) -> None:
    value = demand_object(raw)
    if "chat_messages" in value or "messages" in value:
        member = "chat_messages" if "chat_messages" in value else "messages"
        messages = _shown([one for one in list_in(value, member) if one is not None])
        elements = ((f".{member}[{number}]", one) for number, one in enumerate(messages))
        talks.talk(value, elements, _turn, text_of(value.get("uuid")))
    elif "prompt_template" in value or "docs" in value:
        _project(value, talks)
    else:
        talks.facts += _memories(value)


def _shown(messages: list[Any]) -> list[Any]:
    """Return the branch that ends in the newest message, if messages name their parents."""
    if not all(object_of(one).get("parent_message_uuid") and text_of(one.get("uuid")) for one in messages):
        return messages
    nodes = {one["uuid"]: one for one in messages}
    path = branch(nodes, None, "parent_message_uuid", lambda name: text_of(nodes[name].get("created_at")))
    return [nodes[name] for name in path]


def _turn(message: Mapping[str, Any], _: datetime) -> ImportedTurn:
    return ImportedTurn(message.get("sender", message.get("role")), _words(message), text_of(message.get("uuid")))


def _words(message: Mapping[str, Any], where: str = "") -> str:
    content = message.get("content")
    if isinstance(content, dict):  # of a design chat: a message in itself, whose content is text or blocks
        inner = content.get("content")
        return _words({"text": inner} if isinstance(inner, str) else {"content": inner}, f"{where}.content")
    blocks = objects(list_in(message, "content", where))
    texts = [text_of(one.get("text")).strip() or _artifact(one) for one in blocks if one.get("type") in _KEPT]
    # The flat text mixes in thinking, and what stands for blocks that a device could not show.
    parts = texts if blocks else [text_of(message.get("text")).strip()]
    attached = [(one, text_of(one.get("extracted_content")).strip()) for one in objects(message.get("attachments"))]
    parts += [f"[{text_of(one.get('file_name')) or 'file'}]\n{words}" for one, words in attached if words]
    return "\n\n".join(filter(None, parts))


def _artifact(block: Mapping[str, Any]) -> str:
    """Return an artifact as text under its title, or "" for another tool call."""
    held = object_of(block.get("input"))
    title, text = text_of(held.get("title")), text_of(held.get("content")).strip()
    is_artifact = block.get("name") == "artifacts" or ("title" in held and "type" in held)
    return f"# {title}\n\n{text}".removeprefix("# \n\n") if is_artifact and text else ""


def _project(raw: dict[str, Any], talks: Conversations) -> None:
    if raw.get("is_starter_project") is True:
        return

    def document(one: Mapping[str, Any], _: datetime) -> ImportedTurn:
        words = text_of(one.get("content")).strip()
        title = text_of(one.get("filename")) or "file"
        return ImportedTurn("user", words and f"[{title}]\n{words}", text_of(one.get("uuid")))

    documents = enumerate(list_in(raw, "docs"))
    talks.talk(raw, ((f".docs[{number}]", one) for number, one in documents), document, text_of(raw.get("uuid")))
    for about in (text_of(raw.get("description")).strip(), text_of(raw.get("prompt_template")).strip()):
        fact = ImportedFact(text=f"{text_of(raw.get('name'))}: {about}", observed_at=talks.when(raw))
        talks.facts += [fact] if about else []


def _memories(raw: dict[str, Any]) -> Iterator[ImportedFact]:
    """Yield the facts of memories.json: a text, one text per project, or files."""
    texts: list[tuple[object, datetime | None]] = [(raw.get("conversations_memory"), None)]
    texts += [(one, None) for one in object_of(raw.get("project_memories")).values()]
    texts += [(one.get("content"), moment(one.get("updated_at"), "")) for one in objects(raw.get("memory_files"))]
    for text, at in texts:
        for one in sentences(text_of(text), is_list=False):
            yield replace(one, observed_at=one.observed_at or at)


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
