"""Read WhatsApp text exports from Android and iOS. The date order is inferred from the file or asked for."""

import re
from collections import Counter
from collections.abc import Sequence

from runtime.cooperative import iterate_with_pauses
from transfer.formats.chat_heads import parse_message_head, split_into_messages
from transfer.formats.chat_texts import ChatLine, make_history_from_chats
from transfer.formats.conversations import HistoryBuilder
from transfer.formats.history import FileReading, ImportedHistory, ImportFormat, SourceFile
from transfer.formats.members import NAMES

_SPEAKER = re.compile(r"([^\n]{0,100}?):[ \n](.*)", re.DOTALL)  # a longer beginning is a sentence of the system
_OPEN_QUOTE = re.compile(r'^[^"]*"[^"]*$|[“„«][^”“»]*$')
"""Of a line of the system that names a group or a subject with a colon."""
_DELETED, _EDITED = (frozenset(NAMES["whatsapp"][name]) for name in ("deleted", "edited"))
_MEDIA = re.compile(r"<[^<>\n]{3,60}>")
_ATTACHED = re.compile(
    r"[^\n<>:\"/\\|?*]{1,200}\.\w{2,5} \([^()\n]{3,40}\)(?:\n|$)|<[^<>\n:]{3,30}: [^<>\n]{1,200}>(?:\n|$)"
)
_LAST_BRACKET = re.compile(r" [\u200e\u200f]{0,2}(<[^\W\d_][^<>\n]{6,60}>)$", re.MULTILINE)
_FIRST_BRACKET = re.compile(r"(<[^<>\n]{3,60}>)\n")
_TAIL = re.compile(r" ?[\u200e\u200f] ?<[^<>\n]{3,230}>$")  # what iOS adds to a message: that it was edited, or a file
_DOCUMENT = re.compile(r"[^\n]{1,200}\.\w{2,5} • [\u200e\u200f][^\n]{1,80}$")
"""A file that was left out of the export: its name, its pages, and the app's own words."""
_MARK = re.compile("[\u200e\u200f]")
_ISOLATE = re.compile("[\u2068\u2069]")  # around the name of a person who is mentioned
_WORDY = re.compile(r"https?://|\n.*\S")  # in what the app says itself: a place has a link, a poll several lines


def read_history(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    builder = HistoryBuilder("whatsapp", reading)
    return make_history_from_chats([_read_lines(file.text, builder.skipped) for file in files], builder)


def _read_lines(text: str, skipped_counts: Counter[str]) -> list[ChatLine]:
    said: list[ChatLine] = []
    # What the app writes in brackets at the end of messages, and in place of files, is repeated in a file.
    app_words = {words for words, count in Counter(_LAST_BRACKET.findall(text)).items() if count > 1}
    for head, line in iterate_with_pauses(split_into_messages(text)):
        said_by = _SPEAKER.match(line)
        if said_by is None or _OPEN_QUOTE.search(said_by[1]):
            continue
        speaker, words = said_by.groups()
        # iOS marks what the app says itself, and files, by the direction of its language.
        is_marked = head.shape[0] != 1 and words.startswith(("\u200e", "\u200f"))
        words = _ISOLATE.sub("", words).strip(" \u200e\u200f\n")
        # a file that was left out, and its caption
        if (first := _FIRST_BRACKET.match(words)) and first[1] in app_words:
            words = words[first.end() :]
        if (bracket := words[words.rfind("<") :]) in app_words or bracket.strip("<.>") in _EDITED:
            words = words.removesuffix(bracket).rstrip(" \u200e\u200f")
        attached = _ATTACHED.match(words)
        rest = words[attached.end() :].strip() if attached else _TAIL.sub("", words).strip()
        is_silent = _MEDIA.fullmatch(rest) or rest.rstrip(".") in _DELETED or _DOCUMENT.fullmatch(rest)
        if not rest or is_silent or (is_marked and not attached and not _WORDY.search(rest)):
            skipped_counts["wordless"] += 1
            continue
        rest = _MARK.sub("", rest) if is_marked else rest
        speaker = speaker.strip("~ \u200e\u200f\u202a\u202c\u202f\u00a0") or "?"
        said.append(ChatLine(head.day, head.clock, speaker, rest, head.stamp))
    return said


FORMAT = ImportFormat(
    name="whatsapp",
    product="WhatsApp",
    fits=lambda sample: any(map(parse_message_head, sample.text.splitlines()[:50])),
    read=read_history,
    members=re.compile(r"\A[^/]*/(?:_chat|(?=[^/]*whatsapp)[^/]*)\.txt"),
)
