"""Claude's export: conversations.json, memories.json and projects → messages, and facts to choose from.

Thinking, tools and injected blocks are left out; of answers that were made again, the newest counts. Of a project its
documents are messages; what it is about, and its instructions, are offered as facts, since they hold for it alone.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from transfer.formats.conversations import (
    ROLES,
    Conversations,
    branch,
    demand_list,
    demand_object,
    is_numbered,
    moment,
    text_of,
    turn,
    unhashable_free,
)
from transfer.formats.history import (
    ImportedFact,
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Reading,
    Sample,
    SourceFile,
    titled,
)
from transfer.formats.memories import sentences

_WORDS = ("text", "voice_note")


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("claude")

    def read_one(raw: object) -> list[ImportedMessage]:
        value = demand_object(raw)
        if "chat_messages" in value or "messages" in value:
            return _conversation(value, talks, reading)
        if "prompt_template" in value or "docs" in value:
            return _project(value, talks, reading)
        talks.facts += _memories(value)
        return []

    talks.read(files, read_one)
    return talks.history(reading)


def _conversation(raw: dict[str, Any], talks: Conversations, reading: Reading) -> list[ImportedMessage]:
    began = moment(raw.get("created_at"), ".created_at", reading.zone) or reading.now
    member = "chat_messages" if "chat_messages" in raw else "messages"
    messages = [one for one in demand_list(raw[member], f".{member}") if one is not None]
    said: list[ImportedMessage] = []
    last = began
    for number, message in enumerate(_shown(messages)):
        where = f".{member}[{number}]"
        value = demand_object(message, where)
        role = ROLES.get(unhashable_free(value.get("sender", value.get("role"))))
        if role is None:
            continue
        last = moment(value.get("created_at"), f"{where}.created_at", reading.zone) or last
        words = _words(value, where)
        if not words:
            talks.skipped["wordless"] += 1
            continue
        name = text_of(value.get("uuid")) or f"{text_of(raw.get('uuid'))}#{number}"
        said.append(turn(f"import:claude:{name}", role, words, last))
    return titled(said, text_of(raw.get("name", raw.get("title"))))


def _shown(messages: list[Any]) -> list[Any]:
    """The branch that ends in the newest message, where messages name the one before them."""
    if not all(
        isinstance(one, dict) and one.get("parent_message_uuid") and text_of(one.get("uuid")) for one in messages
    ):
        return messages
    nodes = {one["uuid"]: one for one in messages}
    path = branch(nodes, None, "parent_message_uuid", lambda name: text_of(nodes[name].get("created_at")))
    return [nodes[name] for name in path]


def _words(message: dict[str, Any], where: str) -> str:
    content = message.get("content")
    if isinstance(content, dict):  # of a design chat: a message in itself, whose content is text or blocks
        inner = content.get("content")
        return _words({"text": inner} if isinstance(inner, str) else {"content": inner}, f"{where}.content")
    blocks = [one for one in demand_list(content, f"{where}.content") if isinstance(one, dict)]
    texts = [text_of(one.get("text")).strip() for one in blocks if one.get("type") in _WORDS]
    # The flat text mixes in thinking, and what stands for blocks that a device could not show.
    words = "\n\n".join(filter(None, texts)) if blocks else text_of(message.get("text")).strip()
    for one in demand_list(message.get("attachments"), f"{where}.attachments"):
        if isinstance(one, dict) and text_of(one.get("extracted_content")).strip():
            name = text_of(one.get("file_name")) or "file"
            words += f"\n\n[{name}]\n{text_of(one['extracted_content']).strip()}"
    return words.strip()


def _project(raw: dict[str, Any], talks: Conversations, reading: Reading) -> list[ImportedMessage]:
    if raw.get("is_starter_project") is True:
        return []
    began = moment(raw.get("created_at"), ".created_at", reading.zone) or reading.now
    for about in (text_of(raw.get("description")).strip(), text_of(raw.get("prompt_template")).strip()):
        talks.facts += [ImportedFact(text=f"{text_of(raw.get('name'))}: {about}", observed_at=began)] if about else []
    said: list[ImportedMessage] = []
    for number, one in enumerate(demand_list(raw.get("docs"), ".docs")):
        value = demand_object(one, f".docs[{number}]")
        words = text_of(value.get("content")).strip()
        if not words:
            continue
        name = text_of(value.get("uuid")) or f"{text_of(raw.get('uuid'))}#{number}"
        at = moment(value.get("created_at"), f".docs[{number}].created_at", reading.zone) or began
        title = text_of(value.get("filename")) or "file"
        said.append(turn(f"import:claude:{name}", "user", f"[{title}]\n{words}", at))
    return titled(said, text_of(raw.get("name")))


def _memories(raw: dict[str, Any]) -> list[ImportedFact]:
    """memories.json: one text in Markdown, one a project, or files."""
    texts: list[tuple[str, datetime | None]] = [(text_of(raw.get("conversations_memory")), None)]
    projects = raw.get("project_memories")
    texts += [(text_of(one), None) for one in (projects.values() if isinstance(projects, dict) else ())]
    files = raw.get("memory_files")
    for one in files if isinstance(files, list) else ():
        if isinstance(one, dict):
            texts.append((text_of(one.get("content")), moment(one.get("updated_at"), ".memory_files")))
    return [
        ImportedFact(text=one.text, observed_at=one.observed_at or at)
        for text, at in texts
        for one in sentences(text, is_list=False)
    ]


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
