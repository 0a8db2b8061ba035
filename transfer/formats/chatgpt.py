"""ChatGPT's conversations.json → its messages.

A conversation is a tree of messages, with a branch for every edit and regeneration; what counts is the branch that was
shown last: from `current_node` up to the root. System and tool messages, hidden ones and those without words are left
out. Does not know stores.
"""

from collections import Counter
from datetime import UTC, datetime
from typing import Any, Literal

from locales.catalog import tr
from records.messages import Role
from transfer.formats.history import ImportedHistory, ImportedMessage, ImportFormat, WrongElement
from transfer.formats.json_stream import JsonStream

_SHOWN = ("text", "multimodal_text")
_ROLES: dict[object, Role] = {"user": "user", "assistant": "assistant"}
LeftOut = Literal["hidden", "wordless"]


def read(walk: JsonStream) -> ImportedHistory:
    """Conversations in the order of their beginnings. Raises ImportRefused naming the element that is wrong."""
    talks: list[tuple[datetime, list[ImportedMessage]]] = []
    left: Counter[str] = Counter()
    for number in walk.elements():
        at, raw = walk.at, walk.value()
        try:
            talk = _conversation(raw, left)
        except WrongElement as wrong:
            raise wrong.refusal(f"[{number}]", walk.line_of(at)) from None
        if talk:
            talks.append((talk[0].created_at, talk))
    walk.end()
    talks.sort(key=lambda one: one[0])
    notes = [tr("import-holds-conversations", count=len(talks))] if len(talks) > 1 else []
    if left["wordless"]:
        notes.append(tr("import-wordless", count=left["wordless"]))
    return ImportedHistory(format="chatgpt", messages=[one for _, talk in talks for one in talk], notes=tuple(notes))


def _conversation(raw: object, left: Counter[str]) -> list[ImportedMessage]:
    if not isinstance(raw, dict):
        raise WrongElement(tr("import-no-conversation"))
    mapping = raw.get("mapping")
    if not isinstance(mapping, dict):
        raise WrongElement(tr("import-no-object"), ".mapping")
    # Where a message has no time of its own, it is as old as the one before it, the first as its conversation.
    last = _time(raw.get("create_time"), ".create_time") or datetime.fromtimestamp(0, UTC)
    said: list[ImportedMessage] = []
    for node in _branch(mapping, raw.get("current_node")):
        message = mapping[node].get("message")
        if message is None:
            continue
        where = f".mapping[{node[:40]!r}].message"
        if not isinstance(message, dict):
            raise WrongElement(tr("import-no-object"), where)
        last = _time(message.get("create_time"), f"{where}.create_time") or last
        made = _message(message, node, last, where)
        if isinstance(made, ImportedMessage):
            said.append(made)
        else:
            left[made] += 1
    return said


def _branch(mapping: dict[str, Any], leaf: object) -> list[str]:
    """The nodes from the root down to the leaf."""
    if not mapping and leaf is None:
        return []
    branch: list[str] = []
    seen: set[str] = set()
    node = leaf
    while node is not None:
        if not isinstance(node, str) or not isinstance(mapping.get(node), dict):
            where = ".current_node" if not branch else f".mapping[{branch[-1][:40]!r}].parent"
            raise WrongElement(tr("import-no-node"), where)
        if node in seen:
            raise WrongElement(tr("import-circle"), f".mapping[{node[:40]!r}].parent")
        seen.add(node)
        branch.append(node)
        node = mapping[node].get("parent")
    if not branch:
        raise WrongElement(tr("import-missing"), ".current_node")
    return branch[::-1]


def _message(message: dict[str, Any], node: str, said_at: datetime, where: str) -> ImportedMessage | LeftOut:
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, dict):
        raise WrongElement(tr("import-no-object"), f"{where}.author")
    if not isinstance(content, dict):
        raise WrongElement(tr("import-no-object"), f"{where}.content")
    metadata = message.get("metadata")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    role = author.get("role")
    is_aside = message.get("recipient", "all") != "all" or message.get("weight", 1) == 0
    if not isinstance(role, str) or role not in _ROLES or hidden or is_aside:
        return "hidden"
    if content.get("content_type") not in _SHOWN:
        return "hidden"
    parts = content.get("parts", [])
    if not isinstance(parts, list):
        raise WrongElement(tr("import-no-list"), f"{where}.content.parts")
    words = "\n".join(text for text in map(_words, parts) if text).strip()
    if not words:
        return "wordless"
    number = message.get("id")
    return ImportedMessage(
        source=f"import:chatgpt:{number if isinstance(number, str) and number else node}",
        role=_ROLES[role],
        content=words,
        created_at=said_at,
        answers=role == "assistant",
    )


def _words(part: object) -> str:
    """A part of a message: a text, or an object that may hold the words of a recording."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _time(value: object, where: str) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongElement(tr("import-no-time"), where)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        raise WrongElement(tr("import-no-time"), where) from None


FORMAT = ImportFormat(
    name="chatgpt",
    files=("conversations",),
    opening="[",
    read=lambda walk, _person, _zone: read(walk),
)
