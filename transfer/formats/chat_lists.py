"""Read chats between people from lists of objects or from table rows, and ask which speaker is the user."""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from text.web_pages import collapse_gaps, extract_text
from transfer.formats.conversations import HistoryBuilder, make_times_monotonic, make_unique_id
from transfer.formats.history import NO_DATE, ImportedMessage, SkipElement
from transfer.formats.members import find_part_text, find_part_values, get_part_names, is_hidden_part, normalize_keys
from transfer.formats.telegram_desktop import iterate_attached_texts
from transfer.formats.values import InvalidElement, as_object, as_text, repair_mojibake, require_object, select_objects

_EVENT = re.compile(r"(?i)(channel|group|pinned|system)_|notif|u?n?subscribe$|call$|huddl|ThreadA|Event/|RichText/[MU]")
"""Types of messages that a program writes itself."""
_VIBER_ROW = re.compile(r'\d\d?/\d\d?/\d{4},\d\d?:\d\d(?::\d\d)?,[^,\n]{1,100},(?:\+\d+)?,(?=")')
_SENT_BY_SNAPCHAT = {"to", "mediatype"}  # until 2023, of what the person wrote
_PHONEVIEW_NAMES = re.compile(r'\A"?direction"?,"?timestamp"?,"?name"?(?=,"?number"?,"?content"?,"?type"?)')
_SLACK_LINK = re.compile(r"<([@#!]?)([^<>|\s]+)(?:\|([^<>]*))?>")


def is_chat_message(value: object) -> bool:
    """Return True if an object has a speaker, a text and a time."""
    return isinstance(value, dict) and bool(
        get_part_names(value, "words")
        and get_part_names(value, "time")
        and (find_speaker(value) or get_part_names(value, "own") or normalize_keys(value).keys() >= _SENT_BY_SNAPCHAT)
    )


def read_column_names(text: str) -> set[str]:
    """Return the names of a table's columns in lower case, or an empty set if there are none."""
    with suppress(csv.Error):
        return {name.strip().lower() for name in _open_table(text.split("\n", 1)[0]).fieldnames or ()}
    return set()


def _open_table(text: str) -> "csv.DictReader[str]":
    """Open a table with any separator. Add the column names that Viber leaves out, and replace those of PhoneView."""
    text = f"date,time,sender,phone,text\n{text}" if _VIBER_ROW.match(text) else text
    text = _PHONEVIEW_NAMES.sub("fromme,timestamp,chatname", text)
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    return csv.DictReader(io.StringIO(text, newline=""), restkey="", delimiter=separator)  # every name is a text


def parse_csv_rows(text: str) -> Iterator[dict[str, Any] | None]:
    """Yield the rows of a CSV file as dictionaries keyed by column name, or None for a damaged row."""
    rows = _open_table(text)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:  # a field longer than any message
            yield None


class PeopleChats:
    """The chats between people in one import. `names` maps a speaker's id to a name."""

    def __init__(self, builder: HistoryBuilder, names: Mapping[str, str]) -> None:
        self._builder = builder
        self._names = dict(names)
        self._chat_names: dict[str, str] = {}  # in Skype, also of the person with whom the chat is
        self._parts: dict[str, list[list[ImportedMessage]]] = {}
        self._titles: dict[str, str] = {}

    def add_chat_part(self, raw_messages: Sequence[object], chat_key: str, title: str) -> None:
        """Add messages to the chat `chat_key`, which may consist of several parts."""
        self._titles[chat_key] = repair_mojibake(title)
        read = self._builder.read_messages(
            raw_messages, partial(self._read_message, chat_key, Counter[str]()), ".messages"
        )
        if read:
            times = [message.created_at for message in read if not message.is_undated] or [NO_DATE]
            is_newest_first = times[0] > times[-1]
            self._parts.setdefault(chat_key, []).append(read[::-1] if is_newest_first else read)

    def add_participants_and_get_chat_id(self, chat: Mapping[str, Any]) -> str:
        """Add the names of a Hangouts chat's participants. Return the chat's id, or "" if it has none."""
        self._chat_names[as_text(chat.get("id"))] = find_part_text(chat, "title")
        outer = as_object(chat.get("conversation"))
        inner = as_object(outer.get("conversation")) or outer  # before 2018 there is no outer one
        people = [person for person in select_objects(inner.get("participant_data")) if person.get("id")]
        self._names |= {_find_name(person["id"]): as_text(person.get("fallback_name")) for person in people}
        return as_text(as_object(inner.get("id")).get("id"))

    def add_chats_to_history(self) -> None:
        """Add all chats to the import. If they name speakers, ask which of them is the user."""
        for key, parts in self._parts.items():
            parts.sort(key=lambda part: part[0].created_at)
            self._builder.append_chat(
                make_times_monotonic([message for part in parts for message in part]), self._titles[key]
            )
        self._builder.ask_which_speaker_is_user()

    def _read_message(self, chat_key: str, id_counts: Counter[str], raw: object) -> ImportedMessage:
        given = require_object(raw)
        members = normalize_keys(given)
        kinds = [as_text(members.get(name)) for name in ("type", "subtype", "messagetype")]
        is_event = "callduration" in members or ({"rid", "u"} <= members.keys() and members.get("t"))  # in Rocket.Chat
        if is_event or any(map(_EVENT.match, kinds)) or True in find_part_values(given, "added"):
            raise SkipElement("service")
        values = find_part_values(given, "words")
        texts = chain(map(_find_text_of_content, values), iterate_attached_texts(given))
        words = next((words for text in texts if (words := repair_mojibake(text).strip())), "")
        is_page = "messagetype" in members or words.startswith("<p>")  # Skype, Teams and Zulip write HTML
        words = extract_text(words) if is_page else words
        if "ts" in members:
            words = html.unescape(_SLACK_LINK.sub(self._format_slack_link, words))
        words = html.unescape(words) if "mediatype" in members else words  # of Snapchat
        words = "\n".join(filter(None, (words, as_text(as_object(members.get("share")).get("link")))))
        if not words or members.get("isunsent") is True:
            raise SkipElement("wordless")
        said_at = self._builder.find_past_time(given)
        if said_at is None and get_part_names(given, "time"):
            raise InvalidElement(".timestamp")
        own = members.keys() >= _SENT_BY_SNAPCHAT or next(find_part_values(given, "own"), None)
        speaker = find_speaker(given)
        if not speaker and str(own).lower() in ("true", "1", "sent"):
            speaker = "Me"
        elif not speaker and get_part_names(given, "own"):
            speaker = self._titles[chat_key]
        speaker = repair_mojibake(self._names.get(speaker) or _find_name(members.get("userprofile")) or speaker)
        speaker = speaker or ("Me" if kinds[0].lower() == "outgoing" else "?")
        speaker = self._chat_names.get(speaker) or speaker
        # Earlier versions, whose ids are kept, had no blank lines and tabs in code.
        hashed = collapse_gaps(words, "\t") if is_page else words
        parts = chat_key, said_at.isoformat() if said_at else "", speaker, hashed
        name = f"{chat_key}:{members['ts']}" if "ts" in members else make_unique_id(id_counts, *parts)
        fields = {"reactions": members.get("reactions"), "speaker": speaker, "is_undated": said_at is None}
        return self._builder.make_message(name, "user", words, said_at or self._builder.reading.now, **fields)

    def _format_slack_link(self, match: re.Match[str]) -> str:
        sign, target, label = match.groups()
        return f"{sign.replace('!', '@')}{label or self._names.get(target, target)}"


def find_speaker(message: Mapping[str, Any]) -> str:
    if "sender_id" in message and (name := as_text(message.get("name"))):  # GroupMe names people beside their ids
        return name
    sender = message.get("from_id")  # Telethon names people by their ids alone
    number = as_object(sender).get("user_id", sender)
    known = next(filter(None, map(_find_name, find_part_values(message, "speaker"))), "")
    posted_by = as_text(message.get("user_id")) if "root_id" in message else ""  # in Mattermost
    return known or posted_by or (str(number) if isinstance(number, int) else "")


def _find_text_of_content(content: object) -> str:
    if isinstance(content, list):  # Hangouts divides a message at its links
        return "".join(map(_find_text_of_content, content))
    if not isinstance(content, dict):
        return as_text(content)
    return "" if is_hidden_part(content) else find_part_text(content, "words")


def _find_name(person: object) -> str:
    if not isinstance(person, dict):
        return as_text(person)
    return find_part_text(person, "person") or _find_name(person.get("user"))  # of Teams
