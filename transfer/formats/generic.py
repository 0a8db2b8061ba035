"""Read conversations of unknown programs from lists and trees in JSON, tables, and transcripts in Markdown."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from llm.thoughts import remove_thoughts
from records.errors import ImportRefused
from records.messages import Role
from transfer.formats.chat_lists import ChatLists, is_chat_message, iterate_rows, read_column_names
from transfer.formats.conversations import ROLES, Conversations, ImportedTurn, find_branch, find_time, parse_json
from transfer.formats.history import FileReading, ImportedHistory, ImportFormat, Sample, SourceFile
from transfer.formats.json_stream import is_json_begin
from transfer.formats.transcripts import UNSAID_ROLES, is_transcript, read_transcript
from transfer.formats.values import WrongElement, as_object, as_text, require_object, select_objects

_FLAGS = ("isCreatedByUser", "is_user")
_ROLE_NAMES = ("role", "from", "sender", "author", "type", "speaker")
_TEXT_NAMES = (
    *("content", "contentChunks", "contentParts", "content_list", "fragments", "parts", "value", "text", "mes", "say"),
    *("message", "steps", "candidates", "raw_content"),
)
_TEXT_KEYS = frozenset(_TEXT_NAMES)
_ASSISTANT_TALK = {"user", "human", "prompt", "request"} | {name for name, role in ROLES.items() if role == "assistant"}
"""Roles that people do not call each other: "me" and "you" may be of a chat among people, too."""
_QUERIES = ("query", "query_str", "question", "prompt", "instruction")
_ANSWERS = ("answer", "response", "completion", "output", "blocks", "assistant")
_PARENTS = ("parent", "parentId", "parentMessageId", "parent_response_id", "parent_message_uuid")
_IDS = ("id", "messageId", "_id", "uuid")
_TITLES = ("title", "name", "chatTitle", "thread_title", "threadName", "topic", "displayName")
_GROUPS = ("topicId", "chatId", "sessionId", "conversationId", "thread_id", "conversation")
_PART_KINDS = ("type", "phase", "content_type")
_PART_TEXTS = ("text", "value", "content", "part", "data", "parts", "raw_content")
_TABLE_GROUPS = ("conversation id", "conversation", "chat session", "workspace")
_HIDDEN_PART = re.compile("think|thought|reason|tool|image|file|audio|search", re.IGNORECASE)
"""Types of parts that nobody reads as an answer."""
MAX_DEPTH = 6  # objects and lists inside one another in which conversations are looked for
_MAX_TREE_DEPTH = 10_000
_TOOL_CALLS = re.compile(r"<details type=.*?(?:</details>\s*|\Z)", re.DOTALL)
"""Blocks in which Open WebUI keeps calls of tools."""


def read_history(files: Sequence[SourceFile], reading: FileReading, name: str = "generic") -> ImportedHistory:
    """Read the conversations in files of the product `name`, by default of an unknown product."""
    talks = _read_conversations(files, reading, name)
    if dates := talks.written_dates:  # read again, with the order of day and month that all dates together have
        order, questions = talks.choose_date_order(dates), talks.questions[:1]
        talks = _read_conversations(files, replace(reading, date_order=order), name)
        talks.questions[:0] = [question for question in questions if question.name == "order"]
    return talks.make_history()


def _read_conversations(files: Sequence[SourceFile], reading: FileReading, name: str) -> Conversations:
    talks = Conversations(name, reading)
    chats = ChatLists(talks, _read_user_names(files))
    for file in files:
        _FileReader(PurePosixPath(file.path).parent.name, talks, chats).read(file)
    chats.finish()
    return talks


def _read_user_names(files: Sequence[SourceFile]) -> Mapping[str, str]:
    users: list[dict[str, object]] = []
    for file in files:
        if PurePosixPath(file.path).name == "users.json":
            with suppress(ImportRefused):
                users += select_objects(file.open_json().read_value())
    return {as_text(user.get("id")): as_text(user.get("real_name")) or as_text(user.get("name")) for user in users}


class _FileReader:
    """Reads one file. Messages outside any conversation form a conversation named after the file's folder."""

    def __init__(self, folder: str, talks: Conversations, chats: ChatLists) -> None:
        self._folder = folder
        self._talks = talks
        self._chats = chats
        self._loose: list[Any] = []

    def read(self, file: SourceFile) -> None:
        if is_json_begin(file.text):
            self._talks.read_files([file], self._read_object)
        elif _is_table(file.text):
            self._read_table(file.text)
        else:
            about, messages = read_transcript(file.text)
            _add_talk(about, messages, self._talks)
        self._add_conversation({}, self._loose, {})

    def _read_table(self, text: str) -> None:
        conversations: dict[str, list[dict[str, Any]]] = {}
        for row in iterate_rows(text):
            message = {name.lower(): cell for name, cell in (row or {}).items()}
            group = next((as_text(message[name]) for name in _TABLE_GROUPS if name in message), "")
            conversations.setdefault(group, []).extend(_split_pair(message) or [message])
        for group, rows in conversations.items():
            title = rows[0].get("conversation title", group)
            is_newest_first = _find_time(rows[0]) > _find_time(rows[-1])
            self._add_conversation({"title": title}, rows[::-1] if is_newest_first else rows, {})

    def _read_object(self, raw: object, depth: int = 0, name: str = "", title: str = "") -> None:
        """Read the member `name` of an object with the title `title`, and add the conversations in it."""
        if isinstance(raw, list):
            if depth > 1 and any(map(is_chat_message, raw)):
                self._add_conversation({"title": title or name}, raw, {})
                return
            for item in raw:
                if isinstance(item, dict | list) and depth < MAX_DEPTH:
                    self._read_object(item, depth + 1, "", title)
            return
        value = require_object(raw) if not depth else as_object(raw)
        title = as_text(value.get("title")) or title
        if blocks := select_objects(value.get("message_blocks")):  # of Cherry Studio
            value = _insert_blocks(value, blocks)
        chats = {key: member for key, member in value.items()
                 if isinstance(member, list) and any(map(is_chat_message, member))}  # fmt: skip
        if len(chats) > 1:  # chats side by side, each under the name of a person
            for key, chat in chats.items():
                self._add_conversation({"title": key}, chat, {})
        elif turns := _split_pair(value):
            self._loose.extend(turns)
        elif (replies := select_objects(value.get("replies"))) and is_chat_message(value):
            self._loose.extend((value, *replies))
        elif (messages := _find_messages(value)) is not None:
            named = value if _find_title(value) else {**value, "title": title}
            groups = (item for member in value.values() for item in select_objects(member))
            titles = {as_text(item.get("id")): as_text(item.get("title")) for item in groups if item.get("title")}
            self._add_conversation(named, messages, titles)
            for thread in select_objects(value.get("threads")):  # earlier conversations in a session of Chatbox
                self._read_object(thread, depth + 1, "", title)
        elif _is_message(message := _unwrap_item(value)) or is_chat_message(value):
            self._loose.append(message)
        elif depth < MAX_DEPTH:
            for key, member in value.items():
                if isinstance(member, dict | list):
                    self._read_object(member, depth + 1, key, title)

    def _add_conversation(self, raw: Mapping[str, Any], messages: Sequence[Any], titles: Mapping[str, str]) -> None:
        roles = {_find_role(as_object(message)) for message in messages}
        if roles.isdisjoint(_ASSISTANT_TALK) and any(map(is_chat_message, messages)):
            title = _find_title(raw) or self._folder
            self._chats.add(messages, as_text(raw.get("thread_path")) or title, title)
            return
        ids = {name: {str(as_object(message).get(name)) for message in messages} for name in _GROUPS}
        several = (name for name in _GROUPS if len(ids[name]) > 1)
        group = next(several, "") or next((name for name in _GROUPS if ids[name] & titles.keys()), "")
        groups: dict[str, list[Any]] = {}
        for message in messages:
            groups.setdefault(str(as_object(message).get(group)) if group else "", []).append(message)
        for name, members in groups.items():
            title = titles.get(name) or (name if group == "conversation" else "")
            more = ({"title": title} if title else {}) | ({"id": name} if len(groups) > 1 else {})
            _add_talk({**raw, **more}, select_newest_branch(members), self._talks)


def _insert_blocks(value: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    by_id = {as_text(block.get("id")): block for block in blocks}
    topics = select_objects(value.get("topics"))
    for message in (message for topic in topics for message in select_objects(topic.get("messages"))):
        ids = message.get("blocks")
        names = map(as_text, ids) if isinstance(ids, list) else ()  # an id may be anything, also what has no hash
        message["content"] = [by_id[name] for name in names if name in by_id]
    return {"topics": topics}


def _find_messages(value: Mapping[str, Any]) -> list[Any] | None:
    chat = as_object(value.get("chat"))
    for holder in (value, chat, as_object(chat.get("history"))):
        for member in holder.values():
            if isinstance(member, dict) and (messages := _select_tree_branch(member, holder)):
                return messages
    for holder in (value, chat):
        for member in holder.values():
            items = member if isinstance(member, list) else ()
            if any(
                _is_message(_unwrap_item(item)) or _split_pair(as_object(item)) or is_chat_message(item)
                for item in items
            ):
                return _flatten_lists(items)
    return None


def _select_tree_branch(nodes: Mapping[str, Any], conversation: Mapping[str, Any]) -> list[Any]:
    tree = {name: _unwrap_item(node) for name, node in nodes.items() if isinstance(node, dict)}
    parent = next((name for name in _PARENTS if any(name in node for node in tree.values())), "")
    if not parent or not any(map(_is_message, tree.values())):
        return []
    current = conversation.get("currentId") or conversation.get("current_node")
    path = find_branch(tree, current, parent, lambda name: _find_time(tree[name]))
    return [tree[name] for name in path if _is_message(tree[name])]


def select_newest_branch(messages: list[Any]) -> list[Any]:
    """Return the newest branch if the messages name their parents, otherwise all messages."""
    dicts = [message for message in messages if isinstance(message, dict)]
    number = next((name for name in _IDS if all(as_text(message.get(name)) for message in dicts)), "")
    parent = next((name for name in _PARENTS if any(message.get(name) for message in dicts)), "")
    if not number or not parent or any("version" in message for message in dicts):  # Le Chat numbers versions itself
        return messages
    nodes = {message[number]: message for message in dicts}
    tied = sum(as_text(message.get(parent)) in nodes for message in dicts)
    if 2 * tied < len(dicts) - 1 or len(nodes) < len(dicts):  # most are roots: the parents mean something else
        return messages
    return [nodes[name] for name in find_branch(nodes, None, parent, lambda name: _find_time(nodes[name]))]


def _flatten_lists(items: Sequence[Any]) -> list[Any]:
    """Unwrap messages, split pairs of question and answer, and follow the last branch of nested answers."""
    found: list[Any] = []
    level: Sequence[Any] = items
    if any(select_objects(as_object(item).get("children")) and _is_message(item) for item in items):
        for _ in range(_MAX_TREE_DEPTH):
            if not level or not isinstance(level[-1], dict):
                break
            found.append(level[-1])
            children = level[-1].get("children")
            level = children if isinstance(children, list) else ()
        return found
    for item in items:
        found.extend(_split_pair(as_object(item)) or [_unwrap_item(item)])
    return found


def _unwrap_item(item: Any) -> Any:
    if isinstance(item, dict) and isinstance(versions := item.get("versions"), list) and versions:  # of LM Studio
        chosen = item.get("currentlySelected")
        return versions[chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else -1]
    for name in ("response", "message", "messageCreate", "payload"):  # {"response": {…}} of Grok
        if isinstance(item, dict) and isinstance(inner := item.get(name), dict) and not _is_message(item):
            return {**{key: value for key, value in item.items() if key != name}, **inner}
    return item


def _split_pair(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    queries = ("user",) if "assistant" in value else _QUERIES
    if isinstance(value.get("response"), list):  # Copilot in an editor
        queries = ("message", *queries)
    if value.keys().isdisjoint(queries):  # as most objects are
        return []
    query = next((words for name in queries if (words := _collect_text(value.get(name))).strip()), "")
    if not query:
        return []
    answer = next((words for name in (*_ANSWERS, "text") if (words := _find_answer_text(value.get(name)))), "")
    if not answer or any(name in value for name in _FLAGS):
        return []
    rest = {key: held for key, held in value.items() if key not in (*queries, *_ANSWERS, *_TEXT_NAMES)}
    return [{**rest, "role": role, "content": words} for role, words in (("user", query), ("assistant", answer))]


def _find_answer_text(value: object, depth: int = 0) -> str:
    if isinstance(value, str) and value.startswith(('{"', "[{")):  # the steps of Perplexity
        value = parse_json(value) or value
    if isinstance(value, str) or depth > MAX_DEPTH:
        return as_text(value).strip()
    if isinstance(value, list):
        pieces = "".join(as_text(part.get("value")) for part in select_objects(value) if not part.get("kind"))
        return pieces or next((words for item in value if (words := _find_answer_text(item, depth + 1))), "")
    members = as_object(value)
    named = [members[name] for name in (*_ANSWERS, "text") if name in members]
    inner = named or [member for member in members.values() if isinstance(member, dict)]
    return next((words for member in inner if (words := _find_answer_text(member, depth + 1))), "")


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and _find_role(value) is not None and not _TEXT_KEYS.isdisjoint(value)


def _find_role(value: Mapping[str, Any]) -> str | None:
    for name in _FLAGS:
        if isinstance(value.get(name), bool):
            return "system" if value.get("is_system") is True else "user" if value[name] else "assistant"
    for name in _ROLE_NAMES:
        given = value.get(name)
        if isinstance(given, dict):
            given = given.get("role") or ("user" if given.get("is_human") else given.get("name"))
        if isinstance(given, str) and (name != "type" or given.lower() in ROLES):
            return given.lower()
    kinds = (as_text(part.get("type")).lower() for part in select_objects(value.get("fragments")))
    return next((kind for kind in kinds if kind in ROLES), None)


def _add_talk(raw: Mapping[str, Any], messages: Sequence[Any], talks: Conversations) -> None:
    """Add a conversation with an assistant. A speaker with an unknown role gets the role that no other speaker has."""
    key = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    elements = ((f".messages[{number}]", message) for number, message in enumerate(messages))
    sides = {ROLES.get(_find_role(as_object(message)) or "") for message in messages}
    missing = [role for role in ROLES.values() if role not in sides]
    read_turn = partial(_read_turn, missing[0] if len(set(missing)) == 1 else None)
    title = _find_title(raw) or next((as_text(as_object(message).get("thread_title")) for message in messages), "")
    inner = [*select_objects(list(raw.values())), *select_objects(list(as_object(raw.get("metadata")).values()))]
    times = {} if _find_time(raw) else next((held for held in inner if _find_time(held)), {})
    talks.add_talk({**times, **raw, "title": title}, elements, read_turn, str(key)[:200])


def _find_title(raw: Mapping[str, Any]) -> str:
    inner = (member for member in raw.values() if isinstance(member, dict))
    titles = [as_text(raw.get(name)) for name in _TITLES]
    titles += [as_text(member.get(name)) for member in inner for name in _TITLES if name != "name"]
    return next(filter(None, titles), "")


def _read_turn(unknown_role: Role | None, value: Mapping[str, Any], _: datetime) -> ImportedTurn:
    """Return a turn. `unknown_role` is the role of a speaker whose name is not a known role."""
    label = _find_role(value) or ""
    role = ROLES.get(label)
    speaker = as_text(value.get("name")) if "mes" in value and role == "assistant" else ""
    if role is None and label and label not in UNSAID_ROLES:
        role = unknown_role
        names = (name for key in _ROLE_NAMES if (name := as_text(value.get(key))).lower() == label)
        speaker = next(names, "") if role == "assistant" else ""
    words = None if value.get("weight") == 0 else _find_message_text(value)
    if words and role == "assistant":
        words = remove_thoughts(_TOOL_CALLS.sub("", words))
    # The id of a message is a hash of its words, which earlier versions stripped, too.
    return ImportedTurn(role, words and words.strip(), as_text(value.get("messageId")), speaker)


def _find_message_text(value: Mapping[str, Any]) -> str:
    for call in select_objects(value.get("tool_calls")):  # Letta's agents speak by a tool
        function = as_object(call.get("function"))
        if function.get("name") == "send_message":
            return as_text(as_object(parse_json(as_text(function.get("arguments")))).get("message"))
    words = next((words for name in _TEXT_NAMES if (words := _collect_text(value.get(name))).strip()), "")
    # Letta wraps what a person said as an event, and adds events of its own.
    if words.startswith('{"type":') and (envelope := as_object(parse_json(words))):
        return as_text(envelope.get("message")) if envelope.get("type") == "user_message" else ""
    return words


def _collect_text(value: object, depth: int = 0) -> str:
    if isinstance(value, list):
        return "\n".join(filter(None, (_collect_text(part, depth + 1) for part in value if depth < MAX_DEPTH)))
    if not isinstance(value, dict):
        return as_text(value)
    if depth > MAX_DEPTH or any(_HIDDEN_PART.search(as_text(value.get(name))) for name in _PART_KINDS):
        return ""
    inner = (_collect_text(value.get(name), depth + 1) for name in _PART_TEXTS)
    return next((words for words in inner if words.strip()), "")


def _find_time(message: Mapping[str, Any]) -> float:
    with suppress(WrongElement):
        if made := find_time(message):
            return made.timestamp()
    return 0.0


def _is_table(text: str) -> bool:
    row = dict.fromkeys(read_column_names(text), "?")
    return len(row) > 1 and (is_chat_message(row) or _is_message(row) or bool(_split_pair(row)))


def _fits_format(sample: Sample) -> bool:
    if sample.opening:
        names = sample.names
        is_talk = bool(names & {"conversations", "conversation", "messages", "messagesTree"})
        is_message = bool(names & {*_FLAGS, "role", "from"}) and not _TEXT_KEYS.isdisjoint(names)
        is_strange = bool(names & {"type", "guild", "chat_messages"}) if is_talk else "date" in names
        return ((is_talk or is_message) and not is_strange) or {"chat", "title"} <= names
    return _is_table(sample.text) or is_transcript(sample.text)


_PRODUCTS: Mapping[str, Callable[[Sample], bool]] = {
    "Messenger": lambda sample: {"participants", "messages"} <= sample.names,
    "Slack": lambda sample: sample.opening == "[" and any(
        names <= sample.names for names in ({"type", "ts", "text"}, {"team_id", "profile"})
    ),
    "Copilot": lambda sample: {"conversation", "time", "author", "message"} <= read_column_names(sample.text),
}  # fmt: skip
PRODUCTS = [
    ImportFormat(name=product.lower(), product=product, fits=fits, read=partial(read_history, name=product.lower()),
                 members=re.compile(r"\A[^/]*/message_[^/]*\.json"))
    for product, fits in _PRODUCTS.items()
]  # fmt: skip
"""Products whose files only need a name of their own."""
FORMAT = ImportFormat(
    name="generic",
    fits=_fits_format,
    read=read_history,
    members=re.compile(r"\A[^/]*/(?:grok-chat-item|direct-messages)\.js"),
)
