"""Read the branch of each ChatGPT conversation that was shown last, and offer memories and instructions as facts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from transfer.formats.conversations import HistoryBuilder, ImportedTurn, ImportFormat, find_path_to_leaf
from transfer.formats.history import ImportedFact, SkipElement, SourceFile
from transfer.formats.memories import parse_memories
from transfer.formats.values import as_object, as_text, parse_json, read_list, require_object, select_objects

_CANVAS, _EDIT = "canmore.create_textdoc", "canmore.update_textdoc"

_ALL = (".*", "(?s).*", "(?s)^.*$", "^.*$", "[\\s\\S]*")  # patterns that match a whole document
MAX_REPLACED = 100  # replacements by one edit
MAX_EDITED_CHARS = 400_000  # characters of a document that can be edited
_MARKED = re.compile("\ue200entity\ue202([^\ue200\ue201]*)\ue201")
_CITED = re.compile("\ue200[^\ue200\ue201]*\ue201?|【[^【】†\n]{0,80}†[^【】\n]{0,200}】|[\ue200-\ue206]")
_ESCAPED = re.compile(r"\\(\W)")


def read_conversations(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    builder.read_files(files, partial(_add_conversation, builder), "mapping")


def _add_conversation(builder: HistoryBuilder, raw: object) -> None:
    conversation = require_object(raw)
    if conversation.get("is_do_not_remember") is True:
        raise SkipElement("temporary")
    mapping = require_object(conversation.get("mapping"), ".mapping")
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}

    def find_timestamp_of_node(node_id: str) -> float:
        before = nodes.get(parents[node_id], {})  # for a message without a time
        times = [as_object(node.get("message")).get("create_time") for node in (nodes[node_id], before)]
        return next((float(time) for time in times if isinstance(time, int | float)), 0.0)

    parents = {name: as_text(node.get("parent")) for name, node in nodes.items()}
    path = find_path_to_leaf(parents, conversation.get("current_node"), find_timestamp_of_node)
    messages = {name: message for name in path if (message := nodes[name].get("message")) is not None}
    for name, message in messages.items():
        if isinstance(message, dict):
            message["id"] = as_text(message.get("id")) or name
    documents = _map_message_ids_to_canvas_texts(map(as_object, messages.values()))

    def read_turn(message: Mapping[str, Any], said_at: datetime) -> ImportedTurn:
        author = require_object(message.get("author"), ".author")
        content = require_object(message.get("content"), ".content")
        builder.facts += _read_facts(message, author, content, said_at)
        words = _get_text_unless_hidden(message, content, documents)
        return ImportedTurn(author.get("role"), words and _remove_citations(words), message["id"])

    builder.add_conversation(conversation, messages.values(), read_turn, json_path=".mapping")


def _map_message_ids_to_canvas_texts(messages: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """Map the id of the last message about each canvas document to the document's final text."""
    documents: dict[str, str] = {}
    name, document = "", ""
    for message in messages:
        if (recipient := message.get("recipient")) not in (_CANVAS, _EDIT):
            continue
        held = as_object(parse_json(_join_text_parts(as_object(message.get("content")))))
        if recipient == _CANVAS:
            text = as_text(held.get("content"))
            document = f"# {as_text(held.get('name'))}\n\n{text}" if text else ""
        else:
            documents.pop(name, None)
            document = _apply_canvas_edits(document, held)
        name = message["id"]
        documents[name] = document
    return documents


def _get_text_unless_hidden(
    message: Mapping[str, Any], content: Mapping[str, Any], documents: Mapping[str, str]
) -> str | None:
    held = as_object(message.get("metadata"))
    is_hidden = held.get("is_visually_hidden_from_conversation") or held.get("is_user_system_message")
    if is_hidden or message.get("weight", 1) == 0:
        return None
    if (message.get("recipient") or "all") != "all":
        return documents.get(message["id"])
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None
    return "\n".join(filter(None, map(_get_text_of_part, read_list(content, "parts", ".content"))))


def _get_text_of_part(part: object) -> str:
    return as_text(part.get("text") if isinstance(part, dict) else part)


def _remove_citations(text: str) -> str:
    """Remove ChatGPT's citation marks, but keep the titles inside them."""

    def get_name_of_cited_entity(match: re.Match[str]) -> str:  # ["city","Bern"]
        held = parse_json(match[1])
        return "".join([name for name in held if isinstance(name, str)][1:2]) if isinstance(held, list) else ""

    return _CITED.sub("", _MARKED.sub(get_name_of_cited_entity, text))


def _join_text_parts(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    return as_text(content.get("text")) or "\n".join(map(_get_text_of_part, parts if isinstance(parts, list) else ()))


def _apply_canvas_edits(document: str, edits: Mapping[str, Any]) -> str:
    """Apply edits to a canvas document. If the pattern of an edit is not literal, append the edit's text."""
    title, gap, text = document.partition("\n\n")
    for given in select_objects(edits.get("updates")):
        pattern, new = as_text(given.get("pattern")), as_text(given.get("replacement"))
        plain = _ESCAPED.sub(r"\1", pattern)
        if pattern in _ALL:
            text = new
        elif plain and len(text) <= MAX_EDITED_CHARS and plain in text:
            text = text.replace(plain, new, MAX_REPLACED if given.get("multiple") is True else 1)
        else:
            text = f"{text}\n\n{new}".strip()
    return f"{title}{gap}{text}"


def _read_facts(
    message: Mapping[str, Any], author: Mapping[str, Any], content: Mapping[str, Any], said_at: datetime
) -> list[ImportedFact]:
    found: list[ImportedFact] = []
    if author.get("role") == "assistant" and message.get("recipient") == "bio":
        found += [
            ImportedFact(text=memory.text, observed_at=memory.observed_at or said_at)
            for memory in parse_memories(_join_text_parts(content))
        ]
    if content.get("content_type") == "model_editable_context":
        found += parse_memories(as_text(content.get("model_set_context")))
    given = as_object(as_object(message.get("metadata")).get("user_context_message_data"))
    if about := as_text(given.get("about_user_message")) or as_text(content.get("user_profile")):
        found.append(ImportedFact(text=about, observed_at=said_at))
    if how := as_text(given.get("about_model_message")) or as_text(content.get("user_instructions")):
        found.append(ImportedFact(text=how, observed_at=said_at, kind="instruction"))
    return found


def _is_chatgpt_file(file: SourceFile) -> bool:
    is_wrapped = all(mark in file.sample for mark in ('"mapping"', '"author"', '"content_type"'))
    if not file.names and not is_wrapped:  # an empty list, or one of conversations that are damaged
        return file.first_char == "[" and file.name.lower().startswith("conversations")
    return is_wrapped or ("mapping" in file.names and '"fragments"' not in file.sample)  # which DeepSeek's have


FORMAT = ImportFormat(
    name="chatgpt",
    product="ChatGPT",
    fits=_is_chatgpt_file,
    read=read_conversations,
    members=re.compile(r"\A[^/]*/conversations(?:-\d+)?\.json"),
)
