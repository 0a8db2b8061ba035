"""Read conversations of unknown programs from lists and trees in JSON, tables, and transcripts in Markdown.

A message is recognised by a text next to a role or speaker. Most messages have no id, so they are identified by their
conversation, position and text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from records.errors import ImportRefused
from transfer.formats.chat_lists import ChatLists, is_chat_message, is_chat_table, iterate_rows, read_columns
from transfer.formats.conversations import ROLES, Conversations, ImportedTurn, find_branch, find_time, parse_json
from transfer.formats.history import FileReading, ImportedHistory, ImportFormat, Sample, SourceFile
from transfer.formats.json_stream import is_json_begin
from transfer.formats.values import WrongElement, demand_object, list_objects, parse_moment, to_object, to_text

_FLAGS = ("isCreatedByUser", "is_user")
_ROLE_NAMES = ("role", "from", "sender", "author", "type", "speaker")
_TEXT_NAMES = (
    *("content", "contentChunks", "contentParts", "content_list", "fragments", "parts", "value", "text", "mes", "say"),
    *("message", "steps"),
)
_TEXT_KEYS = frozenset(_TEXT_NAMES)
_UNSAID_ROLES = frozenset({"system", "tool", "function", "developer", "data", "think", "thinking", "reasoning"})
"""Roles of messages that nobody in a conversation says."""
_ASSISTANT_TALK = {"user", "human", "prompt", "request"} | {name for name, role in ROLES.items() if role == "assistant"}
"""Roles that people do not call each other: "me" and "you" may be of a chat among people, too."""
_QUERIES = ("query", "query_str", "question", "prompt", "instruction")
_ANSWERS = ("answer", "response", "completion", "output", "blocks")
_PARENTS = ("parent", "parentId", "parentMessageId", "parent_response_id", "parent_message_uuid")
_IDS = ("id", "messageId", "_id", "uuid")
_TITLES = ("title", "name", "chatTitle", "thread_title", "threadName", "topic", "displayName")
_GROUPS = ("topicId", "chatId", "sessionId", "conversationId", "thread_id")
_HIDDEN_PART = re.compile("think|thought|reason|tool|image|file|audio|search", re.IGNORECASE)
"""Types of parts that nobody reads as an answer."""
MAX_DEPTH = 6  # objects and lists inside one another in which conversations are looked for
_MAX_TREE_DEPTH = 10_000
_ASIDE, _ASIDE_ENDS = "<details type=", "</details>"


def read(files: Sequence[SourceFile], reading: FileReading, name: str = "generic") -> ImportedHistory:
    """Read files of a product under the product's `name`."""
    talks = Conversations(name, reading)
    chats = ChatLists(talks, _read_user_names(files))
    for file in files:
        _FileReader(PurePosixPath(file.path).parent.name, talks, chats).read(file)
    chats.finish()
    return talks.history()


def _read_user_names(files: Sequence[SourceFile]) -> Mapping[str, str]:
    """Return the names in Slack's list of people, by their ids."""
    users: list[dict[str, object]] = []
    for file in files:
        if PurePosixPath(file.path).name == "users.json":
            with suppress(ImportRefused):
                users += list_objects(file.walk().value())
    return {to_text(user.get("id")): to_text(user.get("real_name")) or to_text(user.get("name")) for user in users}


class _FileReader:
    """Find the conversations of one file. Messages outside a conversation form one that is named after the folder."""

    def __init__(self, folder: str, talks: Conversations, chats: ChatLists) -> None:
        self._folder = folder
        self._talks = talks
        self._chats = chats
        self._loose: list[Any] = []

    def read(self, file: SourceFile) -> None:
        if is_json_begin(file.text):
            self._talks.read([file], self._read_object)
        elif is_chat_table(file.text):
            self._read_table(file.text)
        else:
            title, messages = _read_transcript(file.text)
            _add_talk({"title": title}, messages, self._talks)
        self._add_conversation({}, self._loose, {})

    def _read_table(self, text: str) -> None:
        """Add the conversations of a table, each of which may begin with the newest message."""
        conversations: dict[str, list[dict[str, Any]]] = {}
        for row in iterate_rows(text):
            message = {name.lower(): cell for name, cell in (row or {}).items()}
            conversations.setdefault(to_text(message.get("conversation")), []).append(message)
        for title, rows in conversations.items():
            is_newest_first = _find_time(rows[0]) > _find_time(rows[-1])
            self._add_conversation({"title": title}, rows[::-1] if is_newest_first else rows, {})

    def _read_object(self, raw: object, depth: int = 0, name: str = "") -> None:
        """Add the conversations in an object, or in a list that is called `name`."""
        if isinstance(raw, list):
            if depth > 1 and any(map(is_chat_message, raw)):
                self._add_conversation({"title": name}, raw, {})
                return
            for item in raw:
                if isinstance(item, dict | list) and depth < MAX_DEPTH:
                    self._read_object(item, depth + 1)
            return
        value = demand_object(raw) if not depth else to_object(raw)
        if not value:
            return
        if turns := _split_pair(value):
            self._loose.extend(turns)
        elif (messages := _find_messages(value)) is not None:
            self._add_conversation(value, messages, _find_group_titles(value))
        elif _is_message(value) or is_chat_message(value):
            self._loose.append(_unwrap_item(value))
        elif depth < MAX_DEPTH:
            for key, member in value.items():
                if isinstance(member, dict | list):
                    self._read_object(member, depth + 1, key)

    def _add_conversation(self, raw: Mapping[str, Any], messages: Sequence[Any], titles: Mapping[str, str]) -> None:
        """Add a chat among people, or one conversation for each group of messages that names its conversation."""
        roles = {_find_role(to_object(message)) for message in messages}
        if roles.isdisjoint(_ASSISTANT_TALK) and any(map(is_chat_message, messages)):
            title = _find_title(raw) or self._folder
            self._chats.add(messages, to_text(raw.get("thread_path")) or title, title)
            return
        group = next(
            (name for name in _GROUPS if len({str(to_object(message).get(name)) for message in messages}) > 1), ""
        )
        groups: dict[str, list[Any]] = {}
        for message in messages:
            groups.setdefault(str(to_object(message).get(group)) if group else "", []).append(message)
        for name, members in groups.items():
            title = titles.get(name, "")
            more = ({"title": title} if title else {}) | ({"id": name} if name else {})
            _add_talk({**raw, **more}, _select_newest_branch(members), self._talks)


def _find_group_titles(value: Mapping[str, Any]) -> Mapping[str, str]:
    """Map the ids of objects in lists next to the messages to their titles."""
    objects = (item for member in value.values() for item in list_objects(member))
    return {to_text(item.get("id")): to_text(item.get("title")) for item in objects if item.get("title")}


def _find_messages(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages in an object's tree or list, or None if the object is not a conversation."""
    chat = to_object(value.get("chat"))
    for holder in (value, chat, to_object(chat.get("history"))):
        for member in holder.values():
            if isinstance(member, dict) and (messages := _select_tree_branch(member, holder)):
                return messages
    for holder in (value, chat):
        for member in holder.values():
            items = member if isinstance(member, list) else ()
            if any(
                _is_message(_unwrap_item(item)) or _split_pair(to_object(item)) or is_chat_message(item)
                for item in items
            ):
                return _flatten_lists(items)
    return None


def _select_tree_branch(nodes: Mapping[str, Any], conversation: Mapping[str, Any]) -> list[Any]:
    """Return the messages of a tree {id: node}, from the root to the current node, or else to the newest leaf.

    `conversation` is the object around the tree, which may name the current node.
    """
    tree = {name: _unwrap_item(node) for name, node in nodes.items() if isinstance(node, dict)}
    parent = next((name for name in _PARENTS if any(name in node for node in tree.values())), "")
    if not parent or not any(map(_is_message, tree.values())):
        return []
    current = conversation.get("currentId") or conversation.get("current_node")
    path = find_branch(tree, current, parent, lambda name: _find_time(tree[name]))
    return [tree[name] for name in path if _is_message(tree[name])]


def _select_newest_branch(messages: list[Any]) -> list[Any]:
    """Return the newest branch if the messages name their parents, otherwise all messages."""
    dicts = [message for message in messages if isinstance(message, dict)]
    number = next((name for name in _IDS if all(to_text(message.get(name)) for message in dicts)), "")
    parent = next((name for name in _PARENTS if any(message.get(name) for message in dicts)), "")
    if not number or not parent or any("version" in message for message in dicts):  # Le Chat numbers versions itself
        return messages
    nodes = {message[number]: message for message in dicts}
    tied = sum(to_text(message.get(parent)) in nodes for message in dicts)
    if 2 * tied < len(dicts) - 1 or len(nodes) < len(dicts):  # most are roots: the parents mean something else
        return messages
    return [nodes[name] for name in find_branch(nodes, None, parent, lambda name: _find_time(nodes[name]))]


def _flatten_lists(items: Sequence[Any]) -> list[Any]:
    """Unwrap messages, split pairs of question and answer, and follow the last branch of nested answers."""
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
    if isinstance(item, dict) and isinstance(versions := item.get("versions"), list) and versions:  # of LM Studio
        chosen = item.get("currentlySelected")
        return versions[chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else -1]
    for name in ("response", "message"):  # {"response": {…}} of Grok, {"message": {…}} of a tree
        if isinstance(item, dict) and isinstance(inner := item.get(name), dict) and not _is_message(item):
            return {**{key: value for key, value in item.items() if key != name}, **inner}
    return item


def _split_pair(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Split an object with a question and an answer into two messages. Return [] for other objects."""
    if value.keys().isdisjoint(_QUERIES):
        return []
    query = next((to_text(value[name]) for name in _QUERIES if to_text(value.get(name)).strip()), "")
    answer = next((words for name in _ANSWERS if (words := _find_text(value.get(name)))), "")
    if not query or not answer or any(name in value for name in _FLAGS):
        return []
    rest = {key: held for key, held in value.items() if key not in (*_QUERIES, *_ANSWERS, *_TEXT_NAMES)}
    return [{**rest, "role": role, "content": words} for role, words in (("user", query), ("assistant", answer))]


def _find_text(value: object, depth: int = 0) -> str:
    """Return the text of an answer, which may be nested in a few objects."""
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


def _find_role(value: Mapping[str, Any]) -> str | None:
    """Return the speaker's role as the file names it, in lower case, or None if there is none."""
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


def _add_talk(raw: Mapping[str, Any], messages: Sequence[Any], talks: Conversations) -> None:
    """Add a conversation with an assistant. If no role is a known assistant's, an unknown role is the assistant."""
    key = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    elements = ((f".messages[{number}]", message) for number, message in enumerate(messages))
    sides = {ROLES.get(_find_role(to_object(message)) or "") for message in messages}
    read_turn = partial(_read_turn, "assistant" not in sides and "user" in sides)
    talks.talk({**raw, "title": _find_title(raw)}, elements, read_turn, str(key)[:200])


def _find_title(raw: Mapping[str, Any]) -> str:
    """Return a conversation's title, which may be in a nested object such as `metadata`."""
    inner = (member for member in raw.values() if isinstance(member, dict))
    titles = [to_text(raw.get(name)) for name in _TITLES]
    titles += [to_text(member.get(name)) for member in inner for name in _TITLES if name != "name"]
    return next(filter(None, titles), "")


def _read_turn(is_unknown_assistant: bool, value: Mapping[str, Any], _: datetime) -> ImportedTurn:
    words = None if value.get("weight") == 0 else _remove_asides(_find_words(value)).strip()
    label = _find_role(value) or ""
    role = ROLES.get(label)
    speaker = to_text(value.get("name")) if "mes" in value and role == "assistant" else ""
    if role is None and label and is_unknown_assistant and label not in _UNSAID_ROLES:
        role = "assistant"
        speaker = next((name for key in _ROLE_NAMES if (name := to_text(value.get(key))).lower() == label), "")
    return ImportedTurn(role, words, to_text(value.get("messageId")), speaker)


def _find_words(value: Mapping[str, Any]) -> str:
    for call in list_objects(value.get("tool_calls")):  # Letta's agents speak by a tool
        function = to_object(call.get("function"))
        if function.get("name") == "send_message":
            return to_text(to_object(parse_json(to_text(function.get("arguments")))).get("message"))
    words = next((words for name in _TEXT_NAMES if (words := _join_text(value.get(name))).strip()), "")
    # Letta wraps what a person said as an event, and adds events of its own.
    if words.startswith('{"type":') and (envelope := to_object(parse_json(words))):
        return to_text(envelope.get("message")) if envelope.get("type") == "user_message" else ""
    return words


def _join_text(held: object, depth: int = 0) -> str:
    """Return the text of a value, its members or its list of parts, without reasoning, tool calls and files."""
    if isinstance(held, list):
        return "\n".join(filter(None, (_join_text(part, depth + 1) for part in held if depth < MAX_DEPTH)))
    if not isinstance(held, dict):
        return to_text(held)
    if depth > MAX_DEPTH or any(_HIDDEN_PART.search(to_text(held.get(name))) for name in ("type", "phase")):
        return ""
    inner = (_join_text(held.get(name), depth + 1) for name in ("text", "value", "content", "part", "data"))
    return next((words for words in inner if words.strip()), "")


def _find_time(message: Mapping[str, Any]) -> float:
    """Return a message's time in seconds since 1970, or 0 if it is missing or unreadable."""
    with suppress(WrongElement):
        if made := find_time(message):
            return made.timestamp()
    return 0.0


def _remove_asides(text: str) -> str:
    """Remove the blocks in which a program keeps reasoning and tool calls."""
    start, _, thoughts = text.partition("<think>")
    _, is_closed, rest = thoughts.partition("</think>")
    before, *blocks = (start.rstrip() + rest if is_closed else text).split(_ASIDE)
    return before + "".join(block.partition(_ASIDE_ENDS)[2] for block in blocks)


# Transcripts in Markdown -------------------------------------------------------------------------------------------

_ORDINAL = r"(?:(?:[^\W\d]{1,10} )?\d{1,5}[.)]?[ \t—–-]{1,4})?"
_DATE = r"(?:(?:[(\[]|[—–-] )(?P<date>\d[^()\[\]\n]{5,40})[)\]]?)?"
_LABEL = rf"{_ORDINAL}(?P<label>[^\n:*_#(\[]{{1,40}}?)(?: said)?[ \t]{{0,3}}{_DATE}[ \t]{{0,3}}"
_HEADINGS = {
    "#": re.compile(rf"#{{1,6}}\s+{_LABEL}(?::[ \t]*(?P<rest>.*))?$"),
    "**": re.compile(rf"(?:\*\*|__){_LABEL}(?::(?:\*\*|__)|(?:\*\*|__)[ \t]{{0,3}}(?::|$))[ \t]*(?P<rest>.*)$"),
    ":": re.compile(rf"{_LABEL}:[ \t]*(?P<rest>.*)$"),
    "": re.compile(rf"{_LABEL}(?P<rest>)$"),
}
"""The ways in which a line names who speaks, by the style of each."""
MIN_WORD = 5  # letters of a line that is more than a date in digits, with AM or PM
_ANY_STYLE = "any"  # where the sides of a talk are named in different ways
_MAX_HEADING_CHARS = 10_000
_DECORATION = re.compile(r"[^\w\s]+")
_COMMENT = re.compile(r"^<!--(?:(?!-->)[^\n]){0,1000}-->\n", re.MULTILINE)
_FOOTER = re.compile(r"\n---\s*\n[^\n]*\]\(https?://[^\n]*\s*$")


class _Heading(NamedTuple):
    """A line that may begin a turn. `style` is its markup, which is the same for all headings of a file."""

    style: str
    label: str
    date: str
    rest: str


def _parse_heading(line: str) -> _Heading | None:
    """Parse a line as a heading, or return None. A line with only a label must name a known role."""
    for style, pattern in _HEADINGS.items() if len(line) < _MAX_HEADING_CHARS else ():
        if found := pattern.match(line.replace("**", "") if style == "#" else line):
            label = " ".join(_DECORATION.sub(" ", found["label"]).split()).casefold()
            if label and (style or label in ROLES):
                return _Heading(style, label, found["date"] or "", found["rest"] or "")
    return None


def _choose_style(headings: Sequence[_Heading]) -> tuple[str, Mapping[str, str]]:
    """Return the heading style that names both speakers, and the role of each label. There may be no labels.

    An assistant with an unknown name is the label that most often follows the person's.
    """
    known = {heading.label: str(ROLES[heading.label]) for heading in headings if heading.label in ROLES}
    best, best_labels, most = _ANY_STYLE, known if len(set(known.values())) == 2 else {}, 0
    for style in dict.fromkeys(heading.style for heading in headings):
        labels = [
            heading.label for heading in headings if heading.style == style and heading.label not in _UNSAID_ROLES
        ]
        roles = {label: str(ROLES[label]) for label in labels if label in ROLES}
        if "user" in roles.values() and "assistant" not in roles.values():
            after = Counter(b for a, b in pairwise(labels) if a in roles and b not in roles)
            roles |= {label: "assistant" for label, _ in after.most_common(1)}
        count = sum(label in roles for label in labels)
        if {"user", "assistant"} <= set(roles.values()) and count > most:
            best, best_labels, most = style, roles, count
    return best, best_labels


def _iterate_outside_fences(text: str) -> Iterator[tuple[str, _Heading | None]]:
    """Yield each line, with its heading if it is one outside fenced code."""
    is_fenced = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        yield line, None if is_fenced or is_fence else _parse_heading(line)
        is_fenced ^= is_fence


def _read_transcript(text: str) -> tuple[str, list[dict[str, str]]]:
    """Return the title and the messages. Other text before the first turn is ignored."""
    text = _COMMENT.sub("", text)
    lines = list(_iterate_outside_fences(_FOOTER.sub("", text)))
    style, roles = _choose_style([heading for _, heading in lines if heading])
    title = text.split("\n", 1)[0].removeprefix("# ").strip() if text.startswith("# ") else ""
    turns: list[tuple[str, str, list[str]]] = []
    for line, heading in lines:
        is_turn = heading and style in (heading.style, _ANY_STYLE)
        if heading and is_turn and (heading.label in roles or heading.label in _UNSAID_ROLES):
            turns.append((roles.get(heading.label, ""), heading.date, [heading.rest] if heading.rest else []))
        elif turns and line.strip() != "---":
            turns[-1][2].append(line)
    return title, [_parse_turn(role, date, lines) for role, date, lines in turns]


def _parse_turn(role: str, date: str, lines: list[str]) -> dict[str, str]:
    """Return a message. If its first line is only a date, this is its time."""
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    line = lines[first].strip() if lines else ""
    bare = line.strip("*_ ")
    is_date = len(bare) > 7 and not bare.isdecimal() and (bare != line or sum(map(str.isalpha, bare)) < MIN_WORD)
    for given, rest in ((date, lines), (bare if is_date else "", lines[first + 1 :])):
        with suppress(WrongElement):
            if given and parse_moment(given, ""):
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
    return is_chat_table(sample.text) or bool(_choose_style(headings)[1])


def _fits_slack(sample: Sample) -> bool:
    return sample.opening == "[" and ({"type", "ts", "text"} <= sample.names or {"team_id", "profile"} <= sample.names)


MESSENGER = ImportFormat(
    name="messenger",
    product="Messenger",
    fits=lambda sample: {"participants", "messages"} <= sample.names,
    read=partial(read, name="messenger"),
    members=lambda _, name: name.startswith("message_") and name.endswith(".json"),
)
SLACK = ImportFormat(name="slack", product="Slack", fits=_fits_slack, read=partial(read, name="slack"))
COPILOT = ImportFormat(
    name="copilot",
    product="Copilot",
    fits=lambda sample: {"conversation", "time", "author", "message"} <= read_columns(sample.text),
    read=partial(read, name="copilot"),
)
FORMAT = ImportFormat(name="generic", fits=_fits, read=read)
