"""Conversations as many programs write them → messages: `role` and `content` in JSON or JSONL, ShareGPT, OpenWebUI,
LibreChat, SillyTavern, and transcripts in Markdown.

Most have no ids and no dates: a message is known by its conversation, its place and its words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from transfer.formats.conversations import ROLES, Conversations, Turn, branch
from transfer.formats.history import ImportedHistory, ImportFormat, Reading, Sample, SourceFile
from transfer.formats.values import demand_object, list_in, object_of, text_of

_SPEAKER = re.compile(
    rf"^(?:#{{1,6}}\s*)?(?:\*\*|__)?({'|'.join(sorted(ROLES, key=len, reverse=True))})(?: said)?"
    r"(?:\*\*|__)?\s*(?::(?:\*\*|__)?|$)[ \t]*(.*)$",
    re.IGNORECASE,
)
_ASIDE, _ASIDE_ENDS = "<details type=", "</details>"
_TREE_DEPTH = 10_000


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("generic", reading)
    for file in files:
        loose: list[Any] = []
        if file.text.lstrip()[:1] in ("{", "["):
            talks.read([file], partial(_object, loose, talks))
        else:
            loose = _transcript(file.text)
        _talk({}, loose, talks)
    return talks.history()


def _object(loose: list[Any], talks: Conversations, raw: object) -> None:
    """A conversation; a message that stands alone is added to `loose`."""
    value = demand_object(raw)
    if _role(value):
        loose.append(value)
        return
    chat = object_of(value.get("chat"))
    history = object_of(chat.get("history"))
    if isinstance(history.get("messages"), dict):
        nodes = {name: node for name, node in history["messages"].items() if isinstance(node, dict)}
        messages = [nodes[name] for name in branch(nodes, history.get("currentId"), "parentId")]
    elif "messagesTree" in value or value.get("recursive"):
        messages = list(_newest(value.get("messagesTree") or value.get("messages")))
    else:
        member = next((one for one in ("messages", "conversations", "conversation") if one in value), "")
        messages = list_in(value if member else chat, member or "messages")
    _talk(value, messages, talks)


def _newest(tree: object) -> Iterator[dict[str, Any]]:
    """Of a tree of answers the last branch."""
    for _ in range(_TREE_DEPTH):
        if not isinstance(tree, list) or not tree or not isinstance(tree[-1], dict):
            return
        yield tree[-1]
        tree = tree[-1].get("children")


def _talk(raw: dict[str, Any], messages: Sequence[Any], talks: Conversations) -> None:
    key = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    elements = ((f".messages[{number}]", one) for number, one in enumerate(messages))
    talks.talk(raw, elements, _turn, str(key)[:200])


def _turn(value: Mapping[str, Any], _: datetime) -> Turn:
    words = None if value.get("weight") == 0 else _without_asides(_words(value)).strip()
    return Turn(_role(value), words, text_of(value.get("messageId")))


def _role(value: Mapping[str, Any]) -> str | None:
    for name in ("isCreatedByUser", "is_user"):
        if isinstance(value.get(name), bool) and value.get("is_system") is not True:
            return "user" if value[name] else "assistant"
    if value.keys().isdisjoint(("content", "value", "text")):
        return None
    given = value.get("role", value.get("from", value.get("sender")))
    return ROLES.get(given.lower()) if isinstance(given, str) else None


def _words(value: Mapping[str, Any]) -> str:
    for name in ("content", "value", "text", "mes"):
        held = value.get(name)
        if isinstance(held, str) and held.strip():
            return held
        if isinstance(held, list):
            parts = (one if isinstance(one, str) else text_of(object_of(one).get("text")) for one in held)
            return "\n".join(filter(None, parts))
    return ""


def _without_asides(text: str) -> str:
    """Without the folded blocks in which a program keeps reasoning and calls of tools."""
    before, *blocks = text.split(_ASIDE)
    return before + "".join(block.partition(_ASIDE_ENDS)[2] for block in blocks)


def _transcript(text: str) -> list[dict[str, str]]:
    turns: list[tuple[str, list[str]]] = []
    is_fenced = False
    for line in text.splitlines():
        found = None if is_fenced else _SPEAKER.match(line)
        is_fenced ^= line.lstrip().startswith("```")
        if found:
            turns.append((ROLES[found[1].lower()], [found[2]] if found[2] else []))
        elif turns and line.strip() != "---":
            turns[-1][1].append(line)
    return [{"role": role, "content": "\n".join(lines)} for role, lines in turns]


def _fits(sample: Sample) -> bool:
    names = sample.names
    if sample.opening:
        is_talk = bool(names & {"conversations", "conversation", "messages", "messagesTree"}) and not names & {
            "type",
            "guild",
            "chat_messages",
        }
        is_message = (
            bool(names & {"role", "from", "isCreatedByUser"})
            and bool(names & {"content", "value", "text"})
            and "date" not in names
        )
        return is_talk or is_message or {"chat", "title"} <= names or {"user_name", "chat_metadata"} <= names
    roles = {ROLES[found[1].lower()] for line in sample.text.splitlines() if (found := _SPEAKER.match(line))}
    return len(roles) == 2


FORMAT = ImportFormat(name="generic", fits=_fits, read=read)
