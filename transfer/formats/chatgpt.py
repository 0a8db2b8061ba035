"""ChatGPT: conversations.json, or one conversation → messages; memories, custom instructions → facts to choose from.

A conversation is a tree of messages, with a branch for every edit and regeneration; what counts is the branch that was
shown last: from `current_node` up to the root, or the newest one. System and tool messages, hidden ones and those
without words are left out.
"""

import json
import re
from collections.abc import Mapping, Sequence
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
    without_citations,
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

_SHOWN = ("text", "multimodal_text")
_CANVAS, _EDIT = "canmore.create_textdoc", "canmore.update_textdoc"

_ALL = (".*", "(?s).*", "(?s)^.*$", "^.*$", "[\\s\\S]*")
"""Patterns that mean a whole document; ChatGPT is told to use the first."""
MOST_REPLACED, LONGEST_EDITED = 100, 400_000
"""Places that one change replaces, and characters of the longest document in which it looks for them."""
_ESCAPED = re.compile(r"\\(\W)")


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    """Conversations in the order of their beginnings."""
    talks = Conversations("chatgpt")
    talks.read(files, lambda raw: _conversation(raw, talks, reading))
    return talks.history(reading)


def _conversation(raw: object, talks: Conversations, reading: Reading) -> list[ImportedMessage]:
    talk = demand_object(raw)
    if talk.get("is_do_not_remember") is True:
        return []
    mapping = demand_object(talk.get("mapping"), ".mapping")
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}

    def age(name: str) -> float:
        """Of a message without a time, that of the one before it."""
        before = nodes.get(text_of(nodes[name].get("parent")), {})
        messages = [one for one in (nodes[name].get("message"), before.get("message")) if isinstance(one, dict)]
        times = [one["create_time"] for one in messages if isinstance(one.get("create_time"), int | float)]
        return float(times[0]) if times else 0.0

    path = branch(nodes, talk.get("current_node"), "parent", age)
    # Where a message has no time of its own, it is as old as the one before it, the first as its conversation.
    last = moment(talk.get("create_time"), ".create_time") or reading.now
    said: list[ImportedMessage] = []
    document: ImportedMessage | None = None
    for node in path:
        message = nodes[node].get("message")
        if message is None:
            continue
        where = f".mapping[{node[:40]!r}].message"
        value = demand_object(message, where)
        last = moment(value.get("create_time"), f"{where}.create_time") or last
        author = demand_object(value.get("author"), f"{where}.author")
        content = demand_object(value.get("content"), f"{where}.content")
        talks.facts += _facts(value, author, content, last)
        recipient = value.get("recipient")
        role, words = ROLES.get(unhashable_free(author.get("role"))), _shown(value, content, where)
        if words is not None and recipient == _EDIT and document:
            words = _edited(document.content, _held(content))
            said.remove(document)  # the last version counts, when it was made
        if role is None or words is None:
            continue
        if not words:
            talks.skipped["wordless"] += 1
            continue
        name = text_of(value.get("id")) or node
        said.append(turn(f"import:chatgpt:{name}", role, words, last))
        document = said[-1] if recipient in (_CANVAS, _EDIT) else document
    return titled(said, text_of(talk.get("title")))


def _shown(message: Mapping[str, Any], content: Mapping[str, Any], where: str) -> str | None:
    """The words that people saw of a message; None: it was hidden from them."""
    metadata = message.get("metadata")
    held = metadata if isinstance(metadata, dict) else {}
    recipient = message.get("recipient") or "all"
    if held.get("is_visually_hidden_from_conversation") or held.get("is_user_system_message"):
        return None
    if message.get("weight", 1) == 0:
        return None
    if recipient in (_CANVAS, _EDIT):
        made = _held(content)
        document = text_of(made.get("content"))
        words = f"# {text_of(made.get('name'))}\n\n{document}" if document else _edited("", made)
    elif recipient != "all" or content.get("content_type") not in _SHOWN:
        return None
    else:
        parts = demand_list(content.get("parts"), f"{where}.content.parts")
        words = "\n".join(filter(None, map(_words, parts)))
    return without_citations(words).strip()


def _words(part: object) -> str:
    """A part of a message: a text, or an object that may hold the words of a recording."""
    return text_of(part.get("text") if isinstance(part, dict) else part)


def _text(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    return text_of(content.get("text")) or "\n".join(map(_words, parts if isinstance(parts, list) else ()))


def _held(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is said to the tool that keeps documents next to the talk: a new one, or changes."""
    try:
        value = json.loads(_text(content))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _edited(document: str, held: Mapping[str, Any]) -> str:
    """A document under its title, after its changes. A pattern is an expression of somebody else's, which is not run:
    where it is not plain words of the document, or all of it, what it puts in stands at the end.
    """
    title, gap, text = document.partition("\n\n")
    updates = held.get("updates")
    for one in updates if isinstance(updates, list) else ():
        given = one if isinstance(one, dict) else {}
        pattern, new = text_of(given.get("pattern")), text_of(given.get("replacement"))
        plain = _ESCAPED.sub(r"\1", pattern)
        if pattern in _ALL:
            text = new
        elif plain and len(text) <= LONGEST_EDITED and plain in text:
            text = text.replace(plain, new, MOST_REPLACED if given.get("multiple") is True else 1)
        else:
            text = f"{text}\n\n{new}".strip()
    return f"{title}{gap}{text}"


def _facts(
    message: Mapping[str, Any], author: Mapping[str, Any], content: Mapping[str, Any], said_at: datetime
) -> list[ImportedFact]:
    """Memories, and the custom instructions that stand in every conversation."""
    found: list[ImportedFact] = []
    if author.get("role") == "assistant" and message.get("recipient") == "bio":
        found += [
            ImportedFact(text=one.text, observed_at=one.observed_at or said_at) for one in sentences(_text(content))
        ]
    if content.get("content_type") == "model_editable_context":
        found += sentences(text_of(content.get("model_set_context")))
    metadata = message.get("metadata")
    given = metadata.get("user_context_message_data") if isinstance(metadata, dict) else None
    given = given if isinstance(given, dict) else {}
    if about := text_of(given.get("about_user_message")) or text_of(content.get("user_profile")):
        found.append(ImportedFact(text=about, observed_at=said_at))
    if how := text_of(given.get("about_model_message")) or text_of(content.get("user_instructions")):
        found.append(ImportedFact(text=how, observed_at=said_at, kind="instruction"))
    return found


def _fits(sample: Sample) -> bool:
    if not sample.names:  # an empty list, or one of conversations that are damaged
        return sample.opening == "[" and sample.path.rpartition("/")[2].startswith("conversations")
    return "mapping" in sample.names


FORMAT = ImportFormat(
    name="chatgpt",
    product="ChatGPT",
    fits=_fits,
    read=read,
    members=lambda _, name: is_numbered(name, "conversations"),
)
