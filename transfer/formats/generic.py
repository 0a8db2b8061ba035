"""Conversations as many programs write them → messages: `role` and `content` in JSON or JSONL, ShareGPT, OpenWebUI,
LibreChat, SillyTavern, and transcripts in Markdown.

Most have no ids and no dates: a message is known by its conversation, its place and its words.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from records.messages import Role
from transfer.formats.conversations import (
    ROLES,
    Conversations,
    branch,
    demand_list,
    demand_object,
    moment,
    moment_in,
    text_of,
    turn,
)
from transfer.formats.history import (
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Reading,
    Sample,
    SourceFile,
    fingerprint,
    numbered,
    titled,
)

_WORDS = {
    "user": "user|you|human|me|prompt|question|du|ich|usuario|usuário|пользователь|вы|用户",
    "assistant": "assistant|chatgpt|gpt|claude|gemini|copilot|ai|bot|model|response|answer|assistent|"
    "asistente|assistente|ассистент|助手",
}
_NAMES = {word: role for role, words in _WORDS.items() for word in words.split("|")}
_SPEAKER = re.compile(
    rf"^(?:#{{1,6}}\s*)?(?:\*\*|__)?({'|'.join(sorted(_NAMES, key=len, reverse=True))})(?: said)?"
    r"(?:\*\*|__)?\s*(?::(?:\*\*|__)?|$)[ \t]*(.*)$",
    re.IGNORECASE,
)
_ASIDE, _ASIDE_ENDS = "<details type=", "</details>"
_TREE_DEPTH = 10_000
_WRITTEN = ("%B %d, %Y %I:%M%p", "%Y-%m-%d@%Hh%Mm%Ss")
"""Dates as SillyTavern writes them for people."""
_WHEN = ("timestamp", "created_at", "createdAt", "create_time", "send_date")


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("generic")
    for file in files:
        if file.text.lstrip()[:1] not in ("{", "["):
            talks.add(_transcript(file.text, talks, reading))
            continue
        loose: list[Any] = []
        talks.read([file], partial(_object, loose, talks, reading))
        talks.add(_talk("", loose, talks, reading))
    return talks.history(reading)


def _object(loose: list[Any], talks: Conversations, reading: Reading, raw: object) -> list[ImportedMessage]:
    """A conversation; a message that stands alone is added to `loose`."""
    value = demand_object(raw)
    if not _role(value):
        return _conversation(value, talks, reading)
    loose.append(value)
    return []


def _conversation(raw: dict[str, Any], talks: Conversations, reading: Reading) -> list[ImportedMessage]:
    chat = raw.get("chat")
    history = chat.get("history") if isinstance(chat, dict) else None
    if isinstance(history, dict) and isinstance(history.get("messages"), dict):
        nodes = {name: node for name, node in history["messages"].items() if isinstance(node, dict)}
        messages = [nodes[name] for name in branch(nodes, history.get("currentId"), "parentId")]
    elif "messagesTree" in raw or raw.get("recursive"):
        messages = list(_newest(raw.get("messagesTree") or raw.get("messages")))
    else:
        inner = chat.get("messages") if isinstance(chat, dict) else None
        given = raw.get("messages", raw.get("conversations", raw.get("conversation", inner)))
        messages = demand_list(given, ".messages")
    title = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    began = raw.get("created_at", raw.get("createdAt", raw.get("create_time")))
    said = _talk(str(title)[:200], messages, talks, reading, began)
    return titled(said, text_of(raw.get("title")))


def _newest(tree: object) -> Iterator[dict[str, Any]]:
    """Of a tree of answers the last branch."""
    for _ in range(_TREE_DEPTH):
        if not isinstance(tree, list) or not tree or not isinstance(tree[-1], dict):
            return
        yield tree[-1]
        tree = tree[-1].get("children")


def _talk(
    title: str, messages: Sequence[Any], talks: Conversations, reading: Reading, began: object = None
) -> list[ImportedMessage]:
    made: list[ImportedMessage] = []
    last = moment(began, ".created_at", reading.zone) or reading.now
    for number, raw in enumerate(messages):
        where = f".messages[{number}]"
        value = demand_object(raw, where)
        when = next((value[name] for name in _WHEN if value.get(name)), None)
        written = moment_in(text_of(when).replace(" @", "@"), _WRITTEN, reading.zone)
        last = written or moment(when, f"{where}.created_at", reading.zone) or last
        role = _role(value)
        if role is None or value.get("weight") == 0:
            continue
        words = _without_asides(_words(value)).strip()
        if not words:
            talks.skipped["wordless"] += 1
            continue
        title = title or fingerprint(words)
        name = text_of(value.get("messageId")) or fingerprint(title, number, role, words)
        made.append(turn(f"import:generic:{numbered(name, talks.seen)}", role, words, last))
    return made


def _role(value: dict[str, Any]) -> Role | None:
    for name in ("isCreatedByUser", "is_user"):
        if isinstance(value.get(name), bool) and value.get("is_system") is not True:
            return "user" if value[name] else "assistant"
    if "content" not in value and "value" not in value and "text" not in value:
        return None
    given = value.get("role", value.get("from", value.get("sender")))
    return ROLES.get(given.lower()) if isinstance(given, str) else None


def _words(value: dict[str, Any]) -> str:
    for name in ("content", "value", "text", "mes"):
        held = value.get(name)
        if isinstance(held, str) and held.strip():
            return held
        if isinstance(held, list):
            parts = [
                one if isinstance(one, str) else text_of(one.get("text")) for one in held if isinstance(one, str | dict)
            ]
            return "\n".join(filter(None, parts))
    return ""


def _without_asides(text: str) -> str:
    """Without the folded blocks in which a program keeps reasoning and calls of tools."""
    before, *blocks = text.split(_ASIDE)
    return before + "".join(block.partition(_ASIDE_ENDS)[2] for block in blocks)


def _transcript(text: str, talks: Conversations, reading: Reading) -> list[ImportedMessage]:
    turns: list[tuple[str, list[str]]] = []
    is_fenced = False
    for line in text.splitlines():
        found = None if is_fenced else _SPEAKER.match(line)
        is_fenced ^= line.lstrip().startswith("```")
        if found:
            turns.append((_NAMES[found[1].lower()], [found[2]] if found[2] else []))
        elif turns and line.strip() != "---":
            turns[-1][1].append(line)
    return _talk("", [{"role": role, "content": "\n".join(lines)} for role, lines in turns], talks, reading)


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
    roles = {_NAMES[found[1].lower()] for line in sample.text.splitlines() if (found := _SPEAKER.match(line))}
    return len(roles) == 2


FORMAT = ImportFormat(name="generic", fits=_fits, read=read)
