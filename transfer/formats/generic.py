"""Conversations as many programs write them → messages: lists and trees in JSON or JSONL, and transcripts in Markdown.

Programs copy each other, so a message is recognised by its parts: something like a role next to something like a text.
Most have no ids and no dates: a message is known by its conversation, its place and its words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from transfer.formats.conversations import ROLES, Conversations, ImportedTurn, find_branch
from transfer.formats.history import FileReading, ImportedHistory, ImportFormat, Sample, SourceFile
from transfer.formats.json_stream import is_json_begin
from transfer.formats.values import WrongElement, demand_object, list_objects, parse_moment, to_object, to_text

_FLAGS = ("isCreatedByUser", "is_user")
_ROLE_NAMES = ("role", "from", "sender", "author", "type", "speaker")
_TEXT_NAMES = ("content", "contentChunks", "fragments", "parts", "value", "text", "mes", "say", "message")
_WRAPPERS = ("response", "message")
"""Members that hold a whole message: {"response": {…}} of Grok, {"message": {…}} of a tree."""
_QUERIES = ("query", "query_str", "question", "prompt", "instruction")
_ANSWERS = ("answer", "response", "completion", "output", "blocks")
_PARENTS = ("parent", "parentId", "parentMessageId", "parent_response_id", "parent_message_uuid")
_IDS = ("id", "messageId", "_id", "uuid")
_TITLES = ("title", "name", "chatTitle", "thread_title", "topic")
_GROUPS = ("topicId", "chatId", "sessionId", "conversationId", "thread_id")
_HIDDEN_PART = re.compile("think|thought|reason|tool|image|file|audio|search", re.IGNORECASE)
"""Types of parts that nobody reads as an answer."""
MAX_DEPTH = 6  # objects and lists inside one another in which conversations are looked for
_MAX_TREE_DEPTH = 10_000
_ASIDE, _ASIDE_ENDS = "<details type=", "</details>"


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("generic", reading)
    for file in files:
        if is_json_begin(file.text):
            loose: list[Any] = []
            talks.read([file], partial(_read_object, loose, talks))
            _add_talks({}, loose, talks)
        else:
            title, messages = _read_transcript(file.text)
            _add_talk({"title": title}, messages, talks)
    return talks.history()


def _read_object(loose: list[Any], talks: Conversations, raw: object, depth: int = 0) -> None:
    """Add the conversations in an object or list. A message that stands alone is added to `loose`."""
    if isinstance(raw, list):
        for item in raw:
            if isinstance(item, dict | list) and depth < MAX_DEPTH:
                _read_object(loose, talks, item, depth + 1)
        return
    value = demand_object(raw) if not depth else to_object(raw)
    if not value:
        return
    if turns := _split_pair(value):
        loose.extend(turns)
    elif _is_message(value):
        loose.append(value)
    elif (messages := _find_messages(value)) is not None:
        _add_talks(value, messages, talks)
    elif depth < MAX_DEPTH:
        for member in value.values():
            if isinstance(member, dict | list):
                _read_object(loose, talks, member, depth + 1)


def _find_messages(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages that a conversation holds in a tree or a list; None if it is no conversation."""
    chat = to_object(value.get("chat"))
    for holder in (value, chat, to_object(chat.get("history"))):
        for member in holder.values():
            if isinstance(member, dict) and (messages := _follow_tree(member, holder)):
                return messages
    for holder in (value, chat):
        for member in holder.values():
            items = member if isinstance(member, list) else ()
            if any(_is_message(_unwrap_item(item)) or _split_pair(to_object(item)) for item in items):
                return _follow_parents(_flatten_lists(items))
    return None


def _follow_tree(nodes: Mapping[str, Any], holder: Mapping[str, Any]) -> list[Any]:
    """Return one branch of {id: node} with parents: down to the current node, or else to the newest leaf."""
    tree = {name: _unwrap_item(node) for name, node in nodes.items() if isinstance(node, dict)}
    parent = next((name for name in _PARENTS if any(name in node for node in tree.values())), "")
    if not parent or not any(map(_is_message, tree.values())):
        return []
    current = holder.get("currentId") or holder.get("current_node")
    path = find_branch(tree, current, parent, lambda name: _find_time(tree[name]))
    return [tree[name] for name in path if _is_message(tree[name])]


def _follow_parents(messages: list[Any]) -> list[Any]:
    """Return the newest branch of a flat list whose messages name the one before them; otherwise all of it."""
    dicts = [message for message in messages if isinstance(message, dict)]
    number = next((name for name in _IDS if all(to_text(one.get(name)) for one in dicts)), "")
    parent = next((name for name in _PARENTS if any(one.get(name) for one in dicts)), "")
    if not number or not parent or any("version" in message for message in dicts):  # Le Chat numbers versions itself
        return messages
    nodes = {message[number]: message for message in dicts}
    tied = sum(to_text(message.get(parent)) in nodes for message in dicts)
    if 2 * tied < len(dicts) - 1 or len(nodes) < len(dicts):  # most are roots: the parents mean something else
        return messages
    return [nodes[name] for name in find_branch(nodes, None, parent, lambda name: _find_time(nodes[name]))]


def _flatten_lists(items: Sequence[Any]) -> list[Any]:
    """Return messages out of their wrappers, pairs as two messages, and of nested answers the last branch."""
    found: list[Any] = []
    level: Sequence[Any] = items
    if any("children" in to_object(item) and _is_message(to_object(item)) for item in items):
        for _ in range(_MAX_TREE_DEPTH):
            if not level or not isinstance(level[-1], dict):
                break
            found.append(level[-1])
            children = level[-1].get("children")
            level = children if isinstance(children, list) else ()
        return found
    for item in items:
        found.extend(_split_pair(to_object(item)) or [_unwrap_item(item)])
    return found


def _unwrap_item(item: Any) -> Any:
    """Return a message without the object around it, which may hold its id and parent."""
    for name in _WRAPPERS:
        if isinstance(item, dict) and isinstance(inner := item.get(name), dict) and not _is_message(item):
            return {**{key: value for key, value in item.items() if key != name}, **inner}
    return item


def _split_pair(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return question and answer of one object as two messages; nothing if it is no such pair."""
    if value.keys().isdisjoint(_QUERIES):
        return []
    query = next((to_text(value[name]) for name in _QUERIES if to_text(value.get(name)).strip()), "")
    answer = next((words for name in _ANSWERS if (words := _find_text(value.get(name)))), "")
    if not query or not answer or any(name in value for name in _FLAGS):
        return []
    rest = {key: held for key, held in value.items() if key not in (*_QUERIES, *_ANSWERS, *_TEXT_NAMES)}
    return [{**rest, "role": role, "content": words} for role, words in (("user", query), ("assistant", answer))]


def _find_text(value: object, depth: int = 0) -> str:
    """Return the text of an answer, which may be nested a few objects deep."""
    if isinstance(value, str) or depth > MAX_DEPTH:
        return to_text(value).strip()
    if isinstance(value, list):
        return next((words for item in value if (words := _find_text(item, depth + 1))), "")
    members = to_object(value)
    named = [members[name] for name in (*_ANSWERS, "text") if name in members]
    inner = named or [member for member in members.values() if isinstance(member, dict)]
    return next((words for member in inner if (words := _find_text(member, depth + 1))), "")


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and _find_role(value) is not None and not _TEXT_KEYS.isdisjoint(value)


_TEXT_KEYS = frozenset(_TEXT_NAMES)


def _find_role(value: Mapping[str, Any]) -> str | None:
    """Return what the file calls the speaker, in lower case; None if it names none."""
    for name in _FLAGS:
        if isinstance(value.get(name), bool):
            return "system" if value.get("is_system") is True else "user" if value[name] else "assistant"
    for name in _ROLE_NAMES:
        given = value.get(name)
        given = given.get("role") if isinstance(given, dict) else given
        if isinstance(given, str) and (name != "type" or given.lower() in ROLES):
            return given.lower()
    kinds = (to_text(part.get("type")).lower() for part in list_objects(value.get("fragments")))
    return next((kind for kind in kinds if kind in ROLES), None)


def _add_talks(raw: Mapping[str, Any], messages: Sequence[Any], talks: Conversations) -> None:
    """Add one conversation for each group of messages that names its conversation; all in one where none does."""
    group = next((name for name in _GROUPS if len({str(to_object(one).get(name)) for one in messages}) > 1), "")
    groups: dict[str, list[Any]] = {}
    for message in messages:
        groups.setdefault(str(to_object(message).get(group)) if group else "", []).append(message)
    for name, members in groups.items():
        _add_talk({**raw, "id": name} if name else raw, members, talks)


def _add_talk(raw: Mapping[str, Any], messages: Sequence[Any], talks: Conversations) -> None:
    key = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    elements = ((f".messages[{number}]", message) for number, message in enumerate(messages))
    title = next((to_text(raw[name]) for name in _TITLES if to_text(raw.get(name))), "") or _find_inner_title(raw)
    talks.talk({**raw, "title": title}, elements, _turn, str(key)[:200])


def _find_inner_title(raw: Mapping[str, Any]) -> str:
    """Return the title that stands in an object about the conversation, such as `metadata`."""
    inner = (member for member in raw.values() if isinstance(member, dict))
    titles = (to_text(member.get(name)) for member in inner for name in _TITLES if name != "name")
    return next(filter(None, titles), "")


def _turn(value: Mapping[str, Any], _: datetime) -> ImportedTurn:
    words = None if value.get("weight") == 0 else _remove_asides(_find_words(value)).strip()
    role = ROLES.get(_find_role(value) or "")
    character = to_text(value.get("name")) if "mes" in value and role == "assistant" else ""
    return ImportedTurn(role, words, to_text(value.get("messageId")), character)


def _find_words(value: Mapping[str, Any]) -> str:
    return next((words for name in _TEXT_NAMES if (words := _text_in(value.get(name))).strip()), "")


def _text_in(held: object, depth: int = 0) -> str:
    """Return the words of a text, an object with one, or a list of parts; parts that are no words are left out."""
    if isinstance(held, list):
        return "\n".join(filter(None, (_text_in(part, depth + 1) for part in held if depth < MAX_DEPTH)))
    if not isinstance(held, dict):
        return to_text(held)
    if depth > MAX_DEPTH or _HIDDEN_PART.search(to_text(held.get("type"))):
        return ""
    inner = (_text_in(held.get(name), depth + 1) for name in ("text", "value", "content"))
    return next((words for words in inner if words.strip()), "")


def _find_time(message: Mapping[str, Any]) -> float:
    """Return seconds since 1970, by which the newest of several branches is found; 0 where none is readable."""
    for name in ("createdAt", "create_time", "inserted_at", "created_at", "timestamp"):
        with suppress(WrongElement):
            if made := parse_moment(message.get(name), ""):
                return made.timestamp()
    return 0.0


def _remove_asides(text: str) -> str:
    """Return a text without the folded blocks in which a program keeps reasoning and calls of tools."""
    before, *blocks = text.split(_ASIDE)
    return before + "".join(block.partition(_ASIDE_ENDS)[2] for block in blocks)


# Transcripts in Markdown -------------------------------------------------------------------------------------------

_LABEL = r"(?P<label>[^\n:*_#(]{1,40}?)(?: said)?[ \t]{0,3}(?:\((?P<date>[^()\n]{6,40})\))?[ \t]{0,3}"
_HEADINGS = {
    "#": re.compile(rf"#{{1,6}}\s+(?:\*\*|__)?{_LABEL}(?:\*\*|__)?(?::(?:\*\*|__)?[ \t]*(?P<rest>.*))?$"),
    "**": re.compile(rf"(?:\*\*|__){_LABEL}(?::(?:\*\*|__)|(?:\*\*|__)[ \t]{{0,3}}(?::|$))[ \t]*(?P<rest>.*)$"),
    ":": re.compile(rf"{_LABEL}:[ \t]*(?P<rest>.*)$"),
    "": re.compile(rf"{_LABEL}(?P<rest>)$"),
}
"""The ways in which a line names who speaks, by the style of each."""
_ANY_STYLE = "any"  # where the sides of a talk are named in different ways
_MAX_HEADING_CHARS = 10_000
_DECORATION = re.compile(r"[^\w\s]+")
_FOOTER = re.compile(r"\n---\s*\n[^\n]*\]\(https?://[^\n]*\s*$")


class _Heading(NamedTuple):
    """A line that may begin a turn. `style`: how it is set off from the text, by which the lines of one file agree."""

    style: str
    label: str
    date: str
    rest: str


def _parse_heading(line: str) -> _Heading | None:
    """Return the heading that a line is; a line that is nothing but a label has to be a known role."""
    for style, pattern in _HEADINGS.items() if len(line) < _MAX_HEADING_CHARS else ():
        if found := pattern.match(line):
            label = " ".join(_DECORATION.sub(" ", found["label"]).split()).casefold()
            if label and (style or label in ROLES):
                return _Heading(style, label, found["date"] or "", found["rest"] or "")
    return None


def _choose_style(headings: Sequence[_Heading]) -> tuple[str, Mapping[str, str]]:
    """Return the style in which both sides of a talk are named, with the role of each label. No labels: there is none.

    Where the assistant has a name that nobody knows, it is the label that most often follows the person's.
    """
    known = {heading.label: str(ROLES[heading.label]) for heading in headings if heading.label in ROLES}
    best, best_labels, most = _ANY_STYLE, known if len(set(known.values())) == 2 else {}, 0
    for style in dict.fromkeys(heading.style for heading in headings):
        labels = [heading.label for heading in headings if heading.style == style]
        roles = {label: str(ROLES[label]) for label in labels if label in ROLES}
        if "user" in roles.values() and "assistant" not in roles.values():
            after = Counter(b for a, b in pairwise(labels) if a in roles and b not in roles)
            roles |= {label: "assistant" for label, _ in after.most_common(1)}
        count = sum(label in roles for label in labels)
        if {"user", "assistant"} <= set(roles.values()) and count > most:
            best, best_labels, most = style, roles, count
    return best, best_labels


def _iterate_outside_fences(text: str) -> Iterator[tuple[str, _Heading | None]]:
    """Yield each line, with the heading that it is outside fenced code."""
    is_fenced = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        yield line, None if is_fenced or is_fence else _parse_heading(line)
        is_fenced ^= is_fence


def _read_transcript(text: str) -> tuple[str, list[dict[str, str]]]:
    """Return the title and the messages; what stands before the first turn is neither."""
    lines = list(_iterate_outside_fences(_FOOTER.sub("", text)))
    style, roles = _choose_style([heading for _, heading in lines if heading])
    title = text.split("\n", 1)[0].removeprefix("# ").strip() if text.startswith("# ") else ""
    turns: list[tuple[str, str, list[str]]] = []
    for line, heading in lines:
        if heading and style in (heading.style, _ANY_STYLE) and heading.label in roles:
            turns.append((roles[heading.label], heading.date, [heading.rest] if heading.rest else []))
        elif turns and line.strip() != "---":
            turns[-1][2].append(line)
    return title, [_parse_turn(role, date, lines) for role, date, lines in turns]


def _parse_turn(role: str, date: str, lines: list[str]) -> dict[str, str]:
    """Return a message; a date alone on its first line is its time."""
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    for given, rest in ((date, lines), (lines[first].strip("*_ ") if lines else "", lines[first + 1 :])):
        with suppress(WrongElement):
            if len(given) > 7 and not given.isdecimal() and parse_moment(given, ""):
                return {"role": role, "content": "\n".join(rest), "created_at": given}
    return {"role": role, "content": "\n".join(lines)}


def _fits(sample: Sample) -> bool:
    if sample.opening:
        names = sample.names
        is_talk = bool(names & {"conversations", "conversation", "messages", "messagesTree"})
        is_message = bool(names & {*_FLAGS, "role", "from"}) and not _TEXT_KEYS.isdisjoint(names)
        is_strange = bool(names & {"type", "guild", "chat_messages"}) if is_talk else "date" in names
        return ((is_talk or is_message) and not is_strange) or {"chat", "title"} <= names
    headings = [heading for _, heading in _iterate_outside_fences(sample.text) if heading]
    return bool(_choose_style(headings)[1])


FORMAT = ImportFormat(name="generic", fits=_fits, read=read)
