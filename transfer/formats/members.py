"""Find a message's role, speaker, text, time, id and parent in JSON, by the member names that programs use for them."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from records.messages import Role
from text.word_lists import WORD_LISTS
from text.written_dates import WrittenDate
from transfer.formats.values import InvalidElement, as_object, as_text, parse_json, parse_moment, select_objects

ROLES: Mapping[str, Role] = {
    word: role for name in ("roles", "names") for role, words in WORD_LISTS[name].items() for word in words.split()
}
"""Names that programs give to the two sides of a conversation."""
UNSAID_ROLES = frozenset({"system", "tool", "function", "developer", "data", "think", "thinking", "reasoning"})
"""Roles of messages that nobody in a conversation says."""
NAMES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
"""Names and phrases by which the files of other programs are read."""
_MEMBERS: Mapping[str, tuple[str, ...]] = {part: tuple(names.split()) for part, names in NAMES["members"].items()}
_OTHER_TIMES = ("expir", "delet", "edit", "read")  # names of times at which nothing was said begin so
_MIN_SECONDS = 10**8  # a smaller number is a duration, not a date
_OPEN_DATE = re.compile(r"\s*(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d)(?!\d)")  # begins with the day or the month
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?")
_KINDS = ("type", "event", "kind")  # ends of names of members that may tell a role, among other things
_HIDDEN_PART = re.compile("think|thought|reason|tool|image|file|audio|search|^system", re.IGNORECASE)
"""Types of parts that nobody reads as an answer."""
MAX_NAMES = 200  # members of an object that are searched for the parts of a message
MAX_DEPTH = 6  # nesting levels in which conversations are looked for


@lru_cache(maxsize=4096)
def normalize_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def normalize_keys(raw_object: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with simplified member names: "sender_name" and "Sender Name" become "sendername"."""
    return {normalize_name(name): member for name, member in raw_object.items()}


def get_part_names(value: Mapping[str, Any], message_part: str) -> tuple[str, ...]:
    """Return the names of an object's members that may contain this part of a message, most likely first."""
    return _select_part_names(tuple(islice(value, MAX_NAMES)), message_part)


@lru_cache(maxsize=512)
def _select_part_names(names: tuple[str, ...], message_part: str) -> tuple[str, ...]:
    normalized = {normalize_name(name): name for name in reversed(names)}
    wanted = _MEMBERS[message_part]
    if message_part == "time":
        others = (
            name for name in normalized if name.endswith(_MEMBERS["late_time"]) and not name.startswith(_OTHER_TIMES)
        )
        wanted = (*wanted, *sorted(set(others) - set(wanted)))
    return tuple(normalized[name] for name in wanted if name in normalized)


def find_part_values(raw_object: Mapping[str, Any], message_part: str) -> Iterator[Any]:
    """Yield the values of an object's members that may contain this part of a message, most likely first."""
    return (raw_object[name] for name in get_part_names(raw_object, message_part))


def find_part_text(value: Mapping[str, Any], message_part: str) -> str:
    return next(filter(None, map(as_text, find_part_values(value, message_part))), "")


def find_role_or_speaker_name(raw_message: Mapping[str, Any]) -> str | None:
    """Return a message's role or, without a role, the speaker's name, in lower case. Return None if it has neither."""
    for flag in find_part_values(raw_message, "flag"):
        if isinstance(flag, bool):
            return "system" if raw_message.get("is_system") is True else "user" if flag else "assistant"
    labels: list[str] = []
    unknown_types: list[str] = []  # not every type is a role: Claude Code calls each "userType" external
    for name in get_part_names(raw_message, "role"):
        given = raw_message[name]
        if isinstance(given, dict):
            given = given.get("role") or ("user" if given.get("is_human") else given.get("name")) or given.get("type")
        label = as_text(given).lower().removesuffix(".message")  # of Copilot's command line
        if label in ROLES or not name.lower().endswith(_KINDS):
            labels.append(label)
        elif name not in _KINDS:
            unknown_types.append(label)
    parts = select_objects(raw_message.get("fragments"))
    kinds = (kind for part in parts if (kind := as_text(part.get("type")).lower()) in ROLES)
    return next(filter(None, (*labels, *unknown_types, *kinds)), None)


def find_side_number(message: Mapping[str, Any]) -> int | None:
    """Return the number of the speaker's side in a conversation, or None if the message gives none."""
    sides = (message.get("type"),) if "bubbleId" in message else find_part_values(message, "side")  # of Cursor
    return next((number for number in sides if isinstance(number, int)), None)


def guess_role(label: str) -> Role | None:
    """Return the role named at the beginning of a label such as "usermessage" or "用户提问", or None."""
    for word, role in ROLES.items():
        rest = label.removeprefix(word)
        is_apart = not rest[:1].isalpha() or rest[:1].isascii() != word.isascii()
        if rest != label and (is_apart or len(word) > 3 or word > "\u3000"):  # Chinese puts no spaces between words
            return role
    return None


def is_message(value: object) -> bool:
    """Return True if an object may contain a message's text and gives the role or side of its speaker."""
    return bool(
        isinstance(value, dict)
        and get_part_names(value, "text")
        and {find_role_or_speaker_name(value), find_side_number(value)} - {None}
    )


def collect_text(value: object, depth: int = 0, joint: str = "\n") -> str:
    """Return the visible text of a message's content, which may consist of parts with `joint` between them."""
    if isinstance(value, list):
        return joint.join(filter(None, (collect_text(part, depth + 1) for part in value if depth < MAX_DEPTH)))
    if not isinstance(value, dict):
        return as_text(value)
    if depth > MAX_DEPTH or is_hidden_part(value):
        return ""
    inner = (collect_text(member, depth + 1) for member in find_part_values(value, "part"))
    return next((words for words in inner if words.strip()), "")


def is_hidden_part(part: Mapping[str, Any]) -> bool:
    """Return True if a part of a message is a thought, a tool call or a file."""
    kinds = map(str, find_part_values(part, "kind"))
    return part.get("thought") is True or any(map(_HIDDEN_PART.search, kinds))


def find_message_text(value: Mapping[str, Any]) -> str:
    for call in select_objects(value.get("tool_calls")):  # Letta's agents speak by a tool
        function = as_object(call.get("function"))
        if function.get("name") == "send_message":
            return as_text(as_object(parse_json(as_text(function.get("arguments")))).get("message"))
    words = next((words for member in find_part_values(value, "text") if (words := collect_text(member)).strip()), "")
    if '"text_block"' in words:  # Doubao writes the parts of a message as a text
        words = collect_text(parse_json(words)) or words
    # Letta wraps what a person said as an event, and adds events of its own.
    if words.startswith('{"type":') and (envelope := as_object(parse_json(words))):
        return as_text(envelope.get("message")) if envelope.get("type") == "user_message" else ""
    return words


def find_title(value: Mapping[str, Any]) -> str:
    """Return the title of a conversation or of an object directly inside it, or "" if there is none."""
    objects = (member for member in value.values() if isinstance(member, dict))
    inner = (member[name] for member in objects for name in get_part_names(member, "title") if name != "name")
    return find_part_text(value, "title") or next(filter(None, map(as_text, inner)), "")


def select_start_times(conversation: Mapping[str, Any]) -> dict[str, Any]:
    """Return those times of a conversation that are before its messages. It is changed or exported after them."""
    names = (name for name in conversation if normalize_name(name).startswith(("creat", "date", "start")))
    return {name: conversation[name] for name in names}


def find_time(
    value: Mapping[str, Any], zone: tzinfo = UTC, date_order: str = "", ambiguous_dates: list[WrittenDate] | None = None
) -> datetime | None:
    """Return the time given in an object, or None. Raise InvalidElement if it is unreadable.

    `date_order` is the order of day and month. Dates that fit both orders are added to `ambiguous_dates`.
    """
    for name in get_part_names(value, "time"):
        held, normalized = value[name], normalize_name(name)
        is_usual = normalized in _MEMBERS["time"]
        is_clock = _CLOCK.fullmatch(as_text(held).strip())  # a table has the day in another column
        if not held or is_clock or (not is_usual and isinstance(held, int | float) and held < _MIN_SECONDS):
            continue
        clock = as_text(value.get("time", value.get("Time"))) if normalized == "date" else ""
        try:
            if isinstance(held, dict) and not any(part.startswith(("$", "seconds", "_seconds")) for part in held):
                moment = find_time(held, zone, date_order, ambiguous_dates)
            else:
                stated = f"{held} {clock}" if _CLOCK.fullmatch(clock) else held
                moment = parse_moment(stated, f".{name}", UTC if normalized.endswith("utc") else zone, date_order)
        except InvalidElement:
            if is_usual:
                raise
            continue
        if moment and ambiguous_dates is not None and isinstance(held, str) and (found := _OPEN_DATE.match(held)):
            ambiguous_dates.append(((int(found[1]), int(found[2]), int(found[3])), ""))
        if moment:
            return moment
    return None
