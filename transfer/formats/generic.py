"""Read conversations from unknown programs: lists and trees in JSON, tables, and transcripts in Markdown."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from html import unescape
from itertools import cycle
from typing import Any

from llm.written.thoughts import remove_thoughts
from locales.catalog import tr
from records.errors import ImportRefused
from records.messages import Role
from text.characters import repair_surrogates
from text.word_lists import WORD_LISTS
from transfer.formats.chat_lists import PeopleChats, find_speaker, is_chat_message, parse_csv_rows, read_column_names
from transfer.formats.conversations import HistoryBuilder, ImportedTurn, ImportFormat, find_path_to_leaf
from transfer.formats.history import SkipElement, SourceFile
from transfer.formats.members import (
    MAX_DEPTH,
    NAMES,
    ROLES,
    UNSAID_ROLES,
    collect_text,
    find_message_text,
    find_part_text,
    find_part_values,
    find_role_or_speaker_name,
    find_side_number,
    find_time,
    find_title,
    get_part_names,
    guess_role,
    is_message,
    select_start_times,
)
from transfer.formats.transcripts import is_transcript, parse_transcript_info_and_messages
from transfer.formats.values import InvalidElement, as_object, as_text, parse_json, require_object, select_objects

_ASSISTANT_TALK = {"user", "human", "prompt", "request", *WORD_LISTS["roles"]["assistant"].split()}
"""Roles that people do not call each other: "me" and "you" may be of a chat among people, too."""
_TEXT_MESSAGES = "<smses"  # of SMS Backup & Restore
_TEXT_MESSAGE = re.compile(r"""<(?P<kind>sms|mms|part)\s(?:[^"'<>]++|"[^"<]*+"|'[^'<]*+')*+>""")
_HALF = re.compile(r"&#(5[5-7]\d{3});")
_ATTRIBUTE = re.compile(r"""\s(body|date|type|address|contact_name|msg_box|ct|text)=("[^"]*"|'[^']*')""")
_NO_QUESTION = "<|BEGIN-VISIBLE-CHAT|>"  # before a greeting in text-generation-webui
_TOOL_CALLS = re.compile(r"<details type=.*?(?:</details>\s*|\Z)", re.DOTALL)
"""Blocks in which Open WebUI keeps calls of tools."""

_ASKED_AS = "_asked_as"  # in a pair that may be of a list of common questions, which nobody asked
_ADDED = r"(?:bash-|command-|environment_|local-|system-|task-|turn_|user-|user_instructions)[a-z_-]*"
_ENVELOPE = re.compile(rf"(?:<({_ADDED})>(?>.*?</\1>)\s*+)++", re.DOTALL)
"""What editors say in the person's name. In other elements people ask, as in Cursor's <user_query>."""


def read_conversations(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    chats = PeopleChats(builder, _read_user_names(files))
    for file in files:
        _ConversationFileReader(file.folder, builder, chats).read_conversations(file)
    chats.add_chats_to_history()


def _read_user_names(files: Sequence[SourceFile]) -> Mapping[str, str]:
    users: list[dict[str, object]] = []
    for file in files:
        if file.name == "users.json":
            with suppress(ImportRefused):
                users += select_objects(file.open_json().read_value())
    held = ((user, as_object(user.get("profile")).get("real_name")) for user in users)
    return {as_text(user.get("id")): as_text(user.get("real_name") or name or user.get("name")) for user, name in held}


class _ConversationFileReader:
    """Reads the conversations in a file. Messages outside any conversation form one, named after the folder."""

    def __init__(self, folder: str, builder: HistoryBuilder, chats: PeopleChats) -> None:
        self._folder = folder
        self._builder = builder
        self._chats = chats
        self._loose: list[Any] = []

    def read_conversations(self, file: SourceFile) -> None:
        if file.is_json:
            self._builder.read_files([file], self._collect_conversations)
        elif _is_table(file.text):
            self._read_table(file.text)
        elif file.text.lstrip().startswith(("<?xml", _TEXT_MESSAGES)):
            self._read_sms_messages(file.text)
        else:
            about, messages = parse_transcript_info_and_messages(file.text)
            messages = [{**one, _ASKED_AS: tr("import-asker") if one["role"] == "question" else ""} for one in messages]
            _add_assistant_conversation(about, messages, self._builder)
        self._add_conversation({}, self._loose, {})

    def _read_sms_messages(self, text: str) -> None:
        chats: dict[str, list[dict[str, Any]]] = {}
        message: dict[str, Any] = {}
        for tag in _TEXT_MESSAGE.finditer(text):
            # Its emoji are two halves, of which each is escaped by itself.
            whole = repair_surrogates(_HALF.sub(lambda half: chr(int(half[1])), tag[0]))
            row = {name: unescape(value[1:-1]) for name, value in _ATTRIBUTE.findall(whole)}
            if tag["kind"] == "part":  # of a multimedia message, which phones also send to groups
                if row.get("ct") == "text/plain" and (words := row.get("text", "null")) != "null":
                    message["body"] = f"{message.get('body', '')}\n{words}".strip()
                continue
            named = row.get("contact_name", "").strip("()").replace("Unknown", "") or row.get("address", "")
            is_own = row.get("type", row.get("msg_box")) == "2"
            message = {"date": row.get("date"), "body": row.get("body", ""), "from_me": is_own, "contact_name": ""}
            chats.setdefault(named, []).append(message)
        for name, messages in chats.items():  # all of one kind stand before those of the other
            messages.sort(key=_find_timestamp_or_zero)
            self._chats.add_chat_part(messages, name, name)

    def _read_table(self, text: str) -> None:
        conversations: dict[str, list[dict[str, Any]]] = {}
        for row in parse_csv_rows(text):
            message = {name.lower(): cell for name, cell in (row or {}).items()}
            group = next((as_text(message[name]) for name in NAMES["groups"] if name in message), "")
            conversations.setdefault(group, []).extend(_split_row_by_role(message) or [message])
        for group, rows in conversations.items():
            title = rows[0].get("conversation title", group)
            first, last = (ROLES.get(find_role_or_speaker_name(row) or "") for row in (rows[0], rows[-1]))
            times = [_find_timestamp_or_zero(row) for row in rows]
            first_time, last_time = (next(filter(None, dated), 0) for dated in (times, reversed(times)))
            if first_time > last_time and last == "assistant" and all(times):
                rows.sort(key=_find_timestamp_or_zero)  # Copilot may stamp an answer like its question
            elif first_time > last_time or (first_time == last_time > 0 and (first, last) == ("assistant", "user")):
                rows.reverse()
            self._add_conversation({"title": title}, rows, {})

    def _collect_conversations(self, raw: object, depth: int = 0, title: str = "") -> None:
        """Add the conversations found at any depth in a value. `title` is the title of the enclosing object."""
        if isinstance(raw, list):
            for item in raw:
                if isinstance(item, dict | list) and depth < MAX_DEPTH:
                    self._collect_conversations(item, depth + 1, title)
            return
        value = require_object(raw) if not depth else as_object(raw)
        if True in find_part_values({**as_object(value.get("conversation")), **value}, "temporary"):  # also of Grok
            self._builder.skipped["temporary"] += 1
            return
        title = as_text(value.get("title")) or title
        if blocks := select_objects(value.get("message_blocks")):  # of Cherry Studio
            value = _insert_blocks_into_messages(value, blocks)
        chats = {key: member for key, member in value.items()
                 if isinstance(member, list) and any(map(is_chat_message, member))}  # fmt: skip
        said = [message for chat in chats.values() for message in select_objects(chat)]
        signed = sum(any(map(find_speaker, select_objects(chat))) for chat in chats.values())
        if len(chats) > 1 == signed and any("To" in message for message in said):  # Snapchat until 2023
            self._add_conversation({}, sorted(said, key=_find_timestamp_or_zero), {})
        elif len(chats) > 1:  # chats side by side, each under the name of a person
            for key, chat in chats.items():
                self._add_conversation({"title": key}, chat, {})
        elif turns := _split_by_role(value):
            self._loose.extend(turns)
        elif (replies := select_objects(value.get("replies"))) and is_chat_message(value):
            self._loose.extend((value, *replies))
        elif (messages := _find_raw_messages(value)) is not None:
            named = value if find_title(value) else {**value, "title": title}
            groups = (item for member in value.values() for item in select_objects(member))
            titles = {as_text(item.get("id")): as_text(item.get("title")) for item in groups if item.get("title")}
            self._add_conversation(named, messages, titles)
            self._collect_conversations(select_objects(value.get("threads")), depth, title)  # earlier ones, of Chatbox
        elif value.get("isSidechain") is True:  # Claude Code among its own agents
            return
        elif is_message(message := _unwrap_message(value)) or is_chat_message(message):
            self._loose.append(message)
        elif not (depth or find_part_text(value, "title")) and all(
            get_part_names(value, part) for part in ("id", "parent")
        ):
            self._loose.append(value)  # it only ties messages to one another: a conversation or a folder has a title
        elif depth < MAX_DEPTH:
            parts = select_objects(list(value.values()))
            is_mixed = len({(get_part_names(part, "query"), get_part_names(part, "answer")) for part in parts}) > 1
            for inner in value.values():
                # Next to other things, one pair without a time is of a table of words or settings.
                is_pair = is_mixed and not get_part_names(as_object(inner), "time") and _split_by_role(as_object(inner))
                if isinstance(inner, dict | list) and not is_pair:
                    self._collect_conversations(inner, depth + 1, title)

    def _add_conversation(self, raw: Mapping[str, Any], messages: Sequence[Any], titles: Mapping[str, str]) -> None:
        members = list(map(as_object, messages))
        labels = {find_role_or_speaker_name(member) or "" for member in members} - UNSAID_ROLES - {""}
        is_talk = not _ASSISTANT_TALK.isdisjoint(labels) or set(map(ROLES.get, labels)) == set(ROLES.values())
        # In Mattermost and GroupMe, people with different names have the role of a user.
        speakers = {find_speaker(member) for member in members if get_part_names(member, "words")} - {""}
        is_talk = is_talk and not (labels == {"user"} and len(speakers) > 1)
        is_undated = len(speakers) > 1 and "messages" in raw and not any(map(guess_role, labels))
        if not is_talk and (sides := _find_side_numbers_if_two(members)):  # the person begins
            messages = [
                {**member, "isUser": side == sides[0]} if (side := find_side_number(member)) in sides else message
                for message, member in zip(messages, members, strict=True)
            ]
        elif not is_talk and (is_undated or any(map(is_chat_message, members))):
            replies = [reply for said in members for reply in select_objects(said.get("slackdump_thread_replies"))]
            messages = sorted((*members, *replies), key=_find_timestamp_or_zero) if replies else messages
            if is_undated and not any(map(_find_timestamp_or_zero, members)):
                messages = [select_start_times(raw) | member for member in members]
            title = find_title(raw) or self._folder
            key = as_text(raw.get("thread_path")) or self._chats.add_participants_and_get_chat_id(raw) or title
            self._chats.add_chat_part(messages, key, title)
            return
        names = dict.fromkeys(name for message in members for name in get_part_names(message, "group"))
        ids = {name: {str(message.get(name)) for message in members} for name in names}
        several = (name for name in names if len(ids[name]) > 1)
        group = next(several, "") or next((name for name in names if ids[name] & titles.keys()), "")
        groups: dict[str, list[Any]] = {}
        for message, member in zip(messages, members, strict=True):
            groups.setdefault(str(member.get(group)) if group else "", []).append(message)
        for name, said in groups.items():
            title = titles.get(name) or (name if group == "conversation" else "")
            more = ({"title": title} if title else {}) | ({"id": name} if len(groups) > 1 else {})
            _add_assistant_conversation({**raw, **more}, select_newest_branch(said, _find_leaf_id(raw)), self._builder)


def _find_side_numbers_if_two(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the numbers of the two sides of a conversation. Return [] if there are not two with different speakers."""
    sides = dict.fromkeys(side for message in messages if (side := find_side_number(message)) is not None)
    speakers = {(find_side_number(message), name) for message in messages if (name := find_speaker(message))}
    return list(sides) if len(sides) == 2 and len(dict(speakers)) == len(speakers) else []


def _insert_blocks_into_messages(value: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    by_id = {as_text(block.get("id")): block for block in blocks}
    topics = select_objects(value.get("topics"))
    for message in (message for topic in topics for message in select_objects(topic.get("messages"))):
        ids = message.get("blocks")
        names = map(as_text, ids) if isinstance(ids, list) else ()  # an id may be anything, also what has no hash
        message["content"] = [by_id[name] for name in names if name in by_id]
    return {"topics": topics}


def _split_question_answer_pairs(conversation: Mapping[str, Any]) -> list[Any] | None:
    """Return the question-answer pairs of text-generation-webui or Gradio as messages, or None if there are none."""
    pairs, about = conversation.get("internal") or conversation.get("history"), as_object(conversation.get("metadata"))
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return None
    return [
        {**as_object(about.get(f"{role}_{number}")), "role": role, "content": text}
        for number, pair in enumerate(pairs)
        for role, text in zip(("user", "assistant"), pair, strict=True)
        if text != _NO_QUESTION
    ]


def _find_raw_messages(value: Mapping[str, Any]) -> list[Any] | None:
    if pairs := _split_question_answer_pairs(value):
        return pairs
    chat = as_object(value.get("chat"))
    for holder in (value, chat, as_object(chat.get("history"))):
        for member in holder.values():
            if isinstance(member, dict) and (messages := _select_shown_branch_of_tree(member, holder)):
                return messages
    for member in (*value.values(), *chat.values()):
        if isinstance(member, dict) and member and all(map(is_chat_message, member.values())):  # by their ids
            has_roles = any(find_role_or_speaker_name(message) in ROLES for message in member.values())
            return list(member.values()) if has_roles else sorted(member.values(), key=_find_timestamp_or_zero)
        items = member if isinstance(member, list) else ()
        if any(
            is_message(message := _unwrap_message(item)) or _split_by_role(as_object(item)) or is_chat_message(message)
            for item in items
        ):
            ends = [as_object(items[number]).get("role") for number in (0, -1)]
            is_newest_first = value.get("object") == "list" and ends == ["assistant", "user"]  # of OpenAI's API
            return _flatten_message_lists(items)[:: -1 if is_newest_first else 1]
    return None


def _select_shown_branch_of_tree(nodes: Mapping[str, Any], conversation: Mapping[str, Any]) -> list[Any]:
    tree = [{**as_object(_unwrap_message(node)), "id": name} for name, node in nodes.items() if isinstance(node, dict)]
    is_wrapped = any(isinstance(as_object(node).get("message"), dict) for node in nodes.values())
    if not any(get_part_names(node, "parent") for node in tree) or not (is_wrapped or any(map(is_message, tree))):
        return []
    path = select_newest_branch(tree, _find_leaf_id(conversation))
    if not any(map(is_message, path)):  # an old export of DeepSeek: each message answers the one before
        spoken = (node for node in path if find_message_text(node))
        return [{**node, "role": role} for node, role in zip(spoken, cycle(("user", "assistant")), strict=False)]
    return [node for node in path if is_message(node)]


def select_newest_branch(messages: list[Any], leaf_id: object = None) -> list[Any]:
    """Return the branch that ends with the id `leaf_id` (default: the newest), or all messages if none has a parent."""
    dicts = [message for message in messages if isinstance(message, dict)]
    names = get_part_names(dicts[0], "id") if dicts else ()
    number = next((name for name in names if all(_format_id(message.get(name)) for message in dicts)), "")
    parents = {
        _format_id(message.get(number)): next(filter(None, map(_format_id, find_part_values(message, "parent"))), "")
        for message in dicts
    }
    numbers_versions = any("version" in message for message in dicts)  # of Le Chat
    if not number or not any(parents.values()) or numbers_versions:
        return messages
    nodes = {_format_id(message[number]): message for message in dicts}
    tied = sum(name in nodes for name in parents.values())
    if 2 * tied < len(dicts) - 1 or len(nodes) < len(dicts):  # most are roots: the parents mean something else
        return messages
    path = dict.fromkeys(find_path_to_leaf(parents, leaf_id, lambda name: _find_timestamp_or_zero(nodes[name])))
    if "ancestors" in dicts[0]:  # earlier versions read all branches, and ids are made of a message's number
        return [message if name in path else {**message, "hidden": True} for name, message in nodes.items()]
    return [nodes[name] for name in path]


def _find_leaf_id(conversation: Mapping[str, Any]) -> object:
    """Return the id of the message that was shown last, if a conversation or an object directly inside it names it."""
    objects = (conversation, *(member for member in conversation.values() if isinstance(member, dict)))
    return next((leaf for held in objects for leaf in find_part_values(held, "leaf") if leaf), None)


def _format_id(value: object) -> str:
    value = (value or [""])[-1] if isinstance(value, list) else value  # the last one of all before it
    return str(value) if isinstance(value, int | str) else ""


def _flatten_message_lists(items: Sequence[Any]) -> list[Any]:
    """Unwrap messages, split question-answer pairs, and follow the last branch of nested answers."""
    found: list[Any] = []
    level: object = items
    if any(select_objects(as_object(item).get("children")) and is_message(item) for item in items):
        while newest := select_objects(level)[-1:]:
            found += newest
            level = newest[0].get("children")
        return found
    for item in items:
        found.extend(_split_by_role(as_object(item)) or [_unwrap_message(item)])
    return found


def _unwrap_message(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    if isinstance(versions := item.get("versions"), list) and versions:  # of LM Studio
        chosen = item.get("currentlySelected")
        return versions[chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else -1]
    if len(answers := select_objects(item.get("candidates"))) > 1:  # of Character.AI
        shown = [answer for answer in answers if answer.get("candidate_id") == item.get("primary_candidate_id")]
        return {**item, "candidates": shown or answers[:1]}
    for name in NAMES["wrappers"]:
        if isinstance(inner := item.get(name), dict) and not is_message(item):
            return _unwrap_message({**{key: value for key, value in item.items() if key != name}, **inner})
    return item


def _split_row_by_role(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the question and the answer in a table row, only the question if there is no answer, or [] for neither."""
    is_prompt = "prompt" in row and find_role_or_speaker_name(row) is None and get_part_names(row, "time")
    turns = [turn | {_ASKED_AS: ""} for turn in _split_by_role(row)]  # a table is a person's own
    return turns or ([{**row, "role": "user", "content": row["prompt"]}] if is_prompt else [])


def _split_by_role(turn: Mapping[str, Any]) -> list[dict[str, Any]]:
    if isinstance(request := turn.get("request"), dict):  # of Watson and Dialogflow, with the words deep inside
        turn = {"query": _find_answer_text(request), **turn}
    queries, answers = get_part_names(turn, "query"), get_part_names(turn, "answer")
    if "assistant" in turn or (answers and not queries and not is_chat_message(turn)):
        queries = ("user",)
    if isinstance(turn.get("response"), list):  # Copilot in an editor
        queries = ("message", *queries)
    asked = next((name for name in queries if collect_text(turn.get(name)).strip()), "")
    if not asked:  # as most objects have no question
        return []
    answer = next((words for name in (*answers, "text") if (words := _find_answer_text(turn.get(name)))), "")
    if not answer or get_part_names(turn, "flag"):
        return []
    spoken = (*queries, *answers, *get_part_names(turn, "text"))
    rest = {key: held for key, held in turn.items() if key not in spoken}
    is_printed = asked.lower() in ("question", "instruction") or "completion" in answers  # also of training data
    shown = {_ASKED_AS: tr("import-asker")} if is_printed else {}
    question = {**rest, "role": "user", "content": collect_text(turn[asked]), **shown}
    return [question, {**rest, "role": "assistant", "content": answer}]


def _find_answer_text(value: object, depth: int = 0) -> str:
    if isinstance(value, str) and value.startswith(('{"', "[{")):  # the steps of Perplexity
        value = parse_json(value) or value
    if isinstance(value, str) or depth > MAX_DEPTH:
        return as_text(value).strip()
    if isinstance(value, list):
        pieces = "".join(as_text(part.get("value")) for part in select_objects(value) if not part.get("kind"))
        return pieces or next((words for item in value if (words := _find_answer_text(item, depth + 1))), "")
    members = as_object(value)
    named = [members[name] for name in (*get_part_names(members, "answer"), "text") if name in members]
    inner = named or [member for member in members.values() if isinstance(member, dict)]
    return next((words for member in inner if (words := _find_answer_text(member, depth + 1))), "")


def _add_assistant_conversation(raw: Mapping[str, Any], messages: Sequence[Any], builder: HistoryBuilder) -> None:
    """Add a conversation with an assistant. If only one role is missing, speakers with an unknown role get it."""
    key = raw.get("conversationId") or raw.get("id") or raw.get("uuid") or raw.get("title") or ""
    labels = dict.fromkeys(find_role_or_speaker_name(as_object(message)) or "" for message in messages)
    roles_by_label = {label: ROLES.get(label) for label in labels}
    if not any(roles_by_label.values()):
        roles_by_label = {label: guess_role(label) for label in labels}
    missing = set(ROLES.values()) - set(roles_by_label.values())
    title = find_title(raw) or next((as_text(as_object(message).get("thread_title")) for message in messages), "")
    inner = [*select_objects(list(raw.values())), *select_objects(list(as_object(raw.get("metadata")).values()))]
    times = {} if _find_timestamp_or_zero(raw) else next((held for held in inner if _find_timestamp_or_zero(held)), {})
    about = {**times, **raw, "title": title}
    if any(map(_find_timestamp_or_zero, (about, *map(as_object, messages)))):  # so it was a talk
        for message in map(as_object, messages):
            message.pop(_ASKED_AS, "")
    read_turn = partial(_read_turn, roles_by_label, missing.pop() if len(missing) == 1 else None)
    builder.add_conversation(about, messages, read_turn, str(key)[:200])


def _read_turn(
    roles_by_label: Mapping[str, Role | None], default_role: Role | None, message: Mapping[str, Any], _: datetime
) -> ImportedTurn:
    """Read a turn from a message. A speaker whose label is missing from `roles_by_label` gets `default_role`."""
    label = find_role_or_speaker_name(message) or ""
    role = roles_by_label.get(label)
    speaker = as_text(message.get("name" if "mes" in message and role == "assistant" else _ASKED_AS))
    if role is None and label and label not in UNSAID_ROLES:
        # Grok names one assistant in several ways, also by its model.
        role = default_role or ("assistant" if label.split("-")[0] in NAMES["bots"] else None)
        names = (name for given in find_part_values(message, "role") if (name := as_text(given)).lower() == label)
        speaker = next(names, "") if role == "assistant" else ""
    is_added = message.get("weight") == 0 or True in find_part_values(message, "added")
    words = None if is_added else find_message_text(message)
    if words and role == "user" and _ENVELOPE.fullmatch(words.strip()):
        raise SkipElement("service")
    # Le Chat cuts an answer where its sources are named. Earlier versions set a line between the pieces.
    pieces, shown = message.get("contentChunks"), words
    if words and role == "assistant":
        shown = collect_text(pieces, joint="") if words == collect_text(pieces) else words
        words, shown = (remove_thoughts(_TOOL_CALLS.sub("", text)) for text in (words, shown))
    # The id of a message is a hash of its words, which earlier versions stripped, too.
    return ImportedTurn(role, words and words.strip(), as_text(message.get("messageId")), speaker, shown)


def _find_timestamp_or_zero(message: Mapping[str, Any]) -> float:
    with suppress(InvalidElement):
        if made := find_time(message):
            return made.timestamp()
    return 0.0


def _is_table(text: str) -> bool:
    row = dict.fromkeys(read_column_names(text), "?")
    return len(row) > 1 and (is_chat_message(row) or is_message(row) or bool(_split_row_by_role(row)))


PRODUCTS = [
    ImportFormat(name=name.lower(), product=name, marks=tuple(marks), read=read_conversations,
                 members=re.compile(r"\A[^/]*/message_[^/]*\.json"))
    for name, marks in NAMES["products"].items()
]  # fmt: skip
"""Products whose files only need a name of their own."""
FORMAT = ImportFormat(
    name="generic",
    fits=lambda file: (
        not file.is_json and (_is_table(file.sample) or _TEXT_MESSAGES in file.sample or is_transcript(file.sample))
    ),
    read=read_conversations,
    members=re.compile(r"\A[^/]*/(?:grok-chat-item\.js|direct-messages\.js|prod-grok-backend\.json)"),
)
